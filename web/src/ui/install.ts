// The browser's offer to install Mellow. The browser makes it once, some time after the page was opened. It
// is kept for Settings.

type Offer = Event & { prompt(): Promise<unknown> };

export const install = { offer: null as Offer | null, changed: (): void => undefined };

/** Starts listening for the offer. */
export function startInstall(): void {
  addEventListener("beforeinstallprompt", (event) => {
    // Without this some browsers show a banner over the page.
    event.preventDefault();
    install.offer = event as Offer;
    install.changed();
  });
}
