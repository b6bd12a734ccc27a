//! The schema of a database, compared with the one that the migrations make.
//!
//! A database can come from a backup that somebody else held. A trigger in it would run with the next write, and a
//! table could lack the rules that the program relies on, so a database is used only if its schema is the one that its
//! number says.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::sql::Sql;
use super::{MIGRATIONS, has_table, unreadable};

/// The number of the newest schema.
pub fn newest() -> i64 {
    MIGRATIONS.last().map_or(0, |(version, _, _)| *version)
}

/// Checks that the database has the schema of its number. Returns this number; None for a new database. Nothing is
/// written.
///
/// # Errors
/// One line that names a difference, or says that the schema is newer than this program.
pub fn check(sql: Sql<'_>) -> Result<Option<i64>, String> {
    let has_number = has_table(sql, "_sqlx_migrations").map_err(unreadable)?;
    let number: Option<i64> = match has_number {
        true => sql.value("select max(version) from _sqlx_migrations", ()).map_err(unreadable)?,
        false => None,
    };
    if let Some(number) = number.filter(|number| *number > newest()) {
        return Err(newer(number));
    }
    let found = items(sql).map_err(unreadable)?;
    let expected = made_by_migrations(number.unwrap_or(0)).map_err(unreadable)?;
    let names = found.keys().chain(expected.keys());
    let different = names.into_iter().find(|name| found.get(*name) != expected.get(*name));
    match different {
        None => Ok(number),
        Some((kind, name)) => Err(format!(
            "its schema is not the one that Mellow makes ({kind} {name}); restore a backup that nobody changed"
        )),
    }
}

/// Says that a schema is newer than this program.
pub fn newer(number: i64) -> String {
    format!("it was made by a newer Mellow (schema {number}); please update this program")
}

/// Each item of a schema, by kind and name, with its statement, as it was made. Line breaks matter, because they end
/// comments, and so do spaces, because texts have some.
type Items = BTreeMap<(String, String), Option<String>>;

fn items(sql: Sql<'_>) -> rusqlite::Result<Items> {
    // The table of applied migrations belongs to sqlx, and SQLite keeps statistics in the others.
    let rows: Vec<(String, String, Option<String>)> = sql.rows(
        "select type, name, sql from sqlite_master
          where not (type = 'table' and name in ('_sqlx_migrations', 'sqlite_stat1', 'sqlite_stat4'))
            and not (type = 'index' and name = 'sqlite_autoindex__sqlx_migrations_1' and sql is null)",
        (),
    )?;
    Ok(rows.into_iter().map(|(kind, name, statement)| ((kind, name), statement)).collect())
}

fn made_by_migrations(number: i64) -> rusqlite::Result<Items> {
    let connection = Connection::open_in_memory()?;
    connection.pragma_update(None, "foreign_keys", "on")?;
    for (_, _, statements) in MIGRATIONS.iter().filter(|(version, _, _)| *version <= number) {
        connection.execute_batch(statements)?;
    }
    items(Sql::new(&connection))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a database with this schema, after the statements of somebody else.
    fn database(number: i64, statements: &str) -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("create table _sqlx_migrations (version bigint primary key)").unwrap();
        for (version, _, migration) in MIGRATIONS.iter().filter(|(version, _, _)| *version <= number) {
            connection.execute_batch(migration).unwrap();
            connection.execute("insert into _sqlx_migrations values (?1)", (version,)).unwrap();
        }
        connection.execute_batch(statements).unwrap();
        connection
    }

    #[test]
    fn a_database_of_each_schema_is_known_by_its_number() {
        for (number, _, _) in MIGRATIONS {
            assert_eq!(check(Sql::new(&database(*number, ""))), Ok(Some(*number)));
        }
        assert_eq!(check(Sql::new(&Connection::open_in_memory().unwrap())), Ok(None));
        let analysed = database(newest(), "analyze");
        assert_eq!(check(Sql::new(&analysed)), Ok(Some(newest())));
    }

    #[test]
    fn a_rule_that_somebody_moved_into_the_comment_above_it_is_noticed() {
        let changed = database(newest(), "");
        let rule = "-- Nobody is told of their own doing.";
        changed.pragma_update(None, "writable_schema", "on").unwrap();
        let joined =
            "update sqlite_master set sql = replace(sql, ?1 || char(10), ?1) where name = 'notifications'";
        assert_eq!(changed.execute(joined, (rule,)).unwrap(), 1);
        let why = check(Sql::new(&changed)).unwrap_err();
        assert!(why.contains("table notifications"), "{why}");
    }

    #[test]
    fn a_schema_that_somebody_changed_is_refused_with_the_name_of_the_difference() {
        for (number, change, part) in [
            (1, "create trigger spy after update on site begin select 1; end", "trigger spy"),
            (newest(), "create trigger spy after delete on logins begin select 1; end", "trigger spy"),
            (newest(), "create view everything as select * from users", "view everything"),
            (newest(), "create table more (id)", "table more"),
            (newest(), "drop trigger users_letters_doomed", "trigger users_letters_doomed"),
            (newest(), "drop index notifications_unread", "index notifications_unread"),
            (newest(), "alter table users add column spy text default (random())", "table users"),
            (newest(), "insert into _sqlx_migrations values (9999)", "newer Mellow (schema 9999)"),
            (newest(), "delete from _sqlx_migrations where version > 3", "(index "),
        ] {
            let why = check(Sql::new(&database(number, change))).unwrap_err();
            assert!(why.contains(part), "{change}: {why}");
        }
    }
}
