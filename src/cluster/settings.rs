//! The settings of a cluster. Pure: nothing is opened here.

use std::path::PathBuf;

/// The setting `cluster`: the addresses of brokers as they were typed; None without a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brokers(pub Option<String>);

/// The accepted format of `cluster`.
pub const BROKERS_ACCEPTED: &str =
    "addresses such as nats://10.0.0.5:4222, or tls://... for TLS, with commas between them; empty for none";

impl Brokers {
    /// Reads the setting.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self(None));
        }
        super::nats::read_addresses(text).map(|_| Self(Some(text.into())))
    }
}

/// A file that a setting names; None if it names none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionalFile(pub Option<PathBuf>);

/// The accepted format of the name of a file.
pub const OPTIONAL_FILE_ACCEPTED: &str = "a file; empty for none";

impl OptionalFile {
    /// Returns the file of this name; none for an empty one.
    #[must_use]
    pub fn named(text: &str) -> Self {
        Self((!text.is_empty()).then(|| text.into()))
    }
}

/// The setting `site`: the first part of every subject. Two communities may thus share a broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteName(pub String);

/// The accepted format of `site`.
pub const SITE_ACCEPTED: &str = "1 to 20 characters, each a to z or 0 to 9";

impl SiteName {
    /// Reads the setting.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        ((1..=20).contains(&text.len()) && text.bytes().all(is_part)).then(|| Self(text.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_site_is_one_part_of_a_subject() {
        for text in ["mellow", "m2", &"a".repeat(20)] {
            assert_eq!(SiteName::read(text), Some(SiteName(text.into())));
        }
        for text in ["", "Mellow", "a.b", "a b", ">", "*", "é", &"a".repeat(21)] {
            assert_eq!(SiteName::read(text), None, "{text}");
        }
    }
}
