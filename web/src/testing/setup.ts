import "../app/features";
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

afterEach(() => {
  const bare = bareTexts(document.body);
  cleanup();
  expect(bare, "text beside other nodes, which a translator takes apart").toEqual([]);
});
