//! The SQL of notices: one row for each login that sees it.

use super::wire::{Changed, Kind, Listed, Notice};
use crate::db::command::{KeyUse, Transaction, WriteCommand, deletes, keyed};
use crate::db::sql::{Sql, from_row};
use crate::error::{Error, Refusal};
use crate::features::auth::wire::Ended;
use crate::features::events::Event;
use crate::features::mails::store as mail_queue;
use crate::ids::{LoginId, MailId, NoticeId, Seq, UserId};
use crate::limits::{NOTICE_LIFE_MS, NOTICE_MAIL_LIFE_MS, NOTICES_PER_LOGIN, PURGE_ROWS_MAX};
use crate::mail::{self, Mail};
use crate::reply::Done;

/// What happened to an account.
#[derive(Clone, Copy, Debug)]
pub enum New<'a> {
    /// A log-in from a browser that had not logged in to the account before.
    Login {
        login_id: LoginId,
        /// The label of the device; empty if unknown.
        device: &'a str,
    },
    PasskeyAdded {
        /// The name of the passkey.
        name: &'a str,
    },
    PasskeyRemoved {
        /// The name of the passkey.
        name: &'a str,
    },
}

impl New<'_> {
    fn kind(&self) -> Kind {
        match self {
            Self::Login { .. } => Kind::Login,
            Self::PasskeyAdded { .. } => Kind::PasskeyAdded,
            Self::PasskeyRemoved { .. } => Kind::PasskeyRemoved,
        }
    }

    fn text(&self) -> &str {
        match *self {
            Self::Login { device, .. } => device,
            Self::PasskeyAdded { name } | Self::PasskeyRemoved { name } => name,
        }
    }
}

/// Adds a notice for every login of an account but the one that acted, publishes that, and queues a mail. `by` is the
/// login that acted; None if the host did. A new login acted itself. The mail sender drops the mail if the host has
/// switched such mails off.
///
/// The caller wakes the mail sender after the commit.
///
/// # Errors
/// A database fault.
pub fn add(
    transaction: &mut Transaction<'_, Event>,
    user_id: UserId,
    by: Option<LoginId>,
    notice: New<'_>,
) -> Result<(), Error> {
    let (sql, now_ms) = (transaction.sql, transaction.now_ms);
    let about = match notice {
        New::Login { login_id, .. } => Some(login_id),
        New::PasskeyAdded { .. } | New::PasskeyRemoved { .. } => None,
    };
    let by = about.or(by);
    let others: Vec<LoginId> =
        sql.values("select id from logins where user_id = ?1 and id is not ?2", (user_id, by))?;
    for login_id in &others {
        sql.execute(
            "insert into notices (id, login_id, kind, text, about_login_id, created_at_ms)
             values (?1, ?2, ?3, ?4, ?5, ?6)",
            (transaction.new_id(), login_id, notice.kind(), notice.text(), about, now_ms),
        )?;
        sql.execute(
            "delete from notices where login_id = ?1 and id not in
               (select id from notices where login_id = ?1 order by about_login_id is null, id desc limit ?2)",
            (login_id, NOTICES_PER_LOGIN),
        )?;
    }
    queue_mail(transaction, user_id, by, notice.kind())?;
    if !others.is_empty() {
        transaction.publish(Event::NoticesChanged(Changed { user_id }));
    }
    Ok(())
}

/// Queues the mail about a notice. It names the device of the login that acted, as the list of logins does.
fn queue_mail(
    transaction: &Transaction<'_, Event>,
    user_id: UserId,
    by: Option<LoginId>,
    kind: Kind,
) -> Result<(), Error> {
    let (sql, now_ms) = (transaction.sql, transaction.now_ms);
    let to_email: Option<String> = sql.optional_value("select email from users where id = ?1", (user_id,))?;
    let Some(to_email) = to_email else { return Ok(()) };
    let device = sql.optional_value("select device from logins where id = ?1", (by,))?;
    let mail = Mail {
        id: MailId(transaction.new_id()),
        user_id,
        kind: match kind {
            Kind::Login => mail::Kind::Login,
            Kind::PasskeyAdded => mail::Kind::PasskeyAdded,
            Kind::PasskeyRemoved => mail::Kind::PasskeyRemoved,
        },
        to_email,
        token: String::new(),
        device,
        created_at_ms: now_ms,
    };
    mail_queue::add(sql, &mail, now_ms + NOTICE_MAIL_LIFE_MS)
}

from_row!(Notice { id, kind, text, at_ms });

/// Returns the notices that a login sees, newest first.
///
/// # Errors
/// A database fault.
pub fn list(sql: Sql<'_>, login_id: LoginId, now_ms: i64, seq: Seq) -> Result<Listed, Error> {
    let notices = sql.rows(
        "select id, kind, text, created_at_ms as at_ms from notices
          where login_id = ?1 and created_at_ms >= ?2 order by id desc limit ?3",
        (login_id, now_ms - NOTICE_LIFE_MS, NOTICES_PER_LOGIN),
    )?;
    Ok(Listed { notices, seq })
}

/// Deletes a notice, because its user knows of what it says. The other logins keep theirs.
pub struct Answer {
    pub key: KeyUse,
    pub user_id: UserId,
    /// The login that answers.
    pub login_id: LoginId,
    pub id: NoticeId,
}

impl WriteCommand for Answer {
    type Event = Event;
    type Value = Done;

    keyed!();

    deletes!(Content);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let delete = "delete from notices where id = ?1 and login_id = ?2";
        if transaction.sql.execute(delete, (self.id, self.login_id))? > 0 {
            transaction.publish(Event::NoticesChanged(Changed { user_id: self.user_id }));
        } else {
            transaction.changes_nothing();
        }
        Ok(Done { seq: transaction.seq() })
    }
}

/// Ends the login that a notice is about. Its connections close with the commit. No login sees a notice about it any
/// more. Its browser is forgotten, so that it does not log in again without a notice. What it may have begun meanwhile
/// without one ends too.
pub struct EndLogin {
    pub key: KeyUse,
    pub user_id: UserId,
    /// The login that answers.
    pub login_id: LoginId,
    pub id: NoticeId,
}

impl WriteCommand for EndLogin {
    type Event = Event;
    type Value = Done;

    keyed!();

    deletes!(Content);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let sql = transaction.sql;
        let about: Option<LoginId> = sql.optional_value(
            "select l.id from notices n join logins l on l.id = n.about_login_id
              where n.id = ?1 and n.login_id = ?2 and l.user_id = ?3",
            (self.id, self.login_id, self.user_id),
        )?;
        // This notice also goes if its login has ended already.
        let began_at_ms: Option<i64> = sql.optional_value(
            "delete from notices where id = ?1 and login_id = ?2 and kind = 'login' returning created_at_ms",
            (self.id, self.login_id),
        )?;
        // Without a notice the reply would say that the login has ended.
        let began_at_ms = began_at_ms.ok_or(Refusal::NotFound)?;
        // Nobody knows which browser it was, and it may have logged in again in silence. Others that did so since end,
        // and are forgotten with it: they log in once more, and make a notice, which does no harm.
        sql.execute(
            "delete from devices where user_id = ?1 and used_at_ms >= ?2",
            (self.user_id, began_at_ms),
        )?;
        sql.execute("delete from notices where about_login_id = ?1", (about,))?;
        let ended: Vec<LoginId> = sql.values(
            "delete from logins where user_id = ?1 and id <> ?2 and (id = ?3 or silent and created_at_ms >= ?4)
             returning id",
            (self.user_id, self.login_id, about, began_at_ms),
        )?;
        transaction.publish(Event::NoticesChanged(Changed { user_id: self.user_id }));
        for login_id in ended {
            transaction.publish(Event::LoginEnded(Ended::elsewhere(login_id)));
        }
        Ok(Done { seq: transaction.seq() })
    }
}

/// Deletes notices that are too old, at most [`PURGE_ROWS_MAX`] at a time.
///
/// # Errors
/// A database fault.
pub fn purge(transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
    let mut users: Vec<UserId> = transaction.sql.values(
        "delete from notices where id in
           (select id from notices where created_at_ms < ?1 order by created_at_ms limit ?2)
         returning (select user_id from logins where id = login_id)",
        (transaction.now_ms - NOTICE_LIFE_MS, PURGE_ROWS_MAX),
    )?;
    users.sort_unstable();
    users.dedup();
    for user_id in users {
        transaction.publish(Event::NoticesChanged(Changed { user_id }));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::command::Housekeeping;
    use crate::db::readers::Snapshot;
    use crate::testing::database::{ANA, BEN, CLEO, NOW_MS, TestDatabase, key, receivers, with_database};

    const LAPTOP: LoginId = LoginId(11);
    const PHONE: LoginId = LoginId(12);
    const BENS: LoginId = LoginId(21);

    /// Adds a notice.
    struct Add {
        user_id: UserId,
        by: Option<LoginId>,
        notice: New<'static>,
    }

    impl WriteCommand for Add {
        type Event = Event;
        type Value = ();

        fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
            add(transaction, self.user_id, self.by, self.notice)
        }
    }

    fn login(login_id: LoginId) -> Add {
        Add { user_id: ANA, by: None, notice: New::Login { login_id, device: "Firefox on Linux" } }
    }

    fn has_logins(db: &TestDatabase) {
        for (login_id, user_id) in [(LAPTOP, ANA), (PHONE, ANA), (BENS, BEN)] {
            let (id, user_id) = (login_id.0, user_id.0);
            db.execute(&format!(
                "insert into logins (id, user_id, token_hash, created_at_ms, used_at_ms, device)
                 values ({id}, {user_id}, cast(format('%032d', {id}) as blob), {NOW_MS}, {NOW_MS}, 'iPad')"
            ))
            .unwrap();
        }
    }

    /// Returns the kind, the text and the time of the notices of a login.
    async fn listed(db: &TestDatabase, login_id: LoginId) -> Vec<(Kind, String, i64)> {
        let listed =
            db.read(move |Snapshot { sql, seq }| list(sql, login_id, NOW_MS, seq)).await.notices.into_iter();
        listed.map(|notice| (notice.kind, notice.text, notice.at_ms)).collect()
    }

    #[test]
    fn d_v6_every_login_but_the_one_that_acted_has_a_notice_and_the_host_is_none() {
        with_database(|db| async move {
            has_logins(&db);
            db.write(login(LAPTOP)).await.unwrap();
            let published = db.published();
            assert!(matches!(&published[..], [Event::NoticesChanged(_)]));
            assert_eq!(receivers(&published[0], &[ANA, BEN, CLEO], true), [ANA]);
            let added = New::PasskeyAdded { name: "Phone" };
            db.write(Add { user_id: ANA, by: Some(PHONE), notice: added }).await.unwrap();
            let removed = New::PasskeyRemoved { name: "Phone" };
            db.write(Add { user_id: ANA, by: None, notice: removed }).await.unwrap();
            let [login, added, removed] = [
                (Kind::Login, "Firefox on Linux".to_owned(), NOW_MS),
                (Kind::PasskeyAdded, "Phone".to_owned(), NOW_MS),
                (Kind::PasskeyRemoved, "Phone".to_owned(), NOW_MS),
            ];
            assert_eq!(listed(&db, LAPTOP).await, [removed.clone(), added]);
            assert_eq!(listed(&db, PHONE).await, [removed, login]);
            assert!(listed(&db, BENS).await.is_empty());
            // The notice of a passkey names the device that did it; the host has none.
            let mails = "select count(*) from mails
                          where user_id = 1 and token = '' and to_email = 'Ana@example.com'";
            assert_eq!(db.number(mails).await, 3);
            let devices = "select count(*) from mails where (kind, device) in
                             (values ('login', 'iPad'), ('passkey_added', 'iPad'))
                              or (kind = 'passkey_removed' and device is null)";
            assert_eq!(db.number(devices).await, 3);
        });
    }

    #[test]
    fn an_account_without_another_login_has_a_mail_and_no_event() {
        with_database(|db| async move {
            let notice = New::PasskeyRemoved { name: "Phone" };
            db.write(Add { user_id: CLEO, by: None, notice }).await.unwrap();
            assert!(db.published().is_empty());
            assert_eq!(db.number("select count(*) from mails where user_id = 3").await, 1);
            db.write(Add { user_id: UserId(99), by: None, notice }).await.unwrap();
            assert_eq!(db.number("select count(*) from mails").await, 1, "nobody has this account");
        });
    }

    #[test]
    fn a_login_keeps_its_newest_notices() {
        with_database(|db| async move {
            has_logins(&db);
            for name in ["the oldest"].into_iter().chain(["a later one"; 64]) {
                let notice = New::PasskeyAdded { name };
                db.write(Add { user_id: BEN, by: None, notice }).await.unwrap();
            }
            let left = listed(&db, BENS).await;
            assert_eq!(i64::try_from(left.len()), Ok(NOTICES_PER_LOGIN));
            assert!(left.iter().all(|(_, text, _)| text == "a later one"));
        });
    }

    #[test]
    fn d_v6_no_later_notices_push_out_the_one_about_a_login_that_has_not_ended() {
        with_database(|db| async move {
            has_logins(&db);
            db.write(login(LAPTOP)).await.unwrap();
            for _ in 0..=NOTICES_PER_LOGIN {
                let notice = New::PasskeyAdded { name: "a later one" };
                db.write(Add { user_id: ANA, by: Some(LAPTOP), notice }).await.unwrap();
            }
            let left = listed(&db, PHONE).await;
            assert_eq!(i64::try_from(left.len()), Ok(NOTICES_PER_LOGIN));
            assert_eq!(left.last().map(|(kind, ..)| *kind), Some(Kind::Login));
        });
    }

    #[test]
    fn d_v6_notices_are_deleted_after_thirty_days_and_their_users_receive_it() {
        with_database(|db| async move {
            has_logins(&db);
            db.write(login(LAPTOP)).await.unwrap();
            let notice = New::PasskeyAdded { name: "Phone" };
            db.write(Add { user_id: BEN, by: None, notice }).await.unwrap();
            let too_old = NOW_MS - NOTICE_LIFE_MS - 1;
            db.execute(&format!("update notices set created_at_ms = {too_old} where login_id = {}", PHONE.0))
                .unwrap();
            db.published();
            assert!(listed(&db, PHONE).await.is_empty(), "also before they are deleted");
            db.write(Housekeeping(purge)).await.unwrap();
            let published = db.published();
            let [Event::NoticesChanged(changed)] = &published[..] else { panic!("{published:?}") };
            assert_eq!(changed.user_id, ANA);
            assert_eq!(db.number("select count(*) from notices").await, 1);
            db.write(Housekeeping(purge)).await.unwrap();
            assert!(db.published().is_empty());
        });
    }

    #[test]
    fn d_v6_a_login_is_ended_once_and_only_by_a_notice_about_it() {
        with_database(|db| async move {
            has_logins(&db);
            db.write(login(LAPTOP)).await.unwrap();
            let notice = New::PasskeyAdded { name: "Phone" };
            db.write(Add { user_id: ANA, by: None, notice }).await.unwrap();
            db.published();
            let id = |sql: &'static str| db.number(sql);
            let about_login = NoticeId(id("select id from notices where kind = 'login'").await);
            let about_passkey =
                NoticeId(id("select id from notices where kind <> 'login' and login_id = 12").await);
            let end = |number, login_id, user_id, id| EndLogin {
                key: key(user_id, number, &[]),
                user_id,
                login_id,
                id,
            };
            for (number, login_id, user_id, id) in
                [(1, BENS, BEN, about_login), (2, LAPTOP, ANA, about_login), (3, PHONE, ANA, about_passkey)]
            {
                assert_eq!(db.write(end(number, login_id, user_id, id)).await, Err(Refusal::NotFound));
            }
            db.write(end(4, PHONE, ANA, about_login)).await.unwrap();
            let published = db.published();
            let [Event::NoticesChanged(_), Event::LoginEnded(ended)] = &published[..] else {
                panic!("{published:?}")
            };
            assert_eq!((ended.login_id, ended.close_code), (LAPTOP, 4002));
            assert_eq!(db.number("select count(*) from logins where user_id = 1").await, 1);
            assert_eq!(listed(&db, PHONE).await.len(), 1, "the one about the passkey");
            assert_eq!(db.write(end(5, PHONE, ANA, about_login)).await, Err(Refusal::NotFound));
        });
    }

    #[test]
    fn d_v6_what_began_in_silence_since_a_log_in_ends_with_it_also_if_that_login_has_ended() {
        with_database(|db| async move {
            has_logins(&db);
            db.write(login(LAPTOP)).await.unwrap();
            for (id, user_id, later_ms, silent) in
                [(13, ANA, -1, 1), (14, ANA, 0, 1), (15, ANA, 1, 0), (16, ANA, 2, 1), (22, BEN, 2, 1)]
            {
                let (user_id, at_ms) = (user_id.0, NOW_MS + later_ms);
                db.execute(&format!(
                    "insert into logins (id, user_id, token_hash, created_at_ms, used_at_ms, silent)
                     values ({id}, {user_id}, cast(format('%032d', {id}) as blob), {at_ms}, {at_ms}, {silent})"
                ))
                .unwrap();
            }
            db.execute("delete from logins where id = 11").unwrap();
            db.published();
            let id = NoticeId(db.number("select id from notices").await);
            let key = key(ANA, 1, &[]);
            db.write(EndLogin { key, user_id: ANA, login_id: PHONE, id }).await.unwrap();
            let ended = db.published().into_iter().filter_map(|event| match event {
                Event::LoginEnded(ended) => Some(ended.login_id.0),
                _ => None,
            });
            let mut ended: Vec<i64> = ended.collect();
            ended.sort_unstable();
            assert_eq!(ended, [14, 16], "not the one before, not the one with a notice of its own");
            assert_eq!(db.number("select count(*) from logins").await, 5);
        });
    }

    #[test]
    fn r9_the_schema_itself_refuses_a_notice_for_the_login_that_it_is_about() {
        with_database(|db| async move {
            has_logins(&db);
            let insert =
                "insert into notices (id, login_id, kind, text, about_login_id, created_at_ms) values";
            db.execute(&format!("{insert} (1, 11, 'login', '', 12, 0)")).unwrap();
            for row in [
                "(2, 11, 'login', '', 11, 0)",
                "(2, 11, 'passkey_added', 'Phone', 12, 0)",
                "(2, 11, 'reset', '', null, 0)",
                "(2, 99, 'login', '', 12, 0)",
            ] {
                assert!(db.execute(&format!("{insert} {row}")).is_err(), "{row}");
            }
            db.execute("delete from logins where id = 12").unwrap();
            assert_eq!(db.number("select count(*) from notices where about_login_id is null").await, 1);
            db.execute("delete from logins where id = 11").unwrap();
            assert_eq!(db.number("select count(*) from notices").await, 0);
        });
    }
}
