//! Uploads of users: sending, publishing and fetching them, and the files in the server's folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::http;
use super::person::{Person, post};
use super::server::TestServer;
use super::value::{hex, key};

/// The number of bytes in a chunk.
pub const CHUNK: usize = 64 * 1024;

/// The fields that begin an upload.
pub fn begin(upload: &Value, name: &str, size_bytes: usize) -> Value {
    json!({ "upload": upload, "name": name, "size_bytes": size_bytes, "content_type": "image/jpeg", "index": 0 })
}

/// The fields that begin the upload of a photo.
pub fn begin_photo(upload: &Value, name: &str, size_bytes: usize) -> Value {
    let mut fields = begin(upload, name, size_bytes);
    fields["purpose"] = json!("photo");
    fields
}

/// Returns the fields that set an upload as the profile photo.
pub fn photo(upload: &Value) -> Value {
    json!({ "key": key(), "upload": upload })
}

/// The fields of a chunk.
pub fn chunk(upload: &Value, offset: usize, bytes: &[u8]) -> Value {
    json!({ "upload": upload, "offset": offset, "bytes": { "$bin": hex(bytes) } })
}

/// Returns the fields of the chunk of a file at this offset.
pub fn chunk_at(upload: &Value, bytes: &[u8], offset: usize) -> Value {
    chunk(upload, offset, &bytes[offset..bytes.len().min(offset + CHUNK)])
}

/// Returns the fields of a post with pictures. Each picture is the id of its upload and its description.
pub fn post_with_pictures(text: &str, pictures: &[(&Value, &str)]) -> Value {
    let mut fields = post(text);
    fields["pictures"] =
        pictures.iter().map(|(upload, alt)| json!({ "upload": upload, "alt": alt })).collect();
    fields
}

impl Person {
    /// Uploads a whole picture and commits it. Returns the id of the upload.
    pub async fn uploads(&self, name: &str, bytes: &[u8]) -> Value {
        let upload = key();
        self.sends_picture(&upload, name, bytes).await;
        self.commits(&upload).await;
        upload
    }

    /// Begins an upload and sends the whole picture.
    pub async fn sends_picture(&self, upload: &Value, name: &str, bytes: &[u8]) {
        self.asks("uploads.begin", begin(upload, name, bytes.len())).await;
        self.sends_from(upload, bytes, 0).await;
    }

    /// Uploads a whole photo and commits it. Returns the id of the upload.
    pub async fn uploads_photo(&self, name: &str, bytes: &[u8]) -> Value {
        let upload = key();
        self.asks("uploads.begin", begin_photo(&upload, name, bytes.len())).await;
        self.sends_from(&upload, bytes, 0).await;
        self.commits(&upload).await;
        upload
    }

    /// Sets a new profile photo. Returns the profile.
    pub async fn changes_photo(&self, bytes: &[u8]) -> Value {
        let upload = self.uploads_photo("me.jpg", bytes).await;
        self.asks("profiles.set_photo", photo(&upload)).await["profile"].clone()
    }

    /// Sends the rest of a picture.
    pub async fn sends_from(&self, upload: &Value, bytes: &[u8], from: usize) {
        let mut held = from;
        while held < bytes.len() {
            let ok = self.asks("uploads.chunk", chunk_at(upload, bytes, held)).await;
            held = usize::try_from(ok["offset"].as_u64().unwrap()).unwrap();
        }
    }

    pub async fn commits(&self, upload: &Value) -> Value {
        self.asks("uploads.commit", json!({ "upload": upload })).await
    }

    pub async fn cancels(&self, upload: &Value) {
        self.asks("uploads.cancel", json!({ "upload": upload })).await;
    }

    /// Publishes a text with uploaded pictures. Returns the post.
    pub async fn posts_with_pictures(&self, text: &str, pictures: &[(&Value, &str)]) -> Value {
        self.asks("posts.create", post_with_pictures(text, pictures)).await["post"].clone()
    }

    /// Uploads and publishes one picture. Returns the post.
    pub async fn posts_picture(&self, text: &str) -> Value {
        let upload = self.uploads("tree.jpg", &super::picture::jpeg(8, 6)).await;
        self.posts_with_pictures(text, &[(&upload, "A tree.")]).await
    }

    /// Fetches a stored file, as a page does.
    pub async fn fetches(&self, url: &str) -> http::Response {
        self.fetches_with("GET", url, &[]).await
    }

    pub async fn fetches_with(&self, method: &str, url: &str, more: &[(&str, &str)]) -> http::Response {
        let cookie = format!("mellow={}", self.cookie);
        let headers = [&[("Cookie", cookie.as_str())], more].concat();
        http::ask(self.at, method, url, &headers, "").await
    }
}

/// Returns the addresses of a post's pictures.
pub fn urls(post: &Value) -> Vec<String> {
    let pictures = post["pictures"].as_array().unwrap().iter();
    let each = |picture: &Value| {
        ["url", "card_url", "motion_url"].map(|name| picture[name].as_str().map(str::to_owned))
    };
    pictures.flat_map(each).flatten().collect()
}

/// Returns the addresses of a profile's photo: the larger size and the small one.
pub fn photo_urls(profile: &Value) -> [String; 2] {
    [&profile["photo"]["url"], &profile["photo_url"]].map(|url| url.as_str().unwrap().to_owned())
}

/// Returns the path of a file inside the media folder, by its address.
pub fn path_of(url: &str) -> String {
    let path = url.strip_prefix("/media/").unwrap().split('?').next().unwrap();
    let mut out = Vec::new();
    let mut rest = path.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first == b'%' {
            let (digits, after) = rest.split_at(2);
            out.push(u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap());
            rest = after;
        } else {
            out.push(*first);
        }
    }
    String::from_utf8(out).unwrap()
}

/// Returns the relative path of every file in a folder and its subfolders, except the control socket.
pub fn files_below(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&next) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.is_file() {
                found.insert(path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found
}

impl TestServer {
    pub fn media(&self) -> PathBuf {
        self.folder().join("media")
    }

    /// Returns the path of every stored file, inside the media folder.
    pub fn stored(&self) -> BTreeSet<String> {
        let all = files_below(&self.media());
        all.into_iter()
            .filter(|path| !path.starts_with(".incoming/") && !path.starts_with(".imports/"))
            .collect()
    }

    /// Returns the number of files in the folder for incoming uploads.
    pub fn incoming(&self) -> usize {
        files_below(&self.media().join(".incoming")).len()
    }

    /// Returns the paths of all files that have a row.
    pub fn rows(&self) -> BTreeSet<String> {
        let database = self.look();
        let mut rows = database.prepare("select full_path from files").unwrap();
        rows.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    pub fn count(&self, sql: &str) -> i64 {
        self.look().query_row(sql, [], |row| row.get(0)).unwrap()
    }
}
