//! Tags of posts, and their normalised form for comparison.

use crate::error::{Field, ODD_CHARACTERS, Refusal};
use crate::limits::TAG_CHARS_MAX;
use crate::text;

/// A tag, as it was typed and as it is compared (D-B6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    pub shown: String,
    pub key: String,
}

impl Tag {
    /// Parses a tag. Returns None if it is blank.
    ///
    /// # Errors
    /// The tag is too long or has hidden characters.
    pub fn parse(raw: &str) -> Result<Option<Self>, Refusal> {
        let raw = raw.trim_start_matches(|c| c == '#' || text::comes_along(c));
        let shown = text::line(text::trim_hidden(raw));
        if text::has_forbidden_char(&shown) {
            return Err(Refusal::Invalid(Field::TAG, ODD_CHARACTERS));
        }
        if text::count(&shown) > TAG_CHARS_MAX {
            return Err(Refusal::TooLong(Field::TAG, TAG_CHARS_MAX));
        }
        let key = text::folded(&shown);
        Ok((!text::is_blank(&shown)).then_some(Self { shown, key }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_shown_as_typed_and_compared_without_capitals() {
        for typed in [" ##Slow   Mornings ", "#  # Slow Mornings"] {
            let tag = Tag::parse(typed).unwrap().unwrap();
            assert_eq!((tag.shown.as_str(), tag.key.as_str()), ("Slow Mornings", "slow mornings"));
        }
    }

    #[test]
    fn hidden_characters_around_a_tag_are_dropped() {
        for typed in
            ["\u{200E}#Slow Mornings", "\u{2068}Slow Mornings\u{2069}", "#\u{200B}#Slow Mornings\u{FEFF}"]
        {
            assert_eq!(Tag::parse(typed), Tag::parse("Slow Mornings"), "{typed:?}");
        }
        assert!(Tag::parse("Slow\u{202E}Mornings").is_err());
    }

    #[test]
    fn lv6_an_accepted_tag_is_read_the_same_again() {
        crate::testing::fuzz::text(
            &["#Slow Mornings", "caf\u{e9}", "\u{4f60}\u{597d}", "a\u{200d}b"],
            |raw| {
                let Ok(Some(tag)) = Tag::parse(raw) else { return };
                assert!(text::count(&tag.shown) <= TAG_CHARS_MAX);
                assert_eq!(Tag::parse(&tag.shown), Ok(Some(tag)));
            },
        );
    }
}
