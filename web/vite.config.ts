import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { FIRST, GUEST, NEXT } from "./build/chunks.ts";
import { early } from "./build/early.ts";
import { TARGET } from "./build/floor.ts";
import { languages } from "./build/languages.ts";
import { weigh } from "./build/weigh.ts";
import { worker } from "./build/worker.ts";

const SERVER = "http://127.0.0.1:8080";
const COMPRESSIBLE = /\.(?:js|css|html|svg|json|txt|ico|webmanifest)$/u;
const NEXT_FILE = /^assets\/next-.*\.js$/u;
const FIRST_FONTS = /(?:figtree-latin-wght|fraunces-latin-500)-normal.*\.woff2$/u;

/** Adds preload links for the fonts of the first paint. Without them they are requested after the style sheet. */
function preloadFonts(): Plugin {
  return {
    name: "preload-fonts",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter((file) => FIRST_FONTS.test(file))
          .map((file) => ({
            tag: "link",
            attrs: { rel: "preload", href: `/${file}`, as: "font", type: "font/woff2", crossorigin: "" },
            injectTo: "head",
          })),
    },
  };
}

/** Writes a .br and a .gz beside each file that becomes smaller, so that the server compresses nothing. */
function compress(): Plugin {
  let outDir = "";
  return {
    name: "compress",
    apply: "build",
    configResolved: (config) => {
      outDir = resolve(config.root, config.build.outDir);
    },
    closeBundle: {
      order: "post",
      handler: () => {
        for (const file of filesIn(outDir)) {
          if (!COMPRESSIBLE.test(file)) continue;
          const bytes = readFileSync(file);
          const brotli = brotliCompressSync(bytes, {
            params: {
              [constants.BROTLI_PARAM_QUALITY]: 11,
              [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
            },
          });
          const gzip = gzipSync(bytes, { level: 9 });
          if (brotli.length < bytes.length) writeFileSync(`${file}.br`, brotli);
          if (gzip.length < bytes.length) writeFileSync(`${file}.gz`, gzip);
        }
      },
    },
  };
}

function filesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });
}

/** Returns the name of a style class. All classes of a file have the same suffix, which compresses well. */
function className(name: string, file: string): string {
  const path = relative(import.meta.dirname, file.replace(/\?.*$/u, ""));
  return `${name}_${createHash("sha256").update(path).digest("base64url").slice(0, 4)}`;
}

/** Returns a function that finds these modules by the end of their path. */
const among =
  (modules: readonly string[]) =>
  (id: string): boolean =>
    modules.some((module) => id.endsWith(`/${module}`));

export default defineConfig({
  plugins: [react(), preloadFonts(), early(), languages(), weigh(), worker(), compress()],
  server: {
    proxy: {
      "/ws": { target: SERVER, ws: true },
      "/session": { target: SERVER },
      "/media": { target: SERVER },
      "/export": { target: SERVER },
      "/healthz": { target: SERVER },
    },
  },
  resolve: {
    alias: [
      // The router replaces a function that older versions of React do not have. React 18 and later have it.
      { find: "use-sync-external-store/shim/index.js", replacement: "react" },
      // msgpack-lite can send errors, regular expressions and typed arrays. No frame has them.
      { find: /^\.\/ext-(?:un)?packer$/u, replacement: resolve(import.meta.dirname, "build/noExtTypes.ts") },
      // It also has its own arithmetic for numbers of four and eight bytes. Browsers read and write them.
      { find: /^(?:int64-buffer|ieee754)$/u, replacement: resolve(import.meta.dirname, "build/numbers.ts") },
      // And it knows browsers without typed arrays.
      { find: /^\.\/bufferish(?:-proto)?$/u, replacement: resolve(import.meta.dirname, "build/bytes.ts") },
      // The app finds the screen of an address itself (src/app/Routes.tsx).
      { find: "regexparam", replacement: resolve(import.meta.dirname, "build/pathPattern.ts") },
      // The icons' own function is larger than most of the icons that the first screen shows.
      { find: "../createLucideIcon.mjs", replacement: resolve(import.meta.dirname, "build/icon.ts") },
    ],
  },
  build: {
    outDir: "dist",
    assetsDir: "assets",
    // Pictures stay files. Inside a style sheet they would need `data:` in the content policy.
    assetsInlineLimit: 0,
    target: TARGET,
    cssTarget: TARGET,
    // Preloads of the imports of each part are left out, because their names cost 1.5 KiB in the first files. A part then
    // needs one more round trip when it is fetched for the first time. theme/early.js requests the files of the first
    // screen, and the other files are fetched ahead and kept by the service worker. Only the group `next` and its style
    // sheet are preloaded, because a newcomer's first post waits for them.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_file, files) => files.filter((file) => NEXT_FILE.test(file)),
    },
    // Each group is one file: what every page needs, what a guest's screens need besides, what a signed-in person's first
    // screen needs, and what that screen fetches next. Without groups the bundler splits off each module that other parts
    // use too (rolldown#10731).
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "start", tags: ["$initial"], priority: 3 },
            { name: "guest", test: among(GUEST), priority: 2 },
            { name: "first", test: among(FIRST), priority: 1 },
            { name: "next", test: among(NEXT), priority: 0 },
          ],
        },
      },
    },
    reportCompressedSize: false,
  },
  css: { modules: { localsConvention: "camelCaseOnly", generateScopedName: className } },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/testing/setup.ts"],
    restoreMocks: true,
    // The check of every page (testing/setup.ts) comes before the hook of a test's file that empties the page.
    sequence: { hooks: "list" },
    // These limits only end a test that hangs. A busy machine may need ten times as long as a quiet one.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Each test file has its own context, and several files share a thread. On two cores all tests then take 24 s. With a
    // thread for each file they take 52 s.
    pool: "vmThreads",
    maxWorkers: "100%",
  },
});
