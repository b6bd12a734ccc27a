//! The SQL of search: one range over the index of names.

use super::rules::end_of_range;
use super::wire::Found;
use crate::db::sql::{Sql, from_row};
use crate::error::Error;
use crate::ids::UserId;
use crate::limits::SEARCH_RESULTS;

from_row!(Found { id, name, bio, photo_url });

/// Returns users whose names begin with the term, in the order of names.
///
/// # Errors
/// A database fault.
pub fn page(sql: Sql<'_>, term: &str, viewer_id: UserId) -> Result<Vec<Found>, Error> {
    let users = sql.rows(
        "select id, name, bio, photo_url from users
          where name >= ?1 and name < coalesce(?2, x'') and id <> ?3
          order by name, id limit ?4",
        (term, end_of_range(term), viewer_id, SEARCH_RESULTS),
    )?;
    Ok(users)
}
