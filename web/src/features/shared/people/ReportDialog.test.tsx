import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RefusedError } from "../../../engine/ask";
import { toastList } from "../../../ui/toast";
import { ReportDialog } from "./ReportDialog";
import { toasts } from "../../../testing/toasts";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../../engine/client", () => ({ ask }));

const closed = vi.fn();
const reason = (name: string) => screen.getByRole<HTMLInputElement>("radio", { name });
const details = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Details" });
const button = () => screen.getByRole<HTMLButtonElement>("button", { name: "Send Report" });
const write = (value: string) => fireEvent.change(details(), { target: { value } });
const send = () => act(async () => fireEvent.click(button()));

beforeEach(() => {
  ask.mockReset();
  closed.mockReset();
  toastList.clear();
  render(<ReportDialog about={{ type: "post", post_id: 100 }} onClose={closed} />);
});
afterEach(cleanup);

test("a report is sent with its reason, and a message says so", async () => {
  ask.mockResolvedValue({ seq: 11 });
  expect(screen.getByRole("dialog", { name: "Report" })).toBeTruthy();
  expect(screen.getByRole("radiogroup", { name: "Reason" })).toBeTruthy();
  expect(screen.getByText("The host will see what you report, and your name.")).toBeTruthy();
  expect(button().disabled).toBe(true);
  fireEvent.click(reason("Hate or violence"));
  await send();
  const [op, fields] = ask.mock.calls[0] ?? [];
  expect([op, { ...fields, key: null }]).toEqual([
    "reports.create",
    { key: null, about: { type: "post", post_id: 100 }, reason: "hate", details: "" },
  ]);
  expect(toasts()).toEqual(["Report sent to the host."]);
  expect(closed).toHaveBeenCalled();
});

test("the reason `Something else` needs details of at most five hundred characters", () => {
  fireEvent.click(reason("Something else"));
  expect(button().disabled).toBe(true);
  write("  ");
  expect(button().disabled).toBe(true);
  write("a".repeat(501));
  expect(button().disabled).toBe(true);
  write("a".repeat(500));
  expect(button().disabled).toBe(false);
});

test("a refused report keeps the text, says why, and has the same key when it is sent again", async () => {
  ask.mockRejectedValue(new RefusedError("slow_down", "Take a breath."));
  fireEvent.click(reason("Spam"));
  write("every day");
  await send();
  expect(screen.getByRole("alert").textContent).toBe("Take a breath.");
  expect([details().value, reason("Spam").checked]).toEqual(["every day", true]);
  await send();
  expect(ask.mock.calls[1]).toEqual(ask.mock.calls[0]);
  expect([toasts(), closed.mock.calls.length]).toEqual([[], 0]);
});
