//! The label of a device, such as `Firefox on Linux`. It distinguishes the logins of a user. Pure.
//!
//! A label consists of fixed words, whatever the browser sends. An unknown browser has no label.

use crate::limits::DEVICE_CHARS_MAX;

/// Bytes of the `User-Agent` header that are read.
const READ_MAX: usize = 512;

/// Texts that identify browsers. Many browsers also name other browsers, so the order matters.
const BROWSERS: &[(&str, &str)] = &[
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("OPT/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Vivaldi/", "Vivaldi"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

/// Texts that identify operating systems.
const SYSTEMS: &[(&str, &str)] = &[
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Macintosh", "Mac"),
    ("Linux", "Linux"),
];

const _: () = assert!("Samsung Internet on ChromeOS".len() <= DEVICE_CHARS_MAX);

/// Returns the label for a `User-Agent` header; empty if unknown.
#[must_use]
pub fn named_by(user_agent: &str) -> String {
    let read: String = user_agent.chars().filter(char::is_ascii).take(READ_MAX).collect();
    let find = |signs: &[(&str, &'static str)]| {
        signs.iter().find(|(sign, _)| read.contains(sign)).map(|(_, name)| *name)
    };
    match (find(BROWSERS), find(SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(name), None) | (None, Some(name)) => name.to_owned(),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_has_the_name_that_people_use() {
        for (user_agent, name) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox on Linux"),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1",
                "Safari on iPhone",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/143.0 Mobile/15E148 Safari/604.1",
                "Chrome on iPhone",
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Mobile Safari/537.36",
                "Chrome on Android",
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36",
                "Samsung Internet on Android",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
                "Safari on Mac",
            ),
            (
                "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
                "Chrome on ChromeOS",
            ),
            ("SomeApp/1.0 (iPad)", "iPad"),
            ("curl/8.5.0", ""),
            ("", ""),
        ] {
            assert_eq!(named_by(user_agent), name, "{user_agent}");
        }
    }

    #[test]
    fn no_text_of_the_header_is_shown() {
        for user_agent in
            ["<script>alert(1)</script>".to_owned(), "\u{202e}xoferiF".into(), "x".repeat(100_000)]
        {
            assert_eq!(named_by(&user_agent), "");
        }
        assert_eq!(named_by(&format!("{}Firefox/1 Linux", "x".repeat(READ_MAX))), "", "it reads so far");
    }
}
