//! The HTTP limits of a network address: requests in a minute, and requests that are being answered at the same time.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderValue, RETRY_AFTER, STRICT_TRANSPORT_SECURITY};
use actix_web::middleware::Next;
use actix_web::web::Bytes;
use actix_web::{Error, HttpResponse};

use super::{Connection, address, plain};
use crate::clock::Clock;
use crate::error::Refusal;
use crate::limits::HTTP_PIECE_BYTES;
use crate::rate_limit::{AddressLimiter, RateLimit};
use crate::settings::Settings;
use crate::socket::connection_limits::{AddressSlot, AddressSlots};

/// The HTTP limits of all network addresses. All workers share them.
pub struct HttpLimits {
    requests: AddressLimiter,
    /// The requests that are being answered.
    responses: AddressSlots,
    clock: Clock,
}

impl HttpLimits {
    /// Makes the limiters from the settings of the host.
    #[must_use]
    pub fn new(settings: &Settings, clock: Clock) -> Self {
        let requests = RateLimit { count: settings.http_requests_per_minute, period_ms: 60_000 };
        Self {
            requests: AddressLimiter::new(requests),
            responses: AddressSlots::new(settings.http_connections_per_address),
            clock,
        }
    }

    /// Counts a request. Returns the response if the request exceeds the limit.
    #[must_use]
    pub fn refuse(&self, address: IpAddr) -> Option<HttpResponse> {
        match self.requests.take(address, self.clock.now_ms()) {
            Err(Refusal::SlowDown(wait_ms)) => Some(too_many(wait_ms.div_ceil(1_000))),
            _ => None,
        }
    }
}

fn too_many(wait_s: u64) -> HttpResponse {
    plain(HttpResponse::TooManyRequests().insert_header((RETRY_AFTER, wait_s.max(1).to_string())).finish())
}

/// Answers a request if it is within the limits of its network address; otherwise refuses it.
///
/// # Errors
/// Those of the handler.
pub async fn limited(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let settings = request.app_data::<Arc<Settings>>().cloned();
    let limits = request.app_data::<Arc<HttpLimits>>().cloned();
    let Some((settings, limits)) = settings.zip(limits) else {
        return Ok(next.call(request).await?.map_into_boxed_body());
    };
    let peer = request.conn_data::<Connection>().map(|connection| connection.peer);
    let address = address(peer, request.headers(), &settings.trusted_proxies);
    let mut response = if let Some(refused) = limits.refuse(address) {
        request.into_response(refused)
    } else if let Some(slot) = limits.responses.admit(address) {
        let response = next.call(request).await?;
        let counted = |body| Counted { body: Box::pin(body), rest: Bytes::new(), _slot: slot };
        response.map_body(|_, body| BoxBody::new(counted(body)))
    } else {
        request.into_response(too_many(1))
    };
    if settings.public_url.is_secure() {
        let a_year = HeaderValue::from_static("max-age=31536000");
        response.headers_mut().insert(STRICT_TRANSPORT_SECURITY, a_year);
    }
    Ok(response)
}

/// A body that holds a slot until nearly all of it is sent, or its connection ends.
struct Counted<B> {
    body: Pin<Box<B>>,
    /// The rest of the bytes that the inner body returned last. They are passed on in pieces, because the HTTP server
    /// asks for a piece only after it has sent the previous one. It drops the body when it takes the last piece, before
    /// that piece is sent, so only the last piece is not counted.
    rest: Bytes,
    _slot: AddressSlot,
}

impl<B: MessageBody> MessageBody for Counted<B> {
    type Error = B::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        if self.rest.is_empty() {
            match ready!(self.body.as_mut().poll_next(context)) {
                Some(Ok(bytes)) => self.rest = bytes,
                end => return Poll::Ready(end),
            }
        }
        let bytes = self.rest.len().min(HTTP_PIECE_BYTES);
        Poll::Ready(Some(Ok(self.rest.split_to(bytes))))
    }
}
