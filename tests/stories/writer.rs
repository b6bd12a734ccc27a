//! The writer: full queues, a full disk, and a locked database.

use std::sync::{Arc, Mutex};

use mellow::clock::Clock;
use mellow::db::command::{Transaction, WriteCommand};
use mellow::db::disk_floor::DiskFloor;
use mellow::db::readers::Readers;
use mellow::db::writer::{self, Committed, WriterHandle};
use mellow::error::{Error, Refusal};
use mellow::ids::Seq;
use serde_json::json;
use tempfile::TempDir;

use crate::support::server::TestServer;
use crate::support::value::key;

/// A write command that runs any statement.
struct Statement(String);

impl WriteCommand for Statement {
    type Event = u32;
    type Value = &'static str;

    fn apply(&mut self, transaction: &mut Transaction<'_, u32>) -> Result<&'static str, Error> {
        transaction.sql.values::<i64>(&self.0, ())?;
        transaction.publish(7);
        Ok("done")
    }
}

async fn does(writer: &WriterHandle<u32>, statement: &str) -> Result<&'static str, Refusal> {
    writer.submit(Statement(statement.into())).await.map(|done| done.value.unwrap())
}

/// A writer with a new database, and the events that it published.
struct Fixture {
    writer: WriterHandle<u32>,
    readers: Readers,
    published: Arc<Mutex<Vec<(Seq, u32)>>>,
    _folder: TempDir,
}

impl Fixture {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let opened = mellow::db::open(folder.path()).await.unwrap();
        let published = Arc::new(Mutex::new(Vec::new()));
        let publishing = published.clone();
        let publish =
            Box::new(move |committed: Committed<u32>| publishing.lock().unwrap().extend(committed.events));
        let (floor, clock) = (DiskFloor::default(), Clock::Real);
        let writer =
            writer::start(opened.writer, floor, clock, opened.ids, opened.seq, publish, |_, _, _| Ok(true));
        Self { writer, readers: opened.readers, published, _folder: folder }
    }
}

#[test]
fn r4_a_full_disk_refuses_the_whole_batch_loses_nothing_and_recovers() {
    actix_web::rt::System::new().block_on(async {
        let Fixture { writer, readers, published, _folder } = Fixture::new().await;
        does(&writer, "create table heap (bytes blob)").await.unwrap();
        does(&writer, "pragma max_page_count = 200").await.unwrap();

        let mut kept = 0;
        let refused = loop {
            match does(&writer, "insert into heap values (zeroblob(20000))").await {
                Ok(_) => kept += 1,
                Err(refusal) => break refusal,
            }
        };
        assert_eq!(refused, Refusal::StorageFull);
        assert_eq!(
            refused.view().message,
            "Mellow has no room left. Nothing was saved; your words are kept."
        );
        // All commands of that batch are refused, and none is half-written.
        let many = (0..20).map(|_| does(&writer, "insert into heap values (zeroblob(20000))"));
        for reply in futures_util::future::join_all(many).await {
            assert_eq!(reply, Err(Refusal::StorageFull));
        }
        let look =
            readers.read(|snapshot| Ok((snapshot.sql.value("select count(*) from heap", ())?, snapshot.seq)));
        let (rows, seq): (i64, _) = look.await.unwrap();
        assert_eq!(rows, kept, "reads go on, and nothing acknowledged is lost");
        assert_eq!(published.lock().unwrap().len(), kept as usize + 2, "a refused write publishes nothing");

        // There is space again. Writes succeed without a restart, and the `seq` continues without a gap.
        does(&writer, "pragma max_page_count = 10000").await.unwrap();
        does(&writer, "insert into heap values (zeroblob(20000))").await.unwrap();
        assert_eq!(published.lock().unwrap().last().unwrap().0.0, seq.0 + 2);
        writer.close().await;
    });
}

#[test]
fn a_failed_command_affects_no_other_in_its_batch_and_takes_no_seq() {
    actix_web::rt::System::new().block_on(async {
        let Fixture { writer, published, .. } = Fixture::new().await;
        does(&writer, "create table heap (number integer check (number > 0)) strict").await.unwrap();
        let statements: Vec<String> = (0..30)
            .map(|number| format!("insert into heap values ({})", if number % 3 == 0 { 0 } else { number }))
            .collect();
        let asked = statements.iter().map(|statement| does(&writer, statement));
        for (number, reply) in futures_util::future::join_all(asked).await.into_iter().enumerate() {
            assert_eq!(reply, if number % 3 == 0 { Err(Refusal::Fault) } else { Ok("done") });
        }
        let numbers: Vec<i64> = published.lock().unwrap().iter().map(|(seq, _)| seq.0).collect();
        assert_eq!(numbers, (2..=22).collect::<Vec<_>>(), "the start took the first number");
        assert!(writer.load().commits.load(std::sync::atomic::Ordering::Relaxed) < 10, "written in batches");
        writer.close().await;
        assert_eq!(does(&writer, "select 1").await, Err(Refusal::Busy), "a closed writer writes nothing");
    });
}

#[tokio::test]
async fn an_overloaded_server_answers_busy_at_once_and_continues() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    // Nobody shows this post, so there are no events and only replies to read.
    let post_id = ben.posts("hello").await;
    let mut tabs = Vec::new();
    for _ in 0..40 {
        tabs.push(ana.opens_another_tab().await);
    }
    // Another program holds the database, so nothing can be written for a while.
    let holder = server.look();
    holder.execute_batch("begin immediate").unwrap();
    let mut sent = Vec::new();
    for tab in &tabs {
        for at in 0..32 {
            let fields = json!({ "key": key(), "post_id": post_id, "text": format!("{at}"), "audience": { "type": "public" } });
            sent.push((tab, tab.socket.sends("comments.create", fields).await));
        }
    }
    // 40 x 32 requests are more than the 1,024 that may wait.
    let is_busy = |state: &mut crate::support::socket::State| {
        let no = state.log.iter().find(|message| message["err"]["code"] == "busy")?;
        Some(no["err"].clone())
    };
    let (no, ..) =
        futures_util::future::select_all(tabs.iter().map(|tab| Box::pin(tab.socket.waits("busy", is_busy))))
            .await;
    assert_eq!(no["message"], "Mellow is busy right now. Please try again in a moment.");
    assert_eq!(no["retry_ms"], json!(500));
    // Reads are answered meanwhile.
    assert_eq!(ana.feed_texts().await, [""; 0]);
    holder.execute_batch("rollback").unwrap();

    let (mut fine, mut busy) = (0, 0);
    for (tab, id) in sent {
        match tab.socket.reply_to(id).await {
            Ok(_) => fine += 1,
            Err(no) => {
                assert_eq!(no.code, "busy");
                busy += 1;
            }
        }
    }
    assert!(fine >= 1_024 && busy > 0, "{fine} fine, {busy} busy");
    let kept = server.count("select count(*) from comments");
    assert_eq!(kept, fine, "what was refused did not happen");
    ana.posts("and writes succeed again").await;
}

#[tokio::test]
async fn a_database_locked_for_too_long_is_a_fault_and_recovers() {
    let server = TestServer::new().await;
    let ana = server.person("Ana").await;
    let holder = server.look();
    holder.execute_batch("begin immediate").unwrap();
    let fields = json!({ "key": key(), "title": null, "text": "wait for it", "tag": null, "audience": { "type": "public" } });
    let no = ana.is_refused("fault", "posts.create", fields.clone()).await;
    assert_eq!(no.message, "Something went wrong on our side. Your words are kept.");
    assert!(no.retry_ms.is_some(), "trying again may help");
    holder.execute_batch("rollback").unwrap();
    ana.asks("posts.create", fields).await;
    assert_eq!(ana.feed_texts().await, ["wait for it"]);
}
