//! What the host may set, read once: flags over `MELLOW_*` over `mellow.toml` over defaults.
//!
//! Each setting stands in one line of the table below with its unit and default. A setting that is
//! unknown or impossible stops the start with its name and what is accepted.

use std::collections::HashMap;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command};

use crate::control::{self, usage};
use crate::limits;
use crate::mail::settings::{self, SmtpCa, SmtpFrom, SmtpUrl};
use crate::zones::Zone;

/// How a setting is read from text.
trait Setting: Sized {
    const ACCEPTED: &str;
    /// A secret is not repeated to whoever got it wrong: the log may be read by others.
    const SECRET: bool = false;
    fn read(text: &str) -> Option<Self>;
}

impl Setting for u64 {
    const ACCEPTED: &str = "a whole number from 0 to 1,000,000,000";
    fn read(text: &str) -> Option<Self> {
        text.replace('_', "").parse().ok().filter(|number| *number <= 1_000_000_000)
    }
}

impl Setting for MemoryKib {
    const ACCEPTED: &str = "a whole number from 8 to 1,048,576 (a gigabyte)";
    fn read(text: &str) -> Option<Self> {
        u64::read(text).filter(|kib| (8..=1_048_576).contains(kib)).map(Self)
    }
}

impl Setting for Workers {
    const ACCEPTED: &str = "a whole number from 0 to 256";
    fn read(text: &str) -> Option<Self> {
        u64::read(text).filter(|workers| *workers <= 256).map(Self)
    }
}

impl Setting for bool {
    const ACCEPTED: &str = "true or false";
    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl Setting for SocketAddr {
    const ACCEPTED: &str = "an address and port such as 127.0.0.1:8080";
    fn read(text: &str) -> Option<Self> {
        text.replace("localhost:", "127.0.0.1:").parse().ok()
    }
}

impl Setting for PathBuf {
    const ACCEPTED: &str = "a folder";
    fn read(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| text.into())
    }
}

impl Setting for SignUps {
    const ACCEPTED: &str = "open or closed";
    fn read(text: &str) -> Option<Self> {
        match text {
            "open" => Some(Self::Open),
            "closed" => Some(Self::Closed),
            _ => None,
        }
    }
}

impl Setting for LogLevel {
    const ACCEPTED: &str = "off, error, warn, info or debug";
    fn read(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
    }
}

impl Setting for PublicUrl {
    const ACCEPTED: &str = "an address such as https://mellow.example.org, without a path; empty for none";
    fn read(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self(None));
        }
        let text = text.trim_end_matches('/');
        let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
        // A browser leaves a port out that goes without saying; so must we, to compare.
        let usual = if text.starts_with("https://") { ":443" } else { ":80" };
        let host = host.strip_suffix(usual).unwrap_or(host);
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !host.ends_with(']') => (name, port),
            _ => (host, "1"),
        };
        let sound = !name.is_empty()
            && port.parse::<u16>().is_ok_and(|port| port > 0)
            && name.chars().all(|c| c.is_alphanumeric() || "-._[]:".contains(c));
        sound.then(|| Self(Some(text.strip_suffix(usual).unwrap_or(text).to_lowercase())))
    }
}

impl Setting for SmtpUrl {
    const ACCEPTED: &str = settings::SMTP_URL_ACCEPTED;
    const SECRET: bool = true;
    fn read(text: &str) -> Option<Self> {
        Self::read(text)
    }
}

impl Setting for SmtpFrom {
    const ACCEPTED: &str = settings::SMTP_FROM_ACCEPTED;
    fn read(text: &str) -> Option<Self> {
        Self::read(text)
    }
}

impl Setting for SmtpCa {
    const ACCEPTED: &str = settings::SMTP_CA_ACCEPTED;
    fn read(text: &str) -> Option<Self> {
        Self::read(text)
    }
}

impl Setting for Zone {
    const ACCEPTED: &str = "a time zone as the IANA names it, such as UTC or Europe/Berlin";
    fn read(text: &str) -> Option<Self> {
        Zone::named(text)
    }
}

impl Setting for ThemesFile {
    const ACCEPTED: &str = "a file; empty for Mellow's own themes";
    fn read(text: &str) -> Option<Self> {
        Some(Self((!text.is_empty()).then(|| text.into())))
    }
}

/// Who may sign up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignUps {
    Open,
    Closed,
}

/// Memory of one password hash, in KiB.
#[derive(Clone, Copy, Debug)]
pub struct MemoryKib(pub u64);

/// Threads that serve sockets; 0 = one per core.
#[derive(Clone, Copy, Debug)]
pub struct Workers(pub u64);

/// What goes to the log.
#[derive(Clone, Copy, Debug)]
pub struct LogLevel(pub log::LevelFilter);

/// The host's own themes, when there are any.
#[derive(Clone, Debug)]
pub struct ThemesFile(pub Option<PathBuf>);

/// Where people reach this Mellow, when it is known.
#[derive(Clone, Debug)]
pub struct PublicUrl(pub Option<String>);

impl PublicUrl {
    /// True when people come over TLS, so that cookies may be bound to it.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.0.as_ref().is_some_and(|url| url.starts_with("https://"))
    }
}

macro_rules! settings {
    ($($name:ident: $kind:ty = $default:expr, $help:literal;)*) => {
        /// The settings of a running Mellow.
        #[derive(Clone, Debug)]
        pub struct Config {
            $(#[doc = $help] pub $name: $kind,)*
        }

        /// Name, default, and help of each setting.
        fn table() -> Vec<(&'static str, String, &'static str)> {
            vec![$((stringify!($name), $default.to_string(), $help)),*]
        }

        impl Config {
            fn from_texts(texts: &HashMap<String, (String, String)>) -> Result<Self, String> {
                Ok(Self {
                    $($name: match texts.get(stringify!($name)) {
                        Some((text, source)) => <$kind>::read(text).ok_or_else(|| {
                            let shown = if <$kind>::SECRET { "...".into() } else { format!("{text:?}") };
                            format!("{} = {shown} ({source}): it takes {}", stringify!($name), <$kind>::ACCEPTED)
                        })?,
                        None => <$kind>::read(&$default.to_string())
                            .ok_or_else(|| format!("the default of {} is broken", stringify!($name)))?,
                    },)*
                })
            }
        }
    };
}

settings! {
    listen: SocketAddr = "127.0.0.1:8080", "Address and port to serve on";
    data: PathBuf = "./data", "Folder for everything Mellow keeps";
    public_url: PublicUrl = "", "Where people reach this Mellow; empty: by address, or as localhost";
    signup: SignUps = "open", "Who may sign up: open or closed";
    site_timezone: Zone = "UTC", "Whose midnight changes the daily theme, as the IANA names it";
    themes_file: ThemesFile = "", "File with the daily themes; empty: Mellow's own sixty";
    login_hides_accounts: bool = "false", "Log in says the same for an unknown address as for a wrong password";
    log: LogLevel = "info", "What goes to the log: off, error, warn, info or debug";
    metrics_public: bool = "false", "Serve /metrics to everybody, not to this machine alone";
    sockets_max: u64 = limits::SOCKETS_MAX, "Sockets in all [sockets, 0 = off]";
    sockets_per_login: u64 = limits::SOCKETS_PER_LOGIN, "Sockets of one login [sockets, 0 = off]";
    sockets_per_address: u64 = limits::SOCKETS_PER_ADDRESS, "Sockets from one network address [sockets, 0 = off]";
    requests_per_second: u64 = limits::REQUESTS_PER_SECOND, "Requests of one person, all sockets; four times as many at once [per second, 0 = off]";
    posts_per_day: u64 = limits::POSTS_PER_DAY, "Posts of one person [per day, 0 = off]";
    edits_per_hour: u64 = limits::EDITS_PER_HOUR, "Edits of one person's posts [per hour, 0 = off]";
    comments_per_hour: u64 = limits::COMMENTS_PER_HOUR, "Comments of one person [per hour, 0 = off]";
    follows_per_day: u64 = limits::FOLLOWS_PER_DAY, "New follows of one person [per day, 0 = off]";
    votes_per_minute: u64 = limits::VOTES_PER_MINUTE, "Votes of one person [per minute, 0 = off]";
    searches_per_minute: u64 = limits::SEARCHES_PER_MINUTE, "Searches of one person [per minute, 0 = off]";
    uploads_per_day: u64 = limits::UPLOADS_PER_DAY, "Pictures one person sends [per day, 0 = off]";
    chunks_per_second: u64 = limits::CHUNKS_PER_SECOND, "Chunks of pictures of one person; four times as many at once [per second, 0 = off]";
    upload_mib_per_day: u64 = limits::UPLOAD_MIB_PER_DAY, "Pictures one person sends, together [MiB per day, 0 = off]";
    media_mib_per_user: u64 = limits::MEDIA_MIB_PER_USER, "Pictures of one person that are kept, together [MiB, 0 = off]";
    profile_edits_per_hour: u64 = limits::PROFILE_EDITS_PER_HOUR, "Changes of one person's profile and photo [per hour, 0 = off]";
    polls_per_day: u64 = limits::POLLS_PER_DAY, "Polls of one person [per day, 0 = off]";
    groups_per_owner: u64 = limits::GROUPS_PER_OWNER, "Groups of one owner [groups, 200 at most, 0 = 200]";
    members_per_group: u64 = limits::MEMBERS_PER_GROUP, "Members of one group [people, 1,000 at most, 0 = 1,000]";
    group_changes_per_hour: u64 = limits::GROUP_CHANGES_PER_HOUR, "Groups one person makes or renames, and additions to them [per hour, 0 = off]";
    exports_per_day: u64 = limits::EXPORTS_PER_DAY, "Exports of one person's data [per day, 0 = off]";
    mails_per_hour: u64 = limits::MAILS_PER_HOUR, "Mails to one address, and of one account [per hour, 0 = off]";
    smtp_url: SmtpUrl = "", "Mail server, such as smtps://name:password@mail.example.org; empty: mail lies in the folder outbox of the data";
    smtp_from: SmtpFrom = "", "Whom mail is from, such as Mellow <mellow@example.org>; empty: mellow at the name of public_url";
    smtp_ca: SmtpCa = "", "File with certificates (PEM) to trust for mail besides the system's; empty for none";
    disk_free_mib_min: u64 = limits::DISK_FREE_MIB_MIN, "Disk that pictures leave free [MiB, 0 = off]";
    logins_per_quarter: u64 = limits::LOGINS_PER_QUARTER, "Failed log-ins, per account from one address; ten times as many per address [per 15 minutes, 0 = off]";
    sign_ups_per_hour: u64 = limits::SIGN_UPS_PER_HOUR, "Sign-ups from one network address [per hour, 0 = off]";
    password_memory_kib: MemoryKib = limits::PASSWORD_MEMORY_KIB, "Memory of one password hash [KiB, at least 8]";
    workers: Workers = 0, "Threads that serve sockets [threads, 0 = one per core]";
}

/// Why there are no settings.
#[derive(Debug)]
pub enum Stop {
    /// `--help` or `--version`: the text to print.
    Told(String),
    /// Wrong usage: the sentence to print.
    Wrong(String),
}

fn command() -> Command {
    let mut serve = Command::new("serve").about("Serve Mellow (the default)").after_help(
        "Each setting can also be given as MELLOW_<NAME> in the environment or as <name> = <value> in mellow.toml \
         beside where Mellow is started. Flags win over the environment, the environment over the file.",
    );
    let mut shared = Vec::new();
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
        serve = serve.arg(flag);
    }
    Command::new("mellow")
        .version(version())
        .about("A mindful social network: a live server with its web app inside, in one program.")
        .subcommand_required(false)
        .subcommand(serve)
        .subcommands(usage::commands(shared))
}

/// Returns the version and the commit it was built from.
#[must_use]
pub fn version() -> &'static str {
    concat!(env!("CARGO_PKG_VERSION"), "+", env!("BUILT_FROM_COMMIT"))
}

/// Says where a file of settings cannot be read, without repeating the line: it may hold a password.
fn toml_fault(file: &Path, text: &str, why: &toml::de::Error) -> String {
    let before = why.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    format!("{}, line {line}: {}", file.display(), why.message())
}

/// What was called for.
#[derive(Debug)]
pub struct Called {
    /// The settings to do it with.
    pub config: Config,
    /// None: to serve.
    pub command: Option<control::Command>,
}

/// Reads the settings of a server.
///
/// # Errors
/// [`Stop`]: what to print instead of serving.
pub fn read(
    arguments: impl IntoIterator<Item = OsString>,
    environment: impl IntoIterator<Item = (String, String)>,
    file: &Path,
) -> Result<Config, Stop> {
    called(arguments, environment, file).map(|called| called.config)
}

/// Reads what was called for, and the settings.
///
/// # Errors
/// [`Stop`]: what to print instead of doing anything.
pub fn called(
    arguments: impl IntoIterator<Item = OsString>,
    environment: impl IntoIterator<Item = (String, String)>,
    file: &Path,
) -> Result<Called, Stop> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    // `mellow --listen ...` serves, as `mellow` alone does.
    let first = arguments.get(1).and_then(|first| first.to_str()).unwrap_or("");
    let is_top = matches!(first, "-h" | "--help" | "-V" | "--version");
    if !is_top && (first.is_empty() || first.starts_with('-')) {
        arguments.insert(1, "serve".into());
    }
    let matches = command().try_get_matches_from(arguments).map_err(|why| {
        if why.use_stderr() { Stop::Wrong(why.to_string()) } else { Stop::Told(why.to_string()) }
    })?;

    let mut texts: HashMap<String, (String, String)> = HashMap::new();
    let known = |name: &str| table().iter().any(|(known, _, _)| *known == name);
    let names = || table().iter().map(|(name, _, _)| *name).collect::<Vec<_>>().join(", ");
    match std::fs::read_to_string(file) {
        Ok(text) => {
            let table: toml::Table =
                text.parse().map_err(|why| Stop::Wrong(toml_fault(file, &text, &why)))?;
            for (name, value) in table {
                if !known(&name) {
                    return Err(Stop::Wrong(format!(
                        "{}: there is no setting {name}; there are {}",
                        file.display(),
                        names()
                    )));
                }
                let value = match value {
                    toml::Value::String(text) => text,
                    toml::Value::Integer(number) => number.to_string(),
                    toml::Value::Boolean(switch) => switch.to_string(),
                    _ => {
                        return Err(Stop::Wrong(format!(
                            "{}: {name} takes a text, a number, true or false",
                            file.display()
                        )));
                    }
                };
                texts.insert(name, (value, file.display().to_string()));
            }
        }
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => {}
        Err(why) => return Err(Stop::Wrong(format!("{}: {why}", file.display()))),
    }
    for (variable, value) in environment {
        let Some(name) = variable.strip_prefix("MELLOW_").map(str::to_lowercase) else { continue };
        if !known(&name) {
            return Err(Stop::Wrong(format!(
                "{variable}: there is no setting {name}; there are {}",
                names()
            )));
        }
        texts.insert(name, (value, variable));
    }
    let mut command = None;
    if let Some((name, typed)) = matches.subcommand() {
        command = usage::read(name, typed).map_err(Stop::Wrong)?;
        for (name, _, _) in table() {
            if let Ok(Some(value)) = typed.try_get_one::<String>(name) {
                let flag = format!("--{}", name.replace('_', "-"));
                texts.insert(name.into(), (value.clone(), flag));
            }
        }
    }
    let config = Config::from_texts(&texts).map_err(Stop::Wrong)?;
    Ok(Called { config, command })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(arguments: &[&str], environment: &[(&str, &str)], file: &str) -> Result<Config, Stop> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mellow.toml");
        std::fs::write(&path, file).unwrap();
        let arguments = std::iter::once("mellow").chain(arguments.iter().copied()).map(OsString::from);
        let environment = environment.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        read(arguments, environment, &path)
    }

    #[test]
    fn a_flag_wins_over_the_environment_and_that_over_the_file() {
        let file = "posts_per_day = 1\ncomments_per_hour = 1\nvotes_per_minute = 1";
        let environment = [("MELLOW_COMMENTS_PER_HOUR", "2"), ("MELLOW_VOTES_PER_MINUTE", "2")];
        let config = settings(&["serve", "--votes-per-minute", "3"], &environment, file).unwrap();
        assert_eq!((config.posts_per_day, config.comments_per_hour, config.votes_per_minute), (1, 2, 3));
    }

    #[test]
    fn serving_is_what_happens_without_a_word() {
        assert_eq!(settings(&[], &[], "").unwrap().listen.to_string(), "127.0.0.1:8080");
        assert_eq!(settings(&["--listen", "127.0.0.1:9"], &[], "").unwrap().listen.port(), 9);
    }

    #[test]
    fn a_setting_that_cannot_be_is_named_with_what_is_accepted() {
        let Err(Stop::Wrong(why)) = settings(&["--listen", "here"], &[], "") else { panic!("accepted") };
        assert!(why.contains("listen") && why.contains("127.0.0.1:8080"), "{why}");
        let Err(Stop::Wrong(why)) = settings(&[], &[("MELLOW_COLOUR", "sage")], "") else {
            panic!("accepted")
        };
        assert!(why.contains("MELLOW_COLOUR"), "{why}");
        let Err(Stop::Wrong(why)) = settings(&[], &[], "colour = 1") else { panic!("accepted") };
        assert!(why.contains("colour"), "{why}");
    }

    #[test]
    fn a_number_beyond_reason_is_refused_by_name() {
        for (flag, value) in [
            ("--requests-per-second", "18446744073709551615"),
            ("--password-memory-kib", "4294967295"),
            ("--password-memory-kib", "7"),
            ("--workers", "100000"),
            ("--public-url", "https://:x"),
            ("--public-url", "https://a.example/path"),
        ] {
            let Err(Stop::Wrong(why)) = settings(&[flag, value], &[], "") else { panic!("{flag} {value}") };
            assert!(why.contains(&flag[2..].replace('-', "_")), "{why}");
        }
    }

    #[test]
    fn a_public_url_is_kept_as_browsers_say_it() {
        let kept = |url: &str| settings(&["--public-url", url], &[], "").unwrap().public_url.0;
        assert_eq!(kept("https://Mellow.Example:443/").as_deref(), Some("https://mellow.example"));
        assert_eq!(kept("http://mellow.example:8080").as_deref(), Some("http://mellow.example:8080"));
        assert_eq!(kept("http://[::1]:8080").as_deref(), Some("http://[::1]:8080"));
        assert_eq!(kept("https://[::1]").as_deref(), Some("https://[::1]"));
    }

    #[test]
    fn a_password_is_told_to_nobody_however_wrong_it_is_set() {
        let url = "smtp://ana:hush@mail.example.org?tls=none";
        let file = format!("smtp_url = \"{url}\"");
        let quoteless = format!("posts_per_day = 1\nsmtp_url = \"{url}");
        let bare = format!("smtp_url = {url}");
        for (arguments, file) in
            [(&["--smtp-url", url][..], ""), (&[], &file), (&[], &quoteless), (&[], &bare)]
        {
            let Err(Stop::Wrong(why)) = settings(arguments, &[], file) else { panic!("accepted") };
            assert!(!why.contains("hush"), "{why}");
            assert!(why.contains("smtp_url") || why.contains("line"), "{why}");
        }
        let config = settings(&["--smtp-url", "smtps://ana:hush@mail.example.org"], &[], "").unwrap();
        assert!(!format!("{config:?}").contains("hush"));
    }

    #[test]
    fn help_tells_each_setting_its_unit_and_default() {
        let Err(Stop::Told(help)) = settings(&["serve", "--help"], &[], "") else { panic!("served") };
        for (name, default, _) in table() {
            assert!(help.contains(&name.replace('_', "-")), "{name}");
            assert!(help.contains(&default), "{name}: {default}");
        }
    }
}
