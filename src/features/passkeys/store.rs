//! The SQL of passkeys.

use super::wire::{Changed, Passkey, Saved};
use crate::db::command::{KeyUse, Transaction, WriteCommand, deletes, keyed};
use crate::db::sql::{Sql, from_row};
use crate::error::{Error, Field, Refusal};
use crate::features::events::Event;
use crate::features::notices::store as notices;
use crate::ids::{LoginId, PasskeyId, UserId};
use crate::limits::{PASSKEYS_FULL, PASSKEYS_PER_USER};
use crate::model::archive::{ArchiveFile, time};
use crate::reply::Done;
use crate::sentence::Sentence;

/// The sentence for a device that did not do what was asked.
pub const PASSKEY_NOT_ADDED: Sentence = Sentence::new("passkey_not_added", "The passkey was not added.");
const PASSKEY_HERE: Sentence = Sentence::new("passkey_here", "This device already has a passkey here.");

from_row!(Passkey { id, name, host, added_at_ms, used_at_ms });

/// Returns the passkeys of a user in the order in which they were added. The host name of each is None if it is `host`.
///
/// # Errors
/// A database fault.
pub fn list(sql: Sql<'_>, user_id: UserId, host: Option<&str>) -> Result<Vec<Passkey>, Error> {
    let passkeys = sql.rows(
        "select id, name, nullif(host, ?2) as host, added_at_ms, used_at_ms from passkeys
          where user_id = ?1 order by id",
        (user_id, host),
    )?;
    Ok(passkeys)
}

/// A passkey as it is stored, for the check of its use.
pub struct Stored {
    pub id: PasskeyId,
    pub user_id: UserId,
    pub handle: [u8; 16],
    pub credential_id: Vec<u8>,
    pub credential: String,
}

from_row!(Stored { id, user_id, handle, credential_id, credential });

/// Returns the passkey of a host name with this id.
///
/// # Errors
/// A database fault.
pub fn find(sql: Sql<'_>, host: &str, credential_id: &[u8]) -> Result<Option<Stored>, Error> {
    let stored = sql.optional_row(
        "select id, user_id, handle, credential_id, credential from passkeys
          where host = ?1 and credential_id = ?2",
        (host, credential_id),
    )?;
    Ok(stored)
}

/// Returns the passkeys of a user for a host name.
///
/// # Errors
/// A database fault.
pub fn of_user(sql: Sql<'_>, user_id: UserId, host: &str) -> Result<Vec<Stored>, Error> {
    let stored = sql.rows(
        "select id, user_id, handle, credential_id, credential from passkeys
          where user_id = ?1 and host = ?2 order by id",
        (user_id, host),
    )?;
    Ok(stored)
}

/// Returns the handle of a user, which all their passkeys have; None if they have no passkey.
///
/// # Errors
/// A database fault.
pub fn handle_of(sql: Sql<'_>, user_id: UserId) -> Result<Option<[u8; 16]>, Error> {
    let handle =
        sql.optional_value("select handle from passkeys where user_id = ?1 order by id limit 1", (user_id,))?;
    Ok(handle)
}

/// Checks that a user may have this many passkeys, for all host names together.
///
/// # Errors
/// [`Refusal::Invalid`] if these are too many.
pub fn check_count(count: usize) -> Result<(), Refusal> {
    if count > PASSKEYS_PER_USER {
        return Err(Refusal::Invalid(Field::PASSKEYS, PASSKEYS_FULL));
    }
    Ok(())
}

/// Returns how many passkeys a user has, for all host names together.
///
/// # Errors
/// A database fault.
pub fn count(sql: Sql<'_>, user_id: UserId) -> Result<usize, Error> {
    let count: i64 = sql.value("select count(*) from passkeys where user_id = ?1", (user_id,))?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// Checks that the password of a user is still the one that was proved.
fn check_password(sql: Sql<'_>, user_id: UserId, password_hash: &str) -> Result<(), Error> {
    let is_current: Option<bool> =
        sql.optional_value("select password_hash = ?2 from users where id = ?1", (user_id, password_hash))?;
    match is_current {
        Some(true) => Ok(()),
        Some(false) => Err(Refusal::WrongPassword.into()),
        None => Err(Refusal::NotSignedIn.into()),
    }
}

/// The use of a passkey, which was proved. The write that relies on it calls [`Proof::note`].
pub struct Proof {
    pub passkey_id: PasskeyId,
    pub user_id: UserId,
    /// The passkey as it was stored when the proof was checked.
    pub before: String,
    /// The passkey with its new counter.
    pub after: String,
}

impl Proof {
    /// Notes the use of the passkey: the counter and the time.
    ///
    /// # Errors
    /// [`Refusal::PasskeyUnknown`] if the passkey was removed meanwhile, or used with another counter.
    pub fn note(&self, transaction: &Transaction<'_, Event>) -> Result<(), Error> {
        let noted = transaction.sql.execute(
            "update passkeys set credential = ?4, used_at_ms = ?5
              where id = ?1 and user_id = ?2 and credential = ?3",
            (self.passkey_id, self.user_id, &self.before, &self.after, transaction.now_ms),
        )?;
        if noted == 0 { Err(Refusal::PasskeyUnknown.into()) } else { Ok(()) }
    }
}

/// A passkey that is not stored yet.
pub struct NewPasskey {
    pub name: String,
    pub host: String,
    pub handle: [u8; 16],
    pub credential_id: Vec<u8>,
    pub credential: String,
    /// The hash against which the given password was checked. If the password was changed meanwhile, the passkey is
    /// refused.
    pub password_hash: String,
}

/// Adds a passkey.
pub struct Add {
    pub key: KeyUse,
    pub user_id: UserId,
    /// The login that adds it.
    pub login_id: LoginId,
    /// The passkey, or why there is none. A challenge works once, so a repeated request has none; it gets the first
    /// reply all the same.
    pub new: Result<NewPasskey, Refusal>,
}

impl WriteCommand for Add {
    type Event = Event;
    type Value = Saved;

    keyed!();

    fn weight_bytes(&self) -> usize {
        let texts = self.new.as_ref().map_or(0, |new| {
            new.name.len() + new.credential_id.len() + new.credential.len() + new.password_hash.len()
        });
        512 + texts
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Saved, Error> {
        let (sql, user_id, now_ms) = (transaction.sql, self.user_id, transaction.now_ms);
        let new = self.new.as_ref().map_err(Clone::clone)?;
        check_password(sql, user_id, &new.password_hash)?;
        // Two passkeys that were begun before there was one have two handles.
        if handle_of(sql, user_id)?.is_some_and(|handle| handle != new.handle) {
            return Err(Refusal::Invalid(Field::PASSKEYS, PASSKEY_NOT_ADDED).into());
        }
        let id = PasskeyId(transaction.new_id());
        let added = sql.execute(
            "insert into passkeys (id, user_id, name, host, handle, credential_id, credential, added_at_ms)
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) on conflict (host, credential_id) do nothing",
            (id, user_id, &new.name, &new.host, new.handle, &new.credential_id, &new.credential, now_ms),
        )?;
        if added == 0 {
            return Err(Refusal::Invalid(Field::PASSKEYS, PASSKEY_HERE).into());
        }
        check_count(count(sql, user_id)?)?;
        transaction.publish(Event::PasskeysChanged(Changed { user_id }));
        let notice = notices::New::PasskeyAdded { name: &new.name };
        notices::add(transaction, user_id, Some(self.login_id), notice)?;
        let name = new.name.clone();
        let passkey = Passkey { id, name, host: None, added_at_ms: now_ms, used_at_ms: None };
        Ok(Saved { passkey, seq: transaction.seq() })
    }
}

/// Renames a passkey. One of another host name can only be removed.
pub struct Rename {
    pub key: KeyUse,
    pub user_id: UserId,
    pub id: PasskeyId,
    pub name: String,
    pub host: String,
}

impl WriteCommand for Rename {
    type Event = Event;
    type Value = Saved;

    keyed!();

    fn weight_bytes(&self) -> usize {
        256 + self.name.len() + self.host.len()
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Saved, Error> {
        let (sql, user_id) = (transaction.sql, self.user_id);
        let found: Option<Passkey> = sql.optional_row(
            "select id, name, null as host, added_at_ms, used_at_ms from passkeys
              where id = ?1 and user_id = ?2 and host = ?3",
            (self.id, user_id, &self.host),
        )?;
        let mut passkey = found.ok_or(Refusal::NotFound)?;
        if passkey.name == self.name {
            transaction.changes_nothing();
        } else {
            sql.execute("update passkeys set name = ?2 where id = ?1", (self.id, &self.name))?;
            passkey.name.clone_from(&self.name);
            transaction.publish(Event::PasskeysChanged(Changed { user_id }));
        }
        Ok(Saved { passkey, seq: transaction.seq() })
    }
}

/// What shows that a user may remove a passkey.
pub enum Shown {
    /// The hash against which the given password was checked.
    Password(String),
    Passkey(Proof),
}

/// Removes a passkey. It ends no login.
pub struct Remove {
    pub key: KeyUse,
    pub user_id: UserId,
    /// The login that removes it.
    pub login_id: LoginId,
    pub id: PasskeyId,
    /// What was shown, or why nothing was. As in [`Add`], a repeated request shows nothing.
    pub shown: Result<Shown, Refusal>,
}

impl WriteCommand for Remove {
    type Event = Event;
    type Value = Done;

    keyed!();

    deletes!(Content);

    fn weight_bytes(&self) -> usize {
        let texts = match &self.shown {
            Ok(Shown::Password(password_hash)) => password_hash.len(),
            Ok(Shown::Passkey(proof)) => proof.before.len() + proof.after.len(),
            Err(_) => 0,
        };
        256 + texts
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let (sql, user_id) = (transaction.sql, self.user_id);
        match self.shown.as_ref().map_err(Clone::clone)? {
            Shown::Password(password_hash) => check_password(sql, user_id, password_hash)?,
            Shown::Passkey(proof) if proof.user_id == user_id => proof.note(transaction)?,
            Shown::Passkey(_) => return Err(Refusal::PasskeyUnknown.into()),
        }
        let name: Option<String> = sql.optional_value(
            "delete from passkeys where id = ?1 and user_id = ?2 returning name",
            (self.id, user_id),
        )?;
        let name = name.ok_or(Refusal::NotFound)?;
        transaction.publish(Event::PasskeysChanged(Changed { user_id }));
        let notice = notices::New::PasskeyRemoved { name: &name };
        notices::add(transaction, user_id, Some(self.login_id), notice)?;
        Ok(Done { seq: transaction.seq() })
    }
}

/// Removes all passkeys of a user, with a notice for each. Returns how many there were.
///
/// # Errors
/// A database fault.
pub fn remove_all(transaction: &mut Transaction<'_, Event>, user_id: UserId) -> Result<usize, Error> {
    let names: Vec<String> =
        transaction.sql.values("delete from passkeys where user_id = ?1 returning name", (user_id,))?;
    for name in &names {
        notices::add(transaction, user_id, None, notices::New::PasskeyRemoved { name })?;
    }
    if !names.is_empty() {
        transaction.publish(Event::PasskeysChanged(Changed { user_id }));
    }
    Ok(names.len())
}

/// The files that this feature adds to the archive of a user.
pub const ARCHIVE: &[ArchiveFile] = &[ArchiveFile::new(
    "passkeys.json",
    "your passkeys, without their keys",
    concat!(
        "select p.id, json_object('name', p.name, 'host', p.host, 'added_at', ",
        time!("p.added_at_ms"),
        ", 'last_used_at', ",
        time!("p.used_at_ms"),
        ")
           from passkeys p where p.user_id = ?1 and p.id < ?2 order by p.id desc limit ?3"
    ),
)];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::readers::Snapshot;
    use crate::testing::database::{ANA, BEN, NOW_MS, TestDatabase, key, receivers, with_database};

    const HOST: &str = "mellow.example";

    fn add(user_id: UserId, number: u8, name: &str) -> Add {
        let new = NewPasskey {
            name: name.into(),
            host: HOST.into(),
            handle: [7; 16],
            credential_id: vec![number; 32],
            credential: format!("{{\"counter\":{number}}}"),
            password_hash: String::new(),
        };
        Add { key: key(user_id, number, &[]), user_id, login_id: LoginId(1), new: Ok(new) }
    }

    fn remove(user_id: UserId, number: u8, id: PasskeyId) -> Remove {
        let shown = Ok(Shown::Password(String::new()));
        Remove { key: key(user_id, number, &[]), user_id, login_id: LoginId(1), id, shown }
    }

    async fn id_of(db: &TestDatabase, name: &'static str) -> PasskeyId {
        let id = "select id from passkeys where name = ?1";
        db.read(move |Snapshot { sql, .. }| Ok(sql.value(id, (name,))?)).await
    }

    async fn names(db: &TestDatabase, user_id: UserId) -> Vec<String> {
        let listed = db.read(move |Snapshot { sql, .. }| list(sql, user_id, Some(HOST))).await;
        listed.into_iter().map(|passkey| passkey.name).collect()
    }

    #[test]
    fn a_passkey_is_added_renamed_and_removed_and_only_its_user_receives_that() {
        with_database(|db| async move {
            db.write(add(ANA, 1, "Laptop")).await.unwrap();
            let published = db.published();
            assert!(matches!(&published[..], [Event::PasskeysChanged(_)]), "{published:?}");
            assert_eq!(receivers(&published[0], &[ANA, BEN], true), [ANA]);
            let id = id_of(&db, "Laptop").await;
            let rename = |number, user_id, host: &str| Rename {
                key: key(user_id, number, &[]),
                user_id,
                id,
                name: "Old laptop".into(),
                host: host.into(),
            };
            assert_eq!(db.write(rename(2, BEN, HOST)).await, Err(Refusal::NotFound));
            assert_eq!(db.write(rename(2, ANA, "other.example")).await, Err(Refusal::NotFound));
            db.write(rename(2, ANA, HOST)).await.unwrap();
            assert!(!db.submit(rename(3, ANA, HOST)).await.unwrap().is_change);
            assert_eq!(names(&db, ANA).await, ["Old laptop"]);
            assert_eq!(db.write(remove(BEN, 4, id)).await, Err(Refusal::NotFound));
            db.write(remove(ANA, 4, id)).await.unwrap();
            assert_eq!(names(&db, ANA).await, [""; 0]);
        });
    }

    #[test]
    fn d_v1_a_user_has_ten_passkeys_and_a_device_has_one() {
        with_database(|db| async move {
            for number in 1..=10 {
                db.write(add(ANA, number, "One more")).await.unwrap();
            }
            let full = Err(Refusal::Invalid(Field::PASSKEYS, PASSKEYS_FULL));
            assert_eq!(db.write(add(ANA, 11, "Too many")).await, full);
            let mut here = add(BEN, 12, "The same");
            here.new = add(ANA, 1, "The same").new;
            let refused = Err(Refusal::Invalid(Field::PASSKEYS, PASSKEY_HERE));
            assert_eq!(db.write(here).await, refused);
            assert_eq!((names(&db, ANA).await.len(), names(&db, BEN).await.len()), (10, 0));
        });
    }

    #[test]
    fn r5_a_repeated_key_adds_and_removes_once_though_its_challenge_is_over() {
        with_database(|db| async move {
            let over = || Err(Refusal::PasskeyUnknown);
            let first = db.write(add(ANA, 1, "Laptop")).await.unwrap();
            assert_eq!(db.write(Add { new: over(), ..add(ANA, 1, "Laptop") }).await, Ok(first));
            let again = Add { new: over(), ..add(ANA, 2, "Laptop") };
            assert_eq!(db.write(again).await, Err(Refusal::PasskeyUnknown));
            let id = id_of(&db, "Laptop").await;
            let first = db.write(remove(ANA, 3, id)).await.unwrap();
            let again = Remove { shown: Err(Refusal::PasskeyUnknown), ..remove(ANA, 3, id) };
            assert_eq!(db.write(again).await, Ok(first));
        });
    }

    #[test]
    fn a_password_that_was_changed_meanwhile_adds_and_removes_nothing() {
        with_database(|db| async move {
            db.write(add(ANA, 1, "Laptop")).await.unwrap();
            let id = id_of(&db, "Laptop").await;
            db.execute("update users set password_hash = 'another' where id = 1").unwrap();
            assert_eq!(db.write(add(ANA, 2, "Phone")).await, Err(Refusal::WrongPassword));
            assert_eq!(db.write(remove(ANA, 3, id)).await, Err(Refusal::WrongPassword));
            assert_eq!(names(&db, ANA).await, ["Laptop"]);
        });
    }

    #[test]
    fn d_v4_a_counter_is_noted_once_and_a_passkey_of_another_user_shows_nothing() {
        with_database(|db| async move {
            db.write(add(ANA, 1, "Laptop")).await.unwrap();
            db.write(add(ANA, 2, "Phone")).await.unwrap();
            db.write(add(BEN, 3, "His")).await.unwrap();
            let (laptop, phone, his) =
                (id_of(&db, "Laptop").await, id_of(&db, "Phone").await, id_of(&db, "His").await);
            let proof = |passkey_id, user_id, number: u8| Proof {
                passkey_id,
                user_id,
                before: format!("{{\"counter\":{number}}}"),
                after: "{\"counter\":90}".into(),
            };
            let by = |number, proof: Proof, id| Remove {
                shown: Ok(Shown::Passkey(proof)),
                ..remove(ANA, number, id)
            };
            let unknown = Err(Refusal::PasskeyUnknown);
            assert_eq!(db.write(by(10, proof(his, BEN, 3), laptop)).await, unknown);
            assert_eq!(db.write(by(11, proof(phone, ANA, 9), laptop)).await, unknown, "used meanwhile");
            db.write(by(12, proof(phone, ANA, 2), laptop)).await.unwrap();
            assert_eq!(db.write(by(13, proof(phone, ANA, 2), phone)).await, unknown, "the same again");
            let used = "select used_at_ms from passkeys where credential = '{\"counter\":90}'";
            assert_eq!(db.number(used).await, NOW_MS);
        });
    }

    #[test]
    fn r9_the_schema_itself_refuses_what_no_passkey_has() {
        with_database(|db| async move {
            let insert = |name: &str, handle: &str, id: &str, credential: &str| {
                db.execute(&format!(
                    "insert into passkeys
                       (user_id, name, host, handle, credential_id, credential, added_at_ms)
                       values (1, {name}, 'x', {handle}, {id}, {credential}, 0)"
                ))
            };
            assert!(insert("'Laptop'", "zeroblob(16)", "x'01'", "'{}'").is_ok());
            for (name, handle, id, credential) in [
                ("''", "zeroblob(16)", "x'02'", "'{}'"),
                ("printf('%041d', 0)", "zeroblob(16)", "x'02'", "'{}'"),
                ("'Laptop'", "zeroblob(15)", "x'02'", "'{}'"),
                ("'Laptop'", "zeroblob(16)", "x''", "'{}'"),
                ("'Laptop'", "zeroblob(16)", "zeroblob(1024)", "'{}'"),
                ("'Laptop'", "zeroblob(16)", "x'02'", "''"),
                ("'Laptop'", "zeroblob(16)", "x'01'", "'{}'"),
            ] {
                assert!(insert(name, handle, id, credential).is_err(), "{name} {handle} {id} {credential}");
            }
        });
    }

    #[test]
    fn d_v7_a_deleted_account_takes_its_passkeys_with_it() {
        with_database(|db| async move {
            db.write(add(ANA, 1, "Laptop")).await.unwrap();
            db.write(add(BEN, 2, "His")).await.unwrap();
            db.execute("delete from users where id = 1").unwrap();
            assert_eq!(db.number("select count(*) from passkeys").await, 1);
        });
    }
}
