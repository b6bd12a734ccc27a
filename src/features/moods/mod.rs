//! Moods: twice a day, how somebody is.
//!
//! Promises:
//! - One in the morning and one in the evening of its owner's own day; which it is, the server says, by its own
//!   clock and the zone that each request names. It cannot be changed.
//! - It is for who follows its owner, as of now, and is over at its owner's midnight for everybody, wherever they are.
//! - Nothing is kept of a day that is over but, for two days, that something was shared: never what. The zone
//!   that somebody names is kept nowhere.

pub mod rules;
pub mod store;
pub mod wire;

use super::kit::{Answer, App, Ask, Publication};
use crate::db::readers::Snapshot;
use crate::error::Error;
use crate::events::{Effects, Recipients};
use wire::{Changed, Request, Slot};

/// Returns who receives a mood, and what it does: its owner and who follows them.
#[must_use]
pub fn changed_publication(changed: &Changed) -> Publication {
    let effects = Effects { is_transient: true, ..Effects::default() };
    (Recipients::users_and(changed.recipients.clone(), []), effects)
}

/// Answers what is asked about moods.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let user_id = ask.user()?;
    match request {
        Request::Today(today) => {
            let zone = rules::parse_zone(&today.zone)?;
            let now_ms = ask.now_ms();
            ask.read(move |Snapshot { sql, seq }| {
                let listed = store::today(sql, user_id, &zone, now_ms, seq)?;
                Answer::read(&listed, seq)
            })
            .await
        }
        Request::Set(set) => {
            let (mood, zone) = (rules::parse_mood(&set.mood)?, rules::parse_zone(&set.zone)?);
            let parts = [set.slot.word().as_bytes(), mood.as_bytes(), set.zone.as_bytes()];
            let key = set.key.used_by(user_id, "moods.set", &parts);
            ask.write(store::Set { key, user_id, slot: set.slot, mood, zone }).await
        }
    }
}

/// Puts away what is over.
///
/// # Errors
/// A fault, or a writer that has too much to do: what is left is put away later.
pub async fn put_away(app: &App) -> Result<(), Error> {
    let now_ms = app.clock.now_ms();
    // Asked of a reader first: a commit that changes nothing still waits for the disk.
    while app.readers.read(move |Snapshot { sql, .. }| store::is_due(sql, now_ms)).await? {
        app.writer.submit(Box::new(store::Purge { now_ms })).await?;
    }
    Ok(())
}
