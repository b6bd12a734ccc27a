//! Opening connections: allowed origins, limits, and guests.

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::http::{self, handshake};
use crate::support::person::PASSWORD;
use crate::support::raw::Raw;
use crate::support::server::TestServer;
use crate::support::socket::Socket;
use crate::support::value::{key, pack};

#[tokio::test]
async fn s4_only_our_own_pages_open_a_socket() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let cookie = format!("mellow={}", ana.cookie);
    let (at, port) = (server.at, server.at.port());
    let own = format!("http://{at}");
    assert_eq!(handshake(at, &[("Cookie", Some(&cookie))]).await.status, 101);
    for origin in [
        None,
        Some("null"),
        Some(""),
        Some("http://evil.example"),
        Some(&*format!("https://{at}")),
        Some(&*format!("{own}.evil.example")),
        Some(&*format!("{own}0")),
        Some(&*format!("{own}/")),
        Some(&*format!("http://evil.example/{own}")),
        Some(&*format!("http://127.0.0.1:{}", port.wrapping_add(1))),
        Some("http://127.0.0.1"),
        Some(&*format!("http://localhost:{port}")),
    ] {
        let response = handshake(at, &[("Origin", origin), ("Cookie", Some(&cookie))]).await;
        assert_eq!(response.status, 403, "Origin {origin:?}");
        assert_eq!(response.header("Upgrade"), None);
    }
}

#[tokio::test]
async fn s4_two_origins_two_hosts_or_early_bytes_open_no_socket() {
    let server = TestServer::new().await;
    let (at, own) = (server.at.to_string(), format!("http://{}", server.at));
    let usual = [
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("Sec-WebSocket-Protocol", "mellow.1"),
    ];
    let ask = async |named: &[(&str, &str)]| {
        let headers = [&usual[..], named].concat();
        http::ask(server.at, "GET", "/ws", &headers, "").await.status
    };
    assert_eq!(ask(&[("Host", &at), ("Origin", &own)]).await, 101);
    for second in [own.as_str(), "http://evil.example"] {
        assert_eq!(ask(&[("Host", &at), ("Origin", &own), ("Origin", second)]).await, 403);
        assert_eq!(ask(&[("Host", &at), ("Origin", second), ("Origin", &own)]).await, 403);
    }
    // Bytes follow the head. No client may send before it has the response.
    assert_eq!(ask(&[("Host", &at), ("Origin", &format!("{own}\r\n\r\nearly"))]).await, 400);
    let status = ask(&[("Host", &at), ("Host", &at), ("Origin", &own)]).await;
    // The HTTP library itself refuses this request.
    assert!(matches!(status, 400 | 403), "{status}");
}

/// The response to a request comes before the response to the next one (RFC 9112, 9.3.2).
#[tokio::test]
async fn s4_a_handshake_that_follows_another_request_at_once_opens_no_socket() {
    let server = TestServer::new().await;
    let at = server.at;
    let both = format!(
        "GET /healthz HTTP/1.1\r\nHost: {at}\r\n\r\nGET /ws HTTP/1.1\r\nHost: {at}\r\nOrigin: http://{at}\r\n\
         Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mellow.1\r\n\r\n"
    );
    let mut stream = tokio::net::TcpStream::connect(at).await.unwrap();
    stream.write_all(both.as_bytes()).await.unwrap();
    let mut responses = String::new();
    stream.read_to_string(&mut responses).await.unwrap();
    let statuses: Vec<&str> = responses.split("HTTP/1.1 ").skip(1).map(|response| &response[..3]).collect();
    assert_eq!(statuses, ["200", "400"]);
}

#[tokio::test]
async fn an_upgrade_on_another_path_or_to_another_protocol_is_not_found() {
    let server = TestServer::new().await;
    let own = format!("http://{}", server.at);
    let headers = [
        ("Origin", own.as_str()),
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("Sec-WebSocket-Protocol", "mellow.1"),
    ];
    for (method, path, status) in [
        ("GET", "/nowhere", 404),
        ("GET", "/ws/", 404),
        ("GET", "/", 404),
        ("POST", "/nowhere", 405),
        ("POST", "/ws", 405),
        ("CONNECT", "/ws", 405),
    ] {
        let response = http::ask(server.at, method, path, &headers, "").await;
        assert_eq!(response.status, status, "{method} {path}");
        assert!(response.header("Content-Security-Policy").is_some(), "{method} {path}");
    }
    // The path of the socket without an upgrade is not found either.
    let response = http::ask(server.at, "GET", "/ws", &[("Origin", &own)], "").await;
    assert_eq!(response.status, 400);
    assert_eq!(http::ask(server.at, "GET", "/ws", &[], "").await.status, 403);
}

#[tokio::test]
async fn s4_a_foreign_host_name_for_this_address_is_refused() {
    let server = TestServer::new().await;
    let port = server.at.port();
    for host in
        ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.1.nip.io", "mellow", ""]
    {
        let host = format!("{host}:{port}");
        let origin = format!("http://{host}");
        let response = handshake(server.at, &[("Host", Some(&host)), ("Origin", Some(&origin))]).await;
        assert!(matches!(response.status, 400 | 403), "Host {host} got {}", response.status);
    }
    for host in ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"] {
        let host = format!("{host}:{port}");
        let origin = format!("http://{}", host.to_lowercase());
        let response = handshake(server.at, &[("Host", Some(&host)), ("Origin", Some(&origin))]).await;
        assert_eq!(response.status, 101, "Host {host}");
    }
}

#[tokio::test]
async fn s4_with_a_public_url_only_that_host_name_is_accepted() {
    let server = TestServer::with(&["public_url=https://mellow.example.org"]).await;
    let ask = |host: &'static str, origin: &'static str| async move {
        handshake(server.at, &[("Host", Some(host)), ("Origin", Some(origin))]).await.status
    };
    assert_eq!(ask("mellow.example.org", "https://mellow.example.org").await, 101);
    for (host, origin) in [
        ("mellow.example.org", "http://mellow.example.org"),
        ("mellow.example.org", "https://mellow.example.org.evil.example"),
        ("mellow.example.org", "https://a.mellow.example.org"),
        ("mellow.example.org", "https://mellow.example.org:444"),
        ("other.example.org", "https://mellow.example.org"),
        ("localhost", "http://localhost"),
        ("127.0.0.1", "http://127.0.0.1"),
    ] {
        assert_eq!(ask(host, origin).await, 403, "{host} {origin}");
    }
}

#[tokio::test]
async fn s4_people_reach_a_host_name_that_is_typed_in_another_form_than_browsers_send() {
    for typed in ["https://müsli.example", "https://MÜSLI.example:443/", "https://müsli.example."] {
        let server = TestServer::with(&[&format!("public_url={typed}")]).await;
        let ask = |host: &'static str, origin: &'static str| async move {
            handshake(server.at, &[("Host", Some(host)), ("Origin", Some(origin))]).await.status
        };
        // The last one is sent by the browser of somebody who typed a full stop at the end.
        for (host, origin) in [
            ("xn--msli-0ra.example", "https://xn--msli-0ra.example"),
            ("XN--MSLI-0RA.example:443", "https://xn--msli-0ra.example"),
            ("xn--msli-0ra.example.", "https://xn--msli-0ra.example."),
        ] {
            assert_eq!(ask(host, origin).await, 101, "{typed}: {host} {origin}");
        }
        for (host, origin) in [
            ("xn--msli-0ra.example..", "https://xn--msli-0ra.example.."),
            ("xn--msli-0ra.example.:80", "https://xn--msli-0ra.example"),
            ("xn--msli-0ra.example", "https://xn--msli-0ra.example.evil.example"),
            ("xn--msli-0ra.example", "http://xn--msli-0ra.example"),
            ("xn--msli-0ra.example", "https://xn--msli-0ra.example:80"),
            ("musli.example", "https://musli.example"),
        ] {
            assert_eq!(ask(host, origin).await, 403, "{typed}: {host} {origin}");
        }
    }
}

#[tokio::test]
async fn s4_the_cookie_is_set_and_cleared_only_for_our_own_pages() {
    let server = TestServer::new().await;
    let guest = server.guest().await;
    let fields = json!({ "key": key(), "email": "a@example.org", "password": PASSWORD, "name": null });
    let ticket = guest.asks("auth.sign_up", fields).await.unwrap()["ticket"].as_str().unwrap().to_owned();
    for path in ["/session", "/session/end"] {
        for headers in [vec![], vec![("Origin", "null")], vec![("Origin", "http://evil.example")]] {
            let response = http::ask(server.at, "POST", path, &headers, &ticket).await;
            assert_eq!((response.status, response.header("Set-Cookie")), (403, None), "{path} {headers:?}");
        }
    }
    let own = format!("http://{}", server.at);
    let response = http::ask(server.at, "POST", "/session", &[("Origin", &own)], &ticket).await;
    assert_eq!(response.status, 204, "refusals did not use the ticket up");
    for method in ["GET", "PUT", "DELETE", "OPTIONS"] {
        let response = http::ask(server.at, method, "/session", &[("Origin", &own)], "").await;
        assert!(
            response.header("Set-Cookie").is_none()
                && response.header("Access-Control-Allow-Origin").is_none()
        );
    }
}

#[tokio::test]
async fn a_socket_names_its_protocol() {
    let server = TestServer::new().await;
    for offered in [None, Some(""), Some("mellow"), Some("mellow.10"), Some("chat, mellow.2")] {
        let response = handshake(server.at, &[("Sec-WebSocket-Protocol", offered)]).await;
        assert_eq!(response.status, 400, "{offered:?}");
    }
    let response = handshake(server.at, &[("Sec-WebSocket-Protocol", Some("chat, mellow.1"))]).await;
    assert_eq!((response.status, response.header("Sec-WebSocket-Protocol")), (101, Some("mellow.1")));
    assert_eq!(response.header("Sec-WebSocket-Extensions"), None, "no compression beside secrets");
}

#[tokio::test]
async fn an_invalid_handshake_is_refused() {
    let server = TestServer::new().await;
    for missing in ["Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version"] {
        let status = handshake(server.at, &[(missing, None)]).await.status;
        assert!((400..500).contains(&status), "without {missing}: {status}");
    }
}

#[tokio::test]
async fn a_guest_may_sign_in_and_probe_and_nothing_else() {
    let server = TestServer::new().await;
    let guest = server.guest().await;
    guest.asks("live.probe", json!({})).await.unwrap();
    for (op, fields) in [
        ("posts.feed", json!({})),
        ("profiles.get", json!({ "user_id": 1 })),
        ("search.names", json!({ "term": "A" })),
        ("auth.log_out", json!({})),
        ("live.resume", json!({ "epoch": "x", "seq": 0, "posts": [], "profiles": [] })),
        ("live.leave", json!({ "posts": [], "profiles": [] })),
    ] {
        let no = guest.asks(op, fields).await.unwrap_err();
        assert_eq!((no.code.as_str(), no.retry_ms), ("not_signed_in", None), "{op}");
        assert_eq!(no.message, "You need to be logged in to view this page");
    }
}

#[tokio::test]
async fn a_guest_may_send_twenty_requests() {
    let server = TestServer::new().await;
    let guest = server.guest().await;
    for _ in 0..20 {
        guest.asks("live.probe", json!({})).await.unwrap();
    }
    guest.sends("live.probe", json!({})).await;
    assert_eq!(guest.close_code().await, 1008);
}

#[tokio::test]
async fn w4_a_guests_message_may_have_four_kib() {
    let server = TestServer::new().await;
    let request = |bytes: usize| {
        let empty = pack(&json!({ "id": 1, "op": "live.probe", "pad": "" })).len();
        // A text over 255 bytes has two more bytes in its header.
        pack(&json!({ "id": 1, "op": "live.probe", "pad": "x".repeat(bytes - empty - 2) }))
    };
    let guest = server.guest().await;
    assert_eq!(request(4_096).len(), 4_096);
    guest.send_bytes(request(4_096)).await;
    guest.reply_to(1).await.unwrap();
    guest.send_bytes(request(4_097)).await;
    assert_eq!(guest.close_code().await, 1009);
}

#[tokio::test]
async fn a_full_server_says_so_and_when_to_retry() {
    let server = TestServer::with(&["sockets_max=2"]).await;
    let (first, second) = (server.guest().await, server.guest().await);
    let response = handshake(server.at, &[]).await;
    assert_eq!((response.status, response.header("Retry-After")), (503, Some("10")));
    drop(first);
    // A place is free when the server has noticed the end of the connection.
    let third = loop {
        match Socket::try_open(server.at, None).await {
            Ok(third) => break third,
            Err(status) => assert_eq!(status, 503),
        }
    };
    third.hello().await;
    second.asks("live.probe", json!({})).await.unwrap();
}

#[tokio::test]
async fn sockets_of_one_login_and_one_address_are_limited() {
    let server = TestServer::with(&["sockets_per_login=2"]).await;
    let ana = server.person("Ana").await;
    let _tab = ana.opens_another_tab().await;
    assert_eq!(Socket::try_open(server.at, Some(&ana.cookie)).await.err(), Some(503));
    ana.logs_in_on_phone().await;

    let server = TestServer::with(&["sockets_per_address=2"]).await;
    let _held = (server.guest().await, server.guest().await);
    assert_eq!(Socket::try_open(server.at, None).await.err(), Some(503));
    // A proxy on this machine sends the address of its client.
    assert_eq!(handshake(server.at, &[("X-Forwarded-For", Some("203.0.113.9"))]).await.status, 101);
}

#[tokio::test]
async fn a_closed_socket_is_no_longer_counted() {
    let server = TestServer::new().await;
    for _ in 0..20 {
        let mut raw = Raw::open(server.at, None).await;
        raw.sends(&[0xff; 20]).await;
        raw.close_code().await;
        drop(raw);
        drop(server.guest().await);
    }
    let time_limit = std::time::Instant::now();
    while http::metric(server.at, "mellow_sockets").await > 0 {
        assert!(
            time_limit.elapsed() < crate::support::TIMEOUT,
            "sockets that nobody holds are still counted"
        );
    }
}

#[tokio::test]
async fn s11_every_response_has_a_content_policy() {
    let server = TestServer::new().await;
    for path in ["/", "/healthz", "/readyz", "/metrics", "/assets/none.js", "/none.png", "/some/page"] {
        let response = http::ask(server.at, "GET", path, &[], "").await;
        let policy =
            response.header("Content-Security-Policy").unwrap_or_else(|| panic!("{path} has no policy"));
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(response.header("X-Content-Type-Options"), Some("nosniff"), "{path}");
        assert_eq!(response.header("Access-Control-Allow-Origin"), None, "{path}");
        assert!(response.header("Permissions-Policy").unwrap().contains("geolocation=()"), "{path}");
        assert_eq!(response.header("Strict-Transport-Security"), None, "{path}: not over http");
    }
    let server = TestServer::with(&["public_url=https://mellow.example.org"]).await;
    for path in ["/", "/healthz", "/media/none", "/some/page"] {
        let response = http::ask(server.at, "GET", path, &[], "").await;
        assert_eq!(response.header("Strict-Transport-Security"), Some("max-age=31536000"), "{path}");
    }
}

#[tokio::test]
async fn figures_are_refused_to_a_foreign_host_name_for_this_machine() {
    let server = TestServer::new().await;
    let port = server.at.port();
    for (host, is_same_machine) in [
        ("localhost", true),
        ("127.0.0.1", true),
        ("[::1]", true),
        ("evil.example", false),
        ("192.0.2.7", false),
    ] {
        let host = format!("{host}:{port}");
        let response = http::ask(server.at, "GET", "/metrics", &[("Host", &host)], "").await;
        assert_eq!(response.body.contains("mellow_sockets"), is_same_machine, "{host}");
    }
}

#[tokio::test]
async fn logging_out_clears_the_pictures_that_the_browser_kept() {
    let server = TestServer::new().await;
    let own = format!("http://{}", server.at);
    let response = http::ask(server.at, "POST", "/session/end", &[("Origin", &own)], "").await;
    assert_eq!((response.status, response.header("Clear-Site-Data")), (204, Some("\"cache\"")));
}

#[tokio::test]
async fn the_service_worker_and_the_manifest_are_revalidated_and_the_page_has_its_build() {
    let server = TestServer::new().await;
    for (path, kind) in [
        ("/sw.js", "text/javascript; charset=utf-8"),
        ("/manifest.webmanifest", "application/manifest+json"),
        ("/icons/192.png", "image/png"),
        ("/icons/512.png", "image/png"),
        ("/icons/maskable-512.png", "image/png"),
    ] {
        let response = http::ask(server.at, "GET", path, &[("Accept-Encoding", "br")], "").await;
        assert_eq!(response.status, 200, "the web app is built before it is tested: {path}");
        assert_eq!(response.header("Content-Type"), Some(kind), "{path}");
        // If a browser kept the worker for long, it would keep an old app.
        assert_eq!(response.header("Cache-Control"), Some("no-cache"), "{path}");
        let policy = response.header("Content-Security-Policy").unwrap();
        assert!(policy.contains("worker-src 'self'") && policy.contains("manifest-src 'self'"), "{policy}");
    }
    let page = http::ask(server.at, "GET", "/", &[], "").await.body;
    let hello = server.guest().await.hello().await;
    let build = hello["build"].as_str().unwrap();
    assert!(page.contains(&format!("<meta name=\"mellow:build\" content=\"{build}\" />")), "{page}");
}

#[tokio::test]
async fn a_file_is_sent_only_in_an_encoding_that_the_browser_accepts() {
    let server = TestServer::new().await;
    let page = http::ask(server.at, "GET", "/", &[], "").await.body;
    let script = page.split('"').find(|part| part.starts_with("/assets/index-") && part.ends_with(".js"));
    let script = script.expect("the web app is built before it is tested");
    for (accepts, sent) in [
        ("gzip, deflate, br, zstd", Some("br")),
        ("br, gzip", Some("br")),
        ("gzip", Some("gzip")),
        ("GZIP", Some("gzip")),
        ("br;q=0", None),
        ("br;q=0, gzip", Some("gzip")),
        ("br; q=0.0, gzip ;q=0.5", Some("gzip")),
        ("br;q=0.1, gzip;q=0.9", Some("gzip")),
        ("gzip;q=0, br;q=0", None),
        ("identity", None),
        ("*;q=0", None),
        ("brotli", None),
        ("xbr", None),
        ("", None),
    ] {
        let response = http::ask(server.at, "GET", script, &[("Accept-Encoding", accepts)], "").await;
        assert_eq!((response.status, response.header("Content-Encoding")), (200, sent), "{accepts}");
        assert_eq!(response.header("Vary"), Some("Accept-Encoding"));
    }
}

#[tokio::test]
async fn the_server_reports_that_it_is_up_and_that_it_can_commit() {
    let server = TestServer::new().await;
    assert_eq!(http::ask(server.at, "GET", "/healthz", &[], "").await.status, 200);
    assert_eq!(http::ask(server.at, "GET", "/readyz", &[], "").await.status, 200);
    let before = http::metric(server.at, "mellow_events_total").await;
    let ana = server.person("Ana").await;
    ana.posts("hello").await;
    assert_eq!(http::metric(server.at, "mellow_events_total").await, before + 1);
    let far = http::ask(server.at, "GET", "/metrics", &[("X-Forwarded-For", "203.0.113.9")], "").await;
    assert!(!far.body.contains("mellow_sockets"), "figures are for this machine");
}

#[tokio::test]
async fn a_body_over_four_kib_is_refused() {
    let server = TestServer::new().await;
    let own = format!("http://{}", server.at);
    let response = http::ask(server.at, "POST", "/session", &[("Origin", &own)], &"x".repeat(4_097)).await;
    assert_eq!(response.status, 413);
}

#[tokio::test]
async fn a_household_is_counted_as_one_address() {
    let server = TestServer::with(&["sockets_per_address=2"]).await;
    let ask = |from: &'static str| async move { Held::open(server.at, from).await };
    let _first = ask("2001:db8:1:2::1").await.expect("a place");
    // Only the entry of the nearest proxy can be trusted.
    let _second = ask("203.0.113.9, 2001:db8:1:2:ffff::2").await.expect("a place");
    assert_eq!(ask("2001:db8:1:2::3").await.err(), Some(503));
    let _neighbour = ask("2001:db8:1:3::1").await.expect("a place of their own");
    let _mapped = (ask("::ffff:203.0.113.7").await.unwrap(), ask("203.0.113.7").await.unwrap());
    assert_eq!(ask("203.0.113.7").await.err(), Some(503));
}

/// A socket that was opened through a proxy and is held open.
pub(super) struct Held {
    _stream: tokio::net::TcpStream,
}

impl Held {
    pub(super) async fn open(at: std::net::SocketAddr, from: &str) -> Result<Self, u16> {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let mut stream = tokio::net::TcpStream::connect(at).await.unwrap();
        let head = format!(
            "GET /ws HTTP/1.1\r\nHost: {at}\r\nOrigin: http://{at}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
             Sec-WebSocket-Protocol: mellow.1\r\nX-Forwarded-For: {from}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut line = [0; 12];
        stream.read_exact(&mut line).await.unwrap();
        match std::str::from_utf8(&line[9..]).unwrap().parse().unwrap() {
            101 => Ok(Self { _stream: stream }),
            status => Err(status),
        }
    }
}

#[tokio::test]
async fn headers_over_sixteen_kib_are_refused() {
    let server = TestServer::new().await;
    let large = "x".repeat(17 * 1024);
    for path in ["/", "/ws"] {
        let response = http::ask(server.at, "GET", path, &[("X-Large", &large)], "").await;
        assert!(matches!(response.status, 400 | 403 | 431), "{path} got {}", response.status);
    }
    assert_eq!(handshake(server.at, &[("X-Large", Some(&large))]).await.status, 431);
}

#[tokio::test]
async fn w4_the_fragments_of_a_guests_message_may_have_four_kib_together() {
    use crate::support::raw::{BINARY, CONTINUATION, frame};
    let server = TestServer::new().await;
    let mut raw = Raw::open(server.at, None).await;
    raw.sends(&frame(BINARY, false, true, &[0; 3_000])).await;
    raw.sends(&frame(CONTINUATION, false, true, &[0; 3_000])).await;
    assert_eq!(raw.close_code().await, Some(1009), "before the last fragment has come");
}

#[tokio::test]
async fn an_unknown_address_is_answered_with_the_page_and_404() {
    let server = TestServer::new().await;
    let ask = async |path: &str| http::ask(server.at, "GET", path, &[], "").await;
    for path in ["/", "/login", "/search", "/profile/7", "/profile/a.b", "/profile/abc", "/post/abc"] {
        let response = ask(path).await;
        assert!(response.status == 200 && response.body.contains("</head>"), "{path}: {}", response.status);
    }
    for path in ["/nowhere", "/a.b", "/search.", "/admin", "/index.html", "/profile/7/x"] {
        let response = ask(path).await;
        assert!(response.status == 404 && response.body.contains("</head>"), "{path}: {}", response.status);
    }
    for path in ["/assets/a.js", "/media/a.jpg"] {
        let response = ask(path).await;
        assert_eq!((response.status, response.body.as_str()), (404, ""), "{path}");
    }
}

#[tokio::test]
async fn s18_http_requests_of_one_address_are_limited_on_every_path_and_others_are_answered() {
    let server = TestServer::with_manual_clock(&["http_requests_per_minute=6"]).await;
    let ask = async |path: &str, from: &str| {
        http::ask(server.at, "GET", path, &[("X-Forwarded-For", from)], "").await
    };
    for path in ["/", "/healthz", "/assets/a.js", "/media/a.jpg?token=a", "/export/a", "/ws"] {
        assert_ne!(ask(path, "203.0.113.7").await.status, 429, "{path}");
    }
    for path in ["/", "/healthz", "/assets/a.js", "/media/a.jpg?token=a", "/export/a", "/ws"] {
        let response = ask(path, "203.0.113.7").await;
        assert_eq!((response.status, response.header("Retry-After")), (429, Some("10")), "{path}");
    }
    assert_eq!(Held::open(server.at, "203.0.113.7").await.err(), Some(429));
    assert_eq!(ask("/healthz", "203.0.113.8").await.status, 200);
    server.later(10_000);
    assert_eq!(ask("/healthz", "203.0.113.7").await.status, 200);
}

#[tokio::test]
async fn s18_the_unfinished_responses_of_one_address_are_limited() {
    use tokio::io::AsyncWriteExt;
    let server = TestServer::with(&["http_connections_per_address=3"]).await;
    let ask = async |from: &str| {
        http::ask(server.at, "GET", "/healthz", &[("X-Forwarded-For", from)], "").await.status
    };
    let begins = async || {
        let mut stream = tokio::net::TcpStream::connect(server.at).await.unwrap();
        let head = format!(
            "POST /session HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nContent-Length: 9\r\n\
             X-Forwarded-For: 203.0.113.7\r\n\r\n",
            server.at
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream
    };
    // The bodies of these requests never arrive. A request is refused while `ask` has the last place, so each round
    // begins another one.
    let mut slow = vec![begins().await, begins().await];
    while ask("203.0.113.7").await != 429 {
        slow.push(begins().await);
    }
    assert!(slow.len() >= 3, "two are within the limit");
    assert_eq!(ask("203.0.113.8").await, 200);
    drop(slow);
    while ask("203.0.113.7").await != 200 {}
}
