// The log of what admins and commands changed, newest first.

import { ask } from "../../engine/client";
import type { LogLine } from "../../engine/types.gen";
import { say } from "../../say";
import { Say } from "../../ui/Say";
import { RelativeTime } from "../../ui/RelativeTime";
import { Pages } from "./Pages";
import { acts, actsOnGone, log as words, people } from "./words";
import css from "./admin.module.css";

async function read(before: number | null) {
  const { lines, has_more } = await ask("admin.log", { before });
  return { users: lines, next: has_more ? (lines.at(-1)?.id ?? null) : null };
}

export function Log() {
  return (
    <Pages<LogLine, number> name={say(words.list)} none={say(words.none)} read={read}>
      {({ at_ms, by_command, admin, act, user }) => (
        <p className={css.line}>
          <span>
            <Say
              text={user === null ? actsOnGone[act] : acts[act]}
              admin={<b>{by_command ? say(words.commandLine) : (admin?.name ?? say(words.formerAdmin))}</b>}
              user={<bdi>{user?.name}</bdi>}
            />
          </span>
          <span className={css.facts}>
            {user !== null && <span>{say(people.id, { id: String(user.id) })}</span>}
            <RelativeTime ms={at_ms} />
          </span>
        </p>
      )}
    </Pages>
  );
}
