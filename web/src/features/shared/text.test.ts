import { expect, test } from "vitest";
import cases from "../../../../tests/texts.json";
import { countOf, isBlank, tidyLine, tidyText } from "./text";

test.each(cases)("$about: read as the server reads it", ({ typed, line, block, count, is_blank }) => {
  expect(tidyLine(typed)).toBe(line);
  expect(tidyText(typed)).toBe(block);
  expect(countOf(line)).toBe(count);
  expect(isBlank(typed)).toBe(is_blank);
});
