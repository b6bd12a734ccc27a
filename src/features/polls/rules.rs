//! Rules for polls. Pure.

use std::collections::HashSet;

use crate::error::{Field, ODD_CHARACTERS, Refusal};
use crate::limits::{
    OPTION_CHARS_MAX, OPTION_LONG, OPTIONS_MAX, OPTIONS_MIN, QUESTION_CHARS_MAX, QUESTION_LONG,
    TOO_FEW_OPTIONS, TOO_MANY_OPTIONS,
};
use crate::sentence::Sentence;
use crate::text;

const QUESTION_BLANK: Sentence = Sentence::new("poll_question_blank", "Please enter a question");

/// A valid poll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPoll {
    pub question: String,
    /// The options, in the order in which they are shown.
    pub options: Vec<String>,
}

impl NewPoll {
    /// Parses a new poll. Blank options are left out. Of options that differ only in case, the first is kept (D-F7).
    ///
    /// # Errors
    /// The first error of the list: there is no question, the question is too long, there are too few options, there
    /// are too many, or an option is too long.
    pub fn parse(question: &str, options: &[String]) -> Result<Self, Refusal> {
        let question = text::line(text::trim_hidden(question));
        if text::is_blank(&question) {
            return Err(Refusal::Invalid(Field::QUESTION, QUESTION_BLANK));
        }
        if text::count(&question) > QUESTION_CHARS_MAX {
            return Err(Refusal::Invalid(Field::QUESTION, QUESTION_LONG));
        }
        if text::has_forbidden_char(&question) {
            return Err(Refusal::Invalid(Field::QUESTION, ODD_CHARACTERS));
        }
        let mut met = HashSet::new();
        let mut options: Vec<String> =
            options.iter().map(|option| text::line(text::trim_hidden(option))).collect();
        options.retain(|option| !text::is_blank(option) && met.insert(text::folded(option)));
        let no = |sentence| Err(Refusal::Invalid(Field::OPTIONS, sentence));
        if options.len() < OPTIONS_MIN {
            return no(TOO_FEW_OPTIONS);
        }
        if options.len() > OPTIONS_MAX {
            return no(TOO_MANY_OPTIONS);
        }
        if options.iter().any(|option| text::count(option) > OPTION_CHARS_MAX) {
            return no(OPTION_LONG);
        }
        if options.iter().any(|option| text::has_forbidden_char(option)) {
            return no(ODD_CHARACTERS);
        }
        Ok(Self { question, options })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(question: &str, options: &[&str]) -> Result<NewPoll, Refusal> {
        NewPoll::parse(question, &options.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    fn of_question(sentence: Sentence) -> Result<NewPoll, Refusal> {
        Err(Refusal::Invalid(Field::QUESTION, sentence))
    }

    fn of_options(sentence: Sentence) -> Result<NewPoll, Refusal> {
        Err(Refusal::Invalid(Field::OPTIONS, sentence))
    }

    #[test]
    fn a_poll_needs_a_question_of_at_most_140_characters() {
        for blank in ["", " \n\t", "\u{200B}"] {
            assert_eq!(parse(blank, &["a", "b"]), of_question(QUESTION_BLANK));
        }
        assert_eq!(parse(&"🌿".repeat(140), &["a", "b"]).unwrap().question, "🌿".repeat(140));
        assert_eq!(parse(&"a".repeat(141), &["a", "b"]), of_question(QUESTION_LONG));
        assert_eq!(parse("  Tea \n or   coffee? ", &["a", "b"]).unwrap().question, "Tea or coffee?");
    }

    #[test]
    fn a_poll_has_two_to_four_options_of_at_most_forty_characters() {
        let long = "a".repeat(41);
        assert_eq!(parse("?", &[]), of_options(TOO_FEW_OPTIONS));
        assert_eq!(parse("?", &["a", " ", "\u{200B}"]), of_options(TOO_FEW_OPTIONS));
        assert!(parse("?", &["a", "b", "c", "d"]).is_ok());
        assert_eq!(parse("?", &["a", "b", "c", "d", "e"]), of_options(TOO_MANY_OPTIONS));
        assert_eq!(parse("?", &["a", &long]), of_options(OPTION_LONG));
        assert!(parse("?", &["a", &"🌿".repeat(40)]).is_ok());
    }

    #[test]
    fn d_f7_blank_options_are_dropped_and_of_equal_ones_the_first_stays() {
        let options =
            parse("?", &[" Tea  time ", "", "tea time", "Straße", "STRASSE", "Coffee"]).unwrap().options;
        assert_eq!(options, ["Tea time", "Straße", "Coffee"]);
        assert_eq!(parse("?", &["Yes", "YES", " yes "]), of_options(TOO_FEW_OPTIONS));
        assert_eq!(parse("?", &["Zoe\u{308}", "Zoë", "x"]).unwrap().options, ["Zoë", "x"]);
        assert!(parse("?", &["a", "A", "b", "B", "c", "d"]).is_ok(), "four when they are merged");
    }

    #[test]
    fn hidden_characters_are_refused() {
        assert_eq!(parse("a\u{202E}b", &["a", "b"]), of_question(ODD_CHARACTERS));
        assert_eq!(parse("?", &["a", "b\u{2066}c"]), of_options(ODD_CHARACTERS));
        assert_eq!(parse("a\u{0}b", &["a", "b"]).unwrap().question, "ab");
    }

    #[test]
    fn an_error_of_the_question_is_reported_before_one_of_the_number_of_options() {
        let long = "a".repeat(41);
        assert_eq!(parse("", &[]), of_question(QUESTION_BLANK));
        assert_eq!(parse(&"a".repeat(141), &[]), of_question(QUESTION_LONG));
        assert_eq!(parse("?", &[&long]), of_options(TOO_FEW_OPTIONS));
        assert_eq!(parse("?", &[&long, "a", "b", "c", "d"]), of_options(TOO_MANY_OPTIONS));
    }
}
