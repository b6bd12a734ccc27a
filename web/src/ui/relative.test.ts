import { afterEach, describe, expect, test } from "vitest";
import { setLanguage } from "../testing/setLanguage";
import { dayInside, dayWords, relative, relativeInside, shortDate, shortMoment } from "./relative";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = new Date(2026, 2, 20, 12, 0, 0).getTime();
const ago = (ms: number): string => relative(NOW - ms, NOW);

describe("the age of something", () => {
  test("is `just now` under a minute, and in the near future of a fast clock", () => {
    expect(ago(0)).toBe("Just now");
    expect(ago(MINUTE - 1)).toBe("Just now");
    expect(ago(-5 * MINUTE)).toBe("Just now");
  });

  test("is in minutes under an hour, with a singular for one", () => {
    expect(ago(MINUTE)).toBe("1 minute ago");
    expect(ago(HOUR - 1)).toBe("59 minutes ago");
  });

  test("is in hours under a day", () => {
    expect(ago(HOUR)).toBe("1 hour ago");
    expect(ago(DAY - 1)).toBe("23 hours ago");
  });

  test("is `yesterday` from 24 to 48 hours", () => {
    expect(ago(DAY)).toBe("Yesterday");
    expect(ago(2 * DAY - 1)).toBe("Yesterday");
  });

  test("is in days under seven days, and then the date", () => {
    expect(ago(2 * DAY)).toBe("2 days ago");
    expect(ago(7 * DAY - 1)).toBe("6 days ago");
    expect(ago(15 * DAY)).toBe("05/Mar/26");
  });

  test("has m, h and d as short units", () => {
    expect(relative(NOW - 5 * MINUTE, NOW, true)).toBe("5m");
    expect(relative(NOW - 3 * HOUR, NOW, true)).toBe("3h");
    expect(relative(NOW - DAY, NOW, true)).toBe("1d");
  });

  test("has two digits for the day and the year of a date", () => {
    expect(shortDate(new Date(2009, 0, 1).getTime())).toBe("01/Jan/09");
  });
});

describe("the day of something", () => {
  const on = (year: number, month: number, day: number, hour = 12): number =>
    new Date(year, month, day, hour).getTime();
  // A Friday.
  const noon = on(2026, 2, 20);

  test("depends on the reader's date, not on a number of hours", () => {
    expect(dayWords(on(2026, 2, 20, 0), noon)).toBe("Today");
    expect(dayWords(on(2026, 2, 19, 23), noon)).toBe("Yesterday");
    expect(dayWords(on(2026, 2, 19, 0), on(2026, 2, 20, 23))).toBe("Yesterday");
    expect(dayWords(on(2026, 2, 21, 1), noon)).toBe("Today");
  });

  test("is a weekday up to six days back, and then a date", () => {
    expect(dayWords(on(2026, 2, 18), noon)).toBe("Wednesday");
    expect(dayWords(on(2026, 2, 14), noon)).toBe("Saturday");
    expect(dayWords(on(2026, 2, 13), noon)).toBe("13/Mar/26");
  });

  test("is counted by dates when clocks change", () => {
    const dates = [28, 29, 30].map((day) => dayWords(on(2026, 2, day, 0), on(2026, 2, 30, 23)));
    expect(dates).toEqual(["Saturday", "Yesterday", "Today"]);
  });
});

describe("inside a sentence", () => {
  test("words begin with a small letter, and names of days do not", () => {
    expect(relativeInside(NOW, NOW)).toBe("just now");
    expect([0, 1, 2].map((days) => dayInside(NOW - days * DAY, NOW))).toEqual([
      "today",
      "yesterday",
      "Wednesday",
    ]);
    expect(relativeInside(NOW - 3 * HOUR, NOW)).toBe("3 hours ago");
    expect(relativeInside(NOW - 15 * DAY, NOW)).toBe("05/Mar/26");
  });
});

describe("in another language", () => {
  afterEach(() => setLanguage("en", {}));

  test("ages, days and dates are those of the language", () => {
    setLanguage("de", { "just now": "gerade eben" });
    expect([0, 5 * MINUTE, DAY, 3 * DAY].map(ago)).toEqual([
      "Gerade eben",
      "Vor 5 Minuten",
      "Gestern",
      "Vor 3 Tagen",
    ]);
    expect([0, 1, 2].map((days) => dayWords(NOW - days * DAY, NOW))).toEqual([
      "Heute",
      "Gestern",
      "Mittwoch",
    ]);
    expect([1, 2].map((days) => dayInside(NOW - days * DAY, NOW))).toEqual(["gestern", "Mittwoch"]);
    expect(ago(15 * DAY)).toBe("5. März 2026");
    setLanguage("pl", {});
    expect([1, 2, 5].map((n) => ago(n * HOUR))).toEqual([
      "1 godzinę temu",
      "2 godziny temu",
      "5 godzin temu",
    ]);
    setLanguage("ja", {});
    expect(shortMoment(new Date(2026, 2, 5, 9, 4).getTime())).toBe("2026年3月5日 9:04");
  });
});

test("a moment is a date and the time of day, in the same form everywhere", () => {
  expect(shortMoment(new Date(2026, 2, 5, 9, 4).getTime())).toBe("05/Mar/26, 09:04");
});
