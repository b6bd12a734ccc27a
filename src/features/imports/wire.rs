//! Requests, replies and events of imports.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::reader::{self, Reason, Unreadable};
use crate::db::sql::kept_as_text;
use crate::features::key::Key;
use crate::features::uploads::wire::bytes_alone;
use crate::ids::{ImportId, Seq, UserId, Whole};
use crate::model::audience::Audience;
pub use crate::reply::Done;
use crate::wire::{named, requests};

requests! {
    "imports.begin" Begin -> Begun,
    "imports.chunk" Chunk -> Held,
    "imports.read" Read -> Done,
    "imports.list" List -> Listed,
    "imports.start" Start -> Done,
    "imports.cancel" Cancel -> Done,
    "imports.undo_counts" UndoCounts -> Counts,
    "imports.undo" Undo -> Done,
}

/// The name of the only request with a rate limit of its own.
pub const CHUNK: &str = "imports.chunk";

/// Begins to send a file, or goes on with the one that has the same key.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Begin {
    pub key: Key,
    #[cfg_attr(test, ts(type = "number"))]
    pub size_bytes: Whole,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Begun {
    pub id: ImportId,
    /// The number of received bytes. The client continues from here.
    #[cfg_attr(test, ts(type = "number"))]
    pub offset: u64,
    /// Most bytes of one chunk.
    pub chunk_bytes: u32,
    /// Most chunks that may be unacknowledged at a time.
    pub window: u32,
}

/// A piece of the file.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Chunk {
    pub import_id: ImportId,
    /// The position of the chunk. A chunk that does not follow the received bytes is ignored without an error.
    #[cfg_attr(test, ts(type = "number"))]
    pub offset: Whole,
    #[serde(deserialize_with = "bytes_alone")]
    #[cfg_attr(test, ts(type = "ArrayBuffer"))]
    pub bytes: Bytes,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Held {
    /// The number of received bytes. The client continues from here.
    #[cfg_attr(test, ts(type = "number"))]
    pub offset: u64,
}

/// Says that all bytes were sent. The server then reads the file.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Read {
    pub key: Key,
    pub import_id: ImportId,
}

/// Asks for the import that is not over, and those whose posts are here.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct List {}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Listed {
    pub current: Option<Import>,
    /// Newest first.
    pub imports: Vec<PastImport>,
    pub seq: Seq,
}

/// Says that the posts of the preview are to be imported, for this audience.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Start {
    pub key: Key,
    pub import_id: ImportId,
    pub audience: Audience,
}

/// Ends an import that is not over. What it wrote is undone.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Cancel {
    pub key: Key,
    pub import_id: ImportId,
}

/// Asks what an undo would delete.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct UndoCounts {
    pub import_id: ImportId,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Counts {
    #[cfg_attr(test, ts(type = "number"))]
    pub posts: i64,
    /// Comments under these posts.
    #[cfg_attr(test, ts(type = "number"))]
    pub comments: i64,
    pub seq: Seq,
}

/// Deletes all posts of an import, with what is under them.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Undo {
    pub key: Key,
    pub import_id: ImportId,
}

/// The phase of an import that is not over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ImportPhase"))]
pub enum Phase {
    /// The client sends the file.
    Uploading,
    /// The server reads the file, or waits for its turn to read it.
    Reading,
    /// The user looks at what was found.
    Preview,
    /// The server writes the posts.
    Importing,
}

named!(Phase {
    Uploading = "uploading",
    Reading = "reading",
    Preview = "preview",
    Importing = "importing",
});
kept_as_text!(Phase);

/// Where posts come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ImportSource"))]
pub enum Source {
    Mellow,
    Mastodon,
}

named!(Source { Mellow = "mellow", Mastodon = "mastodon" });
kept_as_text!(Source);

impl From<reader::Source> for Source {
    fn from(source: reader::Source) -> Self {
        match source {
            reader::Source::Mellow => Self::Mellow,
            reader::Source::Mastodon => Self::Mastodon,
        }
    }
}

/// Why a post of a file is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum LeftOutReason {
    /// It was not for everybody there.
    NotPublic,
    /// It answers somebody else.
    Replies,
    /// It shows the post of somebody else.
    Shares,
    Polls,
    TooLong,
    /// It has no words and no picture that can be taken.
    Empty,
    /// Its date is missing or in the future.
    NoDate,
    /// It was imported before, or was written here.
    AlreadyHere,
}

impl From<Reason> for LeftOutReason {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::NotPublicThere => Self::NotPublic,
            Reason::Reply => Self::Replies,
            Reason::Share => Self::Shares,
            Reason::Poll => Self::Polls,
            Reason::TooLong => Self::TooLong,
            Reason::Empty => Self::Empty,
            Reason::NoDate => Self::NoDate,
        }
    }
}

/// How many posts are left out for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LeftOut {
    pub reason: LeftOutReason,
    pub count: u32,
}

/// One of the first posts that would be imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FirstPost {
    /// The beginning of its text.
    pub text: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub at_ms: i64,
}

/// What an import would write. It is stored as it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ImportPreview"))]
pub struct Preview {
    pub posts: u32,
    pub pictures: u32,
    /// The date of the oldest post; 0 if there is none.
    #[cfg_attr(test, ts(type = "number"))]
    pub from_ms: i64,
    /// The date of the newest post; 0 if there is none.
    #[cfg_attr(test, ts(type = "number"))]
    pub to_ms: i64,
    pub left_out: Vec<LeftOut>,
    /// Pictures of these posts that are left out: they are missing, no post may have them, or there is no space.
    pub pictures_left_out: u32,
    /// The oldest posts, at most five.
    pub first: Vec<FirstPost>,
}

/// An import that is not over.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Import {
    pub id: ImportId,
    pub phase: Phase,
    /// Percent of the bytes that were received, or of the posts that were written. 0 while the file is read; in events
    /// also while it is sent, because the client that sends it knows better.
    pub progress: u8,
    /// None until the file was read.
    pub source: Option<Source>,
    /// Set in the phase [`Phase::Preview`] alone.
    pub preview: Option<Preview>,
    /// Posts written so far.
    #[cfg_attr(test, ts(type = "number"))]
    pub done: i64,
    /// Posts to write.
    #[cfg_attr(test, ts(type = "number"))]
    pub total: i64,
    /// Whether the server could not go on, because its disk is full for example, and tries again by itself.
    pub paused: bool,
    /// The size of the file.
    #[serde(skip)]
    pub file_bytes: i64,
}

/// An import that is over, and whose posts are here.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PastImport {
    pub id: ImportId,
    pub source: Source,
    /// The posts that were imported. The user may have deleted some of them since.
    #[cfg_attr(test, ts(type = "number"))]
    pub posts: i64,
    #[cfg_attr(test, ts(type = "number"))]
    pub at_ms: i64,
}

/// How an import ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ImportResult"))]
pub enum Outcome {
    /// Its posts are here.
    Done,
    /// Its file cannot be read.
    Refused,
    /// Its posts, which were here, are deleted.
    Undone,
    /// It ended before its end, and nothing of it is here.
    Canceled,
}

/// Why the file of an import cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ImportRefusal"))]
pub enum FileRefusal {
    /// It is no archive of Mellow or Mastodon.
    Unknown,
    /// It would take too much to read (D-W10).
    Unsafe,
    /// Its posts are not JSON, or not in UTF-8.
    Broken,
}

impl FileRefusal {
    /// Returns the refusal of a file; None if the file is not the reason.
    #[must_use]
    pub fn of(why: Unreadable) -> Option<Self> {
        match why {
            Unreadable::NotAnArchive => Some(Self::Unknown),
            Unreadable::Unsafe => Some(Self::Unsafe),
            Unreadable::Broken => Some(Self::Broken),
            Unreadable::Io(_) => None,
        }
    }
}

/// The end of an import.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ImportEnd"))]
pub struct Ended {
    pub id: ImportId,
    pub result: Outcome,
    /// Posts that were imported, or deleted with it.
    #[cfg_attr(test, ts(type = "number"))]
    pub posts: i64,
    pub refusal: Option<FileRefusal>,
}

/// An import began, went on or ended. The event is sent to the user's own connections.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    /// The import that is not over; None if there is none.
    pub current: Option<Import>,
    /// The import that ended with this event.
    pub ended: Option<Ended>,
    #[serde(skip)]
    pub user_id: UserId,
    /// Whether only the numbers of the import changed.
    #[serde(skip)]
    pub is_progress: bool,
    /// Whether posts that were here are gone for everybody with this event.
    #[serde(skip)]
    pub takes_posts: bool,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use super::*;
    use crate::features::events::Event;
    use crate::testing::examples::{ANA, Messages, NOW_MS, SEQ, key, ok};

    const ID: ImportId = ImportId(8_589_934_593);

    fn preview() -> Preview {
        Preview {
            posts: 300,
            pictures: 70_000,
            from_ms: NOW_MS - 1,
            to_ms: NOW_MS,
            left_out: vec![
                LeftOut { reason: LeftOutReason::Replies, count: 128 },
                LeftOut { reason: LeftOutReason::AlreadyHere, count: 1 },
            ],
            pictures_left_out: 2,
            first: vec![FirstPost { text: "Mist, and one heron 🌿".into(), at_ms: NOW_MS - 1 }],
        }
    }

    fn import(phase: Phase) -> Import {
        let preview = (phase == Phase::Preview).then(preview);
        let source = (phase != Phase::Uploading).then_some(Source::Mastodon);
        let (done, total, paused) = (120, 300, phase == Phase::Importing);
        Import { id: ID, phase, progress: 40, source, preview, done, total, paused, file_bytes: 9 }
    }

    pub(crate) fn messages() -> Messages {
        let past = PastImport { id: ID, source: Source::Mellow, posts: 65_536, at_ms: NOW_MS };
        Messages {
            requests: vec![
                (
                    "imports.begin",
                    json!({ "key": key(), "size_bytes": 536_870_912 }),
                    ok(&Begun { id: ID, offset: 65_536, chunk_bytes: 65_536, window: 4 }),
                ),
                (
                    "imports.chunk",
                    json!({ "import_id": ID.0, "offset": 65_536, "bytes": { "$bin": "504b0304" } }),
                    ok(&Held { offset: 65_540 }),
                ),
                ("imports.read", json!({ "key": key(), "import_id": ID.0 }), ok(&Done { seq: SEQ })),
                (
                    "imports.list",
                    json!({}),
                    ok(&Listed { current: Some(import(Phase::Preview)), imports: vec![past], seq: SEQ }),
                ),
                (
                    "imports.start",
                    json!({ "key": key(), "import_id": ID.0, "audience": { "type": "public" } }),
                    ok(&Done { seq: SEQ }),
                ),
                ("imports.cancel", json!({ "key": key(), "import_id": ID.0 }), ok(&Done { seq: SEQ })),
                (
                    "imports.undo_counts",
                    json!({ "import_id": ID.0 }),
                    ok(&Counts { posts: 300, comments: 12, seq: SEQ }),
                ),
                ("imports.undo", json!({ "key": key(), "import_id": ID.0 }), ok(&Done { seq: SEQ })),
            ],
            events: vec![Event::ImportsChanged(Changed {
                current: Some(import(Phase::Importing)),
                ended: Some(Ended {
                    id: ImportId(7),
                    result: Outcome::Refused,
                    posts: 0,
                    refusal: Some(FileRefusal::Unsafe),
                }),
                user_id: ANA,
                is_progress: false,
                takes_posts: false,
            })],
        }
    }
}
