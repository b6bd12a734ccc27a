//! The mail queue. A mail is stored in the commit of its cause, and stays until it is sent.
//!
//! Guarantees:
//! - A mail whose cause is committed is sent at least once, even after a crash. A mail that was sent just before a
//!   crash may be sent twice, with the same message id.
//! - The number of attempts is limited. Attempts end when the link of the mail expires. A permanent failure is not
//!   retried. Nor is a mail about a notice that the host's settings leave out.
//! - No request waits for a mail.
//! - The host learns what must be mended before mails can be sent ([`MailQueue::failure`]).
//!
//! `jobs/mail_sender.rs` sends the mails; `mail/` composes them.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use crate::db::command::{Deletes, Transaction, WriteCommand};
use crate::db::sql::{Sql, from_row, list};
use crate::error::Error;
use crate::features::events::Event;
use crate::ids::{MailId, UserId};
use crate::limits::{MAIL_HOST_PAUSES, MAIL_LAST_TRY_MS, MAIL_PAUSES_MS};
use crate::mail::{Failure, Kind, Mail};

/// Wakes the mail sender.
#[derive(Default)]
pub struct MailQueue {
    /// Notified after a commit that adds a mail or deletes an account.
    pub wake: Notify,
    /// What the host must mend before mails can be sent; None if the last attempt did not show anything.
    failure: Mutex<Option<String>>,
}

impl MailQueue {
    /// Notes the result of an attempt. A temporary failure says nothing about the host.
    pub fn note(&self, sent: &Result<(), Failure>) {
        let failure = match sent {
            Err(Failure::Host(why)) => Some(why.clone()),
            Ok(()) | Err(Failure::Never(_)) => None,
            Err(Failure::Later(_)) => return,
        };
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
    }

    /// Returns one line that says why mails wait and what the host must mend; None if nothing is known to be wrong.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Puts a mail into the queue, in the transaction of the caller. Its link works until `expires_at_ms`. A mail to a
/// deleted account is left out.
///
/// The caller wakes the sender after the commit.
///
/// # Errors
/// A database fault.
pub fn add(sql: Sql<'_>, mail: &Mail, expires_at_ms: i64) -> Result<(), Error> {
    sql.execute(
        "insert into mails (id, user_id, kind, to_email, token, created_at_ms, expires_at_ms, next_try_at_ms,
                            device)
         select ?1, id, ?3, ?4, ?5, ?6, ?7, ?6, ?8 from users where id = ?2",
        (
            mail.id,
            mail.user_id,
            mail.kind.name(),
            &mail.to_email,
            &mail.token,
            mail.created_at_ms,
            expires_at_ms,
            &mail.device,
        ),
    )?;
    Ok(())
}

/// Deletes the unsent mails of a user of one kind, because their links do not work any more.
///
/// # Errors
/// A database fault.
pub fn recall(sql: Sql<'_>, user_id: UserId, kind: Kind) -> Result<(), Error> {
    sql.execute("delete from mails where user_id = ?1 and kind = ?2", (user_id, kind.name()))?;
    Ok(())
}

/// Deletes one unsent mail.
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

/// A mail that is due.
pub struct Due {
    pub mail: Mail,
    /// The tags of the account's languages at this time: the chosen one, and the one shown last.
    pub languages: [Option<String>; 2],
    /// Attempts so far.
    pub tries: i64,
    expires_at_ms: i64,
}

/// The work of one round of the mail sender.
pub struct Round {
    /// Mails to send now.
    pub due: Vec<Due>,
    /// Whether any mail waits, now or for later.
    pub waits: bool,
    /// Users whose mails must be removed from the outbox folder.
    pub erased_users: Vec<UserId>,
}

struct Row {
    id: MailId,
    user_id: UserId,
    kind: String,
    to_email: String,
    token: String,
    device: Option<String>,
    created_at_ms: i64,
    expires_at_ms: i64,
    tries: i64,
    language: Option<String>,
    shown_language: Option<String>,
}
from_row!(Row {
    id,
    user_id,
    kind,
    to_email,
    token,
    device,
    created_at_ms,
    expires_at_ms,
    tries,
    language,
    shown_language
});

impl Row {
    /// Returns the mail; None if its kind is of a newer Mellow.
    fn due(self) -> Option<Due> {
        let mail = Mail {
            id: self.id,
            user_id: self.user_id,
            kind: Kind::of(&self.kind)?,
            to_email: self.to_email,
            token: self.token,
            device: self.device,
            created_at_ms: self.created_at_ms,
        };
        let languages = [self.language, self.shown_language];
        Some(Due { mail, languages, tries: self.tries, expires_at_ms: self.expires_at_ms })
    }
}

/// Returns how many mails wait to be sent.
///
/// # Errors
/// A database fault.
pub fn waiting(sql: Sql<'_>) -> Result<u64, Error> {
    Ok(sql.value("select count(*) from mails", ())?)
}

/// Reads what a round has to do, with at most `count` mails.
///
/// # Errors
/// A database fault.
pub fn round(sql: Sql<'_>, now_ms: i64, count: usize) -> Result<Round, Error> {
    let rows: Vec<Row> = sql.rows(
        "select m.id, m.user_id, m.kind, m.to_email, m.token, m.device, m.created_at_ms, m.expires_at_ms,
                m.tries, u.language, u.shown_language
           from mails m join users u on u.id = m.user_id
          where m.next_try_at_ms <= ?1 and m.expires_at_ms > ?1 order by m.next_try_at_ms, m.id limit ?2",
        (now_ms, i64::try_from(count).unwrap_or(i64::MAX)),
    )?;
    let waits = sql.value("select exists (select 1 from mails where expires_at_ms > ?1)", (now_ms,))?;
    let erased_users = sql.values("select user_id from doomed_letters limit 1000", ())?;
    Ok(Round { due: rows.into_iter().filter_map(Row::due).collect(), waits, erased_users })
}

/// The result of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextTry {
    /// The mail was sent, or never will be. Its row is deleted.
    Over,
    /// Another attempt follows.
    Again { tries: i64, next_try_at_ms: i64 },
}

impl Due {
    /// Returns the next attempt after a temporary failure at `now_ms`.
    #[must_use]
    pub fn after_a_try(&self, now_ms: i64) -> NextTry {
        let pause = usize::try_from(self.tries).ok().and_then(|tries| MAIL_PAUSES_MS.get(tries));
        match pause.map(|pause| now_ms.saturating_add(*pause)) {
            Some(next_try_at_ms) if next_try_at_ms < self.expires_at_ms => {
                NextTry::Again { tries: self.tries + 1, next_try_at_ms }
            }
            _ => NextTry::Over,
        }
    }

    /// Returns the next attempt after a failure at `now_ms` that the host must mend first. Attempts go on until the
    /// link expires, and do not count further than [`MAIL_HOST_PAUSES`]: a temporary failure afterwards has its own
    /// attempts.
    #[must_use]
    pub fn until_the_host_mends(&self, now_ms: i64) -> NextTry {
        let counted =
            usize::try_from(self.tries).map_or(MAIL_HOST_PAUSES, |tries| tries.min(MAIL_HOST_PAUSES));
        let last_ms = self.expires_at_ms.saturating_sub(MAIL_LAST_TRY_MS);
        let next_try_at_ms = now_ms.saturating_add(MAIL_PAUSES_MS[counted]).min(last_ms);
        if next_try_at_ms <= now_ms {
            return NextTry::Over;
        }
        let is_counted = counted < MAIL_HOST_PAUSES;
        NextTry::Again { tries: self.tries + i64::from(is_counted), next_try_at_ms }
    }
}

/// Records the result of an attempt.
pub struct Tried {
    pub mail_id: MailId,
    pub next_try: NextTry,
}

impl WriteCommand for Tried {
    type Event = Event;
    type Value = ();

    fn deletes(&self) -> Deletes {
        match self.next_try {
            NextTry::Over => Deletes::Secret,
            NextTry::Again { .. } => Deletes::Nothing,
        }
    }

    fn is_housekeeping(&self) -> bool {
        true
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
        match self.next_try {
            NextTry::Over => take_back(transaction.sql, self.mail_id)?,
            NextTry::Again { tries, next_try_at_ms } => {
                transaction.sql.execute(
                    "update mails set tries = ?2, next_try_at_ms = ?3 where id = ?1",
                    (self.mail_id, tries, next_try_at_ms),
                )?;
            }
        }
        Ok(())
    }
}

/// Records that the outbox folder has no mails of these users.
pub struct Forgotten {
    pub people: Vec<UserId>,
}

impl WriteCommand for Forgotten {
    type Event = Event;
    type Value = ();

    fn is_housekeeping(&self) -> bool {
        true
    }

    fn weight_bytes(&self) -> usize {
        256 + self.people.len() * size_of::<UserId>()
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
        let people = list(self.people.iter().copied());
        transaction.sql.execute("delete from doomed_letters where user_id in rarray(?1)", (people,))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::readers::Snapshot;
    use crate::testing::database::{ANA, NOW_MS, TestDatabase, with_database};

    struct Add(Mail, i64);

    impl WriteCommand for Add {
        type Event = Event;
        type Value = ();

        fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
            add(transaction.sql, &self.0, self.1)?;
            Ok(())
        }
    }

    fn mail(id: i64, user_id: UserId, life_ms: i64) -> Add {
        let mail = Mail {
            id: MailId(id),
            user_id,
            kind: Kind::Reset,
            to_email: "ana@example.com".into(),
            token: "token".into(),
            device: None,
            created_at_ms: NOW_MS,
        };
        Add(mail, NOW_MS + life_ms)
    }

    async fn due(db: &TestDatabase, now_ms: i64) -> (Vec<i64>, bool) {
        let round = db.read(move |Snapshot { sql, .. }| round(sql, now_ms, 10)).await;
        (round.due.iter().map(|due| due.mail.id.0).collect(), round.waits)
    }

    #[test]
    fn a_mail_is_due_from_the_beginning_until_its_link_expires() {
        with_database(|db| async move {
            db.write(mail(1, ANA, 1_000)).await.unwrap();
            assert_eq!(due(&db, NOW_MS).await, (vec![1], true));
            assert_eq!(due(&db, NOW_MS + 1_000).await, (vec![], false));
        });
    }

    #[test]
    fn a_mail_to_a_missing_account_is_not_stored() {
        with_database(|db| async move {
            db.write(mail(1, UserId(0), 1_000)).await.unwrap();
            assert_eq!(due(&db, NOW_MS).await, (vec![], false));
        });
    }

    #[test]
    fn a_mail_that_failed_waits_and_one_that_was_sent_is_removed() {
        with_database(|db| async move {
            db.write(mail(1, ANA, 90_000)).await.unwrap();
            db.write(mail(2, ANA, 90_000)).await.unwrap();
            let next_try = NextTry::Again { tries: 1, next_try_at_ms: NOW_MS + 60_000 };
            db.write(Tried { mail_id: MailId(1), next_try }).await.unwrap();
            db.write(Tried { mail_id: MailId(2), next_try: NextTry::Over }).await.unwrap();
            assert_eq!(due(&db, NOW_MS).await, (vec![], true));
            assert_eq!(due(&db, NOW_MS + 60_000).await, (vec![1], true));
        });
    }

    fn tried(tries: i64, expires_at_ms: i64) -> Due {
        let mail = Mail {
            id: MailId(1),
            user_id: ANA,
            kind: Kind::Notice,
            to_email: String::new(),
            token: String::new(),
            device: None,
            created_at_ms: 0,
        };
        Due { mail, languages: [None, None], tries, expires_at_ms }
    }

    #[test]
    fn attempts_end_after_the_eighth_or_with_the_link_and_their_pauses_grow() {
        let mut pauses = Vec::new();
        let mut tries = 0;
        while let NextTry::Again { tries: next, next_try_at_ms } = tried(tries, i64::MAX).after_a_try(0) {
            assert_eq!(next, tries + 1);
            pauses.push(next_try_at_ms);
            tries = next;
        }
        assert_eq!(pauses, MAIL_PAUSES_MS);
        assert!(pauses.is_sorted());
        assert_eq!(tried(0, 60_000).after_a_try(0), NextTry::Over, "its link ends at that moment");
    }

    #[test]
    fn a_mail_that_the_host_must_mend_something_for_is_tried_until_its_link_expires() {
        const MINUTE_MS: i64 = 60_000;
        // The links of a reset, of a confirmation and of an undo.
        for life_ms in [30 * MINUTE_MS, 24 * 60 * MINUTE_MS, 72 * 60 * MINUTE_MS] {
            let mut mail = tried(0, life_ms);
            let mut now_ms = 0;
            while let NextTry::Again { tries, next_try_at_ms } = mail.until_the_host_mends(now_ms) {
                let pause = next_try_at_ms - now_ms;
                assert!(pause > 0 && pause <= 15 * MINUTE_MS, "{pause} ms");
                (mail.tries, now_ms) = (tries, next_try_at_ms);
            }
            assert_eq!(now_ms, life_ms - MINUTE_MS);
        }
        // A server that then asks to come back later still gets all of its attempts.
        let mut mail = tried(0, i64::MAX);
        for _ in 0..300 {
            let NextTry::Again { tries, .. } = mail.until_the_host_mends(0) else { panic!("given up") };
            mail.tries = tries;
        }
        let next_try = NextTry::Again { tries: mail.tries + 1, next_try_at_ms: 15 * MINUTE_MS };
        assert_eq!(mail.after_a_try(0), next_try);
        assert_eq!(tried(0, 30_000).until_the_host_mends(0), NextTry::Over);
    }

    #[test]
    fn a_deleted_user_is_remembered_until_the_folder_has_none_of_their_mails() {
        with_database(|db| async move {
            db.write(mail(1, ANA, 90_000)).await.unwrap();
            db.execute("delete from users where id = 1").unwrap();
            let round = db.read(|Snapshot { sql, .. }| round(sql, NOW_MS, 10)).await;
            assert_eq!((round.due.len(), round.erased_users.clone()), (0, vec![ANA]));
            db.write(Forgotten { people: round.erased_users }).await.unwrap();
            assert_eq!(db.number("select count(*) from doomed_letters").await, 0);
        });
    }
}
