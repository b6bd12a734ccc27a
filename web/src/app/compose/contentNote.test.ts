import { describe, expect, test, vi } from "vitest";
import { readDraft } from "../../features/drafts/draft";
import { hexOf } from "../../features/shared/postDraft";
import { RefusedError } from "../../engine/ask";
import { ANA, uploads, storage, open, isPosted, isBack, setUpCompositions } from "../../testing/compositions";

vi.mock("../../engine/client", () => import("../../testing/mockClient"));

setUpCompositions();

describe("d-u7: a content note", () => {
  const isRefused = () => {
    uploads.before = ({ op }) => {
      if (op === "posts.create" && uploads.ops("posts.create").length === 1)
        throw new RefusedError("fault", "Something broke here.", null, 500);
    };
  };
  const sent = () =>
    uploads
      .ops("posts.create")
      .map(({ key, content_note }) => ({ key: hexOf(key as ArrayBuffer), content_note }));

  test("is sent as one line, and another note is another post", async () => {
    const [composition] = await open();
    composition.write("text", "She died.");
    composition.write("content_note", "  Grief,  a funeral ");
    expect(composition.counts.content_note).toBe(16);
    isRefused();
    composition.share();
    await isBack(composition);
    composition.write("content_note", "A funeral");
    composition.share();
    await isPosted(composition);
    expect(sent().map(({ content_note }) => content_note)).toEqual(["Grief, a funeral", "A funeral"]);
    expect(sent()[1]?.key).not.toBe(sent()[0]?.key);
  });

  test("is a draft by itself, and comes back with it", async () => {
    const [composition, close] = await open();
    composition.write("content_note", "Grief");
    expect(composition.isUnsaved).toBe(true);
    close();
    expect(readDraft(storage, ANA)?.words.content_note).toBe("Grief");
    const [again] = await open();
    expect(again.get().words).toMatchObject({ text: "", content_note: "Grief" });
  });

  test("is not sent if it is too long, and blank it is none", async () => {
    const [composition] = await open();
    composition.write("text", "She died.");
    composition.write("content_note", "🌿".repeat(61));
    expect(composition.isOver).toBe(true);
    expect(composition.share()).toBe(null);
    expect(composition.get().phase).toBe("writing");
    composition.write("content_note", " ");
    expect(composition.isOver).toBe(false);
    composition.share();
    await isPosted(composition);
    expect(sent().map(({ content_note }) => content_note)).toEqual([null]);
  });

  test("that the server refuses is shown at its field", async () => {
    const [composition] = await open();
    composition.write("text", "She died.");
    uploads.before = ({ op }) => {
      if (op === "posts.create") throw new RefusedError("invalid", "This is longer.", "content_note");
    };
    composition.share();
    await isBack(composition);
    expect(composition.get().errors).toEqual({ content_note: "This is longer." });
  });

  test("is no part of the key of a draft that an earlier version has asked to post", async () => {
    const [composition] = await open();
    composition.write("text", "She died.");
    isRefused();
    composition.share();
    await isBack(composition);
    const body = JSON.stringify([
      { title: null, text: "She died.", tag: null, audience: { type: "public" } },
      [],
    ]);
    expect(readDraft(storage, ANA)?.asked).toEqual({ key: sent()[0]?.key, body });
  });
});
