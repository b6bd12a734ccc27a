//! Events of one feature that other features also cause, each with the query that fills it.

use crate::db::sql::Sql;
use crate::error::{Error, Refusal};
use crate::events;
pub use crate::features::comments::store::deleted as comments_deleted;
use crate::features::comments::wire::Readers;
use crate::features::events::Event;
use crate::features::shared::between::{self, ANY_VIEWER};
use crate::features::shared::people;
use crate::features::{
    account::wire as account, auth::wire as auth, comments::store as comment_store,
    follows::store as follow_store, groups::store::members as group_store, groups::wire as groups,
    notifications::wire as notifications, polls::store::read as poll_store, votes::wire as votes,
};
use crate::ids::{GroupId, LoginId, NotificationId, PollId, PostId, UserId};

/// Returns the event of a profile, as it is now. The event has its numbers only if everybody may see them.
///
/// # Errors
/// [`Refusal::NotFound`] if there is no such user; a database fault.
pub fn profile_changed(sql: Sql<'_>, user_id: UserId) -> Result<Event, Error> {
    let known = people::profile(sql, user_id, ANY_VIEWER)?.ok_or(Refusal::NotFound)?;
    Ok(known.changed())
}

/// Returns the events with the counts of these users, as they are now.
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

/// Returns the events with the tallies of these polls, as they are now, newest first.
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

/// Returns the events of a user who is no longer in a group. `out` are the members who could not meet the user.
///
/// # Errors
/// A database fault.
pub fn group_left(
    sql: Sql<'_>,
    group_id: GroupId,
    user_id: UserId,
    out: &events::Users,
) -> Result<Vec<Event>, Error> {
    let mut left = group_store::left(sql, group_id, user_id)?;
    for event in &mut left {
        event.recipients = events::without(&event.recipients, out);
    }
    Ok(left.into_iter().map(Event::GroupLeft).collect())
}

/// Ends the memberships of each of two users in the groups that the other owns (D-S3). Returns the events.
///
/// # Errors
/// A database fault.
pub fn memberships_ended(sql: Sql<'_>, user_id: UserId, other_id: UserId) -> Result<Vec<Event>, Error> {
    let mut events = Vec::new();
    for (group_id, member_id) in between::memberships(sql, user_id, other_id)? {
        events.extend(group_store::end_membership(sql, group_id, member_id)?);
    }
    Ok(events)
}

/// Returns the events for a viewer who may not meet a user from now on. They remove the comments of the user, and the
/// user from the groups of both, as the events of a deleted account do.
///
/// # Errors
/// A database fault.
pub fn content_hidden(sql: Sql<'_>, viewer_id: UserId, user_id: UserId) -> Result<Vec<Event>, Error> {
    let mut events = Vec::new();
    for group_id in between::groups_of_both(sql, viewer_id, user_id)? {
        events.push(Event::GroupLeft(group_store::left_for(sql, group_id, user_id, viewer_id)?));
    }
    for (post_id, comment_id) in between::commented(sql, viewer_id, user_id)? {
        let readers = Readers { only: Some(events::users([viewer_id])), ..Readers::default() };
        events.push(comment_store::deleted_for(sql, viewer_id, post_id, comment_id, readers)?);
    }
    Ok(events)
}

/// Ends the follows between two users. Returns the events with their counts.
///
/// # Errors
/// A database fault.
pub fn follows_ended(sql: Sql<'_>, user_id: UserId, other_id: UserId) -> Result<Vec<Event>, Error> {
    follow_store::end_between(sql, user_id, other_id)?;
    profiles_counted(sql, [user_id, other_id])
}

/// Returns the events that make each of two users disappear for the other, as a deletion of the account does.
#[must_use]
pub fn users_hidden(user_id: UserId, other_id: UserId) -> [Event; 2] {
    [(user_id, other_id), (other_id, user_id)]
        .map(|(user_id, viewer_id)| Event::UserDeleted(account::Ended::for_one(user_id, viewer_id)))
}

/// Returns the events that make each of two users appear again for the other.
#[must_use]
pub fn users_returned(user_id: UserId, other_id: UserId) -> [Event; 2] {
    [(user_id, other_id), (other_id, user_id)].map(|(user_id, viewer_id)| {
        Event::UserReturned(account::Returned { user_id, viewers: account::Viewers::One(viewer_id) })
    })
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
