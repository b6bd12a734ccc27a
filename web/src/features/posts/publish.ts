// The request that publishes a post, and its key.
//
// Promise: the same text, audience, pictures and descriptions keep the same key, across presses, lost answers
// and reloads, so they are posted once; anything else is another post.

import { ask } from "../../engine/client";
import type { Fields } from "../../engine/frames";
import { bytesOf, hexOf } from "../shared/postDraft";
import type { Asked, PictureNote, Words } from "../shared/postDraft";
import { loadOwnPost, loadRefreshed } from "../shared/posts/read";
import { update } from "../../engine/store";
import { tidyLine, tidyTag, tidyText } from "../shared/text";
import { newKey } from "../../engine/keys";
import type { Audience, PostView } from "../../engine/types.gen";

type Described = Pick<PictureNote, "upload" | "alt">;

export class PostRequest {
  private last: Asked | null;

  constructor(last: Asked | null = null) {
    this.last = last;
  }

  /** What was last asked, for the draft. */
  get asked(): Asked | null {
    return this.last;
  }

  /** True when this very post was asked for before and may stand already. */
  wasAsked(words: Words, audience: Audience, pictures: readonly Described[]): boolean {
    return this.last?.body === bodyOf(words, audience, pictures);
  }

  /** Makes the key for this post, unless it has one. */
  prepare(words: Words, audience: Audience, pictures: readonly Described[]): void {
    const body = bodyOf(words, audience, pictures);
    if (this.last?.body !== body) this.last = { key: hexOf(newKey()), body };
  }

  /** Posts it. The pictures are with the server already. Throws a RefusedError. */
  async post(words: Words, audience: Audience, pictures: readonly Described[]): Promise<PostView> {
    this.prepare(words, audience, pictures);
    const key = bytesOf((this.last as Asked).key);
    return create({
      key,
      ...fieldsOf(words, audience),
      pictures: pictures.length === 0 ? null : pictures.map(sent),
    });
  }
}

/** Posts it, or a post of an earlier page again. Throws a RefusedError. */
export async function create(fields: Fields<"posts.create">): Promise<PostView> {
  const ok = await ask("posts.create", fields);
  update((s) => loadOwnPost(s, ok));
  // Writing a post subscribes to nothing; only a read does.
  ask("posts.refresh", { post_ids: [ok.post.id] }).then(
    (fresh) => update((s) => loadRefreshed(s, fresh)),
    () => undefined,
  );
  return ok.post;
}

const fieldsOf = (words: Words, audience: Audience) => ({
  title: tidyLine(words.title) || null,
  text: tidyText(words.text),
  tag: tidyTag(words.tag) || null,
  audience,
});

const sent = ({ upload, alt }: Described) => ({ upload: bytesOf(upload), alt: tidyLine(alt) || null });

const bodyOf = (words: Words, audience: Audience, pictures: readonly Described[]): string =>
  JSON.stringify([fieldsOf(words, audience), pictures.map(({ upload, alt }) => [upload, tidyLine(alt)])]);
