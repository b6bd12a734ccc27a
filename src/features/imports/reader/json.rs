//! JSON as it comes: counted, checked and read one item at a time.
//!
//! Only what a post needs is kept of an item. What has another shape than expected is left out, because programs write
//! a text, a list of texts or an object in the same place. Nothing is read into a tree, which could be many times as
//! large as the JSON. Values in values are limited by `serde_json`, to a depth of 128.

use std::fmt;
use std::io::{self, Cursor, Read};

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::Unreadable;
use crate::limits::{IMPORT_JSON_BYTES_MAX, IMPORT_WORDS_BYTES_MAX};

/// The mark with which some programs begin a file in UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Bytes of JSON that are counted and checked. Reading fails with [`Unreadable`] if they are too many or not UTF-8.
pub struct Counted<R> {
    bytes: R,
    count: u64,
    /// The first bytes of a character whose other bytes have not been read.
    begun: [u8; 4],
    begun_bytes: usize,
}

impl<R: Read> Counted<R> {
    pub fn new(bytes: R) -> Self {
        Self { bytes, count: 0, begun: [0; 4], begun_bytes: 0 }
    }

    /// Returns whether the text so far and these bytes may be the beginning of a text in UTF-8.
    fn is_text(&mut self, mut bytes: &[u8]) -> bool {
        while self.begun_bytes > 0 {
            let Some((next, rest)) = bytes.split_first() else { return true };
            // No four bytes are the beginning of a longer character.
            self.begun[self.begun_bytes] = *next;
            self.begun_bytes += 1;
            bytes = rest;
            match std::str::from_utf8(&self.begun[..self.begun_bytes]) {
                Ok(_) => self.begun_bytes = 0,
                Err(why) if why.error_len().is_some() => return false,
                Err(_) => {}
            }
        }
        match std::str::from_utf8(bytes) {
            Ok(_) => true,
            Err(why) if why.error_len().is_some() => false,
            Err(why) => {
                let begun = &bytes[why.valid_up_to()..];
                self.begun[..begun.len()].copy_from_slice(begun);
                self.begun_bytes = begun.len();
                true
            }
        }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(out)?;
        self.count += read as u64;
        if self.count > IMPORT_JSON_BYTES_MAX {
            return Err(io::Error::other(Unreadable::Unsafe));
        }
        let is_end = read == 0 && !out.is_empty();
        let is_text = self.is_text(&out[..read]) && !(is_end && self.begun_bytes > 0);
        if is_text { Ok(read) } else { Err(io::Error::other(Unreadable::Broken)) }
    }
}

/// Returns bytes without the mark at their beginning.
///
/// # Errors
/// The bytes could not be read.
pub fn without_mark(mut bytes: impl Read) -> io::Result<impl Read> {
    let mut first = Vec::new();
    bytes.by_ref().take(MARK.len() as u64).read_to_end(&mut first)?;
    if first == MARK {
        first.clear();
    }
    Ok(Cursor::new(first).chain(bytes))
}

/// Gives each object of a value: the value itself, or those in a list. Values of other kinds are left out. No more are
/// read once the function returns false.
pub struct Each<'a, T>(pub &'a mut dyn FnMut(T) -> bool);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Each<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Each<'_, T> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<(), A::Error> {
        let item = T::deserialize(MapAccessDeserializer::new(object))?;
        if (self.0)(item) { Ok(()) } else { Err(A::Error::custom("no more are wanted")) }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Each::<T>(&mut *self.0))?.is_some() {}
        Ok(())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Gives each text of a value: the value itself, or those in a list or an object. Whole numbers and truth values are
/// given as they are written.
pub struct EachText<'a>(pub &'a mut dyn FnMut(&str));

impl<'de> DeserializeSeed<'de> for EachText<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for EachText<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        (self.0)(text);
        Ok(())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        (self.0)(&number.to_string());
        Ok(())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        (self.0)(&number.to_string());
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, is_true: bool) -> Result<(), E> {
        (self.0)(if is_true { "true" } else { "false" });
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(EachText(&mut *self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        while object.next_key::<IgnoredAny>()?.is_some() {
            object.next_value_seed(EachText(&mut *self.0))?;
        }
        Ok(())
    }
}

/// The first text of a value; None if it has none. A text that is longer than any that is read is cut, and still longer
/// than [`IMPORT_WORDS_BYTES_MAX`].
#[derive(Default)]
pub struct Text(pub Option<String>);

impl Text {
    /// Returns whether it is this text.
    pub fn is(&self, text: &str) -> bool {
        self.0.as_deref() == Some(text)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        let mut first = None;
        value.deserialize_any(EachText(&mut |text: &str| {
            first.get_or_insert_with(|| {
                text[..text.floor_char_boundary(IMPORT_WORDS_BYTES_MAX + 4)].to_owned()
            });
        }))?;
        Ok(Self(first))
    }
}
