// The search box and its results. A search starts after a short pause in typing, and on Enter. Before a term
// is typed, everybody is listed.
//
// Promises: only the reply to the newest search is shown. A rate-limited search shows the refusal and is
// repeated after the requested time. A new name is shown at once.

import type { KeyboardEvent, ReactNode } from "react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { many, say } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { InlineError } from "../../ui/InlineError";
import { announce } from "../../ui/announce";
import { isComposing } from "../../ui/composing";
import { insertText } from "../../ui/insertText";
import { linkAt } from "../../ui/listKeys";
import { Note } from "../../ui/Note";
import { SearchBox } from "../../ui/SearchBox";
import { useStore } from "../../engine/store";
import { RefusedError } from "../../engine/ask";
import type { Id } from "../../engine/state";
import { Directory } from "./Directory";
import { People } from "./People";
import type { Matches } from "./api";
import { TYPING_PAUSE_MS } from "../shared/search";
import { otherCase, searchNames } from "./api";
import styles from "./search.module.css";

/** If the server asks to wait longer than this, its message is shown and the search is not repeated. */
const PATIENCE_MS = 30_000;

/** `wait`: the server's message while the search waits to be repeated. */
type Reply = { term: string } & (Matches | { failed: true } | { wait: string });

/** `follow` renders the button that follows a user. */
export function SearchPeople({ follow }: { follow(userId: Id): ReactNode }) {
  const [term, setTerm] = useState("");
  const [reply, setReply] = useState<Reply | null>(null);
  const asked = useRef("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const search = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLInputElement>(null);
  const resyncs = useStore((s) => s.resyncs);
  const goneAt = useStore((s) => s.goneAt);
  const offline = useStore((s) => s.connection.state === "offline");

  const look = async (words: string) => {
    clearTimeout(timer.current);
    if (words.trim() === "") return;
    asked.current = words;
    // Only the reply to the newest search is used.
    const show = (next: Reply): boolean => {
      if (asked.current !== words) return false;
      setReply(next);
      return true;
    };
    try {
      const matches = await searchNames(words);
      const count = matches.found.length + matches.close.length;
      if (show({ term: words, ...matches }))
        announce(count === 0 ? say("Nobody found") : many(count, "{n} person", "{n} people"));
    } catch (error) {
      const wait =
        error instanceof RefusedError && (error.code === "slow_down" || error.code === "busy")
          ? error.retryMs
          : null;
      if (wait === null || wait > PATIENCE_MS || !(error instanceof RefusedError))
        show({ term: words, failed: true });
      else if (show({ term: words, wait: error.message })) {
        clearTimeout(timer.current);
        timer.current = setTimeout(() => void look(words), wait);
      }
    }
  };

  const type = (words: string) => {
    setTerm(words);
    clearTimeout(timer.current);
    if (words.trim() === "") {
      asked.current = "";
      setReply(null);
      return;
    }
    timer.current = setTimeout(() => void look(words), TYPING_PAUSE_MS);
  };

  useEffect(
    () => () => {
      clearTimeout(timer.current);
      asked.current = "";
    },
    [],
  );

  // After a resync the search is repeated.
  const searchAgain = useEffectEvent(() => {
    if (reply !== null) void look(reply.term);
  });
  useEffect(() => searchAgain(), [resyncs]);

  /** Puts another term into the box. The browser's undo takes it back. */
  const replace = (words: string) => {
    if (box.current !== null) insertText(box.current, 0, term.length, words);
    type(words);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === "Escape" && term !== "") {
      event.preventDefault();
      replace("");
      return;
    }
    const link = linkAt(event, search.current);
    const isUp = event.key === "ArrowUp" && link === null && document.activeElement !== box.current;
    if (link === null && !isUp) return;
    event.preventDefault();
    (link ?? box.current)?.focus();
  };

  const other = reply === null ? null : otherCase(reply.term);
  const isNobody =
    reply !== null && "found" in reply && reply.found.every((user) => goneAt[user.id] !== undefined);

  return (
    // The keys work in the box and in its results.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className={styles.search} ref={search} onKeyDown={onKeyDown}>
      <SearchBox
        ref={box}
        label={say("Search by name")}
        autoCapitalize="words"
        value={term}
        onType={type}
        onEnter={() => {
          if (reply === null || asked.current !== term || !("found" in reply)) void look(term);
        }}
      />
      {reply === null && term.trim() === "" && (
        <>
          <p className={styles.lead}>{say("Who are you looking for?")}</p>
          <Directory follow={follow} />
        </>
      )}
      {/* The answer comes by itself when the connection is back. */}
      {reply?.term !== term && term.trim() !== "" && offline && (
        <p className={styles.quiet}>{say(common.notKept)}</p>
      )}
      {reply !== null && "failed" in reply && (
        <InlineError message={say("Couldn't search just now.")} onRetry={() => void look(term)} />
      )}
      <Note text={reply !== null && "wait" in reply ? reply.wait : null} className={styles.quiet} />
      {reply !== null && "found" in reply && (
        <>
          <People name={say("Results")} found={reply.found} follow={follow} />
          {/* Found people come first, because they are what was searched for. */}
          <People name={say("Close matches")} found={reply.close} follow={follow} hasHeading />
          {isNobody && (
            <div className={styles.none}>
              <p>
                <span>{`${say("Nobody by that name.")} `}</span>
                <span>{say("Names match exactly, capitals included.")}</span>
              </p>
              {other !== null && (
                <Button
                  variant="quiet"
                  onClick={() => {
                    replace(other);
                    void look(other);
                  }}
                >
                  {say('Try "{name}"', { name: other })}
                </Button>
              )}
            </div>
          )}
        </>
      )}
    </div>
  );
}
