// The start of the page: styles, the session, the first render.

import { say } from "./say";
import "./theme/base.css";
// The first screens of guests and of signed-in people both show it, so it is in the file that both load.
import "./ui/Avatar";
import { StrictMode, startTransition } from "react";
import { createRoot } from "react-dom/client";
import { navigate } from "wouter/use-browser-location";
import { App } from "./app/App";
import { isAway } from "./app/paths";
import { startLanguage } from "./languages";
import { startSession } from "./engine/session";
import { startAppearance } from "./ui/appearance";
import { startInstall } from "./ui/install";
import { setClockOffset } from "./ui/now";
import { startPressFocus } from "./ui/pressFocus";
import { toast } from "./ui/toast";

const NOT_KEPT =
  "This browser didn't keep your login. If the connection is lost, you'll be asked to log in again. What you write stays.";

startAppearance();
startInstall();
startPressFocus();
startSession(
  () => import("./app/client"),
  {
    navigate: (path) => navigate(path),
    onClock: setClockOffset,
    onNotKept: () => toast(say(NOT_KEPT), { error: true, ms: 15_000 }),
    // Loading this file does not fail: the service worker keeps it, and an account is deleted only while the
    // server can be reached.
    onGone: (userId) => void import("./app/forgetPerson").then(({ forgetPerson }) => forgetPerson(userId)),
  },
  isAway(),
);

/** The longest wait of the first render for the fonts. */
const FONTS_MS_MAX = 1_000;

/**
 * Waits for the fonts, which the page preloads. In a font of the device lines break at other places, so what is below
 * would move when the fonts arrive.
 */
async function fontsAreHere(): Promise<void> {
  const fonts = ['1em "Figtree Variable"', '500 1em "Fraunces"'].map((font) => document.fonts.load(font));
  await Promise.race([
    Promise.allSettled(fonts),
    new Promise((resolve) => setTimeout(resolve, FONTS_MS_MAX)),
  ]);
}

const root = document.getElementById("app");
// In a transition React renders in slices of a few milliseconds, so the first render is not one long task.
if (root !== null)
  void Promise.all([fontsAreHere(), startLanguage()]).then(() =>
    startTransition(() =>
      createRoot(root).render(
        <StrictMode>
          <App />
        </StrictMode>,
      ),
    ),
  );
