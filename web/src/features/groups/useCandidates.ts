// The viewer's followers who are in a group of the viewer or may be added to it, page by page.

import { ask } from "../../engine/client";
import type { Id } from "../../engine/state";
import { update, useStore } from "../../engine/store";
import { storeUsers } from "../shared/people/people";
import type { PeoplePages } from "../shared/people/usePeoplePages";
import { usePeoplePages } from "../shared/people/usePeoplePages";

/** Reads the candidates, and reads them again when the number of followers changes and after a resync. */
export function useCandidates(groupId: Id): PeoplePages {
  const resyncs = useStore((s) => s.resyncs);
  const followers = useStore((s) => s.profiles[s.session.me?.id ?? 0]?.followers_count);
  return usePeoplePages(async (before) => {
    const { users, older, seq } = await ask("groups.candidates", { group_id: groupId, before });
    update((s) => storeUsers(s, users, seq));
    return { users, next: older };
  }, [groupId, followers, resyncs].join("/"));
}
