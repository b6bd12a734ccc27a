// The search box and its results. It searches while the user types, after a short pause, and on Enter.
//
// Promises: only the reply to the newest search is shown; a rate-limited search shows the refusal and is
// repeated after the requested time; a rename shows at once.

import type { KeyboardEvent, ReactNode } from "react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { Link } from "wouter";
import { Avatar } from "../../ui/Avatar";
import { Button } from "../../ui/Button";
import { InlineError } from "../../ui/InlineError";
import { announce } from "../../ui/announce";
import { linkAt } from "../../ui/listKeys";
import { useOnScreen } from "../../engine/useOnScreen";
import { useStore } from "../../engine/store";
import { many, shorten } from "../shared/text";
import { RefusedError } from "../../engine/ask";
import type { Found } from "../../engine/types.gen";
import { otherCase, searchNames } from "./api";
import styles from "./search.module.css";

const REST_MS = 350;
const NAME_MAX = 30;
const BIO_MAX = 60;
/** A server that asks to wait longer than this is quoted only. */
const PATIENCE_MS = 30_000;

/** `wait`: the server's own words, while the question waits to be asked again. */
type Answer = { term: string } & ({ found: Found[] } | { failed: true } | { wait: string });

export function SearchPeople() {
  const [term, setTerm] = useState("");
  const [answer, setAnswer] = useState<Answer | null>(null);
  const asked = useRef("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const search = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLInputElement>(null);
  const resyncs = useStore((s) => s.resyncs);

  const look = async (words: string) => {
    clearTimeout(timer.current);
    if (words.trim() === "") return;
    asked.current = words;
    // Only the answer to the newest question counts.
    const say = (next: Answer): boolean => {
      if (asked.current !== words) return false;
      setAnswer(next);
      return true;
    };
    try {
      const found = await searchNames(words);
      if (say({ term: words, found }))
        announce(found.length === 0 ? "Nobody found" : many(found.length, "person", "people"));
    } catch (error) {
      const wait =
        error instanceof RefusedError && (error.code === "slow_down" || error.code === "busy")
          ? error.retryMs
          : null;
      if (wait === null || wait > PATIENCE_MS || !(error instanceof RefusedError))
        say({ term: words, failed: true });
      else if (say({ term: words, wait: error.message })) {
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
      setAnswer(null);
      return;
    }
    timer.current = setTimeout(() => void look(words), REST_MS);
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
    if (answer !== null) void look(answer.term);
  });
  useEffect(() => searchAgain(), [resyncs]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape" && term !== "") {
      event.preventDefault();
      type("");
      box.current?.focus();
      return;
    }
    const link = linkAt(event, search.current?.querySelector("ul") ?? null);
    const isUp = event.key === "ArrowUp" && link === null && document.activeElement !== box.current;
    if (link === null && !isUp) return;
    event.preventDefault();
    (link ?? box.current)?.focus();
  };

  const other = answer === null ? null : otherCase(answer.term);

  return (
    // The keys belong to the box and its results together.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className={styles.search} ref={search} onKeyDown={onKeyDown}>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          if (answer === null || asked.current !== term || !("found" in answer)) void look(term);
        }}
      >
        <input
          ref={box}
          className={styles.box}
          type="search"
          aria-label="Search by name"
          placeholder="Search by name"
          autoComplete="off"
          autoCapitalize="words"
          spellCheck={false}
          enterKeyHint="search"
          dir="auto"
          value={term}
          onChange={(event) => type(event.target.value)}
        />
      </form>
      {answer === null && term.trim() === "" && <p className={styles.quiet}>Who are you looking for?</p>}
      {answer !== null && "failed" in answer && (
        <InlineError message="Couldn't search just now." onRetry={() => void look(term)} />
      )}
      {answer !== null && "wait" in answer && (
        <p className={styles.quiet} role="status">
          {answer.wait}
        </p>
      )}
      {answer !== null && "found" in answer && (
        <Results found={answer.found}>
          <p>
            <span>Nobody by that name.</span> <span>Names match exactly, capitals included.</span>
          </p>
          {other !== null && (
            <Button
              variant="quiet"
              onClick={() => {
                setTerm(other);
                void look(other);
                box.current?.focus();
              }}
            >
              {`Try "${other}"`}
            </Button>
          )}
        </Results>
      )}
    </div>
  );
}

/** The people found; the children when there are none. */
function Results({ found, children }: { found: readonly Found[]; children: ReactNode }) {
  useOnScreen(`people:${found.map((user) => user.id).join(",")}`);
  const goneAt = useStore((s) => s.goneAt);
  const shown = found.filter((user) => goneAt[user.id] === undefined);
  if (shown.length === 0) return <div className={styles.quiet}>{children}</div>;
  return (
    <ul role="list" className={styles.list} aria-label="Results">
      {shown.map((user) => (
        <Person key={user.id} user={user} />
      ))}
    </ul>
  );
}

function Person({ user }: { user: Found }) {
  const { id, name, photo_url } = useStore((s) => s.users[user.id]) ?? user;
  return (
    <li className={styles.item}>
      <span className={styles.avatar} aria-hidden="true">
        <Avatar id={id} name={name} photo={photo_url} size={44} />
      </span>
      <div className={styles.words}>
        <Link href={`/profile/${id}`} className={styles.name}>
          <bdi>{shorten(name, NAME_MAX)}</bdi>
        </Link>
        {user.bio !== "" && (
          <p className={styles.bio} dir="auto">
            {shorten(user.bio, BIO_MAX)}
          </p>
        )}
      </div>
    </li>
  );
}
