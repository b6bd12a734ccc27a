// The place of the offer of a new build, whose file is fetched when there is one.

import { useStore } from "../../engine/store";
import { lazyPart, useLazyPart } from "../../ui/lazyPart";
import { buildOfPage } from "./build";

const offer = lazyPart(() => import("./NewVersion"));

export function OfferedVersion() {
  const isNew = useStore(({ build }) => build !== null && ![build, null].includes(buildOfPage()));
  const { part } = useLazyPart(offer, isNew);
  return part === null ? null : <part.default />;
}
