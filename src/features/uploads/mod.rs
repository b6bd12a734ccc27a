//! Uploads: pictures that are sent in chunks over the socket, before a post or a profile uses them.
//!
//! Guarantees:
//! - Acknowledged bytes are kept. After a lost connection, an upload continues where it was.
//! - The content decides the type of a file. Only the picture that the server encoded again is kept, and nothing else
//!   of the file.
//! - An upload is complete or absent: its files are synced and named before a row refers to them.
//! - An upload for a post cannot become a photo, nor the reverse.
//! - An idle upload is freed after ten minutes. A file without a row is removed.
//!
//! Never here: a byte of the original file that is sent to anybody, or a picture that is decoded in this process.
//!
//! An upload is kept in memory and in a file, not in the database, so it needs no writer, and a restart frees all
//! uploads. The client chooses the name of an upload, so that a retry refers to the same one.

pub mod disk;
pub mod rules;
pub mod service;
pub mod store;
pub mod wire;

use std::fs::File;

use crate::db::readers::Snapshot;
use crate::error::{Error, Field, PictureFault, Refusal};
use crate::features::context::{App, RequestContext};
use crate::ids::UserId;
use crate::limits::{PICTURES_FULL, UPLOAD_CHUNK_BYTES, UPLOAD_WINDOW};
use crate::model::files::{self, Purpose, ReadyPicture};
use crate::reply::Reply;
use rules::Announced;
use service::SharedLimits;
use wire::{Begun, Canceled, Committed, Held, Request};

/// The name of each picture of an import. A name of an archive is in no path (D-W10).
const IMPORTED: &str = "picture";
const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// Handles a request about uploads.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let user_id = context.user()?;
    let uploads = &context.app.uploads;
    match request {
        Request::Begin(begin) => {
            let purpose = begin.purpose.unwrap_or(Purpose::Post);
            let announced = Announced::parse(&begin.name, begin.size_bytes, begin.index, purpose)?;
            let offset = match uploads.resume(user_id, begin.upload, &announced).await? {
                Some(held) => held,
                None => {
                    let cost = Cost::pay(user_id, announced.size_bytes, &context)?;
                    check_space(user_id, announced.size_bytes, context.app).await?;
                    let settings = &context.app.settings;
                    let limits = SharedLimits {
                        address: context.address,
                        per_address: usize::try_from(settings.uploads_per_address).unwrap_or(usize::MAX),
                        bytes_free_min: settings.disk_free_mib_min * MIB,
                    };
                    let readers = &context.app.readers;
                    if uploads
                        .begin(user_id, begin.upload, announced, limits, readers, context.now_ms())
                        .await?
                    {
                        cost.keep();
                    }
                    // The account may have been deleted meanwhile. The sweeper frees its earlier uploads; this upload
                    // is freed here.
                    if !deleted_users([user_id], context.app).await?.is_empty() {
                        uploads.cancel(user_id, begin.upload, readers).await;
                        return Err(Refusal::NotSignedIn.into());
                    }
                    0
                }
            };
            let chunk_bytes = u32::try_from(UPLOAD_CHUNK_BYTES).unwrap_or(u32::MAX);
            let offset = u32::try_from(offset).unwrap_or(u32::MAX);
            Reply::of(&Begun { offset, chunk_bytes, window: UPLOAD_WINDOW })
        }
        Request::Chunk(chunk) => {
            let now_ms = context.now_ms();
            let held = uploads.chunk(user_id, chunk.upload, chunk.offset.into(), chunk.bytes, now_ms).await?;
            Reply::of(&Held { offset: u32::try_from(held).unwrap_or(u32::MAX) })
        }
        Request::Commit(commit) => {
            let picture = uploads.commit(user_id, commit.upload, context.now_ms()).await?;
            Reply::of(&Committed { width: picture.width, height: picture.height })
        }
        Request::Cancel(cancel) => {
            uploads.cancel(user_id, cancel.upload, &context.app.readers).await;
            Reply::of(&Canceled {})
        }
    }
}

/// The cost of an upload in the daily limits of its user. It is given back if the upload cannot begin.
struct Cost<'a> {
    app: &'a App,
    user_id: UserId,
    kib: u64,
}

impl<'a> Cost<'a> {
    fn pay(user_id: UserId, size_bytes: u64, context: &RequestContext<'a>) -> Result<Self, Refusal> {
        let (app, kib) = (context.app, size_bytes.div_ceil(KIB));
        app.rate_limiters.uploads.take(user_id, context.now_ms())?;
        if let Err(slow) = app.rate_limiters.upload_kib.take_many(user_id, kib, context.now_ms()) {
            app.rate_limiters.uploads.give_back(&user_id);
            return Err(slow);
        }
        Ok(Self { app, user_id, kib })
    }

    fn keep(mut self) {
        self.kib = 0;
    }
}

impl Drop for Cost<'_> {
    fn drop(&mut self) {
        if self.kib > 0 {
            self.app.rate_limiters.uploads.give_back(&self.user_id);
            self.app.rate_limiters.upload_kib.give_back_many(&self.user_id, self.kib);
        }
    }
}

/// Returns how many more bytes of pictures a user may keep; [`u64::MAX`] if there is no limit.
///
/// # Errors
/// A fault.
pub async fn space_left(user_id: UserId, app: &App) -> Result<u64, Error> {
    let most = app.settings.media_mib_per_user * MIB;
    if most == 0 {
        return Ok(u64::MAX);
    }
    let kept = app.readers.read(move |Snapshot { sql, .. }| files::bytes_of(sql, user_id)).await?;
    Ok(most.saturating_sub(kept))
}

/// Refuses an upload that exceeds the space of its user.
async fn check_space(user_id: UserId, size_bytes: u64, app: &App) -> Result<(), Error> {
    if size_bytes > space_left(user_id, app).await? {
        return Err(Refusal::Invalid(Field::PICTURES, PICTURES_FULL).into());
    }
    Ok(())
}

/// Renders the picture of a post that its author imports, for the place `index` of the post, within the space of its
/// author. Its limits per day are those of imports, but one that takes too much work counts like an upload: an archive may
/// have thousands of them.
///
/// # Errors
/// [`Refusal::Busy`], [`Refusal::StorageFull`] or a fault: another attempt may help. [`Refusal::SlowDown`]: the author
/// has no upload left for a picture that took too much work. Any other refusal is about the picture or the space of its
/// author, and final.
pub async fn render_imported(
    user_id: UserId,
    index: u8,
    file: File,
    size_bytes: u32,
    app: &App,
) -> Result<ReadyPicture, Error> {
    let announced = Announced::parse(IMPORTED, size_bytes, index, Purpose::Post)?;
    check_space(user_id, announced.size_bytes, app).await?;
    let bytes_free_min = app.settings.disk_free_mib_min * MIB;
    let now_ms = app.clock.now_ms();
    let rendered = app.uploads.render_file(user_id, &announced, file, bytes_free_min, now_ms).await;
    if matches!(rendered, Err(Refusal::NotAPicture(_, PictureFault::TooMuchWork))) {
        app.rate_limiters.uploads.take(user_id, now_ms)?;
    }
    Ok(rendered?)
}

/// Frees idle uploads, and removes files that are queued for removal. If `all`, also removes files without a row.
/// Returns whether a file was in use, so that another sweep should follow soon.
///
/// # Errors
/// A fault. The next sweep does the rest.
pub async fn sweep(app: &App, all: bool) -> Result<bool, Error> {
    app.uploads.free_idle(app.clock.now_ms(), &app.readers).await?;
    let former = deleted_users(app.uploads.owners(), app).await?;
    app.uploads.free_all_of(&former, &app.readers).await;
    let mut last = String::new();
    let mut in_hand = false;
    loop {
        let after = last.clone();
        let files = app.readers.read(move |Snapshot { sql, .. }| store::files_to_delete(sql, &after)).await?;
        let Some(newest) = files.last() else { break };
        // A file that cannot be removed now does not stop the removal of the others.
        last.clone_from(newest);
        let count = files.len();
        let free = app.uploads.release(files);
        in_hand |= free.len() < count;
        let gone = app.uploads.remove_files(free).await;
        if !gone.is_empty() {
            let former = deleted_users(gone.iter().filter_map(|path| owner_of(path)), app).await?;
            // `remove_files` logs an error without the path, because the path contains the file name of a user.
            let command = store::ForgetDeletedFiles { paths: gone, had_deleted_account: !former.is_empty() };
            app.writer.submit(command).await?;
            app.uploads.remove_folders_of(former).await;
        }
    }
    if all {
        app.uploads.remove_orphans(&app.readers).await?;
    }
    Ok(in_hand)
}

/// Returns which of these users' accounts were deleted.
async fn deleted_users(people: impl IntoIterator<Item = UserId>, app: &App) -> Result<Vec<UserId>, Error> {
    let mut people: Vec<UserId> = people.into_iter().collect();
    people.sort_unstable();
    people.dedup();
    if people.is_empty() {
        return Ok(Vec::new());
    }
    let known = people.clone();
    let with_account = app.readers.read(move |Snapshot { sql, .. }| store::with_account(sql, known)).await?;
    people.retain(|user_id| !with_account.contains(user_id));
    Ok(people)
}

/// Returns the owner of a file from its path, such as `posts/{userId}/...`.
fn owner_of(full_path: &str) -> Option<UserId> {
    full_path.split('/').nth(1)?.parse().ok().map(UserId)
}
