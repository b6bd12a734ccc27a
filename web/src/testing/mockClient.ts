// Test fixture: replaces `engine/client`, with replies from a table.
// `vi.mock("…/engine/client", () => import("…/testing/mockClient"))`.

import { vi } from "vitest";
import { RefusedError } from "../engine/ask";

export const ask = vi.fn();
export const client = { onScreen: () => () => undefined, tidy: () => undefined };

export type Answers = Record<string, (fields: Record<string, unknown>) => unknown>;

/** Answers each request from the table, and any other request with only this `seq`. */
export function answer(answers: Answers, seq: number): void {
  ask.mockImplementation(
    async (op: string, fields: Record<string, unknown>) => answers[op]?.(fields) ?? { seq },
  );
}

export const refuse =
  (code: string, message = "No.", field: string | null = null, retryMs: number | null = null) =>
  () => {
    throw new RefusedError(code, message, field, retryMs);
  };

/** Returns the fields of every request with this name, in order. */
export const asked = (op: string) =>
  ask.mock.calls.filter(([name]) => name === op).map(([, fields]) => fields);
