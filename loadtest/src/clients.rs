//! The clients: every socket of the test. One thread drives them.

use std::collections::VecDeque;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::check::Checker;
use crate::community::Role;
use crate::expected::set_of;
use crate::frames;
use crate::histogram::Histogram;
use crate::net::{self, Transfer, Waiting};
use crate::plan::Due;
use crate::random;
use crate::requests::Scene;
use crate::screens::{Part, with_states};
use crate::server::start_hint;
use crate::state::State;

/// The address of the server.
#[derive(Clone, Debug)]
pub struct Target {
    pub address: SocketAddr,
    /// Where sockets are opened, in turn: the fronts, or the server itself.
    pub sockets: Vec<SocketAddr>,
    /// The name of the server in `Host`. `origin` is its name in `Origin`.
    pub host: String,
    pub origin: String,
}

/// The most handshakes at the same time.
const OPENING_MAX: usize = 96;
/// The most bytes of one read.
const READ_BYTES: usize = 256 * 1_024;
/// The shortest pause before a client of a disrupted test reconnects, in microseconds. The longest is twice this. Both
/// double with each attempt that fails.
const RETURN_PAUSE_US: u64 = 50_000;
/// The most times that the pause doubles.
const PAUSE_DOUBLINGS_MAX: u32 = 5;

/// The purpose of a request.
pub(crate) enum Pending {
    /// An action, with its request as it was sent, and the time when it was due.
    Action {
        due: Due,
        message: Vec<u8>,
        due_us: u64,
    },
    /// A part of the screen.
    Part(Part),
    /// These posts, which a client reads again by their ids.
    Threads(Vec<u64>),
    Resume,
    /// Leaving these posts.
    Leave(Vec<u64>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connection {
    Away,
    /// Waits for the response to the handshake.
    Connecting {
        since_us: u64,
    },
    /// Waits for `hello`.
    Upgraded {
        since_us: u64,
    },
    Open,
}

pub(crate) struct Client {
    pub(crate) socket: Option<TcpStream>,
    pub(crate) connection: Connection,
    /// The received part of an incomplete frame.
    pub(crate) rest: Vec<u8>,
    /// The bytes that the kernel did not accept yet.
    pub(crate) unsent: Vec<u8>,
    pub(crate) is_stalled: bool,
    pub(crate) next_id: u64,
    pub(crate) pending: Vec<(u64, Pending)>,
    /// The actions that wait for the reply to the previous one.
    pub(crate) queue: VecDeque<(Due, u64)>,
    /// Whether an action waits for its reply.
    pub(crate) is_acting: bool,
    /// Whether the client is in `coming`.
    pub(crate) is_coming: bool,
    /// The number of attempts to reconnect since it was connected.
    pub(crate) tries: u32,
    /// Whether the action that waits was sent more than once.
    pub(crate) is_repeating: bool,
    /// Whether the connection was lost while the client read its screen.
    pub(crate) is_unread: bool,
    /// The content of its screen; None if it is not compared at the end.
    pub(crate) state: Option<Box<State>>,
    /// The content of its screen before it began again as a fresh client, and the posts that it reads in addition.
    pub(crate) before: Option<(Box<State>, Vec<u64>)>,
}

/// The counters of a test.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    pub replies: u64,
    pub connects: u64,
    /// The open sockets that ended otherwise than by the plan.
    pub lost: u64,
    pub busy: u64,
    pub received_bytes: u64,
    /// The resumes that received the missed events. `resyncs` are those that received `resync`.
    pub resumed: u64,
    pub resyncs: u64,
    /// The actions that were sent again with their key.
    pub repeated: u64,
}

/// All clients.
pub struct Clients {
    pub(crate) target: Target,
    pub scene: Scene,
    pub checker: Checker,
    pub(crate) waiting: Waiting,
    pub(crate) clients: Vec<Client>,
    pub(crate) opening: usize,
    pub open: usize,
    /// The number of sockets that were opened so far.
    next_socket: usize,
    /// The clients that wait for a connection.
    pub(crate) coming: VecDeque<usize>,
    /// The actions that will be sent again, and the times.
    pub(crate) retries: Vec<(u64, usize)>,
    /// The clients that will reconnect, and the times.
    pub(crate) returns: Vec<(u64, usize)>,
    /// Whether connections are cut and servers ended, also during a handshake.
    is_disrupted: bool,
    pub(crate) unsent: Vec<usize>,
    pub(crate) begun: Instant,
    pub(crate) random: fastrand::Rng,
    pub(crate) epoch: String,
    pub(crate) slot: &'static str,
    pub(crate) buffer: Vec<u8>,
    pub(crate) ready: Vec<usize>,
    pub(crate) frame: Vec<u8>,
    pub numbers: Numbers,
    pub reply: Histogram,
    pub connect: Histogram,
    /// The time when the last event or reply came, in microseconds.
    pub last_us: u64,
    /// Why the test cannot continue.
    pub failure: Option<String>,
}

impl Clients {
    /// Makes the clients of a scene. No client is connected yet.
    ///
    /// # Errors
    /// One sentence that says that the system gives no epoll.
    pub fn new(
        target: Target,
        scene: Scene,
        seed: u64,
        is_shared: bool,
        is_disrupted: bool,
    ) -> Result<Self, String> {
        let client = |_| Client {
            socket: None,
            connection: Connection::Away,
            rest: Vec::new(),
            unsent: Vec::new(),
            is_stalled: false,
            next_id: 0,
            pending: Vec::new(),
            queue: VecDeque::new(),
            is_acting: false,
            is_coming: true,
            tries: 0,
            is_repeating: false,
            is_unread: false,
            state: None,
            before: None,
        };
        let count = scene.community.len();
        let is_late = |person: &usize| scene.community.roles[*person] == Role::Stalled;
        let untimed = set_of(count, (0..count).filter(is_late));
        Ok(Self {
            target,
            checker: Checker::new(untimed, is_shared),
            waiting: Waiting::new().map_err(|why| format!("the system cannot wait for sockets: {why}"))?,
            clients: with_states((0..count).map(client).collect(), &scene),
            scene,
            opening: 0,
            next_socket: 0,
            open: 0,
            coming: (0..count).collect(),
            retries: Vec::new(),
            returns: Vec::new(),
            is_disrupted,
            unsent: Vec::new(),
            begun: Instant::now(),
            random: random(seed, 4),
            epoch: String::new(),
            slot: "morning",
            buffer: vec![0; READ_BYTES],
            ready: Vec::new(),
            frame: Vec::new(),
            numbers: Numbers::default(),
            reply: Histogram::default(),
            connect: Histogram::default(),
            last_us: 0,
            failure: None,
        })
    }

    /// Returns the time since the clients were made, in microseconds.
    #[must_use]
    pub fn now_us(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// Returns whether all clients are connected, and no request waits for its reply.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.open == self.clients.len()
            && self.clients.iter().all(|one| one.pending.is_empty() && one.queue.is_empty())
    }

    /// Starts an action now, or after the reply to the previous action.
    pub fn act(&mut self, due: Due, due_us: u64) {
        self.clients[due.person].queue.push_back((due, due_us));
        self.act_next(due.person);
    }

    pub(crate) fn act_next(&mut self, person: usize) {
        let client = &mut self.clients[person];
        // A client that reconnected continues after the reply to `live.resume`.
        let is_resuming = client.pending.iter().any(|(_, pending)| matches!(pending, Pending::Resume));
        if client.is_acting || client.connection != Connection::Open || is_resuming {
            return;
        }
        let Some((due, due_us)) = client.queue.pop_front() else { return };
        client.next_id += 1;
        client.is_acting = true;
        let (id, key) = (client.next_id, self.random.u128(..).to_ne_bytes());
        let message = self.scene.request(id, &due, &key, self.slot);
        self.scene.sent(&due, &mut self.checker);
        self.write(person, frames::BINARY, &message);
        self.clients[person].pending.push((id, Pending::Action { due, message, due_us }));
    }

    pub(crate) fn ask(&mut self, person: usize, pending: Pending, message: impl FnOnce(u64) -> Vec<u8>) {
        let client = &mut self.clients[person];
        client.next_id += 1;
        let id = client.next_id;
        client.pending.push((id, pending));
        self.write(person, frames::BINARY, &message(id));
    }

    // ---- coming and going -----------------------------------------------------------------

    /// Disconnects a client.
    pub fn leave(&mut self, person: usize) {
        self.drop_socket(person);
    }

    /// Lets a client reconnect.
    pub fn come(&mut self, person: usize) {
        let client = &mut self.clients[person];
        if client.connection == Connection::Away && !client.is_coming {
            client.is_coming = true;
            self.coming.push_back(person);
        }
    }

    /// Makes a client stop or continue reading.
    pub fn stall(&mut self, person: usize, is_stalled: bool) {
        let client = &mut self.clients[person];
        // The client may have reconnected meanwhile, and a new connection is not stalled.
        if std::mem::replace(&mut client.is_stalled, is_stalled) == is_stalled {
            return;
        }
        if let Some(socket) = &client.socket {
            let changed =
                if is_stalled { self.waiting.remove(socket) } else { self.waiting.add(socket, person) };
            if let Err(why) = changed {
                self.failure = Some(format!("a socket cannot be waited for: {why}"));
            }
        }
    }

    pub(crate) fn drop_socket(&mut self, person: usize) {
        let client = &mut self.clients[person];
        match client.connection {
            Connection::Away => return,
            Connection::Connecting { .. } | Connection::Upgraded { .. } => self.opening -= 1,
            Connection::Open => {
                self.open -= 1;
                self.checker.lost(person);
            }
        }
        let client = &mut self.clients[person];
        client.connection = Connection::Away;
        client.socket = None;
        client.rest.clear();
        client.unsent.clear();
        // After the reconnect, the screen is read again if a reply to a read is missing. An action without a reply is
        // sent again with its key.
        let is_read = |pending: &Pending| matches!(pending, Pending::Part(_) | Pending::Threads(_));
        client.is_unread |= client.pending.iter().any(|(_, pending)| is_read(pending));
        client.pending.retain(|(_, pending)| matches!(pending, Pending::Action { .. }));
        self.retries.retain(|(_, of)| *of != person);
    }

    /// Handles that a connection ended. Its client reconnects.
    fn ended(&mut self, person: usize) {
        let connection = self.clients[person].connection;
        if let Connection::Connecting { .. } = connection
            && !self.is_disrupted
        {
            self.failure = Some("the server closed a connection instead of opening a socket".into());
        }
        self.numbers.lost += u64::from(connection == Connection::Open);
        self.drop_socket(person);
        if self.is_disrupted {
            self.come_later(person);
        } else {
            self.come(person);
        }
    }

    /// Lets a client reconnect after a pause.
    fn come_later(&mut self, person: usize) {
        let client = &mut self.clients[person];
        let pause_us = RETURN_PAUSE_US << client.tries.min(PAUSE_DOUBLINGS_MAX);
        client.tries += 1;
        let pause_us = self.random.u64(pause_us..2 * pause_us);
        self.returns.push((self.now_us() + pause_us, person));
    }

    fn connect_some(&mut self) {
        while self.opening < OPENING_MAX && self.failure.is_none() {
            let Some(person) = self.coming.pop_front() else { return };
            self.clients[person].is_coming = false;
            let since_us = self.now_us();
            let address = self.target.sockets[self.next_socket % self.target.sockets.len()];
            self.next_socket += 1;
            let socket = match net::connect(address, person) {
                Ok(socket) => socket,
                Err(_) if self.is_disrupted => {
                    self.come_later(person);
                    continue;
                }
                Err(why) => {
                    self.failure = Some(format!("cannot connect to {address}: {why}"));
                    return;
                }
            };
            if let Err(why) = self.waiting.add(&socket, person) {
                self.failure = Some(format!("a socket cannot be waited for: {why}"));
                return;
            }
            let Target { host, origin, .. } = &self.target;
            let handshake = frames::handshake(host, origin, &self.scene.ids.cookies[person]);
            let client = &mut self.clients[person];
            client.is_stalled = false;
            client.socket = Some(socket);
            client.connection = Connection::Connecting { since_us };
            self.opening += 1;
            self.write_bytes(person, handshake.as_bytes());
        }
    }

    // ---- bytes ----------------------------------------------------------------------------

    pub(crate) fn write(&mut self, person: usize, first: u8, message: &[u8]) {
        let mut frame = std::mem::take(&mut self.frame);
        frame.clear();
        let key = self.random.u32(..).to_ne_bytes();
        frames::mask(first, message, key, &mut frame);
        self.write_bytes(person, &frame);
        self.frame = frame;
    }

    fn write_bytes(&mut self, person: usize, bytes: &[u8]) {
        let client = &mut self.clients[person];
        let Some(socket) = &client.socket else { return };
        let sent = match client.unsent.is_empty().then(|| net::send(socket, bytes)) {
            Some(Transfer::Bytes(count)) => count,
            // The next read reports the end.
            None | Some(Transfer::WouldBlock | Transfer::Ended) => 0,
        };
        if sent < bytes.len() {
            client.unsent.extend_from_slice(&bytes[sent..]);
            self.unsent.push(person);
        }
    }

    fn write_unsent(&mut self) {
        for person in std::mem::take(&mut self.unsent) {
            let bytes = std::mem::take(&mut self.clients[person].unsent);
            self.write_bytes(person, &bytes);
        }
    }

    /// Waits for frames, for at most `wait`, and handles them.
    pub fn turn(&mut self, wait: Duration) {
        /// The time after which bytes that the kernel did not accept are written again.
        const UNSENT_WAIT: Duration = Duration::from_millis(2);
        self.connect_some();
        let wait = if self.unsent.is_empty() { wait } else { wait.min(UNSENT_WAIT) };
        self.write_unsent();
        let mut ready = std::mem::take(&mut self.ready);
        if let Err(why) = self.waiting.wait(wait, &mut ready) {
            self.failure = Some(format!("the system cannot wait for sockets: {why}"));
        }
        for person in &ready {
            self.receive(*person);
        }
        self.ready = ready;
        let now_us = self.now_us();
        while let Some(place) = self.retries.iter().position(|(at_us, _)| *at_us <= now_us) {
            let (_, person) = self.retries.swap_remove(place);
            self.send_again(person);
        }
        while let Some(place) = self.returns.iter().position(|(at_us, _)| *at_us <= now_us) {
            let (_, person) = self.returns.swap_remove(place);
            self.come(person);
        }
    }

    /// Sends the action that waits for its reply again, with the same key.
    pub(crate) fn send_again(&mut self, person: usize) {
        let message = self.clients[person].pending.iter().find_map(|(_, pending)| match pending {
            Pending::Action { message, .. } => Some(message.clone()),
            _ => None,
        });
        if let Some(message) = message.filter(|_| self.clients[person].connection == Connection::Open) {
            self.numbers.repeated += 1;
            self.clients[person].is_repeating = true;
            self.write(person, frames::BINARY, &message);
        }
    }

    fn receive(&mut self, person: usize) {
        let Some(socket) = &self.clients[person].socket else { return };
        let mut buffer = std::mem::take(&mut self.buffer);
        match net::receive(socket, &mut buffer) {
            Transfer::Bytes(count) => {
                self.numbers.received_bytes += count as u64;
                self.take_bytes(person, &buffer[..count]);
            }
            Transfer::WouldBlock => {}
            Transfer::Ended => self.ended(person),
        }
        self.buffer = buffer;
    }

    fn take_bytes(&mut self, person: usize, bytes: &[u8]) {
        let now_us = self.now_us();
        let mut joined = std::mem::take(&mut self.clients[person].rest);
        let is_joined = !joined.is_empty();
        if is_joined {
            joined.extend_from_slice(bytes);
        }
        let mut bytes = if is_joined { &joined[..] } else { bytes };
        if let Connection::Connecting { since_us } = self.clients[person].connection {
            match frames::head(bytes) {
                None => {
                    self.clients[person].rest = bytes.to_vec();
                    return;
                }
                Some((length, line)) if line.starts_with("HTTP/1.1 101") => {
                    bytes = &bytes[length..];
                    self.clients[person].connection = Connection::Upgraded { since_us };
                }
                // 503: the server starts or stops.
                Some((_, line)) if self.is_disrupted && line.starts_with("HTTP/1.1 503") => {
                    self.ended(person);
                    return;
                }
                Some((_, line)) => {
                    let first = String::from_utf8_lossy(bytes);
                    let says = first.lines().last().unwrap_or_default().to_owned();
                    self.failure =
                        Some(format!("the server refused a socket: {line}: {says}; {}", start_hint()));
                    return;
                }
            }
        }
        while let Some(frame) = frames::cut(bytes) {
            match frame.first {
                frames::BINARY => self.take_message(person, frame.body, now_us),
                frames::PING => self.write(person, frames::PONG, frame.body),
                frames::CLOSE => {
                    self.ended(person);
                    return;
                }
                _ => {}
            }
            if self.clients[person].socket.is_none() {
                return;
            }
            bytes = &bytes[frame.length..];
        }
        let client = &mut self.clients[person];
        if is_joined {
            let left = joined.len() - bytes.len();
            joined.drain(..left);
            client.rest = joined;
        } else if !bytes.is_empty() {
            client.rest = bytes.to_vec();
        }
    }
}
