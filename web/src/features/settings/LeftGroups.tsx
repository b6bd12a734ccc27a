// The groups that the viewer left. Nobody can add the viewer to one again until the viewer allows it. This
// section is absent if there are no such groups.

import { useEffect, useId, useRef, useState } from "react";
import { refusalText } from "../../engine/refusalText";
import { useStore } from "../../engine/store";
import type { LeftGroup } from "../../engine/types.gen";
import { say } from "../../say";
import { Button } from "../../ui/Button";
import { catchFocus } from "../../ui/focus";
import { toast } from "../../ui/toast";
import { Waits } from "./Section";
import { allowAgain, readLeftGroups } from "./api";
import { privacy as words } from "./words";
import css from "./settings.module.css";

export function LeftGroups() {
  const [groups, setGroups] = useState<readonly LeftGroup[] | null>(null);
  const [busy, setBusy] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const titleId = useId();
  // The groups are read again after the viewer left one, and after a reconnect.
  const goneAt = useStore((s) => s.groups.goneAt);
  const since = useStore((s) => (s.connection.state === "live" ? s.connection.since : null));
  useEffect(() => {
    let isHere = true;
    readLeftGroups().then(
      (read) => isHere && setGroups(read),
      // After a failure the next reconnect reads them again.
      () => isHere && setGroups((held) => held ?? []),
    );
    return () => {
      isHere = false;
    };
  }, [goneAt, since]);

  const allow = async (groupId: number): Promise<void> => {
    setBusy(true);
    try {
      setGroups(await allowAgain(groupId));
    } catch (error) {
      toast(refusalText(error, say(words.failed)), { error: true });
    }
    setBusy(false);
    catchFocus(() => list.current?.querySelector<HTMLElement>("button"));
  };

  if (groups === null) return <Waits />;
  if (groups.length === 0) return null;
  return (
    <div className={css.item}>
      <p id={titleId} className={css.label}>
        {say(words.left)}
      </p>
      <p className={css.hint}>{say(words.leftHint)}</p>
      <ul role="list" aria-labelledby={titleId} className={css.people} ref={list}>
        {groups.map(({ id, name }) => (
          <li key={id} className={css.person}>
            <bdi>{name}</bdi>
            <Button variant="plain" disabled={busy} onClick={() => void allow(id)}>
              {say(words.allow)}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
