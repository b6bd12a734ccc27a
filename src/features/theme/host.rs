//! Commands of the host for themes.

use serde::{Deserialize, Serialize};

use super::rules::{Day, ThemeText};
use super::store::{self, Clear, Set};
use crate::db::readers::Snapshot;
use crate::error::Refusal;
use crate::features::admin_log::store::Actor;
use crate::features::context::{HostContext, sentence};
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
    /// Checks a command, without regard to the day.
    ///
    /// # Errors
    /// One sentence that describes the error.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Set { title, description, tag } => ThemeText::parse(title, description, tag).map(drop),
            Self::Schedule { day, title, description, tag } => {
                Day::parse(day)?;
                ThemeText::parse(title, description, tag).map(drop)
            }
            Self::Clear { day } => Day::parse(day).map(drop),
            Self::Show { days } if (1..=THEME_DAYS_SHOWN_MAX).contains(days) => Ok(()),
            Self::Show { days } => Err(format!(
                "{days} days cannot be shown: it takes a whole number from 1 to {THEME_DAYS_SHOWN_MAX}"
            )),
        }
    }

    /// Executes the command. Returns the text for the host.
    ///
    /// # Errors
    /// One line that says why nothing was done.
    pub async fn execute(self, context: HostContext<'_>) -> Result<String, String> {
        self.check()?;
        let theme_service = context.theme;
        let today = theme_service.day_of(context.clock.now_ms());
        match self {
            Self::Set { title, description, tag } => {
                let words = ThemeText::parse(&title, &description, &tag)?;
                set(context, None, words).await
            }
            Self::Schedule { day, title, description, tag } => {
                let words = ThemeText::parse(&title, &description, &tag)?;
                let day = Day::parse(&day)?.from(&today)?;
                set(context, Some(day), words).await
            }
            Self::Clear { day } => {
                let day = Day::parse(&day)?.from(&today)?;
                let (theme_service, day_to_clear) = (theme_service.clone(), day.clone());
                let actor = Actor::CommandLine;
                let clear = Clear { key: None, actor, theme_service, day: day_to_clear };
                match context.submit(clear).await {
                    Ok(_) => {}
                    Err(Refusal::NotFound) => return Err(format!("no theme was set for {day}")),
                    Err(refusal) => return Err(sentence(&refusal)),
                }
                let theme =
                    context.theme.of_day(&day).map_or("none".into(), |theme| format!("\"{}\"", theme.title));
                Ok(format!("The theme of {day} is the rotation's again: {theme}.\n"))
            }
            Self::Show { days } => show(context, today, days).await,
        }
    }
}

async fn set(context: HostContext<'_>, day: Option<String>, words: ThemeText) -> Result<String, String> {
    let theme_service = context.theme;
    let title = words.title.clone();
    let is_today = day.is_none();
    let actor = Actor::CommandLine;
    let set = Set { key: None, actor, theme_service: theme_service.clone(), day, words };
    let set = context.write(set).await?.value.ok_or_else(|| sentence(&Refusal::Fault))?;
    let when = if is_today { "today, " } else { "" };
    Ok(format!("The theme of {when}{} ({}) is \"{title}\".\n", set.day, theme_service.zone_name()))
}

async fn show(context: HostContext<'_>, today: String, days: i64) -> Result<String, String> {
    let theme_service = context.theme.clone();
    let read = move |Snapshot { sql, .. }: Snapshot<'_>| {
        let mut text = format!("Today is {today} by the clock of {}.\n", theme_service.zone_name());
        for day in (0..days).map_while(|ahead| zones::days_after(&today, ahead)) {
            let set = store::set_for(sql, &day)?;
            let whose = if set.is_some() { "set" } else { "rotation" };
            let theme = set.or_else(|| theme_service.of_day(&day));
            text += &theme.map_or(format!("\n{day}  no theme\n"), |theme| {
                format!("\n{day}  {}  #{}  ({whose})\n    {}\n", theme.title, theme.tag, theme.description)
            });
        }
        Ok(text)
    };
    context.read(read).await
}
