//! The media folder: where files wait, where they stand, and how they get from one to the other.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::error::Refusal;
use crate::features::files::{NewFile, ReadyPicture, Role};
use crate::limits::ORPHAN_AGE_MS_MIN;
use crate::pictures::Rendered;

/// Where files wait, below the media folder, until they are judged or named.
pub const INCOMING: &str = ".incoming";
/// Where the pictures of posts are, below the media folder.
pub const POSTS: &str = "posts";

/// Returns the files that are older than an hour, by their paths below the media folder.
pub fn old_files(media: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    add_old_files(media, INCOMING, &mut found)?;
    let people = match std::fs::read_dir(media.join(POSTS)) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(found),
        people => people?,
    };
    for person in people {
        let person = person?;
        if !person.file_type()?.is_dir() {
            // Not ours: something the host's own machine left there.
            continue;
        }
        if let Some(person) = person.file_name().to_str() {
            add_old_files(media, &format!("{POSTS}/{person}"), &mut found)?;
        }
    }
    Ok(found)
}

fn add_old_files(media: &Path, folder: &str, found: &mut Vec<String>) -> io::Result<()> {
    let least = Duration::from_millis(u64::try_from(ORPHAN_AGE_MS_MIN).unwrap_or(0));
    for file in std::fs::read_dir(media.join(folder))? {
        let file = file?;
        // One that goes meanwhile needs no removing.
        let Ok(modified) = file.metadata().and_then(|metadata| metadata.modified()) else { continue };
        let is_old = modified.elapsed().is_ok_and(|age| age > least);
        if let (true, Some(name)) = (is_old, file.file_name().to_str()) {
            found.push(format!("{folder}/{name}"));
        }
    }
    Ok(())
}

/// Writes a picture's files: each elsewhere first, synced, then named, then its folder synced.
pub fn store_rendered(media: &Path, stem: &str, rendered: Rendered) -> io::Result<ReadyPicture> {
    let folder = media.join(stem).parent().map(Path::to_path_buf).unwrap_or_else(|| media.to_path_buf());
    std::fs::create_dir_all(&folder)?;
    let parts = [
        (Role::Screen, "jpg", "image/jpeg", Some(rendered.screen)),
        (Role::Card, "card.jpg", "image/jpeg", Some(rendered.card)),
        (Role::Motion, "motion.gif", "image/gif", rendered.motion),
    ];
    let mut files = Vec::new();
    for (role, ending, content_type, bytes) in parts {
        let Some(bytes) = bytes else { continue };
        let full_path = format!("{stem}.{ending}");
        let waiting = media.join(INCOMING).join(full_path.replace('/', "-"));
        std::fs::write(&waiting, &bytes)?;
        File::open(&waiting)?.sync_all()?;
        std::fs::rename(&waiting, media.join(&full_path))?;
        files.push(NewFile { role, full_path, size_bytes: bytes.len() as u64, content_type });
    }
    // The names, too: the folder's own, and those above it that may be new.
    for folder in folder.ancestors().take_while(|folder| folder.starts_with(media)) {
        File::open(folder)?.sync_all()?;
    }
    Ok(ReadyPicture {
        width: rendered.width,
        height: rendered.height,
        thumbhash: rendered.thumbhash,
        files,
        hold: Arc::new(()),
    })
}

pub async fn remove(path: PathBuf) {
    let removed = on_disk(move || match std::fs::remove_file(path) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    });
    if let Err(why) = removed.await {
        log::warn!("a file on its way in stays until the next start: {why:?}");
    }
}

/// Does something with the disk away from the actors' threads.
pub async fn on_disk<T: Send + 'static>(
    act: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Refusal> {
    match tokio::task::spawn_blocking(act).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(why)) if matches!(why.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => {
            Err(Refusal::StorageFull)
        }
        Ok(Err(why)) => {
            log::error!("the disk refuses a picture: {why}");
            Err(Refusal::Fault)
        }
        Err(why) => {
            log::error!("a thread for the disk ended early: {why}");
            Err(Refusal::Fault)
        }
    }
}
