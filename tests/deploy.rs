//! The examples of `deploy/`, with the real proxies in front of the real program, and what comes with a package. If a
//! proxy is not installed, its test says so and tests nothing. `CADDY` and `NGINX` are the paths of programs elsewhere.
#![expect(clippy::unwrap_used, reason = "a failed step ends the test")]

#[path = "../examples/manual.rs"]
#[expect(dead_code, reason = "a test calls what its main function calls")]
mod manual;
mod support;

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child as Process, Command, Stdio};

use support::child::Child;
use support::http;
use support::person::{Person, post};
use support::port::Port;
use support::socket::Socket;
use support::uploads::urls;
use support::wait_until;

/// A proxy, which ends when this value is dropped.
struct Proxy(Process);

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
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

/// Starts a proxy and waits until it listens.
async fn starts(mut command: Command, at: SocketAddr) -> Proxy {
    let proxy = Proxy(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    wait_until("the proxy listens", || std::net::TcpStream::connect(at).is_ok()).await;
    proxy
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
async fn people_meet(at: SocketAddr, server: SocketAddr) {
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

    // Mellow uses the address that the proxy sends, whatever header the client sends. Ana and Ben have two of the three
    // sockets of their address.
    let _third = Socket::open(at, None).await;
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
    let file = folder.path().join("Caddyfile");
    std::fs::write(&file, example("Caddyfile", &changes)).unwrap();
    let mut command = Command::new(caddy);
    command.args(["run", "--adapter", "caddyfile", "--config"]).arg(&file);
    command.env("XDG_DATA_HOME", folder.path()).env("XDG_CONFIG_HOME", folder.path());
    // Without a certificate.
    command.env("MELLOW_PUBLIC_URL", format!("http://{at}"));
    let _proxy = starts(command, at).await;
    people_meet(at, server.at).await;
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
    people_meet(at, server.at).await;
}

#[test]
fn systemd_accepts_the_service_file() {
    let Some(systemd) = program("systemd-analyze") else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mellow.service");
    let text = example("mellow.service", &[("/usr/local/bin/mellow", env!("CARGO_BIN_EXE_mellow").into())]);
    std::fs::write(&file, text).unwrap();
    // The manual that it names is in the package.
    let verified = Command::new(systemd).args(["verify", "--man=no"]).arg(&file).output().unwrap();
    let stderr = String::from_utf8_lossy(&verified.stderr);
    assert!(verified.status.success() && !stderr.contains("mellow.service"), "{stderr}");
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
