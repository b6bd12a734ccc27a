//! The SQL of search. The exact search reads a range of the index of names. Close matches and the list of people read
//! the index of the search keys of names in order.

use super::rules::end_of_range;
use super::wire::{Directory, Found, Place};
use crate::authz;
use crate::db::sql::{Sql, from_row, list};
use crate::error::Error;
use crate::ids::{Seq, UserId};
use crate::limits::{CLOSE_MATCHES, PEOPLE_PAGE, SEARCH_RESULTS};
use crate::text;

from_row!(Found { id, name, bio, photo_url, followed });

/// The columns of [`Found`], for `users u` and the viewer `?1`.
macro_rules! found {
    () => {
        concat!("u.id, u.name, u.bio, u.photo_url, ", authz::sql::is_followed!("?1", "u.id"), " as followed")
    };
}

/// Reads close matches. The search keys of names are read from the index alone; rows are read only for those that
/// match.
///
/// Arguments: 1 the viewer, 2 the search key of the term, 3 the ids that are left out, 4 the number of rows.
const CLOSE: &str = concat!(
    "select ",
    found!(),
    " from (select id from users
             where listed = 1 and name_key is not null and id <> ?1
               and (instr(' ' || name_key, ' ' || ?2) > 0 or instr(name_key, '-' || ?2) > 0)
               and id not in (select value from rarray(?3)) and ",
    authz::sql::may_meet!("users.id", "?1"),
    "
             order by name_key, id limit ?4) k
      cross join users u on u.id = k.id"
);

/// Reads a page of the list of people.
///
/// Arguments: 1 the viewer, 2 and 3 the place before the page, 4 the number of rows.
const DIRECTORY: &str = concat!(
    "select ",
    found!(),
    " from users u where u.listed = 1 and (u.name_key, u.id) > (?2, ?3) and u.id <> ?1 and ",
    authz::sql::may_meet!("u.id", "?1"),
    "
      order by u.name_key, u.id limit ?4"
);

/// Returns users whose names begin with the term, in the order of names.
///
/// # Errors
/// A database fault.
pub fn page(sql: Sql<'_>, term: &str, viewer_id: UserId) -> Result<Vec<Found>, Error> {
    let users = sql.rows(
        concat!(
            "select ",
            found!(),
            " from users u where u.name >= ?2 and u.name < coalesce(?3, x'') and u.id <> ?1 and ",
            authz::sql::may_meet!("u.id", "?1"),
            "
              order by u.name, u.id limit ?4"
        ),
        (viewer_id, term, end_of_range(term), SEARCH_RESULTS),
    )?;
    Ok(users)
}

/// Returns listed users who have a word in their name that begins with the term, whatever its capitals and accents, in
/// the order of search keys. The users in `but` are left out.
///
/// # Errors
/// A database fault.
pub fn close(sql: Sql<'_>, term: &str, viewer_id: UserId, but: &[Found]) -> Result<Vec<Found>, Error> {
    let key = text::search_key(term);
    // A term of accents alone has an empty key. Every key begins with it, so without this check it would find
    // everybody.
    if key.is_empty() {
        return Ok(Vec::new());
    }
    let but = list(but.iter().map(|found| found.id));
    Ok(sql.rows(CLOSE, (viewer_id, key, but, CLOSE_MATCHES))?)
}

/// Returns a page of the listed users, in the order of search keys.
///
/// # Errors
/// A database fault.
pub fn directory(
    sql: Sql<'_>,
    after: Option<&Place>,
    viewer_id: UserId,
    seq: Seq,
) -> Result<Directory, Error> {
    let (name_key, id) = after.map_or(("", UserId(0)), |place| (place.name_key.as_str(), place.id));
    let mut users: Vec<Found> = sql.rows(DIRECTORY, (viewer_id, name_key, id, PEOPLE_PAGE + 1))?;
    let has_more = users.len() > PEOPLE_PAGE;
    users.truncate(PEOPLE_PAGE);
    let place = |last: &Found| Place { name_key: text::search_key(&last.name), id: last.id };
    let next = users.last().filter(|_| has_more).map(place);
    Ok(Directory { users, next, seq })
}

/// Fills in the search keys of names that are missing, after an upgrade or if another program filled the folder.
///
/// # Errors
/// A database fault.
pub fn fold_names(sql: Sql<'_>) -> Result<(), Error> {
    sql.execute("begin immediate", ())?;
    let names: Vec<(i64, String)> = sql.rows("select id, name from users where name_key is null", ())?;
    for (id, name) in names {
        sql.execute("update users set name_key = ?2 where id = ?1", (id, text::search_key(&name)))?;
    }
    sql.execute("commit", ())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::readers::Snapshot;
    use crate::testing::database::{ANA, with_database};

    #[test]
    fn the_list_of_people_and_the_close_matches_read_an_index_in_order() {
        with_database(|db| async move {
            for query in [DIRECTORY, CLOSE] {
                let plan = db.plan(query);
                assert!(plan.iter().any(|step| step.contains("users_listed")), "{plan:#?}");
                assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{plan:#?}");
            }
        });
    }

    #[test]
    fn a_name_that_was_not_folded_is_listed_once_it_is() {
        with_database(|db| async move {
            let listed = || {
                db.read(|Snapshot { sql, seq }| {
                    let page = directory(sql, None, ANA, seq)?;
                    Ok(page.users.into_iter().map(|user| user.name).collect::<Vec<_>>())
                })
            };
            assert_eq!(listed().await, [""; 0]);
            db.folds_names();
            assert_eq!(listed().await, ["Ben", "Cleo"]);
        });
    }
}
