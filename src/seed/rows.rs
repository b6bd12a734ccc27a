//! Writes rows of people, posts, polls and groups directly into the tables.

use crate::db::sql::{Result, Sql};

/// The time in which a poll is open, in milliseconds.
const POLL_MS: i64 = 7 * 24 * 3_600_000;

/// A post.
pub struct Post<'a> {
    pub id: i64,
    pub author_id: i64,
    pub title: Option<&'a str>,
    pub text: &'a str,
    pub tag: Option<&'a str>,
    /// None for a public post.
    pub group_id: Option<i64>,
    pub at_ms: i64,
}

/// Adds a user. Without a password hash nobody can log in as this user.
pub fn add_person(
    sql: Sql<'_>,
    id: i64,
    email: &str,
    name: &str,
    hash: Option<&str>,
    at_ms: i64,
) -> Result<()> {
    let statement =
        "insert into users (id, email, email_key, password_hash, name, created_at_ms, updated_at_ms)
                     values (?1, ?2, ?2, ?3, ?4, ?5, ?5)";
    sql.execute(statement, (id, email, hash.unwrap_or("none"), name, at_ms)).map(drop)
}

/// Adds a follow, unless it exists.
pub fn add_follow(sql: Sql<'_>, id: i64, follower_id: i64, followed_id: i64) -> Result<()> {
    let statement = "insert or ignore into follows (follower_id, followed_id, id) values (?1, ?2, ?3)";
    sql.execute(statement, (follower_id, followed_id, id)).map(drop)
}

/// Adds a post.
pub fn add_post(sql: Sql<'_>, post: &Post<'_>) -> Result<()> {
    let Post { id, author_id, title, text, tag, group_id, at_ms } = post;
    let tag_key = tag.map(str::to_lowercase);
    let audience = if group_id.is_some() { "group" } else { "public" };
    let statement = "insert into posts
                       (id, author_id, title, text, tag, tag_key, audience, group_id, created_at_ms, updated_at_ms)
                     values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)";
    let values = (id, author_id, title, text, tag, tag_key, audience, group_id, at_ms);
    sql.execute(statement, values).map(drop)
}

/// Adds a poll for everybody.
pub fn add_poll<'a>(
    sql: Sql<'_>,
    id: i64,
    creator_id: i64,
    options: impl IntoIterator<Item = &'a str>,
    at_ms: i64,
) -> Result<()> {
    let statement = "insert into polls (id, creator_id, question, created_at_ms, closes_at_ms)
                     values (?1, ?2, 'What comes first in your morning?', ?3, ?4)";
    sql.execute(statement, (id, creator_id, at_ms, at_ms + POLL_MS))?;
    for (position, option) in (0_i64..).zip(options) {
        let statement = "insert into poll_options (poll_id, position, text) values (?1, ?2, ?3)";
        sql.execute(statement, (id, position, option))?;
    }
    Ok(())
}

/// Adds a group. A trigger of the schema adds the owner as a member with the same id.
pub fn add_group(sql: Sql<'_>, id: i64, owner_id: i64, name: &str, at_ms: i64) -> Result<()> {
    let statement = "insert into groups (id, owner_id, name, created_at_ms) values (?1, ?2, ?3, ?4)";
    sql.execute(statement, (id, owner_id, name, at_ms)).map(drop)
}

/// Adds a member to a group. The user must not be a member already.
pub fn add_member(sql: Sql<'_>, id: i64, group_id: i64, user_id: i64) -> Result<()> {
    let statement = "insert or ignore into members (group_id, user_id, id) values (?1, ?2, ?3)";
    sql.execute(statement, (group_id, user_id, id)).map(drop)
}

/// Adds a vote for the first option of a poll.
pub fn add_ballot(sql: Sql<'_>, poll_id: i64, user_id: i64) -> Result<()> {
    let statement = "insert into ballots (poll_id, user_id, position, voted_at_ms) values (?1, ?2, 0, 0)";
    sql.execute(statement, (poll_id, user_id)).map(drop)
}
