// The select for an audience: everybody here, or one of the given groups.
//
// Promise: the selection never changes by itself. A selected group that is deleted, or that the viewer left,
// stays selected, and the field says so.

import { Field } from "./Field";
import css from "./AudienceSelect.module.css";

type Audience = { type: "public" } | { type: "group"; group_id: number | null };

export type AudienceSelectProps = {
  /** A group without an id was deleted. */
  value: Audience;
  groups: readonly { id: number; name: string }[];
  /** False while the groups are not loaded. Then a group that is not in the list may still exist. */
  isKnown: boolean;
  hint?: string | undefined;
  error?: string | undefined;
  disabled: boolean;
  onChoose(audience: Audience): void;
};

const EVERYONE = "everyone";
const GONE = "gone";

export function AudienceSelect({
  value,
  groups,
  isKnown,
  hint,
  error,
  disabled,
  onChoose,
}: AudienceSelectProps) {
  const chosen = value.type === "public" ? EVERYONE : String(value.group_id ?? GONE);
  const isListed = value.type === "public" || groups.some(({ id }) => id === value.group_id);
  const choose = (word: string): void => {
    if (word === EVERYONE) onChoose({ type: "public" });
    else onChoose({ type: "group", group_id: word === GONE ? null : Number(word) });
  };
  return (
    <Field label="Audience" error={error} hint={hint}>
      <select
        name="audience"
        className={css.select}
        value={chosen}
        disabled={disabled}
        onChange={({ target }) => choose(target.value)}
      >
        <option value={EVERYONE}>Everyone here</option>
        {groups.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        {!isListed && (
          <option value={chosen}>
            {isKnown || chosen === GONE ? "A group that no longer exists" : "Loading"}
          </option>
        )}
      </select>
    </Field>
  );
}
