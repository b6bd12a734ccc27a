//! Limits of a cluster: fronts that hold sockets, and the home that owns the data folder.

/// Events of one batch from the home to its fronts. A batch ends with a write, so it may have a few more.
pub const CLUSTER_BATCH_EVENTS: usize = super::TURN_EVENTS_MAX;
/// Events of one batch that fills a hole. As with [`CLUSTER_BATCH_EVENTS`], a batch ends with a write.
pub const CLUSTER_FILL_EVENTS: usize = 1_024;
/// Bytes of the events of one batch, as the log counts them. A batch has at least one write. A front that reads slowly
/// thus fills its log step by step, and no broker cuts it because too much waits for it.
pub const CLUSTER_BATCH_BYTES: usize = 4 * 1024 * 1024;
/// Batches that a front keeps while it fills a hole before them.
pub const CLUSTER_KEPT_BATCHES: usize = 64;
/// Largest piece of a message, in bytes before it is sealed. A broker passes on 1 MiB.
pub const CLUSTER_PIECE_BYTES: usize = 512 * 1024;
/// Pieces of one message. A message with more is dropped, and counts as lost. The events of one write that the log keeps
/// have fewer.
pub const CLUSTER_PIECES_MAX: usize = 128;
/// Messages of one subject of which a process keeps some pieces. The oldest one is dropped.
pub const CLUSTER_UNFINISHED_MAX: usize = 8;

/// Pause between two beats of a home, and between two reports of a front, in milliseconds.
pub const CLUSTER_BEAT_MS: u64 = 500;
/// Silence after which a front sends no more requests to its home, in milliseconds: five beats.
pub const CLUSTER_SILENCE_MS_MAX: u64 = 2_500;
/// How long a request waits at a front for a home that is away, in milliseconds. After that its socket is closed.
pub const CLUSTER_WAIT_MS_MAX: u64 = 10_000;
/// How long a front waits for the answer to a request, in milliseconds. After that its socket is closed.
pub const CLUSTER_ANSWER_MS_MAX: u64 = 10_000;
/// Like [`CLUSTER_ANSWER_MS_MAX`], for a request whose close is not awaited, because it may take long.
pub const CLUSTER_SLOW_ANSWER_MS_MAX: u64 = 60_000;
/// How long a handshake waits until the log of its front has what the identity includes, in milliseconds.
pub const CATCH_UP_MS_MAX: u64 = 2_000;
/// Requests of one front that are unanswered at a time. One more is refused with `busy`.
pub const CLUSTER_ASKS_MAX: usize = 4_096;
/// How long a home that stops begins requests that were sent before the fronts knew, in milliseconds.
pub const CLUSTER_UNDER_WAY_MS: u64 = 100;
/// Logins that one lane looks up at a time.
pub const CLUSTER_LOOKUPS: usize = 64;
/// How long a user who was identified for a front is registered as connected before the front says so, in milliseconds.
/// After that they are registered when the front says so.
pub const CLUSTER_ARRIVAL_MS: u64 = 10_000;
/// Names of fronts that are counted no more, which a home keeps.
pub const CLUSTER_FRONTS_OVER: usize = 16_384;
/// Changes of presence in one report of a front. More follow in the next.
pub const CLUSTER_CHANGES_MAX: usize = 8_192;

/// How long a front serves after it sent a report that was answered, in milliseconds.
pub const FRONT_LEASE_MS: u64 = 4_000;
/// How long the home counts a front after it received a report, in milliseconds. It is longer than
/// [`FRONT_LEASE_MS`], so a front always stops first.
pub const HOME_LEASE_MS: u64 = 5_000;
/// How long a front may say that it has not delivered what was the last write at an earlier report, in milliseconds.
/// After that its lease is not extended until it has: a front is behind for five seconds, or its sockets are closed.
pub const FRONT_BEHIND_MS_MAX: u64 = 1_000;
/// Like [`FRONT_LEASE_MS`], after the home said that it stops.
pub const FRONT_LEASE_AT_STOP_MS: u64 = 14_000;
/// Like [`HOME_LEASE_MS`], after the home said that it stops. A home that starts waits as long before it acknowledges
/// that a right was taken away, also after a crash: the home before may have said that it stops.
pub const HOME_LEASE_AT_STOP_MS: u64 = 15_000;

const _: () = assert!(FRONT_LEASE_MS + CLUSTER_BEAT_MS < HOME_LEASE_MS);
const _: () = assert!(FRONT_LEASE_AT_STOP_MS < HOME_LEASE_AT_STOP_MS);
const _: () = assert!(CLUSTER_SILENCE_MS_MAX < FRONT_LEASE_MS);
// An encoded id has up to 9 bytes, and the log counts 8.
const _: () =
    assert!((CLUSTER_BATCH_BYTES + super::LOG_BYTES_MAX) / 8 * 9 < CLUSTER_PIECES_MAX * CLUSTER_PIECE_BYTES);
