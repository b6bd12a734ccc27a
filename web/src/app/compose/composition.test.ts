import { describe, expect, test, vi } from "vitest";
import { everyone } from "../../features/shared/groups/useAudiences";
import { readDraft } from "../../features/drafts/draft";
import { bytesOf, hexOf } from "../../features/shared/postDraft";
import { KEY_MS, RefusedError } from "../../engine/ask";
import { draftKey } from "../../features/drafts/key";
import {
  ANA,
  SIZE,
  uploads,
  clock,
  storage,
  pictureStore,
  killTab,
  create,
  posted,
  failed,
  posts,
  tick,
  picture,
  open,
  comeBack,
  withPictures,
  uploadsOf,
  isPosted,
  isBack,
  setUpCompositions,
} from "../../testing/compositions";
import type { Composition } from "./composition";
import { sendingPosts } from "./sendingPosts";

vi.mock("../../engine/client", () => import("../../testing/mockClient"));

setUpCompositions();

/** Shares a post with a picture, and kills the tab before the picture is uploaded. */
async function isCutOff(): Promise<void> {
  const [composition] = await withPictures("a.jpg");
  uploads.before = ({ op }) => (op === "uploads.chunk" ? new Promise(() => undefined) : undefined);
  composition.share();
  await vi.waitFor(() => expect(uploads.ops("uploads.chunk")).not.toEqual([]));
  expect(readDraft(storage, ANA)?.sharedAtMs).toBe(clock.now());
  uploads.before = () => undefined;
  sendingPosts.clear();
  killTab();
}

describe("a post with pictures", () => {
  test("is created after all pictures are uploaded, in the order shown, each with its description", async () => {
    const [composition] = await withPictures("a.jpg", "b.jpg", "c.jpg");
    const [a, b, c] = uploadsOf(composition) as [string, string, string];
    composition.pictures.move(c, -1);
    const arrived: string[] = [];
    uploads.before = ({ op, upload }) => {
      if (op === "uploads.commit") arrived.push(hexOf(upload as ArrayBuffer));
    };
    expect(composition.share()).toBe(null);
    await isPosted(composition);
    expect(posted).toBe(1);
    expect([...posts.values()]).toEqual([
      { text: "the harbour", pictures: [a, c, b], alts: ["It is a.jpg", "It is c.jpg", "It is b.jpg"] },
    ]);
    expect(arrived.sort()).toEqual([a, b, c].sort());
    expect(readDraft(storage, ANA)).toBe(null);
    await tick();
    expect(pictureStore.held.size).toBe(0);
  });

  test("shows its progress: up to 80 for uploaded bytes, 90 before the save, 100 at the end", async () => {
    const [composition] = await withPictures("a.jpg", "b.jpg");
    const seen: number[] = [];
    composition.watch(() => seen.push(composition.get().percent));
    let beforeSave = -1;
    uploads.before = ({ op }) => {
      if (op === "uploads.chunk" || op === "uploads.commit") {
        const total = [...uploads.held.values()].reduce((sum, held) => sum + held.held, 0);
        expect(composition.get().percent).toBeLessThanOrEqual(Math.floor((80 * total) / (2 * SIZE)));
      }
      if (op === "posts.create") beforeSave = composition.get().percent;
    };
    composition.share();
    await isPosted(composition);
    expect(beforeSave).toBe(90);
    expect(seen).toEqual([...seen].sort((x, y) => x - y));
    expect(seen).toContain(80);
    expect(seen.at(-1)).toBe(100);
  });

  test("is not posted if one picture fails; text and other pictures stay, and a retry sends only that one", async () => {
    const [composition] = await withPictures("a.jpg", "b.jpg", "c.jpg");
    const [, b] = uploadsOf(composition) as [string, string, string];
    uploads.before = ({ op, upload }) => {
      if (op === "uploads.commit" && hexOf(upload as ArrayBuffer) === b)
        throw new RefusedError("fault", "Something broke here.", null, 500);
    };
    composition.share();
    await isBack(composition);
    const { pictures } = composition.pictures.get();
    expect(pictures.map((one) => one.state)).toEqual(["sent", "failed", "sent"]);
    expect(pictures[1]?.message).toBe("Something broke here.");
    expect(composition.get().words.text).toBe("the harbour");
    expect(posts.size).toBe(0);
    const before = uploads.calls.length;
    uploads.before = () => undefined;
    composition.retry(b);
    await isPosted(composition);
    const since = uploads.calls.slice(before).filter(({ op }) => op.startsWith("uploads."));
    expect(new Set(since.map(({ upload }) => hexOf(upload as ArrayBuffer)))).toEqual(new Set([b]));
    expect(posts.size).toBe(1);
  });

  test("is not posted by the retry of a picture if it was changed after Share Post", async () => {
    const [composition] = await withPictures("a.jpg");
    const [a] = uploadsOf(composition) as [string];
    let broken = true;
    uploads.before = ({ op }) => {
      if (op === "uploads.commit" && broken)
        throw new RefusedError("fault", "Something broke here.", null, 500);
    };
    composition.share();
    await isBack(composition);
    broken = false;
    composition.write("text", "another thought");
    composition.retry(a);
    await vi.waitFor(() => expect(composition.pictures.areSent).toBe(true));
    await isBack(composition);
    expect(posts.size).toBe(0);
    composition.share();
    await isPosted(composition);
    expect([...posts.values()][0]?.text).toBe("another thought");
  });

  test("waits for another press if a picture is removed while sending, and is then posted without it", async () => {
    const [composition] = await withPictures("a.jpg", "b.jpg");
    const [a, b] = uploadsOf(composition) as [string, string];
    uploads.before = ({ op, upload }) =>
      op === "uploads.chunk" && hexOf(upload as ArrayBuffer) === a ? new Promise(() => undefined) : undefined;
    composition.share();
    await tick();
    composition.pictures.remove(a);
    await isBack(composition);
    expect(posts.size).toBe(0);
    expect(uploads.ops("uploads.cancel")).toHaveLength(1);
    composition.share();
    await isPosted(composition);
    expect([...posts.values()][0]?.pictures).toEqual([b]);
  });

  test("retries a failed picture while the others are being sent, and is posted when all are uploaded", async () => {
    const [composition] = await withPictures("a.jpg", "b.jpg");
    const [a, b] = uploadsOf(composition) as [string, string];
    let [isBroken, go] = [true, (): void => undefined];
    uploads.before = ({ op, upload }) => {
      if (op !== "uploads.commit") return undefined;
      if (hexOf(upload as ArrayBuffer) === b) return new Promise((resolve) => (go = resolve));
      if (isBroken) throw new RefusedError("fault", "Something broke here.", null, 500);
      return undefined;
    };
    composition.share();
    await vi.waitFor(() => expect(composition.pictures.get().pictures[0]?.state).toBe("failed"));
    await vi.waitFor(() => expect(uploads.ops("uploads.commit")).toHaveLength(2));
    isBroken = false;
    composition.retry(a);
    await vi.waitFor(() => expect(composition.pictures.get().pictures[0]?.state).toBe("sent"));
    expect(composition.get().phase).toBe("sending");
    go();
    await isPosted(composition);
    expect(posts.size).toBe(1);
  });

  test("asks about the description of a picture that was still being checked when Share Post was pressed", async () => {
    const [composition] = await open();
    composition.write("text", "the harbour");
    void composition.pictures.add([picture("a.jpg")]);
    composition.share();
    expect(composition.get().phase).toBe("sending");
    await vi.waitFor(() => expect(composition.get()).toMatchObject({ isAsking: true, phase: "writing" }));
    expect(uploads.calls).toEqual([]);
    composition.share(true);
    await isPosted(composition);
    expect([...posts.values()][0]?.pictures).toHaveLength(1);
  });

  test("asks about missing descriptions once, and a second press posts without them", async () => {
    const [composition] = await open();
    composition.write("text", "the harbour");
    await composition.pictures.add([picture("a.jpg")]);
    composition.share();
    expect(composition.get()).toMatchObject({ isAsking: true, phase: "writing" });
    expect(uploads.calls).toEqual([]);
    composition.share(true);
    await isPosted(composition);
    expect([...posts.values()][0]?.alts).toEqual([null]);
  });

  test("sends its pictures again if the server has deleted them meanwhile", async () => {
    const [composition] = await withPictures("a.jpg");
    let first = true;
    uploads.before = ({ op }) => {
      if (op === "posts.create" && first) {
        first = false;
        uploads.held.clear();
      }
    };
    const seen: number[] = [];
    composition.watch(() => seen.push(composition.get().percent));
    composition.share();
    await isPosted(composition);
    expect(posts.size).toBe(1);
    // The progress never goes back.
    expect(seen).toEqual([...seen].sort((x, y) => x - y));
    expect(uploads.ops("uploads.begin")).toHaveLength(2);
    expect(uploads.ops("posts.create").map(({ key }) => hexOf(key as ArrayBuffer))).toEqual([
      [...posts.keys()][0],
      [...posts.keys()][0],
    ]);
  });
});

describe("c17: a composed post", () => {
  test("is posted once if the tab was killed while the post was being saved", async () => {
    const [composition] = await withPictures("a.jpg", "b.jpg");
    // The server has the post. Its reply never arrives, and the tab ends without closing the socket.
    uploads.before = ({ op }) =>
      op === "posts.refresh"
        ? undefined
        : op === "posts.create" && posts.size > 0
          ? new Promise(() => undefined)
          : undefined;
    const answer = uploads.other;
    uploads.other = (call) => {
      const ok = answer(call);
      return call.op === "posts.create" ? new Promise(() => undefined) : ok;
    };
    composition.share();
    await vi.waitFor(() => expect(posts.size).toBe(1));
    uploads.before = () => undefined;
    uploads.other = answer;
    killTab();
    const sent = uploads.ops("uploads.chunk").length;
    const [again] = await open();
    // The composer is empty, for the next post.
    await isBack(again);
    expect(again.get()).toMatchObject({ words: { text: "" }, restored: null });
    expect(again.pictures.get().pictures).toEqual([]);
    expect(readDraft(storage, ANA)).toBe(null);
    expect(posts.size).toBe(1);
    expect(uploads.ops("uploads.chunk")).toHaveLength(sent);
  });

  test("d-r4: is sent once by the next page, without a screen and a press, from the tab that holds the draft", async () => {
    await isCutOff();
    const first = create();
    const second = create();
    first.goOn();
    second.goOn();
    await isPosted(first);
    await tick();
    expect([...posts.values()]).toMatchObject([{ text: "the harbour", alts: ["It is a.jpg"] }]);
    expect(second.get().phase).toBe("elsewhere");
    expect([readDraft(storage, ANA), sendingPosts.size]).toEqual([null, 0]);
  });

  test("d-r4: is shown by the composer while it is being sent without a screen", async () => {
    await isCutOff();
    uploads.before = ({ op }) => (op === "uploads.commit" ? new Promise(() => undefined) : undefined);
    const composition = create();
    composition.goOn();
    await vi.waitFor(() => expect(composition.get().phase).toBe("sending"));
    const [shown] = await comeBack();
    expect(shown).toBe(composition);
  });

  test("d-r5: waits as a draft if it was shared too long ago, or if one of its pictures is lost", async () => {
    await isCutOff();
    clock.pass(KEY_MS + 1);
    const old = create();
    old.goOn();
    await vi.waitFor(() => expect(sendingPosts.size).toBe(0));
    expect([old.get().words.text, posts.size]).toEqual(["the harbour", 0]);
    expect(readDraft(storage, ANA)?.words.text).toBe("the harbour");

    storage.setItem(draftKey(ANA), JSON.stringify({ ...readDraft(storage, ANA), sharedAtMs: clock.now() }));
    pictureStore.held.clear();
    const [lost] = await open();
    expect(lost.get()).toMatchObject({ phase: "writing", restored: { isLost: true } });
    expect(posts.size).toBe(0);
  });

  test("is a draft again after a refusal, and is not sent by itself", async () => {
    const [composition] = await withPictures("a.jpg");
    uploads.before = ({ op }) => {
      if (op === "posts.create") throw new RefusedError("fault", "Something broke here.", null, 500);
    };
    composition.share();
    await isBack(composition);
    expect(readDraft(storage, ANA)).toMatchObject({ words: { text: "the harbour" }, sharedAtMs: null });
  });

  test("is posted once if the tab was killed during an upload, and the upload continues where it was", async () => {
    const [composition] = await withPictures("a.jpg");
    uploads.before = ({ op }) =>
      op === "uploads.chunk" && uploads.ops("uploads.chunk").length > 4
        ? new Promise(() => undefined)
        : undefined;
    composition.share();
    await vi.waitFor(() => expect(composition.get().percent).toBeGreaterThan(10));
    const [upload] = uploadsOf(composition) as [string];
    const arrived = uploads.bytesOf(upload).length;
    uploads.before = () => undefined;
    killTab();
    const before = uploads.calls.length;
    const [again] = await open();
    await isBack(again);
    expect([...posts.values()]).toMatchObject([{ pictures: [upload] }]);
    const next = uploads.calls.slice(before).find(({ op }) => op === "uploads.chunk");
    expect(next?.["offset"]).toBe(arrived);
    expect(posts.size).toBe(1);
  });

  test("keeps its key after a refusal, and gets a new key when its text changes", async () => {
    const [composition] = await open();
    composition.write("text", "hello");
    uploads.before = ({ op }) => {
      if (op === "posts.create") throw new RefusedError("fault", "Something broke here.", null, 500);
    };
    const keys = () => uploads.ops("posts.create").map(({ key }) => hexOf(key as ArrayBuffer));
    composition.share();
    await isBack(composition);
    expect(failed).toBe(1);
    expect(composition.get()).toMatchObject({
      words: { text: "hello" },
      errors: { text: "Something broke here. Your words are kept." },
    });
    composition.share();
    await isBack(composition);
    composition.write("text", "hello!");
    composition.share();
    await isBack(composition);
    expect(keys()[0]).toBe(keys()[1]);
    expect(keys()[2]).not.toBe(keys()[0]);
    expect(bytesOf(keys()[0] as string).byteLength).toBe(16);
  });
});

describe("a post whose page was left while it is being saved", () => {
  let answer: () => void;
  const shareAndLeave = async (): Promise<Composition> => {
    const [composition, close] = await open();
    composition.write("text", "hello");
    uploads.before = ({ op }) =>
      op === "posts.create" ? new Promise((resolve) => (answer = resolve)) : undefined;
    composition.share();
    await tick();
    close();
    return composition;
  };

  test("is shown as sending, cannot be shared twice, and leaves an empty composer once it is created", async () => {
    await shareAndLeave();
    const [again, close] = await comeBack();
    expect(again.get()).toMatchObject({ phase: "saving", words: { text: "hello" } });
    expect(again.share()).toBe(null);
    answer();
    await isPosted(again);
    expect(posts.size).toBe(1);
    expect(readDraft(storage, ANA)).toBe(null);
    close();
    const [next] = await comeBack();
    expect(next).not.toBe(again);
    expect(next.get()).toMatchObject({ phase: "writing", words: { text: "" }, restored: null });
  });

  test("can be edited and is kept if it is refused after the user returned", async () => {
    await shareAndLeave();
    const [again, close] = await comeBack();
    uploads.before = ({ op }) => {
      if (op === "posts.create") throw new RefusedError("fault", "Something broke here.", null, 500);
    };
    uploads.other = () => {
      throw new RefusedError("fault", "Something broke here.", null, 500);
    };
    answer();
    await isBack(again);
    expect(failed).toBe(1);
    again.write("text", "hello again");
    close();
    expect(readDraft(storage, ANA)?.words.text).toBe("hello again");
    expect(sendingPosts.size).toBe(0);
  });

  test("keeps its lock until the reply: another tab does not overwrite it", async () => {
    const composition = await shareAndLeave();
    const [second] = await open();
    expect(second.get().phase).toBe("elsewhere");
    answer();
    await isPosted(composition);
    await isBack(second);
    expect(second.get()).toMatchObject({ words: { text: "" }, restored: null });
  });
});

describe("a draft", () => {
  test("d-i5: is restored even if the address has a tag, can be deleted, and can be restored again", async () => {
    const [composition, close] = await withPictures("a.jpg");
    composition.write("tag", "tea");
    close();
    await tick();
    const [again] = await open("slow mornings");
    expect(again.get()).toMatchObject({
      words: { text: "the harbour", tag: "tea" },
      restored: { isLost: false, wasAsked: false },
    });
    expect(again.pictures.get().pictures).toMatchObject([{ name: "a.jpg", alt: "It is a.jpg" }]);
    again.startFresh("slow mornings", everyone);
    expect(again.get()).toMatchObject({
      words: { title: "", text: "", tag: "slow mornings" },
      restored: null,
      canUndo: true,
    });
    expect(again.pictures.get().pictures).toEqual([]);
    expect(readDraft(storage, ANA)).toBe(null);
    again.undo();
    await tick();
    expect(again.get().words).toMatchObject({ text: "the harbour", tag: "tea" });
    expect(again.pictures.get().pictures).toHaveLength(1);
    expect(readDraft(storage, ANA)?.pictures).toHaveLength(1);
    expect(pictureStore.held.size).toBe(1);
  });

  test("is not saved if its only content is the tag of the address", async () => {
    const [composition, close] = await open("tea");
    expect(composition.get()).toMatchObject({ words: { tag: "tea" }, restored: null });
    expect(composition.isUnsaved).toBe(false);
    close();
    expect(storage.held.size).toBe(0);
  });

  test("d-i4: is restored without pictures if storage was full; pictures chosen again get their descriptions", async () => {
    pictureStore.hasRoom = false;
    const [composition, close] = await withPictures("a.jpg");
    await tick();
    close();
    await tick();
    const [again] = await open();
    expect(composition.isUnsaved).toBe(true);
    expect(again.get()).toMatchObject({ words: { text: "the harbour" }, restored: { isLost: true } });
    expect(again.pictures.get().pictures).toEqual([]);
    // The draft keeps the notes of the missing pictures until they are added again.
    again.write("title", "Evening");
    clock.pass(3_000);
    expect(readDraft(storage, ANA)?.pictures).toMatchObject([{ name: "a.jpg", alt: "It is a.jpg" }]);
    await again.pictures.add([picture("a.jpg")]);
    expect(again.pictures.kept()).toHaveLength(1);
    expect(again.pictures.get().pictures).toMatchObject([{ name: "a.jpg", alt: "It is a.jpg" }]);
  });

  test("cancels the upload of a removed picture on the server, which may still hold it", async () => {
    const [composition, close] = await withPictures("a.jpg", "b.jpg");
    const [a] = uploadsOf(composition) as [string];
    uploads.before = ({ op }) => (op === "uploads.commit" ? new Promise(() => undefined) : undefined);
    composition.share();
    await vi.waitFor(() => expect(uploads.held.size).toBe(2));
    close();
    const [again] = await open();
    again.pictures.remove(a);
    await tick();
    expect(uploads.held.has(a)).toBe(false);
    again.discard();
    await tick();
    expect(uploads.held.size).toBe(0);
  });

  test("leaves nothing in the browser and on the server when it is discarded", async () => {
    const [composition, close] = await withPictures("a.jpg");
    uploads.before = ({ op }) => (op === "uploads.commit" ? new Promise(() => undefined) : undefined);
    composition.share();
    await vi.waitFor(() => expect(uploads.ops("uploads.commit")).toHaveLength(1));
    composition.holdPosting();
    composition.discard();
    close();
    await tick();
    expect(storage.held.size).toBe(0);
    expect(pictureStore.held.size).toBe(0);
    expect(uploads.held.size).toBe(0);
    expect(posts.size).toBe(0);
  });

  test("is not posted while the leave guard asks, and is posted if the person stays", async () => {
    const [composition] = await withPictures("a.jpg");
    composition.share();
    composition.holdPosting();
    await vi.waitFor(() => expect(composition.pictures.areSent).toBe(true));
    await tick();
    expect(posts.size).toBe(0);
    composition.goOnPosting();
    await isPosted(composition);
    expect(posts.size).toBe(1);
  });

  test("can be saved while it is being sent, and can be shared later", async () => {
    const [composition, close] = await withPictures("a.jpg");
    uploads.before = ({ op }) => (op === "uploads.commit" ? new Promise(() => undefined) : undefined);
    composition.share();
    composition.holdPosting();
    await composition.save();
    expect(composition.get().phase).toBe("left");
    close();
    await tick();
    uploads.before = () => undefined;
    const [again] = await open();
    again.share();
    await isPosted(again);
    expect(posts.size).toBe(1);
  });

  test("is posted although the page was left while the post was being saved, and is deleted then", async () => {
    const [composition, close] = await open();
    composition.write("text", "hello");
    let answer = (): void => undefined;
    uploads.before = ({ op }) =>
      op === "posts.create" ? new Promise((resolve) => (answer = resolve)) : undefined;
    composition.share();
    await tick();
    expect(composition.isUnsaved).toBe(false);
    close();
    expect(readDraft(storage, ANA)?.words.text).toBe("hello");
    answer();
    await isPosted(composition);
    expect(readDraft(storage, ANA)).toBe(null);
  });
});
