//! Commands of the host for a running server. One process owns the database, so commands are sent to that process.
//!
//! Only the system user of the server can access the socket `control.sock` in the data folder. A connection carries one
//! request and one reply in MessagePack, each of which is ended by closing its direction. A command is executed by the
//! feature that it concerns. The reply is text to print. If no server uses the folder, [`call`] executes the command
//! itself.

pub mod backups;
pub mod call;
mod lacks;
pub mod usage;

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net as unix;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinHandle;

use crate::features::context::{App, HostContext};
use crate::features::{admin, invites, theme};
use crate::limits::{CONTROL_BYTES_MAX, CONTROL_MS_MAX, CONTROL_OPEN_MAX, CONTROL_STOP_MS_MAX};
use crate::settings::version;
use crate::wire::codec;

/// The result of a command: text to print, or one line that says why it failed.
pub type CommandResult = Result<String, String>;

/// A command of the host, by feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    Theme(theme::host::Command),
    User(admin::host::Command),
    Invite(invites::host::Command),
    /// A question about the running server.
    Server(Question),
}

/// What another command must know of the running server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Question {
    /// Its settings `backups_kept` and `disk_free_mib_min`, separated by a space.
    Backups,
    /// What the host must mend before mails can be sent; empty if nothing is known to be wrong.
    Mail,
    /// What it still lacks before people on the internet join, one line each; empty if nothing is missing.
    Lacks,
}

impl Question {
    fn answer(self, context: HostContext<'_>) -> String {
        let settings = context.settings;
        match self {
            Self::Backups => format!("{} {}", settings.backups_kept, settings.disk_free_mib_min),
            Self::Lacks => lacks::lines(settings, context.clock.now_ms()),
            Self::Mail => context.server.and_then(|app| app.mail_queue.failure()).unwrap_or_default(),
        }
    }
}

impl Command {
    /// Executes the command in its feature.
    ///
    /// # Errors
    /// One line that says why nothing was done.
    pub async fn execute(self, context: HostContext<'_>) -> CommandResult {
        match self {
            Self::Theme(command) => command.execute(context).await,
            Self::User(command) => command.execute(context).await,
            Self::Invite(command) => command.execute(context).await,
            Self::Server(question) => Ok(question.answer(context)),
        }
    }

    /// Returns the command for the next part of a list; None after the last part.
    #[must_use]
    pub fn next(&self, reply: &str) -> Option<Self> {
        match self {
            Self::Theme(_) | Self::Server(_) => None,
            Self::User(command) => command.next(reply).map(Self::User),
            Self::Invite(command) => command.next(reply).map(Self::Invite),
        }
    }
}

/// Returns the path of the socket in a data folder.
///
/// # Errors
/// One line that says that the path is too long for a socket.
pub fn path_in(folder: &Path) -> Result<PathBuf, String> {
    let path = folder.join("control.sock");
    match unix::SocketAddr::from_pathname(&path) {
        Ok(_) => Ok(path),
        Err(_) => Err(format!(
            "the path {} is too long for a socket, which takes about 100 bytes; \
             please choose a data folder with a shorter path",
            path.display()
        )),
    }
}

/// Listens for commands of the host.
pub struct Control {
    listening: Option<Listening>,
}

struct Listening {
    path: PathBuf,
    leave: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Control {
    /// Starts on this thread. If no socket can be made in the folder, the server runs without it, and the log says that
    /// commands do not reach the server.
    pub fn start_here(app: Arc<App>) -> Self {
        let bound = path_in(&app.settings.data).and_then(|path| match bind(&path) {
            Ok(listener) => Ok((path, listener)),
            Err(why) => Err(format!("cannot listen on {}: {why}", path.display())),
        });
        let listening = match bound {
            Ok((path, listener)) => {
                let (leave, leaves) = oneshot::channel();
                let task = actix_web::rt::spawn(listen(listener, app, leaves));
                Some(Listening { path, leave, task })
            }
            Err(why) => {
                log::warn!("this server cannot receive commands such as `mellow theme`: {why}");
                None
            }
        };
        Self { listening }
    }

    /// Stops listening. A command that is being executed has a short time to finish.
    pub async fn stop(self) {
        let Some(Listening { path, leave, mut task }) = self.listening else { return };
        let _ = leave.send(());
        if tokio::time::timeout(Duration::from_millis(CONTROL_STOP_MS_MAX), &mut task).await.is_err() {
            task.abort();
        }
        if let Err(why) = std::fs::remove_file(&path) {
            log::warn!("{} could not be removed: {why}", path.display());
        }
    }
}

/// Listens at `path`. It replaces the socket of an earlier run, which is safe because this process holds the lock of
/// the folder.
fn bind(path: &Path) -> io::Result<UnixListener> {
    // The socket is made under another name, gets its mode, and is then renamed, so that no process can open it before
    // it has its mode.
    let incomplete = path.with_file_name(".control");
    match std::fs::remove_file(&incomplete) {
        Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
        _ => {}
    }
    let listener = unix::UnixListener::bind(&incomplete)?;
    std::fs::set_permissions(&incomplete, std::fs::Permissions::from_mode(0o600))?;
    std::fs::rename(&incomplete, path)?;
    listener.set_nonblocking(true)?;
    UnixListener::from_std(listener)
}

async fn listen(listener: UnixListener, app: Arc<App>, mut leaves: oneshot::Receiver<()>) {
    let places = Arc::new(Semaphore::new(CONTROL_OPEN_MAX));
    let next = async {
        loop {
            let Ok(permit) = places.clone().acquire_owned().await else { return };
            match listener.accept().await {
                Ok((stream, _)) => {
                    let app = app.clone();
                    actix_web::rt::spawn(async move {
                        let _permit = permit;
                        if let Err(why) = serve(stream, &app).await {
                            log::debug!("a command was not answered: {why}");
                        }
                    });
                }
                Err(why) => {
                    log::warn!("a command could not be read: {why}");
                    tokio::time::sleep(Duration::from_millis(CONTROL_MS_MAX / 10)).await;
                }
            }
        }
    };
    tokio::select! {
        _ = &mut leaves => {}
        () = next => {}
    }
    drop(listener);
    // A command that is being answered holds a permit.
    let all = u32::try_from(CONTROL_OPEN_MAX).unwrap_or(u32::MAX);
    drop(places.acquire_many(all).await);
}

/// Reads one request, executes it, and sends the reply.
async fn serve(mut stream: UnixStream, app: &App) -> io::Result<()> {
    let time_limit = Duration::from_millis(CONTROL_MS_MAX);
    let mut message = Vec::new();
    let mut bounded = (&mut stream).take(CONTROL_BYTES_MAX as u64 + 1);
    tokio::time::timeout(time_limit, bounded.read_to_end(&mut message)).await??;
    let result = match read(&message) {
        Ok(command) => command.execute(app.host_context()).await,
        Err(why) => Err(why),
    };
    let reply = codec::encode(&result).map_err(io::Error::other)?;
    tokio::time::timeout(time_limit, stream.write_all(&reply)).await?
}

fn read(message: &[u8]) -> Result<Command, String> {
    if message.len() > CONTROL_BYTES_MAX {
        return Err(format!("a command has at most {CONTROL_BYTES_MAX} bytes"));
    }
    codec::decode(message).map_err(|_| {
        let version = version();
        format!("the Mellow that serves here ({version}) does not know this command; is it another version?")
    })
}
