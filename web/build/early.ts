// Builds the one script that runs before the first paint (src/theme/early.js). It puts in the names of the
// files that the first screen needs. The file name contains a hash of the content, so that browsers can cache
// it.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { minifySync } from "vite";
import type { Plugin } from "vite";
import type { Bundle } from "./chunks.ts";
import { FIRST, GUEST, chunkFor, closure, entryOf, stylesOf } from "./chunks.ts";

const SOURCE = "src/theme/early.js";
const LISTS = { guest: GUEST, member: FIRST };

export function early(): Plugin {
  let root = "";
  let outDir = "";
  let made: { file: string; code: string } | null = null;
  return {
    name: "early",
    configResolved: (config) => {
      ({ root } = config);
      outDir = resolve(root, config.build.outDir);
    },
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle }) => {
        if (bundle !== undefined) made = make(readFileSync(join(root, SOURCE), "utf8"), bundle);
        return [{ tag: "script", attrs: { src: `/${made?.file ?? SOURCE}` }, injectTo: "head-prepend" }];
      },
    },
    writeBundle: () => {
      if (made === null) return;
      const path = join(outDir, made.file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, made.code);
    },
  };
}

function make(source: string, bundle: Bundle): { file: string; code: string } {
  const page = closure(bundle, [entryOf(bundle)]);
  let told = source;
  for (const [list, modules] of Object.entries(LISTS)) {
    const place = `const ${list} = [];`;
    if (!source.includes(place)) throw new Error(`${SOURCE} has no place for the files' names`);
    const wanted = [
      ...closure(
        bundle,
        modules.map((module) => chunkFor(bundle, module)),
      ),
    ].filter((file) => !page.has(file));
    const files = [...wanted, ...stylesOf(bundle, wanted)].map((file) => `/${file}`);
    told = told.replace(place, `const ${list} = ${JSON.stringify(files)};`);
  }
  const { code, errors } = minifySync(SOURCE, told, { module: false });
  if (errors.length > 0) throw new Error(`${SOURCE} could not be made smaller`);
  const hash = createHash("sha256").update(code).digest("base64url").slice(0, 8);
  return { file: `assets/early-${hash}.js`, code };
}
