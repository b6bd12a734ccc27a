// The viewer's followers, or the people whom the viewer follows, page by page.

import { ask } from "../../../engine/client";
import { update, useStore } from "../../../engine/store";
import type { Side } from "../../../engine/types.gen";
import { storeUsers } from "./people";
import type { PeoplePages } from "./usePeoplePages";
import { usePeoplePages } from "./usePeoplePages";

/** Reads them, and reads them again when the counts change and after a resync. */
export function useFollows(side: Side): PeoplePages {
  const resyncs = useStore((s) => s.resyncs);
  const profile = useStore((s) => s.profiles[s.session.me?.id ?? 0]);
  return usePeoplePages(async (before) => {
    const { users, older, seq } = await ask("follows.page", { side, before });
    update((s) => storeUsers(s, users, seq));
    return { users, next: older };
  }, [side, profile?.followers_count, profile?.following_count, resyncs].join("/"));
}
