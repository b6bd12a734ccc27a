//! Imports: posts that a user wrote elsewhere and brings here, in an archive of Mellow or Mastodon.
//!
//! Guarantees:
//! - Nothing is written before the user has seen what was found, and chosen whom it is for (D-W4).
//! - Nobody but the user receives anything of an import (D-W5).
//! - Each post is imported once, also over a restart: the schema refuses a second one with the same key, and the row of an
//!   import says how far it is (D-W9).
//! - Requests, pictures and writes of others come first ([`work`]).
//! - An undo, and the cancelation of an import, is one commit for everybody who reads. The rows are deleted little by
//!   little after it (D-W8).
//! - A file is removed when its import is over, and a day after it came (D-W7).
//! - A host that has imports off takes no new ones. Those that are here can be listed, canceled and undone.
//!
//! Never here: a byte of the file that is sent to anybody, or a name in it that is a path on this machine.
//!
//! An import is a row, whose phase says what is to be done next, and a file. There is no list of its posts: the file is
//! read again when the work goes on. `store` has the phases, `service` the files, `reader` reads an archive, `work` does
//! what takes long.

pub mod reader;
pub mod rules;
pub mod service;
pub mod store;
pub mod wire;
pub mod work;

use crate::db::command::KeyUse;
use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::events::{Effects, Loss, Recipients};
use crate::features::context::{App, RequestContext};
use crate::features::events::{Publication, Publish};
use crate::features::key::Key;
use crate::ids::{ImportId, UserId, Whole};
use crate::limits::{IMPORT_FILE_LIFE_MS, UPLOAD_CHUNK_BYTES, UPLOAD_WINDOW};
use crate::reply::Reply;
use wire::{Begun, Changed, Held, Listed, Phase, Request};

/// Publishes a change to the user's own connections. Numbers alone are not replayed: the next ones follow.
impl Publish for Changed {
    fn publication(&self) -> Publication {
        // A replay would send earlier events of posts that are gone. An import that wrote none makes nobody read again.
        let loss = self.takes_posts.then_some(Loss::Any);
        let effects = Effects { is_transient: self.is_progress, loss, ..Effects::default() };
        (Recipients::users([self.user_id]), effects)
    }
}

/// Handles a request about imports.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let user_id = context.user()?;
    let app = context.app;
    let brings_posts =
        matches!(request, Request::Begin(_) | Request::Chunk(_) | Request::Read(_) | Request::Start(_));
    if brings_posts && app.settings.import_max_mb == 0 {
        return Err(Refusal::ImportsOff.into());
    }
    match request {
        Request::Begin(begin) => self::begin(begin, user_id, context).await,
        Request::Chunk(chunk) => self::chunk(chunk, user_id, context).await,
        Request::Read(read) => {
            let id = read.import_id;
            let announced =
                context.read(move |Snapshot { sql, .. }| store::announced(sql, user_id, id)).await?;
            // A repeated key gets its first reply, although the file is no longer being sent by then.
            if let Some(file_bytes) = announced
                && app.imports.held(id).await? < file_bytes
            {
                return Err(Refusal::BadRequest.into());
            }
            let command = store::Read { key: key_of(read.key, user_id, "imports.read", id), user_id, id };
            let reply = context.write(command).await?;
            app.imports.to_read.notify_one();
            Ok(reply)
        }
        Request::List(_) => {
            let (mut current, imports, seq) = context
                .read(move |Snapshot { sql, seq }| {
                    Ok((store::current(sql, user_id)?, store::past(sql, user_id)?, seq))
                })
                .await?;
            if let Some(import) = &mut current {
                if import.phase == Phase::Uploading {
                    let held = i64::try_from(app.imports.held(import.id).await?).unwrap_or(i64::MAX);
                    import.progress = rules::percent(held, import.file_bytes);
                }
                import.paused = import.phase == Phase::Importing && app.imports.is_held_up(import.id);
            }
            Reply::read(&Listed { current, imports, seq }, seq)
        }
        Request::Start(start) => {
            let (id, audience) = (start.import_id, start.audience);
            if audience.is_outside() {
                return Err(Refusal::BadRequest.into());
            }
            let parts: [&[u8]; 2] = [&id.0.to_be_bytes(), &audience.part()];
            let key = start.key.used_by(user_id, "imports.start", &parts);
            let command = store::Start { key, viewer: context.viewer, user_id, id, audience };
            let reply = context.write_limited(&app.rate_limiters.imports, command).await?;
            app.imports.to_import.notify_one();
            Ok(reply)
        }
        Request::Cancel(cancel) => {
            let id = cancel.import_id;
            let key = key_of(cancel.key, user_id, "imports.cancel", id);
            let reply = context.write(store::Cancel { key, user_id, id }).await?;
            // The sweeper removes the file. If this wake-up is lost, it runs at its next interval.
            app.uploads.wake.notify_one();
            app.imports.to_delete.notify_one();
            Ok(reply)
        }
        Request::UndoCounts(undo) => {
            context
                .read(move |Snapshot { sql, seq }| {
                    let counts = store::counts(sql, user_id, undo.import_id, seq)?;
                    Reply::read(&counts.ok_or(Refusal::NotFound)?, seq)
                })
                .await
        }
        Request::Undo(undo) => {
            let id = undo.import_id;
            let key = key_of(undo.key, user_id, "imports.undo", id);
            let reply = context.write(store::Undo { key, user_id, id }).await?;
            app.imports.to_delete.notify_one();
            Ok(reply)
        }
    }
}

fn key_of(key: Key, user_id: UserId, op: &str, id: ImportId) -> KeyUse {
    key.used_by(user_id, op, &[&id.0.to_be_bytes()])
}

async fn begin(begin: wire::Begin, user_id: UserId, context: RequestContext<'_>) -> Result<Reply, Error> {
    let app = context.app;
    let Whole(size_bytes) = begin.size_bytes;
    let file_bytes = rules::check_size(size_bytes, app.settings.import_max_mb)?;
    // A file that cannot be imported today need not be sent.
    let limiter = &app.rate_limiters.imports;
    limiter.take(user_id, context.now_ms())?;
    limiter.give_back(&user_id);
    let command = store::Begin { key: begin.key.0, user_id, file_bytes };
    let begun = context.submit(command).await?.value;
    let (id, before) = begun.ok_or(Error::Broken("an import began without an id"))?;
    if let Some(before) = before {
        // Its room may be needed for this one. No chunk of it is in hand now, and none is received any more.
        let _turn = app.imports.receiving.lock().await;
        app.imports.remove(vec![before.0.to_string()]).await?;
    }
    let offset = app.imports.held(id).await?;
    let left = u64::try_from(file_bytes).unwrap_or(0).saturating_sub(offset);
    if let Err(why) = app.imports.check_room(left, bytes_free_min(app)).await {
        // Otherwise the client would show an import that it cannot send.
        app.writer.submit(store::End { id }).await?;
        return Err(why.into());
    }
    let chunk_bytes = u32::try_from(UPLOAD_CHUNK_BYTES).unwrap_or(u32::MAX);
    Reply::of(&Begun { id, offset, chunk_bytes, window: UPLOAD_WINDOW })
}

async fn chunk(chunk: wire::Chunk, user_id: UserId, context: RequestContext<'_>) -> Result<Reply, Error> {
    let wire::Chunk { import_id: id, offset: Whole(offset), bytes } = chunk;
    let imports = &context.app.imports;
    // Requests begin in the order in which they came, and wait here in this order.
    let _turn = imports.receiving.lock().await;
    let announced = context.read(move |Snapshot { sql, .. }| store::announced(sql, user_id, id)).await?;
    let file_bytes = announced.ok_or(Refusal::NotFound)?;
    let offset = u64::try_from(offset).unwrap_or(0);
    let free_min = bytes_free_min(context.app);
    Reply::of(&Held { offset: imports.receive(id, offset, bytes, file_bytes, free_min).await? })
}

/// Returns the disk space that files leave free, in bytes.
fn bytes_free_min(app: &App) -> u64 {
    app.settings.disk_free_mib_min.saturating_mul(1024 * 1024)
}

/// Ends imports whose file came a day ago, and removes files whose import is over.
///
/// # Errors
/// A fault. The next sweep does the rest.
pub async fn sweep(app: &App) -> Result<(), Error> {
    // No row changes on a full disk. The files make room all the same.
    let ended = end_old(app).await;
    remove_files(app).await?;
    ended
}

async fn end_old(app: &App) -> Result<(), Error> {
    let before_ms = app.clock.now_ms() - IMPORT_FILE_LIFE_MS;
    for id in app.readers.read(move |Snapshot { sql, .. }| store::begun_before(sql, before_ms)).await? {
        app.writer.submit(store::End { id }).await?;
    }
    Ok(())
}

async fn remove_files(app: &App) -> Result<(), Error> {
    let mut names = app.imports.files().await?;
    if names.is_empty() {
        return Ok(());
    }
    // The rows are read after the files, because a file is made after its row.
    let kept = app.readers.read(|Snapshot { sql, .. }| store::with_file(sql)).await?;
    names.retain(|name| !name.parse().is_ok_and(|id: i64| kept.contains(&ImportId(id))));
    Ok(app.imports.remove(names).await?)
}
