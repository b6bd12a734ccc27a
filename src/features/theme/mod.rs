//! About the daily theme: one for all, by the day of the site's clock.
//!
//! Promises:
//! - Every day has one, unless the host wants none: what the host set for it, or else the rotation's, found by
//!   the day's number, so that a restart changes nothing.
//! - It changes for everybody who is here at the site's midnight, and when the host sets today's.
//! - Guests read it from the page itself; no socket is opened for it.

pub mod desk;
pub mod host;
pub mod rules;
pub mod store;
pub mod wire;

use super::kit::{Answer, App, Ask, Publication};
use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::events::{Effects, Recipients};
use wire::{Request, Theme, Today};

/// Returns who is told of another theme: everybody who is here.
#[must_use]
pub fn changed_publication() -> Publication {
    (Recipients::SignedIn, Effects::default())
}

/// Answers what is asked.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    ask.user()?;
    match request {
        Request::Get(_) => {
            let (theme, clock) = (ask.app.theme.clone(), ask.app.clock.clone());
            ask.read(move |Snapshot { sql, seq }| {
                // The time after the snapshot: a midnight that it has in it has then struck here, too.
                let theme = store::of_day(sql, &theme, &theme.day_of(clock.now_ms()))?;
                Answer::read(&Today { theme, seq }, seq)
            })
            .await
        }
    }
}

/// Returns what is made of today's theme by `make`; made once for each theme, and kept.
///
/// # Errors
/// [`Refusal::Busy`]; a database fault.
pub async fn shown<F>(app: &App, make: F) -> Result<bytes::Bytes, Error>
where
    F: FnOnce(Option<&Theme>) -> bytes::Bytes,
{
    let (desk, now_ms) = (&app.theme, app.clock.now_ms());
    if let Some(kept) = desk.kept(now_ms) {
        return Ok(kept);
    }
    let version = desk.version();
    let read_desk = desk.clone();
    let read =
        move |Snapshot { sql, .. }: Snapshot<'_>| store::of_day(sql, &read_desk, &read_desk.day_of(now_ms));
    let theme = app.readers.read(read).await?;
    let made = make(theme.as_ref());
    desk.keep(now_ms, version, made.clone());
    Ok(made)
}

/// Tells everybody of the day's theme, if the day is another than `day`; returns which day it is.
///
/// # Errors
/// What keeps the writer from it: it is to be tried again.
pub async fn turn(app: &App, day: &str) -> Result<String, Refusal> {
    if app.theme.day_of(app.clock.now_ms()) == day {
        return Ok(day.into());
    }
    let turn = store::Turn { desk: app.theme.clone(), day: day.into() };
    let today = app.writer.submit(Box::new(turn)).await?.ok;
    String::from_utf8(today.into()).map_err(|_| Refusal::Fault)
}
