//! The envelope of messages, independent of their content.
//!
//! A request is `{id, op, ...}`, a reply `{re, ok}` or `{re, err}`, an event `{ev, seq, ...}`. This module does not
//! read the bodies. `docs/protocol.md` describes the protocol.
//!
//! Guarantees, with the ids of the protocol (the tests are in `src/testing/frames.rs`):
//! - W1: one message is exactly one value. Its depth, elements and string lengths are checked before it is decoded.
//! - W3: a reply carries the id of its request.
//! - W6: ids are whole numbers below 2^53. They may be sent as floats.
//!
//! Never here: a panic caused by input.

pub mod codec;

use bytes::Bytes;

use crate::error::Refusal;
use crate::ids::Seq;

/// Gives each variant of an enum the word that is sent and stored.
///
/// With `#[serde(try_from = "String")]` only the word is accepted. Without it, the MessagePack decoder would also
/// accept the number of a variant.
macro_rules! named {
    ($name:ident { $($variant:ident = $word:literal),* $(,)? }) => {
        impl $name {
            /// Returns the word that is sent and stored.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),*
                }
            }

            /// Returns the variant with this word; None if there is none.
            #[must_use]
            pub fn of_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = &'static str;

            fn try_from(word: String) -> Result<Self, Self::Error> {
                Self::of_word(&word).ok_or("no such word")
            }
        }
    };
}
pub(crate) use named;

/// The WebSocket subprotocol that both sides must name.
pub const SUBPROTOCOL: &str = "mellow.1";

/// A page offers this one too if it opens a socket as a guest. A page that logged out without a network cannot delete
/// the cookie of its login, which is therefore not read (D-A19). The server never chooses it.
pub const GUEST_SUBPROTOCOL: &str = "guest";
/// The version in `hello`.
pub const PROTOCOL: u32 = 1;

/// The envelope of a request.
#[derive(Debug, PartialEq, Eq)]
pub struct Head<'a> {
    /// Chosen by the client and repeated in the reply.
    pub id: u32,
    /// The name of the request, such as `posts.create`.
    pub op: &'a str,
}

/// Returns the reply `{re, ok}`; `ok` is one encoded value.
#[must_use]
pub fn reply_ok(re: u32, ok: &[u8]) -> Bytes {
    codec::pair("re", u64::from(re), "ok", ok)
}

/// Returns the reply `{re, err}`; `re` is nil if the id of the request could not be read.
#[must_use]
pub fn reply_err(re: Option<u32>, refusal: Refusal) -> Bytes {
    codec::refusal(re, &refusal.view())
}

/// Returns the event `{ev, seq, ...}`: `body` is an encoded map that names the event.
#[must_use]
pub fn event(seq: Seq, body: &[u8]) -> Bytes {
    codec::with_seq(seq, body)
}

/// Lists requests: name, fields, and the type of `ok`.
macro_rules! requests {
    ($($op:literal $name:ident -> $ok:ty,)*) => {
        /// The requests.
        #[derive(Debug)]
        pub enum Request {
            $(#[doc = concat!("`", $op, "`")] $name($name),)*
        }

        /// The names of the requests.
        pub const OPS: &[&str] = &[$($op),*];

        impl Request {
            /// Reads a request by its name.
            ///
            /// # Errors
            /// [`crate::error::Refusal::UnknownOp`], or `BadRequest` for a wrong field.
            pub fn read(op: &str, message: &[u8]) -> Result<Self, crate::error::Refusal> {
                match op {
                    $($op => crate::wire::codec::decode(message).map(Self::$name),)*
                    _ => Err(crate::error::Refusal::UnknownOp),
                }
            }
        }

        #[cfg(test)]
        pub(crate) fn typescript(types: &mut crate::testing::typescript::Types) -> Vec<String> {
            vec![$(format!(
                "  {:?}: {{ fields: {}, ok: {} }},",
                $op,
                types.inline::<$name>(),
                types.inline::<$ok>(),
            )),*]
        }
    };
}
pub(crate) use requests;
