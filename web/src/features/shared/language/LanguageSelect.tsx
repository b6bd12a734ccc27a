// The choice of the language. Each language has its own name, so that everybody finds theirs.

import { say } from "../../../say";
import { languages } from "./names";
import css from "../../../ui/Select.module.css";

type LanguageSelectProps = {
  /** The tag; null: the language of the device. */
  chosen: string | null;
  disabled?: boolean;
  onChoose(tag: string | null): void;
};

export function LanguageSelect({ chosen, disabled = false, onChoose }: LanguageSelectProps) {
  return (
    <select
      name="language"
      aria-label={say("Language")}
      className={css.select}
      value={chosen ?? ""}
      disabled={disabled}
      onChange={({ target }) => onChoose(target.value === "" ? null : target.value)}
    >
      <option value="">{say("Same as device")}</option>
      {chosen !== null && !(chosen in languages) && <option value={chosen}>{chosen}</option>}
      {Object.entries(languages).map(([tag, name]) => (
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </select>
  );
}
