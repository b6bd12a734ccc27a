//! The rules of this repository, checked by reading its files. Each message says what to do.
#![expect(clippy::unwrap_used, reason = "a file of ours that cannot be read is a failure")]

#[path = "tidy/circles.rs"]
mod circles;
#[path = "tidy/features.rs"]
mod features;
#[path = "tidy/ids.rs"]
mod ids;
#[path = "tidy/layers.rs"]
mod layers;
#[path = "tidy/libraries.rs"]
mod libraries;
#[path = "tidy/pages.rs"]
mod pages;
#[path = "tidy/sentences.rs"]
mod sentences;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns every file in a folder and its subfolders with one of these extensions: its path from the root, and its
/// text.
fn files(folder: &str, endings: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                if !["node_modules", "target", "dist"].contains(&name.as_str()) {
                    folders.push(path);
                }
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path.strip_prefix(root()).unwrap().to_string_lossy().into_owned(), text));
            }
        }
    }
    found.sort();
    found
}

/// Returns the Rust files of a folder that are not only for tests.
fn ours(folder: &str) -> Vec<(String, String)> {
    files(folder, &[".rs"])
        .into_iter()
        .filter(|(path, _)| {
            let for_tests = ["/testing.rs", "/tests.rs"].iter().any(|ending| path.ends_with(ending));
            !for_tests && !path.starts_with("src/testing/")
        })
        .collect()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
}

/// Returns the code of a Rust file: without comments, and without the tests or examples at its bottom.
fn code(text: &str) -> String {
    let rules = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
    let rules = rules.split("#[cfg(test)]\npub(crate) mod examples").next().unwrap_or(rules);
    rules
        .lines()
        .map(|line| match line.find("//") {
            // `//` in an address is no comment.
            Some(at) if !line[..at].ends_with(':') => &line[..at],
            _ => line,
        })
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns whether a file names a crate or module as a path: `name::`, `name;`, `use name`.
fn names(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + name.len()..].chars().next();
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !is_word(before) && !is_word(after) && matches!(after, Some(':' | ';' | ' ' | '}' | ','))
    })
}

fn assert_none(offenders: Vec<String>, advice: &str) {
    assert!(offenders.is_empty(), "{advice}\n  {}", offenders.join("\n  "));
}

fn only_in(folder: &str, endings: &[&str], name: &str, home: &str) {
    let users: Vec<String> = files(folder, endings)
        .into_iter()
        .filter(|(path, text)| {
            if path.ends_with(".rs") {
                names(&code(text), name)
            } else {
                imports(text).any(|from| from == name)
            }
        })
        .map(|(path, _)| path)
        .collect();
    assert_eq!(users, [home], "only {home} knows {name}: please ask it for what you need");
}

/// Returns what a TypeScript file imports from.
fn imports(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let (_, from) = line.split_once(" from ").or_else(|| line.split_once("import "))?;
        from.trim().trim_end_matches(';').split(['"', '\'']).nth(1)
    })
}

#[test]
fn the_web_writes_no_markup_by_hand() {
    let offenders = files("web/src", &[".ts", ".tsx"])
        .into_iter()
        .filter(|(_, text)| {
            ["dangerouslySetInnerHTML", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"]
                .iter()
                .any(|name| text.contains(name))
        })
        .map(|(path, _)| path)
        .collect();
    assert_none(offenders, "what people write is never markup: let React put it on the page as text");
}

#[test]
fn nothing_of_ours_unwraps_outside_tests() {
    let offenders = [ours("src"), ours("loadtest/src"), ours("render/src")]
        .concat()
        .into_iter()
        .filter(|(_, text)| code(text).contains(".unwrap()"))
        .map(|(path, _)| path)
        .collect();
    assert_none(offenders, "a refusal or a fault says more than unwrap does");
}

#[test]
fn a_file_is_read_in_one_sitting() {
    let all = [
        files("src", &[".rs"]),
        files("loadtest", &[".rs"]),
        files("render/src", &[".rs"]),
        files("tests", &[".rs"]),
        files("benches", &[".rs"]),
        files("web/src", &[".ts", ".tsx"]),
    ];
    let long = all
        .concat()
        .into_iter()
        .filter(|(path, _)| !path.ends_with(".gen.ts"))
        .filter_map(|(path, text)| {
            let lines = text.lines().count();
            (lines > 600).then(|| format!("{path} has {lines} lines"))
        })
        .collect();
    assert_none(long, "these files are too long: please look for two ideas in each");
}

#[test]
fn nothing_is_left_for_later_in_the_code() {
    // The words are concatenated, so that this file does not contain them.
    let words = [["TO", "DO"].concat(), ["FIX", "ME"].concat(), ["XX", "X"].concat(), ["HA", "CK"].concat()];
    let all = [
        files("src", &[".rs"]),
        files("loadtest", &[".rs"]),
        files("render/src", &[".rs"]),
        files("tests", &[".rs"]),
        files("benches", &[".rs"]),
        files("migrations", &[".sql"]),
        files("web/src", &[".ts", ".tsx", ".css"]),
    ];
    let mut offenders = Vec::new();
    for (path, text) in all.concat() {
        for (number, line) in text.lines().enumerate() {
            let is_marked = words.iter().any(|word| {
                line.match_indices(word.as_str()).any(|(at, _)| {
                    let after = line[at + word.len()..].chars().next();
                    let before = line[..at].chars().next_back();
                    !after.is_some_and(char::is_alphanumeric) && !before.is_some_and(char::is_alphanumeric)
                })
            });
            if is_marked {
                offenders.push(format!("{path}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert_none(offenders, "work for later is an issue: please write it there and leave the code complete");
}

#[test]
fn an_exception_to_a_lint_explains_itself() {
    let all = ["src", "loadtest", "render/src", "tests", "benches"].map(|folder| files(folder, &[".rs"]));
    let marks = [["#[al", "low("].concat(), ["#![al", "low("].concat()];
    let offenders = all
        .concat()
        .into_iter()
        .filter(|(_, text)| {
            text.lines().any(|line| marks.iter().any(|mark| line.trim_start().starts_with(mark.as_str())))
        })
        .map(|(path, _)| path)
        .collect();
    assert_none(
        offenders,
        "please write #[expect(..., reason = \"...\")]: it says why, and goes when it is no longer needed",
    );
}

#[test]
fn migrations_are_only_ever_added() {
    use std::fmt::Write;
    let list = root().join("tests/migrations.sha256");
    let mut now = String::new();
    for (path, text) in files("migrations", &[".sql"]) {
        let _ = writeln!(now, "{}  {path}", sha256(text.as_bytes()));
    }
    let kept = std::fs::read_to_string(&list).unwrap();
    for line in kept.lines() {
        assert!(
            now.lines().any(|held| held == line),
            "a migration that ran somewhere stays as it is, or no database of before can be opened. \
             Please write a new one instead of changing this:\n  {line}"
        );
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&list, &now).unwrap();
        return;
    }
    assert_eq!(now, kept, "a new migration: `make accept` adds it to tests/migrations.sha256");
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_protocol_names_every_request_event_and_refusal() {
    let protocol = read("docs/protocol.md");
    let mut unnamed = Vec::new();
    for op in mellow::features::ops().into_iter().chain(mellow::socket::wire::OPS.iter().copied()) {
        if !protocol.contains(&format!("| `{op}` |")) {
            unnamed.push(format!("the request {op}"));
        }
    }
    // The events of a connection, such as `hello`, are written as `ev: "..."` where they are sent.
    let sent = [read("src/backend/mod.rs"), read("src/socket/wire.rs")].concat();
    let of_connections = sent.match_indices("ev: \"").map(|(at, mark)| &sent[at + mark.len()..]);
    let events: BTreeSet<&str> = of_connections
        .map(|rest| rest.split('"').next().unwrap())
        .chain(mellow::features::events::NAMES.iter().copied())
        .collect();
    assert!(events.len() >= 10, "{events:?}");
    for ev in events {
        if !protocol.contains(&format!("| `{ev}` |")) {
            unnamed.push(format!("the event {ev}"));
        }
    }
    for code in refusal_codes() {
        if !protocol.contains(&format!("`{code}`")) {
            unnamed.push(format!("the refusal {code}"));
        }
    }
    assert_none(unnamed, "docs/protocol.md is enough to write a client from. Please add to it");

    // Every request in the document exists too.
    let ops: BTreeSet<&str> =
        mellow::features::ops().into_iter().chain(mellow::socket::wire::OPS.iter().copied()).collect();
    let section = protocol.split("## 5.").nth(1).unwrap().split("## 6.").next().unwrap();
    let promised: BTreeSet<&str> =
        section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(ops, promised, "the table of requests and the requests there are");
}

/// Returns the codes in `src/error.rs`.
fn refusal_codes() -> BTreeSet<String> {
    let text = read("src/error.rs");
    let words = text.split("fn sentence(&self) -> (&'static str").nth(1).unwrap();
    let words: String = words.split("fn values(&self").next().unwrap().split_whitespace().collect();
    let codes: BTreeSet<String> = words
        .match_indices("(\"")
        // The names of sentences are in tidy/sentences.rs.
        .filter(|(at, _)| !words[..*at].ends_with("Sentence::new"))
        .filter_map(|(at, _)| words[at + 2..].split('"').next())
        .filter(|code| !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'))
        .map(str::to_owned)
        .collect();
    assert!(codes.len() >= 19, "{codes:?}");
    codes
}

#[test]
fn every_refusal_code_is_met_in_a_test() {
    let tests: String = [files("tests", &[".rs"]), files("src", &[".rs"])]
        .concat()
        .into_iter()
        .filter(|(path, _)| path != "src/error.rs" && path != "tests/tidy.rs")
        .map(
            |(path, text)| {
                if path.starts_with("src") { text.split("mod tests").skip(1).collect() } else { text }
            },
        )
        .collect();
    let camel = |code: &str| -> String {
        code.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect()
    };
    let unmet = refusal_codes()
        .into_iter()
        .filter(|code| {
            !tests.contains(&format!("\"{code}\"")) && !tests.contains(&format!("Refusal::{}", camel(code)))
        })
        .collect();
    assert_none(unmet, "a refusal without a test may be the wrong one. Please write a story that meets");
}

#[test]
fn every_setting_has_help_and_a_default() {
    let program = std::process::Command::new(env!("CARGO_BIN_EXE_mellow"))
        .args(["serve", "--help"])
        .env("COLUMNS", "400")
        .output()
        .unwrap();
    assert!(program.status.success());
    let help = String::from_utf8(program.stdout).unwrap();
    let text = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let settings = read("src/settings.rs");
    let table = settings.split("\nsettings! {").nth(1).unwrap().split("\n}").next().unwrap();
    let settings: Vec<&str> =
        table.lines().filter_map(|line| line.trim().split_once(": ").map(|(name, _)| name)).collect();
    assert!(settings.len() >= 20, "{settings:?}");
    for name in settings {
        let flag = format!("--{} ", name.replace('_', "-"));
        let (_, rest) = text.split_once(&flag).unwrap_or_else(|| panic!("{flag} is not in the help"));
        let own = rest.split(" --").next().unwrap();
        assert!(own.contains("(default: "), "{flag} does not say its default: {own}");
    }
}

#[test]
fn documents_name_only_existing_settings() {
    let pages = read("README.md") + &read("docs/operations.md");
    let settings = read("src/settings.rs");
    for word in
        pages.split(|c: char| !c.is_ascii_uppercase() && c != '_').filter(|word| word.starts_with("MELLOW_"))
    {
        let name = word.trim_start_matches("MELLOW_").trim_end_matches('_').to_lowercase();
        assert!(
            name.is_empty() || name == "build" || settings.contains(&format!("    {name}: ")),
            "a document names {word}"
        );
    }
}
