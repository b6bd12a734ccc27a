//! Files that attackers may upload as pictures: false headers, decompression bombs, truncated files, mixed formats, and
//! valid files with secrets.

#[path = "../../render/src/testing.rs"]
pub mod testing;

use testing::{
    CANARY, Head, chunk, exif, gif, jpeg, metadata_chunk, next_random, photo, png, png_packed, png_painted,
    webp, webp_moving, with_secrets,
};

/// The expected result for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// The file is no picture.
    Refused,
    /// The file is no picture, or the output is clean.
    RefusedOrClean,
    /// The output is a clean picture.
    Clean,
}

/// A file of the corpus: its description, its bytes, and the expected result.
pub type Sample = (String, Vec<u8>, Expect);

/// Returns a phone's photograph of this size with metadata that must be removed: the location, the camera, and
/// comments. It contains [`CANARY`].
pub fn photo_with_gps(width: u16, height: u16) -> Vec<u8> {
    // A large photograph has less grain, so that it stays below ten megabytes.
    let grain = if u32::from(width) * u32::from(height) > 20_000_000 { 3 } else { 9 };
    with_secrets(&photo(width, height, grain, false), 1)
}

/// Returns the whole corpus.
pub fn corpus() -> Vec<Sample> {
    let named = |(name, bytes, expect): (&str, Vec<u8>, Expect)| (name.to_owned(), bytes, expect);
    let mut all: Vec<Sample> =
        lies().into_iter().chain(bombs()).chain(chimeras()).chain(others()).map(named).collect();
    for (kind, whole) in good() {
        all.extend(broken(kind, &whole));
        all.push((format!("{kind}, whole"), whole, Expect::Clean));
    }
    all
}

const GREY: Head = Head { width: 64, height: 64, depth: 8, color: 0, is_interlaced: false };

/// Small valid pictures of every kind.
fn good() -> Vec<(&'static str, Vec<u8>)> {
    let dots = |x: u32, y: u32| [(x * 3) as u8, (y * 5) as u8, (x * y) as u8, 255 - x as u8];
    let rgba: Vec<u8> = (0..100).flat_map(|y| (0..120).flat_map(move |x| dots(x, y))).collect();
    let profile = [b"ICC_PROFILE\0\x01\x01", CANARY.as_bytes()].concat();
    let plain = testing::with_segments(&photo(200, 150, 9, false), &[(0xE2, &profile)]);
    vec![
        ("jpeg", with_secrets(&plain, 6)),
        ("progressive jpeg", with_secrets(&photo(200, 150, 9, true), 3)),
        ("png", {
            let whole = png_painted(120, 100, 6, dots);
            let (head, rest) = whole.split_at(33);
            let notes = [
                chunk(b"eXIf", &exif(8)),
                metadata_chunk(b"zTXt", "Comment", CANARY.as_bytes()),
                chunk(b"tEXt", CANARY.as_bytes()),
            ];
            [head, &notes.concat()[..], rest].concat()
        }),
        ("webp", webp(&rgba, 120, 100, Some(exif(6)))),
        ("moving webp", webp_moving(&[rgba.clone(), rgba], 120, 100)),
        ("gif", gif(90, 70, 1, |_, x, y| (x ^ y) & 8 == 0)),
        ("moving gif", gif(90, 70, 9, |number, x, y| (x + y + number * 4) % 24 < 12)),
    ]
}

/// Returns copies of a picture that are truncated at many places or have flipped bits.
fn broken(kind: &str, whole: &[u8]) -> Vec<Sample> {
    let cut = (1..24).map(|part| {
        let length = whole.len() * part / 24;
        (
            format!("{kind}, {length} bytes of {}", whole.len()),
            whole[..length].to_vec(),
            Expect::RefusedOrClean,
        )
    });
    let turned = (0..24_u64).map(|seed| {
        let mut bytes = whole.to_vec();
        let mut random = seed + 1;
        for turn in 0..1 + seed % 6 {
            random = next_random(random + turn);
            // Every second copy has flipped bits near the beginning, where sizes and tables are.
            let reach = if seed % 2 == 0 { bytes.len() } else { bytes.len().min(400) };
            let at = 4 + (random >> 8) as usize % (reach - 4);
            bytes[at] ^= 1 << (random & 7);
        }
        (format!("{kind}, bits turned with {seed}"), bytes, Expect::RefusedOrClean)
    });
    cut.chain(turned).collect()
}

/// Headers that declare far more than the file contains.
fn lies() -> Vec<(&'static str, Vec<u8>, Expect)> {
    let mut large_jpeg = jpeg(16, 16, |_, _| [90; 3]);
    let frame = large_jpeg.windows(2).position(|pair| pair == [0xFF, 0xC0]).unwrap();
    large_jpeg[frame + 5..frame + 9].copy_from_slice(&[0xFF, 0xDC, 0xFF, 0xDC]);
    let mut within = large_jpeg.clone();
    within[frame + 5..frame + 9].copy_from_slice(&[0x0F, 0xA0, 0x0F, 0xA0]);
    let mut none = large_jpeg.clone();
    none[frame + 5..frame + 9].copy_from_slice(&[0, 0, 0, 16]);

    let mut large_gif = gif(16, 16, 1, |_, _, _| true);
    large_gif[6..10].copy_from_slice(&[0xDC, 0xFF, 0xDC, 0xFF]);
    let mut large_frame = gif(16, 16, 1, |_, _, _| true);
    let frame = large_frame.iter().rposition(|byte| *byte == 0x2C).unwrap();
    large_frame[frame + 5..frame + 9].copy_from_slice(&[0xDC, 0xFF, 0xDC, 0xFF]);

    // Lossy and lossless headers of 16,000 x 16,000 pixels without data.
    let mut lossy = b"RIFF\x1E\0\0\0WEBPVP8 \x12\0\0\0\x10\x02\0\x9D\x01\x2A".to_vec();
    lossy.extend([0x80, 0x3E, 0x80, 0x3E]);
    lossy.extend([0; 8]);
    let mut lossless = webp(&[9; 16 * 16 * 4], 16, 16, None);
    let size = (15_999_u32 | 15_999 << 14 | 1 << 28).to_le_bytes();
    lossless[21..25].copy_from_slice(&size);

    let mut missing = png_painted(16, 16, 2, |_, _| [9; 3]);
    missing[16..24].copy_from_slice(&[0, 0, 0, 0, 0, 0, 0, 16]);
    let huge = Head { width: 65_500, height: 65_500, ..GREY };
    vec![
        ("jpeg of 65,500 a side", large_jpeg, Expect::Refused),
        ("jpeg of 4,000 a side with nothing in it", within, Expect::RefusedOrClean),
        ("jpeg without a height", none, Expect::Refused),
        ("gif of 65,500 a side", large_gif, Expect::Refused),
        ("gif with a frame of 65,500 a side", large_frame, Expect::Refused),
        ("webp of 16,000 a side", lossy, Expect::Refused),
        ("lossless webp of 16,000 a side", lossless, Expect::Refused),
        ("png of 65,500 a side", png(huge, &[], &[0; 1_000]), Expect::Refused),
        ("png without a width", missing, Expect::Refused),
    ]
}

/// Small files that need much memory or time.
fn bombs() -> Vec<(&'static str, Vec<u8>, Expect)> {
    let bare = |notes: &[Vec<u8>]| png(Head { width: 1, height: 1, ..GREY }, notes, &[0, 9]);
    let large = vec![0; 60 << 20];
    let grey = Head { width: 20_000, height: 20_000, ..GREY };
    let deep = Head { width: 7_000, height: 7_000, depth: 16, color: 6, is_interlaced: false };
    let woven = Head { width: 3_000, height: 3_000, is_interlaced: true, ..deep };
    // A decoder keeps all of a progressive picture until its last scan, which is too much here.
    let mut kept = photo(64, 64, 4, true);
    let frame = kept.windows(2).position(|pair| pair == [0xFF, 0xC2]).unwrap();
    kept[frame + 5..frame + 9].copy_from_slice(&[0x17, 0xA0, 0x1F, 0x80]);
    let hollow = |size: u32| {
        let mut file = webp(&[0; 16 * 16 * 4], 16, 16, None);
        let size = ((size - 1) | (size - 1) << 14 | 1 << 28).to_le_bytes();
        file[21..25].copy_from_slice(&size);
        file
    };
    vec![
        ("png of 20,000 a side", png_packed(grey, &[], &zeros(20_001, 20_000)), Expect::Refused),
        (
            "png of 7,000 a side, eight bytes a pixel",
            png_packed(deep, &[], &zeros(56_001, 7_000)),
            Expect::RefusedOrClean,
        ),
        ("the same of 3,000, interlaced", png_packed(woven, &[], &zeros(24_001, 3_010)), Expect::Clean),
        ("png with a profile of 60 MiB", bare(&[metadata_chunk(b"iCCP", "n", &large)]), Expect::Refused),
        ("png with a text of 60 MiB", bare(&[metadata_chunk(b"zTXt", "n", &large)]), Expect::Refused),
        ("png with a worldly text of 60 MiB", bare(&[metadata_chunk(b"iTXt", "n", &large)]), Expect::Refused),
        (
            "png with a thousand texts of 1 MiB",
            bare(&vec![metadata_chunk(b"zTXt", "n", &large[..1 << 20]); 1_000]),
            Expect::Refused,
        ),
        (
            "png with a thousand packed texts",
            bare(&vec![metadata_chunk(b"zTXt", "n", b"n"); 1_000]),
            Expect::Refused,
        ),
        ("gif of 100,000 frames", frames(100_000), Expect::Refused),
        ("jpeg of 5,000 scans", scans(5_000), Expect::Refused),
        ("webp of 4,000 a side with nothing in it", hollow(4_000), Expect::RefusedOrClean),
        ("progressive jpeg of 48 megapixels", kept, Expect::Refused),
    ]
}

/// Returns this many rows of zeros, compressed, without ever holding them in memory.
fn zeros(row: usize, rows: usize) -> Vec<u8> {
    let row = vec![0; row];
    let mut packer = fdeflate::Compressor::new(Vec::new()).unwrap();
    for _ in 0..rows {
        packer.write_data(&row).unwrap();
    }
    packer.finish().unwrap()
}

/// Returns a GIF of one pixel and this many frames.
fn frames(count: usize) -> Vec<u8> {
    let one = gif(1, 1, 1, |_, _, _| true);
    // The parts are: everything before the extension of the first frame, the frame with its extension, and the end.
    let begins = one.windows(2).position(|pair| pair == [0x21, 0xF9]).unwrap();
    let frame = &one[begins..one.len() - 1];
    [&one[..begins], &frame.repeat(count)[..], &[0x3B]].concat()
}

/// Returns a progressive JPEG whose last scan is repeated this many times.
fn scans(count: usize) -> Vec<u8> {
    let progressive = photo(256, 256, 0, true);
    let last = (0..progressive.len() - 1).rfind(|at| progressive[*at..*at + 2] == [0xFF, 0xDA]).unwrap();
    let (before, scan) = progressive.split_at(last);
    [before, &scan[..scan.len() - 2].repeat(count)[..], b"\xFF\xD9"].concat()
}

/// Files that are valid in two formats.
fn chimeras() -> Vec<(&'static str, Vec<u8>, Expect)> {
    let script = format!("<script>alert('{CANARY}')</script>");
    let page = format!("<!doctype html><title>{CANARY}</title>{script}");
    let painted = png_painted(64, 64, 2, |x, y| [x as u8, y as u8, 9]);
    let (head, rest) = painted.split_at(33);
    let inside = [head, &chunk(b"tEXt", page.as_bytes()), rest].concat();
    let behind = [&painted[..], page.as_bytes()].concat();

    // `GIF89a=...` is also the beginning of a script that assigns a variable.
    let mut program = gif(64, 64, 1, |_, x, _| x > 9);
    program[6..8].copy_from_slice(b"=0");
    program.extend(format!(";alert('{CANARY}')").as_bytes());
    let commented = {
        let mut file = gif(64, 64, 2, |number, x, _| x > 9 * number);
        let end = file.pop().unwrap();
        file.extend([0x21, 0xFE, CANARY.len() as u8]);
        file.extend(CANARY.as_bytes());
        file.extend([0, end]);
        file
    };
    let archive = {
        // A zip archive is read from its end, so any bytes may be before it.
        let mut file = photo_with_gps(200, 150);
        file.extend(b"PK\x03\x04");
        file.extend(CANARY.as_bytes());
        file.extend(b"PK\x05\x06");
        file.extend([0; 18]);
        file
    };
    vec![
        ("png with a page inside", inside, Expect::Clean),
        ("png with a page behind", behind, Expect::Clean),
        ("gif that is a program", program, Expect::RefusedOrClean),
        ("gif with a comment", commented, Expect::Clean),
        ("jpeg with an archive behind", archive, Expect::Clean),
        ("page that begins as a gif", [b"GIF89a", page.as_bytes()].concat(), Expect::Refused),
        ("page that begins as a jpeg", [b"\xFF\xD8\xFF\xE0", page.as_bytes()].concat(), Expect::Refused),
    ]
}

/// Files that are no pictures, whatever their names are.
fn others() -> Vec<(&'static str, Vec<u8>, Expect)> {
    let svg = br#"<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><image href="file:///etc/passwd"/></svg>"#;
    vec![
        ("empty", Vec::new(), Expect::Refused),
        ("one byte", vec![0xFF], Expect::Refused),
        ("svg", svg.to_vec(), Expect::Refused),
        ("page called photo.jpg", b"<!doctype html><script>alert(1)</script>".to_vec(), Expect::Refused),
        ("heic", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic".to_vec(), Expect::Refused),
        ("avif", b"\0\0\0\x18ftypavif\0\0\0\0mif1avif".to_vec(), Expect::Refused),
        ("tiff", b"II*\0\x08\0\0\0\0\0\0\0\0\0".to_vec(), Expect::Refused),
        ("bitmap", [&b"BM"[..], &[0; 200]].concat(), Expect::Refused),
        ("archive", b"PK\x03\x04photo.jpg".to_vec(), Expect::Refused),
        ("path", b"../../../../etc/passwd".to_vec(), Expect::Refused),
        ("noise", (1..40_000).map(|seed| (next_random(seed) >> 30) as u8).collect(), Expect::Refused),
        (
            "eleven megabytes of photograph",
            [photo_with_gps(640, 480), vec![0; 11 << 20]].concat(),
            Expect::Refused,
        ),
    ]
}
