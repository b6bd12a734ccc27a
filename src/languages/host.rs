//! The host's files of languages: `{data}/languages/{tag}.json` adds a language, or corrects sentences of one (D-L12).
//!
//! A file that cannot be used is left out whole, a wrong or unknown sentence alone. One line says so, with the file and
//! the key of the sentence. Corrections can come back to the project as the same file.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Built, Own, is_tag};
use crate::limits::{
    LANGUAGE_FILE_BYTES_MAX, LANGUAGE_FILES_MAX, LANGUAGE_LINE_CHARS_MAX, LANGUAGE_LINES_MAX,
    LANGUAGE_NAME_CHARS_MAX, SENTENCE_CHARS_MAX, THEMES_OWN,
};
use crate::text;

/// The folder in the data folder.
pub const FOLDER: &str = "languages";

/// The names of plural forms, as `Intl.PluralRules` has them.
const FORMS: [&str; 6] = ["zero", "one", "two", "few", "many", "other"];

/// The values by which a client chooses the plural form. A form such as `one` may say them in words.
const NUMBERS: [&str; 3] = ["n", "max", "min"];

/// The parts of a file that have sentences.
const PARTS: [&str; 3] = ["words", "refusals", "themes"];

/// A file of the host, without its wrong and unknown sentences.
#[derive(Debug, Deserialize)]
pub struct File {
    /// Its tag.
    pub language: String,
    /// Its name in the language itself.
    pub name: String,
    /// Who checked it; empty if nobody did.
    #[serde(default)]
    checked: Vec<Value>,
    /// Translations by the English text: a text, or its plural forms.
    words: Map<String, Value>,
    /// Translations of refusals by their `why`.
    #[serde(default)]
    refusals: Map<String, Value>,
    /// Titles and texts of Mellow's own themes by their numbers.
    #[serde(default)]
    themes: Map<String, Value>,
    /// What else the file has, by its name.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// What the folder of the host has.
#[derive(Debug, Default)]
pub struct Found {
    pub files: Vec<File>,
    /// What is wrong, one line for each.
    pub faults: Vec<String>,
    /// Sentences that this Mellow does not have, one line for each: an upgrade may have changed the English ones.
    pub notes: Vec<String>,
}

/// Reads the folder. A folder that does not exist has no files. `default` is the setting `language`.
#[must_use]
pub fn read(data: &Path, default: &str, built: Built) -> Found {
    let mut found = Found::default();
    let folder = data.join(FOLDER);
    let names = names_in(&folder).unwrap_or_else(|why| {
        found.faults.push(format!("{FOLDER} cannot be read: {why}"));
        BTreeSet::new()
    });
    if let Some(first) = names.iter().nth(LANGUAGE_FILES_MAX) {
        found.faults.push(format!(
            "{FOLDER} has more than {LANGUAGE_FILES_MAX} files: {first} and those after it are left out"
        ));
    }
    let english = English::of(built("en").as_deref());
    for name in names.into_iter().take(LANGUAGE_FILES_MAX) {
        match read_file(&folder.join(&name), name.strip_suffix(".json").unwrap_or_default()) {
            Ok(mut file) => {
                found.notes.extend(lines(&name, file.leave_out_unknown(&english)));
                found.faults.extend(lines(&name, file.leave_out_wrong(&english)));
                found.files.push(file);
            }
            Err(why) => found.faults.push(format!("{FOLDER}/{name} is left out: {why}")),
        }
    }
    if Own::of_word(default).is_none() && !found.files.iter().any(|file| file.language == default) {
        let own: Vec<&str> = Own::ALL.into_iter().map(Own::word).collect();
        found.faults.push(format!(
            "language = {default:?} is not here, so English is used: it takes {}, or the tag of a file in {FOLDER}/",
            own.join(", ")
        ));
    }
    for line in found.faults.iter_mut().chain(&mut found.notes) {
        *line = text::shorten(line, LANGUAGE_LINE_CHARS_MAX).into_owned();
    }
    found
}

fn names_in(folder: &Path) -> io::Result<BTreeSet<String>> {
    let entries = match std::fs::read_dir(folder) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        entries => entries?,
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(names.filter(|name| name.ends_with(".json")).collect())
}

/// Returns the lines about these sentences of a file, each with its key and why it is left out.
fn lines(name: &str, left_out: Vec<(String, String)>) -> Vec<String> {
    let more = left_out.len().saturating_sub(LANGUAGE_LINES_MAX);
    let line = |(key, why): (String, String)| {
        format!("{FOLDER}/{name}: {:?} is left out: {why}", text::shorten(&key, 60))
    };
    let mut lines: Vec<String> = left_out.into_iter().take(LANGUAGE_LINES_MAX).map(line).collect();
    if more > 0 {
        lines.push(format!("{FOLDER}/{name}: and {more} more"));
    }
    lines
}

fn read_file(path: &Path, tag: &str) -> Result<File, String> {
    if !is_tag(tag) {
        return Err("its name is no tag of a language, such as fi or pt-BR".into());
    }
    if tag == Own::English.word() {
        return Err("English is in the program".into());
    }
    // To open a FIFO would wait.
    if !std::fs::metadata(path).map_err(|why| why.to_string())?.is_file() {
        return Err("it is no regular file".into());
    }
    let file = std::fs::File::open(path).map_err(|why| why.to_string())?;
    let mut bytes = Vec::new();
    file.take(LANGUAGE_FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|why| why.to_string())?;
    if bytes.len() as u64 > LANGUAGE_FILE_BYTES_MAX {
        return Err(format!("it has more than {LANGUAGE_FILE_BYTES_MAX} bytes"));
    }
    // Some editors begin a file in UTF-8 with a byte order mark.
    let json = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    let file: File = serde_json::from_slice(json).map_err(|why| {
        let (line, why) = (why.line(), why.to_string());
        format!("line {line}: {}", why.split(" at line ").next().unwrap_or_default())
    })?;
    if file.language != tag {
        return Err(format!("its language is {:?}, not {tag:?}", text::shorten(&file.language, 20)));
    }
    let is_name = !text::is_blank(&file.name)
        && !text::has_forbidden_char(&file.name)
        && text::count(&file.name) <= LANGUAGE_NAME_CHARS_MAX;
    if !is_name {
        return Err(format!("its name is not 1 to {LANGUAGE_NAME_CHARS_MAX} characters that can be shown"));
    }
    Ok(file)
}

/// The sentences that there are, as the build lists them for translators. What the build does not list is not checked.
#[derive(Default)]
struct English {
    words: Option<Map<String, Value>>,
    refusals: Option<Map<String, Value>>,
}

impl English {
    fn of(built: Option<&[u8]>) -> Self {
        let Some(Ok(Value::Object(mut file))) = built.map(serde_json::from_slice) else {
            return Self::default();
        };
        let mut part = |name: &str| match file.get_mut(name).map(Value::take) {
            Some(Value::Object(part)) => Some(part),
            _ => None,
        };
        Self { words: part("words"), refusals: part("refusals") }
    }
}

impl File {
    /// Leaves out the sentences that this Mellow does not have. Returns their keys, and why.
    fn leave_out_unknown(&mut self, english: &English) -> Vec<(String, String)> {
        let mut unknown = Vec::new();
        for (part, english) in [(&mut self.words, &english.words), (&mut self.refusals, &english.refusals)] {
            let Some(english) = english else { continue };
            part.retain(|key, _| {
                let is_known = english.contains_key(key);
                if !is_known {
                    unknown.push((key.clone(), "this Mellow has no such sentence".into()));
                }
                is_known
            });
        }
        unknown
    }

    /// Leaves out the sentences that are wrong. Returns their keys, and why.
    fn leave_out_wrong(&mut self, english: &English) -> Vec<(String, String)> {
        let mut wrong = Vec::new();
        let mut keep = |part: &mut Map<String, Value>, check: &dyn Fn(&str, &Value) -> Result<(), String>| {
            part.retain(|key, value| match check(key, value) {
                Ok(()) => true,
                Err(why) => {
                    wrong.push((key.clone(), why));
                    false
                }
            });
        };
        keep(&mut self.words, &|key, value| {
            match english.words.as_ref().and_then(|words| words.get(key)) {
                Some(Value::Object(_)) if value.is_string() => {
                    return Err("it has a number, so it needs plural forms".into());
                }
                Some(Value::String(_)) if value.is_object() => return Err(NO_FORMS.into()),
                _ => {}
            }
            check_sentence(value, Some(&values_in(key)?))
        });
        keep(&mut self.refusals, &|why, value| {
            let text = english.refusals.as_ref().and_then(|refusals| refusals.get(why)?.as_str());
            let values = text.map(values_in).transpose()?;
            // A refusal with a number may have plural forms.
            let has_number = |values: &BTreeSet<&str>| NUMBERS.iter().any(|number| values.contains(number));
            if value.is_object() && values.as_ref().is_some_and(|values| !has_number(values)) {
                return Err(NO_FORMS.into());
            }
            check_sentence(value, values.as_ref())
        });
        keep(&mut self.themes, &check_theme);
        keep(&mut self.rest, &|name, _| {
            // The list for translators has advice, which a copy of it may keep.
            if name == "advice" { Ok(()) } else { Err(format!("a file has {}", PARTS.join(", "))) }
        });
        wrong
    }

    /// Returns the file as clients get it: over the file of the build, if the build has this language.
    #[must_use]
    pub fn over(&self, built: Option<&[u8]>) -> Vec<u8> {
        let mut whole = match built.map(serde_json::from_slice) {
            Some(Ok(Value::Object(whole))) => whole,
            _ => Map::new(),
        };
        whole.insert("language".into(), self.language.clone().into());
        whole.insert("name".into(), self.name.clone().into());
        if !self.checked.is_empty() || !whole.contains_key("checked") {
            whole.insert("checked".into(), self.checked.clone().into());
        }
        for (name, own) in PARTS.into_iter().zip([&self.words, &self.refusals, &self.themes]) {
            let mut part = match whole.get_mut(name).map(Value::take) {
                Some(Value::Object(part)) => part,
                _ => Map::new(),
            };
            part.extend(own.iter().map(|(key, value)| (key.clone(), value.clone())));
            whole.insert(name.into(), Value::Object(part));
        }
        Value::Object(whole).to_string().into_bytes()
    }
}

const NO_FORMS: &str = "it has no number, so it has no plural forms";

/// Checks a translation: a text, or its plural forms. `values` are the names between braces in the English sentence;
/// None if they are not known.
fn check_sentence(value: &Value, values: Option<&BTreeSet<&str>>) -> Result<(), String> {
    match value {
        Value::String(text) => check_text(text, values, false),
        Value::Object(forms) => {
            if let Some(form) = forms.keys().find(|form| !FORMS.contains(&form.as_str())) {
                let form = text::shorten(form, 20);
                return Err(format!("{form:?} is no plural form; there are {}", FORMS.join(", ")));
            }
            if !forms.contains_key("other") {
                return Err("it lacks the plural form \"other\"".into());
            }
            forms.iter().try_for_each(|(form, value)| {
                let text = value.as_str().ok_or_else(|| format!("the form {form:?} is no text"))?;
                check_text(text, values, form != "other")
            })
        }
        _ => Err("it is neither a text nor plural forms".into()),
    }
}

/// Checks a text or a form. `may_lack` is whether the number may be missing.
fn check_text(text: &str, values: Option<&BTreeSet<&str>>, may_lack: bool) -> Result<(), String> {
    if text::count(text) > SENTENCE_CHARS_MAX {
        return Err(format!("it has more than {SENTENCE_CHARS_MAX} characters"));
    }
    if text::is_blank(text) {
        return Err("it is empty".into());
    }
    let named = values_in(text)?;
    let Some(values) = values else { return Ok(()) };
    if let Some(name) = named.difference(values).next() {
        return Err(format!("there is no value {{{name}}}"));
    }
    match values.difference(&named).find(|name| !(may_lack && NUMBERS.contains(name))) {
        Some(name) => Err(format!("it lacks {{{name}}}")),
        None => Ok(()),
    }
}

/// Returns the names between braces.
fn values_in(text: &str) -> Result<BTreeSet<&str>, String> {
    let mut pieces = text.split('{');
    let is_open = |piece: &str| piece.contains('}');
    if pieces.next().is_some_and(is_open) {
        return Err("it has a brace alone".into());
    }
    pieces
        .map(|piece| match piece.split_once('}') {
            Some((name, rest)) if !is_open(rest) && !name.is_empty() && name.bytes().all(is_of_name) => {
                Ok(name)
            }
            _ => Err("it has a brace alone".to_owned()),
        })
        .collect()
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn check_theme(number: &str, theme: &Value) -> Result<(), String> {
    if !number.parse().is_ok_and(|number: u16| (1..=THEMES_OWN).contains(&number))
        || number.starts_with(['0', '+'])
    {
        return Err(format!("Mellow has the themes 1 to {THEMES_OWN}"));
    }
    for part in ["title", "text"] {
        let text = theme.get(part).and_then(Value::as_str).ok_or_else(|| format!("it has no {part}"))?;
        check_text(text, Some(&BTreeSet::new()), false)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use serde_json::json;

    use super::*;

    fn nothing_built(_: &str) -> Option<Cow<'static, [u8]>> {
        None
    }

    /// A build with some sentences and two refusals.
    fn built(tag: &str) -> Option<Cow<'static, [u8]>> {
        let english = json!({
            "language": "en", "name": "English",
            "words": {
                "Send": "Send", "{name} replied to you": "", "{n} votes": { "one": "", "other": "" },
                "{n} votes for {name}": { "one": "", "other": "" },
            },
            "refusals": { "too_long": "Longer than {max}.", "busy": "Busy." },
        });
        (tag == "en").then(|| Cow::Owned(english.to_string().into_bytes()))
    }

    fn read_all(files: &[(&str, &str)], built: Built) -> Found {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(FOLDER)).unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(FOLDER).join(name), text).unwrap();
        }
        read(folder.path(), "en", built)
    }

    fn read_one(name: &str, text: &str, built: Built) -> Found {
        read_all(&[(name, text)], built)
    }

    fn finnish(words: Value, refusals: Value, themes: Value) -> String {
        json!({ "language": "fi", "name": "Suomi", "words": words, "refusals": refusals, "themes": themes })
            .to_string()
    }

    #[test]
    fn a_good_file_is_read_whole() {
        let text = finnish(
            json!({
                "Send": "Lähetä",
                "{name} replied to you": "{name} vastasi sinulle",
                "{n} votes": { "one": "yksi ääni", "other": "{n} ääntä" },
                "{n} votes for {name}": { "one": "{name} sai äänen", "other": "{name} sai {n} ääntä" },
            }),
            json!({ "too_long": { "one": "Yli {max}.", "other": "Yli {max}." }, "busy": "Hetki." }),
            json!({ "1": { "title": "Pieni asia", "text": "Kerro." }, "60": { "title": "a", "text": "b" } }),
        );
        for built in [built as Built, nothing_built] {
            let found = read_one("fi.json", &text, built);
            assert_eq!([found.faults, found.notes].concat(), [""; 0]);
            let [file] = &found.files[..] else { panic!("{:?}", found.files) };
            assert_eq!((file.words.len(), file.refusals.len(), file.themes.len()), (4, 2, 2));
        }
    }

    #[test]
    fn a_wrong_sentence_is_left_out_alone_and_named() {
        let long = "a".repeat(SENTENCE_CHARS_MAX + 1);
        for (key, value, why) in [
            ("Send", json!(long), "more than 1000 characters"),
            ("Send", json!(" "), "it is empty"),
            ("Send", json!(7), "neither a text"),
            ("Send", json!("Lähetä {"), "a brace alone"),
            ("Send", json!("Lähetä }"), "a brace alone"),
            ("Send", json!("Lähetä {{n}}"), "a brace alone"),
            ("Send", json!("Lähetä {n}"), "there is no value {n}"),
            ("{name} replied to you", json!("Vastaus"), "it lacks {name}"),
            ("{name} replied to you", json!("{nimi} vastasi"), "there is no value {nimi}"),
            ("{n} votes", json!({ "one": "{n} ääni" }), "lacks the plural form \"other\""),
            ("{n} votes", json!({ "muu": "{n}", "other": "{n}" }), "\"muu\" is no plural form"),
            ("{n} votes", json!({ "one": 1, "other": "{n}" }), "\"one\" is no text"),
            ("{n} votes", json!({ "one": "{n}", "other": "ääntä" }), "it lacks {n}"),
            ("{n} votes", json!("{n} ääntä"), "it needs plural forms"),
            ("Send", json!({ "other": "Lähetä" }), "it has no plural forms"),
            ("{n} votes for {name}", json!({ "one": "yksi", "other": "{n} {name}" }), "it lacks {name}"),
        ] {
            let mut words = json!({ key: value });
            if key != "Send" {
                words["Send"] = json!("Lähetä");
            }
            let found = read_one("fi.json", &finnish(words, json!({}), json!({})), built);
            let [fault] = &found.faults[..] else { panic!("{key} {value}: {:?}", found.faults) };
            assert!(fault.starts_with("languages/fi.json: ") && fault.contains(key), "{fault}");
            assert!(fault.contains(why), "{fault}");
            assert_eq!(found.notes, [""; 0]);
            assert_eq!(found.files[0].words.len(), usize::from(key != "Send"), "the others stay");
        }
        for (refusals, themes, why) in [
            (json!({ "busy": { "other": "Hetki." } }), json!({}), "it has no plural forms"),
            (json!({ "too_long": { "one": "Yli {n}.", "other": "Yli {max}." } }), json!({}), "no value {n}"),
            (json!({ "too_long": "Liian pitkä." }), json!({}), "it lacks {max}"),
            (json!({}), json!({ "61": { "title": "a", "text": "b" } }), "themes 1 to 60"),
            (json!({}), json!({ "01": { "title": "a", "text": "b" } }), "themes 1 to 60"),
            (json!({}), json!({ "1": { "title": "a" } }), "it has no text"),
        ] {
            let found = read_one("fi.json", &finnish(json!({}), refusals, themes), built);
            assert!(found.faults.len() == 1 && found.faults[0].contains(why), "{:?}", found.faults);
        }
    }

    #[test]
    fn a_part_with_a_wrong_name_is_named_and_a_byte_order_mark_is_none() {
        let text = r#"{"language":"fi","name":"Suomi","words":{"Send":"Lähetä"},"refusal":{"busy":"Hetki."},
            "advice":{"Send":"A button."}}"#;
        let found = read_one("fi.json", &format!("\u{feff}{text}"), built);
        let fault = r#"languages/fi.json: "refusal" is left out: a file has words, refusals, themes"#;
        assert_eq!(found.faults, [fault]);
        assert_eq!(found.files[0].words.len(), 1);
    }

    #[test]
    fn a_sentence_that_an_upgrade_changed_is_noted_and_no_fault() {
        let words = json!({ "Sent": "Lähetetty {n}", "Send": "Lähetä" });
        let found = read_one("fi.json", &finnish(words, json!({ "never": "Ei." }), json!({})), built);
        assert_eq!(found.faults, [""; 0]);
        let note =
            |key| format!("languages/fi.json: \"{key}\" is left out: this Mellow has no such sentence");
        assert_eq!(found.notes, ["Sent", "never"].map(note));
        assert_eq!((found.files[0].words.len(), found.files[0].refusals.len()), (1, 0));
    }

    #[test]
    fn a_setting_with_a_language_that_is_not_there_is_a_fault() {
        let data = tempfile::tempdir().unwrap();
        for known in ["en", "pt-BR"] {
            assert_eq!(read(data.path(), known, built).faults, [""; 0]);
        }
        let faults = read(data.path(), "fi", built).faults;
        let [fault] = &faults[..] else { panic!("{faults:?}") };
        assert!(fault.starts_with("language = \"fi\" is not here, so English is used"), "{fault}");
        std::fs::create_dir(data.path().join(FOLDER)).unwrap();
        let text = finnish(json!({}), json!({}), json!({}));
        std::fs::write(data.path().join(FOLDER).join("fi.json"), text).unwrap();
        assert_eq!(read(data.path(), "fi", built).faults, [""; 0]);
    }

    #[test]
    fn a_folder_full_of_faults_is_reported_in_few_short_lines() {
        let words: Map<String, Value> =
            (0..30).map(|number| (format!("Send {number}"), json!("x"))).collect();
        let themes: Map<String, Value> = (61..91).map(|number| (number.to_string(), json!({}))).collect();
        let found = read_one("fi.json", &finnish(words.into(), json!({}), themes.into()), built);
        for lines in [&found.faults, &found.notes] {
            assert_eq!(lines.len(), 21, "{lines:?}");
            assert_eq!(lines[20], "languages/fi.json: and 10 more");
        }
        let long = "x".repeat(900);
        let words = json!({ "Send": format!("{{{long}}}") });
        let found = read_one("fi.json", &finnish(words, json!({}), json!({})), built);
        assert_eq!(text::count(&found.faults[0]), 300, "{:?}", found.faults);

        let tags =
            (b'a'..=b'z').flat_map(|one| [b'a', b'b'].map(|two| String::from_utf8(vec![one, two]).unwrap()));
        let files: Vec<(String, String)> = tags
            .map(|tag| {
                (format!("{tag}.json"), json!({ "language": tag, "name": "x", "words": {} }).to_string())
            })
            .collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
        let found = read_all(&files, built);
        assert_eq!(found.files.len(), 50);
        assert_eq!(
            found.faults,
            ["languages has more than 50 files: za.json and those after it are left out"]
        );
    }

    #[test]
    fn only_a_regular_file_is_read_and_none_is_waited_for() {
        let data = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(data.path().join(FOLDER).join("sv.json")).unwrap();
        let fifo = data.path().join(FOLDER).join("fi.json");
        assert!(std::process::Command::new("mkfifo").arg(fifo).status().unwrap().success());
        let found = read(data.path(), "en", built);
        let fault = |tag| format!("languages/{tag}.json is left out: it is no regular file");
        assert_eq!(found.faults, ["fi", "sv"].map(fault));
    }

    #[test]
    fn a_wrong_file_is_left_out_whole() {
        let large = format!("{{\"language\":\"fi\"{}}}", " ".repeat(512 * 1024));
        for (name, text, why) in [
            ("finnish.json", "{}", "no tag of a language"),
            ("en.json", r#"{"language":"en","name":"English","words":{}}"#, "English is in the program"),
            ("fi.json", &large, "more than 524288 bytes"),
            ("fi.json", "{\n\n\"language\": fi }", "line 3: "),
            ("fi.json", "{\"language\": \"fi\", \"words\": {}}", "line 1: missing field `name`"),
            ("fi.json", "[]", "line 1: "),
            ("fi.json", r#"{"language":"fi","name":"Suomi","words":[]}"#, "line 1: invalid type"),
            ("sv.json", &finnish(json!({}), json!({}), json!({})), "its language is \"fi\", not \"sv\""),
            ("fi.json", r#"{"language":"fi","name":" ","words":{}}"#, "its name is not 1 to 50"),
        ] {
            let found = read_one(name, text, built);
            assert!(found.files.is_empty(), "{name}");
            let [fault] = &found.faults[..] else { panic!("{name}: {:?}", found.faults) };
            assert!(fault.starts_with(&format!("languages/{name} is left out: ")), "{fault}");
            assert!(fault.contains(why), "{fault}");
        }
    }

    #[test]
    fn other_files_and_a_missing_folder_are_no_languages() {
        let found = read_one("notes.txt", "of ours", built);
        assert!(found.files.is_empty() && found.faults.is_empty());
        let none = tempfile::tempdir().unwrap();
        let found = read(none.path(), "en", built);
        assert!(found.files.is_empty() && found.faults.is_empty());
    }
}
