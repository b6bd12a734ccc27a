//! The end of uploads: a post or a photo uses them, the client cancels them, or the sweeper frees them. Also removes
//! stored files.

use std::io;
use std::sync::Arc;

use tokio::task::JoinHandle;

use super::super::disk::{INCOMING, old_files, on_disk, people, remove};
use super::super::rules::{PHOTOS, POSTS};
use super::super::store;
use super::{Upload, UploadService};
use crate::db::readers::{Readers, Snapshot};
use crate::db::sql::Sql;
use crate::error::Error;
use crate::features::key::Key;
use crate::ids::UserId;
use crate::limits::{UPLOAD_IDLE_MS_MAX, UPLOAD_LIFE_MS_MAX};
use crate::model::files::ReadyPicture;

impl UploadService {
    /// Closes uploads whose files now belong to a post or a photo.
    pub fn mark_used(&self, user_id: UserId, keys: &[Key]) {
        let mut open = self.uploads();
        for key in keys {
            open.remove(&(user_id, key.0));
        }
    }

    /// Cancels an upload and removes its files.
    pub async fn cancel(self: &Arc<Self>, user_id: UserId, key: Key, readers: &Readers) {
        let upload = {
            let mut open = self.uploads();
            match open.get(&(user_id, key.0)) {
                // A request is using the upload. If that request fails, the upload becomes idle and is freed later.
                Some(upload) if upload.is_being_used() => None,
                Some(_) => open.remove(&(user_id, key.0)),
                None => None,
            }
        };
        if let Some(upload) = upload {
            // The files are removed even if this future is dropped.
            let _ = self.free_in_background(upload, readers).await;
        }
    }

    /// Frees uploads that were idle or open for too long.
    ///
    /// # Errors
    /// A database fault.
    pub async fn free_idle(&self, now_ms: i64, readers: &Readers) -> Result<(), Error> {
        let is_idle = |upload: &Upload| {
            let is_over = now_ms - upload.begun_at_ms > UPLOAD_LIFE_MS_MAX;
            (is_over || upload.idle_ms(now_ms) > UPLOAD_IDLE_MS_MAX) && !upload.is_being_used()
        };
        let idle: Vec<_> = self.uploads().extract_if(|_, upload| is_idle(upload)).collect();
        for (_, upload) in idle {
            self.free(&upload, readers).await;
        }
        Ok(())
    }

    /// Returns the owners of the open uploads.
    pub fn owners(&self) -> Vec<UserId> {
        self.uploads().keys().map(|(user_id, _)| *user_id).collect()
    }

    /// Frees all uploads of deleted accounts, and their folders.
    pub async fn free_all_of(&self, former: &[UserId], readers: &Readers) {
        if former.is_empty() {
            return;
        }
        let is_theirs = |upload: &Upload| former.contains(&upload.owner_id) && !upload.is_being_used();
        let theirs: Vec<_> = self.uploads().extract_if(|_, upload| is_theirs(upload)).collect();
        for (_, upload) in theirs {
            self.free(&upload, readers).await;
        }
        self.remove_folders_of(former.to_vec()).await;
    }

    /// Removes the folders of deleted accounts, unless they still contain files.
    pub async fn remove_folders_of(&self, former: Vec<UserId>) {
        let media = self.media.clone();
        let removing = on_disk(move || {
            for user_id in former {
                for root in [POSTS, PHOTOS] {
                    // A folder that is not empty stays until its last file is removed.
                    let _ = std::fs::remove_dir(media.join(root).join(user_id.0.to_string()));
                }
            }
            Ok(())
        });
        let _ = removing.await;
    }

    /// Frees an upload in a task of its own, even if the request was dropped.
    pub(super) fn free_in_background(
        self: &Arc<Self>,
        upload: Arc<Upload>,
        readers: &Readers,
    ) -> JoinHandle<()> {
        let (uploads, readers) = (self.clone(), readers.clone());
        actix_web::rt::spawn(async move { uploads.free(&upload, &readers).await })
    }

    /// Removes the files of an upload that is no longer open.
    async fn free(&self, upload: &Upload, readers: &Readers) {
        upload.gone.notify_one();
        remove(upload.incoming.clone()).await;
        let Some(picture) = upload.picture() else { return };
        for file in picture.files {
            // A post may use the file, if the reply of the writer was lost.
            match is_kept(readers, file.full_path.clone()).await {
                Ok(false) => drop(self.remove_files(vec![file.full_path]).await),
                Ok(true) => {}
                Err(why) => log::warn!("a file could not be removed; the daily sweep tries again: {why}"),
            }
        }
    }

    /// Closes the uploads whose files are queued for removal. They were used, but the reply of the writer was lost.
    /// Returns the files that no request is using. The writer refuses the others, and a later sweep removes them.
    pub fn release(&self, full_paths: Vec<String>) -> Vec<String> {
        let mut open = self.uploads();
        let has = |upload: &Upload, full_path: &String| {
            upload
                .picture()
                .is_some_and(|picture| picture.files.iter().any(|file| file.full_path == *full_path))
        };
        let is_in_use =
            |full_path: &String| open.values().any(|upload| upload.is_being_used() && has(upload, full_path));
        let (_, free): (Vec<_>, Vec<_>) = full_paths.into_iter().partition(is_in_use);
        open.retain(|_, upload| !free.iter().any(|full_path| has(upload, full_path)));
        free
    }

    /// Removes files. Returns the paths at which there is no file any more.
    pub async fn remove_files(&self, full_paths: Vec<String>) -> Vec<String> {
        let media = self.media.clone();
        let removing = on_disk(move || {
            // The path is not logged, because it contains the file name of a user.
            let gone = |full_path: &String| match std::fs::remove_file(media.join(full_path)) {
                Err(why) if why.kind() != io::ErrorKind::NotFound => {
                    log::warn!("a stored file cannot be removed: {why}");
                    false
                }
                _ => true,
            };
            Ok(full_paths.into_iter().filter(gone).collect())
        });
        removing.await.unwrap_or_default()
    }

    /// Removes files that belong to no row and to no open upload, unless they are new.
    ///
    /// # Errors
    /// A fault of disk or database.
    pub async fn remove_orphans(&self, readers: &Readers) -> Result<(), Error> {
        let media = self.media.clone();
        let mut folders = on_disk(move || people(&media)).await?;
        folders.push(INCOMING.into());
        for folder in folders {
            let (media, of) = (self.media.clone(), folder.clone());
            // A folder that cannot be read does not stop the check of the others.
            let Ok(mut unknown) = on_disk(move || old_files(&media, &of)).await else { continue };
            unknown.retain(|full_path| !self.knows(full_path));
            if unknown.is_empty() {
                continue;
            }
            let orphans = readers.read(move |Snapshot { sql, .. }| without_row(sql, unknown)).await?;
            if !orphans.is_empty() {
                log::info!("removing {} files without a row from {folder}", orphans.len());
                self.remove_files(orphans).await;
            }
        }
        Ok(())
    }

    /// Returns whether a file belongs to an open upload.
    fn knows(&self, full_path: &str) -> bool {
        let is_of = |picture: ReadyPicture| picture.files.iter().any(|file| file.full_path == full_path);
        self.uploads().values().any(|upload| {
            upload.incoming == self.media.join(full_path) || upload.picture().is_some_and(is_of)
        })
    }
}

async fn is_kept(readers: &Readers, full_path: String) -> Result<bool, Error> {
    readers.read(move |Snapshot { sql, .. }| store::is_kept(sql, &full_path)).await
}

/// Returns the files that have no row.
fn without_row(sql: Sql<'_>, full_paths: Vec<String>) -> Result<Vec<String>, Error> {
    let mut without = Vec::new();
    for full_path in full_paths {
        if !store::is_kept(sql, &full_path)? {
            without.push(full_path);
        }
    }
    Ok(without)
}
