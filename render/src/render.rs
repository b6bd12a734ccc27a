//! Renders the bytes of a picture. The content decides the decoder.

use image::ImageFormat;

use super::{Rendered, Unreadable, Wanted, finish, gif, jpeg, png, webp};

/// Renders a picture of a post.
pub fn render(bytes: &[u8]) -> Result<Rendered, Unreadable> {
    made(bytes, Wanted::Picture)
}

/// Renders a profile photo: its card is a small square, and nothing is animated.
pub fn render_photo(bytes: &[u8]) -> Result<Rendered, Unreadable> {
    made(bytes, Wanted::Photo)
}

fn made(bytes: &[u8], wanted: Wanted) -> Result<Rendered, Unreadable> {
    let decoded = match image::guess_format(bytes) {
        Ok(ImageFormat::Jpeg) => jpeg::decode(bytes),
        Ok(ImageFormat::Png) => png::decode(bytes),
        Ok(ImageFormat::WebP) => webp::decode(bytes),
        Ok(ImageFormat::Gif) => gif::decode(bytes, wanted == Wanted::Picture),
        _ => Err(Unreadable::Kind),
    }?;
    finish::finish(decoded, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decoded::check_size;
    use crate::limits::{CARD_SIDE, PHOTO_SIDE, SCREEN_SIDE};
    use crate::testing::{CANARY, exif, gif, jpeg, see, with_secrets, with_segments};

    const RED: [u8; 3] = [200, 30, 30];
    const GREEN: [u8; 3] = [30, 180, 30];
    const BLUE: [u8; 3] = [30, 30, 200];
    const GREY: [u8; 3] = [90, 90, 90];

    /// A picture whose corners, from the top left and clockwise, are red, green, blue and grey.
    fn corners(width: u16, height: u16) -> Vec<u8> {
        jpeg(width, height, |x, y| match (x < width / 2, y < height / 2) {
            (true, true) => RED,
            (false, true) => GREEN,
            (false, false) => BLUE,
            (true, false) => GREY,
        })
    }

    #[test]
    fn a_picture_is_rotated_upright() {
        // The expected corners, clockwise. The file has red, green, blue and grey.
        let turned = [
            (1, [RED, GREEN, BLUE, GREY]),
            (2, [GREEN, RED, GREY, BLUE]),
            (3, [BLUE, GREY, RED, GREEN]),
            (4, [GREY, BLUE, GREEN, RED]),
            (5, [RED, GREY, BLUE, GREEN]),
            (6, [GREY, RED, GREEN, BLUE]),
            (7, [BLUE, GREEN, RED, GREY]),
            (8, [GREEN, BLUE, GREY, RED]),
        ];
        for (orientation, [top_left, top_right, bottom_right, bottom_left]) in turned {
            let rendered = render(&with_secrets(&corners(96, 48), orientation)).unwrap();
            let expected = if orientation < 5 { (96, 48) } else { (48, 96) };
            assert_eq!((rendered.width, rendered.height), expected, "orientation {orientation}");
            for size in [&rendered.screen, &rendered.card] {
                let seen = see(size);
                assert_eq!((seen.width, seen.height), expected);
                seen.shows(0.25, 0.25, top_left);
                seen.shows(0.75, 0.25, top_right);
                seen.shows(0.75, 0.75, bottom_right);
                seen.shows(0.25, 0.75, bottom_left);
            }
        }
    }

    #[test]
    fn an_unknown_orientation_is_ignored() {
        for orientation in [0, 9, 255, 65_535] {
            let rendered = render(&with_secrets(&corners(96, 48), orientation)).unwrap();
            assert_eq!((rendered.width, rendered.height), (96, 48));
        }
    }

    #[test]
    fn metadata_such_as_place_and_camera_is_removed() {
        let file = with_secrets(&corners(1_700, 900), 6);
        assert!(file.windows(CANARY.len()).any(|window| window == CANARY.as_bytes()));
        let rendered = render(&file).unwrap();
        for size in [rendered.screen, rendered.card] {
            assert!(!size.windows(CANARY.len()).any(|window| window == CANARY.as_bytes()));
            for name in [&b"Exif"[..], b"ICC_PROFILE", b"Photoshop", b"http"] {
                assert!(!size.windows(name.len()).any(|window| window == name), "{name:?}");
            }
        }
    }

    #[test]
    fn a_large_picture_is_made_smaller_and_keeps_its_shape() {
        let rendered = render(&corners(3_000, 1_500)).unwrap();
        assert_eq!((rendered.width, rendered.height), (SCREEN_SIDE, SCREEN_SIDE / 2));
        let (screen, card) = (see(&rendered.screen), see(&rendered.card));
        assert_eq!((screen.width, screen.height), (SCREEN_SIDE, SCREEN_SIDE / 2));
        assert_eq!((card.width, card.height), (CARD_SIDE, CARD_SIDE / 2));
        for seen in [screen, card] {
            seen.shows(0.1, 0.1, RED);
            seen.shows(0.9, 0.9, BLUE);
        }
        let line = see(&render(&corners(4_000, 2)).unwrap().card);
        assert_eq!((line.width, line.height), (CARD_SIDE, 1), "nothing becomes nothing");
    }

    #[test]
    fn a_small_picture_is_not_enlarged() {
        let rendered = render(&corners(60, 40)).unwrap();
        assert_eq!((rendered.width, rendered.height), (60, 40));
        let card = see(&rendered.card);
        assert_eq!((card.width, card.height), (60, 40));
        assert_eq!(render(&corners(1, 1)).unwrap().width, 1);
    }

    #[test]
    fn the_card_of_a_photo_is_the_square_in_its_middle() {
        let third = |at: u16, of: u16| [RED, GREEN, BLUE][usize::from(at * 3 / of)];
        let wide = jpeg(1_800, 600, |x, _| third(x, 1_800));
        let tall = jpeg(600, 1_800, |_, y| third(y, 1_800));
        for (file, size) in [(wide, (1_600, 533)), (tall, (533, 1_600))] {
            let rendered = render_photo(&file).unwrap();
            assert_eq!((rendered.width, rendered.height), size, "the larger size keeps its shape");
            let shape = thumbhash::thumb_hash_to_approximate_aspect_ratio(&rendered.thumbhash).unwrap();
            assert_eq!(shape > 1.0, size.0 > size.1, "and the impression is of that one: {shape}");
            let card = see(&rendered.card);
            assert_eq!((card.width, card.height), (PHOTO_SIDE, PHOTO_SIDE));
            for (right, down) in [(0.04, 0.04), (0.96, 0.04), (0.5, 0.5), (0.04, 0.96), (0.96, 0.96)] {
                card.shows(right, down, GREEN);
            }
        }
    }

    #[test]
    fn a_photo_is_rotated_upright_and_its_metadata_is_removed() {
        let file = with_secrets(&corners(960, 640), 6);
        let rendered = render_photo(&file).unwrap();
        assert_eq!((rendered.width, rendered.height), (640, 960));
        let card = see(&rendered.card);
        for (right, down, color) in [(0.1, 0.1, GREY), (0.9, 0.1, RED), (0.9, 0.9, GREEN), (0.1, 0.9, BLUE)] {
            card.shows(right, down, color);
        }
        for size in [rendered.screen, rendered.card] {
            assert!(!size.windows(CANARY.len()).any(|window| window == CANARY.as_bytes()));
        }
    }

    #[test]
    fn the_card_of_a_photo_is_never_enlarged() {
        for (size, side) in [((60, 40), 40), ((40, 61), 40), ((1, 1), 1), ((4_000, 2), 1), ((224, 224), 224)]
        {
            let rendered = render_photo(&corners(size.0, size.1)).unwrap();
            let card = see(&rendered.card);
            assert_eq!((card.width, card.height), (side, side), "{size:?}");
        }
    }

    #[test]
    fn a_photo_is_never_animated() {
        let file = gif(60, 30, 3, |number, x, _| x / 20 == number);
        assert!(render(&file).unwrap().motion.is_some());
        assert_eq!(render_photo(&file).unwrap().motion, None);
    }

    #[test]
    fn a_thumbhash_has_the_shape_and_the_colour_of_the_picture() {
        let rendered = render(&jpeg(300, 200, |_, _| RED)).unwrap();
        assert!(rendered.thumbhash.len() <= crate::limits::THUMBHASH_BYTES_MAX);
        let shape = thumbhash::thumb_hash_to_approximate_aspect_ratio(&rendered.thumbhash).unwrap();
        assert!((1.3..1.7).contains(&shape), "{shape}");
        let (red, green, ..) = thumbhash::thumb_hash_to_average_rgba(&rendered.thumbhash).unwrap();
        assert!(red > 0.7 && green < 0.2, "{red} {green}");
    }

    #[test]
    fn only_four_formats_are_read_and_the_content_decides() {
        let svg = br#"<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>"#;
        let (heic, avif) = (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", b"\0\0\0\x18ftypavif\0\0\0\0mif1avif");
        for other in [&svg[..], heic, avif, b"<html></html>", b"BM\0\0\0\0", b"II*\0\x08\0\0\0", b"", b"GIF"]
        {
            assert_eq!(render(other), Err(Unreadable::Kind), "{other:?}");
        }
    }

    #[test]
    fn a_size_is_checked_in_the_header_before_anything_is_decoded() {
        assert_eq!(check_size(8_064, 6_048, 300), Ok(()), "a telephone's 48 megapixels");
        assert_eq!(check_size(12_000, 4_166, 300), Ok(()));
        for (width, height) in [(0, 10), (10, 0)] {
            assert_eq!(check_size(width, height, 300), Err(Unreadable::Damaged), "{width} x {height}");
        }
        for (width, height) in [(12_001, 10), (10, 12_001), (10_000, 5_001)] {
            assert_eq!(check_size(width, height, 300), Err(Unreadable::Size), "{width} x {height}");
        }
        assert_eq!(check_size(8_064, 6_048, 600), Err(Unreadable::Bomb));

        // A header with a wrong size, in a file of a few hundred bytes.
        let mut lie = corners(16, 16);
        let frame = lie.windows(2).position(|pair| pair == [0xFF, 0xC0]).unwrap();
        lie[frame + 5..frame + 9].copy_from_slice(&[0xFF, 0xDC, 0xFF, 0xDC]);
        assert_eq!(render(&lie), Err(Unreadable::Size));
        let mut lie = gif(16, 16, 1, |_, _, _| true);
        lie[6..10].copy_from_slice(&[0xDC, 0xFF, 0xDC, 0xFF]);
        assert_eq!(render(&lie), Err(Unreadable::Size));
    }

    #[test]
    fn colours_of_display_p3_are_converted() {
        let painted = jpeg(64, 64, |_, _| [200, 100, 60]);
        let profile = moxcms::ColorProfile::new_display_p3().encode().unwrap();
        let segment = [b"ICC_PROFILE\0\x01\x01", &profile[..]].concat();
        let wide = render(&with_segments(&painted, &[(0xE2, &segment)])).unwrap();
        // The colour 200, 100, 60 of Display P3, in sRGB.
        see(&wide.card).shows(0.5, 0.5, [215, 93, 47]);
        see(&render(&painted).unwrap().card).shows(0.5, 0.5, [200, 100, 60]);
    }

    #[test]
    fn an_unreadable_profile_is_ignored() {
        let painted = jpeg(64, 64, |_, _| [200, 100, 60]);
        let mut profile = moxcms::ColorProfile::new_display_p3().encode().unwrap();
        profile.truncate(150);
        let grey = moxcms::ColorProfile::new_gray_with_gamma(2.2).encode().unwrap();
        for profile in [profile, grey, b"no profile at all".to_vec(), Vec::new()] {
            let segment = [b"ICC_PROFILE\0\x01\x01", &profile[..]].concat();
            let rendered = render(&with_segments(&painted, &[(0xE2, &segment)])).unwrap();
            see(&rendered.card).shows(0.5, 0.5, [200, 100, 60]);
        }
    }

    #[test]
    fn metadata_that_is_cut_off_is_ignored() {
        let whole = [b"Exif\0\0", &exif(6)[..]].concat();
        for length in 0..whole.len() {
            let file = with_segments(&corners(32, 16), &[(0xE1, &whole[..length])]);
            assert!(render(&file).is_ok(), "{length} bytes of notes");
        }
    }
}
