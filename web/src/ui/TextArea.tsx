import type { Ref, TextareaHTMLAttributes } from "react";
import { useEffect, useImperativeHandle, useLayoutEffect, useRef } from "react";
import { cx } from "./cx";
import css from "./TextArea.module.css";

export type TextAreaProps = Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "style"> & {
  ref?: Ref<HTMLTextAreaElement>;
  value: string;
};

/** Whether the browser lets a box grow with its text. Safari before 26.2 and Firefox before 152 do not. */
const GROWS = CSS.supports("field-sizing", "content");

/**
 * A box that grows with its text, up to half the screen. The style sheet does this, or `fit` in older browsers. Its
 * language is not the page's, so that the browser checks the spelling in the languages of the person (D-L4).
 */
export function TextArea({ ref, className, rows = 3, dir = "auto", value, ...rest }: TextAreaProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle(ref, () => box.current as HTMLTextAreaElement, []);
  useLayoutEffect(() => fit(box.current), [value]);
  useEffect(() => {
    if (GROWS || box.current === null) return;
    let width = 0;
    // When the width of the box changes, its lines break elsewhere.
    const watcher = new ResizeObserver(([entry]) => {
      if (entry === undefined || entry.contentRect.width === width) return;
      ({ width } = entry.contentRect);
      // In the next frame, because an observer that changes what it observes is an error of the page.
      requestAnimationFrame(() => fit(box.current));
    });
    watcher.observe(box.current);
    return () => watcher.disconnect();
  }, []);
  return (
    <textarea
      {...rest}
      ref={box}
      value={value}
      dir={dir}
      lang=""
      rows={rows}
      className={cx(css.area, className)}
    />
  );
}

/** Sets the height from the content. What is scrolled stays where it is while the box is measured. */
function fit(box: HTMLTextAreaElement | null): void {
  if (GROWS || box === null) return;
  const scrolled: [Element, number][] = [];
  for (let part = box.parentElement; part !== null; part = part.parentElement)
    if (part.scrollTop > 0) scrolled.push([part, part.scrollTop]);
  box.style.height = "auto";
  box.style.height = `${String(box.scrollHeight + box.offsetHeight - box.clientHeight)}px`;
  for (const [part, top] of scrolled) if (part.scrollTop !== top) part.scrollTo({ top, behavior: "instant" });
}
