// Asks a user who was invited whether to follow the inviter, until the user answers. After Follow it says where the
// posts of the inviter are, until the page is left.

import { useId, useRef, useState } from "react";
import { refusalText } from "../../engine/refusalText";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import type { User } from "../../engine/types.gen";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import { LinkButton } from "../../ui/LinkButton";
import { announce } from "../../ui/announce";
import { catchFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { isGone } from "../shared/people/people";
import { dismiss } from "./api";
import { inviter as words, steps } from "./words";
import css from "./newcomers.module.css";

export function FollowInviter({ follow }: { follow(userId: Id): Promise<unknown> }) {
  const inviter = useStore((s) => s.session.me?.inviter ?? null);
  /** The inviter who was followed here. The account has no inviter any more then. */
  const [followed, setFollowed] = useState<User | null>(null);
  const person = followed ?? inviter;
  const gone = useStore((s) => person !== null && isGone(s, person.id));
  const name = useStore((s) => (person === null ? "" : (s.users[person.id]?.name ?? person.name)));
  const [busy, setBusy] = useState(false);
  const heading = useId();
  const posts = useRef<HTMLParagraphElement>(null);
  if (person === null || gone) return null;

  const answer = async (send: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    try {
      await send();
    } catch (error) {
      toast(refusalText(error, say(steps.failed)), { error: true });
    }
    setBusy(false);
  };
  const pressFollow = async (): Promise<void> => {
    if ((await follow(person.id)) !== true) return;
    setFollowed(person);
    announce(say(words.followed, { name }));
    // The pressed button has disappeared.
    catchFocus(() => posts.current?.querySelector("a"));
  };
  if (followed !== null)
    return (
      <div className={css.card}>
        <p dir="auto">{say(words.followed, { name })}</p>
        <p className={css.answers} ref={posts}>
          <LinkButton variant="quiet" href={`/profile/${person.id}`}>
            {say(words.posts)}
          </LinkButton>
        </p>
      </div>
    );
  return (
    <section aria-labelledby={heading} className={css.card}>
      <h2 id={heading} dir="auto">
        {say(words.title, { name })}
      </h2>
      <p className={css.why}>{say(words.lead)}</p>
      <div className={css.answers}>
        <Button disabled={busy} onClick={() => void answer(pressFollow)}>
          {say(words.follow)}
        </Button>
        <Button variant="plain" disabled={busy} onClick={() => void answer(() => dismiss("inviter"))}>
          {say(words.notNow)}
        </Button>
      </div>
    </section>
  );
}
