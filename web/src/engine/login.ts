// The part of the client that runs a login: the hint, the two requests to /session, and the phases between them.
//
// Promises: without a hint no socket is opened; a log-out holds from the press, also without a network, and
// every tab of this browser then shows the start page as a guest; a login that was ended elsewhere changes
// neither the page nor typed text; nothing of a deleted account stays in this browser.

import { chosenBy } from "../languages";
import { say } from "../say";
import { RefusedError } from "./ask";
import type { Ask } from "./ask";
import { retryDelay } from "./backoff";
import type { Clock, Timer } from "./clock";
import { newKey } from "./keys";
import type { EventOf, Fields, Ok } from "./frames";
import type { Me } from "./types.gen";
import type { State } from "./state";
import { emptyState, withSession } from "./feature";

/** What the login needs of the page: its storage, its address and two HTTP requests. */
export type Page = {
  /** The id of the account that is logged in in this browser. */
  hint(): string | null;
  /** The hint as another tab announced it. */
  announcedHint(): string | null;
  /** Notifies other tabs that this account is logged in here. */
  setHint(id: string): void;
  /** Removes the hint because its login ended. Tabs that were open when it ended keep their pages. */
  markLoginEnded(): void;
  hasLoginEnded(): boolean;
  /** Notifies other tabs of a log-in, also of the same account. */
  announceLogin(id: string): void;
  /** Logs this browser out at once, also without a network. The server learns of it later. */
  markLeaving(): void;
  isLeaving(): boolean;
  /** The server knows of the log-out. */
  markLeft(): void;
  post(path: "/session" | "/session/end", body: string): Promise<boolean>;
  navigate(path: string): void;
  /** Deletes what this browser keeps for a user whose account was deleted. */
  forget(userId: number): void;
  /** Tells the user that this browser did not keep the login. */
  notKept(): void;
};

/** Requests that guests may make too: about passkeys, the links of mails, and invitations. */
export type GuestOp =
  | "auth.begin_passkey"
  | "auth.log_in_with_passkey"
  | "auth.request_reset"
  | "auth.reset_passkeys"
  | "auth.reset_password"
  | "auth.confirm_email"
  | "auth.undo_email"
  | "invites.get";

/** `invite`: the code of an invitation. */
export type SignUpFields = { email: string; password: string; name: string; invite: string | null };

export type Connection = {
  ask: Ask;
  start(): void;
  stop(): void;
  tryNow(): void;
  /** The user of this socket is known. Catches up and sends the waiting requests. */
  begin(): void;
  /** The user changed. Drops waiting requests and the cursor. */
  forget(): void;
};

export type LoginOptions = {
  page: Page;
  connection: Connection;
  clock: Clock;
  update(how: (state: State) => State): void;
  state(): State;
};

const TICKET_TRIES = 3;
/** The time for deleting an account. One with many pictures takes long. */
export const DELETE_MS = 60_000;

export class Login {
  private signingUp: { who: string; key: ArrayBuffer } | null = null;
  /** This tab is setting a new password, which may end its own login. */
  private reset: "none" | "asked" | "cut" = "none";
  /** The next `hello` says whether the new password ended this login. If so, other tabs keep their page. */
  private wonders = false;
  /** This tab is deleting the account, or has deleted it. */
  private deletion: "none" | "asked" | "done" = "none";
  /** This browser has the cookie of the login. Without it the login is of this socket alone. */
  private isKept = true;
  /** The server is being told of a log-out. */
  private ending: Promise<void> | null = null;
  private endTimer: Timer | null = null;
  private endTries = 0;

  constructor(private readonly options: LoginOptions) {}

  /** The page was opened. */
  open(): void {
    const { page, connection } = this.options;
    if (page.hint() === null) {
      this.set("guest", null);
      this.finish();
      return;
    }
    this.set("unknown", null);
    connection.start();
  }

  /** Handles `hello`. Returns whether the connection belongs to a signed-in user. */
  greeted(hello: EventOf<"hello">): boolean {
    const { page, state } = this.options;
    const { phase, me } = state().session;
    const known = me !== null;
    if (hello.login === "live" && hello.me !== null) {
      if (known && me.id !== hello.me.id) this.clear();
      page.setHint(String(hello.me.id));
      this.wonders = false;
      this.isKept = true;
      this.set("signed-in", hello.me);
      return true;
    }
    if (phase === "guest" || phase === "ended") return false;
    if (known && this.reset !== "none") {
      this.reset = "cut";
      return false;
    }
    // A login without its cookie ends with its socket. The page stays, and asks for the password.
    if (known && (hello.login === "ended" || !this.isKept)) {
      this.set("ended", me);
      return false;
    }
    if (known && this.deletion === "asked") this.gone();
    else if (known) void this.leave();
    else if (this.wonders) {
      this.wonders = false;
      this.set("guest", null);
      this.options.connection.stop();
    } else {
      // The hint was outdated: nobody is signed in, and nothing was shown yet. Other tabs may have typed
      // text.
      if (hello.login === "ended") {
        page.markLoginEnded();
        void page.post("/session/end", "");
      } else {
        page.markLeaving();
        this.finish();
      }
      this.set("guest", null);
      this.options.connection.stop();
    }
    return false;
  }

  /** The socket was closed. Handles the codes that concern the login. */
  closed(code: number): void {
    const { me } = this.options.state().session;
    if (code === 4001) void this.leave();
    else if (code === 4003) this.gone();
    else if (code === 4002 && me !== null) {
      if (this.reset === "none") {
        this.set("ended", me);
        return;
      }
      // The reply may have been lost with the connection. The same request gets the same reply on another
      // socket.
      this.reset = "cut";
      this.options.connection.start();
    }
  }

  /** Another tab of this browser changed the hint. */
  hintChanged(): void {
    const { page, connection, state } = this.options;
    const { phase, me } = state().session;
    const hint = page.announcedHint();
    if (hint === null) {
      // The login of this tab was never the one of this browser.
      if (!this.isKept) return;
      // This tab is deleting the account, and learns the result by its own connection: by a reply, or by its end.
      if (this.deletion === "asked") return;
      if (me !== null && !(phase === "ended" && page.hasLoginEnded())) void this.leave();
      return;
    }
    if (me !== null && String(me.id) === hint) {
      // The same user logged in again in another tab. This tab can use the new cookie.
      if (phase === "ended") {
        connection.stop();
        connection.start();
      }
      return;
    }
    this.clear();
    connection.stop();
    this.set("unknown", null);
    connection.start();
  }

  async logIn(email: string, password: string): Promise<Me> {
    const { connection } = this.options;
    connection.start();
    const { ticket, me } = await connection.ask("auth.log_in", { email, password }, { first: true });
    return this.entered(ticket, me);
  }

  async signUp(fields: SignUpFields): Promise<Me> {
    const { connection } = this.options;
    connection.start();
    const name = fields.name.trim() === "" ? null : fields.name;
    const { email, password, invite } = fields;
    const language = chosenBy("device");
    // Each account has one key. If the reply is lost and the button is pressed again, it is the same sign-up.
    const who = JSON.stringify([email, name, invite, language]);
    if (this.signingUp?.who !== who) this.signingUp = { who, key: newKey() };
    const { key } = this.signingUp;
    const { ticket, me } = await connection.ask(
      "auth.sign_up",
      { key, email, password, name, invite, language },
      { first: true },
    );
    this.signingUp = null;
    return this.entered(ticket, me);
  }

  async relogIn(password: string): Promise<Me> {
    const me = this.options.state().session.me;
    if (me === null) throw new RefusedError("not_signed_in", say("Please log in again."));
    return this.logIn(me.email, password);
  }

  async logOut(): Promise<void> {
    const { page, connection, state } = this.options;
    // From here on this browser is logged out, whatever happens to the page and the network.
    page.markLeaving();
    if (state().session.phase !== "ended" && state().connection.state === "live")
      // This ends a login that the browser did not keep. `leave` tells the server in any case.
      await connection.ask("auth.log_out", {}, { first: true, timeoutMs: 3_000 }).catch(() => undefined);
    await this.leave();
  }

  /** Tells the server of a log-out, and tries again until it knows. */
  finish(): void {
    const { page, clock } = this.options;
    clock.cancel(this.endTimer);
    this.endTimer = null;
    if (this.ending !== null || !page.isLeaving()) return;
    this.ending = page.post("/session/end", "").then((isDone) => {
      this.ending = null;
      if (isDone) page.markLeft();
      else this.endTimer = clock.after(retryDelay(this.endTries, clock.random()), () => this.finish());
      this.endTries = isDone ? 0 : this.endTries + 1;
    });
  }

  /** Sends a request that guests may make too. Opens a socket if there is none. */
  askAsGuest<K extends GuestOp>(op: K, fields: Fields<K>): Promise<Ok<K>> {
    const { connection } = this.options;
    connection.start();
    return connection.ask(op, fields, { first: true });
  }

  /**
   * Sets a new password by the link of a mail. If the account is the one of this browser, its login ends: the
   * tab becomes a guest's, without the dialog for a login that ended elsewhere.
   */
  async resetPassword(fields: Fields<"auth.reset_password">): Promise<void> {
    const { connection, state } = this.options;
    this.reset = "asked";
    const isCut = (): boolean => this.reset === "cut";
    try {
      await this.askAsGuest("auth.reset_password", fields);
    } catch (error) {
      const { me } = state().session;
      if (isCut() && me !== null) this.set("ended", me);
      throw error;
    } finally {
      this.reset = "none";
    }
    if (state().session.me === null) return;
    // The password may be of another account. The next `hello` says whether this login has ended.
    connection.stop();
    this.clear();
    this.wonders = true;
    this.set("unknown", null);
    connection.start();
  }

  /**
   * Deletes the account. When this returns, the page has no data of the user, and what the browser keeps is being
   * deleted.
   */
  async deleteAccount(password: string): Promise<void> {
    this.deletion = "asked";
    const isDone = (): boolean => this.deletion === "done";
    try {
      await this.options.connection.ask("account.delete", { password }, { timeoutMs: DELETE_MS });
      this.gone();
    } catch (error) {
      // The connection may end before the reply arrives. Its end means the same.
      if (!isDone()) throw error;
    } finally {
      this.deletion = "none";
    }
  }

  /** The server has let a user in. Stores the login in this browser, and shows the page to the user. */
  async entered(ticket: string, me: Me): Promise<Me> {
    const { page, connection, clock, state } = this.options;
    const before = state().session.me;
    if (before !== null && before.id !== me.id) this.clear();
    // The end of an earlier login removes the cookies, so it comes first, and no further try begins meanwhile.
    await this.ending;
    clock.cancel(this.endTimer);
    this.endTimer = null;
    const hint = String(me.id);
    const wasHere = page.hint() === hint;
    let isDone = false;
    for (let left = TICKET_TRIES; left > 0 && !isDone; left -= 1)
      isDone = await page.post("/session", ticket);
    // A new hint is kept even if no reply arrived. The hint of an earlier login of this user proves nothing.
    this.isKept = page.hint() === hint && (isDone || !wasHere);
    if (this.isKept) page.announceLogin(hint);
    else {
      page.notKept();
      this.finish();
    }
    this.set("signed-in", me);
    connection.begin();
    return me;
  }

  /** The login of this browser is over. Clears the page of all data of the user. */
  private async leave(): Promise<void> {
    const { page, connection } = this.options;
    if (this.options.state().session.phase === "guest") return;
    page.markLeaving();
    connection.stop();
    this.clear();
    this.isKept = true;
    this.set("guest", null);
    page.navigate("/");
    this.finish();
    await this.ending;
  }

  /** The account was deleted. Clears the page, and begins to delete what this browser keeps for the user. */
  private gone(): void {
    const { page, state } = this.options;
    const id = state().session.me?.id ?? Number(page.hint() ?? Number.NaN);
    if (this.deletion === "asked") this.deletion = "done";
    void this.leave();
    if (Number.isSafeInteger(id)) page.forget(id);
  }

  private clear(): void {
    const { connection, update } = this.options;
    connection.forget();
    update((s) => ({ ...emptyState(), session: s.session, connection: s.connection }));
  }

  private set(phase: State["session"]["phase"], me: Me | null): void {
    this.options.update((s) => withSession(s, phase, me));
  }
}
