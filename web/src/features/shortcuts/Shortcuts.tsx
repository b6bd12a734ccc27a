// The shortcuts: single keys that open a page or move the focus.
//
// Promises: they do nothing in text fields, dialogs and menus, with Ctrl, Alt or Meta, and while an input
// method composes characters. None of them votes, deletes or sends, except that Ctrl+Enter in a box presses
// its button to send. On a keyboard of another script a shortcut is where a Latin one has it.

import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useStore } from "../../engine/store";
import { isComposing } from "../../ui/composing";
import { latinKey } from "../../ui/latinKey";
import { lazyPart, useLazyPart } from "../../ui/lazyPart";
import { areShortcutsOn } from "./choice";

/** How long after `g` the second key is accepted. */
const GO_MS = 1_000;
/** How many frames a screen may take to show its box. */
const FRAMES_MAX = 120;

const dialog = lazyPart(() => import("./ShortcutsDialog"));

export function Shortcuts() {
  const [, navigate] = useLocation();
  const me = useStore((s) => s.session.me?.id);
  const [asks, setAsks] = useState(false);
  const { part } = useLazyPart(dialog, asks, () => setAsks(false));
  const wentAt = useRef<number | null>(null);

  const places: Record<string, string> = {
    h: "/",
    c: "/?tab=community-center",
    n: "/notifications",
    p: `/profile/${String(me)}`,
    s: "/settings",
  };

  /** Runs the action of a key; returns whether it has one. */
  const act = (key: string): boolean => {
    const isGoing = wentAt.current !== null && performance.now() - wentAt.current < GO_MS;
    wentAt.current = null;
    if (isGoing) {
      const place = places[key];
      if (place !== undefined) navigate(place);
      return place !== undefined;
    }
    const post = current();
    const postId = post?.dataset["post"];
    switch (key) {
      case "g":
        wentAt.current = performance.now();
        return true;
      case "j":
        return step(1);
      case "k":
        return step(-1);
      case "o":
        if (postId === undefined || post?.dataset["place"] !== "card") return false;
        navigate(`/post/${postId}`);
        return true;
      case "c": {
        const box = post?.querySelector<HTMLElement>("form textarea");
        box?.focus();
        return box !== undefined && box !== null;
      }
      case "n":
        navigate("/create-post");
        return true;
      case "/":
        navigate("/search");
        // The screen that is left may have such a box too, so the first look is after the next one is rendered.
        requestAnimationFrame(() => focusWhenThere("main input[type=search]"));
        return true;
      case ".": {
        const pill = document.querySelector<HTMLElement>("main [data-new-posts] button");
        pill?.click();
        return pill !== null;
      }
      case "?":
        setAsks(true);
        return true;
      default:
        return false;
    }
  };

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { target, key } = event;
    if (!areShortcutsOn() || event.defaultPrevented || isComposing(event) || event.altKey) return;
    if (key === "Enter" && (event.ctrlKey || event.metaKey)) {
      if (!event.shiftKey && !event.repeat && press(target)) event.preventDefault();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.repeat || rests(target)) return;
    if (act(latinKey(event))) event.preventDefault();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => onKey(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);

  return part === null ? null : <part.ShortcutsDialog open={asks} onClose={() => setAsks(false)} />;
}

const TYPED_IN =
  'textarea,select,[contenteditable],input:not([type="checkbox"],[type="radio"],[type="file"],[type="range"])';
const LAYERS = "[role=dialog],[role=alertdialog],[role=menu],[role=listbox]";

function rests(target: EventTarget | null): boolean {
  if (document.documentElement.dataset["modal"] !== undefined) return true;
  return target instanceof Element && target.closest(`${TYPED_IN},${LAYERS}`) !== null;
}

/** Presses the button that sends the text of this field. */
function press(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement)) return false;
  const button = [...(target.form?.elements ?? [])].find(
    (one): one is HTMLButtonElement => one instanceof HTMLButtonElement && one.type === "submit",
  );
  if (button === undefined || button.disabled) return false;
  button.click();
  return true;
}

const posts = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("main article[data-post]")];

const current = (): HTMLElement | null =>
  document.activeElement?.closest<HTMLElement>("main article[data-post]") ?? null;

/**
 * Moves the focus to the next or the previous post. If no post has the focus, it moves to a post on screen.
 */
function step(by: 1 | -1): boolean {
  const all = posts();
  const at = all.findIndex((one) => one === current());
  const top = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingBlockStart) || 0;
  const seen = all.findIndex((one) => one.getBoundingClientRect().bottom > top);
  const post = at >= 0 ? all[at + by] : all[seen < 0 ? all.length - 1 : seen];
  if (post === undefined) return all.length > 0;
  // A post is focusable only from now on, so that a press on its text does not move the focus before.
  post.tabIndex = -1;
  post.addEventListener("blur", () => post.removeAttribute("tabindex"), { once: true });
  (post.closest("[data-item]") ?? post).scrollIntoView({ block: "start", behavior: "instant" });
  post.focus({ preventScroll: true });
  return true;
}

function focusWhenThere(what: string, frames = FRAMES_MAX): void {
  const found = document.querySelector<HTMLElement>(what);
  if (found !== null) found.focus();
  else if (frames > 0) requestAnimationFrame(() => focusWhenThere(what, frames - 1));
}
