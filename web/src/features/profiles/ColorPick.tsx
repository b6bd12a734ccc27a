// A choice of one of five colours, each shown with its name.

import { useId } from "react";
import { say } from "../../say";
import type { Color } from "../../engine/types.gen";
import styles from "./edit.module.css";

const COLORS = [
  { color: "red", word: "Red" },
  { color: "blue", word: "Blue" },
  { color: "green", word: "Green" },
  { color: "yellow", word: "Yellow" },
  { color: "purple", word: "Purple" },
] as const satisfies readonly { color: Color; word: string }[];

export type ColorPickProps = {
  label: string;
  /**
   * Whether to show strong or soft colours. A banner begins with a strong colour and ends with a soft one.
   */
  end: "strong" | "soft";
  value: Color;
  disabled: boolean;
  onPick(color: Color): void;
};

export function ColorPick({ label, end, value, disabled, onPick }: ColorPickProps) {
  const id = useId();
  return (
    <div role="radiogroup" aria-labelledby={id} className={styles.colors}>
      <span id={id} className={styles.legend}>
        {label}
      </span>
      <div className={styles.row}>
        {COLORS.map(({ color, word }) => (
          <label key={color} className={styles.color} data-color={color} data-end={end}>
            <input
              type="radio"
              name={`${id}-color`}
              value={color}
              checked={value === color}
              disabled={disabled}
              onChange={() => onPick(color)}
            />
            <span className={styles.swatch} aria-hidden="true" />
            <span>{say(word)}</span>
          </label>
        ))}
      </div>
    </div>
  );
}
