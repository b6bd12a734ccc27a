//! Mail: short texts with a link, sent over SMTP or written to a folder.
//!
//! Guarantees:
//! - A mail is sent complete or not at all. A file in the folder is complete when it appears.
//! - User input cannot add a header, a recipient or markup: addresses are parsed, and the texts are fixed, but for the
//!   label of a device, which consists of fixed words, and a time. No text contains words of a user, so that nobody can
//!   use Mellow to send words to the addresses of others.
//! - If TLS is required, nothing is sent in clear text, and nothing is sent to a server that cannot prove its name.
//! - Every attempt ends within a time limit, and says whether another attempt makes sense. A failure that concerns the
//!   host and not the mail, such as one of the sender or the login, is never a reason to drop a mail.
//!
//! Never here: the choice of which mails exist and when they are sent again, which `features/mails/store.rs` makes.

mod compose;
mod folder;
mod html;
pub mod settings;
mod smtp;
mod words;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use lettre::message::Mailbox;
use lettre::message::header::ContentTransferEncoding;

use crate::ids::{MailId, UserId};
use crate::languages::Own;
use crate::settings::Settings;
use crate::zones::Zone;
use folder::Folder;
use smtp::Smtp;

/// The purpose of a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A link that sets a new password.
    Reset,
    /// A link that confirms a new address.
    Confirm,
    /// A link that keeps the old address. The mail goes to that address.
    Notice,
    /// Says that an admin made a link that sets a new password. It carries no token.
    Made,
    /// Says that a browser logged in to the account for the first time. It carries no token.
    Login,
    /// Says that a passkey was added. It carries no token.
    PasskeyAdded,
    /// Says that a passkey was removed. It carries no token.
    PasskeyRemoved,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Reset,
        Self::Confirm,
        Self::Notice,
        Self::Made,
        Self::Login,
        Self::PasskeyAdded,
        Self::PasskeyRemoved,
    ];

    /// Returns the stored name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reset => "reset",
            Self::Confirm => "confirm",
            Self::Notice => "notice",
            Self::Made => "made",
            Self::Login => "login",
            Self::PasskeyAdded => "passkey_added",
            Self::PasskeyRemoved => "passkey_removed",
        }
    }

    /// Returns the kind with this stored name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns whether the mail repeats a notice of the account. It then names a device and a time.
    #[must_use]
    pub fn is_about_notice(self) -> bool {
        matches!(self, Self::Login | Self::PasskeyAdded | Self::PasskeyRemoved)
    }
}

/// A mail, before it is composed.
#[derive(Clone)]
pub struct Mail {
    pub id: MailId,
    pub user_id: UserId,
    pub kind: Kind,
    /// The recipient's address.
    pub to_email: String,
    /// The token of its link.
    pub token: String,
    /// The label of the device that it names, empty if unknown; None if it names none.
    pub device: Option<String>,
    pub created_at_ms: i64,
}

/// Why a mail was not sent. The text is for the host's log. It holds no address, no password and no token.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// Another attempt may succeed.
    Later(String),
    /// No mail can be sent before the host has mended what the text says. Another attempt follows.
    Host(String),
    /// No attempt will succeed.
    Never(String),
}

/// The mailer: sender, texts and transport.
pub struct Mailer {
    from: Mailbox,
    /// The beginning of every link.
    begins_with: String,
    /// The zone of the times that mails name.
    zone: Zone,
    folder: Folder,
    smtp: Option<Smtp>,
}

impl Mailer {
    /// Opens the mailer of a server that listens on this address.
    ///
    /// # Errors
    /// A sentence for the host that says why it cannot start.
    pub fn open(settings: &Settings, listens_on: SocketAddr) -> Result<Self, String> {
        let smtp = match &settings.smtp_url.0 {
            Some(server) => {
                let hello = settings.smtp_hello.name(settings.public_url.origin.as_deref());
                Some(Smtp::open(server, settings.smtp_ca.0.as_deref(), hello)?)
            }
            None => None,
        };
        if smtp.is_some() && settings.public_url.origin.is_none() {
            log::warn!("links in mails work only on this machine until public_url is set");
        }
        Ok(Self {
            from: settings.smtp_from.mailbox(settings.public_url.origin.as_deref()),
            begins_with: site_url(settings, listens_on),
            zone: settings.site_timezone.clone(),
            folder: Folder::below(&settings.data),
            smtp,
        })
    }

    /// Sends a mail in this language.
    ///
    /// # Errors
    /// [`Failure`], within a time limit.
    pub async fn send(&self, mail: &Mail, language: Own) -> Result<(), Failure> {
        let composed =
            |encoding| compose::compose(mail, language, &self.from, &self.begins_with, &self.zone, encoding);
        match &self.smtp {
            // Every mail server takes ASCII.
            Some(smtp) => smtp.send(&composed(ContentTransferEncoding::QuotedPrintable)?).await,
            // The host reads the file as it is.
            None => self.folder.put(mail, composed(ContentTransferEncoding::EightBit)?.formatted()).await,
        }
    }

    /// Removes the mails of these users from the folder.
    ///
    /// # Errors
    /// An error of the file system.
    pub async fn forget(&self, people: Vec<UserId>) -> std::io::Result<()> {
        self.folder.forget(people).await
    }

    /// Removes mails from the folder whose links have expired.
    ///
    /// # Errors
    /// An error of the file system.
    pub async fn clear(&self) -> std::io::Result<()> {
        self.folder.clear().await
    }
}

/// Returns the address of this site for browsers. Every link begins with it.
#[must_use]
pub fn site_url(settings: &Settings, listens_on: SocketAddr) -> String {
    settings.public_url.origin.clone().unwrap_or_else(|| local_url(listens_on))
}

/// Returns the address by which a browser on this machine reaches a server that listens on `listens_on`.
fn local_url(listens_on: SocketAddr) -> String {
    let ip = match listens_on.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    format!("http://{}", SocketAddr::new(ip, listens_on.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_a_server_without_a_name_lead_to_its_listening_address() {
        let url = |at: &str| local_url(at.parse().unwrap());
        assert_eq!(url("192.168.0.7:8080"), "http://192.168.0.7:8080");
        assert_eq!(url("0.0.0.0:81"), "http://127.0.0.1:81");
        assert_eq!(url("[::]:81"), "http://[::1]:81");
    }

    #[test]
    fn a_kind_is_read_from_its_stored_name() {
        for kind in Kind::ALL {
            assert_eq!(Kind::of(kind.name()), Some(kind));
        }
        assert_eq!(Kind::of("digest"), None);
    }
}
