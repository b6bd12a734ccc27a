// The search box and who was found. It searches while typing, after a short rest, and on Enter.

import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { Avatar } from "../../ui/Avatar";
import { Button } from "../../ui/Button";
import { InlineError } from "../../ui/InlineError";
import { announce } from "../../ui/announce";
import { many, shorten } from "../../store/words";
import type { Found } from "../../wire/types.gen";
import { otherCase, searchNames } from "./slice";
import styles from "./search.module.css";

const REST_MS = 350;
const NAME_MAX = 30;
const BIO_MAX = 60;

type Answer = { term: string; found: Found[] | "failed" };

export function SearchPeople() {
  const [term, setTerm] = useState("");
  const [answer, setAnswer] = useState<Answer | null>(null);
  const asked = useRef("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const box = useRef<HTMLInputElement>(null);

  const search = async (words: string) => {
    clearTimeout(timer.current);
    if (words.trim() === "" || (asked.current === words && answer?.term === words && answer.found !== "failed")) return;
    asked.current = words;
    const found = await searchNames(words).catch(() => "failed" as const);
    // Only the answer to the newest question counts.
    if (asked.current !== words) return;
    setAnswer({ term: words, found });
    if (found !== "failed") announce(many(found.length, "person", "people"));
  };

  const type = (words: string) => {
    setTerm(words);
    clearTimeout(timer.current);
    if (words.trim() === "") {
      asked.current = "";
      setAnswer(null);
      return;
    }
    timer.current = setTimeout(() => void search(words), REST_MS);
  };

  useEffect(() => () => clearTimeout(timer.current), []);

  const other = answer === null ? null : otherCase(answer.term);

  return (
    <div className={styles.search}>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          void search(term);
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
      {answer?.found === "failed" && <InlineError message="Couldn't search just now." onRetry={() => void search(term)} />}
      {answer !== null && answer.found !== "failed" && answer.found.length === 0 && (
        <div className={styles.quiet}>
          <p>
            <span>Nobody by that name.</span> <span>Names match exactly, capitals included.</span>
          </p>
          {other !== null && (
            <Button
              variant="quiet"
              onClick={() => {
                setTerm(other);
                void search(other);
                box.current?.focus();
              }}
            >
              {`Try "${other}"`}
            </Button>
          )}
        </div>
      )}
      {answer !== null && answer.found !== "failed" && answer.found.length > 0 && (
        <ul role="list" className={styles.list} aria-label="Results">
          {answer.found.map((user) => (
            <li key={user.id} className={styles.item}>
              <span className={styles.avatar} aria-hidden="true">
                <Avatar id={user.id} name={user.name} size={44} />
              </span>
              <div className={styles.words}>
                <Link href={`/profile/${user.id}`} className={styles.name}>
                  <bdi>{shorten(user.name, NAME_MAX)}</bdi>
                </Link>
                {user.bio !== "" && (
                  <p className={styles.bio} dir="auto">
                    {shorten(user.bio, BIO_MAX)}
                  </p>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
