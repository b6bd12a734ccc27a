//! Makes pictures byte by byte for tests, including invalid ones.
//!
//! `src/pictures/mod.rs`, `tests/support/corpus.rs` and `benches/pictures.rs` include this file, so it uses nothing
//! else of the crate.

use jpeg_encoder::{ColorType, Encoder, ImageBuffer, JpegColorType, SamplingFactor};

/// A string in every part of a file that must be removed.
pub const CANARY: &str = "13 Elm Street, back door";

/// Returns a JPEG of high quality. `paint` gives the colour of each pixel.
pub fn jpeg(width: u16, height: u16, paint: impl Fn(u16, u16) -> [u8; 3]) -> Vec<u8> {
    let rgb: Vec<u8> =
        (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).flat_map(|(x, y)| paint(x, y)).collect();
    jpeg_of(&rgb, width, height, ColorType::Rgb, false)
}

/// Returns a JPEG of these values.
pub fn jpeg_of(bytes: &[u8], width: u16, height: u16, color: ColorType, is_progressive: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, 98);
    encoder.set_sampling_factor(SamplingFactor::R_4_4_4);
    encoder.set_progressive(is_progressive);
    encoder.encode(bytes, width, height, color).unwrap();
    out
}

/// Returns a photograph like that of a telephone, with soft colours and grain. A large one has several megabytes. It is
/// made row by row, so that it needs little memory.
pub fn photo(width: u16, height: u16, grain: u8, is_progressive: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, 88);
    encoder.set_sampling_factor(SamplingFactor::R_4_2_0);
    encoder.set_progressive(is_progressive);
    encoder.encode_image(Photo::new(width, height, grain)).unwrap();
    out
}

struct Photo {
    width: u16,
    height: u16,
    /// The possible rows, from dark to light. Each has twice the width of the picture.
    rows: Vec<Vec<u8>>,
}

impl Photo {
    fn new(width: u16, height: u16, grain: u8) -> Self {
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        let length = 2 * u32::from(width);
        let rows = (0..32)
            .map(|row| {
                let grained = |x: u32| {
                    random = next_random(random);
                    let light = 40 + row * 4 + 60 * x / length;
                    let grain = (random >> 33) as u32 % (2 * u32::from(grain) + 1);
                    light.saturating_add(grain).min(255) as u8
                };
                (0..length).map(grained).collect()
            })
            .collect();
        Self { width, height, rows }
    }
}

impl ImageBuffer for Photo {
    fn get_jpeg_color_type(&self) -> JpegColorType {
        JpegColorType::Ycbcr
    }
    fn width(&self) -> u16 {
        self.width
    }
    fn height(&self) -> u16 {
        self.height
    }
    fn fill_buffers(&self, y: u16, buffers: &mut [Vec<u8>; 4]) {
        let width = usize::from(self.width);
        let row = &self.rows[usize::from(y) * self.rows.len() / usize::from(self.height)];
        let begins = (next_random(u64::from(y) + 1) >> 20) as usize % width;
        buffers[0].extend_from_slice(&row[begins..begins + width]);
        let warmth = (u32::from(y) * 60 / u32::from(self.height)) as u8;
        buffers[1].resize(buffers[1].len() + width, 140 - warmth);
        buffers[2].resize(buffers[2].len() + width, 100 + warmth);
    }
}

/// Returns the next pseudo-random number (xorshift64*).
pub fn next_random(mut random: u64) -> u64 {
    random ^= random >> 12;
    random ^= random << 25;
    random ^= random >> 27;
    random.wrapping_mul(0x2545_F491_4F6C_DD1D)
}

/// Returns a JPEG with more segments after its first one.
pub fn with_segments(jpeg: &[u8], segments: &[(u8, &[u8])]) -> Vec<u8> {
    let first = 4 + usize::from(u16::from_be_bytes([jpeg[4], jpeg[5]])) - 2 + 2;
    let mut out = jpeg[..first].to_vec();
    for (marker, content) in segments {
        out.extend([0xFF, *marker]);
        out.extend(u16::try_from(content.len() + 2).unwrap().to_be_bytes());
        out.extend(*content);
    }
    out.extend(&jpeg[first..]);
    out
}

/// Returns the metadata of a camera: rotation, model and place.
pub fn exif(orientation: u16) -> Vec<u8> {
    let camera = format!("{CANARY}\0");
    let (entry, gps_at, camera_at) = (12, 8 + 2 + 3 * 12 + 4, 8 + 2 + 3 * 12 + 4 + 2 + 2 * 12 + 4);
    let mut tiff = b"II*\0\x08\0\0\0".to_vec();
    let put = |tag: u16, kind: u16, count: u32, value: u32| {
        let mut bytes = Vec::with_capacity(entry);
        bytes.extend(tag.to_le_bytes());
        bytes.extend(kind.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend(value.to_le_bytes());
        bytes
    };
    tiff.extend(3_u16.to_le_bytes());
    tiff.extend(put(0x0110, 2, camera.len() as u32, camera_at));
    tiff.extend(put(0x0112, 3, 1, orientation.into()));
    tiff.extend(put(0x8825, 4, 1, gps_at));
    tiff.extend([0; 4]);
    // The place: north, and a latitude of three fractions.
    tiff.extend(2_u16.to_le_bytes());
    tiff.extend(put(0x0001, 2, 2, u32::from(b'N')));
    tiff.extend(put(0x0002, 5, 3, camera_at + camera.len() as u32));
    tiff.extend([0; 4]);
    tiff.extend(camera.as_bytes());
    for number in [52_u32, 1, 31, 1, 12, 1] {
        tiff.extend(number.to_le_bytes());
    }
    tiff
}

/// Returns a JPEG with all kinds of metadata.
pub fn with_secrets(jpeg: &[u8], orientation: u16) -> Vec<u8> {
    let exif = [b"Exif\0\0", &exif(orientation)[..]].concat();
    let xmp = [b"http://ns.adobe.com/xap/1.0/\0", CANARY.as_bytes()].concat();
    let iptc = [b"Photoshop 3.0\0", CANARY.as_bytes()].concat();
    let own = [b"Own\0", CANARY.as_bytes()].concat();
    let mut out = with_segments(
        jpeg,
        &[(0xE1, &exif), (0xE1, &xmp), (0xE5, &own), (0xED, &iptc), (0xFE, CANARY.as_bytes())],
    );
    // Telephones append a video or a second picture.
    out.extend(CANARY.as_bytes());
    out
}

/// Returns a chunk of a PNG.
pub fn chunk(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let mut out = u32::try_from(content.len()).unwrap().to_be_bytes().to_vec();
    out.extend(kind);
    out.extend(content);
    let sum = checksum(&out[4..]);
    out.extend(sum.to_be_bytes());
    out
}

/// Returns the checksum of PNG (CRC-32).
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(
            sum ^ u32::from(*byte),
            |sum, _| {
                if sum & 1 == 1 { (sum >> 1) ^ 0xEDB8_8320 } else { sum >> 1 }
            },
        )
    })
}

/// The header of a PNG.
#[derive(Clone, Copy)]
pub struct Head {
    pub width: u32,
    pub height: u32,
    /// Bits of a value.
    pub depth: u8,
    /// 0 grey, 2 colour, 3 palette, 4 grey with alpha, 6 colour with alpha.
    pub color: u8,
    pub is_interlaced: bool,
}

/// Returns a PNG with these chunks before its pixels. `packed` is the compressed pixels.
pub fn png_packed(head: Head, before: &[Vec<u8>], packed: &[u8]) -> Vec<u8> {
    let mut ihdr = head.width.to_be_bytes().to_vec();
    ihdr.extend(head.height.to_be_bytes());
    ihdr.extend([head.depth, head.color, 0, 0, u8::from(head.is_interlaced)]);
    let parts = [
        b"\x89PNG\r\n\x1A\n".to_vec(),
        chunk(b"IHDR", &ihdr),
        before.concat(),
        chunk(b"IDAT", packed),
        chunk(b"IEND", &[]),
    ];
    parts.concat()
}

/// Returns a PNG of these rows. The filter of a row precedes it.
pub fn png(head: Head, before: &[Vec<u8>], rows: &[u8]) -> Vec<u8> {
    png_packed(head, before, &fdeflate::compress_to_vec(rows))
}

/// Returns a PNG with 8 bits a value. `paint` gives the values of each pixel.
pub fn png_painted<const N: usize>(
    width: u32,
    height: u32,
    color: u8,
    paint: impl Fn(u32, u32) -> [u8; N],
) -> Vec<u8> {
    let mut rows = Vec::new();
    for y in 0..height {
        rows.push(0);
        rows.extend((0..width).flat_map(|x| paint(x, y)));
    }
    png(Head { width, height, depth: 8, color, is_interlaced: false }, &[], &rows)
}

/// Returns a chunk of compressed metadata of a PNG, with a name and a content.
pub fn metadata_chunk(kind: &[u8; 4], name: &str, content: &[u8]) -> Vec<u8> {
    let mut bytes = [name.as_bytes(), b"\0"].concat();
    // An iTXt chunk says that it is compressed, how, and that it has no language.
    bytes.extend_from_slice(if kind == b"iTXt" { b"\x01\0\0\0" } else { b"\0" });
    bytes.extend(fdeflate::compress_to_vec(content));
    chunk(kind, &bytes)
}

/// Returns a lossless WebP.
pub fn webp(rgba: &[u8], width: u32, height: u32, exif: Option<Vec<u8>>) -> Vec<u8> {
    use image::ImageEncoder;
    let mut out = Vec::new();
    let mut encoder = image::codecs::webp::WebPEncoder::new_lossless(&mut out);
    if let Some(exif) = exif {
        encoder.set_exif_metadata(exif).unwrap();
    }
    encoder.write_image(rgba, width, height, image::ExtendedColorType::Rgba8).unwrap();
    out
}

/// Returns an animated WebP. Its frames have the same size.
pub fn webp_moving(frames: &[Vec<u8>], width: u32, height: u32) -> Vec<u8> {
    let three = |number: u32| number.to_le_bytes()[..3].to_vec();
    let size = [three(width - 1), three(height - 1)].concat();
    let mut body = b"WEBP".to_vec();
    // The flags say: animated, and with transparency.
    body.extend(webp_chunk(b"VP8X", &[&[0x12, 0, 0, 0], &size[..]].concat()));
    body.extend(webp_chunk(b"ANIM", &[0, 0, 0, 0, 0, 0]));
    for frame in frames {
        // The part of a still picture after its header of twelve bytes.
        let still = &webp(frame, width, height, None)[12..];
        let head = [&[0; 6], &size[..], &three(100), &[0]].concat();
        body.extend(webp_chunk(b"ANMF", &[&head[..], still].concat()));
    }
    [&b"RIFF"[..], &u32::try_from(body.len()).unwrap().to_le_bytes(), &body].concat()
}

fn webp_chunk(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let mut out = [&kind[..], &u32::try_from(content.len()).unwrap().to_le_bytes(), content].concat();
    if content.len() % 2 == 1 {
        out.push(0);
    }
    out
}

/// Returns a GIF. `paint` says whether a pixel of a frame is red or black. No pixel is transparent.
pub fn gif(width: u16, height: u16, frames: u16, paint: impl Fn(u16, u16, u16) -> bool) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = gif::Encoder::new(&mut out, width, height, &[0, 0, 0, 255, 0, 0]).unwrap();
    for number in 0..frames {
        let dots: Vec<u8> = (0..height)
            .flat_map(|y| (0..width).map(move |x| (x, y)))
            .map(|(x, y)| u8::from(paint(number, x, y)))
            .collect();
        let mut frame = gif::Frame::from_indexed_pixels(width, height, dots, None);
        frame.delay = 7 + number;
        encoder.write_frame(&frame).unwrap();
    }
    drop(encoder);
    out
}

/// A decoded JPEG.
pub struct Seen {
    pub width: u32,
    pub height: u32,
    rgb: Vec<u8>,
}

/// Decodes a JPEG.
pub fn see(jpeg: &[u8]) -> Seen {
    let mut decoder = zune_jpeg::JpegDecoder::new(zune_jpeg::zune_core::bytestream::ZCursor::new(jpeg));
    let rgb = decoder.decode().expect("a JPEG of ours");
    let (width, height) = decoder.dimensions().unwrap();
    Seen { width: width as u32, height: height as u32, rgb }
}

impl Seen {
    /// Returns the pixel at these fractions of the width and the height.
    pub fn at(&self, right: f32, down: f32) -> [u8; 3] {
        let (x, y) = ((right * self.width as f32) as usize, (down * self.height as f32) as usize);
        let begins = (y * self.width as usize + x) * 3;
        [self.rgb[begins], self.rgb[begins + 1], self.rgb[begins + 2]]
    }

    /// Panics unless the pixel has about this colour.
    pub fn shows(&self, right: f32, down: f32, color: [u8; 3]) {
        let seen = self.at(right, down);
        let is_near = seen.iter().zip(color).all(|(seen, expected)| seen.abs_diff(expected) <= 8);
        assert!(is_near, "at {right} {down}: {seen:?}, not {color:?}");
    }
}
