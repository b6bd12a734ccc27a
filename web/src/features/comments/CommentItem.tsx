// One comment: author, text and time. Its author, the author of the post and the owner of the post's group
// can delete it.

import { memo, useState } from "react";
import { Link } from "wouter";
import { Avatar } from "../../ui/Avatar";
import { RelativeTime } from "../../ui/RelativeTime";
import { Note } from "../../ui/Note";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import { say, useLanguage } from "../../say";
import { OthersMenu } from "../shared/people/OthersMenu";
import { CommentText } from "./CommentText";
import { DeleteComment } from "./DeleteComment";
import styles from "./comments.module.css";

type CommentItemProps = {
  commentId: Id;
  postId: Id;
  postAuthorId: Id;
  /** The viewer owns the group that the post is shared with. */
  ownsGroup: boolean;
  /** The viewer may write a comment here. */
  canReply: boolean;
  /** Inserts a mention of this user into the box below. */
  onReply(user: { id: Id; name: string }): void;
};

/** Memoized, because the thread is rendered again for each new comment. */
export const CommentItem = memo(function CommentItem({
  commentId,
  postId,
  postAuthorId,
  ownsGroup,
  canReply,
  onReply,
}: CommentItemProps) {
  useLanguage();
  const comment = useStore((s) => s.comments[commentId]);
  const name = useStore((s) => s.users[comment?.author_id ?? 0]?.name ?? "");
  const photo = useStore((s) => s.users[comment?.author_id ?? 0]?.photo_url);
  const me = useStore((s) => s.session.me?.id);
  const [failed, setFailed] = useState<string | null>(null);
  if (comment === undefined) return null;
  const { author_id: authorId } = comment;
  const deletable = me !== undefined && (authorId === me || postAuthorId === me || ownsGroup);
  const answerable = canReply && me !== undefined && authorId !== me && authorId !== postAuthorId;

  return (
    <li className={styles.item}>
      <div className={styles.head}>
        <Link href={`/profile/${comment.author_id}`} className={styles.name}>
          <span className={styles.avatar} aria-hidden="true">
            <Avatar id={comment.author_id} name={name} photo={photo} size={28} />
          </span>
          <bdi>{name}</bdi>
        </Link>
        <span className={styles.side}>
          <span className={styles.time}>
            <RelativeTime ms={comment.created_at_ms} short />
          </span>
          {me !== undefined && (
            <span className={styles.do}>
              {answerable && (
                <button type="button" className={styles.act} onClick={() => onReply({ id: authorId, name })}>
                  {say("Reply")}
                </button>
              )}
              {deletable && <DeleteComment commentId={commentId} postId={postId} onFailed={setFailed} />}
              <OthersMenu kind="comment" id={commentId} userId={authorId} />
            </span>
          )}
        </span>
      </div>
      <div className={styles.text} dir="auto">
        <CommentText text={comment.text} />
      </div>
      <Note text={failed} className={styles.note} />
    </li>
  );
});
