//! The events that an action must cause, and the events that were received until now.

use fixedbitset::FixedBitSet;

use crate::events::{Facts, Kind};

/// Makes a set of these sockets. All sockets have numbers below `len`.
#[must_use]
pub fn set_of(len: usize, sockets: impl IntoIterator<Item = usize>) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(len);
    set.extend(sockets);
    set
}

/// An event that an action causes, and its recipients.
#[derive(Clone)]
pub struct Expected {
    pub kind: Kind,
    /// As in [`Facts`]; 0 is not compared.
    pub subject: u64,
    pub second: u64,
    /// The number of the action; None if the event does not contain the text.
    pub mark: Option<u64>,
    pub vote: Option<&'static str>,
    /// The sockets that must receive it once.
    pub must: FixedBitSet,
    /// The other sockets that may receive it.
    pub may: FixedBitSet,
}

impl Expected {
    /// Makes an expected event that these sockets must receive.
    #[must_use]
    pub fn new(kind: Kind, subject: u64, must: FixedBitSet) -> Self {
        let may = FixedBitSet::with_capacity(must.len());
        Self { kind, subject, second: 0, mark: None, vote: None, must, may }
    }

    /// Returns the fields that the event must have, for the description of a fault.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let Self { subject, second, mark, vote, .. } = *self;
        Facts { subject, second, mark, vote: vote.map(str::to_owned), ..Facts::default() }
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
    pub by: FixedBitSet,
    /// The times of deliveries before the reply to the action.
    pub early_us: Vec<u64>,
}

/// A write and its events.
#[derive(Default)]
pub struct Entry {
    /// The events that the write must cause; None until the reply to the action.
    pub expected: Option<Vec<Expected>>,
    pub due_us: u64,
    pub action: String,
    pub received: Vec<Received>,
    /// The number of deliveries that are missing.
    pub missing: usize,
    pub last_us: u64,
    pub completed_us: Option<u64>,
}

impl Entry {
    /// Stops waiting for the events of the kinds `is_meant` that a socket did not receive. Returns whether this removed
    /// the last missing delivery.
    pub fn excuse(&mut self, socket: usize, is_meant: impl Fn(Kind) -> bool) -> bool {
        let before = self.missing;
        for one in self.expected.iter_mut().flatten().filter(|one| is_meant(one.kind)) {
            let has_it = self
                .received
                .iter()
                .any(|received| received.kind == one.kind && received.by.contains(socket));
            if one.must.contains(socket) && !has_it {
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

/// A fault: one sentence, and the last frames of its socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub says: String,
    pub last_frames: Vec<String>,
}

/// The posts that a socket subscribed to by reading them or by making one.
pub struct Shown<'a> {
    pub seq: u64,
    pub posts: &'a [u64],
    /// Whether it was a read. The events after its snapshot follow it.
    pub is_read: bool,
}
