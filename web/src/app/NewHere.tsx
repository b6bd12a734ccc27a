// What new users see above the posts of Your Space and of their own profile. Its file is fetched only for new
// users.

import { useState } from "react";
import { useStore } from "../engine/store";
import { lazyPart, useLazyPart } from "../ui/lazyPart";

const firstDays = lazyPart(() => import("./FirstDays"));

/** Returns whether this part is still loading. Posts that are shown before it would move when it appears. */
export function useNewHere(): boolean {
  const isNew = useIsNew();
  const { part, failed } = useLazyPart(firstDays, isNew);
  return isNew && part === null && !failed;
}

export function NewHere() {
  const isNew = useIsNew();
  const { part } = useLazyPart(firstDays, isNew);
  // It stays until the page is left: after Follow it says where the posts are.
  const [wasNew, setWasNew] = useState(isNew);
  if (isNew && !wasNew) setWasNew(true);
  return wasNew && part !== null ? <part.FirstDays /> : null;
}

const useIsNew = () =>
  useStore(({ session: { me } }) => me !== null && (me.first_steps ?? me.inviter) !== null);
