import "../app/features";
import { format } from "node:util";
import { BroadcastChannel } from "node:worker_threads";
import { cleanup, configure } from "@testing-library/react";
import { afterEach, expect, vi } from "vitest";
import { bareTexts } from "./bareText";

// Only ends a wait that hangs, a little before the test would end (vite.config.ts). A busy machine may need ten times
// as long as a quiet one, and a long list takes seconds on a quiet one.
const WAIT_MS = 50_000;
configure({ asyncUtilTimeout: WAIT_MS });
const { waitFor } = vi;
vi.waitFor = (check, options = { timeout: WAIT_MS }) => waitFor(check, options);

// The window of the tests has no BroadcastChannel. Node's works the same.
Object.assign(globalThis, { BroadcastChannel });

// Nothing has a place there, so nothing is scrolled.
Element.prototype.scrollIntoView = () => undefined;

// React writes there what is wrong with a page, such as a paragraph in a paragraph, or two items with one key.
const faults: string[] = [];
const { error } = console;
// oxlint-disable-next-line no-console
console.error = (...words: unknown[]) => {
  faults.push(format(...words));
  error(...words);
};

afterEach(() => {
  const bare = bareTexts(document.body);
  cleanup();
  expect(faults.splice(0), "errors in the console").toEqual([]);
  expect(bare, "text beside other nodes, which a translator takes apart").toEqual([]);
});
