//! Ids of rules, decisions and promises. Each id that code or docs name is defined once in `docs/`.

use std::collections::{BTreeMap, BTreeSet};

use super::{assert_none, files, read};

/// Names of other things that look like ids.
const OTHERS: [&str; 2] = ["X11", "VP8"];

/// The files that define ids, with the text before each definition.
const DEFINITIONS: [(&str, &str); 3] =
    [("docs/protocol.md", "- **"), ("docs/decisions.md", "| **"), ("docs/promises.md", "| **")];

/// Returns the files that may name ids.
fn all_files() -> Vec<(String, String)> {
    let code = [".rs", ".ts", ".tsx", ".css", ".mjs", ".sql"];
    let mut all = vec![("README.md".to_owned(), read("README.md"))];
    for folder in ["src", "loadtest", "render/src", "tests", "benches", "web/src", "web/e2e", "migrations"] {
        all.extend(files(folder, &code));
    }
    all.extend(files("docs", &[".md"]));
    all
}

/// Returns every id that `docs/` defines, with the file.
fn defined() -> Vec<(String, &'static str)> {
    let mut defined = Vec::new();
    for (path, mark) in DEFINITIONS {
        for line in read(path).lines() {
            let id = line.strip_prefix(mark).and_then(|rest| rest.split("**").next());
            defined.extend(id.filter(|id| is_id(id)).map(|id| (id.to_owned(), path)));
        }
    }
    defined
}

/// Returns whether a word is one or two capital letters and a number, or such a word after `D-`.
fn is_id(word: &str) -> bool {
    let word = word.strip_prefix("D-").unwrap_or(word);
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = &word[letters..];
    (1..=2).contains(&letters)
        && (1..=2).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !digits.starts_with('0')
}

/// Returns the words of a text that are ids.
fn ids_in(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || "-_+#/.%".contains(c);
    text.split(move |c| !is_part(c)).map(|word| word.trim_end_matches('.')).filter(|word| is_id(word))
}

/// Returns the part of a line of code that is a comment.
fn comment(line: &str) -> &str {
    let begins = |mark: &str| line.find(mark).map(|at| &line[at..]);
    begins("//").or_else(|| begins("-- ")).or_else(|| begins("/*")).unwrap_or("")
}

/// Returns the ids at the beginning of a test's name: `w1_`, `c32_c33_`, `d_a5_` in Rust, `"c19, l5: ..."` in the web.
fn ids_of_test(line: &str) -> Vec<String> {
    let line = line.trim_start();
    if let Some((_, name)) = line.split_once("fn ") {
        let mut ids = Vec::new();
        let mut words = name.split(['_', '(']);
        while let Some(word) = words.next() {
            let decided = if word == "d" {
                words.next().map(|word| format!("D-{}", word.to_uppercase()))
            } else {
                None
            };
            let id = decided.unwrap_or_else(|| word.to_uppercase());
            if !is_id(&id) {
                break;
            }
            ids.push(id);
        }
        return ids;
    }
    let name = ["test(\"", "describe(\""].iter().find_map(|call| line.strip_prefix(call));
    let Some((ids, _)) = name.and_then(|name| name.split_once(':')) else { return Vec::new() };
    let ids: Vec<String> = ids.split(", ").map(str::to_uppercase).collect();
    if ids.iter().all(|id| is_id(id)) { ids } else { Vec::new() }
}

#[test]
fn every_id_that_is_named_is_defined() {
    let defined: BTreeSet<String> = defined().into_iter().map(|(id, _)| id).collect();
    assert!(defined.len() > 100, "only {} ids are defined", defined.len());
    let mut strays = Vec::new();
    for (path, text) in all_files() {
        let is_page = path.ends_with(".md");
        for (number, line) in text.lines().enumerate() {
            let words = if is_page { line } else { comment(line) };
            let named = ids_in(words).filter(|id| !OTHERS.contains(id)).map(str::to_owned);
            let tests = if is_page { Vec::new() } else { ids_of_test(line) };
            for id in named.chain(tests).filter(|id| !defined.contains(id)) {
                strays.push(format!("{path}:{}: {id}", number + 1));
            }
        }
    }
    assert_none(
        strays,
        "rules are defined in docs/protocol.md, decisions and promises in docs/; these ids are not defined:",
    );
}

#[test]
fn an_id_is_defined_once() {
    let mut places: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (id, path) in defined() {
        places.entry(id).or_default().push(path);
    }
    let twice = places
        .into_iter()
        .filter(|(_, places)| places.len() > 1)
        .map(|(id, places)| format!("{id}: {}", places.join(", ")))
        .collect();
    assert_none(twice, "an id means one thing; these ids are defined more than once:");
}

#[test]
fn every_promise_has_a_test() {
    let proved: BTreeSet<String> =
        all_files().iter().flat_map(|(_, text)| text.lines().flat_map(ids_of_test)).collect();
    let unproved = defined()
        .into_iter()
        .filter(|(id, path)| *path == "docs/promises.md" && !proved.contains(id))
        .map(|(id, _)| id)
        .collect();
    assert_none(
        unproved,
        "each promise needs a test that proves it. Please write one whose name begins with",
    );
}

#[test]
fn ids_are_distinguished_from_other_words() {
    for id in ["W1", "LV12", "D-A5", "D-I13"] {
        assert!(is_id(id), "{id}");
    }
    for word in ["W", "W123", "UTF8x", "RFC6455", "d5", "D-", "F05"] {
        assert!(!is_id(word), "{word}");
    }
    assert_eq!(ids_of_test("async fn c32_c33_every_event() {"), ["C32", "C33"]);
    assert_eq!(ids_of_test("fn d_d7_d_d8_each_person() {"), ["D-D7", "D-D8"]);
    assert_eq!(ids_of_test("  test(\"c19, l5: applying\", () => {"), ["C19", "L5"]);
    assert_eq!(ids_in("(D-G5), W10. U+20AC").collect::<Vec<_>>(), ["D-G5", "W10"]);
}
