// The text of a post: whole, or the first eight lines with a button for the rest.

import { useLayoutEffect, useRef, useState } from "react";
import { say } from "../../say";
import { UserText } from "../../ui/UserText";
import styles from "./posts.module.css";

export function LongText({ text, whole }: { text: string; whole: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const [isLong, setLong] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const folds = !whole && !isOpen;

  useLayoutEffect(() => {
    const node = box.current;
    if (node === null || !folds) return;
    const measure = () => setLong(node.scrollHeight > node.clientHeight + 2);
    // The button is there in the first paint, because it would move what is below if it came later.
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(node);
    return () => watcher.disconnect();
  }, [text, folds]);

  return (
    <div className={styles.words}>
      <div className={styles.text} data-folded={folds} dir="auto" ref={box}>
        <UserText text={text} />
      </div>
      {!whole && (isLong || isOpen) && (
        <button type="button" className={styles.more} onClick={() => setOpen(!isOpen)}>
          {say(isOpen ? "Read less" : "Read more")}
        </button>
      )}
    </div>
  );
}
