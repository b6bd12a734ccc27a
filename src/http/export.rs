//! Archives over HTTP. Each archive is available to one user.
//!
//! Guarantee: a used, expired, unknown or foreign ticket gives the same response.

use std::io;

use actix_web::cookie::time;
use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse};

use super::media::{IntoSandbox, none};
use super::{is_head_too_large, login_cookie, plain, site};
use crate::error::{Error, Refusal};
use crate::features::auth::{self, Recognised};
use crate::features::{self, account};

/// Handles `GET /export/{ticket}`. Returns the archive of the user's data. A ticket works once.
pub async fn archive(request: HttpRequest) -> HttpResponse {
    if is_head_too_large(request.headers()) {
        return plain(HttpResponse::RequestHeaderFieldsTooLarge().force_close().finish());
    }
    let Some(site) = site(&request) else { return HttpResponse::InternalServerError().finish() };
    let app = &site.app;
    let now_ms = app.clock.now_ms();
    let cookie = login_cookie(request.headers(), &app.settings);
    let (user_id, login_id) = match auth::recognise(cookie, app).await {
        Ok(Recognised::User { me, login_id, .. }) => (me.id, login_id),
        Ok(Recognised::NoCookie | Recognised::EndedLogin) => return none(),
        Err(Error::Refused(Refusal::Busy)) => return busy(),
        Err(why) => {
            log::error!("an archive could not be looked up: {why}");
            return plain(HttpResponse::InternalServerError().finish());
        }
    };
    let permit = match app.exports.take(user_id, request.match_info().query("ticket"), now_ms) {
        Ok(Some(permit)) => permit,
        Ok(None) => return none(),
        Err(_) => return busy(),
    };
    let pieces = account::archive(user_id, login_id, app.clone(), features::archive_files(), permit);
    // If the archive breaks off, the stream ends with an error, so that the browser reports a failed download and not a
    // complete one.
    let stream = futures_util::stream::unfold(Some(pieces), |pieces| async move {
        let mut pieces = pieces?;
        match pieces.recv().await {
            Some(piece) if piece.is_empty() => None,
            Some(piece) => Some((Ok(piece), Some(pieces))),
            None => Some((Err(io::Error::from(io::ErrorKind::UnexpectedEof)), None)),
        }
    });
    let mut response = HttpResponse::Ok();
    response.insert_header((header::CONTENT_TYPE, "application/zip"));
    let name = format!("attachment; filename=\"mellow-export-{}.zip\"", day(now_ms));
    response.insert_header((header::CONTENT_DISPOSITION, name));
    response.insert_header((header::CACHE_CONTROL, "no-store"));
    response.streaming(stream).into_sandbox()
}

/// The response if the server is busy. The ticket stays valid for another attempt.
fn busy() -> HttpResponse {
    let mut response = HttpResponse::ServiceUnavailable();
    response.insert_header((header::CACHE_CONTROL, "no-store"));
    plain(response.insert_header((header::RETRY_AFTER, "5")).finish())
}

/// Returns the day of a time in UTC, such as `2026-03-01`.
fn day(ms: i64) -> String {
    let date = time::OffsetDateTime::from_unix_timestamp(ms.div_euclid(1_000));
    let date = date.unwrap_or(time::OffsetDateTime::UNIX_EPOCH).date();
    format!("{:04}-{:02}-{:02}", date.year(), u8::from(date.month()), date.day())
}
