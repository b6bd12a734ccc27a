import type { Ref, TextareaHTMLAttributes } from "react";
import { cx } from "./cx";
import css from "./TextArea.module.css";

export type TextAreaProps = Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "style"> & {
  ref?: Ref<HTMLTextAreaElement>;
};

/** A box that grows with its text, up to half the screen. The style sheet does this. */
export function TextArea({ className, rows = 3, dir = "auto", ...rest }: TextAreaProps) {
  return <textarea {...rest} dir={dir} rows={rows} className={cx(css.area, className)} />;
}
