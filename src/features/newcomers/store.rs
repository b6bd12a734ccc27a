//! The SQL of dismissals. [`steps`] notes the steps that other features see done.

pub mod steps;

use super::wire::{Dismissed, What};
use crate::authz::sql::may_meet;
use crate::db::command::{KeyUse, Transaction, WriteCommand, keyed};
use crate::error::Error;
use crate::features::account::wire as account;
use crate::features::events::Event;
use crate::ids::UserId;
use crate::model::me::me;

/// Dismisses the first steps, or the offer to follow the inviter.
pub struct Dismiss {
    pub key: KeyUse,
    pub user_id: UserId,
    pub what: What,
}

impl WriteCommand for Dismiss {
    type Event = Event;
    type Value = Dismissed;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Dismissed, Error> {
        let sql = transaction.sql;
        let dismiss = match self.what {
            What::Steps => "update newcomers set is_dismissed = 1 where user_id = ?1 and is_dismissed = 0",
            // The offer of an inviter whom the user may not meet is not shown, and stays.
            What::Inviter => concat!(
                "update newcomers set inviter_id = null where user_id = ?1 and inviter_id is not null and ",
                may_meet!("inviter_id", "?1")
            ),
        };
        if sql.execute(dismiss, (self.user_id,))? > 0 {
            transaction.publish(Event::AccountChanged(account::Changed::of(me(sql, self.user_id)?)));
        } else {
            transaction.changes_nothing();
        }
        Ok(Dismissed { seq: transaction.seq() })
    }
}
