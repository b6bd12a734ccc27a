//! Handles received messages: checks events, and sends the request that follows a reply.

use crate::clients::{Clients, Connection, Pending};
use crate::community::Role;
use crate::counts::Counted;
use crate::events::{self, Head, Kind, Reply};
use crate::expected::Shown;
use crate::msgpack::described;
use crate::plan::Action;
use crate::requests;
use crate::screens::{Part, parts, show};
use crate::server::start_hint;

/// The pause before an action that was refused as busy is sent again, in microseconds.
const BUSY_RETRY_US: u64 = 500_000;
/// The hour of the day, in UTC, at which the evening slot of moods begins.
const EVENING_HOUR: u64 = 15;

impl Clients {
    pub(crate) fn take_message(&mut self, person: usize, message: &[u8], now_us: u64) {
        match events::head(message) {
            Some(Head::Event { kind: Kind::Hello, seq }) => self.greeted(person, seq, message, now_us),
            Some(Head::Event { kind, seq }) => {
                if kind != Kind::Beat {
                    self.last_us = now_us;
                }
                self.checker.event(person, kind, seq, message, now_us);
                self.apply(person, kind, seq, message);
            }
            Some(Head::Reply { re }) => {
                self.last_us = now_us;
                let place = self.clients[person].pending.iter().position(|(id, _)| *id == re);
                let Some((place, reply)) = place.zip(events::reply(message)) else {
                    self.checker.fault(
                        person,
                        format!("an answer to nothing that was asked: {}", described(message)),
                    );
                    return;
                };
                let (_, pending) = self.clients[person].pending.swap_remove(place);
                if let Some(state) = &mut self.clients[person].state
                    && reply.refusal.is_none()
                {
                    show(state, &pending, message);
                }
                self.finish(person, re, pending, &reply, now_us);
            }
            None => self.checker.fault(person, format!("is no message: {}", described(message))),
        }
    }

    fn greeted(&mut self, person: usize, seq: u64, message: &[u8], now_us: u64) {
        let Some(hello) = events::facts(Kind::Hello, message) else {
            self.checker.fault(person, format!("a hello that is none: {}", described(message)));
            return;
        };
        let client = &mut self.clients[person];
        let Connection::Upgraded { since_us } = client.connection else {
            self.checker.fault(person, "a second hello on one socket".into());
            return;
        };
        client.connection = Connection::Open;
        client.tries = 0;
        self.connect.add(now_us.saturating_sub(since_us));
        self.opening -= 1;
        self.open += 1;
        self.numbers.connects += 1;
        let epoch = hello.epoch.unwrap_or_default();
        if self.epoch.is_empty() {
            self.epoch = epoch;
            let is_evening = hello.now_ms / 3_600_000 % 24 >= EVENING_HOUR;
            self.slot = if is_evening { "evening" } else { "morning" };
        }
        let is_back = self.checker.opened(person, seq);
        if let Some((_, threads)) = &self.clients[person].before {
            let threads = threads.clone();
            self.read_screen(person);
            self.refresh(person, &threads);
        } else if is_back {
            let (cursor, posts) = (self.checker.cursor(person), self.checker.shown_by(person));
            let epoch = self.epoch.clone();
            self.ask(person, Pending::Resume, |id| requests::resume(id, &epoch, cursor, &posts));
        } else {
            self.read_screen(person);
        }
    }

    /// Reads the parts of the client's screen.
    fn read_screen(&mut self, person: usize) {
        for part in parts(self.scene.community.roles[person]) {
            self.read(person, *part);
        }
    }

    pub(crate) fn read(&mut self, person: usize, part: Part) {
        let op = match part {
            Part::Feed => "posts.feed",
            Part::Polls => "polls.list",
            Part::Groups => "groups.list",
            Part::Notifications => "notifications.page",
        };
        self.ask(person, Pending::Part(part), |id| requests::plain(id, op));
    }

    fn finish(&mut self, person: usize, id: u64, pending: Pending, reply: &Reply, now_us: u64) {
        self.numbers.replies += 1;
        if let Some((code, sentence)) = &reply.refusal {
            if self.refused(person, id, pending, code, sentence, now_us) {
                return;
            }
            self.act_next(person);
            return;
        }
        match pending {
            Pending::Threads(_) => {
                let shown = Shown { seq: reply.seq, posts: &reply.posts, is_read: true };
                self.checker.shows(person, &shown);
            }
            Pending::Part(part) => {
                let posts: &[u64] = if part == Part::Feed { &reply.posts } else { &[] };
                self.checker.shows(person, &Shown { seq: reply.seq, posts, is_read: true });
                for (poll, counts) in &reply.polls {
                    if let Some(counts) = counts {
                        self.checker.received(Counted::PollVotes(*poll), person, reply.seq, *counts);
                    }
                }
            }
            Pending::Leave(posts) => self.checker.left(person, &posts),
            Pending::Resume => {
                self.checker.resumed(person, reply.seq, reply.resync);
                let count = if reply.resync { &mut self.numbers.resyncs } else { &mut self.numbers.resumed };
                *count += 1;
                let is_unread = std::mem::take(&mut self.clients[person].is_unread);
                if reply.resync || is_unread || self.checker.shown_by(person).is_empty() {
                    self.read_screen(person);
                    let threads = self.threads_of(person);
                    self.refresh(person, &threads);
                } else if self.scene.community.roles[person] == Role::Poller {
                    // `live.resume` does not subscribe to polls.
                    self.read(person, Part::Polls);
                }
                self.send_again(person);
                self.act_next(person);
            }
            Pending::Action { due, due_us, .. } => {
                self.clients[person].is_acting = false;
                let is_repeated = std::mem::take(&mut self.clients[person].is_repeating);
                self.reply.add(now_us.saturating_sub(due_us));
                self.scene.reply_received(&due, reply, &mut self.checker, due_us, now_us);
                let (posts, is_read): (&[u64], bool) = match due.action {
                    Action::ReadFeed => (&reply.posts, true),
                    Action::ReadThread { .. } => (std::slice::from_ref(&reply.id), true),
                    // Only the first reply to a key subscribes, and the client cannot know whether this reply is the
                    // first.
                    Action::Post | Action::PostToGroup { .. } if is_repeated => {
                        self.checker.may_show(person, reply.id);
                        self.refresh(person, &[reply.id]);
                        (&[], false)
                    }
                    Action::Post | Action::PostToGroup { .. } => (std::slice::from_ref(&reply.id), false),
                    _ => (&[], false),
                };
                if is_read || !posts.is_empty() {
                    self.checker.shows(person, &Shown { seq: reply.seq, posts, is_read });
                    self.leave_posts(person);
                }
                self.act_next(person);
            }
        }
    }

    /// Handles a refusal. Returns whether the request is sent again.
    fn refused(
        &mut self,
        person: usize,
        id: u64,
        pending: Pending,
        code: &str,
        sentence: &str,
        now_us: u64,
    ) -> bool {
        match (code, pending) {
            ("busy", Pending::Action { due, message, due_us }) => {
                self.numbers.busy += 1;
                self.clients[person].pending.push((id, Pending::Action { due, message, due_us }));
                self.retries.push((now_us + BUSY_RETRY_US, person));
                true
            }
            ("busy", Pending::Part(part)) => {
                self.numbers.busy += 1;
                self.read(person, part);
                true
            }
            ("busy", Pending::Threads(posts)) => {
                self.numbers.busy += 1;
                self.refresh(person, &posts);
                true
            }
            ("slow_down", _) => {
                self.failure = Some(format!("the server refused with slow_down; {}", start_hint()));
                true
            }
            // The slot ended meanwhile, or the user shared a mood before the test.
            ("slot_changed" | "mood_set", Pending::Action { due, .. })
                if matches!(due.action, Action::SetMood { .. }) =>
            {
                self.clients[person].is_acting = false;
                false
            }
            (_, pending) => {
                if let Pending::Action { due, .. } = &pending {
                    self.clients[person].is_acting = false;
                    self.checker.fault(person, format!("{:?} was refused: {code}: {sentence}", due.action));
                    let refused = Reply { refusal: Some((code.into(), sentence.into())), ..Reply::default() };
                    self.scene.reply_received(due, &refused, &mut self.checker, 0, now_us);
                } else {
                    self.checker.fault(person, format!("a read was refused: {code}: {sentence}"));
                }
                false
            }
        }
    }
}
