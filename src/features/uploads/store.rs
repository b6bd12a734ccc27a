//! The SQL of the sweeper: which files are doomed, which are known.

use bytes::Bytes;
use sqlx::SqliteConnection;

use crate::db::work::{Pending, Stage, Work};
use crate::error::Error;
use crate::features::Event;

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

/// Forgets doomed files that are no longer on the disk.
pub struct Undoom {
    pub paths: Vec<String>,
}

impl Work for Undoom {
    type Event = Event;

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
