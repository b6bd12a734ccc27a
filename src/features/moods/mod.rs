//! Moods. A user shares how they feel, up to twice a day.
//!
//! Guarantees:
//! - A user shares one mood in the morning and one in the evening of their own day. The server decides which slot it
//!   is, from its clock and the time zone in the request. A mood cannot be changed.
//! - A mood is visible to the current followers of its owner, and ends for everyone at its owner's midnight.
//! - After a day ends, only the fact that a mood was shared is kept, for two days. The mood itself is deleted. The time
//!   zone is not stored.

pub mod rules;
pub mod store;
pub mod wire;

use crate::db::readers::Snapshot;
use crate::error::Error;
use crate::events::{Effects, Recipients};
use crate::features::context::{App, RequestContext};
use crate::features::events::{Publication, Publish};
use crate::reply::Reply;
use wire::{Changed, Request, Slot};

/// Publishes a mood to its owner and their followers, until its owner's midnight.
impl Publish for Changed {
    fn publication(&self) -> Publication {
        let effects = Effects { until_ms: Some(self.mood.expires_at_ms), ..Effects::default() };
        (Recipients::users_and(self.recipients.clone(), []), effects)
    }
}

/// Handles a request about moods.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let user_id = context.user()?;
    match request {
        Request::Today(today) => {
            let said = rules::Said { name: &today.zone, offset_minutes: today.offset_minutes };
            let zone = said.zone(&context.app.settings.site_timezone);
            let now_ms = context.now_ms();
            context
                .read(move |Snapshot { sql, seq }| {
                    let listed = store::today(sql, user_id, &zone, now_ms, seq)?;
                    Reply::read(&listed, seq)
                })
                .await
        }
        Request::Set(set) => {
            let mood = rules::parse_mood(&set.mood)?;
            let said = rules::Said { name: &set.zone, offset_minutes: set.offset_minutes };
            let (zone, key_part) = (said.zone(&context.app.settings.site_timezone), said.key_part());
            let parts = [set.slot.word().as_bytes(), mood.as_bytes(), key_part.as_bytes()];
            let key = set.key.used_by(user_id, "moods.set", &parts);
            context.write(store::Set { key, user_id, slot: set.slot, mood, zone }).await
        }
    }
}

/// Deletes moods that have ended.
///
/// # Errors
/// A fault, or a busy writer. The remaining moods are deleted later.
pub async fn delete_past(app: &App) -> Result<(), Error> {
    let now_ms = app.clock.now_ms();
    // A reader checks first, because a commit that changes nothing still waits for the disk.
    while app.readers.read(move |Snapshot { sql, .. }| store::is_due(sql, now_ms)).await? {
        app.writer.submit(store::Purge { now_ms }).await?;
    }
    Ok(())
}
