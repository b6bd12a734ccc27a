//! The SQL of the daily theme.

use std::sync::Arc;

use serde::Serialize;

use super::rules::ThemeText;
use super::service::ThemeService;
use super::wire::{Changed, Planned, Theme};
use crate::db::command::{KeyUse, Transaction, WriteCommand, keyed};
use crate::db::sql::{Sql, from_row};
use crate::error::{Error, Refusal};
use crate::features::admin::wire::Act;
use crate::features::admin_log::store::{self as admin_log, Actor};
use crate::features::events::Event;
use crate::ids::Seq;
use crate::limits::{THEME_DAYS_KEPT, THEME_SCHEDULE_DAYS};
use crate::model::tags::Tag;
use crate::reply::Done;
use crate::zones;

from_row!(Theme { day, title, description, tag, own });

/// Returns the theme of a day: the one that the host set, or else that of the rotation.
///
/// # Errors
/// A database fault.
pub fn of_day(sql: Sql<'_>, theme_service: &ThemeService, day: &str) -> Result<Option<Theme>, Error> {
    Ok(set_for(sql, day)?.or_else(|| theme_service.of_day(day)))
}

/// Returns the theme that the host set for a day.
///
/// # Errors
/// A database fault.
pub fn set_for(sql: Sql<'_>, day: &str) -> Result<Option<Theme>, Error> {
    Ok(sql.optional_row(
        "select day, title, description, tag, null as own from themes where day = ?1",
        (day,),
    )?)
}

/// Returns the themes of the days from `today` on.
///
/// # Errors
/// A database fault.
pub fn schedule(sql: Sql<'_>, theme_service: &ThemeService, today: &str) -> Result<Vec<Planned>, Error> {
    let planned = |day: String| {
        let set = set_for(sql, &day)?;
        let is_set = set.is_some();
        Ok(Planned { theme: set.or_else(|| theme_service.of_day(&day)), day, is_set })
    };
    (0..THEME_SCHEDULE_DAYS).map_while(|ahead| zones::days_after(today, ahead)).map(planned).collect()
}

/// Sets the theme of a day. Today's theme is published.
pub struct Set {
    pub key: Option<KeyUse>,
    pub actor: Actor,
    pub theme_service: Arc<ThemeService>,
    /// None for the day of the commit.
    pub day: Option<String>,
    pub words: ThemeText,
}

/// The reply to [`Set`]. A client gets the number of the write; a command of the host reads the day too.
#[derive(Debug, Serialize)]
pub struct DaySet {
    pub seq: Seq,
    #[serde(skip)]
    pub day: String,
}

impl WriteCommand for Set {
    type Event = Event;
    type Value = DaySet;

    keyed!(optional);

    fn weight_bytes(&self) -> usize {
        256 + self.words.title.len() + self.words.description.len() + self.words.tag.len()
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<DaySet, Error> {
        let sql = transaction.sql;
        admin_log::require(sql, self.actor)?;
        let today = self.theme_service.day_of(transaction.now_ms);
        let day = self.day.clone().unwrap_or_else(|| today.clone());
        let before = of_day(sql, &self.theme_service, &day)?;
        sql.execute(
            "insert into themes (day, title, description, tag) values (?1, ?2, ?3, ?4)
             on conflict (day) do update
             set title = excluded.title, description = excluded.description, tag = excluded.tag",
            (&day, &self.words.title, &self.words.description, &self.words.tag),
        )?;
        let kept_from = zones::days_after(&today, -THEME_DAYS_KEPT);
        sql.execute("delete from themes where day < ?1", (kept_from,))?;
        if day == today {
            publish(transaction, &self.theme_service, &day, before)?;
        }
        admin_log::log(transaction, self.actor, Act::ThemeSet, None)?;
        Ok(DaySet { seq: transaction.seq(), day })
    }
}

/// Deletes the theme that was set for a day. The day then has the theme of the rotation again.
pub struct Clear {
    pub key: Option<KeyUse>,
    pub actor: Actor,
    pub theme_service: Arc<ThemeService>,
    pub day: String,
}

impl WriteCommand for Clear {
    type Event = Event;
    type Value = Done;

    keyed!(optional);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        admin_log::require(transaction.sql, self.actor)?;
        let before = set_for(transaction.sql, &self.day)?.ok_or(Refusal::NotFound)?;
        transaction.sql.execute("delete from themes where day = ?1", (&self.day,))?;
        if self.day == self.theme_service.day_of(transaction.now_ms) {
            publish(transaction, &self.theme_service, &self.day, Some(before))?;
        }
        admin_log::log(transaction, self.actor, Act::ThemeCleared, None)?;
        Ok(Done { seq: transaction.seq() })
    }
}

/// Publishes the theme of a day, unless it is unchanged.
fn publish(
    transaction: &mut Transaction<'_, Event>,
    theme_service: &ThemeService,
    day: &str,
    before: Option<Theme>,
) -> Result<(), Error> {
    let theme = of_day(transaction.sql, theme_service, day)?;
    if theme != before {
        transaction.publish(Event::ThemeChanged(Changed { theme }));
    }
    Ok(())
}

/// Publishes the theme of today, at midnight and at the start of the server. Returns today.
pub struct PublishDay {
    pub theme_service: Arc<ThemeService>,
    /// The day whose theme was published last; None if that is not known.
    pub day: Option<String>,
}

impl WriteCommand for PublishDay {
    type Event = Event;
    type Value = String;

    fn is_housekeeping(&self) -> bool {
        true
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<String, Error> {
        let today = self.theme_service.day_of(transaction.now_ms);
        match &self.day {
            Some(day) => {
                let before = of_day(transaction.sql, &self.theme_service, day)?;
                publish(transaction, &self.theme_service, &today, before)?;
            }
            None => {
                let theme = of_day(transaction.sql, &self.theme_service, &today)?;
                transaction.publish(Event::ThemeChanged(Changed { theme }));
            }
        }
        Ok(today)
    }
}

/// A day, and the tag of its theme in the rotation.
#[derive(Clone, Debug, Default)]
pub struct ThemeDay {
    pub day: String,
    /// The tag in the rotation. It counts only if the host set no theme for the day.
    pub rotation_tag: Option<String>,
}

/// Returns whether a tag is that of the theme of a day.
///
/// # Errors
/// A database fault.
pub fn is_theme_tag(sql: Sql<'_>, tag: &Tag, theme: &ThemeDay) -> Result<bool, Error> {
    let set: Option<String> = sql.optional_value("select tag from themes where day = ?1", (&theme.day,))?;
    let theme = set.or_else(|| theme.rotation_tag.clone());
    let theme = theme.and_then(|tag| Tag::parse(&tag).ok().flatten());
    Ok(theme.is_some_and(|theme| theme.key == tag.key))
}
