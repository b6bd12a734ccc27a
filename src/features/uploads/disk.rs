//! The media folder: the places of incoming and stored files, and how a file moves from one to the other.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::rules::{PHOTOS, POSTS};
use crate::error::Refusal;
use crate::limits::ORPHAN_AGE_MS_MIN;
use crate::model::files::{NewFile, ReadyPicture, Role};
use crate::pictures::Rendered;

/// The folder of incoming files, below the media folder. A file stays there until it is rendered or gets its final
/// name.
pub const INCOMING: &str = ".incoming";

/// Returns the folders of users with files, by their paths below the media folder.
pub fn people(media: &Path) -> io::Result<Vec<String>> {
    let mut people = Vec::new();
    for root in [POSTS, PHOTOS] {
        let folders = match std::fs::read_dir(media.join(root)) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => continue,
            folders => folders?,
        };
        for folder in folders {
            let folder = folder?;
            // Mellow makes only folders here, so anything else is ignored.
            if let (true, Some(name)) = (folder.file_type()?.is_dir(), folder.file_name().to_str()) {
                people.push(format!("{root}/{name}"));
            }
        }
    }
    Ok(people)
}

/// Returns the files of a folder that are older than an hour, by their paths below the media folder.
pub fn old_files(media: &Path, folder: &str) -> io::Result<Vec<String>> {
    let least = Duration::from_millis(u64::try_from(ORPHAN_AGE_MS_MIN).unwrap_or(0));
    let mut found = Vec::new();
    for file in std::fs::read_dir(media.join(folder))? {
        let file = file?;
        // A file that was removed meanwhile is skipped.
        let Ok(modified) = file.metadata().and_then(|metadata| metadata.modified()) else { continue };
        let is_old = modified.elapsed().is_ok_and(|age| age > least);
        if let (true, Some(name)) = (is_old, file.file_name().to_str()) {
            found.push(format!("{folder}/{name}"));
        }
    }
    Ok(found)
}

/// Syncs the names in a folder, or the bytes of a file, to disk.
pub fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Writes the files of a picture. Each is first written to the incoming folder and synced, and then moved to its final
/// name. At the end the folders are synced. If a step fails, no file stays.
pub fn store_rendered(media: &Path, stem: &str, rendered: Rendered) -> io::Result<ReadyPicture> {
    let Rendered { width, height, thumbhash, screen, card, motion } = rendered;
    let parts = [
        (Role::Screen, "jpg", "image/jpeg", Some(screen)),
        (Role::Card, "card.jpg", "image/jpeg", Some(card)),
        (Role::Motion, "motion.gif", "image/gif", motion),
    ];
    let mut written = Written::default();
    let mut files = Vec::new();
    for (role, ending, content_type, bytes) in parts {
        let Some(bytes) = bytes else { continue };
        let full_path = format!("{stem}.{ending}");
        written.store(media, &full_path, &bytes)?;
        files.push(NewFile { role, full_path, size_bytes: bytes.len() as u64, content_type });
    }
    // The names are synced too, in the folder of the files and in the folders above it, which may be new.
    let folder = media.join(stem);
    for folder in folder.ancestors().skip(1).take_while(|folder| folder.starts_with(media)) {
        sync(folder)?;
    }
    written.paths.clear();
    Ok(ReadyPicture { width, height, thumbhash, files, hold: Arc::new(()) })
}

/// Files that are removed when this is dropped, unless all of them were stored.
#[derive(Default)]
struct Written {
    paths: Vec<PathBuf>,
}

impl Written {
    fn store(&mut self, media: &Path, full_path: &str, bytes: &[u8]) -> io::Result<()> {
        let target = media.join(full_path);
        if let Some(folder) = target.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let waiting = media.join(INCOMING).join(full_path.replace('/', "-"));
        self.paths.push(waiting.clone());
        std::fs::write(&waiting, bytes)?;
        sync(&waiting)?;
        if target.exists() {
            // This is the file of another upload, made before the clock was set back, and is never overwritten.
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.paths.push(target.clone());
        std::fs::rename(&waiting, &target)
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        for path in &self.paths {
            match std::fs::remove_file(path) {
                Err(why) if why.kind() != io::ErrorKind::NotFound => {
                    log::warn!(
                        "an incomplete picture could not be removed; the daily sweep tries again: {why}"
                    );
                }
                _ => {}
            }
        }
    }
}

pub async fn remove(path: PathBuf) {
    let removed = on_disk(move || match std::fs::remove_file(path) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    });
    if let Err(why) = removed.await {
        log::warn!("an incomplete upload could not be removed; the next start tries again: {why:?}");
    }
}

/// Runs a function that uses the disk on a blocking thread, not on the threads of actors.
pub async fn on_disk<T: Send + 'static>(
    act: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Refusal> {
    match tokio::task::spawn_blocking(act).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(why)) if matches!(why.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => {
            Err(Refusal::StorageFull)
        }
        Ok(Err(why)) => {
            log::error!("a file could not be read or written: {why}");
            Err(Refusal::Fault)
        }
        Err(why) => {
            log::error!("a thread for the disk ended early: {why}");
            Err(Refusal::Fault)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered() -> Rendered {
        Rendered {
            width: 4,
            height: 3,
            thumbhash: vec![1; 8],
            screen: vec![1],
            card: vec![2],
            motion: Some(vec![3]),
        }
    }

    fn all_files(folder: &Path) -> Vec<String> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                found.extend(all_files(&entry.path()));
            } else {
                found.push(entry.file_name().into_string().unwrap());
            }
        }
        found.sort();
        found
    }

    #[test]
    fn a_picture_is_stored_whole_or_not_at_all() {
        let media = tempfile::tempdir().unwrap();
        std::fs::create_dir(media.path().join(INCOMING)).unwrap();
        let stored = store_rendered(media.path(), "posts/7/1_0_a", rendered()).unwrap();
        assert_eq!(stored.files.len(), 3);
        assert_eq!(all_files(media.path()), ["1_0_a.card.jpg", "1_0_a.jpg", "1_0_a.motion.gif"]);
        // A folder has the name of the third file.
        std::fs::create_dir_all(media.path().join("posts/7/2_0_b.motion.gif")).unwrap();
        assert!(store_rendered(media.path(), "posts/7/2_0_b", rendered()).is_err());
        assert_eq!(all_files(media.path()).len(), 3, "what was there, and nothing else");
    }

    #[test]
    fn an_existing_file_is_never_overwritten() {
        let media = tempfile::tempdir().unwrap();
        std::fs::create_dir(media.path().join(INCOMING)).unwrap();
        store_rendered(media.path(), "posts/7/1_0_a", rendered()).unwrap();
        let other = Rendered { screen: vec![9], ..rendered() };
        let refused = store_rendered(media.path(), "posts/7/1_0_a", other);
        assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(media.path().join("posts/7/1_0_a.jpg")).unwrap(), [1]);
        assert_eq!(all_files(media.path()).len(), 3);
    }
}
