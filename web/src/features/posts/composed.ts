// One composed post and its key.
//
// Promise: the same words with the same pictures and descriptions keep the same key, across presses,
// lost answers and reloads, so they are posted once; whatever else is sent is another post.

import { ask } from "../../store/client";
import { bytesOf, hexOf, tidyAlt } from "../../store/composing";
import type { Asked, PictureNote, Words } from "../../store/composing";
import { loadOwnPost, loadRefreshed } from "../../store/load";
import { update } from "../../store/store";
import { tidyLine, tidyTag, tidyText } from "../../store/words";
import { newKey } from "../../wire/keys";
import type { PostView } from "../../wire/types.gen";

type Described = Pick<PictureNote, "upload" | "alt">;

export class Composed {
  private last: Asked | null;

  constructor(last: Asked | null = null) {
    this.last = last;
  }

  /** What was last asked, for the draft. */
  get asked(): Asked | null {
    return this.last;
  }

  /** True when this very post was asked for before and may stand already. */
  wasAsked(words: Words, pictures: readonly Described[]): boolean {
    return this.last?.body === bodyOf(words, pictures);
  }

  /** Makes the key for this post, unless it has one. */
  prepare(words: Words, pictures: readonly Described[]): void {
    const body = bodyOf(words, pictures);
    if (this.last?.body !== body) this.last = { key: hexOf(newKey()), body };
  }

  /** Posts it. The pictures are with the server already. Throws a RefusedError. */
  async post(words: Words, pictures: readonly Described[]): Promise<PostView> {
    this.prepare(words, pictures);
    const key = bytesOf((this.last as Asked).key);
    const ok = await ask("posts.create", { key, ...fieldsOf(words), pictures: pictures.length === 0 ? null : pictures.map(sent) });
    update((s) => loadOwnPost(s, ok.post, ok.users, ok.seq));
    // Writing a post is not reading it: only a read begins to listen.
    ask("posts.refresh", { post_ids: [ok.post.id] }).then(
      (fresh) => update((s) => loadRefreshed(s, fresh.posts, fresh.users, fresh.gone, fresh.seq)),
      () => undefined,
    );
    return ok.post;
  }
}

const fieldsOf = (words: Words) => ({
  title: tidyLine(words.title) || null,
  text: tidyText(words.text),
  tag: tidyTag(words.tag) || null,
  audience: { type: "public" as const },
});

const sent = ({ upload, alt }: Described) => ({ upload: bytesOf(upload), alt: tidyAlt(alt) || null });

const bodyOf = (words: Words, pictures: readonly Described[]): string =>
  JSON.stringify([fieldsOf(words), pictures.map(({ upload, alt }) => [upload, tidyAlt(alt)])]);
