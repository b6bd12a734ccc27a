//! Text input: normalisation, removal of hidden characters, and counting.
//!
//! Here and in the web client, a character is a Unicode scalar value after normalisation (NFC) and trimming.

pub mod words;

use std::borrow::Cow;

use icu_properties::props::{BidiControl, DefaultIgnorableCodePoint, GeneralCategory, GeneralCategoryGroup};
use icu_properties::{CodePointMapData, CodePointSetData};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, decompose_canonical};
use unicode_segmentation::UnicodeSegmentation;

/// Returns the text as one line: in NFC, trimmed, without control characters, each run of white space as one space.
#[must_use]
pub fn line(raw: &str) -> String {
    let plain: String = raw
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| !c.is_control())
        .nfc()
        .collect();
    plain.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns the text with its line breaks and tabs: in NFC, trimmed, without other control characters, and with at most
/// two blank lines in a row.
#[must_use]
pub fn block(raw: &str) -> String {
    let even = raw.replace("\r\n", "\n").replace('\r', "\n");
    let plain: String = even.chars().filter(|c| *c == '\n' || *c == '\t' || !c.is_control()).nfc().collect();
    let mut out = String::with_capacity(plain.len());
    let mut blank = 0;
    for line in plain.trim().split('\n') {
        blank = if line.trim().is_empty() { blank + 1 } else { 0 };
        if blank <= 2 {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(line.trim_end());
        }
    }
    out
}

/// Returns whether a text has no visible character. It then has only white space, control and format characters,
/// characters that Unicode calls default-ignorable (fillers, tags, variation selectors), marks without a letter, and
/// [`BLANKS`].
#[must_use]
pub fn is_blank(text: &str) -> bool {
    !text.chars().any(is_visible)
}

/// Returns whether a character is visible by itself.
#[must_use]
pub fn is_visible(c: char) -> bool {
    let without_shape = GeneralCategoryGroup::Separator
        .union(GeneralCategoryGroup::Mark)
        .union(GeneralCategoryGroup::Control)
        .union(GeneralCategoryGroup::Format);
    !without_shape.contains(CodePointMapData::<GeneralCategory>::new().get(c)) && has_shape(c)
}

/// Returns whether a character is punctuation, such as a comma, a quotation mark, a dash or a `#`.
#[must_use]
pub fn is_punctuation(c: char) -> bool {
    GeneralCategoryGroup::Punctuation.contains(CodePointMapData::<GeneralCategory>::new().get(c))
}

/// Returns whether a character is a letter or digit of any script, or a mark on one, and has a shape.
#[must_use]
pub fn is_of_word(c: char) -> bool {
    let of_word = GeneralCategoryGroup::Letter
        .union(GeneralCategoryGroup::Mark)
        .union(GeneralCategoryGroup::DecimalNumber);
    of_word.contains(CodePointMapData::<GeneralCategory>::new().get(c)) && has_shape(c)
}

fn has_shape(c: char) -> bool {
    !CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c) && !BLANKS.contains(&c)
}

/// Symbols and letters that look empty: the Braille blank, the null notehead, two Egyptian blanks. Unicode has no
/// property for them.
const BLANKS: [char; 4] = ['\u{2800}', '\u{1D159}', '\u{13441}', '\u{13442}'];

/// Returns the number of characters of a text.
#[must_use]
pub fn count(text: &str) -> usize {
    text.chars().count()
}

/// Returns whether a text has a character that a name may not have: a control character, a character that changes the
/// direction of text, a line or paragraph separator, or U+FEFF.
#[must_use]
pub fn has_forbidden_char(text: &str) -> bool {
    text.chars().any(|c| {
        c.is_control()
            || CodePointSetData::new::<BidiControl>().contains(c)
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}')
    })
}

/// Returns a text without the characters at both ends that [`comes_along`] knows.
#[must_use]
pub fn trim_hidden(text: &str) -> &str {
    text.trim_matches(comes_along)
}

/// Returns whether a character at an end of a text was copied along with it: white space, a control character, a mark
/// of direction, U+FEFF, the soft hyphen, a space or a joiner without width. Nobody can see why a name or an address
/// with such a character is refused, so they are trimmed.
#[must_use]
pub fn comes_along(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || CodePointSetData::new::<BidiControl>().contains(c)
        || matches!(c, '\u{AD}' | '\u{200B}' | '\u{2060}' | '\u{FEFF}')
}

/// Returns the beginning of a text, with an ellipsis if it is longer than `max` characters. It is cut like
/// [`beginning`]. The web client has the same function.
#[must_use]
pub fn shorten(text: &str, max: usize) -> Cow<'_, str> {
    if count(text) <= max {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{}…", beginning(text, max.saturating_sub(1)).trim_end()))
}

/// Returns the first characters of a text, at most `max`. The cut is between two grapheme clusters, so that no letter
/// loses its accent and no emoji becomes another one. If the first cluster alone is longer, it is cut.
#[must_use]
pub fn beginning(text: &str, max: usize) -> &str {
    let mut chars = 0;
    let fits = |cluster: &&str| {
        chars += count(cluster);
        chars <= max
    };
    let mut end = text.graphemes(true).take_while(fits).map(str::len).sum();
    if end == 0 {
        end = text.chars().take(max).map(char::len_utf8).sum();
    }
    &text[..end]
}

/// Returns the case-folded form of a text, to compare whole texts. It is no key for a search, because a letter can be
/// folded differently when others follow it: use [`search_key`].
#[must_use]
pub fn folded(text: &str) -> String {
    // Upper case comes first, so that ß and SS become equal.
    text.nfc().collect::<String>().to_uppercase().to_lowercase().nfc().collect()
}

/// Returns a text without regard to capitals and accents, for a search while somebody types: the key of a beginning is
/// the beginning of the key. Each character is therefore folded by itself. Marks whose order Unicode can change are
/// left out, because it depends on those that follow. The web client has the same function.
#[must_use]
pub fn search_key(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    for c in text.chars() {
        each_of_key(c, |folded| key.push(folded));
    }
    key
}

/// Gives the characters of the search key of one character, in their order.
fn each_of_key(c: char, mut give: impl FnMut(char)) {
    decompose_canonical(c, |part| {
        if canonical_combining_class(part) != 0 {
            return;
        }
        // Over upper case, so that ß and SS, σ and ς, i and ı become equal.
        for upper in part.to_lowercase().flat_map(char::to_uppercase) {
            upper.to_lowercase().for_each(&mut give);
        }
    });
}

/// Escapes a text for HTML. The result is safe between tags and in an attribute with quotes of either kind.
#[must_use]
pub fn escape_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_trimmed_and_its_spaces_are_single() {
        assert_eq!(line("  a \n b\t\tc\u{0} "), "a b c");
        assert_eq!(line(" \n "), "");
    }

    #[test]
    fn a_text_keeps_its_line_breaks_and_at_most_two_blank_lines() {
        assert_eq!(block("a\r\nb"), "a\nb");
        assert_eq!(block("a\n\n\n\n\n\nb"), "a\n\n\nb");
        assert_eq!(block("\n\n a \n\n"), "a");
    }

    #[test]
    fn a_letter_and_its_accent_are_one_character() {
        assert_eq!(count(&line("Zoe\u{308}")), 3);
        assert_eq!(count("🌿"), 1);
    }

    /// One case of `tests/texts.json`. The tests of the web client read the same file.
    #[derive(serde::Deserialize)]
    struct Case {
        about: String,
        typed: String,
        line: String,
        block: String,
        count: usize,
        is_blank: bool,
        is_odd: bool,
    }

    /// The cases of `tests/folds.json`. The tests of the web client read the same file.
    #[derive(serde::Deserialize)]
    struct Folds {
        same: Vec<(String, String)>,
        different: Vec<(String, String)>,
        found: Vec<(String, String)>,
        keys: Vec<(String, String)>,
        shortened: Vec<(String, String, usize, String)>,
    }

    fn folds() -> Folds {
        serde_json::from_str(include_str!("../tests/folds.json")).unwrap()
    }

    #[test]
    fn whole_texts_are_compared_as_the_table_says_that_the_web_client_shares() {
        for (one, other) in folds().same {
            assert_eq!(folded(&one), folded(&other));
        }
        for (one, other) in folds().different {
            assert_ne!(folded(&one), folded(&other));
        }
    }

    #[test]
    fn a_name_is_found_at_every_letter_that_somebody_types_of_it() {
        for (name, typed) in folds().found {
            let name_key = search_key(&line(&name));
            let letters: Vec<char> = typed.chars().collect();
            for end in 1..=letters.len() {
                let term: String = letters[..end].iter().collect();
                let key = search_key(&line(&term));
                assert!(name_key.starts_with(&key), "{name}: {term} ({name_key:?}, {key:?})");
            }
        }
        for (text, key) in folds().keys {
            assert_eq!(search_key(&text), key, "{text}");
        }
    }

    #[test]
    fn the_key_of_a_beginning_is_the_beginning_of_the_key() {
        // The rest are ideographs, more syllables, and code points without characters.
        let letters_and_marks = ('!'..'\u{3400}')
            .chain('\u{A000}'..'\u{AD00}')
            .chain('\u{F900}'..'\u{FFFF}')
            .chain('\u{10000}'..'\u{12000}')
            .chain('\u{1D000}'..'\u{1F000}');
        for c in letters_and_marks.filter(|c| !c.is_control()) {
            let alone = search_key(&c.to_string());
            assert_eq!(search_key(&alone), alone, "U+{:04X} folds the same again", u32::from(c));
            for (before, after) in [("a", "b"), ("Σ", "Σ"), ("e\u{302}", "\u{323}"), ("ㅎ", "\u{11AB}")] {
                let (begins, goes_on) = (format!("{before}{c}"), format!("{before}{c}{after}"));
                assert!(
                    search_key(&goes_on).starts_with(&search_key(&begins)),
                    "U+{:04X} between {before:?} and {after:?}",
                    u32::from(c)
                );
            }
        }
    }

    #[test]
    fn a_text_is_cut_between_what_people_see_as_letters() {
        for (about, text, max, short) in folds().shortened {
            assert_eq!(shorten(&text, max), short, "{about}");
        }
    }

    #[test]
    fn texts_are_read_as_the_table_says_that_the_web_client_shares() {
        let cases: Vec<Case> = serde_json::from_str(include_str!("../tests/texts.json")).unwrap();
        assert!(!cases.is_empty());
        for case in cases {
            let (line, block) = (line(&case.typed), block(&case.typed));
            assert_eq!((&line, &block), (&case.line, &case.block), "{}", case.about);
            assert_eq!(count(&line), case.count, "{}", case.about);
            assert_eq!(
                (is_blank(&line), has_forbidden_char(&line)),
                (case.is_blank, case.is_odd),
                "{}",
                case.about
            );
        }
    }

    #[test]
    fn an_accent_is_composed_with_its_letter_across_hidden_characters() {
        assert_eq!(line("e\u{0}\u{308}"), "ë");
        assert_eq!(block("e\u{0}\u{308}"), "ë");
    }

    #[test]
    fn hidden_characters_that_were_copied_along_are_trimmed() {
        for typed in [
            "Ana",
            "\u{202A}Ana\u{202C}",
            "\u{2068}Ana\u{2069}",
            "\u{200E}Ana \u{200F}",
            "\u{FEFF}Ana\u{FEFF}",
            "\u{A0}\u{200B}Ana\u{2060}\u{AD}\r\n",
        ] {
            assert_eq!(trim_hidden(typed), "Ana", "{typed:?}");
        }
        // Inside they are kept, and what one sees is kept at the ends too: a heart, a flag, a final joiner.
        for typed in ["A\u{200E}n", "\u{2764}\u{FE0F}", "\u{1F3F4}\u{E0067}\u{E007F}", "\u{647}\u{200D}"] {
            assert_eq!(trim_hidden(typed), typed);
        }
    }

    #[test]
    fn characters_that_change_the_direction_of_text_are_found() {
        assert!(has_forbidden_char("a\u{202E}b"));
        assert!(!has_forbidden_char("זואי"));
    }

    #[test]
    fn folded_texts_compare_without_regard_to_capitals() {
        assert_eq!(folded("Straße"), folded("STRASSE"));
        assert_eq!(folded("Ökologie"), folded("ökologie"));
    }
}
