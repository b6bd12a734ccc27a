// The list of what the person wrote without a network and could not be sent later.
//
// Promise: after Send and Delete the focus stays here until nothing is left, and then goes to the heading of the page.

import { useEffect, useEffectEvent, useRef } from "react";
import { say } from "../../say";
import { useStore } from "../../engine/store";
import { CommentText } from "../../features/comments/CommentText";
import { Button } from "../../ui/Button";
import { catchFocus, useFocusInside } from "../../ui/focus";
import { pageHeading } from "../../ui/pageHeading";
import { offlineData } from "./begin";
import card from "../../ui/Card.module.css";
import { cx } from "../../ui/cx";
import css from "./offline.module.css";

export default function NotSent() {
  const all = useStore((s) => s.notSent);
  const title = useRef<HTMLHeadingElement>(null);
  const { inside, onFocus, onBlur } = useFocusInside();
  // The item of the pressed button goes as soon as the browser has looked it up. With the last one Home drops the list.
  const count = all.length;
  const keepFocus = useEffectEvent(() => {
    if (inside.current) catchFocus(() => title.current ?? pageHeading());
  });
  useEffect(() => () => keepFocus(), [count]);
  if (count === 0) return null;
  return (
    // The section cannot be pressed; it only notices whether the focus is in it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      className={cx(card.card, css.unsent)}
      aria-labelledby="not-sent"
      onFocus={onFocus}
      onBlur={onBlur}
    >
      <h2 id="not-sent" tabIndex={-1} data-quiet ref={title}>
        {say("Not sent")}
      </h2>
      <ul role="list" aria-label={say("Not sent")}>
        {all.map(({ key, text, reason }) => (
          <li key={key}>
            <div dir="auto" id={`not-sent-${key}`}>
              <CommentText text={text} />
            </div>
            <p className={card.quiet}>{reason}</p>
            {/* The buttons of every item have the same names. */}
            <Button
              variant="quiet"
              small
              aria-describedby={`not-sent-${key}`}
              onClick={() => void offlineData.delete(key)}
            >
              {say("Delete")}
            </Button>
            <Button small aria-describedby={`not-sent-${key}`} onClick={() => void offlineData.send(key)}>
              {say("Send")}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
