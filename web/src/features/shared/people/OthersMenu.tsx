// The button for the menu about another user, on their posts, comments and polls and on their profile. The
// viewer's own content has no such button.
//
// Promise: the menu and its dialogs are loaded after the page. In a list the menu is rendered when the item
// is near the window, or a little later (ui/Near.tsx). Space for the button is reserved until then.

import type { Id } from "../../../engine/state";
import { useStore } from "../../../engine/store";
import { useItemIsReady } from "../../../ui/Near";
import { lazyPart, useLazyPart } from "../../../ui/lazyPart";
import css from "./people.module.css";

/** The subject of the menu: its kind, its id (of a profile: the user's), and its author. */
export type Subject = { kind: "post" | "comment" | "poll" | "profile"; id: Id; userId: Id };

const menu = lazyPart(() => import("./PersonMenu"));

export function OthersMenu(subject: Subject) {
  const others = useStore((s) => s.session.me !== null && s.session.me.id !== subject.userId);
  const isReady = useItemIsReady();
  const { part } = useLazyPart(menu, isReady && others);
  return others ? (
    <span className={css.menu} data-kind={subject.kind}>
      {part && <part.PersonMenu {...subject} />}
    </span>
  ) : null;
}
