// Test fixture: a server that saves posts with their uploaded pictures, once per key.

import { RefusedError } from "../engine/ask";
import { hexOf } from "../features/shared/postDraft";
import type { FakeUploadServer } from "./fakeUploads";
import { aView } from "./fixtures";

/** The saved posts, by key. */
export type SavedPosts = Map<string, { text: unknown; pictures: string[]; alts: unknown[] }>;

/** Answers every request that is not an upload. A post whose pictures are not uploaded is refused. */
export function takingPosts(
  uploads: FakeUploadServer,
  posts: SavedPosts,
  authorId: number,
): FakeUploadServer["other"] {
  return ({ op, key, text, pictures }) => {
    if (op !== "posts.create") return { posts: [], users: [], groups: [], gone: [], seq: 12 };
    const chosen = (pictures ?? []) as { upload: ArrayBuffer; alt: string | null }[];
    const named = chosen.map((one) => hexOf(one.upload));
    const name = hexOf(key as ArrayBuffer);
    if (!posts.has(name)) {
      if (named.some((upload) => uploads.held.get(upload)?.isJudged !== true))
        throw new RefusedError("upload_gone", "Again.", "pictures");
      posts.set(name, { text, pictures: named, alts: chosen.map((one) => one.alt) });
      for (const upload of named) uploads.held.delete(upload);
    }
    return { post: aView(100 + posts.size, { author_id: authorId }), users: [], groups: [], seq: 12 };
  };
}
