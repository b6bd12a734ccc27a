//! Sends mails over SMTP: one connection for each mail, encrypted as the settings say, with a time limit for each step.

use std::error::Error as _;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::time::Duration;

use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, TlsParameters};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use lettre::transport::smtp::response::Severity;
use lettre::transport::smtp::{Error, commands};
use lettre::{Address, Message};
use tokio::time::timeout;

use super::Failure;
use super::settings::{Server, Tls};
use crate::limits::{MAIL_CONNECT_MS_MAX, MAIL_SEND_MS_MAX};

/// A client of the host's mail server.
pub struct Smtp {
    server: Server,
    /// None if connections are never encrypted.
    tls: Option<TlsParameters>,
    hello: ClientId,
}

impl Smtp {
    /// Makes a client of a server. The server is contacted only when there is a mail. `ca` is a file of certificates
    /// that are trusted in addition to those of the system. `hello` is the name in EHLO.
    ///
    /// # Errors
    /// A sentence for the host that says why it cannot start.
    pub fn open(server: &Server, ca: Option<&Path>, hello: ClientId) -> Result<Self, String> {
        let mut tls = TlsParameters::builder(server.host.clone());
        if let Some(path) = ca {
            let say = |why: &dyn std::fmt::Display| format!("smtp_ca = {}: {why}", path.display());
            let pem = std::fs::read(path).map_err(|why| say(&why))?;
            if !pem.windows(17).any(|window| window == b"BEGIN CERTIFICATE") {
                return Err(say(&"there is no certificate (PEM) in it"));
            }
            tls = tls.add_root_certificate(Certificate::from_pem(&pem).map_err(|why| say(&why))?);
        }
        let tls = match server.tls {
            Tls::Never => None,
            Tls::Always | Tls::Required | Tls::Offered => {
                // Only the host's certificate file can cause an error here.
                let named =
                    ca.map_or_else(|| "smtp_url".into(), |path| format!("smtp_ca = {}", path.display()));
                Some(tls.build().map_err(|why| format!("{named}: {why}"))?)
            }
        };
        Ok(Self { server: server.clone(), tls, hello })
    }

    /// Sends a mail.
    pub async fn send(&self, message: &Message) -> Result<(), Failure> {
        let sending = timeout(Duration::from_millis(MAIL_SEND_MS_MAX), self.deliver(message));
        let mut line = match sending.await {
            Ok(sent) => sent?,
            Err(_) => return Err(Failure::Later("the mail server takes too long".into())),
        };
        // The server has accepted the mail, so it counts as sent even if the connection closes slowly.
        let _ = timeout(Duration::from_secs(1), line.abort()).await;
        Ok(())
    }

    async fn deliver(&self, message: &Message) -> Result<AsyncSmtpConnection, Failure> {
        let mut line = self.connect().await?;
        let (envelope, bytes) = (message.envelope(), message.formatted());
        let mut parameters = Vec::new();
        let info = line.server_info();
        let accepts_all =
            info.supports_feature(Extension::SmtpUtfEight) && info.supports_feature(Extension::EightBitMime);
        let is_other = |address: &Address| !AsRef::<str>::as_ref(address).is_ascii();
        let only_ascii = || "the mail server accepts only ASCII addresses".to_owned();
        let refusal = if envelope.from().is_some_and(is_other) {
            Some(Failure::Host(format!("{}; check smtp_from", only_ascii())))
        } else {
            // A server that accepts only ASCII addresses will never accept this one.
            envelope.to().iter().any(is_other).then(|| Failure::Never(only_ascii()))
        };
        if let Some(refusal) = refusal {
            if !accepts_all {
                return Err(refusal);
            }
            parameters.push(MailParameter::SmtpUtfEight);
        }
        if !bytes.is_ascii() {
            parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        let sender = line.command(commands::Mail::new(envelope.from().cloned(), parameters)).await;
        sender
            .map_err(|why| about_host(&why, "to the sender", "check smtp_from and the login in smtp_url"))?;
        for to in envelope.to() {
            let recipient = line.command(commands::Rcpt::new(to.clone(), Vec::new())).await;
            recipient.map_err(|why| about_mail(&why, "to the recipient"))?;
        }
        line.command(commands::Data).await.map_err(|why| about_mail(&why, "before the text"))?;
        line.message(&bytes).await.map_err(|why| about_mail(&why, "to the text"))?;
        Ok(line)
    }

    /// Connects, and logs in. What fails here fails for every mail.
    async fn connect(&self) -> Result<AsyncSmtpConnection, Failure> {
        let addresses = resolve(self.server.host.clone(), self.server.port).await?;
        let wrapped = self.tls.clone().filter(|_| self.server.tls == Tls::Always);
        let time_limit = Some(Duration::from_millis(MAIL_CONNECT_MS_MAX));
        let line =
            AsyncSmtpConnection::connect_tokio1(&addresses[..], time_limit, &self.hello, wrapped, None).await;
        let mut line = line.map_err(|why| match why.status() {
            None => Failure::Host(format!("{why}; check smtp_url{}", self.certificates())),
            Some(_) => about_host(
                &why,
                &format!("to the connection or to the name {} (EHLO)", self.hello),
                "check smtp_hello, and whether this machine may send mail there",
            ),
        })?;
        if let Some(tls) = &self.tls {
            let begins = match self.server.tls {
                Tls::Required => true,
                Tls::Offered => line.can_starttls(),
                Tls::Always | Tls::Never => false,
            };
            if begins {
                let advice = format!("check smtp_url{}", self.certificates());
                let begun = line.starttls(tls.clone(), &self.hello).await;
                begun.map_err(|why| about_host(&why, "to STARTTLS", &advice))?;
            }
        }
        if let Some((name, password)) = &self.server.login {
            let credentials = Credentials::new(name.clone(), password.clone());
            let login = line.auth(DEFAULT_MECHANISMS, &credentials).await;
            login
                .map_err(|why| about_host(&why, "to the login", "check the name and password in smtp_url"))?;
        }
        Ok(line)
    }

    /// Returns what a host checks besides the address if a connection fails.
    fn certificates(&self) -> &'static str {
        if self.tls.is_some() { " and smtp_ca" } else { "" }
    }
}

/// Returns the failure of a step that does not depend on the mail. A permanent refusal is the host's to mend, and the
/// mail is kept until then.
fn about_host(why: &Error, step: &str, advice: &str) -> Failure {
    match why.status() {
        Some(code) if code.severity == Severity::TransientNegativeCompletion => {
            Failure::Later(said(why, step))
        }
        _ => Failure::Host(format!("{}; {advice}", said(why, step))),
    }
}

/// Returns the failure of a step that names the recipient or carries the text. Many servers refuse the host only here.
fn about_mail(why: &Error, step: &str) -> Failure {
    let Some(code) = why.status().filter(|_| why.is_permanent()) else {
        return Failure::Later(said(why, step));
    };
    if is_about_host(&code.to_string(), detail(why).as_deref()) {
        let advice = "check smtp_from, smtp_hello and the login in smtp_url";
        Failure::Host(format!("{}; {advice}", said(why, step)))
    } else {
        Failure::Never(said(why, step))
    }
}

/// Returns whether a permanent refusal of a recipient or a text is about the host: about a command, a login, the sender
/// or what the host may send (RFC 5321, section 4.2; RFC 3463). `detail` is the enhanced status code.
fn is_about_host(code: &str, detail: Option<&str>) -> bool {
    let of_command_or_login =
        matches!(code.as_bytes(), [b'5', b'0' | b'3', _]) || ["521", "555"].contains(&code);
    let of_host = |detail: &str| {
        detail.starts_with("5.5.")
            || detail.starts_with("5.7.")
            || ["5.1.7", "5.1.8", "5.3.2"].contains(&detail)
    };
    of_command_or_login || detail.is_some_and(of_host)
}

/// Returns the enhanced status code of a reply, such as `5.1.1`.
fn detail(why: &Error) -> Option<String> {
    let text = why.source()?.to_string();
    let first = text.split_whitespace().next()?;
    let numbers: Vec<&str> = first.split('.').collect();
    let is_number =
        |part: &&str| (1..=3).contains(&part.len()) && part.bytes().all(|digit| digit.is_ascii_digit());
    (numbers.len() == 3 && numbers.iter().all(is_number)).then(|| first.to_owned())
}

/// Describes a failure. Only the codes of a reply are included, because its text may contain an address.
fn said(why: &Error, step: &str) -> String {
    match (why.status(), detail(why)) {
        (Some(code), Some(detail)) => format!("the mail server answers {code} {detail} {step}"),
        (Some(code), None) => format!("the mail server answers {code} {step}"),
        (None, _) => why.to_string(),
    }
}

/// Resolves a name on a thread of its own, because the end of the process waits for the threads of the runtime, and a
/// slow name server must not delay it.
async fn resolve(host: String, port: u16) -> Result<Vec<SocketAddr>, Failure> {
    if let Ok(ip) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(ip, port)]);
    }
    let (done, found) = tokio::sync::oneshot::channel();
    let looking = move || {
        let found = (host.as_str(), port).to_socket_addrs().map(Iterator::collect::<Vec<_>>);
        // The receiver may have stopped waiting.
        let _ = done.send(found);
    };
    std::thread::Builder::new()
        .name("mellow-names".into())
        .spawn(looking)
        .map_err(|why| Failure::Later(format!("the mail server cannot be looked up: {why}")))?;
    match found.await {
        Ok(Ok(addresses)) if !addresses.is_empty() => Ok(addresses),
        Ok(Err(why)) => Err(Failure::Host(format!("the mail server is not known: {why}; check smtp_url"))),
        _ => Err(Failure::Host("the mail server is not known; check smtp_url".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::SmtpUrl;
    use super::*;

    #[test]
    fn certificates_that_cannot_be_trusted_stop_the_start_with_a_sentence() {
        let server = SmtpUrl::read("smtps://ana:hush@mail.example.org").unwrap().0.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        for content in
            [None, Some(""), Some("-----BEGIN CERTIFICATE-----\nnothing\n-----END CERTIFICATE-----\n")]
        {
            if let Some(content) = content {
                std::fs::write(&path, content).unwrap();
            }
            let why = Smtp::open(&server, Some(&path), ClientId::default()).err().expect("a refusal");
            assert!(
                why.starts_with("smtp_ca = ") && why.contains("ca.pem") && !why.contains("hush"),
                "{why}"
            );
        }
        assert!(Smtp::open(&server, None, ClientId::default()).is_ok());
    }

    #[test]
    fn a_refusal_of_the_host_is_told_from_one_of_the_mail() {
        for (code, detail) in [
            ("504", Some("5.5.2")),
            ("504", None),
            ("503", None),
            ("530", Some("5.7.0")),
            ("535", None),
            ("550", Some("5.7.1")),
            ("550", Some("5.7.26")),
            ("553", Some("5.1.8")),
            ("550", Some("5.1.7")),
            ("521", None),
            ("554", Some("5.5.1")),
        ] {
            assert!(is_about_host(code, detail), "{code} {detail:?}");
        }
        for (code, detail) in [
            ("550", None),
            ("550", Some("5.1.1")),
            ("550", Some("5.1.10")),
            ("551", None),
            ("552", Some("5.2.2")),
            ("552", Some("5.3.4")),
            ("553", Some("5.1.3")),
            ("554", None),
            ("550", Some("5.4.4")),
        ] {
            assert!(!is_about_host(code, detail), "{code} {detail:?}");
        }
    }

    #[test]
    fn a_mail_server_with_an_unknown_name_is_tried_again_later() {
        actix_web::rt::System::new().block_on(async {
            let unknown = resolve("mail.invalid".into(), 25).await;
            assert!(matches!(unknown, Err(Failure::Host(_))), "{unknown:?}");
            let here = resolve("127.0.0.1".into(), 25).await.unwrap();
            assert_eq!(here, ["127.0.0.1:25".parse().unwrap()]);
        });
    }
}
