// The place of a menu on a post, a comment, a poll or a profile.
//
// Promise: the menu and its dialogs are loaded after the page. In a list the menu is rendered when the item
// is near the window, or a little later (ui/Near.tsx). Space for the button is reserved until then.

import type { ReactNode } from "react";
import { useItemIsReady } from "../../../ui/Near";
import type { LazyPart } from "../../../ui/lazyPart";
import { useLazyPart } from "../../../ui/lazyPart";
import css from "./people.module.css";

type MenuPlaceProps<T> = { kind: string; file: LazyPart<T>; children(part: T): ReactNode };

export function MenuPlace<T>({ kind, file, children }: MenuPlaceProps<T>) {
  const { part } = useLazyPart(file, useItemIsReady());
  return (
    <span className={css.menu} data-kind={kind}>
      {part && children(part)}
    </span>
  );
}
