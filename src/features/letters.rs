//! Letters that are to be sent: kept beside what they speak of, in the same commit, until they left.
//!
//! Promises:
//! - A letter whose cause is committed is sent, also after a crash: at least once. One that left just
//!   before a crash may come twice; it is the same letter, with the same number.
//! - Tries are bounded in number and end with the letter's link. Nothing is tried again that no try can help.
//! - No request waits for a letter.
//!
//! The postman is in `live/postman.rs`, words and ways out are in `mail/`.

use bytes::Bytes;
use tokio::sync::Notify;

use super::Event;
use crate::db::command::{Transaction, WriteCommand};
use crate::db::sql::{Sql, from_row, list};
use crate::error::Error;
use crate::ids::{MailId, UserId};
use crate::limits::MAIL_PAUSES_MS;
use crate::mail::{self, Kind};

/// Where letters are left for the postman.
#[derive(Default)]
pub struct Postbox {
    /// Rung after the commit of a letter, or of the end of an account.
    pub bell: Notify,
}

/// A letter that is to be sent.
pub struct Letter {
    pub id: MailId,
    pub user_id: UserId,
    pub kind: Kind,
    /// The address it goes to.
    pub to_email: String,
    /// What its link carries.
    pub token: String,
    /// Notice: the new address.
    pub detail: Option<String>,
    /// When its link ends.
    pub expires_at_ms: i64,
}

/// Puts a mail into the queue, in the caller's own transaction. One to nobody is not kept.
///
/// Whoever asks rings the bell after the commit.
///
/// # Errors
/// A database fault.
pub fn post(sql: Sql<'_>, letter: &Letter, now_ms: i64) -> Result<(), Error> {
    sql.execute(
        "insert into mails (id, user_id, kind, to_email, token, detail, created_at_ms, expires_at_ms, next_try_at_ms)
         select ?1, id, ?3, ?4, ?5, ?6, ?7, ?8, ?7 from users where id = ?2",
        (
            letter.id,
            letter.user_id,
            letter.kind.name(),
            &letter.to_email,
            &letter.token,
            &letter.detail,
            now_ms,
            letter.expires_at_ms,
        ),
    )?;
    Ok(())
}

/// Takes back a user's unsent mails of one kind: their links are over.
///
/// # Errors
/// A database fault.
pub fn recall(sql: Sql<'_>, user_id: UserId, kind: Kind) -> Result<(), Error> {
    sql.execute("delete from mails where user_id = ?1 and kind = ?2", (user_id, kind.name()))?;
    Ok(())
}

/// Takes one unsent mail back.
///
/// # Errors
/// A database fault.
pub fn take_back(sql: Sql<'_>, mail_id: MailId) -> Result<(), Error> {
    sql.execute("delete from mails where id = ?1", (mail_id,))?;
    Ok(())
}

/// Deletes mails whose links have expired.
///
/// # Errors
/// A database fault.
pub fn purge(sql: Sql<'_>, now_ms: i64) -> Result<(), Error> {
    sql.execute("delete from mails where expires_at_ms <= ?1", (now_ms,))?;
    Ok(())
}

/// A letter whose time has come.
pub struct Due {
    pub letter: mail::Letter,
    /// Tries so far.
    pub tries: i64,
    expires_at_ms: i64,
}

/// What is to be done.
pub struct Round {
    /// Letters to send now.
    pub due: Vec<Due>,
    /// Does any letter wait, for now or for later?
    pub waits: bool,
    /// People whose letters are to be removed from the folder.
    pub doomed: Vec<UserId>,
}

struct Row {
    id: MailId,
    user_id: UserId,
    kind: String,
    to_email: String,
    token: String,
    detail: Option<String>,
    created_at_ms: i64,
    expires_at_ms: i64,
    tries: i64,
}
from_row!(Row { id, user_id, kind, to_email, token, detail, created_at_ms, expires_at_ms, tries });

impl Row {
    /// Returns the mail; None for a kind of a newer Mellow.
    fn due(self) -> Option<Due> {
        let letter = mail::Letter {
            id: self.id,
            user_id: self.user_id,
            kind: Kind::of(&self.kind)?,
            to_email: self.to_email,
            token: self.token,
            detail: self.detail,
            created_at_ms: self.created_at_ms,
        };
        Some(Due { letter, tries: self.tries, expires_at_ms: self.expires_at_ms })
    }
}

/// Reads what is to be done: at most `count` mails.
///
/// # Errors
/// A database fault.
pub fn round(sql: Sql<'_>, now_ms: i64, count: usize) -> Result<Round, Error> {
    let rows: Vec<Row> = sql.rows(
        "select id, user_id, kind, to_email, token, detail, created_at_ms, expires_at_ms, tries
           from mails where next_try_at_ms <= ?1 and expires_at_ms > ?1 order by next_try_at_ms, id limit ?2",
        (now_ms, i64::try_from(count).unwrap_or(i64::MAX)),
    )?;
    let waits = sql.value("select exists (select 1 from mails where expires_at_ms > ?1)", (now_ms,))?;
    let doomed = sql.values("select user_id from doomed_letters limit 1000", ())?;
    Ok(Round { due: rows.into_iter().filter_map(Row::due).collect(), waits, doomed })
}

/// What became of a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It left, or never will: its row goes.
    Over,
    /// It is tried again.
    Again { tries: i64, next_try_at_ms: i64 },
}

impl Due {
    /// Returns what becomes of this letter after a try at `now_ms` that failed but may go better.
    #[must_use]
    pub fn after_a_try(&self, now_ms: i64) -> Fate {
        let pause = usize::try_from(self.tries).ok().and_then(|tries| MAIL_PAUSES_MS.get(tries));
        match pause.map(|pause| now_ms.saturating_add(*pause)) {
            Some(next_try_at_ms) if next_try_at_ms < self.expires_at_ms => {
                Fate::Again { tries: self.tries + 1, next_try_at_ms }
            }
            _ => Fate::Over,
        }
    }
}

/// A letter was tried.
pub struct Tried {
    pub mail_id: MailId,
    pub fate: Fate,
}

impl WriteCommand for Tried {
    type Event = Event;

    fn is_housekeeping(&self) -> bool {
        true
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Bytes, Error> {
        match self.fate {
            Fate::Over => take_back(transaction.sql, self.mail_id)?,
            Fate::Again { tries, next_try_at_ms } => {
                transaction.sql.execute(
                    "update mails set tries = ?2, next_try_at_ms = ?3 where id = ?1",
                    (self.mail_id, tries, next_try_at_ms),
                )?;
            }
        }
        Ok(Bytes::new())
    }
}

/// The folder holds nothing of these people any more.
pub struct Forgotten {
    pub people: Vec<UserId>,
}

impl WriteCommand for Forgotten {
    type Event = Event;

    fn is_housekeeping(&self) -> bool {
        true
    }

    fn weight_bytes(&self) -> usize {
        256 + self.people.len() * size_of::<UserId>()
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Bytes, Error> {
        let people = list(self.people.iter().copied());
        transaction.sql.execute("delete from doomed_letters where user_id in rarray(?1)", (people,))?;
        Ok(Bytes::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::readers::Snapshot;
    use crate::features::testing::{ANA, NOW_MS, Room, told};

    struct Posts(Letter);

    impl WriteCommand for Posts {
        type Event = Event;

        fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Bytes, Error> {
            post(transaction.sql, &self.0, transaction.now_ms)?;
            Ok(Bytes::new())
        }
    }

    fn letter(id: i64, user_id: UserId, life_ms: i64) -> Posts {
        Posts(Letter {
            id: MailId(id),
            user_id,
            kind: Kind::Reset,
            to_email: "ana@example.com".into(),
            token: "token".into(),
            detail: None,
            expires_at_ms: NOW_MS + life_ms,
        })
    }

    async fn due(room: &Room, now_ms: i64) -> (Vec<i64>, bool) {
        let round = room.reads(move |Snapshot { sql, .. }| round(sql, now_ms, 10)).await;
        (round.due.iter().map(|due| due.letter.id.0).collect(), round.waits)
    }

    #[test]
    fn a_letter_is_due_at_once_and_no_longer_than_its_link_works() {
        told(|room| async move {
            room.does(letter(1, ANA, 1_000)).await.unwrap();
            assert_eq!(due(&room, NOW_MS).await, (vec![1], true));
            assert_eq!(due(&room, NOW_MS + 1_000).await, (vec![], false));
        });
    }

    #[test]
    fn a_letter_to_nobody_is_not_kept() {
        told(|room| async move {
            room.does(letter(1, UserId(0), 1_000)).await.unwrap();
            assert_eq!(due(&room, NOW_MS).await, (vec![], false));
        });
    }

    #[test]
    fn a_letter_that_was_tried_waits_and_one_that_left_is_gone() {
        told(|room| async move {
            room.does(letter(1, ANA, 90_000)).await.unwrap();
            room.does(letter(2, ANA, 90_000)).await.unwrap();
            let fate = Fate::Again { tries: 1, next_try_at_ms: NOW_MS + 60_000 };
            room.does(Tried { mail_id: MailId(1), fate }).await.unwrap();
            room.does(Tried { mail_id: MailId(2), fate: Fate::Over }).await.unwrap();
            assert_eq!(due(&room, NOW_MS).await, (vec![], true));
            assert_eq!(due(&room, NOW_MS + 60_000).await, (vec![1], true));
        });
    }

    #[test]
    fn tries_grow_rare_and_end_with_the_link_or_after_the_eighth() {
        let due = |tries, life_ms| Due {
            letter: mail::Letter {
                id: MailId(1),
                user_id: ANA,
                kind: Kind::Notice,
                to_email: String::new(),
                token: String::new(),
                detail: None,
                created_at_ms: 0,
            },
            tries,
            expires_at_ms: life_ms,
        };
        let mut pauses = Vec::new();
        let mut tries = 0;
        while let Fate::Again { tries: next, next_try_at_ms } = due(tries, i64::MAX).after_a_try(0) {
            assert_eq!(next, tries + 1);
            pauses.push(next_try_at_ms);
            tries = next;
        }
        assert_eq!(pauses, MAIL_PAUSES_MS);
        assert!(pauses.is_sorted());
        assert_eq!(due(0, 60_000).after_a_try(0), Fate::Over, "its link ends at that moment");
    }

    #[test]
    fn who_is_gone_is_remembered_until_the_folder_is_clean() {
        told(|room| async move {
            room.does(letter(1, ANA, 90_000)).await.unwrap();
            room.by_hand("delete from users where id = 1").unwrap();
            let round = room.reads(|Snapshot { sql, .. }| round(sql, NOW_MS, 10)).await;
            assert_eq!((round.due.len(), round.doomed.clone()), (0, vec![ANA]));
            room.does(Forgotten { people: round.doomed }).await.unwrap();
            assert_eq!(room.number("select count(*) from doomed_letters").await, 0);
        });
    }
}
