//! The replies that are stored with keys, for repeated requests: whether a key was used, whether its user still has the
//! right to the reply, and which replies are erased.

use super::groups::is_member_of;
use super::mentions;
use crate::authz;
use crate::db::command::KeyUse;
use crate::db::sql::Sql;
use crate::error::Error;
use crate::events::Right;
use crate::ids::UserId;
use crate::wire::codec;

/// Erases the stored replies to a user that contain these bytes. Their keys stay, so that no request is applied twice.
///
/// # Errors
/// A database fault.
pub fn erase(sql: Sql<'_>, user_id: UserId, part: &[u8]) -> Result<(), Error> {
    sql.execute(
        "update keys set answer = x'', group_id = null, followed_id = null, answer_outside = null
           where user_id = ?1 and instr(answer, ?2) > 0",
        (user_id, part),
    )?;
    Ok(())
}

/// Erases the stored replies to other users that name this user.
///
/// # Errors
/// A database fault.
pub fn erase_naming(sql: Sql<'_>, named: UserId) -> Result<(), Error> {
    sql.execute(
        "update keys set answer = x'', group_id = null, followed_id = null, answer_outside = null
           where user_id <> ?1 and (instr(answer, ?2) > 0 or instr(answer, ?3) > 0)",
        (named, codec::encode(&named)?, mentions::begin(named).as_bytes()),
    )?;
    Ok(())
}

/// Returns whether this key was used for this request before.
///
/// # Errors
/// A database fault.
pub fn knows_key(sql: Sql<'_>, key: &KeyUse) -> Result<bool, Error> {
    let known = sql.value(
        "select exists (select 1 from keys where user_id = ?1 and key = ?2 and body_hash = ?3)",
        (key.user_id, key.key, key.body_hash),
    )?;
    Ok(known)
}

/// Returns whether a user has a right now. The writer asks this before it repeats a reply.
///
/// # Errors
/// A database fault.
pub fn has_right(sql: Sql<'_>, user_id: UserId, right: Right) -> Result<bool, Error> {
    match right {
        Right::Membership(group_id) => is_member_of(sql, group_id, user_id),
        Right::Following(creator_id) => {
            let has = concat!("select ?1 = ?2 or ", authz::sql::is_followed!("?1", "?2"));
            Ok(sql.value(has, (user_id, creator_id))?)
        }
        // A stored reply that names a user is erased when its reader may no longer meet that user ([`erase`]).
        Right::Meeting => Ok(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::hex;
    use crate::testing::database::{ANA, BEN, CLEO, TestDatabase, with_database};

    /// Stores a key of a user with this reply.
    fn store_reply(db: &TestDatabase, user_id: UserId, number: u8, reply: &[u8]) {
        db.execute(&format!(
            "insert into keys (user_id, key, body_hash, answer, made_at_ms)
               values ({}, x'{}', zeroblob(16), x'{}', 0)",
            user_id.0,
            hex(&[number; 16]),
            hex(reply)
        ))
        .unwrap();
    }

    /// Returns the keys whose reply is not erased.
    fn unerased(connection: &rusqlite::Connection) -> Vec<u8> {
        let mut select = connection.prepare("select key from keys where answer <> x'' order by key").unwrap();
        let keys = select.query_map((), |row| row.get::<_, [u8; 16]>(0)).unwrap();
        keys.map(|key| key.unwrap()[0]).collect()
    }

    #[test]
    fn the_replies_that_name_a_user_are_erased_and_their_keys_stay() {
        with_database(|db| async move {
            let bens_id = codec::encode(&BEN).unwrap();
            store_reply(&db, ANA, 1, &bens_id);
            store_reply(&db, ANA, 2, &codec::encode(&CLEO).unwrap());
            store_reply(&db, CLEO, 3, &bens_id);
            store_reply(&db, BEN, 4, &bens_id);
            store_reply(&db, CLEO, 5, format!("hello {}Ben", mentions::begin(BEN)).as_bytes());
            let connection = db.connection();
            erase(Sql::new(&connection), ANA, &bens_id).unwrap();
            assert_eq!(unerased(&connection), [2, 3, 4, 5], "of Ana, one");
            erase_naming(Sql::new(&connection), BEN).unwrap();
            assert_eq!(unerased(&connection), [2, 4], "of all but Ben");
            assert_eq!(db.number("select count(*) from keys").await, 5);
        });
    }
}
