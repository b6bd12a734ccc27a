//! Networks: ranges of IP addresses, as a host writes them in a setting.

use std::net::IpAddr;

/// A list of networks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Networks(Vec<Network>);

/// The addresses that begin with the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Network {
    address: IpAddr,
    /// The number of bits: 0 to 32, for IPv6 to 128.
    bits: u32,
}

impl Networks {
    /// Reads networks with commas between them, such as `10.0.0.0/8, ::1`. An address alone is a network of one. An
    /// empty text has no networks. Returns None if a part is no network.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if text.trim().is_empty() {
            return Some(Self(Vec::new()));
        }
        text.split(',').map(|part| Network::read(part.trim())).collect::<Option<_>>().map(Self)
    }

    /// Returns whether one of the networks has this address. An IPv4 address in its IPv6 form is the same address.
    #[must_use]
    pub fn has(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.has(address))
    }
}

impl Network {
    fn read(text: &str) -> Option<Self> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let most: u32 = if address.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            Some(bits) => bits.parse::<u32>().ok().filter(|bits| *bits <= most)?,
            None => most,
        };
        // Addresses are compared in their IPv4 form, so a network in the IPv6 form of IPv4 would have none.
        (address == address.to_canonical()).then_some(Self { address, bits })
    }

    fn has(self, address: IpAddr) -> bool {
        // A shift by all bits leaves nothing: two addresses share their first 0 bits.
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                (own.to_bits() ^ other.to_bits()).checked_shr(32 - self.bits).unwrap_or(0) == 0
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                (own.to_bits() ^ other.to_bits()).checked_shr(128 - self.bits).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(networks: &str, address: &str) -> bool {
        Networks::read(networks).unwrap().has(address.parse().unwrap())
    }

    #[test]
    fn a_network_has_the_addresses_that_begin_with_its_bits() {
        for (networks, inside, outside) in [
            ("127.0.0.0/8", "127.255.0.9", "128.0.0.1"),
            ("10.20.0.0/15", "10.21.255.255", "10.22.0.0"),
            ("192.0.2.7", "192.0.2.7", "192.0.2.6"),
            // The bits after the first 24 do not matter.
            ("192.0.2.7/24", "192.0.2.255", "192.0.3.0"),
            ("0.0.0.0/0", "203.0.113.7", "::1"),
            ("::1", "::1", "::2"),
            ("fd00::/8", "fdff:1::9", "fe00::1"),
            ("::/0", "2001:db8::1", "203.0.113.7"),
            ("127.0.0.0/8", "::ffff:127.0.0.1", "::ffff:10.0.0.1"),
            (" 10.0.0.0/8 ,::1, 192.0.2.0/31 ", "192.0.2.1", "192.0.2.2"),
        ] {
            assert!(has(networks, inside), "{networks} has {inside}");
            assert!(!has(networks, outside), "{networks} has not {outside}");
        }
        assert!(!has("", "127.0.0.1") && !has(" ", "::1"));
    }

    #[test]
    fn what_is_no_network_is_refused() {
        for text in [
            "loopback",
            "10.0.0.0/33",
            "::1/129",
            "10.0.0.0/",
            "10.0.0.0/-1",
            "10.0.0/8",
            "10.0.0.0/8/8",
            "10.0.0.0/8,",
            ",",
            "10.0.0.0/8 ::1",
            "[::1]",
            "10.0.0.1:80",
            "::ffff:10.0.0.0/104",
        ] {
            assert_eq!(Networks::read(text), None, "{text}");
        }
    }
}
