//! The settings of the host: flags override `MELLOW_*`, which overrides `mellow.toml`, which overrides the defaults.
//!
//! The table below lists each setting once, with its unit, default and help. An unknown setting or an impossible value
//! stops the start with a sentence that names the setting and what it accepts. `cli.rs` reads the flags.
//!
//! clap reads only the flags. Its `env` is not used: it reads the environment of the process, which tests cannot
//! replace, and it repeats a wrong value, which may be a password. Its `default_value` is not used: a default would
//! override the file.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use url::Url;

use crate::cluster::settings::{
    BROKERS_ACCEPTED, Brokers, OPTIONAL_FILE_ACCEPTED, OptionalFile, SITE_ACCEPTED, SiteName,
};
use crate::languages::is_tag;
use crate::limits;
use crate::mail::settings::{
    SMTP_CA_ACCEPTED, SMTP_FROM_ACCEPTED, SMTP_HELLO_ACCEPTED, SMTP_URL_ACCEPTED, SmtpCa, SmtpFrom,
    SmtpHello, SmtpUrl,
};
use crate::networks::Networks;
use crate::wire::named;
use crate::zones::Zone;

/// How a setting is read from text.
trait Setting: Sized {
    const ACCEPTED: &str;
    /// Whether the value is a secret. The message about an invalid secret does not repeat it, because others may read
    /// the log.
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
    const ACCEPTED: &str = "open, invite or closed";
    fn read(text: &str) -> Option<Self> {
        Self::of_word(text)
    }
}

impl Setting for Inviters {
    const ACCEPTED: &str = "members, host or off";
    fn read(text: &str) -> Option<Self> {
        Self::of_word(text)
    }
}

impl Setting for Switch {
    const ACCEPTED: &str = "on or off";
    fn read(text: &str) -> Option<Self> {
        Self::of_word(text)
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
    /// Reads an address as browsers do, because they send it in their form alone.
    fn read(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self { origin: None, typed: None });
        }
        let mut url = Url::parse(text).ok()?;
        let is_bare = matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none()
            && url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.port() != Some(0);
        // Browsers keep the full stop that ends a complete host name. Nobody types it.
        let name = url.host_str().filter(|_| is_bare)?.to_owned();
        if let Some(name) = name.strip_suffix('.') {
            url.set_host(Some(name)).ok()?;
        }
        let is_name = url.host_str().is_some_and(|name| !name.ends_with('.'));
        let origin = url.origin().ascii_serialization();
        let typed = (text.trim_end_matches('/') != origin).then(|| text.to_owned());
        is_name.then_some(Self { origin: Some(origin), typed })
    }
}

impl Setting for SmtpUrl {
    const ACCEPTED: &str = SMTP_URL_ACCEPTED;
    const SECRET: bool = true;
    fn read(text: &str) -> Option<Self> {
        Self::read(text)
    }
}

impl Setting for SmtpFrom {
    const ACCEPTED: &str = SMTP_FROM_ACCEPTED;
    fn read(text: &str) -> Option<Self> {
        Self::read(text)
    }
}

impl Setting for SmtpHello {
    const ACCEPTED: &str = SMTP_HELLO_ACCEPTED;
    fn read(text: &str) -> Option<Self> {
        Self::read(text)
    }
}

impl Setting for SmtpCa {
    const ACCEPTED: &str = SMTP_CA_ACCEPTED;
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

impl Setting for Networks {
    const ACCEPTED: &str = "networks with commas between them, such as 127.0.0.0/8, ::1; empty for none";
    fn read(text: &str) -> Option<Self> {
        Self::read(text)
    }
}

impl Setting for Brokers {
    const ACCEPTED: &str = BROKERS_ACCEPTED;
    /// An address may hold a name and a password.
    const SECRET: bool = true;
    fn read(text: &str) -> Option<Self> {
        Self::read(text)
    }
}

impl Setting for OptionalFile {
    const ACCEPTED: &str = OPTIONAL_FILE_ACCEPTED;
    fn read(text: &str) -> Option<Self> {
        Some(Self::named(text))
    }
}

impl Setting for SiteName {
    const ACCEPTED: &str = SITE_ACCEPTED;
    fn read(text: &str) -> Option<Self> {
        Self::read(text)
    }
}

impl Setting for LanguageTag {
    const ACCEPTED: &str = "the tag of a language, such as en, de or pt-BR";
    fn read(text: &str) -> Option<Self> {
        is_tag(text).then(|| Self(text.into()))
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
    /// People with an invitation.
    Invite,
    Closed,
}

named!(SignUps { Open = "open", Invite = "invite", Closed = "closed" });

/// Who may make invitations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inviters {
    Members,
    /// The host alone. Invitations that members made earlier still work.
    Host,
    /// Nobody. No invitation works.
    Off,
}

named!(Inviters { Members = "members", Host = "host", Off = "off" });

/// A setting that is on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    On,
    Off,
}

named!(Switch { On = "on", Off = "off" });

/// Memory of one password hash, in KiB.
#[derive(Clone, Copy, Debug)]
pub struct MemoryKib(pub u64);

/// Threads that serve sockets; 0 = one per core.
#[derive(Clone, Copy, Debug)]
pub struct Workers(pub u64);

/// The lowest level that is logged.
#[derive(Clone, Copy, Debug)]
pub struct LogLevel(pub log::LevelFilter);

/// The tag of a language. The start finds out whether Mellow has it.
#[derive(Clone, Debug)]
pub struct LanguageTag(pub String);

/// The file with the host's own themes, if there is one.
#[derive(Clone, Debug)]
pub struct ThemesFile(pub Option<PathBuf>);

/// The address at which people reach this server.
#[derive(Clone, Debug)]
pub struct PublicUrl {
    /// The address as browsers write it: the host name in ASCII and in small letters, without the usual port. None if
    /// it is not known.
    pub origin: Option<String>,
    /// The text of the setting, if it differs from `origin`.
    pub typed: Option<String>,
}

impl PublicUrl {
    /// Returns whether people connect over TLS. Cookies are then marked `Secure`.
    #[must_use]
    pub fn is_secure(&self) -> bool {
        self.origin.as_ref().is_some_and(|url| url.starts_with("https://"))
    }

    /// Returns the port that browsers omit.
    #[must_use]
    pub fn usual_port(&self) -> &'static str {
        if self.is_secure() { "443" } else { "80" }
    }
}

macro_rules! settings {
    ($($name:ident: $kind:ty = $default:expr, $help:literal;)*) => {
        /// The settings of a running Mellow.
        #[derive(Clone, Debug)]
        pub struct Settings {
            $(#[doc = $help] pub $name: $kind,)*
        }

        /// Returns the name, default and help of each setting.
        #[must_use]
        pub fn table() -> Vec<(&'static str, String, &'static str)> {
            vec![$((stringify!($name), $default.to_string(), $help)),*]
        }

        impl Settings {
            fn from_texts(texts: &HashMap<String, SourcedText>) -> Result<Self, String> {
                Ok(Self {
                    $($name: match texts.get(stringify!($name)) {
                        Some(SourcedText { text, source }) => <$kind>::read(text).ok_or_else(|| {
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
    data: PathBuf = "./data", "Folder for all data";
    public_url: PublicUrl = "", "Address at which people reach this server; empty: they use its IP address or localhost";
    trusted_proxies: Networks = "127.0.0.0/8, ::1", "Networks of the proxies whose X-Forwarded-For is believed, with commas between them; empty: none";
    signup: SignUps = "open", "Who may sign up: open (everybody), invite (people with an invitation) or closed (nobody)";
    invites: Inviters = "members", "Who may make invitations: members, host (only the host; earlier invitations of members still work) or off (nobody; no invitation works)";
    invite_days: u64 = limits::INVITE_DAYS, "How long an invitation works [days, 0 = for ever]";
    invite_uses: u64 = limits::INVITE_USES, "People who may sign up with one invitation [people, 0 = no limit]";
    invites_per_day: u64 = limits::INVITES_PER_DAY, "Invitations that one person makes [per day, 0 = no limit]";
    reports_per_day: u64 = limits::REPORTS_PER_DAY, "Reports of one person to the host [per day, 0 = no limit]";
    directory: Switch = "on", "List of the users under Search: on or off";
    language: LanguageTag = "en", "Language for browsers whose languages Mellow does not have, and of mails to accounts that never said theirs, by its tag";
    site_timezone: Zone = "UTC", "Time zone whose midnight changes the daily theme, by its IANA name";
    themes_file: ThemesFile = "", "File with the daily themes; empty: Mellow's own sixty";
    login_hides_accounts: bool = "false", "Hide, at log-in and at a change of address, whether an address has an account";
    passkeys: Switch = "on", "Passkeys (a second way to log in; they need https and a host name, or localhost): on or off; off keeps them";
    log: LogLevel = "info", "Lowest level that is logged: off, error, warn, info or debug";
    metrics_public: bool = "false", "Serve /metrics to everybody; false: only to this machine";
    sockets_max: u64 = limits::SOCKETS_MAX, "Sockets in all [sockets, 0 = as many as the system allows]";
    sockets_per_login: u64 = limits::SOCKETS_PER_LOGIN, "Sockets of one login [sockets, 0 = no limit]";
    sockets_per_address: u64 = limits::SOCKETS_PER_ADDRESS, "Sockets from one network address [sockets, 0 = no limit]";
    http_connections_per_address: u64 = limits::HTTP_CONNECTIONS_PER_ADDRESS, "Connections from one network address that are not sockets [connections, 0 = no limit]";
    http_requests_per_minute: u64 = limits::HTTP_REQUESTS_PER_MINUTE, "Requests over HTTP from one network address, handshakes of sockets included [per minute, 0 = no limit]";
    requests_per_second: u64 = limits::REQUESTS_PER_SECOND, "Requests of one person on all sockets; bursts may be four times as large [per second, 0 = no limit]";
    posts_per_day: u64 = limits::POSTS_PER_DAY, "Posts of one person [per day, 0 = no limit]";
    edits_per_hour: u64 = limits::EDITS_PER_HOUR, "Edits of one person's posts [per hour, 0 = no limit]";
    comments_per_hour: u64 = limits::COMMENTS_PER_HOUR, "Comments of one person [per hour, 0 = no limit]";
    follows_per_day: u64 = limits::FOLLOWS_PER_DAY, "New follows of one person [per day, 0 = no limit]";
    votes_per_minute: u64 = limits::VOTES_PER_MINUTE, "Votes of one person [per minute, 0 = no limit]";
    searches_per_minute: u64 = limits::SEARCHES_PER_MINUTE, "Searches of one person [per minute, 0 = no limit]";
    suggestions_per_minute: u64 = limits::SUGGESTIONS_PER_MINUTE, "Suggestions of people to mention, for one person [per minute, 0 = no limit]";
    uploads_per_day: u64 = limits::UPLOADS_PER_DAY, "Pictures that one person uploads [per day, 0 = no limit]";
    uploads_per_address: u64 = limits::UPLOADS_PER_ADDRESS, "Uploads that are open at a time from one network address [uploads, 0 = no limit]";
    chunks_per_second: u64 = limits::CHUNKS_PER_SECOND, "Chunks of pictures that one person uploads; bursts may be four times as large [per second, 0 = no limit]";
    upload_mib_per_day: u64 = limits::UPLOAD_MIB_PER_DAY, "Total size of the pictures that one person uploads [MiB per day, 0 = no limit]";
    media_mib_per_user: u64 = limits::MEDIA_MIB_PER_USER, "Total size of the stored pictures of one person [MiB, 0 = no limit]";
    profile_edits_per_hour: u64 = limits::PROFILE_EDITS_PER_HOUR, "Changes of one person's profile, photo and privacy [per hour, 0 = no limit]";
    polls_per_day: u64 = limits::POLLS_PER_DAY, "Polls of one person [per day, 0 = no limit]";
    groups_per_owner: u64 = limits::GROUPS_PER_OWNER, "Groups that one person may own [groups, at most 200, 0 = 200]";
    members_per_group: u64 = limits::MEMBERS_PER_GROUP, "Members of one group [people, at most 1,000, 0 = 1,000]";
    group_changes_per_hour: u64 = limits::GROUP_CHANGES_PER_HOUR, "Times that one person creates or renames a group or adds people [per hour, 0 = no limit]";
    import_max_mb: u64 = limits::IMPORT_MAX_MB, "Largest file that one person imports posts from [MiB, 0 = nobody imports posts]";
    imports_per_day: u64 = limits::IMPORTS_PER_DAY, "Files that one person imports posts from [per day, 0 = no limit]";
    exports_per_day: u64 = limits::EXPORTS_PER_DAY, "Exports of one person's data [per day, 0 = no limit]";
    mails_per_hour: u64 = limits::MAILS_PER_HOUR, "Mails to one address that other people cause, and mails that one account causes [per hour, 0 = no limit]";
    backup_every_hours: u64 = limits::BACKUP_EVERY_HOURS, "Time between two backups [hours, 0 = no backups]";
    backups_kept: u64 = limits::BACKUPS_KEPT, "Newest backups that stay in the data folder [backups, 0 = all]";
    login_notices: Switch = "on", "Mails to people about a log-in from a new browser, and about passkeys that were added or removed: on or off";
    backup_before_upgrade: Switch = "on", "Backup before a start that upgrades the schema of the database: on or off";
    smtp_url: SmtpUrl = "", "Mail server, such as smtps://name:password@mail.example.org; empty: mails are written to the folder outbox in the data folder";
    smtp_from: SmtpFrom = "", "Sender of mail, such as Mellow <mellow@example.org>; empty: mellow@ and the host name of public_url";
    smtp_hello: SmtpHello = "", "Name with which Mellow greets the mail server (EHLO), such as mellow.example.org; empty: the host name of public_url";
    smtp_ca: SmtpCa = "", "File with certificates (PEM) that are trusted for mail, in addition to those of the system; empty: none";
    disk_free_mib_min: u64 = limits::DISK_FREE_MIB_MIN, "Free disk space that uploads and backups must leave [MiB, 0 = none]";
    database_free_mib_min: u64 = limits::DATABASE_FREE_MIB_MIN, "Free disk space below which nothing more is written [MiB, 0 = until the disk is full]";
    logins_per_quarter: u64 = limits::LOGINS_PER_QUARTER, "Wrong passwords for one account from one network address; all accounts together have ten times as many [per 15 minutes, 0 = no limit]";
    guesses_per_day: u64 = limits::GUESSES_PER_DAY, "Wrong passwords for one account from all network addresses together [per day, 0 = no limit]";
    sign_ups_per_hour: u64 = limits::SIGN_UPS_PER_HOUR, "Sign-ups from one network address [per hour, 0 = no limit]";
    password_memory_kib: MemoryKib = limits::PASSWORD_MEMORY_KIB, "Memory of one password hash [KiB, at least 8]";
    workers: Workers = 0, "Threads that serve sockets [threads, 0 = one per core]";
    cluster: Brokers = "", "Addresses of the brokers (NATS) that join fronts with their home, with commas between them, such as tls://10.0.0.5:4222, or nats://... without TLS; empty: no fronts";
    cluster_key_file: OptionalFile = "", "File with the key of the cluster, from `mellow cluster-key`; required with cluster";
    cluster_key_file_old: OptionalFile = "", "File with an earlier key that is still accepted, to change keys without a stop; empty: none";
    cluster_nkey_file: OptionalFile = "", "File with the seed of the nkey with which this process logs in to the broker; empty: none";
    cluster_ca: OptionalFile = "", "File with certificates (PEM) that are trusted for the broker; empty: those of the system";
    site: SiteName = "mellow", "First part of every subject at the broker, so that communities may share one [1 to 20 characters, a-z and 0-9]";
}

impl Settings {
    /// Returns whether invitations work: a guest who has one may sign up with it.
    #[must_use]
    pub fn do_invites_work(&self) -> bool {
        self.invites != Inviters::Off && self.signup != SignUps::Closed
    }

    /// Returns whether members make invitations.
    #[must_use]
    pub fn do_members_invite(&self) -> bool {
        self.invites == Inviters::Members && self.do_invites_work()
    }
}

/// The text of a setting, and the file, variable or flag it came from.
struct SourcedText {
    text: String,
    source: String,
}

/// The texts of settings by name. A text that is added later replaces an earlier one.
#[derive(Default)]
pub struct SettingTexts(HashMap<String, SourcedText>);

impl SettingTexts {
    /// Adds the settings of a TOML file. A file that does not exist adds none.
    ///
    /// # Errors
    /// One sentence that says that the file cannot be read, or names an unknown setting.
    pub fn add_file(&mut self, file: &Path) -> Result<(), String> {
        let source = file.display().to_string();
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(why) => return Err(format!("{source}: {why}")),
        };
        let table: toml::Table = text.parse().map_err(|why| toml_fault(file, &text, &why))?;
        for (name, value) in table {
            check_known(&name, &source)?;
            let text = match value {
                toml::Value::String(text) => text,
                toml::Value::Integer(number) => number.to_string(),
                toml::Value::Boolean(switch) => switch.to_string(),
                _ => return Err(format!("{source}: {name} takes a text, a number, true or false")),
            };
            self.add(name, text, source.clone());
        }
        Ok(())
    }

    /// Adds the variables whose names begin with `MELLOW_`.
    ///
    /// # Errors
    /// One sentence that says that a variable names an unknown setting.
    pub fn add_environment(
        &mut self,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<(), String> {
        for (variable, text) in environment {
            let Some(name) = variable.strip_prefix("MELLOW_").map(str::to_lowercase) else { continue };
            check_known(&name, &variable)?;
            self.add(name, text, variable);
        }
        Ok(())
    }

    /// Adds the value of a flag.
    pub fn add_flag(&mut self, name: &str, text: String) {
        self.add(name.into(), text, format!("--{}", name.replace('_', "-")));
    }

    fn add(&mut self, name: String, text: String, source: String) {
        self.0.insert(name, SourcedText { text, source });
    }

    /// Returns the settings. A setting without a text has its default.
    ///
    /// # Errors
    /// One sentence that names the setting with a wrong value and what it accepts.
    pub fn parse(&self) -> Result<Settings, String> {
        Settings::from_texts(&self.0)
    }
}

/// Checks that a setting of this name exists.
fn check_known(name: &str, source: &str) -> Result<(), String> {
    let names: Vec<&str> = table().iter().map(|(name, _, _)| *name).collect();
    if names.contains(&name) {
        return Ok(());
    }
    Err(format!("{source}: there is no setting {name}; there are {}", names.join(", ")))
}

/// Returns the version and the commit it was built from, or what identifies its web app.
#[must_use]
pub const fn version() -> &'static str {
    concat!(env!("CARGO_PKG_VERSION"), "+", env!("BUILT_FROM"))
}

/// Describes why a TOML file cannot be parsed. The line itself is left out because it may hold a password.
fn toml_fault(file: &Path, text: &str, why: &toml::de::Error) -> String {
    let before = why.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    format!("{}, line {line}: {}", file.display(), why.message())
}
