//! Makes zips for tests, byte by byte, so that they can be wrong in each way.

use std::io::Write;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// A file of a zip, and what the zip says about it.
#[derive(Clone)]
pub struct Packed {
    pub name: String,
    pub packed: Vec<u8>,
    pub bytes: u32,
    pub crc: u32,
    pub method: u16,
    pub flags: u16,
    /// The Unix mode.
    pub mode: u32,
    /// Where the directory says that its head begins; None for the truth.
    pub head_at: Option<u32>,
    /// How many packed bytes the directory says that it has; None for the truth.
    pub packed_bytes: Option<u32>,
    /// The name in its own head; None for the one in the directory.
    pub head_name: Option<String>,
    /// The extra fields in the directory.
    pub extra: Vec<u8>,
}

/// Returns a file that is not compressed.
pub fn stored(name: &str, content: impl AsRef<[u8]>) -> Packed {
    let content = content.as_ref();
    let mut crc = Crc::new();
    crc.update(content);
    Packed {
        name: name.into(),
        packed: content.to_vec(),
        bytes: content.len() as u32,
        crc: crc.sum(),
        method: 0,
        flags: 0,
        mode: 0o100_644,
        head_at: None,
        packed_bytes: None,
        head_name: None,
        extra: Vec::new(),
    }
}

/// Returns a file that is compressed.
pub fn deflated(name: &str, content: impl AsRef<[u8]>) -> Packed {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content.as_ref()).unwrap();
    Packed { packed: encoder.finish().unwrap(), method: 8, ..stored(name, content) }
}

impl Packed {
    fn head(&self) -> Vec<u8> {
        let name = self.head_name.as_ref().unwrap_or(&self.name);
        let mut head = b"PK\x03\x04".to_vec();
        two(&mut head, &[20, self.flags, self.method, 0, 0]);
        four(&mut head, &[self.crc, self.packed.len() as u32, self.bytes]);
        two(&mut head, &[name.len() as u16, 0]);
        head.extend(name.as_bytes());
        head.extend(&self.packed);
        head
    }

    fn listed(&self, head_at: u32) -> Vec<u8> {
        let mut listed = b"PK\x01\x02".to_vec();
        two(&mut listed, &[0x0314, 20, self.flags, self.method, 0, 0]);
        let packed_bytes = self.packed_bytes.unwrap_or(self.packed.len() as u32);
        four(&mut listed, &[self.crc, packed_bytes, self.bytes]);
        two(&mut listed, &[self.name.len() as u16, self.extra.len() as u16, 0, 0, 0]);
        four(&mut listed, &[self.mode << 16, self.head_at.unwrap_or(head_at)]);
        listed.extend(self.name.as_bytes());
        listed.extend(&self.extra);
        listed
    }
}

/// Returns a zip with these files.
pub fn zip(files: &[Packed]) -> Vec<u8> {
    let (heads, directory) = heads_and_directory(files);
    let end = end(files.len() as u16, directory.len() as u32, heads.len() as u32);
    [heads, directory, end].concat()
}

/// Returns a zip with these files whose end is that of a large zip, with so many entries.
pub fn large_zip(files: &[Packed], entries: u64) -> Vec<u8> {
    let (heads, directory) = heads_and_directory(files);
    let at = (heads.len() + directory.len()) as u64;
    let mut large = b"PK\x06\x06".to_vec();
    eight(&mut large, &[44]);
    two(&mut large, &[45, 45, 0, 0, 0, 0]);
    eight(&mut large, &[entries, entries, directory.len() as u64, heads.len() as u64]);
    large.extend(b"PK\x06\x07");
    four(&mut large, &[0]);
    eight(&mut large, &[at]);
    four(&mut large, &[1]);
    [heads, directory, large, end(u16::MAX, u32::MAX, u32::MAX)].concat()
}

fn heads_and_directory(files: &[Packed]) -> (Vec<u8>, Vec<u8>) {
    let (mut heads, mut directory) = (Vec::new(), Vec::new());
    for file in files {
        directory.extend(file.listed(heads.len() as u32));
        heads.extend(file.head());
    }
    (heads, directory)
}

/// Returns the end of a zip, without a comment.
pub fn end(entries: u16, bytes: u32, begins_at: u32) -> Vec<u8> {
    let mut end = b"PK\x05\x06".to_vec();
    two(&mut end, &[0, 0, entries, entries]);
    four(&mut end, &[bytes, begins_at]);
    two(&mut end, &[0]);
    end
}

fn two(out: &mut Vec<u8>, numbers: &[u16]) {
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn four(out: &mut Vec<u8>, numbers: &[u32]) {
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn eight(out: &mut Vec<u8>, numbers: &[u64]) {
    out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}
