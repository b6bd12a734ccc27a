//! Rules for search terms. Pure.

use crate::error::{Field, Refusal};
use crate::limits::TERM_CHARS_MAX;
use crate::sentence::Sentence;
use crate::text;

const TERM_BLANK: Sentence = Sentence::new("search_blank", "Please enter a name to look for.");

/// Parses a term.
///
/// # Errors
/// The term is blank, or longer than any name.
pub fn parse(raw: &str) -> Result<String, Refusal> {
    let term = text::line(raw);
    if term.is_empty() {
        return Err(Refusal::Invalid(Field::TERM, TERM_BLANK));
    }
    if text::count(&term) > TERM_CHARS_MAX {
        return Err(Refusal::TooLong(Field::TERM, TERM_CHARS_MAX));
    }
    Ok(term)
}

/// Returns the first text after those that begin with `term`, in the order of bytes; None if there is none. Names are
/// compared as bytes, so `%` and `_` are ordinary characters.
#[must_use]
pub fn end_of_range(term: &str) -> Option<String> {
    let mut characters: Vec<char> = term.chars().collect();
    while let Some(last) = characters.pop() {
        // A range of `char` skips the gap of the surrogates.
        if let Some(next) = (last..=char::MAX).nth(1) {
            characters.push(next);
            return Some(characters.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_term_is_refused() {
        assert_eq!(parse("  "), Err(Refusal::Invalid(Field::TERM, TERM_BLANK)));
    }

    #[test]
    fn a_term_is_no_longer_than_a_name() {
        let longest = "🌿".repeat(TERM_CHARS_MAX);
        assert_eq!(parse(&longest), Ok(longest.clone()));
        let refused = Err(Refusal::TooLong(Field::TERM, TERM_CHARS_MAX));
        for more in 1..3 {
            assert_eq!(parse(&"a".repeat(TERM_CHARS_MAX + more)), refused);
        }
    }

    #[test]
    fn the_range_has_exactly_the_texts_that_begin_with_the_term() {
        for term in ["An", "a_", "100%", "Zoë", "\u{D7FF}", "🌿", "x\u{10FFFF}"] {
            let end = end_of_range(term).unwrap();
            for inside in [term.to_owned(), format!("{term}a"), format!("{term}\u{10FFFF}\u{10FFFF}")] {
                assert!(
                    inside.as_bytes() >= term.as_bytes() && inside.as_bytes() < end.as_bytes(),
                    "{inside:?}"
                );
            }
            assert!(!end.starts_with(term));
        }
        assert_eq!(end_of_range("\u{10FFFF}"), None);
    }
}
