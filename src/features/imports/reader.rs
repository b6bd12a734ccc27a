//! Reads the posts and pictures of an archive of Mellow or Mastodon (D-W1).
//!
//! Guarantees:
//! - No content of a file makes the reader panic, or use more memory or time than the limits in `src/limits/imports.rs`
//!   allow. Sizes are counted while something is unpacked.
//! - Names in the file are looked up in its own directory. They are never paths on this machine, and nothing is written
//!   to disk here.
//! - A post that is returned obeys the rules of a post that somebody types. Nothing is shortened but a content note.
//! - The same file, read twice for the same time, gives the same posts in the same order.
//!
//! Never here: a database, an actor, a clock.

mod collect;
mod entries;
mod html;
mod json;
mod mastodon;
mod mellow;
#[cfg(test)]
mod testing;

use std::collections::BTreeMap;
use std::io::{self, BufReader, ErrorKind, Read, Seek, Write};

use crate::limits::{IMPORT_JSON_BYTES_MAX, IMPORT_PIECE_BYTES, PICTURE_BYTES_MAX};
use collect::{Collector, PostThere};
use entries::{Entries, Entry};

/// Where an archive comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Mellow,
    Mastodon,
}

impl Source {
    /// The sources, in the order in which they are looked for.
    const ALL: [Self; 2] = [Self::Mellow, Self::Mastodon];

    /// Returns the word for it in the key of a post.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Mellow => "mellow",
            Self::Mastodon => "mastodon",
        }
    }

    /// Returns the name of the file with the posts.
    const fn file(self) -> &'static str {
        match self {
            Self::Mellow => "posts.json",
            Self::Mastodon => "outbox.json",
        }
    }
}

/// Why a post is left out. If there are several reasons, the first of them in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// It was not for everybody.
    NotPublicThere,
    /// It answers somebody else.
    Reply,
    /// It shows the post of somebody else.
    Share,
    Poll,
    /// Its words or its title are longer than those of a post may be.
    TooLong,
    /// It has neither words nor a picture that can be taken.
    Empty,
    /// Its date is missing, before 1970 or in the future.
    NoDate,
}

/// A post that can be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPost {
    /// Its id in the archive; empty if it has none there.
    pub source_id: String,
    /// Milliseconds since 1970 UTC, never in the future.
    pub created_at_ms: i64,
    /// When it was edited last, later than it was written; None if it was not.
    pub updated_at_ms: Option<i64>,
    pub title: Option<String>,
    pub text: String,
    /// Whether the post came without words. Its text then stands for its pictures: if none of them can be kept, the post
    /// is [`Reason::Empty`].
    pub is_pictures_alone: bool,
    pub tag: Option<String>,
    pub note: Option<String>,
    pub pictures: Vec<FoundPicture>,
}

/// A picture of a post that can be imported. No two posts have the same one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPicture {
    /// Its name in the archive, for [`Archive::picture`] alone.
    pub entry: String,
    /// Its size in the archive, in bytes. The picture that is made of it has another one.
    pub bytes: u64,
    pub description: Option<String>,
}

/// What is in an archive.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    pub source: Source,
    /// The oldest first.
    pub posts: Vec<FoundPost>,
    /// How many posts are left out, for each reason that there is.
    pub left_out: BTreeMap<Reason, u32>,
    /// Pictures of [`posts`](Self::posts) that are missing in the archive, or that a post may not have.
    pub pictures_left_out: u32,
}

/// Why nothing of a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is no archive of Mellow or Mastodon.
    #[error("not an archive")]
    NotAnArchive,
    /// It is larger than it may be, or its directory contradicts itself.
    #[error("not safe to read")]
    Unsafe,
    /// Its posts are not JSON in UTF-8, or are damaged.
    #[error("broken")]
    Broken,
    /// The disk could not be read. The file is not the reason, and another attempt may help.
    #[error("{0}")]
    Io(ErrorKind),
}

/// Why a picture is not returned.
#[derive(Debug, thiserror::Error)]
pub enum NoPicture {
    /// It is missing, damaged, or larger than a picture may be. It is left out alone; another attempt does not help.
    #[error("left out")]
    LeftOut,
    /// The file could not be read, or the picture not be written. Another attempt may help.
    #[error("a picture of an archive: {0}")]
    Io(io::Error),
}

/// An archive.
#[derive(Debug)]
pub struct Archive<R> {
    file: R,
    entries: Entries,
    source: Source,
    /// The folder that everything is in, with a `/` at its end; empty if there is none.
    folder: String,
    posts: Entry,
}

impl<R: Read + Seek> Archive<R> {
    /// Reads the directory of an archive.
    ///
    /// # Errors
    /// The file is no archive, is not safe to read, or could not be read.
    pub fn open(mut file: R) -> Result<Self, Unreadable> {
        let entries = Entries::read(&mut file)?;
        for source in Source::ALL {
            let Some(folder) = entries.folder_of(source.file()) else { continue };
            let posts =
                *entries.get(&format!("{folder}{}", source.file())).ok_or(Unreadable::NotAnArchive)?;
            if posts.bytes > IMPORT_JSON_BYTES_MAX {
                return Err(Unreadable::Unsafe);
            }
            return Ok(Self { file, entries, source, folder, posts });
        }
        Err(Unreadable::NotAnArchive)
    }

    /// Reads all posts. `now_ms` is the time after which no post can have been written, in milliseconds since 1970 UTC.
    ///
    /// # Errors
    /// The file is not safe to read, its posts are broken, or the file could not be read.
    pub fn read(&mut self, now_ms: i64) -> Result<Found, Unreadable> {
        let mut collector = Collector::new(self.source, &self.entries, &self.folder, now_ms);
        let json = self.posts.unpack(&mut self.file).map_err(unreadable)?;
        collect_from(json, &mut collector)?;
        Ok(collector.finish())
    }

    /// Writes the content of a picture to `out`. Returns its bytes.
    ///
    /// # Errors
    /// There is no such picture, or it could not be read or written.
    pub fn picture(&mut self, entry: &str, out: &mut dyn Write) -> Result<u64, NoPicture> {
        let entry = self.entries.get(entry).ok_or(NoPicture::LeftOut)?;
        if entry.bytes > PICTURE_BYTES_MAX as u64 {
            return Err(NoPicture::LeftOut);
        }
        let mut content = entry.unpack(&mut self.file).map_err(NoPicture::Io)?;
        let mut piece = vec![0; IMPORT_PIECE_BYTES];
        let mut written = 0;
        loop {
            let read = match content.read(&mut piece) {
                Ok(0) => return Ok(written),
                Ok(read) => read,
                Err(why) if is_damage(&why) => return Err(NoPicture::LeftOut),
                Err(why) => return Err(NoPicture::Io(why)),
            };
            out.write_all(&piece[..read]).map_err(NoPicture::Io)?;
            written += read as u64;
        }
    }
}

/// Reads the posts of a JSON file.
fn collect_from(json: impl Read, collector: &mut Collector<'_>) -> Result<(), Unreadable> {
    let json = json::without_mark(json::Counted::new(json)).map_err(unreadable)?;
    let json = BufReader::with_capacity(IMPORT_PIECE_BYTES, json);
    let mut are_too_many = false;
    let source = collector.source();
    let mut take = |post: PostThere| {
        are_too_many = !collector.add(post);
        !are_too_many
    };
    let read = match source {
        Source::Mellow => mellow::read(json, &mut take),
        Source::Mastodon => mastodon::read(json, &mut take),
    };
    match read {
        Err(_) if are_too_many => Err(Unreadable::Unsafe),
        read => read.map_err(|why| unreadable(why.into())),
    }
}

/// Returns why nothing is read of a file of which a part could not be read.
fn unreadable(why: io::Error) -> Unreadable {
    match why.downcast() {
        Ok(ours) => ours,
        Err(why) if is_damage(&why) => Unreadable::Broken,
        Err(why) => Unreadable::Io(why.kind()),
    }
}

/// Returns whether an entry could not be read because of its content.
fn is_damage(why: &io::Error) -> bool {
    use ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    let is_ours = why.get_ref().is_some_and(|inner| inner.is::<Unreadable>());
    is_ours || matches!(why.kind(), InvalidData | InvalidInput | UnexpectedEof)
}

#[cfg(test)]
mod tests;
