//! Makes the two sizes of decoded pixels: resizes, converts to sRGB, rotates upright, and encodes.
//!
//! Resizing comes first, so that the other steps work on a small picture.

use fast_image_resize::Resizer;
use image::metadata::Orientation;
use image::{DynamicImage, RgbImage};
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};
use moxcms::{ColorProfile, DataColorSpace, Layout, TransformOptions};

use super::decoded::{Decoded, PictureKind, Pixels};
use super::{Rendered, Unreadable, Wanted};
use crate::limits::{
    CARD_BYTES_MAX, CARD_SIDE, DRAWN_QUALITY, PHOTO_QUALITY, PHOTO_SIDE, SCREEN_BYTES_MAX, SCREEN_SIDE,
    THUMBHASH_SIDE,
};

/// Makes the two sizes.
pub(super) fn finish(decoded: Decoded, wanted: Wanted) -> Result<Rendered, Unreadable> {
    let Decoded { pixels, orientation, profile, kind, motion } = decoded;
    let mut resizer = Resizer::new();
    let mut screen = match pixels.within(SCREEN_SIDE, &mut resizer)? {
        Some(smaller) => {
            drop(pixels);
            smaller
        }
        None => pixels,
    };
    if let Some(profile) = profile {
        bring_into_srgb(&mut screen.rgb, &profile);
    }
    let screen = upright(screen, orientation)?;
    let card = match wanted {
        Wanted::Picture => screen.within(CARD_SIDE, &mut resizer),
        Wanted::Photo => screen.square(PHOTO_SIDE, &mut resizer),
    }?;
    let card = card.as_ref().unwrap_or(&screen);
    // The thumbhash is of the whole picture. The card of a photo is only its middle.
    let whole = if wanted == Wanted::Photo { &screen } else { card };
    Ok(Rendered {
        width: screen.width,
        height: screen.height,
        thumbhash: thumbhash(whole, &mut resizer)?,
        screen: write(&screen, kind, SCREEN_BYTES_MAX)?,
        card: write(card, kind, CARD_BYTES_MAX)?,
        motion,
    })
}

fn upright(pixels: Pixels, orientation: Orientation) -> Result<Pixels, Unreadable> {
    if orientation == Orientation::NoTransforms {
        return Ok(pixels);
    }
    let picture = RgbImage::from_raw(pixels.width, pixels.height, pixels.rgb).ok_or(Unreadable::Damaged)?;
    let mut picture = DynamicImage::ImageRgb8(picture);
    picture.apply_orientation(orientation);
    let picture = picture.into_rgb8();
    Ok(Pixels { width: picture.width(), height: picture.height(), step: 1, rgb: picture.into_raw() })
}

/// Converts colours of another space, such as Display P3 of telephones, to sRGB. A profile is ignored if it cannot be
/// read, or if its space is not RGB.
fn bring_into_srgb(rgb: &mut Vec<u8>, profile: &[u8]) {
    let Ok(source) = ColorProfile::new_from_slice(profile) else { return };
    if source.color_space != DataColorSpace::Rgb {
        return;
    }
    let target = ColorProfile::new_srgb();
    let options = TransformOptions::default();
    let Ok(way) = source.create_transform_8bit(Layout::Rgb, &target, Layout::Rgb, options) else { return };
    let mut brought = vec![0; rgb.len()];
    if way.transform(rgb, &mut brought).is_ok() {
        *rgb = brought;
    }
}

fn thumbhash(whole: &Pixels, resizer: &mut Resizer) -> Result<Vec<u8>, Unreadable> {
    let small = whole.within(THUMBHASH_SIDE, resizer)?;
    let small = small.as_ref().unwrap_or(whole);
    let rgba: Vec<u8> = small.rgb.chunks_exact(3).flat_map(|rgb| [rgb[0], rgb[1], rgb[2], u8::MAX]).collect();
    Ok(thumbhash::rgba_to_thumb_hash(small.width as usize, small.height as usize, &rgba))
}

/// Encodes RGB pixels, row by row, as a JPEG with the quality of a photograph; None if the sizes do not agree.
#[must_use]
pub fn encode(rgb: &[u8], width: u16, height: u16) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    Encoder::new(&mut out, PHOTO_QUALITY).encode(rgb, width, height, ColorType::Rgb).ok()?;
    Some(out)
}

/// Encodes a JPEG. If it is too large, it is encoded again in lower quality. A picture of noise needs this.
fn write(pixels: &Pixels, kind: PictureKind, bytes_max: usize) -> Result<Vec<u8>, Unreadable> {
    let (quality, sampling) = match kind {
        PictureKind::Photo => (PHOTO_QUALITY, SamplingFactor::R_4_2_0),
        PictureKind::Drawn => (DRAWN_QUALITY, SamplingFactor::R_4_4_4),
    };
    let tries = [(quality, sampling), (60, SamplingFactor::R_4_2_0), (25, SamplingFactor::R_4_2_0)];
    for (quality, sampling) in tries {
        let mut out = Vec::new();
        let mut encoder = Encoder::new(&mut out, quality);
        encoder.set_sampling_factor(sampling);
        let (Ok(width), Ok(height)) = (u16::try_from(pixels.width), u16::try_from(pixels.height)) else {
            return Err(Unreadable::Size);
        };
        encoder.encode(&pixels.rgb, width, height, ColorType::Rgb).map_err(|_| Unreadable::Damaged)?;
        if out.len() <= bytes_max {
            return Ok(out);
        }
    }
    Err(Unreadable::Bomb)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::next_random;

    #[test]
    fn noise_is_encoded_in_lower_quality() {
        let mut random = 7;
        let rgb = (0..1_600 * 1_600 * 3)
            .map(|_| {
                random = next_random(random);
                (random >> 40) as u8
            })
            .collect();
        let noise = Pixels { width: 1_600, height: 1_600, step: 1, rgb };
        let written = write(&noise, PictureKind::Drawn, SCREEN_BYTES_MAX).unwrap();
        assert!(written.len() <= SCREEN_BYTES_MAX, "{}", written.len());
    }
}
