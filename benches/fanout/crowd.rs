//! The people: every socket of one server, driven by one thread, and what they heard.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use mellow::wire::codec;
use serde::Serialize;

use crate::dice::Dice;
use crate::epoll::Epoll;
use crate::stage::{AUTHOR, FIRST_FOLLOWER, HERMIT, Server, cookie};

/// A delivery that takes longer than this is lost.
const PATIENCE_MS: i32 = 10_000;
/// Stands before the post's number in its text, so that a follower knows which post this is.
const MARK: &[u8] = b"Morning walk ";
const DIGITS: usize = 8;
const TEXT: &str = "Woke before the alarm and walked the long way round the lake. Mist on the water, \
    one heron, nobody else. I keep thinking that the hour before the messages start decides the day.";

/// How the crowd speaks to its server.
enum Speech {
    Mellow,
    /// The bytes of one delivery, and where its number stands.
    Raw(Vec<u8>, usize),
}

/// One socket.
struct Peer {
    socket: TcpStream,
    /// The beginning of a frame whose end is still to come.
    rest: Vec<u8>,
    /// Which posts of this run it has heard.
    heard: Vec<bool>,
}

/// What one run was like.
pub struct Run {
    pub deliveries: usize,
    pub cpu_ns: u64,
    pub seconds: f64,
    /// From the request to the delivery, in microseconds, one for each delivery.
    pub delays_us: Vec<u32>,
    /// Reads that found something; fewer than deliveries when the server merges writes.
    pub reads: usize,
}

/// All sockets of one server. The followers stand first, then the author, then the hermit.
pub struct Crowd {
    speech: Speech,
    epoll: Epoll,
    peers: Vec<Peer>,
    followers: usize,
    /// The number of this run's first post, and of the next one.
    first: u64,
    posted: u64,
    asked: u32,
    dice: Dice,
    /// Where a delivery's number stands in its frame.
    number_at: usize,
    /// The last delivery.
    sample: Vec<u8>,
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

impl Crowd {
    fn new(speech: Speech, followers: usize) -> Self {
        Self {
            speech,
            epoll: Epoll::new().unwrap(),
            peers: Vec::new(),
            followers,
            first: 0,
            posted: 0,
            asked: 0,
            dice: Dice::new(7),
            number_at: 0,
            sample: Vec::new(),
            buffer: vec![0; 65_536],
        }
    }

    /// Connects to Mellow; `before_followers` runs when the author and the hermit are there.
    pub fn of_mellow(server: &Server, followers: usize, before_followers: impl FnOnce()) -> Self {
        let mut crowd = Self::new(Speech::Mellow, followers);
        let author = connect(server.port, AUTHOR);
        let hermit = connect(server.port, HERMIT);
        before_followers();
        for id in (FIRST_FOLLOWER..).take(followers) {
            let peer = connect(server.port, id);
            crowd.enter(peer);
        }
        crowd.enter(author);
        crowd.enter(hermit);
        crowd
    }

    /// Connects to the broadcaster, which will send what Mellow sent as `sample`.
    pub fn of_raw(server: &Server, followers: usize, mellow: &Crowd) -> Self {
        let sample = mellow.sample.clone();
        let mut crowd = Self::new(Speech::Raw(sample, mellow.number_at), followers);
        crowd.number_at = mellow.number_at;
        for _ in 0..=followers {
            let socket = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
            crowd.enter((socket, Vec::new()));
        }
        crowd
    }

    fn enter(&mut self, (socket, rest): (TcpStream, Vec<u8>)) {
        socket.set_nonblocking(true).unwrap();
        socket.set_nodelay(true).unwrap();
        self.epoll.add(&socket, self.peers.len()).unwrap();
        self.peers.push(Peer { socket, rest, heard: Vec::new() });
    }

    /// Returns the bytes of one delivery.
    pub fn sample(&self) -> &[u8] {
        &self.sample
    }

    fn post(&mut self, by: usize, number: u64) {
        let bytes = match &self.speech {
            Speech::Raw(sample, number_at) => {
                let mut out = u32::try_from(sample.len()).unwrap().to_be_bytes().to_vec();
                out.extend_from_slice(sample);
                out[4 + number_at..][..DIGITS].copy_from_slice(format!("{number:08}").as_bytes());
                out
            }
            Speech::Mellow => {
                self.asked += 1;
                let mark = std::str::from_utf8(MARK).unwrap();
                let request = Create {
                    id: self.asked,
                    op: "posts.create",
                    key: &self.dice.key(),
                    title: "The hour before the messages",
                    text: format!("{mark}{number:08}. {TEXT}"),
                    tag: "Slow Mornings",
                    audience: Public { kind: "public" },
                };
                masked(0x82, &codec::encode(&request).unwrap())
            }
        };
        self.peers[by].socket.write_all(&bytes).unwrap();
    }

    /// The author publishes `posts`, never more than `window` of them on the way to anybody.
    pub fn run(&mut self, server: &Server, posts: usize, window: usize) -> Run {
        let first = self.posted;
        self.first = first;
        for peer in &mut self.peers[..self.followers] {
            peer.heard = vec![false; posts];
        }
        let mut sent_at: Vec<Instant> = Vec::with_capacity(posts);
        let mut arrived = vec![0; posts];
        let mut delays_us = Vec::with_capacity(posts * self.followers);
        let is_answered = matches!(self.speech, Speech::Mellow);
        let (mut whole, mut answered, mut reads) = (0, if is_answered { 0 } else { posts }, 0);
        let mut ready = Vec::new();
        let cpu_before = server.cpu_ns();
        let begun = Instant::now();
        let mut last = begun;
        while whole < posts || answered < posts {
            // A post is on its way until everybody has heard it and its author has the answer.
            while sent_at.len() < posts && sent_at.len() < whole.min(answered) + window {
                sent_at.push(Instant::now());
                self.post(self.followers, first + sent_at.len() as u64 - 1);
                self.posted += 1;
            }
            self.wait(&mut ready);
            for index in &ready {
                let followers = self.followers;
                let heard = self.read(*index);
                if *index >= followers {
                    answered += heard.replies;
                    continue;
                }
                reads += 1;
                last = Instant::now();
                for post in heard.posts {
                    delays_us.push(
                        u32::try_from(last.duration_since(sent_at[post]).as_micros()).unwrap_or(u32::MAX),
                    );
                    arrived[post] += 1;
                    whole += usize::from(arrived[post] == followers);
                }
            }
        }
        let seconds = last.duration_since(begun).as_secs_f64();
        // What the server still does for these posts is counted too.
        std::thread::sleep(Duration::from_millis(5));
        let cpu_ns = server.cpu_ns() - cpu_before;
        let mut followers = self.peers[..self.followers].iter();
        assert!(followers.all(|peer| peer.heard.iter().all(|heard| *heard)), "a delivery is lost");
        Run { deliveries: delays_us.len(), cpu_ns, seconds, delays_us, reads }
    }

    /// The hermit publishes; returns what one post costs that nobody hears, in nanoseconds.
    pub fn run_unheard(&mut self, server: &Server, posts: usize, window: usize) -> f64 {
        let hermit = self.followers + 1;
        let (mut asked, mut answered) = (0, 0);
        let mut ready = Vec::new();
        let cpu_before = server.cpu_ns();
        while answered < posts {
            while asked < posts && asked < answered + window {
                self.post(hermit, 0);
                asked += 1;
            }
            self.wait(&mut ready);
            for index in &ready {
                let replies = self.read(*index).replies;
                answered += if *index == hermit { replies } else { 0 };
            }
        }
        std::thread::sleep(Duration::from_millis(5));
        (server.cpu_ns() - cpu_before) as f64 / posts as f64
    }

    fn wait(&mut self, ready: &mut Vec<usize>) {
        self.epoll.wait(PATIENCE_MS, ready).unwrap();
        assert!(!ready.is_empty(), "nothing came for {PATIENCE_MS} ms: a delivery is lost");
    }

    fn read(&mut self, index: usize) -> Heard {
        let is_follower = index < self.followers;
        let Self { peers, buffer, number_at, sample, first, .. } = self;
        let peer = &mut peers[index];
        let mut heard = Heard::default();
        let count = match peer.socket.read(buffer) {
            Ok(0) => panic!("a socket was closed"),
            Ok(count) => count,
            Err(why) if why.kind() == ErrorKind::WouldBlock => return heard,
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
            let body = &frame[frame.len() - body_length(frame)..];
            if frame[0] == 0x89 {
                peer.socket.write_all(&masked(0x8a, body)).unwrap();
            } else if body.get(1..4) == Some(b"\xa2re") {
                heard.replies += 1;
                assert!(!contains(body, b"\xa3err"), "the server refused: {}", String::from_utf8_lossy(body));
            } else if is_follower
                && body.get(1..4) == Some(b"\xa2ev")
                && body[4..].starts_with(b"\xadposts.created")
            {
                if *number_at == 0 {
                    let mark = frame.windows(MARK.len()).position(|window| window == MARK).unwrap();
                    *number_at = mark + MARK.len();
                    *sample = frame.to_vec();
                }
                let number = number_of(&frame[*number_at..][..DIGITS]);
                let post = number.checked_sub(*first).and_then(|post| usize::try_from(post).ok()).unwrap();
                assert!(!std::mem::replace(&mut peer.heard[post], true), "a post came twice");
                heard.posts.push(post);
            }
        }
        let left = bytes.to_vec();
        peer.rest = left;
        heard
    }
}

/// What one read brought.
#[derive(Default)]
struct Heard {
    /// Posts, counted from this run's first.
    posts: Vec<usize>,
    replies: usize,
}

fn number_of(digits: &[u8]) -> u64 {
    digits.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Returns the length of a whole unmasked frame's body.
fn body_length(frame: &[u8]) -> usize {
    match frame[1] {
        126 => usize::from(u16::from_be_bytes([frame[2], frame[3]])),
        short => usize::from(short),
    }
}

/// Cuts the first whole frame off. No frame here is longer than 64 KiB.
fn cut_frame(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let header = if *bytes.get(1)? == 126 { 4 } else { 2 };
    if bytes.len() < header {
        return None;
    }
    assert_ne!(bytes[0], 0x88, "the server said goodbye");
    bytes.split_at_checked(header + body_length(bytes))
}

/// Returns a frame as a client sends it; a mask of zeros is one, too.
fn masked(first: u8, body: &[u8]) -> Vec<u8> {
    let mut out = vec![first];
    match u8::try_from(body.len()) {
        Ok(short @ 0..=125) => out.push(0x80 | short),
        _ => {
            out.push(0x80 | 126);
            out.extend(u16::try_from(body.len()).unwrap().to_be_bytes());
        }
    }
    out.extend([0; 4]);
    out.extend_from_slice(body);
    out
}

/// Opens somebody's socket; returns it with what came after the handshake.
fn connect(port: u16, user_id: i64) -> (TcpStream, Vec<u8>) {
    let mut socket = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let request = format!(
        "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n\
         Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mellow.1\r\n\
         Cookie: mellow={}\r\n\r\n",
        cookie(user_id)
    );
    socket.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    let mut buffer = [0; 4_096];
    loop {
        let count = socket.read(&mut buffer).unwrap();
        assert!(count > 0, "the handshake was refused: {}", String::from_utf8_lossy(&bytes));
        bytes.extend_from_slice(&buffer[..count]);
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            assert!(bytes.starts_with(b"HTTP/1.1 101"), "refused: {}", String::from_utf8_lossy(&bytes));
            let after = bytes.split_off(end + 4);
            return (socket, whole_frames_cut(after));
        }
    }
}

/// Returns what of a frame is still incomplete; `hello` itself is of no interest here.
fn whole_frames_cut(bytes: Vec<u8>) -> Vec<u8> {
    let mut rest = &bytes[..];
    while let Some((_, after)) = cut_frame(rest) {
        rest = after;
    }
    rest.to_vec()
}
