//! Finds words in texts by their beginnings, without regard to capitals and accents.
//!
//! A word begins at every character but a letter, digit or mark behind another one. In scripts without spaces between
//! words, such as Chinese, Japanese and Thai, each letter begins a word: only a dictionary could say where the others
//! are, and people who write such a script expect to find a word in the middle of a sentence.
//!
//! The key of a text is its search key with a mark before each word. A word of the text begins with a word that
//! somebody typed if the key of the text contains that of the typed word. The key of a text is never made as a whole:
//! its characters are compared one after the other, each once, however often a text repeats itself (Knuth, Morris and
//! Pratt). A search in 10,000 posts takes 1.6 to 1.7 times as long as reading them and comparing their bytes
//! (`cargo bench --bench reads -- posts.search`).

use std::sync::LazyLock;

use icu_properties::CodePointMapData;
use icu_properties::props::WordBreak;

use super::each_of_key;

/// Stands before each word in a key. Texts have no control characters.
const MARK: char = '\u{1}';
/// Apostrophes that keyboards and editors write in place of the plain one.
const APOSTROPHES: [char; 2] = ['\u{2019}', '\u{2BC}'];
/// The number of characters in the Basic Multilingual Plane.
const PLANE: u32 = 0x1_0000;

/// A word to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    key: Vec<char>,
    /// For each beginning of the key, the length of its longest shorter beginning that it also ends with.
    falls: Vec<usize>,
}

impl Word {
    /// Returns the word to look for; None if it has only accents, or nothing.
    #[must_use]
    pub fn new(typed: &str) -> Option<Self> {
        let mut key = Vec::with_capacity(typed.len() * 2);
        let mut goes_on = false;
        for c in typed.chars() {
            if Folded::of(c).begins_word(&mut goes_on) {
                key.push(MARK);
            }
            each_of_key(plain(c), |part| {
                // A mark alone, such as a vowel sign, begins no word of a text.
                if key.is_empty() {
                    key.push(MARK);
                }
                key.push(part);
            });
        }
        let mut word = Self { falls: Vec::with_capacity(key.len()), key };
        for at in 0..word.key.len() {
            let fall = if at == 0 { 0 } else { word.after(word.falls[at - 1], word.key[at]) };
            word.falls.push(fall);
        }
        (!word.key.is_empty()).then_some(word)
    }

    /// Returns whether a word of the text begins with this word.
    #[must_use]
    pub fn begins_word_of(&self, text: &str) -> bool {
        let table = &*FOLDED;
        // A key begins with a mark, and then with this character.
        let begins_with = self.key.get(1).copied();
        let mut goes_on = false;
        // How many characters of the key are the end of what was read.
        let mut matched = 0;
        let mut at = 0;
        loop {
            // There is nothing to compare before a character that the word may begin with.
            if matched == 0 {
                let skipped = self.skip(&text.as_bytes()[at..]);
                at += skipped;
                if skipped > 0 {
                    goes_on = text.as_bytes()[at - 1].is_ascii_alphanumeric();
                }
            }
            let Some(c) = text[at..].chars().next() else { return false };
            at += c.len_utf8();
            let known = usize::try_from(u32::from(c)).ok().and_then(|number| table.get(number));
            let folded = known.copied().unwrap_or_else(|| Folded::of(c));
            let begins = folded.begins_word(&mut goes_on);
            if matched == 0 && !(begins && folded.first == begins_with) {
                continue;
            }
            if begins {
                matched = self.after(matched, MARK);
            }
            let Some(first) = folded.first else { continue };
            matched = self.after(matched, first);
            if folded.has_more && matched > 0 {
                let mut is_first = true;
                each_of_key(plain(c), |part| {
                    if !is_first && matched < self.key.len() {
                        matched = self.after(matched, part);
                    }
                    is_first = false;
                });
            }
            if matched == self.key.len() {
                return true;
            }
        }
    }

    /// Returns the number of bytes before the first character that the word may begin with. An ASCII character begins
    /// only words that begin with it in the key; what another character becomes in the key is not known here.
    fn skip(&self, bytes: &[u8]) -> usize {
        let begins = self.key.get(1).and_then(|&c| u8::try_from(c).ok()).unwrap_or(0);
        let may_begin = |byte: &u8| !byte.is_ascii() || byte.to_ascii_lowercase() == begins;
        bytes.iter().position(may_begin).unwrap_or(bytes.len())
    }

    /// Returns how many characters of the key are matched after one more character, if `matched` were before.
    fn after(&self, mut matched: usize, c: char) -> usize {
        loop {
            if self.key.get(matched) == Some(&c) {
                return matched + 1;
            }
            if matched == 0 {
                return 0;
            }
            matched = self.falls[matched - 1];
        }
    }
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
    /// The first character in the key; None if there is none.
    first: Option<char>,
    has_more: bool,
}

/// What a key has for each character of the Basic Multilingual Plane. Without this table a search would take many times
/// as long as reading the posts, because the tables of Unicode are slow to look up.
static FOLDED: LazyLock<Vec<Folded>> = LazyLock::new(|| {
    (0..PLANE).map(|number| Folded::of(char::from_u32(number).unwrap_or_default())).collect()
});

impl Folded {
    fn of(c: char) -> Self {
        let c = plain(c);
        // The rules of Unicode for words (UAX 29) do not count the letters of scripts without spaces as letters.
        let place = match CodePointMapData::<WordBreak>::new().get(c) {
            WordBreak::ALetter | WordBreak::HebrewLetter | WordBreak::Numeric => Place::Joined,
            WordBreak::Extend | WordBreak::Format | WordBreak::ZWJ => Place::Part,
            _ => Place::Apart,
        };
        let (mut first, mut count) = (None, 0);
        each_of_key(c, |part| {
            first = first.or(Some(part));
            count += 1;
        });
        Self { place, first, has_more: count > 1 }
    }

    /// Returns whether the character begins a word. `goes_on` says whether the one before is joined with a joined one.
    fn begins_word(self, goes_on: &mut bool) -> bool {
        match self.place {
            Place::Joined => !std::mem::replace(goes_on, true),
            Place::Apart => {
                *goes_on = false;
                true
            }
            Place::Part => false,
        }
    }
}

fn plain(c: char) -> char {
    if APOSTROPHES.contains(&c) { '\'' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::line;

    fn has(text: &str, typed: &str) -> bool {
        Word::new(typed).is_some_and(|word| word.begins_word_of(text))
    }

    #[test]
    fn a_word_is_found_at_its_beginning_and_not_from_within() {
        let text = "Woke early; walked (slowly) round the lake.\n\u{201C}Mist\u{201D}/fog,tea-time";
        for word in
            ["w", "woke", "WALKED", "slow", "(slow", "lake", "lake.", "mist", "fog", "tea", "time", "tea-t"]
        {
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
        for (text, word) in
            [("100% tea🌿", "%"), ("100% tea🌿", "100%"), ("100% tea🌿", "🌿"), ("a_b", "_b"), ("C++", "c++")]
        {
            assert!(has(text, word), "{word} in {text}");
        }
        for word in ["%", "_", "*", "?", "\\"] {
            assert!(!has("tea at home", word), "{word}");
        }
    }

    #[test]
    fn a_text_is_found_at_every_letter_that_somebody_types_of_it() {
        for text in ["Zoë", "Straße", "한국", "Việt", "İpek", "がく", "ﬁn", "राम", "Κώστας"]
        {
            let letters: Vec<char> = text.chars().collect();
            for end in 1..=letters.len() {
                let typed: String = letters[..end].iter().collect();
                assert!(has(text, &line(&typed)), "{typed} of {text}");
            }
        }
    }

    #[test]
    fn a_word_is_found_if_the_key_of_the_text_contains_its_key() {
        let key = |text: &str| Word::new(text).map(|word| word.key.iter().collect::<String>());
        for text in [
            "あああああい",
            "tea-tea-time, tea",
            "Straße ßs sß",
            "한국어를 한다 하나",
            "a\u{301}\u{327} é\u{93F}क",
            "🌿🌿a🌿b",
            "a'b\u{2019}c",
        ] {
            let letters: Vec<char> = text.chars().collect();
            for begin in 0..letters.len() {
                for end in begin + 1..=letters.len() {
                    for more in ["", "い", "x"] {
                        let typed: String = letters[begin..end].iter().copied().chain(more.chars()).collect();
                        let expected = key(&typed).is_some_and(|word| key(text).unwrap().contains(&word));
                        assert_eq!(has(text, &typed), expected, "{typed:?} in {text:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_character_that_is_no_mark_is_found_behind_another_word() {
        for c in ('!'..='\u{1FFFF}').filter(|c| !c.is_control()) {
            let is_mark = Folded::of(c).place == Place::Part;
            let word = Word::new(&c.to_string());
            let is_found = word.is_some_and(|word| word.begins_word_of(&format!("tea {c}tea")));
            assert_eq!(is_found, !is_mark, "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn a_word_of_accents_alone_is_none() {
        assert_eq!((Word::new("\u{301}"), Word::new("")), (None, None));
    }
}
