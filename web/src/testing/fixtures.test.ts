import { expect, test } from "vitest";
import { emptyState, features, registerFeatures } from "../engine/feature";
import type { State } from "../engine/state";
import { visible } from "./fixtures";

/** A state with a part that `visible` does not know. */
const marked = (ids: number[], at: number) => ({ ...emptyState(), marks: { ids, at } });

test("a part of the state that visible() does not know is compared as a whole", () => {
  expect(visible(marked([1], 5))).toEqual(visible(marked([1], 5)));
  expect(visible(marked([1], 5))).not.toEqual(visible(marked([2], 5)));
  expect(visible(marked([1], 5))).not.toEqual(visible(emptyState()));
});

test("seqs that a feature resets in forgetSeqs are not compared", () => {
  expect(visible(marked([1], 5))).not.toEqual(visible(marked([1], 6)));
  const forgetSeqs = (state: State) => ({ ...state, marks: { ...(state as Marked).marks, at: 0 } });
  registerFeatures([...features(), { initial: () => ({}), forgetSeqs }]);
  expect(visible(marked([1], 5))).toEqual(visible(marked([1], 6)));
  expect(visible(marked([1], 5))).not.toEqual(visible(marked([2], 5)));
});

type Marked = ReturnType<typeof marked>;
