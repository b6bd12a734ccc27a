//! Keys that find words in texts by their beginnings, without regard to capitals and accents.
//!
//! The key of a text is its search key with a mark before each word. If it contains the key of a word that somebody
//! typed, a word of the text begins with that word.
//!
//! A word begins at every character but a letter, digit or mark behind another one. In scripts without spaces between
//! words, such as Chinese, Japanese and Thai, each letter begins a word: only a dictionary could say where the others
//! are, and whoever writes such a script expects to find a word in the middle of a sentence.

use std::sync::LazyLock;

use icu_properties::CodePointMapData;
use icu_properties::props::WordBreak;

use super::each_of_key;

/// Stands before each word in a key. Texts have no control characters.
const MARK: char = '\u{1}';
/// Stands between two texts in a key. No word that somebody types has it.
const GAP: char = ' ';
/// Apostrophes that keyboards and editors write in place of the plain one.
const APOSTROPHES: [char; 2] = ['\u{2019}', '\u{2BC}'];
/// The number of characters in the Basic Multilingual Plane.
const PLANE: u32 = 0x1_0000;

/// Returns the key of texts that are searched together, or of one word.
#[must_use]
pub fn key(texts: &[&str]) -> String {
    let folded = &*FOLDED;
    // A mark and a space are two bytes more for a word, which has four letters or more in most languages.
    let mut key = String::with_capacity(texts.iter().map(|text| text.len() * 2).sum());
    for (number, text) in texts.iter().enumerate() {
        if number > 0 {
            key.push(GAP);
        }
        let mut goes_on = false;
        for c in text.chars() {
            let known = usize::try_from(u32::from(c)).ok().and_then(|number| folded.get(number));
            let folded = known.copied().unwrap_or_else(|| Folded::of(c));
            match folded.place {
                Place::Joined if goes_on => {}
                Place::Joined | Place::Apart => key.push(MARK),
                Place::Part => {}
            }
            if folded.place != Place::Part {
                goes_on = folded.place == Place::Joined;
            }
            match folded.one {
                Some(one) => key.push(one),
                None => each_of_key(c, |part| key.push(part)),
            }
        }
    }
    key
}

/// Where a character stands in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It is part of a word with the joined characters beside it.
    Joined,
    /// It begins a word.
    Apart,
    /// It is part of the character before it, such as an accent.
    Part,
}

/// What a key has for a character.
#[derive(Clone, Copy, Debug)]
struct Folded {
    place: Place,
    /// The character in the key; None if there is none or more than one.
    one: Option<char>,
}

/// What a key has for each character of the Basic Multilingual Plane. Without this table a search in thousands of posts
/// would take many times as long as reading them, because the tables of Unicode are slow to look up.
static FOLDED: LazyLock<Vec<Folded>> = LazyLock::new(|| {
    (0..PLANE).map(|number| Folded::of(char::from_u32(number).unwrap_or_default())).collect()
});

impl Folded {
    fn of(c: char) -> Self {
        let c = if APOSTROPHES.contains(&c) { '\'' } else { c };
        // The rules of Unicode for words (UAX 29) do not count the letters of scripts without spaces as letters.
        let place = match CodePointMapData::<WordBreak>::new().get(c) {
            WordBreak::ALetter | WordBreak::HebrewLetter | WordBreak::Numeric => Place::Joined,
            WordBreak::Extend | WordBreak::Format | WordBreak::ZWJ => Place::Part,
            _ => Place::Apart,
        };
        let (mut last, mut count) = (None, 0);
        each_of_key(c, |part| {
            last = Some(part);
            count += 1;
        });
        Self { place, one: last.filter(|_| count == 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{line, search_key};

    fn has(text: &str, word: &str) -> bool {
        key(&[text]).contains(&key(&[word]))
    }

    #[test]
    fn a_word_is_found_at_its_beginning_and_not_from_within() {
        let text = "Woke early; walked (slowly) round the lake.\n\u{201C}Mist\u{201D}/fog,tea-time";
        for word in ["w", "woke", "WALKED", "slow", "(slow", "lake", "lake.", "mist", "fog", "tea", "time", "tea-t"] {
            assert!(has(text, word), "{word}");
        }
        for word in ["oke", "alked", "lowly", "ake", "og", "ime", "teatime", "wokee", "walked slowly"] {
            assert!(!has(text, word), "{word}");
        }
    }

    #[test]
    fn capitals_and_accents_do_not_count() {
        for (text, word) in [
            ("Über den Bach", "uber"),
            ("uber den Bach", "ÜBER"),
            ("L'ÉTÉ", "ete"),
            ("Straße", "STRASSE"),
            ("Die STRASSE", "straß"),
            ("İzmir'de", "izmir"),
            ("Στο ΔΑΣΟΣ", "δάσος"),
            ("Під йодом", "иод"),
            ("أحمد", "احمد"),
            ("Łódź nocą", "łodz"),
            ("한국어", "하"),
        ] {
            assert!(has(text, word), "{word} in {text}");
        }
        assert!(!has("Łódź", "lodz"), "the stroke of an Ł is no accent");
    }

    #[test]
    fn the_apostrophes_of_all_keyboards_are_the_same() {
        for text in ["I don't know", "I don\u{2019}t know", "I don\u{2BC}t know"] {
            for word in ["don't", "don\u{2019}t", "don\u{2BC}t"] {
                assert!(has(text, word), "{word} in {text}");
            }
        }
        assert!(has("D\u{2019}accord, l\u{2019}automne", "automne"));
        assert!(!has("donut", "don't"));
    }

    #[test]
    fn in_scripts_without_spaces_a_word_is_found_in_the_middle_of_a_sentence() {
        for (text, word) in [
            ("昨日京都に行った。", "京都"),
            ("昨日京都に行った。", "行っ"),
            ("アイスコーヒー", "コーヒー"),
            ("Mellowを使う", "使う"),
            ("我喜欢绿茶", "绿茶"),
            ("ฉันชอบชาเขียว", "ชา"),
            ("ฉันชอบน้ำ", "นำ"),
        ] {
            assert!(has(text, word), "{word} in {text}");
        }
        assert!(!has("京の都", "京都"));
        assert!(!has("나는 차를 좋아해", "는"), "Korean has spaces");
    }

    #[test]
    fn signs_and_emoji_are_found_anywhere_and_are_no_wildcards() {
        for (text, word) in [("100% tea🌿", "%"), ("100% tea🌿", "100%"), ("100% tea🌿", "🌿"), ("a_b", "_b"), ("C++", "c++")]
        {
            assert!(has(text, word), "{word} in {text}");
        }
        for word in ["%", "_", "*", "?", "\\"] {
            assert!(!has("tea at home", word), "{word}");
        }
    }

    #[test]
    fn a_key_of_several_texts_has_no_word_across_two_of_them() {
        let texts = key(&["green tea", "", "-time of day"]);
        for (word, is_there) in [("tea", true), ("time", true), ("-t", true), ("tea-time", false)] {
            assert_eq!(texts.contains(&key(&[word])), is_there, "{word}");
        }
    }

    #[test]
    fn a_text_is_found_at_every_letter_that_somebody_types_of_it() {
        for text in ["Zoë", "Straße", "한국", "Việt", "İpek", "がく", "ﬁn", "राम", "Κώστας"] {
            let letters: Vec<char> = text.chars().collect();
            for end in 1..=letters.len() {
                let typed: String = letters[..end].iter().collect();
                assert!(has(text, &line(&typed)), "{typed} of {text}");
            }
        }
    }

    #[test]
    fn without_its_marks_a_key_is_the_search_key() {
        let every: String = ('!'..='\u{1FFFF}').filter(|c| !c.is_control() && !APOSTROPHES.contains(c)).collect();
        let key = key(&[&every]).replace(MARK, "");
        assert!(key == search_key(&every));
    }

    #[test]
    fn a_word_of_accents_alone_has_an_empty_key() {
        assert_eq!(key(&["\u{301}"]), "");
    }
}
