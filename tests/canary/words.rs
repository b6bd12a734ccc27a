//! Unique words: which users could read each word at which time, and the search for them in bytes.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::has;

/// The number of a word.
pub type Number = usize;

/// What a word belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Thing {
    /// The word belongs to nothing that a user may read. The request was refused, or only an admin reads it.
    Nothing,
    /// The mail address of a user.
    Address(usize),
    /// The id of a user.
    Id(usize),
    /// What only this user may read: the names of their passkeys, the label of a device.
    Own(usize),
    /// What only the options for a device of this user have: the id of a passkey, and what it knows its user by.
    Secret(usize),
    /// The name and the text of a user.
    Profile(usize),
    Group(i64),
    Post(i64),
    Comment(i64),
    Poll(i64),
}

/// Who may read a word and who muted its author, one bit for each viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    pub readers: u16,
    pub muting: u16,
    /// Whether the thing still has this word.
    pub is_current: bool,
}

#[derive(Debug)]
struct Word {
    /// The user who wrote it, if any.
    writer: Option<usize>,
    thing: Thing,
    is_current: bool,
    /// Who could read it, with the write from which on this holds.
    history: Vec<(i64, View)>,
}

/// Every word, by its number.
#[derive(Default)]
pub struct Book {
    words: Vec<Word>,
    /// The ids of users, which count as words.
    ids: BTreeMap<u64, Number>,
    /// Other bytes that count as words, by their first one.
    others: Vec<Vec<(Vec<u8>, Number)>>,
}

/// A message that a viewer received.
#[derive(Clone, Copy, Debug)]
pub struct Received<'a> {
    pub viewer: usize,
    /// The name of an event, the `op` of a reply, or the path of an HTTP response.
    pub kind: &'a str,
    /// The write that the message is about.
    pub seq: Option<i64>,
    /// The last write that the viewer had certainly received before.
    pub since: i64,
}

const PREFIX: &[u8] = b"kx";
const DIGITS: usize = 8;

impl Book {
    /// Makes a word.
    pub fn makes(&mut self, writer: Option<usize>) -> Number {
        self.words.push(Word { writer, thing: Thing::Nothing, is_current: true, history: Vec::new() });
        self.words.len() - 1
    }

    /// Makes a word for the id of a user.
    pub fn makes_id(&mut self, id: i64) -> Number {
        let number = self.makes(None);
        self.ids.insert(id.unsigned_abs(), number);
        number
    }

    /// Makes a word that is spelled with these bytes.
    pub fn makes_of(&mut self, writer: Option<usize>, bytes: &[u8]) -> Number {
        let number = self.makes(writer);
        self.others.resize_with(256, Vec::new);
        self.others[usize::from(bytes[0])].push((bytes.to_vec(), number));
        number
    }

    pub fn spelled(number: Number) -> String {
        format!("kx{number:0DIGITS$}")
    }

    pub fn belongs(&mut self, number: Number, thing: Thing) {
        self.words[number].thing = thing;
    }

    pub fn thing(&self, number: Number) -> Thing {
        self.words[number].thing
    }

    /// Returns whether this user wrote the word.
    pub fn is_by(&self, number: Number, who: usize) -> bool {
        self.words.get(number).is_some_and(|word| word.writer == Some(who))
    }

    /// Records that the thing no longer has this word.
    pub fn supersede(&mut self, number: Number) {
        self.words[number].is_current = false;
    }

    pub fn notes(&mut self, number: Number, seq: i64, readers: u16, muting: u16) {
        let word = &mut self.words[number];
        let view = View { readers, muting, is_current: word.is_current };
        if word.history.last().is_none_or(|(_, last)| *last != view) {
            word.history.push((seq, view));
        }
    }

    /// Returns the words in these bytes: texts, ids as MessagePack or in digits, and other bytes.
    pub fn found(&self, bytes: &[u8]) -> BTreeSet<Number> {
        let mut found = BTreeSet::new();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            let rest = &bytes[at..];
            at += 1;
            if let Some(others) = self.others.get(usize::from(*byte)) {
                let spelled = others.iter().filter(|(other, _)| rest.starts_with(other));
                found.extend(spelled.map(|(_, number)| *number));
            }
            match byte {
                b'k' if rest.starts_with(PREFIX) => {
                    let digits = rest.get(PREFIX.len()..PREFIX.len() + DIGITS);
                    found.extend(digits.and_then(number));
                }
                0xcf => {
                    let id = rest.get(1..9).map(|bytes| u64::from_be_bytes(bytes.try_into().unwrap()));
                    found.extend(id.and_then(|id| self.ids.get(&id)));
                }
                b'0'..=b'9' => {
                    let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                    found.extend(number(&rest[..length]).and_then(|id| self.ids.get(&(id as u64))));
                    at += length - 1;
                }
                _ => {}
            }
        }
        found
    }

    /// Returns why a word that was found in a message is a leak. `now` is the last write. `is_list` says that words of
    /// muted users are left out.
    pub fn leak(&self, number: Number, received: &Received<'_>, now: i64, is_list: bool) -> Option<String> {
        let Some(word) = self.words.get(number) else { return Some(format!("word {number} was never made")) };
        let Received { viewer, seq, since, .. } = *received;
        let history = &word.history;
        let leak = |why: &str| Some(format!("{why}: word {number} of {:?}, {history:?}", word.thing));
        let Some((begun, _)) = history.first() else { return leak("it was refused, or is the host's") };
        let begins = |seq: i64| history.partition_point(|(from, _)| *from <= seq.max(*begun)) - 1;
        if let Some(seq) = seq {
            let (_, view) = history[begins(seq)];
            if !has(view.readers, viewer) || !view.is_current {
                return leak(&format!("not theirs at {seq}, which the message speaks of"));
            }
        }
        let until = history.partition_point(|(from, _)| *from <= now.max(*begun));
        let may = |view: &View| has(view.readers, viewer) && !(is_list && has(view.muting, viewer));
        let is_theirs = history[begins(since)..until].iter().any(|(_, view)| may(view));
        if is_theirs { None } else { leak(&format!("not theirs from {since} to {now}, when it was sent")) }
    }
}

fn number(digits: &[u8]) -> Option<Number> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}
