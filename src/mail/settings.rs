//! The mail settings of the host. Pure: no name is resolved here.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use lettre::Address;
use lettre::message::Mailbox;
use lettre::transport::smtp::extension::ClientId;

/// How the connection to the mail server is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tls {
    /// From the first byte (`smtps://`).
    Always,
    /// From STARTTLS on. Without it nothing is sent.
    Required,
    /// From STARTTLS on, if the server offers it.
    Offered,
    /// Never encrypted.
    Never,
}

/// A mail server, and how to connect to it.
#[derive(Clone, PartialEq, Eq)]
pub struct Server {
    pub host: String,
    pub port: u16,
    pub tls: Tls,
    /// Name and password; None if the server asks for none.
    pub login: Option<(String, String)>,
}

// The password stays out of every log line.
impl fmt::Debug for Server {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{}:{} {:?}", self.host, self.port, self.tls)
    }
}

/// The setting `smtp_url`: the mail server. None means that mails go to the outbox folder.
#[derive(Clone, Debug)]
pub struct SmtpUrl(pub Option<Server>);

/// The accepted format of `smtp_url`.
pub const SMTP_URL_ACCEPTED: &str = "an address such as smtps://name:password@mail.example.org or \
    smtp://name:password@mail.example.org:587, with ?tls=required (the usual), opportunistic or none after smtp://; \
    a name and password only with TLS or to this machine; special characters as %40; empty for none";

impl SmtpUrl {
    /// Reads the setting.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self(None));
        }
        let (scheme, rest) = text.split_once("://")?;
        let (address, query) =
            rest.split_once('?').map_or((rest, None), |(address, query)| (address, Some(query)));
        let address = address.strip_suffix('/').unwrap_or(address);
        let (login, address) = match address.rsplit_once('@') {
            Some((login, address)) => (Some(read_login(login)?), address),
            None => (None, address),
        };
        let (host, port) = read_host_and_port(address)?;
        // On this machine the connection cannot be intercepted, and the server's certificate is often self-signed.
        let is_local = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        let tls = match (scheme, query) {
            ("smtps", None) => Tls::Always,
            ("smtp", Some("tls=required")) => Tls::Required,
            ("smtp", Some("tls=opportunistic")) => Tls::Offered,
            ("smtp", Some("tls=none")) => Tls::Never,
            ("smtp", None) if !is_local => Tls::Required,
            ("smtp", None) if login.is_some() => Tls::Offered,
            ("smtp", None) => Tls::Never,
            _ => return None,
        };
        if login.is_some() && !is_local && matches!(tls, Tls::Offered | Tls::Never) {
            return None;
        }
        let usual = match (tls, is_local) {
            (Tls::Always, _) => 465,
            (Tls::Never, true) => 25,
            _ => 587,
        };
        Some(Self(Some(Server { host, port: port.unwrap_or(usual), tls, login })))
    }
}

fn read_login(login: &str) -> Option<(String, String)> {
    let (name, password) = login.split_once(':')?;
    let (name, password) = (plain(name)?, plain(password)?);
    (!name.is_empty() && !password.is_empty()).then_some((name, password))
}

fn read_host_and_port(address: &str) -> Option<(String, Option<u16>)> {
    let (host, port) = match address.strip_prefix('[') {
        // An IPv6 address.
        Some(rest) => {
            let (host, after) = rest.split_once(']')?;
            host.parse::<std::net::Ipv6Addr>().ok()?;
            (host, if after.is_empty() { None } else { Some(after.strip_prefix(':')?) })
        }
        None => match address.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (address, None),
        },
    };
    let sound = !host.is_empty()
        && (host.chars().all(|c| c.is_alphanumeric() || "-._".contains(c)) || address.starts_with('['));
    let port = match port {
        Some(port) => Some(port.parse::<u16>().ok().filter(|port| *port > 0)?),
        None => None,
    };
    sound.then(|| (host.to_lowercase(), port))
}

/// Decodes percent-encoded characters such as `%40`. Control characters are refused.
fn plain(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first == b'%' {
            let (digits, after) = after.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = after;
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok().filter(|text| !text.chars().any(char::is_control))
}

/// The setting `smtp_from`: the sender; by default Mellow at the host name of `public_url`.
#[derive(Clone, Debug)]
pub struct SmtpFrom(pub Option<Mailbox>);

/// The accepted format of `smtp_from`.
pub const SMTP_FROM_ACCEPTED: &str = "a sender such as Mellow <mellow@example.org>; empty for the usual";

impl SmtpFrom {
    /// Reads the setting. The host name is brought into ASCII, because most mail servers accept no other.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self(None));
        }
        let from: Mailbox = text.parse().ok().filter(|_| !text.chars().any(char::is_control))?;
        let host = idna::domain_to_ascii(from.email.domain()).ok()?;
        let address = Address::new(from.email.user(), host).ok()?;
        Some(Self(Some(Mailbox::new(from.name, address))))
    }

    /// Returns the sender, for a server at `public_url`.
    #[must_use]
    pub fn mailbox(&self, public_url: Option<&str>) -> Mailbox {
        if let Some(from) = &self.0 {
            return from.clone();
        }
        let address =
            public_url.and_then(|url| url.split_once("://")).map_or("localhost", |(_, address)| address);
        let host = match read_host_and_port(address) {
            Some((host, _)) if host.parse::<IpAddr>().is_err() => host,
            // Without a host name there is no valid address.
            _ => "localhost".to_owned(),
        };
        let host = idna::domain_to_ascii(&host).unwrap_or_else(|_| "localhost".to_owned());
        let address =
            Address::new("mellow", host).unwrap_or_else(|_| Address::new_dangerous("mellow", "localhost"));
        Mailbox::new(Some("Mellow".into()), address)
    }
}

/// The setting `smtp_hello`: the name with which Mellow greets the mail server (EHLO). Many mail servers refuse a name
/// without a dot, such as the name of a container.
#[derive(Clone, Debug)]
pub struct SmtpHello(pub Option<String>);

/// The accepted format of `smtp_hello`.
pub const SMTP_HELLO_ACCEPTED: &str =
    "a host name with a dot, such as mellow.example.org; empty for the usual";

impl SmtpHello {
    /// Reads the setting.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self(None));
        }
        host_name(text).map(|name| Self(Some(name)))
    }

    /// Returns the name, for a server at `public_url`: that of the setting, the host of `public_url`, or the name of
    /// this machine, whichever is the first with a dot. Without any it is an address of this machine.
    #[must_use]
    pub fn name(&self, public_url: Option<&str>) -> ClientId {
        if let Some(name) = &self.0 {
            return ClientId::Domain(name.clone());
        }
        let address = public_url.and_then(|url| url.split_once("://")).map(|(_, address)| address);
        let host = address.and_then(read_host_and_port).map(|(host, _)| host);
        match host.as_deref().map(str::parse::<IpAddr>) {
            Some(Ok(IpAddr::V4(ip))) => return ClientId::Ipv4(ip),
            Some(Ok(IpAddr::V6(ip))) => return ClientId::Ipv6(ip),
            _ => {}
        }
        let machine = match ClientId::default() {
            ClientId::Domain(name) => host_name(&name),
            _ => None,
        };
        let name = host.as_deref().and_then(host_name).or(machine);
        name.map_or(ClientId::Ipv4(Ipv4Addr::LOCALHOST), ClientId::Domain)
    }
}

/// Returns a host name in ASCII; None if it has no dot or is no name.
fn host_name(text: &str) -> Option<String> {
    let name = idna::domain_to_ascii_strict(text.trim_end_matches('.')).ok()?;
    (name.contains('.') && name.parse::<IpAddr>().is_err()).then_some(name)
}

/// The setting `smtp_ca`: certificates that are trusted in addition to those of the system.
#[derive(Clone, Debug)]
pub struct SmtpCa(pub Option<PathBuf>);

/// The accepted format of `smtp_ca`.
pub const SMTP_CA_ACCEPTED: &str = "a file with certificates (PEM); empty for none";

impl SmtpCa {
    /// Reads the setting.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        Some(Self((!text.is_empty()).then(|| text.into())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(url: &str) -> Server {
        SmtpUrl::read(url).and_then(|url| url.0).unwrap_or_else(|| panic!("{url} is refused"))
    }

    #[test]
    fn a_mail_server_on_another_machine_is_used_with_tls_by_default() {
        for (url, host, port, tls) in [
            ("smtps://a:b@mail.example.org", "mail.example.org", 465, Tls::Always),
            ("smtps://mail.example.org:2465/", "mail.example.org", 2465, Tls::Always),
            ("smtp://a:b@Mail.Example.org", "mail.example.org", 587, Tls::Required),
            ("smtp://mail.example.org:25?tls=opportunistic", "mail.example.org", 25, Tls::Offered),
            ("smtp://relay?tls=none", "relay", 587, Tls::Never),
            ("smtp://localhost", "localhost", 25, Tls::Never),
            ("smtp://127.0.0.1:1025", "127.0.0.1", 1025, Tls::Never),
            ("smtp://a:b@127.0.0.1:1025", "127.0.0.1", 1025, Tls::Offered),
            ("smtp://a:b@[::1]:1025?tls=required", "::1", 1025, Tls::Required),
            ("smtp://[2001:db8::1]", "2001:db8::1", 587, Tls::Required),
        ] {
            let server = server(url);
            assert_eq!((server.host.as_str(), server.port, server.tls), (host, port, tls), "{url}");
        }
        assert!(SmtpUrl::read("").unwrap().0.is_none());
    }

    #[test]
    fn a_name_and_password_may_have_special_characters() {
        let login = server("smtps://ana%40example.org:p%3A%40%2Fss@mail.example.org").login.unwrap();
        assert_eq!(login, ("ana@example.org".into(), "p:@/ss".into()));
    }

    #[test]
    fn an_invalid_address_of_a_mail_server_is_refused() {
        for url in [
            "mail.example.org",
            "http://mail.example.org",
            "smtp://",
            "smtp://:25",
            "smtp://mail.example.org:0",
            "smtp://mail.example.org:99999",
            "smtp://mail.example.org:port",
            "smtp://mail.example.org/inbox",
            "smtp://a@mail.example.org",
            "smtp://a:@mail.example.org",
            "smtp://a:%zz@mail.example.org",
            "smtp://a:%0d%0aQUIT@mail.example.org",
            "smtp://[::1",
            "smtp://[mail]",
            "smtp://mail.example.org?tls=perhaps",
            "smtps://mail.example.org?tls=none",
            // A password in clear text, over a public network.
            "smtp://a:b@mail.example.org?tls=opportunistic",
            "smtp://a:b@mail.example.org?tls=none",
        ] {
            assert!(SmtpUrl::read(url).is_none(), "{url}");
        }
    }

    #[test]
    fn the_password_is_never_shown() {
        let shown = format!("{:?}", SmtpUrl::read("smtps://ana:hush@mail.example.org"));
        assert!(shown.contains("mail.example.org") && !shown.contains("hush"), "{shown}");
    }

    #[test]
    fn mail_is_from_mellow_at_its_own_name() {
        let from = |text: &str, url| SmtpFrom::read(text).unwrap().mailbox(url).to_string();
        assert_eq!(from("", None), "Mellow <mellow@localhost>");
        assert_eq!(from("", Some("https://mellow.example.org")), "Mellow <mellow@mellow.example.org>");
        assert_eq!(from("", Some("http://mellow.example:8080")), "Mellow <mellow@mellow.example>");
        assert_eq!(from("", Some("http://192.168.0.7:8080")), "Mellow <mellow@localhost>");
        assert_eq!(from("", Some("http://[::1]:8080")), "Mellow <mellow@localhost>");
        assert_eq!(from("", Some("https://müsli.example")), "Mellow <mellow@xn--msli-0ra.example>");
        assert_eq!(from("hi@example.org", Some("https://x.example")), "hi@example.org");
        // Most mail servers accept host names in ASCII alone.
        assert_eq!(from("Mellow <hi@müsli.example>", None), "Mellow <hi@xn--msli-0ra.example>");
        for text in ["mellow", "Mellow <>", "Mellow <a@b.example>\r\nBcc: c@d.example"] {
            assert!(SmtpFrom::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn mellow_greets_a_mail_server_with_a_name_that_has_a_dot() {
        let name = |text: &str, url| SmtpHello::read(text).unwrap().name(url).to_string();
        assert_eq!(name("mail.example.org", Some("https://mellow.example.org")), "mail.example.org");
        assert_eq!(name("", Some("https://mellow.example.org:8443")), "mellow.example.org");
        assert_eq!(name("", Some("https://müsli.example")), "xn--msli-0ra.example");
        assert_eq!(name("", Some("http://192.168.0.7:8080")), "[192.168.0.7]");
        assert_eq!(name("", Some("http://[::1]:8080")), "[IPv6:::1]");
        for url in [None, Some("http://mellow"), Some("http://localhost:8080")] {
            let name = name("", url);
            assert!(name.contains('.'), "{name}");
        }
        for text in
            ["mellow", "mail .example.org", "mail.example.org\r\nMAIL FROM:<>", "127.0.0.1", "-.example"]
        {
            assert!(SmtpHello::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn lv6_an_almost_valid_address_of_a_mail_server_is_read_or_refused() {
        let valid = [
            "smtps://na%20me:pass@mail.example.org:465",
            "smtp://[::1]:25?tls=none",
            "smtp://mail.example.org",
        ];
        crate::testing::fuzz::text(&valid, |raw| {
            let Some(SmtpUrl(Some(server))) = SmtpUrl::read(raw) else { return };
            assert!(!server.host.is_empty());
            let is_local =
                server.host == "localhost" || server.host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
            let is_open = matches!(server.tls, Tls::Never | Tls::Offered);
            assert!(server.login.is_none() || is_local || !is_open, "a password in the open");
        });
    }
}
