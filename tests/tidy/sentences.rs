//! Each sentence of a refusal has a name of its own, which `docs/protocol.md` lists.

use std::collections::BTreeSet;

use super::{assert_none, code, ours, read};

/// Reads the literal of a string with which Rust code begins. Returns its text, and the code after it.
fn literal(code: &str) -> Option<(String, &str)> {
    let mut rest = code.trim_start().strip_prefix('"')?;
    let mut text = String::new();
    loop {
        let c = rest.chars().next()?;
        rest = &rest[c.len_utf8()..];
        match c {
            '"' => return Some((text, rest)),
            // The end of a line that goes on in the next one, or a mark.
            '\\' => match rest.strip_prefix('\n') {
                Some(next) => rest = next.trim_start(),
                None => {
                    let mark = rest.chars().next()?;
                    text.push(mark);
                    rest = &rest[mark.len_utf8()..];
                }
            },
            c => text.push(c),
        }
    }
}

/// Returns the name and the English text of each sentence in the source.
fn sentences() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (path, text) in ours("src") {
        let code = code(&text);
        let mut makers = vec!["Sentence::new("];
        if path == "src/error.rs" {
            // Refusals whose sentence has the name of their code.
            makers.push(" one(");
        }
        for maker in makers {
            let made = code.match_indices(maker).map(|(at, _)| &code[at + maker.len()..]);
            found.extend(made.filter_map(|rest| {
                let (why, rest) = literal(rest)?;
                let (text, _) = literal(rest.trim_start().strip_prefix(',')?)?;
                Some((why, text))
            }));
        }
    }
    found
}

#[test]
fn the_protocol_lists_the_sentences_that_there_are() {
    let sentences = sentences();
    assert!(sentences.len() >= 80, "this finds only {} sentences", sentences.len());
    let row = |(why, text): &(String, String)| {
        let values = text.split('{').skip(1).filter_map(|rest| rest.split('}').next());
        let values: Vec<String> = values.map(|name| format!("`{name}`")).collect();
        let values = values.join(", ");
        format!("| `{why}` | {values}{}| {text} |", if values.is_empty() { "" } else { " " })
    };
    let made: BTreeSet<String> = sentences.iter().map(row).collect();
    let protocol = read("docs/protocol.md");
    let section = protocol.split("\n### Sentences\n").nth(1).expect("the section with the sentences");
    let section = section.split("\n## ").next().unwrap();
    let rows: BTreeSet<String> = section
        .lines()
        .filter(|line| line.starts_with("| `") && !line.contains("| `values` |"))
        .map(str::to_owned)
        .collect();
    assert_none((&made - &rows).into_iter().collect(), "docs/protocol.md lacks these lines under Sentences:");
    assert_none(
        (&rows - &made).into_iter().collect(),
        "no refusal says this any more: please remove it from docs/protocol.md",
    );
}

#[test]
fn no_two_sentences_have_one_name() {
    let mut met = BTreeSet::new();
    let twice = sentences().into_iter().map(|(why, _)| why).filter(|why| !met.insert(why.clone()));
    assert_none(twice.collect(), "a client says the sentence by its name: please give each its own");
    let is_name = |why: &str| why.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let odd = sentences().into_iter().map(|(why, _)| why).filter(|why| !is_name(why));
    assert_none(odd.collect(), "a name has small letters and underscores alone");
}
