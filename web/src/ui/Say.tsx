import { Fragment, type ReactNode } from "react";
import { translated, type Known, type Names } from "../say";

type SayProps<T extends string> = { text: Known<T> } & Readonly<Record<Names<T>, ReactNode>>;

/**
 * Says a text with elements in it, each where the language wants it:
 * `<Say text="{name} replied to you" name={<Link …/>} />`. Each piece of text is alone in its element, so that a
 * translator of the browser can replace it.
 */
export function Say<const T extends string>({ text, ...parts }: SayProps<T>) {
  const elements: Readonly<Record<string, ReactNode>> = parts;
  return translated(text)
    .split(/\{(\w+)\}/u)
    .map((piece, at) => {
      // The pieces of a text do not change places, so their numbers are their keys.
      if (at % 2 === 1) return <Fragment key={`${String(at)} ${piece}`}>{elements[piece]}</Fragment>;
      return piece === "" ? null : <span key={String(at)}>{piece}</span>;
    });
}
