// The login's own story: the hint, the two posts to /session, and the phases in between.
//
// Promises: with no hint nothing is opened; after a log-out in any tab of this browser every tab is a
// guest's at `/`; a login ended elsewhere leaves the page and its words as they are.

import { RefusedError } from "../wire/ask";
import type { Ask } from "../wire/ask";
import { newKey } from "../wire/keys";
import type { EventOf } from "../wire/frames";
import type { Me } from "../wire/types.gen";
import type { State } from "./state";
import { emptyState } from "./state";
import { holdUsers } from "./apply";

export const HINT = "mellow.signed-in";

/** What the page lends: its storage, its address, its two plain requests. */
export type Page = {
  hint(): string | null;
  setHint(id: string | null): void;
  post(path: "/session" | "/session/end", body: string): Promise<boolean>;
  navigate(path: string): void;
};

export type Line = {
  ask: Ask;
  start(): void;
  stop(): void;
  tryNow(): void;
  /** The person on the present socket is known: catch up and let requests go. */
  begin(): void;
  /** Nothing held belongs to anybody any more. */
  forget(): void;
};

export type LoginOptions = { page: Page; line: Line; update(how: (state: State) => State): void; state(): State };

const TICKET_TRIES = 3;

export class Login {
  private signingUp: { who: string; key: ArrayBuffer } | null = null;

  constructor(private readonly options: LoginOptions) {}

  /** The page has opened. */
  open(): void {
    const { page, line } = this.options;
    if (page.hint() === null) {
      this.set("guest", null);
      return;
    }
    this.set("unknown", null);
    line.start();
  }

  /** The server's first word. True when the line is a signed-in person's. */
  greeted(hello: EventOf<"hello">): boolean {
    const { page, state } = this.options;
    const { phase, me } = state().session;
    const known = me !== null;
    if (hello.login === "live" && hello.me !== null) {
      if (known && me.id !== hello.me.id) this.clear();
      page.setHint(String(hello.me.id));
      this.set("signed-in", hello.me);
      return true;
    }
    if (phase === "guest" || phase === "ended") return false;
    if (hello.login === "ended" && known) {
      this.set("ended", me);
      return false;
    }
    if (known) void this.leave();
    else {
      // The hint was old: nobody is signed in, and nothing was on screen yet.
      page.setHint(null);
      void page.post("/session/end", "");
      this.set("guest", null);
      this.options.line.stop();
    }
    return false;
  }

  /** The socket closed with a code that speaks of the login. */
  closed(code: number): void {
    if (code === 4001) void this.leave();
    else if (code === 4002 && this.options.state().session.me !== null) this.set("ended", this.options.state().session.me);
  }

  /** Another tab of this browser changed the hint. */
  hintChanged(): void {
    const { page, line, state } = this.options;
    const { phase, me } = state().session;
    const hint = page.hint();
    if (hint === null) {
      if (me !== null) void this.leave();
      return;
    }
    if (me !== null && String(me.id) === hint) {
      // The same person logged in again elsewhere in this browser: the new cookie serves here too.
      if (phase === "ended") {
        line.stop();
        line.start();
      }
      return;
    }
    this.clear();
    line.stop();
    this.set("unknown", null);
    line.start();
  }

  async logIn(email: string, password: string): Promise<Me> {
    const { line } = this.options;
    line.start();
    const { ticket, me } = await line.ask("auth.log_in", { email, password }, { first: true });
    return this.entered(ticket, me);
  }

  async signUp(fields: { email: string; password: string; name: string }): Promise<Me> {
    const { line } = this.options;
    line.start();
    const name = fields.name.trim() === "" ? null : fields.name;
    const { email, password } = fields;
    // One key for one account: if an answer is lost and the button is pressed again, it is the same sign-up.
    const who = JSON.stringify([email, name]);
    if (this.signingUp?.who !== who) this.signingUp = { who, key: newKey() };
    const { key } = this.signingUp;
    const { ticket, me } = await line.ask("auth.sign_up", { key, email, password, name }, { first: true });
    this.signingUp = null;
    return this.entered(ticket, me);
  }

  async relogIn(password: string): Promise<Me> {
    const me = this.options.state().session.me;
    if (me === null) throw new RefusedError("not_signed_in", "Please log in again.");
    return this.logIn(me.email, password);
  }

  async logOut(): Promise<void> {
    const { line, state } = this.options;
    // Whether or not the server hears it, this browser forgets the cookie and the page. A login that
    // has ended has nothing to tell.
    if (state().session.phase !== "ended") await line.ask("auth.log_out", {}, { first: true, timeoutMs: 3_000 }).catch(() => undefined);
    await this.leave();
  }

  private async entered(ticket: string, me: Me): Promise<Me> {
    const { page, line, state } = this.options;
    const before = state().session.me;
    if (before !== null && before.id !== me.id) this.clear();
    for (let left = TICKET_TRIES; left > 0 && !(await page.post("/session", ticket)); left -= 1);
    page.setHint(String(me.id));
    this.set("signed-in", me);
    line.begin();
    return me;
  }

  /** The login is over for this browser: nothing of the person stays on the page. */
  private async leave(): Promise<void> {
    const { page, line } = this.options;
    if (this.options.state().session.phase === "guest") return;
    page.setHint(null);
    line.stop();
    this.clear();
    this.set("guest", null);
    page.navigate("/");
    await page.post("/session/end", "");
  }

  private clear(): void {
    const { line, update } = this.options;
    line.forget();
    update((s) => ({ ...emptyState(), session: s.session, connection: s.connection }));
  }

  private set(phase: State["session"]["phase"], me: Me | null): void {
    this.options.update((s) => {
      const next: State = { ...s, session: { phase, me } };
      return me === null ? next : holdUsers(next, [{ id: me.id, name: me.name }]);
    });
  }
}
