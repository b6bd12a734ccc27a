//! A proxy between the clients and the server, which delays and cuts connections. A seed decides which ones and how.
//!
//! It forwards some connections one byte at a time, and delays others. It cuts a given number of connections after some
//! bytes: it closes them, resets them, stalls one direction first, or closes only one direction.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::{Rc, Weak};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::{LocalSet, spawn_local};

use crate::random;

/// The most bytes that are forwarded by one write.
const PART_BYTES: usize = 16 * 1_024;
/// Only the first bytes of a direction are forwarded one at a time, or late, because the rest would take too long.
const SLOW_BYTES: usize = 3_000;
/// The longest delay of one part, in milliseconds.
const DELAY_MS: usize = 20;
/// The longest stall before a cut, in milliseconds.
const STALL_MS: usize = 500;
/// A connection is cut after this time if the bytes that its cut waits for do not come.
const PATIENCE: Duration = Duration::from_millis(500);
/// The number of bytes before a cut has fewer than this many bits.
const CUT_AFTER_BITS: usize = 15;

/// How a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Close,
    /// With a reset, at which the kernel drops the bytes that it still holds.
    Reset,
    /// One direction stalls for a time, and then the connection is closed.
    Stall {
        ms: u64,
    },
    /// The direction of the last byte is closed. The other direction stays open.
    HalfClose,
}

/// The proxy. Its thread ends with the program.
pub struct Proxy {
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    /// The servers. Each new connection goes to the next one.
    servers: Mutex<VecDeque<SocketAddr>>,
    wanted: u64,
    made: AtomicU64,
    is_cutting: AtomicBool,
}

impl Shared {
    /// Returns the next server.
    fn next_server(&self) -> Option<SocketAddr> {
        let mut servers = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        let next = servers.pop_front()?;
        servers.push_back(next);
        Some(next)
    }
}

impl Proxy {
    /// Starts a proxy to servers, in turn. After [`begin`](Self::begin), it makes `cuts` cuts, spread over the time
    /// `within`.
    ///
    /// # Errors
    /// One sentence that says that the system gives no port or no thread.
    pub fn start(servers: &[SocketAddr], cuts: u64, within: Duration, seed: u64) -> Result<Self, String> {
        let said = |why: std::io::Error| format!("the proxy did not start: {why}");
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(said)?;
        listener.set_nonblocking(true).map_err(said)?;
        let address = listener.local_addr().map_err(said)?;
        let shared = Arc::new(Shared {
            servers: Mutex::new(servers.iter().copied().collect()),
            wanted: cuts,
            made: AtomicU64::new(0),
            is_cutting: AtomicBool::new(false),
        });
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().map_err(said)?;
        let (of_thread, random) = (shared.clone(), random(seed, 6));
        let between = within.div_f64(cuts.max(1) as f64);
        std::thread::Builder::new()
            .name("proxy".into())
            .spawn(move || LocalSet::new().block_on(&runtime, serve(listener, of_thread, random, between)))
            .map_err(said)?;
        Ok(Self { address, shared })
    }

    /// Forwards new connections to a server at another address from now on.
    pub fn set_server(&self, server: SocketAddr) {
        *self.shared.servers.lock().unwrap_or_else(PoisonError::into_inner) = [server].into();
    }

    /// Begins to cut.
    pub fn begin(&self) {
        self.shared.is_cutting.store(true, Ordering::Relaxed);
    }

    /// Returns the number of cuts that were made.
    #[must_use]
    pub fn made(&self) -> u64 {
        self.shared.made.load(Ordering::Relaxed)
    }

    /// Returns whether all cuts were made.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.made() >= self.shared.wanted
    }
}

/// One connection.
struct Connection {
    /// The number of bytes, of both directions together, after which it is cut, and how.
    cut: Cell<Option<(usize, End)>>,
    is_over: Notify,
    part_bytes: usize,
    delay: Duration,
}

/// All connections. It lives on one thread.
struct Connections {
    shared: Arc<Shared>,
    random: RefCell<fastrand::Rng>,
    connections: RefCell<Vec<Weak<Connection>>>,
    /// Whether the next connection will be cut.
    for_next: Cell<bool>,
    /// The number of connections that will be cut and are not cut yet.
    planned: Cell<u64>,
}

async fn serve(
    listener: std::net::TcpListener,
    shared: Arc<Shared>,
    random: fastrand::Rng,
    between: Duration,
) {
    let Ok(listener) = TcpListener::from_std(listener) else { return };
    let all = Rc::new(Connections {
        shared,
        random: RefCell::new(random),
        connections: RefCell::default(),
        for_next: Cell::new(false),
        planned: Cell::new(0),
    });
    spawn_local(plan_cuts(all.clone(), between));
    loop {
        // There may be no free descriptor now.
        let Ok((client, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        spawn_local(carry(all.clone(), client));
    }
}

/// Plans one cut after the other. Half of them are for an open connection. The other half are for the next connection,
/// so that handshakes and first requests are cut, too.
async fn plan_cuts(all: Rc<Connections>, between: Duration) {
    let mut tick = tokio::time::interval(between.max(Duration::from_millis(1)));
    loop {
        tick.tick().await;
        if !all.is_to_cut() {
            continue;
        }
        all.connections.borrow_mut().retain(|connection| connection.strong_count() > 0);
        let connection = {
            let (connections, mut random) = (all.connections.borrow(), all.random.borrow_mut());
            let is_for_next = !all.for_next.get() && random.bool();
            random.choice(&*connections).filter(|_| !is_for_next).and_then(Weak::upgrade)
        };
        match connection {
            Some(connection) if connection.cut.get().is_none() => all.plan_cut(&connection),
            Some(_) => {}
            None => all.for_next.set(true),
        }
    }
}

impl Connections {
    fn below(&self, end: usize) -> usize {
        self.random.borrow_mut().usize(..end)
    }

    /// Returns whether one more connection must be cut.
    fn is_to_cut(&self) -> bool {
        let Shared { wanted, made, is_cutting, .. } = &*self.shared;
        is_cutting.load(Ordering::Relaxed) && made.load(Ordering::Relaxed) + self.planned.get() < *wanted
    }

    fn plan_cut(self: &Rc<Self>, connection: &Rc<Connection>) {
        let end = match self.below(4) {
            0 => End::Close,
            1 => End::Reset,
            2 => End::Stall { ms: self.below(STALL_MS) as u64 },
            _ => End::HalfClose,
        };
        let after = self.below(1 << self.below(CUT_AFTER_BITS));
        connection.cut.set(Some((after, end)));
        self.planned.set(self.planned.get() + 1);
        let (all, connection) = (self.clone(), Rc::downgrade(connection));
        spawn_local(async move {
            tokio::time::sleep(PATIENCE).await;
            if let Some(connection) = connection.upgrade()
                && connection.cut.take().is_some()
            {
                all.is_cut();
                connection.is_over.notify_one();
            }
        });
    }

    fn is_cut(&self) {
        self.planned.set(self.planned.get() - 1);
        self.shared.made.fetch_add(1, Ordering::Relaxed);
    }
}

/// Forwards a connection until it ends.
async fn carry(all: Rc<Connections>, mut client: TcpStream) {
    let Some(address) = all.shared.next_server() else { return };
    // The server may be restarting.
    let Ok(mut server) = TcpStream::connect(address).await else { return };
    if client.set_nodelay(true).and(server.set_nodelay(true)).is_err() {
        return;
    }
    let is_bad = all.shared.is_cutting.load(Ordering::Relaxed);
    let (part_bytes, delay_ms) = match all.below(4) {
        0 if is_bad => (1, 0),
        1 if is_bad => (PART_BYTES, 1 + all.below(DELAY_MS)),
        _ => (PART_BYTES, 0),
    };
    let delay = Duration::from_millis(delay_ms as u64);
    let connection = Rc::new(Connection { cut: Cell::new(None), is_over: Notify::new(), part_bytes, delay });
    all.connections.borrow_mut().push(Rc::downgrade(&connection));
    if all.for_next.take() && all.is_to_cut() {
        all.plan_cut(&connection);
    }
    let ended_by = Cell::new(None);
    {
        let (mut from_client, mut to_client) = client.split();
        let (mut from_server, mut to_server) = server.split();
        let both = async {
            let up = pass(&all, &connection, &mut from_client, &mut to_server, &ended_by);
            let down = pass(&all, &connection, &mut from_server, &mut to_client, &ended_by);
            tokio::join!(up, down)
        };
        tokio::select! {
            _ = both => {}
            () = connection.is_over.notified() => {}
        }
    }
    if connection.cut.take().is_some() {
        // The connection ended by itself before its cut.
        all.planned.set(all.planned.get() - 1);
    }
    if ended_by.get() == Some(End::Reset) {
        for stream in [&client, &server] {
            // The option cannot be set if the connection was reset already.
            let _ = socket2::SockRef::from(stream).set_linger(Some(Duration::ZERO));
        }
    }
}

/// Forwards one direction until it ends.
async fn pass(
    all: &Connections,
    connection: &Connection,
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    ended_by: &Cell<Option<End>>,
) {
    let mut buffer = vec![0; PART_BYTES];
    let mut carried = 0;
    loop {
        let is_slow = carried < SLOW_BYTES;
        let part_bytes = if is_slow { connection.part_bytes } else { PART_BYTES };
        let Ok(count @ 1..) = from.read(&mut buffer[..part_bytes]).await else { break };
        if is_slow && !connection.delay.is_zero() {
            tokio::time::sleep(connection.delay).await;
        }
        let (count, end) = match connection.cut.get() {
            Some((left, end)) if left <= count => {
                connection.cut.set(None);
                (left, Some(end))
            }
            Some((left, end)) => {
                connection.cut.set(Some((left - count, end)));
                (count, None)
            }
            None => (count, None),
        };
        let is_written = to.write_all(&buffer[..count]).await.is_ok();
        carried += count;
        if let Some(end) = end {
            all.is_cut();
            ended_by.set(Some(end));
            match end {
                End::HalfClose => break,
                End::Stall { ms } => tokio::time::sleep(Duration::from_millis(ms)).await,
                End::Close | End::Reset => {}
            }
            connection.is_over.notify_one();
            // Nothing more is forwarded until both directions are dropped.
            return std::future::pending().await;
        }
        if !is_written {
            break;
        }
    }
    // The peer may have closed the connection.
    let _ = to.shutdown().await;
}
