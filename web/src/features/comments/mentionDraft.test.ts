import { describe, expect, test } from "vitest";
import { mentionPieces, wordsOf } from "../shared/mentions";
import { seededRandom } from "../../testing/fakeSocket";
import type { DraftMention } from "./state";
import { asSent, keepMentions, mention, typedAt } from "./mentionDraft";
import type { Writing } from "./mentionDraft";

const ANA = { id: 7, name: "Ana Berg" };
const nothing: Writing = { text: "", meant: [] };

/** Picks a user at the end of the text. */
function pick(writing: Writing, user: { id: number; name: string }): Writing {
  return mention(writing, writing.text.length, writing.text.length, user);
}
const type = ({ text, meant }: Writing, more: string): Writing =>
  edit({ text, meant }, text.length, text.length, more);
/** Replaces a range as a user does. The caret is after the new text. */
function edit(writing: Writing, from: number, to: number, put: string): Writing {
  const text = writing.text.slice(0, from) + put + writing.text.slice(to);
  return { text, meant: keepMentions(writing, text, from + put.length) };
}
const ids = ({ meant }: Writing): number[] => meant.map((one: DraftMention) => one.id);

describe("writing a mention", () => {
  test("is text in the box and is sent as a token", () => {
    const writing = type(pick(type(nothing, "hi "), ANA), "how are you?");
    expect(writing.text).toBe("hi @Ana Berg how are you?");
    expect(asSent(writing)).toBe("hi @7+Ana_Berg how are you?");
  });

  test("replaces the typed term and puts the caret after the mention", () => {
    const done = mention({ text: "hi @an!", meant: [] }, 3, 6, ANA);
    expect(done.text).toBe("hi @Ana Berg !");
    expect(done.caret).toBe("hi @Ana Berg ".length);
    expect(mention({ text: "@an now", meant: [] }, 0, 3, ANA).text).toBe("@Ana Berg now");
  });

  test("keeps the ids of two people with the same name, whichever is removed", () => {
    const both = pick(pick(nothing, { id: 5, name: "Kim" }), { id: 6, name: "Kim" });
    expect(both.text).toBe("@Kim @Kim ");
    expect(asSent(both)).toBe("@5+Kim @6+Kim ");
    expect(asSent(edit(both, 0, 5, ""))).toBe("@6+Kim ");
    expect(asSent(edit(both, 5, 10, ""))).toBe("@5+Kim ");
    expect(ids(edit(both, 5, 5, "and "))).toEqual([5, 6]);
  });

  test("is plain text after an edit inside it", () => {
    const writing = pick(nothing, ANA);
    expect(asSent(edit(writing, 4, 5, ""))).toBe("@AnaBerg ");
    expect(asSent(edit(writing, 2, 2, "x"))).toBe("@Axna Berg ");
    expect(asSent(edit(writing, 0, 1, ""))).toBe("Ana Berg ");
    expect(asSent(edit(writing, 8, 9, ""))).toBe("@Ana Ber ");
  });

  test("is still a mention after an edit beside it", () => {
    const writing = pick(type(nothing, "to "), ANA);
    expect(asSent(edit(writing, 0, 3, ""))).toBe("@7+Ana_Berg ");
    expect(asSent(edit(writing, 0, 0, "🌿 "))).toBe("🌿 to @7+Ana_Berg ");
    expect(asSent(edit(writing, writing.text.length - 1, writing.text.length, ""))).toBe("to @7+Ana_Berg");
    expect(asSent(edit(writing, 0, writing.text.length, "new"))).toBe("new");
  });

  test("does not take the text right after it into its label", () => {
    const writing = edit(pick(nothing, ANA), 9, 10, ", hello");
    expect(writing.text).toBe("@Ana Berg, hello");
    const shown = mentionPieces(asSent(writing)).map((piece) =>
      "id" in piece ? `@${wordsOf(piece.label)}` : piece.words,
    );
    expect(shown).toEqual(["@Ana Berg", "\u200a, hello"]);
  });

  test("is plain text inside a word, until a space is before it again", () => {
    const writing = edit(pick(type(nothing, "to "), ANA), 2, 3, "");
    expect(asSent(writing)).toBe("to@Ana Berg ");
    expect(asSent(edit(writing, 2, 2, " "))).toBe("to @7+Ana_Berg ");
  });

  test("works right after another mention", () => {
    const two = edit(pick(pick(nothing, { id: 5, name: "Kim" }), ANA), 4, 5, "");
    expect(two.text).toBe("@Kim@Ana Berg ");
    expect(mentionPieces(asSent(two)).flatMap((piece) => ("id" in piece ? [piece.id] : []))).toEqual([5, 7]);
  });

  test("c38: sends every name, whatever its characters", () => {
    for (const name of ["a_b", "_x_", "Zoë 🌿", "שלום עולם", "عائشة بنت", "a+b", "me@home", "+", "@"]) {
      const writing = type(pick(type(nothing, "hi "), { id: 9, name }), "bye");
      expect(mentionPieces(asSent(writing))).toEqual([
        { words: "hi " },
        { id: 9, label: name.replaceAll(" ", "_") },
        { words: " bye" },
      ]);
    }
  });

  test("has the offset of its name after any edits", () => {
    const random = seededRandom(11);
    const below = (sides: number): number => Math.floor(random() * sides);
    const people = [ANA, { id: 5, name: "Kim" }, { id: 6, name: "Kim" }, { id: 8, name: "Zoë 🌿" }];
    const puts = ["", "a", "@", " ", "@Kim", "Kim ", "🌿", "\n"];
    for (let round = 0; round < 300; round += 1) {
      let writing: Writing = nothing;
      for (let step = 0; step < 20; step += 1) {
        const from = below(writing.text.length + 1);
        const to = Math.min(writing.text.length, from + below(6));
        const user = people[below(people.length)] ?? ANA;
        writing =
          below(3) === 0
            ? mention(writing, from, to, user)
            : edit(writing, from, to, puts[below(puts.length)] ?? "");
        for (const one of writing.meant) expect(writing.text.startsWith(`@${one.name}`, one.at)).toBe(true);
        // The sent text contains every character.
        const read = mentionPieces(asSent(writing))
          .map((piece) => ("id" in piece ? `@${wordsOf(piece.label)}` : piece.words))
          .join("");
        expect(read.replaceAll("\u200a", "")).toBe(writing.text);
      }
    }
  });
});

describe("a mention that is being typed", () => {
  test("is the text between an @ and the caret", () => {
    expect(typedAt({ text: "hi @an", meant: [] }, 6)).toEqual({ at: 3, term: "an" });
    expect(typedAt({ text: "hi @an", meant: [] }, 4)).toEqual({ at: 3, term: "" });
    expect(typedAt({ text: "(@Zoë", meant: [] }, 5)).toEqual({ at: 1, term: "Zoë" });
    expect(typedAt({ text: "hi @an ", meant: [] }, 7)).toBe(null);
    expect(typedAt({ text: "ana@home", meant: [] }, 8)).toBe(null);
  });

  test("ends when a user is picked", () => {
    const done = mention({ text: "@an", meant: [] }, 0, 3, { id: 5, name: "Ana" });
    expect(typedAt(done, 4)).toBe(null);
    expect(typedAt(done, done.caret)).toBe(null);
  });
});
