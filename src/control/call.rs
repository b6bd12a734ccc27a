//! The other end: brings a command of the host to the server, or does it where none runs.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::{Command, Said, Tools, path_in};
use crate::clock::Clock;
use crate::config::Config;
use crate::features::theme;
use crate::features::views::has_right;
use crate::limits::{CONTROL_ANSWER_BYTES_MAX, CONTROL_MS_MAX, CONTROL_PATIENCE_MS};
use crate::wire::codec;
use crate::{db, server};

/// Pause before somebody who is just starting or stopping is asked again.
const PAUSE: Duration = Duration::from_millis(50);

/// Carries a command out on the data folder of the settings: through the server that runs there, or else by
/// itself. The folder's lock tells which.
///
/// # Errors
/// One plain line: why nothing was done.
pub async fn call(config: &Config, command: Command) -> Said {
    let folder = config.data.as_path();
    if !folder.join("mellow.db").exists() {
        return Err(format!(
            "there is no Mellow in {}. Name its data folder with --data, or start it once.",
            folder.display()
        ));
    }
    let begun = Instant::now();
    loop {
        if let Some(lock) = server::try_lock_folder(folder)? {
            let said = alone(config, command).await;
            drop(lock);
            return said;
        }
        let why = match ask(folder, &command).await? {
            Ok(answer) => return answer,
            Err(why) => why,
        };
        // It may be about to listen, or about to let the folder go.
        let is_soon = matches!(why.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused);
        if !is_soon || begun.elapsed() > Duration::from_millis(CONTROL_PATIENCE_MS) {
            return Err(format!(
                "a Mellow is using {} but does not answer there: {why}. Its log says more.",
                folder.display()
            ));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Asks the server; the inner failure is that it could not be reached.
async fn ask(folder: &Path, command: &Command) -> Result<io::Result<Said>, String> {
    let path = path_in(folder)?;
    let message = codec::encode(command).map_err(|why| why.to_string())?;
    let asking = async {
        let mut stream = UnixStream::connect(&path).await?;
        stream.write_all(&message).await?;
        stream.shutdown().await?;
        let mut answer = Vec::new();
        stream.take(CONTROL_ANSWER_BYTES_MAX as u64).read_to_end(&mut answer).await?;
        Ok::<_, io::Error>(answer)
    };
    // It has as long for the reading, for what is to be done, and for the answer.
    let answer = match tokio::time::timeout(Duration::from_millis(3 * CONTROL_MS_MAX), asking).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(why)) => return Ok(Err(why)),
        Err(late) => return Ok(Err(late.into())),
    };
    match codec::decode(&answer) {
        Ok(said) => Ok(Ok(said)),
        Err(_) => Err("the server went before it answered; please look whether this was done".into()),
    }
}

/// Does it here: the folder is ours for as long as its lock is.
async fn alone(config: &Config, command: Command) -> Said {
    let theme = Arc::new(theme::desk::Desk::open(config)?);
    let opened = db::open(&config.data).await?;
    let clock = Clock::Real;
    // Nobody is here to be told: whoever comes reads anew.
    let writer = db::writer::start(opened.writer, clock.clone(), opened.seq, Box::new(drop), has_right);
    let tools = Tools { readers: &opened.readers, writer: &writer, clock: &clock, theme: &theme };
    let said = command.carry_out(tools).await;
    opened.readers.close();
    writer.close().await;
    said
}
