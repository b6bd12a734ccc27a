// Keeps what is below a post at its place while others comment on it, edit it or delete it in sight.
//
// Promise: the page scrolls by as much as the post gets higher. A post that gets lower keeps its height until the
// viewer presses something in it, or it is loaded again. A change by the viewer moves what it moves.

import type { Id, State } from "../engine/state";
import { store } from "../engine/store";

/** The changed posts and their places before the change, until it is rendered. */
const before = new Map<Id, DOMRect>();

const cardOf = (id: Id): HTMLElement | null =>
  document.querySelector(`[data-post="${String(id)}"][data-place="card"], [data-removed="${String(id)}"]`);

const isSent = (state: State, id: Id): boolean => state.pending.comments.some((one) => one.post_id === id);

/** Returns the posts that others have changed, as far as the viewer sees the change. */
function changedByOthers(now: State, then: State): Id[] {
  if (now.posts === then.posts) return [];
  return Object.values(now.posts).flatMap((post) => {
    const old = then.posts[post.id];
    if (old === undefined || old === post || old.removed) return [];
    if (post.removed) return post.author_id === now.session.me?.id ? [] : [post.id];
    const more = post.comments_count - old.comments_count;
    const isEdited = post.updated_at_ms !== old.updated_at_ms && then.edits[post.id] === undefined;
    // The viewer has just confirmed a deletion, perhaps of this comment.
    const isOwn =
      isSent(now, post.id) || isSent(then, post.id) || (more < 0 && navigator.userActivation?.isActive);
    return isEdited || (more !== 0 && !isOwn) ? [post.id] : [];
  });
}

const hold = (card: HTMLElement, { height }: DOMRect): void => {
  card.style.minBlockSize = `${String(height)}px`;
};

const release = (card: HTMLElement): void => {
  card.style.minBlockSize = "";
};

/** Is called when the changes are rendered and not drawn yet. */
function keep(): void {
  let moved = 0;
  for (const [id, old] of before) {
    const card = cardOf(id);
    if (card === null) continue;
    // The line of a deleted post is another element.
    hold(card, old);
    const { bottom, height } = card.getBoundingClientRect();
    if (height > old.height) {
      release(card);
      // The card that grew may be below another one, so the last counts.
      moved = Math.round(bottom - old.bottom);
    } else {
      // What the viewer opens or closes moves what is below.
      card.addEventListener("click", () => release(card), { once: true });
    }
  }
  before.clear();
  if (moved <= 0) return;
  // Tells useHeaderAway.ts that the reader did not scroll, so the header does not hide.
  document.documentElement.dataset["kept"] = "";
  scrollBy({ top: moved, behavior: "instant" });
}

/** Watches the posts, until the returned function is called. */
export function keepBelow(): () => void {
  return store.subscribe((now, then) => {
    for (const id of changedByOthers(now, then)) {
      const card = before.has(id) ? null : cardOf(id);
      const box = card?.getBoundingClientRect();
      if (card === null || box === undefined || box.bottom <= 0 || box.bottom >= innerHeight) continue;
      // At once, because a browser that lays out a lower card may scroll.
      hold(card, box);
      // React renders a change of the store in a microtask, which may be after the first one that is asked for here.
      if (before.size === 0) queueMicrotask(() => queueMicrotask(keep));
      before.set(id, box);
    }
  });
}
