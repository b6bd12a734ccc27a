// A menu behind a button. Arrow keys move the focus, letters jump to an item, and Escape closes the menu and
// returns the focus to the button. The menu opens upwards if there is no room below the button, moves with
// the page, and closes at a press or a turn of the wheel elsewhere.

import type { KeyboardEvent, ReactNode } from "react";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { isRtl } from "../say";
import { Hidden } from "./Hidden";
import css from "./Menu.module.css";

export type MenuItem = { label: string; icon?: ReactNode } & ({ href: string } | { onSelect: () => void });

export type MenuProps = {
  /** The name of the button and of the menu. */
  label: string;
  /** The content of the button. */
  children: ReactNode;
  items: readonly MenuItem[];
  onOpen?(): void;
};

export function Menu({ label, children, items, onOpen }: MenuProps) {
  const [open, setOpen] = useState(false);
  const [from, setFrom] = useState<"first" | "last">("first");
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const menuId = useId();
  const buttonId = useId();

  const show = (where: "first" | "last"): void => {
    setFrom(where);
    setOpen(true);
    onOpen?.();
  };
  const close = (refocus: boolean): void => {
    setOpen(false);
    if (refocus) button.current?.focus({ preventScroll: true });
  };

  useLayoutEffect(() => {
    if (open && button.current !== null && list.current !== null) place(list.current, button.current);
  }, [open]);

  useEffect(() => {
    if (!open) return;
    const stops = options(list.current);
    (from === "first" ? stops[0] : stops.at(-1))?.focus({ preventScroll: true });
    const isOutside = ({ target }: Event): boolean =>
      target instanceof Node && root.current?.contains(target) === false;
    const pressed = (event: PointerEvent): void => {
      if (isOutside(event)) setOpen(false);
    };
    // A press elsewhere moves the focus by itself, a turn of the wheel does not.
    const turned = (event: WheelEvent): void => {
      if (isOutside(event)) close(true);
    };
    document.addEventListener("pointerdown", pressed);
    document.addEventListener("wheel", turned, { passive: true });
    return () => {
      document.removeEventListener("pointerdown", pressed);
      document.removeEventListener("wheel", turned);
    };
  }, [open, from]);

  const onButtonKey = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    show(event.key === "ArrowUp" ? "last" : "first");
  };

  const onMenuKey = (event: KeyboardEvent): void => {
    const stops = options(list.current);
    const at = stops.findIndex((stop) => stop === document.activeElement);
    const move = (to: number): void => {
      event.preventDefault();
      stops[(to + stops.length) % stops.length]?.focus();
    };
    if (event.key === "ArrowDown") move(at + 1);
    else if (event.key === "ArrowUp") move(at < 0 ? -1 : at - 1);
    else if (event.key === "Home") move(0);
    else if (event.key === "End") move(-1);
    else if (event.key === "Escape") {
      event.preventDefault();
      close(true);
    } else if (event.key === "Tab") close(true);
    else if (event.key === " " && document.activeElement instanceof HTMLElement) {
      event.preventDefault();
      document.activeElement.click();
    } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const letter = event.key.toLowerCase();
      const turned = [...stops.slice(at + 1), ...stops.slice(0, at + 1)];
      const hit = turned.find((stop) => stop.textContent.trim().toLowerCase().startsWith(letter));
      if (hit !== undefined) {
        event.preventDefault();
        hit.focus();
      }
    }
  };

  return (
    <div ref={root} className={css.root}>
      <button
        ref={button}
        id={buttonId}
        type="button"
        className={css.button}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? menuId : undefined}
        onClick={() => (open ? close(false) : show("first"))}
        onKeyDown={onButtonKey}
      >
        {children}
        <Hidden>{label}</Hidden>
      </button>
      {open && (
        <div
          ref={list}
          id={menuId}
          role="menu"
          tabIndex={-1}
          aria-labelledby={buttonId}
          className={css.menu}
          onKeyDown={onMenuKey}
        >
          {items.map((item) =>
            "href" in item ? (
              <Link
                key={item.label}
                href={item.href}
                role="menuitem"
                tabIndex={-1}
                className={css.item}
                onClick={() => close(false)}
              >
                {item.icon}
                <span>{item.label}</span>
              </Link>
            ) : (
              <button
                key={item.label}
                type="button"
                role="menuitem"
                tabIndex={-1}
                className={css.item}
                onClick={() => {
                  close(true);
                  item.onSelect();
                }}
              >
                {item.icon}
                <span>{item.label}</span>
              </button>
            ),
          )}
        </div>
      )}
    </div>
  );
}

/**
 * Opens `list` below its button, or above it if it fits there better. It stays between the fixed bars of the window,
 * and scrolls if it is too high. A list that would pass the edge of the window begins where its button begins.
 */
function place(list: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(document.documentElement);
  const above = at.top - (Number.parseFloat(scrollPaddingTop) || 0);
  const below = window.innerHeight - (Number.parseFloat(scrollPaddingBottom) || 0) - at.bottom;
  list.toggleAttribute("data-above", list.offsetHeight > below && above > below);
  const isPast = isRtl()
    ? at.left + list.offsetWidth > document.documentElement.clientWidth
    : at.right - list.offsetWidth < 0;
  list.toggleAttribute("data-from-start", isPast);
  list.style.maxBlockSize = `${String(Math.floor(Math.max(above, below)))}px`;
}

function options(list: HTMLElement | null): HTMLElement[] {
  return list === null ? [] : [...list.querySelectorAll<HTMLElement>('[role="menuitem"]')];
}
