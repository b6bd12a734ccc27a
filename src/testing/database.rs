//! Fixtures for the tests at the bottom of each `store.rs`: a fresh database on disk, and the real writer.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use tokio::sync::OnceCell;

use crate::authz::Viewer;
use crate::clock::Clock;
use crate::db::command::{Done, KeyUse, WriteCommand};
use crate::db::disk_floor::DiskFloor;
use crate::db::readers::{self, Readers};
use crate::db::sql::Sql;
use crate::db::writer::{self, Committed, WriterHandle};
use crate::error::{Error, Refusal};
use crate::features::events::Event;
use crate::features::key::Key;
use crate::ids::{EPOCH_MS, GroupId, LoginId, PostId, Seq, UserId, first_of};
use crate::model::stored_replies::has_right;

pub(crate) const ANA: UserId = UserId(1);
pub(crate) const BEN: UserId = UserId(2);
pub(crate) const CLEO: UserId = UserId(3);
/// The time in these tests, in milliseconds since 1970 UTC.
pub(crate) const NOW_MS: i64 = EPOCH_MS + 100 * 24 * 3_600_000;

/// The database that each test begins with. Migrations take 40 ms in a debug build, so they run once. Each test gets a
/// copy.
static FILLED_DATABASE: OnceCell<Vec<u8>> = OnceCell::const_new();

fn with_three_people(sql: Sql<'_>) -> Result<(), String> {
    for (id, name) in [(ANA, "Ana"), (BEN, "Ben"), (CLEO, "Cleo")] {
        let insert =
            "insert into users (id, email, email_key, password_hash, name, created_at_ms, updated_at_ms)
                      values (?1, ?2, ?2, '', ?3, 0, 0)";
        sql.execute(insert, (id, format!("{name}@example.com"), name)).map_err(|why| why.to_string())?;
    }
    // The first start then takes the number 1, as in an empty folder.
    sql.execute("update site set seq = 0", ()).map(drop).map_err(|why| why.to_string())
}

/// A fresh database in which Ana, Ben and Cleo have accounts.
pub(crate) struct TestDatabase {
    pub(crate) writer: WriterHandle<Event>,
    pub(crate) readers: Readers,
    events: Arc<Mutex<Vec<(Seq, Event)>>>,
    folder: tempfile::TempDir,
}

/// Runs a test with a fresh database, on its own runtime.
pub(crate) fn with_database<F: Future<Output = ()>>(test: impl FnOnce(TestDatabase) -> F) {
    actix_web::rt::System::new().block_on(async move { test(TestDatabase::new().await).await });
}

pub(crate) fn viewer(user_id: UserId) -> Viewer {
    Viewer::User { user_id, login_id: LoginId(user_id.0) }
}

/// Returns the users of `people` who receive an event, in their order. If `shows`, their connections subscribe to all
/// topics of the event; otherwise to none.
pub(crate) fn receivers(event: &Event, people: &[UserId], shows: bool) -> Vec<UserId> {
    let (recipients, _) = event.publication();
    people.iter().copied().filter(|user_id| recipients.names(*user_id, |_| shows)).collect()
}

/// Returns the nth id that the writer of a test makes, counted from 1.
pub(crate) fn nth_id(n: i64) -> i64 {
    first_of(NOW_MS) + n - 1
}

/// A use of a key by a request with these parts.
pub(crate) fn key(user_id: UserId, number: u8, parts: &[&[u8]]) -> KeyUse {
    Key([number; 16]).used_by(user_id, "a request", parts)
}

impl TestDatabase {
    async fn new() -> Self {
        let database = FILLED_DATABASE.get_or_init(|| async {
            let folder = tempfile::tempdir().unwrap();
            crate::db::fill(folder.path(), with_three_people).await.unwrap();
            std::fs::read(folder.path().join("mellow.db")).unwrap()
        });
        let database = database.await;
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("mellow.db"), database).unwrap();
        let opened = crate::db::open(folder.path()).await.unwrap();
        let events = Arc::new(Mutex::new(Vec::new()));
        let publishing = events.clone();
        let publish =
            Box::new(move |committed: Committed<Event>| publishing.lock().unwrap().extend(committed.events));
        let (clock, floor) = (Clock::Manual(Arc::new(NOW_MS.into())), DiskFloor::default());
        let writer = writer::start(opened.writer, floor, clock, opened.ids, opened.seq, publish, has_right);
        Self { writer, readers: opened.readers, events, folder }
    }

    /// Submits a command to the writer. Returns the encoded value of `ok`.
    pub(crate) async fn write(&self, command: impl WriteCommand<Event = Event>) -> Result<Bytes, Refusal> {
        self.submit(command).await.map(|done| done.ok)
    }

    /// Submits a command to the writer. Returns the whole result.
    pub(crate) async fn submit<C: WriteCommand<Event = Event>>(
        &self,
        command: C,
    ) -> Result<Done<C::Value>, Refusal> {
        self.writer.submit(command).await
    }

    /// Runs a read on a reader thread, as a feature does.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(readers::Snapshot<'_>) -> Result<T, Error> + Send + 'static,
    ) -> T {
        self.readers.read(read).await.unwrap()
    }

    /// Returns the number that a query returns.
    pub(crate) async fn number(&self, sql: &'static str) -> i64 {
        self.read(move |snapshot| Ok(snapshot.sql.value(sql, ())?)).await
    }

    /// Returns the events published since the last call.
    pub(crate) fn published(&self) -> Vec<Event> {
        self.events.lock().unwrap().drain(..).map(|(_, event)| event).collect()
    }

    /// Returns the `seq` of each published event.
    pub(crate) fn seqs(&self) -> Vec<i64> {
        self.events.lock().unwrap().iter().map(|(seq, _)| seq.0).collect()
    }

    /// Executes a statement on a connection of its own, not in the writer.
    pub(crate) fn execute(&self, sql: &str) -> rusqlite::Result<usize> {
        self.connection().execute(sql, [])
    }

    /// Returns a new connection, besides that of the writer.
    pub(crate) fn connection(&self) -> rusqlite::Connection {
        let connection = rusqlite::Connection::open(self.folder.path().join("mellow.db")).unwrap();
        connection.pragma_update(None, "foreign_keys", true).unwrap();
        connection
    }

    /// Folds names on a connection of its own, as a start does.
    pub(crate) fn folds_names(&self) {
        crate::features::search::store::fold_names(crate::db::sql::Sql::new(&self.connection())).unwrap();
    }

    /// Returns the steps by which SQLite answers a query.
    pub(crate) fn plan(&self, query: &str) -> Vec<String> {
        let connection = self.connection();
        crate::db::sql::prepare(&connection).unwrap();
        let mut explained = connection.prepare(&format!("explain query plan {query}")).unwrap();
        // The arguments are not bound, because the plan is the same without them.
        explained.raw_query().mapped(|row| row.get("detail")).collect::<Result<_, _>>().unwrap()
    }

    /// Adds a public post that was made `minutes` ago.
    pub(crate) fn has_post(&self, id: i64, author_id: UserId, minutes: i64) -> PostId {
        let at_ms = NOW_MS - minutes * 60_000;
        self.execute(&format!(
            "insert into posts (id, author_id, text, created_at_ms, updated_at_ms) values ({id}, {}, 'words', {at_ms}, {at_ms})",
            author_id.0
        ))
        .unwrap();
        PostId(id)
    }
}

impl TestDatabase {
    /// Adds a user.
    pub(crate) fn has_person(&self, id: i64, name: &str) -> UserId {
        self.execute(&format!(
            "insert into users (id, email, email_key, password_hash, name, created_at_ms, updated_at_ms)
               values ({id}, '{name}', '{name}', '', '{name}', 0, 0)"
        ))
        .unwrap();
        UserId(id)
    }

    /// Adds a group with its owner and other members.
    pub(crate) fn has_group(&self, id: i64, owner_id: UserId, others: &[UserId]) -> GroupId {
        self.execute(&format!(
            "insert into groups (id, owner_id, name, created_at_ms) values ({id}, {}, 'Group {id}', 0)",
            owner_id.0
        ))
        .unwrap();
        for (number, user_id) in (1..).zip(others) {
            let at = id * 1_000 + number;
            let sql = "insert into members (group_id, user_id, id) values";
            self.execute(&format!("{sql} ({id}, {}, {at})", user_id.0)).unwrap();
        }
        GroupId(id)
    }

    /// Removes a member from a group.
    pub(crate) fn has_left(&self, group_id: GroupId, user_id: UserId) {
        let sql = "delete from members where group_id =";
        self.execute(&format!("{sql} {} and user_id = {}", group_id.0, user_id.0)).unwrap();
    }

    /// Adds a post for a group; for a deleted group if `group_id` is None.
    pub(crate) fn has_group_post(&self, id: i64, author_id: UserId, group_id: Option<GroupId>) -> PostId {
        let post_id = self.has_post(id, author_id, 5);
        let group = group_id.map_or("null".to_owned(), |group_id| group_id.0.to_string());
        self.execute(&format!("update posts set audience = 'group', group_id = {group} where id = {id}"))
            .unwrap();
        post_id
    }
}
