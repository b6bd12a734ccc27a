import { describe, expect, test } from "vitest";
import { settle } from "../wire/testing";
import { loadFirstPage } from "./load";
import { aLiveTab, aTab, aView, ANA, BEN } from "./testing";

const me = { ...ANA, email: "ana@example.org" };

describe("who is here", () => {
  test("d-m10: without the hint nothing is opened", () => {
    const seat = aTab(null);
    seat.client.login.open();
    expect(seat.wires).toHaveLength(0);
    expect(seat.client.state.session.phase).toBe("guest");
  });

  test("a log-in posts the ticket, leaves the hint and keeps the socket", async () => {
    const seat = aTab(null);
    seat.client.login.open();
    const entering = seat.client.session.logIn("ana@example.org", "a long password");
    seat.wire().hello({ me: null, login: "none" });
    seat.wire().answer("auth.log_in", { ticket: "t1", me });
    expect(await entering).toEqual(me);
    expect(seat.page.posted).toEqual([["/session", "t1"]]);
    expect(seat.page.hintIs).toBe("1");
    expect(seat.wires).toHaveLength(1);
    expect(seat.client.state.session).toEqual({ phase: "signed-in", me });
    void seat.client.ask("posts.feed", { tag: null, before: null });
    expect(seat.wire().last("posts.feed")).toBeDefined();
  });

  test("a wrong password is told, and the next try uses the same socket", async () => {
    const seat = aTab(null);
    seat.client.login.open();
    const entering = seat.client.session.logIn("ana@example.org", "wrong");
    seat.wire().hello({ me: null, login: "none" });
    seat.wire().refuse("auth.log_in", { code: "bad_credentials", message: "Incorrect email or password. Please try again." });
    await expect(entering).rejects.toMatchObject({ code: "bad_credentials" });
    expect(seat.client.state.session.phase).toBe("guest");
    const again = seat.client.session.logIn("ana@example.org", "right");
    seat.wire().answer("auth.log_in", { ticket: "t2", me });
    await again;
    expect(seat.wires).toHaveLength(1);
  });

  test("c17: pressing Sign Up again for the same account is the same sign-up, for another it is not", async () => {
    const seat = aTab(null);
    seat.client.login.open();
    const keys: unknown[] = [];
    for (const email of ["ana@example.org", "ana@example.org", "anna@example.org"]) {
      const entering = seat.client.session.signUp({ email, password: "a long password", name: "" });
      if (keys.length === 0) seat.wire().hello({ me: null, login: "none" });
      await settle();
      const sent = seat.wire().last("auth.sign_up");
      expect(sent?.["email"]).toBe(email);
      keys.push(new Uint8Array(sent?.["key"] as ArrayBuffer).join());
      seat.wire().refuse("auth.sign_up", { code: "busy", message: "Please try again in a moment." });
      await expect(entering).rejects.toMatchObject({ code: "busy" });
    }
    expect(keys[1]).toEqual(keys[0]);
    expect(keys[2]).not.toEqual(keys[0]);
  });

  test("4001: logged out in this browser: the page goes home with nothing of the person on it", async () => {
    const seat = aLiveTab();
    seat.client.update((s) => loadFirstPage(s, "feed:", { posts: [aView(100)], users: [BEN], older: null, seq: 10 }));
    seat.wire().drop(4001);
    await settle();
    expect(seat.page).toMatchObject({ at: "/", hintIs: null, posted: [["/session/end", ""]] });
    expect(seat.client.state.posts).toEqual({});
    expect(seat.client.state.session).toEqual({ phase: "guest", me: null });
    seat.clock.pass(120_000);
    expect(seat.wires).toHaveLength(1);
  });

  test("4001: logged out in this browser: half a comment goes too", async () => {
    const seat = aLiveTab();
    seat.client.update((s) => ({ ...s, drafts: { 100: "half a thought" } }));
    seat.wire().drop(4001);
    await settle();
    expect(seat.client.state.drafts).toEqual({});
  });

  test("4002, and the person would rather leave: there is nothing to tell, so nothing to wait for", async () => {
    const seat = aLiveTab();
    seat.wire().drop(4002);
    expect(seat.client.state.session.phase).toBe("ended");
    await seat.client.session.logOut();
    expect(seat.client.state.session).toEqual({ phase: "guest", me: null });
    expect(seat.page).toMatchObject({ at: "/", hintIs: null });
  });

  test("4002: ended elsewhere: the page stays, and logging in again catches up", async () => {
    const seat = aLiveTab();
    seat.client.hold("view:feed:");
    seat.client.update((s) => loadFirstPage(s, "feed:", { posts: [aView(100)], users: [BEN], older: null, seq: 10 }));
    seat.wire().drop(4002);
    expect(seat.client.state.session).toEqual({ phase: "ended", me });
    expect(seat.client.state.posts[100]).toBeDefined();
    const entering = seat.client.session.relogIn("a long password");
    seat.wire().hello({ me: null, login: "ended", seq: 30 });
    expect(seat.wire().last("auth.log_in").email).toBe("ana@example.org");
    seat.wire().answer("auth.log_in", { ticket: "t3", me });
    await entering;
    expect(seat.wire().last("live.resume")).toMatchObject({ seq: 10, posts: [100] });
    expect(seat.client.state.session.phase).toBe("signed-in");
  });

  test("a hint that proves old ends as a guest's page, and nothing stays open", async () => {
    const seat = aTab();
    seat.client.login.open();
    expect(seat.client.state.session.phase).toBe("unknown");
    seat.wire().hello({ me: null, login: "none" });
    await settle();
    expect(seat.client.state.session.phase).toBe("guest");
    expect(seat.wire().closed).not.toBe(null);
    expect(seat.page.hintIs).toBe(null);
  });

  test("another tab logs out: this one goes home too; another tab logs in: this one follows", async () => {
    const seat = aLiveTab();
    seat.page.hintIs = null;
    seat.client.login.hintChanged();
    await settle();
    expect(seat.client.state.session.phase).toBe("guest");
    seat.page.hintIs = "1";
    seat.client.login.hintChanged();
    expect(seat.wires).toHaveLength(2);
    seat.wire().hello();
    expect(seat.client.state.session.phase).toBe("signed-in");
  });

  test("c7: a lost line says reconnecting, and after fifteen seconds offline, since the moment it was lost", () => {
    const seat = aLiveTab();
    const lostAt = seat.clock.now();
    seat.wire().drop(1006);
    expect(seat.client.state.connection).toEqual({ state: "reconnecting", since: lostAt });
    seat.clock.pass(15_000);
    expect(seat.client.state.connection).toEqual({ state: "offline", since: lostAt });
  });
});
