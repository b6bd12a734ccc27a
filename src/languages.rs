//! The languages of Mellow's own words: those of this program, and those that the host adds or corrects.
//!
//! The words of the app are files of the web build, which people and translators can read (`web/languages`); those of
//! mails are in `mail/words`. The host's files are read once, at the start. What people write has no language here.

pub mod host;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use bytes::Bytes;
use flate2::Compression;
use flate2::bufread::GzEncoder;
use sha2::{Digest, Sha256};

use crate::error::{Field, Refusal};
use crate::sentence::Sentence;
use crate::text::escape_html;
use crate::wire::named;

const UNKNOWN: Sentence = Sentence::new("language_unknown", "Mellow doesn't know this language.");

/// A language that is part of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    English,
    German,
    Spanish,
    French,
    Polish,
    Portuguese,
    Ukrainian,
    Japanese,
    Arabic,
}

named!(Own {
    English = "en",
    German = "de",
    Spanish = "es",
    French = "fr",
    Polish = "pl",
    Portuguese = "pt-BR",
    Ukrainian = "uk",
    Japanese = "ja",
    Arabic = "ar",
});

impl Own {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 9] = [
        Self::English,
        Self::German,
        Self::Spanish,
        Self::French,
        Self::Polish,
        Self::Portuguese,
        Self::Ukrainian,
        Self::Japanese,
        Self::Arabic,
    ];

    /// Returns its name in the language itself.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "Deutsch",
            Self::Spanish => "Español",
            Self::French => "Français",
            Self::Polish => "Polski",
            Self::Portuguese => "Português (Brasil)",
            Self::Ukrainian => "Українська",
            Self::Japanese => "日本語",
            Self::Arabic => "العربية",
        }
    }

    /// Returns whether it is written from right to left.
    #[must_use]
    pub const fn is_from_right(self) -> bool {
        matches!(self, Self::Arabic)
    }

    /// Returns whether there are spaces between its words.
    #[must_use]
    pub const fn has_spaces(self) -> bool {
        !matches!(self, Self::Japanese)
    }
}

/// Returns whether a text has the shape of a tag: a language of two or three letters, perhaps a script of four, perhaps
/// a region, such as `en`, `pt-BR` or `zh-Hant-TW` (a part of BCP 47).
#[must_use]
pub fn is_tag(text: &str) -> bool {
    let is_language =
        |part: &str| matches!(part.len(), 2 | 3) && part.bytes().all(|c| c.is_ascii_lowercase());
    let is_script = |part: &str| {
        let mut letters = part.bytes();
        part.len() == 4
            && letters.next().is_some_and(|c| c.is_ascii_uppercase())
            && letters.all(|c| c.is_ascii_lowercase())
    };
    let is_region = |part: &str| match part.len() {
        2 => part.bytes().all(|c| c.is_ascii_uppercase()),
        3 => part.bytes().all(|c| c.is_ascii_digit()),
        _ => false,
    };
    let parts: Vec<&str> = text.split('-').collect();
    match parts[..] {
        [language] => is_language(language),
        [language, part] => is_language(language) && (is_script(part) || is_region(part)),
        [language, script, region] => is_language(language) && is_script(script) && is_region(region),
        _ => false,
    }
}

/// Returns the file of a language that is part of the web build, by its tag; None if the build does not have it.
pub type Built = fn(&str) -> Option<Cow<'static, [u8]>>;

/// The languages of this server.
pub struct Languages {
    /// The setting `language`: for browsers whose languages Mellow does not have, and for mails to accounts that never
    /// said. English if this server does not have the one that is set.
    default: String,
    /// The languages that the host added or corrected, by their tags.
    host: BTreeMap<String, Served>,
    /// The attributes of the page's `html`; None if the page stays as it is built.
    attributes: Option<String>,
}

/// A language that the host added or corrected.
pub struct Served {
    /// Its name in the language itself.
    name: String,
    /// Its file, as clients get it.
    pub plain: Form,
    /// The same, compressed with gzip. None if that failed.
    pub gzip: Option<Form>,
}

/// One form of a file.
pub struct Form {
    pub bytes: Bytes,
    /// Its `ETag`, with its quotation marks.
    pub etag: String,
}

impl Form {
    fn of(bytes: Vec<u8>) -> Self {
        Self { etag: etag(&Sha256::digest(&bytes).into()), bytes: bytes.into() }
    }
}

impl Languages {
    /// Reads the languages of the host. What is wrong in them is left out, and logged with its file and its key.
    /// `default` is the setting `language`.
    #[must_use]
    pub fn open(data: &Path, default: &str, built: Built) -> Self {
        let host::Found { files, faults, notes } = host::read(data, default, built);
        for line in faults.into_iter().chain(notes) {
            log::warn!("{line}");
        }
        let served = |file: host::File| {
            let bytes = file.over(built(&file.language).as_deref());
            let gzip = gzip(&bytes).ok().map(Form::of);
            (file.language, Served { name: file.name, plain: Form::of(bytes), gzip })
        };
        let host: BTreeMap<String, Served> = files.into_iter().map(served).collect();
        let is_there = Own::of_word(default).is_some() || host.contains_key(default);
        let default = if is_there { default } else { Own::English.word() };
        let attributes = attributes(default, &host);
        Self { default: default.to_owned(), host, attributes }
    }

    fn has(&self, tag: &str) -> bool {
        Own::of_word(tag).is_some() || self.host.contains_key(tag)
    }

    /// Returns a tag that a client sent.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] if this server has no such language.
    pub fn known(&self, tag: String) -> Result<String, Refusal> {
        if self.has(&tag) { Ok(tag) } else { Err(Refusal::Invalid(Field::LANGUAGE, UNKNOWN)) }
    }

    /// Returns the language of the mails to an account with these languages, the first one first. Languages that this
    /// server does not have any more do not count. Mails in languages that the host added are in English.
    #[must_use]
    pub fn of_mails(&self, account: &[Option<String>]) -> Own {
        let first = account.iter().flatten().find(|tag| self.has(tag));
        Own::of_word(first.unwrap_or(&self.default)).unwrap_or(Own::English)
    }

    /// Returns the file of a language that the host added or corrected.
    #[must_use]
    pub fn served(&self, tag: &str) -> Option<&Served> {
        self.host.get(tag)
    }

    /// Returns the attributes of the page's `html`; None if the page stays as it is built.
    #[must_use]
    pub fn attributes(&self) -> Option<&str> {
        self.attributes.as_deref()
    }
}

/// Returns the `ETag` of a file with this hash.
#[must_use]
pub fn etag(hash: &[u8; 32]) -> String {
    let hex: String = hash[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("\"{hex}\"")
}

fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut packed = Vec::new();
    GzEncoder::new(bytes, Compression::best()).read_to_end(&mut packed)?;
    Ok(packed)
}

/// Returns the default language and the names of the host's languages as attributes in HTML; None if English is the
/// default and the host has none.
fn attributes(default: &str, host: &BTreeMap<String, Served>) -> Option<String> {
    if default == Own::English.word() && host.is_empty() {
        return None;
    }
    let names: serde_json::Map<String, serde_json::Value> =
        host.iter().map(|(tag, served)| (tag.clone(), served.name.clone().into())).collect();
    let names = serde_json::Value::Object(names).to_string();
    Some(format!("lang=\"{default}\" data-languages=\"{}\"", escape_html(&names)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing_built(_: &str) -> Option<Cow<'static, [u8]>> {
        None
    }

    /// A folder with these files of languages.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(host::FOLDER)).unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(host::FOLDER).join(name), text).unwrap();
        }
        folder
    }

    const FINNISH: &str = r#"{ "language": "fi", "name": "Suomi <b>", "words": { "Send": "Lähetä" } }"#;

    #[test]
    fn a_tag_is_a_language_with_perhaps_a_script_and_a_region() {
        for tag in ["en", "fil", "pt-BR", "es-419", "zh-Hant", "zh-Hant-TW", "en-XA", "ar-XB"] {
            assert!(is_tag(tag), "{tag}");
            assert!(tag.len() <= 12, "the schema takes no longer one");
        }
        for text in
            ["", "e", "EN", "english", "pt-br", "pt_BR", "en-", "-en", "zh-TW-Hant", "de-DE-DE", "../en", "é"]
        {
            assert!(!is_tag(text), "{text}");
        }
    }

    #[test]
    fn the_languages_of_the_program_have_tags_and_names_of_their_own() {
        for language in Own::ALL {
            assert!(is_tag(language.word()));
            assert_eq!(Own::of_word(language.word()), Some(language));
        }
        let names: std::collections::BTreeSet<&str> = Own::ALL.into_iter().map(Own::name).collect();
        assert_eq!(names.len(), Own::ALL.len());
    }

    #[test]
    fn a_page_in_english_without_languages_of_the_host_stays_as_it_is_built() {
        let none = tempfile::tempdir().unwrap();
        let of = |default| Languages::open(none.path(), default, nothing_built);
        assert_eq!(of("en").attributes(), None);
        assert_eq!(of("de").attributes(), Some("lang=\"de\" data-languages=\"{}\""));
        assert_eq!(of("xx").attributes(), None, "a language that is not there is English");
        let folder = folder(&[("fi.json", FINNISH)]);
        let host = Languages::open(folder.path(), "fi", nothing_built);
        let names = "{&quot;fi&quot;:&quot;Suomi &lt;b&gt;&quot;}";
        assert_eq!(host.attributes(), Some(&*format!("lang=\"fi\" data-languages=\"{names}\"")));
    }

    #[test]
    fn a_tag_of_the_program_or_of_the_host_is_known() {
        let folder = folder(&[("fi.json", FINNISH)]);
        let host = Languages::open(folder.path(), "en", nothing_built);
        for tag in ["en", "pt-BR", "fi"] {
            assert_eq!(host.known(tag.into()), Ok(tag.into()));
        }
        for tag in ["", "xx", "pt", "EN"] {
            assert_eq!(host.known(tag.into()), Err(Refusal::Invalid(Field::LANGUAGE, UNKNOWN)), "{tag}");
        }
    }

    #[test]
    fn d_l7_mails_are_in_the_language_of_the_account_or_else_of_the_host() {
        let folder = folder(&[("fi.json", FINNISH)]);
        let of = |default, chosen: Option<&str>, shown: Option<&str>| {
            let languages = Languages::open(folder.path(), default, nothing_built);
            languages.of_mails(&[chosen, shown].map(|tag| tag.map(str::to_owned)))
        };
        assert_eq!(of("en", Some("de"), Some("uk")), Own::German);
        assert_eq!(of("en", None, Some("uk")), Own::Ukrainian);
        assert_eq!(of("pl", None, None), Own::Polish);
        assert_eq!(of("pl", Some("fi"), Some("de")), Own::English, "the host's file has no mails");
        assert_eq!(of("fi", None, None), Own::English);
        assert_eq!(of("pl", Some("sv"), Some("de")), Own::German, "the host removed the file");
        assert_eq!(of("pl", Some("sv"), Some("sv")), Own::Polish);
        assert_eq!(of("sv", None, None), Own::English);
    }

    #[test]
    fn a_file_of_the_host_lies_over_that_of_the_build() {
        fn built(tag: &str) -> Option<Cow<'static, [u8]>> {
            let german = r#"{"language":"de","name":"Deutsch","checked":[{"date":"2026-11-01"}],
                "words":{"Send":"Senden","Close":"Zu"},"refusals":{"busy":"Gleich."}}"#;
            (tag == "de").then_some(Cow::Borrowed(german.as_bytes()))
        }
        let folder = folder(&[
            (
                "de.json",
                r#"{"language":"de","name":"Deutsch","words":{"Close":"Schließen"},"themes":{"1":{"title":"a","text":"b"}}}"#,
            ),
            ("fi.json", FINNISH),
        ]);
        let languages = Languages::open(folder.path(), "en", built);
        let read = |tag: &str| -> serde_json::Value {
            serde_json::from_slice(&languages.served(tag).unwrap().plain.bytes).unwrap()
        };
        assert_eq!(
            read("de"),
            serde_json::json!({
                "language": "de", "name": "Deutsch", "checked": [{ "date": "2026-11-01" }],
                "words": { "Send": "Senden", "Close": "Schließen" }, "refusals": { "busy": "Gleich." },
                "themes": { "1": { "title": "a", "text": "b" } },
            })
        );
        assert_eq!(
            read("fi"),
            serde_json::json!({
                "language": "fi", "name": "Suomi <b>", "checked": [], "words": { "Send": "Lähetä" },
                "refusals": {}, "themes": {},
            })
        );
        let mut etags = std::collections::BTreeSet::<&str>::new();
        for tag in ["de", "fi"] {
            let served = languages.served(tag).unwrap();
            let gzip = served.gzip.as_ref().unwrap();
            let mut unpacked = Vec::new();
            flate2::read::GzDecoder::new(&gzip.bytes[..]).read_to_end(&mut unpacked).unwrap();
            assert_eq!(unpacked, served.plain.bytes, "{tag}");
            etags.extend([served.plain.etag.as_str(), gzip.etag.as_str()]);
        }
        assert!(etags.len() == 4 && etags.iter().all(|etag| etag.len() == 34), "{etags:?}");
        assert!(languages.served("en").is_none());
    }
}
