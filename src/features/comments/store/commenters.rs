//! Who may comment on the public posts of a user (D-S8): the facts, and the events of a change.

use std::collections::HashMap;

use super::super::wire::{Allowed, AllowedTo};
use crate::authz::{self, CommenterFacts};
use crate::db::sql::{List, Sql, list};
use crate::error::Error;
use crate::events;
use crate::features::events::Event;
use crate::ids::UserId;
use crate::model::between::users_hidden_from;
use crate::model::choices::Commenters;
use crate::model::users::followers_of;

/// An author who does not let everyone comment.
type Limiting = (UserId, Commenters, CommenterFacts);

/// Returns which of these authors do not let everyone comment on their public posts.
fn limiting(sql: Sql<'_>, user_id: UserId, author_ids: List) -> Result<Vec<Limiting>, Error> {
    let rows: Vec<(UserId, Commenters, bool, bool)> = sql.rows(
        concat!(
            "select u.id, u.commenters, ",
            authz::sql::is_followed!("?2", "u.id"),
            ", ",
            authz::sql::is_followed!("u.id", "?2"),
            " from users u where u.id in rarray(?1) and u.commenters <> 'everyone'"
        ),
        (author_ids, user_id),
    )?;
    let limiting = |(author_id, commenters, is_followed, follows_user): (UserId, Commenters, bool, bool)| {
        let facts = CommenterFacts { commenters: commenters.fact(), is_followed, follows_user };
        (author_id, commenters, facts)
    };
    Ok(rows.into_iter().map(limiting).collect())
}

/// Returns the facts that decide whether a user may comment on the public posts of this author.
///
/// # Errors
/// A database fault.
pub fn commenter_facts(sql: Sql<'_>, user_id: UserId, author_id: UserId) -> Result<CommenterFacts, Error> {
    let everyone =
        CommenterFacts { commenters: authz::Commenters::Everyone, is_followed: false, follows_user: false };
    let limiting = limiting(sql, user_id, list([author_id]))?;
    Ok(limiting.into_iter().next().map_or(everyone, |(.., facts)| facts))
}

/// Returns the authors on whose public posts a user may not comment, with the users who may.
///
/// # Errors
/// A database fault.
pub fn comments_only_for(
    sql: Sql<'_>,
    user_id: UserId,
    author_ids: impl IntoIterator<Item = UserId>,
) -> Result<HashMap<UserId, Commenters>, Error> {
    let limiting = limiting(sql, user_id, list(author_ids))?.into_iter();
    let barring =
        limiting.filter(|(author_id, _, facts)| !authz::may_comment_publicly(user_id, *author_id, facts));
    Ok(barring.map(|(author_id, commenters, _)| (author_id, commenters)).collect())
}

/// Returns the events after a user set who may comment on their public posts. One is for those who may, the user
/// included. The other is for everybody else.
///
/// # Errors
/// A database fault.
pub fn comments_allowed(
    sql: Sql<'_>,
    author_id: UserId,
    commenters: Commenters,
) -> Result<Vec<Event>, Error> {
    // Users who may not meet the author receive nothing.
    let hidden = users_hidden_from(sql, [author_id])?;
    let hidden = hidden.iter().copied();
    let allowed = match commenters {
        Commenters::Everyone => {
            let to = AllowedTo::AllBut(events::users(hidden.chain([author_id])));
            return Ok(vec![Event::CommentsAllowed(Allowed { author_id, only_for: None, to })]);
        }
        Commenters::Followers => followers_of(sql, author_id)?,
        Commenters::Followed => followed_by(sql, author_id)?,
    };
    let to = AllowedTo::AllBut(events::users(allowed.iter().copied().chain(hidden).chain([author_id])));
    let others = Event::CommentsAllowed(Allowed { author_id, only_for: Some(commenters), to });
    let to = AllowedTo::These(events::users(allowed));
    Ok(vec![others, Event::CommentsAllowed(Allowed { author_id, only_for: None, to })])
}

/// Returns the events after a follow began or ended. They say whether each of the two users may comment on the public
/// posts of the other, if that depends on the follow.
///
/// # Errors
/// A database fault.
pub fn commenting_after_follow(
    sql: Sql<'_>,
    follower_id: UserId,
    followed_id: UserId,
) -> Result<Vec<Event>, Error> {
    let dependent: Vec<(UserId, UserId)> = sql.rows(
        "select ?1, id from users where id = ?2 and commenters = 'followers'
         union all select ?2, id from users where id = ?1 and commenters = 'followed'",
        (follower_id, followed_id),
    )?;
    let mut events = Vec::new();
    for (user_id, author_id) in dependent {
        let only_for = comments_only_for(sql, user_id, [author_id])?.remove(&author_id);
        let to = AllowedTo::These(events::users([user_id]));
        events.push(Event::CommentsAllowed(Allowed { author_id, only_for, to }));
    }
    Ok(events)
}

/// Returns the users whom a user follows, in no particular order.
fn followed_by(sql: Sql<'_>, user_id: UserId) -> Result<Vec<UserId>, Error> {
    Ok(sql.values("select followed_id from follows where follower_id = ?1", (user_id,))?)
}
