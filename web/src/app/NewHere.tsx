// What is shown to who is new, above the posts of Your Space and of the own profile. Its file is fetched by who is
// new alone.

import { useStore } from "../engine/store";
import { lazyPart, useLazyPart } from "../ui/lazyPart";

const firstDays = lazyPart(() => import("./FirstDays"));

export function NewHere() {
  const isNew = useStore(({ session: { me } }) => me !== null && (me.first_steps ?? me.inviter) !== null);
  const { part } = useLazyPart(firstDays, isNew);
  return isNew && part !== null ? <part.FirstDays /> : null;
}
