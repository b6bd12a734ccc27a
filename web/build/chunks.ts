// Finds the files of a build that a page needs. A file needs everything that it imports. Files that it
// fetches later do not count.

import type { Rolldown } from "vite";

export type Chunk = Rolldown.OutputChunk;
export type Bundle = Rolldown.OutputBundle;

/** The modules that a signed-in person's first screen needs beside the page's own file. */
export const FIRST = ["src/app/client.ts", "src/app/Account.tsx", "src/app/screens/HomeScreen.tsx"];

/**
 * The modules that this screen fetches as soon as it is shown. They are one file, to save twenty round trips.
 */
export const NEXT = [
  "src/app/AccountMenu.tsx",
  "src/app/FirstDays.tsx",
  "src/app/offline/begin.ts",
  "src/features/feed/EmptySpace.tsx",
  "src/features/moods/VibeCheck.tsx",
  "src/features/posts/ContentNote.tsx",
  "src/features/shared/people/PersonMenu.tsx",
  "src/features/shortcuts/Shortcuts.tsx",
];

export const chunksOf = (bundle: Bundle): Chunk[] =>
  Object.values(bundle).filter((file) => file.type === "chunk");

/** The modules that a guest's first screen needs beside the page's own file. */
export const GUEST = [
  "src/app/screens/WelcomeScreen.tsx",
  "src/app/screens/LoginScreen.tsx",
  "src/app/screens/SignupScreen.tsx",
  "src/features/shared/language/GuestLanguage.tsx",
];

/** Returns the page's own file. */
export function entryOf(bundle: Bundle): Chunk {
  const entry = chunksOf(bundle).find((chunk) => chunk.isEntry);
  if (entry === undefined) throw new Error("the build has no entry");
  return entry;
}

/** Returns the file of the build that contains a module. */
export function chunkFor(bundle: Bundle, module: string): Chunk {
  const found = chunksOf(bundle).find((chunk) => chunk.facadeModuleId?.endsWith(`/${module}`) === true);
  const holds =
    found ?? chunksOf(bundle).find((chunk) => chunk.moduleIds.some((id) => id.endsWith(`/${module}`)));
  if (holds === undefined) throw new Error(`no file of the build holds ${module}`);
  return holds;
}

/** Returns the names of these files and of all that they import. */
export function closure(bundle: Bundle, from: readonly Chunk[]): Set<string> {
  const held = new Set<string>();
  const add = (name: string): void => {
    const file = bundle[name];
    if (held.has(name) || file?.type !== "chunk") return;
    held.add(name);
    for (const other of file.imports) add(other);
  };
  for (const chunk of from) add(chunk.fileName);
  return held;
}

/** Returns the style sheets that belong to these files. */
export function stylesOf(bundle: Bundle, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const file = bundle[name];
    return file?.type === "chunk" ? [...(file.viteMetadata?.importedCss ?? [])] : [];
  });
}
