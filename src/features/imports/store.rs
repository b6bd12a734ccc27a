//! The SQL of imports: their phases. [`post`] writes a post of an import, and deletes those of one that is undone.
//!
//! An import that was refused, canceled or undone, or that wrote nothing, has no row any more.

pub mod post;

use super::reader::{self, FoundPost};
use super::rules::{key_of, percent};
use super::wire::{Changed, Counts, Ended, FileRefusal, Import, Outcome, PastImport, Phase, Preview, Source};
use crate::authz::sql::is_there;
use crate::authz::{self, Viewer};
use crate::db::command::{KeyUse, Transaction, WriteCommand, deletes, keyed};
use crate::db::sql::Sql;
use crate::error::{Error, Refusal};
use crate::features::events::Event;
use crate::features::posts::store::imported;
use crate::ids::{ImportId, Seq, UserId};
use crate::limits::{IMPORTS_LISTED_MAX, KEY_BYTES};
use crate::model::audience::Audience;
use crate::model::groups::is_member_of;
use crate::reply::Done;

/// Reads the import of a user that is not over.
const CURRENT: &str = "select id, phase, file_bytes, source, preview, done, total from imports
     where user_id = ?1 and phase not in ('done', 'undoing')";

/// Returns the import of a user that is not over.
///
/// # Errors
/// A database fault.
pub fn current(sql: Sql<'_>, user_id: UserId) -> Result<Option<Import>, Error> {
    type Row = (ImportId, Phase, i64, Option<Source>, Option<String>, i64, i64);
    let row: Option<Row> = sql.optional_row(CURRENT, (user_id,))?;
    let Some((id, phase, file_bytes, source, preview, done, total)) = row else { return Ok(None) };
    let preview = preview.map(|preview| serde_json::from_str(&preview)).transpose();
    let preview: Option<Preview> = preview.map_err(|_| Error::Broken("a preview is not what was stored"))?;
    let progress = if phase == Phase::Importing { percent(done, total) } else { 0 };
    Ok(Some(Import { id, phase, progress, source, preview, done, total, paused: false, file_bytes }))
}

/// Returns the imports of a user whose posts are here, newest first.
///
/// # Errors
/// A database fault.
pub fn past(sql: Sql<'_>, user_id: UserId) -> Result<Vec<PastImport>, Error> {
    let rows: Vec<(ImportId, Source, i64, i64)> = sql.rows(
        "select i.id, i.source, i.done, i.started_at_ms from imports i
          where i.user_id = ?1 and i.phase = 'done' and exists (select 1 from posts p where p.import_id = i.id)
          order by i.id desc limit ?2",
        (user_id, IMPORTS_LISTED_MAX),
    )?;
    Ok(rows.into_iter().map(|(id, source, posts, at_ms)| PastImport { id, source, posts, at_ms }).collect())
}

/// Returns the size of the file that a user announced, while it is sent; None if there is no such import.
///
/// # Errors
/// A database fault.
pub fn announced(sql: Sql<'_>, user_id: UserId, id: ImportId) -> Result<Option<u64>, Error> {
    let file_bytes: Option<i64> = sql.optional_value(
        "select file_bytes from imports where id = ?1 and user_id = ?2 and phase = 'uploading'",
        (id, user_id),
    )?;
    Ok(file_bytes.map(|file_bytes| u64::try_from(file_bytes).unwrap_or(0)))
}

/// Returns what an undo would delete; None if there is nothing to undo.
///
/// # Errors
/// A database fault.
pub fn counts(sql: Sql<'_>, user_id: UserId, id: ImportId, seq: Seq) -> Result<Option<Counts>, Error> {
    let is_done: bool = sql.value(
        "select exists (select 1 from imports where id = ?1 and user_id = ?2 and phase = 'done')",
        (id, user_id),
    )?;
    if !is_done {
        return Ok(None);
    }
    let (posts, comments): (i64, i64) =
        sql.row("select count(*), coalesce(sum(comments_count), 0) from posts where import_id = ?1", (id,))?;
    Ok(Some(Counts { posts, comments, seq }))
}

/// Returns which of these posts their author has already: imported before, or written here (D-W9).
///
/// # Errors
/// A database fault.
pub fn already_here(
    sql: Sql<'_>,
    user_id: UserId,
    source: reader::Source,
    posts: &[FoundPost],
) -> Result<Vec<bool>, Error> {
    posts.iter().map(|post| is_here(sql, user_id, source, post)).collect()
}

fn is_here(sql: Sql<'_>, user_id: UserId, source: reader::Source, post: &FoundPost) -> Result<bool, Error> {
    let is_imported: bool = sql.value(
        concat!(
            "select exists (select 1 from posts p where p.author_id = ?1 and p.import_key = ?2 and ",
            is_there!("p"),
            ")"
        ),
        (user_id, key_of(source, post)),
    )?;
    let own_id: Option<i64> = post.source_id.parse().ok().filter(|_| source == reader::Source::Mellow);
    let Some(own_id) = own_id.filter(|_| !is_imported) else { return Ok(is_imported) };
    // An archive of Mellow has dates to the second.
    let is_own = sql.value(
        concat!(
            "select exists (select 1 from posts p where p.id = ?1 and p.author_id = ?2
                               and p.created_at_ms / 1000 = ?3 and p.title is ?4 and p.text = ?5 and ",
            is_there!("p"),
            ")"
        ),
        (own_id, user_id, post.created_at_ms / 1_000, &post.title, &post.text),
    )?;
    Ok(is_own)
}

/// Returns the imports that are not over and began before this time.
///
/// # Errors
/// A database fault.
pub fn begun_before(sql: Sql<'_>, before_ms: i64) -> Result<Vec<ImportId>, Error> {
    Ok(sql.values(
        "select id from imports where phase in ('uploading', 'reading', 'preview', 'importing') and created_at_ms < ?1",
        (before_ms,),
    )?)
}

/// Returns the imports that have a file.
///
/// # Errors
/// A database fault.
pub fn with_file(sql: Sql<'_>) -> Result<Vec<ImportId>, Error> {
    Ok(sql.values(
        "select id from imports where phase in ('uploading', 'reading', 'preview', 'importing')",
        (),
    )?)
}

/// Returns the next import whose file is to be read, and its user: the first one after the import `after`, or else the
/// first of all.
///
/// # Errors
/// A database fault.
pub fn next_to_read(sql: Sql<'_>, after: ImportId) -> Result<Option<(ImportId, UserId)>, Error> {
    Ok(sql.optional_row(
        "select id, user_id from imports where phase = 'reading' order by id <= ?1, id limit 1",
        (after,),
    )?)
}

/// Returns the next import of which posts are to be deleted.
///
/// # Errors
/// A database fault.
pub fn next_to_delete(sql: Sql<'_>) -> Result<Option<ImportId>, Error> {
    Ok(sql.optional_value("select id from imports where phase = 'undoing' order by id limit 1", ())?)
}

/// Publishes the state of a user's imports to the user.
fn publish(
    transaction: &mut Transaction<'_, Event>,
    user_id: UserId,
    ended: Option<Ended>,
) -> Result<(), Error> {
    publish_end(transaction, user_id, ended, false)
}

/// Like [`publish`]. `takes_posts` says that the end took posts from everybody.
fn publish_end(
    transaction: &mut Transaction<'_, Event>,
    user_id: UserId,
    ended: Option<Ended>,
    takes_posts: bool,
) -> Result<(), Error> {
    let current = current(transaction.sql, user_id)?;
    let changed = Changed { current, ended, user_id, is_progress: false, takes_posts };
    transaction.publish(Event::ImportsChanged(changed));
    Ok(())
}

/// Deletes an import that wrote nothing.
fn delete(sql: Sql<'_>, id: ImportId) -> Result<(), Error> {
    sql.execute("delete from imports where id = ?1", (id,))?;
    Ok(())
}

/// Makes all posts of an import gone for everybody, in this commit. [`post::DeleteSome`] deletes them.
fn withdraw(transaction: &mut Transaction<'_, Event>, id: ImportId) -> Result<(), Error> {
    transaction.sql.execute("update imports set phase = 'undoing' where id = ?1", (id,))?;
    imported::withdraw(transaction, id)
}

/// Begins an import. The same key again changes nothing. One that is still sent gives way to it.
pub struct Begin {
    pub key: [u8; KEY_BYTES],
    pub user_id: UserId,
    pub file_bytes: i64,
}

impl WriteCommand for Begin {
    type Event = Event;
    /// The import, and the one that gave way to it.
    type Value = (ImportId, Option<ImportId>);

    fn apply(
        &mut self,
        transaction: &mut Transaction<'_, Event>,
    ) -> Result<(ImportId, Option<ImportId>), Error> {
        let (sql, user_id) = (transaction.sql, self.user_id);
        let before: Option<(ImportId, Phase, [u8; KEY_BYTES], i64)> = sql.optional_row(
            "select id, phase, key, file_bytes from imports where user_id = ?1 and phase not in ('done', 'undoing')",
            (user_id,),
        )?;
        let gives_way = match before {
            Some((_, phase, ..)) if phase != Phase::Uploading => return Err(Refusal::ImportBusy.into()),
            Some((id, _, key, file_bytes)) if key == self.key => {
                if file_bytes != self.file_bytes {
                    return Err(Refusal::KeyConflict.into());
                }
                transaction.changes_nothing();
                return Ok((id, None));
            }
            Some((id, ..)) => {
                delete(sql, id)?;
                Some(id)
            }
            None => None,
        };
        let id = ImportId(transaction.new_id());
        sql.execute(
            "insert into imports (id, user_id, key, phase, file_bytes, created_at_ms)
               values (?1, ?2, ?3, 'uploading', ?4, ?5)",
            (id, user_id, self.key, self.file_bytes, transaction.now_ms),
        )?;
        publish(transaction, user_id, None)?;
        Ok((id, gives_way))
    }
}

/// Notes that a file is complete and is to be read.
pub struct Read {
    pub key: KeyUse,
    pub user_id: UserId,
    pub id: ImportId,
}

impl WriteCommand for Read {
    type Event = Event;
    type Value = Done;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let read = transaction.sql.execute(
            "update imports set phase = 'reading' where id = ?1 and user_id = ?2 and phase = 'uploading'",
            (self.id, self.user_id),
        )?;
        if read == 0 {
            return Err(Refusal::NotFound.into());
        }
        publish(transaction, self.user_id, None)?;
        Ok(Done { seq: transaction.seq() })
    }
}

/// Stores what was found in a file. An import that was canceled meanwhile stays canceled.
pub struct Show {
    pub id: ImportId,
    pub source: Source,
    pub preview: Preview,
}

impl WriteCommand for Show {
    type Event = Event;
    type Value = ();

    fn is_housekeeping(&self) -> bool {
        true
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
        let preview =
            serde_json::to_string(&self.preview).map_err(|_| Error::Broken("a preview cannot be stored"))?;
        let user_id: Option<UserId> = transaction.sql.optional_value(
            "update imports set phase = 'preview', source = ?2, preview = ?3, total = ?4
              where id = ?1 and phase = 'reading' returning user_id",
            (self.id, self.source, preview, self.preview.posts),
        )?;
        user_id.map_or(Ok(()), |user_id| publish(transaction, user_id, None))
    }
}

/// Ends an import whose file cannot be read.
pub struct Refuse {
    pub id: ImportId,
    pub refusal: FileRefusal,
}

impl WriteCommand for Refuse {
    type Event = Event;
    type Value = ();

    fn is_housekeeping(&self) -> bool {
        true
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
        let user_id: Option<UserId> = transaction.sql.optional_value(
            "delete from imports where id = ?1 and phase = 'reading' returning user_id",
            (self.id,),
        )?;
        let ended = Ended { id: self.id, result: Outcome::Refused, posts: 0, refusal: Some(self.refusal) };
        user_id.map_or(Ok(()), |user_id| publish(transaction, user_id, Some(ended)))
    }
}

/// Begins to write the posts of an import, for this audience.
pub struct Start {
    pub key: KeyUse,
    pub viewer: Viewer,
    pub user_id: UserId,
    pub id: ImportId,
    pub audience: Audience,
}

impl WriteCommand for Start {
    type Event = Event;
    type Value = Done;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let (sql, audience) = (transaction.sql, self.audience);
        if !may_share(sql, self.viewer, self.user_id, audience)? {
            return Err(Refusal::NotFound.into());
        }
        let started = sql.execute(
            "update imports set phase = 'importing', preview = null, audience = ?3, group_id = ?4, started_at_ms = ?5
              where id = ?1 and user_id = ?2 and phase = 'preview'",
            (self.id, self.user_id, audience.word(), audience.group_id(), transaction.now_ms),
        )?;
        if started == 0 {
            return Err(Refusal::NotFound.into());
        }
        publish(transaction, self.user_id, None)?;
        Ok(Done { seq: transaction.seq() })
    }
}

/// Returns whether a user may share something with this audience now.
fn may_share(sql: Sql<'_>, viewer: Viewer, user_id: UserId, audience: Audience) -> Result<bool, Error> {
    let is_member = match audience.group_id() {
        Some(group_id) => is_member_of(sql, group_id, user_id)?,
        None => false,
    };
    Ok(authz::may_share_with(viewer, audience.fact(is_member)))
}

/// Ends an import that is not over. What it wrote is undone.
pub struct Cancel {
    pub key: KeyUse,
    pub user_id: UserId,
    pub id: ImportId,
}

impl WriteCommand for Cancel {
    type Event = Event;
    type Value = Done;

    keyed!();

    deletes!(Content);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let row: Option<(Phase, i64)> = transaction.sql.optional_row(
            "select phase, done from imports where id = ?1 and user_id = ?2 and phase not in ('done', 'undoing')",
            (self.id, self.user_id),
        )?;
        let (phase, posts) = row.ok_or(Refusal::NotFound)?;
        match phase {
            Phase::Uploading | Phase::Reading | Phase::Preview => delete(transaction.sql, self.id)?,
            Phase::Importing => withdraw(transaction, self.id)?,
        }
        let ended = Ended { id: self.id, result: Outcome::Canceled, posts: 0, refusal: None };
        publish_end(transaction, self.user_id, Some(ended), posts > 0)?;
        Ok(Done { seq: transaction.seq() })
    }
}

/// Ends an import at the end of its work, or a day after its file came. The posts that it wrote stay.
pub struct End {
    pub id: ImportId,
}

impl WriteCommand for End {
    type Event = Event;
    type Value = ();

    fn is_housekeeping(&self) -> bool {
        true
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
        let (sql, id) = (transaction.sql, self.id);
        let row: Option<(UserId, Phase, i64)> = sql.optional_row(
            "select user_id, phase, done from imports where id = ?1 and phase not in ('done', 'undoing')",
            (id,),
        )?;
        let Some((user_id, phase, posts)) = row else { return Ok(()) };
        if posts > 0 {
            sql.execute("update imports set phase = 'done' where id = ?1", (id,))?;
        } else {
            delete(sql, id)?;
        }
        let result = if phase == Phase::Importing { Outcome::Done } else { Outcome::Canceled };
        publish(transaction, user_id, Some(Ended { id, result, posts, refusal: None }))
    }
}

/// Undoes an import: its posts are gone for everybody.
pub struct Undo {
    pub key: KeyUse,
    pub user_id: UserId,
    pub id: ImportId,
}

impl WriteCommand for Undo {
    type Event = Event;
    type Value = Done;

    keyed!();

    deletes!(Content);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let posts: Option<i64> = transaction.sql.optional_value(
            "select done from imports where id = ?1 and user_id = ?2 and phase = 'done'",
            (self.id, self.user_id),
        )?;
        let posts = posts.ok_or(Refusal::NotFound)?;
        withdraw(transaction, self.id)?;
        let ended = Ended { id: self.id, result: Outcome::Undone, posts, refusal: None };
        publish_end(transaction, self.user_id, Some(ended), true)?;
        Ok(Done { seq: transaction.seq() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Loss;
    use crate::testing::database::{ANA, key, with_database};

    #[test]
    fn only_an_end_that_takes_posts_away_makes_everybody_read_again() {
        with_database(|db| async move {
            for (number, phase, done) in [
                (1, "uploading", 0),
                (2, "reading", 0),
                (3, "importing", 0),
                (4, "importing", 5),
                (5, "done", 5),
            ] {
                db.execute(&format!(
                    "insert into imports
                       (id, user_id, key, phase, file_bytes, source, audience, done, created_at_ms, started_at_ms)
                       values ({number}, 1, zeroblob(16), '{phase}', 9, 'mellow', 'public', {done}, 0, 0)"
                ))
                .unwrap();
                let (user_id, id) = (ANA, ImportId(i64::from(number)));
                let key = key(ANA, number, &[]);
                let ended = match phase {
                    "done" => db.write(Undo { key, user_id, id }).await,
                    _ => db.write(Cancel { key, user_id, id }).await,
                };
                ended.unwrap();
                let published = db.published();
                let [changed] = &published[..] else { panic!("{published:?}") };
                assert_eq!(changed.publication().1.loss, (done > 0).then_some(Loss::Any), "{phase} {done}");
            }
        });
    }
}
