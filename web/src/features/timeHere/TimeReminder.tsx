// The line that tells a person how long they were here today, until they answer (D-U6).
//
// Promises: it takes neither the focus nor room in the page. It stops nobody: all else can be used beside it.

import { useRef, useSyncExternalStore } from "react";
import { navigate } from "wouter/use-browser-location";
import { useStore } from "../../engine/store";
import { many, say, useLanguage } from "../../say";
import { Button } from "../../ui/Button";
import { Notice } from "../../ui/Notice";
import { catchFocus } from "../../ui/focus";
import { timeHere } from "./minutes";

export function TimeReminder() {
  const userId = useStore((s) => s.session.me?.id ?? null);
  return userId === null ? null : <Line userId={userId} />;
}

function Line({ userId }: { userId: number }) {
  useLanguage();
  const minutes = useSyncExternalStore(timeHere.watch, () => timeHere.reached(userId));
  // Where the focus was before it came into the line.
  const before = useRef<EventTarget | null>(null);

  const stay = (): void => {
    timeHere.answer(userId);
    catchFocus(() => {
      const { current } = before;
      return current instanceof HTMLElement && current.isConnected ? current : document.querySelector("main");
    });
  };
  const stepAway = (): void => {
    timeHere.answer(userId);
    // The leave guard does not ask, because nothing is lost: what was written is kept when its page is left.
    navigate("/away");
  };

  return (
    <Notice
      label={say("Time reminder")}
      text={
        minutes === null
          ? null
          : many(minutes, "You have been here {n} minute today.", "You have been here {n} minutes today.")
      }
      isQuiet={!timeHere.isReachedHere}
      onFocusFrom={(element) => {
        before.current = element;
      }}
    >
      <Button variant="quiet" small onClick={stay}>
        {say("Stay")}
      </Button>
      <Button small onClick={stepAway}>
        {say("Step Away")}
      </Button>
    </Notice>
  );
}
