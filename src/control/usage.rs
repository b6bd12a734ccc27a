//! The arguments and help texts of the host's commands.

use clap::{Arg, ArgMatches};

use super::Command;
use crate::features::{admin, invites, theme::host};
use crate::seed::Wanted;
use crate::seed::crowd::Size;

/// The settings that these commands also take as flags.
pub const SETTINGS: [&str; 3] = ["data", "site_timezone", "themes_file"];

/// Describes the commands; `settings` are their flags.
pub fn commands(settings: Vec<Arg>) -> Vec<clap::Command> {
    let text = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("TEXT").help(help).required(true).allow_hyphen_values(true)
    };
    let words = || {
        [
            text("title", "Its title, at most 100 characters"),
            text("description", "Its description, at most 500 characters"),
            text("tag", "Its tag, at most 30 characters, with or without #"),
        ]
    };
    let day = |help| Arg::new("day").value_name("DAY").help(help).required(true);
    let about = |name: &'static str, about: &'static str| clap::Command::new(name).about(about);
    let data: Vec<Arg> = settings.iter().filter(|setting| setting.get_id() == "data").cloned().collect();
    let theme = about("theme", "Shows and sets the daily themes, also while Mellow runs")
        .after_help(
            "Days begin at midnight in site_timezone. A day without a theme of its own gets one from the \
             rotation: Mellow's own sixty, or those in themes_file. A running Mellow \
             keeps the settings it was started with.\n\n\
             Exit codes: 0 done, 1 not done (one line says why), 2 wrong usage.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(settings.into_iter().map(|setting| setting.global(true)))
        .subcommand(
            about("set", "Sets the theme of today; everybody who is connected sees it at once").args(words()),
        )
        .subcommand(
            about("schedule", "Sets the theme of a day")
                .arg(day("today, tomorrow, or a date such as 2026-11-21"))
                .args(words()),
        )
        .subcommand(
            about("clear", "Removes the theme that was set for a day")
                .arg(day("today, tomorrow, or a date such as 2026-11-21")),
        )
        .subcommand(
            about("show", "Shows the themes from today on").arg(
                Arg::new("days")
                    .long("days")
                    .value_name("NUMBER")
                    .help("How many days, from 1 to 366")
                    .default_value("7")
                    .value_parser(clap::value_parser!(i64))
                    .allow_negative_numbers(true),
            ),
        );
    vec![theme, user(data.clone()), invite(data)]
}

/// Describes `mellow user`.
fn user(settings: Vec<Arg>) -> clap::Command {
    let who = || Arg::new("who").value_name("WHO").help("An email or an id").required(true);
    let about = |name: &'static str, about: &'static str| clap::Command::new(name).about(about);
    about("user", "Lists accounts and changes them, also while Mellow runs")
        .after_help(
            "An admin has the page /admin and can do there what these commands do, but cannot make admins. Nothing \
             can be done to the account of an admin: demote it first.\n\n\
             Exit codes: 0 done, 1 not done (one line says why), 2 wrong usage.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(settings.into_iter().map(|setting| setting.global(true)))
        .subcommand(about("list", "Lists all accounts, one a line, separated by tabs"))
        .subcommand(about("promote", "Makes somebody an admin").arg(who()))
        .subcommand(about("demote", "Removes the rights of an admin").arg(who()))
        .subcommand(about("suspend", "Ends the logins of an account and lets nobody log in to it").arg(who()))
        .subcommand(about("unsuspend", "Ends the suspension of an account").arg(who()))
        .subcommand(
            about("delete", "Deletes an account with all its data, for good").arg(who()).arg(
                Arg::new("yes").long("yes").action(clap::ArgAction::SetTrue).help("Confirms the deletion"),
            ),
        )
        .subcommand(
            about("reset-link", "Prints a link that sets a new password: it works once, for 30 minutes")
                .arg(who()),
        )
        .subcommand(
            about("remove-passkeys", "Removes all passkeys of an account; its password stays").arg(who()),
        )
}

/// Describes `mellow invite`.
fn invite(settings: Vec<Arg>) -> clap::Command {
    let number = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("NUMBER")
            .help(help)
            .value_parser(clap::value_parser!(u64).range(0..=36_500))
    };
    let about = |name: &'static str, about: &'static str| clap::Command::new(name).about(about);
    about("invite", "Makes an invitation and prints its link, also while Mellow runs")
        .after_help("Exit codes: 0 done, 1 not done (one line says why), 2 wrong usage.")
        .args_conflicts_with_subcommands(true)
        .args(settings.into_iter().map(|setting| setting.global(true)))
        .arg(number("days", "How long it works; 0: it never ends (default: invite_days)"))
        .arg(number("uses", "How many people may sign up with it; 0: no limit (default: invite_uses)"))
        .subcommand(about("list", "Lists all invitations, one a line, separated by tabs"))
        .subcommand(
            about("revoke", "Revokes an invitation").arg(
                // One code in 64 begins with a hyphen, like a flag.
                Arg::new("code")
                    .value_name("CODE")
                    .help("The code at the end of its link")
                    .required(true)
                    .allow_hyphen_values(true),
            ),
        )
}

/// Describes `mellow seed`; `settings` are its flags.
pub fn seed(settings: Vec<Arg>) -> clap::Command {
    let amount = |name: &'static str, default: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("NUMBER")
            .help(help)
            .default_value(default)
            .value_parser(clap::value_parser!(i64).range(0..=100_000_000))
            .conflicts_with("demo")
    };
    clap::Command::new("seed")
        .about("Fills a data folder with a small community, or with any number of people and posts for measurements")
        .after_help(
            "The folder must have no accounts yet, and no running Mellow may use it. The last two lines of the output \
             are the email and password of one of the people.\n\n\
             Exit codes: 0 done, 1 not done (one line says why), 2 wrong usage.",
        )
        .arg(
            Arg::new("demo")
                .long("demo")
                .action(clap::ArgAction::SetTrue)
                .help("Sixty people with a month of posts, pictures, comments, polls, groups and moods"),
        )
        .args([
            amount("people", "1000", "Number of people"),
            amount("posts", "10000", "Number of posts, spread over a year, with comments and votes"),
            amount("follows", "20000", "Number of follows in all; a few people have many followers"),
            amount("groups", "50", "Number of groups"),
        ])
        .arg(
            Arg::new("seed")
                .long("seed")
                .value_name("NUMBER")
                .help("The same number makes the same people, follows and votes")
                .default_value("1")
                .value_parser(clap::value_parser!(u64)),
        )
        .args(settings)
}

/// Returns what `mellow seed` must make, and its seed; None for another command.
#[must_use]
pub fn read_seed(name: &str, typed: &ArgMatches) -> Option<(Wanted, u64)> {
    if name != "seed" {
        return None;
    }
    let amount = |name: &str| typed.get_one::<i64>(name).copied().unwrap_or(0);
    let wanted = if typed.get_flag("demo") {
        Wanted::Demo
    } else {
        Wanted::Crowd(Size {
            people: amount("people"),
            posts: amount("posts"),
            follows: amount("follows"),
            groups: amount("groups"),
        })
    };
    Some((wanted, typed.get_one("seed").copied().unwrap_or(1)))
}

/// Reads the command that was typed.
///
/// # Errors
/// One line that says what is wrong with the arguments.
pub fn read(name: &str, typed: &ArgMatches) -> Result<Option<Command>, String> {
    if name == "invite" {
        return Ok(Some(Command::Invite(invite_command(typed))));
    }
    let Some((deed, typed)) = typed.subcommand() else { return Ok(None) };
    match name {
        "theme" => theme(deed, typed).map(|command| Some(Command::Theme(command))),
        "user" => user_command(deed, typed).map(|command| Some(Command::User(command))),
        _ => Ok(None),
    }
}

fn invite_command(typed: &ArgMatches) -> invites::host::Command {
    use invites::host::Command;
    match typed.subcommand() {
        None => {
            let number = |name: &str| typed.get_one::<u64>(name).copied();
            Command::Make { days: number("days"), uses: number("uses") }
        }
        Some(("revoke", typed)) => {
            Command::Revoke { code: typed.get_one::<String>("code").cloned().unwrap_or_default() }
        }
        Some(_) => Command::List { after: String::new() },
    }
}

fn user_command(deed: &str, typed: &ArgMatches) -> Result<admin::host::Command, String> {
    use admin::host::Command;
    let who = || typed.get_one::<String>("who").cloned().unwrap_or_default();
    Ok(match deed {
        "promote" => Command::Promote { who: who() },
        "demote" => Command::Demote { who: who() },
        "suspend" => Command::Suspend { who: who() },
        "unsuspend" => Command::Unsuspend { who: who() },
        "delete" if !typed.get_flag("yes") => {
            return Err("this deletes the account with all its data for good; confirm it with --yes".into());
        }
        "delete" => Command::Delete { who: who() },
        "reset-link" => Command::ResetLink { who: who() },
        "remove-passkeys" => Command::RemovePasskeys { who: who() },
        _ => Command::List { after: 0 },
    })
}

fn theme(deed: &str, typed: &ArgMatches) -> Result<host::Command, String> {
    let text = |name: &str| typed.get_one::<String>(name).cloned().unwrap_or_default();
    let (title, description, tag) = match deed {
        "set" | "schedule" => (text("title"), text("description"), text("tag")),
        _ => Default::default(),
    };
    let command = match deed {
        "set" => host::Command::Set { title, description, tag },
        "schedule" => host::Command::Schedule { day: text("day"), title, description, tag },
        "clear" => host::Command::Clear { day: text("day") },
        _ => host::Command::Show { days: typed.get_one("days").copied().unwrap_or(7) },
    };
    command.check()?;
    Ok(command)
}
