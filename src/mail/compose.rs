//! Composes a mail: headers, plain text and HTML with the same content.

use std::time::{Duration, UNIX_EPOCH};

use lettre::message::header::{ContentTransferEncoding, ContentType, Header, HeaderName, HeaderValue};
use lettre::message::{Body, Mailbox, MultiPart, SinglePart};
use lettre::{Address, Message};

use super::words::{facts, words};
use super::{Failure, Mail, html};
use crate::languages::Own;
use crate::zones::Zone;

/// A header that asks automatic responders not to reply (RFC 3834).
#[derive(Clone)]
struct Automatic;

impl Header for Automatic {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".into())
    }
}

/// Composes a mail from this sender in this language. Times are those of `zone`. `encoding` is that of plain text
/// outside ASCII.
///
/// A second attempt has the same message id and date.
pub fn compose(
    mail: &Mail,
    language: Own,
    from: &Mailbox,
    begins_with: &str,
    zone: &Zone,
    encoding: ContentTransferEncoding,
) -> Result<Message, Failure> {
    let never = |what: &str| Failure::Never(what.to_owned());
    let to = address(&mail.to_email).ok_or_else(|| never("no mail can go to such an address"))?;
    let mut words = words(language, mail.kind, begins_with, &mail.token);
    if mail.kind.is_about_notice() {
        words.facts = facts(language, mail.device.as_deref(), mail.created_at_ms, zone);
    }
    let written = UNIX_EPOCH + Duration::from_millis(u64::try_from(mail.created_at_ms).unwrap_or(0));
    Message::builder()
        .from(from.clone())
        .to(Mailbox::new(None, to))
        .subject(words.subject)
        .date(written)
        .message_id(Some(format!("<{}.mellow@{}>", mail.id.0, from.email.domain())))
        .header(Automatic)
        .multipart(
            MultiPart::alternative()
                .singlepart(part(ContentType::TEXT_PLAIN, words.text(), encoding))
                .singlepart(part(ContentType::TEXT_HTML, html::html(&words), encoding)),
        )
        .map_err(|_| never("it cannot be put into a letter"))
}

/// The longest line that is sent unencoded, in bytes. RFC 5322 allows 998.
const LINE_BYTES_MAX: usize = 990;

/// Returns a text part. Text in ASCII is sent as it is, other text in this encoding: quoted-printable, which cuts long
/// links into pieces, or as it is too.
fn part(kind: ContentType, text: String, encoding: ContentTransferEncoding) -> SinglePart {
    const QUOTED: ContentTransferEncoding = ContentTransferEncoding::QuotedPrintable;
    let encoding = if text.is_ascii() { ContentTransferEncoding::SevenBit } else { encoding };
    let has_short_lines = text.lines().all(|line| line.len() <= LINE_BYTES_MAX);
    let body = if encoding != QUOTED && has_short_lines && !text.contains(['\r', '\0']) {
        Body::dangerous_pre_encoded(text.replace('\n', "\r\n").into_bytes(), encoding)
    } else {
        Body::new_with_encoding(text, QUOTED).unwrap_or_else(Body::new)
    };
    SinglePart::builder().header(kind).body(body)
}

/// Parses an address, with its domain in ASCII.
fn address(email: &str) -> Option<Address> {
    let (local, domain) = email.rsplit_once('@')?;
    Address::new(local, idna::domain_to_ascii(domain).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::*;
    use crate::ids::{MailId, UserId};

    fn mail_of(kind: Kind, to_email: &str) -> Mail {
        Mail {
            id: MailId(77),
            user_id: UserId(7),
            kind,
            to_email: to_email.into(),
            token: "T".repeat(43),
            device: Some("Firefox on Linux".into()),
            created_at_ms: 1_772_355_600_000,
        }
    }

    fn written(kind: Kind, to_email: &str) -> Result<String, Failure> {
        written_in(Own::English, kind, to_email)
    }

    fn utc() -> Zone {
        Zone::named("UTC").unwrap()
    }

    const EIGHT_BIT: ContentTransferEncoding = ContentTransferEncoding::EightBit;
    const QUOTED: ContentTransferEncoding = ContentTransferEncoding::QuotedPrintable;

    fn written_in(language: Own, kind: Kind, to_email: &str) -> Result<String, Failure> {
        let from = "Mellow <mellow@mellow.example.org>".parse().unwrap();
        let mail = mail_of(kind, to_email);
        let message = compose(&mail, language, &from, "https://mellow.example.org", &utc(), QUOTED)?;
        Ok(String::from_utf8(message.formatted()).unwrap())
    }

    fn headers(mail: &str) -> Vec<&str> {
        mail.split_once("\r\n\r\n").unwrap().0.split("\r\n").collect()
    }

    #[test]
    fn a_mail_has_an_id_and_a_date_and_its_text_also_as_html() {
        let mail = written(Kind::Reset, "ana@example.org").unwrap();
        let headers = headers(&mail);
        for header in [
            "From: Mellow <mellow@mellow.example.org>",
            "To: ana@example.org",
            "Subject: Reset your password",
            "Message-ID: <77.mellow@mellow.example.org>",
            "Date: Sun, 01 Mar 2026 09:00:00 +0000",
            "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0",
        ] {
            assert!(headers.contains(&header), "{headers:?} lack {header}");
        }
        let link = format!("\r\nhttps://mellow.example.org/reset#{}\r\n", "T".repeat(43));
        assert_eq!(mail.matches(&link).count(), 1, "alone on a line of the text, as it travels");
        assert!(mail.contains("multipart/alternative") && mail.contains("text/html"));
        assert_eq!(mail.matches("Content-Transfer-Encoding: 7bit").count(), 2);
    }

    #[test]
    fn each_kind_has_its_own_subject_and_link() {
        for (kind, subject, link) in [
            (Kind::Reset, "Reset your password", "/reset#T"),
            (Kind::Confirm, "Confirm your new email", "/verify#T"),
            (Kind::Notice, "Your email is about to change", "/verify#undo-T"),
            (Kind::Made, "A password link was made for you", "/login"),
            (Kind::Login, "New login to your account", "/settings"),
            (Kind::PasskeyAdded, "A passkey was added to your account", "/settings"),
            (Kind::PasskeyRemoved, "A passkey was removed from your account", "/settings"),
        ] {
            let mail = written(kind, "ana@example.org").unwrap();
            assert!(headers(&mail).contains(&format!("Subject: {subject}").as_str()));
            assert!(mail.contains(&format!("\r\nhttps://mellow.example.org{link}")));
        }
    }

    #[test]
    fn d_l7_a_mail_in_another_language_travels_in_ascii() {
        for language in Own::ALL {
            for kind in Kind::ALL {
                let mail = written_in(language, kind, "ana@example.org").unwrap();
                assert!(mail.is_ascii(), "{mail}");
                assert!(mail.split("\r\n").all(|line| line.len() <= LINE_BYTES_MAX), "{mail}");
                let is_encoded = mail.split_once("\r\n\r\n").unwrap().0.contains("=?utf-8?");
                assert_eq!(is_encoded, !words(language, kind, "", "").subject.is_ascii(), "{mail}");
                assert_eq!(mail.contains("quoted-printable"), language != Own::English);
            }
        }
    }

    #[test]
    fn d_n3_the_raw_file_has_the_whole_link_twice_however_long_it_is() {
        let from = "Mellow <mellow@mellow.example.org>".parse().unwrap();
        let site = format!("https://{}example.org", format!("{}.", "a".repeat(60)).repeat(3));
        for language in Own::ALL {
            for kind in Kind::ALL {
                let mail = mail_of(kind, "ana@example.org");
                let link = words(language, kind, &site, &mail.token).link;
                let raw = |encoding| {
                    let message = compose(&mail, language, &from, &site, &utc(), encoding).unwrap();
                    String::from_utf8(message.formatted()).unwrap()
                };
                let in_folder = raw(EIGHT_BIT);
                assert!(in_folder.contains(&format!("\r\n\r\n{link}\r\n\r\n")), "{in_folder}");
                let sent = raw(QUOTED);
                assert!(sent.is_ascii(), "{sent}");
                for mail in [in_folder, sent] {
                    assert!(mail.contains(&format!("href=\"{link}\"")), "the page is never encoded: {mail}");
                    assert!(
                        mail.contains("Content-Transfer-Encoding: 7bit\r\n\r\n<!doctype html>"),
                        "{mail}"
                    );
                    assert!(mail.split("\r\n").all(|line| line.len() <= LINE_BYTES_MAX), "{mail}");
                }
            }
        }
    }

    #[test]
    fn s13_no_address_adds_a_header_or_a_recipient() {
        for to_email in [
            "ana@example.org\r\nBcc: eve@example.org",
            "ana@example.org, eve@example.org",
            "ana@example.org>, <eve@example.org",
            "\"ana@example.org\r\n\" <x@example.org>",
            "ana\n@example.org",
            "ana@exa\rmple.org",
            "ana\0@example.org",
            "@example.org",
            "ana@",
            "",
            "ana",
        ] {
            let mail = written(Kind::Reset, to_email);
            assert!(matches!(mail, Err(Failure::Never(_))), "{to_email:?}: {mail:?}");
        }
    }

    #[test]
    fn a_non_ascii_domain_is_sent_in_ascii() {
        let mail = written(Kind::Reset, "ana@m\u{fc}sli.example").unwrap();
        assert!(headers(&mail).contains(&"To: ana@xn--msli-0ra.example"), "{mail}");
        // The local part may stay as it is. Only the server of that domain interprets it.
        let from = "Mellow <mellow@mellow.example.org>".parse().unwrap();
        let mail = mail_of(Kind::Reset, "\u{f8}ystein@example.org");
        let message = compose(&mail, Own::English, &from, "https://m.example", &utc(), QUOTED).unwrap();
        assert_eq!(message.envelope().to()[0].to_string(), "\u{f8}ystein@example.org");
    }
}
