//! HTTP: the web app, the upgrade to a socket, the cookie, pictures and health checks.
//!
//! All other requests use the socket. Responses carry a strict content security policy: the page runs only its own
//! scripts and styles, and connects only to its own server.

mod at_front;
mod export;
mod forwarded;
mod front;
mod languages;
mod media;
mod metrics;
mod per_address;
mod upgrade;

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;

use actix_web::body::BoxBody;
use actix_web::cookie::{Cookie, SameSite, time};
use actix_web::dev::Extensions;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, AcceptEncoding, Encoding, Header, HeaderMap, HeaderValue};
use actix_web::web::{Bytes, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::StreamExt;
use rust_embed::{EmbeddedFile, RustEmbed};
use tokio::net::TcpStream;

use crate::cluster::fronts::Fronts;
use crate::db::command::Housekeeping;
use crate::delivery::log::EventLog;
use crate::error::Refusal;
use crate::features::auth;
use crate::features::auth::tickets::Exchanged;
use crate::features::context::App;
use crate::limits;
use crate::networks::Networks;
use crate::settings::Settings;
use crate::socket::connection_limits::AddressSlots;

/// The files of the web app that `npm run build` made.
#[derive(RustEmbed)]
#[folder = "web/dist/"]
#[allow_missing = true]
struct Web;

/// The state that the handlers share.
#[derive(Clone)]
pub struct Site {
    pub app: Arc<App>,
    pub log: Arc<EventLog>,
    /// The last trial commit: its time and its result.
    pub trial: Trial,
    /// The fronts of this home; None if it has none.
    pub fronts: Option<Arc<Fronts>>,
}

/// The last trial of a commit, shared by all workers.
pub type Trial = Arc<tokio::sync::Mutex<Option<(i64, Result<(), Refusal>)>>>;

/// The connection of a request.
#[derive(Clone, Copy)]
struct Connection {
    peer: IpAddr,
}

/// Prepares a new connection. A connection over the limit of its address is closed at once. Connections of a trusted
/// proxy are not counted, because they carry the requests of all clients.
pub fn on_connect(
    slots: &Arc<AddressSlots>,
    trusted_proxies: &Networks,
    stream: &TcpStream,
    extensions: &mut Extensions,
) {
    let Ok(peer) = stream.peer_addr() else { return };
    let peer = peer.ip().to_canonical();
    extensions.insert(Connection { peer });
    if trusted_proxies.has(peer) {
        return;
    }
    match slots.admit(network(peer)) {
        // The slot becomes free when the connection ends.
        Some(slot) => {
            extensions.insert(slot);
        }
        None => {
            if let Err(why) = socket2::SockRef::from(stream).shutdown(std::net::Shutdown::Both) {
                log::debug!("a connection was over before it was closed: {why}");
            }
        }
    }
}

pub use at_front::{FrontSite, front_routes};
use forwarded::{address, network};
pub use languages::built as built_language;
pub use per_address::{HttpLimits, limited};
pub use upgrade::{SocketSite, upgrades};

/// Adds the address of sockets, for requests that request no upgrade.
pub fn socket_route(service: &mut ServiceConfig) {
    service.route("/ws", web::get().to(upgrade::refused));
}

/// Adds all other addresses.
pub fn routes(service: &mut ServiceConfig, site: Site) {
    service
        .app_data(site)
        .route("/session", web::post().to(begin_session))
        .route("/session/end", web::post().to(end_session))
        .route("/healthz", web::get().to(health))
        .route("/readyz", web::get().to(ready))
        .route("/metrics", web::get().to(metrics::metrics))
        .route("/assets/{name:.*}", web::get().to(asset))
        .service(
            web::resource("/languages/{tag}.json")
                .route(web::get().to(languages::language))
                .route(web::head().to(languages::language))
                .default_service(web::to(|| async { plain(HttpResponse::MethodNotAllowed().finish()) })),
        )
        .service(
            web::resource("/media/{full_path:.*}")
                .route(web::get().to(media::stored_file))
                .route(web::head().to(media::stored_file))
                .default_service(web::to(|| async { plain(HttpResponse::MethodNotAllowed().finish()) })),
        )
        .service(
            web::resource("/export/{ticket}")
                .route(web::get().to(export::archive))
                .default_service(web::to(|| async { plain(HttpResponse::MethodNotAllowed().finish()) })),
        )
        .default_service(web::to(page));
}

/// Returns whether the head of a request is too large.
fn is_head_too_large(headers: &HeaderMap) -> bool {
    let bytes = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum::<usize>();
    bytes > limits::HTTP_HEAD_BYTES_MAX
}

fn site(request: &HttpRequest) -> Option<&Site> {
    request.app_data::<Site>()
}

/// Returns whether a request comes from our own pages and is addressed to our host name (S4). Duplicate headers are
/// refused.
fn is_same_origin(headers: &HeaderMap, settings: &Settings) -> bool {
    let text = |name| {
        let mut values = headers.get_all(name);
        values.next().filter(|_| values.next().is_none()).and_then(|value: &HeaderValue| value.to_str().ok())
    };
    let (Some(host), Some(origin)) = (text(header::HOST), text(header::ORIGIN)) else { return false };
    let (host, origin) = (host.to_lowercase(), origin.to_lowercase());
    match &settings.public_url.origin {
        Some(url) => {
            let Some((scheme, ours)) = url.split_once("://") else { return false };
            let origin = origin.strip_prefix(scheme).and_then(|rest| rest.strip_prefix("://"));
            let is_ours = |named: &str| bare(named, settings.public_url.usual_port()) == ours;
            is_ours(&host) && origin.is_some_and(is_ours)
        }
        None => {
            // Another site can point a host name of its own at this machine (DNS rebinding), but no IP address.
            let (name, _) = name_and_port(&host);
            let literal = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok();
            (name == "localhost" || literal) && origin == format!("http://{host}")
        }
    }
}

/// Returns a host as `public_url` has it: without the usual port, and without the full stop that ends a complete host
/// name, because both names are the same.
fn bare<'a>(host: &'a str, usual_port: &str) -> Cow<'a, str> {
    let (name, port) = name_and_port(host);
    let bare = name.strip_suffix('.').unwrap_or(name);
    match port.filter(|port| *port != usual_port) {
        None => Cow::Borrowed(bare),
        Some(_) if bare.len() == name.len() => Cow::Borrowed(host),
        Some(port) => Cow::Owned(format!("{bare}:{port}")),
    }
}

fn cookie_name(settings: &Settings) -> &'static str {
    // The prefix `__Host-` makes browsers accept the cookie only over TLS, for this host and for the path `/`.
    if settings.public_url.is_secure() { "__Host-mellow" } else { "mellow" }
}

/// Returns the name of the cookie that says who logged in here. Scripts can read and delete it.
fn user_cookie_name(settings: &Settings) -> &'static str {
    if settings.public_url.is_secure() { "__Host-mellow-user" } else { "mellow-user" }
}

/// Returns the value of a cookie.
fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers
        .get_all(header::COOKIE)
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .find_map(|cookie| cookie.trim().split_once('=').filter(|(named, _)| *named == name))
        .map(|(_, value)| value)
}

/// Returns the value of the login's cookie.
fn login_cookie<'a>(headers: &'a HeaderMap, settings: &Settings) -> Option<&'a str> {
    cookie(headers, cookie_name(settings))
}

fn session_cookie(settings: &Settings, value: String) -> Cookie<'static> {
    let life = time::Duration::milliseconds(limits::LOGIN_LIFE_MS_MAX);
    Cookie::build(cookie_name(settings), value)
        .path("/")
        .http_only(true)
        .same_site(SameSite::Strict)
        .secure(settings.public_url.is_secure())
        .max_age(life)
        .finish()
}

/// Returns the cookie that says who logged in here. It proves nothing.
fn user_cookie(settings: &Settings, value: String) -> Cookie<'static> {
    let mut cookie = session_cookie(settings, value);
    cookie.set_name(user_cookie_name(settings));
    cookie.set_http_only(false);
    cookie
}

fn device_cookie_name(settings: &Settings) -> &'static str {
    if settings.public_url.is_secure() { "__Host-mellow-device" } else { "mellow-device" }
}

/// Returns the cookie that identifies a device after its login ended. It is no login (D-A17).
fn device_cookie(settings: &Settings, value: String) -> Cookie<'static> {
    let mut cookie = session_cookie(settings, value);
    cookie.set_name(device_cookie_name(settings));
    cookie.set_max_age(time::Duration::milliseconds(limits::DEVICE_LIFE_MS));
    cookie
}

/// Exchanges a ticket for the cookie.
async fn begin_session(request: HttpRequest, payload: Payload) -> HttpResponse {
    let Some(site) = site(&request) else { return HttpResponse::InternalServerError().finish() };
    let app = &site.app;
    if !is_same_origin(request.headers(), &app.settings) {
        return plain(HttpResponse::Forbidden().finish());
    }
    let body = match whole(payload).await {
        Ok(body) => body,
        Err(status) => return plain(HttpResponse::build(status).force_close().finish()),
    };
    let ticket = std::str::from_utf8(&body).unwrap_or_default().trim();
    match app.auth.tickets.take(ticket, app.clock.now_ms()) {
        Some(Exchanged { cookie, user_id }) => {
            if let Some(old) = self::cookie(request.headers(), cookie_name(&app.settings))
                && let Err(why) = auth::replace(old, &cookie, app).await
            {
                log::warn!("a replaced login stays until it expires: {why}");
            }
            let old_device = self::cookie(request.headers(), device_cookie_name(&app.settings));
            let device = auth::know_device(old_device, &cookie, app).await;
            let mut response = HttpResponse::NoContent();
            response.append_header((header::SET_COOKIE, session_cookie(&app.settings, cookie).to_string()));
            match device {
                Ok(device) => {
                    let device = device_cookie(&app.settings, device).to_string();
                    response.append_header((header::SET_COOKIE, device));
                }
                Err(why) => log::debug!("a device is not known yet: {why}"),
            }
            let user = user_cookie(&app.settings, user_id.0.to_string()).to_string();
            response.append_header((header::SET_COOKIE, user));
            plain(response.finish())
        }
        None => plain(HttpResponse::Gone().body("This ticket has been used or is too old.")),
    }
}

/// Reads a small body within a time limit.
async fn whole(mut payload: Payload) -> Result<Bytes, StatusCode> {
    let reading = async {
        let mut body = actix_web::web::BytesMut::new();
        while let Some(bytes) = payload.next().await {
            let bytes = bytes.map_err(|_| StatusCode::BAD_REQUEST)?;
            if body.len() + bytes.len() > limits::HTTP_BODY_BYTES_MAX {
                return Err(StatusCode::PAYLOAD_TOO_LARGE);
            }
            body.extend_from_slice(&bytes);
        }
        Ok(body.freeze())
    };
    let time_limit = std::time::Duration::from_millis(limits::HTTP_BODY_MS_MAX);
    tokio::time::timeout(time_limit, reading).await.unwrap_or(Err(StatusCode::REQUEST_TIMEOUT))
}

/// Logs this browser out: ends the login of the cookie, and deletes the cookies of the login and the user. If the login
/// cannot be ended now, both stay, so that the browser can try again.
async fn end_session(request: HttpRequest) -> HttpResponse {
    let Some(site) = site(&request) else { return HttpResponse::InternalServerError().finish() };
    let app = &site.app;
    if !is_same_origin(request.headers(), &app.settings) {
        return plain(HttpResponse::Forbidden().finish());
    }
    if let Some(cookie) = cookie(request.headers(), cookie_name(&app.settings))
        && let Err(why) = auth::end(cookie, app).await
    {
        log::warn!("a login could not be ended yet: {why}");
        return plain(HttpResponse::ServiceUnavailable().insert_header((header::RETRY_AFTER, "1")).finish());
    }
    let mut response = HttpResponse::NoContent();
    // The browser's cache may hold pictures that only the user who logged out may see.
    response.insert_header(("Clear-Site-Data", "\"cache\""));
    for mut cookie in
        [session_cookie(&app.settings, String::new()), user_cookie(&app.settings, String::new())]
    {
        cookie.make_removal();
        response.append_header((header::SET_COOKIE, cookie.to_string()));
    }
    plain(response.finish())
}

/// Answers that the process runs.
async fn health() -> HttpResponse {
    plain(HttpResponse::Ok().body("up\n"))
}

/// Returns whether the process can commit. The result is cached for a second.
async fn ready(request: HttpRequest) -> HttpResponse {
    let Some(site) = site(&request) else { return HttpResponse::InternalServerError().finish() };
    let app = &site.app;
    let mut trial = site.trial.lock().await;
    let now_ms = app.clock.now_ms();
    let is_fresh = trial.as_ref().is_some_and(|(at_ms, _)| (0..limits::READY_MS).contains(&(now_ms - at_ms)));
    if !is_fresh {
        // It changes nothing, but is committed like any other write.
        let write = Housekeeping(|_| Ok(()));
        *trial = Some((now_ms, app.writer.submit(write).await.map(drop)));
    }
    match trial.as_ref().map_or(Ok(()), |(_, outcome)| outcome.clone()) {
        Ok(_) => plain(HttpResponse::Ok().body("ready\n")),
        Err(refusal) => {
            let why = refusal.view();
            plain(HttpResponse::ServiceUnavailable().body(format!("{}: {}\n", why.code, why.message)))
        }
    }
}

/// Returns whether the request comes from this machine directly: not through a proxy, and not from a page that points a
/// host name of its own at this machine (DNS rebinding).
fn is_from_this_machine(request: &HttpRequest) -> bool {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = name_and_port(host).0.trim_start_matches('[').trim_end_matches(']');
    let is_loopback =
        name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    is_loopback
        && request.conn_data::<Connection>().is_some_and(|connection| connection.peer.is_loopback())
        && !forwarded::is_proxied(request.headers())
}

/// Returns the name and the port of a host.
fn name_and_port(host: &str) -> (&str, Option<&str>) {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, Some(port)),
        _ => (host, None),
    }
}

/// Answers with a file of the web app whose name holds the hash of its content.
async fn asset(request: HttpRequest) -> HttpResponse {
    let path = format!("assets/{}", request.match_info().query("name"));
    file(&request, &path, "public, max-age=31536000, immutable")
        .unwrap_or_else(|| plain(HttpResponse::NotFound().finish()))
}

/// Answers with a file of the web app, or else with its page. The status is 200 for a screen and 404 for every other
/// address (D-P7).
async fn page(request: HttpRequest) -> HttpResponse {
    if is_head_too_large(request.headers()) {
        return plain(HttpResponse::RequestHeaderFieldsTooLarge().force_close().finish());
    }
    if request.method() != actix_web::http::Method::GET && request.method() != actix_web::http::Method::HEAD {
        return plain(HttpResponse::MethodNotAllowed().finish());
    }
    let path = request.path().trim_start_matches('/');
    // The page itself is sent below, with the theme in it.
    if path != "index.html"
        && let Some(file) = file(&request, path, "no-cache")
    {
        return file;
    }
    front::page(&request).await.unwrap_or_else(|| {
        let words = "The web app is not built yet. Run: cd web && npm ci && npm run build\n";
        plain(HttpResponse::NotFound().body(words))
    })
}

/// Answers with a file of the web app, in the smallest encoding that the browser accepts.
fn file(request: &HttpRequest, path: &str, cache: &'static str) -> Option<HttpResponse> {
    let (encoding, found) = in_best_encoding(request, path)?;
    let mut response = HttpResponse::Ok();
    response.content_type(kind_of(path)).insert_header((header::CACHE_CONTROL, cache));
    response.insert_header((header::VARY, "Accept-Encoding"));
    if let Some(encoding) = encoding {
        response.insert_header((header::CONTENT_ENCODING, encoding));
    }
    Some(plain(response.body(bytes_of(found))))
}

/// Returns a file of the web app in the smallest encoding that the browser accepts, with the name of the encoding; None
/// for the name if it is sent as it is.
fn in_best_encoding(request: &HttpRequest, path: &str) -> Option<(Option<String>, EmbeddedFile)> {
    match packed(request, path) {
        Some((encoding, found)) => Some((Some(encoding.to_string()), found)),
        None => Some((None, Web::get(path)?)),
    }
}

fn bytes_of(file: EmbeddedFile) -> Bytes {
    match file.data {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => Bytes::from(bytes),
    }
}

/// Returns whether the browser holds the file with this `ETag`.
fn is_held(request: &HttpRequest, etag: &str) -> bool {
    let held = request.headers().get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    held.is_some_and(|held| {
        held.split(',').any(|one| ["*", etag].contains(&one.trim().trim_start_matches("W/")))
    })
}

/// Returns the file in the best of those encodings that it has and the browser accepts; None if it is sent as it is.
fn packed(request: &HttpRequest, path: &str) -> Option<(Encoding, EmbeddedFile)> {
    let accepted = AcceptEncoding::parse(request).ok()?;
    let endings = [(Encoding::brotli(), ".br"), (Encoding::gzip(), ".gz")];
    let mut packed: Vec<(Encoding, EmbeddedFile)> = endings
        .into_iter()
        .filter_map(|(encoding, ending)| Some((encoding, Web::get(&format!("{path}{ending}"))?)))
        .collect();
    let chosen = accepted.negotiate(packed.iter().map(|(encoding, _)| encoding))?;
    let at = packed.iter().position(|(encoding, _)| *encoding == chosen)?;
    Some(packed.swap_remove(at))
}

fn kind_of(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "webmanifest" => "application/manifest+json",
        "txt" => "text/plain; charset=utf-8",
        "json" => "application/json",
        _ => "application/octet-stream",
    }
}

/// The content security policy of every response. The policy of the page also allows the inline script and style of
/// the page (`front`).
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
                      font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; \
                      form-action 'self'; frame-ancestors 'none'";

/// Adds the security headers of every response: only our own scripts, no framing, no content sniffing.
fn plain(mut response: HttpResponse<BoxBody>) -> HttpResponse<BoxBody> {
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::CROSS_ORIGIN_OPENER_POLICY, "same-origin"),
        (header::CROSS_ORIGIN_RESOURCE_POLICY, "same-origin"),
        (header::PERMISSIONS_POLICY, "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
