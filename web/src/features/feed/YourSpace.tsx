// Your Space: posts from people you follow and your own, newest first, with an end.

import { Fragment } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import { InlineError } from "../../ui/InlineError";
import { LinkButton } from "../../ui/LinkButton";
import { Say } from "../../ui/Say";
import { StillBlocks } from "../../ui/StillBlocks";
import { lazyPart, useLazyPart } from "../../ui/lazyPart";
import { useWide } from "../../ui/useWide";
import type { Id } from "../../engine/state";
import type { ListView } from "../shared/posts/types";
import { feedView } from "../shared/posts/types";
import { useStore } from "../../engine/store";
import { shownFollowing } from "../shared/people/follows";
import { PostList } from "./PostList";
import styles from "./feed.module.css";

const emptySpace = lazyPart(() => import("./EmptySpace"));

/**
 * `first` is below the title, and `above` is between `first` and the posts. `beside` is seen beside the posts in a wide
 * window and above them in a narrow one. The Tab key goes the way of the eye: in a wide window the posts come first.
 */
export function YourSpace({
  tag,
  card,
  first,
  above,
  beside,
  waits = false,
}: {
  tag: string | null;
  card(postId: Id): ReactNode;
  first?: ReactNode;
  above?: ReactNode;
  beside?: ReactNode;
  /** `above` still loads. The posts are read meanwhile, but shown together with it. */
  waits?: boolean;
}) {
  const [, navigate] = useLocation();
  const isWide = useWide();
  const posts = (
    <PostList
      waits={waits}
      key={feedView(tag)}
      name={feedView(tag)}
      card={(id) => <Listed postId={id}>{card(id)}</Listed>}
      empty={(view) => <Empty tag={tag} view={view} />}
    />
  );
  const others = <Fragment key="beside">{!waits && beside}</Fragment>;
  return (
    <div className={styles.space}>
      <div className={styles.titleRow}>
        <h1 className={styles.title}>{say("Your Space")}</h1>
        <LinkButton href="/create-post">{say("Create Post")}</LinkButton>
      </div>
      {tag !== null && (
        <section className={styles.filter} aria-label={say("Tag filter")}>
          <span className={styles.tag} dir="auto">{`#${tag}`}</span>
          <Button variant="quiet" onClick={() => navigate("/")}>
            {say("Clear filter")}
          </Button>
        </section>
      )}
      {first}
      {waits ? <StillBlocks>{say("Loading posts")}</StillBlocks> : above}
      {/* With their keys both keep what is typed and open in them when the window is turned. */}
      {isWide ? [posts, others] : [others, posts]}
    </div>
  );
}

/** An item of the list. A post whose author was unfollowed stays until the next load, in a lighter colour. */
function Listed({ postId, children }: { postId: Id; children: ReactNode }) {
  const left = useStore((s) => {
    const post = s.posts[postId];
    const author = post?.author_id;
    // A post of a group is listed even if its author is not followed.
    if (
      author === undefined ||
      author === s.session.me?.id ||
      post?.removed ||
      post?.audience.type === "group"
    )
      return null;
    const known = s.follows[author] !== undefined || author in s.pending.follows;
    return known && !shownFollowing(s, author) ? (s.users[author]?.name ?? null) : null;
  });
  return (
    <div className={left === null ? undefined : styles.dimmed}>
      {left !== null && (
        <p className={styles.left}>
          <Say text="You no longer follow {name}" name={<bdi>{left}</bdi>} />
        </p>
      )}
      {children}
    </div>
  );
}

/** Shown in place of an empty list. Nothing is below it, so its file is loaded after the first screen. */
function Empty(props: { tag: string | null; view: ListView }) {
  const { part, failed, again } = useLazyPart(emptySpace, true);
  if (failed) return <InlineError onRetry={again} />;
  return part && <part.EmptySpace {...props} />;
}
