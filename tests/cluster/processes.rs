//! The processes of a cluster: a broker, a home and two fronts.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child as Process, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::page::Page;
use crate::support::TIMEOUT;
use crate::support::child::{CALM, program};
use crate::support::http;
use crate::support::person::Person;
use crate::support::port::Port;
use crate::support::wait_until;

/// A broker, which ends when this value is dropped.
pub struct Broker {
    port: Port,
    process: Process,
}

impl Drop for Broker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Broker {
    pub async fn starts() -> Self {
        let port = Port::reserve();
        let process = Self::process(port.at);
        let broker = Self { port, process };
        broker.listens().await;
        broker
    }

    fn process(at: SocketAddr) -> Process {
        let mut command = Command::new("nats-server");
        command.args(["-a", "127.0.0.1", "-p", &at.port().to_string()]);
        let started = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        started.expect("nats-server is not installed: scripts/nats installs it")
    }

    async fn listens(&self) {
        let at = self.port.at;
        wait_until("the broker listens", || std::net::TcpStream::connect(at).is_ok()).await;
    }

    pub fn at(&self) -> SocketAddr {
        self.port.at
    }

    /// It is killed, and another one starts at the same address when these fronts miss their home. Waits until they
    /// hear it again, because a request that is sent to a broker as it dies closes its socket.
    pub async fn is_killed_and_starts(&mut self, fronts: &[Running]) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        for front in fronts {
            front.misses_its_home().await;
        }
        self.process = Self::process(self.port.at);
        self.listens().await;
        for front in fronts {
            front.heard_its_home(|ms_ago| ms_ago < 600).await;
        }
    }
}

/// A home or a front, which is killed when this value is dropped.
pub struct Running {
    pub at: SocketAddr,
    pub process: Process,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Running {
    /// Starts the program and waits until it prints its address.
    pub async fn starts(mut command: Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(process.stdout.take().unwrap());
        let line = tokio::task::spawn_blocking(move || {
            let mut line = String::new();
            out.read_line(&mut line).unwrap();
            line
        });
        let line = line.await.unwrap();
        let at = line.split("http://").nth(1).and_then(|rest| rest.split([',', '\n']).next());
        let at = at.unwrap_or_else(|| panic!("it did not start: {line}")).parse().unwrap();
        Self { at, process }
    }

    /// Sends a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let mut kill = Command::new("kill");
        assert!(kill.args(["-s", name, &self.process.id().to_string()]).status().unwrap().success());
    }

    /// Waits until it has ended. Returns whether it ended in order.
    pub async fn ends(&mut self) -> bool {
        let mut status = None;
        wait_until("it ends", || {
            status = self.process.try_wait().unwrap();
            status.is_some()
        })
        .await;
        status.unwrap().success()
    }

    /// Waits until so many fronts report to a home.
    pub async fn has_fronts(&self, count: u64) {
        let begun = Instant::now();
        while http::metric(self.at, "mellow_fronts").await != count {
            assert!(begun.elapsed() < TIMEOUT, "the fronts do not come");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until a front heard its home so many milliseconds ago.
    async fn heard_its_home(&self, fits: impl Fn(u64) -> bool) {
        let begun = Instant::now();
        while !fits(http::metric(self.at, "mellow_front_lag_milliseconds").await) {
            assert!(begun.elapsed() < TIMEOUT, "the front never heard its home then");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until a front has heard nothing of its home for longer than between two beats.
    pub async fn misses_its_home(&self) {
        self.heard_its_home(|ms_ago| ms_ago > 700).await;
    }

    /// Waits until a front has its lease.
    pub async fn serves(&self) {
        let begun = Instant::now();
        while http::ask(self.at, "GET", "/readyz", &[], "").await.status != 200 {
            assert!(begun.elapsed() < TIMEOUT, "the front does not serve");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Returns how many leases of a front have ended. On a busy machine a lease may end at any time.
    pub async fn leases_lost(&self) -> u64 {
        http::metric(self.at, "mellow_front_leases_lost_total").await
    }

    /// Returns how many reasons a front had to close sockets: leases that ended, and requests without an answer.
    pub async fn reasons_to_close(&self) -> u64 {
        self.leases_lost().await + http::metric(self.at, r#"mellow_asks_total{result="unanswered"}"#).await
    }
}

/// The folder of a cluster, with its key, the data of its home, and the addresses of its processes.
pub struct Cluster {
    pub folder: tempfile::TempDir,
    /// The address of the broker for the home, and for each front.
    pub broker_of_home: SocketAddr,
    pub broker_of_fronts: [SocketAddr; 2],
    home_port: Port,
    front_ports: [Port; 2],
}

impl Cluster {
    pub fn new(broker: &Broker) -> Self {
        let cluster = Self {
            folder: tempfile::tempdir().unwrap(),
            broker_of_home: broker.at(),
            broker_of_fronts: [broker.at(); 2],
            home_port: Port::reserve(),
            front_ports: [Port::reserve(), Port::reserve()],
        };
        let made = cluster.makes_key("cluster.key");
        assert!(made.status.success(), "{made:?}");
        cluster
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn makes_key(&self, name: &str) -> Output {
        program(self.folder.path()).arg("cluster-key").arg(self.path(name)).output().unwrap()
    }

    fn command(&self, name: &str, listen: SocketAddr, broker: SocketAddr) -> Command {
        let mut command = program(self.folder.path());
        command.args([name, "--cluster", &format!("nats://{broker}"), "--listen", &listen.to_string()]);
        command.arg("--cluster-key-file").arg(self.path("cluster.key")).args(["--workers", "2"]);
        command
    }

    /// Returns the command of a home on this data folder.
    pub fn home_command(&self, listen: SocketAddr, data: &str, broker: SocketAddr) -> Command {
        let mut command = self.command("serve", listen, broker);
        command.arg("--data").arg(self.path(data));
        for (name, value) in CALM {
            command.arg(format!("--{}", name.replace('_', "-"))).arg(value);
        }
        command
    }

    pub async fn home(&self) -> Running {
        Running::starts(self.home_command(self.home_port.at, "data", self.broker_of_home)).await
    }

    pub async fn front(&self, number: usize) -> Running {
        let (listen, broker) = (self.front_ports[number].at, self.broker_of_fronts[number]);
        let mut command = self.command("front", listen, broker);
        command.args(["--sockets-max", "0", "--log", "off"]);
        let front = Running::starts(command).await;
        front.serves().await;
        front
    }

    /// A home, two fronts, Ana at the first and Ben, who follows her, at the second.
    pub async fn with_people(&self) -> (Running, [Running; 2], [Page; 2]) {
        let home = self.home().await;
        let fronts = [self.front(0).await, self.front(1).await];
        let [ana, ben] = [Person::signs_up(home.at, "Ana").await, Person::signs_up(home.at, "Ben").await];
        let (ana, mut ben) = (Page::opens(ana, fronts[0].at).await, Page::opens(ben, fronts[1].at).await);
        ben.follows(&ana).await;
        (home, fronts, [ana, ben])
    }
}
