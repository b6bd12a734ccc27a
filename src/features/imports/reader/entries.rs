//! The entries of a zip: its directory, and the content of one entry.
//!
//! The library `zip` is not used here. It reads all entries of a directory into memory before they can be counted, and
//! looks for an earlier directory if it cannot read the last one. This file reads one directory, which ends where the
//! end of the zip begins, and refuses what no archive has: links, encryption, names that lead out of a folder, names
//! that come twice, methods but stored and deflated, entries that share bytes, and sizes that contradict each other.

use std::collections::HashMap;
use std::io::{self, Read, Seek, SeekFrom};

use flate2::Crc;
use flate2::read::DeflateDecoder;

use super::{Unreadable, is_damage};
use crate::limits::{
    IMPORT_DIRECTORY_BYTES_MAX, IMPORT_ENTRIES_MAX, IMPORT_ENTRY_BYTES_TRUSTED, IMPORT_ENTRY_RATIO_MAX,
};

/// The first bytes of an entry's own head, which is in front of its content.
const HEAD: &[u8] = b"PK\x03\x04";
/// The bytes of such a head without the name and the extra fields.
const HEAD_BYTES: u64 = 30;
/// The first bytes of an entry in the directory.
const LISTED: &[u8] = b"PK\x01\x02";
/// The first bytes of the end.
const END: &[u8] = b"PK\x05\x06";
/// The bytes of the end without the comment.
const END_BYTES: usize = 22;
/// The first bytes of the end of a large zip (Zip64), and its bytes.
const LARGE_END: &[u8] = b"PK\x06\x06";
const LARGE_END_BYTES: u64 = 56;
/// The first bytes of the record that says where [`LARGE_END`] is, and its bytes.
const LOCATOR: &[u8] = b"PK\x06\x07";
const LOCATOR_BYTES: usize = 20;
/// The longest end with its comment, and the locator in front of it.
const TAIL_BYTES_MAX: u64 = (END_BYTES + u16::MAX as usize + LOCATOR_BYTES) as u64;
/// The number of the extra field with the sizes of a large entry.
const LARGE_FIELD: u64 = 1;
/// The flags of an encrypted entry, or of a directory that is encrypted.
const ENCRYPTED: u64 = 0x0001 | 0x0040 | 0x2000;
const STORED: u64 = 0;
const DEFLATED: u64 = 8;
/// The part of a Unix mode that says what a file is: a regular file, a folder, or something else such as a link.
const KIND_MASK: u64 = 0o170_000;
const KINDS: [u64; 3] = [0, 0o100_000, 0o040_000];

/// An entry, as the directory describes it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The bytes of its content. [`Unpacked`] has never more, and fails if it has fewer.
    pub bytes: u64,
    packed_bytes: u64,
    is_deflated: bool,
    crc: u32,
    /// Where its head begins.
    head_at: u64,
    /// Where its packed content begins.
    packed_at: u64,
}

/// The files in a zip by their names.
#[derive(Debug)]
pub struct Entries(HashMap<Vec<u8>, Entry>);

impl Entries {
    /// Reads the directory of a zip.
    ///
    /// # Errors
    /// The file is no zip, is not safe to read, or could not be read.
    pub fn read<R: Read + Seek>(file: &mut R) -> Result<Self, Unreadable> {
        let directory = Directory::find(file)?;
        let bytes = read_at(file, directory.begins_at, directory.bytes)?;
        let mut listed = listed(&bytes, directory.entries).ok_or(Unreadable::Unsafe)?;
        listed.sort_unstable_by_key(|(_, entry)| entry.head_at);
        let mut free_from = 0;
        for (name, entry) in &mut listed {
            if entry.head_at < free_from {
                return Err(Unreadable::Unsafe);
            }
            entry.packed_at = entry.head_at + head_bytes(file, name, entry)?;
            free_from = entry.packed_at.checked_add(entry.packed_bytes).ok_or(Unreadable::Unsafe)?;
            if free_from > directory.begins_at {
                return Err(Unreadable::Unsafe);
            }
        }
        let count = listed.len();
        let entries: HashMap<_, _> = listed.into_iter().collect();
        if entries.len() < count { Err(Unreadable::Unsafe) } else { Ok(Self(entries)) }
    }

    /// Returns the entry with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.0.get(name.as_bytes())
    }

    /// Returns the folder that a file is in, with a `/` at its end, or an empty text for none; None if no folder has the
    /// file. Folders in folders are not searched.
    #[must_use]
    pub fn folder_of(&self, file: &str) -> Option<String> {
        let names = self.0.keys().filter_map(|name| std::str::from_utf8(name).ok());
        let folders = names.filter_map(|name| name.strip_suffix(file));
        let outer = folders.filter(|folder| folder.is_empty() || folder.find('/') == Some(folder.len() - 1));
        // An empty text is the first of all.
        outer.min().map(str::to_owned)
    }
}

impl Entry {
    /// Returns the content.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn unpack<'a, R: Read + Seek>(&self, file: &'a mut R) -> io::Result<Unpacked<'a>> {
        file.seek(SeekFrom::Start(self.packed_at))?;
        let packed = file.take(self.packed_bytes);
        let content: Box<dyn Read + 'a> =
            if self.is_deflated { Box::new(DeflateDecoder::new(packed)) } else { Box::new(packed) };
        Ok(Unpacked { content, bytes_left: self.bytes, crc: Crc::new(), crc_listed: self.crc })
    }
}

/// The content of an entry. Reading fails with [`Unreadable`] as soon as the content contradicts the directory.
pub struct Unpacked<'a> {
    content: Box<dyn Read + 'a>,
    bytes_left: u64,
    crc: Crc,
    crc_listed: u32,
}

impl Read for Unpacked<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.content.read(out)?;
        self.crc.update(&out[..read]);
        let left = self.bytes_left.checked_sub(read as u64);
        self.bytes_left = left.ok_or_else(|| io::Error::other(Unreadable::Unsafe))?;
        if read == 0 && !out.is_empty() {
            if self.bytes_left > 0 {
                return Err(io::Error::other(Unreadable::Unsafe));
            }
            if self.crc.sum() != self.crc_listed {
                return Err(io::Error::other(Unreadable::Broken));
            }
        }
        Ok(read)
    }
}

/// Where the directory is, and how many entries it has.
struct Directory {
    begins_at: u64,
    bytes: u64,
    entries: u64,
}

impl Directory {
    /// Finds the directory of a zip.
    fn find<R: Read + Seek>(file: &mut R) -> Result<Self, Unreadable> {
        let length = file.seek(SeekFrom::End(0)).map_err(not_read)?;
        let tail_at = length.saturating_sub(TAIL_BYTES_MAX);
        let tail = read_at(file, tail_at, length - tail_at)?;
        let last = tail.len().checked_sub(END_BYTES).ok_or(Unreadable::NotAnArchive)?;
        let at = (0..=last).rev().find(|at| is_end(&tail[*at..])).ok_or(Unreadable::NotAnArchive)?;
        let (before, end) = tail.split_at(at);
        let locator = before.len().checked_sub(LOCATOR_BYTES).map(|at| &before[at..]);
        let large_at = locator.and_then(|locator| located(&mut Record(locator)));
        let mut ends_at = tail_at + at as u64;
        let mut large = None;
        if let Some(large_at) = large_at {
            let record = read_at(file, large_at, LARGE_END_BYTES)?;
            let whole_bytes = (ends_at - LOCATOR_BYTES as u64).checked_sub(large_at);
            large = whole_bytes.and_then(|bytes| Self::in_large_end(&mut Record(&record), bytes));
            if large.is_none() {
                return Err(Unreadable::Unsafe);
            }
            ends_at = large_at;
        }
        let directory = Self::in_end(&mut Record(end), large).ok_or(Unreadable::Unsafe)?;
        let is_whole = directory.begins_at.checked_add(directory.bytes) == Some(ends_at);
        let is_small =
            directory.entries <= IMPORT_ENTRIES_MAX && directory.bytes <= IMPORT_DIRECTORY_BYTES_MAX;
        if is_whole && is_small { Ok(directory) } else { Err(Unreadable::Unsafe) }
    }

    /// Reads the end of a zip. Numbers that it has no room for are in the end of a large zip; None if the two contradict
    /// each other.
    fn in_end(end: &mut Record<'_>, large: Option<Self>) -> Option<Self> {
        end.begins(END)?;
        let (disk, directory_disk) = (end.number::<2>()?, end.number::<2>()?);
        let (entries_here, entries) = (end.number::<2>()?, end.number::<2>()?);
        let (bytes, begins_at) = (end.number::<4>()?, end.number::<4>()?);
        let Some(large) = large else {
            let is_one_file = disk == 0 && directory_disk == 0 && entries_here == entries;
            return is_one_file.then_some(Self { begins_at, bytes, entries });
        };
        let agrees = |number: u64, large: u64, most: u64| number == most || number == large;
        let (two, four) = (u64::from(u16::MAX), u64::from(u32::MAX));
        let do_agree = agrees(disk, 0, two)
            && agrees(directory_disk, 0, two)
            && agrees(entries_here, large.entries, two)
            && agrees(entries, large.entries, two)
            && agrees(bytes, large.bytes, four)
            && agrees(begins_at, large.begins_at, four);
        do_agree.then_some(large)
    }

    /// Reads the end of a large zip, which has so many bytes.
    fn in_large_end(end: &mut Record<'_>, whole_bytes: u64) -> Option<Self> {
        end.begins(LARGE_END)?;
        let bytes_behind = end.number::<8>()?;
        // The versions.
        end.bytes(4)?;
        let (disk, directory_disk) = (end.number::<4>()?, end.number::<4>()?);
        let (entries_here, entries) = (end.number::<8>()?, end.number::<8>()?);
        let (bytes, begins_at) = (end.number::<8>()?, end.number::<8>()?);
        let is_one_file = disk == 0 && directory_disk == 0 && entries_here == entries;
        let is_whole = bytes_behind.checked_add(12) == Some(whole_bytes);
        (is_one_file && is_whole).then_some(Self { begins_at, bytes, entries })
    }
}

/// Returns whether bytes are the end of a zip, with its comment and nothing else.
fn is_end(bytes: &[u8]) -> bool {
    let comment = || bytes.get(END_BYTES - 2..END_BYTES).and_then(|length| Record(length).length());
    bytes.starts_with(END) && comment().is_some_and(|comment| END_BYTES + comment == bytes.len())
}

/// Returns where the end of a large zip is, if this is the record that says so.
fn located(locator: &mut Record<'_>) -> Option<u64> {
    locator.begins(LOCATOR)?;
    // The disk.
    locator.bytes(4)?;
    locator.number::<8>()
}

/// Returns the files that a directory lists; None if it is not safe.
fn listed(directory: &[u8], entries: u64) -> Option<Vec<(Vec<u8>, Entry)>> {
    let mut rest = Record(directory);
    let mut listed = Vec::new();
    for _ in 0..entries {
        rest.begins(LISTED)?;
        // The versions.
        rest.bytes(4)?;
        let (flags, method) = (rest.number::<2>()?, rest.number::<2>()?);
        // The time.
        rest.bytes(4)?;
        let crc = u32::try_from(rest.number::<4>()?).ok()?;
        let (packed_bytes, bytes) = (rest.number::<4>()?, rest.number::<4>()?);
        let (name, extra, comment) = (rest.length()?, rest.length()?, rest.length()?);
        // The disk, and what only the program that made it knows.
        rest.bytes(4)?;
        let attributes = rest.number::<4>()?;
        let head_at = rest.number::<4>()?;
        let name = rest.bytes(name)?;
        let mut large = field(rest.bytes(extra)?, LARGE_FIELD);
        rest.bytes(comment)?;
        let mut whole = |number: u64| match number == u64::from(u32::MAX) {
            true => large.as_mut()?.number::<8>(),
            false => Some(number),
        };
        let (bytes, packed_bytes, head_at) = (whole(bytes)?, whole(packed_bytes)?, whole(head_at)?);
        let is_deflated = method == DEFLATED;
        let is_plain = flags & ENCRYPTED == 0 && (is_deflated || method == STORED && packed_bytes == bytes);
        let is_small = bytes <= IMPORT_ENTRY_BYTES_TRUSTED
            || bytes <= packed_bytes.saturating_mul(IMPORT_ENTRY_RATIO_MAX);
        let is_file_or_folder = KINDS.contains(&((attributes >> 16) & KIND_MASK));
        if !(is_plain && is_small && is_file_or_folder && is_inside(name)) {
            return None;
        }
        let entry = Entry { bytes, packed_bytes, is_deflated, crc, head_at, packed_at: 0 };
        listed.push((name.to_vec(), entry));
    }
    rest.0.is_empty().then_some(listed)
}

/// Returns the extra field with this number.
fn field(extra: &[u8], wanted: u64) -> Option<Record<'_>> {
    let mut rest = Record(extra);
    loop {
        let (number, length) = (rest.number::<2>()?, rest.length()?);
        let field = rest.bytes(length)?;
        if number == wanted {
            return Some(Record(field));
        }
    }
}

/// Returns whether a name stays in the folder that it would be unpacked in.
fn is_inside(name: &[u8]) -> bool {
    let is_separator = |byte: &u8| matches!(byte, b'/' | b'\\');
    let is_absolute = name.first().is_none_or(is_separator) || name.get(1) == Some(&b':');
    !is_absolute && !name.contains(&0) && name.split(is_separator).all(|part| part != b"..")
}

/// Returns the bytes of an entry's own head, which has the same name.
fn head_bytes<R: Read + Seek>(file: &mut R, name: &[u8], entry: &Entry) -> Result<u64, Unreadable> {
    let head = read_at(file, entry.head_at, HEAD_BYTES + name.len() as u64)?;
    let mut head = Record(&head);
    let extra = head.begins(HEAD).and_then(|()| {
        // Versions, flags, method, time, checksum and sizes: those of the directory count.
        head.bytes(22)?;
        let (length, extra) = (head.length()?, head.length()?);
        (length == name.len() && head.0 == name).then_some(extra)
    });
    let extra = extra.ok_or(Unreadable::Unsafe)?;
    Ok(HEAD_BYTES + (name.len() + extra) as u64)
}

/// Reads so many bytes of a file.
fn read_at<R: Read + Seek>(file: &mut R, at: u64, count: u64) -> Result<Vec<u8>, Unreadable> {
    let count = usize::try_from(count).map_err(|_| Unreadable::Unsafe)?;
    let mut bytes = vec![0; count];
    file.seek(SeekFrom::Start(at)).map_err(not_read)?;
    file.read_exact(&mut bytes).map_err(not_read)?;
    Ok(bytes)
}

/// Returns why a part of a file could not be read: there is no such part, or the disk failed.
fn not_read(why: io::Error) -> Unreadable {
    if is_damage(&why) { Unreadable::Unsafe } else { Unreadable::Io(why.kind()) }
}

/// The rest of a record. Its numbers are little-endian.
struct Record<'a>(&'a [u8]);

impl<'a> Record<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    fn begins(&mut self, with: &[u8]) -> Option<()> {
        (self.bytes(with.len())? == with).then_some(())
    }

    fn number<const BYTES: usize>(&mut self) -> Option<u64> {
        let bytes = self.bytes(BYTES)?;
        Some(bytes.iter().rev().fold(0, |number, byte| (number << 8) | u64::from(*byte)))
    }

    /// Returns the number of bytes of something that follows.
    fn length(&mut self) -> Option<usize> {
        usize::try_from(self.number::<2>()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::super::testing::{Packed, deflated, end, large_zip, stored, zip};
    use super::*;

    fn read(bytes: Vec<u8>) -> Result<Entries, Unreadable> {
        Entries::read(&mut Cursor::new(bytes))
    }

    fn picture() -> Packed {
        stored("media/a.jpg", [1_u8; 1_000])
    }

    #[test]
    fn a_zip_with_a_comment_or_with_the_end_of_a_large_one_is_read() {
        let files = [deflated("ana/posts.json", "[]"), stored("ana/media/", "")];
        let mut commented = zip(&files);
        let comment = b"made by PK\x05\x06 hand, and then sent to Ben by a pigeon";
        let length_at = commented.len() - 2;
        commented[length_at..].copy_from_slice(&(comment.len() as u16).to_le_bytes());
        commented.extend(comment);
        for bytes in [zip(&files), commented, large_zip(&files, 2)] {
            let entries = read(bytes.clone()).unwrap();
            assert_eq!(entries.folder_of("posts.json").as_deref(), Some("ana/"));
            let mut content = String::new();
            let posts = entries.get("ana/posts.json").unwrap();
            posts.unpack(&mut Cursor::new(bytes)).unwrap().read_to_string(&mut content).unwrap();
            assert_eq!(content, "[]");
        }
    }

    #[test]
    fn d_w10_a_zip_that_is_not_what_it_seems_is_refused_whole() {
        let first = stored("posts.json", "[]");
        let second_at = 30 + 10 + 2;
        let alone = std::slice::from_ref(&first);
        let with = |file: Packed| zip(&[first.clone(), file]);
        let named = |name: &str| with(Packed { name: name.into(), ..picture() });
        let two_heads = Packed { head_name: Some("media/b.jpg".into()), ..picture() };
        let again = Packed { head_at: Some(second_at), name: "media/b.jpg".into(), ..picture() };
        let over_the_end = Packed { packed_bytes: Some(1_050), bytes: 1_050, ..picture() };
        let nowhere = Packed { bytes: u32::MAX, packed_bytes: Some(u32::MAX), ..picture() };
        let extra = [&[1, 0, 8, 0][..], &u64::MAX.to_le_bytes()].concat();
        let endless = Packed { packed_bytes: Some(u32::MAX), method: 8, extra, ..picture() };
        for (about, bytes) in [
            ("a stored file with two sizes", with(Packed { bytes: 999, ..picture() })),
            ("a link", with(Packed { mode: 0o120_777, ..picture() })),
            ("a device", with(Packed { mode: 0o060_644, ..picture() })),
            ("an encrypted file", with(Packed { flags: 1, ..picture() })),
            ("a hidden directory", with(Packed { flags: 0x2000, ..picture() })),
            ("an unknown method", with(Packed { method: 12, ..picture() })),
            ("a file in the root of the machine", named("/etc/passwd")),
            ("a file above the folder", named("media/../../a.jpg")),
            ("a file above a folder of Windows", named("media\\..\\..\\a.jpg")),
            ("a file on a drive", named("C:\\a.jpg")),
            ("a file without a name", named("")),
            ("a name that ends early", named("media/a.jpg\0.txt")),
            ("two names", with(two_heads)),
            ("a name that comes twice", zip(&[first.clone(), picture(), picture()])),
            ("two files in one place", zip(&[first.clone(), picture(), again])),
            ("a file that begins nowhere", with(Packed { head_at: Some(1_000_000), ..picture() })),
            ("a file that begins within another", with(Packed { head_at: Some(5), ..picture() })),
            ("a file that ends in the directory", with(over_the_end)),
            ("a size that is nowhere", with(nowhere)),
            ("a size without an end", with(endless)),
            ("a directory of more entries", large_zip(&[first.clone(), picture()], 3)),
            ("a directory of fewer entries", large_zip(&[first.clone(), picture()], 1)),
            ("a directory of too many entries", large_zip(alone, IMPORT_ENTRIES_MAX + 1)),
            ("a directory of all entries", large_zip(alone, u64::MAX)),
            ("a directory that is nowhere", [zip(alone), end(1, 56, 1_000_000)].concat()),
            ("a directory that ends too early", [zip(alone), end(1, 56, 0)].concat()),
            ("something in front", [vec![0; 100], zip(alone)].concat()),
        ] {
            assert_eq!(read(bytes).err(), Some(Unreadable::Unsafe), "{about}");
        }
    }

    #[test]
    fn d_w10_a_large_file_is_packed_at_most_two_hundred_times() {
        let small = deflated("small", vec![0_u8; 16 * 1024 * 1024]);
        assert!(read(zip(&[small])).is_ok());
        let bomb = deflated("bomb", vec![0_u8; 17 * 1024 * 1024]);
        assert_eq!(read(zip(std::slice::from_ref(&bomb))).err(), Some(Unreadable::Unsafe));
        let packed = [bomb.packed.clone(), vec![0; 80_000]].concat();
        assert!(read(zip(&[Packed { packed, ..bomb }])).is_ok());
    }

    #[test]
    fn d_w10_the_number_of_entries_is_limited() {
        let file = stored("", "");
        let of = |count: u64| {
            let files: Vec<Packed> =
                (0..count).map(|number| Packed { name: number.to_string(), ..file.clone() }).collect();
            read(zip(&files)).err()
        };
        assert_eq!(of(IMPORT_ENTRIES_MAX), None);
        assert_eq!(of(IMPORT_ENTRIES_MAX + 1), Some(Unreadable::Unsafe));
    }
}
