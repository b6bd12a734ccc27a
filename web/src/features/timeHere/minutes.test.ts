import { beforeEach, describe, expect, test } from "vitest";
import { local } from "../../storage";
import { TimeHere } from "./minutes";

const ADA = 7;
const BEN = 8;
let now = 0;

/** Another tab of the same browser. */
const aTab = (): TimeHere => new TimeHere(local, { now: () => now });
const at = (time: string): void => {
  now = new Date(time).getTime();
};
/** Time passes, and then the person does something. */
function usesAfter(minutes: number, ...tabs: readonly TimeHere[]): void {
  now += minutes * 60_000;
  for (const tab of tabs) tab.used(ADA);
}
const uses = (count: number, tab: TimeHere): void => {
  for (let n = 0; n < count; n += 1) usesAfter(1, tab);
};
const kept = (): string[] => Object.keys(localStorage).sort();

beforeEach(() => {
  localStorage.clear();
  // A local time, wherever this test runs.
  at("2026-11-27T12:00:30");
});

describe("d-u5: the minutes here", () => {
  test("are neither counted nor kept for Ada, who did not ask for it", () => {
    const tab = aTab();
    expect(tab.choice(ADA)).toEqual({ isOn: false, after: 20 });
    uses(100, tab);
    expect(tab.reached(ADA)).toBeNull();
    expect(kept()).toEqual([]);
  });

  test("count once each, however often and in however many tabs they are used", () => {
    const [first, second] = [aTab(), aTab()];
    first.choose(ADA, { isOn: true, after: 10 });
    for (let n = 0; n < 9; n += 1) {
      usesAfter(1, first, second);
      usesAfter(0, second, first);
    }
    expect(first.reached(ADA)).toBeNull();
    // A tab that is opened later counts on.
    usesAfter(1, aTab());
    for (const tab of [first, second]) expect(tab.reached(ADA)).toBe(10);
  });

  test("do not count while nothing is used", () => {
    const tab = aTab();
    tab.choose(ADA, { isOn: true, after: 10 });
    for (let n = 0; n < 9; n += 1) usesAfter(45, tab);
    expect(tab.reached(ADA)).toBeNull();
    usesAfter(45, tab);
    expect(tab.reached(ADA)).toBe(10);
  });

  test("are told in each tab until Ada answers in one, and then not before the next local date", () => {
    const [first, second] = [aTab(), aTab()];
    first.choose(ADA, { isOn: true, after: 20 });
    uses(20, first);
    for (const tab of [first, second, aTab()]) expect(tab.reached(ADA)).toBe(20);
    second.answer(ADA);
    uses(200, first);
    for (const tab of [first, second]) expect(tab.reached(ADA)).toBeNull();
    at("2026-11-28T00:00:30");
    first.used(ADA);
    uses(18, first);
    expect(first.reached(ADA)).toBeNull();
    uses(1, second);
    expect(first.reached(ADA)).toBe(20);
  });

  test("are not counted beyond the limit, so that the line stays as it is", () => {
    const tab = aTab();
    tab.choose(ADA, { isOn: true, after: 10 });
    uses(45, tab);
    expect(tab.reached(ADA)).toBe(10);
  });

  test("of yesterday are forgotten, also if Ada did not answer", () => {
    const tab = aTab();
    tab.choose(ADA, { isOn: true, after: 10 });
    at("2026-11-27T23:49:30");
    uses(10, tab);
    expect(new Date(now).getDate()).toBe(27);
    expect(tab.reached(ADA)).toBe(10);
    usesAfter(1, tab);
    expect(tab.reached(ADA)).toBeNull();
    expect(localStorage.getItem("mellow.here.7.today")).toContain('"minutes":1,');
    expect(localStorage.getItem("mellow.here.7.today")).not.toContain("Nov 27");
    // An answer that comes too late is none for today.
    tab.answer(ADA);
    uses(9, tab);
    expect(tab.reached(ADA)).toBe(10);
    expect(kept()).toEqual(["mellow.here.7", "mellow.here.7.today"]);
  });

  test("go on if the clock of the device is set back", () => {
    const tab = aTab();
    tab.choose(ADA, { isOn: true, after: 10 });
    uses(5, tab);
    at("2026-11-27T09:00:00");
    uses(5, tab);
    expect(tab.reached(ADA)).toBe(10);
  });

  test("are those of one person each", () => {
    const tab = aTab();
    for (const one of [ADA, BEN]) tab.choose(one, { isOn: true, after: 10 });
    for (let n = 0; n < 9; n += 1) {
      usesAfter(1, tab);
      tab.used(BEN);
    }
    usesAfter(1, tab);
    expect([tab.reached(ADA), tab.reached(BEN)]).toEqual([10, null]);
  });

  test("are told at once if Ada chooses fewer than she has, and later if she chooses more", () => {
    const tab = aTab();
    tab.choose(ADA, { isOn: true, after: 60 });
    uses(45, tab);
    tab.choose(ADA, { isOn: true, after: 30 });
    expect(tab.reached(ADA)).toBe(45);
    tab.choose(ADA, { isOn: true, after: 60 });
    expect(tab.reached(ADA)).toBeNull();
    uses(15, tab);
    expect(tab.reached(ADA)).toBe(60);
  });

  test("are forgotten when Ada switches the reminder off; what she chose stays", () => {
    const tab = aTab();
    tab.choose(ADA, { isOn: true, after: 30 });
    uses(12, tab);
    tab.choose(ADA, { isOn: false, after: 30 });
    expect(kept()).toEqual(["mellow.here.7"]);
    expect(aTab().choice(ADA)).toEqual({ isOn: false, after: 30 });
    uses(40, tab);
    expect(kept()).toEqual(["mellow.here.7"]);
  });

  test("begin again if what is kept is damaged", () => {
    const tab = aTab();
    localStorage.setItem("mellow.here.7", "on 7000");
    localStorage.setItem("mellow.here.7.today", "{");
    expect(tab.choice(ADA)).toEqual({ isOn: true, after: 20 });
    uses(20, tab);
    expect(tab.reached(ADA)).toBe(20);
  });

  test("are announced by the one tab in which the limit is reached", () => {
    const [first, second] = [aTab(), aTab()];
    first.choose(ADA, { isOn: true, after: 10 });
    uses(9, first);
    expect(first.isReachedHere).toBe(false);
    usesAfter(1, second, first);
    expect([first.isReachedHere, second.isReachedHere]).toEqual([false, true]);
  });
});
