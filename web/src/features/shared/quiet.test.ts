import { beforeEach, expect, test } from "vitest";
import { emptyState } from "../../engine/feature";
import { store } from "../../engine/store";
import { aMe } from "../../testing/fixtures";
import { onAnnounce } from "../../ui/announce";
import { announceOthers } from "./quiet";

const announced: string[] = [];
onAnnounce("polite", ({ text }) => announced.push(text));

beforeEach(() => {
  announced.length = 0;
});

test.each([
  [null, ["Ben was here"]],
  [5_000, []],
])("d-u3: what others did is announced, but not in quiet hours: until %s", (quiet_until_ms, expected) => {
  store.setState({ ...emptyState(), session: { phase: "signed-in", me: aMe({ quiet_until_ms }) } }, true);
  announceOthers("Ben was here");
  expect(announced).toEqual(expected);
});
