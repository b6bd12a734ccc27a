import { lazyPart } from "../../ui/lazyPart";

/** What only the author of a post sees of it. */
export const ownPost = lazyPart(() => import("./OwnPost"));
