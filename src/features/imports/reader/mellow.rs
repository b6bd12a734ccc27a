//! The posts of an archive of Mellow, as [`posts::store::ARCHIVE`](crate::features::posts::store::ARCHIVE) writes them.
//! Fields that an older Mellow did not have yet may be absent.

use std::io::Read;

use serde::{Deserialize, Deserializer};

use super::Reason;
use super::collect::{PictureThere, PicturesThere, PostThere};
use super::json::{Each, Text};

/// A row of the file.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Row {
    id: Text,
    title: Text,
    text: Text,
    tag: Text,
    content_note: Text,
    audience: Text,
    written_at: Text,
    edited_at: Text,
    pictures: Pictures,
}

/// A picture of a row.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Picture {
    file: Text,
    moving_file: Text,
    alt: Text,
}

#[derive(Default)]
struct Pictures(PicturesThere);

impl<'de> Deserialize<'de> for Pictures {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        let mut pictures = PicturesThere::default();
        value.deserialize_any(Each::<Picture>(&mut |picture| {
            let files = [picture.moving_file.0, picture.file.0];
            pictures.add(PictureThere { files, description: picture.alt.0 });
            true
        }))?;
        Ok(Self(pictures))
    }
}

/// Gives each post of the file to `take`, until it returns false.
///
/// # Errors
/// The file is not read to its end.
pub fn read(json: impl Read, take: &mut dyn FnMut(PostThere) -> bool) -> Result<(), serde_json::Error> {
    let mut json = serde_json::Deserializer::from_reader(json);
    json.deserialize_seq(Each::<Row>(&mut |row| take(post_there(row))))?;
    json.end()
}

fn post_there(row: Row) -> PostThere {
    // Before there were groups, all posts were public.
    let is_public = row.audience.0.is_none_or(|audience| audience == "public");
    PostThere {
        reason: (!is_public).then_some(Reason::NotPublicThere),
        id: row.id.0.unwrap_or_default(),
        written_at: row.written_at.0.unwrap_or_default(),
        edited_at: row.edited_at.0.unwrap_or_default(),
        title: row.title.0,
        text: row.text.0.unwrap_or_default(),
        tag: row.tag.0,
        note: row.content_note.0,
        pictures: row.pictures.0,
    }
}
