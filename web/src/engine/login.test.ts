import { describe, expect, test } from "vitest";
import { settle } from "../testing/fakeSocket";
import { loadFirstPage } from "../features/shared/posts/read";
import type { Fields } from "./frames";
import { aLiveTab, aMe, aTab, aView, BEN } from "../testing/fixtures";

const me = aMe();

describe("the login", () => {
  test("d-m10: without the hint no socket is opened", () => {
    const tab = aTab(null);
    tab.client.login.open();
    expect(tab.wires).toHaveLength(0);
    expect(tab.client.state.session.phase).toBe("guest");
  });

  test("a log-in posts the ticket, stores the hint and keeps the socket", async () => {
    const tab = aTab(null);
    tab.client.login.open();
    const entering = tab.client.login.logIn("ana@example.org", "a long password");
    tab.wire().hello({ me: null, login: "none" });
    tab.wire().answer("auth.log_in", { ticket: "t1", me });
    expect(await entering).toEqual(me);
    expect(tab.page.posted).toEqual([["/session", "t1"]]);
    expect(tab.page.hintIs).toBe("1");
    expect(tab.wires).toHaveLength(1);
    expect(tab.client.state.session).toEqual({ phase: "signed-in", me });
    void tab.client.ask("posts.feed", { tag: null, before: null });
    expect(tab.wire().last("posts.feed")).toBeDefined();
  });

  test("a wrong password is refused, and the next try uses the same socket", async () => {
    const tab = aTab(null);
    tab.client.login.open();
    const entering = tab.client.login.logIn("ana@example.org", "wrong");
    tab.wire().hello({ me: null, login: "none" });
    tab.wire().refuse("auth.log_in", {
      code: "bad_credentials",
      message: "Incorrect email or password. Please try again.",
    });
    await expect(entering).rejects.toMatchObject({ code: "bad_credentials" });
    expect(tab.client.state.session.phase).toBe("guest");
    const again = tab.client.login.logIn("ana@example.org", "right");
    tab.wire().answer("auth.log_in", { ticket: "t2", me });
    await again;
    expect(tab.wires).toHaveLength(1);
  });

  test("c17: a second press of Sign Up has the same key for the same account, and a new key for another", async () => {
    const tab = aTab(null);
    tab.client.login.open();
    const keys: unknown[] = [];
    for (const email of ["ana@example.org", "ana@example.org", "anna@example.org"]) {
      const entering = tab.client.login.signUp({
        email,
        password: "a long password",
        name: "",
        invite: null,
      });
      if (keys.length === 0) tab.wire().hello({ me: null, login: "none" });
      await settle();
      const sent = tab.wire().last("auth.sign_up");
      expect(sent?.["email"]).toBe(email);
      keys.push(new Uint8Array(sent?.["key"] as ArrayBuffer).join());
      tab.wire().refuse("auth.sign_up", { code: "busy", message: "Please try again in a moment." });
      await expect(entering).rejects.toMatchObject({ code: "busy" });
    }
    expect(keys[1]).toEqual(keys[0]);
    expect(keys[2]).not.toEqual(keys[0]);
  });

  test("4001, logged out in this browser: the page opens home and keeps no data of the user", async () => {
    const tab = aLiveTab();
    tab.client.update((s) =>
      loadFirstPage(s, "feed:", { posts: [aView(100)], users: [BEN], groups: [], older: null, seq: 10 }),
    );
    tab.wire().drop(4001);
    await settle();
    expect(tab.page).toMatchObject({ at: "/", hintIs: null, posted: [["/session/end", ""]] });
    expect(tab.client.state.posts).toEqual({});
    expect(tab.client.state.session).toEqual({ phase: "guest", me: null });
    tab.clock.pass(120_000);
    expect(tab.wires).toHaveLength(1);
  });

  test("4001, logged out in this browser: an unsent comment is deleted too", async () => {
    const tab = aLiveTab();
    tab.client.update((s) => ({ ...s, drafts: { 100: "half a thought" } }));
    tab.wire().drop(4001);
    await settle();
    expect(tab.client.state.drafts).toEqual({});
  });

  test("4002, ended on another device: logging out then sends nothing and does not wait", async () => {
    const tab = aLiveTab();
    tab.wire().drop(4002);
    expect(tab.client.state.session.phase).toBe("ended");
    await tab.client.login.logOut();
    expect(tab.client.state.session).toEqual({ phase: "guest", me: null });
    expect(tab.page).toMatchObject({ at: "/", hintIs: null });
  });

  test("4002, ended on another device: the page stays, and logging in again catches up", async () => {
    const tab = aLiveTab();
    tab.client.onScreen("view:feed:");
    tab.client.update((s) =>
      loadFirstPage(s, "feed:", { posts: [aView(100)], users: [BEN], groups: [], older: null, seq: 10 }),
    );
    tab.wire().drop(4002);
    expect(tab.client.state.session).toEqual({ phase: "ended", me });
    expect(tab.client.state.posts[100]).toBeDefined();
    const entering = tab.client.login.relogIn("a long password");
    tab.wire().hello({ me: null, login: "ended", seq: 30 });
    expect(tab.wire().last("auth.log_in").email).toBe("ana@example.org");
    tab.wire().answer("auth.log_in", { ticket: "t3", me });
    await entering;
    expect(tab.wire().last("live.resume")).toMatchObject({ seq: 10, posts: [100] });
    expect(tab.client.state.session.phase).toBe("signed-in");
  });

  test("4002 in two tabs of one browser: logging in again in one also signs in the other, which keeps its text", async () => {
    const [tab, other] = [aLiveTab(), aLiveTab()];
    other.client.update((s) => ({ ...s, drafts: { 100: "half a thought" } }));
    for (const { wire } of [tab, other]) wire().drop(4002);
    const entering = tab.client.login.relogIn("a long password");
    tab.wire().hello({ me: null, login: "ended" });
    expect(tab.page.loginsAnnounced).toBe(0);
    tab.wire().answer("auth.log_in", { ticket: "t3", me });
    await entering;
    // The hint is the same as before, so `announceLogin` notifies the other tabs.
    expect(tab.page).toMatchObject({ hintIs: "1", loginsAnnounced: 1 });
    other.client.login.hintChanged();
    other.wire().hello();
    expect(other.client.state.session).toEqual({ phase: "signed-in", me });
    expect(other.client.state.drafts).toEqual({ 100: "half a thought" });
  });

  test("an outdated hint results in a guest's page without a socket", async () => {
    const tab = aTab();
    tab.client.login.open();
    expect(tab.client.state.session.phase).toBe("unknown");
    tab.wire().hello({ me: null, login: "none" });
    await settle();
    expect(tab.client.state.session.phase).toBe("guest");
    expect(tab.wire().closed).not.toBe(null);
    expect(tab.page.hintIs).toBe(null);
  });

  test("a tab that is opened after a login ended is a guest's, and text in the waiting tab is kept", async () => {
    const [tab, fresh] = [aLiveTab(), aTab()];
    tab.client.update((s) => ({ ...s, drafts: { 100: "half a thought" } }));
    tab.wire().drop(4002);
    fresh.client.login.open();
    fresh.wire().hello({ me: null, login: "ended" });
    await settle();
    expect(fresh.client.state.session.phase).toBe("guest");
    expect(fresh.page).toMatchObject({ hintIs: null, isOver: true });
    Object.assign(tab.page, { hintIs: null, isOver: true });
    tab.client.login.hintChanged();
    expect(tab.client.state.session).toEqual({ phase: "ended", me });
    expect(tab.client.state.drafts).toEqual({ 100: "half a thought" });
    // A logout in the other tab also logs out this tab.
    tab.page.isOver = false;
    tab.client.login.hintChanged();
    await settle();
    expect(tab.client.state).toMatchObject({ session: { phase: "guest" }, drafts: {} });
  });

  test("a log-out in another tab logs out this tab, and a log-in there signs in this tab", async () => {
    const tab = aLiveTab();
    tab.page.hintIs = null;
    tab.client.login.hintChanged();
    await settle();
    expect(tab.client.state.session.phase).toBe("guest");
    tab.page.hintIs = "1";
    tab.client.login.hintChanged();
    expect(tab.wires).toHaveLength(2);
    tab.wire().hello();
    expect(tab.client.state.session.phase).toBe("signed-in");
  });

  test("Log Out without a network logs out at once, and the server learns of it when it can be reached", async () => {
    const tab = aLiveTab();
    tab.page.refuses = ["/session/end"];
    tab.wire().drop(1006);
    const leaving = tab.client.login.logOut();
    // Nothing is waited for: the tab may be closed in this moment.
    expect(tab.page).toMatchObject({ hintIs: null, isLeaving: true });
    await leaving;
    expect(tab.page).toMatchObject({ at: "/", isLeaving: true });
    expect(tab.client.state.session).toEqual({ phase: "guest", me: null });
    expect(tab.wires).toHaveLength(1);
    tab.page.refuses = [];
    tab.clock.pass(60_000);
    await settle();
    expect(tab.page.isLeaving).toBe(false);
    const { length } = tab.page.posted;
    tab.clock.pass(600_000);
    expect(tab.page.posted).toHaveLength(length);
  });

  test("a page that is opened after such a log-out finishes it, and opens no socket for that", async () => {
    const tab = aTab(null);
    tab.page.isLeaving = true;
    tab.client.login.open();
    await settle();
    expect(tab.client.state.session.phase).toBe("guest");
    expect(tab.page).toMatchObject({ posted: [["/session/end", ""]], isLeaving: false });
    expect(tab.wires).toHaveLength(0);
  });

  test("a server that is busy when the user logs out is asked again", async () => {
    const tab = aLiveTab();
    tab.page.refuses = ["/session/end"];
    const leaving = tab.client.login.logOut();
    tab.wire().refuse("auth.log_out", { code: "busy", retry_ms: 500 });
    await leaving;
    expect(tab.page).toMatchObject({ hintIs: null, isLeaving: true });
    tab.page.refuses = [];
    // The device found its network.
    tab.client.login.finish();
    await settle();
    expect(tab.page.isLeaving).toBe(false);
  });

  test("a log-in waits for the end of an unfinished log-out, which removes the cookies", async () => {
    const tab = aTab(null);
    Object.assign(tab.page, { isLeaving: true });
    let ended = (_: boolean): void => undefined;
    const { page } = tab.client["options"];
    const { post } = page;
    page.post = (path, body) =>
      path === "/session/end" ? new Promise<boolean>((resolve) => (ended = resolve)) : post(path, body);
    tab.client.login.open();
    const entering = tab.client.login.logIn("ana@example.org", "a long password");
    tab.wire().hello({ me: null, login: "none" });
    tab.wire().answer("auth.log_in", { ticket: "t1", me });
    await settle();
    expect(tab.page.posted).toEqual([]);
    ended(true);
    await entering;
    expect(tab.page).toMatchObject({ posted: [["/session", "t1"]], hintIs: "1" });
  });

  test("a browser that does not keep the login says so, and a lost connection asks for the password instead of clearing the page", async () => {
    for (const why of ["/session fails", "cookies are refused"]) {
      const tab = aTab(null);
      if (why === "/session fails") tab.page.refuses = ["/session"];
      else tab.page.keepsCookies = false;
      tab.client.login.open();
      const entering = tab.client.login.logIn("ana@example.org", "a long password");
      tab.wire().hello({ me: null, login: "none" });
      tab.wire().answer("auth.log_in", { ticket: "t1", me });
      await entering;
      expect(tab.client.state.session, why).toEqual({ phase: "signed-in", me });
      expect(tab.page.notKept, why).toBe(1);
      tab.client.update((s) => ({ ...s, drafts: { 100: "half a thought" } }));
      // Another tab, where nobody is logged in, says nothing about this one.
      tab.client.login.hintChanged();
      tab.wire().drop(1006);
      tab.clock.pass(5_000);
      tab.wire().hello({ me: null, login: "none" });
      expect(tab.client.state.session, why).toEqual({ phase: "ended", me });
      expect(tab.client.state.drafts, why).toEqual({ 100: "half a thought" });
      Object.assign(tab.page, { refuses: [], keepsCookies: true });
      const again = tab.client.login.relogIn("a long password");
      tab.wire().answer("auth.log_in", { ticket: "t2", me });
      await again;
      expect(tab.client.state.session, why).toEqual({ phase: "signed-in", me });
      expect(tab.page, why).toMatchObject({ notKept: 1, hintIs: "1", at: "/here" });
      expect(tab.client.state.drafts, why).toEqual({ 100: "half a thought" });
    }
  });

  test("the hint of an earlier login does not hide that the new one was not kept", async () => {
    const tab = aLiveTab();
    tab.wire().drop(4002);
    tab.page.refuses = ["/session"];
    const entering = tab.client.login.relogIn("a long password");
    tab.wire().hello({ me: null, login: "ended" });
    tab.wire().answer("auth.log_in", { ticket: "t2", me });
    await entering;
    expect(tab.page).toMatchObject({ hintIs: "1", notKept: 1, loginsAnnounced: 0 });
  });

  test("no try to end a former login begins while a log-in is on its way", async () => {
    const tab = aTab(null);
    Object.assign(tab.page, { isLeaving: true, refuses: ["/session/end"] });
    tab.client.login.open();
    await settle();
    let entered = (_: boolean): void => undefined;
    const { page } = tab.client["options"];
    const { post } = page;
    page.post = (path, body) =>
      path === "/session" ? new Promise<boolean>((resolve) => (entered = resolve)) : post(path, body);
    const entering = tab.client.login.logIn("ana@example.org", "a long password");
    tab.wire().hello({ me: null, login: "none" });
    tab.wire().answer("auth.log_in", { ticket: "t1", me });
    await settle();
    tab.page.posted = [];
    tab.clock.pass(60_000);
    expect(tab.page.posted).toEqual([]);
    tab.page.hintIs = "1";
    entered(true);
    await entering;
    expect(tab.client.state.session).toEqual({ phase: "signed-in", me });
  });

  test("c7: a lost connection is `reconnecting`, and after 15 s `offline`, both since it was lost", () => {
    const tab = aLiveTab();
    const lostAt = tab.clock.now();
    tab.wire().drop(1006);
    expect(tab.client.state.connection).toEqual({ state: "reconnecting", since: lostAt });
    tab.clock.pass(15_000);
    expect(tab.client.state.connection).toEqual({ state: "offline", since: lostAt });
  });

  test("c7: a browser without a network is offline although a frame was under way, and live after an answer", async () => {
    const tab = aLiveTab();
    tab.client.start({});
    globalThis.dispatchEvent(new Event("offline"));
    tab.wire().event({ ev: "beat", seq: 0, sent: 0 });
    expect(tab.client.state.connection.state).toBe("offline");
    tab.wire().answer("live.probe", {});
    await settle();
    expect(tab.client.state.connection.state).toBe("live");
  });
});

describe("a deleted account", () => {
  test("4003: no data of the user stays in this browser, and no dialog or reconnect follows", async () => {
    const tab = aLiveTab();
    tab.client.update((s) => ({
      ...loadFirstPage(s, "feed:", { posts: [aView(100)], users: [BEN], groups: [], older: null, seq: 10 }),
      drafts: { 100: "half a thought" },
    }));
    tab.wire().drop(4003);
    await settle();
    expect(tab.page).toMatchObject({ at: "/", hintIs: null, forgot: [1], posted: [["/session/end", ""]] });
    expect(tab.client.state.session).toEqual({ phase: "guest", me: null });
    expect(tab.client.state.posts).toEqual({});
    expect(tab.client.state.drafts).toEqual({});
    tab.clock.pass(120_000);
    expect(tab.wires).toHaveLength(1);
  });

  test("deleted in this tab: the reply, the close code or the next `hello` confirms it", async () => {
    for (const end of ["answer", "4003", "lost"] as const) {
      const tab = aLiveTab();
      const deleting = tab.client.login.deleteAccount("a long password");
      expect(tab.wire().last("account.delete")).toMatchObject({ password: "a long password" });
      if (end === "answer") tab.wire().answer("account.delete", {});
      else if (end === "4003") tab.wire().drop(4003);
      else {
        // The reply was lost with the connection. The next `hello` has no user.
        tab.wire().drop(1006);
        tab.clock.pass(5_000);
        tab.wire().hello({ me: null, login: "none" });
      }
      await deleting;
      expect(tab.page, end).toMatchObject({ at: "/", hintIs: null, forgot: [1] });
      expect(tab.client.state.session.phase).toBe("guest");
    }
  });

  test("deleted in this tab: another tab that notices it first does not prevent the reply", async () => {
    const tab = aLiveTab();
    const deleting = tab.client.login.deleteAccount("a long password");
    tab.page.hintIs = null;
    tab.client.login.hintChanged();
    tab.wire().answer("account.delete", {});
    await deleting;
    expect(tab.page).toMatchObject({ at: "/", forgot: [1] });
    expect(tab.client.state.session.phase).toBe("guest");
  });

  test("a wrong password deletes nothing, and the user stays signed in", async () => {
    const tab = aLiveTab();
    const deleting = tab.client.login.deleteAccount("wrong");
    tab.wire().refuse("account.delete", { code: "wrong_password" });
    await expect(deleting).rejects.toMatchObject({ code: "wrong_password" });
    expect(tab.client.state.session.phase).toBe("signed-in");
    expect(tab.page).toMatchObject({ at: "/here", forgot: [] });
  });

  test("a log-out in another tab after a refused deletion is only a log-out", async () => {
    const tab = aLiveTab();
    const deleting = tab.client.login.deleteAccount("wrong");
    tab.wire().refuse("account.delete", { code: "wrong_password" });
    await deleting.catch(() => undefined);
    tab.wire().drop(4001);
    await settle();
    expect(tab.page).toMatchObject({ at: "/", forgot: [] });
  });
});

describe("the link of a mail", () => {
  const fields = (): Fields<"auth.reset_password"> => ({
    key: new ArrayBuffer(16),
    token: "t".repeat(43),
    password: "three new words",
    remove_passkeys: null,
  });

  test("opens a socket for the request of a guest", async () => {
    const tab = aTab(null);
    tab.client.login.open();
    const asking = tab.client.login.askAsGuest("auth.request_reset", { email: "ana@example.org" });
    expect(tab.wires).toHaveLength(1);
    tab.wire().hello({ me: null, login: "none" });
    tab.wire().answer("auth.request_reset", {});
    await asking;
    expect(tab.client.state.session.phase).toBe("guest");
  });

  test("c17: sends the same key again after a lost connection", async () => {
    const tab = aTab(null);
    tab.client.login.open();
    const resetting = tab.client.login.resetPassword(fields());
    tab.wire().hello({ me: null, login: "none" });
    const { key } = tab.wire().last("auth.reset_password");
    tab.wire().drop(1006);
    tab.clock.pass(5_000);
    tab.wire().hello({ me: null, login: "none" });
    expect(tab.wires).toHaveLength(2);
    expect(tab.wire().last("auth.reset_password").key).toEqual(key);
    tab.wire().answer("auth.reset_password", {});
    await resetting;
    expect(tab.client.state.session).toEqual({ phase: "guest", me: null });
  });

  test("changes the user's own password: this tab becomes a guest's without a dialog, other tabs stay", async () => {
    for (const first of ["answer", "close"] as const) {
      const tab = aLiveTab();
      const phases: string[] = [];
      const watching = tab.client["options"].store.subscribe(({ session }) => phases.push(session.phase));
      const resetting = tab.client.login.resetPassword(fields());
      if (first === "close") {
        tab.wire().drop(4002);
        tab.wire().hello({ me: null, login: "ended" });
      }
      tab.wire().answer("auth.reset_password", {});
      await resetting;
      tab.wire().hello({ me: null, login: "ended" });
      await settle();
      watching();
      expect(tab.client.state.session, first).toEqual({ phase: "guest", me: null });
      expect(phases, first).not.toContain("ended");
      expect(tab.page, first).toMatchObject({ hintIs: "1", posted: [] });
      expect(tab.wire().closed).not.toBeNull();
    }
  });

  test("changes the password of another account: the user of this tab stays signed in", async () => {
    const tab = aLiveTab();
    const resetting = tab.client.login.resetPassword(fields());
    tab.wire().answer("auth.reset_password", {});
    await resetting;
    tab.wire().hello();
    expect(tab.client.state.session.phase).toBe("signed-in");
  });

  test("is refused: a login that ended meanwhile is shown then", async () => {
    const tab = aLiveTab();
    const resetting = tab.client.login.resetPassword(fields());
    tab.wire().drop(4002);
    tab.wire().hello({ me: null, login: "ended" });
    tab.wire().refuse("auth.reset_password", { code: "link_expired", message: "This link has expired." });
    await expect(resetting).rejects.toMatchObject({ code: "link_expired" });
    expect(tab.client.state.session).toEqual({ phase: "ended", me });
  });
});
