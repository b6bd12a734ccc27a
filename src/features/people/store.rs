//! The SQL of blocking and muting.

use super::wire::{Changed, HiddenPeople};
use crate::authz;
use crate::authz::sql::may_meet;
use crate::db::command::{KeyUse, Transaction, WriteCommand};
use crate::db::sql::Sql;
use crate::error::{Error, Field, Refusal};
use crate::events::users;
use crate::features::account::wire::{Ended, Returned, Viewers};
use crate::features::comments::store as comments;
use crate::features::comments::wire::Readers;
use crate::features::events::Event;
use crate::features::follows::store as follows;
use crate::features::groups::store::members as groups;
use crate::features::notifications::store::notify as notifications;
use crate::features::saved::store as saved;
use crate::ids::{Seq, UserId};
use crate::limits::{BLOCKS_FULL, BLOCKS_MAX, MUTES_FULL, MUTES_MAX};
use crate::model::archive::{ArchiveFile, time};
use crate::model::between::{self, may_meet};
use crate::model::mentions;
use crate::model::stored_replies;
use crate::reply::Done;
use crate::wire::codec;

/// The viewer, the other user, and the key of the request.
pub struct Pair {
    pub key: KeyUse,
    pub viewer_id: UserId,
    pub other_id: UserId,
}

impl Pair {
    /// Publishes to the viewer whether they block and mute the other.
    fn publish(&self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
        let (blocked, muted): (bool, bool) = transaction.sql.row(
            "select exists (select 1 from blocks where blocker_id = ?1 and blocked_id = ?2),
                    exists (select 1 from mutes where muter_id = ?1 and muted_id = ?2)",
            (self.viewer_id, self.other_id),
        )?;
        let (user_id, viewer_id) = (self.other_id, self.viewer_id);
        transaction.publish(Event::PeopleChanged(Changed { user_id, blocked, muted, viewer_id }));
        Ok(())
    }
}

/// Implements the key of a command that holds a [`Pair`].
macro_rules! keyed_pair {
    () => {
        fn key(&self) -> Option<&KeyUse> {
            Some(&self.0.key)
        }
    };
}

/// Blocks the other user. The two disappear for each other. Their follows of each other end, their notifications about
/// each other and what they saved of each other are deleted, and memberships of one in groups of the other end.
pub struct Block(pub Pair);

impl WriteCommand for Block {
    type Event = Event;
    type Value = Done;

    keyed_pair!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let (sql, seq) = (transaction.sql, transaction.seq());
        let Pair { viewer_id, other_id, .. } = self.0;
        // A suspended user is refused like a deleted one, also if the viewer had blocked them before.
        if between::is_suspended(sql, other_id)? {
            return Err(Refusal::NotFound.into());
        }
        let is_blocked: bool = sql.value(
            "select exists (select 1 from blocks where blocker_id = ?1 and blocked_id = ?2)",
            (viewer_id, other_id),
        )?;
        if is_blocked {
            transaction.changes_nothing();
            return Ok(Done { seq });
        }
        if !may_meet(sql, viewer_id, other_id)? {
            return Err(Refusal::NotFound.into());
        }
        // The list leaves out suspended users, and so does its limit.
        let blocks: i64 = sql.value(
            "select count(*) from blocks b join users u on u.id = b.blocked_id
              where b.blocker_id = ?1 and u.suspended_at is null",
            (viewer_id,),
        )?;
        if blocks >= BLOCKS_MAX {
            return Err(Refusal::Invalid(Field::USER, BLOCKS_FULL).into());
        }
        sql.execute(
            "insert into blocks (blocker_id, blocked_id, created_at_ms) values (?1, ?2, ?3)",
            (viewer_id, other_id, transaction.now_ms),
        )?;
        // The stored replies of one that name the other are erased, because a repeated key must not return them.
        for (user_id, hidden_id) in [(viewer_id, other_id), (other_id, viewer_id)] {
            stored_replies::erase(sql, user_id, &codec::encode(&hidden_id)?)?;
            // A reply with a comment of the user may mention the other.
            stored_replies::erase(sql, user_id, mentions::begin(hidden_id).as_bytes())?;
        }
        saved::delete_between(sql, viewer_id, other_id)?;
        let gone = notifications::delete_between(sql, viewer_id, other_id)?;
        for event in groups::end_memberships_between(sql, viewer_id, other_id)? {
            transaction.publish(event);
        }
        let mut hidden = content_hidden(sql, viewer_id, other_id)?;
        hidden.extend(content_hidden(sql, other_id, viewer_id)?);
        let (left, hidden): (Vec<_>, Vec<_>) =
            hidden.into_iter().partition(|event| matches!(event, Event::GroupLeft(_)));
        // No event after `users.deleted` names one of the two to the other.
        for event in left.into_iter().chain(users_hidden(viewer_id, other_id)).chain(hidden) {
            transaction.publish(event);
        }
        for event in follows::end_between(sql, viewer_id, other_id)? {
            transaction.publish(event);
        }
        notifications::publish_deleted(transaction, gone)?;
        self.0.publish(transaction)?;
        Ok(Done { seq })
    }
}

/// Returns the events for a viewer who may not meet a user from now on. They remove the comments of the user, and the
/// user from the groups of both, as the events of a deleted account do.
fn content_hidden(sql: Sql<'_>, viewer_id: UserId, user_id: UserId) -> Result<Vec<Event>, Error> {
    let mut events = Vec::new();
    for group_id in between::groups_of_both(sql, viewer_id, user_id)? {
        events.push(Event::GroupLeft(groups::left_for(sql, group_id, user_id, viewer_id)?));
    }
    for (post_id, comment_id) in between::commented(sql, viewer_id, user_id)? {
        let readers = Readers { only: Some(users([viewer_id])), ..Readers::default() };
        events.push(comments::deleted_for(sql, viewer_id, post_id, comment_id, readers)?);
    }
    Ok(events)
}

/// Returns the events that make each of two users disappear for the other, as a deletion of the account does.
fn users_hidden(user_id: UserId, other_id: UserId) -> [Event; 2] {
    [(user_id, other_id), (other_id, user_id)]
        .map(|(user_id, viewer_id)| Event::UserDeleted(Ended::for_one(user_id, viewer_id)))
}

/// Returns the events that make each of two users appear again for the other.
fn users_returned(user_id: UserId, other_id: UserId) -> [Event; 2] {
    [(user_id, other_id), (other_id, user_id)].map(|(user_id, viewer_id)| {
        Event::UserReturned(Returned { user_id, viewers: Viewers::One(viewer_id) })
    })
}

/// Ends the viewer's block of the other user. Follows and memberships that the block ended do not come back.
pub struct Unblock(pub Pair);

impl WriteCommand for Unblock {
    type Event = Event;
    type Value = Done;

    keyed_pair!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let Pair { viewer_id, other_id, .. } = self.0;
        // A block of a suspended user stays, so that the reply does not tell them from a deleted one.
        let ended = transaction.sql.execute(
            "delete from blocks where blocker_id = ?1 and blocked_id = ?2
                and exists (select 1 from users where id = ?2 and suspended_at is null)",
            (viewer_id, other_id),
        )?;
        if ended == 0 {
            transaction.changes_nothing();
            return Ok(Done { seq: transaction.seq() });
        }
        if may_meet(transaction.sql, viewer_id, other_id)? {
            for event in users_returned(viewer_id, other_id) {
                transaction.publish(event);
            }
        }
        self.0.publish(transaction)?;
        Ok(Done { seq: transaction.seq() })
    }
}

/// Mutes the other user.
pub struct Mute(pub Pair);

impl WriteCommand for Mute {
    type Event = Event;
    type Value = Done;

    keyed_pair!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let sql = transaction.sql;
        let Pair { viewer_id, other_id, .. } = self.0;
        if !may_meet(sql, viewer_id, other_id)? {
            return Err(Refusal::NotFound.into());
        }
        let muted = sql.execute(
            "insert into mutes (muter_id, muted_id, created_at_ms) values (?1, ?2, ?3)
               on conflict (muter_id, muted_id) do nothing",
            (viewer_id, other_id, transaction.now_ms),
        )?;
        if muted == 0 {
            transaction.changes_nothing();
            return Ok(Done { seq: transaction.seq() });
        }
        // The list leaves out users whom the viewer may not meet, and so does its limit.
        let mutes: i64 = sql.value(
            concat!(
                "select count(*) from mutes m where m.muter_id = ?1 and ",
                authz::sql::may_meet!("m.muted_id", "?1")
            ),
            (viewer_id,),
        )?;
        if mutes > MUTES_MAX {
            return Err(Refusal::Invalid(Field::USER, MUTES_FULL).into());
        }
        let gone = notifications::delete_from(sql, viewer_id, other_id)?;
        self.0.publish(transaction)?;
        notifications::publish_deleted(transaction, gone)?;
        Ok(Done { seq: transaction.seq() })
    }
}

/// Ends the viewer's mute of the other user.
pub struct Unmute(pub Pair);

impl WriteCommand for Unmute {
    type Event = Event;
    type Value = Done;

    keyed_pair!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let Pair { viewer_id, other_id, .. } = self.0;
        // A mute of a user whom the viewer may not meet stays, so that the reply does not tell them from a deleted one.
        let ended = transaction.sql.execute(
            concat!(
                "delete from mutes where muter_id = ?1 and muted_id = ?2 and ",
                authz::sql::may_meet!("?2", "?1")
            ),
            (viewer_id, other_id),
        )?;
        if ended > 0 {
            self.0.publish(transaction)?;
        } else {
            transaction.changes_nothing();
        }
        Ok(Done { seq: transaction.seq() })
    }
}

/// Returns the users whom a user blocked and muted, by name. Only the name of a blocked user is returned. Suspended
/// users are left out, as deleted ones are.
///
/// # Errors
/// A database fault.
pub fn hidden(sql: Sql<'_>, viewer_id: UserId, seq: Seq) -> Result<HiddenPeople, Error> {
    let blocked = sql.rows(
        "select u.id, u.name, null as photo_url from blocks b join users u on u.id = b.blocked_id
          where b.blocker_id = ?1 and u.suspended_at is null order by u.name_key, u.id",
        (viewer_id,),
    )?;
    let muted = sql.rows(
        concat!(
            "select u.id, u.name, u.photo_url from mutes m join users u on u.id = m.muted_id
              where m.muter_id = ?1 and ",
            authz::sql::may_meet!("u.id", "?1"),
            " order by u.name_key, u.id"
        ),
        (viewer_id,),
    )?;
    Ok(HiddenPeople { blocked, muted, seq })
}

/// The files that this feature adds to the archive of a user.
pub const ARCHIVE: &[ArchiveFile] = &[
    ArchiveFile::new(
        "blocked.json",
        "whom you blocked",
        concat!(
            "select b.blocked_id, json_object('id', u.id, 'name', u.name, 'since', ",
            time!("b.created_at_ms"),
            ")
               from blocks b join users u on u.id = b.blocked_id
              where b.blocker_id = ?1 and b.blocked_id < ?2 and u.suspended_at is null order by b.blocked_id desc limit ?3"
        ),
    ),
    ArchiveFile::new(
        "muted.json",
        "whom you muted",
        concat!(
            "select m.muted_id, json_object('id', u.id, 'name', u.name, 'since', ",
            time!("m.created_at_ms"),
            ")
               from mutes m join users u on u.id = m.muted_id
              where m.muter_id = ?1 and m.muted_id < ?2 and ",
            may_meet!("u.id", "?1"),
            "
              order by m.muted_id desc limit ?3"
        ),
    ),
];
