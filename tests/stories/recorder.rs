//! The recorder of tapes. A tape is what a page read, the events it received, and what a fresh page reads. With the
//! events alone, the store of the web client must get from the first state to the last (`web/src/app/tapes.test.ts`).
//!
//! `UPDATE=1 cargo test --test stories tape_` records the tapes again. Ids and numbers are renumbered in their order,
//! so that a tape is the same each time it is recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::person::Person;
use crate::support::server::TestServer;
use crate::support::uploads::files_below;

/// Names the step that reads the account from `hello` of a new tab.
pub const HELLO: &str = "hello";

/// Asks for the newest of a list.
pub fn newest() -> Value {
    json!({ "before": null })
}

/// Records the reads and events of one page.
pub struct Recorder<'a> {
    server: &'a TestServer,
    /// Whose page it is.
    viewer: &'a Person,
    reads: Vec<(&'static str, Value)>,
    counts_last: bool,
}

impl<'a> Recorder<'a> {
    pub fn new(server: &'a TestServer, viewer: &'a Person) -> Self {
        Self { server, viewer, reads: Vec::new(), counts_last: false }
    }

    pub fn reading(mut self, op: &'static str, fields: Value) -> Self {
        self.reads.push((op, fields));
        self
    }

    /// Moves counts to the end: they are held back, so their position varies.
    pub fn with_counts_last(mut self) -> Self {
        self.counts_last = true;
        self
    }

    async fn reads(&self) -> Vec<Value> {
        let mut steps = Vec::new();
        for (op, fields) in &self.reads {
            let ok = match *op {
                HELLO => {
                    let hello = self.viewer.opens_another_tab().await.socket.hello().await;
                    json!({ "me": hello["me"], "seq": hello["seq"] })
                }
                op => self.viewer.asks(op, fields.clone()).await,
            };
            steps.push(json!({ "op": op, "fields": fields, "ok": ok }));
        }
        steps
    }

    /// Records one tape. Fails unless the page receives exactly these events, in this order.
    pub async fn records(self, name: &str, received: &[&str], act: impl AsyncFnOnce()) {
        self.viewer.is_up_to_date(self.server).await;
        let before = self.reads().await;
        // A count of an earlier write may still be held for a moment. It is not part of the tape.
        let begun = self.server.publishes_marker().await;
        let recorded = || -> Vec<Value> {
            let events = self.viewer.socket.events().into_iter();
            events.filter(|event| event["seq"].as_i64().unwrap() > begun).collect()
        };
        act().await;
        self.viewer.is_up_to_date(self.server).await;
        while let Some(missing) = missing(&recorded(), received) {
            self.viewer.receives(missing).await;
        }
        self.viewer.is_up_to_date(self.server).await;
        let mut events = recorded();
        if self.counts_last {
            events.sort_by_key(|event| match event["ev"].as_str().unwrap() {
                "votes.counted" => 1,
                "profiles.counted" => 2,
                "polls.counted" => 3,
                _ => 0,
            });
        }
        let evs: Vec<&str> = events.iter().map(|event| event["ev"].as_str().unwrap()).collect();
        assert_eq!(evs, received, "what {} received", self.viewer.name);
        let after = self.reads().await;
        assert_ne!(before, after, "the events changed nothing that the page reads");
        let mut tape =
            json!({ "name": name, "me": self.viewer.id, "before": before, "events": events, "after": after });
        renumber(&mut tape);
        keep(name, &tape);
    }
}

/// Returns an event that is still to come, if one is.
fn missing<'a>(events: &[Value], received: &[&'a str]) -> Option<&'a str> {
    let so_far = |ev: &str| events.iter().filter(|event| event["ev"] == ev).count();
    let in_all = |ev: &str| received.iter().filter(|received| **received == ev).count();
    received.iter().copied().find(|ev| so_far(ev) < in_all(ev))
}

/// Returns what a number of this name is: `id`, `seq`, or None.
fn kind(name: &str) -> Option<&'static str> {
    match name {
        "seq" => Some("seq"),
        "id" | "me" | "older" | "before" | "after" | "gone" | "posts" | "profiles" => Some("id"),
        name if name.ends_with("_id") || name.ends_with("_ids") => Some("id"),
        _ => None,
    }
}

fn visit(value: &mut Value, name: &str, with: &mut impl FnMut(&str, &mut Value)) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| visit(value, name, with)),
        Value::Object(map) => map.iter_mut().for_each(|(name, value)| visit(value, name, with)),
        Value::Number(_) => {
            if let Some(kind) = kind(name) {
                with(kind, value);
            }
        }
        _ => {}
    }
}

/// Visits every text, by its name.
fn visit_texts(value: &mut Value, name: &str, with: &mut impl FnMut(&str, &mut String)) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| visit_texts(value, name, with)),
        Value::Object(map) => map.iter_mut().for_each(|(name, value)| visit_texts(value, name, with)),
        Value::String(text) => with(name, text),
        _ => {}
    }
}

/// Gives the people whom a text mentions their new ids; a number that is nobody's stays.
fn renumber_mentions(text: &str, ids: &BTreeSet<i64>) -> String {
    let mut pieces = text.split('@');
    let mut out = pieces.next().unwrap().to_owned();
    for piece in pieces {
        out.push('@');
        match piece.split_once('+').map(|(id, label)| (id.parse::<i64>(), label)) {
            Some((Ok(id), label)) if ids.contains(&id) => {
                out.push_str(&format!("{}+{label}", 100 + ids.range(..=id).count()));
            }
            _ => out.push_str(piece),
        }
    }
    out
}

/// The thumbhash of every picture of a tape: its content does not matter.
const THUMBHASH: &str = "1QcSHQRnh493V4dIh4eXh1h4kJUI";

/// Replaces ids and seqs by small numbers in the same order, and file tokens by numbers in the order of their first
/// use.
fn renumber(tape: &mut Value) {
    let mut met: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
    visit(tape, "", &mut |kind, value| {
        met.entry(kind.into()).or_default().insert(value.as_i64().unwrap());
    });
    let ids = met["id"].clone();
    let mut tokens = Vec::new();
    visit_texts(tape, "", &mut |name, text| match name {
        "thumbhash" => *text = THUMBHASH.into(),
        "text" => *text = renumber_mentions(text, &ids),
        _ if text.starts_with("/media/") => {
            let (path, token) = text.split_once("?token=").unwrap();
            let [_, _, folder, owner, file] = path.split('/').collect::<Vec<_>>().try_into().unwrap();
            let owner = 100 + ids.range(..=owner.parse::<i64>().unwrap()).count();
            if !tokens.contains(&token.to_owned()) {
                tokens.push(token.to_owned());
            }
            let number = tokens.iter().position(|held| held == token).unwrap() + 1;
            *text = format!("/media/{folder}/{owner}/{file}?token={number:022}");
        }
        _ => {}
    });
    visit(tape, "", &mut |kind, value| {
        let number = met[kind].range(..=value.as_i64().unwrap()).count();
        // Ids begin at 101, so that none equals a seq.
        *value = json!(if kind == "seq" { number } else { 100 + number });
    });
}

fn keep(name: &str, tape: &Value) {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "tests", "tapes", &format!("{name}.json")].iter().collect();
    let text = serde_json::to_string_pretty(tape).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&path)
        .unwrap_or_else(|_| panic!("{name} is new: UPDATE=1 cargo test --test stories tape_ records it"));
    let kept: Value = serde_json::from_str(&kept).unwrap();
    assert_eq!(
        &kept, tape,
        "{name}: the server sends something else now. If this is intended: UPDATE=1 cargo test --test stories tape_"
    );
}

#[test]
fn every_tape_is_recorded() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let stories = tests.join("stories");
    let stories: String = files_below(&stories)
        .iter()
        .map(|file| std::fs::read_to_string(stories.join(file)).unwrap())
        .collect();
    for tape in files_below(&tests.join("tapes")) {
        let name = tape.trim_end_matches(".json");
        assert!(stories.contains(&format!("\"{name}\",")), "no test records {name} any more");
    }
}
