//! The desk that takes files in: one upload at a time each, held on the disk, judged elsewhere.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::{Notify, watch};

use super::disk::{INCOMING, POSTS, old_files, on_disk, remove, store_rendered};
use super::rules::Announced;
use super::store;
use crate::db::reader::Reader;
use crate::error::{Error, Field, Refusal, Sentence};
use crate::features::files::ReadyPicture;
use crate::features::kit::{Key, hex};
use crate::ids::UserId;
use crate::limits::{
    KEY_BYTES, UPLOAD_CHUNK_BYTES, UPLOAD_IDLE_MS_MAX, UPLOAD_YIELD_MS, UPLOADS_OPEN_MAX,
    UPLOADS_OPEN_PER_USER,
};
use crate::pictures::Refused;
use crate::pictures::desk::PictureDesk;

type Name = (UserId, [u8; KEY_BYTES]);
type Outcome = Result<ReadyPicture, Refusal>;

/// The desk.
pub struct Desk {
    media: PathBuf,
    pictures: PictureDesk,
    open: Mutex<HashMap<Name, Arc<Upload>>>,
    /// The newest timestamp in a path: each is used once.
    last_stamp_ms: AtomicI64,
    /// Uploads begun in this life.
    begun: AtomicU64,
    /// Rung when there is something to sweep.
    pub bell: Notify,
}

/// One file on its way in.
struct Upload {
    owner_id: UserId,
    announced: Announced,
    incoming: PathBuf,
    used_at_ms: AtomicI64,
    /// Taken in turn, in the order of arrival: chunks of one upload never meet.
    receiving: tokio::sync::Mutex<Receiving>,
    outcome: watch::Sender<Option<Outcome>>,
}

/// What became of an upload that wanted a place.
enum Placed {
    Open,
    /// Of one that its person seems to have left: in a tab that is closed, on another device.
    InsteadOf(Arc<Upload>),
    /// One of this name came first, which serves as well.
    CameFirst,
}

struct Receiving {
    file: Arc<File>,
    /// Bytes from the first on, without a gap.
    held: u64,
    /// True from the moment that it is judged: nothing more comes in.
    is_whole: bool,
}

impl Upload {
    fn touch(&self, now_ms: i64) {
        self.used_at_ms.store(now_ms, Ordering::Relaxed);
    }

    fn picture(&self) -> Option<ReadyPicture> {
        self.outcome.borrow().as_ref().and_then(|outcome| outcome.as_ref().ok().cloned())
    }

    fn has_failed(&self) -> bool {
        matches!(&*self.outcome.borrow(), Some(Err(Refusal::NotAPicture(_))))
    }

    /// True while somebody makes it part of something.
    fn is_being_used(&self) -> bool {
        match &*self.outcome.borrow() {
            Some(Ok(picture)) => Arc::strong_count(&picture.hold) > 1,
            _ => false,
        }
    }
}

impl Desk {
    /// Opens the desk in the data folder; what an earlier life left half-way is removed.
    ///
    /// # Errors
    /// A sentence for the host.
    pub fn open(data: &Path, program: PathBuf) -> Result<Self, String> {
        let media = data.join("media");
        let incoming = media.join(INCOMING);
        let say = |why: io::Error| format!("cannot keep pictures in {}: {why}", media.display());
        match std::fs::remove_dir_all(&incoming) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(say(why)),
            _ => {}
        }
        std::fs::create_dir_all(&incoming).map_err(say)?;
        Ok(Self {
            media,
            pictures: PictureDesk::new(program),
            open: Mutex::default(),
            last_stamp_ms: AtomicI64::new(0),
            begun: AtomicU64::new(0),
            bell: Notify::new(),
        })
    }

    /// Returns the file at a path below the media folder, for sending. The path comes from a row.
    #[must_use]
    pub fn path_of(&self, full_path: &str) -> PathBuf {
        self.media.join(full_path)
    }

    /// Returns how many bytes the disk has left.
    ///
    /// # Errors
    /// A fault of the disk.
    pub fn free_bytes(&self) -> Result<u64, Error> {
        let disk =
            rustix::fs::statvfs(&self.media).map_err(|_| Error::Broken("the disk does not say its size"))?;
        Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
    }

    fn uploads(&self) -> MutexGuard<'_, HashMap<Name, Arc<Upload>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, user_id: UserId, key: Key, now_ms: i64) -> Result<Arc<Upload>, Refusal> {
        let upload = self.uploads().get(&(user_id, key.0)).cloned().ok_or(Refusal::UploadGone)?;
        upload.touch(now_ms);
        Ok(upload)
    }

    /// Returns how many bytes are held of an upload that was begun before; None when it was not.
    ///
    /// # Errors
    /// [`Refusal::KeyConflict`] when it was begun for another file.
    pub async fn resume(
        &self,
        user_id: UserId,
        key: Key,
        announced: &Announced,
        now_ms: i64,
    ) -> Result<Option<u64>, Refusal> {
        let Ok(upload) = self.find(user_id, key, now_ms) else { return Ok(None) };
        if upload.announced != *announced {
            return Err(Refusal::KeyConflict);
        }
        Ok(Some(upload.receiving.lock().await.held))
    }

    /// Begins an upload.
    ///
    /// # Errors
    /// [`Sentence::TooManyUploads`] when this person has as many open as one may have, and none of
    /// them was left alone for a while; busy; a fault.
    pub async fn begin(
        &self,
        user_id: UserId,
        key: Key,
        announced: Announced,
        reader: &Reader,
        now_ms: i64,
    ) -> Result<(), Error> {
        // A name of its own each time: of two that begin at once, one must not empty the other's file.
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        let incoming = self.media.join(INCOMING).join(format!("{}-{}-{number}", user_id.0, hex(&key.0)));
        let path = incoming.clone();
        let file = on_disk(move || File::options().write(true).create_new(true).open(path)).await?;
        let upload = Arc::new(Upload {
            owner_id: user_id,
            announced,
            incoming: incoming.clone(),
            used_at_ms: AtomicI64::new(now_ms),
            receiving: tokio::sync::Mutex::new(Receiving { file: Arc::new(file), held: 0, is_whole: false }),
            outcome: watch::Sender::new(None),
        });
        match self.place(user_id, key, upload, now_ms) {
            Ok(Placed::Open) => Ok(()),
            Ok(Placed::InsteadOf(idle)) => {
                self.free(&idle, reader).await;
                Ok(())
            }
            Ok(Placed::CameFirst) => {
                remove(incoming).await;
                Ok(())
            }
            Err(refusal) => {
                remove(incoming).await;
                Err(refusal.into())
            }
        }
    }

    fn place(&self, user_id: UserId, key: Key, upload: Arc<Upload>, now_ms: i64) -> Result<Placed, Refusal> {
        let mut open = self.uploads();
        if open.contains_key(&(user_id, key.0)) {
            return Ok(Placed::CameFirst);
        }
        forget_failed(&mut open, user_id);
        let used_at_ms = |upload: &Upload| upload.used_at_ms.load(Ordering::Relaxed);
        let of_user = || open.iter().filter(|(_, held)| held.owner_id == user_id && !held.has_failed());
        let mut instead_of = None;
        if of_user().count() >= UPLOADS_OPEN_PER_USER {
            let idlest = of_user().min_by_key(|(_, held)| used_at_ms(held));
            let yields = idlest
                .filter(|(_, held)| now_ms - used_at_ms(held) > UPLOAD_YIELD_MS && !held.is_being_used());
            match yields {
                Some((name, _)) => instead_of = Some(*name),
                None => return Err(Refusal::Invalid(Field::Pictures, Sentence::TooManyUploads)),
            }
        }
        let instead_of = instead_of.and_then(|name| open.remove(&name));
        if open.values().filter(|held| !held.has_failed()).count() >= UPLOADS_OPEN_MAX {
            return Err(Refusal::Busy);
        }
        open.insert((user_id, key.0), upload);
        Ok(instead_of.map_or(Placed::Open, Placed::InsteadOf))
    }

    /// Takes a chunk that follows what is held; leaves any other aside. Returns how much is held.
    ///
    /// # Errors
    /// [`Refusal::UploadGone`]; `bad_request` for more bytes than announced; a full disk.
    pub async fn chunk(
        &self,
        user_id: UserId,
        key: Key,
        offset: u64,
        bytes: Bytes,
        now_ms: i64,
    ) -> Result<u64, Error> {
        let upload = self.find(user_id, key, now_ms)?;
        let mut receiving = upload.receiving.lock().await;
        let end = offset + bytes.len() as u64;
        if bytes.is_empty() || bytes.len() > UPLOAD_CHUNK_BYTES || end > upload.announced.size_bytes {
            return Err(Refusal::BadRequest.into());
        }
        if receiving.is_whole || offset != receiving.held {
            return Ok(receiving.held);
        }
        let file = receiving.file.clone();
        on_disk(move || file.write_all_at(&bytes, offset)).await?;
        receiving.held = end;
        Ok(end)
    }

    /// Judges an upload of which everything is held, and waits for the judgement. It is judged to
    /// its end also when nobody waits any more.
    ///
    /// # Errors
    /// [`Refusal::NotAPicture`]; [`Refusal::UploadGone`]; `bad_request` when bytes are missing; busy
    /// and a full disk, after which it can be committed again.
    pub async fn commit(self: &Arc<Self>, user_id: UserId, key: Key, now_ms: i64) -> Outcome {
        let upload = self.find(user_id, key, now_ms)?;
        let mut outcome = upload.outcome.subscribe();
        {
            let mut receiving = upload.receiving.lock().await;
            if receiving.held < upload.announced.size_bytes {
                return Err(Refusal::BadRequest);
            }
            if !receiving.is_whole {
                receiving.is_whole = true;
                upload.outcome.send_replace(None);
                let (desk, upload) = (self.clone(), upload.clone());
                actix_web::rt::spawn(async move {
                    let judged = desk.judge(&upload, now_ms).await;
                    desk.conclude(&upload, key, judged).await;
                });
            }
        }
        match outcome.wait_for(Option::is_some).await {
            Ok(outcome) => outcome.clone().unwrap_or(Err(Refusal::Fault)),
            Err(_) => Err(Refusal::UploadGone),
        }
    }

    async fn judge(&self, upload: &Upload, now_ms: i64) -> Outcome {
        let path = upload.incoming.clone();
        let opened = on_disk(move || match File::open(path) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => opened.map(Some),
        });
        // Cancelled before anybody looked at it.
        let Some(file) = opened.await? else { return Err(Refusal::UploadGone) };
        let rendered = match self.pictures.render(file).await {
            Ok(rendered) => rendered,
            Err(Refused::NotAPicture) => return Err(Refusal::NotAPicture(upload.announced.shown.clone())),
            Err(Refused::Busy) => return Err(Refusal::Busy),
            Err(Refused::Fault(why)) => {
                log::error!("a picture could not be judged: {why}");
                return Err(Refusal::Fault);
            }
        };
        let media = self.media.clone();
        let announced = &upload.announced;
        let stem = format!(
            "{POSTS}/{}/{}_{}_{}",
            upload.owner_id.0,
            self.stamp(now_ms),
            announced.index,
            announced.stem
        );
        on_disk(move || store_rendered(&media, &stem, rendered)).await
    }

    /// Returns a timestamp that no path has yet.
    fn stamp(&self, now_ms: i64) -> i64 {
        let next = |last: i64| Some(now_ms.max(last + 1));
        let last = self.last_stamp_ms.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        last.map_or(now_ms, |last| now_ms.max(last + 1))
    }

    async fn conclude(&self, upload: &Arc<Upload>, key: Key, outcome: Outcome) {
        if let Err(Refusal::Busy | Refusal::StorageFull | Refusal::Fault) = &outcome {
            // Not judged: it may be committed again.
            upload.receiving.lock().await.is_whole = false;
        } else {
            // Judged for good: the file as it came is of no more use.
            remove(upload.incoming.clone()).await;
        }
        let picture = outcome.as_ref().ok().cloned();
        let is_open = {
            // Told and looked up in one go: who cancels comes before, or finds the picture.
            let open = self.uploads();
            upload.outcome.send_replace(Some(outcome));
            open.get(&(upload.owner_id, key.0)).is_some_and(|held| Arc::ptr_eq(held, upload))
        };
        if let Some(picture) = picture.filter(|_| !is_open) {
            self.remove_files(picture.files.iter().map(|file| file.full_path.clone()).collect()).await;
        }
    }

    /// Returns pictures that are ready, in this order.
    ///
    /// # Errors
    /// [`Refusal::UploadGone`] when one is not known, not committed, or not a picture.
    pub fn ready(&self, user_id: UserId, keys: &[Key], now_ms: i64) -> Result<Vec<ReadyPicture>, Refusal> {
        let ready = |key: &Key| self.find(user_id, *key, now_ms)?.picture().ok_or(Refusal::UploadGone);
        keys.iter().map(ready).collect()
    }

    /// Lets uploads go that are part of something now: their files are no longer the desk's.
    pub fn belong(&self, user_id: UserId, keys: &[Key]) {
        let mut open = self.uploads();
        for key in keys {
            open.remove(&(user_id, key.0));
        }
    }

    /// Lets an upload go, with all that is held of it.
    pub async fn cancel(&self, user_id: UserId, key: Key, reader: &Reader) {
        let upload = {
            let mut open = self.uploads();
            match open.get(&(user_id, key.0)) {
                // Whoever makes it part of something right now decides; else it will be idle.
                Some(upload) if upload.is_being_used() => None,
                Some(_) => open.remove(&(user_id, key.0)),
                None => None,
            }
        };
        if let Some(upload) = upload {
            self.free(&upload, reader).await;
        }
    }

    /// Frees the uploads that nobody went on with for too long.
    ///
    /// # Errors
    /// A database fault.
    pub async fn free_idle(&self, now_ms: i64, reader: &Reader) -> Result<(), Error> {
        let is_idle = |upload: &Upload| {
            now_ms - upload.used_at_ms.load(Ordering::Relaxed) > UPLOAD_IDLE_MS_MAX && !upload.is_being_used()
        };
        let idle: Vec<_> = self.uploads().extract_if(|_, upload| is_idle(upload)).collect();
        for (_, upload) in idle {
            self.free(&upload, reader).await;
        }
        Ok(())
    }

    /// Removes what is held of an upload that is no longer open.
    async fn free(&self, upload: &Upload, reader: &Reader) {
        remove(upload.incoming.clone()).await;
        let Some(picture) = upload.picture() else { return };
        for file in picture.files {
            // A post may have it whose writer's answer reached nobody here.
            match is_kept(reader, &file.full_path).await {
                Ok(false) => drop(self.remove_files(vec![file.full_path]).await),
                Ok(true) => {}
                Err(why) => log::warn!("a file waits for the daily sweep: {why}"),
            }
        }
    }

    /// Removes files; returns those that are no longer there.
    pub async fn remove_files(&self, full_paths: Vec<String>) -> Vec<String> {
        let media = self.media.clone();
        let removing = on_disk(move || {
            let gone = |full_path: &String| match std::fs::remove_file(media.join(full_path)) {
                Err(why) if why.kind() != io::ErrorKind::NotFound => {
                    log::warn!("{full_path} cannot be removed: {why}");
                    false
                }
                _ => true,
            };
            Ok(full_paths.into_iter().filter(gone).collect())
        });
        removing.await.unwrap_or_default()
    }

    /// Removes the files that neither a row nor an open upload knows, unless they are new.
    ///
    /// # Errors
    /// A fault of disk or database.
    pub async fn remove_orphans(&self, reader: &Reader) -> Result<(), Error> {
        let media = self.media.clone();
        let found = on_disk(move || old_files(&media)).await?;
        for full_path in found {
            let is_known = self.uploads().values().any(|upload| {
                let is_of =
                    |picture: ReadyPicture| picture.files.iter().any(|file| file.full_path == full_path);
                upload.incoming == self.media.join(&full_path) || upload.picture().is_some_and(is_of)
            });
            if !is_known && !is_kept(reader, &full_path).await? {
                log::info!("{full_path} belongs to nothing and is removed");
                self.remove_files(vec![full_path]).await;
            }
        }
        Ok(())
    }
}

/// Makes room among what turned out to be no picture of one person: a few are remembered, so that
/// who asks again is answered the same.
fn forget_failed(open: &mut HashMap<Name, Arc<Upload>>, user_id: UserId) {
    let failed = || open.iter().filter(|(_, held)| held.owner_id == user_id && held.has_failed());
    if failed().count() >= UPLOADS_OPEN_PER_USER {
        let idlest = failed().min_by_key(|(_, held)| held.used_at_ms.load(Ordering::Relaxed));
        let idlest = idlest.map(|(name, _)| *name);
        idlest.and_then(|name| open.remove(&name));
    }
}

async fn is_kept(reader: &Reader, full_path: &str) -> Result<bool, Error> {
    let mut snapshot = reader.snapshot().await?;
    store::is_kept(snapshot.connection(), full_path).await
}
