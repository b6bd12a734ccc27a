import { beforeEach, describe, expect, test } from "vitest";
import { pack } from "./codec";
import { restartDelay, retryDelay } from "./backoff";
import { CONNECT_MS, PROBE_MS, Socket } from "./socket";
import { FakeSocket, ManualClock } from "../testing/fakeSocket";

let clock: ManualClock;
let wires: FakeSocket[];
let probes: number;
let losses: [number, boolean][];
let socket: Socket;
let isAwaited: boolean;

const wire = () => wires[wires.length - 1] as FakeSocket;

beforeEach(() => {
  clock = new ManualClock();
  wires = [];
  probes = 0;
  losses = [];
  isAwaited = false;
  socket = new Socket({
    clock,
    open: () => {
      wires.push(new FakeSocket());
      return wire();
    },
    received: () => undefined,
    lost: (code, again) => losses.push([code, again]),
    probe: () => {
      probes += 1;
    },
    isAwaited: () => isAwaited,
  });
  socket.start();
});

describe("the socket", () => {
  test("c11: an attempt to connect ends after ten seconds, and another follows", () => {
    clock.pass(CONNECT_MS);
    expect(wires[0]?.closed).not.toBe(null);
    clock.pass(60_000);
    expect(wires.length).toBeGreaterThan(1);
  });

  test("c10: the first wait is between half a second and four seconds, later waits are up to a minute", () => {
    expect(retryDelay(0, 0)).toBe(500);
    expect(retryDelay(0, 1)).toBe(4_000);
    expect(retryDelay(1, 1)).toBe(8_000);
    expect(retryDelay(9, 0)).toBe(500);
    expect(retryDelay(9, 1)).toBe(60_000);
  });

  test("after a server stops, the client returns within the time that the server sent", () => {
    expect([restartDelay(3_000, 0), restartDelay(3_000, 1)]).toEqual([1_000, 4_000]);
    wire().hello();
    wire().say({ ev: "beat", seq: 11, sent: 0, back_ms: 300_000 });
    clock.random = () => 0.5;
    wire().drop(1012);
    clock.pass(150_999);
    expect(wires).toHaveLength(1);
    clock.pass(1);
    expect(wires).toHaveLength(2);
    // This applies to one attempt. The next one has the usual delay.
    wire().drop(1006);
    clock.pass(retryDelay(0, 0.5) - 1);
    expect(wires).toHaveLength(2);
    clock.pass(1);
    expect(wires).toHaveLength(3);
  });

  test("a connection that is closing takes no request, which then waits for the next one", () => {
    wire().hello();
    expect(socket.send(pack({ id: 1, op: "live.ping" }))).toBe(true);
    wire().readyState = 2;
    expect(socket.send(pack({ id: 2, op: "live.ping" }))).toBe(false);
    expect(wire().sent.map(({ id }) => id)).toEqual([1]);
  });

  test("while something waits for the server, every wait is as short as the first", () => {
    wire().hello();
    isAwaited = true;
    wire().drop(1006);
    // Twenty attempts fail, and the next still begins within four seconds.
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const before = wires.length;
      clock.pass(4_000);
      expect(wires.length).toBeGreaterThan(before);
      wire().drop(1006);
    }
  });

  test("the socket does not reconnect after close codes about the login", () => {
    for (const code of [4001, 4002, 4408]) {
      socket.start();
      wire().hello();
      const before = wires.length;
      wire().drop(code);
      clock.pass(120_000);
      expect(wires.length).toBe(before);
    }
    socket.start();
    wire().hello();
    const before = wires.length;
    wire().drop(1012);
    clock.pass(5_000);
    expect(wires.length).toBe(before + 1);
  });

  test("c8: a tab that slept for an hour checks the socket before replacing it", () => {
    wire().hello();
    clock.sleep(3_600_000);
    clock.pass(1);
    expect(probes).toBe(1);
    wire().say({ re: 1, ok: { seq: 1 } });
    clock.pass(PROBE_MS + 1);
    expect(wires).toHaveLength(1);
  });

  test("c9: a doubtful socket that stays silent for three seconds is replaced", () => {
    wire().hello();
    socket.doubt();
    clock.pass(PROBE_MS);
    expect(losses).toEqual([[4000, true]]);
    clock.pass(4_000);
    expect(wires).toHaveLength(2);
  });

  test("a socket that receives its beats is kept", () => {
    wire().hello();
    for (let beat = 0; beat < 100; beat += 1) {
      clock.pass(25_000);
      wire().say({ ev: "beat", seq: 10, sent: 0 });
    }
    expect(probes).toBe(0);
    expect(wires).toHaveLength(1);
  });

  test("l2: a beat that counts more events than arrived ends the socket", () => {
    wire().hello();
    wire().say({ ev: "posts.deleted", seq: 11, post_id: 1, author_id: 1 });
    wire().say({ ev: "beat", seq: 11, sent: 1 });
    expect(losses).toEqual([]);
    wire().say({ ev: "beat", seq: 13, sent: 2 });
    expect(losses).toEqual([[4000, true]]);
  });

  test("`tryNow` connects without waiting", () => {
    wire().hello();
    wire().drop(1006);
    socket.tryNow();
    expect(wires).toHaveLength(2);
  });
});
