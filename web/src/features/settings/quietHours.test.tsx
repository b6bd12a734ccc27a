import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { apply } from "../../engine/apply";
import { emptyState } from "../../engine/feature";
import { store, update } from "../../engine/store";
import type { Me, QuietHours as Hours } from "../../engine/types.gen";
import { aMe } from "../../testing/fixtures";
import { answer, ask, asked, refuse } from "../../testing/mockClient";
import { toasts } from "../../testing/toasts";
import { toastList } from "../../ui/toast";
import { QuietHours } from "./QuietHours";

vi.mock("../../engine/client", () => import("../../testing/mockClient"));

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const HERE = new Intl.DateTimeFormat().resolvedOptions().timeZone;
const saved: Hours = {
  on: true,
  from: "21:30",
  to: "06:30",
  days: ["friday", "saturday"],
  zone: "Pacific/Kiritimati",
};

const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
const button = (name: string) => screen.getByRole<HTMLButtonElement>("button", { name });
const turn = () => screen.getByRole<HTMLButtonElement>("switch", { name: "Quiet hours" });
const days = () =>
  within(screen.getByRole("group", { name: "Days" })).getAllByRole<HTMLInputElement>("checkbox");
const press = (element: HTMLElement) => act(async () => void fireEvent.click(element));
const type = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });

/** Shows the region to a person with this account. */
async function show(more: Partial<Me> = {}): Promise<void> {
  store.setState({ ...emptyState(), session: { phase: "signed-in", me: aMe(more) } }, true);
  await act(async () => void render(<QuietHours />));
}

/** The server saves what it is sent. */
const set = (fields: object) => {
  const { on, from, to, days, zone } = fields as Hours;
  return { quiet_hours: { on, from, to, days, zone }, seq: 12 };
};

/** Lets the server wait. Returns what makes it answer. */
function answersLater(): () => void {
  let reply = (): void => undefined;
  const waits = new Promise<void>((done) => {
    reply = done;
  });
  answer({ "quiet.set": (fields) => waits.then(() => set(fields)) }, 12);
  return reply;
}

beforeEach(() => {
  ask.mockReset();
  toastList.clear();
  answer({ "quiet.set": set }, 12);
});
afterEach(cleanup);

/** The zone in the line is marked as a name. */
const line = (text: string) =>
  screen.getByText((_, element) => element?.localName === "p" && element.textContent === text);

describe("quiet hours", () => {
  test("are off at first, from ten to seven on all days, by the clock of this device", async () => {
    await show();
    expect(turn().getAttribute("aria-checked")).toBe("false");
    expect([field("From").value, field("To").value]).toEqual(["22:00", "07:00"]);
    expect(days().map((day) => [day.closest("label")?.textContent, day.checked])).toEqual(
      DAYS.map((name) => [name, true]),
    );
    expect(line(`Times in ${HERE}.`)).toBeTruthy();
    expect(screen.queryByRole("button", { name: /^Use / })).toBe(null);
    expect(screen.queryByText(/^Quiet hours until/)).toBe(null);
  });

  test("are switched on and off at once, as they were saved", async () => {
    await show({ quiet_hours: saved });
    await press(turn());
    expect(asked("quiet.set")).toMatchObject([{ ...saved, on: false }]);
    expect(turn().getAttribute("aria-checked")).toBe("false");
    type("From", "23:00");
    await press(turn());
    expect(asked("quiet.set")[1]).toMatchObject({ ...saved, on: true });
    expect(field("From").value).toBe("23:00");
    expect(toasts()).toEqual([]);
  });

  test("that were never saved are switched on as they are shown", async () => {
    await show();
    type("To", "08:00");
    await press(turn());
    expect(asked("quiet.set")).toMatchObject([{ on: true, from: "22:00", to: "08:00", zone: HERE }]);
  });

  test("are saved with the zone of this device", async () => {
    await show({ quiet_hours: saved });
    expect(line("Times in Pacific/Kiritimati.")).toBeTruthy();
    type("From", "20:15");
    await press(days()[5] as HTMLElement);
    expect(line(`Times in ${HERE}.`)).toBeTruthy();
    await press(button("Save"));
    expect(asked("quiet.set")).toMatchObject([
      { on: true, from: "20:15", to: "06:30", days: ["friday"], zone: HERE },
    ]);
    expect(toasts()).toEqual(["Quiet hours saved"]);
  });

  test("of another zone offer this device's zone, which is saved at once", async () => {
    await show({ quiet_hours: saved });
    await press(button(`Use ${HERE}`));
    expect(asked("quiet.set")).toMatchObject([{ ...saved, zone: HERE }]);
    expect(line(`Times in ${HERE}.`)).toBeTruthy();
    expect(screen.queryByRole("button", { name: /^Use / })).toBe(null);
    expect(toasts()).toEqual(["Quiet hours saved"]);
  });

  test("keep what is typed when this device's zone is chosen", async () => {
    await show({ quiet_hours: saved });
    type("From", "23:00");
    await press(button(`Use ${HERE}`));
    expect(asked("quiet.set")).toMatchObject([{ ...saved, from: "23:00", zone: HERE }]);
    expect(field("From").value).toBe("23:00");
  });

  test("are sent by the switch and by Save one after the other, because each sends all of them", async () => {
    const reply = answersLater();
    await show({ quiet_hours: saved });
    type("To", "05:00");
    await press(turn());
    expect([button("Save").disabled, button(`Use ${HERE}`).disabled]).toEqual([true, true]);
    await act(async () => reply());
    expect([turn().getAttribute("aria-checked"), button("Save").disabled]).toEqual(["false", false]);
    await press(button("Save"));
    expect(asked("quiet.set")[1]).toMatchObject({ on: false, to: "05:00" });
  });

  test("that are typed while others are saved stay", async () => {
    const reply = answersLater();
    await show({ quiet_hours: saved });
    type("To", "05:00");
    await press(button("Save"));
    expect(turn().disabled).toBe(true);
    type("To", "04:00");
    await act(async () => reply());
    expect(field("To").value).toBe("04:00");
  });

  test.each([
    ["to", "Choose two different times."],
    ["days", "Choose at least one day."],
  ])("that are refused say why until something is changed: %s", async (blamed, message) => {
    answer({ "quiet.set": refuse("invalid", message, blamed) }, 12);
    await show();
    await press(button("Save"));
    expect(screen.getByRole("alert").textContent).toBe(message);
    expect(field("To").getAttribute("aria-invalid")).toBe(blamed === "to" ? "true" : null);
    type("To", "09:00");
    expect(screen.queryByRole("alert")).toBe(null);
    expect(toasts()).toEqual([]);
  });

  test("cannot be saved without a time", async () => {
    await show();
    type("From", "");
    expect(button("Save").disabled).toBe(true);
  });

  test("say until when they last, and show what another device saved", async () => {
    // By the clock of the zone that is shown below, whatever the time is here.
    await show({ quiet_hours: saved, quiet_until_ms: 5_000 });
    expect(screen.getByText("Quiet hours until 06:30.")).toBeTruthy();
    const me = aMe({ quiet_hours: { ...saved, on: false, to: "05:00" } });
    act(() => update((s) => apply(s, { ev: "account.changed", seq: 13, me })));
    expect(screen.queryByText(/^Quiet hours until/)).toBe(null);
    expect([turn().getAttribute("aria-checked"), field("To").value]).toEqual(["false", "05:00"]);
  });
});
