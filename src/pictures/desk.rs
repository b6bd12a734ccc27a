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
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::sync::Semaphore;

use super::parcel::PARCEL_BYTES_MAX;
use super::{Refused, Rendered, parcel, worker};
use crate::limits::{PICTURES_WAITING_MAX, RENDER_MS_MAX};

/// The desk. One for the whole server, shared by its threads.
pub struct PictureDesk {
    program: PathBuf,
    /// Who is in the room: one at the desk, the others waiting.
    room: Semaphore,
    /// Who is at the desk; the first who came is the next.
    turn: Semaphore,
}

impl PictureDesk {
    /// Opens the desk. `program` is Mellow itself: `/proc/self/exe`, even after it was replaced on disk.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self { program, room: Semaphore::new(1 + PICTURES_WAITING_MAX), turn: Semaphore::new(1) }
    }

    /// Renders the picture in this file, whatever place in it was read last.
    pub async fn render(&self, mut file: File) -> Result<Rendered, Refused> {
        let _place = self.room.try_acquire().map_err(|_| Refused::Busy)?;
        let _turn = self.turn.acquire().await.map_err(|_| Refused::Busy)?;
        file.rewind()?;
        // Its own start is now. A bomb has spent its processor time before this clock runs out, so that
        // whoever meets it was waiting for a processor.
        let answer = tokio::time::timeout(Duration::from_millis(RENDER_MS_MAX), self.ask(file)).await;
        answer.unwrap_or(Err(Refused::Busy))
    }

    async fn ask(&self, file: File) -> Result<Rendered, Refused> {
        let mut child = Command::new(&self.program)
            .arg(worker::COMMAND)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(file))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let mut parcel = Vec::new();
        if let Some(out) = child.stdout.take() {
            // One byte more than the longest, to see that it is longer.
            out.take(PARCEL_BYTES_MAX as u64 + 1).read_to_end(&mut parcel).await?;
        }
        if parcel.len() > PARCEL_BYTES_MAX {
            return Err(Refused::NotAPicture);
        }
        let status = child.wait().await?;
        match status.code() {
            Some(0) => parcel::open(&parcel).ok_or(Refused::NotAPicture),
            Some(code) if code == i32::from(worker::FAULT) => {
                Err(Refused::Fault(std::io::Error::other("the worker could not bound itself, read or write")))
            }
            _ => Err(Refused::NotAPicture),
        }
    }
}
