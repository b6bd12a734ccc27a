//! Rules for addresses and passwords. Pure.

use crate::error::{Field, Refusal, Sentence};
use crate::limits::{EMAIL_CHARS_MAX, NAME_CHARS_MAX, PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN};
use crate::text;

/// Common passwords of ten characters or more, one per line, in lower case.
const COMMON: &str = include_str!("common_passwords.txt");

/// A syntactically valid address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email {
    /// As typed.
    pub text: String,
    /// The normalised form, by which addresses are compared.
    pub key: String,
}

impl Email {
    /// Reads an address.
    ///
    /// # Errors
    /// "Please enter a valid email address."
    pub fn parse(raw: &str) -> Result<Self, Refusal> {
        let no = Refusal::Invalid(Field::Email, Sentence::EmailShape);
        let text = raw.trim();
        let (local, domain) = text.rsplit_once('@').ok_or_else(|| no.clone())?;
        let labels: Vec<&str> = domain.split('.').collect();
        let sound = !local.is_empty()
            && local.len() <= 64
            && text.chars().count() <= EMAIL_CHARS_MAX
            && !text.chars().any(|c| c.is_whitespace() || c.is_control() || "\"<>(),;:\\[]".contains(c))
            && !text::hides_something(text)
            && !local.contains('@')
            && labels.len() >= 2
            && labels
                .iter()
                .all(|label| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-'));
        if sound { Ok(Self { key: text.to_lowercase(), text: text.to_owned() }) } else { Err(no) }
    }

    /// Returns the part before the `@`, cut to the length of a name: the spec's default name.
    #[must_use]
    pub fn default_name(&self) -> String {
        let local = self.text.rsplit_once('@').map_or("", |(local, _)| local);
        text::line(local)
            .chars()
            .filter(|c| !text::hides_something(&c.to_string()))
            .take(NAME_CHARS_MAX)
            .collect()
    }
}

/// Checks a new password (D-A8): long enough, not common, not the address.
///
/// # Errors
/// [`Refusal::WeakPassword`] with advice.
pub fn check_password(password: &str, email: &Email) -> Result<(), Refusal> {
    let length = text::count(password);
    if length < PASSWORD_CHARS_MIN {
        return Err(Refusal::WeakPassword(Sentence::PasswordShort));
    }
    if length > PASSWORD_CHARS_MAX {
        return Err(Refusal::WeakPassword(Sentence::PasswordLong));
    }
    let folded = password.to_lowercase();
    let one_character = folded.chars().all(|c| folded.starts_with(c));
    if one_character || folded == email.key || COMMON.lines().any(|common| common == folded) {
        return Err(Refusal::WeakPassword(Sentence::PasswordCommon));
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
    fn what_is_no_address_is_refused() {
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
        ] {
            assert!(Email::parse(raw).is_err(), "{raw:?}");
        }
    }

    #[test]
    fn a_password_needs_ten_characters_of_any_kind() {
        assert_eq!(check_password("ninechars", &ana()), Err(Refusal::WeakPassword(Sentence::PasswordShort)));
        assert_eq!(check_password("kettle on!", &ana()), Ok(()));
        let longest = "kettle".chars().cycle().take(PASSWORD_CHARS_MAX).collect::<String>();
        assert_eq!(check_password(&longest, &ana()), Ok(()));
        assert_eq!(check_password("ääääööööüü", &ana()), Ok(()));
        assert_eq!(
            check_password(&"xy".repeat(65), &ana()),
            Err(Refusal::WeakPassword(Sentence::PasswordLong))
        );
    }

    #[test]
    fn everybodys_first_guess_is_refused() {
        for password in ["1234567890", "Password123", "ANA@example.com", "aaaaaaaaaaaa", "qwertyuiop"] {
            assert_eq!(
                check_password(password, &ana()),
                Err(Refusal::WeakPassword(Sentence::PasswordCommon)),
                "{password}"
            );
        }
    }

    #[test]
    fn who_gives_no_name_is_called_by_the_part_before_the_at() {
        assert_eq!(ana().default_name(), "Ana");
    }
}
