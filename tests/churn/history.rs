//! The committed writes in order, and the recipients that each should have.
//!
//! The replies contain the `seq` of their writes. The history therefore knows every event without receiving any.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::client::{ConnectionRecord, Received};

/// A kind of write in a group.
#[derive(Debug)]
pub enum What {
    Made { owner: i64 },
    Renamed,
    Joined(Vec<i64>),
    Left(i64),
    Ended,
    Post { id: i64, author: i64 },
    Comment { id: i64, post: i64, author: i64 },
}

/// One event of a group.
#[derive(Debug)]
pub struct Fact {
    pub group: i64,
    pub what: What,
}

impl Fact {
    fn ev(&self) -> &'static str {
        match self.what {
            What::Made { .. } => "groups.created",
            What::Renamed => "groups.renamed",
            What::Joined(_) => "groups.joined",
            What::Left(_) => "groups.left",
            What::Ended => "groups.deleted",
            What::Post { .. } => "posts.created",
            What::Comment { .. } => "comments.created",
        }
    }

    fn id(&self) -> i64 {
        match self.what {
            What::Post { id, .. } | What::Comment { id, .. } => id,
            _ => self.group,
        }
    }
}

/// The duration of a membership: from the first `seq` up to the second, without it.
type Span = (i64, i64);

/// All writes of a run.
pub struct History {
    facts: BTreeMap<i64, Fact>,
    spans: HashMap<(i64, i64), Vec<Span>>,
    /// The seqs of the events, by group.
    of_group: HashMap<i64, Vec<i64>>,
    of_person: HashMap<i64, BTreeSet<i64>>,
    /// The group and the author of each post.
    posts: HashMap<i64, (i64, i64)>,
    /// The `seq` of a write that comes after all others.
    end: i64,
}

const OPEN_END: i64 = i64::MAX;

impl History {
    /// Orders the writes before `end`. `members` are the groups with their members at the beginning.
    pub fn new(members: &[(i64, i64)], facts: BTreeMap<i64, Fact>, end: i64) -> Self {
        let mut spans: HashMap<(i64, i64), Vec<Span>> = HashMap::new();
        for (group, person) in members {
            spans.insert((*group, *person), vec![(0, OPEN_END)]);
        }
        let mut posts = HashMap::new();
        let mut of_group: HashMap<i64, Vec<i64>> = HashMap::new();
        for (seq, fact) in &facts {
            of_group.entry(fact.group).or_default().push(*seq);
            let mut ends = |person: i64| {
                let span = spans.get_mut(&(fact.group, person)).and_then(|spans| spans.last_mut());
                let span = span.filter(|span| span.1 == OPEN_END).expect("a removed user was a member");
                span.1 = *seq;
            };
            match &fact.what {
                What::Left(person) => ends(*person),
                What::Ended => {
                    let there = |(key, spans): (&(i64, i64), &Vec<Span>)| {
                        (key.0 == fact.group && spans.last().is_some_and(|span| span.1 == OPEN_END))
                            .then_some(key.1)
                    };
                    let all: Vec<i64> = spans.iter().filter_map(there).collect();
                    for person in all {
                        spans.get_mut(&(fact.group, person)).unwrap().last_mut().unwrap().1 = *seq;
                    }
                }
                What::Made { owner } => {
                    spans.entry((fact.group, *owner)).or_default().push((*seq, OPEN_END));
                }
                What::Joined(people) => {
                    for person in people {
                        let own = spans.entry((fact.group, *person)).or_default();
                        assert!(
                            own.last().is_none_or(|span| span.1 < OPEN_END),
                            "an added user was not a member: {fact:?}"
                        );
                        own.push((*seq, OPEN_END));
                    }
                }
                What::Post { id, author } => drop(posts.insert(*id, (fact.group, *author))),
                What::Comment { .. } | What::Renamed => {}
            }
        }
        let mut of_person: HashMap<i64, BTreeSet<i64>> = HashMap::new();
        for (group, person) in spans.keys() {
            of_person.entry(*person).or_default().insert(*group);
        }
        let history = Self { facts, spans, of_group, of_person, posts, end };
        for (seq, fact) in &history.facts {
            if let What::Post { author, .. } | What::Comment { author, .. } = fact.what {
                assert!(history.is_member(fact.group, author, *seq), "{seq}: only members write: {fact:?}");
            }
        }
        history
    }

    /// Returns the members of each group at the end.
    pub fn members(&self) -> BTreeMap<i64, BTreeSet<i64>> {
        let mut members: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
        for ((group, person), spans) in &self.spans {
            if spans.last().is_some_and(|span| span.1 == OPEN_END) {
                members.entry(*group).or_default().insert(*person);
            }
        }
        members
    }

    fn span(&self, group: i64, person: i64, seq: i64) -> Option<Span> {
        let spans = self.spans.get(&(group, person))?;
        spans.iter().copied().find(|(from, to)| (*from..*to).contains(&seq))
    }

    fn is_member(&self, group: i64, person: i64, seq: i64) -> bool {
        self.span(group, person, seq).is_some()
    }

    /// Returns whether this user was in the group all the time from one seq to another.
    fn stayed(&self, group: i64, person: i64, from: i64, to: i64) -> bool {
        self.span(group, person, from).is_some_and(|span| to < span.1)
    }

    /// Returns whether this user receives the event when it is published. Only users who show a post receive its
    /// comments.
    fn is_for(&self, fact: &Fact, seq: i64, person: i64) -> bool {
        match &fact.what {
            What::Left(who) if *who == person => true,
            What::Ended => {
                let spans = self.spans.get(&(fact.group, person));
                spans.is_some_and(|spans| spans.iter().any(|span| span.1 == seq))
            }
            _ => self.is_member(fact.group, person, seq),
        }
    }

    /// Returns whether this connection must have received the event, and whether it may have.
    fn judges(&self, record: &ConnectionRecord, seq: i64, fact: &Fact) -> (bool, bool) {
        let (group, person) = (fact.group, record.person);
        let is_for = self.is_for(fact, seq, person);
        // Only a connection that has read the post shows it.
        let (mut must_show, mut may_show) = (true, true);
        if let What::Comment { post, .. } = fact.what {
            let mut reads = record.reads.iter().filter(|(read, since)| *read == post && *since < seq);
            let perhaps = record.perhaps.iter().any(|(read, since)| *read == post && *since < seq);
            let follows = |(read, before): &(i64, usize)| {
                *read == post && record.received[*before..].iter().any(|received| received.seq == seq)
            };
            let has_it = record.answered.iter().any(follows);
            // The write at the cursor is replayed, even if its event was received.
            let is_of_cursor = record.resumed.is_some_and(|(from, _)| from == seq)
                && record.reads.iter().any(|(read, since)| *read == post && *since == seq);
            may_show = perhaps || has_it || is_of_cursor || reads.clone().next().is_some();
            must_show = reads.any(|(_, since)| self.stayed(group, person, *since, seq));
        }
        let Some((from, to)) = record.resumed else {
            // Events between the identification of the user and the head of the log follow `hello`.
            return (is_for && must_show && seq > record.hello, is_for && may_show);
        };
        if seq <= from {
            // Another tab of the user has received the event already. On this connection it followed `hello`.
            return (false, is_for && may_show);
        }
        if seq > to {
            return (is_for && must_show, is_for && may_show);
        }
        // Missed events that the user may receive now are replayed, and none from before they joined. Events between
        // `hello` and the resume may be delivered both ways.
        let is_own_end =
            matches!(fact.what, What::Left(who) if who == person) || matches!(fact.what, What::Ended);
        let was_delivered = is_for && seq > record.hello;
        if is_own_end {
            let is_last = !self.is_member(group, person, to)
                && self.spans[&(group, person)].iter().all(|span| span.1 <= seq || span.0 > to);
            return (is_for && is_last || was_delivered, is_for);
        }
        let is_comment = matches!(fact.what, What::Comment { .. });
        let stayed = self.stayed(group, person, seq, to);
        // The resume may already consider a removal whose event follows.
        let stays = self.stayed(group, person, seq, record.known);
        let must = is_for && must_show && (stays || was_delivered && !is_comment);
        // Users receive events of their own writes, even after they left the group.
        let is_own =
            matches!(fact.what, What::Post { author: by, .. } | What::Made { owner: by } if by == person);
        (must, may_show && (was_delivered || is_for && (stayed || is_own)))
    }

    /// Returns how often at most the connection may have received the event.
    fn most(&self, record: &ConnectionRecord, seq: i64, fact: &Fact) -> usize {
        let twice = record.resumed.is_some_and(|(_, to)| seq <= to);
        let reads = match fact.what {
            // The event follows each reply that lacks it (L3), also a reply about another post. One of these replies
            // must have subscribed to its post.
            What::Comment { .. } => {
                let replies = record.reads.iter().chain(&record.perhaps);
                replies.filter(|(_, since)| *since < seq).count()
            }
            _ => Self::most_naming_the_viewer(record, seq),
        };
        reads.max(1 + usize::from(twice))
    }

    /// Returns how often at most the connection may receive an event that names its viewer. Such an event follows each
    /// reply that lacks it (L3).
    fn most_naming_the_viewer(record: &ConnectionRecord, seq: i64) -> usize {
        let twice = record.resumed.is_some_and(|(_, to)| seq <= to);
        1 + usize::from(twice) + record.reads.iter().filter(|(_, since)| *since < seq).count()
    }

    /// Returns the faults in the events that one connection received.
    pub fn faults(&self, record: &ConnectionRecord) -> Vec<String> {
        let mut faults = Vec::new();
        let mut counts: HashMap<i64, usize> = HashMap::new();
        let mut notifications: HashMap<i64, usize> = HashMap::new();
        for received in &record.received {
            if received.ev == "notifications.created" {
                *notifications.entry(received.id).or_default() += 1;
                continue;
            }
            match self.facts.get(&received.seq) {
                Some(fact) if fact.ev() == received.ev && fact.id() == received.id => {
                    *counts.entry(received.seq).or_default() += 1;
                }
                fact => faults.push(format!("received {received:?} instead of {fact:?}")),
            }
        }
        for seq in counts.keys() {
            let fact = &self.facts[seq];
            let is_theirs =
                self.of_person.get(&record.person).is_some_and(|groups| groups.contains(&fact.group));
            if !is_theirs {
                faults.push(format!("{seq}, of a group they were never in: {fact:?}"));
            }
        }
        // A cut connection may lack the last events, but none before the ones that it received.
        let last = |received: &&Received| {
            received.ev != "comments.created" && received.ev != "notifications.created"
        };
        let reached = record.received.iter().filter(last).map(|received| received.seq).max();
        let resumed = record.resumed.map(|(_, to)| to);
        let known_to = record.delivered.max(reached).max(resumed).unwrap_or(0);
        for group in self.of_person.get(&record.person).into_iter().flatten() {
            for seq in self.of_group.get(group).into_iter().flatten() {
                let fact = &self.facts[seq];
                let (must, may) = self.judges(record, *seq, fact);
                let is_comment = matches!(fact.what, What::Comment { .. });
                let is_known = *seq <= if is_comment { record.delivered.unwrap_or(0) } else { known_to };
                let count = counts.get(seq).copied().unwrap_or(0);
                if must && is_known && count == 0 {
                    let spans = &self.spans[&(*group, record.person)];
                    faults.push(format!("{seq} was not delivered: {fact:?}; in the group {spans:?}"));
                }
                if count > 0 && !may {
                    let spans = &self.spans[&(*group, record.person)];
                    let post = match fact.what {
                        What::Comment { post, .. } => post,
                        _ => 0,
                    };
                    let reads: Vec<_> = record.reads.iter().filter(|(read, _)| *read == post).collect();
                    faults.push(format!(
                        "{seq} is not theirs: {fact:?}; in the group {spans:?}, its post, of {}, shown {reads:?}",
                        self.posts.get(&post).map_or(0, |(_, author)| *author)
                    ));
                }
                if count > self.most(record, *seq, fact) {
                    faults.push(format!("{seq} was delivered {count} times: {fact:?}"));
                }
                self.judges_notification(record, *seq, fact, &mut notifications, &mut faults);
            }
        }
        faults.extend(
            notifications
                .keys()
                .map(|comment| format!("a notification of the comment {comment} is not theirs")),
        );
        faults
    }

    /// The author of a post is notified of comments on it while they are in the group.
    fn judges_notification(
        &self,
        record: &ConnectionRecord,
        seq: i64,
        fact: &Fact,
        notifications: &mut HashMap<i64, usize>,
        faults: &mut Vec<String>,
    ) {
        let What::Comment { id, post, author } = fact.what else { return };
        let (group, person) = (fact.group, record.person);
        if self.posts[&post].1 != person || author == person {
            return;
        }
        let count = notifications.remove(&id).unwrap_or(0);
        let is_live = seq > record.resumed.map_or(record.hello, |(_, to)| to);
        let is_member = self.is_member(group, person, seq);
        // The event is later in the same commit. Only a connection that received the last event must have it.
        if is_live && is_member && count == 0 && record.delivered >= Some(self.end) {
            faults.push(format!("{seq}: no notification of {fact:?}"));
        }
        let may_now = record.resumed.is_some_and(|(_, to)| self.is_member(group, person, to));
        if count > 0 && !(is_member || may_now) {
            faults.push(format!("{seq}: a notification of something they may not read: {fact:?}"));
        }
        if count > Self::most_naming_the_viewer(record, seq) {
            faults.push(format!("{seq}: {count} notifications of {fact:?}"));
        }
    }
}

/// Returns a connection that was opened at the `seq` 5 and received these events.
fn delivered(
    person: i64,
    resumed: Option<(i64, i64)>,
    received: &[i64],
    facts: &History,
) -> ConnectionRecord {
    let received = received.iter().map(|seq| Received {
        ev: facts.facts[seq].ev().into(),
        seq: *seq,
        id: facts.facts[seq].id(),
    });
    ConnectionRecord {
        person,
        epoch: String::new(),
        hello: resumed.map_or(5, |(_, to)| to),
        resumed,
        received: received.collect(),
        reads: vec![(100, 10)],
        answered: Vec::new(),
        perhaps: Vec::new(),
        known: resumed.map_or(0, |(_, to)| to),
        delivered: Some(20),
        ended: None,
    }
}

#[test]
fn the_history_finds_duplicate_missing_and_misdirected_events() {
    const ANA: i64 = 1;
    const BEN: i64 = 2;
    const CLEO: i64 = 3;
    let post = |id: i64| What::Post { id, author: ANA };
    let comment = |id: i64| What::Comment { id, post: 100, author: ANA };
    let whats = [
        (10, post(100)),
        (11, comment(200)),
        (12, What::Left(BEN)),
        (13, post(101)),
        (14, comment(201)),
        (15, What::Joined(vec![BEN])),
        (16, post(102)),
    ];
    let facts = whats.into_iter().map(|(seq, what)| (seq, Fact { group: 7, what })).collect();
    let history = History::new(&[(7, ANA), (7, BEN)], facts, 20);
    assert_eq!(history.members(), BTreeMap::from([(7, BTreeSet::from([ANA, BEN]))]));
    for (person, resumed, received, faults) in [
        (BEN, None, &[10, 11, 12, 15, 16][..], 0),
        (ANA, None, &[10, 11, 12, 13, 14, 15, 16], 0),
        (CLEO, None, &[], 0),
        // Events of writes after 10 may be received again after the read at 10.
        (BEN, None, &[10, 11, 12, 15, 16, 16], 0),
        // Faults: an event is missing, is received too often, or belongs to a time when the user was no member.
        (BEN, None, &[10, 11, 12, 15], 1),
        (BEN, None, &[10, 10, 11, 12, 15, 16], 1),
        (BEN, None, &[10, 11, 12, 15, 16, 16, 16], 1),
        (BEN, None, &[10, 11, 12, 13, 15, 16], 1),
        (BEN, None, &[10, 11, 12, 14, 15, 16], 1),
        (BEN, None, &[10, 11, 15, 16], 1),
        (CLEO, None, &[13], 1),
        // A former member who reconnects receives the removal, and not the missed events.
        (BEN, Some((9, 14)), &[12, 15, 16], 0),
        (BEN, Some((9, 14)), &[10, 12, 15, 16], 1),
        (BEN, Some((9, 14)), &[15, 16], 1),
        (BEN, Some((12, 14)), &[15, 16], 0),
        (ANA, Some((9, 14)), &[10, 11, 12, 13, 14, 15, 16], 0),
        (ANA, Some((9, 14)), &[10, 11, 12, 13, 14, 15], 1),
    ] {
        let record = delivered(person, resumed, received, &history);
        let found = history.faults(&record);
        assert_eq!(found.len(), faults, "{person} {resumed:?} {received:?}: {found:?}");
    }
}
