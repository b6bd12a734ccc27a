import { beforeEach, expect, test } from "vitest";
import { aLiveTab } from "../testing/fixtures";
import { settle } from "../testing/fakeSocket";
import { restWhenAway } from "./away";

/** Goes to a page as a link does. The router sends the event. */
function goes(path: string): void {
  history.pushState(null, "", path);
  dispatchEvent(new Event("pushState"));
}

beforeEach(() => history.replaceState(null, "", "/"));

test("d-u6: on /away no socket is open; Home catches up with what was missed, and sends what waited", async () => {
  const tab = aLiveTab();
  restWhenAway(tab.client);
  goes("/post/7");
  expect(tab.wire().closed).toBeNull();
  const key = new Uint8Array(16).buffer;
  const voting = tab.client.ask("votes.set", { key, post_id: 100, vote: "positive" });

  goes("/away");
  expect(tab.wire().closed).toBe(1000);
  // Neither time nor a press opens another one.
  tab.client.socket.tryNow();
  tab.clock.pass(3 * 3_600_000);
  expect(tab.wires).toHaveLength(1);

  goes("/");
  expect(tab.wires).toHaveLength(2);
  tab.wire().hello({ seq: 12 });
  expect(tab.wire().last("live.resume").seq).toBe(10);
  tab.wire().answer("live.resume", { resync: false, seq: 12 });
  await settle();
  expect(tab.client.state.connection.state).toBe("live");
  tab.wire().answer("votes.set", { post_id: 100, vote: "positive", seq: 12 });
  expect(await voting).toMatchObject({ vote: "positive" });
});

test("d-u6: a client that is loaded on /away closes its socket at once, and Back to another page opens one", () => {
  const tab = aLiveTab();
  history.replaceState(null, "", "/away/");
  restWhenAway(tab.client);
  expect(tab.wire().closed).toBe(1000);
  history.replaceState(null, "", "/search");
  dispatchEvent(new PopStateEvent("popstate"));
  expect(tab.wires).toHaveLength(2);
});

test("a guest who leaves /away needs no socket", () => {
  const tab = aLiveTab();
  restWhenAway(tab.client);
  goes("/away");
  tab.client.update((s) => ({ ...s, session: { phase: "guest", me: null } }));
  goes("/");
  expect(tab.wires).toHaveLength(1);
});
