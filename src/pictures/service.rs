//! The picture service in the server: renders pictures one after the other.
//!
//! # Guarantees
//!
//! - **One picture at a time in the whole server.** Up to sixteen more wait, and the next one is refused.
//! - **A worker never outlives its request**: it is killed after ten minutes, and when the request is dropped.
//! - **The picture is not read here**: the worker reads the file itself. The worker has an empty environment, and
//!   returns at most a few megabytes, which are checked.

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
use super::{Refused, Rendered, Unreadable, Wanted, worker, worker_output};
use crate::counters;
use crate::limits::{PICTURES_WAITING_MAX, RENDER_MS_MAX};

/// The service. All threads of the server share it.
pub struct PictureService {
    program: PathBuf,
    /// Permits for the running rendering and the waiting ones.
    waiting: Semaphore,
    /// The permit to run. It is given in the order of the requests.
    running: Semaphore,
    /// How long a rendering may take.
    time_limit: Duration,
}

impl PictureService {
    /// Creates the service. `program` is the path of Mellow itself: `/proc/self/exe`, which names the running program
    /// even after its file was replaced.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self {
            program,
            waiting: Semaphore::new(1 + PICTURES_WAITING_MAX),
            running: Semaphore::new(1),
            time_limit: Duration::from_millis(RENDER_MS_MAX),
        }
    }

    /// Returns the number of pictures that are rendered now or wait.
    #[must_use]
    pub fn queue(&self) -> usize {
        (1 + PICTURES_WAITING_MAX).saturating_sub(self.waiting.available_permits())
    }

    /// Renders the picture in this file for the purpose `wanted`. It reads from the beginning of the file.
    pub async fn render(&self, file: File, wanted: Wanted) -> Result<Rendered, Refused> {
        let rendered = self.render_in_turn(file, wanted).await;
        match &rendered {
            Err(Refused::NotAPicture(_)) => counters::PICTURES_REFUSED.add(1),
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
        // The time limit starts with the process. A decompression bomb exceeds its processor time first, so a worker
        // that exceeds this limit was waiting for a processor or a disk.
        match tokio::time::timeout(self.time_limit, read(&mut child, wanted)).await {
            Ok(reply) => {
                counters::PICTURES.add(begun.elapsed());
                reply
            }
            Err(_) => {
                // The next rendering begins only after the process has ended.
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
        // One byte more than the maximum is read, to detect an output that is too long.
        out.take(WORKER_OUTPUT_BYTES_MAX as u64 + 1).read_to_end(&mut worker_output).await?;
    }
    if worker_output.len() > WORKER_OUTPUT_BYTES_MAX {
        return Err(Refused::NotAPicture(Unreadable::Damaged));
    }
    let status = child.wait().await?;
    match (status.code(), status.signal()) {
        (Some(0), _) => {
            worker_output::open(&worker_output, wanted).ok_or(Refused::NotAPicture(Unreadable::Damaged))
        }
        (Some(code), _) if code == i32::from(worker::FAULT) => {
            Err(Refused::Fault(std::io::Error::other("the worker could not bound itself, read or write")))
        }
        // The worker was ended from outside: together with the server, or by the kernel when the machine had no memory
        // left.
        (_, Some(SIGHUP | SIGINT | SIGQUIT | SIGKILL | SIGTERM)) => Err(Refused::Late),
        // A worker that says no reason exceeded a kernel limit.
        (code, _) => Err(Refused::NotAPicture(code.and_then(worker::reason).unwrap_or(Unreadable::Bomb))),
    }
}

// The numbers of signals (POSIX). Signals that the picture can cause are not listed: abort, segmentation fault and
// processor time.
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

    /// Returns a service whose worker is this script.
    ///
    /// A shell writes the script. If this process wrote it, a process that another test started could still hold the
    /// descriptor, and a file that is open for writing cannot be executed.
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
    async fn an_invalid_output_of_the_worker_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for script in
            ["echo nonsense", "true", "exit 1", "exit 101", "kill -6 $$", "kill -24 $$", "cat /dev/zero"]
        {
            let reply = service(folder.path(), script).render(picture(), Wanted::Picture).await;
            assert!(matches!(reply, Err(Refused::NotAPicture(_))), "{script}: {reply:?}");
        }
    }

    #[tokio::test]
    async fn a_worker_that_is_ended_from_outside_does_not_refuse_the_picture() {
        let folder = tempfile::tempdir().unwrap();
        // A shell that is started in the background ignores this signal.
        let interrupted = "exec env --default-signal=INT sh -c 'kill -INT $$'";
        for script in ["kill -TERM $$", interrupted, "kill -9 $$"] {
            let reply = service(folder.path(), script).render(picture(), Wanted::Picture).await;
            assert!(matches!(reply, Err(Refused::Late)), "{script}: {reply:?}");
        }
    }

    #[tokio::test]
    async fn a_worker_that_cannot_start_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = PictureService::new(folder.path().join("nowhere"));
        assert!(matches!(nowhere.render(picture(), Wanted::Picture).await, Err(Refused::Fault(_))));
        assert!(matches!(
            service(folder.path(), "exit 2").render(picture(), Wanted::Picture).await,
            Err(Refused::Fault(_))
        ));
    }

    #[tokio::test]
    async fn the_worker_receives_the_whole_picture_and_its_purpose_and_an_empty_environment() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, b"the picture").unwrap();
        let script = "cat > seen; echo $* > told; env | grep -v -e ^PWD= -e ^OLDPWD= -e ^_= -e ^SHLVL= -e ^PATH= > known; exit 1";
        let _ = service(folder.path(), script).render(file.into_file(), Wanted::Photo).await;
        assert_eq!(std::fs::read_to_string(folder.path().join("seen")).unwrap(), "the picture");
        assert_eq!(std::fs::read_to_string(folder.path().join("told")).unwrap(), "picture-worker photo\n");
        assert_eq!(std::fs::read_to_string(folder.path().join("known")).unwrap(), "");
    }

    #[tokio::test]
    async fn one_is_rendered_sixteen_wait_and_the_next_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        // A script fails if another one is running.
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
        for reply in asking {
            assert!(matches!(reply.await.unwrap(), Err(Refused::NotAPicture(_))));
        }
        assert!(
            matches!(service.render(picture(), Wanted::Picture).await, Err(Refused::NotAPicture(_))),
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
