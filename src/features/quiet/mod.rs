//! Quiet hours: a span of times in which Mellow says to its user of nothing that it is new.
//!
//! Guarantees:
//! - In the quiet hours of a user no frame to them says that a notification is unseen, that a report is open, or that a
//!   post or poll waits. Everything is stored as ever, and a page that is opened shows it.
//! - Only the server's clock decides when they last ([`rules`], [`service`]).
//! - What is sent instead of an event is decided in one place, [`in_quiet_hours`]; of an account,
//!   [`QuietService::hide`](service::QuietService::hide).
//! - At their end each connection receives its account, and its client reads again what it shows.
//! - Nobody else learns whether a user has quiet hours.
//!
//! Never here: a list of what was not sent.

pub mod rules;
pub mod service;
pub mod store;
pub mod wire;

use crate::error::{Error, Refusal};
use crate::features::account::wire::{self as account, Cause};
use crate::features::context::{App, RequestContext};
use crate::features::events::Event;
use crate::features::notifications::wire as notifications;
use crate::ids::UserId;
use crate::limits::QUIET_TURNS_AT_ONCE;
use crate::model::quiet::{QuietHours, Weekday};
use crate::reply::Reply;
use service::{QuietService, hide_dots};
use wire::Request;

/// What users in quiet hours receive of an event.
#[derive(Debug)]
pub enum InQuietHours {
    /// The same as everybody else.
    Same,
    /// Nothing. One user receives it nevertheless, because it is of their own doing.
    Nothing { but: Option<UserId> },
    /// Another event.
    Instead(Box<Event>),
}

/// Returns what users in quiet hours receive of an event.
#[must_use]
pub fn in_quiet_hours(event: &Event, service: &QuietService) -> InQuietHours {
    match event {
        // These wait behind a button, or make a dot. The client reads them at the end.
        Event::PostCreated(created) => InQuietHours::Nothing { but: Some(created.post.author_id) },
        Event::PollCreated(created) => InQuietHours::Nothing { but: Some(created.poll.creator_id) },
        Event::NotificationCreated(_) => InQuietHours::Nothing { but: None },
        // An open list loses the item. It does not say whether another one is unseen.
        Event::NotificationsDeleted(notifications::Deleted { notification_ids, user_id, .. }) => {
            let notification_ids = notification_ids.clone();
            let deleted = notifications::Deleted { notification_ids, has_unread: false, user_id: *user_id };
            InQuietHours::Instead(Box::new(Event::NotificationsDeleted(deleted)))
        }
        // The account would be the same as before, so the event itself would say that a report waits.
        Event::AccountChanged(account::Changed { cause: Cause::Reports, .. }) => {
            InQuietHours::Nothing { but: None }
        }
        Event::AccountChanged(account::Changed { me, cause }) => {
            let mut me = me.clone();
            service.hide(&mut me);
            hide_dots(&mut me);
            let changed = account::Changed { me, cause: *cause };
            InQuietHours::Instead(Box::new(Event::AccountChanged(changed)))
        }
        _ => InQuietHours::Same,
    }
}

/// Handles a request about quiet hours.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let (user_id, app) = (context.user()?, context.app);
    let Request::Set(wire::Set { key, on, from, to, days, zone }) = request;
    let sent = QuietHours { on, from, to, days, zone };
    let quiet_hours = rules::parse(sent, &app.settings.site_timezone)?;
    let QuietHours { on, from, to, days, zone } = &quiet_hours;
    let bits = Weekday::bits(days).to_be_bytes();
    let parts: [&[u8]; 5] = [&[u8::from(*on)], from.as_bytes(), to.as_bytes(), &bits, zone.as_bytes()];
    let key = key.used_by(user_id, "quiet.set", &parts);
    context.write_limited(&app.rate_limiters.profiles, store::Set { key, user_id, quiet_hours }).await
}

/// Begins and ends the quiet hours for which it is time, and publishes that to the connections of their users.
///
/// # Errors
/// The refusal of the writer. The next call publishes what was not published.
pub async fn turn(app: &App) -> Result<(), Refusal> {
    let turned = app.quiet.turn(app.clock.now_ms());
    // Many have the same hours. Between two writes other users get their turn.
    for some in turned.chunks(QUIET_TURNS_AT_ONCE) {
        let users = some.iter().map(|user_id| (*user_id, app.groups.is_connected(*user_id))).collect();
        let deleted = app.writer.submit(store::Turn { users }).await?.value.unwrap_or_default();
        app.quiet.published(some, &deleted);
    }
    Ok(())
}
