import { useEffect, useRef } from "react";
import { many, numberText } from "../say";
import { announce } from "./announce";
import css from "./CharCounter.module.css";

/**
 * Shows how much of a limit is used, as soon as something is typed. It has its place before, so that nothing
 * moves. Announced only at 50 left, at 10 left, and when the limit is exceeded.
 */
export function CharCounter({ count, max }: { count: number; max: number }) {
  const left = max - count;
  const step = left < 0 ? 3 : left <= 10 ? 2 : left <= 50 ? 1 : 0;
  const before = useRef(step);
  useEffect(() => {
    // A short limit is below 50 left almost from the start, so it is announced only at 10 left.
    const worth = step >= 2 || max > 100;
    if (step > before.current && worth)
      announce(
        left < 0
          ? many(-left, "{n} over the limit", "{n} over the limit")
          : many(left, "{n} characters left", "{n} characters left"),
      );
    before.current = step;
  }, [step, left, max]);
  return (
    <span className={css.counter} data-none={count === 0 || undefined} data-over={left < 0 || undefined}>
      {`${numberText(count)}/${numberText(max)}`}
    </span>
  );
}
