//! The SQL of the daily theme.

use std::sync::Arc;

use bytes::Bytes;
use sqlx::SqliteConnection;

use super::desk::Desk;
use super::rules::Words;
use super::wire::{Changed, Theme};
use crate::db::work::{Pending, Stage, Work};
use crate::error::{Error, Refusal};
use crate::features::Event;
use crate::limits::THEME_DAYS_KEPT;
use crate::zones;

/// Returns the theme of a day: what the host set for it, or else the rotation's.
///
/// # Errors
/// A database fault.
pub async fn of_day(
    connection: &mut SqliteConnection,
    desk: &Desk,
    day: &str,
) -> Result<Option<Theme>, Error> {
    Ok(set_for(connection, day).await?.or_else(|| desk.of_day(day)))
}

/// Returns the theme that the host set for a day.
///
/// # Errors
/// A database fault.
pub async fn set_for(connection: &mut SqliteConnection, day: &str) -> Result<Option<Theme>, Error> {
    let theme = sqlx::query_as("select day, title, description, tag from themes where day = ?1")
        .bind(day)
        .fetch_optional(connection)
        .await?;
    Ok(theme)
}

/// Sets the theme of a day; when that is today, everybody is told.
pub struct Set {
    pub desk: Arc<Desk>,
    /// None: whichever day it is when this is done. The answer is which.
    pub day: Option<String>,
    pub words: Words,
}

impl Work for Set {
    type Event = Event;

    fn weight_bytes(&self) -> usize {
        256 + self.words.title.len() + self.words.description.len() + self.words.tag.len()
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let today = self.desk.day_of(stage.now_ms);
            let day = self.day.clone().unwrap_or_else(|| today.clone());
            let before = of_day(stage.connection, &self.desk, &day).await?;
            sqlx::query(
                "insert into themes (day, title, description, tag) values (?1, ?2, ?3, ?4)
                 on conflict (day) do update
                 set title = excluded.title, description = excluded.description, tag = excluded.tag",
            )
            .bind(&day)
            .bind(&self.words.title)
            .bind(&self.words.description)
            .bind(&self.words.tag)
            .execute(&mut *stage.connection)
            .await?;
            let kept_from = zones::days_after(&today, -THEME_DAYS_KEPT);
            sqlx::query("delete from themes where day < ?1")
                .bind(kept_from)
                .execute(&mut *stage.connection)
                .await?;
            if day == today {
                tell_of(stage, &self.desk, &day, before).await?;
            }
            Ok(Bytes::from(day))
        })
    }
}

/// Takes away what was set for a day: it has the rotation's theme again.
pub struct Clear {
    pub desk: Arc<Desk>,
    pub day: String,
}

impl Work for Clear {
    type Event = Event;

    fn weight_bytes(&self) -> usize {
        128
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let before = set_for(stage.connection, &self.day).await?.ok_or(Refusal::NotFound)?;
            sqlx::query("delete from themes where day = ?1")
                .bind(&self.day)
                .execute(&mut *stage.connection)
                .await?;
            if self.day == self.desk.day_of(stage.now_ms) {
                tell_of(stage, &self.desk, &self.day, Some(before)).await?;
            }
            Ok(Bytes::new())
        })
    }
}

/// Tells of the theme of a day, unless it is what it was.
async fn tell_of(
    stage: &mut Stage<'_, Event>,
    desk: &Desk,
    day: &str,
    before: Option<Theme>,
) -> Result<(), Error> {
    let theme = of_day(stage.connection, desk, day).await?;
    if theme != before {
        stage.tell(Event::ThemeChanged(Changed { theme }));
    }
    Ok(())
}

/// It is midnight: tells of the new day's theme. The answer is which day it is.
pub struct Turn {
    pub desk: Arc<Desk>,
    /// The day that was, whose theme everybody has.
    pub day: String,
}

impl Work for Turn {
    type Event = Event;

    fn weight_bytes(&self) -> usize {
        128
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let today = self.desk.day_of(stage.now_ms);
            let before = of_day(stage.connection, &self.desk, &self.day).await?;
            tell_of(stage, &self.desk, &today, before).await?;
            Ok(Bytes::from(today))
        })
    }
}
