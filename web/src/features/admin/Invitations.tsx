// The invitations of all users.

import { ask } from "../../engine/client";
import { newKey } from "../../engine/keys";
import type { InvitePlace, MadeInvite } from "../../engine/types.gen";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import { shortDate } from "../../ui/relative";
import { Pages } from "./Pages";
import { copyLink, useAct } from "./live";
import { invitations as words, words as shared } from "./words";
import css from "./admin.module.css";

type Listed = MadeInvite & { id: string };

async function read(after: InvitePlace | null) {
  const { invites, next } = await ask("invites.all", { after });
  return { users: invites.map((made): Listed => ({ ...made, id: made.invite.code })), next };
}

export function Invitations() {
  const { busy, act } = useAct();
  return (
    <>
      <div>
        <Button
          variant="quiet"
          busy={busy}
          onClick={() => void act(() => ask("invites.create", { key: newKey() }))}
        >
          {say(words.create)}
        </Button>
      </div>
      <Pages<Listed, InvitePlace> name={say("Invitations")} none={say(words.none)} read={read}>
        {(made) => <Item made={made} />}
      </Pages>
    </>
  );
}

function Item({ made: { invite, maker } }: { made: Listed }) {
  const { code, ends_at_ms, uses, uses_max } = invite;
  const { busy, act } = useAct();
  const link = `${location.origin}/invite/${code}`;
  return (
    <>
      <div className={css.words}>
        <p className={css.address} dir="ltr">
          {link}
        </p>
        <p className={css.facts}>
          <span>{maker === null ? say(words.byCommand) : say(words.by, { name: maker.name })}</span>
          <span>
            {ends_at_ms === null ? say(words.neverEnds) : say(words.ends, { day: shortDate(ends_at_ms) })}
          </span>
          <span>{words.uses(uses, uses_max)}</span>
        </p>
      </div>
      <div className={css.acts}>
        <Button variant="quiet" small onClick={() => void copyLink(link, say(words.copied))}>
          {say(shared.copy)}
        </Button>
        <Button
          variant="plain"
          small
          busy={busy}
          onClick={() => void act(() => ask("invites.revoke", { key: newKey(), code }), say(words.revoked))}
        >
          {say(words.revoke)}
        </Button>
      </div>
    </>
  );
}
