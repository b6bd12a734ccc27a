// The browser's offer to install Mellow. It comes once, some time after the page has opened, and is kept for Settings.

type Offer = Event & { prompt(): Promise<unknown> };

export const install = { offer: null as Offer | null, changed: (): void => undefined };

/** Begins to wait for the offer. */
export function startInstall(): void {
  addEventListener("beforeinstallprompt", (event) => {
    // Otherwise some browsers put a banner over the page.
    event.preventDefault();
    install.offer = event as Offer;
    install.changed();
  });
}
