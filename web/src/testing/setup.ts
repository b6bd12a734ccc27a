import "../app/features";
import { BroadcastChannel } from "node:worker_threads";
import { cleanup, configure } from "@testing-library/react";
import { afterEach, expect } from "vitest";
import { bareTexts } from "./bareText";

// Guards against a hang. It measures nothing, because a busy machine may take ten times as long as a quiet
// one.
configure({ asyncUtilTimeout: 10_000 });

// The window of the tests has no BroadcastChannel. Node's works the same.
Object.assign(globalThis, { BroadcastChannel });

// Nothing has a place there, so nothing is scrolled.
Element.prototype.scrollIntoView = () => undefined;

afterEach(() => {
  const bare = bareTexts(document.body);
  cleanup();
  expect(bare, "text beside other nodes, which a translator takes apart").toEqual([]);
});
