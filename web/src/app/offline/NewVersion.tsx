// The offer to reload the page for a new build. The page never reloads by itself, because text may be
// unsaved. This file is not part of the app's first files.

import { useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { say, useLanguage } from "../../say";
import { shell } from "../../text";
import { Button } from "../../ui/Button";
import { Notice } from "../../ui/Notice";
import { catchFocus } from "../../ui/focus";
import { noticePlace } from "../../ui/noticePlace";
import { leave } from "../leaveGuard";

/** Shows the offer until the page is reloaded. */
export function offerVersion(): void {
  createRoot(noticePlace()).render(<NewVersion />);
}

function NewVersion() {
  useLanguage();
  const [isLater, setLater] = useState(false);
  // Where the focus was before it came into the line.
  const before = useRef<EventTarget | null>(null);
  const later = (): void => {
    setLater(true);
    catchFocus(() => {
      const { current } = before;
      return current instanceof HTMLElement && current.isConnected ? current : document.querySelector("main");
    });
  };
  return (
    <Notice
      label={say("New version")}
      text={isLater ? null : say("A new version is ready.")}
      onFocusFrom={(element) => {
        before.current = element;
      }}
    >
      <Button variant="quiet" small onClick={later}>
        {say("Later")}
      </Button>
      <Button small onClick={() => leave(() => location.reload(), false)}>
        {say(shell.reload)}
      </Button>
    </Notice>
  );
}
