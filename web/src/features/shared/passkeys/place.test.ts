import { afterEach, expect, test } from "vitest";
import { havePasskeys, noPasskeys } from "../../../testing/passkeys";
import { canUsePasskeys, passkeyPlace } from "./place";

afterEach(() => noPasskeys());

test.each([
  ["https://mellow.example", "mellow.example", "here"],
  ["http://localhost:8080", "localhost", "here"],
  // The same server, at an address that can have none.
  ["http://127.0.0.1:8080", "localhost", "elsewhere"],
  ["http://[::1]:8080", "localhost", "elsewhere"],
  ["https://other.example", "mellow.example", "elsewhere"],
  // They can work nowhere.
  ["http://192.168.1.4", "", "elsewhere"],
  ["http://mellow.lan", "", "elsewhere"],
  // They are switched off.
  ["https://mellow.example", null, "off"],
  ["http://127.0.0.1:8080", null, "off"],
])("d-v2: %s, with passkeys of %s: %s", (address, host, place) => {
  havePasskeys(host);
  expect(passkeyPlace(new URL(address))).toBe(place);
});

test("a browser without passkeys can use none, and neither can one at another host name", () => {
  havePasskeys();
  expect(canUsePasskeys()).toBe(true);
  Reflect.deleteProperty(window, "PublicKeyCredential");
  expect([passkeyPlace(), canUsePasskeys()]).toEqual(["here", false]);
  havePasskeys("other.example");
  expect([passkeyPlace(), canUsePasskeys()]).toEqual(["elsewhere", false]);
});
