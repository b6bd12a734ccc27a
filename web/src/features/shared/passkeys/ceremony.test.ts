import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RefusedError } from "../../../engine/refused";
import { update } from "../../../engine/store";
import {
  OPTIONS,
  aCredential,
  credentials,
  havePasskeys,
  noPasskeys,
  stopped,
} from "../../../testing/passkeys";
import { createPasskey, isStopped, isThereAlready, provePasskey, run } from "./ceremony";

const { signal } = new AbortController();
const list = (buffer: ArrayBuffer | ArrayBufferView): number[] =>
  Array.from(new Uint8Array(ArrayBuffer.isView(buffer) ? buffer.buffer : buffer));

beforeEach(() => havePasskeys());
afterEach(() => noPasskeys());

describe("the browser", () => {
  test("makes a passkey from options with bytes, and its answer is text", async () => {
    credentials.create.mockResolvedValue(aCredential());
    const answer = JSON.parse(await createPasskey(OPTIONS.create, signal));
    const [{ publicKey, signal: given }] = credentials.create.mock.calls[0] ?? [];
    expect([list(publicKey.challenge), list(publicKey.user.id)]).toEqual([
      [251, 255],
      [1, 2],
    ]);
    expect(publicKey.excludeCredentials.map((one: { id: Uint8Array }) => list(one.id))).toEqual([[3]]);
    expect(publicKey).toMatchObject({ rp: { id: "localhost" }, user: { displayName: "Ana" } });
    expect(given).toBe(signal);
    expect(answer).toEqual({
      id: "-_8",
      rawId: "-_8",
      type: "public-key",
      response: { clientDataJSON: "AQID", attestationObject: "BA", transports: ["internal"] },
      clientExtensionResults: { credProps: { rk: true } },
    });
  });

  test("proves a passkey that the device finds by itself, by a question or in the suggestions of a field", async () => {
    credentials.get.mockResolvedValue(aCredential());
    const answer = JSON.parse(await provePasskey(OPTIONS.get, signal));
    await provePasskey(OPTIONS.get, signal, true);
    const [first, second] = credentials.get.mock.calls.map(([given]) => given);
    expect([first.mediation, second.mediation]).toEqual(["optional", "conditional"]);
    expect(list(first.publicKey.challenge)).toEqual([251, 255]);
    expect(first.publicKey).toMatchObject({ allowCredentials: [], userVerification: "required" });
    expect(answer.response).toEqual({
      clientDataJSON: "AQID",
      authenticatorData: "BQ",
      signature: "Bgc",
      userHandle: "CA",
    });
  });

  test("does not say whether the person or the device refused", async () => {
    credentials.create.mockRejectedValueOnce(stopped());
    await expect(createPasskey(OPTIONS.create, signal)).rejects.toSatisfy(isStopped);
    credentials.create.mockRejectedValueOnce(new DOMException("there", "InvalidStateError"));
    await expect(createPasskey(OPTIONS.create, signal)).rejects.toSatisfy(isThereAlready);
    expect(isStopped(new Error("no line"))).toBe(false);
  });

  test("whose question was ended meanwhile gives no answer", async () => {
    const end = new AbortController();
    credentials.get.mockImplementation(async () => {
      end.abort();
      return aCredential();
    });
    await expect(provePasskey(OPTIONS.get, end.signal)).rejects.toSatisfy(isStopped);
  });
});

describe("a ceremony", () => {
  const begin = vi.fn();
  const act = vi.fn();
  const send = vi.fn();
  /** Another connection begins, such as to a server that was restarted. */
  const reconnects = () => update((s) => ({ ...s, connections: s.connections + 1 }));
  const unknown = () => new RefusedError("passkey_unknown", "That passkey isn't known here.");

  beforeEach(() => {
    begin.mockReset().mockResolvedValueOnce({ challenge: "c1", options: "{}" });
    begin.mockResolvedValue({ challenge: "c2", options: "{}" });
    act.mockReset().mockResolvedValue("answer");
    send.mockReset();
  });

  test("sends the answer of the device with its challenge", async () => {
    send.mockResolvedValue("yes");
    expect(await run({ begin, act, send })).toBe("yes");
    expect(send.mock.calls).toEqual([["c1", "answer"]]);
  });

  test.each([
    ["for a log-in", unknown()],
    ["for a new passkey", new RefusedError("invalid", "The passkey was not added.", "passkeys")],
  ])("begins again once if the server was restarted between challenge and answer: %s", async (_, refusal) => {
    send.mockRejectedValueOnce(refusal).mockResolvedValueOnce("yes");
    act.mockImplementationOnce(async () => {
      reconnects();
      return "late";
    });
    expect(await run({ begin, act, send })).toBe("yes");
    expect(send.mock.calls).toEqual([
      ["c1", "late"],
      ["c2", "answer"],
    ]);
  });

  test("does not begin a third time", async () => {
    send.mockRejectedValue(unknown());
    act.mockImplementation(async () => {
      reconnects();
      return "late";
    });
    await expect(run({ begin, act, send })).rejects.toMatchObject({ code: "passkey_unknown" });
    expect(begin).toHaveBeenCalledTimes(2);
  });

  test("does not begin again for a passkey that is not known, or after another refusal", async () => {
    send.mockRejectedValueOnce(unknown());
    await expect(run({ begin, act, send })).rejects.toMatchObject({ code: "passkey_unknown" });
    send.mockRejectedValueOnce(new RefusedError("suspended", "This account is suspended."));
    act.mockImplementation(async () => {
      reconnects();
      return "late";
    });
    await expect(run({ begin, act, send })).rejects.toMatchObject({ code: "suspended" });
    expect(begin).toHaveBeenCalledTimes(2);
  });
});
