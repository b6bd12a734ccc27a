//! The SQL of making invitations and taking them back. [`invites`](crate::features::shared::invites) reads and uses them.

use bytes::Bytes;

use super::wire::Listed;
use crate::db::command::{KeyUse, Transaction, WriteCommand, keyed};
use crate::error::{Error, Field, Refusal, Sentence};
use crate::features::events::Event;
use crate::features::shared::first_steps::{self, Step};
use crate::features::shared::invites;
use crate::ids::UserId;
use crate::limits::INVITES_PER_USER;
use crate::wire::codec;

/// Makes an invitation.
pub struct Create {
    pub key: KeyUse,
    pub maker_id: UserId,
    pub code: String,
    /// None: it never ends.
    pub life_ms: Option<i64>,
    /// None: as often as one likes.
    pub uses_max: Option<i64>,
}

impl WriteCommand for Create {
    type Event = Event;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Bytes, Error> {
        let (sql, now_ms) = (transaction.sql, transaction.now_ms);
        // What has ended makes room.
        sql.execute("delete from invites where maker_id = ?1 and ends_at_ms <= ?2", (self.maker_id, now_ms))?;
        let count: i64 = sql.value("select count(*) from invites where maker_id = ?1", (self.maker_id,))?;
        if count >= INVITES_PER_USER {
            return Err(Refusal::Invalid(Field::Invites, Sentence::InvitesFull).into());
        }
        sql.execute(
            "insert into invites (code, maker_id, created_at_ms, ends_at_ms, uses_max) values (?1, ?2, ?3, ?4, ?5)",
            (&self.code, self.maker_id, now_ms, self.life_ms.map(|life_ms| now_ms + life_ms), self.uses_max),
        )?;
        first_steps::take(transaction, self.maker_id, Step::Invite)?;
        listed(transaction, self.maker_id)
    }
}

/// Takes an invitation back.
pub struct Revoke {
    pub key: KeyUse,
    pub maker_id: UserId,
    pub code: String,
}

impl WriteCommand for Revoke {
    type Event = Event;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Bytes, Error> {
        let revoked = transaction
            .sql
            .execute("delete from invites where code = ?1 and maker_id = ?2", (&self.code, self.maker_id))?;
        if revoked == 0 {
            return Err(Refusal::NotFound.into());
        }
        listed(transaction, self.maker_id)
    }
}

/// Publishes a user's invitations and returns them as the answer.
fn listed(transaction: &mut Transaction<'_, Event>, maker_id: UserId) -> Result<Bytes, Error> {
    let invites = invites::of(transaction.sql, maker_id, transaction.now_ms)?;
    transaction.publish(invites::changed(maker_id, invites.clone()));
    Ok(Bytes::from(codec::encode(&Listed { invites, seq: transaction.seq() })?))
}
