//! Mentions: how a comment names somebody.
//!
//! A token is `@`, an id, `+` and a label that runs to the next white space (D-A4). Only the id counts;
//! people see the current name, and the label where nobody has the id any more. Pure.

use crate::ids::{ID_LIMIT, UserId};

/// A piece of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Words as they stand.
    Words(&'a str),
    /// Somebody, and what they were called then: spaces as `_`.
    Mention(UserId, &'a str),
}

/// Returns the pieces of a comment, in order.
pub fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (start, found) = match find(rest) {
            Some((start, id, label, end)) => (start, Some((id, label, end))),
            None => (rest.len(), None),
        };
        if start > 0 {
            let words = &rest[..start];
            rest = &rest[start..];
            return Some(Piece::Words(words));
        }
        let (id, label, end) = found?;
        rest = &rest[end..];
        Some(Piece::Mention(id, label))
    })
}

/// Returns the first token's start, id, label and end.
fn find(text: &str) -> Option<(usize, UserId, &str, usize)> {
    text.match_indices('@').find_map(|(start, _)| {
        // An address of mail is none: what stands before is no letter, digit or the like.
        let is_free = text[..start].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        let (digits, after) = text[start + 1..].split_once('+')?;
        let sound = is_free
            && (1..=16).contains(&digits.len())
            && !digits.starts_with('0')
            && digits.bytes().all(|byte| byte.is_ascii_digit());
        let id: i64 = digits.parse().ok().filter(|id| sound && *id < ID_LIMIT)?;
        let label = after.split(char::is_whitespace).next().filter(|label| !label.is_empty())?;
        let end = start + 1 + digits.len() + 1 + label.len();
        Some((start, UserId(id), label, end))
    })
}
