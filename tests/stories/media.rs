//! Stored files over HTTP: headers, ranges, and invalid paths.

use serde_json::json;

use crate::support::http;
use crate::support::person::Person;
use crate::support::picture::{jpeg, size_of_jpeg};
use crate::support::server::TestServer;
use crate::support::uploads::{path_of, urls};

/// Returns Ana, and the address of one of her pictures.
async fn scene(server: &TestServer) -> (Person, String) {
    let ana = server.person("Ana").await;
    let post = ana.posts_picture("tree").await;
    let url = urls(&post).remove(0);
    (ana, url)
}

/// Returns the response that deleted, unknown and foreign files have in common.
async fn none(ana: &Person) -> String {
    let response = ana.fetches("/media/posts/7/7_0_never.jpg?token=AAAAAAAAAAAAAAAAAAAAAA").await;
    assert_eq!((response.status, response.content.len()), (404, 0));
    response.comparable()
}

#[tokio::test]
async fn s11_a_stored_file_never_runs_code() {
    let server = TestServer::new().await;
    let (ana, url) = scene(&server).await;
    let response = ana.fetches(&url).await;
    assert_eq!(response.status, 200);
    for (name, value) in [
        ("Content-Type", "image/jpeg"),
        ("Content-Disposition", "inline"),
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox"),
        ("X-Content-Type-Options", "nosniff"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "private, max-age=31536000, immutable"),
        ("Referrer-Policy", "same-origin"),
        ("X-Frame-Options", "DENY"),
    ] {
        assert_eq!(response.header(name), Some(value), "{name}");
    }
    for name in ["Set-Cookie", "Access-Control-Allow-Origin", "Last-Modified", "Content-Encoding"] {
        assert_eq!(response.header(name), None, "{name}");
    }
    assert_eq!(response.content, std::fs::read(server.media().join(path_of(&url))).unwrap());
    assert_eq!(response.header("Content-Length"), Some(response.content.len().to_string().as_str()));
    // A refusal is not cached, and its content type is not guessed either.
    let no = ana.fetches(&format!("{url}x")).await;
    assert_eq!((no.status, no.header("Cache-Control")), (404, Some("no-store")));
    assert_eq!(no.header("X-Content-Type-Options"), Some("nosniff"));
    assert!(no.header("Content-Security-Policy").unwrap().contains("default-src 'none'"));
    assert_eq!((no.header("ETag"), no.header("Content-Type")), (None, None));
}

#[tokio::test]
async fn a_client_that_has_a_file_gets_not_modified_without_a_body() {
    let server = TestServer::new().await;
    let (ana, url) = scene(&server).await;
    let etag = ana.fetches(&url).await.header("ETag").unwrap().to_owned();
    for held in [etag.as_str(), "*", &format!("\"other\", {etag}")] {
        let response = ana.fetches_with("GET", &url, &[("If-None-Match", held)]).await;
        assert_eq!((response.status, response.content.len()), (304, 0), "{held}");
        assert_eq!(response.header("ETag"), Some(etag.as_str()));
        assert_eq!(response.header("Cache-Control"), Some("private, max-age=31536000, immutable"));
    }
    let response = ana.fetches_with("GET", &url, &[("If-None-Match", "\"other\"")]).await;
    assert_eq!(response.status, 200);
    // A user who may not see a file learns nothing by its ETag.
    let guest = http::ask(server.at, "GET", &url, &[("If-None-Match", &etag)], "").await;
    assert_eq!(guest.comparable(), none(&ana).await);
}

#[tokio::test]
async fn a_range_request_gets_a_part_of_a_file() {
    let server = TestServer::new().await;
    let (ana, url) = scene(&server).await;
    let whole = ana.fetches(&url).await.content;
    let last = whole.len() - 1;
    for (range, part) in [
        ("bytes=0-9".to_owned(), 0..=9),
        ("bytes=100-199".into(), 100..=199),
        (format!("bytes={}-", last - 4), last - 4..=last),
        ("bytes=-5".into(), last - 4..=last),
        (format!("bytes=10-{}", last + 1_000), 10..=last),
    ] {
        let response = ana.fetches_with("GET", &url, &[("Range", &range)]).await;
        assert_eq!((response.status, &response.content[..]), (206, &whole[part.clone()]), "{range}");
        let header = format!("bytes {}-{}/{}", part.start(), part.end(), whole.len());
        assert_eq!(response.header("Content-Range"), Some(header.as_str()));
        assert_eq!(response.header("Content-Type"), Some("image/jpeg"));
        assert!(response.header("Content-Security-Policy").unwrap().ends_with("sandbox"));
    }
    let range = format!("bytes={}-", whole.len());
    let response = ana.fetches_with("GET", &url, &[("Range", &range)]).await;
    assert_eq!((response.status, response.content.len()), (416, 0));
    assert_eq!(response.header("Content-Range"), Some(format!("bytes */{}", whole.len()).as_str()));
}

#[tokio::test]
async fn files_can_only_be_read() {
    let server = TestServer::new().await;
    let (ana, url) = scene(&server).await;
    let whole = ana.fetches(&url).await;
    let head = ana.fetches_with("HEAD", &url, &[]).await;
    assert_eq!((head.status, head.content.len()), (200, 0));
    for name in ["Content-Length", "Content-Type", "ETag", "Cache-Control"] {
        assert_eq!(head.header(name), whole.header(name), "{name}");
    }
    assert_eq!(ana.fetches_with("HEAD", &format!("{url}x"), &[]).await.status, 404);
    let origin = format!("http://{}", server.at);
    for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
        let response = ana.fetches_with(method, &url, &[("Origin", &origin)]).await;
        assert_eq!(
            (response.status, response.header("Access-Control-Allow-Origin")),
            (405, None),
            "{method}"
        );
    }
    assert_eq!(ana.fetches(&url).await.content, whole.content);
}

#[tokio::test]
async fn no_path_leads_to_another_file() {
    let server = TestServer::new().await;
    let (ana, url) = scene(&server).await;
    let none = none(&ana).await;
    let (path, token) = url.strip_prefix("/media/").unwrap().split_once("?token=").unwrap();
    std::fs::write(server.media().join("secret.jpg"), b"secret").unwrap();
    std::fs::write(server.media().join(".incoming/secret"), b"secret").unwrap();
    let encoded = path.replace('/', "%2F");
    let database = server.database();
    for way in [
        "../mellow.db",
        "%2e%2e/mellow.db",
        "..%2fmellow.db",
        "..%5cmellow.db",
        "%252e%252e/mellow.db",
        "posts/../../mellow.db",
        "secret.jpg",
        ".incoming/secret",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        database.to_str().unwrap(),
        "",
        "posts",
        "posts/",
        ".",
        "%00",
        "%ff%fe",
        "%",
        &format!("{path}%00"),
        &format!("{path}%00.jpg"),
        &format!("{path}/"),
        &format!("{path}%20"),
        &format!("/{path}"),
        &format!("./{path}"),
        &format!("posts/../{path}"),
        &path.replacen('/', "//", 1),
        &path.to_uppercase(),
        &encoded,
        &"x".repeat(5_000),
        &"../".repeat(500),
    ] {
        let response = ana.fetches(&format!("/media/{way}?token={token}")).await;
        assert_eq!(response.comparable(), none, "{way}");
    }
    for query in [
        String::new(),
        "?".into(),
        "?token".into(),
        "?token=".into(),
        format!("?Token={token}"),
        format!("?token={}", &token[..21]),
        format!("?token={token}A"),
        format!("?token={}", token.to_lowercase().replace('a', "b")),
        format!("?token=%00{token}"),
        "?token=%27%20or%20%271%27=%271".into(),
        "?token=%ff".into(),
        format!("?token=x&token={token}"),
    ] {
        let response = ana.fetches(&format!("/media/{path}{query}")).await;
        assert_eq!(response.comparable(), none, "{query}");
    }
    assert_eq!(ana.fetches(&url).await.status, 200);
}

#[tokio::test]
async fn s3_an_ended_login_fetches_no_file() {
    let server = TestServer::new().await;
    let (ana, url) = scene(&server).await;
    let phone = ana.logs_in_on_phone().await;
    assert_eq!(phone.fetches(&url).await.status, 200);
    phone.asks("auth.log_out", json!({})).await;
    assert_eq!(phone.fetches(&url).await.comparable(), none(&ana).await);
    assert_eq!(ana.fetches(&url).await.status, 200, "the other one goes on");
}

#[tokio::test]
async fn a_file_name_in_any_script_works_in_an_address() {
    let mut server = TestServer::new().await;
    let mut ana = server.person("Ana").await;
    let mut all = Vec::new();
    for name in [
        "Über uns.jpg",
        "日本 2026.jpg",
        "שלום.jpg",
        "a+b%20c&d=e#f?.jpg",
        "..",
        "",
        "😀.png",
        &"ä".repeat(300),
    ] {
        let upload = ana.uploads(name, &jpeg(40, 30)).await;
        let post = ana.posts_with_pictures("look", &[(&upload, "")]).await;
        all.extend(urls(&post));
    }
    server.restarts().await;
    ana.reconnects().await;
    for url in all {
        assert!(url.is_ascii() && url.len() < 1_000, "{url}");
        let response = ana.fetches(&url).await;
        assert_eq!((response.status, size_of_jpeg(&response.content)), (200, Some((40, 30))), "{url}");
    }
}
