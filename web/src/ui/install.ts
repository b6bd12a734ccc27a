// The browser's offer to install Mellow. The browser makes it once, some time after the page was opened, so
// it is kept for Settings.

type InstallPrompt = Event & { prompt(): Promise<unknown> };

export const install = { prompt: null as InstallPrompt | null, changed: (): void => undefined };

/** Starts listening for the offer. */
export function startInstall(): void {
  addEventListener("beforeinstallprompt", (event) => {
    // Without this some browsers show a banner over the page.
    event.preventDefault();
    install.prompt = event as InstallPrompt;
    install.changed();
  });
}
