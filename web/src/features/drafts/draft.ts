// Writes a draft as text into the browser's storage, and reads it. Text that cannot be parsed counts as no
// draft.

import type { Asked, Draft, PictureNote, Words } from "../shared/postDraft";
import { PICTURES_MAX } from "../shared/postDraft";
import type { Audience } from "../../engine/types.gen";
import { draftKey } from "./key";

export type TextStore = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** The storage of the browser. It is accessed only when needed, because it may be forbidden. */
export const browserStorage: TextStore = {
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, value) => localStorage.setItem(key, value),
  removeItem: (key) => localStorage.removeItem(key),
};

export function readDraft(storage: TextStore, userId: number): Draft | null {
  try {
    return parse(JSON.parse(storage.getItem(draftKey(userId)) ?? "null"));
  } catch {
    return null;
  }
}

/** Returns false if storage is full or forbidden. */
export function writeDraft(storage: TextStore, userId: number, draft: Draft): boolean {
  try {
    storage.setItem(draftKey(userId), JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

export function dropDraft(storage: TextStore, userId: number): void {
  try {
    storage.removeItem(draftKey(userId));
  } catch {
    // Without storage there is nothing to delete.
  }
}

function parse(held: unknown): Draft | null {
  if (!isRecord(held) || !isRecord(held["words"]) || !Array.isArray(held["pictures"])) return null;
  const { title, text, tag } = held["words"];
  if (typeof title !== "string" || typeof text !== "string" || typeof tag !== "string") return null;
  const words: Words = { title, text, tag };
  return {
    words,
    audience: audienceOf(held["audience"]),
    pictures: held["pictures"].filter(isNote).slice(0, PICTURES_MAX),
    asked: isAsked(held["asked"]) ? held["asked"] : null,
    sharedAtMs: typeof held["sharedAtMs"] === "number" ? held["sharedAtMs"] : null,
  };
}

/**
 * Reads an audience. A draft without one is older than groups, and is for everybody. An audience that cannot
 * be read becomes a deleted group, so that the post is never shared with more people.
 */
function audienceOf(held: unknown): Audience {
  if (held === undefined || (isRecord(held) && held["type"] === "public")) return { type: "public" };
  const id = isRecord(held) ? held["group_id"] : null;
  return { type: "group", group_id: typeof id === "number" && Number.isSafeInteger(id) ? id : null };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

function isNote(value: unknown): value is PictureNote {
  return (
    isRecord(value) &&
    typeof value["upload"] === "string" &&
    /^[0-9a-f]{32}$/u.test(value["upload"]) &&
    ["name", "type", "alt"].every((field) => typeof value[field] === "string") &&
    ["size", "index"].every((field) => typeof value[field] === "number")
  );
}

function isAsked(value: unknown): value is Asked {
  return (
    isRecord(value) &&
    typeof value["key"] === "string" &&
    /^[0-9a-f]{32}$/u.test(value["key"]) &&
    typeof value["body"] === "string"
  );
}
