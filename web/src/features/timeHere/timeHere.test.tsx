import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { emptyState, withSession } from "../../engine/feature";
import { store, update } from "../../engine/store";
import { aMe } from "../../testing/fixtures";
import { onAnnounce } from "../../ui/announce";
import { TimeHereChoice } from "./TimeHereChoice";
import { TimeReminder } from "./TimeReminder";
import { timeHere } from "./minutes";
import { followTimeHere } from "./start";

const ADA = aMe().id;
const SUM = `mellow.here.${String(ADA)}.today`;
const line = () => screen.queryByRole("region", { name: "Time reminder" });
const text = () => line()?.querySelector("p")?.textContent;
const announced: string[] = [];
onAnnounce("polite", ({ text: said }) => announced.push(said));
const button = (name: string) => screen.getByRole("button", { name });

/** Ada uses Mellow in this many minutes, one after another. */
function uses(minutes: number): void {
  for (let n = 0; n < minutes; n += 1) {
    vi.setSystemTime(Date.now() + 60_000);
    act(() => timeHere.used(ADA));
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.setSystemTime(new Date("2026-11-27T12:00:00"));
  localStorage.clear();
  announced.length = 0;
  history.replaceState(null, "", "/");
  store.setState({ ...emptyState(), session: { phase: "signed-in", me: aMe() } }, true);
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

describe("d-u6: the line about the time here", () => {
  /** Renders a page in which Ada writes, and the line. */
  function writing(): HTMLElement {
    render(
      <>
        <main tabIndex={-1}>
          <textarea aria-label="Text" />
        </main>
        <TimeReminder />
      </>,
    );
    const box = screen.getByRole("textbox");
    box.focus();
    return box;
  }

  test("appears at the limit, is announced once, and leaves the focus where it is", () => {
    timeHere.choose(ADA, { isOn: true, after: 20 });
    const box = writing();
    uses(19);
    expect(line()).toBeNull();
    expect(announced).toEqual([]);
    uses(1);
    expect(text()).toBe("You have been here 20 minutes today.");
    expect(document.activeElement).toBe(box);
    uses(30);
    expect(text()).toBe("You have been here 20 minutes today.");
    expect(announced).toEqual(["You have been here 20 minutes today."]);
  });

  test("of another tab, or of this page before its reload, is shown and not announced again", () => {
    // Like a page that was just loaded, this one has reached no limit.
    timeHere.choose(ADA, { isOn: true, after: 60 });
    uses(1);
    localStorage.setItem(`mellow.here.${String(ADA)}`, "on 20");
    localStorage.setItem(
      SUM,
      JSON.stringify({ date: new Date().toDateString(), minutes: 20, last: 1, isAnswered: false }),
    );
    writing();
    expect(line()).not.toBeNull();
    act(() => timeHere.choose(ADA, { isOn: true, after: 60 }));
    uses(1);
    expect(line()).toBeNull();
    act(() => {
      localStorage.setItem(
        SUM,
        JSON.stringify({ date: new Date().toDateString(), minutes: 60, last: 1, isAnswered: false }),
      );
      dispatchEvent(new StorageEvent("storage", { key: SUM }));
    });
    expect(text()).toBe("You have been here 60 minutes today.");
    expect(announced).toEqual([]);
  });

  test("ends with Stay, which returns the focus to where Ada writes", async () => {
    timeHere.choose(ADA, { isOn: true, after: 10 });
    const box = writing();
    uses(10);
    const stay = button("Stay");
    act(() => stay.focus());
    fireEvent.focusIn(stay, { relatedTarget: box });
    act(() => stay.click());
    expect(line()).toBeNull();
    await vi.waitFor(() => expect(document.activeElement).toBe(box));
    uses(300);
    expect(line()).toBeNull();
    expect(location.pathname).toBe("/");
  });

  test("ends with Step Away, which leads to the page without anything", () => {
    timeHere.choose(ADA, { isOn: true, after: 10 });
    writing();
    uses(10);
    act(() => button("Step Away").click());
    expect(line()).toBeNull();
    expect(location.pathname).toBe("/away");
    uses(300);
    expect(line()).toBeNull();
  });
});

describe("d-u5: the choice in Settings", () => {
  test("is off at first, and is kept for this person on this device alone", () => {
    render(<TimeHereChoice />);
    const toggle = screen.getByRole("switch", { name: "Remind me about my time here" });
    expect(toggle.getAttribute("aria-checked")).toBe("false");
    const after = screen.getByRole<HTMLSelectElement>("combobox", { name: "After" });
    const options = within(after).getAllByRole("option");
    expect(options.map(({ textContent }) => textContent)).toEqual([
      "10 minutes",
      "20 minutes",
      "30 minutes",
      "60 minutes",
    ]);
    expect(after.value).toBe("20");
    expect(screen.getByText("Kept on this device alone.")).toBeTruthy();
    fireEvent.change(after, { target: { value: "30" } });
    expect(after.value).toBe("30");
    expect(timeHere.choice(ADA)).toEqual({ isOn: false, after: 30 });
    fireEvent.click(toggle);
    expect(toggle.getAttribute("aria-checked")).toBe("true");
    expect(timeHere.choice(ADA)).toEqual({ isOn: true, after: 30 });
    expect(timeHere.choice(ADA + 1).isOn).toBe(false);
  });

  test("starts the counting at once, in this tab", () => {
    render(<TimeHereChoice />);
    fireEvent.click(screen.getByRole("switch"));
    vi.setSystemTime(Date.now() + 60_000);
    fireEvent.keyDown(document.body, { key: "a" });
    expect(localStorage.getItem(SUM)).toContain('"minutes":1,');
  });
});

describe("d-u5: the sum of today", () => {
  const is = (phase: "guest" | "ended" | "signed-in", me = aMe()): void =>
    update((s) => withSession(s, phase, phase === "guest" ? null : me));

  test("is deleted by a log-out; the choice stays for the next log-in", () => {
    followTimeHere();
    timeHere.choose(ADA, { isOn: true, after: 20 });
    uses(5);
    is("ended");
    expect(localStorage.getItem(SUM)).not.toBeNull();
    is("guest");
    expect(localStorage.getItem(SUM)).toBeNull();
    expect(timeHere.choice(ADA).isOn).toBe(true);
  });

  test("is deleted when Ben logs in at the same browser", () => {
    timeHere.choose(ADA, { isOn: true, after: 20 });
    uses(5);
    localStorage.setItem("mellow.draft.1", "{}");
    followTimeHere();
    expect(localStorage.getItem(SUM)).not.toBeNull();
    is("signed-in", aMe({ id: ADA + 1 }));
    expect(localStorage.getItem(SUM)).toBeNull();
    expect(localStorage.getItem("mellow.draft.1")).toBe("{}");
  });
});
