// Test fixtures: posts that are written in the tabs of one browser, and a server that saves them.

import { beforeEach, expect, vi } from "vitest";
import { Composition } from "../app/compose/composition";
import { sendingPostOr, sendingPosts } from "../app/compose/sendingPosts";
import { store } from "../engine/store";
import { mayShareWith } from "../features/shared/groups/useAudiences";
import { FakeChannels, FakeLocks, FakePictureStore, FakeStorage } from "./fakeDraftStores";
import { ManualClock } from "./fakeSocket";
import { FakeUploadServer, jpegBytes } from "./fakeUploads";
import { anasFeed } from "./fixtures";
import { ask } from "./mockClient";
import type { SavedPosts } from "./takingPosts";
import { takingPosts } from "./takingPosts";

export const ANA = 1;
export const SIZE = 200_000;

export let uploads: FakeUploadServer;
export let clock: ManualClock;
export let storage: FakeStorage;
export let pictureStore: FakePictureStore;
export let locks: FakeLocks;
export let channels: FakeChannels;
export let posted: number;
export let failed: number;
export let posts: SavedPosts;

export function setUpCompositions(): void {
  beforeEach(() => {
    uploads = new FakeUploadServer();
    clock = new ManualClock();
    storage = new FakeStorage();
    pictureStore = new FakePictureStore();
    locks = new FakeLocks();
    channels = new FakeChannels();
    posted = failed = 0;
    posts = new Map();
    sendingPosts.clear();
    store.setState(anasFeed([]), true);
    uploads.other = takingPosts(uploads, posts, ANA);
    ask.mockReset();
    ask.mockImplementation(uploads.ask);
  });
}

export const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
export const picture = (name: string, seed = 1): File => new File([jpegBytes(SIZE, seed)], name);

export async function open(tag = ""): Promise<[Composition, () => void]> {
  const composition = create(tag);
  const close = composition.start();
  await tick();
  return [composition, close];
}

export const create = (tag = ""): Composition =>
  new Composition({
    userId: ANA,
    tag,
    ask: uploads.ask,
    clock,
    storage,
    pictureStore,
    locks,
    channel: () => channels.open(),
    mayShareWith: (audience) => mayShareWith(store.getState(), audience),
    posted: () => {
      posted += 1;
    },
    failed: () => {
      failed += 1;
    },
  });

/** Opens the composition as the screen does: the one that is being sent, or a new one. */
export async function comeBack(): Promise<[Composition, () => void]> {
  const composition = sendingPostOr(ANA, create);
  const close = composition.start();
  await tick();
  return [composition, close];
}

export async function withPictures(...names: string[]): Promise<[Composition, () => void]> {
  const [composition, close] = await open();
  composition.write("text", "the harbour");
  await composition.pictures.add(names.map((name, at) => picture(name, at + 1)));
  for (const { upload, name } of composition.pictures.get().pictures)
    composition.pictures.describe(upload, `It is ${name}`);
  return [composition, close];
}

export const uploadsOf = (composition: Composition): string[] =>
  composition.pictures.get().pictures.map((one) => one.upload);
export const isPosted = (composition: Composition): Promise<void> =>
  vi.waitFor(() => expect(composition.get().phase).toBe("posted"));
export const isBack = (composition: Composition): Promise<void> =>
  vi.waitFor(() => expect(composition.get().phase).toBe("writing"));

/** Kills the tab. Its lock is free, and nothing is cleaned up. */
export function killTab(): void {
  locks = new FakeLocks();
}
