// Test fixture: replaces `engine/client`. `vi.mock("…/engine/client", () => import("…/testing/mockClient"))`.

import { vi } from "vitest";

export const ask = vi.fn();
export const client = { onScreen: () => () => undefined, tidy: () => undefined };
