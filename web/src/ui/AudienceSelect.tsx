// The select for an audience: everybody here, one of the given groups, or the author alone.
//
// Promise: the selection never changes by itself. A selected group that is deleted, or that the viewer left,
// stays selected, and the field says so.

import { say } from "../say";
import { Field } from "./Field";
import css from "./Select.module.css";

type Audience =
  | { type: "public" }
  | { type: "group"; group_id: number | null }
  | { type: "author" }
  | { type: "group_deleted" };

export type AudienceSelectProps = {
  /** A group without an id is one that the viewer is no longer in. Null: nothing is chosen yet. */
  value: Audience | null;
  /** The first option while nothing is chosen. */
  none?: string;
  /** Whether the author alone is a choice. */
  hasAlone?: boolean;
  groups: readonly { id: number; name: string }[];
  /** False while the groups are not loaded, because a group that is not in the list may then still exist. */
  isKnown: boolean;
  hint?: string | undefined;
  error?: string | undefined;
  disabled: boolean;
  onChoose(audience: Audience): void;
};

const EVERYONE = "everyone";
const GONE = "gone";
const ALONE = "alone";

/** Returns the word of an audience in the select; empty if nothing is chosen. */
function wordOf(value: Audience | null): string {
  if (value === null) return "";
  if (value.type === "group") return String(value.group_id ?? GONE);
  return value.type === "public" ? EVERYONE : ALONE;
}

export function AudienceSelect({
  value,
  none,
  hasAlone = false,
  groups,
  isKnown,
  hint,
  error,
  disabled,
  onChoose,
}: AudienceSelectProps) {
  const chosen = wordOf(value);
  const isListed = value?.type !== "group" || groups.some(({ id }) => id === value.group_id);
  const choose = (word: string): void => {
    if (word === EVERYONE) onChoose({ type: "public" });
    else if (word === ALONE) onChoose({ type: "author" });
    else onChoose({ type: "group", group_id: word === GONE ? null : Number(word) });
  };
  return (
    <Field label={say("Audience")} error={error} hint={hint}>
      <select
        name="audience"
        className={css.select}
        value={chosen}
        disabled={disabled}
        onChange={({ target }) => choose(target.value)}
      >
        {none !== undefined && (
          <option value="" disabled>
            {none}
          </option>
        )}
        <option value={EVERYONE}>{say("Everyone here")}</option>
        {groups.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        {(hasAlone || chosen === ALONE) && <option value={ALONE}>{say("Only you")}</option>}
        {!isListed && (
          <option value={chosen}>
            {chosen === GONE
              ? say("A group you're no longer in")
              : isKnown
                ? say("A group that no longer exists")
                : say("Loading")}
          </option>
        )}
      </select>
    </Field>
  );
}
