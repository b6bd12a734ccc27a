//! The daily theme. It is the same for all users, and changes with the day in the site's time zone.
//!
//! Guarantees:
//! - Every day has a theme, unless the host wants none. It is the theme that the host set for the day, or else one of
//!   the rotation. The number of the day chooses the theme of the rotation, so a restart changes nothing.
//! - A new theme is published to all signed-in connections at the site's midnight, and when the host sets today's
//!   theme.
//! - Only admins see the themes of coming days.
//! - Guests read the theme from the page itself, without a socket.

pub mod host;
pub mod rules;
pub mod service;
pub mod store;
pub mod wire;

use crate::db::readers::Snapshot;
use crate::error::{Error, Field, Refusal};
use crate::events::{Effects, Recipients};
use crate::features::admin_log::store::{self as admin_log, Actor};
use crate::features::context::{App, RequestContext};
use crate::features::events::{Publication, Publish};
use crate::reply::Reply;
use crate::sentence::Sentence;
use rules::{Day, ThemeText};
use wire::{Changed, Days, Request, Theme, Today};

const DAY_OVER: Sentence = Sentence::new("theme_day_over", "This day is over, or too far away.");

/// Publishes a theme to all signed-in connections.
impl Publish for Changed {
    fn publication(&self) -> Publication {
        (Recipients::signed_in(), Effects::default())
    }
}

/// Handles a request about the theme.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let user_id = context.user()?;
    let actor = Actor::Admin(user_id);
    let (theme_service, now_ms) = (context.app.theme.clone(), context.now_ms());
    match request {
        Request::Get(_) => {
            let (theme, clock) = (context.app.theme.clone(), context.app.clock.clone());
            context
                .read(move |Snapshot { sql, seq }| {
                    // The clock is read after the snapshot is taken. If the snapshot includes the theme of a new day,
                    // the clock then shows that day.
                    let theme = store::of_day(sql, &theme, &theme.day_of(clock.now_ms()))?;
                    Reply::read(&Today { theme, seq }, seq)
                })
                .await
        }
        Request::Schedule(_) => {
            context
                .read(move |Snapshot { sql, seq }| {
                    admin_log::require(sql, actor)?;
                    let days = store::schedule(sql, &theme_service, &theme_service.day_of(now_ms))?;
                    Reply::read(&Days { days, seq }, seq)
                })
                .await
        }
        Request::Set(set) => {
            // For everybody but admins the refusal is `not_found`, even if the texts are invalid.
            context.read(move |Snapshot { sql, .. }| admin_log::require(sql, actor)).await?;
            let wire::Set { key, day, title, description, tag } = set;
            let parts = [&day, &title, &description, &tag].map(|part| part.as_bytes());
            let key = Some(key.used_by(user_id, "theme.set", &parts));
            let words = ThemeText::sent(&title, &description, &tag)?;
            let today = theme_service.day_of(now_ms);
            let day = Day::parse(&day).and_then(|day| day.from(&today));
            let day = day.map_err(|_| Refusal::Invalid(Field::DAY, DAY_OVER))?;
            context.write(store::Set { key, actor, theme_service, day: Some(day), words }).await
        }
        Request::Clear(clear) => {
            let key = Some(clear.key.used_by(user_id, "theme.clear", &[clear.day.as_bytes()]));
            context.write(store::Clear { key, actor, theme_service, day: clear.day }).await
        }
    }
}

/// Returns the result of `make` for today's theme. The result is cached until the theme changes.
///
/// # Errors
/// [`Refusal::Busy`]; a database fault.
pub async fn shown<F>(app: &App, make: F) -> Result<bytes::Bytes, Error>
where
    F: FnOnce(Option<&Theme>) -> bytes::Bytes,
{
    let (theme_service, now_ms) = (&app.theme, app.clock.now_ms());
    if let Some(cached) = theme_service.cached(now_ms) {
        return Ok(cached);
    }
    let version = theme_service.version();
    let reading = theme_service.clone();
    let read =
        move |Snapshot { sql, .. }: Snapshot<'_>| store::of_day(sql, &reading, &reading.day_of(now_ms));
    let theme = app.readers.read(read).await?;
    let made = make(theme.as_ref());
    theme_service.keep(now_ms, version, made.clone());
    Ok(made)
}

/// Publishes today's theme when the server starts, because a midnight may have passed since it stopped. Returns today.
///
/// # Errors
/// The refusal of the writer.
pub async fn publish_at_start(app: &App) -> Result<String, Refusal> {
    submit(app, None).await
}

/// Publishes today's theme if today is not `day`. Returns today.
///
/// # Errors
/// The refusal of the writer. The caller tries again.
pub async fn publish_if_changed(app: &App, day: &str) -> Result<String, Refusal> {
    if app.theme.day_of(app.clock.now_ms()) == day {
        return Ok(day.into());
    }
    submit(app, Some(day.into())).await
}

async fn submit(app: &App, day: Option<String>) -> Result<String, Refusal> {
    let turn = store::PublishDay { theme_service: app.theme.clone(), day };
    app.writer.submit(turn).await?.value.ok_or(Refusal::Fault)
}
