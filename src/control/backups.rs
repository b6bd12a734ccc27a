//! The commands `backup`, `restore` and `check`: their arguments and their execution in this process. They never change
//! the data of a running server, and ask it for what only it knows.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches};

use super::call::ask;
use super::{Question, lacks};
use crate::backup::{Plan, check, make, remember_elsewhere, restore};
use crate::clock::Clock;
use crate::http::built_language;
use crate::languages::host as languages;
use crate::settings::Settings;

/// One of the commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    Backup {
        to: Option<PathBuf>,
        /// The settings that were typed as flags.
        typed: Vec<&'static str>,
    },
    Restore {
        backup: PathBuf,
    },
    Check,
}

/// The output of a command: lines for standard output, and a line for standard error if something is wrong.
#[derive(Debug, Default)]
pub struct Output {
    pub text: String,
    pub fault: Option<String>,
    /// One line for standard error, if the command succeeded but not completely.
    pub warning: Option<String>,
}

/// The page for hosts, where a package has it.
const PAGE: &str = "/usr/share/doc/mellow/operations.md";

/// The settings that are also flags of the commands. `restore` and `check` take only `data`.
pub const SETTINGS: [&str; 3] = ["data", "backups_kept", "disk_free_mib_min"];

/// Describes the commands; `settings` are their flags.
#[must_use]
pub fn commands(settings: &[Arg]) -> Vec<clap::Command> {
    const CODES: &str = "Exit codes: 0 done, 1 not done (one line says why), 2 wrong usage.";
    let about = |name: &'static str, about: &'static str, more: &str| {
        let command = clap::Command::new(name).about(about).after_help(format!("{more}{CODES}"));
        command.args(settings.iter().filter(|setting| name == "backup" || setting.get_id() == "data"))
    };
    let path = clap::value_parser!(PathBuf);
    vec![
        about(
            "backup",
            "Makes a backup of the data folder, also while Mellow runs, and prints its path",
            "Without --to the backup is put into backups/ in the data folder, where the newest backups_kept stay. A \
             running Mellow says its own backups_kept and disk_free_mib_min, unless they are typed here.\n\n",
        )
        .arg(
            Arg::new("to")
                .long("to")
                .value_name("FOLDER")
                .help("The folder to put it into, such as another disk's; every backup in it is kept")
                .value_parser(path.clone()),
        ),
        about(
            "restore",
            "Makes a data folder from a backup; --data names a new or empty folder",
            "All logins and all links of mails are ended. Everything else is as it was when the backup was made: \
             what was deleted, suspended or revoked since must be done again.\n\n",
        )
        .arg(
            Arg::new("backup")
                .value_name("BACKUP")
                .help("The folder of the backup, such as backups/mellow-20261122T074400Z")
                .required(true)
                .value_parser(path),
        ),
        about(
            "check",
            "Checks the database, the pictures, the newest backup and the files of languages, also while Mellow runs",
            "If all is well, it also lists what is missing before people on the internet join. That is no fault: the \
             exit code is 0.\n\n",
        ),
    ]
}

/// Returns the command that was typed; None for another command.
#[must_use]
pub fn read(name: &str, typed: &ArgMatches) -> Option<Command> {
    let path = |name: &str| typed.get_one::<PathBuf>(name).cloned();
    match name {
        "backup" => {
            let is_typed = |name: &&str| matches!(typed.try_get_one::<String>(name), Ok(Some(_)));
            let typed = SETTINGS.into_iter().filter(is_typed).collect();
            Some(Command::Backup { to: path("to"), typed })
        }
        "restore" => Some(Command::Restore { backup: path("backup").unwrap_or_default() }),
        "check" => Some(Command::Check),
        _ => None,
    }
}

impl Command {
    /// Executes the command.
    ///
    /// # Errors
    /// One line that says why nothing was done.
    pub async fn execute(self, settings: &Settings) -> Result<Output, String> {
        match self {
            Self::Backup { to, typed } => {
                let (mut settings, is_elsewhere) = (settings.clone(), to.is_some());
                // No backup is ever removed from a folder that the host named.
                let mut warning =
                    as_the_server_says(&mut settings, &typed).await.err().filter(|_| !is_elsewhere);
                let backup = make(&Plan::of(&settings, to), Clock::Real.now_ms())?;
                if is_elsewhere && let Err(why) = remember_elsewhere(&settings.data, &backup) {
                    warning = Some(format!("`mellow check` will not know of this backup: {why}"));
                }
                Ok(Output { text: format!("{}\n", backup.path.display()), warning, fault: None })
            }
            Self::Restore { backup } => {
                let (text, missing) = restore(&backup, &settings.data).await?;
                let warning = (missing > 0).then(|| format!("{missing} pictures are missing in the backup"));
                Ok(Output { text, warning, fault: None })
            }
            Self::Check => {
                let mut found = check(&settings.data)?;
                let languages::Found { files, faults, notes } =
                    languages::read(&settings.data, &settings.language.0, built_language);
                let is_well = faults.is_empty();
                let lines = faults.into_iter().map(Err).chain(notes.into_iter().map(Ok));
                lines.for_each(|line| found.add("languages", line));
                if is_well && !files.is_empty() {
                    found.add("languages", Ok(files.len().to_string()));
                }
                // Only a running server knows this. If the folder cannot be written, no server runs on it.
                if let Ok(Some(why)) = ask(&settings.data, Question::Mail).await
                    && !why.is_empty()
                {
                    found.add("mail", Err(why));
                }
                // What is broken is mended first.
                if found.fault.is_none() {
                    found.text += &before_people_join(settings).await;
                }
                Ok(Output { text: found.text, fault: found.fault, warning: None })
            }
        }
    }
}

/// Returns what is missing before people on the internet join; empty if nothing is. A running server says it, because it
/// may have other settings than this command.
async fn before_people_join(settings: &Settings) -> String {
    let missing = match ask(&settings.data, Question::Lacks).await {
        Ok(Some(said)) => said,
        _ => lacks::lines(settings, Clock::Real.now_ms()),
    };
    if missing.is_empty() {
        return missing;
    }
    let page = if Path::new(PAGE).exists() { PAGE } else { "docs/operations.md" };
    format!("\nBefore people on the internet join ({page} says how):\n{missing}")
}

/// Takes the settings of the server that uses the data folder, except those that were typed. Without a server nothing
/// changes.
///
/// # Errors
/// One line that says why the server's settings are not known. No backup is removed then.
async fn as_the_server_says(settings: &mut Settings, typed: &[&str]) -> Result<(), String> {
    let said = ask(&settings.data, Question::Backups).await;
    let read = |said: &str| {
        let (kept, free) = said.split_once(' ')?;
        Some((kept.parse().ok()?, free.parse().ok()?))
    };
    let answer = match said {
        Ok(None) => return Ok(()),
        Ok(Some(said)) => read(&said).ok_or_else(|| format!("the answer is {said:?}")),
        Err(why) => Err(why),
    };
    let is_typed = |name| typed.contains(&name);
    match answer {
        Ok((kept, free)) => {
            if !is_typed("backups_kept") {
                settings.backups_kept = kept;
            }
            if !is_typed("disk_free_mib_min") {
                settings.disk_free_mib_min = free;
            }
            Ok(())
        }
        Err(_) if is_typed("backups_kept") => Ok(()),
        Err(why) => {
            settings.backups_kept = 0;
            Err(format!(
                "no old backup was removed, because the running Mellow does not say how many it keeps: {why}"
            ))
        }
    }
}
