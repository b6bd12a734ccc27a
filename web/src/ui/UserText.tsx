import type { ReactNode } from "react";
import { cx } from "./cx";
import css from "./UserText.module.css";
import { pieces } from "./links";

export type UserTextProps = { text: string; className?: string };

/** Text that a person wrote, as text nodes, never as HTML. Line breaks stay, and web addresses are links. */
export function UserText({ text, className }: UserTextProps) {
  return (
    <Paragraphs className={className}>
      <Linked text={text} />
    </Paragraphs>
  );
}

/** The element around text that a person wrote. The text chooses its own direction. */
export function Paragraphs({ className, children }: { className?: string | undefined; children: ReactNode }) {
  return (
    <div className={cx(css.text, className)} dir="auto">
      {children}
    </div>
  );
}

/** Text whose web addresses are links. */
export function Linked({ text }: { text: string }) {
  return pieces(text).map((piece, at) =>
    piece.href === null ? (
      // The index is a stable key, because the pieces of a text never change their order.
      <span key={at}>{piece.text}</span>
    ) : (
      <a key={at} href={piece.href} target="_blank" rel="nofollow ugc noopener noreferrer">
        {piece.text}
      </a>
    ),
  );
}
