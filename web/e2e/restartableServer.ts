// A separate Mellow, for stories about its end.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "@playwright/test";

/** A separate Mellow that can be restarted. */
export class RestartableServer {
  readonly address = `127.0.0.1:${Number(process.env["E2E_PORT"] ?? 18_080) + 50 + test.info().parallelIndex}`;
  /** Its data folder. */
  readonly folder = mkdtempSync(join(tmpdir(), "mellow-restarted-"));
  private process: ChildProcess | null = null;

  /** Starts it, with more settings if there are any. */
  async start(more: readonly string[] = []): Promise<void> {
    const settings = ["--listen", this.address, "--data", this.folder, "--password-memory-kib", "64"];
    this.process = spawn("../target/debug/mellow", [...settings, ...more], { stdio: "ignore" });
    const server = this.process;
    const state = () =>
      fetch(`http://${this.address}/readyz`).then(
        // If the address is in use, another server may answer, so this one must still run.
        ({ ok }) => (server.exitCode === null ? ok : "ended"),
        () => false,
      );
    await expect.poll(state, { intervals: [50] }).toBe(true);
  }

  /** Ends the server without a warning, like a power cut. */
  async kill(): Promise<void> {
    if (this.process === null || this.process.exitCode !== null) return;
    const ended = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await ended;
    this.process = null;
  }
}
