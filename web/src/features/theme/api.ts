// Reads today's theme.

import { ask } from "../../engine/client";
import type { Loads } from "../../engine/feature";
import type { Ok } from "../../engine/frames";
import type { State } from "../../engine/state";
import { asRead } from "../../engine/state";
import { update } from "../../engine/store";
import { themeKnown } from "./state";

export const loads = { "theme.get": loadTheme } satisfies Loads;

function loadTheme(state: State, { theme, seq }: Ok<"theme.get">): State {
  return themeKnown(state, theme, asRead(seq));
}

/** Throws a RefusedError. */
export async function readTheme(): Promise<void> {
  const ok = await ask("theme.get", {});
  update((s) => loadTheme(s, ok));
}
