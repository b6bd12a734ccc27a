// The menu about another user, on their posts, comments and polls and on their profile. The viewer's own comments,
// polls and profile have no menu, and their posts have another one (posts/OwnPost.tsx).

import type { Id } from "../../../engine/state";
import { useStore } from "../../../engine/store";
import { lazyPart } from "../../../ui/lazyPart";
import { MenuPlace } from "./MenuPlace";

/** The subject of the menu: its kind, its id (of a profile: the user's), and its author. */
export type Subject = { kind: "post" | "comment" | "poll" | "profile"; id: Id; userId: Id };

const menu = lazyPart(() => import("./PersonMenu"));

export function OthersMenu(subject: Subject) {
  const others = useStore((s) => s.session.me !== null && s.session.me.id !== subject.userId);
  return others ? (
    <MenuPlace kind={subject.kind} file={menu}>
      {(part) => <part.PersonMenu {...subject} />}
    </MenuPlace>
  ) : null;
}
