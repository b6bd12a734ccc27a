// The log of what admins and commands changed, newest first.

import { ask } from "../../engine/client";
import type { LogLine } from "../../engine/types.gen";
import { RelativeTime } from "../../ui/RelativeTime";
import { Pages } from "./Pages";
import { acts, log as words, people } from "./words";
import css from "./admin.module.css";

async function read(before: number | null) {
  const { lines, has_more } = await ask("admin.log", { before });
  return { users: lines, next: has_more ? (lines.at(-1)?.id ?? null) : null };
}

export function Log() {
  return (
    <Pages<LogLine, number> name={words.list} none={words.none} read={read}>
      {({ at_ms, by_command, admin, act, user }) => (
        <p className={css.line}>
          <span>
            <b>{by_command ? words.commandLine : (admin?.name ?? words.formerAdmin)}</b>
            <span>{` ${acts[act](user?.name ?? words.gone)}`}</span>
          </span>
          <span className={css.facts}>
            {user !== null && <span>{people.id(user.id)}</span>}
            <RelativeTime ms={at_ms} />
          </span>
        </p>
      )}
    </Pages>
  );
}
