// Editing a post of one's own.
//
// Promises: what is typed stays until it is saved or cancelled, also when the reader goes elsewhere, the
// line breaks or the login ends; another device's edit never overwrites it. The same words are sent with
// the same key, so pressing again after a lost answer saves once.

import { GROUP_GONE, everyone } from "../../store/audiences";
import { ask } from "../../store/client";
import { loadPosts, loadRefreshed } from "../../store/load";
import type { Edit, Id, PostEntry, State } from "../../store/state";
import { groupOf, put, without } from "../../store/state";
import { store, update } from "../../store/store";
import { tidyLine, tidyText } from "../../store/words";
import { RefusedError } from "../../wire/ask";
import { newKey } from "../../wire/keys";
import type { Audience } from "../../wire/types.gen";

export type Edited = { title: string; text: string; audience: Audience };

export function beginEdit(postId: Id): void {
  update((s) => {
    const post = s.posts[postId];
    if (post === undefined || s.edits[postId] !== undefined) return s;
    return { ...s, edits: put(s.edits, postId, { title: null, text: null, audience: null, since: post.updated_at_ms }) };
  });
}

export function writeEdit(postId: Id, words: Partial<Edited>): void {
  update((s) => {
    const edit = s.edits[postId];
    if (edit === undefined) return s;
    // Until the first key is pressed, what another device says is simply what stands there.
    const since = isUntouched(edit) ? (s.posts[postId]?.updated_at_ms ?? edit.since) : edit.since;
    return { ...s, edits: put(s.edits, postId, { ...edit, ...words, since }) };
  });
}

const isUntouched = (edit: Edit): boolean => edit.title === null && edit.text === null && edit.audience === null;

export function endEdit(postId: Id): void {
  update((s) => ended(s, postId));
}

const ended = (state: State, postId: Id): State => ({ ...state, edits: without(state.edits, [postId]) });

/** What stands in the boxes: what was not touched follows the post. */
export function wordsOf(state: State, postId: Id): Edited {
  const post = state.posts[postId];
  const edit = state.edits[postId];
  return { title: edit?.title ?? post?.title ?? "", text: edit?.text ?? post?.text ?? "", audience: edit?.audience ?? post?.audience ?? everyone };
}

/** Whether there is something in the boxes that would be lost with the page. */
export function isUnsaved(state: State, postId: Id): boolean {
  const post = state.posts[postId];
  return post !== undefined && state.edits[postId] !== undefined && !says(post, wordsOf(state, postId));
}

/** Whether the post was changed elsewhere since the first of these words was typed, and says something else than they do. */
export function isOvertaken(state: State, postId: Id): boolean {
  const post = state.posts[postId];
  const edit = state.edits[postId];
  if (post === undefined || edit === undefined || isUntouched(edit)) return false;
  return post.updated_at_ms !== edit.since && !says(post, wordsOf(state, postId));
}

function says(post: PostEntry, words: Edited): boolean {
  return (post.title ?? "") === tidyLine(words.title) && post.text === tidyText(words.text) && isSame(post.audience, words.audience);
}

const isSame = (one: Audience, other: Audience): boolean => one.type === other.type && groupOf(one) === groupOf(other);

/** One edit: the same words keep the same key. */
export class Revision {
  private key = newKey();
  private sent = "";

  /** Saves what stands in the boxes, and closes them. Throws when the server refused; they are as they were. */
  async save(postId: Id): Promise<void> {
    const state = store.getState();
    const words = wordsOf(state, postId);
    const fields = {
      post_id: postId,
      title: tidyLine(words.title) || null,
      text: tidyText(words.text),
      audience: words.audience,
    };
    const body = JSON.stringify(fields);
    if (this.sent !== "" && this.sent !== body) this.key = newKey();
    this.sent = body;
    try {
      const ok = await ask("posts.update", { key: this.key, ...fields });
      update((s) => ended(loadPosts(s, { ...ok, posts: [ok.post] }), postId));
    } catch (error) {
      if (!(error instanceof RefusedError && error.code === "not_found")) throw error;
      await readAgain(postId);
      // The post is there: what is not is the group.
      const isThere = store.getState().posts[postId]?.removed === false;
      throw isThere && words.audience.type === "group" ? new RefusedError("not_found", GROUP_GONE, "audience") : error;
    }
  }
}

/** The post is gone and nobody told: the line that stays says so, and the words beside it are kept. */
async function readAgain(postId: Id): Promise<void> {
  const ok = await ask("posts.refresh", { post_ids: [postId] }).catch(() => null);
  if (ok !== null) update((s) => loadRefreshed(s, ok));
}
