//! The SQL of accounts and logins.

pub mod links;
pub mod logins;
pub mod passkeys;

use rusqlite::Row;

use super::rules::Email;
use crate::db::command::{KeyUse, Transaction, WriteCommand, deletes};
use crate::db::sql::Sql;
use crate::error::{Error, Refusal};
use crate::features::admin_log::store as admin_log;
use crate::features::auth::wire::Ended;
use crate::features::events::Event;
use crate::features::invites::store as invites;
use crate::features::newcomers::store::steps;
use crate::features::notices::store as notices;
use crate::ids::{LoginId, UserId};
use crate::limits::{
    DEVICE_LIFE_MS, DEVICES_PER_USER, KEY_LIFE_MS, LOGIN_IDLE_MS_MAX, LOGIN_LIFE_MS_MAX, LOGIN_TOUCH_MS,
    LOGINS_PER_USER, PURGE_ROWS_MAX,
};
use crate::model::archive::{ArchiveFile, time};
use crate::model::me::{Me, me_columns};
use crate::text;

/// A new account and its first login.
pub struct SignUp {
    pub key: KeyUse,
    pub user_id: UserId,
    pub email: Email,
    pub password_hash: String,
    pub name: String,
    /// The chosen language; None for that of each device.
    pub language: Option<String>,
    pub login: NewLogin,
    /// The code of an invitation; None if the guest has none.
    pub code: Option<String>,
    /// Whether the account needs an invitation that works. If not, an invitation that does not work is ignored.
    pub needs_invite: bool,
}

/// A login that is not stored yet.
#[derive(Clone)]
pub struct NewLogin {
    pub id: LoginId,
    pub token_hash: [u8; 32],
    /// Label of the device; empty if unknown.
    pub device: String,
}

/// Stores a new login. `is_silent` says that it makes no notice, because its device is known.
fn insert_login(
    transaction: &Transaction<'_, Event>,
    user_id: UserId,
    login: &NewLogin,
    is_silent: bool,
) -> Result<(), Error> {
    transaction.sql.execute(
        "insert into logins (id, user_id, token_hash, created_at_ms, used_at_ms, device, silent)
         values (?1, ?2, ?3, ?4, ?4, ?5, ?6)",
        (login.id, user_id, login.token_hash, transaction.now_ms, &login.device, is_silent),
    )?;
    Ok(())
}

impl WriteCommand for SignUp {
    type Event = Event;
    type Value = Option<UserId>;

    fn key(&self) -> Option<&KeyUse> {
        // `apply` stores the key itself, with an empty reply. A retry proves the password by logging in.
        None
    }

    fn weight_bytes(&self) -> usize {
        self.email.text.len() * 2 + self.password_hash.len() + self.name.len() + 256
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Option<UserId>, Error> {
        let (sql, now_ms) = (transaction.sql, transaction.now_ms);
        if links::is_taken(sql, &self.email.key, self.user_id, now_ms)? {
            return Err(Refusal::EmailTaken.into());
        }
        sql.execute(
            "insert into users (id, email, email_key, password_hash, name, name_key, language, created_at_ms,
                                updated_at_ms)
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)",
            (
                self.user_id,
                &self.email.text,
                &self.email.key,
                &self.password_hash,
                &self.name,
                text::search_key(&self.name),
                &self.language,
                now_ms,
            ),
        )?;
        let remembered = sql.execute(
            "insert into keys (user_id, key, body_hash, answer, made_at_ms) values (?1, ?2, ?3, x'', ?4)
             on conflict (user_id, key) do nothing",
            (self.key.user_id, self.key.key, self.key.body_hash, now_ms),
        )?;
        if remembered == 0 {
            // The key was used for the sign-up of another person.
            return Err(Refusal::KeyConflict.into());
        }
        insert_login(transaction, self.user_id, &self.login, false)?;
        let inviter_id = self.invited(transaction)?;
        sql.execute("update users set invited_by = ?2 where id = ?1", (self.user_id, inviter_id))?;
        steps::begin(sql, self.user_id, inviter_id)?;
        admin_log::changed(transaction)?;
        Ok(inviter_id)
    }
}

impl SignUp {
    /// Uses the invitation. Returns the inviter; None for the host, or if no invitation was used.
    fn invited(&self, transaction: &mut Transaction<'_, Event>) -> Result<Option<UserId>, Error> {
        let used = match &self.code {
            Some(code) => invites::consume(transaction, code),
            None => Err(Refusal::InviteExpired.into()),
        };
        match used {
            Err(Error::Refused(Refusal::InviteExpired)) if !self.needs_invite => Ok(None),
            used => Ok(used?.map(|maker| maker.id)),
        }
    }
}

/// Adds a login to an account.
pub struct LogIn {
    pub user_id: UserId,
    /// The hash against which the given password was checked. If the password was changed meanwhile, the login is
    /// refused.
    pub password_hash: String,
    pub login: NewLogin,
    /// The hash of the device's cookie; None if it has none.
    pub device_hash: Option<[u8; 32]>,
    /// Whether the log-in repeats a sign-up whose reply was lost. It makes no notice, as a sign-up makes none.
    pub is_sign_up: bool,
}

impl WriteCommand for LogIn {
    type Event = Event;
    type Value = ();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
        let is_right: bool = transaction.sql.value(
            "select exists (select 1 from users where id = ?1 and password_hash = ?2)",
            (self.user_id, &self.password_hash),
        )?;
        if !is_right {
            return Err(Refusal::BadCredentials.into());
        }
        let is_known = self.is_sign_up
            || match &self.device_hash {
                Some(hash) => is_device_known(transaction.sql, hash, self.user_id, transaction.now_ms)?,
                None => false,
            };
        begin_login(transaction, self.user_id, &self.login, is_known)
    }
}

/// Adds a login to an account of whose user a proof was checked. If its device is not known, that makes a notice for
/// the other logins, and a mail. Above [`LOGINS_PER_USER`], the login that was idle longest ends. Those that a notice is
/// about, or that began in silence after such a notice, end before the others: a stranger who logs in again and again
/// must not end the logins that see it.
///
/// The caller wakes the mail sender after the commit.
///
/// # Errors
/// [`Refusal::Suspended`]; [`Refusal::BadCredentials`] if the account is gone.
pub fn begin_login(
    transaction: &mut Transaction<'_, Event>,
    user_id: UserId,
    login: &NewLogin,
    is_device_known: bool,
) -> Result<(), Error> {
    let is_suspended: Option<bool> = transaction
        .sql
        .optional_value("select suspended_at is not null from users where id = ?1", (user_id,))?;
    if is_suspended.ok_or(Refusal::BadCredentials)? {
        return Err(Refusal::Suspended.into());
    }
    insert_login(transaction, user_id, login, is_device_known)?;
    let ended: Vec<LoginId> = transaction.sql.values(
        "delete from logins where user_id = ?1 and id not in
           (select l.id from logins l where l.user_id = ?1
             order by l.id = ?2 desc,
                      exists (select 1 from notices n where n.about_login_id = l.id)
                        or l.silent and exists
                             (select 1 from logins o join notices n on n.login_id = o.id
                               where o.user_id = ?1 and n.kind = 'login' and n.created_at_ms < l.created_at_ms),
                      l.used_at_ms desc, l.id desc
             limit ?3)
         returning id",
        (user_id, login.id, LOGINS_PER_USER),
    )?;
    for login_id in ended {
        transaction.publish(Event::LoginEnded(Ended::elsewhere(login_id)));
    }
    if !is_device_known {
        let notice = notices::New::Login { login_id: login.id, device: &login.device };
        notices::add(transaction, user_id, None, notice)?;
    }
    Ok(())
}

/// Remembers the device of a login.
pub struct KnowDevice {
    /// The hash of the device's cookie.
    pub token_hash: [u8; 32],
    /// The hash of the login's cookie.
    pub login_hash: [u8; 32],
}

impl WriteCommand for KnowDevice {
    type Event = Event;
    type Value = ();

    fn is_housekeeping(&self) -> bool {
        true
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
        let (sql, now_ms) = (transaction.sql, transaction.now_ms);
        let user_id: Option<UserId> =
            sql.optional_value("select user_id from logins where token_hash = ?1", (self.login_hash,))?;
        let Some(user_id) = user_id else { return Ok(()) };
        sql.execute(
            "insert into devices (user_id, token_hash, used_at_ms) values (?1, ?2, ?3)
             on conflict (user_id, token_hash) do update set used_at_ms = excluded.used_at_ms",
            (user_id, self.token_hash, now_ms),
        )?;
        sql.execute(
            "delete from devices where user_id = ?1 and token_hash not in
               (select token_hash from devices where user_id = ?1 order by used_at_ms desc limit ?2)",
            (user_id, DEVICES_PER_USER),
        )?;
        Ok(())
    }
}

/// Returns whether a device logged in to this account before.
///
/// # Errors
/// A database fault.
pub fn is_device_known(
    sql: Sql<'_>,
    token_hash: &[u8; 32],
    user_id: UserId,
    now_ms: i64,
) -> Result<bool, Error> {
    let is_known = sql.value(
        "select exists (select 1 from devices where user_id = ?1 and token_hash = ?2 and used_at_ms > ?3)",
        (user_id, token_hash, now_ms - DEVICE_LIFE_MS),
    )?;
    Ok(is_known)
}

/// Ends a login.
pub struct LogOut {
    pub ended: Ended,
}

impl WriteCommand for LogOut {
    type Event = Event;
    type Value = ();

    deletes!(Content);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
        transaction.sql.execute("delete from logins where id = ?1", (self.ended.login_id,))?;
        transaction.publish(Event::LoginEnded(self.ended));
        Ok(())
    }
}

/// Notes that a login is in use.
pub struct Touch {
    pub login_id: LoginId,
}

impl WriteCommand for Touch {
    type Event = Event;
    type Value = ();

    fn is_housekeeping(&self) -> bool {
        true
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
        transaction.sql.execute(
            "update logins set used_at_ms = ?2 where id = ?1 and used_at_ms < ?2",
            (self.login_id, transaction.now_ms),
        )?;
        Ok(())
    }
}

/// Returns whether a login or a link has expired and is still stored.
///
/// # Errors
/// A database fault.
pub fn has_expired(sql: Sql<'_>, now_ms: i64) -> Result<bool, Error> {
    let has_expired = sql.value(
        "select exists (select 1 from logins where used_at_ms < ?1 or created_at_ms < ?2)
             or exists (select 1 from links where expires_at_ms <= ?3)",
        (now_ms - LOGIN_IDLE_MS_MAX, now_ms - LOGIN_LIFE_MS_MAX, now_ms),
    )?;
    Ok(has_expired)
}

/// Deletes what has expired: keys, logins, links and devices. Each login and each link may have an event, so at most
/// [`PURGE_ROWS_MAX`] of each are deleted at a time.
///
/// # Errors
/// A database fault.
pub fn purge(transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
    let (sql, now_ms) = (transaction.sql, transaction.now_ms);
    sql.execute("delete from keys where made_at_ms < ?1", (now_ms - KEY_LIFE_MS,))?;
    let ended: Vec<LoginId> = sql.values(
        "delete from logins where id in
           (select id from logins where used_at_ms < ?1 or created_at_ms < ?2 limit ?3)
         returning id",
        (now_ms - LOGIN_IDLE_MS_MAX, now_ms - LOGIN_LIFE_MS_MAX, PURGE_ROWS_MAX),
    )?;
    for login_id in ended {
        transaction.publish(Event::LoginEnded(Ended::elsewhere(login_id)));
    }
    links::purge(transaction)?;
    sql.execute("delete from devices where used_at_ms <= ?1", (now_ms - DEVICE_LIFE_MS,))?;
    Ok(())
}

/// An account with its password hash.
pub struct Account {
    pub me: Me,
    pub password_hash: String,
}

impl TryFrom<&Row<'_>> for Account {
    type Error = rusqlite::Error;

    fn try_from(row: &Row<'_>) -> Result<Self, Self::Error> {
        Ok(Self { me: row.try_into()?, password_hash: row.get("password_hash")? })
    }
}

/// Returns the account of an address.
///
/// # Errors
/// A database fault.
pub fn find_account(sql: Sql<'_>, email: &Email) -> Result<Option<Account>, Error> {
    let account = sql.optional_row(
        concat!("select ", me_columns!(), ", u.password_hash from users u where u.email_key = ?1"),
        (&email.key,),
    )?;
    Ok(account)
}

/// Returns a user's account.
///
/// # Errors
/// A database fault.
pub fn account_of(sql: Sql<'_>, user_id: UserId) -> Result<Option<Account>, Error> {
    let account = sql.optional_row(
        concat!("select ", me_columns!(), ", u.password_hash from users u where u.id = ?1"),
        (user_id,),
    )?;
    Ok(account)
}

/// A login that is valid.
pub struct Live {
    pub login_id: LoginId,
    /// Whether its use should be noted again.
    pub is_stale: bool,
    pub me: Me,
}

impl TryFrom<&Row<'_>> for Live {
    type Error = rusqlite::Error;

    fn try_from(row: &Row<'_>) -> Result<Self, Self::Error> {
        Ok(Self { login_id: row.get("login_id")?, is_stale: row.get("is_stale")?, me: row.try_into()? })
    }
}

/// Returns the login of a cookie.
///
/// # Errors
/// A database fault.
pub fn find_login(sql: Sql<'_>, token_hash: &[u8; 32], now_ms: i64) -> Result<Option<Live>, Error> {
    let live = sql.optional_row(
        concat!(
            "select l.id as login_id, l.used_at_ms < ?4 as is_stale, ",
            me_columns!(),
            " from logins l join users u on u.id = l.user_id
              where l.token_hash = ?1 and l.used_at_ms >= ?2 and l.created_at_ms >= ?3"
        ),
        (token_hash, now_ms - LOGIN_IDLE_MS_MAX, now_ms - LOGIN_LIFE_MS_MAX, now_ms - LOGIN_TOUCH_MS),
    )?;
    Ok(live)
}

/// Returns whether a login lives.
///
/// # Errors
/// A database fault.
pub fn lives(sql: Sql<'_>, login_id: LoginId, now_ms: i64) -> Result<bool, Error> {
    let lives = sql.value(
        "select exists (select 1 from logins where id = ?1 and used_at_ms >= ?2 and created_at_ms >= ?3)",
        (login_id, now_ms - LOGIN_IDLE_MS_MAX, now_ms - LOGIN_LIFE_MS_MAX),
    )?;
    Ok(lives)
}

/// The files that this feature adds to the archive of a user.
pub const ARCHIVE: &[ArchiveFile] = &[ArchiveFile::new(
    "logins.json",
    "where you are signed in",
    concat!(
        "select l.id, json_object('device', l.device, 'began_at', ",
        time!("l.created_at_ms"),
        ",
                'last_used_at', ",
        time!("l.used_at_ms"),
        ")
               from logins l where l.user_id = ?1 and l.id < ?2 order by l.id desc limit ?3"
    ),
)];
