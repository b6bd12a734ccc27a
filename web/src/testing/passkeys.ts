// Test fixture: a browser with passkeys. The test answers in the place of its person.

import { vi } from "vitest";

/** `navigator.credentials`. */
export const credentials = { create: vi.fn(), get: vi.fn() };
/** Whether the browser suggests passkeys in a field. */
export const suggests = vi.fn();

/** The page is at a host name, which passkeys belong to. Its browser has them. Null: they are switched off. */
export function havePasskeys(host: string | null = location.hostname): void {
  noPasskeys();
  credentials.create.mockReset();
  credentials.get.mockReset();
  suggests.mockReset().mockResolvedValue(false);
  if (host !== null) {
    const meta = Object.assign(document.createElement("meta"), { name: "mellow:passkeys", content: host });
    document.head.append(meta);
  }
  Object.defineProperty(window, "PublicKeyCredential", {
    configurable: true,
    value: { isConditionalMediationAvailable: suggests },
  });
  Object.defineProperty(navigator, "credentials", { configurable: true, value: credentials });
}

/** The page names no host name, and its browser has no passkeys. */
export function noPasskeys(): void {
  for (const meta of document.head.querySelectorAll('meta[name="mellow:passkeys"]')) meta.remove();
  Reflect.deleteProperty(window, "PublicKeyCredential");
  Reflect.deleteProperty(navigator, "credentials");
}

const bytes = (...all: number[]): ArrayBuffer => new Uint8Array(all).buffer;

/** What a browser returns, for a new passkey and for the use of one. */
export const aCredential = () => ({
  id: "-_8",
  rawId: bytes(251, 255),
  type: "public-key",
  response: {
    clientDataJSON: bytes(1, 2, 3),
    attestationObject: bytes(4),
    getTransports: () => ["internal"],
    authenticatorData: bytes(5),
    signature: bytes(6, 7),
    userHandle: bytes(8),
  },
  getClientExtensionResults: () => ({ credProps: { rk: true } }),
});

/** The person stops the browser's question, or the device refuses. */
export const stopped = (): DOMException => new DOMException("stopped", "NotAllowedError");

/** A question of the browser that nobody answers, until its signal ends it. */
export const waiting = ({ signal }: { signal: AbortSignal }): Promise<never> =>
  new Promise((_, reject) => {
    const end = (): void => reject(new DOMException("ended", "AbortError"));
    if (signal.aborted) end();
    else signal.addEventListener("abort", end);
  });

/** The options of a challenge, as the server sends them. */
export const OPTIONS = {
  create: JSON.stringify({
    publicKey: {
      rp: { id: "localhost", name: "Mellow" },
      user: { id: "AQI", name: "ana@example.org", displayName: "Ana" },
      challenge: "-_8",
      pubKeyCredParams: [{ type: "public-key", alg: -7 }],
      excludeCredentials: [{ type: "public-key", id: "Aw" }],
    },
  }),
  get: JSON.stringify({
    publicKey: { rpId: "localhost", challenge: "-_8", allowCredentials: [], userVerification: "required" },
  }),
};
