// One post on its own page, with its whole thread. A post that does not exist, and one that the viewer may
// not see, both redirect home.

import { useEffect, useEffectEvent, useState } from "react";
import { ArrowLeft } from "lucide-react";
import { useLocation } from "wouter";
import { readPost } from "../../features/posts/api";
import { Loading } from "../../features/shared/Loading";
import { say } from "../../say";
import { cx } from "../../ui/cx";
import { Hidden } from "../../ui/Hidden";
import { InlineError } from "../../ui/InlineError";
import { toast } from "../../ui/toast";
import { useOnScreen } from "../../engine/useOnScreen";
import { useConnection } from "../../engine/session";
import { useStore } from "../../engine/store";
import { RefusedError } from "../../engine/ask";
import { wholePost } from "../wholePost";
import { hasMellowBehind } from "../scrollPositions";
import styles from "./screens.module.css";

export default function PostScreen({ postId }: { postId: number }) {
  const [, navigate] = useLocation();
  const [read, setRead] = useState<number | null>(null);
  const [failed, setFailed] = useState(false);
  const held = useStore((s) => s.posts[postId] !== undefined);
  const removed = useStore((s) => s.posts[postId]?.removed ?? false);
  useOnScreen(`post:${postId}`);

  const load = async () => {
    setFailed(false);
    try {
      await readPost(postId);
      setRead(postId);
    } catch (error) {
      const gone = error instanceof RefusedError && error.retryMs === null && error.code !== "abandoned";
      if (gone) {
        toast(say("That post isn't available."));
        navigate("/", { replace: true });
      } else setFailed(true);
    }
  };

  const loadNow = useEffectEvent(load);
  useEffect(() => {
    void loadNow();
  }, [postId]);

  // Without a connection the post is shown as it was known elsewhere, and is read when there is one.
  const isHere = held && (failed || read === postId);
  const { state: link } = useConnection();
  const tryAgain = useEffectEvent(() => {
    if (failed) void load();
  });
  useEffect(() => {
    if (link === "live") tryAgain();
  }, [link]);

  const back = () => {
    if (hasMellowBehind()) history.back();
    else navigate("/");
  };

  return (
    <div className={cx(styles.column, styles.post)}>
      <button type="button" className={styles.back} onClick={back}>
        <ArrowLeft size={22} strokeWidth={1.75} aria-hidden="true" />
        <Hidden>{say("Back")}</Hidden>
      </button>
      {/* The post, whose title is the heading, is not loaded yet or was removed. */}
      {(removed || !isHere) && (
        <h1 className="visually-hidden" data-coming={removed || failed ? undefined : ""}>
          {say("Post")}
        </h1>
      )}
      {failed && <InlineError onRetry={() => void load()} />}
      {isHere
        ? wholePost(postId)
        : failed || <Loading className={styles.status}>{say("Loading post")}</Loading>}
    </div>
  );
}
