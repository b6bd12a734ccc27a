import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { apply } from "../../engine/apply";
import { emptyState } from "../../engine/feature";
import { store, update } from "../../engine/store";
import { ANA, BEN, aDay, aMe, aMood } from "../../testing/fixtures";
import { RefusedError } from "../../engine/ask";
import type { State } from "../../engine/state";
import type { Day, Mood } from "../../engine/types.gen";
import { VibeCheck } from "./VibeCheck";
import { MOODS, alreadySet } from "./words";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../engine/client", () => ({
  ask,
  client: { onScreen: () => () => undefined, tidy: () => undefined },
}));

const ZOE = { id: 3, name: "Zoë 🌿", photo_url: null };
const NOON = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;

const today = (moods: Mood[] = [], mine: Day = day(), seq = 10) => ({ mine, moods, users: [BEN, ZOE], seq });
const day = (more: Partial<Day> = {}): Day => aDay({ slot_ends_at_ms: NOON + 3 * HOUR, ...more });
const mood = (id: number, more: Partial<Mood> = {}): Mood =>
  aMood(id, { expires_at_ms: NOON + 12 * HOUR, made_at_ms: NOON + id, ...more });

type Answers = Record<string, (fields: Record<string, unknown>) => unknown>;
function server(answers: Answers): void {
  ask.mockImplementation(
    async (op: string, fields: Record<string, unknown>) => answers[op]?.(fields) ?? { seq: 10 },
  );
}
const asked = (op: string) => ask.mock.calls.filter(([name]) => name === op).map(([, fields]) => fields);

async function show(answer = today(), more: Answers = {}): Promise<void> {
  server({ "moods.today": () => answer, ...more });
  render(<VibeCheck />);
  await act(async () => void (await vi.advanceTimersByTimeAsync(1)));
}
const settle = () => act(async () => void (await vi.advanceTimersByTimeAsync(20)));
const region = () => within(screen.getByRole("region", { name: "Vibe Check" }));
const people = () => within(screen.getByRole("list", { name: "Moods today" })).getAllByRole("listitem");
const names = () => people().map((item) => within(item).getByRole("link").textContent);
const radio = (name: string) => screen.getByRole<HTMLInputElement>("radio", { name });
const open = async (name = "Set Morning Vibe") => {
  fireEvent.click(region().getByRole("button", { name }));
  await settle();
};
const pick = (name: string) => fireEvent.click(radio(name));
const share = async () => {
  fireEvent.click(region().getByRole("button", { name: "Share" }));
  await settle();
};

beforeEach(() => {
  vi.useFakeTimers({ now: NOON });
  ask.mockReset();
  store.setState(
    { ...emptyState(), session: { phase: "signed-in", me: aMe() }, connection: { state: "live", since: 1 } },
    true,
  );
});
afterEach(() => {
  cleanup();
  document.documentElement.removeAttribute("dir");
  vi.useRealTimers();
});

describe("the grid of moods", () => {
  test("has twenty-five moods, named by their words, and Share needs one of them", async () => {
    await show();
    await open();
    expect(within(screen.getByRole("radiogroup", { name: "Moods" })).getAllByRole("radio")).toHaveLength(25);
    for (const { word } of MOODS) expect(radio(word)).toBeTruthy();
    const share = () => region().getByRole<HTMLButtonElement>("button", { name: "Share" });
    expect(share().disabled).toBe(true);
    const why = share().getAttribute("aria-describedby") ?? "";
    expect(document.getElementById(why)?.textContent).toBe("Pick a mood first.");
    expect(document.activeElement).toBe(radio("Happy"));
    pick("Mind Blown");
    expect(share().getAttribute("aria-describedby")).toBe(null);
    expect(region().getByRole<HTMLButtonElement>("button", { name: "Share" }).disabled).toBe(false);
    expect(asked("moods.set")).toEqual([]);
  });

  test("has arrow keys for rows and columns", async () => {
    await show();
    await open();
    const press = (key: string) => fireEvent.keyDown(document.activeElement as Element, { key });
    press("ArrowRight");
    expect(radio("Relaxing").checked).toBe(true);
    press("ArrowDown");
    expect(document.activeElement).toBe(radio("Silly"));
    press("ArrowLeft");
    press("ArrowUp");
    expect(document.activeElement).toBe(radio("Happy"));
    press("ArrowUp");
    expect(document.activeElement).toBe(radio("Sad"));
    press("End");
    expect(radio("Excited").checked).toBe(true);
    press("Home");
    expect(radio("Happy").checked).toBe(true);
  });

  test("has its next mood on the left in a page from right to left", async () => {
    document.documentElement.dir = "rtl";
    await show();
    await open();
    const press = (key: string) => fireEvent.keyDown(document.activeElement as Element, { key });
    press("ArrowLeft");
    expect(radio("Relaxing").checked).toBe(true);
    press("ArrowDown");
    expect(document.activeElement).toBe(radio("Silly"));
    press("ArrowUp");
    press("ArrowRight");
    expect(radio("Happy").checked).toBe(true);
  });

  test("reads the day also in a browser that does not know its zone", async () => {
    for (const timeZone of [undefined, "", "Etc/Unknown", "+05:30"]) {
      const Format = Intl.DateTimeFormat;
      const said = vi.spyOn(Intl, "DateTimeFormat").mockImplementation(function (...args) {
        const made = new Format(...args);
        const options = { ...made.resolvedOptions(), timeZone };
        return Object.assign(made, { resolvedOptions: () => options });
      });
      const clock = vi.spyOn(Date.prototype, "getTimezoneOffset").mockReturnValue(-330);
      await show(today());
      expect(asked("moods.today").at(-1)).toEqual({ zone: timeZone ?? "", offset_minutes: 330 });
      said.mockRestore();
      clock.mockRestore();
      cleanup();
    }
  });

  test("shares once, with the slot and the time zone, and then shows a sentence instead of the button", async () => {
    await show(today(), {
      "moods.set": ({ mood: word }) => ({ mine: day({ open: false, morning: word as string }), seq: 11 }),
    });
    await open();
    pick("Cozy");
    await share();
    expect(asked("moods.set")).toMatchObject([
      { slot: "morning", mood: "Cozy", zone: Intl.DateTimeFormat().resolvedOptions().timeZone },
    ]);
    expect(region().getByText("You've set your morning vibe. See you this evening.")).toBeTruthy();
    expect(region().queryByRole("button")).toBe(null);
    expect(document.activeElement?.textContent).toBe("You've set your morning vibe. See you this evening.");
  });

  test("shares nothing after Cancel and shows the button again", async () => {
    await show();
    await open();
    pick("Sad");
    fireEvent.click(region().getByRole("button", { name: "Cancel" }));
    await settle();
    expect(document.activeElement).toBe(region().getByRole("button", { name: "Set Morning Vibe" }));
    expect(asked("moods.set")).toEqual([]);
  });

  test("d-e3: keeps the picked mood if the server says that the slot changed, and a second press shares it", async () => {
    await show(today(), {
      "moods.set": ({ slot }) => {
        if (slot === "morning")
          throw new RefusedError(
            "slot_changed",
            "It's evening where you are now. Set your evening vibe instead?",
          );
        return { mine: day({ slot: "evening", open: false, evening: "Meh" }), seq: 12 };
      },
    });
    await open();
    pick("Meh");
    server({
      "moods.today": () => today([], day({ slot: "evening" }), 11),
      "moods.set": ({ slot }) => {
        if (slot === "morning")
          throw new RefusedError(
            "slot_changed",
            "It's evening where you are now. Set your evening vibe instead?",
          );
        return { mine: day({ slot: "evening", open: false, evening: "Meh" }), seq: 12 };
      },
    });
    await share();
    expect(screen.getByRole("alert").textContent).toBe(
      "It's evening where you are now. Set your evening vibe instead?",
    );
    expect(radio("Meh").checked).toBe(true);
    await share();
    const [first, second] = asked("moods.set");
    expect(second.slot).toBe("evening");
    expect([...new Uint8Array(first.key as ArrayBuffer)]).not.toEqual([
      ...new Uint8Array(second.key as ArrayBuffer),
    ]);
    expect(region().getByText("You've set your evening vibe.")).toBeTruthy();
  });

  test("keeps the choice after a refusal, and the same request keeps its key", async () => {
    await show(today(), {
      "moods.set": () => {
        throw new RefusedError("busy", "There is a lot going on. Please try again.", null, 500);
      },
    });
    await open();
    pick("Loved");
    await share();
    await share();
    expect(screen.getByRole("alert").textContent).toBe("There is a lot going on. Please try again.");
    expect(radio("Loved").checked).toBe(true);
    const [first, second] = asked("moods.set");
    expect([...new Uint8Array(first.key as ArrayBuffer)]).toEqual([
      ...new Uint8Array(second.key as ArrayBuffer),
    ]);
  });

  test("allows no cancel and no other mood while a mood waits for the connection", async () => {
    let arrive: (ok: object) => void = () => undefined;
    await show(today(), { "moods.set": () => new Promise((done) => (arrive = done)) });
    await open();
    pick("Sad");
    await share();
    await act(async () => void (await vi.advanceTimersByTimeAsync(1_000)));
    const isOnItsWay = () => {
      expect(radio("Sad").checked).toBe(true);
      for (const name of ["Cancel", "Share"])
        expect(region().getByRole<HTMLButtonElement>("button", { name }).disabled).toBe(true);
    };
    isOnItsWay();
    // The user opens the other tab and returns.
    cleanup();
    render(<VibeCheck />);
    await settle();
    isOnItsWay();
    arrive({ mine: day({ open: false, morning: "Sad" }), seq: 12 });
    await settle();
    expect(region().getByText("You've set your morning vibe. See you this evening.")).toBeTruthy();
    expect(asked("moods.set")).toHaveLength(1);
  });

  test("closes when a mood is shared on another device", async () => {
    await show();
    await open();
    act(() =>
      update((s) =>
        apply(s, { ev: "moods.changed", seq: 11, mood: mood(ANA.id, { morning: "Happy" }), users: [ANA] }),
      ),
    );
    expect(screen.queryByRole("radiogroup")).toBe(null);
    expect(region().getByText("You've set your morning vibe. See you this evening.")).toBeTruthy();
  });
});

describe("the viewer's own day", () => {
  test.each([
    [{ slot: "morning", open: true }, null],
    [
      { slot: "morning", open: false, morning: "Happy" },
      "You've set your morning vibe. See you this evening.",
    ],
    [{ slot: "evening", open: true, morning: "Happy" }, null],
    [{ slot: "evening", open: false, evening: "Happy" }, "You've set your evening vibe."],
    [{ slot: "evening", open: false, morning: "Happy", evening: "Meh" }, "You've set both vibes today."],
    [{ slot: "morning", open: false }, "You've set your vibes for now. See you later."],
  ] as [Partial<Day>, string | null][])("%o says %s", (more, words) => {
    expect(alreadySet(day(more))).toBe(words);
  });

  test("c35: changes its slot by the server's clock; the open grid and the picked mood stay", async () => {
    await show();
    await open();
    pick("Quiet");
    server({
      "moods.today": () => today([], day({ slot: "evening", slot_ends_at_ms: NOON + 12 * HOUR }), 20),
    });
    await act(async () => void (await vi.advanceTimersByTimeAsync(3 * HOUR)));
    expect(screen.getByRole("alert").textContent).toBe(
      "It's evening where you are now. Set your evening vibe instead?",
    );
    expect(radio("Quiet").checked).toBe(true);
    const before = asked("moods.today").length;
    await act(async () => void (await vi.advanceTimersByTimeAsync(11_000)));
    expect(asked("moods.today").length).toBe(before + 1);
    fireEvent.click(region().getByRole("button", { name: "Cancel" }));
    expect(region().getByRole("button", { name: "Set Evening Vibe" })).toBeTruthy();
  });
});

describe("the moods of today", () => {
  test("are links by name with the mood; a morning mood is small beside an evening mood", async () => {
    await show(today([mood(2), mood(3, { evening: "Mind Blown" })]));
    expect(names()).toEqual(["Zoë 🌿", "Ben"]);
    const [zoe, ben] = people();
    expect(within(zoe as HTMLElement).getByText("Mind Blown")).toBeTruthy();
    expect(within(zoe as HTMLElement).getByText("Cozy this morning")).toBeTruthy();
    expect(within(ben as HTMLElement).getByText("Cozy")).toBeTruthy();
    expect(
      within(ben as HTMLElement)
        .getByRole("link")
        .getAttribute("href"),
    ).toBe("/profile/2");
  });

  test("are a sentence if nobody has shared one", async () => {
    await show();
    expect(region().getByText("Nobody has shared a mood today.")).toBeTruthy();
  });

  test("d-e2: disappear at their owner's midnight, also if the device slept then", async () => {
    await show(today([mood(2, { expires_at_ms: NOON + HOUR }), mood(3)]));
    await act(async () => void (await vi.advanceTimersByTimeAsync(HOUR - 1_000)));
    expect(names()).toHaveLength(2);
    await act(async () => void (await vi.advanceTimersByTimeAsync(1_000)));
    expect(names()).toEqual(["Zoë 🌿"]);
    vi.setSystemTime(NOON + 20 * HOUR);
    act(() => void document.dispatchEvent(new Event("visibilitychange")));
    expect(region().getByText("Nobody has shared a mood today.")).toBeTruthy();
  });

  test("do not move under the pointer; a new mood is last until the pointer leaves", async () => {
    await show(today([mood(2), mood(4)]));
    const list = screen.getByRole("list", { name: "Moods today" });
    fireEvent.pointerEnter(list);
    act(() =>
      update((s) =>
        apply(s, {
          ev: "moods.changed",
          seq: 11,
          mood: mood(2, { evening: "Silly", made_at_ms: NOON + 99 }),
          users: [BEN],
        }),
      ),
    );
    act(() =>
      update((s) =>
        apply(s, { ev: "moods.changed", seq: 12, mood: mood(3, { made_at_ms: NOON + 100 }), users: [ZOE] }),
      ),
    );
    const ids = () => people().map((item) => within(item).getByRole("link").getAttribute("href"));
    expect(ids()).toEqual(["/profile/4", "/profile/2", "/profile/3"]);
    expect(within(people()[1] as HTMLElement).getByText("Silly")).toBeTruthy();
    fireEvent.pointerLeave(list);
    expect(ids()).toEqual(["/profile/3", "/profile/2", "/profile/4"]);
  });

  test("do not move while one of them has the focus", async () => {
    await show(today([mood(2), mood(3)]));
    const links = () => screen.getAllByRole("link");
    act(() => links()[0]?.focus());
    act(() =>
      update((s) =>
        apply(s, {
          ev: "moods.changed",
          seq: 11,
          mood: mood(2, { evening: "Silly", made_at_ms: NOON + 99 }),
          users: [BEN],
        }),
      ),
    );
    act(() => links()[1]?.focus());
    expect(names()).toEqual(["Zoë 🌿", "Ben"]);
    act(() => links()[1]?.blur());
    expect(names()).toEqual(["Ben", "Zoë 🌿"]);
  });

  const reconnects = async (changes: Partial<State> = {}): Promise<void> => {
    act(() => update((s) => ({ ...s, connection: { state: "reconnecting", since: 2 } })));
    act(() => update((s) => ({ ...s, ...changes, connection: { state: "live", since: 3 } })));
    await settle();
  };

  test("are not read after a reconnect, because they are replayed, unless the last read failed", async () => {
    await show();
    const before = asked("moods.today").length;
    await reconnects();
    expect(asked("moods.today").length).toBe(before);
    server({
      "moods.today": () => {
        throw new RefusedError("timeout", "Too long.", null, 0);
      },
    });
    act(() => update((s) => apply(s, { ev: "follows.changed", seq: 11, user_id: 3, following: true })));
    await settle();
    expect(asked("moods.today").length).toBe(before + 1);
    server({ "moods.today": () => today([mood(3)]) });
    await reconnects();
    expect(asked("moods.today").length).toBe(before + 2);
    await reconnects();
    expect(asked("moods.today").length).toBe(before + 2);
  });

  test("are read again after a follow and after a resync", async () => {
    await show();
    const before = asked("moods.today").length;
    act(() => update((s) => apply(s, { ev: "follows.changed", seq: 11, user_id: 3, following: true })));
    await settle();
    expect(asked("moods.today").length).toBe(before + 1);
    await reconnects({ resyncs: 1 });
    expect(asked("moods.today").length).toBe(before + 2);
  });

  test("d-m1: are an error if they could not be read, with a button to try again", async () => {
    server({
      "moods.today": () => {
        throw new RefusedError("timeout", "Too long.", null, 0);
      },
    });
    render(<VibeCheck />);
    await settle();
    server({ "moods.today": () => today([mood(2)]) });
    fireEvent.click(region().getByRole("button", { name: "Try again" }));
    await settle();
    expect(names()).toEqual(["Ben"]);
  });
});
