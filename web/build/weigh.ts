// Checks the sizes of the files that browsers must fetch. The build prints the sizes, and fails if one is
// over its limit.

import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";
import { FIRST, GUEST, NEXT, chunkFor, chunksOf, closure, entryOf, stylesOf } from "./chunks.ts";
import type { Bundle } from "./chunks.ts";

/** Each limit is in KiB, compressed with gzip. */
const GUEST_MAX = 100;
const MEMBER_MAX = 120;
const ROUTE_MAX = 25;
const JS_MAX = 260;
/** All styles that the first screen of a signed-in person needs. */
const CSS_START_MAX = 12;
/** All styles of the app; each file is compressed by itself. */
const CSS_MAX = 29;
/** Each file of a language: the words of all screens, the refusals and sixty themes. Its readers alone fetch it. */
const LANGUAGE_MAX = 28;

/** Screens that guests open too. A guest has not fetched what a signed-in person's first screen needs. */
const GUEST_SCREENS = ["AwayScreen", "InviteScreen", "MailScreen", "NotFoundScreen"];

type Figure = { what: string; kib: number; max: number };

export function weigh(): Plugin {
  return {
    name: "weigh",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const figures = measure(bundle);
        for (const { what, kib, max } of figures)
          this.info(`${what}: ${kib.toFixed(1)} of ${String(max)} KiB`);
        const over = figures.filter(({ kib, max }) => kib > max);
        if (over.length > 0)
          this.error(
            `too much to fetch: ${over.map(({ what, kib, max }) => `${what}, ${kib.toFixed(1)} of ${String(max)} KiB`).join("; ")}`,
          );
      },
    },
  };
}

function measure(bundle: Bundle): Figure[] {
  const kib = (files: Iterable<string>): number =>
    [...files].reduce((sum, name) => sum + weight(bundle, name), 0) / 1_024;
  const start = closure(bundle, [entryOf(bundle)]);
  const guest = new Set([
    ...start,
    ...closure(
      bundle,
      GUEST.map((module) => chunkFor(bundle, module)),
    ),
  ]);
  const member = new Set([
    ...start,
    ...closure(
      bundle,
      FIRST.map((module) => chunkFor(bundle, module)),
    ),
  ]);
  const next = new Set([
    ...member,
    ...closure(
      bundle,
      NEXT.map((module) => chunkFor(bundle, module)),
    ),
  ]);
  const held = (screen: string): Set<string> => (GUEST_SCREENS.includes(screen) ? guest : next);
  const routes = chunksOf(bundle).filter(
    (chunk) => chunk.isDynamicEntry && chunk.facadeModuleId?.includes("/src/app/screens/") === true,
  );
  const css = Object.keys(bundle).filter((name) => name.endsWith(".css"));
  return [
    { what: "a guest's start", kib: kib(guest), max: GUEST_MAX },
    { what: "a signed-in person's start", kib: kib(member), max: MEMBER_MAX },
    { what: "then what comes next", kib: kib([...next].filter((name) => !member.has(name))), max: ROUTE_MAX },
    ...routes.map((chunk) => ({
      what: `then ${chunk.name}`,
      kib: kib([...closure(bundle, [chunk])].filter((name) => !held(chunk.name).has(name))),
      max: ROUTE_MAX,
    })),
    { what: "all scripts", kib: kib(chunksOf(bundle).map((chunk) => chunk.fileName)), max: JS_MAX },
    {
      what: "the styles of a signed-in person's start",
      kib: kib(stylesOf(bundle, [...member])),
      max: CSS_START_MAX,
    },
    { what: "all styles", kib: kib(css), max: CSS_MAX },
    ...Object.keys(bundle)
      .filter((name) => name.startsWith("languages/") && name !== "languages/en.json")
      .map((name) => ({ what: name, kib: kib([name]), max: LANGUAGE_MAX })),
  ];
}

function weight(bundle: Bundle, name: string): number {
  const file = bundle[name];
  if (file === undefined) return 0;
  return gzipSync(file.type === "chunk" ? file.code : file.source, { level: 9 }).length;
}
