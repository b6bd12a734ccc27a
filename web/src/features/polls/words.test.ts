import { describe, expect, test } from "vitest";
import { countdown, percentages, wrongWith } from "./words";

const HOUR = 3_600_000;

describe("the countdown", () => {
  test.each([
    [7 * 24 * HOUR, "6d 23h left"],
    [7 * 24 * HOUR + 800, "6d 23h left"],
    [24 * HOUR, "1d 0h left"],
    [24 * HOUR - 1, "23h left"],
    [5 * HOUR, "5h left"],
    [HOUR, "1h left"],
    [HOUR - 1, "Under 1h left"],
    [0, "Under 1h left"],
  ])("%i ms before the end it says %s", (left, words) => {
    expect(countdown(1_000 + left, 1_000)).toBe(words);
  });
});

describe("percentages", () => {
  test("d-f8: are whole numbers with the sum 100", () => {
    expect(percentages([1, 1, 1])).toEqual([34, 33, 33]);
    expect(percentages([2, 1])).toEqual([67, 33]);
    expect(percentages([1, 5, 1])).toEqual([14, 72, 14]);
    expect(percentages([0, 3, 0])).toEqual([0, 100, 0]);
    expect(percentages([0, 0])).toEqual([0, 0]);
    for (const tally of [
      [1, 2, 3, 4],
      [7, 11, 13, 17],
      [1, 999],
      [333, 333, 334],
      [1, 1, 1, 3],
    ])
      expect(percentages(tally).reduce((sum, percent) => sum + percent, 0)).toBe(100);
  });
});

describe("the first error of a poll", () => {
  const wrong = (question: string, ...options: string[]) => wrongWith({ question, options });
  test("concerns the question, then the number of answers, then their length", () => {
    expect(wrong(" ", "", "")).toEqual({ field: "question", message: "Please enter a question" });
    expect(wrong("q".repeat(141), "", "")?.message).toBe("Question must be 140 characters or less");
    expect(wrong("Tea?", "Yes", " ")).toEqual({
      field: "option 1",
      message: "Please provide at least 2 options",
    });
    expect(wrong("Tea?", "", "")).toEqual({
      field: "option 0",
      message: "Please provide at least 2 options",
    });
    expect(wrong("Tea?", "Yes", "n".repeat(41))).toEqual({
      field: "option 1",
      message: "Each option must be 40 characters or less",
    });
    expect(wrong("🌿".repeat(140), "Yes", "🌿".repeat(40), "")).toBe(null);
  });

  test("d-f7: counts the same answer twice as one answer", () => {
    expect(wrong("Tea?", "Yes", " yes ")?.message).toBe("Please provide at least 2 options");
  });
});
