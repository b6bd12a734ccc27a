//! The options of the command, and their help texts.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::community::{Role, Size};

/// The parts of the test, and the files of the report.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    pub size: Size,
    /// The number of connections that are cut while people act. `restarts` is the number of restarts of the server.
    pub cuts: u64,
    pub restarts: u64,
    /// Whether the memory, files and database log of the server are checked for growth.
    pub is_steady: bool,
    /// The address of a running server; None if the test starts one.
    pub url: Option<String>,
    /// The addresses at which sockets are opened, in turn; empty: that of the server.
    pub sockets: Vec<String>,
    /// The processes of a running server, whose usage is reported; empty: it is not known.
    pub processes: Vec<u32>,
    /// Whether others end servers or cut connections meanwhile.
    pub is_harmed: bool,
    pub json: Option<PathBuf>,
    pub html: Option<PathBuf>,
    /// Whether the server is restarted, and the reconnects of all clients are measured.
    pub storm: bool,
}

/// The number of people of each role if no role is given, in the order of [`Role::ALL`].
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
            Role::Stalled => "People whose socket reads nothing for a third of the time",
            Role::Churn => "People whose connection is lost every few seconds",
        };
        let flag = Arg::new(role.flag()).long(role.flag()).value_name("NUMBER").help(help);
        flag.value_parser(value_parser!(u32).range(..=100_000))
    });
    let number = |name: &'static str, usual: &'static str, help: &'static str| {
        let flag = Arg::new(name).long(name).value_name("NUMBER").help(help);
        flag.default_value(usual).value_parser(value_parser!(u32).range(1..=1_000_000))
    };
    let harm = |name: &'static str, help: &'static str| {
        let flag = Arg::new(name).long(name).value_name("NUMBER").help(help);
        flag.default_value("0").value_parser(value_parser!(u32).range(0..=100_000))
    };
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    Command::new("loadtest")
        .about("Connects thousands of clients that use Mellow, and checks everything they receive")
        .after_help(
            "Without --url the test starts a server in a temporary folder. With --url the clients sign up on a \
             running Mellow, which must be started with its limits off and without public_url (the refusal of another \
             says how). Without any role option there are 1,000 \
             people of all roles.\n\n\
             Exit codes: 0 every check held, 1 a check failed or the test could not run (one line says why), \
             2 wrong usage.",
        )
        .args(people)
        .arg(number("seconds", "30", "How long people act, in seconds"))
        .arg(number("rate", "100", "Actions per second of all people together; they are sent on time even if the server falls behind"))
        .arg(number("follows", "20", "How many people each person follows, at most"))
        .arg(number("seed", "1", "The same seed gives the same plan"))
        .arg(harm("cuts", "Connections that are cut at any byte while people act; some also crawl or stall"))
        .arg(harm("restarts", "How often the server ends and starts again while people act, by SIGTERM and SIGKILL")
            .conflicts_with("url"))
        .arg(
            Arg::new("steady")
                .long("steady")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["url", "restarts"])
                .help("Fail where the server's memory grows by more than 1 MiB an hour (of an hour or more), its open files grow, or its database's log passes 64 MiB"),
        )
        .arg(
            Arg::new("storm")
                .long("storm")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["url", "json", "html", "cuts", "restarts", "steady"])
                .help("Restart the server instead, and measure how fast all clients come back"),
        )
        .arg(text("url", "URL", "Test a running Mellow, such as http://127.0.0.1:8080"))
        .arg(
            text("sockets", "URL,URL", "Open the sockets at these fronts of it, in turn, also after a cut")
                .value_delimiter(',')
                .requires("url"),
        )
        .arg(
            text("processes", "ID,ID", "Report the usage of these processes as that of the server")
                .value_delimiter(',')
                .value_parser(value_parser!(u32))
                .requires("url"),
        )
        .arg(
            Arg::new("harmed")
                .long("harmed")
                .action(ArgAction::SetTrue)
                .requires("url")
                .help("Others end servers or cut connections meanwhile: who is cut off or refused comes back, and must miss nothing"),
        )
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
        cuts: number("cuts").map_or(0, u64::from),
        restarts: number("restarts").map_or(0, u64::from),
        is_steady: typed.get_flag("steady"),
        url: text("url"),
        sockets: typed.get_many::<String>("sockets").map(|urls| urls.cloned().collect()).unwrap_or_default(),
        processes: typed.get_many::<u32>("processes").map(|ids| ids.copied().collect()).unwrap_or_default(),
        is_harmed: typed.get_flag("harmed"),
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
    fn the_other_roles_are_empty_if_one_is_given() {
        let options = typed(&["--idle", "500", "--posters", "3", "--seconds", "5", "--html", "report.html"]);
        assert_eq!(options.size.people, [500, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0]);
        assert_eq!((options.size.seconds, options.html), (5, Some("report.html".into())));
        assert_eq!(typed(&[]).size.people, USUAL);
    }

    #[test]
    fn the_addresses_of_fronts_belong_to_a_running_server() {
        let fronts = ["--sockets", "http://10.0.0.11:8081,http://10.0.0.12:8081"];
        let options = typed(&[&["--url", "http://10.0.0.10:8080"][..], &fronts].concat());
        assert_eq!(options.sockets, ["http://10.0.0.11:8081", "http://10.0.0.12:8081"]);
        let alone = command().try_get_matches_from([&["loadtest"][..], &fronts].concat());
        assert!(alone.is_err());
    }

    #[test]
    fn a_server_that_others_harm_and_its_processes_run_already() {
        let harmed = ["--harmed", "--processes", "71,72"];
        let options = typed(&[&["--url", "http://10.0.0.10:8080"][..], &harmed].concat());
        assert_eq!((options.is_harmed, &options.processes[..]), (true, &[71, 72][..]));
        let usual = typed(&[]);
        assert!(!usual.is_harmed && usual.processes.is_empty());
        assert!(command().try_get_matches_from(["loadtest", "--harmed"]).is_err());
    }

    #[test]
    fn an_invalid_number_is_refused() {
        for wrong in [["--idle", "many"], ["--seconds", "0"], ["--readers", "-1"]] {
            assert!(
                command().try_get_matches_from([&["loadtest"][..], &wrong].concat()).is_err(),
                "{wrong:?}"
            );
        }
    }
}
