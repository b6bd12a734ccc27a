//! Makes small real pictures, and reads the properties of encoded pictures.

use jpeg_encoder::{ColorType, Encoder};

/// A text in each secret part of [`jpeg_with_secrets`]. It must be nowhere else.
pub const SECRET: &str = "48.8584N-2.2945E-canary";

/// Returns pixels that no other picture of this run has: a soft gradient with grain.
fn pixels(width: u32, height: u32, grain: u8) -> Vec<u8> {
    let mut random = 0x9e37_79b9_u32;
    let mut noise = || {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        u8::try_from(random >> 24).unwrap() & grain
    };
    let mut rgb = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let slope = |at: u32, of: u32| u8::try_from(at * 127 / of).unwrap();
            rgb.extend([slope(x, width) ^ noise(), slope(y, height) ^ noise(), 90 ^ noise()]);
        }
    }
    rgb
}

fn encoded(width: u32, height: u32, parts: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, 90);
    for (number, part) in parts {
        encoder.add_app_segment(*number, part.clone()).unwrap();
    }
    let (wide, high) = (u16::try_from(width).unwrap(), u16::try_from(height).unwrap());
    encoder.encode(&pixels(width, height, 0), wide, high, ColorType::Rgb).unwrap();
    out
}

/// Returns a photograph of this size, with a few kilobytes.
pub fn jpeg(width: u32, height: u32) -> Vec<u8> {
    encoded(width, height, &[])
}

/// Returns a photograph of this size in a file of this many bytes. The bytes after its end are zeros.
pub fn jpeg_of_bytes(width: u32, height: u32, size_bytes: usize) -> Vec<u8> {
    let mut out = jpeg(width, height);
    out.resize(size_bytes, 7);
    out
}

/// Returns a photograph as a phone makes it, with its location in two places and a text after its end.
pub fn jpeg_with_secrets(width: u32, height: u32) -> Vec<u8> {
    // One directory with one tag, "camera maker", whose value is the secret.
    let mut exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x0f\0\x02".to_vec();
    exif.extend(u32::try_from(SECRET.len() + 1).unwrap().to_be_bytes());
    exif.extend(b"\0\0\0\x1a\0\0\0\0");
    exif.extend(SECRET.bytes().chain([0]));
    let xmp = format!("http://ns.adobe.com/xap/1.0/\0<x exif:GPSLatitude=\"{SECRET}\"/>").into_bytes();
    let mut out = encoded(width, height, &[(1, exif), (1, xmp)]);
    out.extend(SECRET.bytes());
    out
}

/// Returns a drawing of this size. Because of its grain the file is hardly smaller than three bytes per pixel.
pub fn png(width: u32, height: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().unwrap().write_image_data(&pixels(width, height, 0xff)).unwrap();
    out
}

/// Returns a grey square with this side, which is a small file with many pixels.
pub fn wall(side: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, side, side);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().unwrap().write_image_data(&vec![128; (side * side) as usize]).unwrap();
    out
}

/// Returns a GIF of three frames, each of another colour.
pub fn gif_that_moves(width: u16, height: u16) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder =
        gif::Encoder::new(&mut out, width, height, &[200, 80, 40, 40, 80, 200, 20, 90, 20]).unwrap();
    for colour in 0..3 {
        let area = usize::from(width) * usize::from(height);
        let mut frame = gif::Frame::from_indexed_pixels(width, height, vec![colour; area], None);
        frame.delay = 10;
        encoder.write_frame(&frame).unwrap();
    }
    drop(encoder);
    out
}

/// Returns the size in the header of a JPEG, or None if the bytes are no JPEG.
pub fn size_of_jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u32::from(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    let mut at = 2;
    if !bytes.starts_with(b"\xff\xd8\xff") {
        return None;
    }
    loop {
        match *bytes.get(at + 1)? {
            0xc0..=0xc3 => return Some((number(at + 7)?, number(at + 5)?)),
            _ => at += 2 + usize::try_from(number(at + 2)?).ok()?,
        }
    }
}
