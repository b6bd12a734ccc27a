// The edit of the viewer's own post.
//
// Promises: typed text stays until it is saved or cancelled, even if the page is left, the connection is lost
// or the login ends. An edit on another device never overwrites it. The same text has the same key, so a
// second press after a lost reply saves once.

import { GROUP_GONE, everyone } from "../shared/groups/useAudiences";
import { ask } from "../../engine/client";
import { loadRefreshed } from "../shared/posts/read";
import { postUpdated } from "../shared/posts/posts";
import type { Edit } from "./state";
import type { Id, State } from "../../engine/state";
import type { PostEntry } from "../shared/posts/types";
import { groupOf, isAlone } from "../shared/groups/audience";
import { put, without } from "../../engine/state";
import { store, update } from "../../engine/store";
import { say } from "../../say";
import { tidyLine, tidyText } from "../shared/text";
import { RefusedError } from "../../engine/ask";
import type { RequestKey } from "../../engine/keys";
import type { Audience } from "../../engine/types.gen";

export type Edited = { title: string; text: string; content_note: string; audience: Audience };

export function beginEdit(postId: Id): void {
  update((s) => {
    const post = s.posts[postId];
    if (post === undefined || s.edits[postId] !== undefined) return s;
    const untouched = { title: null, text: null, content_note: null, audience: null };
    return { ...s, edits: put(s.edits, postId, { ...untouched, since: post.updated_at_ms }) };
  });
}

export function writeEdit(postId: Id, words: Partial<Edited>): void {
  update((s) => {
    const edit = s.edits[postId];
    if (edit === undefined) return s;
    // Until something is typed, an edit of another device is part of the unchanged post.
    const since = isUntouched(edit) ? (s.posts[postId]?.updated_at_ms ?? edit.since) : edit.since;
    return { ...s, edits: put(s.edits, postId, { ...edit, ...words, since }) };
  });
}

const isUntouched = (edit: Edit): boolean =>
  edit.title === null && edit.text === null && edit.content_note === null && edit.audience === null;

export function endEdit(postId: Id): void {
  update((s) => ended(s, postId));
}

const ended = (state: State, postId: Id): State => ({ ...state, edits: without(state.edits, [postId]) });

/** Returns the audience as a choice: nobody chooses a group that was deleted. */
const chosen = (audience: Audience): Audience => (isAlone(audience) ? alone : audience);
const alone: Audience = { type: "author" };

/** Returns the values of the fields. An untouched field has the value of the post. */
export function fieldsOf(state: State, postId: Id): Edited {
  const post = state.posts[postId];
  const edit = state.edits[postId];
  return {
    title: edit?.title ?? post?.title ?? "",
    text: edit?.text ?? post?.text ?? "",
    content_note: edit?.content_note ?? post?.content_note ?? "",
    audience: edit?.audience ?? (post === undefined ? everyone : chosen(post.audience)),
  };
}

/** Returns whether the fields have text that would be lost with the page. */
export function isUnsaved(state: State, postId: Id): boolean {
  const post = state.posts[postId];
  return (
    post !== undefined && state.edits[postId] !== undefined && !isUnchanged(post, fieldsOf(state, postId))
  );
}

/** Returns whether the post was changed elsewhere since the edit began, and differs from the typed text. */
export function isOvertaken(state: State, postId: Id): boolean {
  const post = state.posts[postId];
  const edit = state.edits[postId];
  if (post === undefined || edit === undefined || isUntouched(edit)) return false;
  return post.updated_at_ms !== edit.since && !isUnchanged(post, fieldsOf(state, postId));
}

function isUnchanged(post: PostEntry, words: Edited): boolean {
  return (
    (post.title ?? "") === tidyLine(words.title) &&
    post.text === tidyText(words.text) &&
    (post.content_note ?? "") === tidyLine(words.content_note) &&
    isSame(chosen(post.audience), words.audience)
  );
}

const isSame = (one: Audience, other: Audience): boolean =>
  one.type === other.type && groupOf(one) === groupOf(other);

/** Saves the fields and ends the edit. Throws if the server refuses; then the fields stay as they were. */
export async function saveEdit(postId: Id, key: RequestKey): Promise<void> {
  const state = store.getState();
  const words = fieldsOf(state, postId);
  const fields = {
    post_id: postId,
    title: tidyLine(words.title) || null,
    text: tidyText(words.text),
    // An empty text removes the note. Without the field it would stay.
    content_note: tidyLine(words.content_note),
    audience: words.audience,
  };
  try {
    const ok = await ask("posts.update", { key: key.for(fields), ...fields });
    update((s) => ended(postUpdated(s, { ev: "posts.updated", ...ok }), postId));
  } catch (error) {
    if (!(error instanceof RefusedError && error.code === "not_found")) throw error;
    await readAgain(postId);
    // The post exists, so the group is missing.
    const isThere = store.getState().posts[postId]?.removed === false;
    throw isThere && words.audience.type === "group"
      ? new RefusedError("not_found", say(GROUP_GONE), "audience")
      : error;
  }
}

/** Reads a post again that the server did not find, although no event announced its deletion. */
async function readAgain(postId: Id): Promise<void> {
  // If this fails, the refusal of the edit is shown as it is.
  const ok = await ask("posts.refresh", { post_ids: [postId] }).catch(() => null);
  if (ok !== null) update((s) => loadRefreshed(s, ok));
}
