//! Uploads: pictures on their way in, in chunks over the socket, until they are part of something.
//!
//! Promises:
//! - What was acknowledged is held: after a lost connection an upload goes on where it was.
//! - Content decides what a file is; only what was re-encoded is kept, and nothing else of it.
//! - An upload is whole or not there: its files are synced and named before anything refers to them.
//! - What was sent for a post becomes no photo, nor the other way round.
//! - What nobody goes on with is freed after ten minutes; a file nothing refers to is removed.
//!
//! Never: a byte of the file as it came, served to anybody; a decode in this process.
//!
//! An upload lives in memory and on the disk beside the database, not in it: it needs no writer, and
//! a restart lets all go. Its name is made by its client, so that a retry means the same one.

pub mod desk;
mod disk;
pub mod rules;
pub mod store;
pub mod wire;

use super::files::{self, Purpose};
use super::kit::{Answer, App, Ask};
use crate::db::readers::Snapshot;
use crate::error::{Error, Field, Refusal, Sentence};
use crate::ids::UserId;
use crate::limits::{UPLOAD_CHUNK_BYTES, UPLOAD_WINDOW};
use rules::Announced;
use wire::{Begun, Canceled, Committed, Held, Request};

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// Answers what is asked about uploads.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let user_id = ask.user()?;
    let desk = &ask.app.uploads;
    match request {
        Request::Begin(begin) => {
            let purpose = begin.purpose.unwrap_or(Purpose::Post);
            let announced = Announced::parse(&begin.name, begin.size_bytes, begin.index, purpose)?;
            let offset = match desk.resume(user_id, begin.upload, &announced).await? {
                Some(held) => held,
                None => {
                    let cost = Cost::pay(user_id, announced.size_bytes, &ask)?;
                    check_room(user_id, announced.size_bytes, ask.app).await?;
                    let least = ask.app.config.disk_free_mib_min * MIB;
                    let readers = &ask.app.readers;
                    if desk.begin(user_id, begin.upload, announced, least, readers, ask.now_ms()).await? {
                        cost.stands();
                    }
                    // What begins after an account's end is seen here, what began before by the sweeper.
                    if !who_left([user_id], ask.app).await?.is_empty() {
                        desk.cancel(user_id, begin.upload, readers).await;
                        return Err(Refusal::NotSignedIn.into());
                    }
                    0
                }
            };
            let chunk_bytes = u32::try_from(UPLOAD_CHUNK_BYTES).unwrap_or(u32::MAX);
            let offset = u32::try_from(offset).unwrap_or(u32::MAX);
            Answer::of(&Begun { offset, chunk_bytes, window: UPLOAD_WINDOW })
        }
        Request::Chunk(chunk) => {
            let now_ms = ask.now_ms();
            let held = desk.chunk(user_id, chunk.upload, chunk.offset.into(), chunk.bytes, now_ms).await?;
            Answer::of(&Held { offset: u32::try_from(held).unwrap_or(u32::MAX) })
        }
        Request::Commit(commit) => {
            let picture = desk.commit(user_id, commit.upload, ask.now_ms()).await?;
            Answer::of(&Committed { width: picture.width, height: picture.height })
        }
        Request::Cancel(cancel) => {
            desk.cancel(user_id, cancel.upload, &ask.app.readers).await;
            Answer::of(&Canceled {})
        }
    }
}

/// What an upload costs its person's day. What comes to nothing before it begins costs nothing.
struct Cost<'a> {
    app: &'a App,
    user_id: UserId,
    kib: u64,
}

impl<'a> Cost<'a> {
    fn pay(user_id: UserId, size_bytes: u64, ask: &Ask<'a>) -> Result<Self, Refusal> {
        let (app, kib) = (ask.app, size_bytes.div_ceil(KIB));
        app.paces.uploads.take(user_id, ask.now_ms())?;
        if let Err(slow) = app.paces.upload_kib.take_many(user_id, kib, ask.now_ms()) {
            app.paces.uploads.give_back(&user_id);
            return Err(slow);
        }
        Ok(Self { app, user_id, kib })
    }

    fn stands(mut self) {
        self.kib = 0;
    }
}

impl Drop for Cost<'_> {
    fn drop(&mut self) {
        if self.kib > 0 {
            self.app.paces.uploads.give_back(&self.user_id);
            self.app.paces.upload_kib.give_back_many(&self.user_id, self.kib);
        }
    }
}

/// Refuses what would be more than one person may keep.
async fn check_room(user_id: UserId, size_bytes: u64, app: &App) -> Result<(), Error> {
    let most = app.config.media_mib_per_user * MIB;
    if most > 0 {
        let kept = app.readers.read(move |Snapshot { sql, .. }| files::bytes_of(sql, user_id)).await?;
        if kept + size_bytes > most {
            return Err(Refusal::Invalid(Field::Pictures, Sentence::PicturesFull).into());
        }
    }
    Ok(())
}

/// Frees what nobody goes on with, and removes the files that are doomed; with `all`, also every
/// file that nothing refers to. Returns true when somebody had one in hand just now, so that it is worth
/// looking again soon.
///
/// # Errors
/// A fault; the next sweep takes what this one left.
pub async fn sweep(app: &App, all: bool) -> Result<bool, Error> {
    app.uploads.free_idle(app.clock.now_ms(), &app.readers).await?;
    let former = who_left(app.uploads.owners(), app).await?;
    app.uploads.free_all_of(&former, &app.readers).await;
    let mut last = String::new();
    let mut in_hand = false;
    loop {
        let after = last.clone();
        let doomed = app.readers.read(move |Snapshot { sql, .. }| store::doomed(sql, &after)).await?;
        let Some(newest) = doomed.last() else { break };
        // One that cannot be removed now keeps no other from it.
        last.clone_from(newest);
        let count = doomed.len();
        let free = app.uploads.let_go_of(doomed);
        in_hand |= free.len() < count;
        let gone = app.uploads.remove_files(free).await;
        if !gone.is_empty() {
            let former = who_left(gone.iter().filter_map(|path| owner_of(path)), app).await?;
            // What they called their files goes with them.
            let work = store::Undoom { paths: gone, erases_securely: !former.is_empty() };
            app.writer.submit(Box::new(work)).await?;
            app.uploads.remove_folders_of(former).await;
        }
    }
    if all {
        app.uploads.remove_orphans(&app.readers).await?;
    }
    Ok(in_hand)
}

/// Returns those of these people whose accounts are gone.
async fn who_left(people: impl IntoIterator<Item = UserId>, app: &App) -> Result<Vec<UserId>, Error> {
    let mut people: Vec<UserId> = people.into_iter().collect();
    people.sort_unstable();
    people.dedup();
    if people.is_empty() {
        return Ok(Vec::new());
    }
    let known = people.clone();
    let here = app.readers.read(move |Snapshot { sql, .. }| store::still_here(sql, known)).await?;
    people.retain(|user_id| !here.contains(user_id));
    Ok(people)
}

/// Returns whose file this is by its path: `posts/{userId}/...`.
fn owner_of(full_path: &str) -> Option<UserId> {
    full_path.split('/').nth(1)?.parse().ok().map(UserId)
}
