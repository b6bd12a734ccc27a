import { beforeEach, describe, expect, test, vi } from "vitest";
import { Asker, DOUBT_MS, KEY_MS, READ_MS, RefusedError, WAITING_MAX } from "./ask";
import type { Keeper } from "./ask";
import { unpack } from "./codec";
import { newKey } from "./keys";
import { ManualClock, settle } from "../testing/fakeSocket";
import type { Sent } from "../testing/fakeSocket";

let clock: ManualClock;
let sent: Sent[];
let doubts: number;
let asker: Asker;

const hex = (key: unknown) => [...new Uint8Array(key as ArrayBuffer)].join();
const readied = () => {
  asker.opened();
  asker.readied();
};

beforeEach(() => {
  clock = new ManualClock();
  sent = [];
  doubts = 0;
  asker = new Asker({
    clock,
    send: (bytes) => sent.push(unpack(bytes.slice().buffer) as Sent) > 0,
    doubt: () => {
      doubts += 1;
    },
  });
});

const slowDown = (retry_ms: number) => ({
  code: "slow_down",
  message: "Wait.",
  why: "slow_down",
  values: {},
  field: null,
  retry_ms,
});

describe("requests", () => {
  test("w3: each reply is matched to its request, in any order", async () => {
    readied();
    const one = asker.ask("posts.get", { post_id: 1 });
    const two = asker.ask("profiles.get", { user_id: 2 });
    asker.received({ re: sent[1]?.id ?? 0, ok: { two: 2 } });
    asker.received({ re: sent[0]?.id ?? 0, ok: { one: 1 } });
    expect(await one).toEqual({ one: 1 });
    expect(await two).toEqual({ two: 2 });
  });

  test("a refusal has a code, a field and the time of the next try", async () => {
    readied();
    const asked = asker.ask("posts.create", {
      key: newKey(),
      title: null,
      text: "",
      tag: null,
      content_note: null,
      audience: { type: "public" },
      pictures: null,
    });
    asker.received({
      re: 1,
      err: {
        code: "invalid",
        message: "Post text is required",
        why: "invalid",
        values: {},
        field: "text",
        retry_ms: null,
      },
    });
    await expect(asked).rejects.toMatchObject({
      code: "invalid",
      message: "Post text is required",
      field: "text",
      retryMs: null,
    });
  });

  test("a mutation waits for the connection and is sent again with the same key after a loss", async () => {
    const asked = asker.ask("votes.set", { key: newKey(), post_id: 3, vote: "positive" });
    expect(sent).toEqual([]);
    readied();
    asker.lost();
    expect(asker.unanswered).toHaveLength(1);
    readied();
    expect(sent).toHaveLength(2);
    expect(hex(sent[0]?.key)).toBe(hex(sent[1]?.key));
    asker.received({ re: sent[1]?.id ?? 0, ok: { vote: "positive" } });
    expect(await asked).toEqual({ vote: "positive" });
    expect(asker.unanswered).toHaveLength(0);
    asker.lost();
    readied();
    expect(sent).toHaveLength(2);
  });

  test("an unanswered mutation makes the socket doubtful, and never fails by a timeout", async () => {
    readied();
    const failed = vi.fn();
    asker.ask("votes.set", { key: newKey(), post_id: 3, vote: "none" }).catch(failed);
    clock.pass(DOUBT_MS * 5);
    await settle();
    expect(doubts).toBeGreaterThan(0);
    expect(failed).not.toHaveBeenCalled();
  });

  test("a read fails after its time", async () => {
    readied();
    const asked = asker.ask("posts.get", { post_id: 1 });
    clock.pass(READ_MS + 1);
    await expect(asked).rejects.toMatchObject({ code: "timeout" });
  });

  test("a read is repeated at most twice if the server is busy, a mutation never", async () => {
    readied();
    const busy = (re: number) =>
      asker.received({
        re,
        err: { code: "busy", message: "Busy.", why: "busy", values: {}, field: null, retry_ms: 100 },
      });
    const read = asker.ask("posts.get", { post_id: 1 });
    for (let turn = 0; turn < 3; turn += 1) {
      busy(1);
      clock.pass(100);
    }
    await expect(read).rejects.toMatchObject({ code: "busy", retryMs: 100 });
    expect(sent).toHaveLength(3);
    const mutation = asker.ask("votes.set", { key: newKey(), post_id: 3, vote: "none" });
    busy(sent[3]?.id ?? 0);
    await expect(mutation).rejects.toBeInstanceOf(RefusedError);
    expect(sent).toHaveLength(4);
  });

  test("only requests marked `first` are sent before the connection is up to date", () => {
    asker.opened();
    void asker.ask("posts.get", { post_id: 1 });
    void asker.ask("live.probe", {}, { first: true });
    expect(sent.map((one) => one.op)).toEqual(["live.probe"]);
    asker.readied();
    expect(sent.map((one) => one.op)).toEqual(["live.probe", "posts.get"]);
  });

  test("a chunk is not repeated on another connection, but `uploads.begin` is", async () => {
    readied();
    const upload = newKey();
    const chunk = asker.ask("uploads.chunk", { upload, offset: 0, bytes: newKey() });
    const begin = asker.ask("uploads.begin", {
      upload,
      name: "a.jpg",
      size_bytes: 16,
      content_type: "image/jpeg",
      index: 0,
      purpose: null,
    });
    asker.lost();
    await expect(chunk).rejects.toMatchObject({ code: "lost" });
    readied();
    expect(sent.map((one) => one.op)).toEqual(["uploads.chunk", "uploads.begin", "uploads.begin"]);
    asker.received({ re: sent[2]?.id ?? 0, ok: { offset: 16 } });
    expect(await begin).toEqual({ offset: 16 });
  });

  test.each([
    ["a password", () => asker.ask("auth.log_in", { email: "a@b.c", password: "x" }, { first: true })],
    [
      "a passkey",
      () =>
        asker.ask(
          "auth.log_in_with_passkey",
          { challenge: "c1", response: "{}", user_id: null },
          { first: true },
        ),
    ],
  ])("a log-in with %s is not repeated after the connection is lost", async (_, logIn) => {
    asker.opened();
    const asked = logIn();
    asker.lost();
    await expect(asked).rejects.toMatchObject({ code: "lost" });
    asker.opened();
    expect(sent).toHaveLength(1);
  });
});

describe("mutations that wait for the network", () => {
  const follow = () =>
    asker.ask("follows.set", { key: newKey(), user_id: 2, following: true }).catch((error: unknown) => error);

  test("d-r5: one that waited longer than the server knows its key is not sent", async () => {
    const answer = follow();
    clock.sleep(KEY_MS + 1);
    readied();
    expect(await answer).toMatchObject({ code: "too_old" });
    expect(sent).toEqual([]);
  });

  test("d-r5: one that was sent and not answered is not sent again after that time", async () => {
    readied();
    const answer = follow();
    asker.lost();
    clock.sleep(KEY_MS + 1);
    readied();
    expect(await answer).toMatchObject({ code: "too_old" });
    expect(sent).toHaveLength(1);
  });

  test("d-r4: at most 200 wait, and one more is refused; with a network it is sent", async () => {
    for (let count = 0; count < WAITING_MAX; count += 1) void follow();
    expect(await follow()).toMatchObject({ code: "outbox_full" });
    readied();
    expect(sent).toHaveLength(WAITING_MAX);
    void follow();
    expect(sent).toHaveLength(WAITING_MAX + 1);
  });

  test("d-r4: one that exceeds a rate limit is sent again if the wait is short, and fails if it is an hour", async () => {
    const answers = [follow(), follow()];
    readied();
    const [one, two] = sent;
    asker.received({
      re: one?.id ?? 0,
      err: slowDown(1_000),
    });
    asker.received({
      re: two?.id ?? 0,
      err: slowDown(3_600_000),
    });
    expect(await answers[1]).toMatchObject({ code: "slow_down" });
    expect(sent).toHaveLength(2);
    clock.pass(1_000);
    expect(sent[2]).toEqual(one);
    asker.received({ re: one?.id ?? 0, ok: {} });
    expect(await answers[0]).toEqual({});
  });

  test("one that was made while connected fails at once if it exceeds a rate limit", async () => {
    readied();
    const answer = follow();
    asker.received({
      re: sent[0]?.id ?? 0,
      err: slowDown(1_000),
    });
    expect(await answer).toMatchObject({ code: "slow_down" });
  });

  test("d-r4: the keeper receives each mutation and its end, and returns when it was first made", async () => {
    const calls: unknown[] = [];
    let firstAskedMs: number | null = null;
    const keeper: Keeper = {
      asked: (op) => {
        calls.push(op);
        return firstAskedMs;
      },
      ended: (op, _fields, refused, late) => calls.push([op, refused?.code ?? null, late]),
    };
    asker = new Asker({
      clock,
      send: (bytes) => sent.push(unpack(bytes.slice().buffer) as Sent) > 0,
      doubt: () => undefined,
      keeper: () => keeper,
    });
    void follow();
    readied();
    asker.received({ re: sent[0]?.id ?? 0, ok: {} });
    void asker.ask("posts.get", { post_id: 1 });
    firstAskedMs = clock.now() - KEY_MS - 1;
    expect(await follow()).toMatchObject({ code: "too_old" });
    expect(calls).toEqual([
      "follows.set",
      ["follows.set", null, true],
      "follows.set",
      ["follows.set", "too_old", true],
    ]);
  });
});
