//! Sealing: nobody without the key of the cluster can read or make a message, and none can be moved to another subject.
//!
//! A sealed message is `version (1 byte) | key id (4) | nonce (24) | XChaCha20-Poly1305`, with the subject as associated
//! data. The broker sees subjects, sizes and times alone.

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use sha2::{Digest, Sha256};

use super::wire::ENCODING;
use crate::error::Error;
use crate::random::{hex, random};

/// Bytes of a key.
pub const KEY_BYTES: usize = 32;

const ID_BYTES: usize = 4;
const NONCE_BYTES: usize = 24;
const HEAD_BYTES: usize = 1 + ID_BYTES + NONCE_BYTES;

/// The keys of a process.
pub struct Keys {
    /// The key that seals.
    own: Key,
    /// An earlier key that is still accepted.
    old: Option<Key>,
}

struct Key {
    id: [u8; ID_BYTES],
    cipher: XChaCha20Poly1305,
}

/// Why a message was not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unopened {
    /// It is of this version of Mellow's encoded forms.
    Version(u8),
    /// It was sealed with a key that this process does not have.
    Key,
    /// It is no sealed message of this subject.
    Damaged,
}

impl Key {
    fn new(bytes: &[u8; KEY_BYTES]) -> Self {
        let hash = Sha256::digest(bytes);
        let mut id = [0; ID_BYTES];
        id.copy_from_slice(&hash[..ID_BYTES]);
        Self { id, cipher: XChaCha20Poly1305::new(&(*bytes).into()) }
    }

    /// Reads the text of a key file: 64 hexadecimal digits, and perhaps a line break.
    fn read(text: &str) -> Option<Self> {
        let digits = text.trim_end();
        if digits.len() != 2 * KEY_BYTES || !digits.is_ascii() {
            return None;
        }
        let mut bytes = [0; KEY_BYTES];
        for (place, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(digits.get(2 * place..2 * place + 2)?, 16).ok()?;
        }
        Some(Self::new(&bytes))
    }
}

/// Returns the text of a file with a new key.
///
/// # Errors
/// A fault if the system has no random bytes.
pub fn new_key() -> Result<String, Error> {
    Ok(hex(&random::<KEY_BYTES>()?) + "\n")
}

impl Keys {
    /// Reads the texts of the key files; None if one of them is no key.
    #[must_use]
    pub fn read(own: &str, old: Option<&str>) -> Option<Self> {
        let old = match old {
            Some(text) => Some(Key::read(text)?),
            None => None,
        };
        Some(Self { own: Key::read(own)?, old })
    }

    /// Seals a message for a subject.
    ///
    /// # Errors
    /// A fault if the system has no random bytes.
    pub fn seal(&self, subject: &str, message: &[u8]) -> Result<Vec<u8>, Error> {
        let nonce: [u8; NONCE_BYTES] = random()?;
        let payload = Payload { msg: message, aad: subject.as_bytes() };
        let sealed = self.own.cipher.encrypt(&XNonce::from(nonce), payload);
        let sealed = sealed.map_err(|_| Error::Broken("a message could not be sealed"))?;
        let mut bytes = Vec::with_capacity(HEAD_BYTES + sealed.len());
        bytes.push(ENCODING);
        bytes.extend_from_slice(&self.own.id);
        bytes.extend_from_slice(&nonce);
        bytes.extend_from_slice(&sealed);
        Ok(bytes)
    }

    /// Opens a message of a subject.
    ///
    /// # Errors
    /// Why it is not opened.
    pub fn open(&self, subject: &str, bytes: &[u8]) -> Result<Vec<u8>, Unopened> {
        let (head, sealed) = bytes.split_at_checked(HEAD_BYTES).ok_or(Unopened::Damaged)?;
        let (version, rest) = head.split_at(1);
        let (id, nonce) = rest.split_at(ID_BYTES);
        if version != [ENCODING] {
            return Err(version.first().map_or(Unopened::Damaged, |version| Unopened::Version(*version)));
        }
        let key = [Some(&self.own), self.old.as_ref()].into_iter().flatten().find(|key| key.id == id);
        let nonce: [u8; NONCE_BYTES] = nonce.try_into().map_err(|_| Unopened::Damaged)?;
        let payload = Payload { msg: sealed, aad: subject.as_bytes() };
        let opened = key.ok_or(Unopened::Key)?.cipher.decrypt(&XNonce::from(nonce), payload);
        opened.map_err(|_| Unopened::Damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(own: u8, old: Option<u8>) -> Keys {
        let text = |byte: u8| hex(&[byte; KEY_BYTES]);
        Keys::read(&text(own), old.map(text).as_deref()).unwrap()
    }

    #[test]
    fn whoever_has_the_key_opens_what_was_sealed_and_the_broker_reads_no_word() {
        let sealed = keys(1, None).seal("mellow.log", b"a secret of Ana").unwrap();
        assert_eq!(keys(1, None).open("mellow.log", &sealed).unwrap(), b"a secret of Ana");
        assert!(!sealed.windows(6).any(|bytes| bytes == b"secret"));
        let again = keys(1, None).seal("mellow.log", b"a secret of Ana").unwrap();
        assert_ne!(sealed, again, "each message has a nonce of its own");
    }

    #[test]
    fn an_earlier_key_is_accepted_and_an_unknown_one_is_not() {
        let of_before = keys(1, None).seal("mellow.log", b"hello").unwrap();
        assert_eq!(keys(2, Some(1)).open("mellow.log", &of_before).unwrap(), b"hello");
        assert_eq!(keys(2, None).open("mellow.log", &of_before), Err(Unopened::Key));
        let of_now = keys(2, Some(1)).seal("mellow.log", b"hello").unwrap();
        assert_eq!(keys(1, None).open("mellow.log", &of_now), Err(Unopened::Key));
    }

    #[test]
    fn a_changed_or_moved_message_is_not_opened() {
        let keys = keys(1, None);
        let sealed = keys.seal("mellow.log", b"hello").unwrap();
        assert_eq!(keys.open("other.log", &sealed), Err(Unopened::Damaged));
        for place in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[place] ^= 1;
            let expected = match place {
                0 => Unopened::Version(ENCODING ^ 1),
                1..=4 => Unopened::Key,
                _ => Unopened::Damaged,
            };
            assert_eq!(keys.open("mellow.log", &changed), Err(expected), "{place}");
        }
        for length in 0..sealed.len() {
            assert_eq!(keys.open("mellow.log", &sealed[..length]), Err(Unopened::Damaged), "{length}");
        }
    }

    #[test]
    fn a_key_file_has_64_digits_and_no_two_are_alike() {
        let (made, other) = (new_key().unwrap(), new_key().unwrap());
        assert!(Keys::read(&made, Some(&other)).is_some() && made != other);
        for text in
            ["", "00", &made[..62], &format!("{}0", made.trim_end()), &"g".repeat(64), &"é".repeat(32)]
        {
            assert!(Keys::read(text, None).is_none() && Keys::read(&made, Some(text)).is_none(), "{text}");
        }
    }
}
