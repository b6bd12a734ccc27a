// What is shown to who is new, above the posts of Your Space and of the own profile. Its file is fetched by who is
// new alone.

import { useStore } from "../engine/store";
import { lazyPart, useLazyPart } from "../ui/lazyPart";

const firstDays = lazyPart(() => import("./FirstDays"));

/** Returns whether these parts are still on their way: posts shown before them would move when they come. */
export function useNewHere(): boolean {
  const isNew = useIsNew();
  const { part, failed } = useLazyPart(firstDays, isNew);
  return isNew && part === null && !failed;
}

export function NewHere() {
  const isNew = useIsNew();
  const { part } = useLazyPart(firstDays, isNew);
  return isNew && part !== null ? <part.FirstDays /> : null;
}

const useIsNew = () =>
  useStore(({ session: { me } }) => me !== null && (me.first_steps ?? me.inviter) !== null);
