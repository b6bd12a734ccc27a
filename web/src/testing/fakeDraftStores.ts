// Test fixtures of what the tabs of one browser share: locks, a channel between tabs, storage and a picture
// store.

import type { TextStore } from "../storage";
import type { Channel, DraftLockOptions } from "../features/drafts/draftLock";
import type { PictureStore } from "../features/drafts/pictureStore";

/** Locks like the browser's, for one name. */
export class FakeLocks {
  private holder: { reject(error: Error): void } | null = null;
  private readonly queue: (() => void)[] = [];

  readonly request = ((_name: string, how: LockOptions, work: (lock: object | null) => unknown) =>
    new Promise((resolve, reject) => {
      const grant = (): void => {
        const mine = { reject };
        this.holder = mine;
        void Promise.resolve(work({})).then((value) => {
          resolve(value);
          if (this.holder === mine) this.free();
        }, reject);
      };
      if (how.ifAvailable === true && this.holder !== null) resolve(work(null));
      else if (how.steal === true) {
        this.holder?.reject(new DOMException("stolen", "AbortError"));
        queueMicrotask(grant);
      } else if (this.holder === null) grant();
      else {
        this.queue.push(grant);
        how.signal?.addEventListener("abort", () => {
          this.queue.splice(this.queue.indexOf(grant), 1);
          reject(new DOMException("called off", "AbortError"));
        });
      }
    })) as unknown as NonNullable<DraftLockOptions["locks"]>["request"];

  private free(): void {
    this.holder = null;
    this.queue.shift()?.();
  }
}

/** The channel between tabs. The other tabs receive a message a moment later. */
export class FakeChannels {
  private readonly ends = new Set<Channel>();

  open = (): Channel => {
    const end: Channel = {
      onmessage: null,
      postMessage: (data: unknown) => {
        for (const other of this.ends)
          if (other !== end)
            queueMicrotask(() => other.onmessage?.call(other as BroadcastChannel, { data } as MessageEvent));
      },
      close: () => this.ends.delete(end),
    };
    this.ends.add(end);
    return end;
  };
}

export class FakeStorage implements TextStore {
  readonly held = new Map<string, string>();
  isFull = false;
  getItem = (key: string): string | null => this.held.get(key) ?? null;
  setItem = (key: string, value: string): boolean => {
    if (!this.isFull) this.held.set(key, value);
    return !this.isFull;
  };
  keys = (): string[] => [...this.held.keys()];
  removeItem = (key: string): void => void this.held.delete(key);
}

export class FakePictureStore implements PictureStore {
  readonly held = new Map<string, Blob>();
  hasRoom = true;

  put = async (userId: number, upload: string, blob: Blob): Promise<boolean> => {
    if (this.hasRoom) this.held.set(`${String(userId)}/${upload}`, blob);
    return this.hasRoom;
  };

  get = async (userId: number, uploads: readonly string[]): Promise<ReadonlyMap<string, Blob>> =>
    new Map(
      uploads.flatMap((upload) => {
        const blob = this.held.get(`${String(userId)}/${upload}`);
        return blob === undefined ? [] : [[upload, blob] as const];
      }),
    );

  tidy = async (userId: number, kept: () => readonly string[]): Promise<void> => {
    await Promise.resolve();
    for (const key of this.held.keys())
      if (key.startsWith(`${String(userId)}/`) && !kept().includes(key.slice(key.indexOf("/") + 1)))
        this.held.delete(key);
  };
}
