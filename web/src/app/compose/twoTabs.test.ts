import { describe, expect, test, vi } from "vitest";
import { readDraft, writeDraft } from "../../features/drafts/draft";
import { announceSent } from "../../features/drafts/draftLock";
import { draftKey } from "../../features/drafts/key";
import {
  ANA,
  uploads,
  channels,
  clock,
  storage,
  posts,
  tick,
  open,
  withPictures,
  isPosted,
  isBack,
  killTab,
  setUpCompositions,
} from "../../testing/compositions";

vi.mock("../../engine/client", () => import("../../testing/mockClient"));

setUpCompositions();

describe("c21: two tabs", () => {
  test("show which of them has the draft, and hand it over with all text and pictures", async () => {
    const [first] = await withPictures("a.jpg");
    const [second] = await open();
    expect(second.get()).toMatchObject({
      phase: "elsewhere",
      elsewhere: { draft: { words: { text: "the harbour" } } },
    });
    first.write("text", "the harbour at night");
    second.continueHere();
    await vi.waitFor(() => expect(second.get().phase).toBe("writing"));
    expect(first.get().phase).toBe("elsewhere");
    expect(second.get().words.text).toBe("the harbour at night");
    expect(second.pictures.get().pictures).toMatchObject([{ alt: "It is a.jpg" }]);
    // The first tab has stopped saving.
    second.write("text", "mine now");
    clock.pass(3_000);
    dispatchEvent(new Event("pagehide"));
    expect(readDraft(storage, ANA)?.words.text).toBe("mine now");
  });

  test("show a save of the other tab that arrives after the lock, unless something was written meanwhile", async () => {
    const [tab] = await open();
    const arrives = (text: string): void => {
      const draft = { words: { title: "", text, tag: "", content_note: "" }, audience: tab.get().audience };
      writeDraft(storage, ANA, { ...draft, pictures: [], asked: null, sharedAtMs: null });
      dispatchEvent(new StorageEvent("storage", { key: draftKey(ANA) }));
    };
    arrives("the harbour");
    await vi.waitFor(() => expect(tab.get().words.text).toBe("the harbour"));
    arrives("the harbour at night");
    await vi.waitFor(() => expect(tab.get().words.text).toBe("the harbour at night"));
    expect(tab.get().phase).toBe("writing");
    arrives("late");
    tab.write("text", "mine now");
    await tick();
    expect(tab.get().words.text).toBe("mine now");
    arrives("later");
    await tick();
    expect(tab.get().words.text).toBe("mine now");
  });

  test("reset the leave guard's hold and the posting state of the other tab when the draft is handed over", async () => {
    const [first] = await withPictures("a.jpg");
    const [second] = await open();
    uploads.before = ({ op }) => (op === "uploads.commit" ? new Promise(() => undefined) : undefined);
    first.share();
    first.holdPosting();
    await tick();
    second.continueHere();
    await vi.waitFor(() => expect(second.get().elsewhere.isPosting).toBe(true));
    first.pictures.stop();
    await isBack(first);
    second.continueHere();
    await isBack(second);
    expect(first.get()).toMatchObject({ phase: "elsewhere", elsewhere: { isPosting: false } });
    uploads.before = () => undefined;
    first.continueHere();
    await isBack(first);
    expect(second.get()).toMatchObject({ phase: "elsewhere", elsewhere: { isPosting: false } });
    // The leave guard no longer holds back posting.
    first.share();
    await isPosted(first);
  });

  test("do not interrupt one that is posting; afterwards the other has an empty composer", async () => {
    const [first, close] = await withPictures("a.jpg");
    const [second] = await open();
    let go = (): void => undefined;
    uploads.before = ({ op }) =>
      op === "uploads.commit" ? new Promise((resolve) => (go = resolve)) : undefined;
    first.share();
    await tick();
    second.continueHere();
    await vi.waitFor(() => expect(second.get().elsewhere.isPosting).toBe(true));
    await vi.waitFor(() => expect(uploads.ops("uploads.commit")).toHaveLength(1));
    go();
    await isPosted(first);
    close();
    await vi.waitFor(() => expect(second.get().phase).toBe("writing"));
    expect(second.get()).toMatchObject({ words: { text: "" }, restored: null });
    expect(posts.size).toBe(1);
  });

  test("d-r4: do not show a draft whose post is being sent by itself", async () => {
    const key = await sharedAndKilled();
    const [second] = await open();
    expect(second.get()).toMatchObject({ words: { text: "the harbour" }, restored: { wasAsked: true } });
    announceSent(channels.open(), key);
    await vi.waitFor(() => expect(second.get().words.text).toBe(""));
    expect(second.get()).toMatchObject({ phase: "writing", restored: null });
    second.write("text", "the next one");
    clock.pass(3_000);
    expect(readDraft(storage, ANA)).toMatchObject({ words: { text: "the next one" }, asked: null });
  });

  test("d-r4: keep a text that was changed since, as another post", async () => {
    const key = await sharedAndKilled();
    const [second] = await open();
    second.write("text", "the harbour at night");
    announceSent(channels.open(), "0".repeat(32));
    announceSent(channels.open(), key);
    await tick();
    expect(second.get().words.text).toBe("the harbour at night");
    expect(readDraft(storage, ANA)?.words.text).toBe("the harbour at night");
  });

  test("d-r4: do not restore a draft whose post is sent while the draft's pictures are read", async () => {
    await sharedAndKilled();
    const opening = open();
    storage.removeItem(draftKey(ANA));
    const [second] = await opening;
    expect(second.get()).toMatchObject({ phase: "writing", words: { text: "" }, restored: null });
  });
});

/** Shares a post and kills the tab before the reply. Returns the key of the post. */
async function sharedAndKilled(): Promise<string> {
  const [first] = await open();
  first.write("text", "the harbour");
  uploads.before = ({ op }) => (op === "posts.create" ? new Promise(() => undefined) : undefined);
  first.share();
  await vi.waitFor(() => expect(first.get().phase).toBe("saving"));
  uploads.before = () => undefined;
  killTab();
  return readDraft(storage, ANA)?.asked?.key ?? "";
}
