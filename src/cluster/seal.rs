//! Sealing: nobody without the key of the cluster can read or make a message, and none can be moved to another subject,
//! get another version, or have its answer sent to somebody else.
//!
//! A sealed message is `version (1 byte) | key id (4) | nonce (24) | XChaCha20-Poly1305`. Its associated data are the
//! version, the subject, and the subject of its answer. The broker sees subjects, sizes and times alone. Whoever has the
//! broker can still drop, delay and repeat messages: whoever receives one must not be hurt by that.

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

    /// Seals a message for a subject. `reply` is the subject of its answer.
    ///
    /// # Errors
    /// A fault if the system has no random bytes.
    pub fn seal(&self, subject: &str, reply: Option<&str>, message: &[u8]) -> Result<Vec<u8>, Error> {
        self.seal_as(ENCODING, subject, reply, message)
    }

    fn seal_as(
        &self,
        version: u8,
        subject: &str,
        reply: Option<&str>,
        message: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let nonce: [u8; NONCE_BYTES] = random()?;
        let aad = associated(version, subject, reply);
        let sealed = self.own.cipher.encrypt(&XNonce::from(nonce), Payload { msg: message, aad: &aad });
        let sealed = sealed.map_err(|_| Error::Broken("a message could not be sealed"))?;
        let mut bytes = Vec::with_capacity(HEAD_BYTES + sealed.len());
        bytes.push(version);
        bytes.extend_from_slice(&self.own.id);
        bytes.extend_from_slice(&nonce);
        bytes.extend_from_slice(&sealed);
        Ok(bytes)
    }

    /// Opens a message of a subject. `reply` is the subject of its answer.
    ///
    /// # Errors
    /// Why it is not opened.
    pub fn open(&self, subject: &str, reply: Option<&str>, bytes: &[u8]) -> Result<Vec<u8>, Unopened> {
        let (head, sealed) = bytes.split_at_checked(HEAD_BYTES).ok_or(Unopened::Damaged)?;
        let (version, rest) = head.split_first().ok_or(Unopened::Damaged)?;
        let (id, nonce) = rest.split_at(ID_BYTES);
        let key = [Some(&self.own), self.old.as_ref()].into_iter().flatten().find(|key| key.id == id);
        let nonce: [u8; NONCE_BYTES] = nonce.try_into().map_err(|_| Unopened::Damaged)?;
        let aad = associated(*version, subject, reply);
        let payload = Payload { msg: sealed, aad: &aad };
        let opened = key.ok_or(Unopened::Key)?.cipher.decrypt(&XNonce::from(nonce), payload);
        let opened = opened.map_err(|_| Unopened::Damaged)?;
        // A version counts only in a message that a process of this cluster made, because a front ends at a newer one.
        if *version == ENCODING { Ok(opened) } else { Err(Unopened::Version(*version)) }
    }
}

/// Returns what a seal holds together with its message.
fn associated(version: u8, subject: &str, reply: Option<&str>) -> Vec<u8> {
    // No subject has a zero byte, and none is empty.
    [&[version][..], subject.as_bytes(), &[0], reply.unwrap_or_default().as_bytes()].concat()
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
        let sealed = keys(1, None).seal("mellow.log", None, b"a secret of Ana").unwrap();
        assert_eq!(keys(1, None).open("mellow.log", None, &sealed).unwrap(), b"a secret of Ana");
        assert!(!sealed.windows(6).any(|bytes| bytes == b"secret"));
        let again = keys(1, None).seal("mellow.log", None, b"a secret of Ana").unwrap();
        assert_ne!(sealed, again, "each message has a nonce of its own");
    }

    #[test]
    fn an_earlier_key_is_accepted_and_an_unknown_one_is_not() {
        let of_before = keys(1, None).seal("mellow.log", None, b"hello").unwrap();
        assert_eq!(keys(2, Some(1)).open("mellow.log", None, &of_before).unwrap(), b"hello");
        assert_eq!(keys(2, None).open("mellow.log", None, &of_before), Err(Unopened::Key));
        let of_now = keys(2, Some(1)).seal("mellow.log", None, b"hello").unwrap();
        assert_eq!(keys(1, None).open("mellow.log", None, &of_now), Err(Unopened::Key));
    }

    #[test]
    fn a_changed_or_moved_message_is_not_opened() {
        let keys = keys(1, None);
        let sealed = keys.seal("mellow.log", None, b"hello").unwrap();
        assert_eq!(keys.open("other.log", None, &sealed), Err(Unopened::Damaged));
        for place in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[place] ^= 1;
            let expected = if (1..=4).contains(&place) { Unopened::Key } else { Unopened::Damaged };
            assert_eq!(keys.open("mellow.log", None, &changed), Err(expected), "{place}");
        }
        for length in 0..sealed.len() {
            assert_eq!(keys.open("mellow.log", None, &sealed[..length]), Err(Unopened::Damaged), "{length}");
        }
    }

    #[test]
    fn the_answer_to_a_question_cannot_be_sent_to_somebody_else() {
        let keys = keys(1, None);
        let question = keys.seal("mellow.h.ask.0", Some("_INBOX.f.1"), b"what does Ana read?").unwrap();
        assert!(keys.open("mellow.h.ask.0", Some("_INBOX.f.1"), &question).is_ok());
        for reply in [None, Some("_INBOX.f.2")] {
            assert_eq!(keys.open("mellow.h.ask.0", reply, &question), Err(Unopened::Damaged), "{reply:?}");
        }
    }

    #[test]
    fn a_version_is_known_only_from_a_message_that_was_sealed_with_the_key() {
        let ours = keys(1, None);
        let newer = ours.seal_as(ENCODING + 1, "mellow.log", None, b"hello").unwrap();
        assert_eq!(ours.open("mellow.log", None, &newer), Err(Unopened::Version(ENCODING + 1)));
        let mut made_newer = ours.seal("mellow.log", None, b"hello").unwrap();
        made_newer[0] += 1;
        assert_eq!(ours.open("mellow.log", None, &made_newer), Err(Unopened::Damaged));
        let foreign = keys(2, None).seal_as(ENCODING + 1, "mellow.log", None, b"hello").unwrap();
        assert_eq!(ours.open("mellow.log", None, &foreign), Err(Unopened::Key));
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
