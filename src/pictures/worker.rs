//! The other process: reads one picture from its standard input, writes one parcel, ends. What is wanted
//! of the picture, its one argument says.
//!
//! # Promises
//!
//! - **It bounds itself before it reads a byte**: address space, processor time, no file, no core, few
//!   descriptors, and a place far back in the line for a processor. The kernel keeps these, whatever a decoder does.
//! - **Its end says what came of it**: 0 a parcel was written, 1 no picture, 2 it could not bound itself
//!   or not read or write, or does not know what is wanted. Any other end (out of memory, out of time, a
//!   panic) is a picture that asked for too much.
//! - **It says nothing**: no line of a stranger's file reaches the host's log.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;

use rlimit::Resource;

use super::{Unreadable, Wanted, parcel, render};
use crate::limits::{
    PICTURE_BYTES_MAX, RENDER_CPU_S_MAX, RENDER_DESCRIPTORS_MAX, RENDER_MEMORY_MAX, RENDER_NICENESS,
};

/// The argument that makes the program a worker.
pub const COMMAND: &str = "picture-worker";

/// Ends the worker when the picture is none.
pub const NOT_A_PICTURE: u8 = 1;
/// Ends the worker when it failed by itself.
pub const FAULT: u8 = 2;

/// Is the worker: bounds itself, renders what comes in as it is `wanted`, and returns how to end.
#[must_use]
pub fn work(wanted: Option<OsString>) -> ExitCode {
    std::panic::set_hook(Box::new(|_| {}));
    if bound_myself().is_err() {
        return ExitCode::from(FAULT);
    }
    let Some(wanted) = wanted.and_then(|word| Wanted::of(word.to_str()?)) else {
        return ExitCode::from(FAULT);
    };
    let Ok(picture) = receive() else { return ExitCode::from(FAULT) };
    let rendered = picture.and_then(|bytes| match wanted {
        Wanted::Picture => render::render(&bytes),
        Wanted::Face => render::render_face(&bytes),
    });
    match rendered {
        Err(_) => ExitCode::from(NOT_A_PICTURE),
        Ok(rendered) => match io::stdout().write_all(&parcel::wrap(&rendered)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::from(FAULT),
        },
    }
}

fn bound_myself() -> io::Result<()> {
    for (resource, most) in [
        (Resource::AS, RENDER_MEMORY_MAX),
        (Resource::CPU, RENDER_CPU_S_MAX),
        (Resource::FSIZE, 0),
        (Resource::CORE, 0),
        (Resource::NOFILE, RENDER_DESCRIPTORS_MAX),
    ] {
        // A host may have bounded us more tightly already.
        let (_, hard) = resource.get()?;
        let most = most.min(hard);
        // A second less makes the kernel say that it was the processor time, before it just ends us.
        let soft = if resource == Resource::CPU { most.saturating_sub(1).max(1) } else { most };
        resource.set(soft, most)?;
    }
    // A host that forbids even this changes nothing.
    let _ = rustix::process::nice(RENDER_NICENESS);
    Ok(())
}

/// Reads the whole file, whose length is known before.
fn receive() -> io::Result<Result<Vec<u8>, Unreadable>> {
    let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    if length > PICTURE_BYTES_MAX {
        return Ok(Err(Unreadable::Size));
    }
    let mut bytes = Vec::with_capacity(length);
    // It may grow while it is read; what it grows by is left.
    file.take(length as u64).read_to_end(&mut bytes)?;
    Ok(Ok(bytes))
}
