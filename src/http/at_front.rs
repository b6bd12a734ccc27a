//! The addresses of a front, beside that of the sockets: its health and its figures. Pages are those of the home.

use std::sync::Arc;

use actix_web::web::ServiceConfig;
use actix_web::{HttpRequest, HttpResponse, web};

use super::metrics::of_front;
use super::{health, is_from_this_machine, plain};
use crate::cluster::front::Front;
use crate::socket::connection_limits::ConnectionLimits;

/// The state that the handlers share.
#[derive(Clone)]
pub struct FrontSite {
    pub front: Arc<Front>,
    pub connection_limits: Arc<ConnectionLimits>,
    /// Whether `/metrics` is for everybody.
    pub metrics_public: bool,
}

/// Adds the addresses of a front.
pub fn front_routes(service: &mut ServiceConfig, site: FrontSite) {
    service
        .app_data(site)
        .route("/healthz", web::get().to(health))
        .route("/readyz", web::get().to(ready))
        .route("/metrics", web::get().to(metrics))
        .default_service(web::to(|| async { plain(HttpResponse::NotFound().finish()) }));
}

/// Returns whether the front serves: whether it has a lease of its home.
async fn ready(request: HttpRequest) -> HttpResponse {
    let Some(site) = request.app_data::<FrontSite>() else {
        return HttpResponse::InternalServerError().finish();
    };
    match site.front.lease.held() {
        Some(_) => plain(HttpResponse::Ok().body("ready\n")),
        None => plain(HttpResponse::ServiceUnavailable().body("not ready: the home does not answer\n")),
    }
}

async fn metrics(request: HttpRequest) -> HttpResponse {
    let Some(site) = request.app_data::<FrontSite>() else {
        return HttpResponse::InternalServerError().finish();
    };
    if !is_from_this_machine(&request) && !site.metrics_public {
        return plain(HttpResponse::NotFound().finish());
    }
    of_front(&site.front, site.connection_limits.open())
}
