//! The followers of recent authors, in memory: the next post of an author does not read each of thousands again.
//!
//! Guarantee: the followers are those that the database has in the same transaction. A list counts only while
//! `users.followers_version` is the one that it was read with, and the database changes that with every change of the
//! followers (migration 17).

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::db::sql::Sql;
use crate::error::Error;
use crate::events::Users;
use crate::features::shared::views::{Audience, recipients_of};
use crate::ids::UserId;
use crate::limits::RECENT_FOLLOWERS_MAX;

/// The lists of recent authors. All of them are forgotten when they are more than [`RECENT_FOLLOWERS_MAX`] ids.
#[derive(Default)]
pub struct RecentFollowers(Mutex<Lists>);

#[derive(Default)]
struct Lists {
    /// The version of each author's followers, and the followers with the author.
    by_author: FxHashMap<UserId, (i64, Users)>,
    ids: usize,
}

impl RecentFollowers {
    /// Returns the followers of an author and the author, sorted.
    ///
    /// # Errors
    /// A database fault.
    pub fn and_author(&self, sql: Sql<'_>, author_id: UserId) -> Result<Users, Error> {
        let version = sql.value("select followers_version from users where id = ?1", (author_id,))?;
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, users)) = lists.by_author.get(&author_id)
            && *known == version
        {
            return Ok(users.clone());
        }
        let users = recipients_of(sql, author_id, Audience::Public {})?;
        if lists.ids + users.len() > RECENT_FOLLOWERS_MAX {
            *lists = Lists::default();
        }
        if users.len() <= RECENT_FOLLOWERS_MAX {
            lists.ids += users.len();
            let before = lists.by_author.insert(author_id, (version, users.clone()));
            lists.ids -= before.map_or(0, |(_, users)| users.len());
        }
        Ok(users)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::testing::{ANA, BEN, CLEO, TestDatabase, with_database};

    struct Followers {
        connection: rusqlite::Connection,
        recent: RecentFollowers,
    }

    impl Followers {
        fn of(db: &TestDatabase) -> Self {
            let connection = db.connection();
            crate::db::sql::prepare(&connection).unwrap();
            Self { connection, recent: RecentFollowers::default() }
        }

        fn run(&self, sql: &str) {
            self.connection.execute_batch(sql).unwrap();
        }

        fn begins(&self, follower: UserId, followed: UserId, id: i64) {
            self.run(&format!("insert into follows values ({}, {}, {id})", follower.0, followed.0));
        }

        fn ends(&self, follower: UserId, followed: UserId) {
            let (follower, followed) = (follower.0, followed.0);
            self.run(&format!(
                "delete from follows where follower_id = {follower} and followed_id = {followed}"
            ));
        }

        /// What the lists say, which is what the database says.
        fn and(&self, author_id: UserId) -> Vec<UserId> {
            let sql = Sql::new(&self.connection);
            let known = self.recent.and_author(sql, author_id).unwrap();
            assert_eq!(known, recipients_of(sql, author_id, Audience::Public {}).unwrap());
            known.to_vec()
        }

        fn ids(&self) -> usize {
            let lists = self.recent.0.lock().unwrap();
            assert_eq!(lists.by_author.values().map(|(_, users)| users.len()).sum::<usize>(), lists.ids);
            lists.ids
        }
    }

    #[test]
    fn whoever_begins_or_ends_to_follow_is_in_the_next_list_or_not() {
        with_database(|db| async move {
            let followers = Followers::of(&db);
            assert_eq!(followers.and(ANA), [ANA]);
            followers.begins(CLEO, ANA, 1);
            assert_eq!(followers.and(ANA), [ANA, CLEO]);
            followers.begins(BEN, ANA, 2);
            followers.begins(BEN, CLEO, 3);
            assert_eq!(followers.and(ANA), [ANA, BEN, CLEO]);
            assert_eq!(followers.and(CLEO), [BEN, CLEO]);
            followers.ends(CLEO, ANA);
            assert_eq!(followers.and(ANA), [ANA, BEN]);
            followers.run("delete from users where id = 2");
            assert_eq!((followers.and(ANA), followers.and(CLEO)), (vec![ANA], vec![CLEO]));
            assert_eq!(followers.ids(), 2);
        });
    }

    #[test]
    fn a_list_of_a_transaction_that_was_rolled_back_does_not_count() {
        with_database(|db| async move {
            let followers = Followers::of(&db);
            followers.begins(BEN, ANA, 1);
            followers.begins(CLEO, ANA, 2);
            followers.run("begin");
            followers.ends(BEN, ANA);
            assert_eq!(followers.and(ANA), [ANA, CLEO]);
            followers.run("rollback");
            assert_eq!(followers.and(ANA), [ANA, BEN, CLEO]);
            followers.run("begin");
            followers.ends(BEN, ANA);
            assert_eq!(followers.and(ANA), [ANA, CLEO]);
            followers.run("rollback");
            followers.ends(CLEO, ANA);
            assert_eq!(followers.and(ANA), [ANA, BEN]);
        });
    }

    #[test]
    fn the_list_that_is_too_much_replaces_all_others() {
        with_database(|db| async move {
            let followers = Followers::of(&db);
            followers.run(&format!(
                "begin;
                 with recursive n (id) as (select 100 union all select id + 1 from n where id < 100 + {RECENT_FOLLOWERS_MAX})
                 insert into users (id, email, email_key, password_hash, name, created_at_ms, updated_at_ms)
                   select id, id, id, '', id, 0, 0 from n;
                 insert into follows select id, 1, id from users where id > 101;
                 commit"
            ));
            assert_eq!(followers.and(BEN), [BEN]);
            assert_eq!(followers.and(ANA).len(), RECENT_FOLLOWERS_MAX);
            assert_eq!(followers.ids(), RECENT_FOLLOWERS_MAX, "Ben's is forgotten");
            followers.begins(UserId(100), ANA, 100);
            assert_eq!(followers.and(ANA).len(), RECENT_FOLLOWERS_MAX + 1);
            assert_eq!(followers.ids(), 0, "more than all lists together may have");
        });
    }
}
