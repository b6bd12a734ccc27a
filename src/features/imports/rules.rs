//! Rules for imports: the size of a file, which posts are the same, and how the work gives way to others. Pure.

use sha2::{Digest, Sha256};

use super::reader::{FoundPost, Source};
use crate::error::Refusal;
use crate::limits::{
    IMPORT_AGAIN_MS, IMPORT_AGAIN_MS_MAX, IMPORT_REST_FACTOR, IMPORT_REST_MS_MAX, IMPORT_REST_MS_MIN,
};

/// Checks the announced size of a file, in bytes. `max_mb` is the setting, in MiB.
///
/// # Errors
/// [`Refusal::ImportTooBig`]; [`Refusal::BadRequest`] for an empty file.
pub fn check_size(size_bytes: i64, max_mb: u64) -> Result<i64, Refusal> {
    let most = i64::try_from(max_mb.saturating_mul(1024 * 1024)).unwrap_or(i64::MAX);
    match size_bytes {
        ..=0 => Err(Refusal::BadRequest),
        size if size > most => Err(Refusal::ImportTooBig(max_mb)),
        size => Ok(size),
    }
}

/// Returns the key of a post: two posts of one author are the same if their keys are equal (D-W9). It is a hash of where
/// the post comes from, its id, its date and its words there.
#[must_use]
pub fn key_of(source: Source, post: &FoundPost) -> [u8; 16] {
    let mut hash = Sha256::new();
    let (date, title) = (post.created_at_ms.to_be_bytes(), post.title.as_deref().unwrap_or(""));
    for part in
        [source.word().as_bytes(), post.source_id.as_bytes(), &date, title.as_bytes(), post.text.as_bytes()]
    {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part);
    }
    let mut key = [0; 16];
    key.copy_from_slice(&hash.finalize()[..16]);
    key
}

/// Returns how much of a whole is done, in percent.
#[must_use]
pub fn percent(done: i64, whole: i64) -> u8 {
    let percent = if whole > 0 { done.saturating_mul(100) / whole } else { 0 };
    u8::try_from(percent.clamp(0, 100)).unwrap_or(100)
}

/// Returns how long the work rests after a write that took `took_ms`, in milliseconds.
#[must_use]
pub fn rest_ms(took_ms: u64) -> u64 {
    took_ms.saturating_mul(IMPORT_REST_FACTOR).clamp(IMPORT_REST_MS_MIN, IMPORT_REST_MS_MAX)
}

/// Returns the pause after so many failures in a row, in milliseconds.
#[must_use]
pub fn again_ms(failures: u32) -> u64 {
    IMPORT_AGAIN_MS.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(IMPORT_AGAIN_MS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn post(source_id: &str, created_at_ms: i64, title: Option<&str>, text: &str) -> FoundPost {
        FoundPost {
            source_id: source_id.into(),
            created_at_ms,
            updated_at_ms: None,
            title: title.map(str::to_owned),
            text: text.into(),
            is_pictures_alone: false,
            tag: None,
            note: None,
            pictures: Vec::new(),
        }
    }

    #[test]
    fn a_file_of_the_largest_size_is_accepted_and_one_byte_more_is_not() {
        assert_eq!(check_size(2 * 1024 * 1024, 2), Ok(2 * 1024 * 1024));
        let refused = check_size(2 * 1024 * 1024 + 1, 2).unwrap_err();
        assert_eq!(refused, Refusal::ImportTooBig(2));
        assert_eq!(refused.view().message, "This file is too big. At most 2 MB.");
        assert_eq!(check_size(0, 2), Err(Refusal::BadRequest));
        assert_eq!(check_size(i64::MAX, u64::MAX), Ok(i64::MAX));
    }

    #[test]
    fn d_w9_a_post_is_the_same_only_with_the_same_source_id_date_and_words() {
        let key = |post: &FoundPost| key_of(Source::Mellow, post);
        let one = post("1", 7, Some("a"), "b");
        assert_eq!(key(&one), key(&one.clone()));
        let others = [
            post("2", 7, Some("a"), "b"),
            post("1", 8, Some("a"), "b"),
            post("1", 7, Some("ab"), ""),
            post("1", 7, None, "ab"),
            post("1", 7, Some("a"), "c"),
        ];
        assert!(others.iter().all(|other| key(other) != key(&one)));
        assert_ne!(key_of(Source::Mastodon, &one), key(&one));
    }

    #[test]
    fn the_work_rests_longer_than_it_writes_and_waits_longer_after_each_failure() {
        assert_eq!([0, 3, 10, 100, u64::MAX].map(rest_ms), [20, 20, 40, 400, 1_000]);
        assert_eq!([1, 2, 3, 6, 7, u32::MAX].map(again_ms), [1_000, 2_000, 4_000, 32_000, 60_000, 60_000]);
        assert_eq!(
            [(0, 0), (0, 3), (1, 3), (3, 3), (4, 3)].map(|(done, of)| percent(done, of)),
            [0, 0, 33, 100, 100]
        );
    }
}
