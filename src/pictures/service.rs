//! The picture service in the server: renders pictures one after the other.
//!
//! # Guarantees
//!
//! - **One picture at a time in the whole server.** Up to sixteen more wait; any other is refused.
//! - **A worker never outlives its picture**: it is killed after ten seconds, and when the request is gone.
//! - **The picture is not read here**: the worker reads the file itself, has an empty environment, and returns at
//!   most a few megabytes, which are checked.

use std::fs::File;
use std::io::Seek;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;

use super::worker_output::WORKER_OUTPUT_BYTES_MAX;
use super::{Refused, Rendered, Wanted, worker, worker_output};
use crate::counters;
use crate::limits::{PICTURES_WAITING_MAX, RENDER_MS_MAX};

/// The service. All threads of the server share it.
pub struct PictureService {
    program: PathBuf,
    /// Permits for one running and some waiting renderings.
    waiting: Semaphore,
    /// The permit to run; first come, first served.
    running: Semaphore,
    /// How long one may take.
    time_limit: Duration,
}

impl PictureService {
    /// Creates the service. `program` is Mellow itself: `/proc/self/exe`, even after it was replaced on disk.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self {
            program,
            waiting: Semaphore::new(1 + PICTURES_WAITING_MAX),
            running: Semaphore::new(1),
            time_limit: Duration::from_millis(RENDER_MS_MAX),
        }
    }

    /// Returns how many pictures are being rendered or wait for that.
    #[must_use]
    pub fn queue(&self) -> usize {
        (1 + PICTURES_WAITING_MAX).saturating_sub(self.waiting.available_permits())
    }

    /// Renders the picture in this file as it is wanted, whatever place in it was read last.
    pub async fn render(&self, file: File, wanted: Wanted) -> Result<Rendered, Refused> {
        let rendered = self.render_in_turn(file, wanted).await;
        match &rendered {
            Err(Refused::NotAPicture) => counters::PICTURES_REFUSED.add(1),
            Err(Refused::Busy | Refused::Late) => counters::PICTURES_LATE.add(1),
            Ok(_) | Err(Refused::Fault(_)) => {}
        }
        rendered
    }

    async fn render_in_turn(&self, mut file: File, wanted: Wanted) -> Result<Rendered, Refused> {
        let _waiting = self.waiting.try_acquire().map_err(|_| Refused::Busy)?;
        let _running = self.running.acquire().await.map_err(|_| Refused::Busy)?;
        file.rewind()?;
        let mut child = Command::new(&self.program)
            .args([worker::COMMAND, worker::argument(wanted)])
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(file))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let begun = Instant::now();
        // The time limit starts with the process. A decompression bomb mostly exceeds its processor time first. A
        // worker that exceeds this limit was probably waiting for a processor.
        match tokio::time::timeout(self.time_limit, read(&mut child, wanted)).await {
            Ok(answer) => {
                counters::PICTURES.add(begun.elapsed());
                answer
            }
            Err(_) => {
                // The next rendering begins only after the process is gone.
                child.kill().await?;
                Err(Refused::Late)
            }
        }
    }
}

/// Reads the output of a worker, and waits for its end.
async fn read(child: &mut Child, wanted: Wanted) -> Result<Rendered, Refused> {
    let mut worker_output = Vec::new();
    if let Some(out) = child.stdout.take() {
        // One byte more than the longest, to see that it is longer.
        out.take(WORKER_OUTPUT_BYTES_MAX as u64 + 1).read_to_end(&mut worker_output).await?;
    }
    if worker_output.len() > WORKER_OUTPUT_BYTES_MAX {
        return Err(Refused::NotAPicture);
    }
    let status = child.wait().await?;
    match (status.code(), status.signal()) {
        (Some(0), _) => worker_output::open(&worker_output, wanted).ok_or(Refused::NotAPicture),
        (Some(code), _) if code == i32::from(worker::FAULT) => {
            Err(Refused::Fault(std::io::Error::other("the worker could not bound itself, read or write")))
        }
        // Ended from outside: with us, at a stop, or by a machine that had no memory left.
        (_, Some(SIGHUP | SIGINT | SIGQUIT | SIGKILL | SIGTERM)) => Err(Refused::Late),
        // It found no picture, or asked for more than the kernel lets it have.
        _ => Err(Refused::NotAPicture),
    }
}

// Signals by their numbers (POSIX). Signals that the picture can cause (abort, segmentation fault, processor time)
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

    /// Writes a script that replaces the worker, and creates a service with it.
    ///
    /// A shell writes it: a file that this process has open for writing cannot be executed while a process started by
    /// another test still holds the descriptor.
    fn service(folder: &Path, script: &str) -> PictureService {
        let program = folder.join("worker");
        let script = format!("#!/bin/sh\nPATH=/bin:/usr/bin\ncd {}\n{script}\n", folder.display());
        let written = std::process::Command::new("sh")
            .args(["-c", r#"printf %s "$1" > "$0" && chmod 700 "$0""#])
            .arg(&program)
            .arg(script)
            .status()
            .unwrap();
        assert!(written.success());
        PictureService::new(program)
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
            let answer = service(folder.path(), script).render(picture(), Wanted::Picture).await;
            assert!(matches!(answer, Err(Refused::NotAPicture)), "{script}: {answer:?}");
        }
    }

    #[tokio::test]
    async fn a_worker_that_was_ended_from_outside_says_nothing_of_the_picture() {
        let folder = tempfile::tempdir().unwrap();
        // A shell that was begun in the background has this one ignored.
        let interrupted = "exec env --default-signal=INT sh -c 'kill -INT $$'";
        for script in ["kill -TERM $$", interrupted, "kill -9 $$"] {
            let answer = service(folder.path(), script).render(picture(), Wanted::Picture).await;
            assert!(matches!(answer, Err(Refused::Late)), "{script}: {answer:?}");
        }
    }

    #[tokio::test]
    async fn a_worker_that_cannot_begin_is_our_own_failure() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = PictureService::new(folder.path().join("nowhere"));
        assert!(matches!(nowhere.render(picture(), Wanted::Picture).await, Err(Refused::Fault(_))));
        assert!(matches!(
            service(folder.path(), "exit 2").render(picture(), Wanted::Picture).await,
            Err(Refused::Fault(_))
        ));
    }

    #[tokio::test]
    async fn the_worker_knows_nothing_of_us_but_the_picture_from_its_beginning_and_what_is_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, b"the picture").unwrap();
        let script = "cat > seen; echo $* > told; env | grep -v -e ^PWD= -e ^OLDPWD= -e ^_= -e ^SHLVL= -e ^PATH= > known; exit 1";
        let _ = service(folder.path(), script).render(file.into_file(), Wanted::Photo).await;
        assert_eq!(std::fs::read_to_string(folder.path().join("seen")).unwrap(), "the picture");
        assert_eq!(std::fs::read_to_string(folder.path().join("told")).unwrap(), "picture-worker face\n");
        assert_eq!(std::fs::read_to_string(folder.path().join("known")).unwrap(), "");
    }

    #[tokio::test]
    async fn one_is_rendered_sixteen_wait_and_the_next_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        // A script that finds another running ends with a fault.
        let script = "mkdir alone || exit 2; sleep 0.02; rmdir alone; exit 1";
        let service = Arc::new(service(folder.path(), script));
        let asking: Vec<_> = (0..1 + PICTURES_WAITING_MAX)
            .map(|_| {
                let service = service.clone();
                tokio::spawn(async move { service.render(picture(), Wanted::Picture).await })
            })
            .collect();
        tokio::task::yield_now().await;
        assert_eq!(service.queue(), 17);
        assert!(matches!(service.render(picture(), Wanted::Picture).await, Err(Refused::Busy)));
        for answer in asking {
            assert!(matches!(answer.await.unwrap(), Err(Refused::NotAPicture)));
        }
        assert!(
            matches!(service.render(picture(), Wanted::Picture).await, Err(Refused::NotAPicture)),
            "there is room again"
        );
        assert_eq!(service.queue(), 0);
    }

    #[tokio::test]
    async fn a_worker_that_takes_too_long_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let mut service = service(folder.path(), "echo $$ > process; exec sleep 600");
        service.time_limit = Duration::from_millis(300);
        assert!(matches!(service.render(picture(), Wanted::Picture).await, Err(Refused::Late)));
        let process = std::fs::read_to_string(folder.path().join("process")).unwrap();
        let path = PathBuf::from(format!("/proc/{}", process.trim()));
        while path.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
