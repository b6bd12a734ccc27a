//! The SQL of the links in mails: making them, spending them, and what goes with them.

use bytes::Bytes;
use sqlx::SqliteConnection;

use super::logins::end_all;
use crate::db::work::{KeyUse, Pending, Stage, Work};
use crate::error::{Error, Refusal};
use crate::features::Event;
use crate::features::auth::rules::Email;
use crate::features::auth::wire::{self, Done};
use crate::features::letters::{self, Letter};
use crate::features::views::{Me, me_columns};
use crate::ids::{MailId, UserId};
use crate::limits::{CONFIRM_LIFE_MS, RESET_LIFE_MS, UNDO_LIFE_MS, UNDO_LINKS_MAX};
use crate::mail::Kind;
use crate::wire::codec;

/// A link that is to be made, and the letter that carries it.
pub struct NewLink {
    pub mail_id: MailId,
    pub token: String,
    pub token_hash: [u8; 32],
}

/// A link that works.
#[derive(sqlx::FromRow)]
pub struct Link {
    pub user_id: UserId,
    /// confirm, undo: the address it is about.
    pub email: Option<String>,
    expires_at_ms: i64,
}

/// Returns how a link's purpose is kept.
fn purpose(kind: Kind) -> &'static str {
    match kind {
        Kind::Reset => "reset",
        Kind::Confirm => "confirm",
        Kind::Notice => "undo",
    }
}

/// What somebody must know before a new password is hashed.
#[derive(sqlx::FromRow)]
pub struct Resettable {
    pub email: String,
}

/// Returns the account whose password this link sets.
///
/// # Errors
/// A database fault.
pub async fn find_resettable(
    connection: &mut SqliteConnection,
    token_hash: &[u8; 32],
    now_ms: i64,
) -> Result<Option<Resettable>, Error> {
    let found = sqlx::query_as(
        "select u.email from links l join users u on u.id = l.user_id
          where l.token_hash = ?1 and l.purpose = 'reset' and l.expires_at_ms > ?2",
    )
    .bind(&token_hash[..])
    .bind(now_ms)
    .fetch_optional(connection)
    .await?;
    Ok(found)
}

/// Takes a link for good: it works once.
async fn spend(stage: &mut Stage<'_, Event>, token_hash: &[u8; 32], kind: Kind) -> Result<Link, Error> {
    let link = sqlx::query_as(
        "delete from links where token_hash = ?1 and purpose = ?2 and expires_at_ms > ?3
         returning user_id, email, expires_at_ms",
    )
    .bind(&token_hash[..])
    .bind(purpose(kind))
    .bind(stage.now_ms)
    .fetch_optional(&mut *stage.connection)
    .await?;
    link.ok_or_else(|| Refusal::LinkExpired.into())
}

/// Ends a person's links of one kind, with the letters that would have brought them.
async fn end_links(stage: &mut Stage<'_, Event>, user_id: UserId, kind: Kind) -> Result<(), Error> {
    sqlx::query("delete from links where user_id = ?1 and purpose = ?2")
        .bind(user_id)
        .bind(purpose(kind))
        .execute(&mut *stage.connection)
        .await?;
    letters::recall_async(stage.connection, user_id, kind).await
}

/// Makes a link and posts its letter.
async fn send_link(
    stage: &mut Stage<'_, Event>,
    user_id: UserId,
    link: &NewLink,
    kind: Kind,
    (to_email, about, detail): (&str, Option<&str>, Option<&str>),
) -> Result<(), Error> {
    let life_ms = match kind {
        Kind::Reset => RESET_LIFE_MS,
        Kind::Confirm => CONFIRM_LIFE_MS,
        Kind::Notice => UNDO_LIFE_MS,
    };
    let expires_at_ms = stage.now_ms + life_ms;
    sqlx::query(
        "insert into links (token_hash, user_id, purpose, email, expires_at_ms)
         select ?1, id, ?3, ?4, ?5 from users where id = ?2",
    )
    .bind(&link.token_hash[..])
    .bind(user_id)
    .bind(purpose(kind))
    .bind(about)
    .bind(expires_at_ms)
    .execute(&mut *stage.connection)
    .await?;
    let letter = Letter {
        id: link.mail_id,
        user_id,
        kind,
        to_email: to_email.to_owned(),
        token: link.token.clone(),
        detail: detail.map(str::to_owned),
        expires_at_ms,
    };
    letters::post_async(stage.connection, &letter, stage.now_ms).await
}

/// Does for nobody what is done for somebody, so that it takes as long (S7): the same pages are written, and
/// what is on them is taken back in the same commit.
async fn pretend(stage: &mut Stage<'_, Event>, link: &NewLink) -> Result<(), Error> {
    let any: Option<UserId> =
        sqlx::query_scalar("select max(id) from users").fetch_one(&mut *stage.connection).await?;
    let to_email = "nobody@localhost";
    send_link(stage, any.unwrap_or(UserId(0)), link, Kind::Reset, (to_email, None, None)).await?;
    sqlx::query("delete from links where token_hash = ?1")
        .bind(&link.token_hash[..])
        .execute(&mut *stage.connection)
        .await?;
    letters::take_back_async(stage.connection, link.mail_id).await
}

/// Is this address another's? Also one that its owner may still bring back: or whoever moved an
/// account away could take the address before its owner reads the notice.
///
/// # Errors
/// A database fault.
pub async fn is_taken(
    connection: &mut SqliteConnection,
    email_key: &str,
    user_id: UserId,
    now_ms: i64,
) -> Result<bool, Error> {
    let taken = sqlx::query_scalar(
        "select exists (select 1 from users where email_key = ?1 and id <> ?2)
             or exists (select 1 from links where purpose = 'undo' and user_id <> ?2 and expires_at_ms > ?3
                           and email = ?1 collate nocase)",
    )
    .bind(email_key)
    .bind(user_id)
    .bind(now_ms)
    .fetch_one(connection)
    .await?;
    Ok(taken)
}

/// Tells a person's own sockets how the account is now; returns its number.
async fn tell_account(stage: &mut Stage<'_, Event>, user_id: UserId) -> Result<crate::ids::Seq, Error> {
    let me: Me = sqlx::query_as(concat!("select ", me_columns!(), " from users u where u.id = ?1"))
        .bind(user_id)
        .fetch_one(&mut *stage.connection)
        .await?;
    Ok(stage.tell(Event::account_changed(me)))
}

fn done() -> Result<Bytes, Error> {
    Ok(codec::encode(&Done {})?.into())
}

/// Whose password is to be set anew.
pub enum Whose {
    /// Whoever has this address; perhaps nobody. The same is done either way.
    Address(Email),
    /// Somebody signed in.
    User(UserId),
}

/// A link that sets a new password, in place of any older one.
pub struct SendReset {
    pub key: Option<KeyUse>,
    pub whose: Whose,
    pub link: NewLink,
}

impl Work for SendReset {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        self.key.as_ref()
    }

    fn weight_bytes(&self) -> usize {
        256
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let query = match &self.whose {
                Whose::Address(email) => {
                    sqlx::query_as("select id, email from users where email_key = ?1").bind(&email.key)
                }
                Whose::User(user_id) => {
                    sqlx::query_as("select id, email from users where id = ?1").bind(*user_id)
                }
            };
            let found: Option<(UserId, String)> = query.fetch_optional(&mut *stage.connection).await?;
            match found {
                Some((user_id, to_email)) => {
                    end_links(stage, user_id, Kind::Reset).await?;
                    send_link(stage, user_id, &self.link, Kind::Reset, (&to_email, None, None)).await?;
                }
                None => pretend(stage, &self.link).await?,
            }
            done()
        })
    }
}

/// A new password by a link.
pub struct Reset {
    pub key: KeyUse,
    pub token_hash: [u8; 32],
    pub password_hash: String,
}

impl Work for Reset {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn weight_bytes(&self) -> usize {
        128 + self.password_hash.len()
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let user_id = spend(stage, &self.token_hash, Kind::Reset).await?.user_id;
            // A change of address that waits may be a stranger's; a true one is asked for again.
            sqlx::query("update users set password_hash = ?2, pending_email = null where id = ?1")
                .bind(user_id)
                .bind(&self.password_hash)
                .execute(&mut *stage.connection)
                .await?;
            end_links(stage, user_id, Kind::Reset).await?;
            end_links(stage, user_id, Kind::Confirm).await?;
            end_all(stage, user_id, None).await?;
            done()
        })
    }
}

/// A new address that waits for its confirmation.
pub struct ChangeEmail {
    pub key: KeyUse,
    pub user_id: UserId,
    /// The hash of the password that was given: still the one that counts?
    pub password_hash: String,
    pub email: Email,
    pub confirm: NewLink,
    pub undo: NewLink,
}

impl Work for ChangeEmail {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn weight_bytes(&self) -> usize {
        512 + self.email.text.len() * 4 + self.password_hash.len()
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let held: Option<(String, String)> =
                sqlx::query_as("select email, password_hash from users where id = ?1")
                    .bind(self.user_id)
                    .fetch_optional(&mut *stage.connection)
                    .await?;
            let (old, password_hash) = held.ok_or(Refusal::NotSignedIn)?;
            if password_hash != self.password_hash {
                return Err(Refusal::WrongPassword.into());
            }
            let (user_id, now_ms) = (self.user_id, stage.now_ms);
            if is_taken(stage.connection, &self.email.key, user_id, now_ms).await? {
                return Err(Refusal::EmailTaken.into());
            }
            let (undos, first_ends_at_ms): (i64, Option<i64>) = sqlx::query_as(
                "select count(*), min(expires_at_ms) from links
                  where user_id = ?1 and purpose = 'undo' and expires_at_ms > ?2",
            )
            .bind(user_id)
            .bind(now_ms)
            .fetch_one(&mut *stage.connection)
            .await?;
            if undos >= UNDO_LINKS_MAX {
                let wait_ms = first_ends_at_ms.map_or(0, |ends| ends.saturating_sub(now_ms));
                return Err(Refusal::SlowDown(u64::try_from(wait_ms).unwrap_or(0)).into());
            }
            end_links(stage, user_id, Kind::Confirm).await?;
            sqlx::query("update users set pending_email = ?2 where id = ?1")
                .bind(user_id)
                .bind(&self.email.text)
                .execute(&mut *stage.connection)
                .await?;
            let new = self.email.text.as_str();
            // SQLite folds only plain letters: any others are kept as they are compared (see `is_taken`).
            let back = if old.is_ascii() { old.clone() } else { Email::parse(&old)?.key };
            send_link(stage, user_id, &self.confirm, Kind::Confirm, (new, Some(new), None)).await?;
            send_link(stage, user_id, &self.undo, Kind::Notice, (&old, Some(&back), Some(new))).await?;
            let seq = tell_account(stage, user_id).await?;
            Ok(codec::encode(&wire::Pending { pending_email: new.to_owned(), seq })?.into())
        })
    }
}

/// Sets an account's address. False: another has it.
async fn set_email(stage: &mut Stage<'_, Event>, user_id: UserId, email: &Email) -> Result<bool, Error> {
    if is_taken(stage.connection, &email.key, user_id, stage.now_ms).await? {
        return Ok(false);
    }
    sqlx::query("update users set email = ?2, email_key = ?3, pending_email = null where id = ?1")
        .bind(user_id)
        .bind(&email.text)
        .bind(&email.key)
        .execute(&mut *stage.connection)
        .await?;
    // Links that set a password went to the other address.
    end_links(stage, user_id, Kind::Reset).await?;
    end_links(stage, user_id, Kind::Confirm).await?;
    Ok(true)
}

fn email_of(link: &Link) -> Result<Email, Error> {
    let text = link.email.as_deref().unwrap_or_default();
    Email::parse(text).map_err(|_| Error::Broken("a link is about no address"))
}

/// The new address is right.
pub struct ConfirmEmail {
    pub key: KeyUse,
    pub token_hash: [u8; 32],
}

impl Work for ConfirmEmail {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn weight_bytes(&self) -> usize {
        128
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let link = spend(stage, &self.token_hash, Kind::Confirm).await?;
            if !set_email(stage, link.user_id, &email_of(&link)?).await? {
                return Err(Refusal::EmailTaken.into());
            }
            tell_account(stage, link.user_id).await?;
            done()
        })
    }
}

/// The old address stays, or comes back.
pub struct UndoEmail {
    pub key: KeyUse,
    pub token_hash: [u8; 32],
}

impl Work for UndoEmail {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn weight_bytes(&self) -> usize {
        128
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let link = spend(stage, &self.token_hash, Kind::Notice).await?;
            let (user_id, email) = (link.user_id, email_of(&link)?);
            let current: String = sqlx::query_scalar("select email_key from users where id = ?1")
                .bind(user_id)
                .fetch_one(&mut *stage.connection)
                .await?;
            if !set_email(stage, user_id, &email).await? {
                return Err(Refusal::LinkExpired.into());
            }
            // The earlier owner has the last word: who came later brings nothing back.
            sqlx::query("delete from links where user_id = ?1 and purpose = 'undo' and expires_at_ms >= ?2")
                .bind(user_id)
                .bind(link.expires_at_ms)
                .execute(&mut *stage.connection)
                .await?;
            tell_account(stage, user_id).await?;
            if current != email.key {
                // Somebody else may be inside.
                end_all(stage, user_id, None).await?;
            }
            done()
        })
    }
}

/// Puts away links that ended; with one that would have confirmed an address, what waited for it.
///
/// # Errors
/// A database fault.
pub async fn purge(stage: &mut Stage<'_, Event>) -> Result<(), Error> {
    let ended: Vec<(UserId, String)> =
        sqlx::query_as("delete from links where expires_at_ms <= ?1 returning user_id, purpose")
            .bind(stage.now_ms)
            .fetch_all(&mut *stage.connection)
            .await?;
    for (user_id, _) in ended.iter().filter(|(_, held)| held == purpose(Kind::Confirm)) {
        let cleared = sqlx::query(
            "update users set pending_email = null where id = ?1 and not exists
               (select 1 from links where user_id = ?1 and purpose = 'confirm')",
        )
        .bind(*user_id)
        .execute(&mut *stage.connection)
        .await?;
        if cleared.rows_affected() > 0 {
            tell_account(stage, *user_id).await?;
        }
    }
    letters::purge_async(stage.connection, stage.now_ms).await
}

#[cfg(test)]
mod tests {
    use super::super::Purge;
    use super::*;
    use crate::features::testing::{ANA, NOW_MS, Room, key, number, told};

    fn link(number: u8) -> NewLink {
        NewLink { mail_id: MailId(number.into()), token: format!("token {number}"), token_hash: [number; 32] }
    }

    async fn changes(room: &Room, number: u8, email: &str) -> Result<Bytes, Refusal> {
        let work = ChangeEmail {
            key: key(ANA, number, &[]),
            user_id: ANA,
            password_hash: String::new(),
            email: Email::parse(email).unwrap(),
            confirm: link(number),
            undo: link(number + 100),
        };
        room.does(work).await
    }

    #[test]
    fn what_ended_is_put_away_and_a_change_that_waited_for_it_is_called_off() {
        told(|room| async move {
            changes(&room, 1, "ana@example.net").await.unwrap();
            room.heard();
            // A day has passed: the link to the new address is over, the notice is not.
            room.by_hand(&format!("update links set expires_at_ms = {NOW_MS} where purpose = 'confirm'"))
                .unwrap();
            room.by_hand(&format!("update mails set expires_at_ms = {NOW_MS} where kind = 'confirm'"))
                .unwrap();
            room.does(Purge).await.unwrap();
            let heard = room.heard();
            let [Event::AccountChanged(changed)] = &heard[..] else { panic!("{heard:?}") };
            assert_eq!((changed.me.id, &changed.me.pending_email), (ANA, &None));
            let mut snapshot = room.looks().await;
            assert_eq!(number(snapshot.connection(), "select count(*) from links").await, 1);
            assert_eq!(number(snapshot.connection(), "select count(*) from mails").await, 1);
            drop(snapshot);
            room.does(Purge).await.unwrap();
            assert!(room.heard().is_empty());
        });
    }

    #[test]
    fn no_way_back_is_ever_dropped_for_a_newer_one() {
        told(|room| async move {
            for change in 0..u8::try_from(UNDO_LINKS_MAX).unwrap() {
                changes(&room, change, "ana@example.net").await.unwrap();
            }
            let one_more = changes(&room, 99, "ana@example.net").await;
            assert_eq!(one_more, Err(Refusal::SlowDown(u64::try_from(UNDO_LIFE_MS).unwrap())));
            room.does(UndoEmail { key: key(UserId(0), 1, &[]), token_hash: [100; 32] }).await.unwrap();
            let mut snapshot = room.looks().await;
            assert_eq!(number(snapshot.connection(), "select count(*) from links").await, 0);
        });
    }

    #[test]
    fn a_password_set_meanwhile_ends_a_change_that_was_proved_by_the_old() {
        told(|room| async move {
            room.by_hand("update users set password_hash = 'another' where id = 1").unwrap();
            assert_eq!(changes(&room, 1, "ana@example.net").await, Err(Refusal::WrongPassword));
        });
    }
}
