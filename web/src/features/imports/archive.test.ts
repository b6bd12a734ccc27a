import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Ask } from "../../engine/ask";
import { RefusedError } from "../../engine/ask";
import { ManualClock } from "../../testing/fakeSocket";
import { lost } from "../../testing/fakeUploads";
import { Archive } from "./archive";

vi.mock("../../engine/client", () => import("../../testing/mockClient"));

type Call = { op: string; [field: string]: unknown };

const SIZE = 300_000;
const content = new Uint8Array(SIZE).map((_, at) => (at * 31) & 0xff);
const file = () => new File([content], "archive.zip");

let calls: Call[];
let bytes: Uint8Array;
let held: number;
/** Runs before each reply. A test throws to refuse, or waits. */
let before: (call: Call) => Promise<void> | void;

const ask = (async (op: string, fields: Record<string, unknown>) => {
  const call = { op, ...fields };
  calls.push(call);
  await before(call);
  if (op === "imports.begin") return { id: 7, offset: held, chunk_bytes: 64 * 1024, window: 4 };
  if (op !== "imports.chunk") return { seq: 11 };
  const [offset, piece] = [fields["offset"] as number, new Uint8Array(fields["bytes"] as ArrayBuffer)];
  if (offset === held) {
    bytes.set(piece, offset);
    held += piece.length;
  }
  return { offset: held };
}) as unknown as Ask;

const ops = (op: string): Call[] => calls.filter((call) => call.op === op);
const anArchive = (): Archive => new Archive(ask, new ManualClock());

beforeEach(() => {
  calls = [];
  bytes = new Uint8Array(SIZE);
  held = 0;
  before = () => undefined;
});

describe("an archive", () => {
  test("arrives whole, is read once, and tells how much has arrived", async () => {
    const archive = anArchive();
    const percents: (number | null)[] = [];
    archive.watch(() => percents.push(archive.get().percent));
    await archive.send(file());
    expect(Buffer.compare(bytes, content)).toBe(0);
    expect(ops("imports.read")).toMatchObject([{ import_id: 7 }]);
    expect(percents[0]).toBe(0);
    expect(percents).toContain(100);
    expect(archive.get()).toEqual({ percent: null, error: null });
  });

  test("goes on with the same key where it was after a lost connection", async () => {
    before = ({ op, offset }) => {
      const isFirst = ops("imports.begin").length === 1;
      if (op === "imports.chunk" && (offset as number) > 100_000 && isFirst) throw lost();
    };
    await anArchive().send(file());
    expect(Buffer.compare(bytes, content)).toBe(0);
    const [first, second] = ops("imports.begin");
    expect(second?.["key"]).toBe(first?.["key"]);
    expect(ops("imports.read")).toHaveLength(1);
  });

  test("that was refused says why, and another one can be sent", async () => {
    const archive = anArchive();
    before = ({ op }) => {
      if (op === "imports.begin") throw new RefusedError("import_too_big", "This file is too big.");
    };
    await archive.send(file());
    expect(archive.get()).toEqual({ percent: null, error: "This file is too big." });
    before = () => undefined;
    await archive.send(file());
    expect(archive.get()).toEqual({ percent: null, error: null });
    expect(ops("imports.cancel")).toEqual([]);
  });

  test("that cannot be read any more is deleted on the server", async () => {
    const archive = anArchive();
    const gone = file();
    vi.spyOn(gone, "slice").mockImplementation(() => {
      throw new DOMException("gone", "NotReadableError");
    });
    await archive.send(gone);
    expect(archive.get().error).toBe("The file didn't get through. Please choose it again.");
    expect(ops("imports.cancel")).toMatchObject([{ import_id: 7 }]);
  });

  test("stops when its import is canceled elsewhere, and not when another one ended", async () => {
    const archive = anArchive();
    before = ({ op }) => (op === "imports.chunk" ? new Promise(() => undefined) : undefined);
    const sending = archive.send(file());
    await vi.waitFor(() => expect(ops("imports.chunk").length).toBeGreaterThan(0));
    archive.ended({ id: 6, result: "canceled", posts: 0, refusal: null });
    expect(archive.get().percent).toBe(0);
    archive.ended({ id: 7, result: "canceled", posts: 0, refusal: null });
    await sending;
    expect(archive.get()).toEqual({ percent: null, error: null });
    expect(ops("imports.cancel")).toEqual([]);
  });

  test("says nothing if its import was canceled elsewhere, and a refusal comes before the event", async () => {
    const archive = anArchive();
    before = ({ op }) => {
      if (op === "imports.chunk") throw new RefusedError("not_found", "That isn't available.");
    };
    await archive.send(file());
    expect(archive.get()).toEqual({ percent: null, error: null });
  });

  test("that was stopped before the server named it is canceled as soon as it is", async () => {
    const archive = anArchive();
    let answer = (): void => undefined;
    before = ({ op }) => (op === "imports.begin" ? new Promise<void>((done) => (answer = done)) : undefined);
    const sending = archive.send(file());
    await vi.waitFor(() => expect(ops("imports.begin")).toHaveLength(1));
    archive.stop();
    await sending;
    answer();
    await vi.waitFor(() => expect(ops("imports.cancel")).toMatchObject([{ import_id: 7 }]));
    expect(ops("imports.chunk")).toEqual([]);
  });
});
