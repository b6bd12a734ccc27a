// The archive that this tab sends to the server. It goes on while other pages of the app are open.
//
// Promises: after a lost connection it continues where it was. An archive that did not get through leaves nothing on
// the server, so that another one can be chosen. Nothing is sent for a person who has logged out.

import type { Ask } from "../../engine/ask";
import { ask } from "../../engine/client";
import type { Clock } from "../../engine/clock";
import { realClock } from "../../engine/clock";
import { newKey } from "../../engine/keys";
import { RefusedError } from "../../engine/refused";
import type { Id } from "../../engine/state";
import { store } from "../../engine/store";
import type { ImportEnd } from "../../engine/types.gen";
import { say } from "../../say";
import { Transfer, UploadFailedError } from "../shared/transfer";
import { reasonOf } from "./api";
import "./state";
import { refusals, words } from "./words";

export type ArchiveView = {
  /** How much of the file has arrived, from 0 to 100; null while none is sent. */
  percent: number | null;
  /** Why the last file was not sent, or why the last one of any device was refused; null once that was read. */
  error: string | null;
};

const nothing: ArchiveView = { percent: null, error: null };

export class Archive {
  private view = nothing;
  private transfer: Transfer | null = null;
  /** The import of the file; null until the server has named it. */
  private id: Id | null = null;
  private readonly watchers = new Set<() => void>();

  constructor(
    private readonly ask: Ask,
    private readonly clock: Clock,
  ) {}

  readonly get = (): ArchiveView => this.view;

  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  /** Sends a file, and then has it read. */
  async send(file: File): Promise<void> {
    if (this.transfer !== null) return;
    if (file.size === 0) {
      this.show({ percent: null, error: say(refusals.unknown) });
      return;
    }
    const transfer = this.transferOf(file);
    this.transfer = transfer;
    this.id = null;
    this.show({ percent: 0, error: null });
    try {
      await transfer.send();
      if (this.transfer === transfer) this.end(null);
    } catch (error) {
      // It was stopped on purpose.
      if (this.transfer !== transfer) return;
      if (this.id !== null) this.cancel(this.id);
      this.end(messageOf(error));
    }
  }

  /** The import ended, or the person has logged out. Sends nothing more. */
  stop(): void {
    this.transfer?.stop();
    this.end(null);
  }

  /**
   * Stops if this is the import of the file. Shows why it was refused. Of another import it shows only that, and only
   * while no file is being sent.
   */
  ended({ id, refusal }: ImportEnd): void {
    if (this.id !== id && (this.transfer !== null || refusal === null)) return;
    this.transfer?.stop();
    this.end(refusal === null ? null : say(refusals[refusal]));
  }

  /** The error was read. */
  forgetError(): void {
    if (this.view.error !== null) this.show(nothing);
  }

  private transferOf(file: File): Transfer {
    const { ask, clock } = this;
    const [toBegin, toRead] = [newKey(), newKey()];
    let id: Id = 0;
    const transfer: Transfer = new Transfer({
      blob: file,
      clock,
      inTurn: (work) => work(),
      begin: async () => {
        const ok = await ask("imports.begin", { key: toBegin, size_bytes: file.size });
        ({ id } = ok);
        if (this.transfer === transfer) this.id = id;
        // It was stopped before the server answered.
        else this.cancel(id);
        return ok;
      },
      chunk: (offset, bytes) => ask("imports.chunk", { import_id: id, offset, bytes }),
      end: () => ask("imports.read", { key: toRead, import_id: id }),
      progressed: () => {
        if (this.transfer === transfer)
          this.show({ percent: Math.floor((100 * transfer.acked) / file.size), error: null });
      },
      unreadable: () => say(words.lost),
      failed: () => say(words.lost),
    });
    return transfer;
  }

  private cancel(id: Id): void {
    // The server deletes a file that is not read within a day.
    void this.ask("imports.cancel", { key: newKey(), import_id: id }).catch(() => undefined);
  }

  private end(error: string | null): void {
    this.transfer = this.id = null;
    this.show({ percent: null, error });
  }

  private show(view: ArchiveView): void {
    this.view = view;
    // The file is only in this tab, so the browser asks before the tab is closed.
    if (view.percent !== null) addEventListener("beforeunload", stay);
    else removeEventListener("beforeunload", stay);
    for (const watcher of this.watchers) watcher();
  }
}

/**
 * Returns the message for a file that was not sent; null if the person has logged out, or has ended its import on
 * another device, whose event comes after the refusal.
 */
function messageOf(error: unknown): string | null {
  if (!(error instanceof UploadFailedError) || error.code === "not_found") return null;
  const { code, message } = error;
  return code === null ? message : reasonOf(new RefusedError(code, message));
}

function stay(event: BeforeUnloadEvent): void {
  event.preventDefault();
  // Some browsers need this instead of the line above.
  event.returnValue = "";
}

const archives = new Map<Id, Archive>();

/** Returns the archive of this person that was chosen on any page, or a new one. */
export function archiveOf(userId: Id): Archive {
  const known = archives.get(userId);
  if (known !== undefined) return known;
  const archive = new Archive(ask, realClock);
  archives.set(userId, archive);
  const leave = store.subscribe(({ session, imports }, before) => {
    if (session.me?.id !== userId) {
      leave();
      archives.delete(userId);
      archive.stop();
      return;
    }
    // The last write comes again after a lost connection.
    if (imports.ended !== null && imports.endedAt > before.imports.endedAt) archive.ended(imports.ended);
  });
  return archive;
}
