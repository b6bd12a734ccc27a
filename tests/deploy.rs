//! The examples of `deploy/`, with the real proxies in front of the real program, and the real broker between a home
//! and its fronts; and what comes with a package. If a proxy is not installed, its test says so and tests nothing.
//! `CADDY` and `NGINX` are the paths of programs elsewhere. `scripts/nats` installs the broker.
#![expect(clippy::unwrap_used, reason = "a failed step ends the test")]

#[path = "../examples/manual.rs"]
#[expect(dead_code, reason = "a test calls what its main function calls")]
mod manual;
#[path = "cluster/page.rs"]
#[expect(dead_code, reason = "these stories use a part of it")]
mod page;
mod support;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child as Process, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{FutureExt, StreamExt};
use mellow::cluster::link::{Link, Message};
use mellow::cluster::nats::{Nats, read_addresses};
use page::Page;
use support::TIMEOUT;
use support::child::{self, CALM, Child};
use support::http;
use support::person::{Person, post};
use support::port::Port;
use support::smtp::Certificate;
use support::socket::Socket;
use support::uploads::urls;
use support::wait_until;

/// A program such as a proxy, which ends when this value is dropped.
struct Running(Process);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    /// Asks it to stop, and waits until it has ended.
    async fn stops(&mut self) {
        let kill = Command::new("kill").args(["-s", "TERM", &self.0.id().to_string()]).status().unwrap();
        assert!(kill.success());
        wait_until("it ends", || self.0.try_wait().unwrap().is_some()).await;
    }
}

/// Returns the program of a proxy, if it is installed.
fn program(name: &str) -> Option<String> {
    let named = std::env::var(name.to_uppercase()).ok();
    let folders = ["/usr/bin", "/usr/sbin", "/usr/local/bin"].map(|folder| format!("{folder}/{name}"));
    let found = named.into_iter().chain(folders).find(|path| Path::new(path).is_file());
    if found.is_none() {
        println!("{name} is not installed: nothing was tested");
    }
    found
}

/// Starts a program and waits until it listens.
async fn starts(mut command: Command, at: SocketAddr) -> Running {
    let started = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let running = Running(started.unwrap_or_else(|why| panic!("{command:?} does not start: {why}")));
    wait_until("it listens", || std::net::TcpStream::connect(at).is_ok()).await;
    running
}

/// Returns a file of `deploy/` with its addresses replaced. Each address must be in the file.
fn example(name: &str, changes: &[(&str, String)]) -> String {
    let mut text = std::fs::read_to_string(format!("deploy/{name}")).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{name}: {from}");
        text = text.replace(from, to);
    }
    text
}

/// Two users interact through the proxy at `at`, in front of the server at `server`.
async fn people_meet(at: SocketAddr, server: SocketAddr) -> [Person; 2] {
    let page = http::ask(at, "GET", "/", &[], "").await;
    assert!(page.header("Content-Security-Policy").is_some(), "{}", page.status);
    // Mellow sends this header itself if its public_url is https, so the proxy must not send it too.
    assert_eq!(page.header("Strict-Transport-Security"), None);
    assert_eq!(http::ask(at, "GET", "/healthz", &[], "").await.body, "up\n");
    // Only clients on this machine may read the figures. A client behind a proxy is not on it.
    assert_eq!(http::ask(server, "GET", "/metrics", &[], "").await.status, 200);
    assert!(!http::ask(at, "GET", "/metrics", &[], "").await.body.contains("mellow_sockets"));

    let (ana, ben) = (Person::signs_up(at, "Ana").await, Person::signs_up(at, "Ben").await);
    ben.follows(&ana).await;
    ana.asks("posts.create", post("through a proxy")).await;
    ben.sees_post("through a proxy").await;
    let url = urls(&ana.posts_picture("with a picture").await).remove(0);
    let picture = ben.fetches(&url).await;
    assert_eq!((picture.status, picture.header("Content-Type")), (200, Some("image/jpeg")));
    [ana, ben]
}

/// Mellow uses the address that the proxy sends, whatever header the client sends: it may have so many more sockets.
async fn an_address_is_full_after(more: usize, at: SocketAddr) {
    let mut open = Vec::new();
    for _ in 0..more {
        open.push(Socket::open(at, None).await);
    }
    for address in ["9.9.9.1", "9.9.9.2"] {
        let refused = http::handshake(at, &[("X-Forwarded-For", Some(address))]).await;
        assert_eq!(refused.status, 503, "as {address}");
    }
}

async fn server(at: SocketAddr, folder: &Path) -> Child {
    std::fs::create_dir(folder).unwrap();
    Child::starts(folder, &[("public_url", &format!("http://{at}")), ("sockets_per_address", "3")])
}

#[tokio::test]
async fn people_meet_behind_caddy() {
    let Some(caddy) = program("caddy") else { return };
    let (folder, port) = (tempfile::tempdir().unwrap(), Port::reserve());
    let at = port.at;
    let server = server(at, &folder.path().join("data")).await;
    let changes = [
        ("127.0.0.1:8080", server.at.to_string()),
        // Without a second listener for Caddy's own commands.
        ("{\n\tservers", "{\n\tadmin off\n\tservers".into()),
    ];
    let mut command = run_caddy(&caddy, folder.path(), &example("Caddyfile", &changes));
    // Without a certificate.
    command.env("MELLOW_PUBLIC_URL", format!("http://{at}"));
    let _proxy = starts(command, at).await;
    let _people = people_meet(at, server.at).await;
    // They have two of the three sockets of their address.
    an_address_is_full_after(1, at).await;
}

/// Returns the command that runs Caddy with this file.
fn run_caddy(caddy: &str, folder: &Path, text: &str) -> Command {
    let file = folder.join("Caddyfile");
    std::fs::write(&file, text).unwrap();
    let mut command = Command::new(caddy);
    command.args(["run", "--adapter", "caddyfile", "--config"]).arg(&file);
    command.env("XDG_DATA_HOME", folder).env("XDG_CONFIG_HOME", folder);
    command
}

#[tokio::test]
async fn people_meet_behind_nginx() {
    let Some(nginx) = program("nginx") else { return };
    let (folder, port) = (tempfile::tempdir().unwrap(), Port::reserve());
    let at = port.at;
    let server = server(at, &folder.path().join("data")).await;
    let elsewhere = Port::reserve();
    let changes = [
        ("\tlisten 80;\n\tlisten [::]:80;", format!("\tlisten {};", elsewhere.at)),
        ("\tlisten 443 ssl;\n\tlisten [::]:443 ssl;", format!("\tlisten {at};")),
        ("ssl_certificate ", "# ".into()),
        ("ssl_certificate_key ", "# ".into()),
        ("127.0.0.1:8080", server.at.to_string()),
    ];
    std::fs::write(folder.path().join("mellow.conf"), example("nginx.conf", &changes)).unwrap();
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {};\n", folder.path().join(kind).display()))
        .concat();
    let main = format!(
        "daemon off; master_process off; pid {0}/pid; error_log {0}/error.log;\n\
         events {{}}\nhttp {{\n{temporary}include {0}/mellow.conf;\n}}\n",
        folder.path().display()
    );
    std::fs::write(folder.path().join("main.conf"), main).unwrap();
    let mut command = Command::new(nginx);
    command.arg("-p").arg(folder.path()).arg("-e").arg(folder.path().join("error.log"));
    command.arg("-c").arg(folder.path().join("main.conf"));
    let _proxy = starts(command, at).await;
    let _people = people_meet(at, server.at).await;
    an_address_is_full_after(1, at).await;
}

/// The broker of the example, and what a home and its fronts need to use it.
struct Cluster {
    folder: tempfile::TempDir,
    certificate: Certificate,
    broker: Port,
    home: Port,
    fronts: [Port; 2],
    /// The address that people use; None if they use those of the processes.
    public: Option<SocketAddr>,
}

/// The processes of a cluster.
struct Processes {
    broker: Running,
    home: Running,
    fronts: [Running; 2],
}

impl Cluster {
    /// Makes keys as docs/operations.md says, and writes the file of the broker with them.
    fn new(public: Option<SocketAddr>) -> Self {
        let (folder, certificate) = (tempfile::tempdir().unwrap(), Certificate::new());
        let (broker, home, fronts) = (Port::reserve(), Port::reserve(), [Port::reserve(), Port::reserve()]);
        let path = |name: &str| folder.path().join(name);
        let made = child::program(folder.path()).args(["cluster-key", "cluster.key"]).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        let nkey = |name: &str| {
            let made = Command::new("deploy/nkey").arg(path(name)).output().unwrap();
            assert!(made.status.success(), "{made:?}");
            String::from_utf8(made.stdout).unwrap().trim().to_owned()
        };
        let changes = [
            ("10.0.0.5:4222", broker.at.to_string()),
            ("/etc/nats/broker.crt", certificate.path().display().to_string()),
            ("/etc/nats/broker.key", certificate.path().with_file_name("key.pem").display().to_string()),
            ("\"UHOME\"", format!("\"{}\"", nkey("home.nkey"))),
            ("\"UFRONT\"", format!("\"{}\"", nkey("front.nkey"))),
        ];
        std::fs::write(path("nats-server.conf"), example("nats-server.conf", &changes)).unwrap();
        Self { folder, certificate, broker, home, fronts, public }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn address(&self) -> String {
        format!("tls://{}", self.broker.at)
    }

    /// Returns a command that runs the program in the cluster, with the nkey of a role.
    fn command(&self, task: &str, role: &str, listen: SocketAddr) -> Command {
        let mut command = child::program(self.folder.path());
        command.args([task, "--listen", &listen.to_string(), "--workers", "2", "--cluster", &self.address()]);
        command.arg("--cluster-key-file").arg(self.path("cluster.key"));
        command.arg("--cluster-nkey-file").arg(self.path(&format!("{role}.nkey")));
        command.arg("--cluster-ca").arg(self.certificate.path());
        command
    }

    async fn broker(&self) -> Running {
        let mut command = Command::new("nats-server");
        command.arg("-c").arg(self.path("nats-server.conf"));
        starts(command, self.broker.at).await
    }

    async fn home(&self) -> Running {
        let mut command = self.command("serve", "home", self.home.at);
        command.arg("--data").arg(self.path("data"));
        if let Some(public) = self.public {
            command.args(["--public-url", &format!("http://{public}")]);
        }
        for (name, value) in CALM.iter().filter(|(name, _)| *name != "sockets_per_address") {
            command.arg(format!("--{}", name.replace('_', "-"))).arg(value);
        }
        command.args(["--sockets-per-address", "3"]);
        starts(command, self.home.at).await
    }

    async fn front(&self, number: usize) -> Running {
        let at = self.fronts[number].at;
        let mut command = self.command("front", "front", at);
        command.args(["--sockets-max", "0"]);
        let front = starts(command, at).await;
        answers(at, "/readyz", 200).await;
        front
    }

    async fn processes(&self) -> Processes {
        let (broker, home) = (self.broker().await, self.home().await);
        answers(self.home.at, "/readyz", 200).await;
        Processes { broker, home, fronts: [self.front(0).await, self.front(1).await] }
    }

    /// Returns how somebody with this nkey connects to the broker; None: with none.
    fn log_in(&self, role: Option<&str>) -> Nats {
        let seed = role.map(|role| std::fs::read_to_string(self.path(&format!("{role}.nkey"))).unwrap());
        Nats {
            brokers: read_addresses(&self.address()).unwrap(),
            seed: seed.map(|seed| seed.trim().to_owned()),
            ca: Some(self.certificate.path()),
            may_be_away: false,
        }
    }

    async fn link(&self, role: &str) -> Arc<dyn Link> {
        self.log_in(Some(role)).connect().await.unwrap()
    }
}

/// Waits until a request is answered with this status.
async fn answers(at: SocketAddr, path: &str, status: u16) {
    let begun = Instant::now();
    while http::ask(at, "GET", path, &[], "").await.status != status {
        assert!(begun.elapsed() < TIMEOUT, "{path} is not answered with {status}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Returns how many reasons the fronts had to close sockets: leases that ended, and requests without an answer. On a
/// busy machine there may be one at any time.
async fn reasons_to_close(cluster: &Cluster) -> u64 {
    let mut reasons = 0;
    for front in &cluster.fronts {
        for name in ["mellow_front_leases_lost_total", r#"mellow_asks_total{result="unanswered"}"#] {
            reasons += http::metric(front.at, name).await;
        }
    }
    reasons
}

/// Each process is replaced as docs/operations.md says. People miss nothing, and the home closes no socket.
async fn everything_is_replaced(cluster: &Cluster, processes: &mut Processes, [ana, ben]: &mut [Page; 2]) {
    for (number, front) in processes.fronts.iter_mut().enumerate() {
        front.stops().await;
        *front = cluster.front(number).await;
        let words = format!("after front {number}");
        ana.posts(&words).await;
        ben.sees_post(&words).await;
    }
    assert!(ana.returns > 0 && ben.returns > 0);

    let returns = [ana.returns, ben.returns];
    processes.home.stops().await;
    let asked = async {
        match cluster.public {
            Some(at) => http::ask(at, "GET", "/healthz", &[], "").await.body,
            None => "up\n".into(),
        }
    };
    let (body, _, home) = tokio::join!(asked, ana.posts("while the home is away"), cluster.home());
    processes.home = home;
    assert_eq!(body, "up\n", "the proxy waits for the home");
    ben.sees_post("while the home is away").await;
    if reasons_to_close(cluster).await == 0 {
        assert_eq!([ana.returns, ben.returns], returns);
    }

    processes.broker.stops().await;
    processes.broker = cluster.broker().await;
    ana.posts("over the next broker").await;
    ben.sees_post("over the next broker").await;
}

#[tokio::test]
async fn a_home_and_its_fronts_are_replaced_under_people_and_their_nkeys_say_who_may_publish() {
    let cluster = Cluster::new(None);
    let mut processes = cluster.processes().await;
    let home_at = cluster.home.at;
    let (ana, ben) = (Person::signs_up(home_at, "Ana").await, Person::signs_up(home_at, "Ben").await);
    ben.follows(&ana).await;
    let [first, second] = &cluster.fronts;
    let mut people = [Page::opens(ana, first.at).await, Page::opens(ben, second.at).await];
    everything_is_replaced(&cluster, &mut processes, &mut people).await;

    assert!(cluster.log_in(None).connect().await.is_err(), "nobody without an nkey");
    let untrusted = Nats { ca: None, ..cluster.log_in(Some("front")) };
    assert!(untrusted.connect().await.is_err(), "no broker whose certificate is not trusted");

    let (home, front) = (cluster.link("home").await, cluster.link("front").await);
    let mut asked = front.subscribe("mellow.*.at").await.unwrap();
    let mut at_front = front.subscribe("mellow.log").await.unwrap();
    let mut at_home = home.subscribe("mellow.>").await.unwrap();
    // Both subscribe in time: the home and the fronts that run publish all the while.
    while !at_home.next().await.unwrap().subject.ends_with(".at") {}
    at_front.next().await.unwrap();
    front.publish(Message::new("mellow.log", None, "forged"));
    front.publish(Message::new("mellow.0.at", None, "allowed"));
    loop {
        let message = at_home.next().await.unwrap();
        assert_ne!(message.bytes, "forged", "a front cannot publish events");
        if message.bytes == "allowed" {
            break;
        }
    }
    home.publish(Message::new("mellow.log", None, "of the home"));
    while at_front.next().await.unwrap().bytes != "of the home" {}
    assert!(asked.next().now_or_never().flatten().is_none(), "a front does not receive what others ask");
}

#[tokio::test]
async fn people_meet_at_fronts_behind_caddy_and_everything_is_replaced_under_them() {
    let Some(caddy) = program("caddy") else { return };
    let port = Port::reserve();
    let at = port.at;
    let cluster = Cluster::new(Some(at));
    let mut processes = cluster.processes().await;
    let changes = [
        // Without a certificate, and without a second listener for Caddy's own commands.
        ("\nmellow.example.org {", format!("\nhttp://{at} {{")),
        ("{\n\tservers", "{\n\tadmin off\n\tservers".into()),
        ("10.0.0.11:8081", cluster.fronts[0].at.to_string()),
        ("10.0.0.12:8081", cluster.fronts[1].at.to_string()),
        ("10.0.0.10:8080", cluster.home.at.to_string()),
    ];
    let text = example("Caddyfile.fronts", &changes);
    let _proxy = starts(run_caddy(&caddy, cluster.folder.path(), &text), at).await;
    let [ana, ben] = people_meet(at, cluster.home.at).await;
    for front in &cluster.fronts {
        assert_eq!(http::metric(front.at, "mellow_sockets").await, 1, "a person at each");
    }
    // Each front counts three sockets of an address.
    an_address_is_full_after(4, at).await;
    let mut people = [Page::opens(ana, at).await, Page::opens(ben, at).await];
    everything_is_replaced(&cluster, &mut processes, &mut people).await;
}

#[test]
fn systemd_accepts_the_service_files() {
    let Some(systemd) = program("systemd-analyze") else { return };
    let folder = tempfile::tempdir().unwrap();
    for name in ["mellow.service", "mellow-front.service"] {
        let file = folder.path().join(name);
        let text = example(name, &[("/usr/local/bin/mellow", env!("CARGO_BIN_EXE_mellow").into())]);
        std::fs::write(&file, text).unwrap();
        // The manual that it names is in the package.
        let verified = Command::new(&systemd).args(["verify", "--man=no"]).arg(&file).output().unwrap();
        let stderr = String::from_utf8_lossy(&verified.stderr);
        assert!(verified.status.success() && !stderr.contains(name), "{stderr}");
    }
}

#[test]
fn each_command_has_a_man_page_and_each_shell_its_completions() {
    let folder = tempfile::tempdir().unwrap();
    manual::write(folder.path()).unwrap();
    let page = |name: &str| std::fs::read_to_string(folder.path().join("man").join(name)).unwrap();
    assert!(page("mellow.1").contains("mellow"));
    for command in mellow::cli::command().get_subcommands() {
        let name = command.get_name();
        assert!(page(&format!("mellow-{name}.1")).contains(name), "{name}");
    }
    assert!(page("mellow-user-promote.1").contains("admin"));
    assert!(page("mellow-serve.1").contains("backup"));
    for name in ["mellow.1", "mellow-serve.1"] {
        let end = page(name);
        let end = end.split("\n.SH FILES\n").nth(1).expect(name);
        assert!(end.contains("/etc/mellow/mellow.toml") && end.contains("/var/lib/mellow"), "{end}");
        assert!(end.split("\n.SH EXAMPLE\n").nth(1).is_some_and(|end| end.contains("mellow check")), "{end}");
    }
    for shell in ["mellow.bash", "_mellow", "mellow.fish"] {
        let text = std::fs::read_to_string(folder.path().join("completions").join(shell)).unwrap();
        assert!(text.contains("restore") && text.contains("public-url"), "{shell}");
    }
}

#[test]
fn the_settings_file_of_a_package_has_every_setting_with_its_default() {
    let folder = tempfile::tempdir().unwrap();
    manual::write(folder.path()).unwrap();
    let path = folder.path().join("mellow.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let read = |path: &Path| {
        let mut settings = mellow::cli::read_settings(["mellow".into()], [], path).unwrap();
        assert!(settings.data == Path::new("/var/lib/mellow") || !path.exists());
        settings.data = "data".into();
        format!("{settings:?}")
    };
    let often = text.split("# ---- ").nth(1).unwrap();
    for name in ["public_url", "signup", "smtp_url", "smtp_from", "site_timezone"] {
        assert!(often.contains(&format!("\n#{name} = ")), "{name} is under the first heading");
    }
    let defaults = read(Path::new("no file"));
    assert_eq!(read(&path), defaults, "all but the data folder are comments");
    // A comment of a setting begins without a space.
    let bare = text.lines().map(|line| match line.strip_prefix('#') {
        Some(rest) if !rest.starts_with(' ') => format!("{rest}\n"),
        _ => format!("{line}\n"),
    });
    std::fs::write(&path, bare.collect::<String>()).unwrap();
    assert_eq!(read(&path), defaults, "each value is the default");
    for (name, _, _) in mellow::settings::table() {
        assert!(text.contains(&format!("\n{name} = ")) || text.contains(&format!("\n#{name} = ")), "{name}");
    }
}

#[test]
fn the_containers_have_one_name_to_change_and_the_caddyfile_of_a_host() {
    let compose = example("compose.yaml", &[]);
    let lines: Vec<&str> = compose.lines().map(str::trim).filter(|line| !line.starts_with('#')).collect();
    let named = lines.iter().filter(|line| line.contains("mellow.example.org"));
    assert_eq!(named.collect::<Vec<_>>(), [&"x-address: &address https://mellow.example.org"]);
    assert_eq!(lines.iter().filter(|line| **line == "MELLOW_PUBLIC_URL: *address").count(), 2);
    assert!(lines.contains(&"- ./Caddyfile:/etc/caddy/Caddyfile:ro"));
    let caddyfile = example("Caddyfile", &[]);
    assert!(caddyfile.contains("\n{$MELLOW_PUBLIC_URL:mellow.example.org} {\n"));
    // Caddy finds Mellow by its name, and Mellow believes what comes from their network alone.
    assert!(caddyfile.contains("reverse_proxy {$MELLOW_AT:127.0.0.1:8080} {"));
    assert!(lines.contains(&"MELLOW_AT: mellow:8080") && lines.contains(&"MELLOW_LISTEN: 0.0.0.0:8080"));
    assert!(lines.contains(&"MELLOW_TRUSTED_PROXIES: &network 172.30.81.0/29"));
    assert!(lines.contains(&"- subnet: *network"));
}

#[test]
fn the_package_has_each_example_and_starts_no_front() {
    let manifest = std::fs::read_to_string("Cargo.toml").unwrap();
    for entry in std::fs::read_dir("deploy").unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        // Containers are made from the archive, which has all files.
        let is_for_archive = matches!(&name[..], "debian" | "Dockerfile" | "compose.yaml");
        assert!(is_for_archive || manifest.contains(&format!("/{name}\", \"")), "{name}");
    }
    // cargo-deb enables and starts each unit in this folder.
    let units: Vec<&str> = manifest.lines().filter(|line| line.contains("usr/lib/systemd/system/")).collect();
    assert!(matches!(units[..], [one] if one.contains("/mellow.service")), "{units:?}");
}

#[test]
fn each_file_of_the_package_that_is_not_generated_exists() {
    let manifest = std::fs::read_to_string("Cargo.toml").unwrap();
    let assets = manifest.split("\nassets = [\n").nth(1).unwrap().split("\n]\n").next().unwrap();
    let sources = assets.lines().filter_map(|line| line.split('"').nth(1));
    let kept: Vec<&str> = sources.filter(|source| !source.starts_with("target/")).collect();
    assert!(kept.len() >= 5, "{kept:?}");
    for source in kept {
        assert!(Path::new(source).is_file(), "{source}");
    }
}
