// The viewer's invitations. This section is absent if the viewer has none and may not make any.

import { useRef, useState } from "react";
import { ask } from "../../engine/client";
import { newKey } from "../../engine/keys";
import { refusalText } from "../../engine/refusalText";
import { asRead } from "../../engine/state";
import { update } from "../../engine/store";
import type { Invite } from "../../engine/types.gen";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import { InlineError } from "../../ui/InlineError";
import { catchFocus } from "../../ui/focus";
import { shortDate } from "../../ui/relative";
import { toast } from "../../ui/toast";
import { controls } from "../shared/controls";
import { invitesKnown } from "../shared/invites/state";
import { useInvites } from "../shared/invites/useInvites";
import { Section, Waits } from "./Section";
import { invitations as words, titles } from "./words";
import css from "./settings.module.css";
import { Note } from "../../ui/Note";

export function Invitations() {
  const { list, status, load } = useInvites();
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const mayCreate = status !== "off";
  if (!mayCreate && !list?.length) return null;
  // It is not known yet whether the section will be shown.
  if (status === "loading" && list === null) return <Waits section={titles.invitations} />;

  const create = async (): Promise<void> => {
    setBusy(true);
    setWrong(null);
    try {
      const ok = await ask("invites.create", { key: newKey() });
      update((s) => invitesKnown(s, ok.invites, asRead(ok.seq)));
    } catch (error) {
      setWrong(refusalText(error, say(words.failed)));
    }
    setBusy(false);
    catchFocus(() => button.current);
  };

  return (
    <Section title={titles.invitations}>
      <p className={css.hint}>{say(words.lead)}</p>
      {status === "failed" && list === null && <InlineError onRetry={load} />}
      {list !== null && list.length > 0 && (
        <ul role="list" aria-label={say(titles.invitations)} className={css.logins}>
          {list.map((invite) => (
            <Item key={invite.code} invite={invite} onGone={() => catchFocus(() => button.current)} />
          ))}
        </ul>
      )}
      {list !== null && list.length === 0 && <p className={css.hint}>{say(words.none)}</p>}
      <div className={css.item}>
        {mayCreate && (
          <Button
            ref={button}
            id={controls.invitation}
            variant="quiet"
            busy={busy}
            onClick={() => void create()}
          >
            {say(words.create)}
          </Button>
        )}
        <Note text={wrong} />
      </div>
    </Section>
  );
}

function Item({ invite, onGone }: { invite: Invite; onGone(): void }) {
  const { code, ends_at_ms, uses, uses_max } = invite;
  const [busy, setBusy] = useState(false);
  const link = `${location.origin}/invite/${code}`;

  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(link);
      toast(say(words.copied));
    } catch {
      toast(say(words.notCopied, { link }), { error: true });
    }
  };

  const revoke = async (): Promise<void> => {
    setBusy(true);
    try {
      const ok = await ask("invites.revoke", { key: newKey(), code });
      update((s) => invitesKnown(s, ok.invites, asRead(ok.seq)));
      toast(say(words.revoked));
      onGone();
    } catch (error) {
      setBusy(false);
      toast(refusalText(error, say(words.notRevoked)), { error: true });
    }
  };

  return (
    <li className={css.login}>
      <p className={css.address} dir="ltr">
        {link}
      </p>
      <p className={css.hint}>
        <span>
          {ends_at_ms === null ? say(words.neverEnds) : say(words.ends, { day: shortDate(ends_at_ms) })}
        </span>
        <span>{` · ${words.uses(uses, uses_max)}`}</span>
      </p>
      <div className={css.acts}>
        <Button variant="quiet" onClick={() => void copy()}>
          {say(words.copy)}
        </Button>
        <Button variant="plain" busy={busy} onClick={() => void revoke()}>
          {say(words.revoke)}
        </Button>
      </div>
    </li>
  );
}
