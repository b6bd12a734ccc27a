// Browser stories. They start a Mellow of their own, the development build, with an empty folder of
// data and without rate limits; nothing of a Mellow that runs on this machine is touched.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { defineConfig, devices } from "@playwright/test";

const launchOptions = {
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};

const port = process.env["E2E_PORT"] ?? "18080";
// Workers read this file again; the folder is made once, by whoever comes first.
const data = (process.env["E2E_DATA"] ??= mkdtempSync(join(tmpdir(), "mellow-e2e-")));
const withoutLimits = [
  "requests-per-second",
  "posts-per-day",
  "comments-per-hour",
  "follows-per-day",
  "votes-per-minute",
  "searches-per-minute",
  "logins-per-quarter",
  "sign-ups-per-hour",
  "mails-per-hour",
  "profile-edits-per-hour",
  "exports-per-day",
  "sockets-per-address",
  "sockets-per-login",
]
  .map((name) => `--${name} 0`)
  .join(" ");

export default defineConfig({
  testDir: "e2e",
  fullyParallel: false,
  workers: 1,
  forbidOnly: !!process.env["CI"],
  reporter: "list",
  timeout: 30_000,
  expect: { timeout: 10_000 },
  use: { baseURL: `http://127.0.0.1:${port}`, launchOptions, trace: "retain-on-failure" },
  webServer: {
    command: `../target/debug/mellow --listen 127.0.0.1:${port} --data ${data} ${withoutLimits} --password-memory-kib 64`,
    url: `http://127.0.0.1:${port}/readyz`,
    reuseExistingServer: false,
    gracefulShutdown: { signal: "SIGTERM", timeout: 5_000 },
    stdout: "ignore",
    stderr: "pipe",
  },
  projects: [{ name: "desktop", use: { ...devices["Desktop Chrome"], launchOptions } }],
});
