//! The SQL of what is put away.

use bytes::Bytes;

use super::wire::{Dismissed, What};
use crate::db::command::{Change, KeyUse, Transaction, WriteCommand, keyed};
use crate::error::Error;
use crate::features::events::Event;
use crate::features::shared::people;
use crate::ids::UserId;
use crate::wire::codec;

/// Puts something away.
pub struct Dismiss {
    pub key: KeyUse,
    pub user_id: UserId,
    pub what: What,
    pub change: Change,
}

impl WriteCommand for Dismiss {
    type Event = Event;

    keyed!();

    fn is_remembered(&self) -> bool {
        self.change.was_made()
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Bytes, Error> {
        let sql = transaction.sql;
        let dismiss = match self.what {
            What::Steps => "update newcomers set is_dismissed = 1 where user_id = ?1 and is_dismissed = 0",
            What::Inviter => {
                "update newcomers set inviter_id = null where user_id = ?1 and inviter_id is not null"
            }
        };
        if sql.execute(dismiss, (self.user_id,))? > 0 {
            self.change.set();
            transaction.publish(people::account_changed(sql, self.user_id)?);
        }
        Ok(Bytes::from(codec::encode(&Dismissed { seq: transaction.seq() })?))
    }
}
