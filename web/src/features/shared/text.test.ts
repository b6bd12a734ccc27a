import { expect, test } from "vitest";
import cases from "../../../../tests/texts.json";
import folds from "../../../../tests/folds.json";
import { searchKey } from "./searchKey";
import { countOf, folded, isBlank, shorten, tidyLine, tidyText } from "./text";

test.each(cases)("$about: read as the server reads it", ({ typed, line, block, count, is_blank }) => {
  expect(tidyLine(typed)).toBe(line);
  expect(tidyText(typed)).toBe(block);
  expect(countOf(line)).toBe(count);
  expect(isBlank(typed)).toBe(is_blank);
});

test.each(folds.same)("%s and %s are the same when whole texts are compared", (one, other) => {
  expect(folded(one ?? "")).toBe(folded(other ?? ""));
});

test.each(folds.different)("%s and %s are not the same", (one, other) => {
  expect(folded(one ?? "")).not.toBe(folded(other ?? ""));
});

test.each(folds.found)("%s is found at every letter of %s", (name, typed) => {
  const key = searchKey(tidyLine(name ?? ""));
  const letters = [...(typed ?? "")];
  letters.forEach((_, end) => {
    const term = letters.slice(0, end + 1).join("");
    expect(key.startsWith(searchKey(tidyLine(term))), term).toBe(true);
  });
});

test.each(folds.keys)("%s has the key that the server gives it", (text, key) => {
  expect(searchKey(text ?? "")).toBe(key);
});

test.each(folds.shortened as [string, string, number, string][])(
  "%s: cut as the server cuts it",
  (_, text, max, short) => {
    expect(shorten(text, max)).toBe(short);
  },
);
