//! Makes the database of the reads: a year of posts, most of them by a few authors.

use std::path::Path;

use mellow::clock::Clock;
use mellow::ids::first_of;
use rusqlite::{Connection, ToSql};

use crate::users;
use mellow::seeded_random::SeededRandom;

/// The user who reads.
pub const READER: i64 = 1;
/// The authors have the ids after that of the reader.
const FIRST_AUTHOR: i64 = 2;
const FOLLOWED: i64 = 200;
const GROUPS: i64 = 10;
const MEMBERS: i64 = 30;
/// The number of comments of a long thread.
const THREAD: i64 = 200;
/// The most posts of the reader. They are older than a year, so that they are in no first page of the feed.
const READERS_POSTS: i64 = 10_000;
/// A word of the reader's oldest post, so that a search for it reads all their posts.
pub const SOUGHT: &str = "capercaillie";
/// The number of notifications. The server keeps this number for one user.
const NOTIFICATIONS: i64 = 300;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
const YEAR_MS: i64 = 365 * DAY_MS;

const TEXT: &str = "Woke before the alarm and walked the long way round the lake. Mist on the water, \
    one heron, nobody else. I keep thinking that the hour before the messages start is the one that \
    decides the day. What do you do with yours? Tea, a notebook, and no phone until eight has worked \
    for me three weeks in a row now.";
const COMMENT: &str = "This is exactly the hour I lost somewhere last winter. Thank you for the reminder.";
const FIRST_NAMES: [&str; 12] =
    ["Ana", "Ben", "Cleo", "Dario", "Elif", "Femi", "Greta", "Hugo", "Ines", "Jonas", "Kaya", "Leo"];
const LAST_NAMES: [&str; 10] =
    ["Marques", "Okafor", "Lindqvist", "Tanaka", "Moreau", "Novak", "Haddad", "Silva", "Brandt", "Keller"];
const TAGS: [&str; 4] = ["Slow Mornings", "Tea", "Walking", "Books"];

/// The rows that the reads ask for.
pub struct Seeded {
    /// Public posts with a long thread.
    pub threads: Vec<i64>,
    /// The number of authors.
    pub authors: i64,
}

impl Seeded {
    /// Returns one of the authors.
    pub fn author(&self, number: usize) -> i64 {
        FIRST_AUTHOR + i64::try_from(number).unwrap() * 7_919 % self.authors
    }

    /// Returns a post with a long thread.
    pub fn thread(&self, number: usize) -> i64 {
        self.threads[number % self.threads.len()]
    }

    /// Returns a term to search for, the beginning of a name.
    pub fn term(number: usize) -> &'static str {
        &FIRST_NAMES[number % FIRST_NAMES.len()][..2]
    }
}

/// Fills a new database in `folder` with `posts` posts, in one transaction.
pub fn seed(folder: &Path, posts: i64) -> Seeded {
    let connection = users::database(folder);
    let authors = (posts / 5).min(20_000);
    // The rows need no checks, because the code makes only valid ones. They need no durability, because the file can be
    // made again.
    let fast = "pragma journal_mode = off; pragma synchronous = off; pragma foreign_keys = off;
                pragma cache_size = -262144; begin";
    connection.execute_batch(fast).unwrap();
    let mut seed =
        Seed { connection, random: SeededRandom::new(20_261_122, 0), now_ms: Clock::Real.now_ms(), authors };
    seed.users();
    seed.groups();
    seed.posts_of_reader((posts / 10).min(READERS_POSTS));
    let threads = seed.posts(posts);
    seed.notifications();
    seed.polls();
    let done = "commit; pragma journal_mode = wal";
    seed.connection.execute_batch(done).unwrap();
    Seeded { threads, authors }
}

struct Seed {
    connection: Connection,
    random: SeededRandom,
    now_ms: i64,
    authors: i64,
}

impl Seed {
    fn insert(&self, sql: &str, values: &[&dyn ToSql]) {
        self.connection.prepare_cached(sql).unwrap().execute(values).unwrap();
    }

    /// Returns a random author. A few authors are returned often.
    fn author(&mut self) -> i64 {
        let share = (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        FIRST_AUTHOR + (share * share * self.authors as f64) as i64
    }

    /// Returns the authors whom the reader follows. They are spread evenly over prolific and other authors.
    fn followed(&self) -> impl Iterator<Item = i64> {
        let step = (self.authors / FOLLOWED).max(1);
        (0..FOLLOWED.min(self.authors)).map(move |number| FIRST_AUTHOR + number * step)
    }

    fn users(&self) {
        users::add(&self.connection, READER, "Rana Reader", self.now_ms);
        for number in 0..self.authors {
            let first = FIRST_NAMES[number as usize % FIRST_NAMES.len()];
            let last = LAST_NAMES[number as usize / FIRST_NAMES.len() % LAST_NAMES.len()];
            users::add(
                &self.connection,
                FIRST_AUTHOR + number,
                &format!("{first} {last} {number}"),
                self.now_ms,
            );
        }
        for id in self.followed() {
            let sql = "insert into follows (follower_id, followed_id, id) values (?1, ?2, ?2)";
            self.insert(sql, &[&READER, &id]);
        }
    }

    /// Adds groups. The reader owns each group, and a few authors are members.
    fn groups(&self) {
        for group in 1..=GROUPS {
            let sql = "insert into groups (id, owner_id, name, created_at_ms) values (?1, ?2, ?3, ?4)";
            self.insert(sql, &[&group, &READER, &format!("Circle {group}"), &self.now_ms]);
            for number in 0..(MEMBERS - 1).min(self.authors) {
                // The row of the owner has the id of the group, so these ids differ from it.
                let id = group * 1_000 + number;
                let sql = "insert into members (group_id, user_id, id) values (?1, ?2, ?3)";
                self.insert(sql, &[&group, &(FIRST_AUTHOR + number), &id]);
            }
        }
    }

    /// Adds posts of the reader, one a minute.
    fn posts_of_reader(&self, posts: i64) {
        for number in 0..posts {
            let at_ms = self.now_ms - YEAR_MS - (posts - number) * 60_000;
            let text = if number == 0 { format!("{TEXT} {SOUGHT}!") } else { TEXT.into() };
            self.post_with(first_of(at_ms), READER, None, at_ms, &text);
        }
    }

    /// Adds posts, oldest first, with their comments and some votes of the reader. Returns the posts with a long
    /// thread.
    fn posts(&mut self, posts: i64) -> Vec<i64> {
        let mut threads = Vec::new();
        for number in 0..posts {
            let at_ms = self.now_ms - YEAR_MS + YEAR_MS * number / posts;
            let id = first_of(at_ms);
            let is_thread = number % 1_000 == 999;
            let group_id = (number % 500 == 250).then_some(1 + number / 500 % GROUPS);
            let author_id = match group_id {
                Some(_) => FIRST_AUTHOR + number / 500 % (MEMBERS - 1).min(self.authors),
                None => self.author(),
            };
            self.post(id, author_id, group_id, at_ms);
            if number % 16 == 0 {
                let sql = "insert into votes (post_id, user_id, vote) values (?1, ?2, 1)";
                self.insert(sql, &[&id, &READER]);
            }
            let comments = if is_thread { THREAD } else { [0, 0, 1, 3][number as usize % 4] };
            for comment in 0..comments {
                self.comment(id, at_ms + 1 + comment, "");
            }
            if is_thread {
                threads.push(id);
            }
        }
        threads
    }

    fn post(&self, id: i64, author_id: i64, group_id: Option<i64>, at_ms: i64) {
        self.post_with(id, author_id, group_id, at_ms, TEXT);
    }

    fn post_with(&self, id: i64, author_id: i64, group_id: Option<i64>, at_ms: i64, text: &str) {
        let tag = TAGS.get(id as usize % 7);
        let tag_key = tag.map(|tag| tag.to_lowercase());
        let audience = if group_id.is_some() { "group" } else { "public" };
        let sql = "insert into posts
                     (id, author_id, title, text, tag, tag_key, audience, group_id, created_at_ms, updated_at_ms)
                   values (?1, ?2, 'The hour before the messages', ?3, ?4, ?5, ?6, ?7, ?8, ?8)";
        self.insert(sql, &[&id, &author_id, &text, &tag, &tag_key, &audience, &group_id, &at_ms]);
    }

    /// Adds a comment. Returns its id and its author.
    fn comment(&mut self, post_id: i64, at_ms: i64, mention: &str) -> (i64, i64) {
        let (id, author_id) = (first_of(at_ms), self.author());
        let sql =
            "insert into comments (id, post_id, author_id, text, created_at_ms) values (?1, ?2, ?3, ?4, ?5)";
        self.insert(sql, &[&id, &post_id, &author_id, &format!("{mention}{COMMENT}"), &at_ms]);
        (id, author_id)
    }

    /// Adds a post of the reader with comments, and a notification of each comment.
    fn notifications(&mut self) {
        let at_ms = self.now_ms - 1_000;
        let post_id = first_of(at_ms) + 1;
        self.post(post_id, READER, None, at_ms);
        for number in 0..NOTIFICATIONS {
            let (id, actor_id) = self.comment(post_id, at_ms + 1 + number, "@2+Ana ");
            let sql = "insert into notifications
                         (id, user_id, kind, actor_id, post_id, comment_id, created_at_ms, unread)
                       values (?1, ?2, 'comment', ?3, ?4, ?1, ?5, ?6)";
            self.insert(sql, &[&id, &READER, &actor_id, &post_id, &at_ms, &(number % 2)]);
        }
    }

    /// Adds open polls of every tenth author, with some votes.
    fn polls(&self) {
        let creators = (0..self.authors).step_by(10).map(|number| FIRST_AUTHOR + number);
        for (number, creator_id) in (0..).zip(creators) {
            let at_ms = self.now_ms - DAY_MS - number * 1_000;
            let id = first_of(at_ms) + 2;
            let sql = "insert into polls (id, creator_id, question, created_at_ms, closes_at_ms)
                       values (?1, ?2, 'What comes first in your morning?', ?3, ?4)";
            self.insert(sql, &[&id, &creator_id, &at_ms, &(at_ms + 7 * DAY_MS)]);
            for (position, option) in ["Tea", "A walk", "The phone"].iter().enumerate() {
                let sql = "insert into poll_options (poll_id, position, text) values (?1, ?2, ?3)";
                self.insert(sql, &[&id, &position, option]);
            }
            for voter in (READER..).take(if number % 3 == 0 { 20 } else { 3 }) {
                let sql =
                    "insert into ballots (poll_id, user_id, position, voted_at_ms) values (?1, ?2, ?3, ?4)";
                self.insert(sql, &[&id, &voter, &(voter % 3), &at_ms]);
            }
        }
    }
}
