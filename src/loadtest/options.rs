//! The command as it is typed.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::plan::{Role, Size};

/// What to test, and where the report goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    pub size: Size,
    /// A server that runs; None: one is started.
    pub url: Option<String>,
    pub json: Option<PathBuf>,
    pub html: Option<PathBuf>,
    /// The server is restarted, and everybody comes back.
    pub storm: bool,
}

/// People of each role when none is given, as in [`Role::ALL`].
const USUAL: [usize; Role::ALL.len()] = [700, 60, 60, 40, 40, 20, 20, 10, 20, 10, 20];

/// Describes the command.
#[must_use]
pub fn command() -> Command {
    let people = Role::ALL.map(|role| {
        let help = match role {
            Role::Idle => "People who only stay connected",
            Role::Reader => "People who read the feed and open posts",
            Role::Voter => "People who vote on posts",
            Role::Commenter => "People who comment on posts",
            Role::Poster => "People who publish posts",
            Role::Poller => "People who ask and answer polls",
            Role::Mood => "People who share a mood, once",
            Role::Group => "People who own a group, share posts with it, and add and remove members",
            Role::Sleeper => "People who are away for a third of the time, and come back",
            Role::Stalled => "People whose socket takes nothing for a third of the time",
            Role::Churn => "People whose connection is lost every few seconds",
        };
        let flag = Arg::new(role.flag()).long(role.flag()).value_name("NUMBER").help(help);
        flag.value_parser(value_parser!(u32).range(..=100_000))
    });
    let number = |name: &'static str, usual: &'static str, help: &'static str| {
        let flag = Arg::new(name).long(name).value_name("NUMBER").help(help);
        flag.default_value(usual).value_parser(value_parser!(u32).range(1..=1_000_000))
    };
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    Command::new("loadtest")
        .about("Connects thousands of clients that use Mellow and check all they receive")
        .after_help(
            "Without --url a server of its own is started on a temporary folder. With --url the clients sign up on a \
             Mellow that runs; start that one with its limits off. Without any role there are 1,000 people of all \
             roles.\n\n\
             Exit codes: 0 every check held, 1 one did not or the test could not run (one line says why), 2 wrong usage.",
        )
        .args(people)
        .arg(number("seconds", "30", "How long people act, in seconds"))
        .arg(number("rate", "100", "Actions per second, of all together; they are due whether or not the server keeps up"))
        .arg(number("follows", "20", "Whom each person follows, at most"))
        .arg(number("seed", "1", "The same seed gives the same plan"))
        .arg(
            Arg::new("storm")
                .long("storm")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["url", "json", "html"])
                .help("Restart the server instead, and time how everybody's tab comes back"),
        )
        .arg(text("url", "URL", "A Mellow that runs, such as http://127.0.0.1:8080"))
        .arg(text("json", "FILE", "Write the report as JSON to this file"))
        .arg(text("html", "FILE", "Write the report with plots to this file"))
}

/// Reads the command that was typed.
#[must_use]
pub fn read(typed: &ArgMatches) -> Options {
    let number = |name: &str| typed.get_one::<u32>(name).copied();
    let given = Role::ALL.map(|role| number(role.flag()).map(|count| count as usize));
    let people = if given.iter().any(Option::is_some) { given.map(Option::unwrap_or_default) } else { USUAL };
    let at_least_one = |name: &str| number(name).unwrap_or(1);
    let size = Size {
        people,
        follows: at_least_one("follows") as usize,
        seconds: u64::from(at_least_one("seconds")),
        rate: f64::from(at_least_one("rate")),
        seed: u64::from(at_least_one("seed")),
    };
    let text = |name: &str| typed.get_one::<String>(name).cloned();
    Options {
        size,
        url: text("url"),
        json: text("json").map(PathBuf::from),
        html: text("html").map(PathBuf::from),
        storm: typed.get_flag("storm"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(arguments: &[&str]) -> Options {
        read(&command().try_get_matches_from([&["loadtest"], arguments].concat()).unwrap())
    }

    #[test]
    fn a_role_that_is_given_leaves_the_others_empty() {
        let options = typed(&["--idle", "500", "--posters", "3", "--seconds", "5", "--html", "report.html"]);
        assert_eq!(options.size.people, [500, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0]);
        assert_eq!((options.size.seconds, options.html), (5, Some("report.html".into())));
        assert_eq!(typed(&[]).size.people, USUAL);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for wrong in [["--idle", "many"], ["--seconds", "0"], ["--readers", "-1"]] {
            assert!(
                command().try_get_matches_from([&["loadtest"][..], &wrong].concat()).is_err(),
                "{wrong:?}"
            );
        }
    }
}
