//! Stored files under `media/`: who may fetch them, and when they are removed.
//!
//! Guarantees:
//! - A file is complete and synced to disk before its row is committed. Deleting the row queues the file for removal.
//! - A user who may see the post or the profile now may fetch its files. A request for a file that is deleted,
//!   unknown or not visible gets the same response.
//!
//! Several features store files. Each writes its rows with [`keep`], in its own commit.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;

use super::audience::Audience;
use crate::authz::{self, PostFacts, Viewer};
use crate::db::sql::{Sql, from_row};
use crate::error::{Error, Refusal};
use crate::ids::{GroupId, UserId};
use crate::limits::FILE_TOKEN_BYTES;
use crate::random::random;
use crate::wire::named;

/// The role of a stored file. The web client chooses a file by its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The larger size.
    Screen,
    /// The smaller size. For a photo, it is a square.
    Card,
    /// The animated version, if there is one.
    Motion,
}

impl Role {
    /// Returns the word that is stored in the metadata.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Screen => "screen",
            Self::Card => "card",
            Self::Motion => "motion",
        }
    }
}

/// The purpose of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename_all = "snake_case"))]
pub enum Purpose {
    /// A picture of a post, of at most ten megabytes.
    Post,
    /// The photo of a profile, of at most five megabytes.
    Photo,
}

named!(Purpose { Post = "post", Photo = "photo" });

/// A file that is on the disk and has no row yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFile {
    pub role: Role,
    /// Below `media/`.
    pub full_path: String,
    pub size_bytes: u64,
    pub content_type: &'static str,
}

/// A picture that can become part of a post or a profile. It is checked, encoded again and on the disk.
#[derive(Clone, Debug)]
pub struct ReadyPicture {
    pub width: u32,
    pub height: u32,
    pub thumbhash: Vec<u8>,
    pub files: Vec<NewFile>,
    /// While a clone of this exists, the files are not deleted.
    pub hold: Arc<()>,
}

impl ReadyPicture {
    /// Returns the file of a role.
    #[must_use]
    pub fn file(&self, role: Role) -> Option<&NewFile> {
        self.files.iter().find(|file| file.role == role)
    }
}

/// A file that has a row.
#[derive(Clone, Debug)]
pub struct KeptFile {
    pub id: i64,
    /// The address of the file.
    pub url: String,
}

/// Returns the address of a file with this path and token.
#[must_use]
pub fn url(full_path: &str, token: &str) -> String {
    let mut url = String::with_capacity(full_path.len() + token.len() + 16);
    url.push_str("/media/");
    for byte in full_path.bytes() {
        // Unreserved characters (RFC 3986, 2.3) and the slash stay. All others are percent-encoded.
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            url.push(char::from(byte));
        } else {
            url.push_str(&format!("%{byte:02X}"));
        }
    }
    url.push_str("?token=");
    url.push_str(token);
    url
}

/// Returns a fresh token.
///
/// # Errors
/// A fault if the system has no random bytes.
pub fn new_token() -> Result<String, Error> {
    Ok(URL_SAFE_NO_PAD.encode(random::<FILE_TOKEN_BYTES>()?))
}

/// Arguments: 1 path, 2 name, 3 owner, 4 size in bytes, 5 content type, 6 role, 7 token, 8 the time.
const KEEP: &str =
    "insert into files (full_path, name, owner_id, size_bytes, content_type, custom_metadata, token,
                            created_at_ms, updated_at_ms)
           select ?1, ?2, ?3, ?4, ?5, json_object('role', ?6), ?7, ?8, ?8
            where not exists (select 1 from doomed_files where full_path = ?1)
               on conflict (full_path) do nothing returning id";

/// Writes the row of a file.
///
/// # Errors
/// [`Refusal::UploadGone`] if the file already belongs to something, or did and will be deleted; a database fault.
pub fn keep(
    sql: Sql<'_>,
    owner_id: UserId,
    file: &NewFile,
    token: &str,
    now_ms: i64,
) -> Result<KeptFile, Error> {
    let name = file.full_path.rsplit('/').next().unwrap_or_default();
    let size_bytes = i64::try_from(file.size_bytes).unwrap_or(i64::MAX);
    let id: Option<i64> = sql.optional_value(
        KEEP,
        (&file.full_path, name, owner_id, size_bytes, file.content_type, file.role.word(), token, now_ms),
    )?;
    let id = id.ok_or(Refusal::UploadGone)?;
    Ok(KeptFile { id, url: url(&file.full_path, token) })
}

/// A file that may be sent.
#[derive(Debug, PartialEq, Eq)]
pub struct Sendable {
    pub id: i64,
    pub content_type: String,
    pub updated_at_ms: i64,
}

/// Reads a file by its path, and the post or the profile that it belongs to, for a viewer. This is a macro, so that a
/// test can read its query plan.
macro_rules! find_sql {
    () => {
        concat!(
            "select f.id, f.content_type, f.updated_at_ms, f.token, p.author_id, p.audience, p.group_id, ",
            $crate::authz::sql::is_member!("p", "?2"),
            " as is_member, h.user_id as photo_of, ",
            $crate::authz::sql::may_meet!("coalesce(p.author_id, h.user_id, 0)", "?2"),
            " as may_meet
               from files f
               left join pictures i on i.screen_file_id = f.id or i.card_file_id = f.id or i.motion_file_id = f.id
               left join posts p on p.id = i.post_id and ",
            $crate::authz::sql::is_there!("p"),
            "
               left join photos h on h.screen_file_id = f.id or h.card_file_id = f.id
              where f.full_path = ?1"
        )
    };
}
#[cfg(test)]
pub(crate) use find_sql;

struct Row {
    file: Sendable,
    token: String,
    author_id: Option<UserId>,
    audience: Option<String>,
    group_id: Option<GroupId>,
    is_member: bool,
    /// Whether the viewer may meet the author, or the user on the photo.
    may_meet: bool,
    photo_of: Option<UserId>,
}

impl TryFrom<&rusqlite::Row<'_>> for Row {
    type Error = rusqlite::Error;

    fn try_from(row: &rusqlite::Row<'_>) -> Result<Self, Self::Error> {
        Ok(Self {
            file: row.try_into()?,
            token: row.get("token")?,
            author_id: row.get("author_id")?,
            audience: row.get("audience")?,
            group_id: row.get("group_id")?,
            is_member: row.get("is_member")?,
            may_meet: row.get("may_meet")?,
            photo_of: row.get("photo_of")?,
        })
    }
}
from_row!(Sendable { id, content_type, updated_at_ms });

impl Row {
    /// Returns whether the token is that of the file and the viewer may fetch the file now.
    fn may_be_sent(&self, viewer: Viewer, token: &str) -> bool {
        let facts = self.author_id.zip(self.audience.as_deref()).map(|(author_id, word)| PostFacts {
            author_id,
            may_meet: self.may_meet,
            audience: Audience::kept(word, self.group_id).fact(self.is_member),
        });
        // The comparison takes constant time, so that its duration reveals nothing about the token.
        let same = self.token.len() == token.len()
            && self.token.bytes().zip(token.bytes()).fold(0, |odd, (a, b)| odd | (a ^ b)) == 0;
        let may_see_photo = self.photo_of.is_some() && authz::may_see_profile(viewer, self.may_meet);
        same && (may_see_photo || facts.is_some_and(|facts| authz::may_see_post(viewer, &facts)))
    }
}

/// Returns the file at a path, if the token is that of the file and the viewer may fetch it now.
///
/// # Errors
/// A database fault.
pub fn find(sql: Sql<'_>, viewer: Viewer, full_path: &str, token: &str) -> Result<Option<Sendable>, Error> {
    let row: Option<Row> = sql.optional_row(find_sql!(), (full_path, viewer.user_id()))?;
    Ok(row.filter(|row| row.may_be_sent(viewer, token)).map(|row| row.file))
}

/// Returns the bytes of all files of a user.
///
/// # Errors
/// A database fault.
pub fn bytes_of(sql: Sql<'_>, owner_id: UserId) -> Result<u64, Error> {
    let bytes: i64 =
        sql.value("select coalesce(sum(size_bytes), 0) from files where owner_id = ?1", (owner_id,))?;
    Ok(u64::try_from(bytes).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_in_an_address_are_percent_encoded() {
        let url = url("posts/7/17_0_Über mir?#&.jpg", "abc");
        assert_eq!(url, "/media/posts/7/17_0_%C3%9Cber%20mir%3F%23%26.jpg?token=abc");
    }
}
