//! A home and its fronts as processes, joined by a real broker: `nats-server`, which `scripts/nats` installs.
#![expect(clippy::unwrap_used, reason = "a failed step ends the test")]

mod support;

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child as Process, Command, Output, Stdio};
use std::time::{Duration, Instant};

use support::TIMEOUT;
use support::child::{CALM, program};
use support::groups::post_for;
use support::http;
use support::person::Person;
use support::port::Port;
use support::wait_until;

/// A broker, which ends when this value is dropped.
struct Broker {
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
    async fn starts() -> Self {
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

    /// It is killed, and another one starts at the same address when these fronts miss their home. Waits until they hear
    /// it again, because a request that is sent to a broker as it dies closes its socket.
    async fn is_killed_and_starts(&mut self, fronts: &[Running]) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        for front in fronts {
            front.heard_its_home(|ms_ago| ms_ago > 700).await;
        }
        self.process = Self::process(self.port.at);
        self.listens().await;
        for front in fronts {
            front.heard_its_home(|ms_ago| ms_ago < 600).await;
        }
    }
}

/// A home or a front, which is killed when this value is dropped.
struct Running {
    at: SocketAddr,
    process: Process,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Running {
    /// Starts the program and waits until it prints its address.
    async fn starts(mut command: Command) -> Self {
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
    fn signal(&self, name: &str) {
        let mut kill = Command::new("kill");
        assert!(kill.args(["-s", name, &self.process.id().to_string()]).status().unwrap().success());
    }

    /// Waits until it has ended. Returns whether it ended in order.
    async fn ends(&mut self) -> bool {
        let mut status = None;
        wait_until("it ends", || {
            status = self.process.try_wait().unwrap();
            status.is_some()
        })
        .await;
        status.unwrap().success()
    }

    /// Waits until so many fronts report to a home.
    async fn has_fronts(&self, count: u64) {
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

    /// Waits until a front has its lease.
    async fn serves(&self) {
        let begun = Instant::now();
        while http::ask(self.at, "GET", "/readyz", &[], "").await.status != 200 {
            assert!(begun.elapsed() < TIMEOUT, "the front does not serve");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// The folder of a cluster, with its key, the data of its home, and the address of its broker.
struct Cluster {
    folder: tempfile::TempDir,
    broker: String,
    home_port: Port,
    front_ports: [Port; 2],
}

impl Cluster {
    fn new(broker: &Broker) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cluster = Self {
            folder,
            broker: format!("nats://{}", broker.port.at),
            home_port: Port::reserve(),
            front_ports: [Port::reserve(), Port::reserve()],
        };
        let made = cluster.makes_key("cluster.key");
        assert!(made.status.success(), "{made:?}");
        cluster
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn makes_key(&self, name: &str) -> Output {
        program(self.folder.path()).arg("cluster-key").arg(self.path(name)).output().unwrap()
    }

    fn command(&self, name: &str, listen: SocketAddr) -> Command {
        let mut command = program(self.folder.path());
        command.args([name, "--cluster", &self.broker, "--listen", &listen.to_string()]);
        command.arg("--cluster-key-file").arg(self.path("cluster.key")).args(["--workers", "2"]);
        command
    }

    fn home_command(&self) -> Command {
        let mut command = self.command("serve", self.home_port.at);
        command.arg("--data").arg(self.path("data"));
        for (name, value) in CALM {
            command.arg(format!("--{}", name.replace('_', "-"))).arg(value);
        }
        command
    }

    async fn home(&self) -> Running {
        Running::starts(self.home_command()).await
    }

    fn front_command(&self, number: usize) -> Command {
        let mut command = self.command("front", self.front_ports[number].at);
        command.args(["--sockets-max", "0", "--log", "off"]);
        command
    }

    async fn front(&self, number: usize) -> Running {
        let front = Running::starts(self.front_command(number)).await;
        front.serves().await;
        front
    }

    /// A home, two fronts, Ana at the first and Ben, who follows her, at the second.
    async fn with_people(&self) -> (Running, [Running; 2], [Person; 2]) {
        let home = self.home().await;
        let fronts = [self.front(0).await, self.front(1).await];
        let [mut ana, mut ben] =
            [Person::signs_up(home.at, "Ana").await, Person::signs_up(home.at, "Ben").await];
        (ana.at, ben.at) = (fronts[0].at, fronts[1].at);
        ana.reconnects().await;
        ben.reconnects().await;
        ben.follows(&ana).await;
        (home, fronts, [ana, ben])
    }
}

#[tokio::test]
async fn a_post_at_one_front_is_seen_at_the_other() {
    let broker = Broker::starts().await;
    let cluster = Cluster::new(&broker);
    let (home, fronts, [ana, ben]) = cluster.with_people().await;
    ana.posts("over two fronts").await;
    ben.sees_post("over two fronts").await;
    for (front, path, status) in [(0, "/healthz", 200), (0, "/", 404), (1, "/media/x", 404)] {
        assert_eq!(http::ask(fronts[front].at, "GET", path, &[], "").await.status, status, "{path}");
    }
    assert_eq!(http::metric(home.at, "mellow_fronts").await, 2);
    assert_eq!(http::metric(fronts[0].at, "mellow_sockets").await, 1);
}

#[tokio::test]
async fn a_broker_that_is_killed_and_starts_again_closes_no_socket() {
    let mut broker = Broker::starts().await;
    let cluster = Cluster::new(&broker);
    let (_home, fronts, [ana, ben]) = cluster.with_people().await;
    for number in 0..3 {
        let words = format!("before {number}");
        ana.posts(&words).await;
        ben.sees_post(&words).await;
        broker.is_killed_and_starts(&fronts).await;
        let words = format!("after {number}");
        ana.posts(&words).await;
        ben.sees_post(&words).await;
    }
    assert!(ana.socket.is_open() && ben.socket.is_open());
}

#[tokio::test]
async fn a_home_that_is_restarted_closes_no_socket_and_its_fronts_wait() {
    let broker = Broker::starts().await;
    let cluster = Cluster::new(&broker);
    let (mut home, _fronts, [ana, ben]) = cluster.with_people().await;
    ana.posts("before").await;
    ben.sees_post("before").await;
    home.signal("TERM");
    let (posted, home) = tokio::join!(ana.posts("meanwhile"), async {
        assert!(home.ends().await);
        cluster.home().await
    });
    assert!(posted > 0);
    ben.sees_post("meanwhile").await;
    assert!(ana.socket.is_open() && ben.socket.is_open());
    assert_eq!(http::metric(home.at, "mellow_fronts").await, 2);
}

#[tokio::test]
async fn a_home_that_is_killed_loses_nothing_that_it_acknowledged() {
    let broker = Broker::starts().await;
    let cluster = Cluster::new(&broker);
    let (mut home, fronts, [mut ana, mut ben]) = cluster.with_people().await;
    ana.posts("acknowledged").await;
    home.signal("KILL");
    home.ends().await;
    let home = cluster.home().await;
    // Requests that were sent to nobody close their sockets. Later ones wait for the home.
    home.has_fronts(2).await;
    for front in &fronts {
        front.serves().await;
    }
    for person in [&mut ana, &mut ben] {
        if !person.socket.is_open() {
            person.reconnects().await;
        }
    }
    assert_eq!(ben.feed_texts().await, ["acknowledged"]);
    ana.posts("after").await;
    ben.sees_post("after").await;
}

#[tokio::test]
async fn a_removal_waits_for_a_front_that_is_stopped_until_its_lease_is_over() {
    let broker = Broker::starts().await;
    let cluster = Cluster::new(&broker);
    let (_home, fronts, [ana, ben]) = cluster.with_people().await;
    let group_id = ana.makes_group("Tea").await;
    ana.adds(group_id, &[&ben]).await;
    ana.publishes(post_for(group_id, "for the group")).await;
    ben.sees_post("for the group").await;

    fronts[1].signal("STOP");
    let begun = Instant::now();
    ana.removes(group_id, &ben).await;
    let waited = begun.elapsed();
    assert!(waited > Duration::from_secs(3), "acknowledged after {waited:?}");
    ana.publishes(post_for(group_id, "without Ben")).await;
    let heard = ben.socket.log().len();
    fronts[1].signal("CONT");
    assert_eq!(ben.socket.close_code().await, 1012);
    let words = format!("{:?}", &ben.socket.log()[heard..]);
    assert!(!words.contains("without Ben"), "{words}");
}

#[tokio::test]
async fn a_front_that_is_killed_is_left_for_the_other_one_without_a_gap() {
    let broker = Broker::starts().await;
    let cluster = Cluster::new(&broker);
    let (_home, fronts, [ana, mut ben]) = cluster.with_people().await;
    ana.posts("one").await;
    ben.sees_post("one").await;
    fronts[1].signal("KILL");
    ana.posts("two").await;
    ben.at = fronts[0].at;
    ben.reconnects().await;
    assert_eq!(ben.feed_texts().await, ["two", "one"]);
    ana.posts("three").await;
    ben.sees_post("three").await;
}

#[tokio::test]
async fn a_front_with_another_key_and_a_second_home_do_not_start() {
    let broker = Broker::starts().await;
    let cluster = Cluster::new(&broker);
    let mut home = cluster.home().await;
    assert!(cluster.makes_key("other.key").status.success());
    let again = cluster.makes_key("other.key");
    assert!(!again.status.success(), "a key is not overwritten");
    let says = |output: Output| String::from_utf8(output.stderr).unwrap();
    let run = async |mut command: Command| {
        tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
    };
    let mut front = program(cluster.folder.path());
    front.args(["front", "--cluster", &cluster.broker, "--cluster-key-file"]).arg(cluster.path("other.key"));
    let why = says(run(front).await);
    assert!(why.contains("another key"), "{why}");

    // It hears the first one. On a machine that is too busy for that, the first one ends.
    let mut second = cluster.command("serve", cluster.front_ports[0].at);
    second.arg("--data").arg(cluster.path("other data")).stdout(Stdio::null());
    let mut second = Running { at: cluster.front_ports[0].at, process: second.spawn().unwrap() };
    wait_until("one of them ends", || {
        let ended = [&mut second, &mut home].map(|one| one.process.try_wait().unwrap());
        ended.into_iter().flatten().any(|status| !status.success())
    })
    .await;

    let mut without_key = program(cluster.folder.path());
    without_key.args(["front", "--cluster", &cluster.broker]);
    let why = says(run(without_key).await);
    assert!(why.contains("cluster_key_file"), "{why}");
}
