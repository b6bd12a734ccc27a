// Builds the service worker (src/worker/sw.js). The build inserts the names of the files that the worker
// keeps, and a hash of their contents. The worker changes only if one of these files changes.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { minifySync } from "vite";
import type { Plugin } from "vite";

const SOURCE = "src/worker/sw.js";
/** Files that the worker keeps besides /assets, whose files have a hash in their names. */
const OTHERS = ["/", "/favicon.svg", "/favicon.ico", "/manifest.webmanifest", "/icons/192.png"];

export function worker(): Plugin {
  let root = "";
  let outDir = "";
  return {
    name: "worker",
    apply: "build",
    configResolved: (config) => {
      ({ root } = config);
      outDir = resolve(root, config.build.outDir);
    },
    // This hook runs after every file of the build is written, and before the files are compressed.
    writeBundle: () => write(join(root, SOURCE), outDir),
  };
}

function write(source: string, outDir: string): void {
  const files = [...readdirSync(join(outDir, "assets")).map((file) => `/assets/${file}`), ...OTHERS].sort();
  const hash = createHash("sha256");
  for (const file of files)
    hash.update(file).update(readFileSync(join(outDir, file === "/" ? "index.html" : file)));
  const filled = readFileSync(source, "utf8")
    .replace('const build = "";', `const build = "${hash.digest("base64url").slice(0, 12)}";`)
    .replace("const files = [];", `const files = ${JSON.stringify(files)};`);
  const { code, errors } = minifySync(source, filled, { module: false });
  if (errors.length > 0 || !code.includes("/favicon.svg")) throw new Error(`${source} could not be built`);
  writeFileSync(join(outDir, "sw.js"), code);
}
