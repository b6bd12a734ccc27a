import { beforeEach, describe, expect, test, vi } from "vitest";
import { readDraft } from "../../features/drafts/draft";
import { FakeChannels, FakeLocks, FakePictureStore, FakeStorage } from "../../testing/fakeDraftStores";
import { GROUP_GONE, mayShareWith } from "../../features/shared/groups/useAudiences";
import { hexOf } from "../../features/shared/postDraft";
import { FakeUploadServer } from "../../testing/fakeUploads";
import { store } from "../../engine/store";
import { aGroup, aView, anasFeed, inGroups, toFamily } from "../../testing/fixtures";
import type { Audience } from "../../engine/types.gen";
import { RefusedError } from "../../engine/ask";
import { ManualClock } from "../../testing/fakeSocket";
import { Composition } from "./composition";
import { sendingPosts } from "./sendingPosts";

const ask = vi.hoisted(() => vi.fn());
vi.mock("../../engine/client", () => ({ ask, client: {} }));

const ANA = 1;

let uploads: FakeUploadServer;
let storage: FakeStorage;
let shared: { locks: FakeLocks; channels: FakeChannels; pictureStore: FakePictureStore };

beforeEach(() => {
  uploads = new FakeUploadServer();
  uploads.other = ({ op }) =>
    op === "posts.create"
      ? { post: aView(101, { author_id: ANA }), users: [], groups: [], seq: 12 }
      : { posts: [], users: [], groups: [], gone: [], seq: 12 };
  storage = new FakeStorage();
  shared = { locks: new FakeLocks(), channels: new FakeChannels(), pictureStore: new FakePictureStore() };
  sendingPosts.clear();
  ask.mockReset();
  ask.mockImplementation(uploads.ask);
});

async function open(address?: Audience): Promise<[Composition, () => void]> {
  const { locks, channels, pictureStore } = shared;
  const composition = new Composition({
    userId: ANA,
    tag: "",
    ...(address && { audience: address }),
    ask: uploads.ask,
    clock: new ManualClock(),
    storage,
    pictureStore,
    locks,
    channel: () => channels.open(),
    mayShareWith: (audience) => mayShareWith(store.getState(), audience),
    posted: () => undefined,
    failed: () => undefined,
  });
  const close = composition.start();
  await vi.waitFor(() => expect(composition.get().phase).toBe("writing"));
  return [composition, close];
}

const isPosted = (composition: Composition): Promise<void> =>
  vi.waitFor(() => expect(composition.get().phase).toBe("posted"));
const isBack = (composition: Composition): Promise<void> =>
  vi.waitFor(() => expect(composition.get().phase).toBe("writing"));

describe("a post for a group", () => {
  const keyOf = (call?: { [field: string]: unknown }) => hexOf(call?.["key"] as ArrayBuffer);
  const isIn = () => store.setState(inGroups(anasFeed([]), aGroup()), true);

  test("keeps its audience in the draft, and is not sent after the group is deleted", async () => {
    isIn();
    const [composition, close] = await open();
    composition.write("text", "for us");
    composition.choose(toFamily);
    close();
    expect(readDraft(storage, ANA)?.audience).toEqual(toFamily);
    store.setState(inGroups(anasFeed([])), true);
    const [again] = await open();
    expect(again.get()).toMatchObject({ audience: toFamily, words: { text: "for us" } });
    expect(again.share()).toBe("audience");
    expect(again.get().errors.audience).toBe(GROUP_GONE);
    expect(uploads.ops("posts.create")).toEqual([]);
  });

  test("begun for everyone is for the group when Ana comes back from the group's page", async () => {
    isIn();
    const [composition, close] = await open();
    composition.write("text", "for us");
    close();
    const [again] = await open(toFamily);
    expect(again.get()).toMatchObject({ audience: toFamily, words: { text: "for us" } });
    again.choose({ type: "public" });
    expect(again.get().audience).toEqual({ type: "public" });
  });

  test("is sent with the id of the group, and is retried with the same key", async () => {
    isIn();
    const [composition] = await open();
    composition.write("text", "for us");
    composition.choose(toFamily);
    uploads.before = ({ op }) => {
      if (op === "posts.create" && uploads.ops("posts.create").length === 1)
        throw new RefusedError("not_found", "No such group.");
    };
    composition.share();
    await isBack(composition);
    expect(composition.get().errors).toEqual({ audience: GROUP_GONE });
    composition.share();
    await isPosted(composition);
    const [first, second] = uploads.ops("posts.create");
    expect([first?.["audience"], second?.["audience"]]).toEqual([toFamily, toFamily]);
    expect(keyOf(first)).toBe(keyOf(second));
  });

  test("gets a new key when its audience changes", async () => {
    isIn();
    const [composition] = await open();
    composition.write("text", "hello");
    uploads.before = ({ op }) => {
      if (op === "posts.create" && uploads.ops("posts.create").length === 1)
        throw new RefusedError("fault", "Something broke.");
    };
    composition.share();
    await isBack(composition);
    composition.choose(toFamily);
    composition.share();
    await isPosted(composition);
    const [first, second] = uploads.ops("posts.create");
    expect(keyOf(first)).not.toBe(keyOf(second));
  });
});
