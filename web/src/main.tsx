// The start of the page: styles, the session, the first render.

import "./theme/base.css";
import { StrictMode, startTransition } from "react";
import { createRoot } from "react-dom/client";
import { navigate } from "wouter/use-browser-location";
import { App } from "./app/App";
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
startSession(() => import("./app/client"), {
  navigate: (path) => navigate(path),
  onClock: setClockOffset,
  // Loading this file does not fail: the service worker keeps it, and an account is deleted only while the
  // server can be reached.
  onNotKept: () => toast(NOT_KEPT, { error: true, ms: 15_000 }),
  onGone: (userId) => void import("./app/forgetPerson").then(({ forgetPerson }) => forgetPerson(userId)),
});

const root = document.getElementById("app");
// In a transition React renders in slices of a few milliseconds, so the first render is not one long task.
if (root !== null)
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  );
