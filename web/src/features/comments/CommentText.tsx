// What a comment says: text nodes, never HTML. A mention leads to the profile of whoever has its id now,
// under their present name; where nobody has it any more, the label is left, and leads nowhere.

import { Fragment } from "react";
import { Link } from "wouter";
import { Linked, Paragraphs } from "../../ui/UserText";
import { mentionPieces, wordsOf } from "../../store/mentions";
import type { Id } from "../../store/state";
import { useStore } from "../../store/store";
import styles from "./comments.module.css";

export function CommentText({ text }: { text: string }) {
  return (
    <Paragraphs>
      {mentionPieces(text).map((piece, at) =>
        // The pieces of one text never change places.
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
