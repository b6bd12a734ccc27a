//! Stored files over HTTP, for users who may see their post or profile now.
//!
//! Guarantees: a deleted, an unknown and an invisible file give the same response. A file runs no code wherever it is
//! opened, because its content type is not guessed and it is sandboxed.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use actix_web::body::SizedStream;
use actix_web::http::header::{self, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, web};
use futures_util::Stream;

use super::{is_head_too_large, is_held, login_cookie, plain, site};
use crate::authz::Viewer;
use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::features::auth::{self, Recognised};
use crate::features::context::App;
use crate::limits::MEDIA_PIECE_BYTES;
use crate::model::files;
use crate::model::files::Sendable;

/// Answers `GET /media/{full_path}?token=...` with the whole file, a range, or `304 Not Modified`.
pub async fn stored_file(request: HttpRequest) -> HttpResponse {
    if is_head_too_large(request.headers()) {
        return plain(HttpResponse::RequestHeaderFieldsTooLarge().force_close().finish());
    }
    let Some(site) = site(&request) else { return HttpResponse::InternalServerError().finish() };
    match find(&request, &site.app).await {
        Ok(Some((file, length, found))) => send(&request, file, length, &found),
        Ok(None) => none(),
        Err(Error::Refused(Refusal::Busy)) => {
            let mut response = HttpResponse::ServiceUnavailable();
            plain(response.insert_header((header::RETRY_AFTER, "1")).finish())
        }
        Err(why) => {
            log::error!("a stored file could not be looked up: {why}");
            plain(HttpResponse::InternalServerError().finish())
        }
    }
}

/// The response for a deleted, unknown or invisible file.
pub(super) fn none() -> HttpResponse {
    plain(HttpResponse::NotFound().insert_header((header::CACHE_CONTROL, "no-store")).finish())
}

async fn find(request: &HttpRequest, app: &App) -> Result<Option<(File, u64, Sendable)>, Error> {
    #[derive(serde::Deserialize)]
    struct FileQuery {
        token: String,
    }
    let Ok(query) = web::Query::<FileQuery>::from_query(request.query_string()) else { return Ok(None) };
    let cookie = login_cookie(request.headers(), &app.settings);
    let who = auth::recognise(cookie, app).await?;
    let Recognised::User { me, login_id, .. } = who else { return Ok(None) };
    let viewer = Viewer::User { user_id: me.id, login_id };
    let full_path = request.match_info().query("full_path");
    let wanted = full_path.to_owned();
    let found =
        app.readers.read(move |Snapshot { sql, .. }| files::find(sql, viewer, &wanted, &query.token)).await?;
    let Some(found) = found else { return Ok(None) };
    // The path is that of a row, so no request can reach another file.
    let path = app.uploads.path_of(full_path);
    let opened = web::block(move || {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok::<_, std::io::Error>((file, length))
    });
    match opened.await {
        Ok(Ok((file, length))) => Ok(Some((file, length, found))),
        // The post or profile was deleted after the row was read.
        Ok(Err(why)) if why.kind() == std::io::ErrorKind::NotFound => Ok(None),
        other => {
            log::warn!("a stored file cannot be opened: {other:?}");
            Err(Refusal::Busy.into())
        }
    }
}

/// Sends a file: the whole file, a range, or `304 Not Modified`.
///
/// `NamedFile` of actix-files is not used, because it breaks M4: it ignores `If-Range`, honours `Range` on `HEAD`,
/// sends the first of several ranges, and refuses a range in another unit. Its `ETag` is made of the inode and the time
/// of the file, so every browser would load all files again after a backup was restored.
fn send(request: &HttpRequest, file: File, length: u64, found: &Sendable) -> HttpResponse {
    let etag = format!("\"{}\"", found.id);
    let text = |name| request.headers().get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    if is_held(request, &etag) {
        return described(HttpResponse::NotModified(), &etag, found).finish().into_sandbox();
    }
    // A range is sent only for GET, and only if the client has the other bytes of the same file (RFC 9110, 13 and 14).
    let is_same = text(header::IF_RANGE).is_none_or(|held| held == etag);
    let range = text(header::RANGE).filter(|_| is_same && request.method() == Method::GET);
    let (status, part) = match range.map_or(Part::Whole, |range| part_of(range, length)) {
        Part::Whole => (StatusCode::OK, 0..length),
        Part::Of(part) => (StatusCode::PARTIAL_CONTENT, part),
        Part::Nowhere => {
            let mut response = HttpResponse::RangeNotSatisfiable();
            response.insert_header((header::CONTENT_RANGE, format!("bytes */{length}")));
            response.insert_header((header::CACHE_CONTROL, "no-store"));
            return response.finish().into_sandbox();
        }
    };
    let mut response = described(HttpResponse::build(status), &etag, found);
    if status == StatusCode::PARTIAL_CONTENT {
        let range = format!("bytes {}-{}/{length}", part.start, part.end - 1);
        response.insert_header((header::CONTENT_RANGE, range));
    }
    let bytes = part.end - part.start;
    response.body(SizedStream::new(bytes, stream_of(file, part))).into_sandbox()
}

fn described(mut response: HttpResponseBuilder, etag: &str, found: &Sendable) -> HttpResponseBuilder {
    response.insert_header((header::CONTENT_TYPE, found.content_type.as_str()));
    response.insert_header((header::ETAG, etag));
    response.insert_header((header::ACCEPT_RANGES, "bytes"));
    // The bytes at an address never change.
    response.insert_header((header::CACHE_CONTROL, "private, max-age=31536000, immutable"));
    response.insert_header((header::CONTENT_DISPOSITION, "inline"));
    response
}

/// The requested part of a file.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    Whole,
    Of(Range<u64>),
    /// It begins after the end of the file.
    Nowhere,
}

/// Parses one range of bytes. An invalid range, or several, requests the whole file (RFC 9110, 14.2).
fn part_of(range: &str, length: u64) -> Part {
    let Some((first, last)) = range.strip_prefix("bytes=").and_then(|range| range.split_once('-')) else {
        return Part::Whole;
    };
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse().unwrap_or(u64::MAX))
    };
    let part = match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => first..last.saturating_add(1).min(length),
        (Some(first), None) if last.is_empty() => first..length,
        (None, Some(count)) if first.is_empty() => length.saturating_sub(count)..length,
        _ => return Part::Whole,
    };
    if part.is_empty() { Part::Nowhere } else { Part::Of(part) }
}

/// Reads a part of a file piece by piece. A piece is read when the client has taken the previous one.
fn stream_of(file: File, part: Range<u64>) -> impl Stream<Item = std::io::Result<Bytes>> {
    let file = Arc::new(file);
    futures_util::stream::try_unfold(part, move |mut part| {
        let file = file.clone();
        async move {
            if part.is_empty() {
                return Ok(None);
            }
            let bytes = usize::try_from(part.end - part.start).unwrap_or(usize::MAX).min(MEDIA_PIECE_BYTES);
            let start = part.start;
            let read = tokio::task::spawn_blocking(move || {
                let mut piece = vec![0; bytes];
                file.read_exact_at(&mut piece, start).map(|()| Bytes::from(piece))
            });
            let piece = read.await.map_err(std::io::Error::other)??;
            part.start += bytes as u64;
            Ok(Some((piece, part)))
        }
    })
}

/// Adds the headers that keep a file from running code wherever it is opened.
pub(super) trait IntoSandbox {
    fn into_sandbox(self) -> HttpResponse;
}

impl IntoSandbox for HttpResponse {
    fn into_sandbox(self) -> HttpResponse {
        let mut response = plain(self);
        let policy = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'; sandbox");
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_a_part_and_any_other_value_is_the_whole_file() {
        assert_eq!(part_of("bytes=0-3", 10), Part::Of(0..4));
        assert_eq!(part_of("bytes=4-", 10), Part::Of(4..10));
        assert_eq!(part_of("bytes=-3", 10), Part::Of(7..10));
        assert_eq!(part_of("bytes=-30", 10), Part::Of(0..10));
        assert_eq!(part_of("bytes=8-99999999999999999999999", 10), Part::Of(8..10));
        for nowhere in ["bytes=10-", "bytes=10-12", "bytes=-0"] {
            assert_eq!(part_of(nowhere, 10), Part::Nowhere, "{nowhere}");
        }
        for odd in ["bytes=abc", "items=0-5", "bytes=0-1,3-4", "bytes=5-2", "bytes=-", "bytes=+1-2", ""] {
            assert_eq!(part_of(odd, 10), Part::Whole, "{odd}");
        }
    }
}
