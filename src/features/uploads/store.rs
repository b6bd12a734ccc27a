//! The SQL of the sweeper: which files are doomed, which are known.

use bytes::Bytes;
use sqlx::SqliteConnection;

use crate::db::work::{Pending, Stage, Work};
use crate::error::Error;
use crate::features::Event;
use crate::features::views::json_of;
use crate::ids::UserId;

/// Doomed files looked at in one go.
const DOOMED_PAGE: i64 = 256;

/// Returns some files whose rows are gone, those whose paths come after `last`.
///
/// # Errors
/// A database fault.
pub async fn doomed(connection: &mut SqliteConnection, last: &str) -> Result<Vec<String>, Error> {
    let page = "select full_path from doomed_files where full_path > ?1 order by full_path limit ?2";
    let paths = sqlx::query_scalar(page).bind(last).bind(DOOMED_PAGE).fetch_all(connection).await?;
    Ok(paths)
}

/// Says whether a file has a row.
///
/// # Errors
/// A database fault.
pub async fn is_kept(connection: &mut SqliteConnection, full_path: &str) -> Result<bool, Error> {
    let kept = sqlx::query_scalar("select exists (select 1 from files where full_path = ?1)")
        .bind(full_path)
        .fetch_one(connection)
        .await?;
    Ok(kept)
}

/// Returns those of these people who have an account.
///
/// # Errors
/// A database fault.
pub async fn still_here(connection: &mut SqliteConnection, user_ids: &[i64]) -> Result<Vec<UserId>, Error> {
    let here = sqlx::query_scalar("select id from users where id in (select value from json_each(?1))")
        .bind(json_of(user_ids))
        .fetch_all(connection)
        .await?;
    Ok(here)
}

/// Forgets doomed files that are no longer on the disk.
pub struct Undoom {
    pub paths: Vec<String>,
    /// True when one of them was of somebody who is gone: then their names leave the log, too.
    pub scours: bool,
}

impl Work for Undoom {
    type Event = Event;

    fn scours(&self) -> bool {
        self.scours
    }

    fn weight_bytes(&self) -> usize {
        self.paths.iter().map(String::len).sum()
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            for path in &self.paths {
                sqlx::query("delete from doomed_files where full_path = ?1")
                    .bind(path)
                    .execute(&mut *stage.connection)
                    .await?;
            }
            Ok(Bytes::new())
        })
    }
}
