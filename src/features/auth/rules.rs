//! Rules for addresses and passwords. Pure.

use unicode_normalization::UnicodeNormalization;

use crate::error::{Field, Refusal};
use crate::limits::{
    EMAIL_CHARS_MAX, EMAIL_LOCAL_BYTES_MAX, NAME_CHARS_MAX, PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN,
    PASSWORD_LONG, PASSWORD_SHORT,
};
use crate::sentence::Sentence;
use crate::text;

const PASSWORD_COMMON: Sentence = Sentence::new("password_common", "That password is too easy to guess.");
const EMAIL_SHAPE: Sentence = Sentence::new("email_odd", "Please enter a valid email address.");

/// Common passwords of ten characters or more, one on each line, in lower case.
const COMMON: &str = include_str!("common_passwords.txt");

/// Characters that an address may have before the `@`, besides letters and digits. They are those of an atom in RFC
/// 5322, except `/` and `?`, so that no address looks like a link.
const MARKS_BEFORE_AT: &str = "!#$%&'*+-=^_`{|}~";

/// A mail address.
///
/// Before the `@` it has parts of letters, digits and [`MARKS_BEFORE_AT`], joined by single dots. After the `@` it has
/// an international domain name (IDNA, UTS 46) of at least two labels of letters, digits and hyphens. The domain is not
/// a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email {
    /// The address as typed, in NFC.
    pub text: String,
    /// The form by which addresses are compared: in lower case, with the domain in ASCII.
    pub key: String,
}

impl Email {
    /// Parses an address.
    ///
    /// # Errors
    /// "Please enter a valid email address."
    pub fn parse(raw: &str) -> Result<Self, Refusal> {
        Self::read(raw).ok_or(Refusal::Invalid(Field::EMAIL, EMAIL_SHAPE))
    }

    /// Returns the address of an account. An address that was stored under an older rule is accepted as it is.
    #[must_use]
    pub fn of_account(text: &str) -> Self {
        let text: String = text.trim().chars().take(EMAIL_CHARS_MAX).collect();
        Self::read(&text).unwrap_or_else(|| Self { key: text.to_lowercase(), text })
    }

    fn read(raw: &str) -> Option<Self> {
        let text: String = text::trim_hidden(raw).nfc().collect();
        let (local, domain) = text.split_once('@')?;
        let is_part = |part: &str| {
            part.chars().all(|c| text::is_of_word(c) || MARKS_BEFORE_AT.contains(c))
                && part.chars().next().is_some_and(text::is_visible)
        };
        let ascii = idna::domain_to_ascii_strict(domain).ok()?;
        let (shown, mapped) = idna::domain_to_unicode(&ascii);
        mapped.ok()?;
        let labels: Vec<&str> = shown.split('.').collect();
        let is_label = |label: &&str| {
            label.chars().next().is_some_and(text::is_visible)
                && label.chars().all(|c| text::is_of_word(c) || c == '-')
        };
        let is_sound = local.len() <= EMAIL_LOCAL_BYTES_MAX
            && local.split('.').all(is_part)
            && labels.len() >= 2
            && labels.iter().all(is_label)
            && labels.last().is_some_and(|last| !last.chars().all(char::is_numeric));
        let text = format!("{local}@{}", if domain.is_ascii() { domain } else { &shown });
        let key = format!("{}@{ascii}", local.to_lowercase());
        (is_sound && text::count(&text) <= EMAIL_CHARS_MAX).then_some(Self { text, key })
    }

    /// Returns the default name of the specification: the part before the `@`, cut to the length of a name.
    #[must_use]
    pub fn default_name(&self) -> String {
        let local = self.text.split_once('@').map_or("", |(local, _)| local);
        text::beginning(local, NAME_CHARS_MAX).to_owned()
    }
}

/// Checks a new password (D-A8): its length, and that it is neither common nor the address. It is checked in NFC, as it
/// is stored.
///
/// # Errors
/// [`Refusal::WeakPassword`] with advice.
pub fn check_password(password: &str, email: &Email) -> Result<(), Refusal> {
    let password: String = password.nfc().collect();
    let length = text::count(&password);
    if length < PASSWORD_CHARS_MIN {
        return Err(Refusal::WeakPassword(PASSWORD_SHORT));
    }
    if length > PASSWORD_CHARS_MAX {
        return Err(Refusal::WeakPassword(PASSWORD_LONG));
    }
    let folded = password.to_lowercase();
    let one_character = folded.chars().all(|c| folded.starts_with(c));
    if one_character || folded == email.key || COMMON.lines().any(|common| common == folded) {
        return Err(Refusal::WeakPassword(PASSWORD_COMMON));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ana() -> Email {
        Email::parse("Ana@Example.com").unwrap()
    }

    #[test]
    fn an_address_is_compared_without_capitals_and_kept_as_typed() {
        assert_eq!(ana().key, "ana@example.com");
        assert_eq!(ana().text, "Ana@Example.com");
    }

    #[test]
    fn hidden_characters_around_an_address_are_dropped() {
        for raw in [
            "\u{202A}Ana@Example.com\u{202C}",
            "\u{200E}Ana@Example.com",
            "Ana@Example.com\u{A0}\u{200B}",
            "\u{FEFF}Ana@Example.com",
        ] {
            assert_eq!(Email::parse(raw), Ok(ana()), "{raw:?}");
        }
    }

    #[test]
    fn an_invalid_address_is_refused() {
        for raw in [
            "",
            "ana",
            "@x.de",
            "ana@",
            "ana@de",
            "a na@x.de",
            "ana@x..de",
            "ana@-x.de",
            "a@b@x.de",
            "a\r\nb@x.de",
            "a\u{202E}b@x.de",
            "a\u{7F}b@x.de",
            "<ana>@x.de",
            "\"ana\"@x.de",
            "ana,ben@x.de",
            ".ana@x.de",
            "ana.@x.de",
            "ana..b@x.de",
            "x.de/ana@x.de",
            "ana?to=ben@x.de",
            "ana:secret@x.de",
            "ana@x.de/win?a=b",
            "ana@x.de:80",
            "ana@x.de.",
            "ana@x_y.de",
            "ana@127.0.0.1",
            "ana@[127.0.0.1]",
            "ana@Your\u{2800}account\u{2800}was\u{2800}closed.de",
            "You\u{2800}won@x.de",
            "\u{3164}@x.de",
            "a\u{200B}na@x.de",
            "ana@x\u{200D}y.de",
            "a\u{E0061}na@x.de",
            "\u{301}ana@x.de",
            "ana@\u{1F33F}.de",
            "ana@xn--a.de",
            "ana@x.de\u{2044}win",
            "ana@x\u{3002}",
        ] {
            assert!(Email::parse(raw).is_err(), "{raw:?}");
        }
    }

    #[test]
    fn an_address_may_have_letters_of_any_script_and_the_characters_of_an_atom() {
        for (raw, text, key) in [
            ("o'brien+tag=x@x-y.example", "o'brien+tag=x@x-y.example", "o'brien+tag=x@x-y.example"),
            ("ana@M\u{fc}sli.de", "ana@m\u{fc}sli.de", "ana@xn--msli-0ra.de"),
            ("ana@XN--msli-0ra.de", "ana@XN--msli-0ra.de", "ana@xn--msli-0ra.de"),
            ("Zoe\u{308}@x.de", "Zo\u{eb}@x.de", "zo\u{eb}@x.de"),
            (
                "\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947}@x.de",
                "\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947}@x.de",
                "\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947}@x.de",
            ),
        ] {
            let email = Email::parse(raw).unwrap();
            assert_eq!((email.text.as_str(), email.key.as_str()), (text, key));
        }
    }

    #[test]
    fn a_password_needs_ten_characters_of_any_kind() {
        assert_eq!(check_password("ninechars", &ana()), Err(Refusal::WeakPassword(PASSWORD_SHORT)));
        assert_eq!(check_password("kettle on!", &ana()), Ok(()));
        let longest = "kettle".chars().cycle().take(PASSWORD_CHARS_MAX).collect::<String>();
        assert_eq!(check_password(&longest, &ana()), Ok(()));
        assert_eq!(check_password("ääääööööüü", &ana()), Ok(()));
        // A letter and its accent are one character.
        let (short, long) = ("e\u{301}".repeat(5), "xe\u{301}".repeat(64));
        assert_eq!(check_password(&short, &ana()), Err(Refusal::WeakPassword(PASSWORD_SHORT)));
        assert_eq!(check_password(&long, &ana()), Ok(()));
        assert_eq!(check_password(&"xy".repeat(65), &ana()), Err(Refusal::WeakPassword(PASSWORD_LONG)));
    }

    #[test]
    fn a_common_password_is_refused() {
        for password in ["1234567890", "Password123", "ANA@example.com", "aaaaaaaaaaaa", "qwertyuiop"] {
            assert_eq!(
                check_password(password, &ana()),
                Err(Refusal::WeakPassword(PASSWORD_COMMON)),
                "{password}"
            );
        }
    }

    #[test]
    fn the_default_name_is_the_part_before_the_at() {
        assert_eq!(ana().default_name(), "Ana");
    }

    #[test]
    fn lv6_an_accepted_address_is_read_the_same_again() {
        let valid =
            ["Ana@Example.com", "zo\u{eb}.b+mellow@xn--bcher-kva.example", "ana_1@b\u{fc}cher.example"];
        crate::testing::fuzz::text(&valid, |raw| {
            let Ok(email) = Email::parse(raw) else { return };
            assert!(text::count(&email.text) <= EMAIL_CHARS_MAX);
            assert!(
                !email.text.chars().any(|c| c.is_control() || c.is_whitespace() || "<>,;:\"".contains(c))
            );
            assert_eq!(Email::parse(&email.text), Ok(email.clone()));
            assert_eq!(Email::parse(&email.key).map(|same| same.key), Ok(email.key));
        });
    }
}
