//! Mentions: how a comment refers to a user. Pure.
//!
//! A token is `@`, an id, `+` and a label that ends at the next white space (D-A4). Only the id counts. Readers see the
//! current name, or the label if the account is gone. In a label, `_` replaces each space of the name.

use std::collections::HashMap;

use crate::ids::{ID_LIMIT, UserId};
use crate::limits::PREVIEW_CHARS_MAX;
use crate::text;

/// A piece of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MentionPiece<'a> {
    /// Plain text.
    Words(&'a str),
    /// A user, and the label, with `_` for spaces.
    Mention(UserId, &'a str),
}

/// Returns the pieces of a comment, in order.
pub fn pieces(text: &str) -> impl Iterator<Item = MentionPiece<'_>> {
    let mut rest = text;
    let mut found = find(rest);
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(token) = found else {
            return Some(MentionPiece::Words(std::mem::take(&mut rest)));
        };
        if token.start > 0 {
            let (words, after) = rest.split_at(token.start);
            rest = after;
            found = Some(Token { start: 0, end: token.end - token.start, ..token });
            return Some(MentionPiece::Words(words));
        }
        rest = &rest[token.end..];
        found = find(rest);
        Some(MentionPiece::Mention(token.user_id, token.label))
    })
}

#[derive(Clone, Copy)]
struct Token<'a> {
    start: usize,
    user_id: UserId,
    label: &'a str,
    end: usize,
}

/// Returns the first token of a text.
fn find(text: &str) -> Option<Token<'_>> {
    text.match_indices('@').find_map(|(start, _)| {
        // An `@` after a letter or digit is part of a mail address.
        let is_free = text[..start].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        let after = &text[start + 1..];
        let digits = after.bytes().take(17).take_while(u8::is_ascii_digit).count();
        let (digits, after) = after.split_at(digits);
        let sound = is_free && (1..=16).contains(&digits.len()) && !digits.starts_with('0');
        let label = after.strip_prefix('+').filter(|_| sound)?.split(char::is_whitespace).next()?;
        let id: i64 = digits.parse().ok().filter(|id| *id < ID_LIMIT && !label.is_empty())?;
        let end = start + 1 + digits.len() + 1 + label.len();
        Some(Token { start, user_id: UserId(id), label, end })
    })
}

/// Returns the mentioned users in order, each once.
#[must_use]
pub fn mentioned(text: &str) -> Vec<UserId> {
    let mut people = Vec::new();
    for piece in pieces(text) {
        if let MentionPiece::Mention(user_id, _) = piece
            && !people.contains(&user_id)
        {
            people.push(user_id);
        }
    }
    people
}

/// Returns the number of characters as people see them. A mention counts as its label and the `@` (D-A5).
#[must_use]
pub fn count(text: &str) -> usize {
    let seen = |piece| match piece {
        MentionPiece::Words(words) => text::count(words),
        MentionPiece::Mention(_, label) => 1 + text::count(label),
    };
    pieces(text).map(seen).sum()
}

/// Returns the text with which each mention of a user begins.
#[must_use]
pub fn begin(user_id: UserId) -> String {
    format!("@{}+", user_id.0)
}

/// Returns a comment in which the mentions of these users are plain text.
#[must_use]
pub fn plain(comment: &str, hidden: &[UserId]) -> String {
    let mut text = String::with_capacity(comment.len());
    for piece in pieces(comment) {
        match piece {
            MentionPiece::Words(words) => text.push_str(words),
            MentionPiece::Mention(user_id, label) if hidden.contains(&user_id) => {
                text.push('@');
                text.push_str(&label.replace('_', " "));
            }
            MentionPiece::Mention(user_id, label) => {
                text.push_str(&begin(user_id));
                text.push_str(label);
            }
        }
    }
    text
}

/// Returns the beginning of a comment as readers see it, in one line of at most a hundred characters.
#[must_use]
pub fn preview(comment: &str, names: &HashMap<UserId, &str>) -> String {
    let mut plain = String::new();
    for piece in pieces(comment) {
        match piece {
            MentionPiece::Words(words) => plain.push_str(words),
            MentionPiece::Mention(user_id, label) => {
                plain.push('@');
                match names.get(&user_id) {
                    Some(name) => plain.push_str(name),
                    None => plain.push_str(&label.replace('_', " ")),
                }
            }
        }
    }
    beginning(&plain)
}

/// Returns the beginning of a text in one line of at most a hundred characters.
#[must_use]
pub fn beginning(words: &str) -> String {
    text::shorten(&text::line(words), PREVIEW_CHARS_MAX).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANA: UserId = UserId(7);

    fn token(name: &str) -> String {
        let label: String = name
            .chars()
            .filter(|c| *c == ' ' || !c.is_whitespace())
            .map(|c| if c == ' ' { '_' } else { c })
            .collect();
        format!("@{}+{label}", ANA.0)
    }

    #[test]
    fn c38_every_name_round_trips() {
        for name in ["Ana", "a_b", "_x_", "Zoë 🌿", "שלום עולם", "a+b", "me@home", "+", "١٢٣", "O'Neil, Jr."]
        {
            let text = format!("hello {} and goodbye", token(name));
            let found: Vec<_> = pieces(&text).collect();
            let [
                MentionPiece::Words("hello "),
                MentionPiece::Mention(id, label),
                MentionPiece::Words(" and goodbye"),
            ] = &found[..]
            else {
                panic!("{name}: {found:?}")
            };
            assert_eq!((*id, label.replace('_', " ")), (ANA, name.replace('_', " ")), "{name}");
        }
    }

    #[test]
    fn text_that_resembles_a_mention_is_text() {
        for text in [
            "@",
            "@+Ana",
            "@7",
            "@7+",
            "@7+ Ana",
            "@07+Ana",
            "ana@7+Ana",
            "@-7+Ana",
            "@7 +Ana",
            "@٧+Ana",
            "@9007199254740992+Ana",
            "@99999999999999999999+Ana",
            "+@+",
            "@7@8",
        ] {
            let found: Vec<_> = pieces(text).collect();
            assert_eq!(found, [MentionPiece::Words(text)], "{text}");
        }
    }

    #[test]
    fn joined_pieces_are_the_text() {
        let text = "(@7+Ana) @8+B\n@7+Ana's x@9+no @10+Y";
        let again: String = pieces(text)
            .map(|piece| match piece {
                MentionPiece::Words(words) => words.to_owned(),
                MentionPiece::Mention(id, label) => format!("@{}+{label}", id.0),
            })
            .collect();
        assert_eq!(again, text);
        assert_eq!(mentioned(text), [UserId(7), UserId(8), UserId(10)]);
    }

    #[test]
    fn a_mention_counts_as_people_see_it() {
        assert_eq!(count("@1234567890123+Ana_B hi"), "@Ana B hi".chars().count());
        assert_eq!(count("no mention"), 10);
    }

    #[test]
    fn a_hidden_mention_becomes_plain_text_and_others_stay() {
        let text = "hi @7+Ana_Berg and @8+Ben!";
        assert_eq!(plain(text, &[ANA]), "hi @Ana Berg and @8+Ben!");
        assert_eq!(plain(text, &[]), text);
    }

    #[test]
    fn a_preview_has_names_and_a_limited_length() {
        let names = HashMap::from([(ANA, "Ana Berg")]);
        assert_eq!(preview("hi @7+Old_Name and\n@8+Gone_Soul!", &names), "hi @Ana Berg and @Gone Soul!");
        let long = preview(&"word ".repeat(50), &names);
        assert!(long.ends_with("word…") && long.chars().count() <= PREVIEW_CHARS_MAX, "{long}");
    }
}
