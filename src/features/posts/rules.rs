//! Rules for posts, and the rule by which the feed leaves a post out. Pure.

use crate::error::{Field, Refusal};
use crate::limits::{
    ALT_CHARS_MAX, CONTENT_NOTE_CHARS_MAX, HIDING_TENTHS_BELOW, HIDING_VOTES_OVER, OWN_POSTS_TERM_CHARS_MAX,
    PICTURES_PER_POST, POST_TEXT_CHARS_MAX, POST_TITLE_CHARS_MAX, TOO_MANY_PICTURES,
};
use crate::model::audience::Audience;
use crate::model::tags::Tag;
use crate::sentence::Sentence;
use crate::text;
use crate::text::words::Word;

const EDITED_TEXT_BLANK: Sentence = Sentence::new("edited_text_blank", "Post text cannot be empty");
const POST_TEXT_BLANK: Sentence = Sentence::new("post_text_blank", "Post text is required");

/// A valid post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPost {
    pub title: Option<String>,
    pub text: String,
    pub tag: Option<Tag>,
    pub content_note: Option<String>,
}

impl NewPost {
    /// Parses a new post.
    ///
    /// # Errors
    /// The text is missing, or a part is too long.
    pub fn parse(
        title: Option<&str>,
        text: &str,
        tag: Option<&str>,
        content_note: Option<&str>,
    ) -> Result<Self, Refusal> {
        let PostText { title, text } = PostText::parse(title, text, POST_TEXT_BLANK)?;
        let tag = tag.map(Tag::parse).transpose()?.flatten();
        let content_note = content_note.map(parse_content_note).transpose()?.flatten();
        Ok(Self { title, text, tag, content_note })
    }
}

/// The editable texts of a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostText {
    pub title: Option<String>,
    pub text: String,
}

impl PostText {
    /// Parses the new texts of a post.
    ///
    /// # Errors
    /// The text is empty, or a part is too long.
    pub fn edited(title: Option<&str>, text: &str) -> Result<Self, Refusal> {
        Self::parse(title, text, EDITED_TEXT_BLANK)
    }

    fn parse(title: Option<&str>, text: &str, blank: Sentence) -> Result<Self, Refusal> {
        let text = text::block(text);
        if text::is_blank(&text) {
            return Err(Refusal::Invalid(Field::TEXT, blank));
        }
        fits(&text, POST_TEXT_CHARS_MAX, Field::TEXT)?;
        let title = title.map(text::line).filter(|title| !text::is_blank(title));
        if let Some(title) = &title {
            fits(title, POST_TITLE_CHARS_MAX, Field::TITLE)?;
        }
        Ok(Self { title, text })
    }
}

/// The words of a search in one's own posts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedWords(Vec<Word>);

impl SearchedWords {
    /// Parses a term. Its words end at spaces. Punctuation around a word does not count, but for the `#` of a tag. A term
    /// of punctuation alone is searched for as it is.
    ///
    /// # Errors
    /// The term is too long.
    pub fn parse(term: &str) -> Result<Self, Refusal> {
        let term = text::line(term);
        fits(&term, OWN_POSTS_TERM_CHARS_MAX, Field::TERM)?;
        let words: Vec<Word> = term.split(' ').map(bare).filter_map(Word::new).collect();
        if words.is_empty() {
            return Ok(Self(term.split(' ').filter_map(Word::new).collect()));
        }
        Ok(Self(words))
    }

    /// Returns whether each word begins a word of these texts, which are those of one post. A search without words
    /// finds nothing.
    #[must_use]
    pub fn are_in(&self, texts: &[&str]) -> bool {
        let is_in = |word: &Word| texts.iter().any(|text| word.begins_word_of(text));
        !self.0.is_empty() && self.0.iter().all(is_in)
    }
}

/// Returns a typed word without the punctuation around it. A `#` at its beginning stays, if a word follows.
fn bare(typed: &str) -> &str {
    let word = typed.trim_matches(text::is_punctuation);
    let begin = typed.len() - typed.trim_start_matches(text::is_punctuation).len();
    match word.is_empty() || !typed[..begin].ends_with('#') {
        true => word,
        false => &typed[begin - 1..begin + word.len()],
    }
}

/// Parses a content note. Returns None if it is blank.
///
/// # Errors
/// The note is too long.
pub fn parse_content_note(raw: &str) -> Result<Option<String>, Refusal> {
    let note = Some(text::line(raw)).filter(|note| !text::is_blank(note));
    if let Some(note) = &note {
        fits(note, CONTENT_NOTE_CHARS_MAX, Field::CONTENT_NOTE)?;
    }
    Ok(note)
}

/// Parses the description of a picture. Returns an empty text if it is blank.
///
/// # Errors
/// The description is too long.
pub fn parse_alt(raw: Option<&str>) -> Result<String, Refusal> {
    let alt = raw.map(text::line).filter(|alt| !text::is_blank(alt)).unwrap_or_default();
    fits(&alt, ALT_CHARS_MAX, Field::PICTURES)?;
    Ok(alt)
}

/// Returns whether the new audience may include users who were not in the old one. Comments that others wrote for the
/// old audience then prevent the change (D-G7).
#[must_use]
pub fn is_wider(before: Audience, after: Audience) -> bool {
    let has_others = after != Audience::Author {};
    before != after && before != Audience::Public {} && has_others
}

/// Returns whether the old audience may include users who are not in the new one; false if only the author saw the
/// post.
#[must_use]
pub fn loses_anyone(before: Audience, after: Audience) -> bool {
    let had_others = before != Audience::Author {};
    before != after && had_others && after != Audience::Public {}
}

/// Checks the number of pictures of a post.
///
/// # Errors
/// "You can only upload up to 4 images per post".
pub fn check_pictures(count: usize) -> Result<(), Refusal> {
    if count > PICTURES_PER_POST {
        return Err(Refusal::Invalid(Field::PICTURES, TOO_MANY_PICTURES));
    }
    Ok(())
}

fn fits(text: &str, max: usize, field: Field) -> Result<(), Refusal> {
    if text::count(text) > max { Err(Refusal::TooLong(field, max)) } else { Ok(()) }
}

/// Returns whether a post is left out of the untagged feed: it has more than five votes, and fewer than six in ten are
/// positive (D-B4).
#[must_use]
pub fn is_hidden(positive: i64, negative: i64) -> bool {
    let total = positive + negative;
    total > HIDING_VOTES_OVER && positive * 10 < total * HIDING_TENTHS_BELOW
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::GroupId;

    fn refused(title: Option<&str>, text: &str, tag: Option<&str>) -> Refusal {
        NewPost::parse(title, text, tag, None).unwrap_err()
    }

    #[test]
    fn a_post_of_only_spaces_is_refused() {
        assert_eq!(refused(None, " \n\t ", None), Refusal::Invalid(Field::TEXT, POST_TEXT_BLANK));
    }

    #[test]
    fn a_post_may_have_two_thousand_characters_of_any_size() {
        assert!(NewPost::parse(None, &"🌿".repeat(2_000), None, None).is_ok());
        assert_eq!(refused(None, &"a".repeat(2_001), None), Refusal::TooLong(Field::TEXT, 2_000));
    }

    #[test]
    fn an_edit_to_an_empty_post_is_refused_with_its_own_sentence() {
        assert_eq!(
            PostText::edited(Some("x"), " \n").unwrap_err(),
            Refusal::Invalid(Field::TEXT, EDITED_TEXT_BLANK)
        );
        assert_eq!(PostText::edited(Some(" "), " a ").unwrap(), PostText { title: None, text: "a".into() });
    }

    #[test]
    fn d_g7_an_audience_is_wider_if_it_includes_others_and_loses_if_it_excludes_some() {
        let public = Audience::Public {};
        let [tea, coffee] = [7, 8].map(|id| Audience::Group { group_id: Some(GroupId(id)) });
        // The group was deleted, so only the author sees the post.
        let alone = Audience::Author {};
        for (before, after, wider, loses) in [
            (public, public, false, false),
            (public, tea, false, true),
            (public, alone, false, true),
            (tea, public, true, false),
            (tea, tea, false, false),
            (tea, coffee, true, true),
            (tea, alone, false, true),
            (alone, public, true, false),
            (alone, tea, true, false),
            (alone, alone, false, false),
        ] {
            assert_eq!(is_wider(before, after), wider, "{before:?} to {after:?}");
            assert_eq!(loses_anyone(before, after), loses, "{before:?} to {after:?}");
        }
    }

    #[test]
    fn d_u12_each_word_of_a_search_begins_a_word_of_the_title_the_text_the_tag_or_the_note() {
        let post =
            ["Slow mornings", "Mist on the water,\none heron, nobody else.", "#Tea", "Grief, a funeral"];
        let found = |term: &str| SearchedWords::parse(term).unwrap().are_in(&post);
        for term in ["heron", "HER", "  her  mist ", "slow heron tea", "#tea", "nobody else", "fun mist"] {
            assert!(found(term), "{term}");
        }
        for term in [
            "water,",
            "\u{201C}mist\u{201D}",
            "(heron)",
            "heron - mist",
            "slow\u{2026}",
            "\u{AB}grief\u{BB}",
            "(#tea)",
            "#",
        ] {
            assert!(found(term), "{term}: the punctuation around a word does not count");
        }
        for term in ["eron", "heron coffee", "herons", "#slow", "", "  ", "\u{301}"] {
            assert!(!found(term), "{term}");
        }
    }

    #[test]
    fn d_u12_a_term_has_at_most_a_hundred_characters() {
        assert!(SearchedWords::parse(&format!(" {} ", "🌿".repeat(100))).is_ok());
        let long = SearchedWords::parse(&"a".repeat(101));
        assert_eq!(long, Err(Refusal::TooLong(Field::TERM, 100)));
    }

    #[test]
    fn a_description_is_optional_and_a_post_has_at_most_four_pictures() {
        assert_eq!(parse_alt(None).unwrap(), "");
        assert_eq!(parse_alt(Some("  a\n cat ")).unwrap(), "a cat");
        assert_eq!(parse_alt(Some(&"a".repeat(301))), Err(Refusal::TooLong(Field::PICTURES, 300)));
        assert!(check_pictures(4).is_ok());
        assert_eq!(check_pictures(5), Err(Refusal::Invalid(Field::PICTURES, TOO_MANY_PICTURES)));
    }

    #[test]
    fn blank_title_and_tag_are_none() {
        let post = NewPost::parse(Some("  "), "hello", Some(" # "), None).unwrap();
        assert_eq!((post.title, post.tag), (None, None));
    }

    #[test]
    fn d_u7_a_content_note_is_one_line_of_at_most_sixty_characters_and_a_blank_one_is_none() {
        let note_of = |raw: &str| NewPost::parse(None, "x", None, Some(raw)).map(|post| post.content_note);
        assert_eq!(note_of("  Grief,\n a funeral "), Ok(Some("Grief, a funeral".into())));
        assert_eq!(note_of("e\u{301}"), Ok(Some("é".into())), "in NFC");
        for blank in ["", " \n", "\u{200B}\u{2060}"] {
            assert_eq!(note_of(blank), Ok(None), "{blank:?}");
        }
        assert_eq!(note_of(&"🌿".repeat(60)), Ok(Some("🌿".repeat(60))));
        assert_eq!(note_of(&"🌿".repeat(61)), Err(Refusal::TooLong(Field::CONTENT_NOTE, 60)));
    }

    #[test]
    fn a_long_title_or_tag_is_refused() {
        assert_eq!(refused(Some(&"a".repeat(101)), "x", None), Refusal::TooLong(Field::TITLE, 100));
        assert_eq!(refused(None, "x", Some(&"a".repeat(31))), Refusal::TooLong(Field::TAG, 30));
    }

    #[test]
    fn a_post_with_over_five_votes_below_six_tenths_is_hidden() {
        assert!(!is_hidden(0, 5), "five votes are too few to judge");
        assert!(is_hidden(3, 3));
        assert!(!is_hidden(6, 4), "six tenths are enough");
        assert!(is_hidden(59, 41));
        assert!(!is_hidden(60, 40));
    }
}
