// The list of what the person wrote without a network and could not be sent later.

import { say } from "../../say";
import { useStore } from "../../engine/store";
import { CommentText } from "../../features/comments/CommentText";
import { Button } from "../../ui/Button";
import { catchFocus } from "../../ui/focus";
import { offlineData } from "./begin";
import card from "../../ui/Card.module.css";
import { cx } from "../../ui/cx";
import css from "./offline.module.css";

export default function NotSent() {
  const all = useStore((s) => s.notSent);
  if (all.length === 0) return null;
  const act = (work: "send" | "delete", key: string) => {
    void offlineData[work](key);
    catchFocus(() => document.querySelector<HTMLElement>("h1"));
  };
  return (
    <section className={cx(card.card, css.unsent)} aria-labelledby="not-sent">
      <h2 id="not-sent">{say("Not sent")}</h2>
      <ul role="list" aria-label={say("Not sent")}>
        {all.map(({ key, text, reason }) => (
          <li key={key}>
            <p dir="auto">
              <CommentText text={text} />
            </p>
            <p className={card.quiet}>{reason}</p>
            <Button variant="quiet" small onClick={() => act("delete", key)}>
              {say("Delete")}
            </Button>
            <Button small onClick={() => act("send", key)}>
              {say("Send")}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
