//! The link over NATS: publish and subscribe, without anything stored. Only this file uses `async_nats`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{Client, ConnectOptions, Event, ServerAddr, StatusCode};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot, watch};
use url::Url;

use super::link::{Link, Message, Messages};

/// The smallest `max_payload` of a broker, in bytes: a piece with its seal, and room.
const PAYLOAD_BYTES_MIN: usize = 1024 * 1024;
/// Pause between two attempts to connect again.
const RECONNECT_PAUSE: Duration = Duration::from_millis(200);
/// Pause between two pings, by which a broker that is stuck is found.
const PING_PAUSE: Duration = Duration::from_secs(1);
/// How long a start waits for the broker.
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// Messages that wait to be sent. One more is lost.
const OUTGOING_MAX: usize = 4_096;
/// Messages of one subscription that wait to be read. One more is lost.
const INCOMING_MAX: usize = 8_192;

/// The brokers, and how to log in to them.
#[derive(Clone)]
pub struct Nats {
    pub brokers: Vec<ServerAddr>,
    /// The seed of an nkey; None to log in as nobody.
    pub seed: Option<String>,
    /// A file with certificates that are trusted; None for those of the system.
    pub ca: Option<PathBuf>,
    /// Whether a start goes on without the broker. A home has sockets of its own.
    pub may_be_away: bool,
}

/// Reads the addresses of brokers, with commas between them; None if one of them is no address.
#[must_use]
pub fn read_addresses(text: &str) -> Option<Vec<ServerAddr>> {
    let read = |address: &str| {
        let url = Url::parse(address.trim()).ok()?;
        let has_host = url.host_str().is_some_and(|host| !host.is_empty());
        let is_usable = has_host && matches!(url.scheme(), "nats" | "tls");
        ServerAddr::from_url(url).ok().filter(|_| is_usable)
    };
    text.split(',').map(read).collect()
}

impl Nats {
    /// Returns how to connect. Each connection adds one to `connections`.
    fn options(&self, connections: &Arc<watch::Sender<u64>>) -> ConnectOptions {
        let mut options = match &self.seed {
            Some(seed) => ConnectOptions::with_nkey(seed.clone()),
            None => ConnectOptions::new(),
        };
        if let Some(ca) = &self.ca {
            options = options.add_root_certificates(ca.clone());
        }
        let (connections, is_told) = (connections.clone(), AtomicBool::new(false));
        options
            .no_echo()
            .ping_interval(PING_PAUSE)
            .connection_timeout(CONNECT_TIME)
            .subscription_capacity(INCOMING_MAX)
            .reconnect_delay_callback(|_| RECONNECT_PAUSE)
            .event_callback(move |event| {
                match event {
                    Event::Connected => {
                        is_told.store(false, Ordering::Relaxed);
                        connections.send_modify(|count| *count += 1);
                    }
                    Event::Disconnected => log::warn!("the connection to the broker is lost"),
                    // One comes with each attempt to connect, and with each message that is lost. The first is enough.
                    Event::ClientError(_) | Event::SlowConsumer(_)
                        if is_told.swap(true, Ordering::Relaxed) => {}
                    _ => log::warn!("broker: {event}"),
                }
                std::future::ready(())
            })
    }

    /// Connects.
    ///
    /// # Errors
    /// One line: the broker cannot be reached, refuses the login, or has a `max_payload` that is too small.
    pub async fn connect(&self) -> Result<Arc<dyn Link>, String> {
        let connections = Arc::new(watch::Sender::new(0_u64));
        let connecting = self.options(&connections).connect(&self.brokers[..]);
        let connected = match tokio::time::timeout(CONNECT_TIME, connecting).await {
            Ok(Ok(client)) => Ok(client),
            Ok(Err(why)) => Err(format!("the broker cannot be used: {why}")),
            Err(_) => Err("the broker does not answer. Check the setting cluster.".into()),
        };
        let client = match connected {
            Err(why) if self.may_be_away => {
                log::warn!("{why}: there are no fronts until it is back");
                let later = self.options(&connections).retry_on_initial_connect().connect(&self.brokers[..]);
                later.await.map_err(|why| format!("the broker cannot be used: {why}"))?
            }
            connected => connected?,
        };
        if let Some(info) = client.try_server_info()
            && info.max_payload < PAYLOAD_BYTES_MIN
        {
            return Err(format!(
                "the broker has max_payload = {}, and Mellow needs at least {PAYLOAD_BYTES_MIN} (1MB)",
                info.max_payload
            ));
        }
        let (outgoing, queue) = mpsc::channel(OUTGOING_MAX);
        tokio::spawn(send(client.clone(), queue));
        Ok(Arc::new(NatsLink { client, outgoing, connections }))
    }
}

enum Outgoing {
    Message(Message),
    /// Is answered when everything before has left this process.
    Flush(oneshot::Sender<()>),
}

/// A connection to a broker.
struct NatsLink {
    client: Client,
    outgoing: mpsc::Sender<Outgoing>,
    connections: Arc<watch::Sender<u64>>,
}

/// Sends messages in their order.
async fn send(client: Client, mut queue: mpsc::Receiver<Outgoing>) {
    while let Some(next) = queue.recv().await {
        match next {
            Outgoing::Message(Message { subject, reply, bytes, .. }) => {
                let sent = match reply {
                    Some(reply) => client.publish_with_reply(subject, reply, bytes).await,
                    None => client.publish(subject, bytes).await,
                };
                if let Err(why) = sent {
                    log::warn!("a message to the broker is lost: {why}");
                }
            }
            Outgoing::Flush(flushed) => {
                if let Err(why) = client.flush().await {
                    log::warn!("the last messages to the broker may be lost: {why}");
                }
                // Whoever waited may have given up.
                let _ = flushed.send(());
            }
        }
    }
}

impl Link for NatsLink {
    fn publish(&self, message: Message) -> bool {
        // What waits for a broker that is away would be late when it is back.
        self.client.connection_state() == State::Connected
            && self.outgoing.try_send(Outgoing::Message(message)).is_ok()
    }

    fn subscribe(&self, subject: &str) -> BoxFuture<'static, Result<Messages, String>> {
        let (client, subject) = (self.client.clone(), subject.to_owned());
        Box::pin(async move {
            let subscriber = client.subscribe(subject).await;
            let subscriber = subscriber.map_err(|why| format!("the broker refuses a subscription: {why}"))?;
            let messages = subscriber.map(|message| Message {
                is_unheard: message.status == Some(StatusCode::NO_RESPONDERS),
                subject: message.subject.to_string(),
                reply: message.reply.map(|reply| reply.to_string()),
                bytes: message.payload,
            });
            Ok(messages.boxed())
        })
    }

    fn connections(&self) -> watch::Receiver<u64> {
        self.connections.subscribe()
    }

    fn flush(&self) -> BoxFuture<'static, ()> {
        let outgoing = self.outgoing.clone();
        Box::pin(async move {
            let (flushed, flush) = oneshot::channel();
            if outgoing.send(Outgoing::Flush(flushed)).await.is_ok() {
                // An error means that the link has ended.
                let _ = flush.await;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_addresses_of_brokers_are_read_with_their_scheme() {
        let hosts = |text: &str| {
            let read = read_addresses(text)?;
            Some(
                read.iter()
                    .map(|address| format!("{}:{}", address.host(), address.port()))
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(hosts("nats://10.0.0.5:4222").unwrap(), ["10.0.0.5:4222"]);
        assert_eq!(
            hosts("tls://a.example:4222, tls://b.example:4223").unwrap(),
            ["a.example:4222", "b.example:4223"]
        );
        for text in ["10.0.0.5:4222", "http://a.example", "nats://a.example,", "nats://", ","] {
            assert_eq!(hosts(text), None, "{text}");
        }
    }
}
