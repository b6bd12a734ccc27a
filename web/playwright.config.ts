// Browser stories. Each worker has a separate Mellow: the development build, with an empty data folder and
// without rate limits. So a setting of the whole site that one story changes is not visible to a story that
// runs at the same time. A Mellow that already runs on this machine is not used.

import { mkdtempSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";

import {
  type PlaywrightTestOptions,
  type PlaywrightWorkerOptions,
  type Project,
  defineConfig,
  devices,
} from "@playwright/test";

import { firefoxOptions, letFirefoxOpen } from "./e2e/engines/firefox";
import type { Engine } from "./e2e/engines/tab";

type OfWorker = { engine: Engine; other: Engine };

// Each window of Chromium loads two pages for the list under its address bar. Their hundreds of scripts are more work
// than Mellow's own page. No story types an address, so these pages are turned off.
const addressBar = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup"];
// Chromium reads only the last `--disable-features`, so this list repeats what Playwright turns off. A story in
// basics.test.ts fails if an entry of Playwright's list is missing here.
const turnedOff = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "TcpPortRandomizationWin",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
  "msForceBrowserSignIn",
  "msEdgeUpdateLaunchServicesPreferredVersion",
];

const launchOptions = {
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    // Without this the spaces between letters differ from those in a window, and lines break at other places.
    "--font-render-hinting=none",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    `--disable-features=${[...turnedOff, ...addressBar].join(",")}`,
  ],
};

/** Set by `scripts/prove web`: runs the stories that take too long for every change, on the optimised program. */
const isProof = process.env["E2E_PROOF"] !== undefined;
const program = process.env["E2E_PROGRAM"] ?? `../target/${isProof ? "release" : "debug"}/mellow`;
const workers = isProof
  ? 1
  : Number(process.env["E2E_WORKERS"] ?? Math.min(4, Math.max(2, availableParallelism())));
// Each worker reads this file again, with its number in the environment.
const worker = Number(process.env["TEST_PARALLEL_INDEX"] ?? 0);
// The first process makes the folder, and the others read its name from the environment.
const data = (process.env["E2E_FOLDER"] ??= mkdtempSync(join(tmpdir(), "mellow-e2e-")));
const folder = (nth: number) => join(data, `${nth}`);
const address = (nth: number) => `127.0.0.1:${Number(process.env["E2E_PORT"] ?? 18080) + nth}`;
process.env["E2E_DATA"] = folder(worker);

/** The engine in which the stories of `e2e/engines` run. If there is none, the stories of Chromium run. */
const engine = process.env["E2E_ENGINE"] as Engine | undefined;
/** Set by `scripts/prove browsers`: runs stories of Chromium in Firefox, of the files that were seen to pass there. */
const isFirefox = process.env["E2E_FIREFOX"] !== undefined;
const isInstalled = { chromium: true, firefox: !!process.env["FIREFOX"], webkit: !!process.env["WEBKIT"] };
/** The engine in which Ben meets Ana, if it is installed. */
const others = { chromium: "firefox", firefox: "webkit", webkit: "firefox" } as const;
const chromium = { ...devices["Desktop Chrome"], launchOptions };
const project: Project<PlaywrightTestOptions, PlaywrightWorkerOptions & OfWorker> =
  engine !== undefined
    ? {
        name: engine,
        testMatch: "*.story.ts",
        // `scripts/prove browsers` runs these too.
        ...(process.env["E2E_ALL"] === undefined ? { grepInvert: /@prove/ } : {}),
        // Without a device each engine has its own name.
        use: { launchOptions, engine, other: isInstalled[others[engine]] ? others[engine] : "chromium" },
      }
    : isFirefox
      ? {
          name: "firefox",
          testMatch: [
            "account.test.ts",
            "accountDeletion.test.ts",
            "admin.test.ts",
            "basics.test.ts",
            "block.test.ts",
            "browserState.test.ts",
            "calmHome.test.ts",
            "groups.test.ts",
            "guests.test.ts",
            "home.test.ts",
            "moodsAndPolls.test.ts",
            "newcomers.test.ts",
            "nothingMoves.test.ts",
            "notifications.test.ts",
            "oldBrowser.test.ts",
            "people.test.ts",
            "refused.test.ts",
            "settings.test.ts",
            "translated.test.ts",
            "wideWords.test.ts",
            "writing.test.ts",
          ],
          use: { browserName: "firefox", launchOptions: firefoxOptions },
        }
      : { name: "desktop", use: chromium };
if (isInstalled.firefox) letFirefoxOpen();

const withoutLimits = [
  "requests-per-second",
  "http-requests-per-minute",
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
  "imports-per-day",
  "sockets-per-address",
  "sockets-per-login",
]
  .map((name) => `--${name} 0`)
  .join(" ");

export default defineConfig<PlaywrightTestOptions, PlaywrightWorkerOptions & OfWorker>({
  testDir: "e2e",
  testMatch: isProof ? "*.proof.ts" : "*.test.ts",
  fullyParallel: true,
  workers,
  forbidOnly: !!process.env["CI"],
  reporter: "list",
  // These limits only end a story that hangs. A busy machine may need ten times as long as a quiet one.
  timeout: isProof ? 1_800_000 : 300_000,
  expect: { timeout: 30_000 },
  // Traces cost a quarter of the processor's time. `TRACE=1` records them and keeps those of failed stories.
  use: {
    baseURL: `http://${address(worker)}`,
    actionTimeout: 30_000,
    navigationTimeout: 60_000,
    launchOptions,
    trace: process.env["TRACE"] ? "retain-on-failure" : "off",
  },
  webServer: Array.from({ length: workers }, (_, nth) => ({
    command: `${program} --listen ${address(nth)} --data ${folder(nth)} ${withoutLimits} --password-memory-kib 64`,
    url: `http://${address(nth)}/readyz`,
    reuseExistingServer: false,
    gracefulShutdown: { signal: "SIGTERM" as const, timeout: 5_000 },
    stdout: "ignore" as const,
    stderr: "pipe" as const,
  })),
  projects: [project],
});
