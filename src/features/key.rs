//! Idempotency keys as clients send them.

use serde::{Deserialize, Deserializer};
use sha2::{Digest, Sha256};

use crate::db::command::KeyUse;
use crate::ids::UserId;
use crate::limits::KEY_BYTES;

/// 16 random bytes. A request that is sent again with the same key is applied once.
#[derive(Clone, Copy, Debug)]
pub struct Key(pub [u8; KEY_BYTES]);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reads;
        impl serde::de::Visitor<'_> for Reads {
            type Value = Key;
            fn expecting(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
                out.write_str("16 bytes")
            }
            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Key, E> {
                bytes.try_into().map(Key).map_err(|_| E::invalid_length(bytes.len(), &self))
            }
        }
        // Only bytes are accepted, not a text of sixteen characters.
        from.deserialize_bytes(Reads)
    }
}

#[cfg(test)]
impl ts_rs::TS for Key {
    type WithoutGenerics = Self;
    type OptionInnerType = Self;
    fn name(_: &ts_rs::Config) -> String {
        "ArrayBuffer".into()
    }
    fn inline(_: &ts_rs::Config) -> String {
        "ArrayBuffer".into()
    }
}

impl Key {
    /// Returns the use of the key by a request. `parts` are all parts of the request that change its effect.
    #[must_use]
    pub fn used_by(self, user_id: UserId, op: &str, parts: &[&[u8]]) -> KeyUse {
        let mut hash = Sha256::new();
        for part in std::iter::once(&op.as_bytes()).chain(parts) {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(part);
        }
        let mut body_hash = [0; 16];
        body_hash.copy_from_slice(&hash.finalize()[..16]);
        KeyUse { user_id, key: self.0, body_hash }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::codec;

    #[test]
    fn a_key_is_sixteen_bytes_and_not_a_text() {
        let read = |bytes: &[u8]| codec::decode::<Key>(bytes).map(|key| key.0).ok();
        // MessagePack begins bytes with 0xc4 and a length, and a text of 16 bytes with 0xb0.
        assert_eq!(read(&[&[0xc4, 16][..], &[7; 16]].concat()), Some([7; 16]));
        assert_eq!(read(&[&[0xc4, 15][..], &[7; 15]].concat()), None);
        assert_eq!(read(&[&[0xb0][..], &[b'a'; 16]].concat()), None);
    }
}
