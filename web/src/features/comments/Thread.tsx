// The thread of a post: the count, the two oldest comments or all, and the box for a new one.
//
// Promise: shown and hidden comments always add up to the server's count; a comment of another user never moves
// what is below the thread. Under a content note nothing is rendered, but the page of a post loads the thread all the
// same, so that the server does not learn who looks.

import { use, useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { ChevronDown } from "lucide-react";
import { refusalText } from "../../engine/refusalText";
import { Avatar } from "../../ui/Avatar";
import { useItemIsReady } from "../../ui/Near";
import { announce } from "../../ui/announce";
import { catchFocus, useFocusInside } from "../../ui/focus";
import { Note } from "../../ui/Note";
import type { Id, State } from "../../engine/state";
import { groupOf, isOutside } from "../shared/groups/audience";
import { isOwnGroup } from "../shared/groups/groups";
import { Covered } from "../shared/posts/covered";
import { announceOthers } from "../shared/quiet";
import { useStore } from "../../engine/store";
import { waitingNote } from "../shared/sending";
import { many, say } from "../../say";
import { CommentBox } from "./CommentBox";
import type { Box } from "./CommentBox";
import { CommentItem } from "./CommentItem";
import { CommentText } from "./CommentText";
import type { Place } from "./api";
import { open, openedHere, readMore } from "./api";
import styles from "./comments.module.css";

const ANNOUNCE_MS = 10_000;
const NONE: State["comments"] = {};

export function Thread({ postId, place }: { postId: Id; place: Place }) {
  const post = useStore((s) => s.posts[postId]);
  const opened = useStore((s) => openedHere(s, place, postId));
  const pending = useStore((s) => s.pending.comments);
  // Every new comment changes `comments`, so it is used only while a comment of this thread is being sent.
  const isPending = pending.some((one) => one.post_id === postId);
  const comments = useStore((s) => (isPending ? s.comments : NONE));
  const me = useStore((s) => s.session.me);
  const offline = useStore((s) => s.connection.state === "offline");
  const author = useStore((s) => s.users[s.posts[postId]?.author_id ?? 0]?.name ?? "");
  const ownsGroup = useStore((s) => post !== undefined && isOwnGroup(s, groupOf(post.audience)));
  // In a group all members may comment, so only public posts may have a limit.
  const onlyFor = post?.audience.type === "public" ? post.comments_only_for : null;
  const isReady = useItemIsReady();
  const isCovered = use(Covered);
  const [busy, setBusy] = useState(false);
  /** Once the box was shown it stays, because it may have the focus. */
  const [isShown, setShown] = useState(offline);
  const [failed, setFailed] = useState<string | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const box = useRef<Box>(null);
  const listId = `comments-${place}-${postId}`;

  const { inside, onFocus, onBlur } = useFocusInside();
  const find = (what: string) => root.current?.querySelector<HTMLElement>(what);

  const more = async (pressed: boolean) => {
    const shown = root.current?.querySelectorAll("li").length ?? 0;
    setFailed(null);
    setBusy(true);
    try {
      await readMore(postId);
      open(place, postId, "all");
    } catch (error) {
      setFailed(refusalText(error, say("Couldn't load comments. Your text is safe. Try again.")));
    }
    setBusy(false);
    setShown(true);
    if (pressed)
      catchFocus(
        () => root.current?.querySelectorAll("li")[shown]?.querySelector("a") ?? find("[data-more]"),
      );
  };

  const reply = useCallback((user: { id: Id; name: string }) => box.current?.mention(user), []);

  const less = () => {
    open(place, postId, "two");
    catchFocus(() => find("[data-more]"));
  };

  // If the focused comment is removed, the focus moves to the count. A new comment removes none: if its event comes
  // before the reply to its author, the focus of the disabled button is still theirs, and goes to the box.
  const length = post?.thread.length ?? 0;
  const had = useRef(length);
  useEffect(() => {
    if (length < had.current && inside.current) catchFocus(() => find("[data-count]"));
    had.current = length;
  }, [length, inside]);

  // The page of a post loads the thread as a press on Show more would.
  const begins = place === "page" && post !== undefined && !post.removed && !isOutside(post);
  const readWhole = useEffectEvent(() => void more(false));
  useEffect(() => {
    if (begins) readWhole();
  }, [begins, postId]);

  // If the group is deleted, the thread is removed. The author still sees the post, which gets the focus.
  const bare = post !== undefined && isOutside(post);
  useEffect(() => {
    if (!bare || !inside.current) return;
    catchFocus(() => document.querySelector<HTMLElement>(`[data-post="${String(postId)}"] [data-shared]`));
  }, [bare, postId, inside]);

  // If the box disappears while it has the focus, the sentence that says why takes the focus.
  const isLimited = onlyFor !== null;
  useEffect(() => {
    if (isLimited && inside.current) catchFocus(() => find("[data-limited]"));
  }, [isLimited, inside]);

  useNewComments(root, postId);

  useEffect(() => {
    if (offline) setShown(true);
  }, [offline]);

  // The box is above the comments there, and the new one below them, maybe out of sight.
  useEffect(() => {
    if (place === "page" && isPending)
      [...(root.current?.querySelectorAll("li") ?? [])].at(-1)?.scrollIntoView({ block: "nearest" });
  }, [place, isPending]);

  const isSaved = isPending && offline;
  useEffect(() => {
    if (isSaved) announce(waitingNote());
  }, [isSaved]);

  if (post?.removed || bare) return <KeptWords postId={postId} />;
  if (post === undefined || isCovered) return null;
  const thread = opened === "all" ? post.thread : post.thread.slice(0, 2);
  const hidden = Math.max(0, post.comments_count - thread.length);
  // The comment may be in the thread before the pending one is removed, but is shown only once.
  const isThere = (text: string, behind: Id) =>
    post.thread.some(
      (id) => id > behind && comments[id]?.author_id === me?.id && comments[id]?.text === text,
    );
  const waiting = pending.filter((one) => one.post_id === postId && !isThere(one.text, one.behind));
  const isOpen = opened !== "closed";
  // The whole thread is still being read, and would move the buttons below it if they were shown already.
  const waits = begins && !isShown && (hidden > 0 || busy);
  const isListed = isOpen && thread.length + waiting.length > 0;
  const hasMore = isOpen && (hidden > 0 || (opened === "all" && thread.length > 2));
  const writing =
    onlyFor === null ? (
      isReady ? (
        <CommentBox postId={postId} place={place} box={box} />
      ) : (
        <div className={styles.boxPlace} />
      )
    ) : (
      <>
        <p className={styles.note} data-limited tabIndex={-1}>
          {onlyFor === "followers"
            ? say("Only people who follow {author} can comment.", { author })
            : say("Only people {author} follows can comment.", { author })}
        </p>
        <KeptWords postId={postId} />
      </>
    );

  return (
    <div
      className={styles.thread}
      data-whole={place === "page" || undefined}
      data-waits={waits || undefined}
      ref={root}
      onFocus={onFocus}
      onBlur={onBlur}
    >
      {post.comments_count > 0 ? (
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={isOpen}
          aria-controls={listId}
          data-count
          onClick={() => open(place, postId, isOpen ? "closed" : place === "page" ? "all" : "two")}
        >
          <span>{many(post.comments_count, "{n} comment", "{n} comments")}</span>
          {/* A new element for each count, so that the icon does not move when the count gets wider. */}
          <ChevronDown
            key={post.comments_count}
            className={styles.chevron}
            size={16}
            strokeWidth={1.75}
            aria-hidden="true"
          />
        </button>
      ) : (
        <p className={styles.none} tabIndex={-1} data-count data-quiet>
          {say("No comments yet")}
        </p>
      )}
      {place === "page" && writing}
      {(isListed || hasMore || failed !== null) && (
        <div className={styles.listed}>
          {isListed && (
            <ul role="list" className={styles.list} id={listId} aria-label={say("Comments")}>
              {thread.map((id) => (
                <CommentItem
                  key={id}
                  commentId={id}
                  postId={postId}
                  postAuthorId={post.author_id}
                  ownsGroup={ownsGroup}
                  canReply={onlyFor === null}
                  onReply={reply}
                />
              ))}
              {waiting.map((one) => (
                <li key={`pending-${one.local}`} className={`${styles.item} ${styles.pending}`}>
                  {me !== null && (
                    <p className={styles.name}>
                      <span className={styles.avatar} aria-hidden="true">
                        <Avatar id={me.id} name={me.name} photo={me.photo_url} size={28} />
                      </span>
                      <bdi>{me.name}</bdi>
                    </p>
                  )}
                  <div className={styles.text} dir="auto">
                    <CommentText text={one.text} />
                  </div>
                  <p className={styles.note}>{offline ? waitingNote() : say("Posting...")}</p>
                </li>
              ))}
            </ul>
          )}
          {hasMore && (
            <div className={styles.more}>
              {hidden > 0 && (
                <button
                  type="button"
                  className={styles.link}
                  disabled={busy}
                  data-more
                  onClick={() => void more(true)}
                >
                  {many(hidden, "Show {n} more comment", "Show {n} more comments")}
                </button>
              )}
              {opened === "all" && thread.length > 2 && (
                <button type="button" className={styles.link} onClick={less}>
                  {say("Show less")}
                </button>
              )}
            </div>
          )}
          <Note text={failed} className={styles.note} />
        </div>
      )}
      {place === "card" && writing}
    </div>
  );
}

/** Shows an unsent comment to copy, after its post, its group or the right to comment ended. */
function KeptWords({ postId }: { postId: Id }) {
  const text = useStore((s) => s.drafts[postId] ?? "");
  if (text.trim() === "") return null;
  return (
    <div className={styles.kept}>
      <p className={styles.note}>{say("This is what you were writing:")}</p>
      <p className={styles.text} dir="auto">
        {text}
      </p>
    </div>
  );
}

/** Announces who commented while the focus is in this thread, at most every ANNOUNCE_MS. */
function useNewComments(root: React.RefObject<HTMLElement | null>, postId: Id): void {
  const newest = useStore((s) => s.posts[postId]?.thread.at(-1) ?? 0);
  const author = useStore((s) => s.users[s.comments[newest]?.author_id ?? 0]);
  const me = useStore((s) => s.session.me?.id);
  const seen = useRef(newest);
  const announcedMs = useRef(0);
  useEffect(() => {
    const isNew = newest > seen.current && seen.current !== 0;
    seen.current = newest;
    if (!isNew || author === undefined || author.id === me) return;
    if (!root.current?.contains(document.activeElement) || Date.now() - announcedMs.current < ANNOUNCE_MS)
      return;
    announcedMs.current = Date.now();
    announceOthers(say("New comment by {name}", { name: author.name }));
  }, [newest, author, me, root]);
}
