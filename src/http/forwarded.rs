//! The network address of a client, also behind a proxy.
//!
//! Guarantees:
//! - Only a proxy that the host trusts (the setting `trusted_proxies`; the own machine, if it is not set) can name the
//!   client, and only by the last entry of the last `X-Forwarded-For`, which it wrote itself. A client can forge
//!   everything else, `Forwarded` too, which proxies pass on unchanged.
//! - Nothing that comes before that entry decides how it is read.
//! - If the clients of a proxy count as one address, the log says so, once for each reason.

use std::net::IpAddr;
use std::sync::Once;

use actix_web::http::header::HeaderMap;

use crate::networks::Networks;

const FORWARDED_FOR: &str = "X-Forwarded-For";

/// Headers that proxies add. A request that has one did not come from this machine directly.
const OF_PROXIES: [&str; 6] =
    [FORWARDED_FOR, "Forwarded", "X-Real-IP", "X-Forwarded-Host", "X-Forwarded-Proto", "Via"];

/// Characters of an entry whose shape is logged.
const SHAPE_CHARS_MAX: usize = 60;

/// Returns whether a proxy passed the request on.
pub fn is_proxied(headers: &HeaderMap) -> bool {
    OF_PROXIES.iter().any(|name| headers.contains_key(*name))
}

/// Returns the address of the client: that of the peer, or the one that a trusted proxy names.
pub fn address(peer: Option<IpAddr>, headers: &HeaderMap, trusted_proxies: &Networks) -> IpAddr {
    static UNREAD: Once = Once::new();
    static UNNAMED: Once = Once::new();
    static ELSEWHERE: Once = Once::new();
    let peer = peer.unwrap_or(IpAddr::from([0, 0, 0, 0]));
    let named = headers.get_all(FORWARDED_FOR).last().map(|value| last_entry(value.as_bytes()));
    if !trusted_proxies.has(peer) {
        // A client on the internet may send the header too, but only a proxy has a private address or this machine's.
        if named.is_some() && is_private(peer) {
            ELSEWHERE.call_once(|| {
                log::warn!(
                    "a proxy that is not in trusted_proxies sends {FORWARDED_FOR}, so all its visitors count as one \
                     address"
                );
            });
        }
        return network(peer);
    }
    let Some(entry) = named else {
        if is_proxied(headers) {
            UNNAMED.call_once(|| {
                log::warn!("the proxy sends no {FORWARDED_FOR}, so all its visitors count as one address");
            });
        }
        return peer;
    };
    read(entry).map_or_else(
        || {
            UNREAD.call_once(|| {
                log::warn!(
                    "the last entry of the proxy's {FORWARDED_FOR} is no network address, so its visitors count as \
                     one. Its shape is {}",
                    shape(entry)
                );
            });
            peer
        },
        network,
    )
}

/// Returns the part after the last comma.
fn last_entry(value: &[u8]) -> &[u8] {
    value.rsplit(|byte| *byte == b',').next().unwrap_or_default().trim_ascii()
}

/// Reads an entry: an address, perhaps with a port or a zone, in brackets or in quotes.
fn read(entry: &[u8]) -> Option<IpAddr> {
    let entry = std::str::from_utf8(entry).ok()?;
    let entry = entry.strip_prefix('"').and_then(|entry| entry.strip_suffix('"')).unwrap_or(entry);
    let host = match entry.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']')?;
            (after.is_empty() || is_port(after)).then_some(host)?
        }
        None => entry,
    };
    let of_host = |host: &str| host.split('%').next().and_then(|host| host.parse().ok());
    of_host(host).or_else(|| {
        let at = host.rfind(':').filter(|at| is_port(&host[*at..]))?;
        of_host(&host[..at])
    })
}

/// Returns whether a text is a colon and a number.
fn is_port(text: &str) -> bool {
    text.strip_prefix(':')
        .is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the form of an entry without its content, because the log names no address.
fn shape(entry: &[u8]) -> String {
    let shown = entry.iter().take(SHAPE_CHARS_MAX).map(|byte| match byte {
        b'0'..=b'9' => '0',
        byte if byte.is_ascii_alphabetic() => 'a',
        byte if byte.is_ascii_graphic() || *byte == b' ' => char::from(*byte),
        _ => '?',
    });
    shown.collect()
}

/// Returns whether an address belongs to this machine or to a private network.
fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address.is_loopback() || address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    }
}

/// Returns the address by which limits count a household or host: for IPv6, the first 64 bits.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;

    fn headers(pairs: &[(&'static str, &[u8])]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            headers.append(name, HeaderValue::from_bytes(value).unwrap());
        }
        headers
    }

    /// The networks of proxies that are trusted if the host sets none.
    fn own_machine() -> Networks {
        Networks::read("127.0.0.0/8, ::1").unwrap()
    }

    fn behind_a_proxy(value: &[u8]) -> String {
        let proxy = IpAddr::from([127, 0, 0, 1]);
        address(Some(proxy), &headers(&[(FORWARDED_FOR, value)]), &own_machine()).to_string()
    }

    #[test]
    fn each_visitor_of_a_proxy_is_counted_however_the_proxy_writes_the_address() {
        for value in [
            "203.0.113.7",
            " 203.0.113.7 ",
            "203.0.113.7:50123",
            "\"203.0.113.7\"",
            "\"203.0.113.7:50123\"",
            "::ffff:203.0.113.7",
            "[::ffff:203.0.113.7]:50123",
            "198.51.100.1, 203.0.113.7:1",
            "unknown,203.0.113.7",
        ] {
            assert_eq!(behind_a_proxy(value.as_bytes()), "203.0.113.7", "{value}");
        }
        for value in [
            "2001:db8:1:2::7",
            "[2001:db8:1:2::7]",
            "[2001:db8:1:2::7]:443",
            "\"[2001:db8:1:2::7]:443\"",
            "2001:DB8:1:2:0:0:0:7:443",
            "2001:db8:1:2::7%eth0",
            "[2001:db8:1:2::7%25eth0]:443",
        ] {
            assert_eq!(behind_a_proxy(value.as_bytes()), "2001:db8:1:2::", "{value}");
        }
    }

    #[test]
    fn what_a_client_puts_before_the_entry_of_the_proxy_changes_nothing() {
        // A byte that is no ASCII, an open quote, and a second header.
        for value in
            [&b"\xff, 203.0.113.7"[..], b"\"1.2.3.4, 203.0.113.7", b"[, 203.0.113.7", b",,203.0.113.7"]
        {
            assert_eq!(behind_a_proxy(value), "203.0.113.7");
        }
        let (proxy, two) = (
            IpAddr::from([127, 0, 0, 1]),
            headers(&[(FORWARDED_FOR, b"198.51.100.1"), (FORWARDED_FOR, b"203.0.113.7")]),
        );
        assert_eq!(address(Some(proxy), &two, &own_machine()).to_string(), "203.0.113.7");
    }

    #[test]
    fn what_is_no_address_counts_as_the_proxy_and_the_log_shows_only_its_shape() {
        for value in [
            "",
            "unknown",
            "_hidden",
            "203.0.113",
            "203.0.113.7:",
            "203.0.113.7:x",
            "[2001:db8::1",
            "[]",
            "a b",
        ] {
            assert_eq!(behind_a_proxy(value.as_bytes()), "127.0.0.1", "{value}");
        }
        assert_eq!(shape(b"for=203.0.113.7;by=_x\r\xff"), "aaa=000.0.000.0;aa=_a??");
        assert_eq!(shape(&[b'x'; 1_000]).len(), SHAPE_CHARS_MAX);
    }

    #[test]
    fn s6_nobody_but_a_trusted_proxy_names_a_client() {
        let names = |peer: &str, trusted: &Networks| {
            let headers = headers(&[(FORWARDED_FOR, b"198.51.100.1, 203.0.113.7")]);
            address(peer.parse().ok(), &headers, trusted).to_string()
        };
        for peer in ["198.51.100.9", "172.18.0.3"] {
            assert_eq!(names(peer, &own_machine()), peer);
        }
        let of_a_container = Networks::read("172.18.0.0/16, fd00:1::/32").unwrap();
        for peer in ["172.18.0.3", "fd00:1::3"] {
            assert_eq!(names(peer, &of_a_container), "203.0.113.7");
        }
        for peer in ["127.0.0.1", "172.19.0.3", "198.51.100.9"] {
            assert_eq!(names(peer, &of_a_container), peer);
        }
        assert_eq!(names("127.0.0.1", &Networks::read("").unwrap()), "127.0.0.1");
        // Proxies pass `Forwarded` and `X-Real-IP` on as the client sent them.
        let (proxy, forged) = (
            IpAddr::from([127, 0, 0, 1]),
            headers(&[("Forwarded", b"for=203.0.113.7"), ("X-Real-IP", b"203.0.113.7")]),
        );
        assert_eq!(address(Some(proxy), &forged, &own_machine()), proxy);
        assert!(is_proxied(&forged) && !is_proxied(&headers(&[("Host", b"localhost")])));
    }
}
