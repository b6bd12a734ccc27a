//! Rules for groups: names, and additions. Pure.

use std::collections::HashSet;

use crate::error::{Field, ODD_CHARACTERS, Refusal};
use crate::ids::UserId;
use crate::limits::{GROUP_ADD_MAX, GROUP_NAME_CHARS_MAX};
use crate::sentence::Sentence;
use crate::text;

const GROUP_NAME_BLANK: Sentence = Sentence::new("group_name_blank", "Please enter a group name.");

/// Parses the name of a group.
///
/// # Errors
/// The name is blank, too long, or has hidden characters.
pub fn parse_name(raw: &str) -> Result<String, Refusal> {
    let no = |sentence| Err(Refusal::Invalid(Field::NAME, sentence));
    let name = text::line(text::trim_hidden(raw));
    if text::is_blank(&name) {
        return no(GROUP_NAME_BLANK);
    }
    if text::count(&name) > GROUP_NAME_CHARS_MAX {
        return Err(Refusal::TooLong(Field::NAME, GROUP_NAME_CHARS_MAX));
    }
    if text::has_forbidden_char(&name) {
        return no(ODD_CHARACTERS);
    }
    Ok(name)
}

/// Parses the users to add. Returns each once.
///
/// # Errors
/// [`Refusal::BadRequest`] if there are none, or more than a request may have. The web client never sends that.
pub fn parse_new_members(user_ids: Vec<UserId>) -> Result<Vec<UserId>, Refusal> {
    if !(1..=GROUP_ADD_MAX).contains(&user_ids.len()) {
        return Err(Refusal::BadRequest);
    }
    let mut met = HashSet::new();
    if user_ids.iter().all(|user_id| met.insert(*user_id)) { Ok(user_ids) } else { Err(Refusal::BadRequest) }
}

/// Returns the effective limit: the setting of the host, but at most `most`. A setting of 0 means `most`.
#[must_use]
pub fn limit(set: u64, most: u64) -> i64 {
    let limit = if set == 0 { most } else { set.min(most) };
    i64::try_from(limit).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_name(sentence: Sentence) -> Result<String, Refusal> {
        Err(Refusal::Invalid(Field::NAME, sentence))
    }

    #[test]
    fn a_group_has_a_name_of_at_most_fifty_characters() {
        for blank in ["", " \n\t", "\u{200B}"] {
            assert_eq!(parse_name(blank), of_name(GROUP_NAME_BLANK));
        }
        assert_eq!(parse_name("  Close \n friends 🌿 "), Ok("Close friends 🌿".into()));
        assert_eq!(parse_name(&"🌿".repeat(50)), Ok("🌿".repeat(50)));
        assert_eq!(parse_name(&"a".repeat(51)), Err(Refusal::TooLong(Field::NAME, 50)));
    }

    #[test]
    fn a_name_has_no_hidden_characters() {
        assert_eq!(parse_name("a\u{202E}b"), of_name(ODD_CHARACTERS));
        assert_eq!(parse_name("a\u{0}b"), Ok("ab".into()));
        assert_eq!(parse_name("\u{2068}Walks\u{2069}\u{FEFF}"), Ok("Walks".into()));
    }

    #[test]
    fn each_user_is_added_once_and_an_addition_has_a_limit() {
        let ids = |to: i64| (1..=to).map(UserId).collect::<Vec<_>>();
        for wrong in [vec![], vec![UserId(1), UserId(2), UserId(1)], ids(151)] {
            assert_eq!(parse_new_members(wrong), Err(Refusal::BadRequest));
        }
        assert_eq!(parse_new_members(ids(150)), Ok(ids(150)));
        assert_eq!(parse_new_members(vec![UserId(9), UserId(3)]), Ok(vec![UserId(9), UserId(3)]));
    }

    #[test]
    fn the_setting_of_the_host_is_bounded_by_the_fixed_limit() {
        assert_eq!([0, 7, 200, 201, u64::MAX].map(|set| limit(set, 200)), [200, 7, 200, 200, 200]);
    }
}
