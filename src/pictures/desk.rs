//! The server's side: where pictures are handed in, one after the other.
//!
//! # Promises
//!
//! - **One picture at a time in the whole server.** A second waits; after sixteen, nobody does.
//! - **A worker never outlives its picture**: ten seconds by the clock, and it is killed; and it is
//!   killed when nobody waits for it any more.
//! - **Nothing of the picture passes through here**: the worker reads the file by itself, knows nothing
//!   of our environment, and gives back at most a few megabytes, which are checked.

use std::fs::File;
use std::io::Seek;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;

use super::parcel::PARCEL_BYTES_MAX;
use super::{Refused, Rendered, Wanted, parcel, worker};
use crate::limits::{PICTURES_WAITING_MAX, RENDER_MS_MAX};

/// The desk. One for the whole server, shared by its threads.
pub struct PictureDesk {
    program: PathBuf,
    /// Who is in the room: one at the desk, the others waiting.
    room: Semaphore,
    /// Who is at the desk; the first who came is the next.
    turn: Semaphore,
    /// How long one may take.
    patience: Duration,
}

impl PictureDesk {
    /// Opens the desk. `program` is Mellow itself: `/proc/self/exe`, even after it was replaced on disk.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self {
            program,
            room: Semaphore::new(1 + PICTURES_WAITING_MAX),
            turn: Semaphore::new(1),
            patience: Duration::from_millis(RENDER_MS_MAX),
        }
    }

    /// Renders the picture in this file as it is wanted, whatever place in it was read last.
    pub async fn render(&self, mut file: File, wanted: Wanted) -> Result<Rendered, Refused> {
        let _place = self.room.try_acquire().map_err(|_| Refused::Busy)?;
        let _turn = self.turn.acquire().await.map_err(|_| Refused::Busy)?;
        file.rewind()?;
        let mut child = Command::new(&self.program)
            .args([worker::COMMAND, wanted.word()])
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(file))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        // Its own start is now. A bomb has mostly spent its processor time before this clock runs out;
        // whoever meets it was most likely waiting for a processor.
        match tokio::time::timeout(self.patience, read(&mut child, wanted)).await {
            Ok(answer) => answer,
            Err(_) => {
                // Its turn is over when it is gone, not before.
                child.kill().await?;
                Err(Refused::Late)
            }
        }
    }
}

/// Waits for what a worker has to say, and how it ends.
async fn read(child: &mut Child, wanted: Wanted) -> Result<Rendered, Refused> {
    let mut parcel = Vec::new();
    if let Some(out) = child.stdout.take() {
        // One byte more than the longest, to see that it is longer.
        out.take(PARCEL_BYTES_MAX as u64 + 1).read_to_end(&mut parcel).await?;
    }
    if parcel.len() > PARCEL_BYTES_MAX {
        return Err(Refused::NotAPicture);
    }
    let status = child.wait().await?;
    match (status.code(), status.signal()) {
        (Some(0), _) => parcel::open(&parcel, wanted).ok_or(Refused::NotAPicture),
        (Some(code), _) if code == i32::from(worker::FAULT) => {
            Err(Refused::Fault(std::io::Error::other("the worker could not bound itself, read or write")))
        }
        // Ended from outside: with us, at a stop, or by a machine that had no memory left.
        (_, Some(SIGHUP | SIGINT | SIGQUIT | SIGKILL | SIGTERM)) => Err(Refused::Late),
        // It found no picture, or asked for more than the kernel lets it have.
        _ => Err(Refused::NotAPicture),
    }
}

// Signals by their numbers (POSIX); those that tell of the picture (abort, segment, processor time)
// are not among them.
const SIGHUP: i32 = 1;
const SIGINT: i32 = 2;
const SIGQUIT: i32 = 3;
const SIGKILL: i32 = 9;
const SIGTERM: i32 = 15;

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;

    /// Writes a program that stands in for the worker, and opens a desk with it.
    ///
    /// A shell writes it: a file that we had open for writing ourselves may not yet be run, as long as
    /// a process that another test begins just now still has it from us.
    fn desk(folder: &Path, script: &str) -> PictureDesk {
        let program = folder.join("worker");
        let script = format!("#!/bin/sh\nPATH=/bin:/usr/bin\ncd {}\n{script}\n", folder.display());
        let written = std::process::Command::new("sh")
            .args(["-c", r#"printf %s "$1" > "$0" && chmod 700 "$0""#])
            .arg(&program)
            .arg(script)
            .status()
            .unwrap();
        assert!(written.success());
        PictureDesk::new(program)
    }

    fn picture() -> File {
        tempfile::tempfile().unwrap()
    }

    #[tokio::test]
    async fn what_the_worker_says_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        for script in
            ["echo nonsense", "true", "exit 1", "exit 101", "kill -6 $$", "kill -24 $$", "cat /dev/zero"]
        {
            let answer = desk(folder.path(), script).render(picture(), Wanted::Picture).await;
            assert!(matches!(answer, Err(Refused::NotAPicture)), "{script}: {answer:?}");
        }
    }

    #[tokio::test]
    async fn a_worker_that_was_ended_from_outside_says_nothing_of_the_picture() {
        let folder = tempfile::tempdir().unwrap();
        // A shell that was begun in the background has this one ignored.
        let interrupted = "exec env --default-signal=INT sh -c 'kill -INT $$'";
        for script in ["kill -TERM $$", interrupted, "kill -9 $$"] {
            let answer = desk(folder.path(), script).render(picture(), Wanted::Picture).await;
            assert!(matches!(answer, Err(Refused::Late)), "{script}: {answer:?}");
        }
    }

    #[tokio::test]
    async fn a_worker_that_cannot_begin_is_our_own_failure() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = PictureDesk::new(folder.path().join("nowhere"));
        assert!(matches!(nowhere.render(picture(), Wanted::Picture).await, Err(Refused::Fault(_))));
        assert!(matches!(
            desk(folder.path(), "exit 2").render(picture(), Wanted::Picture).await,
            Err(Refused::Fault(_))
        ));
    }

    #[tokio::test]
    async fn the_worker_knows_nothing_of_us_but_the_picture_from_its_beginning_and_what_is_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, b"the picture").unwrap();
        let script = "cat > seen; echo $* > told; env | grep -v -e ^PWD= -e ^OLDPWD= -e ^_= -e ^SHLVL= -e ^PATH= > known; exit 1";
        let _ = desk(folder.path(), script).render(file.into_file(), Wanted::Face).await;
        assert_eq!(std::fs::read_to_string(folder.path().join("seen")).unwrap(), "the picture");
        assert_eq!(std::fs::read_to_string(folder.path().join("told")).unwrap(), "picture-worker face\n");
        assert_eq!(std::fs::read_to_string(folder.path().join("known")).unwrap(), "");
    }

    #[tokio::test]
    async fn one_is_rendered_sixteen_wait_and_the_next_is_told_so() {
        let folder = tempfile::tempdir().unwrap();
        // Whoever finds another at work says so by ending as a fault.
        let script = "mkdir alone || exit 2; sleep 0.02; rmdir alone; exit 1";
        let desk = Arc::new(desk(folder.path(), script));
        let asking: Vec<_> = (0..1 + PICTURES_WAITING_MAX)
            .map(|_| {
                let desk = desk.clone();
                tokio::spawn(async move { desk.render(picture(), Wanted::Picture).await })
            })
            .collect();
        tokio::task::yield_now().await;
        assert!(matches!(desk.render(picture(), Wanted::Picture).await, Err(Refused::Busy)));
        for answer in asking {
            assert!(matches!(answer.await.unwrap(), Err(Refused::NotAPicture)));
        }
        assert!(
            matches!(desk.render(picture(), Wanted::Picture).await, Err(Refused::NotAPicture)),
            "there is room again"
        );
    }

    #[tokio::test]
    async fn a_worker_that_takes_too_long_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let mut desk = desk(folder.path(), "echo $$ > process; exec sleep 600");
        desk.patience = Duration::from_millis(300);
        assert!(matches!(desk.render(picture(), Wanted::Picture).await, Err(Refused::Late)));
        let process = std::fs::read_to_string(folder.path().join("process")).unwrap();
        let path = PathBuf::from(format!("/proc/{}", process.trim()));
        while path.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
