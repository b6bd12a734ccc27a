//! The files of imports, in a folder of their own below the media folder. A file has the id of its import as its name, and
//! its length is the number of received bytes, so that an upload goes on after a restart.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use bytes::Bytes;
use tokio::sync::{Mutex, Notify};

use crate::disk;
use crate::error::Refusal;
use crate::features::uploads::disk::on_disk;
use crate::ids::ImportId;
use crate::limits::UPLOAD_CHUNK_BYTES;

/// The folder of the files, below the media folder.
const IMPORTS: &str = ".imports";
/// The name of the file of a picture, until it is removed right after it was opened.
const PICTURE: &str = "picture";

/// The files of imports, and what the work on them waits for.
pub struct ImportService {
    folder: PathBuf,
    /// Held while a chunk is checked and written, so that the chunks of a file are written in the order in which they
    /// came.
    pub receiving: Mutex<()>,
    /// Held while a file is read, so that the server reads one at a time.
    pub reading: Mutex<()>,
    /// The imports whose last turn failed, and that have another one.
    held_up: std::sync::Mutex<HashSet<ImportId>>,
    /// Notified when there is a file to read.
    pub to_read: Notify,
    /// Notified when there are posts to import.
    pub to_import: Notify,
    /// Notified when there are posts of an import to delete.
    pub to_delete: Notify,
}

impl ImportService {
    /// Opens the service in the data folder. The files of an earlier run stay.
    ///
    /// # Errors
    /// A sentence for the host that says why it cannot start.
    pub fn open(data: &Path) -> Result<Self, String> {
        let folder = data.join("media").join(IMPORTS);
        std::fs::create_dir_all(&folder)
            .map_err(|why| format!("cannot keep files of imports in {}: {why}", folder.display()))?;
        Ok(Self {
            folder,
            receiving: Mutex::default(),
            reading: Mutex::default(),
            held_up: std::sync::Mutex::default(),
            to_read: Notify::new(),
            to_import: Notify::new(),
            to_delete: Notify::new(),
        })
    }

    /// Notes whether the last turn of an import failed.
    pub fn set_held_up(&self, id: ImportId, is_held_up: bool) {
        let mut held_up = self.held_up.lock().unwrap_or_else(PoisonError::into_inner);
        if is_held_up {
            held_up.insert(id);
        } else {
            held_up.remove(&id);
        }
    }

    /// Returns whether the last turn of an import failed.
    #[must_use]
    pub fn is_held_up(&self, id: ImportId) -> bool {
        self.held_up.lock().unwrap_or_else(PoisonError::into_inner).contains(&id)
    }

    fn path_of(&self, id: ImportId) -> PathBuf {
        self.folder.join(id.0.to_string())
    }

    /// Returns how many bytes of a file were received.
    ///
    /// # Errors
    /// A fault.
    pub async fn held(&self, id: ImportId) -> Result<u64, Refusal> {
        let path = self.path_of(id);
        on_disk(move || match std::fs::metadata(path) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(0),
            metadata => metadata.map(|metadata| metadata.len()),
        })
        .await
    }

    /// Refuses bytes that would leave less than `bytes_free_min` free on the disk; 0 = none.
    ///
    /// # Errors
    /// [`Refusal::StorageFull`]; a fault.
    pub async fn check_room(&self, bytes: u64, bytes_free_min: u64) -> Result<(), Refusal> {
        let folder = self.folder.clone();
        on_disk(move || has_room(&folder, bytes, bytes_free_min)).await
    }

    /// Receives a chunk of a file of `file_bytes`. A chunk that does not follow the received bytes is ignored. Returns the
    /// number of received bytes.
    ///
    /// # Errors
    /// [`Refusal::BadRequest`] for more bytes than announced; [`Refusal::StorageFull`]; a fault.
    pub async fn receive(
        &self,
        id: ImportId,
        offset: u64,
        bytes: Bytes,
        file_bytes: u64,
        bytes_free_min: u64,
    ) -> Result<u64, Refusal> {
        let end = offset.saturating_add(bytes.len() as u64);
        if bytes.is_empty() || bytes.len() > UPLOAD_CHUNK_BYTES || end > file_bytes {
            return Err(Refusal::BadRequest);
        }
        let (folder, path) = (self.folder.clone(), self.path_of(id));
        on_disk(move || {
            let file = File::options().write(true).create(true).truncate(false).open(path)?;
            let held = file.metadata()?.len();
            if held != offset {
                return Ok(held);
            }
            has_room(&folder, bytes.len() as u64, bytes_free_min)?;
            file.write_all_at(&bytes, offset)?;
            Ok(end)
        })
        .await
    }

    /// Opens a file to read it; None if it is not there.
    ///
    /// # Errors
    /// A fault.
    pub async fn open_file(&self, id: ImportId) -> Result<Option<File>, Refusal> {
        let path = self.path_of(id);
        on_disk(move || match File::open(path) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
            file => file.map(Some),
        })
        .await
    }

    /// Returns a function that makes an empty file for a picture. The file has no name, so it is gone when it is closed.
    pub fn picture_file(&self) -> impl FnOnce() -> io::Result<File> + Send + use<> {
        let path = self.folder.join(PICTURE);
        move || {
            let file = File::options().read(true).write(true).create(true).truncate(true).open(&path)?;
            match std::fs::remove_file(path) {
                // The sweeper was faster.
                Err(why) if why.kind() != io::ErrorKind::NotFound => Err(why),
                _ => Ok(file),
            }
        }
    }

    /// Returns the names of all files in the folder.
    ///
    /// # Errors
    /// A fault.
    pub async fn files(&self) -> Result<Vec<String>, Refusal> {
        let folder = self.folder.clone();
        on_disk(move || {
            let mut names = Vec::new();
            for file in std::fs::read_dir(folder)? {
                names.extend(file?.file_name().into_string().ok());
            }
            Ok(names)
        })
        .await
    }

    /// Removes files by their names.
    ///
    /// # Errors
    /// A fault.
    pub async fn remove(&self, names: Vec<String>) -> Result<(), Refusal> {
        let folder = self.folder.clone();
        on_disk(move || {
            for name in names {
                match std::fs::remove_file(folder.join(name)) {
                    Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
                    _ => {}
                }
            }
            Ok(())
        })
        .await
    }
}

/// Returns an error if these bytes would leave less free on the disk.
fn has_room(folder: &Path, bytes: u64, bytes_free_min: u64) -> io::Result<()> {
    if bytes_free_min > 0 && disk::free_bytes(folder)? < bytes_free_min.saturating_add(bytes) {
        return Err(io::ErrorKind::StorageFull.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: ImportId = ImportId(7);

    async fn receives(imports: &ImportService, offset: u64, bytes: &'static [u8]) -> Result<u64, Refusal> {
        imports.receive(ID, offset, Bytes::from_static(bytes), 6, 0).await
    }

    #[actix_web::test]
    async fn a_file_grows_by_the_chunks_that_follow_and_goes_on_after_a_restart() {
        let data = tempfile::tempdir().unwrap();
        let imports = ImportService::open(data.path()).unwrap();
        assert_eq!(imports.held(ID).await, Ok(0));
        assert!(imports.open_file(ID).await.unwrap().is_none());
        for (offset, bytes, held) in
            [(2, &b"cd"[..], 0), (0, b"ab", 2), (0, b"xx", 2), (4, b"ef", 2), (2, b"cd", 4)]
        {
            assert_eq!(receives(&imports, offset, bytes).await, Ok(held), "{offset}");
        }
        for (offset, bytes) in [(4, &b""[..]), (4, b"efg"), (u64::MAX, b"e")] {
            assert_eq!(receives(&imports, offset, bytes).await, Err(Refusal::BadRequest), "{offset}");
        }
        let imports = ImportService::open(data.path()).unwrap();
        assert_eq!(imports.held(ID).await, Ok(4));
        assert_eq!(receives(&imports, 4, b"ef").await, Ok(6));
        assert_eq!(std::fs::read(imports.path_of(ID)).unwrap(), b"abcdef");
    }

    #[actix_web::test]
    async fn the_file_of_a_picture_has_no_name_and_others_are_removed_by_theirs() {
        let data = tempfile::tempdir().unwrap();
        let imports = ImportService::open(data.path()).unwrap();
        let picture = imports.picture_file()().unwrap();
        picture.write_all_at(b"picture", 0).unwrap();
        receives(&imports, 0, b"ab").await.unwrap();
        assert_eq!(imports.files().await, Ok(vec!["7".to_owned()]));
        imports.remove(vec!["7".into(), "8".into()]).await.unwrap();
        assert_eq!(imports.files().await, Ok(Vec::new()));
    }

    #[actix_web::test]
    async fn a_disk_without_room_refuses_a_file_and_its_chunks() {
        let data = tempfile::tempdir().unwrap();
        let imports = ImportService::open(data.path()).unwrap();
        assert_eq!(imports.check_room(1, u64::MAX / 2).await, Err(Refusal::StorageFull));
        assert_eq!(imports.check_room(1, 0).await, Ok(()));
        let chunk = Bytes::from_static(b"ab");
        assert_eq!(imports.receive(ID, 0, chunk, 6, u64::MAX / 2).await, Err(Refusal::StorageFull));
        assert_eq!(imports.held(ID).await, Ok(0));
    }
}
