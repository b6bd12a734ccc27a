// Generated from the Rust types: `make accept`. Do not edit.

export type About = { "type": "post", post_id: PostId, } | { "type": "comment", comment_id: CommentId, } | { "type": "poll", poll_id: PollId, } | { "type": "user", user_id: UserId, };
export type Act = "promoted" | "demoted" | "suspended" | "unsuspended" | "deleted" | "logins_ended" | "reset_link" | "passkeys_removed" | "invite_made" | "invite_revoked" | "theme_set" | "theme_cleared" | "report_dismissed" | "content_removed" | "backed_up";
export type Adders = "followers" | "followed" | "nobody";
export type AdminPerson = { user: User, created_at_ms: number, inviter: User | null, is_admin: boolean, is_suspended: boolean, };
export type AdminReport = { id: ReportId, about: About, reason: Reason, details: string, words: string, content_note: string | null, reported_at_ms: number, reporter: User | null, author: User, view: string | null, may_suspend: boolean, };
export type Audience = { "type": "public", } | { "type": "group", group_id: GroupId | null, } | { "type": "author", } | { "type": "group_deleted", };
export type Backups = { every_hours: number, kept: number, };
export type ChosenPicture = { upload: ArrayBuffer, alt: string | null, };
export type Color = "red" | "blue" | "green" | "yellow" | "purple";
export type Comment = { id: CommentId, post_id: PostId, author_id: UserId, text: string, created_at_ms: number, };
export type CommentId = number;
export type Commenters = "everyone" | "followers" | "followed";
export type Day = { slot: Slot, slot_ends_at_ms: number, open: boolean, morning: string | null, evening: string | null, };
export type FirstPost = { text: string, at_ms: number, };
export type FirstSteps = { has_photo: boolean, has_followed: boolean, has_invited: boolean, has_answered: boolean, };
export type FollowId = number;
export type Found = { id: UserId, name: string, bio: string, photo_url: string | null, followed: boolean, };
export type FrontFigures = { name: string, sockets: number, lag_writes: number, };
export type Group = { id: GroupId, name: string, owner_id: UserId, members_count: number, created_at_ms: number, };
export type GroupId = number;
export type GroupName = { id: GroupId, name: string, owner_id: UserId, };
export type Import = { id: ImportId, phase: ImportPhase, progress: number, source: ImportSource | null, preview: ImportPreview | null, done: number, total: number, paused: boolean, };
export type ImportEnd = { id: ImportId, result: ImportResult, posts: number, refusal: ImportRefusal | null, };
export type ImportId = number;
export type ImportPhase = "uploading" | "reading" | "preview" | "importing";
export type ImportPreview = { posts: number, pictures: number, from_ms: number, to_ms: number, left_out: Array<LeftOut>, pictures_left_out: number, first: Array<FirstPost>, };
export type ImportRefusal = "unknown" | "unsafe" | "broken";
export type ImportResult = "done" | "refused" | "undone" | "canceled";
export type ImportSource = "mellow" | "mastodon";
export type Invite = { code: string, created_at_ms: number, ends_at_ms: number | null, uses: number, uses_max: number | null, };
export type InvitePlace = { created_at_ms: number, code: string, };
export type KeptBackup = { name: string, made_at_ms: number, };
export type Kind = "comment" | "reply" | "follow";
export type LeftGroup = { id: GroupId, name: string, };
export type LeftOut = { reason: LeftOutReason, count: number, };
export type LeftOutReason = "not_public" | "replies" | "shares" | "polls" | "too_long" | "empty" | "no_date" | "already_here";
export type LogLine = { id: number, at_ms: number, by_command: boolean, admin: User | null, act: Act, user: User | null, };
export type Login = { id: LoginId, device: string, created_at_ms: number, used_at_ms: number, current: boolean, };
export type LoginId = number;
export type LoginState = "none" | "live" | "ended";
export type MadeInvite = { invite: Invite, maker: User | null, };
export type Me = { id: UserId, name: string, photo_url: string | null, email: string, pending_email: string | null, hide_numbers: boolean, listed: boolean, adders: Adders, commenters: Commenters, language: string | null, shown_language: string | null, quiet_hours: QuietHours | null, quiet_until_ms: number | null, has_unread: boolean, first_steps: FirstSteps | null, inviter: User | null, is_admin: boolean, has_reports: boolean, };
export type Mood = { user_id: UserId, morning: string | null, evening: string | null, made_at_ms: number, expires_at_ms: number, };
export type Notice = { id: NoticeId, kind: NoticeKind, text: string, at_ms: number, };
export type NoticeId = number;
export type NoticeKind = "login" | "passkey_added" | "passkey_removed";
export type Notification = { id: NotificationId, kind: Kind, actor_id: UserId, post_id: PostId | null, comment_id: CommentId | null, comment_text: string | null, post_text: string | null, content_note: string | null, created_at_ms: number, unread: boolean, };
export type NotificationId = number;
export type Passkey = { id: PasskeyId, name: string, host: string | null, added_at_ms: number, used_at_ms: number | null, };
export type PasskeyId = number;
export type PastImport = { id: ImportId, source: ImportSource, posts: number, at_ms: number, };
export type Photo = { url: string, width: number, height: number, thumbhash: string, };
export type Picture = { alt: string, width: number, height: number, thumbhash: string, url: string, card_url: string, motion_url: string | null, };
export type Place = { name_key: string, id: UserId, };
export type Planned = { day: string, theme: Theme | null, is_set: boolean, };
export type Poll = { id: PollId, creator_id: UserId, question: string, options: Array<string>, audience: Audience, created_at_ms: number, closes_at_ms: number, };
export type PollId = number;
export type PollView = { choice: number | null, tally: Array<number> | null, id: PollId, creator_id: UserId, question: string, options: Array<string>, audience: Audience, created_at_ms: number, closes_at_ms: number, };
export type Post = { id: PostId, author_id: UserId, title: string | null, text: string, tag: string | null, tag_key: string | null, content_note: string | null, audience: Audience, pictures: Array<Picture>, created_at_ms: number, updated_at_ms: number, imported: boolean, comments_count: number, first_comments: Array<Comment>, };
export type PostId = number;
export type PostView = { vote: Vote, saved: boolean, positive_count: number | null, comments_only_for: Commenters | null, id: PostId, author_id: UserId, title: string | null, text: string, tag: string | null, tag_key: string | null, content_note: string | null, audience: Audience, pictures: Array<Picture>, created_at_ms: number, updated_at_ms: number, imported: boolean, comments_count: number, first_comments: Array<Comment>, };
export type Profile = { id: UserId, name: string, bio: string, photo_url: string | null, photo: Photo | null, from_color: Color, to_color: Color, created_at_ms: number, followers_count: number | null, following_count: number | null, };
export type ProfileView = { followed: boolean, can_be_added: boolean, follows_me: boolean, muted: boolean, id: UserId, name: string, bio: string, photo_url: string | null, photo: Photo | null, from_color: Color, to_color: Color, created_at_ms: number, followers_count: number | null, following_count: number | null, };
export type Purpose = "post" | "photo";
export type QuietHours = { on: boolean, from: string, to: string, days: Array<Weekday>, zone: string, };
export type Reason = "spam" | "harassment" | "hate" | "private" | "other";
export type Refusal = { code: string, message: string, why: string, values: Record<string, number | string>, field: string | null, retry_ms: number | null, };
export type ReportId = number;
export type SavedId = number;
export type Seq = number;
export type Side = "followers" | "following";
export type Slot = "morning" | "evening";
export type Tally = { poll_id: PollId, tally: Array<number>, };
export type Theme = { day: string, title: string, description: string, tag: string, own: number | null, };
export type User = { id: UserId, name: string, photo_url: string | null, };
export type UserId = number;
export type Vote = "none" | "positive" | "negative";
export type Weekday = "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
export type What = "steps" | "inviter";

/** Every request: its fields and what a yes carries. */
export type Requests = {
  "auth.sign_up": { fields: { key: ArrayBuffer, email: string, password: string, name: string | null, invite: string | null, language: string | null, }, ok: { ticket: string, me: Me, } },
  "auth.log_in": { fields: { email: string, password: string, }, ok: { ticket: string, me: Me, } },
  "auth.begin_passkey": { fields: {}, ok: { challenge: string, options: string, } },
  "auth.log_in_with_passkey": { fields: { challenge: string, response: string, user_id: UserId | null, }, ok: { ticket: string, me: Me, } },
  "auth.log_out": { fields: {}, ok: {} },
  "auth.request_reset": { fields: { email: string, }, ok: {} },
  "auth.send_reset": { fields: { key: ArrayBuffer, }, ok: {} },
  "auth.reset_password": { fields: { key: ArrayBuffer, token: string, password: string, remove_passkeys: boolean | null, }, ok: {} },
  "auth.reset_passkeys": { fields: { token: string, }, ok: { passkeys: number, } },
  "auth.change_email": { fields: { key: ArrayBuffer, email: string, password: string, }, ok: { pending_email: string, seq: Seq, } },
  "auth.confirm_email": { fields: { key: ArrayBuffer, token: string, }, ok: {} },
  "auth.undo_email": { fields: { key: ArrayBuffer, token: string, }, ok: {} },
  "auth.logins": { fields: {}, ok: { logins: Array<Login>, seq: Seq, } },
  "auth.log_out_others": { fields: { key: ArrayBuffer, }, ok: {} },
  "posts.feed": { fields: { tag: string | null, before: PostId | null, }, ok: { posts: Array<PostView>, users: Array<User>, groups: Array<GroupName>, older: PostId | null, follows_anyone: boolean, seq: Seq, } },
  "posts.by_author": { fields: { user_id: UserId, before: PostId | null, before_at_ms: number | null, }, ok: { posts: Array<PostView>, users: Array<User>, groups: Array<GroupName>, older: PostId | null, older_at_ms: number | null, seq: Seq, } },
  "posts.by_group": { fields: { group_id: GroupId, before: PostId | null, }, ok: { posts: Array<PostView>, users: Array<User>, groups: Array<GroupName>, older: PostId | null, seq: Seq, } },
  "posts.saved": { fields: { before: SavedId | null, }, ok: { posts: Array<PostView>, users: Array<User>, groups: Array<GroupName>, older: SavedId | null, seq: Seq, } },
  "posts.search": { fields: { term: string, before: PostId | null, before_at_ms: number | null, }, ok: { posts: Array<PostView>, users: Array<User>, groups: Array<GroupName>, older: PostId | null, older_at_ms: number | null, seq: Seq, } },
  "posts.get": { fields: { post_id: PostId, }, ok: { post: PostView, users: Array<User>, groups: Array<GroupName>, seq: Seq, } },
  "posts.refresh": { fields: { post_ids: Array<PostId>, }, ok: { posts: Array<PostView>, users: Array<User>, groups: Array<GroupName>, gone: Array<PostId>, seq: Seq, } },
  "posts.create": { fields: { key: ArrayBuffer, title: string | null, text: string, tag: string | null, content_note: string | null, audience: Audience, pictures: Array<ChosenPicture> | null, }, ok: { post: PostView, users: Array<User>, groups: Array<GroupName>, seq: Seq, } },
  "posts.update": { fields: { key: ArrayBuffer, post_id: PostId, title: string | null, text: string, content_note: string | null, audience: Audience, }, ok: { post_id: PostId, author_id: UserId, title: string | null, text: string, content_note: string | null, audience: Audience, groups: Array<GroupName>, updated_at_ms: number, seq: Seq, } },
  "posts.delete": { fields: { key: ArrayBuffer, post_id: PostId, }, ok: { seq: Seq, } },
  "uploads.begin": { fields: { upload: ArrayBuffer, name: string, size_bytes: number, content_type: string, index: number, purpose: Purpose | null, }, ok: { offset: number, chunk_bytes: number, window: number, } },
  "uploads.chunk": { fields: { upload: ArrayBuffer, offset: number, bytes: ArrayBuffer, }, ok: { offset: number, } },
  "uploads.commit": { fields: { upload: ArrayBuffer, }, ok: { width: number, height: number, } },
  "uploads.cancel": { fields: { upload: ArrayBuffer, }, ok: {} },
  "imports.begin": { fields: { key: ArrayBuffer, size_bytes: number, }, ok: { id: ImportId, offset: number, chunk_bytes: number, window: number, } },
  "imports.chunk": { fields: { import_id: ImportId, offset: number, bytes: ArrayBuffer, }, ok: { offset: number, } },
  "imports.read": { fields: { key: ArrayBuffer, import_id: ImportId, }, ok: { seq: Seq, } },
  "imports.list": { fields: {}, ok: { current: Import | null, imports: Array<PastImport>, seq: Seq, } },
  "imports.start": { fields: { key: ArrayBuffer, import_id: ImportId, audience: Audience, }, ok: { seq: Seq, } },
  "imports.cancel": { fields: { key: ArrayBuffer, import_id: ImportId, }, ok: { seq: Seq, } },
  "imports.undo_counts": { fields: { import_id: ImportId, }, ok: { posts: number, comments: number, seq: Seq, } },
  "imports.undo": { fields: { key: ArrayBuffer, import_id: ImportId, }, ok: { seq: Seq, } },
  "votes.set": { fields: { key: ArrayBuffer, post_id: PostId, vote: Vote, }, ok: { post_id: PostId, vote: Vote, seq: Seq, } },
  "saved.set": { fields: { key: ArrayBuffer, post_id: PostId, saved: boolean, }, ok: { post_id: PostId, saved: boolean, seq: Seq, } },
  "comments.create": { fields: { key: ArrayBuffer, post_id: PostId, text: string, audience: Audience, }, ok: { comment: Comment, seq: Seq, } },
  "comments.delete": { fields: { key: ArrayBuffer, comment_id: CommentId, }, ok: { seq: Seq, } },
  "comments.mentionable": { fields: { post_id: PostId, term: string, }, ok: { users: Array<User>, seq: Seq, } },
  "comments.page": { fields: { post_id: PostId, after: CommentId | null, }, ok: { comments: Array<Comment>, users: Array<User>, more: boolean, comments_count: number, seq: Seq, } },
  "follows.set": { fields: { key: ArrayBuffer, user_id: UserId, following: boolean, }, ok: { user_id: UserId, following: boolean, seq: Seq, } },
  "follows.remove": { fields: { key: ArrayBuffer, user_id: UserId, }, ok: { seq: Seq, } },
  "follows.page": { fields: { side: Side, before: FollowId | null, }, ok: { users: Array<User>, older: FollowId | null, seq: Seq, } },
  "profiles.get": { fields: { user_id: UserId, }, ok: { profile: ProfileView, seq: Seq, } },
  "profiles.update": { fields: { key: ArrayBuffer, name: string, bio: string, from_color: Color, to_color: Color, }, ok: { profile: ProfileView, seq: Seq, } },
  "profiles.set_photo": { fields: { key: ArrayBuffer, upload: ArrayBuffer, }, ok: { profile: ProfileView, seq: Seq, } },
  "profiles.language": { fields: { key: ArrayBuffer, language: string | null, shown: string, }, ok: { language: string | null, shown_language: string, seq: Seq, } },
  "search.names": { fields: { term: string, }, ok: { users: Array<Found>, close: Array<Found>, seq: Seq, } },
  "search.people": { fields: { after: Place | null, }, ok: { users: Array<Found>, next: Place | null, seq: Seq, } },
  "notifications.page": { fields: { before: NotificationId | null, }, ok: { notifications: Array<Notification>, users: Array<User>, older: NotificationId | null, has_unread: boolean, seq: Seq, } },
  "notifications.read": { fields: { key: ArrayBuffer, }, ok: { seq: Seq, } },
  "notifications.delete": { fields: { key: ArrayBuffer, notification_id: NotificationId, }, ok: { seq: Seq, } },
  "notices.list": { fields: {}, ok: { notices: Array<Notice>, seq: Seq, } },
  "notices.answer": { fields: { key: ArrayBuffer, notice_id: NoticeId, }, ok: { seq: Seq, } },
  "notices.end_login": { fields: { key: ArrayBuffer, notice_id: NoticeId, }, ok: { seq: Seq, } },
  "account.set_privacy": { fields: { key: ArrayBuffer, hide_numbers: boolean | null, listed: boolean | null, adders: Adders | null, commenters: Commenters | null, }, ok: { hide_numbers: boolean, listed: boolean, adders: Adders, commenters: Commenters, seq: Seq, } },
  "account.export": { fields: {}, ok: { url: string, } },
  "account.delete": { fields: { password: string, }, ok: {} },
  "passkeys.list": { fields: {}, ok: { passkeys: Array<Passkey>, available: boolean, seq: Seq, } },
  "passkeys.begin_add": { fields: { name: string, password: string, }, ok: { challenge: string, options: string, } },
  "passkeys.finish_add": { fields: { key: ArrayBuffer, challenge: string, response: string, }, ok: { passkey: Passkey, seq: Seq, } },
  "passkeys.rename": { fields: { key: ArrayBuffer, passkey_id: PasskeyId, name: string, }, ok: { passkey: Passkey, seq: Seq, } },
  "passkeys.begin_use": { fields: {}, ok: { challenge: string, options: string, } },
  "passkeys.remove": { fields: { key: ArrayBuffer, passkey_id: PasskeyId, password: string | null, challenge: string | null, response: string | null, }, ok: { seq: Seq, } },
  "moods.today": { fields: { zone: string, offset_minutes: number | null, }, ok: { mine: Day, moods: Array<Mood>, users: Array<User>, seq: Seq, } },
  "moods.set": { fields: { key: ArrayBuffer, slot: Slot, mood: string, zone: string, offset_minutes: number | null, }, ok: { mine: Day, seq: Seq, } },
  "polls.list": { fields: { before: PollId | null, }, ok: { polls: Array<PollView>, users: Array<User>, groups: Array<GroupName>, older: PollId | null, seq: Seq, } },
  "polls.tallies": { fields: { poll_ids: Array<PollId>, }, ok: { tallies: Array<Tally>, seq: Seq, } },
  "polls.create": { fields: { key: ArrayBuffer, question: string, options: Array<string>, audience: Audience, }, ok: { poll: PollView, users: Array<User>, groups: Array<GroupName>, seq: Seq, } },
  "polls.vote": { fields: { key: ArrayBuffer, poll_id: PollId, option: number, }, ok: { poll_id: PollId, choice: number, tally: Array<number> | null, seq: Seq, } },
  "polls.voters": { fields: { poll_id: PollId, option: number, after: UserId | null, }, ok: { users: Array<User>, more: UserId | null, seq: Seq, } },
  "polls.delete": { fields: { key: ArrayBuffer, poll_id: PollId, }, ok: { seq: Seq, } },
  "theme.get": { fields: {}, ok: { theme: Theme | null, seq: Seq, } },
  "theme.schedule": { fields: {}, ok: { days: Array<Planned>, seq: Seq, } },
  "theme.set": { fields: { key: ArrayBuffer, day: string, title: string, description: string, tag: string, }, ok: { seq: Seq, } },
  "theme.clear": { fields: { key: ArrayBuffer, day: string, }, ok: { seq: Seq, } },
  "groups.list": { fields: {}, ok: { groups: Array<Group>, users: Array<User>, seq: Seq, } },
  "groups.get": { fields: { group_id: GroupId, }, ok: { group: Group, members: Array<User>, posts_count: number, seq: Seq, } },
  "groups.create": { fields: { key: ArrayBuffer, name: string, }, ok: { group: Group, seq: Seq, } },
  "groups.rename": { fields: { key: ArrayBuffer, group_id: GroupId, name: string, }, ok: { group_id: GroupId, name: string, seq: Seq, } },
  "groups.delete": { fields: { key: ArrayBuffer, group_id: GroupId, }, ok: { seq: Seq, } },
  "groups.add": { fields: { key: ArrayBuffer, group_id: GroupId, user_ids: Array<UserId>, }, ok: { group_id: GroupId, users: Array<User>, members_count: number, seq: Seq, } },
  "groups.remove": { fields: { key: ArrayBuffer, group_id: GroupId, user_id: UserId, }, ok: { seq: Seq, } },
  "groups.leave": { fields: { key: ArrayBuffer, group_id: GroupId, }, ok: { seq: Seq, } },
  "groups.candidates": { fields: { group_id: GroupId, before: FollowId | null, }, ok: { users: Array<User>, older: FollowId | null, seq: Seq, } },
  "groups.not_again": { fields: {}, ok: { groups: Array<LeftGroup>, seq: Seq, } },
  "groups.left_of_mine": { fields: { user_id: UserId, }, ok: { group_ids: Array<GroupId>, seq: Seq, } },
  "groups.allow_again": { fields: { key: ArrayBuffer, group_id: GroupId, }, ok: { groups: Array<LeftGroup>, seq: Seq, } },
  "invites.get": { fields: { code: string, }, ok: { name: string | null, user_id: UserId | null, } },
  "invites.list": { fields: {}, ok: { invites: Array<Invite>, may_create: boolean, seq: Seq, } },
  "invites.create": { fields: { key: ArrayBuffer, }, ok: { invites: Array<Invite>, seq: Seq, } },
  "invites.revoke": { fields: { key: ArrayBuffer, code: string, }, ok: { invites: Array<Invite>, seq: Seq, } },
  "invites.all": { fields: { after: InvitePlace | null, }, ok: { invites: Array<MadeInvite>, next: InvitePlace | null, seq: Seq, } },
  "newcomers.dismiss": { fields: { key: ArrayBuffer, what: What, }, ok: { seq: Seq, } },
  "people.block": { fields: { key: ArrayBuffer, user_id: UserId, }, ok: { seq: Seq, } },
  "people.unblock": { fields: { key: ArrayBuffer, user_id: UserId, }, ok: { seq: Seq, } },
  "people.mute": { fields: { key: ArrayBuffer, user_id: UserId, }, ok: { seq: Seq, } },
  "people.unmute": { fields: { key: ArrayBuffer, user_id: UserId, }, ok: { seq: Seq, } },
  "people.hidden": { fields: {}, ok: { blocked: Array<User>, muted: Array<User>, seq: Seq, } },
  "reports.create": { fields: { key: ArrayBuffer, about: About, reason: Reason, details: string, }, ok: { seq: Seq, } },
  "quiet.set": { fields: { key: ArrayBuffer, on: boolean, from: string, to: string, days: Array<Weekday>, zone: string, }, ok: { quiet_hours: QuietHours, seq: Seq, } },
  "admin.people": { fields: { term: string | null, before: UserId | null, }, ok: { people: Array<AdminPerson>, has_more: boolean, seq: Seq, } },
  "admin.suspend": { fields: { key: ArrayBuffer, user_id: UserId, suspended: boolean, }, ok: { seq: Seq, } },
  "admin.end_logins": { fields: { key: ArrayBuffer, user_id: UserId, }, ok: { seq: Seq, } },
  "admin.reset_link": { fields: { user_id: UserId, }, ok: { url: string, } },
  "admin.delete": { fields: { user_id: UserId, password: string, }, ok: { seq: Seq, } },
  "admin.reports": { fields: { before: ReportId | null, }, ok: { reports: Array<AdminReport>, has_more: boolean, seq: Seq, } },
  "admin.dismiss_report": { fields: { key: ArrayBuffer, report_id: ReportId, }, ok: { seq: Seq, } },
  "admin.remove_content": { fields: { key: ArrayBuffer, report_id: ReportId, }, ok: { seq: Seq, } },
  "admin.health": { fields: {}, ok: { sockets: number, fronts: Array<FrontFigures>, writer_queue: number, database_bytes: number, media_bytes: number, free_bytes: number | null, backups: Array<KeptBackup>, backup_failure: string | null, mail_failure: string | null, version: string, } },
  "admin.back_up": { fields: {}, ok: { seq: Seq, } },
  "admin.log": { fields: { before: number | null, }, ok: { lines: Array<LogLine>, has_more: boolean, seq: Seq, } },
  "live.probe": { fields: {}, ok: { seq: Seq, } },
  "live.resume": { fields: { epoch: string, seq: number, posts: Array<PostId>, profiles: Array<UserId>, }, ok: { resync: boolean, seq: Seq, } },
  "live.leave": { fields: { posts: Array<PostId>, profiles: Array<UserId>, polls?: Array<PollId>, }, ok: {} },
};

/** Every event: its fields beside `ev` and `seq`. */
export type Events = {
  "hello": { epoch: string, protocol: number, build: string, now_ms: number, beat_ms: number, me: Me | null, login: LoginState, backups: Backups, },
  "beat": { sent: number, back_ms?: number, },
  "posts.created": { post: Post, users: Array<User>, groups: Array<GroupName>, },
  "posts.updated": { post_id: PostId, author_id: UserId, title: string | null, text: string, content_note: string | null, audience: Audience, groups: Array<GroupName>, updated_at_ms: number, },
  "posts.deleted": { post_id: PostId, author_id: UserId, },
  "comments.created": { comment: Comment, users: Array<User>, comments_count: number, },
  "comments.deleted": { post_id: PostId, comment_id: CommentId, comments_count: number, first_comments: Array<Comment>, users: Array<User>, },
  "comments.allowed": { author_id: UserId, only_for: Commenters | null, },
  "votes.changed": { post_id: PostId, vote: Vote, },
  "votes.counted": { post_id: PostId, positive_count: number, },
  "saved.changed": { post_id: PostId, saved: boolean, },
  "imports.changed": { current: Import | null, ended: ImportEnd | null, },
  "follows.changed": { user_id: UserId, following: boolean, },
  "profiles.counted": { user_id: UserId, followers_count: number, following_count: number, },
  "profiles.changed": { profile: Profile, },
  "users.changed": { user: User, },
  "users.deleted": { user_id: UserId, },
  "users.returned": { user_id: UserId, },
  "account.changed": { me: Me, },
  "passkeys.changed": {  },
  "notifications.created": { notification: Notification, users: Array<User>, },
  "notifications.deleted": { notification_ids: Array<NotificationId>, has_unread: boolean, },
  "notifications.seen": {  },
  "notices.changed": {  },
  "moods.changed": { mood: Mood, users: Array<User>, },
  "polls.created": { poll: Poll, users: Array<User>, groups: Array<GroupName>, },
  "polls.deleted": { poll_id: PollId, },
  "polls.voted": { poll_id: PollId, choice: number, tally: Array<number>, },
  "polls.counted": { poll_id: PollId, tally: Array<number>, },
  "groups.created": { group: Group, users: Array<User>, },
  "groups.renamed": { group_id: GroupId, name: string, },
  "groups.joined": { group: Group, user_ids: Array<UserId>, users: Array<User>, },
  "groups.left": { group_id: GroupId, user_id: UserId, members_count: number, },
  "groups.deleted": { group_id: GroupId, },
  "invites.changed": { invites: Array<Invite>, },
  "people.changed": { user_id: UserId, blocked: boolean, muted: boolean, },
  "theme.changed": { theme: Theme | null, },
  "admin.changed": {  },
};
