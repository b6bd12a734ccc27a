// The button with the menu about another person, on what they made and on their profile. The viewer's own things
// have none.
//
// Promise: the menu and its dialogs are loaded after the page, and in a list come when the item is near the window; the
// button's place is kept.

import type { Id } from "../../../engine/state";
import { useStore } from "../../../engine/store";
import { useItemIsNear } from "../../../ui/Near";
import { lazyPart, useLazyPart } from "../../../ui/lazyPart";
import css from "./people.module.css";

/** What the menu is about: its kind, its id (a profile's: its person's), and whose it is. */
export type Subject = { kind: "post" | "comment" | "poll" | "profile"; id: Id; userId: Id };

const menu = lazyPart(() => import("./PersonMenu"));

export function OthersMenu(subject: Subject) {
  const others = useStore((s) => s.session.me !== null && s.session.me.id !== subject.userId);
  const isNear = useItemIsNear();
  const { part } = useLazyPart(menu, isNear && others);
  return others ? (
    <span className={css.menu} data-kind={subject.kind}>
      {part && <part.PersonMenu {...subject} />}
    </span>
  ) : null;
}
