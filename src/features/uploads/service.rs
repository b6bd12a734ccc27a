//! The upload service: receives files in chunks, keeps them on disk, and passes them to the picture service.

mod release;

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::net::IpAddr;
use std::os::unix::fs::FileExt;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use bytes::Bytes;
use futures_util::FutureExt;
use tokio::sync::{Notify, watch};

use super::disk::{INCOMING, on_disk, remove, store_rendered, sync};
use super::rules::Announced;
use crate::db::readers::Readers;
use crate::disk;
use crate::error::{Error, Field, PictureFault, Refusal};
use crate::features::key::Key;
use crate::ids::UserId;
use crate::limits::{
    KEY_BYTES, RESULT_BYTES_LIKELY, TOO_MANY_UPLOADS, UPLOAD_CHUNK_BYTES, UPLOAD_CROWDED_YIELD_MS,
    UPLOAD_YIELD_MS, UPLOADS_OPEN_MAX, UPLOADS_OPEN_PER_USER,
};
use crate::model::files::{Purpose, ReadyPicture};
use crate::pictures::service::PictureService;
use crate::pictures::{Refused, Rendered, Unreadable, Wanted};
use crate::random::hex;

type Name = (UserId, [u8; KEY_BYTES]);
type Outcome = Result<ReadyPicture, Refusal>;

/// The open uploads.
pub struct UploadService {
    media: PathBuf,
    pictures: PictureService,
    open: Mutex<HashMap<Name, Arc<Upload>>>,
    /// The users whose picture is being rendered or waits to be rendered. Each user has one turn at a time.
    turns: Mutex<HashMap<UserId, Weak<tokio::sync::Mutex<()>>>>,
    /// The newest timestamp in a path. Each timestamp is used once.
    last_stamp_ms: AtomicI64,
    /// The number of uploads that began since the server started.
    begun: AtomicU64,
    /// Notified when there are files to sweep.
    pub wake: Notify,
}

/// A file that is being uploaded.
struct Upload {
    owner_id: UserId,
    /// The network address from which it began.
    address: IpAddr,
    announced: Announced,
    incoming: PathBuf,
    begun_at_ms: i64,
    /// When it was last used, by a chunk, a rendering, or a post that refers to it.
    used_at_ms: AtomicI64,
    /// The lock is taken in order of arrival, so that the chunks of an upload are written one after the other.
    receiving: tokio::sync::Mutex<Receiving>,
    outcome: watch::Sender<Option<Outcome>>,
    /// Notified when the upload is freed, so that its rendering stops.
    gone: Notify,
}

struct Receiving {
    /// The incoming file; None once the rendering has a final result.
    file: Option<Arc<File>>,
    /// The number of received bytes, from the first on without a gap.
    held: u64,
    /// True once rendering begins. No more bytes are then accepted.
    is_whole: bool,
}

/// The limits that uploads of all users share.
#[derive(Clone, Copy)]
pub struct SharedLimits {
    /// The network address of the client.
    pub address: IpAddr,
    /// Most open uploads of one address; 0 = no limit.
    pub per_address: usize,
    /// Bytes that stay free on the disk; 0 = none.
    pub bytes_free_min: u64,
}

/// The result of opening an upload.
enum Opened {
    Open,
    /// It replaces an idle upload: one of the same user, from a closed tab or another device, or one of another user if
    /// there is no room.
    Replacing(Arc<Upload>),
    /// An upload with this name was opened first, and is used instead.
    SameName,
}

impl Upload {
    fn touch(&self, now_ms: i64) {
        self.used_at_ms.store(now_ms, Ordering::Relaxed);
    }

    /// Returns how long it was not used, in milliseconds. If the clock was set back, the time begins again.
    fn idle_ms(&self, now_ms: i64) -> i64 {
        now_ms - self.used_at_ms.fetch_min(now_ms, Ordering::Relaxed).min(now_ms)
    }

    /// Returns whether it may be freed for another upload: it is idle, and neither being rendered nor being used.
    fn may_give_way(&self, now_ms: i64) -> bool {
        let is_rendering =
            || self.receiving.try_lock().map_or(true, |receiving| receiving.is_whole) && !self.is_rendered();
        self.idle_ms(now_ms) > UPLOAD_CROWDED_YIELD_MS && !self.is_being_used() && !is_rendering()
    }

    fn picture(&self) -> Option<ReadyPicture> {
        self.outcome.borrow().as_ref().and_then(|outcome| outcome.as_ref().ok().cloned())
    }

    fn has_failed(&self) -> bool {
        matches!(&*self.outcome.borrow(), Some(Err(Refusal::NotAPicture(..))))
    }

    fn is_rendered(&self) -> bool {
        matches!(&*self.outcome.borrow(), Some(Ok(_) | Err(Refusal::NotAPicture(..))))
    }

    /// Returns whether it is becoming part of a post or a profile now.
    fn is_being_used(&self) -> bool {
        match &*self.outcome.borrow() {
            Some(Ok(picture)) => Arc::strong_count(&picture.hold) > 1,
            _ => false,
        }
    }
}

impl UploadService {
    /// Returns how many pictures are being rendered or wait to be rendered.
    #[must_use]
    pub fn picture_queue(&self) -> usize {
        self.pictures.queue()
    }

    /// Opens the service in the data folder. Removes incomplete files of an earlier run.
    ///
    /// # Errors
    /// A sentence for the host that says why it cannot start.
    pub fn open(data: &Path, program: PathBuf) -> Result<Self, String> {
        let media = data.join("media");
        let incoming = media.join(INCOMING);
        let say = |why: io::Error| format!("cannot keep pictures in {}: {why}", media.display());
        match std::fs::remove_dir_all(&incoming) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(say(why)),
            _ => {}
        }
        std::fs::create_dir_all(&incoming).and_then(|()| sync(data)).map_err(say)?;
        Ok(Self {
            media,
            pictures: PictureService::new(program),
            open: Mutex::default(),
            turns: Mutex::default(),
            last_stamp_ms: AtomicI64::new(0),
            begun: AtomicU64::new(0),
            wake: Notify::new(),
        })
    }

    /// Returns the file at a path below the media folder. The path comes from a row.
    #[must_use]
    pub fn path_of(&self, full_path: &str) -> PathBuf {
        self.media.join(full_path)
    }

    /// Returns the free bytes of the disk after all open uploads are complete.
    fn free_bytes(&self, open: &HashMap<Name, Arc<Upload>>) -> Result<u64, Error> {
        let free = disk::free_bytes(&self.media);
        let free = free.map_err(|_| Error::Broken("the disk does not say its size"))?;
        let promised =
            |upload: &Arc<Upload>| if upload.is_rendered() { 0 } else { upload.announced.size_bytes };
        let promised: u64 = open.values().map(|upload| promised(upload) + RESULT_BYTES_LIKELY).sum();
        Ok(free.saturating_sub(promised))
    }

    fn uploads(&self) -> MutexGuard<'_, HashMap<Name, Arc<Upload>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, user_id: UserId, key: Key) -> Result<Arc<Upload>, Refusal> {
        self.uploads().get(&(user_id, key.0)).cloned().ok_or(Refusal::UploadGone)
    }

    /// Returns how many bytes were received of an upload that began before; None if it did not begin.
    ///
    /// # Errors
    /// [`Refusal::KeyConflict`] if it began for another file.
    pub async fn resume(
        &self,
        user_id: UserId,
        key: Key,
        announced: &Announced,
    ) -> Result<Option<u64>, Refusal> {
        let Ok(upload) = self.find(user_id, key) else { return Ok(None) };
        if upload.announced != *announced {
            return Err(Refusal::KeyConflict);
        }
        Ok(Some(upload.receiving.lock().await.held))
    }

    /// Begins an upload within these limits. Returns false if an upload with this name began meanwhile.
    ///
    /// # Errors
    /// [`TOO_MANY_UPLOADS`] if this user has too many open uploads for this purpose and none of them is idle;
    /// a disk that is nearly full; busy; a fault.
    pub async fn begin(
        self: &Arc<Self>,
        user_id: UserId,
        key: Key,
        announced: Announced,
        limits: SharedLimits,
        readers: &Readers,
        now_ms: i64,
    ) -> Result<bool, Error> {
        // Each file gets a name of its own, because two uploads with one name may begin at the same time, and one must
        // not empty the file of the other.
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        let incoming = self.media.join(INCOMING).join(format!("{}-{}-{number}", user_id.0, hex(&key.0)));
        let path = incoming.clone();
        let file = on_disk(move || File::options().write(true).create_new(true).open(path)).await?;
        let upload = Arc::new(Upload {
            owner_id: user_id,
            address: limits.address,
            announced,
            incoming: incoming.clone(),
            begun_at_ms: now_ms,
            used_at_ms: AtomicI64::new(now_ms),
            receiving: tokio::sync::Mutex::new(Receiving {
                file: Some(Arc::new(file)),
                held: 0,
                is_whole: false,
            }),
            outcome: watch::Sender::new(None),
            gone: Notify::new(),
        });
        // Nothing is awaited after the file is opened, so the upload has begun even if the request was dropped.
        let placed = self.place(user_id, key, upload, limits, now_ms);
        match &placed {
            Ok(Opened::Open) => {}
            Ok(Opened::Replacing(idle)) => drop(self.free_in_background(idle.clone(), readers)),
            Ok(Opened::SameName) | Err(_) => remove(incoming).await,
        }
        placed.map(|placed| !matches!(placed, Opened::SameName))
    }

    fn place(
        &self,
        user_id: UserId,
        key: Key,
        upload: Arc<Upload>,
        limits: SharedLimits,
        now_ms: i64,
    ) -> Result<Opened, Error> {
        let mut open = self.uploads();
        if let Some(first) = open.get(&(user_id, key.0)) {
            let same = first.announced == upload.announced;
            return if same { Ok(Opened::SameName) } else { Err(Refusal::KeyConflict.into()) };
        }
        let bytes_free_min = limits.bytes_free_min;
        if bytes_free_min > 0 && self.free_bytes(&open)? < bytes_free_min + upload.announced.size_bytes {
            return Err(Refusal::StorageFull.into());
        }
        // A photo never replaces a picture that waits for its post.
        let purpose = upload.announced.purpose;
        let is_alike = |held: &Upload| held.owner_id == user_id && held.announced.purpose == purpose;
        let of_user = || open.iter().filter(|(_, held)| is_alike(held));
        let mut instead_of = None;
        if of_user().count() >= UPLOADS_OPEN_PER_USER {
            // A failed upload is replaced first, or else the one that was idle longest.
            let yields = of_user()
                .filter(|(_, held)| !held.is_being_used())
                .filter(|(_, held)| held.has_failed() || held.idle_ms(now_ms) > UPLOAD_YIELD_MS)
                .max_by_key(|(_, held)| (held.has_failed(), held.idle_ms(now_ms)));
            match yields {
                Some((name, _)) => instead_of = Some(*name),
                None => return Err(Refusal::Invalid(Field::PICTURES, TOO_MANY_UPLOADS).into()),
            }
        }
        let stay = open.iter().filter(|(name, _)| instead_of != Some(**name));
        let of_address = stay.filter(|(_, held)| held.address == limits.address).count();
        if limits.per_address > 0 && of_address >= limits.per_address {
            return Err(Refusal::Busy.into());
        }
        let instead_of = instead_of.and_then(|name| open.remove(&name));
        if open.len() >= UPLOADS_OPEN_MAX {
            // The new upload replaces the one that was idle longest.
            let yields = open
                .iter()
                .filter(|(_, held)| held.may_give_way(now_ms))
                .max_by_key(|(_, held)| held.idle_ms(now_ms))
                .map(|(name, _)| *name);
            let idle = yields.and_then(|name| open.remove(&name)).ok_or(Refusal::Busy)?;
            open.insert((user_id, key.0), upload);
            return Ok(Opened::Replacing(idle));
        }
        open.insert((user_id, key.0), upload);
        Ok(instead_of.map_or(Opened::Open, Opened::Replacing))
    }

    /// Receives a chunk. A chunk that does not follow the received bytes is ignored. Returns the number of received
    /// bytes.
    ///
    /// # Errors
    /// [`Refusal::UploadGone`]; [`Refusal::BadRequest`] for more bytes than announced; [`Refusal::StorageFull`]; a
    /// fault.
    pub async fn chunk(
        &self,
        user_id: UserId,
        key: Key,
        offset: u64,
        bytes: Bytes,
        now_ms: i64,
    ) -> Result<u64, Error> {
        let upload = self.find(user_id, key)?;
        let mut receiving = upload.receiving.lock().await;
        let end = offset + bytes.len() as u64;
        if bytes.is_empty() || bytes.len() > UPLOAD_CHUNK_BYTES || end > upload.announced.size_bytes {
            return Err(Refusal::BadRequest.into());
        }
        let Some(file) = receiving.file.clone() else { return Ok(receiving.held) };
        if receiving.is_whole || offset != receiving.held {
            return Ok(receiving.held);
        }
        on_disk(move || file.write_all_at(&bytes, offset)).await?;
        receiving.held = end;
        upload.touch(now_ms);
        Ok(end)
    }

    /// Renders a complete upload, and waits for the result. The rendering continues even if the request was dropped.
    ///
    /// # Errors
    /// [`Refusal::NotAPicture`]; [`Refusal::UploadGone`]; [`Refusal::BadRequest`] if bytes are missing. After
    /// [`Refusal::Busy`] and [`Refusal::StorageFull`] it can be committed again.
    pub async fn commit(self: &Arc<Self>, user_id: UserId, key: Key, now_ms: i64) -> Outcome {
        let upload = self.find(user_id, key)?;
        let mut outcome = upload.outcome.subscribe();
        {
            let mut receiving = upload.receiving.lock().await;
            if receiving.held < upload.announced.size_bytes {
                return Err(Refusal::BadRequest);
            }
            if !receiving.is_whole {
                receiving.is_whole = true;
                upload.touch(now_ms);
                upload.outcome.send_replace(None);
                let (uploads, upload) = (self.clone(), upload.clone());
                actix_web::rt::spawn(async move {
                    let rendering = AssertUnwindSafe(uploads.render(&upload, now_ms)).catch_unwind();
                    let rendered = rendering.await.unwrap_or(Err(Refusal::Fault));
                    uploads.conclude(&upload, key, rendered).await;
                });
            }
        }
        match outcome.wait_for(Option::is_some).await {
            Ok(outcome) => outcome.clone().unwrap_or(Err(Refusal::Fault)),
            Err(_) => Err(Refusal::UploadGone),
        }
    }

    async fn render(&self, upload: &Upload, now_ms: i64) -> Outcome {
        let rendering = async {
            // Each user has one rendering at a time, so that a user with many pictures does not delay others.
            let turn = self.turn_of(upload.owner_id);
            let _turn = turn.lock().await;
            let path = upload.incoming.clone();
            let opened = on_disk(move || match File::open(path) {
                Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
                opened => opened.map(Some),
            });
            // The upload was freed while it waited.
            let Some(file) = opened.await? else { return Err(Refusal::UploadGone) };
            self.rendered(file, &upload.announced).await
        };
        // If the upload is freed while it is rendered, the rendering stops and the next one can begin.
        let rendered = tokio::select! {
            rendered = rendering => rendered?,
            () = upload.gone.notified() => return Err(Refusal::UploadGone),
        };
        self.store(upload.owner_id, &upload.announced, rendered, now_ms).await
    }

    /// Renders a file that is no upload, and stores the picture. The disk keeps `bytes_free_min` free.
    ///
    /// # Errors
    /// Those of [`UploadService::commit`].
    pub async fn render_file(
        &self,
        owner_id: UserId,
        announced: &Announced,
        file: File,
        bytes_free_min: u64,
        now_ms: i64,
    ) -> Outcome {
        if bytes_free_min > 0
            && self.free_bytes(&self.uploads()).map_err(Error::into_refusal)? < bytes_free_min
        {
            return Err(Refusal::StorageFull);
        }
        let turn = self.turn_of(owner_id);
        let _turn = turn.lock().await;
        let rendered = self.rendered(file, announced).await?;
        self.store(owner_id, announced, rendered, now_ms).await
    }

    async fn rendered(&self, file: File, announced: &Announced) -> Result<Rendered, Refusal> {
        let wanted = match announced.purpose {
            Purpose::Post => Wanted::Picture,
            Purpose::Photo => Wanted::Photo,
        };
        self.pictures.render(file, wanted).await.map_err(|refused| refusal(refused, announced))
    }

    async fn store(
        &self,
        owner_id: UserId,
        announced: &Announced,
        rendered: Rendered,
        now_ms: i64,
    ) -> Outcome {
        let media = self.media.clone();
        let stem = announced.path(owner_id, self.stamp(now_ms));
        on_disk(move || store_rendered(&media, &stem, rendered)).await
    }

    fn turn_of(&self, user_id: UserId) -> Arc<tokio::sync::Mutex<()>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turn| turn.strong_count() > 0);
        let turn = turns.get(&user_id).and_then(Weak::upgrade).unwrap_or_default();
        turns.insert(user_id, Arc::downgrade(&turn));
        turn
    }

    /// Returns a timestamp that no path of this run has.
    fn stamp(&self, now_ms: i64) -> i64 {
        let next = |last: i64| Some(now_ms.max(last + 1));
        let last = self.last_stamp_ms.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        last.map_or(now_ms, |last| now_ms.max(last + 1))
    }

    async fn conclude(&self, upload: &Arc<Upload>, key: Key, outcome: Outcome) {
        let is_rendered = matches!(outcome, Ok(_) | Err(Refusal::NotAPicture(..) | Refusal::UploadGone));
        if is_rendered {
            // The original file is no longer needed.
            upload.receiving.lock().await.file = None;
            remove(upload.incoming.clone()).await;
        } else {
            // The upload may be committed again.
            upload.receiving.lock().await.is_whole = false;
        }
        let picture = outcome.as_ref().ok().cloned();
        let is_open = {
            // One lock covers both steps, so a cancel comes before them or finds the picture.
            let open = self.uploads();
            upload.outcome.send_replace(Some(outcome));
            open.get(&(upload.owner_id, key.0)).is_some_and(|held| Arc::ptr_eq(held, upload))
        };
        if let Some(picture) = picture.filter(|_| !is_open) {
            self.remove_files(picture.files.iter().map(|file| file.full_path.clone()).collect()).await;
        }
    }

    /// Returns rendered pictures, in this order.
    ///
    /// # Errors
    /// [`Refusal::UploadGone`] if one is unknown, for another purpose, not committed, or not a picture. Whether one is
    /// already used is decided when its row is written.
    pub fn ready(
        &self,
        user_id: UserId,
        keys: &[Key],
        purpose: Purpose,
        now_ms: i64,
    ) -> Result<Vec<ReadyPicture>, Refusal> {
        // The lock is held throughout, so that no upload is freed after it was found and before it counts as used.
        let open = self.uploads();
        let ready = |key: &Key| {
            let upload = open.get(&(user_id, key.0)).filter(|upload| upload.announced.purpose == purpose);
            let upload = upload.ok_or(Refusal::UploadGone)?;
            upload.touch(now_ms);
            upload.picture().ok_or(Refusal::UploadGone)
        };
        keys.iter().map(ready).collect()
    }
}

/// Returns the refusal of a picture that was not rendered.
fn refusal(refused: Refused, announced: &Announced) -> Refusal {
    match refused {
        Refused::NotAPicture(why) => {
            let fault = match why {
                Unreadable::Kind | Unreadable::Damaged => PictureFault::Unreadable,
                Unreadable::Size => PictureFault::TooManyPixels,
                Unreadable::Bomb => PictureFault::TooMuchWork,
            };
            Refusal::NotAPicture(announced.shown.clone(), fault)
        }
        // A picture that is too costly exceeds its processor time, and is refused as `NotAPicture`. A late result
        // only means that the machine is busy.
        Refused::Busy | Refused::Late => Refusal::Busy,
        Refused::Fault(why) => {
            log::error!("a picture could not be rendered: {why}");
            Refusal::Fault
        }
    }
}
