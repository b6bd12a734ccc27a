//! Notifies the service manager that the server is ready, by the protocol of systemd (sd_notify). `systemctl start`
//! waits for this, and fails if the program ends before.

use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// The variable with the address of the service manager's socket. Without it nobody waits.
const VARIABLE: &str = "NOTIFY_SOCKET";

/// Notifies the service manager that the server is ready. If this fails, the server serves all the same, and the log
/// says so.
pub fn notify() {
    let Some(socket) = std::env::var_os(VARIABLE) else { return };
    if let Err(why) = send(&socket) {
        log::warn!("the service manager was not notified that Mellow is ready: {why}");
    }
}

/// Sends the message to a socket: a path, or `@` and a name that is no file.
fn send(socket: &OsStr) -> io::Result<()> {
    let address = match socket.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(socket)?,
    };
    UnixDatagram::unbound()?.send_to_addr(b"READY=1", &address)?;
    Ok(())
}
