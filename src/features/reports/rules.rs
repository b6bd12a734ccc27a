//! Rules for reports. Pure.

use super::subject::Reason;
use crate::error::{Field, Refusal};
use crate::limits::REPORT_DETAILS_CHARS_MAX;
use crate::sentence::Sentence;
use crate::text;

const DETAILS_BLANK: Sentence = Sentence::new("report_blank", "Please say what it is about.");

/// Parses the details of a report.
///
/// # Errors
/// The details are too long, or blank with the reason `other`.
pub fn parse_details(raw: &str, reason: Reason) -> Result<String, Refusal> {
    let details = text::block(raw);
    if text::is_blank(&details) {
        return match reason {
            Reason::Other => Err(Refusal::Invalid(Field::DETAILS, DETAILS_BLANK)),
            _ => Ok(String::new()),
        };
    }
    if text::count(&details) > REPORT_DETAILS_CHARS_MAX {
        return Err(Refusal::TooLong(Field::DETAILS, REPORT_DETAILS_CHARS_MAX));
    }
    Ok(details)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_may_be_left_out_unless_the_reason_is_something_else() {
        assert_eq!(parse_details(" \n", Reason::Spam), Ok(String::new()));
        let blank = Err(Refusal::Invalid(Field::DETAILS, DETAILS_BLANK));
        assert_eq!(parse_details(" \u{200B} ", Reason::Other), blank);
        assert_eq!(parse_details(" it scares me ", Reason::Other), Ok("it scares me".into()));
    }

    #[test]
    fn details_may_have_five_hundred_characters() {
        assert!(parse_details(&"🌿".repeat(500), Reason::Spam).is_ok());
        let long = Err(Refusal::TooLong(Field::DETAILS, 500));
        assert_eq!(parse_details(&"a".repeat(501), Reason::Spam), long);
    }
}
