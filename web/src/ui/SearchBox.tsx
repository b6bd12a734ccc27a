import { Search as SearchIcon } from "lucide-react";
import type { InputHTMLAttributes, Ref } from "react";
import css from "./SearchBox.module.css";

export type SearchBoxProps = Omit<InputHTMLAttributes<HTMLInputElement>, "value" | "onChange"> & {
  label: string;
  value: string;
  onType(words: string): void;
  /** Called when Enter is pressed. */
  onEnter(): void;
  ref: Ref<HTMLInputElement>;
};

/** A box for words to search for. What is typed stays out of the address, because the box has no name. */
export function SearchBox({ label, value, onType, onEnter, ...more }: SearchBoxProps) {
  return (
    <form
      role="search"
      className={css.box}
      onSubmit={(event) => {
        event.preventDefault();
        onEnter();
      }}
    >
      <SearchIcon className={css.icon} size={20} strokeWidth={1.75} aria-hidden="true" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        dir="auto"
        lang=""
        value={value}
        onChange={(event) => onType(event.target.value)}
        {...more}
      />
    </form>
  );
}
