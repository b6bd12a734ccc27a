//! The SQL of log-ins with a passkey, and of links about passkeys.

use super::{NewLogin, begin_login, is_device_known};
use crate::db::command::{Transaction, WriteCommand};
use crate::db::sql::Sql;
use crate::error::Error;
use crate::features::events::Event;
use crate::features::passkeys::store::Proof;

/// Adds a login to the account of a passkey that was used.
pub struct LogInWithPasskey {
    pub proof: Proof,
    pub login: NewLogin,
    /// The hash of the device's cookie; None if it has none.
    pub device_hash: Option<[u8; 32]>,
}

impl WriteCommand for LogInWithPasskey {
    type Event = Event;
    type Value = ();

    fn weight_bytes(&self) -> usize {
        512 + self.proof.before.len() + self.proof.after.len()
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
        let user_id = self.proof.user_id;
        self.proof.note(transaction)?;
        let is_known = match &self.device_hash {
            Some(hash) => is_device_known(transaction.sql, hash, user_id, transaction.now_ms)?,
            None => false,
        };
        begin_login(transaction, user_id, &self.login, is_known)
    }
}

/// Returns how many passkeys the account has whose password this link sets; None if the link does not work.
///
/// # Errors
/// A database fault.
pub fn count_by_link(sql: Sql<'_>, token_hash: &[u8; 32], now_ms: i64) -> Result<Option<u32>, Error> {
    let count = sql.optional_value(
        "select (select count(*) from passkeys p where p.user_id = l.user_id) from links l
          where l.token_hash = ?1 and l.purpose = 'reset' and l.expires_at_ms > ?2",
        (token_hash, now_ms),
    )?;
    Ok(count)
}
