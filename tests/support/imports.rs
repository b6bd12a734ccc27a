//! Imports of users: archives, and what becomes of them.

#[path = "../../src/features/imports/reader/testing.rs"]
pub mod zips;

use std::io::{Cursor, Write};

use serde_json::{Value, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::person::Person;
use super::server::TestServer;
use super::uploads::{CHUNK, files_below};
use super::value::{hex, key};

/// Returns a zip of these files.
pub fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, content) in files {
        zip.start_file(*name, options).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Returns an archive of Mellow with these posts and pictures.
pub fn archive(posts: &[Value], pictures: &[(&str, &[u8])]) -> Vec<u8> {
    let posts = serde_json::to_vec(posts).unwrap();
    zipped(&[&[("posts.json", &posts[..])][..], pictures].concat())
}

/// Returns an archive of Mastodon with these activities and pictures.
pub fn mastodon(activities: &[Value], pictures: &[(&str, &[u8])]) -> Vec<u8> {
    let outbox = json!({ "type": "OrderedCollection", "orderedItems": activities }).to_string();
    zipped(&[&[("outbox.json", outbox.as_bytes())][..], pictures].concat())
}

/// Returns an activity of an archive of Mastodon: a post for everybody. `actor` is the address of its author.
pub fn activity(actor: &str, id: i64, text: &str, written_at: &str) -> Value {
    let everybody = "https://www.w3.org/ns/activitystreams#Public";
    let note = json!({
        "id": format!("{actor}/statuses/{id}"), "type": "Note", "content": format!("<p>{text}</p>"),
        "published": written_at, "to": [everybody], "cc": [format!("{actor}/followers")], "inReplyTo": null,
        "summary": null, "sensitive": false, "attachment": [], "tag": [],
    });
    json!({ "type": "Create", "actor": actor, "object": note })
}

/// Returns a post of an archive of Mellow.
pub fn written(id: i64, text: &str, written_at: &str) -> Value {
    json!({
        "id": id, "title": null, "text": text, "tag": null, "content_note": null, "audience": "public", "group": null,
        "written_at": written_at, "edited_at": null, "comments": 0, "positive_vibes": 0, "pictures": [],
    })
}

/// Returns so many posts of an archive of Mellow, one for each hour of 2019.
pub fn many(count: i64) -> Vec<Value> {
    let post = |number: i64| {
        let (day, hour) = (number / 24, number % 24);
        let at = format!("2019-{:02}-{:02}T{hour:02}:00:00Z", 1 + day / 28, 1 + day % 28);
        written(1_000 + number, &format!("old {number}"), &at)
    };
    (0..count).map(post).collect()
}

/// The fields that begin an import.
pub fn begin(size_bytes: usize) -> Value {
    json!({ "key": key(), "size_bytes": size_bytes })
}

/// The fields of a chunk.
pub fn chunk(import_id: i64, offset: usize, bytes: &[u8]) -> Value {
    json!({ "import_id": import_id, "offset": offset, "bytes": { "$bin": hex(bytes) } })
}

/// The fields of a request about an import.
pub fn about(import_id: i64) -> Value {
    json!({ "key": key(), "import_id": import_id })
}

impl Person {
    /// Sends a whole file. Returns the id of the import.
    pub async fn sends_archive(&self, bytes: &[u8]) -> i64 {
        let id = self.asks("imports.begin", begin(bytes.len())).await["id"].as_i64().unwrap();
        self.sends_rest_of_archive(id, bytes, 0).await;
        id
    }

    /// Sends the rest of a file.
    pub async fn sends_rest_of_archive(&self, id: i64, bytes: &[u8], from: usize) {
        let mut held = from;
        while held < bytes.len() {
            let piece = &bytes[held..bytes.len().min(held + CHUNK)];
            let ok = self.asks("imports.chunk", chunk(id, held, piece)).await;
            held = usize::try_from(ok["offset"].as_u64().unwrap()).unwrap();
        }
    }

    /// Sends a file and has it read. Returns the import, whose phase is the preview.
    pub async fn previews(&self, bytes: &[u8]) -> Value {
        let id = self.sends_archive(bytes).await;
        self.asks("imports.read", about(id)).await;
        let is_shown = |event: &Value| event["current"]["phase"] == "preview" && event["current"]["id"] == id;
        self.socket.receives_where("imports.changed", is_shown).await["current"].clone()
    }

    /// Sends a file that is refused. Returns why.
    pub async fn is_refused_archive(&self, bytes: &[u8]) -> String {
        let id = self.sends_archive(bytes).await;
        self.asks("imports.read", about(id)).await;
        let ended = self.sees_import_end(id).await;
        assert_eq!(ended["result"], "refused", "{ended}");
        ended["refusal"].as_str().unwrap().to_owned()
    }

    /// Begins to import the posts of a preview, for everybody.
    pub async fn starts_import(&self, id: i64) {
        self.starts_import_for(id, json!({ "type": "public" })).await;
    }

    pub async fn starts_import_for(&self, id: i64, audience: Value) {
        let fields = json!({ "key": key(), "import_id": id, "audience": audience });
        self.asks("imports.start", fields).await;
    }

    /// Waits for the end of an import. Returns how it ended.
    pub async fn sees_import_end(&self, id: i64) -> Value {
        let ends = |event: &Value| event["ended"]["id"] == id;
        self.socket.receives_where("imports.changed", ends).await["ended"].clone()
    }

    /// Imports all posts of a file for everybody. Returns the id of the import.
    pub async fn imports(&self, bytes: &[u8]) -> i64 {
        let id = self.previews(bytes).await["id"].as_i64().unwrap();
        self.starts_import(id).await;
        assert_eq!(self.sees_import_end(id).await["result"], "done");
        id
    }

    pub async fn reads_imports(&self) -> Value {
        self.asks("imports.list", json!({})).await
    }

    /// Reads all posts of somebody, page by page.
    pub async fn reads_all_posts_of(&self, other: &Self) -> Vec<Value> {
        let (mut posts, mut before, mut at) = (Vec::new(), Value::Null, Value::Null);
        loop {
            let fields = json!({ "user_id": other.id, "before": before, "before_at_ms": at });
            let page = self.asks("posts.by_author", fields).await;
            posts.extend(page["posts"].as_array().unwrap().iter().cloned());
            if page["older"].is_null() {
                return posts;
            }
            (before, at) = (page["older"].clone(), page["older_at_ms"].clone());
        }
    }
}

impl TestServer {
    /// Returns the number of files of imports.
    pub fn import_files(&self) -> usize {
        files_below(&self.media().join(".imports")).len()
    }
}
