//! The outbox folder: one file for each mail. A file is complete when it appears. A host without a mail server reads
//! the mails there and passes the links on.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Failure, Mail};
use crate::ids::UserId;
use crate::limits::OUTBOX_LIFE_MS;

/// Subfolder in which a mail is written until it is complete.
const INCOMING: &str = ".incoming";

/// The folder.
#[derive(Clone)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Names the folder below the data folder. It is created with the first mail.
    pub fn below(data: &Path) -> Self {
        Self { path: data.join("outbox") }
    }

    /// Writes a mail to the folder.
    pub async fn put(&self, mail: &Mail, bytes: Vec<u8>) -> Result<(), Failure> {
        let (folder, name) = (self.clone(), format!("{}-{}.eml", mail.id.0, mail.user_id.0));
        on_disk(move || folder.write(&name, &bytes))
            .await
            .map_err(|why| Failure::Later(format!("the outbox folder cannot be written: {why}")))
    }

    /// Removes the mails of these users, and incomplete files of them.
    pub async fn forget(&self, people: Vec<UserId>) -> io::Result<()> {
        let folder = self.clone();
        on_disk(move || folder.remove(|user_id, _| people.contains(&user_id))).await
    }

    /// Removes mails whose links have expired.
    pub async fn clear(&self) -> io::Result<()> {
        let folder = self.clone();
        on_disk(move || folder.remove(|_, age| age > Duration::from_millis(OUTBOX_LIFE_MS))).await
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let incoming = self.path.join(INCOMING);
        std::fs::create_dir_all(&incoming)?;
        let waiting = incoming.join(name);
        let written = File::create(&waiting).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()?;
            std::fs::rename(&waiting, self.path.join(name))
        });
        if written.is_err() {
            // If this fails too, the next attempt overwrites the file.
            let _ = std::fs::remove_file(&waiting);
        }
        written?;
        File::open(&self.path)?.sync_all()
    }

    fn remove(&self, is_over: impl Fn(UserId, Duration) -> bool) -> io::Result<()> {
        for folder in [self.path.join(INCOMING), self.path.clone()] {
            let files = match std::fs::read_dir(&folder) {
                Err(why) if why.kind() == io::ErrorKind::NotFound => continue,
                files => files?,
            };
            let mut removed = false;
            for file in files {
                let file = file?;
                // Files with other names are not ours.
                let Some(user_id) = file.file_name().to_str().and_then(whose) else { continue };
                let modified = file.metadata().and_then(|metadata| metadata.modified());
                let age = modified.ok().and_then(|modified| modified.elapsed().ok()).unwrap_or_default();
                if is_over(user_id, age) {
                    std::fs::remove_file(file.path())?;
                    removed = true;
                }
            }
            if removed {
                File::open(&folder)?.sync_all()?;
            }
        }
        Ok(())
    }
}

/// Returns the user of a mail, by its file name.
fn whose(name: &str) -> Option<UserId> {
    let (mail_id, user_id) = name.strip_suffix(".eml")?.split_once('-')?;
    mail_id.parse::<i64>().ok()?;
    user_id.parse().ok().map(UserId)
}

async fn on_disk<T: Send + 'static>(act: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(act).await.unwrap_or_else(|_| Err(io::ErrorKind::Interrupted.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
        let mut names: Vec<String> = files.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_mail_is_complete_when_it_appears_and_leaves_no_other_file() {
        let data = tempfile::tempdir().unwrap();
        let folder = Folder::below(data.path());
        folder.write("1-7.eml", b"whole").unwrap();
        assert_eq!(names(&folder.path), [".incoming", "1-7.eml"]);
        assert!(names(&folder.path.join(INCOMING)).is_empty());
        assert_eq!(std::fs::read(folder.path.join("1-7.eml")).unwrap(), b"whole");
    }

    #[test]
    fn mails_are_removed_with_their_user_and_other_files_stay() {
        let data = tempfile::tempdir().unwrap();
        let folder = Folder::below(data.path());
        folder.remove(|_, _| true).expect("there is no folder yet");
        for name in ["1-7.eml", "2-77.eml", "3-7.eml"] {
            folder.write(name, b"").unwrap();
        }
        let incoming = folder.path.join(INCOMING);
        std::fs::write(incoming.join("4-7.eml"), b"half").unwrap();
        for name in ["notes-7.eml", "7.eml", "1-7.txt"] {
            std::fs::write(folder.path.join(name), b"the host's").unwrap();
        }
        folder.remove(|user_id, _| user_id == UserId(7)).unwrap();
        assert_eq!(names(&folder.path), [".incoming", "1-7.txt", "2-77.eml", "7.eml", "notes-7.eml"]);
        assert!(names(&incoming).is_empty());
    }
}
