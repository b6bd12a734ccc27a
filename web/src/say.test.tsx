import { render } from "@testing-library/react";
import { afterEach, describe, expect, test } from "vitest";
import { many, say, sayAs, sayRefusal } from "./say";
import { setLanguage } from "./testing/setLanguage";
import { Say } from "./ui/Say";

afterEach(() => {
  setLanguage("en", {});
  document.documentElement.removeAttribute("dir");
});

const WORDS = { reply: "{name} replied to you", follow: "{name} started following you" } as const;

describe("a text", () => {
  test("is said as it is in English", () => {
    expect(say("This poll has closed.")).toBe("This poll has closed.");
    expect(say("Voters for {option}", { option: "Tea {today}" })).toBe("Voters for Tea {today}");
    expect(many(1, "{n} vote", "{n} votes")).toBe("1 vote");
    expect(many(1000, "{n} vote", "{n} votes")).toBe("1000 votes");
    expect(many(0, "{n} vote in {poll}", "{n} votes in {poll}", { poll: "Lunch" })).toBe("0 votes in Lunch");
    expect(sayAs("publish", "Share Post")).toBe("Share Post");
  });

  test("is said in the language of the page, and in English where that has no words for it", () => {
    setLanguage("pl", { "Voters for {option}": "Głosy na {option}", "publish|Share Post": "Opublikuj" });
    expect(say("Voters for {option}", { option: "herbatę" })).toBe("Głosy na herbatę");
    expect(say("This poll has closed.")).toBe("This poll has closed.");
    expect(sayAs("publish", "Share Post")).toBe("Opublikuj");
    expect(sayAs("link", "Share Post")).toBe("Share Post");
  });

  test("has the plural forms and the numbers of its language", () => {
    const said = (n: number) => many(n, "{n} vote", "{n} votes");
    setLanguage("pl", {
      "{n} votes": { one: "{n} głos", few: "{n} głosy", many: "{n} głosów", other: "{n} głosu" },
    });
    expect([0, 1, 2, 5, 21, 22].map(said)).toEqual([
      "0 głosów",
      "1 głos",
      "2 głosy",
      "5 głosów",
      "21 głosów",
      "22 głosy",
    ]);
    setLanguage("de", { "{n} votes": { one: "{n} Stimme", other: "{n} Stimmen" } });
    expect(said(12_345)).toBe("12.345 Stimmen");
    setLanguage("ja", { "{n} votes": { other: "{n}票" } });
    expect(said(1)).toBe("1票");
    setLanguage("ja", {});
    expect(said(2)).toBe("2 votes");
  });

  test("keeps names apart from the text around them in a page from right to left", () => {
    setLanguage("ar", { "{name} voted": "صوّت {name}" });
    document.documentElement.dir = "rtl";
    expect(say("{name} voted", { name: "Ana (1)" })).toBe("صوّت \u2068Ana (1)\u2069");
    expect(say("Page {n}", { n: 2 })).not.toContain("\u2068");
    document.documentElement.dir = "ltr";
    expect(say("{name} voted", { name: "Ana (1)" })).toBe("صوّت Ana (1)");
  });

  test("is said for a refusal by its sentence, else by its code, else in English", () => {
    const no = { code: "invalid", message: "Longer than 140.", why: "too_long", values: { max: 140 } };
    const refused = { ...no, field: null, retry_ms: null };
    expect(sayRefusal(refused)).toBe("Longer than 140.");
    setLanguage("pl", {}, { too_long: "Ponad {max}.", slow_down: "Chwileczkę.", picture: "Plik {name}." });
    expect(sayRefusal(refused)).toBe("Ponad 140.");
    const later = { ...refused, code: "slow_down", why: "slow_down_weeks", values: { n: 2 } };
    expect(sayRefusal(later)).toBe("Chwileczkę.");
    expect(sayRefusal({ ...later, code: "other" })).toBe("Longer than 140.");
    expect(sayRefusal({ ...later, code: "picture" })).toBe("Longer than 140.");
  });

  test("does not compile without a value that it names, or with another one", () => {
    // @ts-expect-error a value is missing
    say("Voters for {option}");
    // @ts-expect-error no such value
    say("Voters for {option}", { poll: "Lunch" });
    // @ts-expect-error it has no values
    say("This poll has closed.", { poll: "Lunch" });
    // @ts-expect-error its names are not known
    say("Voters for {option}" as string);
    // @ts-expect-error a value is missing
    many(2, "{n} vote in {poll}", "{n} votes in {poll}");
  });

  test("has elements where the language wants them", () => {
    const line = (kind: keyof typeof WORDS) =>
      [...render(<Say text={WORDS[kind]} name={<b>Ana</b>} />).container.children].map(
        (piece) => `${piece.localName}: ${piece.textContent}`,
      );
    expect(line("reply")).toEqual(["b: Ana", "span:  replied to you"]);
    setLanguage("ja", { "{name} started following you": "あなたを{name}さんがフォローしました" });
    expect(line("follow")).toEqual(["span: あなたを", "b: Ana", "span: さんがフォローしました"]);
    // @ts-expect-error an element is missing
    void (<Say text={WORDS.reply} />);
  });
});
