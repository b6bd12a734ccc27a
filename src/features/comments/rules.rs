//! Rules for comments. Pure.

use crate::error::{Field, Refusal};
use crate::ids::UserId;
use crate::limits::{COMMENT_BYTES_MAX, COMMENT_CHARS_MAX, MENTIONS_MAX, NAME_CHARS_MAX, TOO_MANY_MENTIONS};
use crate::model::mentions;
use crate::sentence::Sentence;
use crate::text;

const COMMENT_BLANK: Sentence = Sentence::new("comment_blank", "A comment needs a word or two.");

/// A valid comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewComment {
    pub text: String,
    /// The mentioned users, each once. They may not exist.
    pub mentions: Vec<UserId>,
}

/// Parses a comment.
///
/// # Errors
/// The comment is blank, too long, or mentions too many users.
pub fn parse(raw: &str) -> Result<NewComment, Refusal> {
    let text = text::block(raw);
    if text::is_blank(&text) {
        return Err(Refusal::Invalid(Field::TEXT, COMMENT_BLANK));
    }
    if mentions::count(&text) > COMMENT_CHARS_MAX || text.len() > COMMENT_BYTES_MAX {
        return Err(Refusal::TooLong(Field::TEXT, COMMENT_CHARS_MAX));
    }
    let mentions = mentions::mentioned(&text);
    if mentions.len() > MENTIONS_MAX {
        return Err(Refusal::Invalid(Field::TEXT, TOO_MANY_MENTIONS));
    }
    Ok(NewComment { text, mentions })
}

/// The search key of the typed part of a name.
pub struct Term(String);

impl Term {
    /// Returns whether nothing was typed yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Parses the text that was typed after an `@`.
///
/// # Errors
/// The text is longer than any name.
pub fn parse_term(raw: &str) -> Result<Term, Refusal> {
    let term = text::line(raw);
    if text::count(&term) > NAME_CHARS_MAX {
        return Err(Refusal::TooLong(Field::TERM, NAME_CHARS_MAX));
    }
    Ok(Term(text::search_key(&term)))
}

/// Returns whether the name, or a word of it, begins with the term.
#[must_use]
pub fn is_meant(name: &str, term: &Term) -> bool {
    let name = text::search_key(name);
    let mut starts = std::iter::once(0).chain(name.match_indices([' ', '_', '-']).map(|(at, _)| at + 1));
    starts.any(|at| name[at..].starts_with(&term.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_comment_is_refused() {
        assert_eq!(parse(" \n "), Err(Refusal::Invalid(Field::TEXT, COMMENT_BLANK)));
    }

    #[test]
    fn a_comment_may_have_five_hundred_characters() {
        assert_eq!(parse(&"🌿".repeat(500)).unwrap().text, "🌿".repeat(500));
        assert_eq!(parse(&"a".repeat(501)), Err(Refusal::TooLong(Field::TEXT, 500)));
    }

    #[test]
    fn a_comment_has_at_most_four_kilobytes_however_few_characters_are_visible() {
        let long = "@9007199254740991+🌿\u{3000}".repeat(163) + "🌿🌿🌿🌿🌿a";
        assert_eq!((mentions::count(&long), long.len()), (495, COMMENT_BYTES_MAX));
        assert!(parse(&long).is_ok());
        for more in ["a", "ab"] {
            let refused = Err(Refusal::TooLong(Field::TEXT, 500));
            assert_eq!(parse(&(long.clone() + more)), refused);
        }
    }

    #[test]
    fn d_a5_a_mention_counts_as_its_label_and_the_at() {
        let rest = "a".repeat(500 - "@Ana Berg ".len());
        assert!(parse(&format!("@1234567890123456+Ana_Berg {rest}")).is_ok());
        assert!(parse(&format!("@1234567890123456+Ana_Berg {rest}a")).is_err());
    }

    #[test]
    fn ten_people_may_be_mentioned_and_each_counts_once() {
        let crowd = |people: u32| (1..=people).map(|id| format!("@{id}+P @{id}+P ")).collect::<String>();
        assert_eq!(parse(&crowd(10)).unwrap().mentions.len(), 10);
        assert_eq!(parse(&crowd(11)), Err(Refusal::Invalid(Field::TEXT, TOO_MANY_MENTIONS)));
    }

    #[test]
    fn a_term_matches_the_beginning_of_any_word_ignoring_case() {
        let meant = |name, term| is_meant(name, &parse_term(term).unwrap());
        assert!(meant("Ana Berg", "an") && meant("Ana Berg", "BERG") && meant("ana_berg", "be"));
        assert!(
            meant("Κώστας Παπαδόπουλος", "κώσ") && meant("Κώστας", "ΚΏΣΤΑΣ") && meant("Zoë Ahn", "zoe a")
        );
        assert!(meant("Ørsted", "ør") && meant("Zoë 🌿", "🌿") && meant("Anyone", ""));
        assert!(!meant("Ana Berg", "na") && !meant("Ana", "Anna"));
        assert!(parse_term(&"a".repeat(50)).is_ok() && parse_term(&"a".repeat(51)).is_err());
        assert!(parse_term(" ").unwrap().is_empty() && !parse_term("a").unwrap().is_empty());
    }

    #[test]
    fn lv6_an_accepted_comment_is_read_the_same_again() {
        let valid = [
            "Yes, @123+Ana_B and @9007199254740991+Zo\u{eb} x",
            "two\n\nlines, a@b.example @0+no @12+",
            "\u{1f33f} plain",
        ];
        crate::testing::fuzz::text(&valid, |raw| {
            let Ok(comment) = parse(raw) else { return };
            assert!(comment.mentions.len() <= MENTIONS_MAX && comment.text.len() <= COMMENT_BYTES_MAX);
            assert_eq!(parse(&comment.text), Ok(comment));
        });
    }
}
