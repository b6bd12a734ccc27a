//! Decides which posts of an archive can be imported, by the rules of posts.

use std::collections::{BTreeMap, HashSet};

use super::entries::Entries;
use super::{Found, FoundPicture, FoundPost, Reason, Source};
use crate::error::Refusal;
use crate::features::posts::rules::{NewPost, parse_alt};
use crate::limits::{
    CONTENT_NOTE_CHARS_MAX, IMPORT_ID_CHARS_MAX, IMPORT_POSTS_MAX, IMPORT_WORDS_BYTES_MAX, PICTURE_BYTES_MAX,
    PICTURES_PER_POST,
};
use crate::model::tags::Tag;
use crate::{text, zones};

/// The text of a post that has pictures without a word, not even a description: every post has a text.
const PICTURE: &str = "🖼️";

/// A post as it is in an archive.
#[derive(Default)]
pub struct PostThere {
    /// Why it is left out, if its kind says so.
    pub reason: Option<Reason>,
    pub id: String,
    /// RFC 3339; empty if there is none.
    pub written_at: String,
    pub edited_at: String,
    pub title: Option<String>,
    pub text: String,
    pub tag: Option<String>,
    pub note: Option<String>,
    pub pictures: PicturesThere,
}

/// The pictures of a post as they are in an archive.
#[derive(Default)]
pub struct PicturesThere {
    first: Vec<PictureThere>,
    /// Pictures beyond those that a post may have.
    more: u32,
}

/// A picture as it is in an archive.
pub struct PictureThere {
    /// Where its files may be, the best one first.
    pub files: [Option<String>; 2],
    pub description: Option<String>,
}

impl PicturesThere {
    pub fn add(&mut self, picture: PictureThere) {
        if self.first.len() < PICTURES_PER_POST { self.first.push(picture) } else { self.more += 1 }
    }
}

/// Collects the posts of an archive.
pub struct Collector<'a> {
    entries: &'a Entries,
    folder: &'a str,
    now_ms: i64,
    /// The entries of pictures that posts have.
    used: HashSet<String>,
    found: Found,
}

impl<'a> Collector<'a> {
    pub fn new(source: Source, entries: &'a Entries, folder: &'a str, now_ms: i64) -> Self {
        let found = Found { source, posts: Vec::new(), left_out: BTreeMap::new(), pictures_left_out: 0 };
        Self { entries, folder, now_ms, used: HashSet::new(), found }
    }

    pub fn source(&self) -> Source {
        self.found.source
    }

    /// Takes a post, or counts why not. Returns false if there are more posts than an archive may have.
    pub fn add(&mut self, post: PostThere) -> bool {
        match self.checked(post) {
            Ok(post) => self.found.posts.push(post),
            Err(reason) => *self.found.left_out.entry(reason).or_default() += 1,
        }
        self.found.posts.len() <= IMPORT_POSTS_MAX
    }

    /// Returns what was found.
    pub fn finish(self) -> Found {
        let mut found = self.found;
        // Mellow's archives have the newest post first. Posts of the same second stay in their order.
        if found.source == Source::Mellow {
            found.posts.reverse();
        }
        found.posts.sort_by_key(|post| post.created_at_ms);
        found
    }

    fn checked(&mut self, post: PostThere) -> Result<FoundPost, Reason> {
        if let Some(reason) = post.reason {
            return Err(reason);
        }
        if post.text.len() > IMPORT_WORDS_BYTES_MAX {
            return Err(Reason::TooLong);
        }
        let (pictures, left_out) = self.pictures(post.pictures);
        let is_pictures_alone = text::is_blank(&post.text);
        let words = match pictures.first() {
            Some(picture) if is_pictures_alone => picture.description.as_deref().unwrap_or(PICTURE),
            _ => post.text.as_str(),
        };
        // A tag that no post can have is among the words of a Mastodon post, and in no archive of Mellow.
        let tag = post.tag.as_deref().and_then(|tag| Tag::parse(tag).ok().flatten());
        let note = post.note.as_deref().map(text::line);
        let note = note.as_deref().map(|note| text::shorten(note, CONTENT_NOTE_CHARS_MAX));
        let new = NewPost::parse(post.title.as_deref(), words, None, note.as_deref());
        let new = new.map_err(|why| match why {
            Refusal::TooLong(..) => Reason::TooLong,
            _ => Reason::Empty,
        })?;
        let now_ms = self.now_ms;
        let created_at_ms = zones::ms_of_rfc_3339(&post.written_at).filter(|at| (0..=now_ms).contains(at));
        let created_at_ms = created_at_ms.ok_or(Reason::NoDate)?;
        let updated_at_ms = zones::ms_of_rfc_3339(&post.edited_at);
        self.used.extend(pictures.iter().map(|picture| picture.entry.clone()));
        self.found.pictures_left_out += left_out;
        Ok(FoundPost {
            source_id: post.id.chars().take(IMPORT_ID_CHARS_MAX).collect(),
            created_at_ms,
            updated_at_ms: updated_at_ms.filter(|at| created_at_ms < *at && *at <= now_ms),
            title: new.title,
            text: new.text,
            is_pictures_alone,
            tag: tag.map(|tag| tag.shown),
            note: new.content_note,
            pictures,
        })
    }

    /// Returns the pictures of a post that are in the archive and that no other post has, and the number of the others.
    fn pictures(&self, there: PicturesThere) -> (Vec<FoundPicture>, u32) {
        let (mut pictures, mut left_out) = (Vec::<FoundPicture>::new(), there.more);
        for PictureThere { files, description } in there.first {
            let entry = files.into_iter().flatten().find_map(|file| self.entry(&file));
            let is_new = |(entry, _): &(String, u64)| {
                !self.used.contains(entry) && pictures.iter().all(|picture| picture.entry != *entry)
            };
            match (entry.filter(is_new), parse_alt(description.as_deref())) {
                (Some((entry, bytes)), Ok(alt)) => {
                    let description = (!alt.is_empty()).then_some(alt);
                    pictures.push(FoundPicture { entry, bytes, description });
                }
                // No description is shortened.
                _ => left_out += 1,
            }
        }
        (pictures, left_out)
    }

    /// Returns the name of a file in the archive, with or without the folder that everything is in, and its bytes.
    /// None if there is none, or if it is too large for a picture.
    fn entry(&self, file: &str) -> Option<(String, u64)> {
        let names = [format!("{}{file}", self.folder), file.to_owned()];
        names.into_iter().find_map(|name| {
            let bytes = self.entries.get(&name)?.bytes;
            (bytes <= PICTURE_BYTES_MAX as u64).then_some((name, bytes))
        })
    }
}
