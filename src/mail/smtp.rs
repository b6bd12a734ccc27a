//! Sends mails over SMTP: one connection for each mail, encrypted as the settings say, with a time limit for each step.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::time::Duration;

use lettre::Message;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
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

/// Reply codes that concern the login and not the mail. The mail is sent after the host has corrected the login.
const ABOUT_THE_LOGIN: [&str; 4] = ["530", "534", "535", "538"];

impl Smtp {
    /// Makes a client of a server. The server is contacted only when there is a mail. `ca` is a file of certificates
    /// that are trusted in addition to those of the system.
    ///
    /// # Errors
    /// A sentence for the host that says why it cannot start.
    pub fn open(server: &Server, ca: Option<&Path>) -> Result<Self, String> {
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
        Ok(Self { server: server.clone(), tls, hello: ClientId::default() })
    }

    /// Sends a mail.
    pub async fn send(&self, message: &Message) -> Result<(), Failure> {
        let sending = timeout(Duration::from_millis(MAIL_SEND_MS_MAX), self.deliver(message));
        let mut line = match sending.await {
            Ok(sent) => sent?,
            Err(_) => return Err(Failure::Later("the mail server takes too long".into())),
        };
        // The server has accepted the mail. If the connection closes slowly, the mail is sent nevertheless.
        let _ = timeout(Duration::from_secs(1), line.abort()).await;
        Ok(())
    }

    async fn deliver(&self, message: &Message) -> Result<AsyncSmtpConnection, Failure> {
        let addresses = resolve(self.server.host.clone(), self.server.port).await?;
        let wrapped = self.tls.clone().filter(|_| self.server.tls == Tls::Always);
        let time_limit = Some(Duration::from_millis(MAIL_CONNECT_MS_MAX));
        let line =
            AsyncSmtpConnection::connect_tokio1(&addresses[..], time_limit, &self.hello, wrapped, None).await;
        let mut line = line.map_err(|why| later(&why))?;
        if let Some(tls) = &self.tls {
            let begins = match self.server.tls {
                Tls::Required => true,
                Tls::Offered => line.can_starttls(),
                Tls::Always | Tls::Never => false,
            };
            if begins {
                line.starttls(tls.clone(), &self.hello).await.map_err(|why| later(&why))?;
            }
        }
        if let Some((name, password)) = &self.server.login {
            let credentials = Credentials::new(name.clone(), password.clone());
            line.auth(DEFAULT_MECHANISMS, &credentials).await.map_err(|why| later(&why))?;
        }
        let sent = line.send(message.envelope(), &message.formatted()).await;
        sent.map_err(|why| {
            let about_the_login =
                why.status().is_some_and(|code| ABOUT_THE_LOGIN.contains(&code.to_string().as_str()));
            let to = message.envelope().to().first();
            // A server that accepts only ASCII addresses will never accept this one.
            let unsendable = why.is_client() && to.is_some_and(|to| !to.to_string().is_ascii());
            if unsendable || why.is_permanent() && !about_the_login {
                Failure::Never(said(&why))
            } else {
                later(&why)
            }
        })?;
        Ok(line)
    }
}

fn later(why: &lettre::transport::smtp::Error) -> Failure {
    Failure::Later(said(why))
}

/// Describes a failure. Only the code of a reply is included, because its text may contain an address.
fn said(why: &lettre::transport::smtp::Error) -> String {
    match why.status() {
        Some(code) => format!("the mail server answers {code}"),
        None => why.to_string(),
    }
}

/// Resolves a name on a thread of its own. The end of the process waits for the threads of the runtime, and a slow name
/// server must not delay that end.
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
        Ok(Err(why)) => Err(Failure::Later(format!("the mail server is not known: {why}"))),
        _ => Err(Failure::Later("the mail server is not known".into())),
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
            let why = Smtp::open(&server, Some(&path)).err().expect("a refusal");
            assert!(
                why.starts_with("smtp_ca = ") && why.contains("ca.pem") && !why.contains("hush"),
                "{why}"
            );
        }
        assert!(Smtp::open(&server, None).is_ok());
    }

    #[test]
    fn a_mail_server_with_an_unknown_name_is_tried_again_later() {
        actix_web::rt::System::new().block_on(async {
            let unknown = resolve("mail.invalid".into(), 25).await;
            assert!(matches!(unknown, Err(Failure::Later(_))), "{unknown:?}");
            let here = resolve("127.0.0.1".into(), 25).await.unwrap();
            assert_eq!(here, ["127.0.0.1:25".parse().unwrap()]);
        });
    }
}
