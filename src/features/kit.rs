//! What every slice is handed and hands back: who asks, the tools, the answer, who hears.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest, Sha256};
use tokio::sync::oneshot;

use super::{Event, account, auth, letters, theme, uploads, views};
use crate::access::Viewer;
use crate::clock::Clock;
use crate::config::Config;
use crate::db::command::{Done, KeyUse, WriteCommand};
use crate::db::readers::{Readers, Snapshot};
use crate::db::writer::WriterHandle;
use crate::delivery::barrier::Barrier;
use crate::delivery::groups::Groups;
use crate::error::{Error, Refusal};
use crate::events::{Effects, Recipients, Right, Topic};
use crate::ids::{GroupId, IdMaker, LoginId, Seq, UserId};
use crate::limits::{self, KEY_BYTES};
use crate::pace::{Pace, Paces};
use crate::wire::codec;

/// The tools of this server, shared by all its threads.
pub struct App {
    pub config: Config,
    pub clock: Clock,
    pub ids: IdMaker,
    pub readers: Readers,
    pub writer: WriterHandle<Event>,
    pub desk: auth::Desk,
    pub uploads: Arc<uploads::desk::Desk>,
    pub exports: Arc<account::desk::Desk>,
    pub postbox: letters::Postbox,
    pub theme: Arc<theme::desk::Desk>,
    pub barrier: Arc<Barrier>,
    pub groups: Arc<Groups>,
    pub paces: UserPaces,
}

/// How often a person may do what.
pub struct UserPaces {
    pub requests: Paces<UserId>,
    pub posts: Paces<UserId>,
    pub edits: Paces<UserId>,
    pub comments: Paces<UserId>,
    pub follows: Paces<UserId>,
    pub votes: Paces<UserId>,
    pub searches: Paces<UserId>,
    pub profiles: Paces<UserId>,
    pub polls: Paces<UserId>,
    pub groups: Paces<UserId>,
    pub exports: Paces<UserId>,
    pub uploads: Paces<UserId>,
    pub upload_kib: Paces<UserId>,
    pub chunks: Paces<UserId>,
}

impl UserPaces {
    /// Makes full buckets by the host's settings.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let paces = |count: u64, period_ms: u64| Paces::new(Pace { count, period_ms });
        Self {
            requests: paces(
                config.requests_per_second * limits::REQUESTS_BURST,
                1_000 * limits::REQUESTS_BURST,
            ),
            posts: paces(config.posts_per_day, 24 * 3_600_000),
            edits: paces(config.edits_per_hour, 3_600_000),
            comments: paces(config.comments_per_hour, 3_600_000),
            follows: paces(config.follows_per_day, 24 * 3_600_000),
            votes: paces(config.votes_per_minute, 60_000),
            searches: paces(config.searches_per_minute, 60_000),
            profiles: paces(config.profile_edits_per_hour, 3_600_000),
            polls: paces(config.polls_per_day, 24 * 3_600_000),
            groups: paces(config.group_changes_per_hour, 3_600_000),
            exports: paces(config.exports_per_day, 24 * 3_600_000),
            uploads: paces(config.uploads_per_day, 24 * 3_600_000),
            upload_kib: paces(config.upload_mib_per_day * 1_024, 24 * 3_600_000),
            chunks: paces(config.chunks_per_second * limits::REQUESTS_BURST, 1_000 * limits::REQUESTS_BURST),
        }
    }
}

/// One question: who asks, from where, with which tools.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    pub app: &'a App,
    pub viewer: Viewer,
    pub address: IpAddr,
    /// On what they sit, in a few plain words; "" where nobody knows.
    pub device: &'a str,
}

impl Ask<'_> {
    /// Returns who asks.
    ///
    /// # Errors
    /// [`Refusal::NotSignedIn`] for a guest.
    pub fn user(&self) -> Result<UserId, Refusal> {
        self.viewer.user_id().ok_or(Refusal::NotSignedIn)
    }

    /// Returns the time.
    #[must_use]
    pub fn now_ms(&self) -> i64 {
        self.app.clock.now_ms()
    }

    /// Runs a read on a reader's thread, in one snapshot; returns what it returns.
    ///
    /// # Errors
    /// [`Refusal::Busy`] when too many reads wait; what the read answers.
    pub async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(Snapshot<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.app.readers.read(read).await
    }

    /// Hands a command to the writer and waits for its commit.
    ///
    /// # Errors
    /// What the command was refused for.
    pub async fn write(&self, command: impl WriteCommand<Event = Event> + 'static) -> Result<Answer, Error> {
        Ok(self.app.writer.submit(Box::new(command)).await?.into())
    }

    /// As [`Ask::write`], within a rate limit; what is refused does not count.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`], or what the command was refused for.
    pub async fn write_paced(
        &self,
        paces: &Paces<UserId>,
        command: impl WriteCommand<Event = Event> + 'static,
    ) -> Result<Answer, Error> {
        self.write_paced_when(paces, command, || true).await
    }

    /// As [`Ask::write_paced`]; nor does that count of which `counts`, asked when it is done, says so.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`], or what the command was refused for.
    pub async fn write_paced_when(
        &self,
        paces: &Paces<UserId>,
        command: impl WriteCommand<Event = Event> + 'static,
        counts: impl FnOnce() -> bool,
    ) -> Result<Answer, Error> {
        self.paced(paces, command.key().cloned(), self.write(command), counts).await
    }

    /// As [`Ask::write`], and waits until every connection was delivered everything up to it: for what takes a right
    /// away. A key's second use waits as its first did.
    ///
    /// # Errors
    /// What the command was refused for.
    pub async fn write_delivered(
        &self,
        command: impl WriteCommand<Event = Event> + 'static,
    ) -> Result<Answer, Error> {
        let answer = self.write(command).await?;
        self.app.barrier.wait(answer.seq).await;
        Ok(answer)
    }

    /// As [`Ask::write_paced`] and [`Ask::write_delivered`] in one.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`], or what the command was refused for.
    pub async fn write_delivered_paced(
        &self,
        paces: &Paces<UserId>,
        command: impl WriteCommand<Event = Event> + 'static,
    ) -> Result<Answer, Error> {
        self.paced(paces, command.key().cloned(), self.write_delivered(command), || true).await
    }

    /// Has the group's actor carry out a command that changes who is in the group. Where `takes_rights` says that it
    /// takes rights away, the answer comes when every connection was delivered everything up to it.
    ///
    /// # Errors
    /// What the command was refused for.
    pub async fn change_group(
        &self,
        group_id: GroupId,
        command: impl WriteCommand<Event = Event> + 'static,
        takes_rights: bool,
    ) -> Result<Answer, Error> {
        let (writer, (send, outcome)) = (self.app.writer.clone(), oneshot::channel());
        let write = async move {
            let done = writer.submit(Box::new(command)).await;
            let seq = done.as_ref().ok().map(|done| done.seq).filter(|_| takes_rights);
            // Whoever asked may be gone; the change stands all the same.
            let _ = send.send(done);
            seq
        };
        self.app.groups.change(group_id, Box::pin(write)).await;
        Ok(outcome.await.map_err(|_| Refusal::Busy)??.into())
    }

    /// As [`Ask::change_group`], of a command that takes no rights away, within a rate limit; that does not count of which
    /// `counts`, asked when it is done, says so.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`], or what the command was refused for.
    pub async fn change_group_paced_when(
        &self,
        paces: &Paces<UserId>,
        group_id: GroupId,
        command: impl WriteCommand<Event = Event> + 'static,
        counts: impl FnOnce() -> bool,
    ) -> Result<Answer, Error> {
        self.paced(paces, command.key().cloned(), self.change_group(group_id, command, false), counts).await
    }

    /// Lets a write begin within the viewer's rate limit.
    async fn paced(
        &self,
        paces: &Paces<UserId>,
        key: Option<KeyUse>,
        write: impl Future<Output = Result<Answer, Error>>,
        counts: impl FnOnce() -> bool,
    ) -> Result<Answer, Error> {
        let user_id = self.user()?;
        if let Err(slow) = paces.take(user_id, self.now_ms()) {
            // A retry of what was done is no haste: it gets its first answer.
            let Some(key) = key else { return Err(slow.into()) };
            if !self.read(move |snapshot| views::knows_key(snapshot.sql, &key)).await? {
                return Err(slow.into());
            }
            return write.await;
        }
        let answer = write.await;
        if answer.is_err() || !counts() {
            paces.give_back(&user_id);
        }
        answer
    }
}

/// Becomes true when a piece of work changed something: it was no repeat, and not what was there already.
#[derive(Clone, Debug, Default)]
pub struct Change(Arc<AtomicBool>);

impl Change {
    /// Was something changed?
    #[must_use]
    pub fn was_made(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Says that something was changed.
    pub fn is_made(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A yes.
pub struct Answer {
    /// The encoded value of `ok`.
    pub ok: Bytes,
    /// The write that it is right as of; 0: nothing in it can be outdated.
    pub seq: Seq,
    /// A read: run again it answers anew, and changes nothing.
    pub is_read: bool,
    /// What the connection subscribes to, beginning after `seq`.
    pub subscribe: Vec<Topic>,
    /// What is answered instead once the viewer has lost this right.
    pub if_lost: Option<(Right, Bytes)>,
    /// What becomes of the socket.
    pub turn: Option<Turn>,
}

impl Answer {
    /// Encodes a yes in which nothing can be outdated.
    ///
    /// # Errors
    /// A bug: a value that cannot be encoded.
    pub fn of(ok: &impl Serialize) -> Result<Self, Error> {
        Self::read(ok, Seq(0))
    }

    /// Encodes what was read in a snapshot.
    ///
    /// # Errors
    /// A bug: a value that cannot be encoded.
    pub fn read(ok: &impl Serialize, seq: Seq) -> Result<Self, Error> {
        let (ok, is_read) = (Bytes::from(codec::encode(ok)?), seq > Seq(0));
        Ok(Self { ok, seq, is_read, subscribe: Vec::new(), if_lost: None, turn: None })
    }

    /// Adds what the connection subscribes to.
    #[must_use]
    pub fn subscribing(mut self, topics: impl IntoIterator<Item = Topic>) -> Self {
        self.subscribe.extend(topics);
        self
    }
}

impl From<Done> for Answer {
    fn from(Done { ok, seq, if_lost }: Done) -> Self {
        Self { ok, seq, is_read: false, subscribe: Vec::new(), if_lost, turn: None }
    }
}

/// Who receives an event, and what it does.
pub type Publication = (Recipients, Effects);

/// What becomes of the socket after an answer.
pub enum Turn {
    /// It belongs to somebody now.
    SignedIn(UserId, LoginId),
}

/// 16 random bytes that make a retry harmless.
#[derive(Clone, Copy, Debug)]
pub struct Key(pub [u8; KEY_BYTES]);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reads;
        impl serde::de::Visitor<'_> for Reads {
            type Value = Key;
            fn expecting(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
                out.write_str("16 bytes")
            }
            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Key, E> {
                bytes.try_into().map(Key).map_err(|_| E::invalid_length(bytes.len(), &self))
            }
        }
        // Bytes only: a text of sixteen letters is no key.
        from.deserialize_bytes(Reads)
    }
}

#[cfg(test)]
impl ts_rs::TS for Key {
    type WithoutGenerics = Self;
    type OptionInnerType = Self;
    fn name(_: &ts_rs::Config) -> String {
        "ArrayBuffer".into()
    }
    fn inline(_: &ts_rs::Config) -> String {
        "ArrayBuffer".into()
    }
}

impl Key {
    /// Returns the key's use for a request: `parts` is everything that the request asks for.
    #[must_use]
    pub fn used_by(self, user_id: UserId, op: &str, parts: &[&[u8]]) -> KeyUse {
        let mut hash = Sha256::new();
        for part in std::iter::once(&op.as_bytes()).chain(parts) {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(part);
        }
        let mut body_hash = [0; 16];
        body_hash.copy_from_slice(&hash.finalize()[..16]);
        KeyUse { user_id, key: self.0, body_hash }
    }
}

/// Returns `count` random bytes.
///
/// # Errors
/// A fault when the system gives none.
pub fn random<const COUNT: usize>() -> Result<[u8; COUNT], Error> {
    let mut bytes = [0; COUNT];
    getrandom::fill(&mut bytes).map_err(|_| Error::Broken("the system gives no random bytes"))?;
    Ok(bytes)
}

/// Returns bytes as hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}
