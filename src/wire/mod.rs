//! The envelope of messages, independent of their content.
//!
//! A request is `{id, op, ...}`, a reply `{re, ok}` or `{re, err}`, an event `{ev, seq, ...}`. This module does not
//! read the bodies. `docs/protocol.md` describes the protocol.
//!
//! Guarantees, by the ids of the protocol (their tests are in `src/frames.rs`):
//! - W1: one message is exactly one value. Its depth, elements and string lengths are checked before it is decoded.
//! - W3: a reply carries its request's id.
//! - W6: ids are whole numbers below 2^53, also if they are sent as floats.
//!
//! Never here: a panic caused by input.

pub mod codec;

use bytes::Bytes;

use crate::error::Refusal;
use crate::ids::Seq;

/// Gives each variant of an enum the word that is sent and stored.
///
/// With `#[serde(try_from = "String")]` the enum is read by its word alone: MessagePack's reader would also take the
/// number of a variant.
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

            /// Returns the variant of a word; None if there is none.
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

/// The subprotocol both sides must name.
pub const SUBPROTOCOL: &str = "mellow.1";
/// The version in `hello`.
pub const PROTOCOL: u32 = 1;

/// The envelope of a request.
#[derive(Debug, PartialEq, Eq)]
pub struct Head<'a> {
    /// Chosen by the client, repeated in the reply.
    pub id: u32,
    /// The request's name, such as `posts.create`.
    pub op: &'a str,
}

/// Returns the reply `{re, ok}`; `ok` is one encoded value.
#[must_use]
pub fn reply_ok(re: u32, ok: &[u8]) -> Bytes {
    codec::pair("re", u64::from(re), "ok", ok)
}

/// Returns the reply `{re, err}`; `re` is nil when the request's id could not be read.
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

        /// Their names.
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
        pub(crate) fn typescript(types: &mut crate::typescript::Types) -> Vec<String> {
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
