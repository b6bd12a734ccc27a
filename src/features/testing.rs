//! For the tests at the bottom of each `store.rs`: a fresh database on disk and the real writer.

use std::sync::{Arc, Mutex};

use bytes::Bytes;

use super::Event;
use super::kit::Key;
use super::views::has_right;
use crate::access::Viewer;
use crate::clock::Clock;
use crate::db::command::{KeyUse, WriteCommand};
use crate::db::readers::{self, Readers};
use crate::db::writer::{self, Committed, WriterHandle};
use crate::error::{Error, Refusal};
use crate::ids::{EPOCH_MS, GroupId, LoginId, PostId, Seq, UserId};

pub(crate) const ANA: UserId = UserId(1);
pub(crate) const BEN: UserId = UserId(2);
pub(crate) const CLEO: UserId = UserId(3);
/// When these stories happen.
pub(crate) const NOW_MS: i64 = EPOCH_MS + 100 * 24 * 3_600_000;

/// A fresh database in which Ana, Ben and Cleo have accounts.
pub(crate) struct Room {
    pub(crate) writer: WriterHandle<Event>,
    pub(crate) readers: Readers,
    told: Arc<Mutex<Vec<(Seq, Event)>>>,
    folder: tempfile::TempDir,
}

/// Runs a story on a runtime of its own.
pub(crate) fn told<F: Future<Output = ()>>(story: impl FnOnce(Room) -> F) {
    actix_web::rt::System::new().block_on(async move { story(Room::new().await).await });
}

pub(crate) fn viewer(user_id: UserId) -> Viewer {
    Viewer::User { user_id, login_id: LoginId(user_id.0) }
}

/// Returns who of these receives an event, in their order, when they subscribe to nothing; `shows`: when they subscribe
/// to all that it names.
pub(crate) fn receivers(event: &Event, people: &[UserId], shows: bool) -> Vec<UserId> {
    let (recipients, _) = event.publication();
    people.iter().copied().filter(|user_id| recipients.names(*user_id, |_| shows)).collect()
}

/// A key that is used for `parts`.
pub(crate) fn key(user_id: UserId, number: u8, parts: &[&[u8]]) -> KeyUse {
    Key([number; 16]).used_by(user_id, "a request", parts)
}

impl Room {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let opened = crate::db::open(folder.path()).await.unwrap();
        for (id, name) in [(ANA, "Ana"), (BEN, "Ben"), (CLEO, "Cleo")] {
            opened
                .writer
                .execute("insert into users (id, email, email_key, password_hash, name, created_at_ms, updated_at_ms) values (?1, ?2, ?2, '', ?3, 0, 0)", (id, format!("{name}@example.com"), name))
                .unwrap();
        }
        let told = Arc::new(Mutex::new(Vec::new()));
        let heard = told.clone();
        let publish =
            Box::new(move |committed: Committed<Event>| heard.lock().unwrap().extend(committed.events));
        let clock = Clock::Told(Arc::new(NOW_MS.into()));
        let writer = writer::start(opened.writer, clock, opened.seq, publish, has_right);
        Self { writer, readers: opened.readers, told, folder }
    }

    pub(crate) async fn does(
        &self,
        work: impl WriteCommand<Event = Event> + 'static,
    ) -> Result<Bytes, Refusal> {
        self.writer.submit(Box::new(work)).await.map(|done| done.ok)
    }

    /// Reads on a reader's thread, as a feature does.
    pub(crate) async fn reads<T: Send + 'static>(
        &self,
        read: impl FnOnce(readers::Snapshot<'_>) -> Result<T, Error> + Send + 'static,
    ) -> T {
        self.readers.read(read).await.unwrap()
    }

    /// Returns one number of the database.
    pub(crate) async fn number(&self, sql: &'static str) -> i64 {
        self.reads(move |snapshot| Ok(snapshot.sql.value(sql, ())?)).await
    }

    /// What was told since the last time somebody asked.
    pub(crate) fn heard(&self) -> Vec<Event> {
        self.told.lock().unwrap().drain(..).map(|(_, event)| event).collect()
    }

    /// The numbers under which it was told.
    pub(crate) fn seqs(&self) -> Vec<i64> {
        self.told.lock().unwrap().iter().map(|(seq, _)| seq.0).collect()
    }

    /// Runs a statement beside the writer, as somebody with the file in their hands could.
    pub(crate) fn by_hand(&self, sql: &str) -> rusqlite::Result<usize> {
        let connection = rusqlite::Connection::open(self.folder.path().join("mellow.db"))?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.execute(sql, [])
    }

    /// Returns the steps by which SQLite answers a query.
    pub(crate) fn plan(&self, query: &str) -> Vec<String> {
        let connection = rusqlite::Connection::open(self.folder.path().join("mellow.db")).unwrap();
        crate::db::sql::prepare(&connection).unwrap();
        let mut explained = connection.prepare(&format!("explain query plan {query}")).unwrap();
        // Arguments are not bound: the plan is the same without.
        explained.raw_query().mapped(|row| row.get("detail")).collect::<Result<_, _>>().unwrap()
    }

    /// A post that has been there for `minutes`.
    pub(crate) fn has_post(&self, id: i64, author_id: UserId, minutes: i64) -> PostId {
        let at_ms = NOW_MS - minutes * 60_000;
        self.by_hand(&format!(
            "insert into posts (id, author_id, text, created_at_ms, updated_at_ms) values ({id}, {}, 'words', {at_ms}, {at_ms})",
            author_id.0
        ))
        .unwrap();
        PostId(id)
    }
}

impl Room {
    /// Somebody else with an account.
    pub(crate) fn has_person(&self, id: i64, name: &str) -> UserId {
        self.by_hand(&format!(
            "insert into users (id, email, email_key, password_hash, name, created_at_ms, updated_at_ms)
               values ({id}, '{name}', '{name}', '', '{name}', 0, 0)"
        ))
        .unwrap();
        UserId(id)
    }

    /// A group, whose it is, and who else is in it.
    pub(crate) fn has_group(&self, id: i64, owner_id: UserId, others: &[UserId]) -> GroupId {
        self.by_hand(&format!(
            "insert into groups (id, owner_id, name, created_at_ms) values ({id}, {}, 'Group {id}', 0)",
            owner_id.0
        ))
        .unwrap();
        for (number, user_id) in (1..).zip(others) {
            let at = id * 1_000 + number;
            let sql = "insert into members (group_id, user_id, id) values";
            self.by_hand(&format!("{sql} ({id}, {}, {at})", user_id.0)).unwrap();
        }
        GroupId(id)
    }

    /// Somebody is in a group no more.
    pub(crate) fn has_left(&self, group_id: GroupId, user_id: UserId) {
        let sql = "delete from members where group_id =";
        self.by_hand(&format!("{sql} {} and user_id = {}", group_id.0, user_id.0)).unwrap();
    }

    /// A post of a group's; of one that is gone without it.
    pub(crate) fn has_group_post(&self, id: i64, author_id: UserId, group_id: Option<GroupId>) -> PostId {
        let post_id = self.has_post(id, author_id, 5);
        let group = group_id.map_or("null".to_owned(), |group_id| group_id.0.to_string());
        self.by_hand(&format!("update posts set audience = 'group', group_id = {group} where id = {id}"))
            .unwrap();
        post_id
    }
}
