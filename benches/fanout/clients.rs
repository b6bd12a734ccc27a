//! The clients: all sockets of one server, and the posts that they received. One thread drives them.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::epoll::Epoll;
use crate::process::Server;
use crate::socket::{self, body, cut_frame, is_refusal, masked};
use crate::users::cookie;
use mellow::seeded_random::SeededRandom;

/// The author whom everybody follows, and the author whom nobody follows.
pub const AUTHOR: i64 = 1;
pub const UNFOLLOWED: i64 = 2;
/// The followers have the ids after those of the authors.
pub const FIRST_FOLLOWER: i64 = 3;

/// A delivery that takes longer is lost, in milliseconds.
const TIMEOUT_MS: i32 = 10_000;
const LOST: &str = "nothing came for ten seconds: a delivery is lost";
/// Precedes the number of a post in its text, so that a follower can recognise the post.
const MARK: &[u8] = b"Morning walk ";
const DIGITS: usize = 8;
const TEXT: &str = "Woke before the alarm and walked the long way round the lake. Mist on the water, \
    one heron, nobody else. I keep thinking that the hour before the messages start decides the day.";

/// The protocol of a server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    Mellow,
    /// The server sends the bytes to the followers unchanged.
    Raw,
    /// The server sends the body of a frame to the followers unchanged.
    Uws,
}

/// The times at which the author publishes.
#[derive(Clone, Copy)]
pub enum Pace {
    /// As soon as fewer posts than this are in flight.
    InFlight(usize),
    /// One post after each such time, however many are in flight.
    Every(Duration),
}

/// One socket.
struct Peer {
    socket: TcpStream,
    /// The beginning of a frame that has not arrived completely.
    rest: Vec<u8>,
    /// Whether it has received each post of this run.
    received: Vec<bool>,
}

/// The measurements of one run.
pub struct Run {
    pub deliveries: usize,
    pub cpu_ns: u64,
    pub seconds: f64,
    /// The time from when the post was due until its delivery, in microseconds, for each delivery.
    pub delays_us: Vec<u32>,
    /// The number of reads that returned bytes. It is below the number of deliveries if the server merges writes.
    pub reads: usize,
}

/// The frame of one delivery of Mellow, and the position of the post's number in it.
#[derive(Clone, Default)]
pub struct Sample {
    pub frame: Vec<u8>,
    number_at: usize,
}

/// All sockets of one server. The order is: the followers, the author, the author without followers.
pub struct Clients {
    protocol: Protocol,
    epoll: Epoll,
    peers: Vec<Peer>,
    followers: usize,
    /// The number of this run's first post, and of the next one.
    first: u64,
    posted: u64,
    sent: u32,
    random: SeededRandom,
    sample: Sample,
    buffer: Vec<u8>,
}

#[derive(Serialize)]
struct Create<'a> {
    id: u32,
    op: &'static str,
    #[serde(with = "serde_bytes")]
    key: &'a [u8],
    title: &'static str,
    text: String,
    tag: &'static str,
    audience: Public,
}

#[derive(Serialize)]
struct Public {
    #[serde(rename = "type")]
    kind: &'static str,
}

impl Clients {
    /// Connects everybody. `before_followers` runs after the authors are connected. Servers other than Mellow deliver
    /// `sample`, which Mellow delivered before. Each `turn` has its own keys.
    pub fn connect(
        server: &Server,
        protocol: Protocol,
        followers: usize,
        sample: Sample,
        turn: usize,
        before_followers: impl FnOnce(),
    ) -> Self {
        let authors = if protocol == Protocol::Mellow { vec![AUTHOR, UNFOLLOWED] } else { vec![AUTHOR] };
        let authors = open(server.port, protocol, authors);
        before_followers();
        let peers = open(server.port, protocol, (FIRST_FOLLOWER..).take(followers));
        let epoll = Epoll::new().unwrap();
        let enter = |(number, (socket, rest)): (usize, (TcpStream, Vec<u8>))| {
            socket.set_nonblocking(true).unwrap();
            epoll.add(&socket, number).unwrap();
            Peer { socket, rest, received: Vec::new() }
        };
        let peers = peers.into_iter().chain(authors).enumerate().map(enter).collect();
        Self {
            protocol,
            epoll,
            peers,
            followers,
            first: 0,
            posted: 0,
            sent: 0,
            random: SeededRandom::new(7, turn as u64),
            sample,
            buffer: vec![0; 65_536],
        }
    }

    /// Returns the sample of a delivery.
    pub fn sample(&self) -> &Sample {
        &self.sample
    }

    fn post(&mut self, by: usize, number: u64) {
        let digits = format!("{number:0DIGITS$}");
        let bytes = if self.protocol == Protocol::Mellow {
            self.sent += 1;
            let mark = std::str::from_utf8(MARK).unwrap();
            let request = Create {
                id: self.sent,
                op: "posts.create",
                key: &self.random.key(),
                title: "The hour before the messages",
                text: format!("{mark}{digits}. {TEXT}"),
                tag: "Slow Mornings",
                audience: Public { kind: "public" },
            };
            masked(0x82, &rmp_serde::to_vec_named(&request).unwrap())
        } else {
            let mut frame = self.sample.frame.clone();
            frame[self.sample.number_at..][..DIGITS].copy_from_slice(digits.as_bytes());
            match self.protocol {
                Protocol::Raw => [&u32::try_from(frame.len()).unwrap().to_be_bytes(), &frame[..]].concat(),
                Protocol::Mellow | Protocol::Uws => masked(0x82, body(&frame)),
            }
        };
        self.peers[by].socket.write_all(&bytes).unwrap();
    }

    /// Publishes `posts` posts by the author, and waits for their deliveries.
    pub fn run(&mut self, server: &Server, posts: usize, pace: Pace) -> Run {
        let first = self.posted;
        self.first = first;
        for peer in &mut self.peers[..self.followers] {
            peer.received = vec![false; posts];
        }
        let mut due_at: Vec<Instant> = Vec::with_capacity(posts);
        let mut arrived = vec![0; posts];
        let mut delays_us = Vec::with_capacity(posts * self.followers);
        let is_answered = self.protocol == Protocol::Mellow;
        let (mut whole, mut answered, mut reads) = (0, if is_answered { 0 } else { posts }, 0);
        let mut ready = Vec::new();
        let cpu_before = server.cpu_ns();
        let begun = Instant::now();
        let mut last = begun;
        while whole < posts || answered < posts {
            // A post is in flight until all followers have received it and its author has the reply.
            let mut wait_ms = TIMEOUT_MS;
            while due_at.len() < posts {
                let now = Instant::now();
                match pace {
                    Pace::InFlight(most) if due_at.len() < whole.min(answered) + most => due_at.push(now),
                    Pace::InFlight(_) => break,
                    Pace::Every(time) => {
                        let due = begun + time * u32::try_from(due_at.len()).unwrap();
                        if due > now {
                            wait_ms = i32::try_from((due - now).as_millis()).unwrap();
                            break;
                        }
                        due_at.push(due);
                    }
                }
                self.post(self.followers, first + due_at.len() as u64 - 1);
                self.posted += 1;
            }
            self.epoll.wait(wait_ms, &mut ready).unwrap();
            assert!(!ready.is_empty() || wait_ms < TIMEOUT_MS, "{LOST}");
            for index in &ready {
                let followers = self.followers;
                let read = self.read(*index);
                if *index >= followers {
                    answered += read.replies;
                    continue;
                }
                reads += 1;
                last = Instant::now();
                for post in read.posts {
                    delays_us.push(
                        u32::try_from(last.duration_since(due_at[post]).as_micros()).unwrap_or(u32::MAX),
                    );
                    arrived[post] += 1;
                    whole += usize::from(arrived[post] == followers);
                }
            }
        }
        let seconds = last.duration_since(begun).as_secs_f64();
        // The work that the server still does for these posts is counted, too.
        std::thread::sleep(Duration::from_millis(5));
        let cpu_ns = server.cpu_ns() - cpu_before;
        let mut followers = self.peers[..self.followers].iter();
        assert!(followers.all(|peer| peer.received.iter().all(|received| *received)), "a delivery is lost");
        Run { deliveries: delays_us.len(), cpu_ns, seconds, delays_us, reads }
    }

    /// Publishes posts by the author without followers. Returns the processor time of a post without deliveries, in
    /// nanoseconds.
    pub fn run_without_followers(&mut self, server: &Server, posts: usize, window: usize) -> f64 {
        let author = self.followers + 1;
        let (mut sent, mut answered) = (0, 0);
        let mut ready = Vec::new();
        let cpu_before = server.cpu_ns();
        while answered < posts {
            while sent < posts && sent < answered + window {
                self.post(author, 0);
                sent += 1;
            }
            self.epoll.wait(TIMEOUT_MS, &mut ready).unwrap();
            assert!(!ready.is_empty(), "{LOST}");
            for index in &ready {
                let replies = self.read(*index).replies;
                answered += if *index == author { replies } else { 0 };
            }
        }
        std::thread::sleep(Duration::from_millis(5));
        (server.cpu_ns() - cpu_before) as f64 / posts as f64
    }

    fn read(&mut self, index: usize) -> Received {
        let is_follower = index < self.followers;
        let Self { peers, buffer, sample, first, .. } = self;
        let peer = &mut peers[index];
        let mut received = Received::default();
        let count = match peer.socket.read(buffer) {
            Ok(0) => panic!("a socket was closed"),
            Ok(count) => count,
            Err(why) if why.kind() == ErrorKind::WouldBlock => return received,
            Err(why) => panic!("a socket: {why}"),
        };
        let mut rest = std::mem::take(&mut peer.rest);
        let is_whole = rest.is_empty();
        if !is_whole {
            rest.extend_from_slice(&buffer[..count]);
        }
        let mut bytes = if is_whole { &buffer[..count] } else { &rest[..] };
        while let Some((frame, after)) = cut_frame(bytes) {
            bytes = after;
            let body = body(frame);
            if frame[0] == 0x89 {
                peer.socket.write_all(&masked(0x8a, body)).unwrap();
            } else if let Some(is_refusal) = is_refusal(body) {
                received.replies += 1;
                assert!(!is_refusal, "the server refused: {}", String::from_utf8_lossy(body));
            } else if is_follower && body.get(1..).is_some_and(|body| body.starts_with(CREATED)) {
                if sample.frame.is_empty() {
                    let mark = frame.windows(MARK.len()).position(|window| window == MARK).unwrap();
                    *sample = Sample { frame: frame.to_vec(), number_at: mark + MARK.len() };
                }
                let number = number_of(&frame[sample.number_at..][..DIGITS]);
                let post = number.checked_sub(*first).and_then(|post| usize::try_from(post).ok()).unwrap();
                assert!(!std::mem::replace(&mut peer.received[post], true), "a post came twice");
                received.posts.push(post);
            }
        }
        let left = bytes.to_vec();
        peer.rest = left;
        received
    }
}

/// The messages of one read.
#[derive(Default)]
struct Received {
    /// The numbers of the posts. The first post of the run is 0.
    posts: Vec<usize>,
    replies: usize,
}

/// The beginning of an event, after the length of its map.
const CREATED: &[u8] = b"\xa2ev\xadposts.created";

fn number_of(digits: &[u8]) -> u64 {
    digits.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))
}

/// Opens a socket for each of these users.
fn open(port: u16, protocol: Protocol, users: impl IntoIterator<Item = i64>) -> Vec<(TcpStream, Vec<u8>)> {
    match protocol {
        Protocol::Mellow => {
            let cookies: Vec<_> = users.into_iter().map(|id| Some(cookie(id))).collect();
            socket::open_mellow(port, &cookies)
        }
        Protocol::Raw => {
            let requests: Vec<String> = users.into_iter().map(|_| String::new()).collect();
            socket::open(port, &requests, |bytes| (!bytes.is_empty()).then_some(1))
        }
        Protocol::Uws => open_uws(port, users),
    }
}

/// Opens sockets to uWebSockets for these users.
pub fn open_uws(port: u16, users: impl IntoIterator<Item = i64>) -> Vec<(TcpStream, Vec<u8>)> {
    let path = |id| if id == AUTHOR { "/author" } else { "/" };
    let requests: Vec<String> = users.into_iter().map(|id| socket::upgrade(port, path(id), "")).collect();
    socket::open(port, &requests, socket::upgraded)
}
