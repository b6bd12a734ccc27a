//! S18: one network address has limits for HTTP, and others are answered meanwhile.

use std::net::SocketAddr;

use futures_util::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::connections::Held;
use crate::support::child::Child;
use crate::support::person::Person;
use crate::support::server::TestServer;
use crate::support::{TIMEOUT, http};

async fn status(at: SocketAddr, path: &str, from: &str) -> u16 {
    http::ask(at, "GET", path, &[("X-Forwarded-For", from)], "").await.status
}

#[tokio::test]
async fn s18_a_refused_handshake_counts_like_any_request() {
    let server = TestServer::with_manual_clock(&["http_requests_per_minute=3"]).await;
    let upgrade = [("Connection", "Upgrade"), ("Upgrade", "websocket")];
    for (method, path, origin, from, refused_with) in [
        ("GET", "/ws", "http://evil.example", "203.0.113.1", 403),
        ("POST", "/ws", "http://evil.example", "203.0.113.2", 405),
        ("GET", "/nowhere", "http://evil.example", "203.0.113.3", 404),
        ("CONNECT", "evil.example:443", "http://evil.example", "203.0.113.4", 405),
    ] {
        let headers = [upgrade[0], upgrade[1], ("Origin", origin), ("X-Forwarded-For", from)];
        let ask = async || http::ask(server.at, method, path, &headers, "").await;
        for _ in 0..3 {
            assert_eq!(ask().await.status, refused_with, "{method} {path}");
        }
        let response = ask().await;
        assert_eq!((response.status, response.header("Retry-After")), (429, Some("20")), "{method} {path}");
        assert_eq!(status(server.at, "/healthz", from).await, 429);
    }
    assert_eq!(status(server.at, "/healthz", "203.0.113.9").await, 200);
}

#[tokio::test]
async fn s18_each_visitor_of_a_proxy_has_a_limit_of_their_own_however_the_proxy_writes_addresses() {
    let server = TestServer::with_manual_clock(&["http_requests_per_minute=1"]).await;
    for (of_one, of_another) in [
        (["203.0.113.1:50001", "203.0.113.1:50002"], "203.0.113.2:50001"),
        (["\"203.0.113.3\"", "203.0.113.3"], "\"203.0.113.4\""),
        (["[2001:db8:1::1]", "[2001:db8:1::2]:443"], "[2001:db8:2::1]"),
        (["\"[2001:db8:3::1]:50001\"", "2001:db8:3::1"], "\"[2001:db8:4::1]:50001\""),
        (["1.2.3.4, 203.0.113.5:1", "9.9.9.9, 203.0.113.5:2"], "203.0.113.6"),
    ] {
        assert_eq!(status(server.at, "/healthz", of_one[0]).await, 200, "{of_one:?}");
        assert_eq!(status(server.at, "/healthz", of_one[1]).await, 429, "{of_one:?}");
        assert_eq!(status(server.at, "/healthz", of_another).await, 200, "{of_another}");
    }
}

/// Sends a request from this address of the machine. Returns the status.
async fn status_at(own: [u8; 4], at: SocketAddr, from: &str) -> u16 {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((own, 0).into()).unwrap();
    let mut stream = socket.connect(at).await.unwrap();
    let head = format!("GET /healthz HTTP/1.1\r\nHost: {at}\r\nX-Forwarded-For: {from}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut begun = [0; 12];
    stream.read_exact(&mut begun).await.unwrap();
    std::str::from_utf8(&begun[9..]).unwrap().parse().unwrap()
}

#[tokio::test]
async fn s18_whoever_forges_the_header_of_a_proxy_is_counted_as_themselves() {
    let (proxy, ben) = ([127, 0, 0, 2], [127, 0, 0, 3]);
    let settings = ["http_requests_per_minute=2", "trusted_proxies=10.0.0.0/8, 127.0.0.2"];
    let server = TestServer::with_manual_clock(&settings).await;
    for (number, expected) in [(1, 200), (2, 200), (3, 429), (4, 429)] {
        let forged = format!("203.0.113.{number}");
        assert_eq!(status_at(ben, server.at, &forged).await, expected, "Ben as {forged}");
    }
    // What Ben claimed to be is not counted. Ana comes through the proxy, and each visitor of it is one address.
    for (visitor, expected) in [
        ("203.0.113.1", 200),
        ("127.0.0.3, 203.0.113.1", 200),
        ("203.0.113.9, 203.0.113.1", 429),
        ("203.0.113.2", 200),
    ] {
        assert_eq!(status_at(proxy, server.at, visitor).await, expected, "{visitor}");
    }
    // Ben behind the proxy is still Ben.
    assert_eq!(status_at(proxy, server.at, "127.0.0.3").await, 429);
}

#[tokio::test]
async fn s18_a_socket_behind_a_forged_header_takes_a_place_of_its_own_address() {
    let server = TestServer::with(&["sockets_per_address=1", "trusted_proxies="]).await;
    let _held = Held::open(server.at, "203.0.113.1").await.expect("a place");
    assert_eq!(Held::open(server.at, "203.0.113.2").await.err(), Some(503));
}

#[tokio::test]
async fn the_host_reads_once_that_the_visitors_of_the_proxy_cannot_be_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let server =
        Child::starts_with_log(folder.path(), &[("log", "info")], std::fs::File::create(&log).unwrap());
    let ask = async |name: &'static str, value: &'static str| {
        http::ask(server.at, "GET", "/healthz", &[(name, value)], "").await.status
    };
    assert_eq!(ask("X-Forwarded-For", "203.0.113.7:50123").await, 200);
    for _ in 0..3 {
        assert_eq!(ask("X-Forwarded-For", "for=203.0.113.7").await, 200);
        assert_eq!(ask("Forwarded", "for=203.0.113.7").await, 200);
    }
    let log = std::fs::read_to_string(log).unwrap();
    let unread = log.lines().filter(|line| line.contains("is no network address")).collect::<Vec<_>>();
    assert!(matches!(unread[..], [one] if one.contains("aaa=000.0.000.0")), "{log}");
    assert_eq!(log.matches("the proxy sends no X-Forwarded-For").count(), 1, "{log}");
    assert!(!log.contains("203.0.113.7"), "{log}");
}

#[tokio::test]
async fn s18_the_beginning_of_a_second_request_does_not_keep_a_connection_open() {
    let server = TestServer::new().await;
    let mut stream = TcpStream::connect(server.at).await.unwrap();
    stream
        .write_all(format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", server.at).as_bytes())
        .await
        .unwrap();
    let mut response = Vec::new();
    while !response.ends_with(b"up\n") {
        assert!(stream.read_buf(&mut response).await.unwrap() > 0);
    }
    // The server may have ended the connection already.
    let _ = stream.write_all(b"GET /heal").await;
    let end = tokio::time::timeout(TIMEOUT, stream.read_to_end(&mut response)).await;
    assert!(end.is_ok(), "the connection is still open");
}

#[tokio::test]
async fn s18_all_addresses_of_one_network_have_ten_times_the_limit_of_one_address() {
    let server = TestServer::with(&["sockets_per_address=2", "http_connections_per_address=2"]).await;
    let mut sockets = Vec::new();
    for number in 0..20 {
        let from = format!("2001:db8:1:{}::1", number / 2);
        sockets.push(Held::open(server.at, &from).await.expect("a place"));
    }
    assert_eq!(Held::open(server.at, "2001:db8:1:ff::1").await.err(), Some(503));
    let _elsewhere = Held::open(server.at, "2001:db8:2:ff::1").await.expect("a place of another network");

    let page = http::ask(server.at, "GET", "/", &[], "").await.body;
    let script = large_script(&page);
    let mut readers = Vec::new();
    for number in 0..20 {
        let from = format!("2001:db8:1:{}::1", number / 2);
        readers.push(reads_nothing(server.at, script, &from).await);
    }
    assert_eq!(status(server.at, "/healthz", "2001:db8:1:ff::1").await, 429);
    assert_eq!(status(server.at, "/healthz", "2001:db8:2:ff::1").await, 200);
}

/// Returns the path of a file that is larger than the buffers of the kernel.
fn large_script(page: &str) -> &str {
    let script = page.split('"').find(|part| part.starts_with("/assets/index-") && part.ends_with(".js"));
    script.expect("the web app is built before it is tested")
}

/// Requests a large file, and reads nothing of the response after its beginning.
async fn reads_nothing(at: SocketAddr, path: &str, from: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    let mut stream = socket.connect(at).await.unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nHost: {at}\r\nX-Forwarded-For: {from}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut begun = [0; 12];
    stream.read_exact(&mut begun).await.unwrap();
    assert_eq!(&begun, b"HTTP/1.1 200");
    stream
}

#[tokio::test]
async fn s18_others_are_answered_beside_470_clients_that_read_nothing_and_these_are_cut() {
    let folder = tempfile::tempdir().unwrap();
    let server = Child::starts(folder.path(), &[("http_connections_per_address", "47")]);
    let ana = Person::signs_up(server.at, "Ana").await;
    let ben = Person::signs_up(server.at, "Ben").await;
    ben.follows(&ana).await;
    let page = http::ask(server.at, "GET", "/", &[], "").await.body;
    let script = large_script(&page);

    let addresses: Vec<String> = (1..=10).map(|number| format!("203.0.113.{number}")).collect();
    let mut readers = Vec::new();
    for from in &addresses {
        readers.extend(join_all((0..47).map(|_| reads_nothing(server.at, script, from))).await);
        assert_eq!(status(server.at, "/healthz", from).await, 429);
    }
    assert_eq!(status(server.at, "/healthz", "198.51.100.1").await, 200);
    assert_eq!(status(server.at, "/readyz", "198.51.100.1").await, 200);
    ana.posts("good morning").await;
    ben.sees_post("good morning").await;

    // The kernel cuts each of these connections, and their places are free again.
    let all_are_cut = async {
        for from in &addresses {
            while status(server.at, "/healthz", from).await != 200 {}
        }
    };
    tokio::time::timeout(2 * TIMEOUT, all_are_cut).await.expect("places that are free again");
    assert_eq!(readers.len(), 470, "none of them ended by itself");
}
