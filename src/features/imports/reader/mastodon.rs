//! The posts of an archive of Mastodon: activities of ActivityStreams (W3C), the oldest first.

use std::fmt;
use std::io::Read;

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::collect::{PictureThere, PicturesThere, PostThere};
use super::json::{Each, EachText, Text};
use super::{Reason, html};
use crate::limits::IMPORT_WORDS_BYTES_MAX;
use crate::text;

/// The names for everybody among the recipients of a post.
const EVERYBODY: [&str; 3] = ["https://www.w3.org/ns/activitystreams#Public", "as:Public", "Public"];
/// The folder of pictures. On some servers the address of a picture has more in front of it.
const MEDIA: &str = "media_attachments/";
/// The content note of a post that is marked as sensitive without one (D-W3).
const SENSITIVE: &str = "Sensitive";

/// An item of the file: a post that was written, or one that was shared.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Activity {
    #[serde(rename = "type")]
    kind: Text,
    actor: Text,
    to: ForEverybody,
    cc: ForEverybody,
    object: Object,
}

/// A post. If the object of an activity is only an address, it is empty.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Note {
    #[serde(rename = "type")]
    kind: Text,
    id: Text,
    to: ForEverybody,
    cc: ForEverybody,
    in_reply_to: Text,
    one_of: Option<IgnoredAny>,
    any_of: Option<IgnoredAny>,
    published: Text,
    updated: Text,
    summary: Text,
    sensitive: Text,
    content: Text,
    content_map: Text,
    tag: FirstHashtag,
    attachment: Pictures,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NamedTag {
    #[serde(rename = "type")]
    kind: Text,
    name: Text,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Attachment {
    media_type: Text,
    url: Text,
    name: Text,
}

/// Whether everybody is among the recipients.
#[derive(Default)]
struct ForEverybody(bool);

impl<'de> Deserialize<'de> for ForEverybody {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        let mut is_there = false;
        value.deserialize_any(EachText(&mut |name: &str| is_there |= EVERYBODY.contains(&name)))?;
        Ok(Self(is_there))
    }
}

#[derive(Default)]
struct Object(Note);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        let mut object = Note::default();
        value.deserialize_any(Each::<Note>(&mut |note| {
            object = note;
            true
        }))?;
        Ok(Self(object))
    }
}

#[derive(Default)]
struct FirstHashtag(Option<String>);

impl<'de> Deserialize<'de> for FirstHashtag {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        let mut first = None;
        value.deserialize_any(Each::<NamedTag>(&mut |tag| {
            if first.is_none() && tag.kind.is("Hashtag") {
                first = tag.name.0;
            }
            true
        }))?;
        Ok(Self(first))
    }
}

/// The pictures among the attachments. Video and sound are left out (D-W3).
#[derive(Default)]
struct Pictures(PicturesThere);

impl<'de> Deserialize<'de> for Pictures {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        let mut pictures = PicturesThere::default();
        value.deserialize_any(Each::<Attachment>(&mut |attachment| {
            let is_picture = attachment.media_type.0.is_some_and(|kind| kind.starts_with("image/"));
            if is_picture {
                let name = attachment.url.0.as_deref().and_then(file);
                pictures.add(PictureThere { files: [name, None], description: attachment.name.0 });
            }
            true
        }))?;
        Ok(Self(pictures))
    }
}

/// Returns the name in the archive of the file at an address.
fn file(address: &str) -> Option<String> {
    let path = address.split(['?', '#']).next()?;
    path.find(MEDIA).map(|at| path[at..].to_owned())
}

/// Gives each post of the file to `take`, until it returns false.
///
/// # Errors
/// The file is not read to its end.
pub fn read(json: impl Read, take: &mut dyn FnMut(PostThere) -> bool) -> Result<(), serde_json::Error> {
    let mut json = serde_json::Deserializer::from_reader(json);
    json.deserialize_map(Outbox(&mut |activity| post_there(activity).is_none_or(&mut *take)))?;
    json.end()
}

/// Gives each activity of the file.
struct Outbox<'a>(&'a mut dyn FnMut(Activity) -> bool);

#[derive(Deserialize)]
#[serde(field_identifier)]
enum Key {
    #[serde(rename = "orderedItems")]
    Items,
    #[serde(other)]
    Other,
}

impl<'de> Visitor<'de> for Outbox<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an outbox")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut file: A) -> Result<(), A::Error> {
        let mut has_items = false;
        while let Some(key) = file.next_key::<Key>()? {
            match key {
                Key::Items => {
                    file.next_value_seed(Each::<Activity>(&mut *self.0))?;
                    has_items = true;
                }
                Key::Other => {
                    file.next_value::<IgnoredAny>()?;
                }
            }
        }
        if has_items { Ok(()) } else { Err(A::Error::missing_field("orderedItems")) }
    }
}

/// Returns the post of an activity; None if the activity is another one, such as a deletion.
fn post_there(activity: Activity) -> Option<PostThere> {
    let Object(note) = activity.object;
    let reason = match activity.kind.0.as_deref()? {
        "Create" if !(note.to.0 || note.cc.0) => Some(Reason::NotPublicThere),
        "Create" if is_reply(&note, activity.actor.0.as_deref()) => Some(Reason::Reply),
        "Create" if note.kind.is("Question") || note.one_of.is_some() || note.any_of.is_some() => {
            Some(Reason::Poll)
        }
        "Create" => None,
        "Announce" if !(activity.to.0 || activity.cc.0) => Some(Reason::NotPublicThere),
        "Announce" => Some(Reason::Share),
        _ => return None,
    };
    if reason.is_some() {
        return Some(PostThere { reason, ..PostThere::default() });
    }
    let is_sensitive = note.sensitive.is("true");
    let summary = note.summary.0.filter(|summary| !text::is_blank(summary));
    let content = note.content.0.or(note.content_map.0).unwrap_or_default();
    Some(PostThere {
        reason: None,
        id: note.id.0.unwrap_or_default(),
        written_at: note.published.0.unwrap_or_default(),
        edited_at: note.updated.0.unwrap_or_default(),
        title: None,
        // Longer words are too long as they are.
        text: if content.len() > IMPORT_WORDS_BYTES_MAX { content } else { html::text(&content) },
        tag: note.tag.0,
        note: summary.or_else(|| is_sensitive.then(|| SENSITIVE.to_owned())),
        pictures: note.attachment.0,
    })
}

/// Returns whether a post answers somebody else. The address of a post begins with that of its author.
fn is_reply(note: &Note, author: Option<&str>) -> bool {
    let is_own = |address: &str| {
        author.and_then(|author| address.strip_prefix(author)).is_some_and(|rest| rest.starts_with('/'))
    };
    note.in_reply_to.0.as_deref().is_some_and(|address| !is_own(address))
}
