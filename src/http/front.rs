//! The page of the app.
//!
//! Its head names the build, and holds today's theme, so that guests see the theme too. Its status is 200 if its
//! address is that of a screen, otherwise 404. If the default language is not English, or the host has languages of its
//! own, the `html` element says so. Its content policy names the hashes of its one inline script and its one
//! inline style, so no other inline script runs and no other inline style is applied.

use std::borrow::Cow;

use actix_web::http::header::{self, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use sha2::{Digest, Sha256};

use super::{POLICY, Web, login_cookie, plain, site};
use crate::features::auth;
use crate::features::passkeys::service::PasskeyService;
use crate::features::theme::{self, wire::Theme};
use crate::settings::{SignUps, version};
use crate::text::escape_html;

/// The addresses of screens. A part in braces matches any one part of a path.
const SCREENS: [&str; 19] = [
    "/",
    "/login",
    "/signup",
    "/invite/{id}",
    "/forgot",
    "/reset",
    "/verify",
    "/away",
    "/notifications",
    "/saved",
    "/settings",
    IMPORT,
    ADMIN,
    "/groups",
    GROUP,
    "/search",
    "/create-post",
    "/profile/{id}",
    "/post/{id}",
];

/// This address gets the status 200 unless the host has imports off.
const IMPORT: &str = "/import";

/// Only admins get the status 200 for this address (D-P7).
const ADMIN: &str = "/admin";

/// Only members of the group get the status 200 for this address (D-X2).
const GROUP: &str = "/groups/{id}";

/// Returns whether the sender of a request may see the screen of its path.
async fn is_there(request: &HttpRequest) -> bool {
    let path = request.path();
    let Some(screen) = screen_of(path) else { return false };
    if ![IMPORT, ADMIN, GROUP].contains(&screen) {
        return true;
    }
    let Some(site) = site(request) else { return false };
    if screen == IMPORT {
        return site.app.settings.import_max_mb > 0;
    }
    let cookie = login_cookie(request.headers(), &site.app.settings);
    let Ok(auth::Recognised::User { me, groups, .. }) = auth::recognise(cookie, &site.app).await else {
        return false;
    };
    // The app writes ids without signs and zeros in front, and knows no others.
    let is_of_group = |part: &str| groups.iter().any(|group| group.0.to_string() == part);
    if screen == ADMIN { me.is_admin } else { path.split('/').any(is_of_group) }
}

/// Returns the screen whose address a path is. Case and a slash at the end are ignored, as by the router of the app.
fn screen_of(path: &str) -> Option<&'static str> {
    let path = path.strip_suffix('/').unwrap_or(path);
    SCREENS.into_iter().find(|screen| {
        let mut parts = path.split('/');
        let known = screen.trim_end_matches('/').split('/');
        let fits = known.into_iter().all(|known| {
            parts.next().is_some_and(|part| match known.starts_with('{') {
                true => !part.is_empty(),
                false => part.eq_ignore_ascii_case(known),
            })
        });
        fits && parts.next().is_none()
    })
}

/// Returns the page; None if the web app is not built.
pub async fn page(request: &HttpRequest) -> Option<HttpResponse> {
    let bare = Web::get("index.html")?.data;
    let shown = match site(request) {
        Some(site) => theme::shown(&site.app, element).await.unwrap_or_else(|why| {
            log::debug!("a page was sent without the theme: {why}");
            Bytes::new()
        }),
        None => Bytes::new(),
    };
    let sign_ups = site(request).map_or(SignUps::Open, |site| site.app.settings.signup);
    let imports = imports_element(site(request).map_or(0, |site| site.app.settings.import_max_mb));
    let attributes = site(request).and_then(|site| site.app.languages.attributes());
    let page = in_language(&bare, attributes);
    let passkeys = site(request).map(|site| passkeys_element(&site.app.passkeys)).unwrap_or_default();
    let build = build();
    let elements =
        [build.as_bytes(), &shown, sign_up_element(sign_ups), passkeys.as_bytes(), imports.as_bytes()];
    let body = with(&page, &elements.concat());
    let mut response = match is_there(request).await {
        true => HttpResponse::Ok(),
        false => HttpResponse::NotFound(),
    };
    response.content_type("text/html; charset=utf-8").insert_header((header::CACHE_CONTROL, "no-cache"));
    let mut response = plain(response.body(body));
    if let Ok(policy) = HeaderValue::try_from(policy_of(&bare)) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    Some(response)
}

/// Returns the content policy that allows the inline script (web/build/early.ts) and the inline style of the page in
/// addition. `page` is the page of the build, to which nothing was added yet.
fn policy_of(page: &[u8]) -> String {
    let page = std::str::from_utf8(page).unwrap_or_default();
    ["script", "style"].into_iter().fold(POLICY.to_owned(), |policy, kind| match inline(page, kind) {
        Some(text) => {
            let hash = BASE64.encode(Sha256::digest(text));
            let own = format!("{kind}-src 'self'");
            policy.replacen(&own, &format!("{own} 'sha256-{hash}'"), 1)
        }
        None => policy,
    })
}

/// Returns the text of the first inline element of this kind.
fn inline<'page>(page: &'page str, kind: &str) -> Option<&'page str> {
    let (_, rest) = page.split_once(&format!("<{kind}>"))?;
    rest.split_once(&format!("</{kind}>")).map(|(text, _)| text)
}

/// Returns the page with these attributes of its `html` element; None leaves those of the build.
fn in_language<'page>(page: &'page [u8], attributes: Option<&str>) -> Cow<'page, [u8]> {
    const BUILT: &[u8] = b"<html lang=\"en\">";
    let Some(attributes) = attributes else { return Cow::Borrowed(page) };
    let at = page.windows(BUILT.len()).position(|window| window == BUILT);
    let Some(at) = at else { return Cow::Borrowed(page) };
    let (before, after) = (&page[..at], &page[at + BUILT.len()..]);
    Cow::Owned([before, b"<html ", attributes.as_bytes(), b">", after].concat())
}

/// Returns the page with this element at the end of its head.
fn with(page: &[u8], element: &[u8]) -> Bytes {
    const END: &[u8] = b"</head>";
    let Some(at) = page.windows(END.len()).position(|window| window == END) else {
        return Bytes::copy_from_slice(page);
    };
    let (before, after) = page.split_at(at);
    Bytes::from([before, element, after].concat())
}

/// Returns the element with the build. A page whose build differs from that of `hello` is out of date.
fn build() -> String {
    format!("  <meta name=\"mellow:build\" content=\"{}\" />\n  ", escape_html(version()))
}

/// Returns the element with the theme; empty if there is none.
fn element(theme: Option<&Theme>) -> Bytes {
    let meta =
        |theme| format!("  <meta name=\"mellow:theme\" content=\"{}\" />\n  ", escape_html(&json(theme)));
    theme.map(meta).unwrap_or_default().into()
}

/// Returns the element that says who may sign up; empty if everybody may. The page has it because the page of a guest
/// opens no socket by which it could ask.
fn sign_up_element(sign_ups: SignUps) -> &'static [u8] {
    match sign_ups {
        SignUps::Open => b"",
        SignUps::Invite => b"  <meta name=\"mellow:signup\" content=\"invite\" />\n  ",
        SignUps::Closed => b"  <meta name=\"mellow:signup\" content=\"closed\" />\n  ",
    }
}

/// Returns the element with the host name to which passkeys belong: an empty one if they cannot work at the address of
/// this Mellow. There is no element if the host has switched them off.
fn passkeys_element(passkeys: &PasskeyService) -> String {
    if !passkeys.is_on() {
        return String::new();
    }
    let host = passkeys.host().unwrap_or_default();
    format!("  <meta name=\"mellow:passkeys\" content=\"{}\" />\n  ", escape_html(host))
}

/// Returns the element that says that posts can be imported, with the largest size of a file in MiB; empty if the host
/// has imports off. The page has it because few people ever import anything, and `hello` goes to everybody.
fn imports_element(max_mb: u64) -> String {
    match max_mb {
        0 => String::new(),
        mb => format!("  <meta name=\"mellow:imports\" content=\"{mb}\" />\n  "),
    }
}

/// Returns the theme as JSON.
fn json(theme: &Theme) -> String {
    let Theme { day, title, description, tag, own } = theme;
    let parts = [("day", day), ("title", title), ("description", description), ("tag", tag)];
    let parts: Vec<String> =
        parts.iter().map(|(name, text)| format!("{}:{}", quoted(name), quoted(text))).collect();
    let own = own.map_or("null".into(), |number| number.to_string());
    format!("{{{},\"own\":{own}}}", parts.join(","))
}

fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The screens of the web app's router.
    fn routed() -> Vec<String> {
        let routes = include_str!("../../web/src/app/Routes.tsx");
        let paths = routes.lines().filter_map(|line| Some(line.strip_prefix("  \"")?.split_once("\": ")?.0));
        paths.map(|path| path.replace(":id", "{id}")).collect()
    }

    #[test]
    fn the_screens_are_those_of_the_apps_router() {
        assert_eq!(SCREENS.as_slice(), routed());
    }

    #[test]
    fn an_address_that_is_no_screen_is_not_found() {
        for path in [
            "/",
            "/login",
            "/Login/",
            "/groups",
            "/groups/7",
            "/profile/7",
            "/profile/a.b",
            "/profile/7/",
            "/post/no",
        ] {
            assert!(screen_of(path).is_some(), "{path}");
        }
        for path in [
            "/a.b",
            "/login.",
            "/login/x",
            "/profile",
            "/profile/",
            "/profile/7/x",
            "/admin/x",
            "//",
            "/index.html",
        ] {
            assert_eq!(screen_of(path), None, "{path}");
        }
    }

    fn with_theme(page: &[u8], theme: Option<&Theme>) -> Bytes {
        with(page, &element(theme))
    }

    #[test]
    fn a_page_says_that_posts_can_be_imported_unless_the_host_has_imports_off() {
        assert_eq!(imports_element(512), "  <meta name=\"mellow:imports\" content=\"512\" />\n  ");
        assert_eq!(imports_element(0), "");
    }

    const PAGE: &[u8] = b"<html><head>\n<title>x</title>\n</head><body></head></body></html>";

    fn theme(title: &str) -> Theme {
        let (description, tag) = ("b".into(), "c".into());
        Theme { day: "2026-11-21".into(), title: title.into(), description, tag, own: Some(7) }
    }

    #[test]
    fn a_page_carries_the_theme_in_its_head_and_nowhere_else() {
        let page = with_theme(PAGE, Some(&theme("Windows")));
        let page = std::str::from_utf8(&page).unwrap();
        let meta = "<meta name=\"mellow:theme\" content=\"{&quot;day&quot;:&quot;2026-11-21&quot;,\
                    &quot;title&quot;:&quot;Windows&quot;,&quot;description&quot;:&quot;b&quot;,\
                    &quot;tag&quot;:&quot;c&quot;,&quot;own&quot;:7}\" />";
        assert_eq!(page.matches(meta).count(), 1);
        assert!(page.find(meta) < page.find("</head>"), "{page}");
        assert_eq!(page.len(), PAGE.len() + meta.len() + 5);
    }

    #[test]
    fn d_l12_the_html_element_has_the_languages_of_the_host() {
        let page = b"<!doctype html>\n<html lang=\"en\">\n<p>x</p></html>";
        assert_eq!(in_language(page, None), &page[..]);
        let attributes = Some("lang=\"fi\" data-languages=\"{}\"");
        let expected = b"<!doctype html>\n<html lang=\"fi\" data-languages=\"{}\">\n<p>x</p></html>";
        assert_eq!(in_language(page, attributes), &expected[..]);
        assert_eq!(in_language(b"no element", attributes), &b"no element"[..]);
    }

    #[test]
    fn a_page_without_a_theme_is_unchanged() {
        assert_eq!(with_theme(PAGE, None), PAGE);
        assert_eq!(with_theme(b"no head", Some(&theme("a"))), &b"no head"[..]);
    }

    #[test]
    fn s11_the_policy_names_the_script_and_the_style_of_the_page() {
        let script = "<head><script>alert(1)</script><script src=\"/a.js\"></script>";
        assert_eq!(inline(script, "script"), Some("alert(1)"));
        assert_eq!(inline("<head><script src=\"/a.js\"></script></head>", "script"), None);
        assert_eq!(policy_of(b"<head></head>"), POLICY);
        // The hashes were made by `printf 'alert(1)' | openssl dgst -sha256 -binary | base64`.
        let named = "script-src 'self' 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=';";
        let policy = POLICY.replace("script-src 'self';", named);
        assert_eq!(policy_of(script.as_bytes()), policy);
        let named = "style-src 'self' 'sha256-QRQPRLGyxt3RJiKpYNjpkgHcmHU2PywsfL2e8oI0LQA=';";
        let page = format!("{script}<style>p{{margin:0}}</style></head>");
        assert_eq!(policy_of(page.as_bytes()), policy.replace("style-src 'self';", named));
    }

    #[test]
    fn the_text_of_a_theme_is_never_markup() {
        let odd = "\"/></head><script>alert('&amp;')</script> \\ 🌿 </HEAD>\u{7}\u{85}";
        let page = with_theme(PAGE, Some(&theme(odd)));
        let page = std::str::from_utf8(&page).unwrap();
        assert!(!page.contains("<script"), "{page}");
        let content = page.split("content=\"").nth(1).unwrap().split('"').next().unwrap();
        assert!(content.contains("🌿") && !content.contains(['<', '>', '\'']), "{content}");
        let json: serde_json::Value = serde_json::from_str(&unescape_html(content)).unwrap();
        assert_eq!(json["title"], odd);
    }

    fn unescape_html(text: &str) -> String {
        let text =
            text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
        text.replace("&amp;", "&")
    }
}
