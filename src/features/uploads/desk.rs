//! The desk that takes files in: one upload at a time each, held on the disk, judged elsewhere.

mod leaving;

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use bytes::Bytes;
use futures_util::FutureExt;
use tokio::sync::{Notify, watch};

use super::disk::{INCOMING, on_disk, remove, store_rendered, sync};
use super::rules::Announced;
use crate::db::readers::Readers;
use crate::error::{Error, Field, Refusal, Sentence};
use crate::features::files::{Purpose, ReadyPicture};
use crate::features::kit::{Key, hex};
use crate::ids::UserId;
use crate::limits::{
    KEY_BYTES, RESULT_BYTES_LIKELY, UPLOAD_CHUNK_BYTES, UPLOAD_JUDGED_LATE_MAX, UPLOAD_YIELD_MS,
    UPLOADS_OPEN_MAX, UPLOADS_OPEN_PER_USER,
};
use crate::pictures::desk::PictureDesk;
use crate::pictures::{Refused, Wanted};

type Name = (UserId, [u8; KEY_BYTES]);
type Outcome = Result<ReadyPicture, Refusal>;

/// The desk.
pub struct Desk {
    media: PathBuf,
    pictures: PictureDesk,
    open: Mutex<HashMap<Name, Arc<Upload>>>,
    /// Whose picture is being judged or waits for it: one of each person's at a time.
    turns: Mutex<HashMap<UserId, Weak<tokio::sync::Mutex<()>>>>,
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
    begun_at_ms: i64,
    /// When it last went on: bytes, a judgement, a post that wants it.
    used_at_ms: AtomicI64,
    /// Taken in turn, in the order of arrival: chunks of one upload never meet.
    receiving: tokio::sync::Mutex<Receiving>,
    /// Judgements that came to nothing because they took too long.
    late: AtomicU32,
    outcome: watch::Sender<Option<Outcome>>,
    /// Rung when it is let go: whoever judges it stops.
    gone: Notify,
}

struct Receiving {
    /// Open until it is judged for good.
    file: Option<Arc<File>>,
    /// Bytes from the first on, without a gap.
    held: u64,
    /// True from the moment that it is judged: nothing more comes in.
    is_whole: bool,
}

/// What became of an upload that wanted a place.
enum Placed {
    Open,
    /// Of one that its person seems to have left: in a tab that is closed, on another device.
    InsteadOf(Arc<Upload>),
    /// One of this name came first, which serves as well.
    CameFirst,
}

impl Upload {
    fn touch(&self, now_ms: i64) {
        self.used_at_ms.store(now_ms, Ordering::Relaxed);
    }

    /// Returns for how long nobody went on with it. A clock that was set back begins anew.
    fn idle_ms(&self, now_ms: i64) -> i64 {
        now_ms - self.used_at_ms.fetch_min(now_ms, Ordering::Relaxed).min(now_ms)
    }

    fn picture(&self) -> Option<ReadyPicture> {
        self.outcome.borrow().as_ref().and_then(|outcome| outcome.as_ref().ok().cloned())
    }

    fn has_failed(&self) -> bool {
        matches!(&*self.outcome.borrow(), Some(Err(Refusal::NotAPicture(_))))
    }

    fn is_judged(&self) -> bool {
        matches!(&*self.outcome.borrow(), Some(Ok(_) | Err(Refusal::NotAPicture(_))))
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
        std::fs::create_dir_all(&incoming).and_then(|()| sync(data)).map_err(say)?;
        Ok(Self {
            media,
            pictures: PictureDesk::new(program),
            open: Mutex::default(),
            turns: Mutex::default(),
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

    /// Returns how many bytes the disk has left when every open upload has come to its end.
    fn free_bytes(&self, open: &HashMap<Name, Arc<Upload>>) -> Result<u64, Error> {
        let disk = rustix::fs::statvfs(&self.media);
        let disk = disk.map_err(|_| Error::Broken("the disk does not say its size"))?;
        let promised =
            |upload: &Arc<Upload>| if upload.is_judged() { 0 } else { upload.announced.size_bytes };
        let promised: u64 = open.values().map(|upload| promised(upload) + RESULT_BYTES_LIKELY).sum();
        Ok(disk.f_bavail.saturating_mul(disk.f_frsize).saturating_sub(promised))
    }

    fn uploads(&self) -> MutexGuard<'_, HashMap<Name, Arc<Upload>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, user_id: UserId, key: Key) -> Result<Arc<Upload>, Refusal> {
        self.uploads().get(&(user_id, key.0)).cloned().ok_or(Refusal::UploadGone)
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
    ) -> Result<Option<u64>, Refusal> {
        let Ok(upload) = self.find(user_id, key) else { return Ok(None) };
        if upload.announced != *announced {
            return Err(Refusal::KeyConflict);
        }
        Ok(Some(upload.receiving.lock().await.held))
    }

    /// Begins an upload; false when one of this name was begun meanwhile. `bytes_free_min` is what the
    /// disk keeps.
    ///
    /// # Errors
    /// [`Sentence::TooManyUploads`] when this person has as many open for this purpose as one may have, and
    /// none of them was left alone for a while; a disk that is nearly full; busy; a fault.
    pub async fn begin(
        self: &Arc<Self>,
        user_id: UserId,
        key: Key,
        announced: Announced,
        bytes_free_min: u64,
        readers: &Readers,
        now_ms: i64,
    ) -> Result<bool, Error> {
        // A name of its own each time: of two that begin at once, one must not empty the other's file.
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        let incoming = self.media.join(INCOMING).join(format!("{}-{}-{number}", user_id.0, hex(&key.0)));
        let path = incoming.clone();
        let file = on_disk(move || File::options().write(true).create_new(true).open(path)).await?;
        let upload = Arc::new(Upload {
            owner_id: user_id,
            announced,
            incoming: incoming.clone(),
            begun_at_ms: now_ms,
            used_at_ms: AtomicI64::new(now_ms),
            receiving: tokio::sync::Mutex::new(Receiving {
                file: Some(Arc::new(file)),
                held: 0,
                is_whole: false,
            }),
            late: AtomicU32::new(0),
            outcome: watch::Sender::new(None),
            gone: Notify::new(),
        });
        // Once it has its place nothing more is awaited: who is gone by then has begun it all the same.
        let placed = self.place(user_id, key, upload, bytes_free_min, now_ms);
        match &placed {
            Ok(Placed::Open) => {}
            Ok(Placed::InsteadOf(idle)) => drop(self.free_by_itself(idle.clone(), readers)),
            Ok(Placed::CameFirst) | Err(_) => remove(incoming).await,
        }
        placed.map(|placed| !matches!(placed, Placed::CameFirst))
    }

    fn place(
        &self,
        user_id: UserId,
        key: Key,
        upload: Arc<Upload>,
        bytes_free_min: u64,
        now_ms: i64,
    ) -> Result<Placed, Error> {
        let mut open = self.uploads();
        if let Some(first) = open.get(&(user_id, key.0)) {
            let same = first.announced == upload.announced;
            return if same { Ok(Placed::CameFirst) } else { Err(Refusal::KeyConflict.into()) };
        }
        if bytes_free_min > 0 && self.free_bytes(&open)? < bytes_free_min + upload.announced.size_bytes {
            return Err(Refusal::StorageFull.into());
        }
        // A photo never takes the place of a picture that waits for its post.
        let purpose = upload.announced.purpose;
        let is_alike = |held: &Upload| held.owner_id == user_id && held.announced.purpose == purpose;
        let of_user = || open.iter().filter(|(_, held)| is_alike(held));
        let mut instead_of = None;
        if of_user().count() >= UPLOADS_OPEN_PER_USER {
            // What failed goes first; then what was left alone for longest.
            let yields = of_user()
                .filter(|(_, held)| !held.is_being_used())
                .filter(|(_, held)| held.has_failed() || held.idle_ms(now_ms) > UPLOAD_YIELD_MS)
                .max_by_key(|(_, held)| (held.has_failed(), held.idle_ms(now_ms)));
            match yields {
                Some((name, _)) => instead_of = Some(*name),
                None => return Err(Refusal::Invalid(Field::Pictures, Sentence::TooManyUploads).into()),
            }
        }
        let instead_of = instead_of.and_then(|name| open.remove(&name));
        if open.len() >= UPLOADS_OPEN_MAX {
            return Err(Refusal::Busy.into());
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

    /// Judges an upload of which everything is held, and waits for the judgement. It is judged to
    /// its end also when nobody waits any more.
    ///
    /// # Errors
    /// [`Refusal::NotAPicture`]; [`Refusal::UploadGone`]; `bad_request` when bytes are missing; busy
    /// and a full disk, after which it can be committed again.
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
                let (desk, upload) = (self.clone(), upload.clone());
                actix_web::rt::spawn(async move {
                    let judging = AssertUnwindSafe(desk.judge(&upload, now_ms)).catch_unwind();
                    let judged = judging.await.unwrap_or(Err(Refusal::Fault));
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
        let rendering = async {
            // One of each person's at a time, so that whoever has many keeps nobody waiting for all.
            let turn = self.turn_of(upload.owner_id);
            let _turn = turn.lock().await;
            let path = upload.incoming.clone();
            let opened = on_disk(move || match File::open(path) {
                Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
                opened => opened.map(Some),
            });
            // Let go while it waited.
            let Some(file) = opened.await? else { return Err(Refusal::UploadGone) };
            let wanted = match upload.announced.purpose {
                Purpose::Post => Wanted::Picture,
                Purpose::Photo => Wanted::Face,
            };
            self.pictures.render(file, wanted).await.map_err(|refused| self.refusal(refused, upload))
        };
        // Let go while it is rendered: its place is somebody else's at once.
        let rendered = tokio::select! {
            rendered = rendering => rendered?,
            () = upload.gone.notified() => return Err(Refusal::UploadGone),
        };
        let media = self.media.clone();
        let stem = upload.announced.path(upload.owner_id, self.stamp(now_ms));
        on_disk(move || store_rendered(&media, &stem, rendered)).await
    }

    fn refusal(&self, refused: Refused, upload: &Upload) -> Refusal {
        let is_none = || Refusal::NotAPicture(upload.announced.shown.clone());
        match refused {
            Refused::NotAPicture => is_none(),
            Refused::Busy => Refusal::Busy,
            // The machine may have had no time. Again and again, it is the picture.
            Refused::Late if upload.late.fetch_add(1, Ordering::Relaxed) + 1 < UPLOAD_JUDGED_LATE_MAX => {
                Refusal::Busy
            }
            Refused::Late => is_none(),
            Refused::Fault(why) => {
                log::error!("a picture could not be judged: {why}");
                Refusal::Fault
            }
        }
    }

    fn turn_of(&self, user_id: UserId) -> Arc<tokio::sync::Mutex<()>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turn| turn.strong_count() > 0);
        let turn = turns.get(&user_id).and_then(Weak::upgrade).unwrap_or_default();
        turns.insert(user_id, Arc::downgrade(&turn));
        turn
    }

    /// Returns a timestamp that no path has yet.
    fn stamp(&self, now_ms: i64) -> i64 {
        let next = |last: i64| Some(now_ms.max(last + 1));
        let last = self.last_stamp_ms.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        last.map_or(now_ms, |last| now_ms.max(last + 1))
    }

    async fn conclude(&self, upload: &Arc<Upload>, key: Key, outcome: Outcome) {
        let is_judged = matches!(outcome, Ok(_) | Err(Refusal::NotAPicture(_) | Refusal::UploadGone));
        if is_judged {
            // The file as it came is of no more use.
            upload.receiving.lock().await.file = None;
            remove(upload.incoming.clone()).await;
        } else {
            // It may be committed again.
            upload.receiving.lock().await.is_whole = false;
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
    /// [`Refusal::UploadGone`] when one is not known, for another purpose, not committed, or not a picture.
    /// Whether it is part of something already, its row says when it is written.
    pub fn ready(
        &self,
        user_id: UserId,
        keys: &[Key],
        purpose: Purpose,
        now_ms: i64,
    ) -> Result<Vec<ReadyPicture>, Refusal> {
        // Held over all of it: nobody lets one go between its being found and its being used.
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
