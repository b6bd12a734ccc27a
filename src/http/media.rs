//! Stored files over HTTP, for who may see what they belong to, now.
//!
//! Promise: gone, never was and not yours are one answer. What is sent runs nothing, wherever it is
//! opened: nobody guesses its kind, and it stands in a sandbox.

use std::fs::File;
use std::path::PathBuf;

use actix_files::NamedFile;
use actix_web::cookie::Cookie;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};

use super::{cookie_name, is_head_too_large, plain, site};
use crate::access::Viewer;
use crate::error::{Error, Refusal};
use crate::features::auth::{self, Recognised};
use crate::features::files::{self, Sendable};
use crate::features::kit::App;

/// Answers `GET /media/{full_path}?token=...`: whole, a range, or "you have it".
pub async fn stored_file(request: HttpRequest) -> HttpResponse {
    if is_head_too_large(request.headers()) {
        return plain(HttpResponse::RequestHeaderFieldsTooLarge().force_close().finish());
    }
    let Some(site) = site(&request) else { return HttpResponse::InternalServerError().finish() };
    match find(&request, &site.around.app).await {
        Ok(Some((file, path, found))) => send(&request, file, path, &found).unwrap_or_else(|why| {
            log::warn!("a stored file cannot be sent: {why}");
            none()
        }),
        Ok(None) => none(),
        Err(Error::Refused(Refusal::Busy)) => {
            let mut answer = HttpResponse::ServiceUnavailable();
            plain(answer.insert_header((header::RETRY_AFTER, "1")).finish())
        }
        Err(why) => {
            log::error!("a stored file could not be looked for: {why}");
            plain(HttpResponse::InternalServerError().finish())
        }
    }
}

/// The one answer to gone, never was, and not yours.
fn none() -> HttpResponse {
    plain(HttpResponse::NotFound().insert_header((header::CACHE_CONTROL, "no-store")).finish())
}

async fn find(request: &HttpRequest, app: &App) -> Result<Option<(File, PathBuf, Sendable)>, Error> {
    #[derive(serde::Deserialize)]
    struct Asked {
        token: String,
    }
    let Ok(asked) = web::Query::<Asked>::from_query(request.query_string()) else { return Ok(None) };
    let cookie = request.cookie(cookie_name(&app.config));
    let who = auth::recognise(cookie.as_ref().map(Cookie::value), app).await?;
    let Recognised::Somebody { me, login_id, .. } = who else { return Ok(None) };
    let viewer = Viewer::User { user_id: me.id, login_id };
    let full_path = request.match_info().query("full_path");
    let mut snapshot = app.reader.snapshot().await?;
    let found = files::find(snapshot.connection(), viewer, full_path, &asked.token).await?;
    drop(snapshot);
    let Some(found) = found else { return Ok(None) };
    // The path is one that a row has: nothing that is asked for can lead elsewhere.
    let path = app.uploads.path_of(full_path);
    let opened = web::block(move || File::open(&path).map(|file| (file, path))).await;
    match opened {
        Ok(Ok((file, path))) => Ok(Some((file, path, found))),
        // Its post was deleted a moment ago.
        Ok(Err(why)) if why.kind() == std::io::ErrorKind::NotFound => Ok(None),
        other => {
            log::warn!("a stored file cannot be opened: {other:?}");
            Err(Refusal::Busy.into())
        }
    }
}

fn send(request: &HttpRequest, file: File, path: PathBuf, found: &Sendable) -> std::io::Result<HttpResponse> {
    let file = NamedFile::from_file(file, path)?.disable_content_disposition().use_last_modified(false);
    let mut answer = plain(file.into_response(request));
    let kind = HeaderValue::from_str(&found.content_type);
    let kind = kind.unwrap_or(HeaderValue::from_static("application/octet-stream"));
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, kind);
    for (name, value) in [
        // The bytes at an address never change; whoever fetched them has seen them.
        ("cache-control", "private, max-age=31536000, immutable"),
        ("content-disposition", "inline"),
        ("content-security-policy", "default-src 'none'; frame-ancestors 'none'; sandbox"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    Ok(answer)
}
