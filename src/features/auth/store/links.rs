//! The SQL of links in mails: making them, and using them with all their effects.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use super::logins::end_all;
use crate::db::command::{KeyUse, Transaction, WriteCommand, keyed};
use crate::db::sql::{Sql, from_row};
use crate::error::{Error, Refusal};
use crate::features::account::wire as account;
use crate::features::auth::rules::Email;
use crate::features::auth::wire::{self, Done};
use crate::features::events::Event;
use crate::features::mails::store as mail_queue;
use crate::features::passkeys::store as passkeys;
use crate::ids::{MailId, UserId};
use crate::limits::{
    CONFIRM_LIFE_MS, LINK_TOKEN_BYTES, MADE_MAIL_LIFE_MS, PURGE_ROWS_MAX, RESET_LIFE_MS, UNDO_LIFE_MS,
    UNDO_LINKS_MAX,
};
use crate::mail::{Kind, Mail};
use crate::model::me::me;
use crate::random::random;

/// A link that is not stored yet, and the id of its mail.
pub struct NewLink {
    pub mail_id: MailId,
    pub token: String,
    pub token_hash: [u8; 32],
}

impl NewLink {
    /// Makes a link with a new token.
    ///
    /// # Errors
    /// A fault if the system has no random bytes.
    pub fn make(mail_id: MailId) -> Result<Self, Error> {
        let token = URL_SAFE_NO_PAD.encode(random::<LINK_TOKEN_BYTES>()?);
        let token_hash = Sha256::digest(&token).into();
        Ok(Self { mail_id, token, token_hash })
    }
}

/// A link that works.
struct Link {
    user_id: UserId,
    /// The address that the link is about. A link that sets a password has none.
    email: Option<String>,
    expires_at_ms: i64,
}

from_row!(Link { user_id, email, expires_at_ms });

/// Returns the text that is stored for the purpose of a link.
fn purpose(kind: Kind) -> &'static str {
    match kind {
        Kind::Confirm => "confirm",
        Kind::Notice => "undo",
        // The mails of the other kinds have no link of their own, or one that sets a password.
        Kind::Reset | Kind::Made | Kind::Login | Kind::PasskeyAdded | Kind::PasskeyRemoved => "reset",
    }
}

/// Returns the address of the account whose password this link sets.
///
/// # Errors
/// A database fault.
pub fn find_resettable(sql: Sql<'_>, token_hash: &[u8; 32], now_ms: i64) -> Result<Option<String>, Error> {
    let email = sql.optional_value(
        "select u.email from links l join users u on u.id = l.user_id
          where l.token_hash = ?1 and l.purpose = 'reset' and l.expires_at_ms > ?2",
        (token_hash, now_ms),
    )?;
    Ok(email)
}

/// Uses a link and deletes it, because it works once.
fn spend(transaction: &Transaction<'_, Event>, token_hash: &[u8; 32], kind: Kind) -> Result<Link, Error> {
    let link = transaction.sql.optional_row(
        "delete from links where token_hash = ?1 and purpose = ?2 and expires_at_ms > ?3
         returning user_id, email, expires_at_ms",
        (token_hash, purpose(kind), transaction.now_ms),
    )?;
    link.ok_or_else(|| Refusal::LinkExpired.into())
}

/// Deletes the links of a user of one kind, with their unsent mails.
fn end_links(sql: Sql<'_>, user_id: UserId, kind: Kind) -> Result<(), Error> {
    sql.execute("delete from links where user_id = ?1 and purpose = ?2", (user_id, purpose(kind)))?;
    mail_queue::recall(sql, user_id, kind)
}

/// Makes a link that sets a new password, in place of any older one. Its user receives a mail about it, without the
/// link.
///
/// The caller wakes the mail sender after the commit.
///
/// # Errors
/// A database fault.
pub fn make_reset_link(
    transaction: &Transaction<'_, Event>,
    user_id: UserId,
    link: &NewLink,
) -> Result<(), Error> {
    let (sql, now_ms) = (transaction.sql, transaction.now_ms);
    end_links(sql, user_id, Kind::Reset)?;
    insert_link(sql, user_id, link, Kind::Reset, None, now_ms + RESET_LIFE_MS)?;
    let to_email = sql.value("select email from users where id = ?1", (user_id,))?;
    let mail = Mail {
        id: link.mail_id,
        user_id,
        kind: Kind::Made,
        to_email,
        token: String::new(),
        device: None,
        created_at_ms: now_ms,
    };
    mail_queue::add(sql, &mail, now_ms + MADE_MAIL_LIFE_MS)
}

fn insert_link(
    sql: Sql<'_>,
    user_id: UserId,
    link: &NewLink,
    kind: Kind,
    about: Option<&str>,
    expires_at_ms: i64,
) -> Result<(), Error> {
    sql.execute(
        "insert into links (token_hash, user_id, purpose, email, expires_at_ms)
         select ?1, id, ?3, ?4, ?5 from users where id = ?2",
        (link.token_hash, user_id, purpose(kind), about, expires_at_ms),
    )?;
    Ok(())
}

/// Makes a link, and puts its mail into the queue.
fn send_link(
    transaction: &Transaction<'_, Event>,
    user_id: UserId,
    link: &NewLink,
    kind: Kind,
    (to_email, about): (&str, Option<&str>),
) -> Result<(), Error> {
    let life_ms = match kind {
        Kind::Confirm => CONFIRM_LIFE_MS,
        Kind::Notice => UNDO_LIFE_MS,
        Kind::Reset | Kind::Made | Kind::Login | Kind::PasskeyAdded | Kind::PasskeyRemoved => RESET_LIFE_MS,
    };
    let expires_at_ms = transaction.now_ms + life_ms;
    insert_link(transaction.sql, user_id, link, kind, about, expires_at_ms)?;
    let mail = Mail {
        id: link.mail_id,
        user_id,
        kind,
        to_email: to_email.to_owned(),
        token: link.token.clone(),
        device: None,
        created_at_ms: transaction.now_ms,
    };
    mail_queue::add(transaction.sql, &mail, expires_at_ms)
}

/// Does the same work for an unknown address as for a known one, so that both take equally long (S7): the same pages
/// are written, and the rows are deleted in the same commit.
fn pretend(transaction: &Transaction<'_, Event>, link: &NewLink) -> Result<(), Error> {
    let any: Option<UserId> = transaction.sql.value("select max(id) from users", ())?;
    let to_email = "nobody@localhost";
    send_link(transaction, any.unwrap_or(UserId(0)), link, Kind::Reset, (to_email, None))?;
    transaction.sql.execute("delete from links where token_hash = ?1", (link.token_hash,))?;
    mail_queue::take_back(transaction.sql, link.mail_id)
}

/// Returns whether an address belongs to another account. An address that its owner may still restore is taken too,
/// because otherwise a thief who changed the address of an account could take the old address before the owner reads
/// the notice.
///
/// # Errors
/// A database fault.
pub fn is_taken(sql: Sql<'_>, email_key: &str, user_id: UserId, now_ms: i64) -> Result<bool, Error> {
    let taken = sql.value(
        "select exists (select 1 from users where email_key = ?1 and id <> ?2)
             or exists (select 1 from links where purpose = 'undo' and user_id <> ?2 and expires_at_ms > ?3
                           and email = ?1 collate nocase)",
        (email_key, user_id, now_ms),
    )?;
    Ok(taken)
}

/// The account whose password the link sets.
pub enum Whose {
    /// The account with this address, if there is one. The work is the same either way.
    Address(Email),
    /// The viewer's account.
    User(UserId),
    /// No account, because the address reached its limit of mails. The work is the same as for an unknown address.
    Nobody,
}

/// Sends a link that sets a new password, in place of any older one.
pub struct SendReset {
    pub key: Option<KeyUse>,
    pub whose: Whose,
    pub link: NewLink,
}

impl WriteCommand for SendReset {
    type Event = Event;
    type Value = Done;

    keyed!(optional);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let sql = transaction.sql;
        let found: Option<(UserId, String)> = match &self.whose {
            Whose::Address(email) => {
                sql.optional_row("select id, email from users where email_key = ?1", (&email.key,))?
            }
            Whose::User(user_id) => {
                sql.optional_row("select id, email from users where id = ?1", (user_id,))?
            }
            Whose::Nobody => None,
        };
        match found {
            Some((user_id, to_email)) => {
                end_links(sql, user_id, Kind::Reset)?;
                send_link(transaction, user_id, &self.link, Kind::Reset, (&to_email, None))?;
            }
            None => pretend(transaction, &self.link)?,
        }
        Ok(Done {})
    }
}

/// Sets a new password with a link.
pub struct Reset {
    pub key: KeyUse,
    pub token_hash: [u8; 32],
    pub password_hash: String,
    /// Whether all passkeys of the account are removed too (D-V3).
    pub removes_passkeys: bool,
}

impl WriteCommand for Reset {
    type Event = Event;
    type Value = Done;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let sql = transaction.sql;
        let user_id = spend(transaction, &self.token_hash, Kind::Reset)?.user_id;
        // A pending change of address may have been requested by a thief, and the owner can request it again.
        sql.execute(
            "update users set password_hash = ?2, pending_email = null where id = ?1",
            (user_id, &self.password_hash),
        )?;
        end_links(sql, user_id, Kind::Reset)?;
        end_links(sql, user_id, Kind::Confirm)?;
        end_all(transaction, user_id, None)?;
        if self.removes_passkeys {
            passkeys::remove_all(transaction, user_id)?;
        }
        Ok(Done {})
    }
}

/// Stores a new address, which is pending until it is confirmed.
pub struct ChangeEmail {
    pub key: KeyUse,
    pub user_id: UserId,
    /// The hash against which the given password was checked. If the password was changed meanwhile, the change is
    /// refused.
    pub password_hash: String,
    pub email: Email,
    /// Whether the host hides which addresses have accounts. If so, a taken address is refused only at the
    /// confirmation.
    pub hides_accounts: bool,
    pub confirm: NewLink,
    pub undo: NewLink,
}

impl WriteCommand for ChangeEmail {
    type Event = Event;
    type Value = wire::Pending;

    keyed!();

    fn weight_bytes(&self) -> usize {
        512 + self.email.text.len() * 4 + self.password_hash.len()
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<wire::Pending, Error> {
        let (sql, user_id, now_ms) = (transaction.sql, self.user_id, transaction.now_ms);
        let held: Option<(String, String)> =
            sql.optional_row("select email, password_hash from users where id = ?1", (user_id,))?;
        let (old, password_hash) = held.ok_or(Refusal::NotSignedIn)?;
        if password_hash != self.password_hash {
            return Err(Refusal::WrongPassword.into());
        }
        if !self.hides_accounts && is_taken(sql, &self.email.key, user_id, now_ms)? {
            return Err(Refusal::EmailTaken.into());
        }
        let (undos, first_ends_at_ms): (i64, Option<i64>) = sql.row(
            "select count(*), min(expires_at_ms) from links
              where user_id = ?1 and purpose = 'undo' and expires_at_ms > ?2",
            (user_id, now_ms),
        )?;
        if undos >= UNDO_LINKS_MAX {
            let wait_ms = first_ends_at_ms.map_or(0, |ends| ends.saturating_sub(now_ms));
            return Err(Refusal::SlowDown(u64::try_from(wait_ms).unwrap_or(0)).into());
        }
        end_links(sql, user_id, Kind::Confirm)?;
        sql.execute("update users set pending_email = ?2 where id = ?1", (user_id, &self.email.text))?;
        let new = self.email.text.as_str();
        // `is_taken` compares without regard to case, but SQLite folds only ASCII. An address with other characters is
        // stored in its folded form.
        let back = if old.is_ascii() { old.clone() } else { Email::of_account(&old).key };
        send_link(transaction, user_id, &self.confirm, Kind::Confirm, (new, Some(new)))?;
        send_link(transaction, user_id, &self.undo, Kind::Notice, (&old, Some(&back)))?;
        transaction.publish(Event::AccountChanged(account::Changed::of(me(sql, user_id)?)));
        Ok(wire::Pending { pending_email: new.to_owned(), seq: transaction.seq() })
    }
}

/// Sets the address of an account. Returns false if another account has it.
fn set_email(transaction: &Transaction<'_, Event>, user_id: UserId, email: &Email) -> Result<bool, Error> {
    let sql = transaction.sql;
    if is_taken(sql, &email.key, user_id, transaction.now_ms)? {
        return Ok(false);
    }
    sql.execute(
        "update users set email = ?2, email_key = ?3, pending_email = null where id = ?1",
        (user_id, &email.text, &email.key),
    )?;
    // The links that set a password were mailed to the previous address.
    end_links(sql, user_id, Kind::Reset)?;
    end_links(sql, user_id, Kind::Confirm)?;
    Ok(true)
}

fn address_of(link: &Link) -> Result<&str, Error> {
    link.email.as_deref().ok_or(Error::Broken("a link is about no address"))
}

/// Confirms a new address.
pub struct ConfirmEmail {
    pub key: KeyUse,
    pub token_hash: [u8; 32],
}

impl WriteCommand for ConfirmEmail {
    type Event = Event;
    type Value = Done;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let link = spend(transaction, &self.token_hash, Kind::Confirm)?;
        // An address that was requested under an older rule may be invalid now.
        let email = Email::parse(address_of(&link)?).map_err(|_| Refusal::LinkExpired)?;
        if !set_email(transaction, link.user_id, &email)? {
            return Err(Refusal::EmailTaken.into());
        }
        transaction.publish(Event::AccountChanged(account::Changed::of(me(transaction.sql, link.user_id)?)));
        Ok(Done {})
    }
}

/// Keeps or restores the old address.
pub struct UndoEmail {
    pub key: KeyUse,
    pub token_hash: [u8; 32],
}

impl WriteCommand for UndoEmail {
    type Event = Event;
    type Value = Done;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let sql = transaction.sql;
        let link = spend(transaction, &self.token_hash, Kind::Notice)?;
        let (user_id, email) = (link.user_id, Email::of_account(address_of(&link)?));
        let current: String = sql.value("select email_key from users where id = ?1", (user_id,))?;
        if !set_email(transaction, user_id, &email)? {
            return Err(Refusal::LinkExpired.into());
        }
        // The earliest owner wins, so links of later addresses do not work any more.
        sql.execute(
            "delete from links where user_id = ?1 and purpose = 'undo' and expires_at_ms >= ?2",
            (user_id, link.expires_at_ms),
        )?;
        transaction.publish(Event::AccountChanged(account::Changed::of(me(sql, user_id)?)));
        if current != email.key {
            // Another person may be signed in, so every login ends.
            end_all(transaction, user_id, None)?;
        }
        Ok(Done {})
    }
}

/// Deletes expired links, at most [`PURGE_ROWS_MAX`] at a time. The pending address of an expired confirmation is
/// removed.
///
/// # Errors
/// A database fault.
pub fn purge(transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
    let sql = transaction.sql;
    let ended: Vec<(UserId, String)> = sql.rows(
        "delete from links where token_hash in
           (select token_hash from links where expires_at_ms <= ?1 order by expires_at_ms limit ?2)
         returning user_id, purpose",
        (transaction.now_ms, PURGE_ROWS_MAX),
    )?;
    for (user_id, _) in ended.iter().filter(|(_, held)| held == purpose(Kind::Confirm)) {
        let cleared = sql.execute(
            "update users set pending_email = null where id = ?1 and not exists
               (select 1 from links where user_id = ?1 and purpose = 'confirm')",
            (user_id,),
        )?;
        if cleared > 0 {
            transaction.publish(Event::AccountChanged(account::Changed::of(me(sql, *user_id)?)));
        }
    }
    mail_queue::purge(sql, transaction.now_ms)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::{has_expired, purge};
    use super::*;
    use crate::db::command::Housekeeping;
    use crate::db::readers::Snapshot;
    use crate::testing::database::{ANA, NOW_MS, TestDatabase, key, with_database};

    fn link(number: u8) -> NewLink {
        NewLink { mail_id: MailId(number.into()), token: format!("token {number}"), token_hash: [number; 32] }
    }

    async fn changes(db: &TestDatabase, number: u8, email: &str) -> Result<Bytes, Refusal> {
        let command = ChangeEmail {
            key: key(ANA, number, &[]),
            user_id: ANA,
            password_hash: String::new(),
            email: Email::parse(email).unwrap(),
            hides_accounts: false,
            confirm: link(number),
            undo: link(number + 100),
        };
        db.write(command).await
    }

    #[test]
    fn an_expired_link_is_deleted_and_its_pending_change_ends() {
        with_database(|db| async move {
            changes(&db, 1, "ana@example.net").await.unwrap();
            db.published();
            // A day has passed. The link to the new address has expired, but the notice has not.
            db.execute(&format!("update links set expires_at_ms = {NOW_MS} where purpose = 'confirm'"))
                .unwrap();
            db.execute(&format!("update mails set expires_at_ms = {NOW_MS} where kind = 'confirm'")).unwrap();
            db.write(Housekeeping(purge)).await.unwrap();
            let published = db.published();
            let [Event::AccountChanged(changed)] = &published[..] else { panic!("{published:?}") };
            assert_eq!((changed.me.id, &changed.me.pending_email), (ANA, &None));
            assert_eq!(db.number("select count(*) from links").await, 1);
            assert_eq!(db.number("select count(*) from mails").await, 1);
            db.write(Housekeeping(purge)).await.unwrap();
            assert!(db.published().is_empty());
        });
    }

    #[test]
    fn many_expired_logins_and_links_are_deleted_in_several_writes_with_an_event_for_each_login() {
        with_database(|db| async move {
            let many = PURGE_ROWS_MAX + 5;
            let numbers =
                format!("with recursive n (i) as (select 1 union all select i + 1 from n where i < {many})");
            db.execute(&format!(
                "insert into logins (id, user_id, token_hash, created_at_ms, used_at_ms)
                   {numbers} select 1000 + i, 1, cast(format('%032d', i) as blob), 0, 0 from n"
            ))
            .unwrap();
            db.execute(&format!(
                "insert into links (token_hash, user_id, purpose, expires_at_ms)
                   {numbers} select cast(format('%032d', i) as blob), 1, 'reset', {NOW_MS} from n"
            ))
            .unwrap();
            let has_expired = async || db.read(|Snapshot { sql, .. }| has_expired(sql, NOW_MS)).await;
            let mut ended = Vec::new();
            while has_expired().await {
                db.write(Housekeeping(purge)).await.unwrap();
                ended.push(db.published().len());
                let links = db.number("select count(*) from links").await;
                assert_eq!(links, if ended.len() == 1 { 5 } else { 0 });
            }
            assert_eq!(ended, [usize::try_from(PURGE_ROWS_MAX).unwrap(), 5]);
            assert_eq!(db.number("select count(*) from logins").await, 0);
        });
    }

    #[test]
    fn a_link_that_restores_an_address_is_never_dropped_for_a_newer_one() {
        with_database(|db| async move {
            for change in 0..u8::try_from(UNDO_LINKS_MAX).unwrap() {
                changes(&db, change, "ana@example.net").await.unwrap();
            }
            let one_more = changes(&db, 99, "ana@example.net").await;
            assert_eq!(one_more, Err(Refusal::SlowDown(u64::try_from(UNDO_LIFE_MS).unwrap())));
            db.write(UndoEmail { key: key(UserId(0), 1, &[]), token_hash: [100; 32] }).await.unwrap();
            assert_eq!(db.number("select count(*) from links").await, 0);
        });
    }

    #[test]
    fn a_password_set_meanwhile_refuses_a_change_that_was_proved_with_the_old_one() {
        with_database(|db| async move {
            db.execute("update users set password_hash = 'another' where id = 1").unwrap();
            assert_eq!(changes(&db, 1, "ana@example.net").await, Err(Refusal::WrongPassword));
        });
    }
}
