//! The worker process: reads one picture from standard input, writes one output to standard output, and ends. Its
//! argument is the purpose of the picture.
//!
//! # Guarantees
//!
//! - **It limits itself before it reads a byte**: its address space and processor time, no files, no core dump, few
//!   descriptors, and a low priority. The kernel enforces these limits, whatever a decoder does.
//! - **Its exit code is the result**: 0 if an output was written; 1, 3, 4 or 5 if the file is not a picture, by the
//!   reason; 2 if the worker could not limit itself, read or write, or if its argument is unknown. Any other end, such
//!   as a lack of memory or time, or a panic, means that the picture needed too much.
//! - **It prints no message**: no part of the file reaches the host's log.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;

use mellow_render::{Unreadable, render, render_photo};
use rlimit::Resource;

use super::{Wanted, worker_output};
use crate::limits::{
    PICTURE_BYTES_MAX, RENDER_CPU_S_MAX, RENDER_DESCRIPTORS_MAX, RENDER_MEMORY_MAX, RENDER_NICENESS,
};

/// The argument that makes the program a worker.
pub const COMMAND: &str = "picture-worker";

/// Returns the worker's argument for a purpose.
#[must_use]
pub const fn argument(wanted: Wanted) -> &'static str {
    match wanted {
        Wanted::Picture => "picture",
        Wanted::Photo => "photo",
    }
}

/// Exit codes of a worker whose file is not a picture.
const REASONS: [(u8, Unreadable); 4] =
    [(1, Unreadable::Kind), (3, Unreadable::Size), (4, Unreadable::Bomb), (5, Unreadable::Damaged)];
/// Exit code of a worker that failed for another reason than its file.
pub const FAULT: u8 = 2;

/// Returns why a file is not a picture, by the exit code of its worker; None if the code is another.
#[must_use]
pub fn reason(code: i32) -> Option<Unreadable> {
    REASONS.into_iter().find(|(of_reason, _)| i32::from(*of_reason) == code).map(|(_, reason)| reason)
}

fn exit_code(reason: Unreadable) -> u8 {
    REASONS.into_iter().find(|(_, found)| *found == reason).map_or(FAULT, |(code, _)| code)
}

/// Runs the worker: limits the process, renders standard input as `wanted`, and returns the exit code.
#[must_use]
pub fn work(wanted: Option<OsString>) -> ExitCode {
    std::panic::set_hook(Box::new(|_| {}));
    if limit_process().is_err() {
        return ExitCode::from(FAULT);
    }
    let of = |word: OsString| {
        [Wanted::Picture, Wanted::Photo].into_iter().find(|wanted| word == argument(*wanted))
    };
    let Some(wanted) = wanted.and_then(of) else {
        return ExitCode::from(FAULT);
    };
    let Ok(picture) = receive() else { return ExitCode::from(FAULT) };
    let rendered = picture.and_then(|bytes| match wanted {
        Wanted::Picture => render(&bytes),
        Wanted::Photo => render_photo(&bytes),
    });
    match rendered {
        Err(why) => ExitCode::from(exit_code(why)),
        Ok(rendered) => match io::stdout().write_all(&worker_output::wrap(&rendered)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::from(FAULT),
        },
    }
}

fn limit_process() -> io::Result<()> {
    for (resource, most) in [
        (Resource::AS, RENDER_MEMORY_MAX),
        (Resource::CPU, RENDER_CPU_S_MAX),
        (Resource::FSIZE, 0),
        (Resource::CORE, 0),
        (Resource::NOFILE, RENDER_DESCRIPTORS_MAX),
    ] {
        // The host may have set a lower limit.
        let (_, hard) = resource.get()?;
        let most = most.min(hard);
        // The soft limit is one second lower, so that the kernel sends SIGXCPU before it kills the process.
        let soft = if resource == Resource::CPU { most.saturating_sub(1).max(1) } else { most };
        resource.set(soft, most)?;
    }
    // The worker runs at the usual priority if the host forbids this.
    let _ = rustix::process::nice(RENDER_NICENESS);
    Ok(())
}

/// Reads the whole file. Its length is known before it is read.
fn receive() -> io::Result<Result<Vec<u8>, Unreadable>> {
    let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    if length > PICTURE_BYTES_MAX {
        return Ok(Err(Unreadable::Size));
    }
    let mut bytes = Vec::with_capacity(length);
    // The file may grow while it is read. The additional bytes are ignored.
    file.take(length as u64).read_to_end(&mut bytes)?;
    Ok(Ok(bytes))
}
