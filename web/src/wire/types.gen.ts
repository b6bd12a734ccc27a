// Generated from the Rust types: `make types`. Do not edit.

export type UserId = number;
export type PostId = number;
export type CommentId = number;
export type FollowId = number;
export type Seq = number;
export type Vote = "none" | "positive" | "negative";
export type Color = "red" | "blue" | "green" | "yellow" | "purple";
export type LoginState = "none" | "live" | "ended";
export type Side = "followers" | "following";
export type Audience = { "type": "public", };
export type Me = { id: UserId, name: string, email: string, };
export type User = { id: UserId, name: string, };
export type Found = { id: UserId, name: string, bio: string, };
export type Profile = { id: UserId, name: string, bio: string, from_color: Color, to_color: Color, created_at_ms: number, followers_count: number, following_count: number, followed: boolean, };
export type Comment = { id: CommentId, post_id: PostId, author_id: UserId, text: string, created_at_ms: number, };
export type Picture = { alt: string, width: number, height: number, thumbhash: string, url: string, card_url: string, motion_url: string | null, };
export type ChosenPicture = { upload: ArrayBuffer, alt: string | null, };
export type Post = { id: PostId, author_id: UserId, title: string | null, text: string, tag: string | null, tag_key: string | null, audience: Audience, pictures: Array<Picture>, created_at_ms: number, updated_at_ms: number, comments_count: number, first_comments: Array<Comment>, };
export type PostView = { vote: Vote, positive_count: number | null, id: PostId, author_id: UserId, title: string | null, text: string, tag: string | null, tag_key: string | null, audience: Audience, pictures: Array<Picture>, created_at_ms: number, updated_at_ms: number, comments_count: number, first_comments: Array<Comment>, };
export type Refusal = { code: string, message: string, field: string | null, retry_ms: number | null, };

/** Every request: its fields and what a yes carries. */
export type Requests = {
  "auth.sign_up": { fields: { key: ArrayBuffer, email: string, password: string, name: string | null, }, ok: { ticket: string, me: Me, } },
  "auth.log_in": { fields: { email: string, password: string, }, ok: { ticket: string, me: Me, } },
  "auth.log_out": { fields: {}, ok: {} },
  "posts.feed": { fields: { tag: string | null, before: PostId | null, }, ok: { posts: Array<PostView>, users: Array<User>, older: PostId | null, follows_anyone: boolean, seq: Seq, } },
  "posts.by_author": { fields: { user_id: UserId, before: PostId | null, }, ok: { posts: Array<PostView>, users: Array<User>, older: PostId | null, seq: Seq, } },
  "posts.get": { fields: { post_id: PostId, }, ok: { post: PostView, users: Array<User>, seq: Seq, } },
  "posts.refresh": { fields: { post_ids: Array<PostId>, }, ok: { posts: Array<PostView>, users: Array<User>, gone: Array<PostId>, seq: Seq, } },
  "posts.create": { fields: { key: ArrayBuffer, title: string | null, text: string, tag: string | null, audience: Audience, pictures: Array<ChosenPicture> | null, }, ok: { post: PostView, users: Array<User>, seq: Seq, } },
  "posts.update": { fields: { key: ArrayBuffer, post_id: PostId, title: string | null, text: string, audience: Audience, }, ok: { post: PostView, users: Array<User>, seq: Seq, } },
  "posts.delete": { fields: { key: ArrayBuffer, post_id: PostId, }, ok: { seq: Seq, } },
  "uploads.begin": { fields: { upload: ArrayBuffer, name: string, size_bytes: number, content_type: string, index: number, }, ok: { offset: number, chunk_bytes: number, window: number, } },
  "uploads.chunk": { fields: { upload: ArrayBuffer, offset: number, bytes: ArrayBuffer, }, ok: { offset: number, } },
  "uploads.commit": { fields: { upload: ArrayBuffer, }, ok: { width: number, height: number, } },
  "uploads.cancel": { fields: { upload: ArrayBuffer, }, ok: {} },
  "votes.set": { fields: { key: ArrayBuffer, post_id: PostId, vote: Vote, }, ok: { post_id: PostId, vote: Vote, seq: Seq, } },
  "comments.create": { fields: { key: ArrayBuffer, post_id: PostId, text: string, }, ok: { comment: Comment, seq: Seq, } },
  "comments.delete": { fields: { key: ArrayBuffer, comment_id: CommentId, }, ok: { seq: Seq, } },
  "comments.page": { fields: { post_id: PostId, after: CommentId | null, }, ok: { comments: Array<Comment>, users: Array<User>, more: boolean, comments_count: number, seq: Seq, } },
  "follows.set": { fields: { key: ArrayBuffer, user_id: UserId, following: boolean, }, ok: { user_id: UserId, following: boolean, seq: Seq, } },
  "follows.page": { fields: { side: Side, before: FollowId | null, }, ok: { users: Array<User>, older: FollowId | null, seq: Seq, } },
  "profiles.get": { fields: { user_id: UserId, }, ok: { profile: Profile, seq: Seq, } },
  "search.names": { fields: { term: string, }, ok: { users: Array<Found>, seq: Seq, } },
  "live.probe": { fields: {}, ok: { seq: Seq, } },
  "live.resume": { fields: { epoch: string, seq: number, posts: Array<PostId>, profiles: Array<UserId>, }, ok: { resync: boolean, seq: Seq, } },
  "live.leave": { fields: { posts: Array<PostId>, profiles: Array<UserId>, }, ok: {} },
};

/** Every event: its fields beside `ev` and `seq`. */
export type Events = {
  "hello": { epoch: string, protocol: number, build: string, now_ms: number, beat_ms: number, me: Me | null, login: LoginState, },
  "beat": { sent: number, },
  "posts.created": { post: Post, users: Array<User>, },
  "posts.updated": { post_id: PostId, author_id: UserId, title: string | null, text: string, audience: Audience, updated_at_ms: number, },
  "posts.deleted": { post_id: PostId, author_id: UserId, },
  "comments.created": { comment: Comment, users: Array<User>, comments_count: number, },
  "comments.deleted": { post_id: PostId, comment_id: CommentId, comments_count: number, first_comments: Array<Comment>, users: Array<User>, },
  "votes.changed": { post_id: PostId, vote: Vote, },
  "votes.counted": { post_id: PostId, positive_count: number, },
  "follows.changed": { user_id: UserId, following: boolean, },
  "profiles.counted": { user_id: UserId, followers_count: number, following_count: number, },
};
