//! The texts of mails, in each language of the program. Plain text and HTML are made from the same texts.

mod ar;
mod de;
mod en;
mod es;
mod fr;
mod ja;
mod pl;
mod pt_br;
mod uk;

use super::Kind;
use crate::languages::Own;

/// The texts of all mails in one language.
struct Words {
    reset: Texts,
    confirm: Texts,
    notice: Texts,
    made: Texts,
    /// What stands between the label of the link and the link in plain text.
    colon: &'static str,
}

/// The texts of a mail without its link.
struct Texts {
    subject: &'static str,
    before: &'static [&'static str],
    act: &'static str,
    after: &'static [&'static str],
}

fn all(language: Own) -> &'static Words {
    match language {
        Own::English => &en::WORDS,
        Own::German => &de::WORDS,
        Own::Spanish => &es::WORDS,
        Own::French => &fr::WORDS,
        Own::Polish => &pl::WORDS,
        Own::Portuguese => &pt_br::WORDS,
        Own::Ukrainian => &uk::WORDS,
        Own::Japanese => &ja::WORDS,
        Own::Arabic => &ar::WORDS,
    }
}

/// The texts of a mail.
pub struct MailText {
    pub language: Own,
    pub subject: &'static str,
    /// The paragraphs before the link.
    pub before: &'static [&'static str],
    /// The label of the link.
    pub act: &'static str,
    /// What stands between the label and the link in plain text.
    pub colon: &'static str,
    /// The absolute address of the link.
    pub link: String,
    /// The paragraphs after the link.
    pub after: &'static [&'static str],
}

/// Returns the texts of a mail whose link begins with `begins_with` and carries `token`.
pub fn words(language: Own, kind: Kind, begins_with: &str, token: &str) -> MailText {
    let all = all(language);
    let (texts, link) = match kind {
        Kind::Reset => (&all.reset, format!("{begins_with}/reset#{token}")),
        Kind::Confirm => (&all.confirm, format!("{begins_with}/verify#{token}")),
        Kind::Notice => (&all.notice, format!("{begins_with}/verify#undo-{token}")),
        Kind::Made => (&all.made, format!("{begins_with}/login")),
    };
    let Texts { subject, before, act, after } = *texts;
    MailText { language, subject, before, act, colon: all.colon, link, after }
}

/// The width of a line of plain text, in characters. A link has a line of its own, whatever its length.
const LINE_CHARS: usize = 72;

impl MailText {
    /// Returns the mail as plain text, with the link on a line of its own.
    pub fn text(&self) -> String {
        let wrap = if self.language.has_spaces() { wrap } else { wrap_letters };
        let mut parts: Vec<String> = vec![self.subject.into()];
        parts.extend(self.before.iter().map(|paragraph| wrap(paragraph)));
        parts.push(format!("{}{}\n\n{}", self.act, self.colon, self.link));
        parts.extend(self.after.iter().map(|paragraph| wrap(paragraph)));
        parts.push("Mellow\n".into());
        parts.join("\n\n")
    }
}

/// Breaks a paragraph into lines at its spaces.
pub fn wrap(paragraph: &str) -> String {
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

/// Wraps a text without spaces between words. A line may end after any letter, except within a word or number of ASCII
/// and before a mark that closes something. A letter outside ASCII is as wide as two.
fn wrap_letters(paragraph: &str) -> String {
    const CLOSING: &str = "、。，．：？」』）";
    let mut pieces: Vec<String> = Vec::new();
    for c in paragraph.chars() {
        let goes_on = pieces.last().is_some_and(|piece| {
            let is_word = piece.ends_with(|last: char| last.is_ascii_alphanumeric());
            CLOSING.contains(c) || is_word && c.is_ascii_alphanumeric()
        });
        match pieces.last_mut() {
            Some(piece) if goes_on => piece.push(c),
            _ => pieces.push(c.into()),
        }
    }
    let mut out = String::with_capacity(paragraph.len() + 8);
    let mut width = 0;
    for piece in pieces {
        let wide = width_of(&piece);
        if width > 0 && width + wide > LINE_CHARS {
            out.push('\n');
            width = 0;
        }
        out.push_str(&piece);
        width += wide;
    }
    out
}

fn width_of(text: &str) -> usize {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 4] = [Kind::Reset, Kind::Confirm, Kind::Notice, Kind::Made];

    #[test]
    fn the_link_has_its_own_line_and_lines_are_short() {
        for language in Own::ALL {
            for kind in KINDS {
                let words = words(language, kind, "https://mellow.example.org", &"t".repeat(43));
                let text = words.text();
                assert_eq!(
                    text.lines().filter(|line| line.contains("://")).collect::<Vec<_>>(),
                    [&words.link]
                );
                let width = |line: &str| match language {
                    Own::Japanese => width_of(line),
                    _ => line.chars().count(),
                };
                assert!(text.lines().all(|line| width(line) <= LINE_CHARS || line == words.link), "{text}");
                assert!(!text.contains(['!', '¡', '！']), "{text}");
                assert_eq!(text.is_ascii(), language == Own::English, "{text}");
            }
        }
    }

    #[test]
    fn a_mail_in_english_has_these_lines() {
        let text = words(Own::English, Kind::Notice, "https://mellow.example.org", "token").text();
        assert_eq!(
            text,
            "Your email is about to change\n\nHello,\n\n\
             Somebody, most likely you, asked to change the email of your Mellow\n\
             account to another address. It changes once that address is confirmed.\n\
             If this was you, there is nothing to do.\n\n\
             If it wasn't you, this link keeps your email as it is. It works once,\n\
             for 72 hours, also after the change.\n\n\
             Keep my old email:\n\nhttps://mellow.example.org/verify#undo-token\n\n\
             Then please choose a new password: \"Forgot your password?\" on the log-in\n\
             page sends you a link for that.\n\nMellow\n"
        );
    }

    #[test]
    fn a_language_without_spaces_is_wrapped_between_letters() {
        let text = format!("{}、Mellow72{}", "あ".repeat(35), "い".repeat(40));
        let lines: Vec<String> = wrap_letters(&text).lines().map(str::to_owned).collect();
        assert_eq!(lines.concat(), text);
        assert_eq!(lines[0], format!("{}、", "あ".repeat(35)));
        assert_eq!(lines[1], format!("Mellow72{}", "い".repeat(32)));
        let closes = format!("{}。", "あ".repeat(36));
        assert_eq!(wrap_letters(&closes), format!("{}\nあ。", "あ".repeat(35)));
    }
}
