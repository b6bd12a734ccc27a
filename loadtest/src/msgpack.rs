//! MessagePack for the clients. Reading a value allocates nothing. It shares no code with the codec of the server, so
//! that each checks the other.

use std::fmt::Write;

/// Writes a value piece by piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// Begins a map of this many entries.
    #[must_use]
    pub fn map(mut self, entries: u8) -> Self {
        self.0.extend([0xde, 0, entries]);
        self
    }

    /// Begins an array of this many elements.
    #[must_use]
    pub fn array(mut self, elements: usize) -> Self {
        self.0.push(0xdd);
        self.0.extend(u32::try_from(elements).unwrap_or(u32::MAX).to_be_bytes());
        self
    }

    /// Adds a text.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        match u8::try_from(text.len()) {
            Ok(short @ 0..=31) => self.0.push(0xa0 | short),
            _ => {
                self.0.push(0xda);
                self.0.extend(u16::try_from(text.len()).unwrap_or(u16::MAX).to_be_bytes());
            }
        }
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    /// Adds a number.
    #[must_use]
    pub fn number(mut self, number: u64) -> Self {
        match u8::try_from(number) {
            Ok(small @ 0..=127) => self.0.push(small),
            _ => {
                self.0.push(0xcf);
                self.0.extend(number.to_be_bytes());
            }
        }
        self
    }

    /// Adds a truth value.
    #[must_use]
    pub fn boolean(mut self, is_true: bool) -> Self {
        self.0.push(0xc2 | u8::from(is_true));
        self
    }

    /// Adds nil.
    #[must_use]
    pub fn nil(mut self) -> Self {
        self.0.push(0xc0);
        self
    }

    /// Adds bytes.
    #[must_use]
    pub fn bytes(mut self, bytes: &[u8; 16]) -> Self {
        self.0.extend([0xc4, 16]);
        self.0.extend_from_slice(bytes);
        self
    }

    /// Adds a complete value that is already encoded.
    #[must_use]
    pub fn raw(mut self, value: &[u8]) -> Self {
        self.0.extend_from_slice(value);
        self
    }

    /// Returns the bytes of the value.
    #[must_use]
    pub fn done(self) -> Vec<u8> {
        self.0
    }
}

/// Reads a value piece by piece. Every read returns None if the next value has another type.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    /// Begins to read these bytes.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Returns whether everything was read.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn big_endian(&mut self, width: usize) -> Option<u64> {
        Some(self.take(width)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn length(&mut self, width: usize) -> Option<usize> {
        usize::try_from(self.big_endian(width)?).ok()
    }

    /// Reads the header of a map. Returns the number of entries that follow.
    pub fn map(&mut self) -> Option<usize> {
        match self.take(1)?[0] {
            marker @ 0x80..=0x8f => Some(usize::from(marker & 0x0f)),
            0xde => self.length(2),
            0xdf => self.length(4),
            _ => None,
        }
    }

    /// Reads the header of an array. Returns the number of elements that follow.
    pub fn array(&mut self) -> Option<usize> {
        match self.take(1)?[0] {
            marker @ 0x90..=0x9f => Some(usize::from(marker & 0x0f)),
            0xdc => self.length(2),
            0xdd => self.length(4),
            _ => None,
        }
    }

    /// Reads a text.
    pub fn text(&mut self) -> Option<&'a str> {
        let length = match self.take(1)?[0] {
            marker @ 0xa0..=0xbf => usize::from(marker & 0x1f),
            0xd9 => self.length(1)?,
            0xda => self.length(2)?,
            0xdb => self.length(4)?,
            _ => return None,
        };
        std::str::from_utf8(self.take(length)?).ok()
    }

    /// Reads an integer that is not negative.
    pub fn number(&mut self) -> Option<u64> {
        match self.take(1)?[0] {
            small @ 0..=0x7f => Some(u64::from(small)),
            0xcc | 0xd0 => self.big_endian(1),
            0xcd | 0xd1 => self.big_endian(2),
            0xce | 0xd2 => self.big_endian(4),
            0xcf | 0xd3 => self.big_endian(8),
            _ => None,
        }
    }

    /// Reads a truth value.
    pub fn boolean(&mut self) -> Option<bool> {
        match self.take(1)?[0] {
            0xc2 => Some(false),
            0xc3 => Some(true),
            _ => None,
        }
    }

    /// Reads nil if it is the next value. Returns whether it was.
    pub fn nil(&mut self) -> bool {
        let is_nil = self.0.first() == Some(&0xc0);
        if is_nil {
            self.0 = &self.0[1..];
        }
        is_nil
    }

    /// Skips one complete value.
    pub fn skip(&mut self) -> Option<()> {
        let mut values = 1_usize;
        while values > 0 {
            values -= 1;
            let bytes = match self.0.first()? {
                0x80..=0x8f | 0xde | 0xdf => {
                    values += 2 * self.map()?;
                    continue;
                }
                0x90..=0x9f | 0xdc | 0xdd => {
                    values += self.array()?;
                    continue;
                }
                0xa0..=0xbf | 0xd9..=0xdb => {
                    self.text()?;
                    continue;
                }
                0xc4 => 2 + usize::from(*self.0.get(1)?),
                0xc5 => 3 + usize::from(u16::from_be_bytes([*self.0.get(1)?, *self.0.get(2)?])),
                0xcc | 0xd0 => 2,
                0xcd | 0xd1 => 3,
                0xca | 0xce | 0xd2 => 5,
                0xcb | 0xcf | 0xd3 => 9,
                _ => 1,
            };
            self.take(bytes)?;
        }
        Some(())
    }

    /// Skips the next complete value, and returns its bytes.
    pub fn whole(&mut self) -> Option<&'a [u8]> {
        let before = self.0;
        self.skip()?;
        Some(&before[..before.len() - self.0.len()])
    }

    /// Appends the next value as readable text.
    fn describe(&mut self, out: &mut String) -> Option<()> {
        match *self.0.first()? {
            0x80..=0x8f | 0xde | 0xdf => {
                out.push('{');
                for entry in 0..self.map()? {
                    out.push_str(if entry > 0 { ", " } else { "" });
                    out.push_str(self.text()?);
                    out.push_str(": ");
                    self.describe(out)?;
                }
                out.push('}');
            }
            0x90..=0x9f | 0xdc | 0xdd => {
                out.push('[');
                for element in 0..self.array()? {
                    out.push_str(if element > 0 { ", " } else { "" });
                    self.describe(out)?;
                }
                out.push(']');
            }
            0xa0..=0xbf | 0xd9..=0xdb => {
                let _ = write!(out, "{:?}", self.text()?);
            }
            0xc2 | 0xc3 => {
                let _ = write!(out, "{}", self.boolean()?);
            }
            0xc0 => {
                self.nil();
                out.push_str("nil");
            }
            0xc4 | 0xc5 | 0xca | 0xcb => {
                self.skip()?;
                out.push_str("...");
            }
            _ => {
                let _ = write!(out, "{}", self.number()?);
            }
        }
        Some(())
    }
}

/// Returns the entries of a map. The list is empty if the value is not a map, or is incomplete.
#[must_use]
pub fn entries(map: &[u8]) -> Vec<(&str, &[u8])> {
    let mut cursor = Cursor::new(map);
    let count = cursor.map().unwrap_or(0);
    (0..count).map_while(|_| Some((cursor.text()?, cursor.whole()?))).collect()
}

/// Returns a value in its canonical form: with sorted keys, and with the same width for every length and number.
#[must_use]
pub fn canonical(value: &[u8]) -> Vec<u8> {
    canonical_without(value, &[])
}

/// Returns a map in its canonical form, without the entries `left_out`.
#[must_use]
pub fn canonical_without(value: &[u8], left_out: &[&str]) -> Vec<u8> {
    let mut cursor = Cursor::new(value);
    match value.first() {
        Some(0x80..=0x8f | 0xde | 0xdf) => {
            let mut entries = entries(value);
            entries.retain(|(key, _)| !left_out.contains(key));
            entries.sort_unstable();
            let out = Writer::default().map(u8::try_from(entries.len()).unwrap_or(u8::MAX));
            let out = entries.into_iter().fold(out, |out, (key, value)| out.text(key).raw(&canonical(value)));
            out.done()
        }
        Some(0x90..=0x9f | 0xdc | 0xdd) => {
            let count = cursor.array().unwrap_or(0);
            let out = Writer::default().array(count);
            (0..count).fold(out, |out, _| out.raw(&canonical(cursor.whole().unwrap_or_default()))).done()
        }
        Some(0xa0..=0xbf | 0xd9..=0xdb) => Writer::default().text(cursor.text().unwrap_or_default()).done(),
        Some(0..=0x7f | 0xcc..=0xcf) => Writer::default().number(cursor.number().unwrap_or(0)).done(),
        _ => value.to_vec(),
    }
}

/// Returns a message as readable text. A long text is cut.
#[must_use]
pub fn described(message: &[u8]) -> String {
    const LENGTH_MAX: usize = 300;
    let mut out = String::new();
    if Cursor::new(message).describe(&mut out).is_none() {
        out.push('…');
    }
    if let Some((cut, _)) = out.char_indices().nth(LENGTH_MAX) {
        out.truncate(cut);
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> Vec<u8> {
        let out = Writer::default().map(4).text("ev").text("beat").text("seq").number(1 << 40);
        out.text("list").array(2).nil().boolean(true).text("key").bytes(&[7; 16]).done()
    }

    #[test]
    fn a_value_is_written_and_read_and_described() {
        let message = message();
        let mut cursor = Cursor::new(&message);
        assert_eq!((cursor.map(), cursor.text(), cursor.text()), (Some(4), Some("ev"), Some("beat")));
        assert_eq!((cursor.text(), cursor.number()), (Some("seq"), Some(1 << 40)));
        assert_eq!((cursor.text(), cursor.array(), cursor.nil()), (Some("list"), Some(2), true));
        assert_eq!((cursor.boolean(), cursor.text()), (Some(true), Some("key")));
        assert_eq!(cursor.skip().map(|()| cursor.is_at_end()), Some(true));
        let text = r#"{ev: "beat", seq: 1099511627776, list: [nil, true], key: ...}"#;
        assert_eq!(described(&message), text);
    }

    #[test]
    fn a_value_is_skipped_completely_and_never_past_its_end() {
        let message = message();
        let mut cursor = Cursor::new(&message);
        assert_eq!(cursor.whole(), Some(&message[..]));
        for end in 0..message.len() {
            assert_eq!(Cursor::new(&message[..end]).skip(), None);
        }
    }

    #[test]
    fn the_canonical_form_does_not_depend_on_order_or_width() {
        let one = Writer::default().map(2).text("b").number(5).text("a").array(1).text("x").done();
        // The same value with short headers, a wide number and the keys in order.
        let other = [b"\x82\xa1a\x91\xa1x\xa1b\xcd".to_vec(), vec![0, 5]].concat();
        assert_eq!(canonical(&one), canonical(&other));
        assert_eq!(
            canonical_without(&one, &["a"]),
            canonical(&Writer::default().map(1).text("b").number(5).done())
        );
        assert_eq!(entries(&other).iter().map(|(key, _)| *key).collect::<Vec<_>>(), ["a", "b"]);
    }
}
