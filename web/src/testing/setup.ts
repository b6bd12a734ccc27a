import "../app/features";
import { BroadcastChannel } from "node:worker_threads";
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// Guards against a hang. It measures nothing, because a busy machine may take ten times as long as a quiet
// one.
configure({ asyncUtilTimeout: 10_000 });

// The window of the tests has no BroadcastChannel. Node's works the same.
Object.assign(globalThis, { BroadcastChannel });

afterEach(() => cleanup());
