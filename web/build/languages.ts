// Puts the files of languages (web/languages) into the build, as they are. English is in the code: its file lists the
// texts for translators.

import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Plugin } from "vite";

const FOLDER = resolve(import.meta.dirname, "../languages");

/** The tags of all languages of this build, English first. */
export const TAGS: readonly string[] = [
  "en",
  ...readdirSync(FOLDER)
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.replace(/\.json$/u, ""))
    .filter((tag) => tag !== "en")
    .sort(),
];

export function languages(): Plugin {
  return {
    name: "languages",
    configureServer(server) {
      server.middlewares.use("/languages", (request, response, next) => {
        const tag = TAGS.find((one) => request.url?.split("?")[0] === `/${one}.json`);
        if (tag === undefined) next();
        else
          response
            .setHeader("content-type", "application/json")
            .end(readFileSync(join(FOLDER, `${tag}.json`)));
      });
    },
    generateBundle() {
      for (const tag of TAGS)
        this.emitFile({
          type: "asset",
          fileName: `languages/${tag}.json`,
          source: sourceOf(tag),
        });
    },
  };
}

/** The file of a language has none of the spaces that people need. Translators copy the English one, which has them. */
function sourceOf(tag: string): string {
  const text = readFileSync(join(FOLDER, `${tag}.json`), "utf8");
  return tag === "en" ? text : JSON.stringify(JSON.parse(text));
}
