import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { X } from "lucide-react";
import { say } from "../say";
import { common } from "../text";
import { Hidden } from "./Hidden";
import { catchFocus } from "./focus";
import type { Toast } from "./toast";
import { TOASTS_MAX, dropToast, toastList } from "./toast";
import css from "./Toasts.module.css";

/**
 * Shows the toasts. Their time pauses while the pointer or the focus is on one, or while the page is hidden.
 */
export function Toasts() {
  const toasts = useSyncExternalStore(toastList.watch, toastList.get);
  const [held, setHeld] = useState(false);
  const visible = useVisible();
  // Where the focus was before it came to a toast. It goes back there when the toast is closed.
  const before = useRef<EventTarget | null>(null);
  const close = (id: number): void => {
    dropToast(id);
    catchFocus(() => (before.current instanceof HTMLElement ? before.current : null));
  };
  const shown = toasts.slice(0, TOASTS_MAX);
  // A toast under the pointer may disappear without a pointer event.
  if (held && shown.length === 0) setHeld(false);
  return (
    // The section cannot be pressed; pointing at it only pauses the time.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      data-above
      aria-label={say(common.messages)}
      className={css.region}
      // Only a moving pointer counts, because a toast may appear under one that does not move.
      onPointerMove={(event) => setHeld(event.pointerType !== "touch")}
      onPointerLeave={() => setHeld(false)}
      onFocus={({ currentTarget, relatedTarget }) => {
        setHeld(true);
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget)))
          before.current = relatedTarget;
      }}
      onBlur={() => setHeld(false)}
    >
      <ol className={css.list}>
        {shown.map((toast) => (
          <Item key={toast.id} toast={toast} paused={held || !visible} onClose={() => close(toast.id)} />
        ))}
      </ol>
    </section>
  );
}

function Item({ toast, paused, onClose }: { toast: Toast; paused: boolean; onClose(): void }) {
  const left = useRef(toast.ms);
  useEffect(() => {
    if (paused) return;
    const from = performance.now();
    const timer = setTimeout(() => dropToast(toast.id), left.current);
    return () => {
      clearTimeout(timer);
      left.current -= performance.now() - from;
    };
  }, [paused, toast.id]);
  return (
    <li className={css.toast} data-error={toast.error || undefined}>
      <span className={css.words} dir="auto">
        {toast.message}
      </span>
      <button type="button" className={css.close} onClick={onClose}>
        <X size={18} strokeWidth={1.75} aria-hidden="true" />
        <Hidden>{say(common.close)}</Hidden>
      </button>
    </li>
  );
}

function useVisible(): boolean {
  return useSyncExternalStore(
    (watch) => {
      document.addEventListener("visibilitychange", watch);
      return () => document.removeEventListener("visibilitychange", watch);
    },
    () => document.visibilityState !== "hidden",
  );
}
