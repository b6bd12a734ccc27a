//! Rules for uploads: sizes, and the names of stored files. Pure.

use std::sync::Arc;

use crate::error::{Field, PictureFault, Refusal};
use crate::ids::UserId;
use crate::limits::{
    FILE_NAME_CHARS_MAX, PHOTO_BYTES_MAX, PICTURE_BYTES_MAX, PICTURES_PER_POST, TOO_MANY_PICTURES,
};
use crate::model::files::Purpose;
use crate::text;

/// Most bytes of a file name that are kept. With the timestamp, the index and the ending, a name stays below 255 bytes,
/// the limit of file systems.
const STEM_BYTES_MAX: usize = 160;

/// The folder of the pictures of posts, below the media folder.
pub const POSTS: &str = "posts";
/// The folder of the photos of profiles, below the media folder.
pub const PHOTOS: &str = "profile-pictures";

/// A file that may be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announced {
    /// The name as its user knows it, for refusals.
    pub shown: Arc<str>,
    /// The part of the name that is in the path of the stored file.
    pub stem: String,
    pub size_bytes: u64,
    /// The number of the picture in its post, from 0; 0 for a photo.
    pub index: u8,
    pub purpose: Purpose,
}

impl Announced {
    /// Checks a file that a client announces.
    ///
    /// # Errors
    /// The file is too large for its purpose, empty, or the fifth picture of a post; [`Refusal::BadRequest`] for a
    /// second photo.
    pub fn parse(name: &str, size_bytes: u32, index: u8, purpose: Purpose) -> Result<Self, Refusal> {
        let shown = shown(name);
        let size_bytes = u64::from(size_bytes);
        match purpose {
            Purpose::Post if usize::from(index) >= PICTURES_PER_POST => {
                return Err(Refusal::Invalid(Field::PICTURES, TOO_MANY_PICTURES));
            }
            Purpose::Post if size_bytes > PICTURE_BYTES_MAX as u64 => {
                return Err(Refusal::PictureTooLarge(shown));
            }
            Purpose::Photo if index > 0 => return Err(Refusal::BadRequest),
            Purpose::Photo if size_bytes > PHOTO_BYTES_MAX as u64 => return Err(Refusal::PhotoTooLarge),
            Purpose::Post | Purpose::Photo => {}
        }
        if size_bytes == 0 {
            return Err(Refusal::NotAPicture(shown, PictureFault::Unreadable));
        }
        Ok(Self { stem: stem(name), shown, size_bytes, index, purpose })
    }

    /// Returns the paths of the stored files, below the media folder and without their endings. `stamp` distinguishes
    /// two files of a user.
    #[must_use]
    pub fn path(&self, owner_id: UserId, stamp: i64) -> String {
        let Self { stem, index, .. } = self;
        match self.purpose {
            Purpose::Post => format!("{POSTS}/{}/{stamp}_{index}_{stem}", owner_id.0),
            Purpose::Photo => format!("{PHOTOS}/{}/{stamp}_{stem}", owner_id.0),
        }
    }
}

/// Returns a file name for refusals.
fn shown(name: &str) -> Arc<str> {
    let plain: String = text::line(name).chars().filter(|c| !is_hidden(*c)).collect();
    if plain.is_empty() { "This file".into() } else { text::shorten(&plain, FILE_NAME_CHARS_MAX + 1).into() }
}

fn is_hidden(c: char) -> bool {
    text::has_forbidden_char(c.encode_utf8(&mut [0; 4]))
}

/// Returns the part of a file name for a path: the last component without the ending. Characters other than letters,
/// digits, `-` and `_` become `_`.
fn stem(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let last = text::line(last);
    let without = last.rsplit_once('.').map_or(last.as_str(), |(before, _)| before);
    let mut stem = String::new();
    for c in without.trim_matches('.').chars().take(FILE_NAME_CHARS_MAX) {
        let c = if c.is_alphanumeric() || c == '-' { c } else { '_' };
        if stem.len() + c.len_utf8() > STEM_BYTES_MAX {
            break;
        }
        stem.push(c);
    }
    if stem.is_empty() { "picture".into() } else { stem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_keeps_letters_and_loses_its_path() {
        for (name, expected) in [
            ("IMG_2041.JPG", "IMG_2041"),
            ("../../etc/passwd", "passwd"),
            ("C:\\photos\\Über mich.final.png", "Über_mich_final"),
            ("..", "picture"),
            ("", "picture"),
            ("a\u{202E}gpj.exe", "a_gpj"),
            ("<script>.svg", "_script_"),
            ("日本.jpg", "日本"),
        ] {
            assert_eq!(stem(name), expected, "{name}");
        }
        assert_eq!(stem(&"𝔘".repeat(200)).len(), STEM_BYTES_MAX);
    }

    #[test]
    fn a_name_in_a_refusal_is_readable_and_limited() {
        assert_eq!(&*shown("my cat.png"), "my cat.png");
        assert_eq!(&*shown("a\u{202E}b\n.png"), "ab .png");
        assert_eq!(shown(&"x".repeat(500)).chars().count(), FILE_NAME_CHARS_MAX + 1);
        assert_eq!(&*shown(" "), "This file");
    }

    #[test]
    fn a_picture_of_ten_megabytes_is_accepted_and_one_byte_more_is_not() {
        let most = u32::try_from(PICTURE_BYTES_MAX).unwrap();
        assert!(Announced::parse("a.png", most, 3, Purpose::Post).is_ok());
        let refused = |size, index| Announced::parse("a.png", size, index, Purpose::Post).unwrap_err();
        assert_eq!(refused(most + 1, 0), Refusal::PictureTooLarge("a.png".into()));
        assert_eq!(refused(most + 1, 0).view().message, "Image a.png is too large. Maximum size is 10MB");
        assert_eq!(refused(0, 0), Refusal::NotAPicture("a.png".into(), PictureFault::Unreadable));
        assert_eq!(refused(1, 4), Refusal::Invalid(Field::PICTURES, TOO_MANY_PICTURES));
    }

    #[test]
    fn a_photo_has_at_most_five_megabytes_and_is_the_only_one() {
        let most = u32::try_from(PHOTO_BYTES_MAX).unwrap();
        assert!(Announced::parse("a.png", most, 0, Purpose::Photo).is_ok());
        let refused = |size, index| Announced::parse("a.png", size, index, Purpose::Photo).unwrap_err();
        assert_eq!(refused(most + 1, 0), Refusal::PhotoTooLarge);
        assert_eq!(refused(most + 1, 0).view().message, "File size must be less than 5MB");
        assert_eq!(refused(0, 0), Refusal::NotAPicture("a.png".into(), PictureFault::Unreadable));
        assert_eq!(refused(1, 1), Refusal::BadRequest);
    }

    #[test]
    fn a_path_names_its_purpose_and_fits_into_its_column() {
        let path = |name: &str, index, purpose| {
            let announced = Announced::parse(name, 1, index, purpose).unwrap();
            announced.path(UserId(crate::ids::ID_LIMIT - 1), 1_772_355_600_000)
        };
        assert_eq!(path("a b.png", 2, Purpose::Post), "posts/9007199254740991/1772355600000_2_a_b");
        assert_eq!(path("a.png", 0, Purpose::Photo), "profile-pictures/9007199254740991/1772355600000_a");
        for purpose in [Purpose::Post, Purpose::Photo] {
            assert!(path(&"𝔘".repeat(200), 0, purpose).len() + ".motion.gif".len() < 255);
        }
    }
}
