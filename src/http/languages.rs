//! The files of languages, for everybody, also without a login.
//!
//! The file of a language is that of the web build. If the host added or corrected the language, it was made at the
//! start (`crate::languages`).

use std::borrow::Cow;

use actix_web::http::header::{self, AcceptEncoding, Encoding, Header};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};

use super::{Web, bytes_of, in_best_encoding, is_head_too_large, is_held, media, plain, site};
use crate::languages::{etag, is_tag};

/// Returns the file of a language as the web build has it; None if the build does not have it.
#[must_use]
pub fn built(tag: &str) -> Option<Cow<'static, [u8]>> {
    Web::get(&path_of(tag)).map(|file| file.data)
}

fn path_of(tag: &str) -> String {
    format!("languages/{tag}.json")
}

/// Answers `GET /languages/{tag}.json` with the file of a language, or `304 Not Modified`.
pub async fn language(request: HttpRequest) -> HttpResponse {
    if is_head_too_large(request.headers()) {
        return plain(HttpResponse::RequestHeaderFieldsTooLarge().force_close().finish());
    }
    let Some(File { bytes, etag, encoding }) = find(&request) else { return media::none() };
    if is_held(&request, &etag) {
        return plain(described(HttpResponse::NotModified(), &etag).finish());
    }
    let mut response = described(HttpResponse::Ok(), &etag);
    response.content_type("application/json");
    if let Some(encoding) = encoding {
        response.insert_header((header::CONTENT_ENCODING, encoding));
    }
    plain(response.body(bytes))
}

/// A file as it is sent.
struct File {
    bytes: Bytes,
    etag: String,
    /// None if it is sent as it is.
    encoding: Option<String>,
}

fn find(request: &HttpRequest) -> Option<File> {
    // The tag becomes a part of a path.
    let tag = Some(request.match_info().query("tag")).filter(|tag| is_tag(tag))?;
    if let Some(served) = site(request).and_then(|site| site.app.languages.served(tag)) {
        let gzip = served.gzip.as_ref().filter(|_| takes_gzip(request));
        let (form, encoding) = gzip.map_or((&served.plain, None), |gzip| (gzip, Some("gzip".into())));
        return Some(File { bytes: form.bytes.clone(), etag: form.etag.clone(), encoding });
    }
    let (encoding, found) = in_best_encoding(request, &path_of(tag))?;
    let etag = etag(&found.metadata.sha256_hash());
    Some(File { bytes: bytes_of(found), etag, encoding })
}

fn takes_gzip(request: &HttpRequest) -> bool {
    let accepted = AcceptEncoding::parse(request);
    accepted.is_ok_and(|accepted| accepted.negotiate([Encoding::gzip()].iter()) == Some(Encoding::gzip()))
}

fn described(mut response: HttpResponseBuilder, etag: &str) -> HttpResponseBuilder {
    response.insert_header((header::ETAG, etag));
    response.insert_header((header::CACHE_CONTROL, "no-cache"));
    response.insert_header((header::VARY, "Accept-Encoding"));
    response
}
