// Writes a draft as text into the browser's storage, and reads it. Text that cannot be parsed counts as no
// draft.

import type { Asked, Draft, PictureNote, Words } from "../shared/postDraft";
import { PICTURES_MAX } from "../shared/postDraft";
import type { Audience } from "../../engine/types.gen";
import type { TextStore } from "../../storage";
import { draftKey } from "./key";

export function readDraft(storage: TextStore, userId: number): Draft | null {
  try {
    return parse(JSON.parse(storage.getItem(draftKey(userId)) ?? "null"));
  } catch {
    // The text is not JSON.
    return null;
  }
}

/** Returns false if storage is full or refused; the draft then lasts only as long as the page. */
export const writeDraft = (storage: TextStore, userId: number, draft: Draft): boolean =>
  storage.setItem(draftKey(userId), JSON.stringify(draft));

export const dropDraft = (storage: TextStore, userId: number): void => storage.removeItem(draftKey(userId));

/**
 * Returns the audience of a restored draft at this address. A person who comes from a group writes for the group, so a
 * draft for everyone does not stay one. A post that may have been created keeps its audience, because its key belongs to
 * it.
 */
export const audienceAt = (address: Audience, { audience, asked }: Draft): Audience =>
  audience.type === "public" && asked === null ? address : audience;

function parse(held: unknown): Draft | null {
  if (!isRecord(held) || !isRecord(held["words"]) || !Array.isArray(held["pictures"])) return null;
  // A draft that an earlier version saved has no content note.
  const { title, text, tag, content_note = "" } = held["words"];
  if (
    typeof title !== "string" ||
    typeof text !== "string" ||
    typeof tag !== "string" ||
    typeof content_note !== "string"
  )
    return null;
  const words: Words = { title, text, tag, content_note };
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
