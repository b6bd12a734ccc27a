//! The SQL of following.

use rusqlite::Row;

use super::wire::{Changed, Counted, Followed, People, Side};
use crate::authz;
use crate::authz::sql::may_meet;
use crate::db::command::{KeyUse, Transaction, WriteCommand, keyed};
use crate::db::sql::{Sql, list};
use crate::error::{Error, Field, Refusal};
use crate::features::comments::store::commenters;
use crate::features::events::Event;
use crate::features::newcomers::store::steps;
use crate::features::notifications::store::notify as notifications;
use crate::ids::{FollowId, ID_LIMIT, Seq, UserId};
use crate::limits::{FOLLOWS_FULL, FOLLOWS_MAX, PEOPLE_PAGE};
use crate::model::archive::ArchiveFile;
use crate::model::between::{self, ANY_VIEWER};
use crate::model::users::{User, users_named};
use crate::reply::Done;

/// Sets whether one user follows another.
pub struct Set {
    pub key: KeyUse,
    pub follower_id: UserId,
    pub followed_id: UserId,
    pub following: bool,
    /// Whether a new follow may make a new notification. It makes none again within a day.
    pub notifies: bool,
}

impl WriteCommand for Set {
    type Event = Event;
    type Value = Followed;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Followed, Error> {
        let sql = transaction.sql;
        let (follower_id, followed_id, following) = (self.follower_id, self.followed_id, self.following);
        let facts: Option<(Option<i64>,)> = sql.optional_row(
            concat!(
                "select (select ",
                authz::sql::following_seen!(),
                " from users u where u.id = ?1) from users where id = ?2 and ",
                authz::sql::may_meet!("?2", "?1")
            ),
            (follower_id, followed_id),
        )?;
        let (following_count,) = facts.ok_or(Refusal::NotFound)?;
        // The viewer's account may have been deleted meanwhile.
        let following_count = following_count.ok_or(Refusal::NotSignedIn)?;
        let changed = if following {
            sql.execute(
                "insert into follows (follower_id, followed_id, id) values (?1, ?2, ?3)
                   on conflict (follower_id, followed_id) do nothing",
                (follower_id, followed_id, transaction.new_id()),
            )? > 0
        } else {
            sql.execute(
                "delete from follows where follower_id = ?1 and followed_id = ?2",
                (follower_id, followed_id),
            )? > 0
        };
        if changed && following && following_count >= FOLLOWS_MAX {
            return Err(Refusal::Invalid(Field::USER, FOLLOWS_FULL).into());
        }
        if !changed {
            transaction.changes_nothing_but_counts();
        } else {
            transaction.publish(Event::FollowChanged(Changed {
                user_id: followed_id,
                following,
                follower_id,
            }));
            for counted in counted(sql, [follower_id, followed_id])? {
                transaction.publish(counted);
            }
            for allowed in commenters::commenting_after_follow(sql, follower_id, followed_id)? {
                transaction.publish(allowed);
            }
            if following {
                let follower = users_named(sql, ANY_VIEWER, [follower_id])?;
                let follower = follower.first().ok_or(Refusal::NotFound)?;
                notifications::notify_follow(transaction, followed_id, follower, self.notifies)?;
                steps::follow(transaction, follower_id, followed_id)?;
            } else {
                notifications::withdraw_follow(transaction, followed_id, follower_id)?;
            }
        }
        Ok(Followed { user_id: followed_id, following, seq: transaction.seq() })
    }
}

/// Ends a follow, by request of the followed user (D-S5). Only the follower receives the event.
pub struct Remove {
    pub key: KeyUse,
    pub follower_id: UserId,
    pub followed_id: UserId,
}

impl WriteCommand for Remove {
    type Event = Event;
    type Value = Done;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let sql = transaction.sql;
        let (follower_id, followed_id) = (self.follower_id, self.followed_id);
        // The follow of a suspended user stays until the suspension ends.
        let ended = sql.execute(
            concat!(
                "delete from follows where follower_id = ?1 and followed_id = ?2 and ",
                authz::sql::may_meet!("?1", "?2")
            ),
            (follower_id, followed_id),
        )?;
        if ended > 0 {
            let (user_id, following) = (followed_id, false);
            transaction.publish(Event::FollowChanged(Changed { user_id, following, follower_id }));
            for counted in counted(sql, [follower_id, followed_id])? {
                transaction.publish(counted);
            }
            for allowed in commenters::commenting_after_follow(sql, follower_id, followed_id)? {
                transaction.publish(allowed);
            }
            notifications::withdraw_follow(transaction, followed_id, follower_id)?;
        } else {
            transaction.changes_nothing();
        }
        Ok(Done { seq: transaction.seq() })
    }
}

/// Ends the follows between two users. Returns the events with their counts.
///
/// # Errors
/// A database fault.
pub fn end_between(sql: Sql<'_>, user_id: UserId, other_id: UserId) -> Result<Vec<Event>, Error> {
    sql.execute(
        "delete from follows
          where follower_id = ?1 and followed_id = ?2 or follower_id = ?2 and followed_id = ?1",
        (user_id, other_id),
    )?;
    counted(sql, [user_id, other_id])
}

/// Returns the events with the counts of these users, as they are now, by id.
///
/// # Errors
/// A database fault.
pub fn counted(sql: Sql<'_>, user_ids: impl IntoIterator<Item = UserId>) -> Result<Vec<Event>, Error> {
    let counts: Vec<(UserId, i64, i64, bool)> = sql.rows(
        concat!(
            "select u.id, ",
            authz::sql::followers_seen!(),
            ", ",
            authz::sql::following_seen!(),
            ", u.hide_numbers from users u where u.id in rarray(?1) and u.suspended_at is null order by u.id"
        ),
        (list(user_ids),),
    )?;
    let counted = counts.into_iter().map(|(user_id, followers_count, following_count, hide_numbers)| {
        let hidden_from = between::users_hidden_from(sql, [user_id])?;
        let counts = Counted { user_id, followers_count, following_count, hide_numbers, hidden_from };
        Ok(Event::ProfileCounted(counts))
    });
    counted.collect()
}

/// Returns a page of a user's followers or followed users, newest first.
///
/// # Errors
/// A database fault.
pub fn page(
    sql: Sql<'_>,
    user_id: UserId,
    side: Side,
    before: Option<FollowId>,
    seq: Seq,
) -> Result<People, Error> {
    let query = match side {
        Side::Followers => {
            concat!(
                "select f.id as follow_id, u.id, u.name, u.photo_url from follows f join users u on u.id = f.follower_id
                  where f.followed_id = ?1 and f.id < ?2 and ",
                authz::sql::may_meet!("u.id", "?1"),
                " order by f.id desc limit ?3"
            )
        }
        Side::Following => {
            concat!(
                "select f.id as follow_id, u.id, u.name, u.photo_url from follows f join users u on u.id = f.followed_id
                  where f.follower_id = ?1 and f.id < ?2 and ",
                authz::sql::may_meet!("u.id", "?1"),
                " order by f.id desc limit ?3"
            )
        }
    };
    let before = before.map_or(ID_LIMIT, |before| before.0);
    let mut rows: Vec<Listed> = sql.rows(query, (user_id, before, PEOPLE_PAGE + 1))?;
    let has_more = rows.len() > PEOPLE_PAGE;
    rows.truncate(PEOPLE_PAGE);
    let older = rows.last().map(|row| row.follow_id).filter(|_| has_more);
    let users = rows.into_iter().map(|row| row.user).collect();
    Ok(People { users, older, seq })
}

struct Listed {
    follow_id: FollowId,
    user: User,
}

impl TryFrom<&Row<'_>> for Listed {
    type Error = rusqlite::Error;

    fn try_from(row: &Row<'_>) -> Result<Self, Self::Error> {
        Ok(Self { follow_id: row.get("follow_id")?, user: row.try_into()? })
    }
}

/// The files that this feature adds to the archive of a user.
pub const ARCHIVE: &[ArchiveFile] = &[
    ArchiveFile::new(
        "following.json",
        "whom you follow",
        concat!(
            "select f.id, json_object('id', u.id, 'name', u.name)
               from follows f join users u on u.id = f.followed_id
              where f.follower_id = ?1 and f.id < ?2 and ",
            may_meet!("u.id", "?1"),
            " order by f.id desc limit ?3"
        ),
    ),
    ArchiveFile::new(
        "followers.json",
        "who follows you",
        concat!(
            "select f.id, json_object('id', u.id, 'name', u.name)
               from follows f join users u on u.id = f.follower_id
              where f.followed_id = ?1 and f.id < ?2 and ",
            may_meet!("u.id", "?1"),
            " order by f.id desc limit ?3"
        ),
    ),
];
