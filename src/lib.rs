//! Mellow: a mindful social network that is live, in one program.
//!
//! # The rooms, in reading order
//!
//! - [`limits`]: every number that bounds something.
//! - [`error`]: every way we say no, and every sentence we say it with.
//! - [`ids`], [`clock`], [`text`], [`pace`]: names of things, time, words, haste.
//! - [`zones`]: what the wall clock of a time zone says; pure; only here: the zones' library.
//! - [`access`]: who may do what; pure.
//! - [`config`]: what the host may set.
//! - [`wire`]: the frame; only `wire/codec.rs` knows MessagePack.
//! - [`pictures`]: what becomes of a picture, in a process of its own; only here: picture libraries.
//! - [`mail`]: a letter's words, and how it leaves, over SMTP or into a folder; only here: the mail library.
//! - [`db`]: one writer, many readers; knows no feature.
//! - [`features`]: what people do here, one slice each: `wire`, `rules`, `store`, and `mod` for the story.
//! - [`live`]: who listens where, what was missed, an actor for each group with a member here.
//! - [`socket`]: sockets of our own: framing, reading, the send queue, a session actor for each; only
//!   `socket/transport.rs` reads and writes them.
//! - [`backend`]: what sessions ask, answered by features.
//! - [`control`]: the host's word, from the command line to the server that runs.
//! - [`http`]: the app's files, the cookie, health. [`server`]: all of it put together.
//!
//! Who may know whom: `server -> http, control -> backend -> socket -> live -> features -> db, wire, pictures, mail, access, zones -> error,
//! limits, ids, clock`.
//! No feature imports another. `rules.rs` and [`access`] know no database, socket, clock or codec.
//! `tests/tidy.rs` keeps this.
//!
//! # Promises
//!
//! 1. **Writes pass through rules; reads go straight from SQL to the view.**
//! 2. **An answer comes after the disk has it**, and an event after its commit, in commit order.
//! 3. **Nothing slow inside the writer.** Passwords are hashed and pictures judged before, elsewhere; mail is
//!    sent after, by the postman ([`live::postman`]), and nobody waits for it.
//! 4. **Only the last hop gives up.** A socket that takes nothing is cut from outside, and catches up.
//! 5. **What a person may not see never travels**, on any frame.
//!
//! # A walk: Ana publishes
//!
//! 1. Her composer sends one frame. [`socket`] checks its bytes ([`wire::codec`]), her pace,
//!    and reads a request ([`features::Request`]).
//! 2. `posts::handle` parses: from [`features::posts::rules::NewPost`] on, the text cannot be wrong.
//! 3. The post travels to [`db::writer`] as a piece of work. In its savepoint `posts::store` inserts it, names
//!    who follows Ana, and tells the event.
//! 4. Commit. The writer's event goes through one door, [`live::ring`], encoded once; then Ana is answered.
//! 5. Each worker's [`live::hub`] wakes, puts the frame into the send queue of every follower's socket, and
//!    each queue becomes one write.
//! 6. Each web client applies the event: Ana's too. Her reply says the same; twice changes nothing.
//!
//! # Another: Ben comes back
//!
//! His laptop slept. A new socket, `hello`, then `live.resume` with the last number he had and what is on
//! his screen. The hub replays from the ring what he missed, or says that nobody can tell, and his
//! client reads again what it shows, in place.
//!
//! # A third: Ana removes Cleo from her group
//!
//! 1. `groups::handle` hands the removal to the writer: the row goes, and the event names who is left.
//! 2. Commit. The event is in the ring, and in the mailbox of the group's actor ([`live::group`]), which is there
//!    because a member is. It rules who hears this, Cleo for the last time, and takes her out of its hall
//!    ([`live::halls`]).
//! 3. No hub comes past the event before that. Then each tells it to its sockets, Cleo's too, and from there on
//!    nothing of the group is for her: not the next comment, not a tally that was held back, not what is repeated.
//! 4. Only when every hub has told it ([`features::told`]) is Ana answered.

pub mod access;
pub mod backend;
pub mod clock;
pub mod config;
pub mod control;
pub mod db;
pub mod delivery;
pub mod error;
pub mod events;
pub mod features;
pub mod http;
pub mod ids;
pub mod limits;
pub mod live;
pub mod mail;
pub mod pace;
pub mod pictures;
pub mod server;
pub mod socket;
pub mod text;
#[cfg(test)]
mod typescript;
pub mod wire;
pub mod zones;
