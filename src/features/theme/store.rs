//! The SQL of the daily theme.

use std::sync::Arc;

use bytes::Bytes;

use super::desk::Desk;
use super::rules::Words;
use super::wire::{Changed, Theme};
use crate::db::command::{Transaction, WriteCommand};
use crate::db::sql::{Sql, from_row};
use crate::error::{Error, Refusal};
use crate::features::Event;
use crate::limits::THEME_DAYS_KEPT;
use crate::zones;

from_row!(Theme { day, title, description, tag });

/// Returns the theme of a day: what the host set for it, or else the rotation's.
///
/// # Errors
/// A database fault.
pub fn of_day(sql: Sql<'_>, desk: &Desk, day: &str) -> Result<Option<Theme>, Error> {
    Ok(set_for(sql, day)?.or_else(|| desk.of_day(day)))
}

/// Returns the theme that the host set for a day.
///
/// # Errors
/// A database fault.
pub fn set_for(sql: Sql<'_>, day: &str) -> Result<Option<Theme>, Error> {
    Ok(sql.optional_row("select day, title, description, tag from themes where day = ?1", (day,))?)
}

/// Sets the theme of a day; when that is today, everybody is told.
pub struct Set {
    pub desk: Arc<Desk>,
    /// None: whichever day it is when this is done. The answer is which.
    pub day: Option<String>,
    pub words: Words,
}

impl WriteCommand for Set {
    type Event = Event;

    fn weight_bytes(&self) -> usize {
        256 + self.words.title.len() + self.words.description.len() + self.words.tag.len()
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Bytes, Error> {
        let sql = transaction.sql;
        let today = self.desk.day_of(transaction.now_ms);
        let day = self.day.clone().unwrap_or_else(|| today.clone());
        let before = of_day(sql, &self.desk, &day)?;
        sql.execute(
            "insert into themes (day, title, description, tag) values (?1, ?2, ?3, ?4)
             on conflict (day) do update
             set title = excluded.title, description = excluded.description, tag = excluded.tag",
            (&day, &self.words.title, &self.words.description, &self.words.tag),
        )?;
        let kept_from = zones::days_after(&today, -THEME_DAYS_KEPT);
        sql.execute("delete from themes where day < ?1", (kept_from,))?;
        if day == today {
            publish(transaction, &self.desk, &day, before)?;
        }
        Ok(Bytes::from(day))
    }
}

/// Takes away what was set for a day: it has the rotation's theme again.
pub struct Clear {
    pub desk: Arc<Desk>,
    pub day: String,
}

impl WriteCommand for Clear {
    type Event = Event;

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Bytes, Error> {
        let before = set_for(transaction.sql, &self.day)?.ok_or(Refusal::NotFound)?;
        transaction.sql.execute("delete from themes where day = ?1", (&self.day,))?;
        if self.day == self.desk.day_of(transaction.now_ms) {
            publish(transaction, &self.desk, &self.day, Some(before))?;
        }
        Ok(Bytes::new())
    }
}

/// Publishes the theme of a day, unless it is what it was.
fn publish(
    transaction: &mut Transaction<'_, Event>,
    desk: &Desk,
    day: &str,
    before: Option<Theme>,
) -> Result<(), Error> {
    let theme = of_day(transaction.sql, desk, day)?;
    if theme != before {
        transaction.publish(Event::ThemeChanged(Changed { theme }));
    }
    Ok(())
}

/// It is midnight: publishes the new day's theme. The answer is which day it is.
pub struct Turn {
    pub desk: Arc<Desk>,
    /// The day that was, whose theme everybody has.
    pub day: String,
}

impl WriteCommand for Turn {
    type Event = Event;

    fn is_housekeeping(&self) -> bool {
        true
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Bytes, Error> {
        let today = self.desk.day_of(transaction.now_ms);
        let before = of_day(transaction.sql, &self.desk, &self.day)?;
        publish(transaction, &self.desk, &today, before)?;
        Ok(Bytes::from(today))
    }
}
