//! A client of the broker that subscribes to everything. It speaks the broker's protocol of lines.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::sync::watch;

use crate::support::TIMEOUT;
use crate::support::value::contains;

pub struct Recorder {
    to_broker: OwnedWriteHalf,
    /// What it heard and has not returned yet.
    heard: Arc<watch::Sender<Vec<u8>>>,
}

impl Recorder {
    /// Connects, and waits until it hears everything that is published.
    pub async fn starts(broker: SocketAddr) -> Self {
        let (mut from_broker, mut to_broker) = TcpStream::connect(broker).await.unwrap().into_split();
        to_broker.write_all(b"CONNECT {\"verbose\":false}\r\nSUB > 1\r\n").await.unwrap();
        let heard = Arc::new(watch::Sender::new(Vec::new()));
        let hears = heard.clone();
        tokio::spawn(async move {
            let mut bytes = vec![0; 64 * 1024];
            while let Ok(count @ 1..) = from_broker.read(&mut bytes).await {
                hears.send_modify(|heard| heard.extend_from_slice(&bytes[..count]));
            }
        });
        let mut recorder = Self { to_broker, heard };
        recorder.hears().await;
        recorder
    }

    /// Returns the bytes of everything that was published since the last call.
    pub async fn hears(&mut self) -> Vec<u8> {
        // The broker answers a PING after everything that it was given before. The PONG is for its own last PING.
        self.to_broker.write_all(b"PONG\r\nPING\r\n").await.unwrap();
        let mut heard = self.heard.subscribe();
        let all = heard.wait_for(|heard| contains(heard, b"PONG\r\n"));
        tokio::time::timeout(TIMEOUT, all).await.expect("the broker answers").unwrap();
        self.heard.send_replace(Vec::new())
    }
}
