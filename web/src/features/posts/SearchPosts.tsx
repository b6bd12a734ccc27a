// The search in the viewer's own posts, on their profile. A search starts after a short pause in typing, and on
// Enter.
//
// Promises: the posts on screen stay until those of the newest search are read. The words that were typed are in
// memory alone: they are in no address, and are not kept.

import type { KeyboardEvent } from "react";
import { useEffect, useRef, useState } from "react";
import { store } from "../../engine/store";
import { many, say } from "../../say";
import { SearchBox } from "../../ui/SearchBox";
import { announce } from "../../ui/announce";
import { isComposing } from "../../ui/composing";
import { insertText } from "../../ui/insertText";
import { readFirst } from "../shared/posts/lists";
import { foundView } from "../shared/posts/types";
import { TYPING_PAUSE_MS } from "../shared/search";
import { tidyLine } from "../shared/text";

/** The longest term, in characters. */
const TERM_CHARS_MAX = 100;

/** `onShow` shows the list of posts with this name, or all posts for null. */
export function SearchPosts({ onShow }: { onShow(name: string | null): void }) {
  const [typed, setTyped] = useState("");
  const box = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** The list of the newest search; null if the box is empty. */
  const asked = useRef<string | null>(null);

  const look = async (words: string) => {
    clearTimeout(timer.current);
    const term = tidyLine(words);
    if (term === "") return;
    const name = foundView(term);
    asked.current = name;
    // A failure is shown in place of the list.
    await readFirst(name).catch(() => undefined);
    if (asked.current !== name) return;
    onShow(name);
    const view = store.getState().views[name];
    if (view?.status !== "ready") return;
    const count = view.ids.length;
    announce(
      count === 0
        ? say("None of your posts has these words.")
        : many(count, "Showing {n} post", "Showing {n} posts"),
    );
  };

  const type = (words: string) => {
    // On a phone the box goes to the top, because what is found is below it and the keyboard covers the rest.
    if (typed === "" && innerWidth < 720)
      box.current?.scrollIntoView({ block: "start", behavior: "instant" });
    setTyped(words);
    clearTimeout(timer.current);
    if (tidyLine(words) === "") {
      asked.current = null;
      onShow(null);
      return;
    }
    timer.current = setTimeout(() => void look(words), TYPING_PAUSE_MS);
  };

  useEffect(
    () => () => {
      clearTimeout(timer.current);
      asked.current = null;
    },
    [],
  );

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || typed === "" || isComposing(event.nativeEvent)) return;
    event.preventDefault();
    if (box.current !== null) insertText(box.current, 0, typed.length, "");
    type("");
  };

  return (
    <SearchBox
      ref={box}
      label={say("Search your posts")}
      maxLength={TERM_CHARS_MAX}
      value={typed}
      onType={type}
      onEnter={() => void look(typed)}
      onKeyDown={onKeyDown}
    />
  );
}
