//! The upgrade: checks a connection, takes it over from the HTTP server, and passes it to a session.
//!
//! All checks precede the upgrade. If one fails, the response is sent over HTTP and the connection ends.

use std::net::IpAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

use actix_codec::Framed;
use actix_http::body::{BodySize, MessageBody};
use actix_http::{ConnectionType, HttpMessage, Request, RequestHead, Response, h1, ws};
use actix_service::{ServiceFactory, fn_service};
use actix_web::body::BoxBody;
use actix_web::http::Method;
use actix_web::http::header::{
    HeaderMap, HeaderValue, RETRY_AFTER, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, USER_AGENT,
};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::{
    Connection, HttpLimits, address, cookie, device_cookie_name, is_head_too_large, is_same_origin,
    login_cookie, plain,
};
use crate::authz::{Device, Viewer};
use crate::counters;
use crate::delivery::connections::SharedConnections;
use crate::error::Refusal;
use crate::features::auth::{self, devices};
use crate::limits::{READS_AGAIN_MAX, TCP_USER_TIMEOUT_MS};
use crate::networks::Networks;
use crate::settings::Settings;
use crate::socket::connection_limits::{ConnectionLimits, Slot};
use crate::socket::{self, Backend, Identity, Opening};
use crate::wire::{GUEST_SUBPROTOCOL, SUBPROTOCOL};

/// A connection that requests an upgrade from HTTP.
type Upgrading = (Request, Framed<TcpStream, h1::Codec>);

/// What the sockets of one worker need. It has no part of the app.
pub struct SocketSite<B> {
    pub settings: Arc<Settings>,
    pub http_limits: Arc<HttpLimits>,
    pub connection_limits: Arc<ConnectionLimits>,
    pub connections: SharedConnections,
    pub backend: Rc<B>,
}

/// Makes the service that receives the connections that request an upgrade.
pub fn upgrades<B: Backend>(
    site: SocketSite<B>,
) -> impl ServiceFactory<Upgrading, Config = (), Response = (), Error = actix_web::Error, InitError = ()> {
    let site = Rc::new(site);
    fn_service(move |upgrading| upgrade(site.clone(), upgrading))
}

/// Answers a request for `/ws` that requests no upgrade.
pub async fn refused(request: HttpRequest) -> HttpResponse {
    let Some(settings) = request.app_data::<Arc<Settings>>() else {
        return HttpResponse::InternalServerError().finish();
    };
    refusal(request.head(), settings)
        .unwrap_or_else(|| plain(HttpResponse::BadRequest().body("This address is for sockets.")))
}

async fn upgrade<B: Backend>(
    site: Rc<SocketSite<B>>,
    (request, framed): Upgrading,
) -> Result<(), actix_web::Error> {
    let address = client_address(&request, framed.io_ref(), &site.settings.trusted_proxies);
    if let Some(refusal) = site.http_limits.refuse(address) {
        return respond(framed, refusal).await;
    }
    let refusal = match request.path() {
        // A client must wait for the response (RFC 6455, 4.1). One that did not wait is refused, because its bytes were
        // read without the limits of a socket.
        "/ws" if !framed.is_read_buf_empty() => {
            plain(HttpResponse::BadRequest().body("A socket sends after the handshake is answered."))
        }
        // The response to an earlier request was not sent yet, and the handshake would overtake it.
        "/ws" if !framed.is_write_buf_empty() => {
            plain(HttpResponse::BadRequest().body("A socket is asked for on a connection of its own."))
        }
        "/ws" => match admit(&site, &request, address, framed.io_ref()).await {
            Ok(admitted) => {
                take_over(&site, request.head(), framed, admitted);
                return Ok(());
            }
            Err(refusal) => refusal,
        },
        // An upgrade at any other address is answered like a usual request for an unknown address.
        _ if is_head_too_large(request.headers()) => too_large(),
        _ if !matches!(*request.method(), Method::GET | Method::HEAD) => {
            plain(HttpResponse::MethodNotAllowed().finish())
        }
        _ => plain(HttpResponse::NotFound().finish()),
    };
    respond(framed, refusal).await
}

fn too_large() -> HttpResponse {
    plain(HttpResponse::RequestHeaderFieldsTooLarge().force_close().finish())
}

/// Returns the refusal of an invalid handshake; None for a valid one.
fn refusal(head: &RequestHead, settings: &Settings) -> Option<HttpResponse> {
    if is_head_too_large(head.headers()) {
        return Some(too_large());
    }
    if head.method != Method::GET {
        return Some(plain(HttpResponse::MethodNotAllowed().finish()));
    }
    if !is_same_origin(head.headers(), settings) {
        return Some(plain(HttpResponse::Forbidden().body("Sockets are for Mellow's own pages.")));
    }
    if !offers(head.headers(), SUBPROTOCOL) {
        return Some(plain(HttpResponse::BadRequest().body("This socket speaks mellow.1.")));
    }
    ws::verify_handshake(head).err().map(|why| plain(Response::from(why).into()))
}

/// Returns whether a handshake names this subprotocol.
fn offers(headers: &HeaderMap, subprotocol: &str) -> bool {
    headers
        .get_all(SEC_WEBSOCKET_PROTOCOL)
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.split(',').any(|offer| offer.trim() == subprotocol))
}

/// A client that may open a socket.
struct Admitted<P> {
    identity: Identity<P>,
    slot: Slot,
    address: IpAddr,
}

fn client_address(request: &Request, socket: &TcpStream, trusted_proxies: &Networks) -> IpAddr {
    let peer = request.conn_data::<Connection>().map(|connection| connection.peer);
    let peer = peer.or_else(|| socket.peer_addr().ok().map(|peer| peer.ip().to_canonical()));
    address(peer, request.headers(), trusted_proxies)
}

async fn admit<B: Backend>(
    site: &SocketSite<B>,
    request: &Request,
    address: IpAddr,
    socket: &TcpStream,
) -> Result<Admitted<B::Presence>, HttpResponse> {
    let (settings, headers) = (&*site.settings, request.headers());
    if let Some(refusal) = refusal(request.head(), settings) {
        return Err(refusal);
    }
    let stall_limit = std::time::Duration::from_millis(TCP_USER_TIMEOUT_MS);
    if let Err(why) = socket2::SockRef::from(socket).set_tcp_user_timeout(Some(stall_limit)) {
        log::debug!("a setting of a connection could not be changed: {why}");
    }
    let Some(mut slot) = site.connection_limits.admit(address) else {
        return Err(full("10", "Mellow is full right now."));
    };
    let cookie = login_cookie(headers, settings).filter(|_| !offers(headers, GUEST_SUBPROTOCOL));
    let identity = identify(site, cookie.map(auth::login_hash)).await.map_err(|why| {
        log::warn!("a socket could not be identified: {why:?}");
        full("10", "Mellow is full right now.")
    })?;
    if let Viewer::User { login_id, .. } = identity.viewer
        && !slot.belongs_to(login_id)
    {
        return Err(full("30", "This login has as many tabs open as one may have."));
    }
    if !site.connections.borrow_mut().takes_connections() {
        return Err(full("2", "Restarting."));
    }
    Ok(Admitted { identity, slot, address })
}

/// Returns the identity of a connection. If its user lost a right during the read, the identity is read again.
async fn identify<B: Backend>(
    site: &SocketSite<B>,
    token_hash: Option<[u8; 32]>,
) -> Result<Identity<B::Presence>, Refusal> {
    for _ in 0..READS_AGAIN_MAX {
        let identity = site.backend.identify(token_hash).await?;
        let has_lost = |user_id| site.connections.borrow().has_lost(user_id, None, identity.since);
        if !identity.viewer.user_id().is_some_and(has_lost) {
            return Ok(identity);
        }
    }
    Err(Refusal::Busy)
}

fn full(retry_after_s: &'static str, says: &'static str) -> HttpResponse {
    counters::REFUSED_FULL.add(1);
    plain(HttpResponse::ServiceUnavailable().insert_header((RETRY_AFTER, retry_after_s)).body(says))
}

/// Passes the connection to a session. The session writes the handshake with its first frame.
fn take_over<B: Backend>(
    site: &SocketSite<B>,
    head: &RequestHead,
    framed: Framed<TcpStream, h1::Codec>,
    admitted: Admitted<B::Presence>,
) {
    let user_agent = head.headers().get(USER_AGENT).and_then(|value| value.to_str().ok());
    let device_cookie = cookie(head.headers(), device_cookie_name(&site.settings));
    let device = Device {
        label: user_agent.map(devices::named_by).unwrap_or_default(),
        token_hash: device_cookie.map(auth::device_hash),
    };
    let opening = Opening {
        backend: site.backend.clone(),
        connections: site.connections.clone(),
        socket: framed.into_parts().io,
        handshake: handshake(head),
        slot: admitted.slot,
        address: admitted.address,
        device: Rc::new(device),
    };
    socket::open(opening, admitted.identity);
}

/// Returns the response to a valid handshake.
fn handshake(head: &RequestHead) -> Bytes {
    let key = head.headers().get(SEC_WEBSOCKET_KEY).map_or(&b""[..], HeaderValue::as_bytes);
    let accept = ws::hash_key(key);
    let accept = String::from_utf8_lossy(&accept);
    let response = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\nSec-WebSocket-Protocol: {SUBPROTOCOL}\r\n\r\n"
    );
    response.into()
}

/// Responds over HTTP and ends the connection.
async fn respond(
    mut framed: Framed<TcpStream, h1::Codec>,
    mut response: HttpResponse<BoxBody>,
) -> Result<(), actix_web::Error> {
    response.head_mut().set_connection_type(ConnectionType::Close);
    let (response, body) = response.into_parts();
    let body = body.try_into_bytes().unwrap_or_default();
    let size = BodySize::Sized(u64::try_from(body.len()).unwrap_or(0));
    Pin::new(&mut framed).write(h1::Message::Item((response.into(), size)))?;
    if !body.is_empty() {
        Pin::new(&mut framed).write(h1::Message::Chunk(Some(body)))?;
    }
    let mut parts = framed.into_parts();
    // The refusal is sent to a client that does not wait for it, too.
    if let Err(why) = parts.io.write_all(&parts.write_buf).await {
        log::debug!("a refused handshake was not answered: {why}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use actix_codec::Decoder;
    use actix_web::http::header::ORIGIN;
    use bytes::BytesMut;

    use super::*;

    #[actix_web::test]
    async fn lv6_an_almost_valid_handshake_is_refused_or_comes_from_an_own_page() {
        let typed = ["mellow", "--public-url", "https://mellow.example"].map(Into::into);
        let settings = crate::cli::read_settings(typed, [], std::path::Path::new("no file")).unwrap();
        let head = "GET /ws HTTP/1.1\r\nHost: mellow.example\r\nOrigin: https://mellow.example\r\n\
                    Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mellow.1\r\n\
                    Cookie: a=b; __Host-mellow=0123\r\nX-Forwarded-For: 9.9.9.9, 2001:db8::1\r\n\r\n";
        let foreign = head.replace("https://mellow.example", "https://mellow.example.evil");
        let config = actix_http::ServiceConfig::default();
        let mut admitted = 0;
        crate::testing::fuzz::bytes(&[head, &foreign], |bytes| {
            let decoded = h1::Codec::new(config.clone()).decode(&mut BytesMut::from(bytes));
            let Ok(Some(h1::Message::Item(request))) = decoded else { return };
            let headers = request.headers();
            let peer = IpAddr::from([127, 0, 0, 1]);
            // Only a trusted proxy can name the client.
            let of = |peer| address(Some(peer), headers, &settings.trusted_proxies);
            assert_eq!(of(IpAddr::from([9, 9, 9, 8])), IpAddr::from([9, 9, 9, 8]));
            let _ = (of(peer), login_cookie(headers, &settings));
            if refusal(request.head(), &settings).is_none() {
                let origins: Vec<&[u8]> = headers.get_all(ORIGIN).map(HeaderValue::as_bytes).collect();
                let ours = ["", ".", ":443", ".:443"].map(|end| format!("https://mellow.example{end}"));
                assert!(
                    matches!(origins[..], [one] if ours.iter().any(|our| one.eq_ignore_ascii_case(our.as_bytes())))
                );
                admitted += 1;
            }
        });
        assert!(admitted > 0, "the unchanged one is admitted");
    }
}
