// Asks a user who was invited whether to follow the inviter, until the user answers.

import { useId, useState } from "react";
import { refusalText } from "../../engine/refusalText";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { Button } from "../../ui/Button";
import { toast } from "../../ui/toast";
import { isGone } from "../shared/people/people";
import { dismiss } from "./api";
import { inviter as words, steps } from "./words";
import css from "./newcomers.module.css";

export function FollowInviter({ follow }: { follow(userId: Id): Promise<unknown> }) {
  const inviter = useStore((s) => s.session.me?.inviter ?? null);
  const gone = useStore((s) => inviter !== null && isGone(s, inviter.id));
  const name = useStore((s) => (inviter === null ? "" : (s.users[inviter.id]?.name ?? inviter.name)));
  const [busy, setBusy] = useState(false);
  const heading = useId();
  if (inviter === null || gone) return null;

  const answer = (send: () => Promise<unknown>) => async (): Promise<void> => {
    setBusy(true);
    try {
      await send();
    } catch (error) {
      toast(refusalText(error, steps.failed), { error: true });
    }
    setBusy(false);
  };
  return (
    <section aria-labelledby={heading} className={css.card}>
      <h2 id={heading} dir="auto">
        {words.title(name)}
      </h2>
      <p className={css.why}>{words.lead}</p>
      <div className={css.answers}>
        <Button disabled={busy} onClick={() => void answer(() => follow(inviter.id))()}>
          {words.follow}
        </Button>
        <Button variant="plain" disabled={busy} onClick={() => void answer(() => dismiss("inviter"))()}>
          {words.notNow}
        </Button>
      </div>
    </section>
  );
}
