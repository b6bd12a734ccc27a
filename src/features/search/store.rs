//! The SQL of search: one range over the index of names.

use sqlx::SqliteConnection;

use super::rules::end_of_range;
use super::wire::Found;
use crate::error::Error;
use crate::ids::UserId;
use crate::limits::SEARCH_RESULTS;

/// Returns people whose names begin with the term, in the order of names.
///
/// # Errors
/// A database fault.
pub async fn page(
    connection: &mut SqliteConnection,
    term: &str,
    viewer_id: UserId,
) -> Result<Vec<Found>, Error> {
    let users = sqlx::query_as(
        "select id, name, bio, photo_url from users
          where name >= ?1 and name < coalesce(?2, x'') and id <> ?3
          order by name, id limit ?4",
    )
    .bind(term)
    .bind(end_of_range(term))
    .bind(viewer_id)
    .bind(SEARCH_RESULTS)
    .fetch_all(connection)
    .await?;
    Ok(users)
}
