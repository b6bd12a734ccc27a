//! The codec: MessagePack to types and back. Only this file uses MessagePack.
//!
//! Reading has two steps. First [`check`] walks the bytes without allocating. It checks that one value is the whole
//! input, that depth, elements and strings are within their limits, that numbers are finite, and that the keys of a map
//! are unique strings. Then serde decodes the fields.

use bytes::{BufMut, Bytes, BytesMut};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Head;
use crate::error::{Refusal, RefusalView};
use crate::ids::Seq;
use crate::limits::{FRAME_DEPTH_MAX, FRAME_ELEMENTS_MAX, FRAME_STRING_BYTES_MAX};

/// Most keys of one map. A map with more is refused, because the check that keys are unique is quadratic.
const MAP_KEYS_MAX: usize = 64;

/// Encodes a value as a map with named keys.
///
/// # Errors
/// MessagePack cannot represent the type, which is a bug.
pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, crate::error::Error> {
    rmp_serde::to_vec_named(value)
        .map_err(|_| crate::error::Error::Broken("a value of ours could not be encoded"))
}

/// Decodes the fields of a message that [`check`] has passed.
///
/// # Errors
/// [`Refusal::BadRequest`] if a field is missing or has a wrong type.
pub fn decode<T: DeserializeOwned>(message: &[u8]) -> Result<T, Refusal> {
    let mut reader = rmp_serde::Deserializer::from_read_ref(message);
    reader.set_max_depth(FRAME_DEPTH_MAX + 2);
    T::deserialize(&mut reader).map_err(|_| Refusal::BadRequest)
}

/// Checks the bytes of a request (W1) and returns its head.
///
/// # Errors
/// The id of the request, if it could be read, and [`Refusal::BadFrame`] or [`Refusal::BadRequest`].
pub fn check(message: &[u8]) -> Result<Head<'_>, (Option<u32>, Refusal)> {
    let mut walk = Walk { rest: message, elements: 0 };
    let mut id = None;
    let mut op = None;
    let bad = |id: Option<u32>| (id, Refusal::BadFrame);

    let keys = walk.map_header().ok_or_else(|| bad(None))?;
    if keys > MAP_KEYS_MAX {
        return Err(bad(None));
    }
    let mut seen = Vec::with_capacity(keys);
    for _ in 0..keys {
        let key = walk.string().ok_or_else(|| bad(id))?;
        if seen.contains(&key) {
            return Err(bad(id));
        }
        seen.push(key);
        let before = walk.rest;
        walk.value(1).ok_or_else(|| bad(id))?;
        match key {
            "id" => id = whole(before).and_then(|id| u32::try_from(id).ok()).filter(|id| *id > 0),
            "op" => op = Walk { rest: before, elements: 0 }.string(),
            _ => {}
        }
    }
    if !walk.rest.is_empty() {
        return Err(bad(id));
    }
    match (id, op) {
        (Some(id), Some(op)) => Ok(Head { id, op }),
        _ => Err((id, Refusal::BadRequest)),
    }
}

fn whole(mut bytes: &[u8]) -> Option<u64> {
    match rmp_serde::from_read::<_, crate::ids::Whole>(&mut bytes) {
        Ok(whole) => u64::try_from(whole.0).ok(),
        Err(_) => None,
    }
}

/// A walk over MessagePack that allocates nothing.
struct Walk<'a> {
    rest: &'a [u8],
    elements: usize,
}

impl<'a> Walk<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn number(&mut self, width: usize) -> Option<usize> {
        let bytes = self.take(width)?;
        Some(bytes.iter().fold(0, |number, byte| (number << 8) | usize::from(*byte)))
    }

    fn map_header(&mut self) -> Option<usize> {
        match *self.take(1)?.first()? {
            marker @ 0x80..=0x8f => Some(usize::from(marker & 0x0f)),
            0xde => self.number(2),
            0xdf => self.number(4),
            _ => None,
        }
    }

    fn string(&mut self) -> Option<&'a str> {
        let length = match *self.take(1)?.first()? {
            marker @ 0xa0..=0xbf => usize::from(marker & 0x1f),
            0xd9 => self.number(1)?,
            0xda => self.number(2)?,
            0xdb => self.number(4)?,
            _ => return None,
        };
        if length > FRAME_STRING_BYTES_MAX {
            return None;
        }
        std::str::from_utf8(self.take(length)?).ok()
    }

    /// Walks one value; None if it is malformed or above a limit.
    fn value(&mut self, depth: usize) -> Option<()> {
        self.elements += 1;
        if depth > FRAME_DEPTH_MAX || self.elements > FRAME_ELEMENTS_MAX {
            return None;
        }
        let marker = *self.rest.first()?;
        match marker {
            0x00..=0x7f | 0xc0 | 0xc2 | 0xc3 | 0xe0..=0xff => self.take(1).map(drop),
            0xa0..=0xbf | 0xd9..=0xdb => self.string().map(drop),
            0x80..=0x8f | 0xde | 0xdf => {
                let keys = self.map_header()?;
                if keys > MAP_KEYS_MAX {
                    return None;
                }
                let mut seen = Vec::with_capacity(keys);
                for _ in 0..keys {
                    self.elements += 1;
                    let key = self.string()?;
                    if seen.contains(&key) {
                        return None;
                    }
                    seen.push(key);
                    self.value(depth + 1)?;
                }
                Some(())
            }
            0x90..=0x9f | 0xdc | 0xdd => {
                self.take(1)?;
                let count = match marker {
                    0xdc => self.number(2)?,
                    0xdd => self.number(4)?,
                    short => usize::from(short & 0x0f),
                };
                for _ in 0..count {
                    self.value(depth + 1)?;
                }
                Some(())
            }
            0xc4..=0xc6 => {
                self.take(1)?;
                let length = self.number(1 << (marker - 0xc4))?;
                self.take(length).map(drop)
            }
            0xca => {
                let bytes = self.take(5)?;
                f32::from_be_bytes(bytes[1..].try_into().ok()?).is_finite().then_some(())
            }
            0xcb => {
                let bytes = self.take(9)?;
                f64::from_be_bytes(bytes[1..].try_into().ok()?).is_finite().then_some(())
            }
            0xcc | 0xd0 => self.take(2).map(drop),
            0xcd | 0xd1 => self.take(3).map(drop),
            0xce | 0xd2 => self.take(5).map(drop),
            0xcf | 0xd3 => self.take(9).map(drop),
            // The protocol has no extension types. The marker 0xc1 is unused in MessagePack.
            0xc1 | 0xc7..=0xc9 | 0xd4..=0xd8 => None,
        }
    }
}

/// Returns `{first: number, second: <encoded>}`.
pub(super) fn pair(first: &str, number: u64, second: &str, encoded: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(encoded.len() + 24);
    out.put_u8(0x82);
    put_str(&mut out, first);
    put_whole(&mut out, number);
    put_str(&mut out, second);
    out.put_slice(encoded);
    out.freeze()
}

/// Returns `{re, err}`.
pub(super) fn refusal(re: Option<u32>, view: &RefusalView) -> Bytes {
    #[derive(Serialize)]
    struct Reply<'a> {
        re: Option<u32>,
        err: &'a RefusalView,
    }
    // A refusal can always be encoded. If that were wrong, the client would get an empty frame, which it cannot read.
    encode(&Reply { re, err: view }).map(Bytes::from).unwrap_or_default()
}

/// Returns the encoded map `body` with `seq` added as its last key.
pub(super) fn with_seq(seq: Seq, body: &[u8]) -> Bytes {
    let mut out = BytesMut::with_capacity(body.len() + 14);
    match body.split_first() {
        Some((marker @ 0x80..=0x8e, rest)) => {
            out.put_u8(marker + 1);
            out.put_slice(rest);
            put_str(&mut out, "seq");
            put_whole(&mut out, seq.0.unsigned_abs());
        }
        // The body is a map with fifteen keys or more, or no map. A test shows that no event is encoded like that.
        _ => out.put_slice(body),
    }
    out.freeze()
}

fn put_str(out: &mut BytesMut, text: &str) {
    debug_assert!(text.len() < 32, "only short keys are written here");
    out.put_u8(0xa0 | u8::try_from(text.len()).unwrap_or(0));
    out.put_slice(text.as_bytes());
}

fn put_whole(out: &mut BytesMut, number: u64) {
    match number {
        0..=0x7f => out.put_u8(u8::try_from(number).unwrap_or(0)),
        0x80..=0xff => {
            out.put_u8(0xcc);
            out.put_u8(u8::try_from(number).unwrap_or(0));
        }
        0x100..=0xffff => {
            out.put_u8(0xcd);
            out.put_u16(u16::try_from(number).unwrap_or(0));
        }
        0x1_0000..=0xffff_ffff => {
            out.put_u8(0xce);
            out.put_u32(u32::try_from(number).unwrap_or(0));
        }
        _ => {
            out.put_u8(0xcf);
            out.put_u64(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(op: &str) -> Vec<u8> {
        let fields = [("id", rmpv::Value::from(7)), ("op", rmpv::Value::from(op))];
        let map = fields.into_iter().map(|(key, value)| (key.into(), value)).collect();
        let mut out = Vec::new();
        rmpv::encode::write_value(&mut out, &rmpv::Value::Map(map)).unwrap();
        out
    }

    #[test]
    fn w1_a_whole_message_is_read_and_one_byte_more_is_not() {
        let mut bytes = request("live.probe");
        assert_eq!(check(&bytes).unwrap(), Head { id: 7, op: "live.probe" });
        bytes.push(0xc0);
        assert_eq!(check(&bytes).unwrap_err(), (Some(7), Refusal::BadFrame));
    }

    #[test]
    fn w1_every_cut_of_a_message_is_refused() {
        let bytes = request("posts.feed");
        for cut in 0..bytes.len() {
            assert!(check(&bytes[..cut]).is_err(), "cut at {cut}");
        }
    }

    #[test]
    fn w1_deep_nesting_is_refused_before_it_is_read() {
        let mut bytes = vec![0x83];
        bytes.extend(request("x").into_iter().skip(1));
        bytes.extend([0xa1, b'd']);
        bytes.extend(std::iter::repeat_n(0x91, 60_000));
        bytes.push(0xc0);
        assert_eq!(check(&bytes).unwrap_err(), (Some(7), Refusal::BadFrame));
    }

    #[test]
    fn w1_a_wrong_length_is_refused() {
        for lie in
            [[0xdd, 0xff, 0xff, 0xff, 0xff], [0xc6, 0xff, 0xff, 0xff, 0xff], [0xdf, 0xff, 0xff, 0xff, 0xff]]
        {
            let mut bytes = vec![0x83];
            bytes.extend(request("x").into_iter().skip(1));
            bytes.extend([0xa1, b'd']);
            bytes.extend(lie);
            assert_eq!(check(&bytes).unwrap_err(), (Some(7), Refusal::BadFrame));
        }
    }

    #[test]
    fn w1_infinite_numbers_and_doubled_keys_are_refused() {
        let mut infinite = vec![0x83];
        infinite.extend(request("x").into_iter().skip(1));
        infinite.extend([0xa1, b'd', 0xcb]);
        infinite.extend(f64::NAN.to_be_bytes());
        assert_eq!(check(&infinite).unwrap_err().1, Refusal::BadFrame);

        let mut doubled = vec![0x83];
        doubled.extend(request("x").into_iter().skip(1));
        doubled.extend([0xa2, b'i', b'd', 0x01]);
        assert_eq!(check(&doubled).unwrap_err().1, Refusal::BadFrame);
    }

    #[test]
    fn w6_an_id_may_be_a_whole_float_but_not_a_fraction() {
        use crate::ids::PostId;
        #[derive(serde::Deserialize)]
        struct Wants {
            post_id: PostId,
        }
        let send = |value: rmpv::Value| {
            let mut out = Vec::new();
            rmpv::encode::write_value(&mut out, &rmpv::Value::Map(vec![("post_id".into(), value)])).unwrap();
            decode::<Wants>(&out).map(|wants| wants.post_id.0)
        };
        assert_eq!(send(rmpv::Value::F64(9_007_199_254_740_991.0)), Ok(9_007_199_254_740_991));
        assert_eq!(send(rmpv::Value::from(12)), Ok(12));
        assert_eq!(send(rmpv::Value::F64(1.5)), Err(Refusal::BadRequest));
        assert_eq!(send(rmpv::Value::F64(9_007_199_254_740_992.0)), Err(Refusal::BadRequest));
        assert_eq!(send(rmpv::Value::from(-1)), Err(Refusal::BadRequest));
        assert_eq!(send(rmpv::Value::from("12")), Err(Refusal::BadRequest));
    }

    #[test]
    fn a_seq_is_added_to_an_event_as_its_last_key() {
        let body = encode(&std::collections::BTreeMap::from([("ev", "beat")])).unwrap();
        let mut bytes = &with_seq(Seq(70_000), &body)[..];
        let value = rmpv::decode::read_value(&mut bytes).unwrap();
        assert!(bytes.is_empty());
        assert_eq!(value.as_map().unwrap()[1], ("seq".into(), 70_000.into()));
    }
}
