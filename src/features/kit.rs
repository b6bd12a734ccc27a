//! What every slice is handed and hands back: who asks, the tools, the answer, who hears.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest, Sha256};

use super::told::Told;
use super::{Event, account, auth, letters, theme, uploads, views};
use crate::access::Viewer;
use crate::clock::Clock;
use crate::config::Config;
use crate::db::command::{KeyUse, WriteCommand};
use crate::db::readers::{Readers, Snapshot};
use crate::db::writer::WriterHandle;
use crate::error::{Error, Refusal};
use crate::ids::{GroupId, IdMaker, LoginId, PollId, PostId, Seq, UserId};
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
    pub told: Arc<Told>,
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

    /// Hands work to the writer and waits for its commit.
    ///
    /// # Errors
    /// What the work was refused for.
    pub async fn write(&self, work: impl WriteCommand<Event = Event> + 'static) -> Result<Answer, Error> {
        let done = self.app.writer.submit(Box::new(work)).await?;
        Ok(Answer { ok: done.ok, hear: Vec::new(), since: Seq(0), turn: None })
    }

    /// Hands paced work to the writer; what is refused does not count.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`], or what the work was refused for.
    pub async fn write_paced(
        &self,
        paces: &Paces<UserId>,
        work: impl WriteCommand<Event = Event> + 'static,
    ) -> Result<Answer, Error> {
        self.write_paced_when(paces, work, || true).await
    }

    /// As [`Ask::write`], and waits until every socket was told: for what takes a right away, so that nothing
    /// comes after the answer. A key's second use waits as its first did.
    ///
    /// # Errors
    /// What the work was refused for; [`Refusal::Busy`] when a hub takes too long. What was done stands.
    pub async fn write_told(
        &self,
        work: impl WriteCommand<Event = Event> + 'static,
    ) -> Result<Answer, Error> {
        let answer = self.write(work).await?;
        self.told().await?;
        Ok(answer)
    }

    /// Waits until every socket was told what is committed so far.
    ///
    /// # Errors
    /// [`Refusal::Busy`] when a hub takes too long.
    pub async fn told(&self) -> Result<(), Error> {
        Ok(self.app.told.everybody().await?)
    }

    /// As [`Ask::write_paced`] and [`Ask::write_told`] in one.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`], or what the work was refused for.
    pub async fn write_told_paced(
        &self,
        paces: &Paces<UserId>,
        work: impl WriteCommand<Event = Event> + 'static,
    ) -> Result<Answer, Error> {
        self.paced(paces, work.key().cloned(), self.write_told(work), || true).await
    }

    /// As [`Ask::write_paced`]; nor does that count of which `counts`, asked when it is done, says so.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`], or what the work was refused for.
    pub async fn write_paced_when(
        &self,
        paces: &Paces<UserId>,
        work: impl WriteCommand<Event = Event> + 'static,
        counts: impl FnOnce() -> bool,
    ) -> Result<Answer, Error> {
        self.paced(paces, work.key().cloned(), self.write(work), counts).await
    }

    /// Lets a write begin at the pace of who asks.
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
    /// What this socket listens to from now on ...
    pub hear: Vec<Topic>,
    /// ... beginning after this commit.
    pub since: Seq,
    /// What becomes of the socket.
    pub turn: Option<Turn>,
}

impl Answer {
    /// Encodes a yes.
    ///
    /// # Errors
    /// A bug: a value that cannot be encoded.
    pub fn of(ok: &impl Serialize) -> Result<Self, Error> {
        Ok(Self { ok: Bytes::from(codec::encode(ok)?), hear: Vec::new(), since: Seq(0), turn: None })
    }

    /// Adds what the socket listens to, beginning after the snapshot that was read.
    #[must_use]
    pub fn hearing(mut self, topics: impl IntoIterator<Item = Topic>, since: Seq) -> Self {
        self.hear.extend(topics);
        self.since = since;
        self
    }
}

/// What becomes of the socket after an answer.
pub enum Turn {
    /// It belongs to somebody now.
    SignedIn(UserId, LoginId),
}

/// Where one listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    /// All sockets of one person.
    User(UserId),
    /// Sockets that show a post.
    Post(PostId),
    /// Sockets that show a profile.
    Profile(UserId),
    /// Sockets that show a poll and whose person voted in it, and by what right: losing it ends this.
    Poll(PollId, Right),
    /// All sockets of a group's members. Nobody asks to listen here, and only the group's actor says who
    /// that is.
    Group(GroupId),
    /// All sockets that are signed in. Nobody asks to listen here; who is somebody does.
    Everyone,
}

/// By what right somebody sees a poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Right {
    /// By following its creator, or being them.
    Following(UserId),
    /// By being in its group.
    Membership(GroupId),
}

impl Right {
    /// Returns the right by which people see what somebody made, for a group or for who follows them.
    #[must_use]
    pub fn of(creator_id: UserId, group_id: Option<GroupId>) -> Self {
        group_id.map_or(Self::Following(creator_id), Self::Membership)
    }

    /// Returns the gate of what is told of it.
    #[must_use]
    pub fn gate(self) -> Option<Gate> {
        match self {
            Self::Following(_) => None,
            Self::Membership(group_id) => Some(Gate::of(group_id)),
        }
    }
}

/// Who of those who hear is let through. Groups are known by their actors alone: nothing of a group is told
/// without a word of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gate {
    /// Members of this group ...
    pub only: Option<GroupId>,
    /// ... and this person, who may be none.
    pub also: Option<UserId>,
    /// Nobody who is a member of this one: those are told otherwise.
    pub except: Option<GroupId>,
}

impl Gate {
    /// Lets members alone through.
    #[must_use]
    pub fn of(group_id: GroupId) -> Self {
        Self { only: Some(group_id), ..Self::default() }
    }

    /// Lets members through, and this person.
    #[must_use]
    pub fn of_and(group_id: GroupId, user_id: UserId) -> Self {
        Self { only: Some(group_id), also: Some(user_id), except: None }
    }
}

/// Who is in a group once an event has happened.
#[derive(Debug)]
pub struct Membership {
    pub group_id: GroupId,
    /// All of them; sorted. Nobody: the group is gone.
    pub members: Arc<[UserId]>,
    /// Who came.
    pub joined: Vec<UserId>,
    /// Who went. They hear this event, and nothing of the group after it.
    pub left: Vec<UserId>,
}

/// Who is told of an event.
#[derive(Debug, Default)]
pub struct Hearers {
    /// Everybody listening here.
    pub topics: Vec<Topic>,
    /// And all sockets of these people; sorted.
    pub people: Arc<[UserId]>,
    /// Set when only the newest counts: events of one pace are told four times a second at most, those of
    /// a poll twice.
    pub pace: Option<Topic>,
    /// Set when it says all of something: whoever comes back is told the newest of these alone.
    pub whole: Option<Topic>,
    /// Told to who is here, and not repeated to who comes back: those read anew.
    pub is_passing: bool,
    /// Who of all these is let through; None: everybody.
    pub gate: Option<Gate>,
    /// What it changes of a group's membership.
    pub membership: Option<Membership>,
    /// Whose own it is, though they may have left the group it is for: coming back they are not told it, they read
    /// anew.
    pub rereads: Option<UserId>,
    /// What it says something of. Whoever comes back is not told it when a later event has it `voids`.
    pub of: Option<Topic>,
    /// What is over, for all whom the gate does not pass over: who of them comes back is told nothing of it that
    /// came before.
    pub voids: Option<Topic>,
    /// For whom alone it is not over: who made it.
    pub spares: Option<UserId>,
    /// Their sockets hear no more polls of this creator: (who, whose).
    pub shuts_polls: Option<(UserId, UserId)>,
    /// Sockets that are told this listen here from then on.
    pub opens: Option<Topic>,
    /// This topic is over once the event is told.
    pub ends: Option<Topic>,
    /// Whoever comes back from before this event reads anew: what was told before it is not repeated.
    pub forgets: bool,
    /// The sockets of this login are closed, with this code.
    pub closes: Option<(LoginId, u16)>,
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
