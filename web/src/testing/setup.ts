import "../app/features";
import { BroadcastChannel } from "node:worker_threads";
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// Guards against a hang, and measures nothing: a busy machine may take ten times as long as a quiet one.
configure({ asyncUtilTimeout: 10_000 });

// The tests' window has no BroadcastChannel; Node's does the same.
Object.assign(globalThis, { BroadcastChannel });

afterEach(() => cleanup());
