// Generated from the Rust types: `make types`. Do not edit.

export type Vote = "none" | "positive" | "negative";
export type Color = "red" | "blue" | "green" | "yellow" | "purple";
export type LoginState = "none" | "live" | "ended";
export type Side = "followers" | "following";
export type Audience = { type: "public" };
export type Me = { id: number, name: string, email: string, };
export type User = { id: number, name: string, };
export type Found = { id: number, name: string, bio: string, };
export type Profile = { id: number, name: string, bio: string, from_color: Color, to_color: Color, created_at_ms: number, followers_count: number, following_count: number, followed: boolean, };
export type Comment = { id: number, post_id: number, author_id: number, text: string, created_at_ms: number, };
export type Post = { id: number, author_id: number, title: string | null, text: string, tag: string | null, tag_key: string | null, audience: Audience, created_at_ms: number, updated_at_ms: number, comments_count: number, first_comments: Array<Comment>, };
export type PostView = Post & { vote: Vote, positive_count: number | null, };
export type Refusal = { code: string, message: string, field: string | null, retry_ms: number | null, };

/** Every request: its fields and what a yes carries. */
export type Requests = {
  "auth.sign_up": { fields: { key: ArrayBuffer, email: string, password: string, name: string | null, }, ok: { ticket: string, me: Me, } },
  "auth.log_in": { fields: { email: string, password: string, }, ok: { ticket: string, me: Me, } },
  "auth.log_out": { fields: {}, ok: {} },
  "live.probe": { fields: {}, ok: { seq: number, } },
  "live.resume": { fields: { epoch: string, seq: number, posts: Array<number>, profiles: Array<number>, }, ok: { resync: boolean, seq: number, } },
  "live.leave": { fields: { posts: Array<number>, profiles: Array<number>, }, ok: {} },
  "posts.feed": { fields: { tag: string | null, before: number | null, }, ok: { posts: Array<PostView>, users: Array<User>, older: number | null, follows_anyone: boolean, seq: number, } },
  "posts.by_author": { fields: { user_id: number, before: number | null, }, ok: { posts: Array<PostView>, users: Array<User>, older: number | null, seq: number, } },
  "posts.get": { fields: { post_id: number, }, ok: { post: PostView, users: Array<User>, seq: number, } },
  "posts.refresh": { fields: { post_ids: Array<number>, }, ok: { posts: Array<PostView>, users: Array<User>, gone: Array<number>, seq: number, } },
  "posts.create": { fields: { key: ArrayBuffer, title: string | null, text: string, tag: string | null, audience: Audience, }, ok: { post: PostView, users: Array<User>, seq: number, } },
  "posts.delete": { fields: { key: ArrayBuffer, post_id: number, }, ok: { seq: number, } },
  "votes.set": { fields: { key: ArrayBuffer, post_id: number, vote: Vote, }, ok: { post_id: number, vote: Vote, seq: number, } },
  "comments.create": { fields: { key: ArrayBuffer, post_id: number, text: string, }, ok: { comment: Comment, seq: number, } },
  "comments.delete": { fields: { key: ArrayBuffer, comment_id: number, }, ok: { seq: number, } },
  "comments.page": { fields: { post_id: number, after: number | null, }, ok: { comments: Array<Comment>, users: Array<User>, more: boolean, comments_count: number, seq: number, } },
  "follows.set": { fields: { key: ArrayBuffer, user_id: number, following: boolean, }, ok: { user_id: number, following: boolean, seq: number, } },
  "follows.page": { fields: { side: Side, before: number | null, }, ok: { users: Array<User>, older: number | null, seq: number, } },
  "profiles.get": { fields: { user_id: number, }, ok: { profile: Profile, seq: number, } },
  "search.names": { fields: { term: string, }, ok: { users: Array<Found>, seq: number, } },
};

/** Every event: its fields beside `ev` and `seq`. */
export type Events = {
  "hello": { epoch: string, protocol: number, build: string, now_ms: number, beat_ms: number, me: Me | null, login: LoginState, },
  "beat": { sent: number, },
  "posts.created": { post: Post, users: Array<User>, },
  "posts.deleted": { post_id: number, author_id: number, },
  "comments.created": { comment: Comment, users: Array<User>, comments_count: number, },
  "comments.deleted": { post_id: number, comment_id: number, comments_count: number, first_comments: Array<Comment>, users: Array<User>, },
  "votes.changed": { post_id: number, vote: Vote, },
  "votes.counted": { post_id: number, positive_count: number, },
  "follows.changed": { user_id: number, following: boolean, },
  "profiles.counted": { user_id: number, followers_count: number, following_count: number, },
};
