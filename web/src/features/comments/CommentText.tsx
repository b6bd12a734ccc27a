// The text of a comment, as text nodes, never as HTML. A mention links to the profile of the account with
// that id and shows its current name. The mention of a deleted account shows its label without a link.

import { Fragment } from "react";
import { Link } from "wouter";
import { Linked, Paragraphs } from "../../ui/UserText";
import { mentionPieces, wordsOf } from "../shared/mentions";
import type { Id } from "../../engine/state";
import { useStore } from "../../engine/store";
import styles from "./comments.module.css";

export function CommentText({ text }: { text: string }) {
  return (
    <Paragraphs>
      {mentionPieces(text).map((piece, at) =>
        // The index is a stable key, because the pieces of a text never change their order.
        "id" in piece ? (
          <Mention key={at} userId={piece.id} label={piece.label} />
        ) : (
          <Fragment key={at}>
            <Linked text={piece.words} />
          </Fragment>
        ),
      )}
    </Paragraphs>
  );
}

function Mention({ userId, label }: { userId: Id; label: string }) {
  const name = useStore((s) => s.users[userId]?.name);
  if (name === undefined) return <bdi>{`@${wordsOf(label)}`}</bdi>;
  return (
    <Link href={`/profile/${userId}`} className={styles.mention}>
      <bdi>{`@${name}`}</bdi>
    </Link>
  );
}
