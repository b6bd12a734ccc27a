//! The command line: the flags of the settings, and the commands of the host.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command};
use mellow_loadtest as loadtest;

use crate::control::{self, usage};
use crate::seed::Wanted;
use crate::settings::{SettingTexts, Settings, table, version};

/// Text to print instead of running.
#[derive(Debug)]
pub enum Stop {
    /// The text of `--help` or `--version`.
    Help(String),
    /// The sentence about a command line that cannot be parsed.
    Usage(String),
}

/// A parsed command line.
#[derive(Debug)]
pub struct Invocation {
    pub settings: Settings,
    pub task: Task,
}

/// The task that the command line names.
#[derive(Debug)]
pub enum Task {
    Serve,
    /// A command of the host.
    Command(control::Command),
    /// Make, restore or check a backup in this process.
    Backup(control::backups::Command),
    /// Fill a data folder. The same seed makes the same content.
    Seed {
        content: Wanted,
        seed: u64,
    },
    LoadTest(loadtest::options::Options),
    /// Hold sockets for a home in another process.
    Front,
    /// Write a new key for a cluster into this file.
    ClusterKey(PathBuf),
}

/// The settings that a front has of its own. It takes all others from its home.
const FRONT_SETTINGS: [&str; 12] = [
    "listen",
    "trusted_proxies",
    "log",
    "metrics_public",
    "sockets_max",
    "workers",
    "cluster",
    "cluster_key_file",
    "cluster_key_file_old",
    "cluster_nkey_file",
    "cluster_ca",
    "site",
];

/// Where settings come from, for the help of a command.
const SOURCES: &str = "Each setting can also be given as MELLOW_<NAME> in the environment or as <name> = <value> in \
                       mellow.toml in the folder where Mellow is started. Flags override the environment, and the \
                       environment overrides the file.";

/// Describes the command line.
#[must_use]
pub fn command() -> Command {
    let mut serve = Command::new("serve").about("Serves Mellow (the default)").after_help(SOURCES);
    let mut front =
        Command::new("front").about("Holds sockets for a home in another process").after_help(format!(
            "A front has no data folder. A broker (NATS) joins it with its home, so it needs the settings cluster and \
             cluster_key_file. It serves /ws, /healthz, /readyz and /metrics, takes what is not listed here from \
             its home, and waits for the home as long as it must. \"When one machine is not enough\" in \
             docs/operations.md says when fronts help, and how to install them.\n\n{SOURCES}"
        ));
    let key = Command::new("cluster-key")
        .about("Makes the key of a cluster, which its home and all its fronts must have")
        .after_help(
            "The setting cluster_key_file names the file. At first only its owner can read it: give it to the user of \
             the service, with `chgrp mellow FILE` and `chmod 640 FILE`. Whoever has the key can read and make every \
             message of the cluster.",
        )
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .help("A file that does not exist yet; it gets 64 hexadecimal digits")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf)),
        );
    let (mut shared, mut backups) = (Vec::new(), Vec::new());
    for (name, default, help) in table() {
        let default = if default.is_empty() { "none".into() } else { default };
        let flag = Arg::new(name)
            .long(name.replace('_', "-"))
            .alias(name)
            .value_name("VALUE")
            .help(format!("{help} (default: {default})"))
            .action(ArgAction::Set);
        if usage::SETTINGS.contains(&name) {
            shared.push(flag.clone());
        }
        if control::backups::SETTINGS.contains(&name) {
            backups.push(flag.clone());
        }
        if FRONT_SETTINGS.contains(&name) {
            front = front.arg(flag.clone());
        }
        serve = serve.arg(flag);
    }
    Command::new("mellow")
        .version(version())
        .about("A mindful social network: a live server with its web app inside, in one program.")
        .subcommand_required(false)
        .subcommand(serve)
        .subcommand(front)
        .subcommand(key)
        .subcommands(usage::commands(shared.clone()))
        .subcommand(usage::seed(shared))
        .subcommands(control::backups::commands(&backups))
        .subcommand(loadtest::options::command())
}

/// Reads the settings of a server.
///
/// # Errors
/// [`Stop`]: the text to print instead of serving.
pub fn read_settings(
    arguments: impl IntoIterator<Item = OsString>,
    environment: impl IntoIterator<Item = (String, String)>,
    file: &Path,
) -> Result<Settings, Stop> {
    parse(arguments, environment, file).map(|invocation| invocation.settings)
}

/// Parses the command line and reads the settings.
///
/// # Errors
/// [`Stop`]: the text to print instead of running.
pub fn parse(
    arguments: impl IntoIterator<Item = OsString>,
    environment: impl IntoIterator<Item = (String, String)>,
    file: &Path,
) -> Result<Invocation, Stop> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    // `mellow --listen ...` serves, like `mellow` without arguments.
    let first = arguments.get(1).and_then(|first| first.to_str()).unwrap_or("");
    let is_top = matches!(first, "-h" | "--help" | "-V" | "--version");
    if !is_top && (first.is_empty() || first.starts_with('-')) {
        arguments.insert(1, "serve".into());
    }
    let matches = command().try_get_matches_from(arguments).map_err(|why| {
        if why.use_stderr() { Stop::Usage(why.to_string()) } else { Stop::Help(why.to_string()) }
    })?;

    let mut texts = SettingTexts::default();
    texts.add_file(file).map_err(Stop::Usage)?;
    texts.add_environment(environment).map_err(Stop::Usage)?;
    let mut task = Task::Serve;
    if let Some((name, typed)) = matches.subcommand() {
        if let Some((content, seed)) = usage::read_seed(name, typed) {
            task = Task::Seed { content, seed };
        } else if let Some(command) = control::backups::read(name, typed) {
            task = Task::Backup(command);
        } else if name == "front" {
            task = Task::Front;
        } else if let Some(file) =
            typed.try_get_one::<PathBuf>("file").ok().flatten().filter(|_| name == "cluster-key")
        {
            task = Task::ClusterKey(file.clone());
        } else if name == "loadtest" {
            task = Task::LoadTest(loadtest::options::read(typed));
        } else if let Some(command) = usage::read(name, typed).map_err(Stop::Usage)? {
            task = Task::Command(command);
        }
        for (name, _, _) in table() {
            if let Ok(Some(value)) = typed.try_get_one::<String>(name) {
                texts.add_flag(name, value.clone());
            }
        }
    }
    let settings = texts.parse().map_err(Stop::Usage)?;
    Ok(Invocation { settings, task })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::invites::host::Command::Revoke;

    fn read(arguments: &[&str], environment: &[(&str, &str)], file: &str) -> Result<Settings, Stop> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mellow.toml");
        std::fs::write(&path, file).unwrap();
        let arguments = std::iter::once("mellow").chain(arguments.iter().copied()).map(OsString::from);
        let environment = environment.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        read_settings(arguments, environment, &path)
    }

    #[test]
    fn a_flag_overrides_the_environment_which_overrides_the_file() {
        let file = "posts_per_day = 1\ncomments_per_hour = 1\nvotes_per_minute = 1";
        let environment = [("MELLOW_COMMENTS_PER_HOUR", "2"), ("MELLOW_VOTES_PER_MINUTE", "2")];
        let settings = read(&["serve", "--votes-per-minute", "3"], &environment, file).unwrap();
        assert_eq!(
            (settings.posts_per_day, settings.comments_per_hour, settings.votes_per_minute),
            (1, 2, 3)
        );
    }

    #[test]
    fn without_a_command_the_program_serves() {
        assert_eq!(read(&[], &[], "").unwrap().listen.to_string(), "127.0.0.1:8080");
        assert_eq!(read(&["--listen", "127.0.0.1:9"], &[], "").unwrap().listen.port(), 9);
    }

    #[test]
    fn an_invalid_setting_is_named_with_what_it_accepts() {
        let Err(Stop::Usage(why)) = read(&["--listen", "here"], &[], "") else { panic!("accepted") };
        assert!(why.contains("listen") && why.contains("127.0.0.1:8080"), "{why}");
        let Err(Stop::Usage(why)) = read(&[], &[("MELLOW_COLOUR", "sage")], "") else { panic!("accepted") };
        assert!(why.contains("MELLOW_COLOUR"), "{why}");
        let Err(Stop::Usage(why)) = read(&[], &[], "colour = 1") else { panic!("accepted") };
        assert!(why.contains("colour"), "{why}");
    }

    #[test]
    fn a_number_that_is_too_large_is_refused_with_the_name_of_its_setting() {
        for (flag, value) in [
            ("--requests-per-second", "18446744073709551615"),
            ("--password-memory-kib", "4294967295"),
            ("--password-memory-kib", "7"),
            ("--workers", "100000"),
            ("--public-url", "https://:x"),
            ("--public-url", "https://a.example/path"),
            ("--public-url", "https://a.example?x"),
            ("--public-url", "https://a.example#x"),
            ("--public-url", "https://ana@a.example"),
            ("--public-url", "https://a.example:0"),
            ("--public-url", "https://a.example.."),
            ("--public-url", "https://."),
            ("--public-url", "https://xn--a.example"),
            ("--public-url", "https://a b.example"),
            ("--public-url", "ftp://a.example"),
            ("--public-url", "a.example"),
        ] {
            let Err(Stop::Usage(why)) = read(&[flag, value], &[], "") else { panic!("{flag} {value}") };
            assert!(why.contains(&flag[2..].replace('-', "_")), "{why}");
        }
    }

    #[test]
    fn an_invitation_whose_code_looks_like_a_flag_is_revoked() {
        for code in ["-5KIdI1lGuu4cZVM-RaeWw", "-hnXSRVyqsLyyMPla94dQ-", "--data1lGuu4cZVM-RaeWw"] {
            for typed in [vec!["--data", "elsewhere", code], vec![code, "--data", "elsewhere"]] {
                let typed = ["mellow", "invite", "revoke"].into_iter().chain(typed).map(OsString::from);
                let parsed = parse(typed, [], Path::new("no file")).unwrap();
                assert_eq!(parsed.settings.data, Path::new("elsewhere"), "{code}");
                let Task::Command(control::Command::Invite(Revoke { code: read })) = parsed.task else {
                    panic!("{code}: {:?}", parsed.task)
                };
                assert_eq!(read, code);
            }
        }
        let typed = ["mellow", "invite", "revoke", "--help"].map(OsString::from);
        assert!(matches!(parse(typed, [], Path::new("no file")), Err(Stop::Help(_))));
    }

    #[test]
    fn a_public_url_is_kept_as_browsers_write_it() {
        let kept = |url: &str| read(&["--public-url", url], &[], "").unwrap().public_url.origin;
        assert_eq!(kept("https://Mellow.Example:443/").as_deref(), Some("https://mellow.example"));
        assert_eq!(kept("http://mellow.example:8080").as_deref(), Some("http://mellow.example:8080"));
        assert_eq!(kept("http://[::1]:8080").as_deref(), Some("http://[::1]:8080"));
        assert_eq!(kept("https://[::1]").as_deref(), Some("https://[::1]"));
        for typed in [
            "https://müsli.example",
            "HTTPS://MÜSLI.Example:443/",
            "https://mu\u{308}sli.example",
            "https://müsli.example.",
            "https://xn--msli-0ra.example.:443",
            "https://m%C3%BCsli\u{3002}example",
        ] {
            assert_eq!(kept(typed).as_deref(), Some("https://xn--msli-0ra.example"), "{typed}");
        }
        assert_eq!(kept("http://straße.example:81").as_deref(), Some("http://xn--strae-oqa.example:81"));
        assert_eq!(kept("http://127.1:80").as_deref(), Some("http://127.0.0.1"));
        assert_eq!(kept("https://[0:0::1]:8443").as_deref(), Some("https://[::1]:8443"));
        let typed = |url: &str| read(&["--public-url", url], &[], "").unwrap().public_url.typed;
        assert_eq!(typed("https://mellow.example/"), None);
        assert_eq!(typed("https://müsli.example").as_deref(), Some("https://müsli.example"));
    }

    #[test]
    fn an_invalid_setting_with_a_password_is_not_printed() {
        let url = "smtp://ana:hush@mail.example.org?tls=none";
        let file = format!("smtp_url = \"{url}\"");
        let quoteless = format!("posts_per_day = 1\nsmtp_url = \"{url}");
        let bare = format!("smtp_url = {url}");
        for (arguments, file) in
            [(&["--smtp-url", url][..], ""), (&[], &file), (&[], &quoteless), (&[], &bare)]
        {
            let Err(Stop::Usage(why)) = read(arguments, &[], file) else { panic!("accepted") };
            assert!(!why.contains("hush"), "{why}");
            assert!(why.contains("smtp_url") || why.contains("line"), "{why}");
        }
        let settings = read(&["--smtp-url", "smtps://ana:hush@mail.example.org"], &[], "").unwrap();
        assert!(!format!("{settings:?}").contains("hush"));
    }

    #[test]
    fn help_has_the_unit_and_default_of_each_setting() {
        let Err(Stop::Help(help)) = read(&["serve", "--help"], &[], "") else { panic!("served") };
        for (name, default, _) in table() {
            assert!(help.contains(&name.replace('_', "-")), "{name}");
            assert!(help.contains(&default), "{name}: {default}");
        }
    }

    #[test]
    fn a_front_has_only_settings_of_its_own_and_a_mellow_toml_with_all_of_them() {
        let Err(Stop::Help(help)) = read(&["front", "--help"], &[], "") else { panic!("ran") };
        for (name, _, _) in table() {
            let is_own = FRONT_SETTINGS.contains(&name);
            assert_eq!(help.contains(&format!("--{} ", name.replace('_', "-"))), is_own, "{name}");
        }
        assert!(help.contains("mellow.toml") && help.contains("docs/operations.md"), "{help}");
        assert!(read(&["front", "--data", "elsewhere"], &[], "").is_err());
        let file = "signup = \"closed\"\nsite = \"pond\"";
        assert_eq!(read(&["front", "--site", "tea"], &[], file).unwrap().site.0, "tea");
    }

    #[test]
    fn the_key_of_a_cluster_is_written_into_the_file_that_is_named() {
        let typed = |rest: &[&str]| {
            let typed = ["mellow", "cluster-key"].into_iter().chain(rest.iter().copied());
            parse(typed.map(OsString::from), [], Path::new("no file"))
        };
        let Task::ClusterKey(file) = typed(&["tea.key"]).unwrap().task else { panic!("something else") };
        assert_eq!(file, Path::new("tea.key"));
        assert!(matches!(typed(&[]), Err(Stop::Usage(_))));
        let Err(Stop::Help(help)) = typed(&["--help"]) else { panic!("a key was made") };
        assert!(help.contains("FILE") && help.contains("chgrp"), "{help}");
    }
}
