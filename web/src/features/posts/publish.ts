// The request that creates a post, and its key.
//
// Promise: the same text, audience, pictures and descriptions have the same key, also after lost replies and
// reloads, so they are posted once. Anything else is another post.

import { ask } from "../../engine/client";
import type { Fields } from "../../engine/frames";
import { bytesOf, hexOf } from "../shared/postDraft";
import type { Asked, PictureNote, Words } from "../shared/postDraft";
import { loadOwnPost, loadRefreshed } from "../shared/posts/read";
import { update } from "../../engine/store";
import { tidyLine, tidyTag, tidyText } from "../shared/text";
import { newKey } from "../../engine/keys";
import type { Audience, PostView } from "../../engine/types.gen";

/** The progress, in percent, at which all pictures are sent, and only the post itself is not. */
export const SAVING_AT = 90;

type Described = Pick<PictureNote, "upload" | "alt">;

export class PostRequest {
  private last: Asked | null;

  constructor(last: Asked | null = null) {
    this.last = last;
  }

  /** The last request, for the draft. */
  get asked(): Asked | null {
    return this.last;
  }

  /** Returns whether this exact post was requested before, so that it may exist already. */
  wasAsked(words: Words, audience: Audience, pictures: readonly Described[]): boolean {
    return this.last?.body === bodyOf(words, audience, pictures);
  }

  /** Makes a key for this post, unless it has one. */
  prepare(words: Words, audience: Audience, pictures: readonly Described[]): void {
    const body = bodyOf(words, audience, pictures);
    if (this.last?.body !== body) this.last = { key: hexOf(newKey()), body };
  }

  /** Creates the post, whose pictures are uploaded already. Throws a RefusedError. */
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

/** Creates a post, also one that an earlier page has sent. Throws a RefusedError. */
export async function create(fields: Fields<"posts.create">): Promise<PostView> {
  const ok = await ask("posts.create", fields);
  update((s) => loadOwnPost(s, ok));
  // Only a read subscribes to the post, so it is read once.
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
  content_note: tidyLine(words.content_note) || null,
  audience,
});

const sent = ({ upload, alt }: Described) => ({ upload: bytesOf(upload), alt: tidyLine(alt) || null });

function bodyOf(words: Words, audience: Audience, pictures: readonly Described[]): string {
  const { content_note, ...fields } = fieldsOf(words, audience);
  const described = pictures.map(({ upload, alt }) => [upload, tidyLine(alt)]);
  // Without a note the body is that of earlier versions, so that a draft of theirs keeps its key.
  return JSON.stringify([fields, described, ...(content_note === null ? [] : [content_note])]);
}
