import { useStore } from "../../engine/store";
import { say } from "../../say";
import { common } from "../../text";
import { quiet } from "../../ui/card";
import { StillBlocks } from "../../ui/StillBlocks";
import { cx } from "../../ui/cx";

export type LoadingProps = {
  /** What is said while it loads. */
  children: string;
  className?: string | undefined;
  /** With still blocks in the shape of posts. */
  still?: boolean;
};

/** Stands in the place of a list or screen that is not read yet. Without a network it says when it will be. */
export function Loading({ children, className, still = false }: LoadingProps) {
  const offline = useStore((s) => s.connection.state === "offline");
  if (still && !offline) return <StillBlocks>{children}</StillBlocks>;
  return <p className={cx(quiet, className)}>{offline ? say(common.notKept) : children}</p>;
}
