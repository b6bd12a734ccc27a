//! The tabs of a storm. Each tab connects, resumes, reads its screen, and reconnects, as the web app does.

use std::cmp::Reverse;
use std::net::TcpStream;

use super::Storm;
use crate::clients::Target;
use crate::events::{self, Head, Kind};
use crate::frames;
use crate::msgpack::{Cursor, Writer, described, entries};
use crate::net::{self, Transfer};

/// The pause before a request that was refused as busy is sent again, in microseconds.
const BUSY_PAUSE_US: u64 = 500_000;
/// The number of socket numbers that one attempt takes, so that an address has fewer attempts than ports. Ended sockets
/// keep their ports for a time.
const PORTS_SPARED: usize = 4;
/// The delays of the web app before it reconnects (`web/src/engine/backoff.ts`), in milliseconds.
const RESTART_MS: f64 = 1_000.0;
const FIRST_MIN_MS: f64 = 500.0;
const FIRST_MAX_MS: f64 = 4_000.0;
const MAX_MS: f64 = 60_000.0;
/// The time after which the web app gives up an attempt, in microseconds.
const ATTEMPT_US: u64 = 10_000_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
    #[default]
    Away,
    /// Waits for the connection.
    Connecting,
    /// Waits for the response to the handshake.
    Handshake,
    /// Waits for `hello`.
    Upgraded,
    /// Waits for the reply to `live.resume`.
    Resuming,
    /// Waits for the replies to its reads.
    Reading,
    Fresh,
}

/// One tab of the web app.
#[derive(Default)]
pub(super) struct Tab {
    pub(super) socket: Option<TcpStream>,
    pub(super) stage: Stage,
    /// The received part of an incomplete frame.
    pub(super) rest: Vec<u8>,
    pub(super) next_id: u64,
    /// The requests that wait for their replies, and their operations.
    pub(super) pending: Vec<(u64, &'static str)>,
    pub(super) cursor: u64,
    /// Whether it has read its screen once.
    pub(super) has_screen: bool,
    pub(super) posts: Vec<u64>,
    /// The polls on its screen in which its user voted.
    pub(super) voted: Vec<u64>,
    pub(super) attempt: u32,
    /// The time when the attempt is given up, unless `hello` comes before.
    pub(super) until_us: u64,
    /// The time within which the tab must reconnect, from the last `beat`, in milliseconds.
    pub(super) back_ms: Option<u64>,
    pub(super) live_us: u64,
    pub(super) fresh_us: u64,
    /// The number of posts that the tab received.
    pub(super) received: u32,
}

/// Returns the time within which a tab must reconnect, from a `beat`, in milliseconds.
fn back_ms(beat: &[u8]) -> Option<u64> {
    entries(beat)
        .into_iter()
        .find(|(name, _)| *name == "back_ms")
        .and_then(|(_, value)| Cursor::new(value).number())
}

impl Storm {
    pub(super) fn connect(&mut self, person: usize) -> Result<(), String> {
        self.report.attempts += 1;
        // The ports of ended sockets stay occupied for a time, so later attempts come from other addresses.
        let number = self.attempts * PORTS_SPARED;
        self.attempts += 1;
        let Ok(socket) = net::begin_to_connect(self.target.address, number) else {
            self.report.refused += 1;
            self.later(person);
            return Ok(());
        };
        let added = self.waiting.add_connecting(&socket, person);
        added.map_err(|why| format!("a socket cannot be waited for: {why}"))?;
        let until_us = self.now_us() + ATTEMPT_US;
        self.ends.push(Reverse((until_us, person)));
        let tab = &mut self.tabs[person];
        (tab.socket, tab.stage, tab.until_us) = (Some(socket), Stage::Connecting, until_us);
        self.under_way += 1;
        Ok(())
    }

    /// Sends the handshake. If the connection was refused, it plans the next attempt.
    fn connected(&mut self, person: usize) {
        let Some(socket) = &self.tabs[person].socket else { return };
        let is_connected =
            matches!(socket.take_error(), Ok(None)) && self.waiting.is_connected(socket, person).is_ok();
        if !is_connected {
            self.report.refused += 1;
            self.later(person);
            return;
        }
        let Target { host, origin, .. } = &self.target;
        let handshake = frames::handshake(host, origin, &self.ids.cookies[person]);
        self.tabs[person].stage = Stage::Handshake;
        self.send(person, handshake.as_bytes());
    }

    /// Closes the tab's socket, and plans its next attempt after a delay, as `retryDelay` of the web app does.
    pub(super) fn later(&mut self, person: usize) {
        let tab = &mut self.tabs[person];
        self.fresh -= usize::from(tab.stage == Stage::Fresh);
        self.under_way -= usize::from(!matches!(tab.stage, Stage::Away | Stage::Fresh));
        (tab.socket, tab.stage) = (None, Stage::Away);
        tab.rest.clear();
        tab.pending.clear();
        let wait_ms = match tab.back_ms.take() {
            Some(back_ms) => RESTART_MS + self.random.f64() * back_ms as f64,
            None => {
                let most = (FIRST_MAX_MS * f64::from(1 << tab.attempt.min(10))).min(MAX_MS);
                tab.attempt += 1;
                FIRST_MIN_MS + self.random.f64() * (most - FIRST_MIN_MS)
            }
        };
        self.due.push(Reverse((self.now_us() + (wait_ms * 1_000.0) as u64, person)));
    }

    /// Sends bytes. A tab sends little, so it is a fault if the kernel does not accept all of them at once.
    fn send(&mut self, person: usize, bytes: &[u8]) {
        let Some(socket) = &self.tabs[person].socket else { return };
        match net::send(socket, bytes) {
            Transfer::Bytes(count) if count == bytes.len() => {}
            // The next read reports the end.
            Transfer::Ended => {}
            _ => self.report.faults.push(format!("tab {person} could not send {} bytes", bytes.len())),
        }
    }

    pub(super) fn ask(
        &mut self,
        person: usize,
        op: &'static str,
        fields: u8,
        add: impl FnOnce(Writer) -> Writer,
    ) {
        let tab = &mut self.tabs[person];
        tab.next_id += 1;
        let out = Writer::default().map(fields + 2).text("id").number(tab.next_id).text("op").text(op);
        tab.pending.push((tab.next_id, op));
        *self.report.requests.entry(op).or_default() += 1;
        let mut frame = Vec::new();
        frames::mask(frames::BINARY, &add(out).done(), [1, 2, 3, 4], &mut frame);
        self.send(person, &frame);
    }

    /// Reads the home screen.
    fn read_home(&mut self, person: usize) {
        for op in ["posts.feed", "polls.list", "groups.list", "theme.get", "moods.today"] {
            self.read(person, op);
        }
    }

    pub(super) fn read(&mut self, person: usize, op: &'static str) {
        match op {
            "moods.today" => self.ask(person, op, 1, |out| out.text("zone").text("Europe/Berlin")),
            "polls.tallies" => {
                let voted = self.tabs[person].voted.clone();
                self.ask(person, op, 1, |out| {
                    voted.iter().fold(out.text("poll_ids").array(voted.len()), |out, poll| out.number(*poll))
                });
            }
            _ => self.ask(person, op, 0, |out| out),
        }
    }

    /// Reads the parts that the web app reads after `live.resume`.
    fn read_again(&mut self, person: usize) {
        if !self.tabs[person].voted.is_empty() {
            self.read(person, "polls.tallies");
        }
    }

    pub(super) fn receive(&mut self, person: usize) {
        if self.tabs[person].stage == Stage::Connecting {
            self.connected(person);
            return;
        }
        let Some(socket) = &self.tabs[person].socket else { return };
        let mut buffer = std::mem::take(&mut self.buffer);
        match net::receive(socket, &mut buffer) {
            Transfer::Bytes(count) => {
                self.report.received_bytes += count as u64;
                self.take_bytes(person, &buffer[..count]);
            }
            Transfer::WouldBlock => {}
            Transfer::Ended => self.later(person),
        }
        self.buffer = buffer;
    }

    fn take_bytes(&mut self, person: usize, bytes: &[u8]) {
        let mut bytes = [&std::mem::take(&mut self.tabs[person].rest), bytes].concat();
        if self.tabs[person].stage == Stage::Handshake {
            match frames::head(&bytes) {
                None => {
                    self.tabs[person].rest = bytes;
                    return;
                }
                Some((length, line)) if line.starts_with("HTTP/1.1 101") => {
                    bytes.drain(..length);
                    self.tabs[person].stage = Stage::Upgraded;
                }
                Some(_) => {
                    self.report.refused += 1;
                    self.later(person);
                    return;
                }
            }
        }
        let mut at = 0;
        while let Some(frame) = frames::cut(&bytes[at..]) {
            match frame.first {
                frames::BINARY => self.take_message(person, frame.body),
                frames::PING => {
                    let mut pong = Vec::new();
                    frames::mask(frames::PONG, frame.body, [1, 2, 3, 4], &mut pong);
                    self.send(person, &pong);
                }
                frames::CLOSE => {
                    self.later(person);
                    return;
                }
                _ => {}
            }
            at += frame.length;
        }
        self.tabs[person].rest = bytes.split_off(at);
    }

    fn take_message(&mut self, person: usize, message: &[u8]) {
        let now_us = self.now_us();
        match events::head(message) {
            Some(Head::Event { kind: Kind::Hello, seq }) => self.greeted(person, seq, message),
            Some(Head::Event { kind, seq }) => {
                let tab = &mut self.tabs[person];
                tab.cursor = tab.cursor.max(seq);
                tab.received += u32::from(kind == Kind::PostCreated);
                if kind == Kind::Beat {
                    tab.back_ms = back_ms(message);
                } else {
                    self.last_us = now_us;
                    *self.report.events.entry(kind.name()).or_default() += 1;
                }
            }
            Some(Head::Reply { re }) => {
                self.last_us = now_us;
                self.finish(person, re, message);
            }
            None => self.report.faults.push(format!("no message: {}", described(message))),
        }
    }

    fn greeted(&mut self, person: usize, seq: u64, message: &[u8]) {
        let now_us = self.now_us();
        self.last_us = now_us;
        if self.epoch.is_empty() {
            self.epoch =
                events::facts(Kind::Hello, message).and_then(|hello| hello.epoch).unwrap_or_default();
        }
        let tab = &mut self.tabs[person];
        (tab.live_us, tab.attempt) = (now_us, 0);
        if !tab.has_screen {
            (tab.stage, tab.cursor) = (Stage::Reading, seq);
            self.read_home(person);
            return;
        }
        tab.stage = Stage::Resuming;
        let (cursor, posts, epoch) = (tab.cursor, tab.posts.clone(), self.epoch.clone());
        self.ask(person, "live.resume", 4, |out| {
            let out = out.text("epoch").text(&epoch).text("seq").number(cursor);
            let out = posts.iter().fold(out.text("posts").array(posts.len()), |out, post| out.number(*post));
            out.text("profiles").array(0)
        });
    }

    fn finish(&mut self, person: usize, id: u64, message: &[u8]) {
        let place = self.tabs[person].pending.iter().position(|(pending, _)| *pending == id);
        let Some((place, reply)) = place.zip(events::reply(message)) else {
            self.report.faults.push(format!("an answer without a request: {}", described(message)));
            return;
        };
        let (_, op) = self.tabs[person].pending.swap_remove(place);
        if let Some((code, sentence)) = &reply.refusal {
            if code == "busy" {
                self.report.busy += 1;
                self.tabs[person].pending.push((0, op));
                self.again.push(Reverse((self.now_us() + BUSY_PAUSE_US, person, op)));
            } else {
                self.report.faults.push(format!("{op} was refused: {code}: {sentence}"));
            }
            return;
        }
        let tab = &mut self.tabs[person];
        match op {
            "posts.feed" => tab.posts.clone_from(&reply.posts),
            "polls.list" => {
                tab.voted =
                    reply.polls.iter().filter(|(_, counts)| counts.is_some()).map(|poll| poll.0).collect();
            }
            "live.resume" => {
                tab.cursor = if reply.resync { reply.seq } else { tab.cursor.max(reply.seq) };
                tab.stage = Stage::Reading;
                if reply.resync {
                    self.report.resyncs += 1;
                    self.read_home(person);
                } else {
                    self.read_again(person);
                }
            }
            _ => {}
        }
        let now_us = self.now_us();
        let tab = &mut self.tabs[person];
        if tab.pending.is_empty() && tab.stage == Stage::Reading {
            (tab.stage, tab.has_screen, tab.fresh_us) = (Stage::Fresh, true, now_us);
            self.fresh += 1;
            self.under_way -= 1;
        }
    }
}
