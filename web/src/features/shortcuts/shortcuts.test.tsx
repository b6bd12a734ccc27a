import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { emptyState } from "../../engine/feature";
import { store } from "../../engine/store";
import { aMe } from "../../testing/fixtures";
import { setLanguage } from "../../testing/setLanguage";
import { Shortcuts } from "./Shortcuts";
import { ShortcutsChoice } from "./ShortcutsChoice";
import { ShortcutsDialog } from "./ShortcutsDialog";
import { setShortcuts } from "./choice";

vi.mock("../../engine/client", () => ({ ask: vi.fn(), client: {} }));

const sent = vi.fn();
const pressed = vi.fn();

/** Renders a page with two posts, the button for new posts and a field. */
function show() {
  store.setState({ ...emptyState(), session: { phase: "signed-in", me: aMe() } }, true);
  return render(
    <main>
      <Shortcuts />
      <input aria-label="Field" />
      <div data-new-posts>
        <button onClick={pressed}>1 new post</button>
      </div>
      {[2, 1].map((id) => (
        <article key={id} data-post={id} data-place="card" aria-label={`Post ${id}`}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              sent(id);
            }}
          >
            <textarea aria-label={`Box ${id}`} />
            <button type="submit">Post Comment</button>
          </form>
        </article>
      ))}
    </main>,
  );
}

const press = (key: string, more: KeyboardEventInit = {}) =>
  act(() => void fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more }));
const post = (id: number) => screen.getByRole("article", { name: `Post ${id}` });
const box = (id: number) => screen.getByRole("textbox", { name: `Box ${id}` });

beforeEach(() => {
  // The whole page is on screen.
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(0, 0, 100, 100));
  history.replaceState(null, "", "/");
  setShortcuts(true);
  sent.mockReset();
  pressed.mockReset();
});
afterEach(cleanup);

describe("the shortcuts", () => {
  test("move the focus from post to post and back, and stop at the ends", () => {
    show();
    press("j");
    expect(document.activeElement).toBe(post(2));
    press("j");
    press("j");
    expect(document.activeElement).toBe(post(1));
    press("k");
    expect(document.activeElement).toBe(post(2));
  });

  test("open the post that has the focus, or its comment box", () => {
    show();
    press("o");
    press("c");
    expect([location.pathname, document.activeElement]).toEqual(["/", document.body]);
    press("j");
    press("c");
    expect(document.activeElement).toBe(box(2));
    act(() => post(2).querySelector("button")?.focus());
    press("o");
    expect(location.pathname).toBe("/post/2");
  });

  test("open every main page by two keys within a second", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    show();
    const places = {
      c: "/?tab=community-center",
      n: "/notifications",
      p: "/profile/1",
      s: "/settings",
      h: "/",
    };
    for (const [key, place] of Object.entries(places)) {
      press("g");
      press(key);
      expect(location.pathname + location.search).toBe(place);
    }
    press("g");
    vi.advanceTimersByTime(1_100);
    press("s");
    expect(location.pathname).toBe("/");
    press("n");
    expect(location.pathname).toBe("/create-post");
    vi.useRealTimers();
  });

  test("show the new posts", () => {
    show();
    press(".");
    expect(pressed).toHaveBeenCalledTimes(1);
  });

  test("work on keyboards of other scripts, by the place of the key", () => {
    show();
    press("о", { code: "KeyJ" });
    expect(document.activeElement).toBe(post(2));
    press("ξ", { code: "KeyJ" });
    expect(document.activeElement).toBe(post(1));
    press("ן", { code: "KeyI" });
    press("ל", { code: "KeyK" });
    expect(document.activeElement).toBe(post(2));
    press("п", { code: "KeyG" });
    press("ы", { code: "KeyS" });
    expect(location.pathname).toBe("/settings");
    press("ز", { code: "Period" });
    expect(pressed).toHaveBeenCalledTimes(1);
    // A Russian keyboard has the period there.
    press(".", { code: "Slash" });
    expect(pressed).toHaveBeenCalledTimes(2);
    press("ظ", { code: "Slash" });
    expect(location.pathname).toBe("/search");
  });

  test("open their list with the question mark of every keyboard", async () => {
    for (const more of [
      { key: "?", code: "Slash", shiftKey: true },
      { key: "?", code: "Digit7", shiftKey: true },
      { key: "؟", code: "Slash", shiftKey: true },
    ]) {
      show();
      press(more.key, more);
      expect(await screen.findByRole("dialog", { name: "Keyboard Shortcuts" })).toBeTruthy();
      cleanup();
    }
  });

  test("follow the letter, not the place, on every Latin keyboard", () => {
    show();
    // Dvorak: h is where j is, and j where c is. Turkish: ç is where the period is. German: ß is where the hyphen is.
    press("h", { code: "KeyJ" });
    press("ç", { code: "Period" });
    press("ş", { code: "Semicolon" });
    press("ı", { code: "KeyI" });
    press(";", { code: "KeyZ" });
    press("'", { code: "KeyQ" });
    expect([document.activeElement, pressed.mock.calls.length]).toEqual([document.body, 0]);
    press("j", { code: "KeyC" });
    expect(document.activeElement).toBe(post(2));
    press("Dead", { code: "KeyJ" });
    press("О", { code: "KeyJ", shiftKey: true });
    expect(document.activeElement).toBe(post(2));
  });

  test("do nothing in text fields, with Ctrl, Alt or Meta, and while characters are composed", () => {
    show();
    act(() => screen.getByRole("textbox", { name: "Field" }).focus());
    press("n");
    act(() => (document.activeElement as HTMLElement).blur());
    for (const more of [
      { ctrlKey: true },
      { altKey: true },
      { metaKey: true },
      { isComposing: true },
      { keyCode: 229 },
    ])
      press("n", more);
    expect(location.pathname).toBe("/");
  });

  test("send only the text in which Ctrl and Enter are pressed", () => {
    show();
    act(() => box(1).focus());
    press("Enter");
    expect(sent).not.toHaveBeenCalled();
    press("Enter", { ctrlKey: true });
    press("Enter", { metaKey: true });
    expect(sent.mock.calls).toEqual([[1], [1]]);
  });

  test("are listed by one of them, do nothing while the list is open, and can be switched off there", async () => {
    show();
    press("?", { shiftKey: true });
    const dialog = await screen.findByRole("dialog", { name: "Keyboard Shortcuts" });
    expect(screen.getByRole("list", { name: "Shortcuts" }).children.length).toBeGreaterThan(10);
    press("n");
    expect(location.pathname).toBe("/");
    fireEvent.click(screen.getByRole("switch", { name: "Keyboard shortcuts" }));
    await screen.findByRole("switch", { checked: false });
    fireEvent.keyDown(dialog, { key: "Escape" });
    press("n");
    expect(location.pathname).toBe("/");
    expect(localStorage.getItem("mellow.shortcuts")).toBe("off");
  });

  test("are listed with the names that the keys have on keyboards of the language", () => {
    setLanguage("fr", { Ctrl: "Ctrl", Enter: "Entrée" });
    render(<ShortcutsDialog open onClose={() => undefined} />);
    const keys = [...document.querySelectorAll("kbd")].map((key) => key.textContent);
    expect(keys).toContain("Entrée");
    expect(keys).not.toContain("Enter");
    expect(keys.slice(0, 2)).toEqual(["j", "k"]);
    setLanguage("en", {});
  });

  test("can be switched and listed in Settings too", () => {
    render(<ShortcutsChoice />);
    fireEvent.click(screen.getByRole("button", { name: "Show Keyboard Shortcuts" }));
    expect(screen.getByRole("dialog", { name: "Keyboard Shortcuts" })).toBeTruthy();
  });
});
