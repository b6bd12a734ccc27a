// One post, as a card in a list or whole on its own page. Pictures, buttons and comments are slots.
//
// Promise: the whole text is shown; an edit replaces the text in place; a deleted post leaves one line, which
// takes the focus. Its author has a menu here too, and edits it in place. Under a content note nothing is rendered
// that it covers, until its reader chooses to see it.

import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Avatar } from "../../ui/Avatar";
import { Chip } from "../../ui/Chip";
import { RelativeTime } from "../../ui/RelativeTime";
import { Say } from "../../ui/Say";
import { shortMoment } from "../../ui/relative";
import { useFocusInside } from "../../ui/focus";
import { InlineError } from "../../ui/InlineError";
import { lazyPart, useLazyPart } from "../../ui/lazyPart";
import { MenuPlace } from "../shared/people/MenuPlace";
import { OthersMenu } from "../shared/people/OthersMenu";
import { ONLY_YOU, groupOf, sharedText } from "../shared/groups/audience";
import { groupNameOf } from "../shared/groups/groups";
import { announceOthers } from "../shared/quiet";
import type { Id } from "../../engine/state";
import { Covered } from "../shared/posts/covered";
import type { PostEntry } from "../shared/posts/types";
import { useStore } from "../../engine/store";
import { say } from "../../say";
import { LongText } from "./LongText";
import { ownPost } from "./ownParts";
import styles from "./posts.module.css";

export type PostCardProps = {
  postId: Id;
  place: "card" | "page";
  pictures?: ReactNode;
  /** What the viewer presses under a post. */
  buttons: ReactNode;
  comments: ReactNode;
  /** What only the author sees on the own profile. */
  owner?: ReactNode;
  /** Shown beside the post on its own page. */
  share?: ReactNode;
};

const contentNote = lazyPart(() => import("./ContentNote"));

const NO_ACCESS = "You no longer have access to this group.";

export function PostCard(props: PostCardProps) {
  const post = useStore((s) => s.posts[props.postId]);
  const own = useStore((s) => s.session.me?.id === post?.author_id);
  const hadFocus = useRef(false);
  const editing = useStore((s) => s.edits[props.postId] !== undefined);
  const { part, failed, again } = useLazyPart(ownPost, editing);
  if (post === undefined) return null;
  if (post.removed)
    return (
      <>
        <RemovedLine
          postId={post.id}
          takesFocus={hadFocus}
          quiet={own}
          groupGone={post.groupGone && props.place === "page"}
        />
        {part && <part.KeptEdit postId={post.id} />}
        {props.comments}
      </>
    );
  return (
    <Article
      {...props}
      post={post}
      own={own}
      hadFocus={hadFocus}
      form={part && <part.EditPost postId={post.id} />}
      error={failed && <InlineError onRetry={again} />}
    />
  );
}

/**
 * `quiet`: the viewer removed the post, and a message said so already. `groupGone`: the post was hidden with its group
 * while it was open.
 */
function RemovedLine({
  postId,
  takesFocus,
  quiet,
  groupGone,
}: {
  postId: Id;
  takesFocus: { current: boolean };
  quiet: boolean;
  groupGone: boolean;
}) {
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (!takesFocus.current) return;
    takesFocus.current = false;
    line.current?.focus({ preventScroll: true });
    if (!quiet) announceOthers(say(groupGone ? NO_ACCESS : "This post was removed"));
  }, [takesFocus, quiet, groupGone]);
  return (
    <p className={styles.removed} ref={line} tabIndex={-1} data-removed={postId}>
      {say(groupGone ? NO_ACCESS : "Removed")}
    </p>
  );
}

function Article({
  post,
  place,
  pictures,
  buttons,
  comments,
  owner,
  share,
  own,
  hadFocus,
  form,
  error,
}: PostCardProps & {
  post: PostEntry;
  own: boolean;
  hadFocus: { current: boolean };
  /** The form that edits the post; null while nobody edits it. */
  form: ReactNode;
  error: ReactNode;
}) {
  const name = useStore((s) => s.users[post.author_id]?.name ?? "");
  const photo = useStore((s) => s.users[post.author_id]?.photo_url);
  const article = useRef<HTMLElement>(null);
  const { inside, onFocus, onBlur } = useFocusInside();
  const turn = useTurns(post.updated_at_ms);
  // A feed that an earlier version kept has no such field.
  const note = post.content_note || null;
  const [shownNote, setShownNote] = useState<string | null>(null);
  const isOpen = own || note === null || note === shownNote;
  const cover = useLazyPart(contentNote, note !== null);

  // Before the article leaves the page, remember whether the reader was in it or in a dialog of it.
  const rememberFocus = useEffectEvent((node: HTMLElement | null) => {
    hadFocus.current = inside.current || (node?.contains(document.activeElement) ?? false);
  });
  useLayoutEffect(() => {
    const node = article.current;
    return () => rememberFocus(node);
  }, []);

  return (
    <article
      className={styles.card}
      aria-label={say("Post by {name}", { name })}
      ref={article}
      data-post={post.id}
      data-place={place}
      onFocus={onFocus}
      onBlur={onBlur}
    >
      <header className={styles.head}>
        <div className={styles.who}>
          <Link href={`/profile/${post.author_id}`} className={styles.author}>
            <span aria-hidden="true" className={styles.avatar}>
              <Avatar id={post.author_id} name={name} photo={photo} size={40} />
            </span>
            <bdi className={styles.name}>{name}</bdi>
          </Link>
          <p className={styles.meta}>
            {place === "card" ? (
              <Link href={`/post/${post.id}`} className={styles.when}>
                <RelativeTime ms={post.created_at_ms} />
              </Link>
            ) : (
              <RelativeTime ms={post.created_at_ms} />
            )}
            {post.imported && <span>{say("Imported")}</span>}
            {post.updated_at_ms !== post.created_at_ms && (
              <span title={shortMoment(post.updated_at_ms)}>{say("(edited)")}</span>
            )}
            <SharedWith post={post} />
          </p>
        </div>
        {post.tag !== null && (
          <Chip href={`/?tag=${encodeURIComponent(post.tag)}`} className={styles.tag}>
            {`#${post.tag}`}
          </Chip>
        )}
        {own ? (
          <MenuPlace kind="post" file={ownPost}>
            {/* It leaves while its post is edited, so that the first field takes the focus. */}
            {(part) => form === null && <part.OwnMenu postId={post.id} />}
          </MenuPlace>
        ) : (
          <OthersMenu kind="post" id={post.id} userId={post.author_id} />
        )}
      </header>
      <div className={styles.body} data-turn={turn}>
        <Title post={post} place={place} name={name} isHidden={form !== null} />
        {note !== null && form === null && (
          <div className={styles.noted}>
            {cover.part && (
              <cover.part.ContentNote
                key={note}
                note={note}
                own={own}
                inside={inside}
                onChange={setShownNote}
              />
            )}
            {cover.failed && <InlineError onRetry={cover.again} />}
          </div>
        )}
        {form ?? (isOpen && <LongText text={post.text} whole={place === "page"} />)}
        {error}
      </div>
      {isOpen && pictures}
      <div className={styles.foot}>
        <div className={styles.buttons}>{buttons}</div>
        {place === "card" ? (
          <Link href={`/post/${post.id}`} className={styles.view}>
            {say("View full post")}
          </Link>
        ) : (
          share
        )}
        {owner !== undefined && <div className={styles.actions}>{owner}</div>}
        <div className={styles.comments}>
          <Covered value={!isOpen}>{comments}</Covered>
        </div>
      </div>
    </article>
  );
}

/** The focus comes here when what stood below went with the group. */
function SharedWith({ post: { audience } }: { post: PostEntry }) {
  const groupId = groupOf(audience);
  const group = useStore((s) => groupNameOf(s, groupId ?? 0));
  const text = audience.type === "author" ? ONLY_YOU : sharedText(audience, group);
  if (text === null) return null;
  return (
    <span className={styles.shared} tabIndex={-1} data-shared data-quiet>
      <Say
        text={text}
        group={
          <Link href={`/groups/${String(groupId)}`} className={styles.when}>
            <bdi>{group}</bdi>
          </Link>
        }
      />
    </span>
  );
}

/** Undefined until the words change under the reader's eyes; then it takes turns, and each turn fades once. */
function useTurns(editedAtMs: number): "odd" | "even" | undefined {
  const [seen, setSeen] = useState({ editedAtMs, turns: 0 });
  if (seen.editedAtMs !== editedAtMs) setSeen({ editedAtMs, turns: seen.turns + 1 });
  return seen.turns === 0 ? undefined : seen.turns % 2 === 1 ? "odd" : "even";
}

/** A page has a heading, so it is hidden, and not removed, while the title is in a field or if there is none. */
function Title({
  post,
  place,
  name,
  isHidden,
}: {
  post: PostEntry;
  place: "card" | "page";
  name: string;
  isHidden: boolean;
}) {
  const hasNone = isHidden || post.title === null;
  if (place === "page")
    return hasNone ? (
      <h1 className="visually-hidden">{say("Post by {name}", { name })}</h1>
    ) : (
      <h1 className={styles.title} dir="auto">
        {post.title}
      </h1>
    );
  if (hasNone) return null;
  return (
    <h2 className={styles.title} dir="auto">
      <Link href={`/post/${post.id}`}>{post.title}</Link>
    </h2>
  );
}
