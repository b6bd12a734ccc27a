//! Rules for passkeys: their names. Pure.

use crate::error::{Field, ODD_CHARACTERS, Refusal};
use crate::limits::PASSKEY_NAME_CHARS_MAX;
use crate::sentence::Sentence;
use crate::text;

const PASSKEY_NAME_BLANK: Sentence =
    Sentence::new("passkey_name_blank", "Please enter a name for the passkey.");

/// Parses the name of a passkey.
///
/// # Errors
/// The name is blank, too long, or has hidden characters.
pub fn parse_name(raw: &str) -> Result<String, Refusal> {
    let no = |sentence| Err(Refusal::Invalid(Field::NAME, sentence));
    let name = text::line(text::trim_hidden(raw));
    if text::is_blank(&name) {
        return no(PASSKEY_NAME_BLANK);
    }
    if text::count(&name) > PASSKEY_NAME_CHARS_MAX {
        return Err(Refusal::TooLong(Field::NAME, PASSKEY_NAME_CHARS_MAX));
    }
    if text::has_forbidden_char(&name) {
        return no(ODD_CHARACTERS);
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_line_of_one_to_forty_characters() {
        assert_eq!(parse_name("  Zoe\u{308}'s \n phone "), Ok("Zo\u{eb}'s phone".into()));
        assert_eq!(parse_name(&"🌿".repeat(40)), Ok("🌿".repeat(40)));
        let long = Err(Refusal::TooLong(Field::NAME, PASSKEY_NAME_CHARS_MAX));
        assert_eq!(parse_name(&"a".repeat(41)), long);
    }

    #[test]
    fn a_name_has_a_visible_character_and_no_hidden_ones() {
        let no_name = Err(Refusal::Invalid(Field::NAME, PASSKEY_NAME_BLANK));
        for blank in ["", " \u{200B} ", "\u{2800}"] {
            assert_eq!(parse_name(blank), no_name, "{blank:?}");
        }
        assert_eq!(parse_name("a\u{202E}b"), Err(Refusal::Invalid(Field::NAME, ODD_CHARACTERS)));
    }
}
