//! What the host may do about themes, and what comes of it, in plain words.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::desk::Desk;
use super::rules::{Day, Words};
use super::store::{self, Clear, Set};
use crate::db::readers::{Readers, Snapshot};
use crate::db::writer::WriterHandle;
use crate::error::{Error, Refusal};
use crate::features::Event;
use crate::limits::THEME_DAYS_SHOWN_MAX;
use crate::zones;

/// One command of the host. Its day is `today`, `tomorrow`, or a day such as `2026-11-21`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    Set { title: String, description: String, tag: String },
    Schedule { day: String, title: String, description: String, tag: String },
    Clear { day: String },
    Show { days: i64 },
}

impl Command {
    /// Is it one that can be carried out, whatever day it is?
    ///
    /// # Errors
    /// What is wrong with it, in one sentence.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Set { title, description, tag } => Words::parse(title, description, tag).map(drop),
            Self::Schedule { day, title, description, tag } => {
                Day::parse(day)?;
                Words::parse(title, description, tag).map(drop)
            }
            Self::Clear { day } => Day::parse(day).map(drop),
            Self::Show { days } if (1..=THEME_DAYS_SHOWN_MAX).contains(days) => Ok(()),
            Self::Show { days } => Err(format!(
                "{days} days cannot be shown: it takes a whole number from 1 to {THEME_DAYS_SHOWN_MAX}"
            )),
        }
    }

    /// Carries it out; returns what to say to the host.
    ///
    /// # Errors
    /// One plain line: why nothing was done.
    pub async fn carry_out(
        self,
        desk: &Arc<Desk>,
        readers: &Readers,
        writer: &WriterHandle<Event>,
        now_ms: i64,
    ) -> Result<String, String> {
        self.check()?;
        let today = desk.day_of(now_ms);
        match self {
            Self::Set { title, description, tag } => {
                let words = Words::parse(&title, &description, &tag)?;
                set(desk, writer, None, words).await
            }
            Self::Schedule { day, title, description, tag } => {
                let words = Words::parse(&title, &description, &tag)?;
                let day = Day::parse(&day)?.from(&today)?;
                set(desk, writer, Some(day), words).await
            }
            Self::Clear { day } => {
                let day = Day::parse(&day)?.from(&today)?;
                let clear = Clear { desk: desk.clone(), day: day.clone() };
                match writer.submit(Box::new(clear)).await {
                    Ok(_) => {}
                    Err(Refusal::NotFound) => return Err(format!("no theme was set for {day}")),
                    Err(refusal) => return Err(in_words(&refusal)),
                }
                let theme = desk.of_day(&day).map_or("none".into(), |theme| format!("\"{}\"", theme.title));
                Ok(format!("The theme of {day} is the rotation's again: {theme}.\n"))
            }
            Self::Show { days } => {
                show(desk, readers, today, days).await.map_err(|why| in_words(&why.into_refusal()))
            }
        }
    }
}

async fn set(
    desk: &Arc<Desk>,
    writer: &WriterHandle<Event>,
    day: Option<String>,
    words: Words,
) -> Result<String, String> {
    let title = words.title.clone();
    let is_today = day.is_none();
    let set = Set { desk: desk.clone(), day, words };
    let day = writer.submit(Box::new(set)).await.map_err(|refusal| in_words(&refusal))?.ok;
    let day = String::from_utf8_lossy(&day);
    let when = if is_today { "today, " } else { "" };
    Ok(format!("The theme of {when}{day} ({}) is \"{title}\".\n", desk.zone_name()))
}

async fn show(desk: &Arc<Desk>, readers: &Readers, today: String, days: i64) -> Result<String, Error> {
    let desk = desk.clone();
    let read = move |Snapshot { sql, .. }: Snapshot<'_>| {
        let mut said = format!("Today is {today} by the clock of {}.\n", desk.zone_name());
        for day in (0..days).map_while(|ahead| zones::days_after(&today, ahead)) {
            let set = store::set_for(sql, &day)?;
            let whose = if set.is_some() { "set by you" } else { "rotation" };
            let theme = set.or_else(|| desk.of_day(&day));
            said += &theme.map_or(format!("\n{day}  no theme\n"), |theme| {
                format!("\n{day}  {}  #{}  ({whose})\n    {}\n", theme.title, theme.tag, theme.description)
            });
        }
        Ok(said)
    };
    readers.read(read).await
}

fn in_words(refusal: &Refusal) -> String {
    refusal.view().message.into_owned()
}
