//! The end of a writer that cannot continue. The whole process ends at once with one line, and the next start recovers.
//! Each test runs this program again as a child, which is the process that ends.
#![expect(clippy::unwrap_used, reason = "a failed step ends the test")]

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use mellow::clock::Clock;
use mellow::db::command::{Transaction, WriteCommand};
use mellow::db::disk_floor::DiskFloor;
use mellow::db::writer::{self, Committed, WriterHandle};
use mellow::error::{Error, Refusal};

const FOLDER: &str = "STORY_FOLDER";

enum Deed {
    /// Writes this many bytes.
    Keeps(u32),
    Panics,
    /// Writes nothing. Publishing its event panics.
    PanicsOncePublished,
}

/// An event that cannot be published.
const POISON: u32 = 2;

fn publish(committed: Committed<u32>) {
    assert!(committed.events.iter().all(|(_, event)| *event != POISON), "as the story wants it");
}

impl WriteCommand for Deed {
    type Event = u32;
    type Value = ();

    fn apply(&mut self, transaction: &mut Transaction<'_, u32>) -> Result<(), Error> {
        match self {
            Self::Keeps(bytes) => {
                transaction.sql.execute(
                    "insert into doomed_files (full_path) values (hex(randomblob(?1)))",
                    (*bytes,),
                )?;
                transaction.publish(1);
            }
            Self::Panics => panic!("as the story wants it"),
            Self::PanicsOncePublished => transaction.publish(POISON),
        }
        Ok(())
    }
}

async fn does(writer: &WriterHandle<u32>, deed: Deed) -> Result<(), Refusal> {
    writer.submit(deed).await.map(drop)
}

/// Runs in the child: three writes are acknowledged, and then `end` runs.
fn runs_in_child(folder: &str, end: impl AsyncFnOnce(&WriterHandle<u32>)) {
    actix_web::rt::System::new().block_on(async {
        let opened = mellow::db::open(Path::new(folder)).await.unwrap();
        let writer = writer::start(
            opened.writer,
            DiskFloor::default(),
            Clock::Real,
            opened.ids,
            opened.seq,
            Box::new(publish),
            |_, _, _| Ok(true),
        );
        for _ in 0..3 {
            does(&writer, Deed::Keeps(10)).await.unwrap();
        }
        end(&writer).await;
        // The thread of the writer ends the process. The next line runs only if it does not.
        let _ = tokio::time::timeout(Duration::from_secs(20), std::future::pending::<()>()).await;
        println!("still alive");
    });
}

/// Runs the test `name` again as a child in `folder`, and returns its output.
fn runs_as_child(name: &str, folder: &Path) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(FOLDER, folder)
        .env("RUST_BACKTRACE", "0")
        .output()
        .unwrap()
}

/// Checks that the child ended itself with one line, and that exactly the acknowledged writes are in the database.
fn ended_well(output: &Output, why: &str, folder: &Path) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> =
        stderr.lines().filter(|line| line.starts_with("mellow: stopping at once")).collect();
    assert_eq!(lines.len(), 1, "{stderr}");
    assert!(lines[0].contains(why), "{}", lines[0]);
    assert_eq!(output.status.signal(), Some(libc::SIGABRT), "{stderr}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("still alive"));

    actix_web::rt::System::new().block_on(async {
        let opened = mellow::db::open(folder).await.unwrap();
        let kept: i64 =
            opened.writer.query_row("select count(*) from doomed_files", (), |row| row.get(0)).unwrap();
        let sound: String = opened.writer.query_row("pragma integrity_check", (), |row| row.get(0)).unwrap();
        assert_eq!((kept, sound.as_str()), (3, "ok"));
        assert!(opened.seq.0 > 3, "numbers go on with a gap");
    });
}

#[test]
fn a_writer_that_panics_ends_the_process_and_the_next_start_recovers() {
    if let Ok(folder) = std::env::var(FOLDER) {
        return runs_in_child(&folder, async |writer| drop(does(writer, Deed::Panics).await));
    }
    let folder = tempfile::tempdir().unwrap();
    let name = "a_writer_that_panics_ends_the_process_and_the_next_start_recovers";
    ended_well(&runs_as_child(name, folder.path()), "the writer panicked", folder.path());
}

#[test]
fn a_panic_while_events_are_published_ends_the_process_too() {
    if let Ok(folder) = std::env::var(FOLDER) {
        return runs_in_child(&folder, async |writer| drop(does(writer, Deed::PanicsOncePublished).await));
    }
    let folder = tempfile::tempdir().unwrap();
    let name = "a_panic_while_events_are_published_ends_the_process_too";
    ended_well(&runs_as_child(name, folder.path()), "the writer panicked", folder.path());
}

#[test]
fn r3_a_disk_that_fails_ends_the_process_and_no_lost_write_was_acknowledged() {
    if let Ok(folder) = std::env::var(FOLDER) {
        return runs_in_child(&folder, async |writer| {
            // From now on no file may grow. For SQLite this is a failed write.
            // SAFETY: ignoring a signal changes no memory of this program.
            unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
            rlimit::setrlimit(rlimit::Resource::FSIZE, 4_096, 4_096).unwrap();
            let reply = does(writer, Deed::Keeps(1_000_000)).await;
            println!("answered {reply:?}");
        });
    }
    let folder = tempfile::tempdir().unwrap();
    let name = "r3_a_disk_that_fails_ends_the_process_and_no_lost_write_was_acknowledged";
    let output = runs_as_child(name, folder.path());
    assert!(!String::from_utf8_lossy(&output.stdout).contains("answered"), "nobody was answered");
    ended_well(&output, "disk I/O error", folder.path());
}
