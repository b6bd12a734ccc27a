//! Rules for themes: the texts, the file format, and the rotation. Pure.

use std::collections::HashMap;

use crate::error::{Field, ODD_CHARACTERS, Refusal};
use crate::limits::{
    TAG_CHARS_MAX, THEME_DAYS_AHEAD_MAX, THEME_DESCRIPTION_CHARS_MAX, THEME_TITLE_CHARS_MAX, THEMES_MAX,
};
use crate::model::tags::Tag;
use crate::sentence::Sentence;
use crate::{text, zones};

const THEME_BLANK: Sentence = Sentence::new("theme_blank", "A theme has a title, a description and a tag.");

/// The themes that are part of this program.
pub const OWN: &str = include_str!("themes.txt");

/// The word that a file of themes consists of if there are no themes.
const NONE: &str = "none";

/// The texts of a theme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeText {
    pub title: String,
    pub description: String,
    pub tag: String,
}

/// The reason why a part of a theme is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    Missing,
    Hidden,
    TooLong(usize),
}

impl ThemeText {
    /// Parses the texts of a theme.
    ///
    /// # Errors
    /// The end of a sentence that describes the error.
    pub fn parse(title: &str, description: &str, tag: &str) -> Result<Self, String> {
        Self::read(title, description, tag).map_err(|(field, wrong)| {
            let name = match field {
                Field::TITLE => "title",
                Field::TAG => "tag",
                _ => "description",
            };
            match wrong {
                Wrong::Missing => format!("the theme has no {name}"),
                Wrong::Hidden => {
                    format!("the {name} has characters that cannot be seen or turn the text around")
                }
                Wrong::TooLong(max) => format!("the {name} is longer than {max} characters"),
            }
        })
    }

    /// Parses the texts of a theme that an admin sends.
    ///
    /// # Errors
    /// [`Refusal::Invalid`].
    pub fn sent(title: &str, description: &str, tag: &str) -> Result<Self, Refusal> {
        Self::read(title, description, tag).map_err(|(field, wrong)| match wrong {
            Wrong::Missing => Refusal::Invalid(field, THEME_BLANK),
            Wrong::Hidden => Refusal::Invalid(field, ODD_CHARACTERS),
            Wrong::TooLong(max) => Refusal::TooLong(field, max),
        })
    }

    fn read(title: &str, description: &str, tag: &str) -> Result<Self, (Field, Wrong)> {
        let tag = Tag::parse(tag).map_err(|refusal| match refusal {
            Refusal::TooLong(Field::TAG, _) => (Field::TAG, Wrong::TooLong(TAG_CHARS_MAX)),
            _ => (Field::TAG, Wrong::Hidden),
        })?;
        Ok(Self {
            title: part(title, THEME_TITLE_CHARS_MAX).map_err(|wrong| (Field::TITLE, wrong))?,
            description: part(description, THEME_DESCRIPTION_CHARS_MAX)
                .map_err(|wrong| (Field::TEXT, wrong))?,
            tag: tag.ok_or((Field::TAG, Wrong::Missing))?.shown,
        })
    }
}

fn part(raw: &str, max: usize) -> Result<String, Wrong> {
    let words = text::line(text::trim_hidden(raw));
    if text::is_blank(&words) {
        return Err(Wrong::Missing);
    }
    if text::has_forbidden_char(&words) {
        return Err(Wrong::Hidden);
    }
    if text::count(&words) > max { Err(Wrong::TooLong(max)) } else { Ok(words) }
}

/// Parses a file of themes. A theme is a paragraph: a title, a line with `#tag`, and lines of description. Lines that
/// begin with `//` are skipped. An empty file, or a file with the word `none`, has no themes.
///
/// # Errors
/// The number of the wrong line, from 1, and a description of the error.
pub fn parse_file(text: &str) -> Result<Vec<ThemeText>, (usize, String)> {
    let text = text.trim_start_matches('\u{FEFF}');
    let lines: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line.trim()))
        .filter(|(_, line)| !line.starts_with("//"))
        .collect();
    let mut themes = Vec::new();
    let mut met: HashMap<String, usize> = HashMap::new();
    for paragraph in lines.split(|(_, line)| line.is_empty()).filter(|paragraph| !paragraph.is_empty()) {
        let (number, title) = paragraph[0];
        if title == NONE && paragraph.len() == 1 {
            match themes.is_empty() && lines.iter().filter(|(_, line)| !line.is_empty()).count() == 1 {
                true => return Ok(themes),
                false => return Err((number, format!("{NONE} stands alone, without themes beside it"))),
            }
        }
        let words = theme_of(paragraph)?;
        if let Some(first) = met.insert(text::folded(&words.title), number) {
            return Err((number, format!("this title stands in line {first} already")));
        }
        if themes.len() == THEMES_MAX {
            return Err((number, format!("this is more than {THEMES_MAX} themes")));
        }
        themes.push(words);
    }
    Ok(themes)
}

fn theme_of(paragraph: &[(usize, &str)]) -> Result<ThemeText, (usize, String)> {
    let (number, title) = paragraph[0];
    if title.starts_with('#') {
        return Err((number, "a theme begins with its title, and its tag is in the next line".into()));
    }
    let (tag_number, tag) = paragraph.get(1).copied().unwrap_or((number, ""));
    if !tag.starts_with('#') {
        return Err((tag_number, format!("after the title \"{title}\" there is no line with its #tag")));
    }
    let description: Vec<&str> = paragraph[2..].iter().map(|(_, line)| *line).collect();
    ThemeText::parse(title, &description.join(" "), tag).map_err(|why| {
        let at = if why.contains("tag") { tag_number } else { number };
        (at, why)
    })
}

/// Returns the theme of a day for which the host set none. The number of the day chooses it from the rotation.
#[must_use]
pub fn of_day<'a>(rotation: &'a [ThemeText], day: &str) -> Option<&'a ThemeText> {
    rotation.get(place_of_day(rotation.len(), day)?)
}

/// Returns the place in a rotation of so many themes that the number of a day chooses; None if there are no themes.
#[must_use]
pub fn place_of_day(count: usize, day: &str) -> Option<usize> {
    let count = i64::try_from(count).ok().filter(|count| *count > 0)?;
    usize::try_from(zones::number_of(day)?.rem_euclid(count)).ok()
}

/// A day as the host names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Day {
    Today,
    Tomorrow,
    On(String),
}

impl Day {
    /// Parses `today`, `tomorrow`, or a day such as `2026-11-21`.
    ///
    /// # Errors
    /// A description of the accepted formats.
    pub fn parse(raw: &str) -> Result<Self, String> {
        match raw {
            "today" => Ok(Self::Today),
            "tomorrow" => Ok(Self::Tomorrow),
            day if zones::number_of(day).is_some() => Ok(Self::On(day.into())),
            other => {
                Err(format!("\"{other}\" is no day: it takes today, tomorrow, or a day such as 2026-11-21"))
            }
        }
    }

    /// Returns the date of the day, if the date of today is `today`.
    ///
    /// # Errors
    /// The reason why no theme can be set for the day: it is over, or too far away.
    pub fn from(&self, today: &str) -> Result<String, String> {
        let ahead = |days| zones::days_after(today, days).ok_or("this is out of all calendars");
        let day = match self {
            Self::Today => return Ok(today.into()),
            Self::Tomorrow => ahead(1)?,
            Self::On(day) => day.clone(),
        };
        // Dates in this format sort by time.
        if day.as_str() < today {
            return Err(format!("{day} is over; today is {today}"));
        }
        let last = ahead(THEME_DAYS_AHEAD_MAX)?;
        if day > last {
            return Err(format!("{day} is too far away; {last} is the last day that can be set"));
        }
        Ok(day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> Vec<ThemeText> {
        parse_file(OWN).unwrap()
    }

    #[test]
    fn the_program_has_sixty_different_themes() {
        let own = own();
        assert_eq!(own.len(), usize::from(crate::limits::THEMES_OWN));
        for part in [
            |words: &ThemeText| text::folded(&words.tag),
            |words: &ThemeText| text::folded(&words.title),
            |words: &ThemeText| words.description.clone(),
        ] {
            let different: std::collections::BTreeSet<String> = own.iter().map(part).collect();
            assert_eq!(different.len(), 60);
        }
        for ThemeText { title, description, tag } in &own {
            let all = format!("{title} {description} {tag}");
            assert!(!all.contains('!'), "{all}");
            assert!(title.len() <= 50 && tag.len() <= 20, "a card reads best when it is short: {title}");
            assert!((30..=200).contains(&description.len()), "{description}");
        }
    }

    #[test]
    fn every_day_has_a_theme_and_the_next_day_a_different_one() {
        let own = own();
        let theme = |day| of_day(&own, day).unwrap();
        assert_eq!(theme("1970-01-01"), &own[0]);
        assert_eq!(theme("1970-03-02"), &own[0], "sixty days later");
        assert_eq!(theme("1969-12-31"), &own[59]);
        assert_ne!(theme("2026-11-21"), theme("2026-11-22"));
        assert_eq!(theme("2026-11-21"), theme("2026-11-21"), "whatever happened in between");
        assert_eq!(of_day(&[], "2026-11-21"), None);
    }

    #[test]
    fn a_file_of_themes_is_read_by_its_paragraphs() {
        let text = "\u{FEFF}// ours\r\n\r\nBoats\r\n#boats\r\nWhich one,\r\n  and where?\r\n\r\n\r\nTrees\n// a note\n#the trees\nOne you know.\n";
        let words = |title: &str, description: &str, tag: &str| ThemeText {
            title: title.into(),
            description: description.into(),
            tag: tag.into(),
        };
        assert_eq!(
            parse_file(text).unwrap(),
            [words("Boats", "Which one, and where?", "boats"), words("Trees", "One you know.", "the trees")]
        );
    }

    #[test]
    fn a_file_may_say_that_there_is_no_theme() {
        for text in ["", "\n \n", "none", "// nothing for now\n\nnone\n"] {
            assert_eq!(parse_file(text), Ok(Vec::new()), "{text:?}");
        }
    }

    #[test]
    fn a_broken_file_is_reported_with_line_and_reason() {
        let long = format!("Boats\n#boats\n{}", "a".repeat(501));
        let many: String = (0..1_001).map(|number| format!("Boat {number}\n#boats\nOne.\n\n")).collect();
        for (text, line, reason) in [
            ("\n\n#boats\nBoats\nWhich?", 3, "begins with its title"),
            ("Boats", 1, "no line with its #tag"),
            ("Boats\nWhich?\n#boats", 2, "no line with its #tag"),
            ("Boats\n#boats", 1, "no description"),
            ("Boats\n#\nWhich?", 2, "no tag"),
            ("Boats\n#aaaaaaaaaabbbbbbbbbbccccccccccd\nWhich?", 2, "longer than 30"),
            ("Boats\n#bo\u{202E}ats\nWhich?", 2, "cannot be seen"),
            (&long, 1, "longer than 500"),
            ("Boats\n#a\nOne.\n\nTrees\n#b\nTwo.\n\nBOATS\n#c\nThree.", 9, "stands in line 1"),
            ("Boats\n#a\nOne.\n\nnone", 5, "stands alone"),
            ("none\n\nBoats\n#a\nOne.", 1, "stands alone"),
            (&many, 4_001, "more than 1000"),
        ] {
            let (at, why) = parse_file(text).unwrap_err();
            assert_eq!(at, line, "{why}");
            assert!(why.contains(reason), "{why}");
        }
        for (title, description, tag, reason) in [
            ("", "b", "c", "the theme has no title"),
            ("a", "", "c", "the theme has no description"),
            ("a", "b", "", "the theme has no tag"),
        ] {
            assert_eq!(ThemeText::parse(title, description, tag), Err(reason.into()));
        }
    }

    #[test]
    fn the_texts_of_the_host_are_normalised_and_limited() {
        let words = ThemeText::parse(" Two\n words ", "a \u{0}b", "##Tag").unwrap();
        assert_eq!((&*words.title, &*words.description, &*words.tag), ("Two words", "a b", "Tag"));
        assert!(ThemeText::parse(&"🌿".repeat(100), &"🌿".repeat(500), &"🌿".repeat(30)).is_ok());
        for (title, description, tag) in [
            (&*"a".repeat(101), "b", "c"),
            ("a", &*"b".repeat(501), "c"),
            ("a", "b", &*"c".repeat(31)),
            ("\u{200B}", "b", "c"),
            ("a", " ", "c"),
            ("a", "b", "#"),
            ("a", "b\u{202E}d", "c"),
        ] {
            assert!(ThemeText::parse(title, description, tag).is_err(), "{title} {description} {tag}");
        }
    }

    #[test]
    fn a_day_is_named_in_three_ways_and_must_not_be_over() {
        let from = |raw: &str| Day::parse(raw)?.from("2026-12-31");
        assert_eq!(from("today").unwrap(), "2026-12-31");
        assert_eq!(from("tomorrow").unwrap(), "2027-01-01");
        assert_eq!(from("2026-12-31").unwrap(), "2026-12-31");
        assert_eq!(from("2029-09-26").unwrap(), "2029-09-26");
        assert!(from("2029-09-27").unwrap_err().contains("too far"));
        assert!(from("2026-12-30").unwrap_err().contains("over"));
        for none in ["", "yesterday", "2026-02-30", "31.12.2026", "Today"] {
            assert!(from(none).unwrap_err().contains("is no day"), "{none}");
        }
    }

    #[test]
    fn lv6_an_almost_valid_file_of_themes_is_read_or_refused_with_its_line() {
        let valid =
            ["// ours\nBoats\n#boats\nWhich one?\n\nDoors\n#doors\nA door\nyou remember.\n", "none\n"];
        crate::testing::fuzz::text(&valid, |raw| {
            if let Err((line, _)) = parse_file(raw) {
                assert!((1..=raw.lines().count()).contains(&line), "{line}");
            }
        });
    }
}
