import { Fragment } from "react";
import type { ReactNode } from "react";
import { cx } from "./cx";
import css from "./UserText.module.css";
import { pieces } from "./links";

export type UserTextProps = { text: string; className?: string };

/** What a person wrote: text nodes, never HTML. Line breaks stay, web addresses can be followed. */
export function UserText({ text, className }: UserTextProps) {
  return (
    <Paragraphs className={className}>
      <Linked text={text} />
    </Paragraphs>
  );
}

/** Where what a person wrote stands; it chooses its own direction. */
export function Paragraphs({ className, children }: { className?: string | undefined; children: ReactNode }) {
  return (
    <div className={cx(css.text, className)} dir="auto">
      {children}
    </div>
  );
}

/** Words whose web addresses can be followed. */
export function Linked({ text }: { text: string }) {
  return pieces(text).map((piece, at) =>
    piece.href === null ? (
      // The pieces of one text never change places.
      <Fragment key={at}>{piece.text}</Fragment>
    ) : (
      <a key={at} href={piece.href} target="_blank" rel="nofollow ugc noopener noreferrer">
        {piece.text}
      </a>
    ),
  );
}
