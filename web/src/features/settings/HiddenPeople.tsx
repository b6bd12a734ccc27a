// The people whom the viewer blocked or muted, with buttons to unblock and unmute them.
//
// Promise: the lists show every change at once, also changes of another device.

import { useEffect, useEffectEvent, useRef, useState } from "react";
import { ask } from "../../engine/client";
import { refusalText } from "../../engine/refusalText";
import { useStore } from "../../engine/store";
import type { Ok } from "../../engine/frames";
import type { User } from "../../engine/types.gen";
import { say } from "../../say";
import { common } from "../../text";
import { Button } from "../../ui/Button";
import { InlineError } from "../../ui/InlineError";
import { catchFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { unblock, unmute } from "../shared/people/hide";
import { Section, Waits } from "./Section";
import { hidden as words, titles } from "./words";
import css from "./settings.module.css";

export function HiddenPeople() {
  const version = useStore((s) => `${s.hidden.at}/${s.resyncs}`);
  const [lists, setLists] = useState<Ok<"people.hidden"> | null>(null);
  const [failed, setFailed] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const newest = useRef(0);

  const read = async () => {
    newest.current += 1;
    const mine = newest.current;
    setFailed(false);
    try {
      const ok = await ask("people.hidden", {});
      if (mine === newest.current) setLists(ok);
    } catch {
      if (mine === newest.current) setFailed(true);
    }
  };
  const readNow = useEffectEvent(read);
  useEffect(() => {
    void readNow();
  }, [version]);

  // The pressed button disappears with its row.
  const onGone = () => catchFocus(() => box.current);

  return (
    <Section title={titles.hidden}>
      <div className={css.item} ref={box} tabIndex={-1}>
        <p className={css.hint}>{say(words.lead)}</p>
        {failed && lists === null && <InlineError onRetry={() => void read()} />}
        {!failed && lists === null && <Waits>{say(common.loading)}</Waits>}
        {lists !== null && (
          <>
            <List
              name={say(words.blocked)}
              none={say(words.noneBlocked)}
              people={lists.blocked}
              label={say(words.unblock)}
              done={say(words.unblocked)}
              end={unblock}
              onGone={onGone}
            />
            <List
              name={say(words.muted)}
              none={say(words.noneMuted)}
              people={lists.muted}
              label={say(words.unmute)}
              done={say(words.unmuted)}
              end={unmute}
              onGone={onGone}
            />
          </>
        )}
      </div>
    </Section>
  );
}

type ListProps = {
  name: string;
  none: string;
  people: readonly User[];
  label: string;
  done: string;
  end(userId: number): Promise<unknown>;
  onGone(): void;
};

function List({ name, none, people, ...item }: ListProps) {
  if (people.length === 0) return <p className={css.hint}>{none}</p>;
  return (
    <>
      <h3 className={css.label}>{name}</h3>
      <ul role="list" aria-label={name} className={css.people}>
        {people.map((user) => (
          <Item key={user.id} user={user} {...item} />
        ))}
      </ul>
    </>
  );
}

function Item({
  user,
  label,
  done,
  end,
  onGone,
}: { user: User } & Omit<ListProps, "name" | "none" | "people">) {
  const [busy, setBusy] = useState(false);
  const press = async () => {
    setBusy(true);
    try {
      await end(user.id);
      toast(done);
      onGone();
    } catch (error) {
      toast(refusalText(error, say(words.failed)), { error: true });
      setBusy(false);
    }
  };
  return (
    <li className={css.person}>
      <bdi>{user.name}</bdi>
      <Button variant="plain" busy={busy} onClick={() => void press()}>
        {label}
      </Button>
    </li>
  );
}
