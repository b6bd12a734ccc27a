//! Makes the database of a load test: the people of its plan, before the server starts.

use std::path::Path;

use mellow_loadtest::Program;
use mellow_loadtest::community::{Community, Ids, OPTIONS, option_text};
use sha2::{Digest, Sha256};

use super::rows;
use crate::clock::Clock;
use crate::db;
use crate::db::sql::{self, Sql};
use crate::ids::first_of;
use crate::settings::version;

/// This program, as a load test uses it.
pub const PROGRAM: Program = Program { version: version(), make_database: make, add_ballots: vote };

const HOUR_MS: i64 = 60 * 60 * 1_000;

/// Makes the database of a community in a folder. Returns the ids of its rows.
///
/// # Errors
/// One sentence that says that the folder cannot be written.
fn make(folder: &Path, community: &Community) -> Result<Ids, String> {
    let now_ms = Clock::Real.now_ms();
    let ids = ids(community, now_ms);
    let filled = actix_web::rt::System::new()
        .block_on(db::fill(folder, |sql| fill(sql, community, &ids, now_ms).map_err(|why| why.to_string())));
    filled.map_err(|why| format!("the database could not be made: {why}"))?;
    Ok(ids)
}

fn ids(community: &Community, now_ms: i64) -> Ids {
    // Ids contain a time. Each kind of row gets its own hour, and each row its own second.
    let made = |count: usize, hours_ago: i64| -> Vec<u64> {
        let begin_ms = now_ms - hours_ago * HOUR_MS;
        (0..).take(count).map(|number| first_of(begin_ms + 1_000 * number).unsigned_abs()).collect()
    };
    Ids {
        users: (1..).take(community.len()).collect(),
        threads: made(community.threads.len(), 1),
        polls: made(community.polls.len(), 24),
        groups: made(community.groups.len(), 48),
        cookies: (1..=community.len()).map(|id| format!("mellow={id:064x}")).collect(),
    }
}

/// Returns an id as the database stores it.
fn kept(id: u64) -> i64 {
    id.cast_signed()
}

fn fill(sql: Sql<'_>, community: &Community, ids: &Ids, now_ms: i64) -> sql::Result<()> {
    let user = |person: usize| kept(ids.users[person]);
    for (person, cookie) in ids.cookies.iter().enumerate() {
        let id = user(person);
        let (email, name) = (format!("person{person}@example.org"), format!("Person {person}"));
        rows::add_person(sql, id, &email, &name, None, now_ms)?;
        let statement = "insert into logins (id, user_id, token_hash, created_at_ms, used_at_ms)
                         values (?1, ?1, ?2, ?3, ?3)";
        let value = cookie.trim_start_matches("mellow=");
        let token_hash: [u8; 32] = Sha256::digest(value).into();
        sql.execute(statement, (id, token_hash, now_ms))?;
    }
    let followers = community.following.iter().enumerate();
    let follows = followers.flat_map(|(person, others)| others.iter().map(move |other| (person, *other)));
    for (number, (person, other)) in (1_i64..).zip(follows) {
        rows::add_follow(sql, number, user(person), user(other))?;
    }
    for (thread, author) in community.threads.iter().enumerate() {
        let text = format!("What do you do with the first hour of the day? (Question {thread})");
        rows::add_post(
            sql,
            &rows::Post {
                id: kept(ids.threads[thread]),
                author_id: user(*author),
                title: Some("The hour before the messages"),
                text: &text,
                tag: None,
                group_id: None,
                at_ms: now_ms - HOUR_MS + 1_000 * i64::try_from(thread).unwrap_or(0),
            },
        )?;
    }
    for (poll, creator) in community.polls.iter().enumerate() {
        let options = (0..OPTIONS).map(option_text);
        rows::add_poll(sql, kept(ids.polls[poll]), user(*creator), options, now_ms - 24 * HOUR_MS)?;
    }
    for (group, planned) in community.groups.iter().enumerate() {
        let id = kept(ids.groups[group]);
        rows::add_group(sql, id, user(planned.owner), &format!("Group {group}"), now_ms)?;
        for (number, member) in (1_i64..).zip(&planned.members) {
            rows::add_member(sql, id + number, id, user(*member))?;
        }
    }
    Ok(())
}

/// Adds one vote for each user who follows the creator of a poll, in such a poll.
///
/// # Errors
/// One sentence that says that the database cannot be written.
fn vote(folder: &Path, community: &Community, ids: &Ids) -> Result<(), String> {
    let votes = |sql: Sql<'_>| -> sql::Result<()> {
        for (person, following) in community.following.iter().enumerate() {
            let poll = community.polls.iter().position(|creator| following.contains(creator));
            let Some(poll) = poll else { continue };
            rows::add_ballot(sql, kept(ids.polls[poll]), kept(ids.users[person]))?;
        }
        Ok(())
    };
    let voted = actix_web::rt::System::new()
        .block_on(db::fill(folder, |sql| votes(sql).map_err(|why| why.to_string())));
    voted.map_err(|why| format!("the votes could not be made: {why}"))
}
