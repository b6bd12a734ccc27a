// Builds the only script that runs before the first paint (src/theme/early.js). The build inserts the names
// of the files that the first screen needs, and the oldest browsers. Browsers below these must be able to read the script. The script is inline in the page, so it costs no round trip. The
// server puts its hash into the content policy (src/http/front.rs).

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import type { Bundle } from "./chunks.ts";
import { FLOOR_WORDS } from "./floor.ts";
import { TAGS } from "./languages.ts";
import { FIRST, GUEST, chunkFor, closure, entryOf, stylesOf } from "./chunks.ts";

const SOURCE = "src/theme/early.js";
const LISTS = { guest: GUEST, member: FIRST };

export function early(): Plugin {
  let root = "";
  return {
    name: "early",
    configResolved: (config) => {
      ({ root } = config);
    },
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle }) => {
        const script =
          bundle === undefined
            ? { attrs: { src: `/${SOURCE}` } }
            : { children: make(readFileSync(join(root, SOURCE), "utf8"), bundle) };
        return [{ tag: "script", injectTo: "head-prepend", ...script }];
      },
    },
  };
}

function make(source: string, bundle: Bundle): string {
  const page = closure(bundle, [entryOf(bundle)]);
  let filled = source.replace('var floor = "";', `var floor = ${JSON.stringify(FLOOR_WORDS)};`);
  if (filled === source) throw new Error(`${SOURCE} has no place for the oldest browsers`);
  const withTags = filled.replace("var languages = [];", `var languages = ${JSON.stringify(TAGS)};`);
  if (withTags === filled) throw new Error(`${SOURCE} has no place for the languages`);
  filled = withTags;
  for (const [list, modules] of Object.entries(LISTS)) {
    const place = `var ${list} = [];`;
    if (!source.includes(place)) throw new Error(`${SOURCE} has no place for the files' names`);
    const chunks = [
      ...closure(
        bundle,
        modules.map((module) => chunkFor(bundle, module)),
      ),
    ].filter((file) => !page.has(file));
    const files = [...chunks, ...stylesOf(bundle, chunks)].map((file) => `/${file}`);
    filled = filled.replace(place, `var ${list} = ${JSON.stringify(files)};`);
  }
  // Only comments and the space at the beginning of lines are left out. The minifier would use the language of new
  // browsers.
  const code = filled
    .replace(/^\s*\/\/.*$/gmu, "")
    .replace(/\n\s*/gu, "\n")
    .trim();
  if (/<!|<\/script/iu.test(code)) throw new Error(`${SOURCE} would end its element`);
  return code;
}
