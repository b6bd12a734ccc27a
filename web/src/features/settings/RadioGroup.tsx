// A group of radio buttons with a few answers.

import { useId } from "react";
import css from "./settings.module.css";

type RadioGroupProps<T extends string> = {
  title: string;
  options: readonly T[];
  label(option: T): string;
  chosen: T;
  disabled?: boolean;
  onChoose(option: T): void;
};

export function RadioGroup<T extends string>({
  title,
  options,
  label,
  chosen,
  disabled,
  onChoose,
}: RadioGroupProps<T>) {
  const id = useId();
  return (
    <div role="radiogroup" aria-labelledby={id} className={css.choice}>
      <p id={id} className={css.label}>
        {title}
      </p>
      <div className={css.options}>
        {options.map((option) => (
          <label key={option} className={css.option}>
            <input
              type="radio"
              name={id}
              checked={option === chosen}
              disabled={disabled}
              onChange={() => onChoose(option)}
            />
            <span>{label(option)}</span>
          </label>
        ))}
      </div>
    </div>
  );
}
