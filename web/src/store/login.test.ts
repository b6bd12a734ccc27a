import { describe, expect, test } from "vitest";
import { settle } from "../wire/testing";
import { loadFirstPage } from "./load";
import { aLiveTab, aMe, aTab, aView, BEN } from "./testing";

const me = aMe();

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
    seat.client.update((s) => loadFirstPage(s, "feed:", { posts: [aView(100)], users: [BEN], groups: [], older: null, seq: 10 }));
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
    seat.client.update((s) => loadFirstPage(s, "feed:", { posts: [aView(100)], users: [BEN], groups: [], older: null, seq: 10 }));
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

  test("4002 in two tabs of one browser: logging in again on one brings the other back, its words where they were", async () => {
    const [seat, other] = [aLiveTab(), aLiveTab()];
    other.client.update((s) => ({ ...s, drafts: { 100: "half a thought" } }));
    for (const { wire } of [seat, other]) wire().drop(4002);
    const entering = seat.client.session.relogIn("a long password");
    seat.wire().hello({ me: null, login: "ended" });
    expect(seat.page.told).toBe(0);
    seat.wire().answer("auth.log_in", { ticket: "t3", me });
    await entering;
    // The hint is the same as before, so its change is not what tells.
    expect(seat.page).toMatchObject({ hintIs: "1", told: 1 });
    other.client.login.hintChanged();
    other.wire().hello();
    expect(other.client.state.session).toEqual({ phase: "signed-in", me });
    expect(other.client.state.drafts).toEqual({ 100: "half a thought" });
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

  test("a tab that is opened where a login has ended finds nobody in, and takes no words from the tab that waits", async () => {
    const [seat, fresh] = [aLiveTab(), aTab()];
    seat.client.update((s) => ({ ...s, drafts: { 100: "half a thought" } }));
    seat.wire().drop(4002);
    fresh.client.login.open();
    fresh.wire().hello({ me: null, login: "ended" });
    await settle();
    expect(fresh.client.state.session.phase).toBe("guest");
    expect(fresh.page).toMatchObject({ hintIs: null, isOver: true });
    Object.assign(seat.page, { hintIs: null, isOver: true });
    seat.client.login.hintChanged();
    expect(seat.client.state.session).toEqual({ phase: "ended", me });
    expect(seat.client.state.drafts).toEqual({ 100: "half a thought" });
    // Somebody logs out over there: now it is over here, too.
    seat.page.isOver = false;
    seat.client.login.hintChanged();
    await settle();
    expect(seat.client.state).toMatchObject({ session: { phase: "guest" }, drafts: {} });
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

describe("an account that is gone", () => {
  test("4003: nothing of the person stays in this browser, no dialog, no coming back", async () => {
    const seat = aLiveTab();
    seat.client.update((s) => ({ ...loadFirstPage(s, "feed:", { posts: [aView(100)], users: [BEN], groups: [], older: null, seq: 10 }), drafts: { 100: "half a thought" } }));
    seat.wire().drop(4003);
    await settle();
    expect(seat.page).toMatchObject({ at: "/", hintIs: null, forgot: [1], posted: [["/session/end", ""]] });
    expect(seat.client.state.session).toEqual({ phase: "guest", me: null });
    expect(seat.client.state.posts).toEqual({});
    expect(seat.client.state.drafts).toEqual({});
    seat.clock.pass(120_000);
    expect(seat.wires).toHaveLength(1);
  });

  test("deleted here: it is done when the answer comes, or when the line says so first", async () => {
    for (const end of ["answer", "4003", "lost"] as const) {
      const seat = aLiveTab();
      const deleting = seat.client.session.deleteAccount("a long password");
      expect(seat.wire().last("account.delete")).toMatchObject({ password: "a long password" });
      if (end === "answer") seat.wire().answer("account.delete", {});
      else if (end === "4003") seat.wire().drop(4003);
      else {
        // The answer was lost with the line, and the next one finds nobody.
        seat.wire().drop(1006);
        seat.clock.pass(5_000);
        seat.wire().hello({ me: null, login: "none" });
      }
      await deleting;
      expect(seat.page, end).toMatchObject({ at: "/", hintIs: null, forgot: [1] });
      expect(seat.client.state.session.phase).toBe("guest");
    }
  });

  test("deleted here: another tab that hears of it first takes nobody's answer away", async () => {
    const seat = aLiveTab();
    const deleting = seat.client.session.deleteAccount("a long password");
    seat.page.hintIs = null;
    seat.client.login.hintChanged();
    seat.wire().answer("account.delete", {});
    await deleting;
    expect(seat.page).toMatchObject({ at: "/", forgot: [1] });
    expect(seat.client.state.session.phase).toBe("guest");
  });

  test("another password deletes nothing, and the person stays", async () => {
    const seat = aLiveTab();
    const deleting = seat.client.session.deleteAccount("wrong");
    seat.wire().refuse("account.delete", { code: "wrong_password" });
    await expect(deleting).rejects.toMatchObject({ code: "wrong_password" });
    expect(seat.client.state.session.phase).toBe("signed-in");
    expect(seat.page).toMatchObject({ at: "/here", forgot: [] });
  });

  test("somebody else's log-out while a deletion was refused is a log-out", async () => {
    const seat = aLiveTab();
    const deleting = seat.client.session.deleteAccount("wrong");
    seat.wire().refuse("account.delete", { code: "wrong_password" });
    await deleting.catch(() => undefined);
    seat.wire().drop(4001);
    await settle();
    expect(seat.page).toMatchObject({ at: "/", forgot: [] });
  });
});

describe("a mail's link", () => {
  const fields = (): { key: ArrayBuffer; token: string; password: string } => ({ key: new ArrayBuffer(16), token: "t".repeat(43), password: "three new words" });

  test("a guest's opens a socket for the one request", async () => {
    const seat = aTab(null);
    seat.client.login.open();
    const asking = seat.client.session.knock("auth.request_reset", { email: "ana@example.org" });
    expect(seat.wires).toHaveLength(1);
    seat.wire().hello({ me: null, login: "none" });
    seat.wire().answer("auth.request_reset", {});
    await asking;
    expect(seat.client.state.session.phase).toBe("guest");
  });

  test("c17: a lost line sends the same key again", async () => {
    const seat = aTab(null);
    seat.client.login.open();
    const resetting = seat.client.session.resetPassword(fields());
    seat.wire().hello({ me: null, login: "none" });
    const { key } = seat.wire().last("auth.reset_password");
    seat.wire().drop(1006);
    seat.clock.pass(5_000);
    seat.wire().hello({ me: null, login: "none" });
    expect(seat.wires).toHaveLength(2);
    expect(seat.wire().last("auth.reset_password").key).toEqual(key);
    seat.wire().answer("auth.reset_password", {});
    await resetting;
    expect(seat.client.state.session).toEqual({ phase: "guest", me: null });
  });

  test("the own password: this tab becomes a guest's without a dialog, and other tabs keep their page", async () => {
    for (const first of ["answer", "close"] as const) {
      const seat = aLiveTab();
      const phases: string[] = [];
      const watching = seat.client["options"].store.subscribe(({ session }) => phases.push(session.phase));
      const resetting = seat.client.session.resetPassword(fields());
      if (first === "close") {
        seat.wire().drop(4002);
        seat.wire().hello({ me: null, login: "ended" });
      }
      seat.wire().answer("auth.reset_password", {});
      await resetting;
      seat.wire().hello({ me: null, login: "ended" });
      await settle();
      watching();
      expect(seat.client.state.session, first).toEqual({ phase: "guest", me: null });
      expect(phases, first).not.toContain("ended");
      expect(seat.page, first).toMatchObject({ hintIs: "1", posted: [] });
      expect(seat.wire().closed).not.toBeNull();
    }
  });

  test("somebody else's password: whoever is signed in here stays", async () => {
    const seat = aLiveTab();
    const resetting = seat.client.session.resetPassword(fields());
    seat.wire().answer("auth.reset_password", {});
    await resetting;
    seat.wire().hello();
    expect(seat.client.state.session.phase).toBe("signed-in");
  });

  test("a login that ended meanwhile is said after a link that was refused", async () => {
    const seat = aLiveTab();
    const resetting = seat.client.session.resetPassword(fields());
    seat.wire().drop(4002);
    seat.wire().hello({ me: null, login: "ended" });
    seat.wire().refuse("auth.reset_password", { code: "link_expired", message: "This link has expired." });
    await expect(resetting).rejects.toMatchObject({ code: "link_expired" });
    expect(seat.client.state.session).toEqual({ phase: "ended", me });
  });
});
