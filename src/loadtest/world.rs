//! A database with the people of a plan, made before the server starts.

use std::path::Path;

use rusqlite::{Connection, Params};
use sha2::{Digest, Sha256};

use super::plan::{OPTIONS, World};
use crate::clock::Clock;
use crate::ids::first_of;

/// The ids of the plan's people and things.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    pub users: Vec<u64>,
    pub threads: Vec<u64>,
    pub polls: Vec<u64>,
    pub groups: Vec<u64>,
    /// What each person's browser sends as its cookie.
    pub cookies: Vec<String>,
}

const HOUR_MS: i64 = 60 * 60 * 1_000;

/// What went wrong, as a sentence.
fn said(why: impl std::fmt::Display) -> String {
    format!("the world could not be made: {why}")
}

/// Makes the database of a world in a folder; returns what is in it.
///
/// # Errors
/// One sentence: the folder cannot be written.
pub fn make(folder: &Path, world: &World) -> Result<Ids, String> {
    let connection = empty_database(folder)?;
    // All of it is right by construction, and nothing is lost with the file.
    let fast = "pragma journal_mode = off; pragma synchronous = off; pragma foreign_keys = off; begin";
    connection.execute_batch(fast).map_err(said)?;
    let now_ms = Clock::Real.now_ms();
    let ids = ids(world, now_ms);
    fill(&Rows(&connection), world, &ids, now_ms).map_err(said)?;
    connection.execute_batch("commit; pragma journal_mode = wal").map_err(said)?;
    Ok(ids)
}

/// Makes an empty database as the server does; returns the only connection to it.
fn empty_database(folder: &Path) -> Result<Connection, String> {
    let (empty, path) = (folder.join("empty"), folder.join("mellow.db"));
    std::fs::create_dir_all(&empty).map_err(said)?;
    actix_web::rt::System::new().block_on(async { crate::db::open(&empty).await.map(drop) })?;
    // A copy, because the connections that were dropped close when they like.
    let connection = Connection::open(empty.join("mellow.db")).map_err(said)?;
    connection.busy_timeout(std::time::Duration::from_secs(5)).map_err(said)?;
    connection.execute("vacuum into ?1", [path.to_str()]).map_err(said)?;
    Connection::open(path).map_err(said)
}

fn ids(world: &World, now_ms: i64) -> Ids {
    // Each kind has its own hour, a thing its own second of it.
    let made = |count: usize, hours_ago: i64| -> Vec<u64> {
        let begin_ms = now_ms - hours_ago * HOUR_MS;
        (0..).take(count).map(|number| first_of(begin_ms + 1_000 * number).unsigned_abs()).collect()
    };
    Ids {
        users: (1..).take(world.len()).collect(),
        threads: made(world.threads.len(), 1),
        polls: made(world.polls.len(), 24),
        groups: made(world.groups.len(), 48),
        cookies: (1..=world.len()).map(|id| format!("mellow={id:064x}")).collect(),
    }
}

struct Rows<'c>(&'c Connection);

impl Rows<'_> {
    fn add(&self, sql: &str, values: impl Params) -> rusqlite::Result<()> {
        self.0.prepare_cached(sql)?.execute(values).map(drop)
    }
}

/// Returns an id as the database keeps it.
fn kept(id: u64) -> i64 {
    id.cast_signed()
}

fn fill(rows: &Rows<'_>, world: &World, ids: &Ids, now_ms: i64) -> rusqlite::Result<()> {
    for (person, cookie) in ids.cookies.iter().enumerate() {
        let id = kept(ids.users[person]);
        let sql =
            "insert into users (id, email, email_key, password_hash, name, created_at_ms, updated_at_ms)
                   values (?1, ?2, ?2, 'none', ?3, ?4, ?4)";
        rows.add(sql, (id, format!("person{person}@example.org"), format!("Person {person}"), now_ms))?;
        let sql = "insert into logins (id, user_id, token_hash, created_at_ms, used_at_ms)
                   values (?1, ?1, ?2, ?3, ?3)";
        let value = cookie.trim_start_matches("mellow=");
        let token_hash: [u8; 32] = Sha256::digest(value).into();
        rows.add(sql, (id, token_hash, now_ms))?;
    }
    let followers = world.following.iter().enumerate();
    let follows = followers.flat_map(|(person, others)| others.iter().map(move |other| (person, *other)));
    for (number, (person, other)) in (1_i64..).zip(follows) {
        let sql = "insert into follows (follower_id, followed_id, id) values (?1, ?2, ?3)";
        rows.add(sql, (kept(ids.users[person]), kept(ids.users[other]), number))?;
    }
    for (thread, author) in world.threads.iter().enumerate() {
        let at_ms = now_ms - HOUR_MS + 1_000 * i64::try_from(thread).unwrap_or(0);
        let sql = "insert into posts
                     (id, author_id, title, text, audience, created_at_ms, updated_at_ms)
                   values (?1, ?2, 'The hour before the messages', ?3, 'public', ?4, ?4)";
        let text = format!("What do you do with the first hour of the day? (Question {thread})");
        rows.add(sql, (kept(ids.threads[thread]), kept(ids.users[*author]), text, at_ms))?;
    }
    for (poll, creator) in world.polls.iter().enumerate() {
        let (id, at_ms) = (kept(ids.polls[poll]), now_ms - 24 * HOUR_MS);
        let sql = "insert into polls (id, creator_id, question, created_at_ms, closes_at_ms)
                   values (?1, ?2, 'What comes first in your morning?', ?3, ?4)";
        rows.add(sql, (id, kept(ids.users[*creator]), at_ms, at_ms + 7 * 24 * HOUR_MS))?;
        for position in 0..OPTIONS {
            let sql = "insert into poll_options (poll_id, position, text) values (?1, ?2, ?3)";
            rows.add(sql, (id, i64::try_from(position).unwrap_or(0), option_text(position)))?;
        }
    }
    for (group, planned) in world.groups.iter().enumerate() {
        let id = kept(ids.groups[group]);
        let sql = "insert into groups (id, owner_id, name, created_at_ms) values (?1, ?2, ?3, ?4)";
        rows.add(sql, (id, kept(ids.users[planned.owner]), format!("Group {group}"), now_ms))?;
        for (number, member) in (1_i64..).zip(&planned.members) {
            let sql = "insert into members (group_id, user_id, id) values (?1, ?2, ?3)";
            rows.add(sql, (id, kept(ids.users[*member]), id + number))?;
        }
    }
    Ok(())
}

/// Lets everybody vote in one poll of those they follow.
///
/// # Errors
/// One sentence: the database cannot be written.
pub fn vote(folder: &Path, world: &World, ids: &Ids) -> Result<(), String> {
    let connection = Connection::open(folder.join("mellow.db")).map_err(said)?;
    connection.execute_batch("begin").map_err(said)?;
    let sql = "insert into ballots (poll_id, user_id, position, voted_at_ms) values (?1, ?2, 0, 0)";
    for (person, following) in world.following.iter().enumerate() {
        let Some(poll) = world.polls.iter().position(|creator| following.contains(creator)) else { continue };
        Rows(&connection).add(sql, (kept(ids.polls[poll]), kept(ids.users[person]))).map_err(said)?;
    }
    connection.execute_batch("commit").map_err(said)
}

/// Returns the words of a poll's option.
#[must_use]
pub fn option_text(position: usize) -> &'static str {
    ["Tea", "A walk", "The phone", "Nothing"][position % 4]
}
