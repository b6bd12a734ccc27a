//! The texts of mails. Plain text and HTML are made from the same texts.

use super::Kind;

/// The texts of a mail.
pub struct MailText {
    pub subject: &'static str,
    /// The paragraphs before the link.
    pub before: Vec<String>,
    /// The label of the link.
    pub act: &'static str,
    /// The absolute address of the link.
    pub link: String,
    /// The paragraphs after the link.
    pub after: Vec<String>,
}

/// Returns the texts of a mail whose link begins with `begins_with` and carries `token`.
///
/// Only ASCII characters are used, so that the text is readable in its raw form.
pub fn words(kind: Kind, begins_with: &str, token: &str) -> MailText {
    let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
    match kind {
        Kind::Reset => MailText {
            subject: "Reset your password",
            before: texts(&[
                "Hello,",
                "Somebody, most likely you, asked for a new password for your Mellow account. With this link \
                 you choose one. It works once, for 30 minutes.",
            ]),
            act: "Choose a new password",
            link: format!("{begins_with}/reset#{token}"),
            after: texts(&[
                "A new password logs you out everywhere. If it wasn't you who asked, you can leave this \
                 letter unanswered: nothing changes without the link.",
            ]),
        },
        Kind::Confirm => MailText {
            subject: "Confirm your new email",
            before: texts(&[
                "Hello,",
                "Somebody, most likely you, wants to use this address for a Mellow account. With this link \
                 you confirm it. It works once, for 24 hours.",
            ]),
            act: "Confirm this address",
            link: format!("{begins_with}/verify#{token}"),
            after: texts(&[
                "Until then the old address is the one to log in with. If you don't know what this is \
                 about, you can leave this letter unanswered: nothing changes without the link.",
            ]),
        },
        Kind::Notice => MailText {
            subject: "Your email is about to change",
            before: texts(&[
                "Hello,",
                "Somebody, most likely you, asked to change the email of your Mellow account to another \
                 address. It changes once that address is confirmed. If this was you, there is nothing to do.",
                "If it wasn't you, this link keeps your email as it is. It works once, for 72 hours, also \
                 after the change.",
            ]),
            act: "Keep my old email",
            link: format!("{begins_with}/verify#undo-{token}"),
            after: texts(&[
                "Then please choose a new password: \"Forgot your password?\" on the log-in page sends you \
                 a link for that.",
            ]),
        },
        Kind::Made => MailText {
            subject: "A password link was made for you",
            before: texts(&[
                "Hello,",
                "The host of this Mellow made a link with which a new password is chosen for your account, and \
                 gives it to you. It works once, for 30 minutes. This mail does not contain it.",
            ]),
            act: "Open Mellow",
            link: format!("{begins_with}/login"),
            after: texts(&[
                "A new password logs you out everywhere. If you don't know what this is about, please ask the \
                 host. \"Forgot your password?\" on the log-in page sends you a link of your own, which ends \
                 the host's.",
            ]),
        },
    }
}

/// The width of a line of plain text, in characters. A link has a line of its own, whatever its length.
const LINE_CHARS: usize = 72;

impl MailText {
    /// Returns the mail as plain text, with the link on a line of its own.
    pub fn text(&self) -> String {
        let before = self.before.iter().map(|paragraph| wrap(paragraph));
        let after = self.after.iter().map(|paragraph| wrap(paragraph));
        let link = format!("{}:\n\n{}", self.act, self.link);
        let mut parts: Vec<String> = vec![self.subject.into()];
        parts.extend(before);
        parts.push(link);
        parts.extend(after);
        parts.push("Mellow\n".into());
        parts.join("\n\n")
    }
}

fn wrap(paragraph: &str) -> String {
    let mut out = String::with_capacity(paragraph.len() + 8);
    let mut width = 0;
    for word in paragraph.split(' ') {
        let chars = word.chars().count();
        if width > 0 && width + 1 + chars > LINE_CHARS {
            out.push('\n');
            width = 0;
        } else if width > 0 {
            out.push(' ');
            width += 1;
        }
        out.push_str(word);
        width += chars;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_has_its_own_line_and_lines_are_short() {
        for kind in [Kind::Reset, Kind::Confirm, Kind::Notice, Kind::Made] {
            let words = words(kind, "https://mellow.example.org", &"t".repeat(43));
            let text = words.text();
            assert_eq!(text.lines().filter(|line| line.contains("://")).collect::<Vec<_>>(), [&words.link]);
            assert!(text.lines().all(|line| line.len() <= LINE_CHARS || line == words.link), "{text}");
            assert!(text.is_ascii() && !text.contains('!'), "{text}");
        }
    }
}
