//! The client of the control socket. It sends a command of the host to the running server. If no server runs, it
//! executes the command itself.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::{Command, CommandResult, Question, path_in};
use crate::clock::Clock;
use crate::db::disk_floor::DiskFloor;
use crate::features::context::HostContext;
use crate::features::theme;
use crate::limits::{CONTROL_MS_MAX, CONTROL_REPLY_BYTES_MAX, CONTROL_RETRY_MS_MAX};
use crate::model::stored_replies::has_right;
use crate::settings::Settings;
use crate::wire::codec;
use crate::{backup, db, mail};

/// The pause before the next attempt to reach a server that is starting or stopping.
const PAUSE: Duration = Duration::from_millis(50);

/// Executes a command on the data folder of the settings. If a server holds the lock of the folder, the server executes
/// the command. Otherwise this process does. A long list is requested in parts.
///
/// # Errors
/// One line that says why nothing was done.
pub async fn call(settings: &Settings, command: Command) -> CommandResult {
    let (mut text, mut next) = (String::new(), Some(command));
    while let Some(command) = next {
        let reply = call_once(settings, command.clone()).await?;
        next = command.next(&reply);
        text += &reply;
    }
    Ok(text)
}

async fn call_once(settings: &Settings, command: Command) -> CommandResult {
    let folder = settings.data.as_path();
    if !db::is_in(folder) {
        return Err(db::no_database_in(folder));
    }
    match reach(folder, &command).await? {
        Reached::Server(reply) => reply,
        Reached::Nobody(lock) => {
            let result = alone(settings, command).await;
            drop(lock);
            result
        }
    }
}

/// Asks the server that uses a data folder. Returns None if no server uses it.
///
/// # Errors
/// One line that says why there is no answer.
pub async fn ask(folder: &Path, question: Question) -> Result<Option<String>, String> {
    // No file is made in a folder that has no Mellow.
    if !db::is_in(folder) {
        return Ok(None);
    }
    match reach(folder, &Command::Server(question)).await? {
        Reached::Server(reply) => reply.map(Some),
        Reached::Nobody(_) => Ok(None),
    }
}

/// Who uses a data folder.
enum Reached {
    /// A server, with its reply.
    Server(CommandResult),
    /// Nobody. This process holds the lock now.
    Nobody(File),
}

/// Sends a command to the server that uses a data folder. Waits a short time for one that is starting or ending.
async fn reach(folder: &Path, command: &Command) -> Result<Reached, String> {
    let begun = Instant::now();
    loop {
        if let Some(lock) = db::try_lock_folder(folder)? {
            return Ok(Reached::Nobody(lock));
        }
        let why = match send(folder, command).await? {
            Ok(reply) => return Ok(Reached::Server(reply)),
            Err(why) => why,
        };
        // The other process may not listen yet, or it may be ending.
        let is_soon = matches!(why.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused);
        if !is_soon || begun.elapsed() > Duration::from_millis(CONTROL_RETRY_MS_MAX) {
            return Err(format!(
                "a Mellow is using {} but does not answer there: {why}. Its log says more.",
                folder.display()
            ));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Sends a command to the server. The inner error means that the server could not be reached.
async fn send(folder: &Path, command: &Command) -> Result<io::Result<CommandResult>, String> {
    let path = path_in(folder)?;
    let message = codec::encode(command).map_err(|why| why.to_string())?;
    let exchange = async {
        let mut stream = UnixStream::connect(&path).await?;
        stream.write_all(&message).await?;
        stream.shutdown().await?;
        let mut reply = Vec::new();
        stream.take(CONTROL_REPLY_BYTES_MAX as u64).read_to_end(&mut reply).await?;
        Ok::<_, io::Error>(reply)
    };
    // The server has this time to read, to execute and to answer.
    let reply = match tokio::time::timeout(Duration::from_millis(3 * CONTROL_MS_MAX), exchange).await {
        Ok(Ok(reply)) => reply,
        Ok(Err(why)) => return Ok(Err(why)),
        Err(late) => return Ok(Err(late.into())),
    };
    match codec::decode(&reply) {
        Ok(result) => Ok(Ok(result)),
        Err(_) => Err("the server stopped before it answered; please check whether this was done".into()),
    }
}

/// Executes the command here, while this process holds the folder's lock.
async fn alone(settings: &Settings, command: Command) -> CommandResult {
    let theme = Arc::new(theme::service::ThemeService::open(settings)?);
    let clock = Clock::Real;
    backup::make_before_upgrade(settings, clock.now_ms())?;
    let opened = db::open(&settings.data).await?;
    // No client is connected, so events have no recipients.
    let writer = db::writer::start(
        opened.writer,
        DiskFloor::default(),
        clock.clone(),
        opened.ids.clone(),
        opened.seq,
        Box::new(drop),
        has_right,
    );
    let context = HostContext {
        readers: &opened.readers,
        writer: &writer,
        clock: &clock,
        ids: &opened.ids,
        settings,
        site_url: &mail::site_url(settings, settings.listen),
        theme: &theme,
        server: None,
    };
    let result = command.execute(context).await;
    opened.readers.close();
    writer.close().await;
    result
}
