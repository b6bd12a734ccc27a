//! SQL on one connection. Statements are prepared once and cached. Arguments and rows are plain Rust values.
//!
//! Readers and the writer share this type, so a query that both need exists once.

use rusqlite::types::{FromSql, ToSqlOutput, Value};
use rusqlite::{Connection, OptionalExtension, Params, Row, ToSql};

/// The result of SQLite.
pub type Result<T> = rusqlite::Result<T>;

/// Prepared statements that a connection caches, enough for all statements of Mellow.
pub const STATEMENTS_KEPT: usize = 512;

/// Prepares a connection: makes room for all statements, and allows lists as arguments.
///
/// # Errors
/// An error of SQLite.
pub fn prepare(connection: &Connection) -> Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    rusqlite::vtab::array::load_module(connection)
}

/// A connection to run statements on.
///
/// Arguments are numbered (`?1`) and given as a tuple: `(user_id, now_ms)`; one argument is `(user_id,)`.
#[derive(Clone, Copy)]
pub struct Sql<'c>(&'c Connection);

/// A row as a value: a tuple of its columns in order, or a struct with [`from_row!`].
pub trait FromRow: for<'a> TryFrom<&'a Row<'a>, Error = rusqlite::Error> {}

impl<T> FromRow for T where T: for<'a> TryFrom<&'a Row<'a>, Error = rusqlite::Error> {}

impl<'c> Sql<'c> {
    /// Wraps a connection that was given to [`prepare`].
    #[must_use]
    pub fn new(connection: &'c Connection) -> Self {
        Self(connection)
    }

    /// Runs a statement. Returns the number of rows that it changed.
    ///
    /// # Errors
    /// An error of SQLite.
    pub fn execute(self, sql: &str, arguments: impl Params) -> Result<usize> {
        self.0.prepare_cached(sql)?.execute(arguments)
    }

    /// Returns the only row.
    ///
    /// # Errors
    /// There is no row; an error of SQLite.
    pub fn row<T: FromRow>(self, sql: &str, arguments: impl Params) -> Result<T> {
        self.0.prepare_cached(sql)?.query_row(arguments, |row| T::try_from(row))
    }

    /// Returns the first row, if there is one.
    ///
    /// # Errors
    /// An error of SQLite.
    pub fn optional_row<T: FromRow>(self, sql: &str, arguments: impl Params) -> Result<Option<T>> {
        self.row(sql, arguments).optional()
    }

    /// Returns every row.
    ///
    /// # Errors
    /// An error of SQLite.
    pub fn rows<T: FromRow>(self, sql: &str, arguments: impl Params) -> Result<Vec<T>> {
        self.0.prepare_cached(sql)?.query_map(arguments, |row| T::try_from(row))?.collect()
    }

    /// Returns the first column of the only row.
    ///
    /// # Errors
    /// There is no row; an error of SQLite.
    pub fn value<T: FromSql>(self, sql: &str, arguments: impl Params) -> Result<T> {
        self.0.prepare_cached(sql)?.query_row(arguments, |row| row.get(0))
    }

    /// Returns the first column of the first row, if there is one.
    ///
    /// # Errors
    /// An error of SQLite.
    pub fn optional_value<T: FromSql>(self, sql: &str, arguments: impl Params) -> Result<Option<T>> {
        self.value(sql, arguments).optional()
    }

    /// Returns the first column of the rows whose other columns, which are texts, fulfil a condition, at most `limit`.
    /// Null counts as an empty text. It is for conditions that SQL cannot express. Rows are read one by one,
    /// none after the last one that is returned, and their texts are not copied.
    ///
    /// # Errors
    /// An error of SQLite.
    pub fn values_where<T: FromSql>(
        self,
        sql: &str,
        arguments: impl Params,
        limit: usize,
        is_wanted: impl Fn(&[&str]) -> bool,
    ) -> Result<Vec<T>> {
        let mut statement = self.0.prepare_cached(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query(arguments)?;
        let mut values = Vec::new();
        while values.len() < limit
            && let Some(row) = rows.next()?
        {
            let text = |column: usize| -> Result<&str> {
                Ok(row.get_ref(column)?.as_str_or_null()?.unwrap_or_default())
            };
            if is_wanted(&(1..columns).map(text).collect::<Result<Vec<_>>>()?) {
                values.push(row.get(0)?);
            }
        }
        Ok(values)
    }

    /// Returns the first column of every row.
    ///
    /// # Errors
    /// An error of SQLite.
    pub fn values<T: FromSql>(self, sql: &str, arguments: impl Params) -> Result<Vec<T>> {
        self.0.prepare_cached(sql)?.query_map(arguments, |row| row.get(0))?.collect()
    }
}

/// A list as one argument: `where id in rarray(?1)`.
///
/// The array type of rusqlite 0.39 is not used, because rusqlite frees it as a pointer without a type, which leaks its
/// values.
#[derive(Debug)]
pub struct List(Vec<Value>);

impl FromIterator<Value> for List {
    fn from_iter<T: IntoIterator<Item = Value>>(values: T) -> Self {
        Self(values.into_iter().collect())
    }
}

impl ToSql for List {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        // `rarray` expects this name of a pointer type. The statement frees the values.
        Ok(ToSqlOutput::new_boxed(self.0.clone(), c"rarray"))
    }
}

/// Returns numbers or ids as a list argument.
#[must_use]
pub fn list<T: Into<i64>>(numbers: impl IntoIterator<Item = T>) -> List {
    numbers.into_iter().map(|number| Value::Integer(number.into())).collect()
}

/// Reads a struct from a row: each field from the column of its name.
macro_rules! from_row {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl TryFrom<&rusqlite::Row<'_>> for $name {
            type Error = rusqlite::Error;

            fn try_from(row: &rusqlite::Row<'_>) -> std::result::Result<Self, Self::Error> {
                Ok(Self { $($field: row.get(stringify!($field))?),* })
            }
        }
    };
}
pub(crate) use from_row;

/// Stores an enum as its word ([`named`](crate::wire::named)).
macro_rules! kept_as_text {
    ($name:ident) => {
        impl rusqlite::ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
                Ok(self.word().into())
            }
        }

        impl rusqlite::types::FromSql for $name {
            fn column_result(value: rusqlite::types::ValueRef<'_>) -> rusqlite::types::FromSqlResult<Self> {
                Self::of_word(value.as_str()?).ok_or(rusqlite::types::FromSqlError::InvalidType)
            }
        }
    };
}
pub(crate) use kept_as_text;

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Pet {
        name: String,
        legs: Option<i64>,
    }
    from_row!(Pet { name, legs });

    fn connection() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        prepare(&connection).unwrap();
        connection
            .execute_batch("create table pets (id integer primary key, name text, legs integer)")
            .unwrap();
        connection
            .execute_batch("insert into pets values (1, 'Rex', 4), (2, 'Kaa', null), (3, 'Tweety', 2)")
            .unwrap();
        connection
    }

    #[test]
    fn rows_are_tuples_or_structs_by_the_names_of_their_columns() {
        let connection = connection();
        let sql = Sql::new(&connection);
        let pets: Vec<(i64, String)> = sql.rows("select id, name from pets where legs > ?1", (2,)).unwrap();
        assert_eq!(pets, [(1, "Rex".to_owned())]);
        let kaa: Option<Pet> = sql.optional_row("select legs, name from pets where id = ?1", (2,)).unwrap();
        assert_eq!(kaa, Some(Pet { name: "Kaa".into(), legs: None }));
        assert_eq!(sql.optional_row::<Pet>("select legs, name from pets where id = ?1", (9,)).unwrap(), None);
        assert!(sql.row::<Pet>("select name from pets", ()).is_err(), "a column is missing");
    }

    #[test]
    fn rows_are_read_until_enough_of_them_fulfil_a_condition() {
        let connection = connection();
        let sql = Sql::new(&connection);
        let seen = std::cell::RefCell::new(Vec::new());
        let query = "select id, name, case when legs > 2 then 'walks' end from pets order by id";
        let found: Vec<i64> = sql
            .values_where(query, (), 1, |texts| {
                seen.borrow_mut().push(texts.join(" "));
                texts[1].is_empty()
            })
            .unwrap();
        assert_eq!((found, seen.into_inner()), (vec![2], vec!["Rex walks".into(), "Kaa ".into()]));
        assert_eq!(sql.values_where::<i64>(query, (), 9, |_| true).unwrap(), [1, 2, 3]);
        assert!(sql.values_where::<i64>("select id, legs from pets", (), 9, |_| true).is_err(), "no text");
    }

    #[test]
    fn a_list_is_freed_after_its_statement_ran() {
        let connection = connection();
        let sql = Sql::new(&connection);
        let memory_mib = || {
            let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
            statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4_096 / 1_048_576
        };
        let before = memory_mib();
        // A value takes 24 bytes, so 480 MB remain if nothing is freed. Other tests of this process take less.
        for _ in 0..4_000 {
            sql.value::<bool>("select exists(select 1 from rarray(?1))", (list(0..5_000),)).unwrap();
        }
        assert!(memory_mib() < before + 240, "{} and then {} MiB", before, memory_mib());
    }

    #[test]
    fn a_list_is_one_argument() {
        let connection = connection();
        let sql = Sql::new(&connection);
        let named = |ids: &[i64]| {
            sql.values::<String>(
                "select name from pets where id in rarray(?1) order by id",
                (list(ids.iter().copied()),),
            )
        };
        assert_eq!(named(&[3, 1]).unwrap(), ["Rex", "Tweety"]);
        assert!(named(&[]).unwrap().is_empty());
        assert_eq!(sql.value::<i64>("select count(*) from pets", ()).unwrap(), 3);
        assert_eq!(sql.optional_value::<i64>("select id from pets where name = ?1", ("Tom",)).unwrap(), None);
    }
}
