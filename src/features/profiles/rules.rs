//! Rules for the text of a profile. Pure.

use crate::error::{Field, ODD_CHARACTERS, Refusal};
use crate::limits::{BIO_CHARS_MAX, NAME_CHARS_MAX};
use crate::sentence::Sentence;
use crate::text;

const NAME_SHAPE: Sentence =
    Sentence::new("name_odd_characters", "This name has characters that can't be shown.");
pub const NAME_BLANK: Sentence = Sentence::new("name_blank", "Please enter a name.");

/// Parses a new name.
///
/// # Errors
/// The name is blank, too long, or has hidden characters.
pub fn parse_name(raw: &str) -> Result<String, Refusal> {
    parse_optional_name(raw)?.ok_or(Refusal::Invalid(Field::NAME, NAME_BLANK))
}

/// Parses a name (D-A1). Returns None if it has no visible character.
///
/// # Errors
/// The name is too long or has hidden characters.
pub fn parse_optional_name(raw: &str) -> Result<Option<String>, Refusal> {
    let raw = text::trim_hidden(raw);
    if text::has_forbidden_char(raw) {
        return Err(Refusal::Invalid(Field::NAME, NAME_SHAPE));
    }
    let name = text::line(raw);
    if text::count(&name) > NAME_CHARS_MAX {
        return Err(Refusal::TooLong(Field::NAME, NAME_CHARS_MAX));
    }
    Ok((!text::is_blank(&name)).then_some(name))
}

/// Parses a bio. Returns an empty text if it is blank. A bio is shown beside names in lists, so it must not change the
/// direction of the text after it.
///
/// # Errors
/// The bio is too long or has hidden characters.
pub fn parse_bio(raw: &str) -> Result<String, Refusal> {
    let bio = text::block(text::trim_hidden(raw));
    if text::count(&bio) > BIO_CHARS_MAX {
        return Err(Refusal::TooLong(Field::BIO, BIO_CHARS_MAX));
    }
    if bio.split(['\n', '\t']).any(text::has_forbidden_char) {
        return Err(Refusal::Invalid(Field::BIO, ODD_CHARACTERS));
    }
    Ok(if text::is_blank(&bio) { String::new() } else { bio })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_needs_a_name() {
        for blank in ["", " \u{200B} "] {
            assert_eq!(parse_name(blank), Err(Refusal::Invalid(Field::NAME, NAME_BLANK)));
        }
        assert_eq!(parse_name(" O'Brien_+1 "), Ok("O'Brien_+1".into()));
    }

    #[test]
    fn a_name_has_at_most_fifty_characters_and_no_hidden_ones() {
        assert_eq!(parse_optional_name(" Zoë  🌿 "), Ok(Some("Zoë 🌿".into())));
        assert!(parse_optional_name(&"a".repeat(50)).is_ok());
        assert!(parse_optional_name(&"a".repeat(51)).is_err());
        assert!(parse_optional_name("a\u{202E}b").is_err());
        assert_eq!(parse_optional_name("\u{202A}Zoë\u{202C}\u{A0}"), Ok(Some("Zoë".into())));
    }

    #[test]
    fn a_name_without_a_visible_character_is_none() {
        for blank in ["", "   ", "\u{200B}"] {
            assert_eq!(parse_optional_name(blank), Ok(None));
        }
    }

    #[test]
    fn a_bio_may_be_empty_or_have_three_hundred_characters_on_several_lines() {
        assert_eq!(parse_bio(" \u{200B}\n "), Ok(String::new()));
        assert_eq!(parse_bio("tea\r\n\tand more\u{7}"), Ok("tea\n\tand more".into()));
        assert_eq!(parse_bio(&"🌿".repeat(300)), Ok("🌿".repeat(300)));
        assert_eq!(parse_bio(&"a".repeat(301)), Err(Refusal::TooLong(Field::BIO, 300)));
    }

    #[test]
    fn a_bio_does_not_change_the_direction_of_text() {
        assert_eq!(parse_bio("tea\n\u{202E}aet"), Err(Refusal::Invalid(Field::BIO, ODD_CHARACTERS)));
        assert!(parse_bio("שלום").is_ok());
    }
}
