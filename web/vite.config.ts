import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { FIRST, GUEST, NEXT } from "./build/chunks.ts";
import { early } from "./build/early.ts";
import { weigh } from "./build/weigh.ts";
import { worker } from "./build/worker.ts";

const SERVER = "http://127.0.0.1:8080";
const COMPRESSIBLE = /\.(?:js|css|html|svg|json|txt|ico|webmanifest)$/u;
const NEXT_FILE = /^assets\/next-.*\.js$/u;
const FIRST_FONTS = /(?:figtree-latin-wght|fraunces-latin-500)-normal.*\.woff2$/u;

/** The fonts are wanted before the first paint, so the page asks for them before its style sheet does. */
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

/** Writes a .br and a .gz beside every file worth it, so that the server never compresses anything. */
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

/** The same few letters for all classes of a file, so that they cost next to nothing once compressed. */
function className(name: string, file: string): string {
  const path = relative(import.meta.dirname, file.replace(/\?.*$/u, ""));
  return `${name}_${createHash("sha256").update(path).digest("base64url").slice(0, 4)}`;
}

const among =
  (modules: readonly string[]) =>
  (id: string): boolean =>
    modules.some((module) => id.endsWith(`/${module}`));

export default defineConfig({
  plugins: [react(), preloadFonts(), early(), weigh(), worker(), compress()],
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
      // The router brings a stand-in for a function that React has had since its version 18.
      { find: "use-sync-external-store/shim/index.js", replacement: "react" },
      // msgpack-lite brings ways to send errors, regular expressions and typed arrays, which no frame has.
      { find: /^\.\/ext-(?:un)?packer$/u, replacement: resolve(import.meta.dirname, "build/noExtTypes.ts") },
      // It also brings arithmetic for numbers of four and eight bytes.
      { find: /^(?:int64-buffer|ieee754)$/u, replacement: resolve(import.meta.dirname, "build/numbers.ts") },
    ],
  },
  build: {
    outDir: "dist",
    assetsDir: "assets",
    // Small pictures inside style sheets would need `data:` in the content policy.
    assetsInlineLimit: 0,
    // Browsers that know light-dark(); older ones would get a rewriting of every colour.
    cssTarget: ["chrome123", "edge123", "firefox120", "safari17.5"],
    // The names of what each part imports would stand in the page's first files, 1.5 KiB of them. A part that is fetched
    // when it is needed takes one more round trip instead, once: the first screen's files are asked for by theme/early.js,
    // the others in a quiet moment, and the service worker keeps them all. What comes next is asked for together with its
    // style sheet: a newcomer's first post waits for it.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_file, files) => files.filter((file) => NEXT_FILE.test(file)),
    },
    // What every page needs is one file, what a guest's screens need beside it is another, and so are what a signed-in
    // person's first screen needs and what it fetches next. The bundler would cut them up as soon as other parts use some
    // of it too (rolldown#10731).
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
    // Guards against a hang, and measures nothing: a busy machine may take ten times as long as a quiet one.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Each file has a context of its own, in a thread that several share. On two cores all tests take 24 s like this, 52 with
    // a thread for each file.
    pool: "vmThreads",
    maxWorkers: "100%",
  },
});
