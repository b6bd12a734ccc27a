import { act, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { emptyState } from "../../engine/feature";
import { store, update } from "../../engine/store";
import type { State } from "../../engine/state";
import { Waits } from "./Section";

const goes = (state: State["connection"]["state"]) =>
  act(() => update((s) => ({ ...s, connection: { ...s.connection, state } })));

test("what is below a list is hidden until the list is known, but never again after it was shown without a network", () => {
  store.setState(emptyState(), true);
  goes("live");
  render(<Waits>Loading</Waits>);
  const hides = () => screen.getByText("Loading").hasAttribute("data-waits");
  expect(hides()).toBe(true);
  goes("offline");
  expect(hides()).toBe(false);
  // A user may be in a field below. Hidden, it would lose the focus.
  goes("live");
  expect(hides()).toBe(false);
});
