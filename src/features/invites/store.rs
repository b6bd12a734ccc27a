//! The SQL of invitations: makes, revokes and lists them, and counts their use by a sign-up.

use super::wire::{AllListed, Changed, Invite, Listed, Made, Place};
use crate::db::command::{KeyUse, Transaction, WriteCommand, keyed};
use crate::db::sql::{Sql, from_row};
use crate::error::{Error, Field, Refusal};
use crate::features::admin::wire::Act;
use crate::features::admin_log::store::{self as admin_log, Actor};
use crate::features::events::Event;
use crate::features::newcomers::store::steps::{self, Step};
use crate::ids::{Seq, UserId};
use crate::limits::{ADMIN_PAGE, INVITES_FULL, INVITES_OF_HOST, INVITES_PER_USER};
use crate::model::archive::{ArchiveFile, time};
use crate::model::between::ANY_VIEWER;
use crate::model::users::{User, users_named};

/// Makes an invitation.
pub struct Create {
    /// None for a command of the host.
    pub key: Option<KeyUse>,
    pub actor: Actor,
    /// None for the host.
    pub maker_id: Option<UserId>,
    /// Whether members may make invitations. If not, only admins and commands may.
    pub do_members_invite: bool,
    pub code: String,
    /// None if it never ends.
    pub life_ms: Option<i64>,
    /// None for no limit.
    pub uses_max: Option<i64>,
}

impl WriteCommand for Create {
    type Event = Event;
    type Value = Option<Listed>;

    keyed!(optional);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Option<Listed>, Error> {
        let (sql, now_ms) = (transaction.sql, transaction.now_ms);
        let is_host = may_act(sql, self.actor)?;
        if !is_host && !self.do_members_invite {
            return Err(Refusal::NotFound.into());
        }
        // Invitations that have ended are deleted first, so that they do not count.
        sql.execute(
            "delete from invites where maker_id is ?1 and ends_at_ms <= ?2",
            (self.maker_id, now_ms),
        )?;
        let count: i64 = sql.value("select count(*) from invites where maker_id is ?1", (self.maker_id,))?;
        let most = if self.maker_id.is_some() { INVITES_PER_USER } else { INVITES_OF_HOST };
        if count >= most {
            return Err(Refusal::Invalid(Field::INVITES, INVITES_FULL).into());
        }
        sql.execute(
            "insert into invites (code, maker_id, created_at_ms, ends_at_ms, uses_max) values (?1, ?2, ?3, ?4, ?5)",
            (&self.code, self.maker_id, now_ms, self.life_ms.map(|life_ms| now_ms + life_ms), self.uses_max),
        )?;
        if let Some(maker_id) = self.maker_id {
            steps::take(transaction, maker_id, Step::Invite)?;
        }
        log_act(transaction, self.actor, is_host, Act::InviteMade)?;
        listed(transaction, self.maker_id)
    }
}

/// Revokes an invitation. A user may revoke their own; an admin or a command may revoke any.
pub struct Revoke {
    pub key: Option<KeyUse>,
    pub actor: Actor,
    pub code: String,
}

impl WriteCommand for Revoke {
    type Event = Event;
    type Value = Option<Listed>;

    keyed!(optional);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Option<Listed>, Error> {
        let sql = transaction.sql;
        let is_host = may_act(sql, self.actor)?;
        let revoker_id = match self.actor {
            Actor::Admin(user_id) => Some(user_id),
            Actor::CommandLine => None,
        };
        let maker: Option<(Option<UserId>,)> = sql.optional_row(
            "delete from invites where code = ?1 and (?2 or maker_id = ?3) returning maker_id",
            (&self.code, is_host, revoker_id),
        )?;
        let (maker_id,) = maker.ok_or(Refusal::NotFound)?;
        log_act(transaction, self.actor, is_host, Act::InviteRevoked)?;
        if maker_id != revoker_id {
            listed(transaction, maker_id)?;
        }
        listed(transaction, revoker_id)
    }
}

/// Returns whether the actor is an admin or a command. They may make invitations even if members may not, and revoke
/// any.
fn may_act(sql: Sql<'_>, actor: Actor) -> Result<bool, Error> {
    match admin_log::require(sql, actor) {
        Ok(()) => Ok(true),
        Err(Error::Refused(_)) => Ok(false),
        Err(fault) => Err(fault),
    }
}

/// Logs an action of an admin or a command. The action of a member is not logged, but the pages of admins receive an
/// event.
fn log_act(
    transaction: &mut Transaction<'_, Event>,
    actor: Actor,
    is_host: bool,
    act: Act,
) -> Result<(), Error> {
    if is_host { admin_log::log(transaction, actor, act, None) } else { admin_log::changed(transaction) }
}

/// Publishes the invitations of a user, and returns them. Returns None if the host made the invitation.
fn listed(
    transaction: &mut Transaction<'_, Event>,
    maker_id: Option<UserId>,
) -> Result<Option<Listed>, Error> {
    let Some(maker_id) = maker_id else { return Ok(None) };
    let invites = of(transaction.sql, maker_id, transaction.now_ms)?;
    transaction.publish(changed(maker_id, invites.clone()));
    Ok(Some(Listed { invites, seq: transaction.seq() }))
}

/// Reads the columns of [`Row`] for the invitations that have not ended at `?1`.
macro_rules! made {
    () => {
        "select v.code, v.created_at_ms, v.ends_at_ms, v.uses, v.uses_max, u.id, u.name, u.photo_url
           from invites v left join users u on u.id = v.maker_id where coalesce(v.ends_at_ms > ?1, 1) and "
    };
}

type Row = (String, i64, Option<i64>, i64, Option<i64>, Option<UserId>, Option<String>, Option<String>);

fn made((code, created_at_ms, ends_at_ms, uses, uses_max, id, name, photo_url): Row) -> Made {
    Made {
        invite: Invite { code, created_at_ms, ends_at_ms, uses, uses_max },
        maker: id.zip(name).map(|(id, name)| User { id, name, photo_url }),
    }
}

/// Returns a page of everybody's invitations that have not ended, newest first.
///
/// # Errors
/// A database fault.
pub fn all(sql: Sql<'_>, after: Option<&Place>, now_ms: i64, seq: Seq) -> Result<AllListed, Error> {
    let (created_at_ms, code) =
        after.map_or((i64::MAX, ""), |place| (place.created_at_ms, place.code.as_str()));
    let mut rows: Vec<Row> = sql.rows(
        concat!(
            made!(),
            "(v.created_at_ms, v.code) < (?2, ?3) order by v.created_at_ms desc, v.code desc limit ?4"
        ),
        (now_ms, created_at_ms, code, ADMIN_PAGE + 1),
    )?;
    let has_more = rows.len() > ADMIN_PAGE;
    rows.truncate(ADMIN_PAGE);
    let place = |last: &Row| Place { code: last.0.clone(), created_at_ms: last.1 };
    let next = rows.last().filter(|_| has_more).map(place);
    Ok(AllListed { invites: rows.into_iter().map(made).collect(), next, seq })
}

/// Returns everybody's invitations that have not ended, after this code.
///
/// # Errors
/// A database fault.
pub fn by_code(sql: Sql<'_>, after: &str, now_ms: i64, rows: usize) -> Result<Vec<Made>, Error> {
    let rows: Vec<Row> =
        sql.rows(concat!(made!(), "v.code > ?2 order by v.code limit ?3"), (now_ms, after, rows))?;
    Ok(rows.into_iter().map(made).collect())
}

from_row!(Invite { code, created_at_ms, ends_at_ms, uses, uses_max });

/// Returns a user's invitations that have not ended, newest first.
///
/// # Errors
/// A database fault.
pub fn of(sql: Sql<'_>, maker_id: UserId, now_ms: i64) -> Result<Vec<Invite>, Error> {
    let invites = sql.rows(
        "select code, created_at_ms, ends_at_ms, uses, uses_max from invites
          where maker_id = ?1 and coalesce(ends_at_ms > ?2, 1) order by created_at_ms desc, code",
        (maker_id, now_ms),
    )?;
    Ok(invites)
}

/// Returns the event with the invitations of a user.
#[must_use]
pub fn changed(maker_id: UserId, invites: Vec<Invite>) -> Event {
    Event::InvitesChanged(Changed { invites, maker_id })
}

/// Returns the maker of an invitation that works for this viewer. The outer None means that none works; the inner None
/// is the host.
///
/// # Errors
/// A database fault.
pub fn maker_of(
    sql: Sql<'_>,
    viewer_id: UserId,
    code: &str,
    now_ms: i64,
) -> Result<Option<Option<User>>, Error> {
    let made: Option<(Option<UserId>,)> = sql.optional_row(
        "select maker_id from invites
          where code = ?1 and coalesce(ends_at_ms > ?2, 1) and coalesce(uses < uses_max, 1)",
        (code, now_ms),
    )?;
    let Some((maker_id,)) = made else { return Ok(None) };
    let maker = users_named(sql, viewer_id, maker_id)?.pop();
    // The invitations of a suspended user, or of a user whom the viewer may not meet, do not work.
    Ok((maker_id.is_none() || maker.is_some()).then_some(maker))
}

/// Counts a use of an invitation. Returns its maker; None for the host. It is called in the transaction that makes the
/// account.
///
/// # Errors
/// [`Refusal::InviteExpired`] if the invitation does not work; a database fault.
pub fn consume(transaction: &mut Transaction<'_, Event>, code: &str) -> Result<Option<User>, Error> {
    let (sql, now_ms) = (transaction.sql, transaction.now_ms);
    let maker = maker_of(sql, ANY_VIEWER, code, now_ms)?.ok_or(Refusal::InviteExpired)?;
    sql.execute("update invites set uses = uses + 1 where code = ?1", (code,))?;
    if let Some(maker) = &maker {
        transaction.publish(changed(maker.id, of(sql, maker.id, now_ms)?));
    }
    Ok(maker)
}

/// The files that this feature adds to the archive of a user.
pub const ARCHIVE: &[ArchiveFile] = &[ArchiveFile::new(
    "invitations.json",
    "the links by which you invite people",
    concat!(
        "select i.created_at_ms, json_object('code', i.code, 'made_at', ",
        time!("i.created_at_ms"),
        ",
                'ends_at', ",
        time!("i.ends_at_ms"),
        ", 'uses', i.uses, 'uses_at_most', i.uses_max)
               from invites i where i.maker_id = ?1 and i.created_at_ms < ?2
              order by i.created_at_ms desc limit ?3"
    ),
)];
