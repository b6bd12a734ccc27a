//! The events that an action must cause, and those that were received so far.

use super::bits::Bits;
use super::events::{Facts, Kind};

/// An event that an action causes, and who receives it.
#[derive(Clone, Debug)]
pub struct Expected {
    pub kind: Kind,
    /// What it is about, as in [`Facts`]; 0: not compared.
    pub subject: u64,
    pub second: u64,
    /// The number of the action, where the event repeats what was written.
    pub mark: Option<u64>,
    pub vote: Option<&'static str>,
    /// Who receives it, each once.
    pub must: Bits,
    /// Who may receive it besides.
    pub may: Bits,
}

impl Expected {
    /// Makes one for these people.
    #[must_use]
    pub fn new(kind: Kind, subject: u64, must: Bits) -> Self {
        let may = Bits::new(must.len());
        Self { kind, subject, second: 0, mark: None, vote: None, must, may }
    }

    pub fn agrees(&self, facts: &Facts) -> bool {
        let same = |expected: u64, found: u64| expected == 0 || expected == found;
        same(self.subject, facts.subject)
            && same(self.second, facts.second)
            && (self.mark.is_none() || self.mark == facts.mark)
            && self.vote.is_none_or(|vote| facts.vote.as_deref() == Some(vote))
    }
}

/// An event as it was first received, and the sockets that received it.
pub struct Received {
    pub kind: Kind,
    pub message: Box<[u8]>,
    pub facts: Facts,
    pub by: Bits,
    /// The times of deliveries that came before the cause of the event was known.
    pub early_us: Vec<u64>,
}

/// A write and its events.
#[derive(Default)]
pub struct Entry {
    /// The events that the write must cause; None until it is answered.
    pub expected: Option<Vec<Expected>>,
    pub due_us: u64,
    pub action: String,
    pub received: Vec<Received>,
    /// Deliveries of all its events that are still to come.
    pub missing: usize,
    pub last_us: u64,
    pub completed_us: Option<u64>,
}

impl Entry {
    /// Stops waiting for those of these events that a socket did not receive; returns whether nothing is missing now.
    pub fn excuse(&mut self, socket: usize, is_meant: impl Fn(Kind) -> bool) -> bool {
        let before = self.missing;
        for one in self.expected.iter_mut().flatten().filter(|one| is_meant(one.kind)) {
            let has_it =
                self.received.iter().any(|received| received.kind == one.kind && received.by.has(socket));
            if one.must.has(socket) && !has_it {
                one.must.remove(socket);
                one.may.insert(socket);
                self.missing -= 1;
            }
        }
        let is_complete = before > 0 && self.missing == 0;
        if is_complete {
            self.completed_us = Some(self.last_us);
        }
        is_complete
    }
}

/// A fault: one sentence, and the frames before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub says: String,
    pub story: Vec<String>,
}

/// A page of posts or a thread was read, or a post was made, so that a socket subscribes to these posts.
pub struct Shown<'a> {
    pub seq: u64,
    pub posts: &'a [u64],
    /// It was a read: the events that its snapshot lacks follow it.
    pub is_read: bool,
}
