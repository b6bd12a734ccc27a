//! Mellow: a mindful social network that is live, in one program.
//!
//! # Modules, in reading order
//!
//! - [`limits`]: every number that bounds something.
//! - [`error`]: every refusal, and every sentence that says one.
//! - [`ids`], [`clock`], [`text`], [`pace`], [`zones`]: ids, time, text, rate limits, time zones.
//! - [`events`]: published events as plain data: who receives one, and what it does.
//! - [`access`]: who may do what; pure.
//! - [`config`]: what the host may set.
//! - [`wire`]: the frame of a message; only `wire/codec.rs` knows MessagePack.
//! - [`pictures`]: pictures are decoded and written anew in a process of their own; only here: picture libraries.
//! - [`mail`]: the text of a mail, and how it leaves; only here: the mail library.
//! - [`db`]: one writer, a few readers; knows no feature.
//! - [`transport`]: the bytes of a socket; only `transport/stream.rs` reads and writes one.
//! - [`delivery`]: from a commit to every connection that an event names.
//! - [`socket`]: a session actor for each socket. It asks one type, its backend.
//! - [`features`]: what people do here, one slice each: `wire`, `rules`, `store`, and `mod` for the requests.
//! - [`backend`]: where sessions and features meet, and where a commit becomes published events.
//! - [`jobs`]: mail that waits to be sent, and what time brings. [`control`]: commands of the host to a running server.
//! - [`http`]: the app's files, the cookie, the upgrade. [`server`]: all of it put together.
//!
//! Who may import whom: `server -> http, control, jobs -> backend -> socket -> delivery -> transport`, and
//! `backend -> features -> db, wire, pictures, mail, access -> events, error, limits, ids, clock`. Features know of
//! `delivery` only the barrier and the groups (`features/kit.rs`). No feature imports another. `tests/tidy.rs` keeps this.
//!
//! # Guarantees
//!
//! 1. **Writes pass through rules; reads go straight from SQL to the view.**
//! 2. **An answer comes after the disk has it**, and an event after its commit, in commit order.
//! 3. **Nothing slow inside the writer.** Passwords are hashed and pictures decoded before, elsewhere; mail is sent after.
//! 4. **Only the last hop gives up.** A socket that takes nothing is cut from outside its session, and catches up.
//! 5. **What a person may not see never travels**, on any frame.
//!
//! # Ana publishes a post
//!
//! 1. Her composer sends one frame. [`transport`] checks its bytes, [`socket`] her rate limit, [`wire::codec`] the message.
//! 2. `posts::handle` parses it: from [`features::posts::rules::NewPost`] on, the text cannot be wrong.
//! 3. The command goes to [`db::writer`]. In its savepoint `posts::store` inserts the post and publishes `posts.created`,
//!    which names her followers.
//! 4. Commit. [`backend::publish`] encodes and frames the event once and appends it to [`delivery::log`]; then Ana is
//!    answered.
//! 5. Each worker's [`delivery::dispatcher`] wakes and writes the frame to every connection of the named users.
//! 6. Each web client applies the event, Ana's too. Her reply says the same; twice changes nothing.
//!
//! # Ben comes back
//!
//! His laptop slept. A new socket, `hello`, then `live.resume` with the last number he had and what is on his screen.
//! [`delivery`] replays from the log what names him, or says `resync`, and his client reads again what it shows, in place.
//!
//! # Ana removes Cleo from her group
//!
//! 1. `groups::handle` hands the command to the group's actor ([`delivery::group`]), which has the writer carry it out: the
//!    row goes, and `groups.left` names the members who are left, and Cleo.
//! 2. Commit. Every later event of the group names its members without her.
//! 3. Each dispatcher delivers `groups.left` and ends what she subscribed to by that right; reads of hers that began before
//!    are run again.
//! 4. Only when every dispatcher has come past it ([`delivery::barrier`]) is Ana answered.

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
pub mod jobs;
pub mod limits;
pub mod mail;
pub mod pace;
pub mod pictures;
pub mod server;
pub mod socket;
pub mod text;
pub mod transport;
#[cfg(test)]
mod typescript;
pub mod wire;
pub mod zones;
