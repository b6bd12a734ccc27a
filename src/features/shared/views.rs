//! Data that several features show: users by name, comments, votes and audiences, with the reads that fill them.

use bytes::Bytes;
use rusqlite::Row;
use serde::{Deserialize, Serialize};

use crate::authz;
use crate::db::command::KeyUse;
use crate::db::sql::{Sql, from_row, list};
use crate::error::Error;
use crate::events::{self, Right, Users};
pub use crate::features::shared::choices::{Adders, Commenters};
use crate::features::shared::{between, mentions};
use crate::ids::{CommentId, GroupId, PostId, Seq, UserId};
use crate::wire::codec;
use crate::wire::named;

/// The reply to a write that returns only its number.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Done {
    pub seq: Seq,
}

/// Encodes [`Done`].
///
/// # Errors
/// The value cannot be encoded, which is a bug.
pub fn done(seq: Seq) -> Result<Bytes, Error> {
    Ok(codec::encode(&Done { seq })?.into())
}

/// A user with the name. A message names each user once; its other parts carry ids.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct User {
    pub id: UserId,
    pub name: String,
    /// The address of the small size of the photo; None if the user has none, and the app shows initials.
    pub photo_url: Option<String>,
}

/// The viewer's own account. Besides the export, this is the only message with a mail address.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Me {
    pub id: UserId,
    pub name: String,
    pub photo_url: Option<String>,
    pub email: String,
    /// A new address that waits for its confirmation.
    pub pending_email: Option<String>,
    /// Whether only the owner sees the numbers of followers and followed.
    pub hide_numbers: bool,
    /// Whether the user is in the list of people and among close matches.
    pub listed: bool,
    /// Who may add the user to groups.
    pub adders: Adders,
    /// Who may comment on the public posts of the user.
    pub commenters: Commenters,
    /// Whether there is an unseen notification.
    pub has_unread: bool,
    /// The first steps of a new user; None for others, and after they were dismissed.
    pub first_steps: Option<FirstSteps>,
    /// The inviter, until the user answers the offer to follow them.
    pub inviter: Option<User>,
    /// Whether the user is an admin.
    pub is_admin: bool,
    /// Whether there are open reports. Always false for a user who is not an admin.
    pub has_reports: bool,
}

/// The first steps that a new user has done (D-P2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FirstSteps {
    pub has_photo: bool,
    pub has_followed: bool,
    pub has_invited: bool,
    /// Whether the user posted with the tag of the theme of that day.
    pub has_answered: bool,
}

impl FirstSteps {
    /// Returns the steps from bits, in the order of the fields.
    #[must_use]
    pub fn of(bits: i64) -> Self {
        let has = |bit: i64| bits & bit != 0;
        Self { has_photo: has(1), has_followed: has(2), has_invited: has(4), has_answered: has(8) }
    }
}

/// The columns of [`Me`], for `users u`. This is a macro, so that statements are constants.
macro_rules! me_columns {
    () => {
        concat!(
            "u.id, u.name, u.photo_url, u.email, u.pending_email, u.hide_numbers, u.listed, u.is_admin, u.adders,
         u.commenters,
          u.is_admin and exists (select 1 from reports r where r.handled_at_ms is null and ",
            $crate::authz::sql::may_handle_report!("u.id"),
            ") as has_reports,
         exists (select 1 from notifications n where n.user_id = u.id and n.unread and ",
            $crate::authz::sql::is_notification_listed!("u.id"),
            ") as has_unread,
         (select d.has_photo + 2 * d.has_followed + 4 * d.has_invited + 8 * d.has_answered
            from newcomers d where d.user_id = u.id and d.is_dismissed = 0) as first_steps,
         (select d.inviter_id from newcomers d where d.user_id = u.id and ",
            $crate::authz::sql::may_meet!("d.inviter_id", "u.id"),
            ") as inviter_id,
         (select i.name from newcomers d join users i on i.id = d.inviter_id where d.user_id = u.id)
           as inviter_name,
         (select i.photo_url from newcomers d join users i on i.id = d.inviter_id where d.user_id = u.id)
           as inviter_photo_url"
        )
    };
}
pub(crate) use me_columns;

/// A comment. It is the same for every viewer of its post.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Comment {
    pub id: CommentId,
    pub post_id: PostId,
    pub author_id: UserId,
    pub text: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at_ms: i64,
}

/// The vote of one user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", try_from = "String")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Vote {
    None,
    Positive,
    Negative,
}

named!(Vote { None = "none", Positive = "positive", Negative = "negative" });

impl Vote {
    /// Returns the stored number: 1, -1, or 0 for no row.
    #[must_use]
    pub fn number(self) -> i64 {
        match self {
            Self::None => 0,
            Self::Positive => 1,
            Self::Negative => -1,
        }
    }

    /// Returns the vote for a stored number.
    #[must_use]
    pub fn of(number: Option<i64>) -> Self {
        match number {
            Some(1) => Self::Positive,
            Some(-1) => Self::Negative,
            _ => Self::None,
        }
    }
}

/// A group with its name. A message names each group once, and only to its members; its other parts carry ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GroupName {
    pub id: GroupId,
    pub name: String,
    pub owner_id: UserId,
}

/// The audience of a post or a poll, as it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Audience {
    Public {},
    /// The members of a group. The id is null if the viewer, who wrote the item, is no longer a member. The members
    /// still see it.
    Group {
        group_id: Option<GroupId>,
    },
    /// The author alone: the group was deleted, or the author took the item out of a group that they are no longer in.
    Author {},
}

impl Audience {
    /// Returns the audience of an item with this group. `audience` is the stored word.
    #[must_use]
    pub fn kept(audience: &str, group_id: Option<GroupId>) -> Self {
        match (audience, group_id) {
            ("group", Some(_)) => Self::Group { group_id },
            ("group", None) => Self::Author {},
            _ => Self::Public {},
        }
    }

    /// Returns the stored word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Public {} => "public",
            Self::Group { .. } | Self::Author {} => "group",
        }
    }

    /// Returns whether it names no group that the item could be for: a new item cannot be for it.
    #[must_use]
    pub fn is_outside(self) -> bool {
        matches!(self, Self::Group { group_id: None } | Self::Author {})
    }

    /// Returns the group that it names.
    #[must_use]
    pub fn group_id(self) -> Option<GroupId> {
        match self {
            Self::Public {} | Self::Author {} => None,
            Self::Group { group_id } => group_id,
        }
    }

    /// Returns the bytes with which the audience is part of the hash of a request.
    #[must_use]
    pub fn part(self) -> Vec<u8> {
        let group_id = self.group_id().map_or(0, |group_id| group_id.0);
        let word = if self == (Self::Author {}) { "author" } else { self.word() };
        [word.as_bytes(), &group_id.to_be_bytes()].concat()
    }

    /// Returns the fact for `authz`. `is_member` says whether the viewer is in the group.
    #[must_use]
    pub fn fact(self, is_member: bool) -> authz::Audience {
        match self {
            Self::Public {} => authz::Audience::Public,
            Self::Group { .. } => authz::Audience::Group { is_member },
            Self::Author {} => authz::Audience::Group { is_member: false },
        }
    }

    /// Returns the audience as it is sent to this viewer. A group that the viewer is not in is not named.
    #[must_use]
    pub fn seen(self, is_member: bool) -> Self {
        match self {
            Self::Group { .. } if !is_member => Self::Group { group_id: None },
            audience => audience,
        }
    }
}

from_row!(User { id, name, photo_url });
impl TryFrom<&Row<'_>> for Me {
    type Error = rusqlite::Error;

    fn try_from(row: &Row<'_>) -> Result<Self, Self::Error> {
        let steps: Option<i64> = row.get("first_steps")?;
        let inviter_id: Option<UserId> = row.get("inviter_id")?;
        let inviter = inviter_id.map(|id| -> Result<User, rusqlite::Error> {
            Ok(User { id, name: row.get("inviter_name")?, photo_url: row.get("inviter_photo_url")? })
        });
        Ok(Self {
            id: row.get("id")?,
            name: row.get("name")?,
            photo_url: row.get("photo_url")?,
            email: row.get("email")?,
            pending_email: row.get("pending_email")?,
            hide_numbers: row.get("hide_numbers")?,
            listed: row.get("listed")?,
            adders: row.get("adders")?,
            commenters: row.get("commenters")?,
            has_unread: row.get("has_unread")?,
            first_steps: steps.map(FirstSteps::of),
            inviter: inviter.transpose()?,
            is_admin: row.get("is_admin")?,
            has_reports: row.get("has_reports")?,
        })
    }
}

from_row!(Comment { id, post_id, author_id, text, created_at_ms });
from_row!(GroupName { id, name, owner_id });

/// Returns the names of these groups, by id. A missing id is a deleted group. The caller checks membership.
///
/// # Errors
/// A database fault.
pub fn groups_named(sql: Sql<'_>, ids: impl IntoIterator<Item = GroupId>) -> Result<Vec<GroupName>, Error> {
    let mut ids = ids.into_iter().peekable();
    if ids.peek().is_none() {
        return Ok(Vec::new());
    }
    Ok(sql.rows("select id, name, owner_id from groups where id in rarray(?1) order by id", (list(ids),))?)
}

/// Returns the members of a group, sorted; empty if there is no such group.
///
/// # Errors
/// A database fault.
pub fn members_of(sql: Sql<'_>, group_id: GroupId) -> Result<Vec<UserId>, Error> {
    Ok(sql.values("select user_id from members where group_id = ?1 order by user_id", (group_id,))?)
}

/// Returns the groups that a user is in, sorted.
///
/// # Errors
/// A database fault.
pub fn groups_of(sql: Sql<'_>, user_id: UserId) -> Result<Vec<GroupId>, Error> {
    Ok(sql.values("select group_id from members where user_id = ?1 order by group_id", (user_id,))?)
}

/// Returns whether a user is a member of a group; false for a deleted group.
///
/// # Errors
/// A database fault.
pub fn is_member_of(sql: Sql<'_>, group_id: GroupId, user_id: UserId) -> Result<bool, Error> {
    let is_member = sql.value(
        "select exists (select 1 from members where group_id = ?1 and user_id = ?2)",
        (group_id, user_id),
    )?;
    Ok(is_member)
}

/// Returns whether a user has a right now. The writer asks this before it repeats a reply.
///
/// # Errors
/// A database fault.
pub fn has_right(sql: Sql<'_>, user_id: UserId, right: Right) -> Result<bool, Error> {
    match right {
        Right::Membership(group_id) => is_member_of(sql, group_id, user_id),
        Right::Following(creator_id) => {
            let has = concat!("select ?1 = ?2 or ", authz::sql::is_followed!("?1", "?2"));
            Ok(sql.value(has, (user_id, creator_id))?)
        }
        // A stored reply that names a user is erased when its reader may no longer meet that user (`stored_replies.rs`).
        Right::Meeting => Ok(true),
    }
}

/// Returns the followers of a user, in no order.
///
/// # Errors
/// A database fault.
pub fn followers_of(sql: Sql<'_>, user_id: UserId) -> Result<Vec<UserId>, Error> {
    Ok(sql.values("select follower_id from follows where followed_id = ?1", (user_id,))?)
}

/// Returns the recipients of an item with this audience: the author's followers or the members of the group, and the
/// author.
///
/// # Errors
/// A database fault.
pub fn recipients_of(sql: Sql<'_>, author_id: UserId, audience: Audience) -> Result<Users, Error> {
    let others = match audience {
        Audience::Public {} => followers_of(sql, author_id)?,
        Audience::Group { group_id: Some(group_id) } => members_of(sql, group_id)?,
        Audience::Group { group_id: None } | Audience::Author {} => Vec::new(),
    };
    Ok(events::users(others.into_iter().chain([author_id])))
}

/// Returns the recipients of something new with this audience: those of [`recipients_of`] except users who muted the
/// author.
///
/// # Errors
/// A database fault.
pub fn listeners_of(sql: Sql<'_>, author_id: UserId, audience: Audience) -> Result<Users, Error> {
    without_muters(sql, recipients_of(sql, author_id, audience)?, author_id)
}

/// Returns the users, except those who muted the author.
///
/// # Errors
/// A database fault.
pub fn without_muters(sql: Sql<'_>, users: Users, author_id: UserId) -> Result<Users, Error> {
    let muters = events::users(between::muters_of(sql, author_id)?);
    Ok(if muters.is_empty() { users } else { events::without(&users, &muters) })
}

/// Returns the members of the group of a post; None for a public post. Only they may receive an event about its
/// comments.
///
/// # Errors
/// A database fault.
pub fn members_alone(sql: Sql<'_>, audience: Audience) -> Result<Option<Users>, Error> {
    match audience {
        Audience::Public {} => Ok(None),
        Audience::Group { group_id: Some(group_id) } => Ok(Some(members_of(sql, group_id)?.into())),
        Audience::Group { group_id: None } | Audience::Author {} => Ok(Some(Users::default())),
    }
}

/// Returns the names of these users, by id. A missing id is a deleted account, or a user whom the viewer may not meet.
///
/// # Errors
/// A database fault.
pub fn users_named(
    sql: Sql<'_>,
    viewer_id: UserId,
    ids: impl IntoIterator<Item = UserId>,
) -> Result<Vec<User>, Error> {
    let mut ids = ids.into_iter().peekable();
    if ids.peek().is_none() {
        return Ok(Vec::new());
    }
    let users = sql.rows(
        concat!(
            "select u.id, u.name, u.photo_url from users u where u.id in rarray(?1) and ",
            authz::sql::may_meet!("u.id", "?2"),
            " order by u.id"
        ),
        (list(ids), viewer_id),
    )?;
    Ok(users)
}

/// Returns the comments that are sent with these posts: the oldest ones that the viewer sees, by id.
///
/// # Errors
/// A database fault.
pub fn first_comments(
    sql: Sql<'_>,
    viewer_id: UserId,
    post_ids: impl IntoIterator<Item = PostId>,
) -> Result<Vec<Comment>, Error> {
    let mut comments = oldest_comments(sql, viewer_id, post_ids)?;
    between::hide_mentions(sql, viewer_id, &mut comments)?;
    Ok(comments)
}

/// Returns the same comments as [`first_comments`], but with the mentions of users whom the viewer may not meet.
///
/// # Errors
/// A database fault.
pub fn oldest_comments(
    sql: Sql<'_>,
    viewer_id: UserId,
    post_ids: impl IntoIterator<Item = PostId>,
) -> Result<Vec<Comment>, Error> {
    let comments = sql.rows(
        concat!(
            "select c.id, c.post_id, c.author_id, c.text, c.created_at_ms
               from rarray(?1) p
               join comments c on c.id in (select s.id from comments s where s.post_id = p.value and ",
            authz::sql::may_meet!("s.author_id", "?3"),
            " order by s.id limit ?2)
              order by c.id"
        ),
        (list(post_ids), crate::limits::COMMENTS_SHOWN, viewer_id),
    )?;
    Ok(comments)
}

/// Returns how many comments of a post this viewer sees.
///
/// # Errors
/// A database fault.
pub fn comments_seen(sql: Sql<'_>, viewer_id: UserId, post_id: PostId) -> Result<i64, Error> {
    let count = sql.value(
        concat!("select ", authz::sql::comments_seen!("p", "?2"), " from posts p where p.id = ?1"),
        (post_id, viewer_id),
    )?;
    Ok(count)
}

/// The facts for permissions on a post, and its counts.
pub struct KnownPost {
    pub author_id: UserId,
    pub audience: Audience,
    /// Whether the viewer is in the group of the post.
    pub is_member: bool,
    /// Whether the viewer may meet the author.
    pub may_meet: bool,
    pub positive_count: i64,
    /// The number of comments of users whom the viewer may meet.
    pub comments_count: i64,
}

impl KnownPost {
    /// Returns the facts for `authz`.
    #[must_use]
    pub fn facts(&self) -> authz::PostFacts {
        let audience = self.audience.fact(self.is_member);
        authz::PostFacts { author_id: self.author_id, may_meet: self.may_meet, audience }
    }
}

/// The columns of [`KnownPost`] in order. The audience is two columns: the stored word and the group.
type PostColumns = (UserId, String, Option<GroupId>, bool, bool, i64, i64);

/// Returns a post with the viewer's relation to it, even if it is hidden from the viewer; None if there is no such
/// post.
///
/// # Errors
/// A database fault.
pub fn known_post(
    sql: Sql<'_>,
    post_id: PostId,
    viewer_id: Option<UserId>,
) -> Result<Option<KnownPost>, Error> {
    let row: Option<PostColumns> = sql.optional_row(
        concat!(
            "select p.author_id, p.audience, p.group_id, ",
            authz::sql::is_member!("p", "?2"),
            ", ",
            authz::sql::may_meet!("p.author_id", "?2"),
            ", p.positive_count, ",
            authz::sql::comments_seen!("p", "?2"),
            " from posts p where p.id = ?1"
        ),
        (post_id, viewer_id),
    )?;
    Ok(row.map(|(author_id, word, group_id, is_member, may_meet, positive_count, comments_count)| {
        KnownPost {
            author_id,
            audience: Audience::kept(&word, group_id),
            is_member,
            may_meet,
            positive_count,
            comments_count,
        }
    }))
}

/// Returns whether this key was used for this request before.
///
/// # Errors
/// A database fault.
pub fn knows_key(sql: Sql<'_>, key: &KeyUse) -> Result<bool, Error> {
    let known = sql.value(
        "select exists (select 1 from keys where user_id = ?1 and key = ?2 and body_hash = ?3)",
        (key.user_id, key.key, key.body_hash),
    )?;
    Ok(known)
}

/// Returns the users to name in a message with these comments: their authors, and the mentioned users.
pub fn people_of(comments: &[Comment]) -> impl Iterator<Item = UserId> + '_ {
    comments.iter().flat_map(|comment| {
        // Few comments have a mention. A comment without `@` has none, so it is not searched.
        let mentioned =
            if comment.text.contains('@') { mentions::mentioned(&comment.text) } else { Vec::new() };
        std::iter::once(comment.author_id).chain(mentioned)
    })
}
