// Comments: read the rest of a thread, and write a comment.
//
// Promises: typed text stays until the server has it, even if the reader leaves the page meanwhile; a comment
// keeps its key, so it appears once however often it was sent.

import { commentConfirmed, storeCommentPage } from "../shared/posts/thread";
import { ask } from "../../engine/client";
import type { Loads } from "../../engine/feature";
import type { Fields, Ok } from "../../engine/frames";
import { storeUsers } from "../shared/people/people";
import { pendComment, unpendComment } from "../shared/pending";
import type { Audience } from "../../engine/types.gen";
import type { Id, State } from "../../engine/state";
import type { DraftMention } from "./state";
import type { Opened } from "../shared/posts/types";
import { put, without } from "../../engine/state";
import { store, update } from "../../engine/store";
import { newKey } from "../../engine/keys";

/** The message after a deletion that failed. */
export const STILL_HERE = "That comment is still here. Please try again.";

export const COMMENT_CHARS_MAX = 500;
const PAGES_MAX = 10;

export const loads = { "comments.page": loadComments } satisfies Loads;

function loadComments(state: State, ok: Ok<"comments.page">, { post_id, after }: Fields<"comments.page">) {
  const next = storeUsers(state, ok.users, ok.seq);
  return storeCommentPage(next, post_id, after, ok.comments, ok.comments_count, ok.seq);
}

export type Place = "card" | "page";

/**
 * Returns how much of a thread is open: at first all of it on the post's own page, and the two oldest
 * comments on a card.
 */
export function openedHere(state: State, place: Place, postId: Id): Opened {
  return state.opened[`${place}:${postId}`] ?? (place === "page" ? "all" : "two");
}

export function open(place: Place, postId: Id, opened: Opened): void {
  update((s) => ({ ...s, opened: { ...s.opened, [`${place}:${postId}`]: opened } }));
}

/** Reads the next page of the thread, and returns whether there is another. Throws a RefusedError. */
export async function readMore(postId: Id): Promise<boolean> {
  const post = store.getState().posts[postId];
  if (post === undefined || post.removed || post.thread.length >= post.comments_count) return false;
  const fields = { post_id: postId, after: post.thread.at(-1) ?? null };
  const ok = await ask("comments.page", fields);
  update((s) => loadComments(s, ok, fields));
  return ok.more;
}

/** Reads the thread to its end, or at most PAGES_MAX pages of it. */
export async function readRest(postId: Id): Promise<void> {
  for (let page = 0; page < PAGES_MAX; page += 1) if (!(await readMore(postId))) return;
}

const unwrite = (state: State, postId: Id): State => ({
  ...state,
  drafts: without(state.drafts, [postId]),
  meant: without(state.meant, [postId]),
});

/** What an earlier page sent: its key, and the audience that the writer saw. */
type Sent = { key: ArrayBuffer; audience: Audience };

/** Sent if the audience is unknown. The server then refuses, because nobody can comment on a post with this audience. */
const unknown: Audience = { type: "author" };

let lastLocal = 0;

/** Sends a comment, or resends one of an earlier page. Throws a RefusedError. */
export async function comment(place: Place, postId: Id, text: string, again?: Sent): Promise<void> {
  lastLocal += 1;
  const local = lastLocal;
  const behind = Math.max(0, ...(store.getState().posts[postId]?.thread ?? []));
  // The server refuses the comment if the post has another audience by then.
  const { key, audience } = again ?? {
    key: newKey(),
    audience: store.getState().posts[postId]?.audience ?? unknown,
  };
  update((s) => pendComment(s, { local, post_id: postId, text, behind }));
  try {
    const ok = await ask("comments.create", { key, post_id: postId, text, audience });
    update((s) => commentConfirmed(unpendComment(unwrite(s, postId), local), ok.comment, ok.seq));
    const post = store.getState().posts[postId];
    if (
      post !== undefined &&
      !(
        openedHere(store.getState(), place, postId) === "two" &&
        post.thread.slice(0, 2).includes(ok.comment.id)
      )
    ) {
      open(place, postId, "all");
      // The comment is posted, so a failure here only leaves the button for the other comments.
      await readRest(postId).catch(() => undefined);
    }
  } catch (error) {
    update((s) => unpendComment(s, local));
    throw error;
  }
}

/** Keeps what is typed under a post, and whom it mentions, while the reader is on another page. */
export function write(postId: Id, text: string, meant: DraftMention[]): void {
  update((s) =>
    text === ""
      ? unwrite(s, postId)
      : { ...s, drafts: put(s.drafts, postId, text), meant: put(s.meant, postId, meant) },
  );
}
