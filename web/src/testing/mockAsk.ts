// Test fixture: what `ask` of the client is replaced by.

import { vi } from "vitest";

export const ask = vi.fn();
