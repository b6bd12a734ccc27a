//! The work of imports that takes long: reading files, writing posts, and deleting those of an import that is undone. Each
//! is a task of its own, and does one thing at a time for the whole server.
//!
//! - A file is read on a thread of low priority.
//! - Posts are written one by one, with their pictures, behind the requests, pictures and writes of others. The imports of
//!   several users take turns.
//! - What fails is tried again later. Nothing of it is in memory alone: after a restart the rows say what there is to do.

use std::fs::File;
use std::io::BufReader;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, oneshot};

use super::reader::{Archive, Found, FoundPicture, FoundPost, NoPicture, Reason, Unreadable};
use super::store::post::{self, Added};
use super::wire::{FileRefusal, FirstPost, LeftOut, LeftOutReason, Preview};
use super::{rules, store};
use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::features::context::App;
use crate::features::posts::rules::{NewPost, parse_alt};
use crate::features::uploads;
use crate::features::uploads::disk::on_disk;
use crate::ids::{ImportId, UserId, ms_of};
use crate::limits::{
    IMPORT_CHECK_MS, IMPORT_FIRST_CHARS_MAX, IMPORT_FIRST_POSTS, IMPORT_LOOKED_FOR_AT_ONCE, IMPORT_NICENESS,
    IMPORT_PROGRESS_MS, IMPORT_TURN_MS, IMPORT_WAIT_CHECK_MS, IMPORT_WAIT_MS_MAX, PICTURES_PER_POST,
};
use crate::model::files::ReadyPicture;
use crate::text;

/// A picture of a post, with its description.
type Described = (ReadyPicture, String);
/// An archive, whose pictures are read on blocking threads.
type SharedArchive = Arc<Mutex<Archive<BufReader<File>>>>;

/// A file that was read.
struct Opened {
    archive: SharedArchive,
    found: Arc<Found>,
}

/// Starts the tasks on this thread.
pub fn start_here(app: &Arc<App>) {
    let [reading, importing, deleting] = [app.clone(), app.clone(), app.clone()];
    actix_web::rt::spawn(async move {
        let mut last = ImportId(0);
        repeat(&reading.imports.to_read, async || read_next(&reading, &mut last).await).await;
    });
    actix_web::rt::spawn(async move {
        let mut last = ImportId(0);
        repeat(&importing.imports.to_import, async || import_next(&importing, &mut last).await).await;
    });
    actix_web::rt::spawn(async move {
        repeat(&deleting.imports.to_delete, async || delete_next(&deleting).await).await;
    });
}

/// Repeats a step as long as the server runs: at once while it had something to do, otherwise when woken or after a
/// while. After a failure it waits, longer each time.
async fn repeat(wake: &Notify, mut step: impl AsyncFnMut() -> Result<bool, Error>) {
    let mut failures = 0_u32;
    loop {
        let pause_ms = match step().await {
            Ok(true) => {
                failures = 0;
                continue;
            }
            Ok(false) => {
                failures = 0;
                IMPORT_CHECK_MS
            }
            Err(why) => {
                log::warn!("the work of an import goes on later: {why}");
                failures = failures.saturating_add(1);
                rules::again_ms(failures)
            }
        };
        let pause = Duration::from_millis(pause_ms);
        if failures > 0 {
            tokio::time::sleep(pause).await;
        } else {
            // The next round begins in either case.
            let _ = tokio::time::timeout(pause, wake.notified()).await;
        }
    }
}

/// Reads the next file, and stores what was found in it. `last` is the import whose file was read before. Returns false
/// if there is none.
async fn read_next(app: &App, last: &mut ImportId) -> Result<bool, Error> {
    let before = *last;
    let next = app.readers.read(move |Snapshot { sql, .. }| store::next_to_read(sql, before)).await?;
    let Some((id, user_id)) = next else { return Ok(false) };
    // A file that the disk does not give keeps nobody else waiting.
    *last = id;
    match open(id, app).await? {
        Ok(Opened { found, .. }) => {
            let is_here = already_here(user_id, &found, app).await?;
            let space_left = uploads::space_left(user_id, app).await?;
            let preview = preview_of(&found, &is_here, space_left);
            app.writer.submit(store::Show { id, source: found.source.into(), preview }).await?;
        }
        Err(refusal) => {
            app.writer.submit(store::Refuse { id, refusal }).await?;
            app.uploads.wake.notify_one();
        }
    }
    Ok(true)
}

/// Reads the file of an import, or returns why it is refused. A file that is not there, in a restored backup for example,
/// is like a broken one.
async fn open(id: ImportId, app: &App) -> Result<Result<Opened, FileRefusal>, Error> {
    let _turn = app.imports.reading.lock().await;
    let Some(file) = app.imports.open_file(id).await? else { return Ok(Err(FileRefusal::Broken)) };
    // Each reading finds the same posts, because it asks what was written before the import began.
    let began_ms = ms_of(id.0);
    let (done, reading) = oneshot::channel();
    let begun = std::thread::Builder::new().name("import".into()).spawn(move || {
        // The thread runs at the usual priority if the host forbids this.
        let _ = rustix::process::nice(IMPORT_NICENESS);
        let _ = done.send(read(file, began_ms));
    });
    begun.map_err(|_| Error::Broken("no thread reads the file of an import"))?;
    let why = match reading.await.unwrap_or(Err(Unreadable::Broken)) {
        Ok(opened) => return Ok(Ok(opened)),
        Err(why) => why,
    };
    FileRefusal::of(why).map(Err).ok_or_else(|| {
        log::error!("the file of an import could not be read: {why}");
        Refusal::Fault.into()
    })
}

fn read(file: File, began_ms: i64) -> Result<Opened, Unreadable> {
    let mut archive = Archive::open(BufReader::new(file))?;
    let found = archive.read(began_ms)?;
    Ok(Opened { archive: Arc::new(Mutex::new(archive)), found: Arc::new(found) })
}

/// Returns which of the posts in a file their author has already.
async fn already_here(user_id: UserId, found: &Arc<Found>, app: &App) -> Result<Vec<bool>, Error> {
    let mut is_here: Vec<bool> = Vec::with_capacity(found.posts.len());
    while is_here.len() < found.posts.len() {
        let (of, from) = (found.clone(), is_here.len());
        let some = app
            .readers
            .read(move |Snapshot { sql, .. }| {
                let end = of.posts.len().min(from + IMPORT_LOOKED_FOR_AT_ONCE);
                store::already_here(sql, user_id, of.source, &of.posts[from..end])
            })
            .await?;
        is_here.extend(some);
    }
    Ok(is_here)
}

/// Returns what an import would write. Its user may keep `space_left` more bytes of pictures. Those that exceed this, by
/// their sizes in the file, are left out, as they would be when they are imported.
fn preview_of(found: &Found, is_here: &[bool], mut space_left: u64) -> Preview {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let mut is_kept = |picture: &&FoundPicture| {
        let left = space_left.checked_sub(picture.bytes);
        space_left = left.unwrap_or(space_left);
        left.is_some()
    };
    let (mut new, mut pictures, mut pictures_left_out) =
        (Vec::<&FoundPost>::new(), 0, found.pictures_left_out);
    let mut reasons = found.left_out.clone();
    for (post, _) in found.posts.iter().zip(is_here).filter(|(_, is_here)| !**is_here) {
        let kept = post.pictures.iter().filter(&mut is_kept).count();
        if post.is_pictures_alone && kept == 0 {
            *reasons.entry(Reason::Empty).or_default() += 1;
            continue;
        }
        new.push(post);
        pictures += kept;
        pictures_left_out += count(post.pictures.len() - kept);
    }
    let mut left_out: Vec<LeftOut> =
        reasons.into_iter().map(|(reason, count)| LeftOut { reason: reason.into(), count }).collect();
    let here = is_here.iter().filter(|is_here| **is_here).count();
    if here > 0 {
        left_out.push(LeftOut { reason: LeftOutReason::AlreadyHere, count: count(here) });
    }
    let first = new.iter().take(IMPORT_FIRST_POSTS).map(|post| FirstPost {
        text: text::shorten(&post.text, IMPORT_FIRST_CHARS_MAX).into_owned(),
        at_ms: post.created_at_ms,
    });
    Preview {
        posts: count(new.len()),
        pictures: count(pictures),
        from_ms: new.first().map_or(0, |post| post.created_at_ms),
        to_ms: new.last().map_or(0, |post| post.created_at_ms),
        left_out,
        pictures_left_out,
        first: first.collect(),
    }
}

/// Writes posts of the next import, for a turn. `last` is the import that had the turn before. Returns false if there is
/// no import.
async fn import_next(app: &App, last: &mut ImportId) -> Result<bool, Error> {
    let before = *last;
    let next = app.readers.read(move |Snapshot { sql, .. }| post::next(sql, before)).await?;
    let Some(work) = next else { return Ok(false) };
    *last = work.id;
    let turn = take_turn(work, app).await;
    app.imports.set_held_up(work.id, turn.is_err());
    if turn.is_err() {
        // If this fails too, the page of the user says so when it is opened again.
        let _ = app.writer.submit(post::PublishPaused { work }).await;
    }
    turn.map(|()| true)
}

async fn take_turn(work: post::Work, app: &App) -> Result<(), Error> {
    if let Ok(opened) = open(work.id, app).await?
        && !import(work, &opened, app).await?
    {
        return Ok(());
    }
    app.writer.submit(store::End { id: work.id }).await?;
    app.uploads.wake.notify_one();
    Ok(())
}

/// Writes posts of an import, for a turn. Returns whether the import is over.
async fn import(work: post::Work, opened: &Opened, app: &App) -> Result<bool, Error> {
    let is_here = already_here(work.user_id, &opened.found, app).await?;
    let turn = Instant::now();
    let mut last_progress = turn;
    let posts = (1..).zip(opened.found.posts.iter().zip(is_here)).skip(work.position);
    for (position, (found, _)) in posts.filter(|(_, (_, is_here))| !is_here) {
        if turn.elapsed() > Duration::from_millis(IMPORT_TURN_MS) {
            return Ok(false);
        }
        give_way(app).await;
        let pictures = match pictures_of(found, work.user_id, opened, app).await {
            // What is left can be imported another day.
            Err(Error::Refused(Refusal::SlowDown(_))) => return Ok(true),
            pictures => pictures?,
        };
        if found.is_pictures_alone && pictures.is_empty() {
            // Otherwise a turn that meets only such posts would begin again with the same ones, for ever.
            let begun = Instant::now();
            app.writer.submit(post::Pass { id: work.id, position }).await?;
            rest(begun).await;
            continue;
        }
        let (title, tag, note) = (found.title.as_deref(), found.tag.as_deref(), found.note.as_deref());
        // The reader returns only posts that the rules accept.
        let Ok(new) = NewPost::parse(title, &found.text, tag, note) else { continue };
        let tells = last_progress.elapsed() > Duration::from_millis(IMPORT_PROGRESS_MS);
        if tells {
            last_progress = Instant::now();
        }
        let files = paths_of(&pictures);
        let begun = Instant::now();
        let added = app
            .writer
            .submit(post::Add {
                id: work.id,
                position,
                key: rules::key_of(opened.found.source, found),
                new,
                created_at_ms: found.created_at_ms,
                updated_at_ms: found.updated_at_ms,
                pictures,
                tells,
            })
            .await
            .map(|done| done.value);
        if !matches!(added, Ok(Some(Added::Yes))) {
            // No row has them.
            app.uploads.remove_files(files).await;
        }
        match added? {
            Some(Added::Yes | Added::Known) => rest(begun).await,
            Some(Added::NotShared) => return Ok(true),
            Some(Added::Stopped) | None => return Ok(false),
        }
    }
    Ok(true)
}

/// Returns the pictures of a post that can be kept, rendered and stored. The others are left out.
async fn pictures_of(
    post: &FoundPost,
    user_id: UserId,
    opened: &Opened,
    app: &App,
) -> Result<Vec<Described>, Error> {
    let mut ready: Vec<Described> = Vec::new();
    for (index, picture) in (0..).zip(post.pictures.iter().take(PICTURES_PER_POST)) {
        give_way(app).await;
        match picture_of(index, picture, user_id, opened, app).await {
            Ok(Some(rendered)) => {
                ready.push((rendered, parse_alt(picture.description.as_deref()).unwrap_or_default()));
            }
            Ok(None) => {}
            Err(why) => {
                app.uploads.remove_files(paths_of(&ready)).await;
                return Err(why);
            }
        }
    }
    Ok(ready)
}

/// Renders a picture and stores it. Returns None if it is left out. [`Refusal::SlowDown`] ends the import: its pictures
/// take too much work.
async fn picture_of(
    index: u8,
    picture: &FoundPicture,
    user_id: UserId,
    opened: &Opened,
    app: &App,
) -> Result<Option<ReadyPicture>, Error> {
    let (archive, entry) = (opened.archive.clone(), picture.entry.clone());
    let empty = app.imports.picture_file();
    let unpacked = on_disk(move || {
        let mut file = empty()?;
        let mut archive = archive.lock().unwrap_or_else(PoisonError::into_inner);
        match archive.picture(&entry, &mut file) {
            Ok(bytes) => Ok(Some((file, bytes))),
            Err(NoPicture::LeftOut) => Ok(None),
            Err(NoPicture::Io(why)) => Err(why),
        }
    });
    let Some((file, bytes)) = unpacked.await? else { return Ok(None) };
    let size_bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
    match uploads::render_imported(user_id, index, file, size_bytes, app).await {
        Ok(rendered) => Ok(Some(rendered)),
        // The picture is not the reason, so it is tried again, or the import ends.
        Err(Error::Refused(
            why @ (Refusal::Busy | Refusal::StorageFull | Refusal::Fault | Refusal::SlowDown(_)),
        )) => Err(why.into()),
        Err(Error::Refused(_)) => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// Returns the paths of the files of pictures.
fn paths_of(pictures: &[Described]) -> Vec<String> {
    let files = pictures.iter().flat_map(|(picture, _)| &picture.files);
    files.map(|file| file.full_path.clone()).collect()
}

/// Deletes some posts of an import that is undone. Returns false if there is none.
async fn delete_next(app: &App) -> Result<bool, Error> {
    let next = app.readers.read(|Snapshot { sql, .. }| store::next_to_delete(sql)).await?;
    let Some(id) = next else { return Ok(false) };
    give_way(app).await;
    let begun = Instant::now();
    let is_over = app.writer.submit(post::DeleteSome { id }).await?.value == Some(true);
    if is_over {
        // The files of the pictures, and an import of the same user that waited.
        app.uploads.wake.notify_one();
        app.imports.to_import.notify_one();
    }
    rest(begun).await;
    Ok(true)
}

/// Waits while others have requests, writes or pictures that are not done, for some seconds at most.
async fn give_way(app: &App) {
    let are_others_busy = || {
        app.writer.load().commands.load(Ordering::Relaxed) > 0
            || app.readers.waiting() > 0
            || app.uploads.picture_queue() > 0
    };
    let begun = Instant::now();
    while are_others_busy() && begun.elapsed() < Duration::from_millis(IMPORT_WAIT_MS_MAX) {
        tokio::time::sleep(Duration::from_millis(IMPORT_WAIT_CHECK_MS)).await;
    }
}

/// Rests after a write that began then.
async fn rest(begun: Instant) {
    let took_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    tokio::time::sleep(Duration::from_millis(rules::rest_ms(took_ms))).await;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::reader::Source;
    use super::*;

    fn post(at_ms: i64, text: &str, pictures: usize) -> FoundPost {
        let picture = FoundPicture { entry: "media/a.jpg".into(), bytes: 10, description: None };
        FoundPost {
            source_id: at_ms.to_string(),
            created_at_ms: at_ms,
            updated_at_ms: None,
            title: None,
            text: text.into(),
            is_pictures_alone: false,
            tag: None,
            note: None,
            pictures: vec![picture; pictures],
        }
    }

    #[test]
    fn d_w4_a_preview_says_what_is_new_and_why_the_rest_is_left_out() {
        let long = "a".repeat(300);
        let posts = vec![post(1, "one", 1), post(2, &long, 0), post(3, "three", 2), post(4, "four", 0)];
        let found = Found {
            source: Source::Mastodon,
            posts,
            left_out: BTreeMap::from([(Reason::NotPublicThere, 7), (Reason::Poll, 1)]),
            pictures_left_out: 2,
        };
        let preview = preview_of(&found, &[true, false, false, true], u64::MAX);
        assert_eq!((preview.posts, preview.pictures, preview.from_ms, preview.to_ms), (2, 2, 2, 3));
        let left_out: Vec<_> = preview.left_out.iter().map(|one| (one.reason, one.count)).collect();
        let expected =
            [(LeftOutReason::NotPublic, 7), (LeftOutReason::Polls, 1), (LeftOutReason::AlreadyHere, 2)];
        assert_eq!((left_out.as_slice(), preview.pictures_left_out), (&expected[..], 2));
        assert_eq!(
            preview.first.iter().map(|first| first.text.chars().count()).collect::<Vec<_>>(),
            [200, 5]
        );

        let nothing = preview_of(&found, &[true; 4], u64::MAX);
        assert_eq!((nothing.posts, nothing.from_ms, nothing.to_ms, nothing.first.len()), (0, 0, 0, 0));
        assert_eq!(nothing.left_out.last().map(|one| one.count), Some(4));
    }

    #[test]
    fn d_w2_a_preview_counts_the_pictures_for_which_their_user_has_no_space() {
        let alone = FoundPost { is_pictures_alone: true, ..post(2, "A heron", 2) };
        let found = Found {
            source: Source::Mellow,
            posts: vec![post(1, "one", 2), alone, post(3, "three", 1)],
            left_out: BTreeMap::new(),
            pictures_left_out: 4,
        };
        for (space_left, posts, pictures, pictures_left_out, empty) in
            [(u64::MAX, 3, 5, 4, 0), (50, 3, 5, 4, 0), (49, 3, 4, 5, 0), (25, 2, 2, 5, 1), (0, 2, 0, 7, 1)]
        {
            let preview = preview_of(&found, &[false; 3], space_left);
            let left_out: Vec<_> = preview.left_out.iter().map(|one| (one.reason, one.count)).collect();
            assert_eq!(
                (preview.posts, preview.pictures, preview.pictures_left_out),
                (posts, pictures, pictures_left_out)
            );
            assert_eq!(left_out, [(LeftOutReason::Empty, empty)][usize::from(empty == 0)..], "{space_left}");
        }
    }
}
