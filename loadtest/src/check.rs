//! Checks what every client receives. A client must receive each event that it may see, once and in order. It must
//! receive no other event, and only correct counts. Pure: the input is frames and replies, the output is faults.
//!
//! All events of a write carry the `seq` of the write. The reply to an action has that `seq`, so that the checks can
//! relate the action to its events. Events that arrive before the reply are kept until it arrives. An event has the
//! same bytes for all its recipients, so it is decoded once and afterwards only compared.

use std::collections::{HashMap, HashSet, VecDeque};

use fixedbitset::FixedBitSet;

use crate::counts::{CountHistories, Counted, Wrong};
use crate::events::{self, Kind};
use crate::expected::{Entry, Expected, Fault, Received, Shown, set_of};
use crate::histogram::Histogram;
use crate::msgpack::described;
use crate::socket_record::{SocketRecord, When};

/// The time in which the events of a write are kept after the last one was received, in microseconds, because a late
/// reply may add recipients.
const KEPT_US: u64 = 10_000_000;
/// The number of faults that are described in full. Further faults are only counted.
const FAULTS_MAX: usize = 20;

/// The checks of one run.
pub struct Checker {
    records: Vec<SocketRecord>,
    entries: HashMap<u64, Entry>,
    /// Writes whose events were all received and were removed.
    done: HashSet<u64>,
    completed: VecDeque<u64>,
    /// The number of writes with missing events.
    unfinished: usize,
    counts: CountHistories,
    /// The sockets that may receive a count.
    counted_for: HashMap<Counted, FixedBitSet>,
    /// The sockets that show a post, and the write since which each shows it.
    shown: HashMap<u64, Vec<(usize, u64)>>,
    /// The writes of the comments on a post, without the writes that were removed.
    comments: HashMap<u64, Vec<u64>>,
    /// Sockets that were disconnected at least once.
    has_been_away: Vec<usize>,
    /// Sockets that the plan makes slow. Their deliveries are not timed.
    untimed: FixedBitSet,
    faults: Vec<Fault>,
    faults_count: u64,
    /// Whether the server has other users than those of the plan.
    is_shared: bool,
    pub deliveries: u64,
    /// The times from when an action was due until each of its deliveries, and until its last delivery.
    pub delivery: Histogram,
    pub last_delivery: Histogram,
    /// The same times as in `delivery`, since the last second was recorded.
    pub recent: Histogram,
}

impl Checker {
    /// Makes the checker of sockets, one for each user. The plan delays the deliveries of `untimed`.
    #[must_use]
    pub fn new(untimed: FixedBitSet, is_shared: bool) -> Self {
        let sockets = untimed.len();
        Self {
            records: (0..sockets).map(|_| SocketRecord::default()).collect(),
            entries: HashMap::new(),
            done: HashSet::new(),
            completed: VecDeque::new(),
            unfinished: 0,
            counts: CountHistories::default(),
            counted_for: HashMap::new(),
            shown: HashMap::new(),
            comments: HashMap::new(),
            has_been_away: Vec::new(),
            untimed,
            faults: Vec::new(),
            faults_count: 0,
            is_shared,
            deliveries: 0,
            delivery: Histogram::default(),
            last_delivery: Histogram::default(),
            recent: Histogram::default(),
        }
    }

    /// Returns the faults that are described, and the number of all faults.
    #[must_use]
    pub fn faults(&self) -> (&[Fault], u64) {
        (&self.faults, self.faults_count)
    }

    /// Returns the number of writes with missing events.
    #[must_use]
    pub fn unfinished(&self) -> usize {
        self.unfinished
    }

    /// Returns the cursor with which a socket resumes.
    #[must_use]
    pub fn cursor(&self, socket: usize) -> u64 {
        self.records[socket].cursor
    }

    /// Returns the posts that a socket shows. It names them when it resumes.
    #[must_use]
    pub fn shown_by(&self, socket: usize) -> Vec<u64> {
        self.records[socket].shows.iter().copied().collect()
    }

    /// Returns the value of a count after all writes with a reply.
    #[must_use]
    pub fn count(&self, counted: Counted) -> events::Counts {
        self.counts.now(counted)
    }

    /// Records a fault of a socket.
    pub fn fault(&mut self, socket: usize, says: String) {
        self.faults_count += 1;
        if self.faults.len() < FAULTS_MAX {
            let last_frames = self.records[socket].last_frames();
            self.faults.push(Fault { says: format!("person {socket}: {says}"), last_frames });
        }
    }

    fn faults_of_counts(&mut self, wrong: Vec<Wrong>, what: &str) {
        for Wrong { counted, socket, seq, received, right } in wrong {
            self.fault(
                socket,
                format!("{what}: {counted:?} came as {received:?} with the write {seq} and is {right:?}"),
            );
        }
    }

    // ---- connections ----------------------------------------------------------------------

    /// Records that a socket is open. `seq` is that of its `hello`. Returns whether it was open before and must resume.
    pub fn opened(&mut self, socket: usize, seq: u64) -> bool {
        self.records[socket].opened(seq)
    }

    /// Records that the client or the server closed a socket.
    pub fn lost(&mut self, socket: usize) {
        if !self.has_been_away.contains(&socket) {
            self.has_been_away.push(socket);
        }
        self.records[socket].lost();
        self.excuse(socket, u64::MAX, true);
    }

    /// Records the reply to `live.resume`.
    pub fn resumed(&mut self, socket: usize, seq: u64, resync: bool) {
        self.records[socket].resumed(seq, resync);
        if resync {
            // The socket stays subscribed to the posts that it named, from this write on.
            self.excuse(socket, seq, false);
        }
    }

    /// Stops waiting for events of writes up to `seq` that a socket did not receive: for all of them, or for the
    /// transient ones.
    fn excuse(&mut self, socket: usize, seq: u64, is_of_transient: bool) {
        for entry in self.entries.iter_mut().filter(|(of, _)| **of <= seq).map(|(_, entry)| entry) {
            self.unfinished -=
                usize::from(entry.excuse(socket, |kind| !is_of_transient || kind.is_transient()));
        }
    }

    /// Records that a socket subscribed to posts.
    pub fn shows(&mut self, socket: usize, shown: &Shown<'_>) {
        self.records[socket].reply_received(shown.seq, shown.is_read);
        for post in shown.posts {
            self.show(socket, *post, shown.seq);
        }
    }

    /// Records that a socket may have subscribed to a post. Comments on it may come, but need not.
    pub fn may_show(&mut self, socket: usize, post: u64) {
        self.records[socket].may_show.push(post);
    }

    fn show(&mut self, socket: usize, post: u64, seq: u64) {
        let socket_record = &mut self.records[socket];
        if socket_record.shows.contains(&post) {
            return;
        }
        socket_record.shows.push_back(post);
        if let Some(oldest) = socket_record.beyond_limit() {
            self.ends_showing(socket, oldest);
        }
        self.shown.entry(post).or_default().push((socket, seq));
        // These comments were committed after the snapshot of the read, and their replies came before the reply to the
        // read.
        for of in self.comments.get(&post).into_iter().flatten().filter(|of| **of > seq) {
            let Some(entry) = self.entries.get_mut(of) else { continue };
            let has_it = |received: &[Received]| {
                received.iter().any(|one| one.kind == Kind::CommentCreated && one.by.contains(socket))
            };
            let has_it = has_it(&entry.received);
            let thread = entry.expected.iter_mut().flatten().find(|one| one.kind == Kind::CommentCreated);
            if let Some(thread) = thread.filter(|thread| !thread.must.contains(socket)) {
                thread.must.insert(socket);
                if !has_it {
                    entry.missing += 1;
                    if entry.completed_us.take().is_some() || entry.missing == 1 {
                        self.unfinished += 1;
                    }
                }
            }
        }
    }

    /// Returns the number of posts that a socket shows.
    #[must_use]
    pub fn shows_count(&self, socket: usize) -> usize {
        self.records[socket].shows.len()
    }

    /// Records that a socket asked to leave posts. Comments on them may come until the reply, but need not.
    pub fn leaves(&mut self, socket: usize, posts: &[u64]) {
        let socket_record = &mut self.records[socket];
        socket_record.shows.retain(|post| !posts.contains(post));
        socket_record.may_show.extend(posts);
        for post in posts {
            self.ends_showing(socket, *post);
        }
    }

    /// Records the reply to leaving posts. Comments on these posts may no longer come.
    pub fn left(&mut self, socket: usize, posts: &[u64]) {
        self.records[socket].may_show.retain(|post| !posts.contains(post));
    }

    /// Records that a subscription ended. Missing comments on that post may still come, but need not.
    fn ends_showing(&mut self, socket: usize, post: u64) {
        if let Some(shown) = self.shown.get_mut(&post) {
            shown.retain(|(by, _)| *by != socket);
        }
        for of in self.comments.get(&post).into_iter().flatten() {
            if let Some(entry) = self.entries.get_mut(of) {
                self.unfinished -= usize::from(entry.excuse(socket, |kind| kind == Kind::CommentCreated));
            }
        }
    }

    /// Returns the sockets that showed a post before a write.
    #[must_use]
    pub fn showing(&self, post: u64, seq: u64) -> FixedBitSet {
        let shown = self.shown.get(&post).into_iter().flatten();
        let before = shown.filter(|(_, since)| *since < seq).map(|(socket, _)| *socket);
        set_of(self.records.len(), before)
    }

    // ---- actions --------------------------------------------------------------------------

    /// Records that a request was sent that may change a count. These users may receive the count.
    pub fn request_sent(&mut self, counted: Counted, recipients: impl IntoIterator<Item = usize>) {
        self.counts.request_sent(counted);
        let sockets = self.records.len();
        let allowed = self.counted_for.entry(counted).or_insert_with(|| FixedBitSet::with_capacity(sockets));
        recipients.into_iter().for_each(|socket| allowed.insert(socket));
    }

    /// Records the reply to such a request, and the change by its write.
    pub fn changed(&mut self, counted: Counted, change: Option<(u64, usize, i8)>) {
        let wrong = self.counts.reply_received(counted, change);
        self.faults_of_counts(wrong, "a wrong count");
    }

    /// Records a count in a reply.
    pub fn received(&mut self, counted: Counted, socket: usize, seq: u64, counts: events::Counts) {
        let wrong = self.counts.received(counted, socket, seq, counts);
        self.faults_of_counts(wrong, "a wrong count");
    }

    /// Records the reply to an action, and the events that its write must cause.
    pub fn acted(&mut self, seq: u64, action: String, due_us: u64, mut expected: Vec<Expected>, now_us: u64) {
        for one in &mut expected {
            for socket in self
                .has_been_away
                .iter()
                .copied()
                .filter(|socket| one.must.contains(*socket))
                .collect::<Vec<_>>()
            {
                if self.records[socket].is_excused(seq, one.kind.is_transient()) {
                    one.must.remove(socket);
                    one.may.insert(socket);
                }
            }
        }
        if let Some(thread) = expected.iter().find(|one| one.kind == Kind::CommentCreated) {
            self.comments.entry(thread.second).or_default().push(seq);
        }
        let mut faults = Vec::new();
        let entry = self.entries.entry(seq).or_default();
        if entry.expected.is_some() {
            self.fault(0, format!("two actions have the number {seq}: {action}"));
            return;
        }
        (entry.due_us, entry.action) = (due_us, action);
        let mut missing: usize = expected.iter().map(|one| one.must.count_ones(..)).sum();
        for received in &mut entry.received {
            let Some(one) = expected.iter_mut().find(|one| one.kind == received.kind) else {
                let by = received.by.ones().next().unwrap_or(0);
                faults
                    .push((by, format!("{} is not what \"{}\" causes", received.kind.name(), entry.action)));
                continue;
            };
            if !one.agrees(&received.facts) {
                let by = received.by.ones().next().unwrap_or(0);
                faults.push((
                    by,
                    format!(
                        "{:?} is not what \"{}\" is about: {:?}",
                        received.facts,
                        entry.action,
                        one.facts()
                    ),
                ));
            }
            for socket in received.by.ones() {
                if one.must.contains(socket) {
                    missing -= 1;
                } else if one.kind == Kind::CommentCreated {
                    // The socket showed the post when the comment came.
                    one.may.insert(socket);
                } else if !one.may.contains(socket) {
                    faults.push((
                        socket,
                        format!(
                            "received {} of \"{}\", which is not for them",
                            one.kind.name(),
                            entry.action
                        ),
                    ));
                }
            }
            for at_us in received.early_us.drain(..) {
                let us = at_us.saturating_sub(due_us);
                self.delivery.add(us);
                self.recent.add(us);
            }
        }
        entry.expected = Some(expected);
        entry.missing = missing;
        entry.last_us = entry.last_us.max(due_us);
        if missing == 0 {
            entry.completed_us = Some(now_us);
            if entry.last_us > due_us {
                self.last_delivery.add(entry.last_us - due_us);
            }
        } else {
            self.unfinished += 1;
        }
        self.completed.push_back(seq);
        for (socket, says) in faults {
            self.fault(socket, says);
        }
    }

    // ---- frames ---------------------------------------------------------------------------

    /// Checks an event that a socket received.
    pub fn event(&mut self, socket: usize, kind: Kind, seq: u64, message: &[u8], now_us: u64) {
        self.records[socket].note(kind, seq, message, now_us);
        if kind == Kind::Beat {
            self.beat(socket, seq, message);
            return;
        }
        self.records[socket].counted += 1;
        if kind.is_of_nobody() || self.is_shared && kind == Kind::Other {
            return;
        }
        self.deliveries += 1;
        if kind.is_count() {
            self.count_event(socket, kind, seq, message);
            return;
        }
        match self.records[socket].takes(seq) {
            When::InOrder => {}
            When::Again => return self.again(socket, kind, seq, message, now_us),
            When::Late(newest) => {
                self.fault(socket, format!("the write {seq} came after {newest}: {}", described(message)));
                return;
            }
        }
        self.first(socket, kind, seq, message, now_us, false);
    }

    fn beat(&mut self, socket: usize, seq: u64, message: &[u8]) {
        let Some(facts) = events::facts(Kind::Beat, message) else {
            self.fault(socket, format!("a beat that is none: {}", described(message)));
            return;
        };
        let counted = self.records[socket].counted;
        if facts.sent != Some(counted) {
            self.fault(socket, format!("the server sent {:?} events here, and {counted} came", facts.sent));
        }
        self.records[socket].beat(seq);
    }

    /// Checks an event after a read or a resume. The socket may have received it before.
    fn again(&mut self, socket: usize, kind: Kind, seq: u64, message: &[u8], now_us: u64) {
        let has_it = self.done.contains(&seq)
            || self.entries.get(&seq).is_some_and(|entry| {
                entry.received.iter().any(|one| one.kind == kind && one.by.contains(socket))
            });
        if !has_it {
            self.first(socket, kind, seq, message, now_us, true);
        }
    }

    /// Checks an event that the socket receives for the first time.
    fn first(&mut self, socket: usize, kind: Kind, seq: u64, message: &[u8], now_us: u64, is_repeated: bool) {
        if self.done.contains(&seq) {
            self.fault(socket, format!("came twice, or very late: {}", described(message)));
            return;
        }
        let sockets = self.records.len();
        let entry = self.entries.entry(seq).or_default();
        let place = match entry.received.iter().position(|one| one.kind == kind) {
            Some(place) => place,
            None => {
                let Some(facts) = events::facts(kind, message) else {
                    self.fault(socket, format!("is not as the protocol says: {}", described(message)));
                    return;
                };
                let by = FixedBitSet::with_capacity(sockets);
                entry.received.push(Received {
                    kind,
                    message: message.into(),
                    facts,
                    by,
                    early_us: Vec::new(),
                });
                let place = entry.received.len() - 1;
                let facts = &entry.received[place].facts;
                if kind == Kind::CommentCreated
                    && let Some(counts) = facts.counts
                {
                    let wrong = self.counts.received(Counted::Comments(facts.second), socket, seq, counts);
                    self.faults_of_counts(wrong, "a wrong count");
                }
                place
            }
        };
        let Some(entry) = self.entries.get_mut(&seq) else { return };
        let received = &mut entry.received[place];
        if *received.message != *message {
            let (one, other) = (described(&received.message), described(message));
            self.fault(socket, format!("is not what others received: {other}, they received {one}"));
            return;
        }
        if received.by.contains(socket) {
            self.fault(socket, format!("came twice: {}", described(message)));
            return;
        }
        if kind == Kind::CommentCreated && !self.records[socket].may_receive_comments(received.facts.second) {
            self.fault(
                socket,
                format!("received a comment on a post that it does not show: {}", described(message)),
            );
            return;
        }
        received.by.insert(socket);
        if kind == Kind::PollVoted
            && let (poll, Some(counts)) = (received.facts.subject, received.facts.counts)
        {
            let wrong = self.counts.received(Counted::PollVotes(poll), socket, seq, counts);
            self.faults_of_counts(wrong, "a wrong tally");
        }
        self.delivered(socket, kind, seq, now_us, is_repeated);
    }

    /// Compares a delivery with the expected events, if they are known.
    fn delivered(&mut self, socket: usize, kind: Kind, seq: u64, now_us: u64, is_repeated: bool) {
        let is_repeated = is_repeated || self.untimed.contains(socket);
        let Some(entry) = self.entries.get_mut(&seq) else { return };
        if !is_repeated {
            entry.last_us = now_us;
        }
        let Some(expected) = &mut entry.expected else {
            if let Some(received) = entry.received.iter_mut().find(|one| one.kind == kind && !is_repeated) {
                received.early_us.push(now_us);
            }
            return;
        };
        let received = entry.received.iter().find(|one| one.kind == kind);
        let found = expected.iter_mut().find(|one| one.kind == kind);
        let says = match (found, received) {
            (Some(one), Some(received)) if one.agrees(&received.facts) => {
                if one.must.contains(socket) {
                    entry.missing -= 1;
                    if entry.missing == 0 {
                        entry.completed_us = Some(now_us);
                        self.unfinished -= 1;
                        self.last_delivery.add(entry.last_us.saturating_sub(entry.due_us));
                    }
                    if !is_repeated {
                        let us = now_us.saturating_sub(entry.due_us);
                        self.delivery.add(us);
                        self.recent.add(us);
                    }
                    None
                } else if one.may.contains(socket) {
                    None
                } else if kind == Kind::CommentCreated {
                    one.may.insert(socket);
                    None
                } else {
                    Some(format!("received what is not for them: {} of \"{}\"", kind.name(), entry.action))
                }
            }
            (Some(one), Some(received)) => Some(format!(
                "{:?} is not what \"{}\" is about: {:?}",
                received.facts,
                entry.action,
                one.facts()
            )),
            _ => Some(format!("{} is not what \"{}\" causes", kind.name(), entry.action)),
        };
        if let Some(says) = says {
            self.fault(socket, says);
        }
    }

    fn count_event(&mut self, socket: usize, kind: Kind, seq: u64, message: &[u8]) {
        let facts = events::facts(kind, message);
        let Some((subject, counts)) = facts.and_then(|facts| Some((facts.subject, facts.counts?))) else {
            self.fault(socket, format!("is not as the protocol says: {}", described(message)));
            return;
        };
        let counted =
            if kind == Kind::PollCounted { Counted::PollVotes(subject) } else { Counted::Votes(subject) };
        if !self.counted_for.get(&counted).is_some_and(|allowed| allowed.contains(socket)) {
            self.fault(socket, format!("received a count that is not for them: {}", described(message)));
        }
        let wrong = self.counts.received(counted, socket, seq, counts);
        self.faults_of_counts(wrong, "a wrong tally");
    }

    /// Removes writes whose events came some time ago.
    pub fn forget_old(&mut self, now_us: u64) {
        for _ in 0..self.completed.len() {
            let Some(seq) = self.completed.pop_front() else { return };
            let completed_us = self.entries.get(&seq).and_then(|entry| entry.completed_us);
            if completed_us.is_some_and(|at_us| at_us + KEPT_US < now_us) {
                let entry = self.entries.remove(&seq);
                for thread in entry.into_iter().flat_map(|entry| entry.expected).flatten() {
                    if thread.kind == Kind::CommentCreated
                        && let Some(comments) = self.comments.get_mut(&thread.second)
                    {
                        comments.retain(|of| *of != seq);
                    }
                }
                self.done.insert(seq);
            } else {
                self.completed.push_back(seq);
            }
        }
    }

    /// Reports events that were never received, and counts that are out of date. It is called after the last message.
    pub fn finish(&mut self) {
        let mut faults = Vec::new();
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_unstable_by_key(|(seq, _)| **seq);
        for (seq, entry) in entries {
            let Some(expected) = &entry.expected else {
                let by = entry.received.first().and_then(|received| received.by.ones().next());
                if !self.is_shared {
                    faults.push((by.unwrap_or(0), format!("the write {seq} is no action of the plan")));
                }
                continue;
            };
            for one in expected {
                let received = entry.received.iter().find(|received| received.kind == one.kind);
                let missing: Vec<usize> = one
                    .must
                    .ones()
                    .filter(|socket| !received.is_some_and(|by| by.by.contains(*socket)))
                    .collect();
                if let Some(first) = missing.first() {
                    let (kind, count) = (one.kind.name(), missing.len());
                    let says = format!(
                        "{kind} of \"{}\", the write {seq}, never came ({count} did not receive it)",
                        entry.action
                    );
                    faults.push((*first, says));
                }
            }
        }
        for (socket, says) in faults {
            self.fault(socket, says);
        }
        let has_been_away: HashSet<usize> = self.has_been_away.iter().copied().collect();
        let stale = self.counts.stale(|socket| !has_been_away.contains(&socket));
        self.faults_of_counts(stale, "the last count never came");
    }
}
