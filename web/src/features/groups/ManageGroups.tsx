// The groups of the viewer. The viewer can manage their own groups, and see and leave others.
//
// Promise: nothing on screen moves when groups appear and disappear. If a group with the focus disappears,
// the focus moves to the next one.

import { useEffectEvent, useLayoutEffect, useRef } from "react";
import { useOnScreen } from "../../engine/useOnScreen";
import { GROUPS_VIEW } from "../shared/groups/groups";
import { useGroups } from "../shared/groups/useGroups";
import { announceOthers } from "../shared/quiet";
import { Loading } from "../shared/Loading";
import type { Id } from "../../engine/state";
import { newestFirst } from "../../engine/state";
import { say } from "../../say";
import { common } from "../../text";
import { EmptyState } from "../../ui/EmptyState";
import { InlineError } from "../../ui/InlineError";
import { KeepPlace } from "../../ui/KeepPlace";
import { GroupCard } from "./GroupCard";
import { NewGroup } from "./NewGroup";
import { wasEndedHere } from "./api";
import { words } from "./words";
import css from "./groups.module.css";

export function ManageGroups() {
  const { groups, status, again } = useGroups();
  useOnScreen(`view:${GROUPS_VIEW}`);
  const ids = newestFirst(groups.map(({ id }) => id));
  const box = useRef<HTMLDivElement>(null);
  /** The group that has the focus, in its card or in a dialog that was opened from the card. */
  const inside = useRef<Id | null>(null);
  const before = useRef<Id[]>([]);

  const key = ids.join(",");
  const moveFocus = useEffectEvent(() => {
    const listed = before.current;
    before.current = ids;
    const left = inside.current;
    if (left === null || ids.includes(left)) return;
    inside.current = null;
    if (!wasEndedHere(left)) announceOthers(say(words.noAccess));
    const at = listed.indexOf(left);
    const next = listed.slice(at + 1).find((id) => ids.includes(id)) ?? ids.at(-1);
    const heading =
      next === undefined
        ? null
        : box.current?.querySelector<HTMLElement>(`[data-group="${String(next)}"] h2`);
    (heading ?? box.current)?.focus({ preventScroll: true });
  });
  useLayoutEffect(() => moveFocus(), [key]);

  return (
    <div ref={box} tabIndex={-1} data-quiet>
      <KeepPlace className={css.groups}>
        <div data-place="focused">
          <NewGroup failed={say("Error creating group")} />
        </div>
        {status === "loading" && <Loading>{say(common.loading)}</Loading>}
        {status === "failed" && <InlineError message={say("Error loading groups")} onRetry={again} />}
        {status === "ready" && ids.length === 0 && (
          <EmptyState title={say(words.none)}>{say(words.what)}</EmptyState>
        )}
        <ul role="list" aria-label={say("Groups")} className={css.list}>
          {ids.map((id) => (
            <li
              key={id}
              data-group={id}
              data-place
              onFocus={() => {
                inside.current = id;
              }}
              onBlur={() => {
                inside.current = null;
              }}
            >
              <GroupCard groupId={id} />
            </li>
          ))}
        </ul>
      </KeepPlace>
    </div>
  );
}
