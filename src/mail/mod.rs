//! Mail: a few kind words and a link, and the two ways they leave, over SMTP or into a folder.
//!
//! Promises:
//! - A letter is sent whole or not at all. In the folder it appears complete.
//! - Nothing that people choose can add a header, a recipient or markup: addresses are parsed, the words
//!   are ours, and nobody's name is in them, so that nobody can have Mellow say things to strangers.
//! - With TLS asked for, nothing goes out in clear and nothing to a server that cannot prove its name.
//! - Every attempt ends: in time, and with a word on whether another makes sense.
//!
//! Never here: which letters there are and when they are tried again. That is `features/letters.rs`.

mod compose;
mod folder;
mod html;
pub mod settings;
mod smtp;
mod words;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use lettre::message::Mailbox;

use crate::config::Config;
use crate::ids::{MailId, UserId};
use folder::Folder;
use smtp::Smtp;

/// What a letter is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A link that sets a new password.
    Reset,
    /// A link that confirms a new address.
    Confirm,
    /// To the old address: a link that keeps it.
    Notice,
}

impl Kind {
    /// Returns how it is kept.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reset => "reset",
            Self::Confirm => "confirm",
            Self::Notice => "notice",
        }
    }

    /// Returns the kind that is kept so.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        [Self::Reset, Self::Confirm, Self::Notice].into_iter().find(|kind| kind.name() == name)
    }
}

/// A letter, before it has words.
#[derive(Clone)]
pub struct Letter {
    pub id: MailId,
    pub user_id: UserId,
    pub kind: Kind,
    /// The address it goes to.
    pub to_email: String,
    /// What its link carries.
    pub token: String,
    /// Notice: the new address, as its reader is told it.
    pub detail: Option<String>,
    pub created_at_ms: i64,
}

/// Why a letter did not leave. The text is for the host's log: no address, no password, no token.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// Another try may go better.
    Later(String),
    /// No try will.
    Never(String),
}

/// The mail desk: words, sender and way out.
pub struct Desk {
    from: Mailbox,
    /// What every link begins with.
    begins_with: String,
    folder: Folder,
    smtp: Option<Smtp>,
}

impl Desk {
    /// Opens the desk of a server that listens on this address.
    ///
    /// # Errors
    /// A sentence for the host.
    pub fn open(config: &Config, listens_on: SocketAddr) -> Result<Self, String> {
        let smtp = match &config.smtp_url.0 {
            Some(server) => Some(Smtp::open(server, config.smtp_ca.0.as_deref())?),
            None => None,
        };
        if smtp.is_some() && config.public_url.0.is_none() {
            log::warn!("links in mails lead to this machine only, until public_url is set");
        }
        Ok(Self {
            from: config.smtp_from.mailbox(config.public_url.0.as_deref()),
            begins_with: config.public_url.0.clone().unwrap_or_else(|| local_url(listens_on)),
            folder: Folder::below(&config.data),
            smtp,
        })
    }

    /// Sends a letter, or says why not.
    ///
    /// # Errors
    /// [`Failure`], after a bounded time.
    pub async fn send(&self, letter: &Letter) -> Result<(), Failure> {
        let message = compose::compose(letter, &self.from, &self.begins_with)?;
        match &self.smtp {
            Some(smtp) => smtp.send(&message).await,
            None => self.folder.put(letter, message.formatted()).await,
        }
    }

    /// Removes what lies in the folder for these people.
    ///
    /// # Errors
    /// The disk's.
    pub async fn forget(&self, people: Vec<UserId>) -> std::io::Result<()> {
        self.folder.forget(people).await
    }

    /// Removes what has lain in the folder for so long that none of its links works.
    ///
    /// # Errors
    /// The disk's.
    pub async fn clear(&self) -> std::io::Result<()> {
        self.folder.clear().await
    }
}

/// Returns where a browser on this machine finds a server that listens here.
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
    fn links_of_a_server_without_a_name_lead_to_where_it_listens() {
        let url = |at: &str| local_url(at.parse().unwrap());
        assert_eq!(url("192.168.0.7:8080"), "http://192.168.0.7:8080");
        assert_eq!(url("0.0.0.0:81"), "http://127.0.0.1:81");
        assert_eq!(url("[::]:81"), "http://[::1]:81");
    }

    #[test]
    fn a_kind_is_known_again_by_its_name() {
        for kind in [Kind::Reset, Kind::Confirm, Kind::Notice] {
            assert_eq!(Kind::of(kind.name()), Some(kind));
        }
        assert_eq!(Kind::of("digest"), None);
    }
}
