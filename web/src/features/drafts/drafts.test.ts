import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Draft } from "../shared/postDraft";
import { ManualClock, settle } from "../../testing/fakeSocket";
import { readDraft, writeDraft } from "./draft";
import { draftKey } from "./key";
import { AUTOSAVE_MS, DraftSaver } from "./draftSaver";
import { HAND_OVER_MS, DraftLock, announceDropped, announceSent, channelOf } from "./draftLock";
import type { DraftLockOptions } from "./draftLock";
import { FakeChannels, FakeLocks, FakePictureStore, FakeStorage } from "../../testing/fakeDraftStores";

const ANA = 1;
const BEN = 2;
const upload = "0123456789abcdef0123456789abcdef";
const aDraft = (text: string, more: Partial<Draft> = {}): Draft => ({
  words: { title: "", text, tag: "", content_note: "" },
  audience: { type: "public" },
  pictures: [],
  asked: null,
  sharedAtMs: null,
  ...more,
});
const note = { upload, name: "a.jpg", type: "image/jpeg", size: 3, index: 0, alt: "A chair" };

describe("a stored draft", () => {
  test("is read unchanged, and only for its user", () => {
    const storage = new FakeStorage();
    const draft = aDraft("half a thought 🌿", {
      pictures: [note],
      asked: { key: upload, body: "b" },
      sharedAtMs: 5,
    });
    writeDraft(storage, ANA, draft);
    expect(readDraft(storage, ANA)).toEqual(draft);
    expect(readDraft(storage, BEN)).toBe(null);
  });

  test("has an empty content note if an earlier version saved it", () => {
    const storage = new FakeStorage();
    const { content_note: _none, ...words } = aDraft("half a thought").words;
    storage.held.set(draftKey(ANA), JSON.stringify({ ...aDraft(""), words }));
    expect(readDraft(storage, ANA)).toEqual(aDraft("half a thought"));
  });

  test("counts as none if it cannot be read", () => {
    const storage = new FakeStorage();
    for (const held of [
      "",
      "nonsense",
      "null",
      "[]",
      '{"words":{}}',
      '{"words":{"title":1,"text":"","tag":""},"pictures":[]}',
    ]) {
      storage.held.set(draftKey(ANA), held);
      expect(readDraft(storage, ANA)).toBe(null);
    }
    storage.held.set(
      draftKey(ANA),
      JSON.stringify({
        ...aDraft("x"),
        pictures: [note, { upload: "odd" }, null],
        asked: { key: "odd", body: "" },
      }),
    );
    expect(readDraft(storage, ANA)).toEqual(aDraft("x", { pictures: [note] }));
  });
});

describe("the audience of a draft", () => {
  const read = (audience: unknown) => {
    const storage = new FakeStorage();
    storage.held.set(draftKey(ANA), JSON.stringify({ ...aDraft("x"), audience }));
    return readDraft(storage, ANA)?.audience;
  };

  test("is restored, and is everybody for drafts that are older than groups", () => {
    expect(read({ type: "group", group_id: 50 })).toEqual({ type: "group", group_id: 50 });
    expect(read({ type: "public" })).toEqual({ type: "public" });
    expect(read(undefined)).toEqual({ type: "public" });
  });

  test("is a deleted group if it cannot be read, never everybody", () => {
    for (const odd of [
      null,
      "public",
      5,
      {},
      { type: "group" },
      { type: "group", group_id: "50" },
      { type: "group", group_id: 1e300 },
    ])
      expect(read(odd)).toEqual({ type: "group", group_id: null });
  });
});

describe("saving a draft", () => {
  let storage: FakeStorage;
  let pictureStore: FakePictureStore;
  let clock: ManualClock;
  let content: Draft | null;
  let saver: DraftSaver;
  const kept = () => readDraft(storage, ANA)?.words.text ?? null;
  const write = (text: string) => {
    content = aDraft(text);
    saver.touch();
  };

  beforeEach(() => {
    storage = new FakeStorage();
    pictureStore = new FakePictureStore();
    clock = new ManualClock();
    content = null;
    saver = new DraftSaver({ userId: ANA, storage, pictureStore, clock, content: () => content });
    saver.start();
    return () => saver.stop();
  });

  test("c20: happens after three seconds without typing, not before", () => {
    write("one");
    clock.pass(AUTOSAVE_MS - 1);
    expect(kept()).toBe(null);
    write("one two");
    clock.pass(AUTOSAVE_MS - 1);
    expect(kept()).toBe(null);
    clock.pass(1);
    expect(kept()).toBe("one two");
  });

  test("c20: happens at once when the page is hidden, left or closed", () => {
    for (const kind of ["pagehide", "beforeunload"]) {
      write(kind);
      dispatchEvent(new Event(kind));
      expect(kept()).toBe(kind);
    }
    const hidden = vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
    write("hidden");
    document.dispatchEvent(new Event("visibilitychange"));
    expect(kept()).toBe("hidden");
    hidden.mockRestore();
  });

  test("deletes an empty draft, and does nothing after it was stopped", () => {
    write("one");
    saver.now();
    content = null;
    saver.touch();
    clock.pass(AUTOSAVE_MS);
    expect(kept()).toBe(null);
    write("two");
    saver.stop();
    clock.pass(AUTOSAVE_MS);
    dispatchEvent(new Event("pagehide"));
    expect(kept()).toBe(null);
  });

  test("d-i4: restores pictures with the draft, and deletes pictures that belong to no draft", async () => {
    const blob = new Blob(["abc"]);
    content = aDraft("one", { pictures: [note] });
    saver.keepPicture(upload, blob);
    await saver.save();
    pictureStore.held.set(`${ANA}/${"f".repeat(32)}`, new Blob());
    pictureStore.held.set(`${BEN}/${"e".repeat(32)}`, new Blob());
    const back = await new DraftSaver({
      userId: ANA,
      storage,
      pictureStore,
      clock,
      content: () => null,
    }).open();
    expect(back?.draft).toEqual(content);
    expect(back?.blobs.get(upload)).toBe(blob);
    expect([...pictureStore.held.keys()]).toEqual([`${ANA}/${upload}`, `${BEN}/${"e".repeat(32)}`]);
  });

  test("d-i4: keeps the text if there is no space for pictures", async () => {
    pictureStore.hasRoom = false;
    content = aDraft("one", { pictures: [note] });
    saver.keepPicture(upload, new Blob(["abc"]));
    await saver.save();
    const back = await saver.open();
    expect(back?.draft.words.text).toBe("one");
    expect(back?.blobs.size).toBe(0);
  });

  test("does not throw if storage is full or forbidden", () => {
    storage.isFull = true;
    write("one");
    expect(() => saver.now()).not.toThrow();
  });

  test("deletes the draft of a created post, but not a text that was written since", () => {
    const asked = { key: upload, body: "b" };
    content = aDraft("posted", { asked });
    saver.now();
    saver.dropPosted(asked);
    expect(kept()).toBe(null);
    content = aDraft("the next one");
    saver.now();
    saver.dropPosted(asked);
    expect(kept()).toBe("the next one");
  });
});

describe("the lock of the draft in two tabs", () => {
  let locks: FakeLocks;
  let channels: FakeChannels;
  let clock: ManualClock;
  let log: string[];

  const aTab = (name: string, more: Partial<DraftLockOptions> = {}): DraftLock => {
    const say = (what: string) => () => void log.push(`${name} ${what}`);
    return new DraftLock({
      name: "draft",
      locks,
      channel: channels.open(),
      clock,
      mine: say("writes"),
      other: say("waits"),
      isEmpty: () => false,
      handOver: async () => {
        log.push(`${name} saves`);
        return true;
      },
      busy: say("must wait"),
      dropped: say("forgets"),
      sent: (key) => void log.push(`${name} knows ${key} is sent`),
      ...more,
    });
  };

  beforeEach(() => {
    locks = new FakeLocks();
    channels = new FakeChannels();
    clock = new ManualClock();
    log = [];
  });

  test("c21: belongs to one tab, and moves to the other only after the first has saved", async () => {
    const first = aTab("first");
    first.start();
    await settle();
    const second = aTab("second");
    second.start();
    await settle();
    expect(log).toEqual(["first writes", "second waits"]);
    second.claim();
    await settle();
    expect(log.slice(2)).toEqual(["first saves", "first waits", "second writes"]);
    first.claim();
    await settle();
    expect(log.slice(5)).toEqual(["second saves", "second waits", "first writes"]);
    clock.pass(HAND_OVER_MS * 2);
    await settle();
    expect(log).toHaveLength(8);
  });

  test("moves to the second tab when the first is closed", async () => {
    const first = aTab("first");
    first.start();
    await settle();
    aTab("second").start();
    await settle();
    first.leave();
    await settle();
    expect(log).toEqual(["first writes", "second waits", "second writes"]);
  });

  test("is taken from a tab that sleeps, which does not save when it wakes", async () => {
    const first = aTab("first", { handOver: () => new Promise(() => undefined) });
    first.start();
    await settle();
    const second = aTab("second");
    second.start();
    await settle();
    second.claim();
    await settle();
    expect(log).toEqual(["first writes", "second waits"]);
    clock.pass(HAND_OVER_MS);
    await settle();
    expect(log.slice(2).sort()).toEqual(["first waits", "second writes"]);
  });

  test("is not taken from a tab that is posting", async () => {
    const first = aTab("first", { handOver: async () => false });
    first.start();
    await settle();
    const second = aTab("second");
    second.start();
    await settle();
    second.claim();
    await settle();
    clock.pass(HAND_OVER_MS * 2);
    await settle();
    expect(log).toEqual(["first writes", "second waits", "second must wait"]);
  });

  test("moves by itself from a tab in which nothing was written", async () => {
    aTab("first", { isEmpty: () => true }).start();
    await settle();
    aTab("second").start();
    await settle();
    expect(log.at(-1)).toBe("second writes");
  });

  test("has a channel on which a post that is sent again is announced", async () => {
    aTab("first").start();
    await settle();
    announceSent(channels.open(), "0a");
    await settle();
    expect(log).toEqual(["first writes", "first knows 0a is sent"]);
  });

  test("has a channel on which the deletion of the draft at log-out is announced", async () => {
    aTab("first").start();
    await settle();
    announceDropped(channels.open());
    await settle();
    expect(log).toEqual(["first writes", "first forgets"]);
  });

  test("belongs to both tabs if the browser has no locks", async () => {
    aTab("first", { locks: null }).start();
    aTab("second", { locks: null }).start();
    await settle();
    expect(log).toEqual(["first writes", "second writes"]);
  });

  test("belongs to each tab if the browser refuses locks, by a throw or a rejected promise", async () => {
    const why = new DOMException("blocked", "SecurityError");
    const refusals = {
      throws: () => {
        throw why;
      },
      rejects: () => Promise.reject(why),
    };
    for (const [name, request] of Object.entries(refusals)) {
      const lock = aTab(name, { locks: { request } as DraftLockOptions["locks"] });
      lock.start();
      await settle();
      expect(log).toEqual([`${name} writes`]);
      lock.leave();
      log = [];
    }
  });

  test("needs no channel to other tabs", () => {
    vi.spyOn(globalThis, "BroadcastChannel").mockImplementation(() => {
      throw new DOMException("blocked", "SecurityError");
    });
    const channel = channelOf(ANA);
    expect(() => {
      announceDropped(channel);
      announceSent(channelOf(ANA), "0123");
    }).not.toThrow();
  });
});
