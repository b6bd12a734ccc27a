//! Events that belong to one feature and that other features also cause, each with the query that fills it.

use crate::db::sql::Sql;
use crate::error::{Error, Refusal};
use crate::features::events::Event;
use crate::features::shared::people;
use crate::features::{
    auth::wire as auth, comments::store as comment_store, follows::store as follow_store,
    groups::wire as groups, notifications::wire as notifications, polls::store::read as poll_store,
    votes::wire as votes,
};
use crate::ids::{CommentId, GroupId, LoginId, NotificationId, PollId, PostId, UserId};

/// A viewer who sees only what everybody may see. No user has this id.
const ANY_VIEWER: UserId = UserId(0);

/// Returns the event of a profile as it is now. Its numbers are included only if everybody may see them.
///
/// # Errors
/// [`Refusal::NotFound`] when there is no such user; a database fault.
pub fn profile_changed(sql: Sql<'_>, user_id: UserId) -> Result<Event, Error> {
    let known = people::profile(sql, user_id, ANY_VIEWER)?.ok_or(Refusal::NotFound)?;
    Ok(known.changed())
}

/// Returns the events of the counts of these users as they are now.
///
/// # Errors
/// A database fault.
pub fn profiles_counted(
    sql: Sql<'_>,
    user_ids: impl IntoIterator<Item = UserId>,
) -> Result<Vec<Event>, Error> {
    let counts = follow_store::counted(sql, user_ids)?;
    Ok(counts.into_iter().map(Event::ProfileCounted).collect())
}

/// Returns the events of deleted comments, in this order. There is at most one for a post.
///
/// # Errors
/// A database fault.
pub fn comments_deleted(sql: Sql<'_>, comments: &[(PostId, CommentId)]) -> Result<Vec<Event>, Error> {
    let deleted = comment_store::deleted(sql, comments)?;
    Ok(deleted.into_iter().map(Event::CommentDeleted).collect())
}

/// Returns the events of the tallies of these polls as they are now, newest first.
///
/// # Errors
/// A database fault.
pub fn polls_counted(sql: Sql<'_>, poll_ids: impl IntoIterator<Item = PollId>) -> Result<Vec<Event>, Error> {
    let counts = poll_store::counted(sql, poll_ids)?;
    Ok(counts.into_iter().map(Event::PollCounted).collect())
}

/// Returns the event that gives an author the number of positive votes of a post.
#[must_use]
pub fn votes_counted(post_id: PostId, author_id: UserId, positive_count: i64) -> Event {
    Event::VotesCounted(votes::Counted { post_id, positive_count, author_id })
}

/// Returns the event of a deleted group. `members` are its former members, sorted.
#[must_use]
pub fn group_deleted(group_id: GroupId, members: Vec<UserId>) -> Event {
    Event::GroupDeleted(groups::Deleted { group_id, members })
}

/// Returns the event of a user who is no longer in a group. `members` are those who remain, sorted.
#[must_use]
pub fn group_left(group_id: GroupId, user_id: UserId, members: Vec<UserId>) -> Event {
    let members_count = i64::try_from(members.len()).unwrap_or(i64::MAX);
    Event::GroupLeft(groups::Left { group_id, user_id, members_count, members })
}

/// Returns the event of deleted notifications of a user.
#[must_use]
pub fn notifications_deleted(
    user_id: UserId,
    notification_ids: Vec<NotificationId>,
    has_unread: bool,
) -> Event {
    Event::NotificationsDeleted(notifications::Deleted { notification_ids, has_unread, user_id })
}

/// Returns the event that closes the connections of a login whose account was deleted.
#[must_use]
pub fn login_ended_with_its_account(login_id: LoginId) -> Event {
    Event::LoginEnded(auth::Ended::with_its_account(login_id))
}
