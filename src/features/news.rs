//! News that several slices bring: events in the words of one slice that another causes as well, each with
//! the read that fills it. Here, because no slice imports another.

use super::{Event, account, auth, comments, follows, groups, notifications, people, polls, votes};
use crate::db::sql::Sql;
use crate::error::{Error, Refusal};
use crate::ids::{CommentId, GroupId, LoginId, NotificationId, PollId, PostId, UserId};

/// Whose eyes see what everybody may: no user has this id.
const ANYBODY: UserId = UserId(0);

/// Returns the event of a user's account as it is now.
///
/// # Errors
/// A database fault, also when there is no such user.
pub fn account_changed(sql: Sql<'_>, user_id: UserId) -> Result<Event, Error> {
    Ok(Event::AccountChanged(account::wire::Changed { me: people::me(sql, user_id)? }))
}

/// Returns the event of a profile as it is now, its numbers only while they are for everybody.
///
/// # Errors
/// [`Refusal::NotFound`] when there is no such user; a database fault.
pub fn profile_changed(sql: Sql<'_>, user_id: UserId) -> Result<Event, Error> {
    let known = people::profile(sql, user_id, ANYBODY)?.ok_or(Refusal::NotFound)?;
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
    let counts = follows::store::counted(sql, user_ids)?;
    Ok(counts.into_iter().map(Event::ProfileCounted).collect())
}

/// Returns the events of these comments, one of a post, now that they are deleted; in this order.
///
/// # Errors
/// A database fault.
pub fn comments_deleted(sql: Sql<'_>, gone: &[(PostId, CommentId)]) -> Result<Vec<Event>, Error> {
    let deleted = comments::store::deleted(sql, gone)?;
    Ok(deleted.into_iter().map(Event::CommentDeleted).collect())
}

/// Returns the events of the tallies of these polls as they are now, newest first.
///
/// # Errors
/// A database fault.
pub fn polls_counted(sql: Sql<'_>, poll_ids: impl IntoIterator<Item = PollId>) -> Result<Vec<Event>, Error> {
    let counts = polls::store::read::counted(sql, poll_ids)?;
    Ok(counts.into_iter().map(Event::PollCounted).collect())
}

/// Returns what an author is told of a post's votes.
#[must_use]
pub fn votes_counted(post_id: PostId, author_id: UserId, positive_count: i64) -> Event {
    Event::VotesCounted(votes::wire::Counted { post_id, positive_count, author_id })
}

/// Returns what those are told who were in a group that is gone; sorted.
#[must_use]
pub fn group_deleted(group_id: GroupId, members: Vec<UserId>) -> Event {
    Event::GroupDeleted(groups::wire::Deleted { group_id, members })
}

/// Returns what the members of a group are told once somebody is not in it any more, those who are left; sorted.
#[must_use]
pub fn group_left(group_id: GroupId, user_id: UserId, members: Vec<UserId>) -> Event {
    let members_count = i64::try_from(members.len()).unwrap_or(i64::MAX);
    Event::GroupLeft(groups::wire::Left { group_id, user_id, members_count, members })
}

/// Returns what somebody is told whose notifications are gone.
#[must_use]
pub fn notifications_deleted(
    user_id: UserId,
    notification_ids: Vec<NotificationId>,
    has_unread: bool,
) -> Event {
    Event::NotificationsDeleted(notifications::wire::Deleted { notification_ids, has_unread, user_id })
}

/// Returns what closes the sockets of a login whose account is gone.
#[must_use]
pub fn login_ended_with_its_account(login_id: LoginId) -> Event {
    Event::LoginEnded(auth::Ended::with_its_account(login_id))
}
