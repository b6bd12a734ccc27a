//! A wire between one process and the broker. While it is parted, bytes wait at it, as in a network that is parted.
//! They arrive when it is mended, also those of connections that the process has given up meanwhile.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

pub struct Wire {
    /// The address of the broker for the process.
    pub at: SocketAddr,
    is_parted: watch::Sender<bool>,
}

impl Wire {
    pub async fn to(broker: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (at, is_parted) = (listener.local_addr().unwrap(), watch::Sender::new(false));
        let parted = is_parted.subscribe();
        tokio::spawn(async move {
            while let Ok((process, _)) = listener.accept().await {
                let Ok(broker) = TcpStream::connect(broker).await else { continue };
                let (from_process, to_process) = process.into_split();
                let (from_broker, to_broker) = broker.into_split();
                tokio::spawn(carry(from_process, to_broker, parted.clone()));
                tokio::spawn(carry(from_broker, to_process, parted.clone()));
            }
        });
        Self { at, is_parted }
    }

    pub fn parts(&self) {
        self.is_parted.send_replace(true);
    }

    pub fn mends(&self) {
        self.is_parted.send_replace(false);
    }
}

/// Carries the bytes of one direction until it ends.
async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut parted: watch::Receiver<bool>) {
    let mut bytes = vec![0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        let is_whole = parted.wait_for(|is_parted| !is_parted).await.is_ok();
        if !is_whole || to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}
