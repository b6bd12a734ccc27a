//! What a comment must be. Pure.

use crate::error::{Field, Refusal, Sentence};
use crate::limits::{COMMENT_BYTES_MAX, COMMENT_CHARS_MAX};
use crate::text;

/// Reads a comment.
///
/// # Errors
/// A blank or over-long one.
pub fn parse(raw: &str) -> Result<String, Refusal> {
    let text = text::block(raw);
    if text::is_blank(&text) {
        return Err(Refusal::Invalid(Field::Text, Sentence::CommentBlank));
    }
    if text::count(&text) > COMMENT_CHARS_MAX || text.len() > COMMENT_BYTES_MAX {
        return Err(Refusal::Invalid(Field::Text, Sentence::TooLong(COMMENT_CHARS_MAX)));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_comment_is_refused() {
        assert_eq!(parse(" \n "), Err(Refusal::Invalid(Field::Text, Sentence::CommentBlank)));
    }

    #[test]
    fn a_comment_may_have_five_hundred_characters() {
        assert_eq!(parse(&"🌿".repeat(500)), Ok("🌿".repeat(500)));
        assert_eq!(parse(&"a".repeat(501)), Err(Refusal::Invalid(Field::Text, Sentence::TooLong(500))));
    }
}
