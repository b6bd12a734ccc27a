import { expect, test } from "vitest";
import { apply } from "../../engine/apply";
import { forgetSeqs } from "../../engine/resync";
import { emptyState } from "../../engine/feature";
import { aTheme } from "../../testing/fixtures";
import { themeKnown } from "./state";

test("the theme is the one received last, whether by page, reply or event", () => {
  const evening = aTheme({ day: "2026-11-22", title: "Evening light" });
  const read = themeKnown(emptyState(), aTheme(), 10);
  const changed = apply(read, { ev: "theme.changed", seq: 12, theme: evening });
  expect(changed.theme.now).toEqual(evening);
  expect(themeKnown(changed, aTheme(), 11).theme.now).toEqual(evening);
  expect(apply(changed, { ev: "theme.changed", seq: 13, theme: null }).theme.now).toBe(null);
  expect(themeKnown(forgetSeqs(changed), aTheme(), 2).theme.now).toEqual(aTheme());
});
