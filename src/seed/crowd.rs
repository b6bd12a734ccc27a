//! `mellow seed --people ...`: any number of people and posts for measuring. The rows are written directly into the
//! tables.
//!
//! A few people have most followers and write most posts: the number at rank r is proportional to 1 / r. Posts are
//! spread over a year. One post in a thousand has a long thread. A group has up to 30 members. Counts are right,
//! because the triggers of the tables compute them. References are checked at the end.

use super::rows;
use crate::clock::Clock;
use crate::db;
use crate::db::sql::{Result, Sql};
use crate::features::auth;
use crate::ids::first_of;
use crate::random::{hex, random};
use crate::seeded_random::SeededRandom;
use crate::settings::Settings;

/// The amounts to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    pub people: i64,
    pub posts: i64,
    /// The number of all follows together.
    pub follows: i64,
    pub groups: i64,
}

const YEAR_MS: i64 = 365 * 24 * 3_600_000;
const MEMBERS_MAX: i64 = 30;
/// One of this number of posts has a long thread.
const THREAD_EVERY: i64 = 1_000;
const THREAD: i64 = 200;
/// One of this number of posts is a post of a group, if there are groups.
const GROUP_POST_EVERY: i64 = 50;
const TEXTS: [&str; 4] = [
    "Woke before the alarm and walked the long way round the lake. Mist on the water, one heron, nobody else. I keep \
     thinking that the hour before the messages start is the one that decides the day.",
    "The kettle has a small dent that makes it sing a little before it boils.",
    "Nine bowls went into the kiln, nine came out, one of them is good. It is the one I was not trying with.",
    "Six hundred oaks since Monday. In forty years somebody will sit in a traffic jam, look to the right, and feel a \
     little better without knowing why.",
];
const COMMENTS: [&str; 3] = [
    "This is exactly the hour I lost somewhere last winter. Thank you for the reminder.",
    "Same here, and the wind is from the east.",
    "I will think of this all day.",
];
const FIRST_NAMES: [&str; 12] =
    ["Ana", "Ben", "Cleo", "Dario", "Elif", "Femi", "Greta", "Hugo", "Ines", "Jonas", "Kaya", "Leo"];
const LAST_NAMES: [&str; 10] =
    ["Marques", "Okafor", "Lindqvist", "Tanaka", "Moreau", "Novak", "Haddad", "Silva", "Brandt", "Keller"];
const TAGS: [&str; 4] = ["Slow Mornings", "Tea", "Walking", "Books"];

/// Fills the folder. Returns the email and the password of the first user.
pub(super) async fn fill(
    settings: &Settings,
    size: &Size,
    seed: u64,
) -> std::result::Result<(String, String), String> {
    if size.people < 1 {
        return Err("at least one person is needed".into());
    }
    std::fs::create_dir_all(&settings.data).map_err(|why| format!("{}: {why}", settings.data.display()))?;
    let lock = db::try_lock_folder(&settings.data)?;
    let _lock = lock.ok_or("a Mellow is using this folder. Stop it first, or choose another with --data.")?;
    let password = hex(&random::<8>().map_err(|why| why.to_string())?);
    let hash = auth::hash(settings, password.clone()).await.map_err(|why| why.to_string())?;
    db::fill(&settings.data, |sql| {
        let random = SeededRandom::new(seed, 0);
        let mut crowd = Crowd { sql, random, now_ms: Clock::Real.now_ms(), people: size.people };
        crowd.write(size, &hash).map_err(|why| format!("the people and posts could not be written: {why}"))
    })
    .await?;
    Ok(("person1@example.org".into(), password))
}

struct Crowd<'c> {
    sql: Sql<'c>,
    random: SeededRandom,
    now_ms: i64,
    people: i64,
}

impl Crowd<'_> {
    fn write(&mut self, size: &Size, hash: &str) -> Result<()> {
        self.people(hash)?;
        self.follows(size.follows)?;
        self.groups(size.groups)?;
        self.posts(size.posts, size.groups)?;
        self.polls()
    }

    /// Returns a random user. The first users are returned most often.
    fn popular_user(&mut self) -> i64 {
        // The logarithm of the rank is spread evenly, so the probability falls with 1 / r.
        let rank = (self.people as f64 + 1.0).powf(self.random.share());
        (rank as i64).clamp(1, self.people)
    }

    /// Returns a random user. All users have the same probability.
    fn any_user(&mut self) -> i64 {
        1 + (self.random.share() * self.people as f64) as i64
    }

    fn people(&self, hash: &str) -> Result<()> {
        for id in 1..=self.people {
            let number = id as usize;
            let first = FIRST_NAMES[number % FIRST_NAMES.len()];
            let last = LAST_NAMES[number / FIRST_NAMES.len() % LAST_NAMES.len()];
            let hash = (id == 1).then_some(hash);
            let (email, name) = (format!("person{id}@example.org"), format!("{first} {last} {id}"));
            rows::add_person(self.sql, id, &email, &name, hash, self.now_ms - YEAR_MS)?;
        }
        Ok(())
    }

    fn follows(&mut self, follows: i64) -> Result<()> {
        for id in 1..=follows {
            let (follower, followed) = (self.any_user(), self.popular_user());
            if follower != followed {
                rows::add_follow(self.sql, id, follower, followed)?;
            }
        }
        Ok(())
    }

    fn groups(&mut self, groups: i64) -> Result<()> {
        for group in 1..=groups {
            let owner = self.popular_user();
            rows::add_group(self.sql, group, owner, &format!("Group {group}"), self.now_ms)?;
            for number in 1..MEMBERS_MAX.min(self.people) {
                let id = groups + group * MEMBERS_MAX + number;
                let member = self.any_user();
                rows::add_member(self.sql, id, group, member)?;
            }
        }
        Ok(())
    }

    fn posts(&mut self, posts: i64, groups: i64) -> Result<()> {
        for number in 0..posts {
            let at_ms =
                self.now_ms - YEAR_MS + (i128::from(YEAR_MS) * i128::from(number) / i128::from(posts)) as i64;
            let group_id = (groups > 0 && number % GROUP_POST_EVERY == 7)
                .then(|| 1 + number / GROUP_POST_EVERY % groups);
            let author_id = match group_id {
                None => self.popular_user(),
                Some(group_id) => {
                    let owner = "select owner_id from groups where id = ?1";
                    self.sql.value(owner, (group_id,))?
                }
            };
            // A millisecond has 4,096 ids. The ids rise in the order of the posts.
            let id = first_of(at_ms) + number % 4_096;
            let tag = TAGS.get(self.random.below(2 * TAGS.len())).copied();
            let text = TEXTS[self.random.below(TEXTS.len())];
            rows::add_post(self.sql, &rows::Post { id, author_id, title: None, text, tag, group_id, at_ms })?;
            if group_id.is_some() {
                continue;
            }
            let comments = if number % THREAD_EVERY == THREAD_EVERY - 1 {
                THREAD
            } else {
                [0, 0, 1, 3][number as usize % 4]
            };
            for comment in 0..comments {
                let (author_id, text) = (self.any_user(), COMMENTS[self.random.below(COMMENTS.len())]);
                let sql = "insert into comments (id, post_id, author_id, text, created_at_ms)
                           values (?1, ?2, ?3, ?4, ?5)";
                // The ids of comments follow the id of their post. No other comment has them, because the next post is
                // many milliseconds later.
                self.sql.execute(sql, ((id + 1 + comment), id, author_id, text, (at_ms + 1 + comment)))?;
            }
            if number % 4 == 0 {
                let voter = self.any_user();
                self.sql
                    .execute("insert into votes (post_id, user_id, vote) values (?1, ?2, 1)", (id, voter))?;
            }
        }
        Ok(())
    }

    /// Adds an open poll of every fiftieth user, with some votes.
    fn polls(&mut self) -> Result<()> {
        for creator_id in (1..=self.people).step_by(50) {
            let at_ms = self.now_ms - 1_000 * creator_id;
            let id = first_of(at_ms);
            rows::add_poll(self.sql, id, creator_id, ["Tea", "A walk", "The phone"], at_ms)?;
            for _ in 0..10 {
                let (voter, position) = (self.any_user(), self.random.below(3) as i64);
                let sql = "insert or ignore into ballots (poll_id, user_id, position, voted_at_ms) values (?1, ?2, ?3, ?4)";
                self.sql.execute(sql, (id, voter, position, at_ms))?;
            }
        }
        Ok(())
    }
}
