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
use crate::zones::Zone;

/// The texts of all mails in one language.
struct Words {
    reset: Texts,
    confirm: Texts,
    notice: Texts,
    made: Texts,
    login: Texts,
    passkey_added: Texts,
    passkey_removed: Texts,
    facts: Facts,
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

/// The words for a device and a time.
struct Facts {
    /// What stands before a device.
    device: &'static str,
    /// A device without a label, as the list of logins shows it.
    browser: &'static str,
    /// What stands between a browser and its system, and after them.
    on: [&'static str; 2],
    /// What stands before a time.
    time: &'static str,
    /// The format of a time, as `strftime` has it.
    moment: &'static str,
}

impl Facts {
    /// Returns the label of a device in this language.
    fn label(&self, label: &str) -> String {
        let [on, after] = self.on;
        match label.split_once(" on ") {
            Some((browser, system)) => format!("{browser}{on}{system}{after}"),
            None if label.is_empty() => self.browser.to_owned(),
            None => label.to_owned(),
        }
    }
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
    /// The paragraphs between these and the link ([`facts`]); most mails have none.
    pub facts: Vec<String>,
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
        Kind::Login => (&all.login, format!("{begins_with}/settings")),
        Kind::PasskeyAdded => (&all.passkey_added, format!("{begins_with}/settings")),
        Kind::PasskeyRemoved => (&all.passkey_removed, format!("{begins_with}/settings")),
    };
    let Texts { subject, before, act, after } = *texts;
    MailText { language, subject, before, facts: Vec::new(), act, colon: all.colon, link, after }
}

/// Returns the lines that name a device and a time, by the clock of `zone`. `device` is the label of the device, empty
/// if unknown; None leaves its line out. `at_ms` is in milliseconds since 1970 UTC.
pub fn facts(language: Own, device: Option<&str>, at_ms: i64, zone: &Zone) -> Vec<String> {
    let Words { facts, colon, .. } = all(language);
    let space = if language.has_spaces() { " " } else { "" };
    let line = |name: &str, value: &str| format!("{name}{colon}{space}{value}");
    let device = device.map(|label| line(facts.device, &facts.label(label)));
    let moment = format!("{} ({})", zone.written(at_ms, facts.moment), zone.name());
    device.into_iter().chain([line(facts.time, &moment)]).collect()
}

/// The width of a line of plain text, in characters. A link has a line of its own, whatever its length.
const LINE_CHARS: usize = 72;

impl MailText {
    /// Returns the mail as plain text, with the link on a line of its own.
    pub fn text(&self) -> String {
        let wrap = if self.language.has_spaces() { wrap } else { wrap_letters };
        let mut parts: Vec<String> = vec![self.subject.into()];
        parts.extend(self.before.iter().map(|paragraph| wrap(paragraph)));
        parts.extend(self.facts.iter().map(|fact| wrap(fact)));
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

    #[test]
    fn the_link_has_its_own_line_and_lines_are_short() {
        for language in Own::ALL {
            for kind in Kind::ALL {
                let mut words = words(language, kind, "https://mellow.example.org", &"t".repeat(43));
                words.facts = facts(language, Some("Samsung Internet on ChromeOS"), 0, &zone("UTC"));
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

    fn zone(name: &str) -> Zone {
        Zone::named(name).unwrap()
    }

    /// 2026-03-01T09:05:00Z.
    const AT_MS: i64 = 1_772_355_900_000;

    #[test]
    fn d_v6_a_device_and_a_time_are_in_the_language_of_the_mail() {
        let said = |language, device| facts(language, device, AT_MS, &zone("UTC"));
        for (language, device, time) in [
            (Own::English, "Device: Firefox on Linux", "Time: 01/Mar/26, 09:05 (UTC)"),
            (Own::German, "Gerät: Firefox auf Linux", "Zeit: 01.03.2026, 09:05 (UTC)"),
            (Own::Spanish, "Dispositivo: Firefox en Linux", "Hora: 01/03/2026, 09:05 (UTC)"),
            (Own::French, "Appareil\u{a0}: Firefox sur Linux", "Heure\u{a0}: 01/03/2026, 09:05 (UTC)"),
            (Own::Polish, "Urządzenie: Firefox w systemie Linux", "Czas: 01.03.2026, 09:05 (UTC)"),
            (Own::Portuguese, "Aparelho: Firefox no Linux", "Horário: 01/03/2026, 09:05 (UTC)"),
            (Own::Ukrainian, "Пристрій: Firefox на Linux", "Час: 01.03.2026, 09:05 (UTC)"),
            (Own::Japanese, "端末：Firefox（Linux）", "日時：2026/03/01 09:05 (UTC)"),
            (Own::Arabic, "الجهاز: Firefox على Linux", "الوقت: 01/03/2026 09:05 (UTC)"),
        ] {
            assert_eq!(said(language, Some("Firefox on Linux")), [device, time]);
            assert_eq!(said(language, None), [time], "no device did it");
        }
        assert_eq!(said(Own::English, Some(""))[0], "Device: A browser");
        assert_eq!(said(Own::German, Some("iPad"))[0], "Gerät: iPad");
        let berlin = facts(Own::English, None, AT_MS, &zone("Europe/Berlin"));
        assert_eq!(berlin, ["Time: 01/Mar/26, 10:05 (Europe/Berlin)"]);
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
