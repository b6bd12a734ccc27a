//! A cache of the followers of recent authors, so that the next post of an author does not read thousands of followers
//! again.
//!
//! Guarantee: the result is what a query in the same transaction returns. A list is used only if its version is
//! `users.followers_version`, a number that triggers change with each follow that begins or ends (migration 17). The
//! list of a deleted account stays here until the lists are dropped; nothing uses it.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::db::sql::Sql;
use crate::error::Error;
use crate::events::Users;
use crate::ids::UserId;
use crate::limits::RECENT_FOLLOWERS_MAX;
use crate::model::audience::{Audience, recipients_of};

/// The cache, with one list for each recent author. If a new list does not fit, all older lists are dropped.
pub struct RecentFollowers {
    lists: Mutex<Lists>,
    /// Most ids in all lists together.
    ids_max: usize,
}

#[derive(Default)]
struct Lists {
    /// For each author, the version of the list, and the followers and the author.
    by_author: FxHashMap<UserId, (i64, Users)>,
    ids: usize,
}

/// The memory that a list takes besides its ids, in units of an id (8 bytes).
const LIST_OVERHEAD: usize = 12;

fn weight(users: &Users) -> usize {
    users.len() + LIST_OVERHEAD
}

impl Default for RecentFollowers {
    fn default() -> Self {
        Self { lists: Mutex::default(), ids_max: RECENT_FOLLOWERS_MAX }
    }
}

impl RecentFollowers {
    /// Returns the recipients of a public item of this author: the followers and the author, sorted.
    ///
    /// # Errors
    /// A database fault.
    pub fn recipients(&self, sql: Sql<'_>, author_id: UserId) -> Result<Users, Error> {
        let version = sql.value("select followers_version from users where id = ?1", (author_id,))?;
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, users)) = lists.by_author.get(&author_id)
            && *known == version
        {
            return Ok(users.clone());
        }
        if let Some((_, stale)) = lists.by_author.remove(&author_id) {
            lists.ids -= weight(&stale);
        }
        let users = recipients_of(sql, author_id, Audience::Public {})?;
        if weight(&users) > self.ids_max {
            return Ok(users);
        }
        if lists.ids + weight(&users) > self.ids_max {
            *lists = Lists::default();
        }
        lists.ids += weight(&users);
        lists.by_author.insert(author_id, (version, users.clone()));
        Ok(users)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::database::{ANA, BEN, CLEO, TestDatabase, with_database};

    struct Followers {
        connection: rusqlite::Connection,
        recent: RecentFollowers,
    }

    impl Followers {
        fn of(db: &TestDatabase) -> Self {
            Self::with_room(db, RECENT_FOLLOWERS_MAX)
        }

        fn with_room(db: &TestDatabase, ids_max: usize) -> Self {
            let connection = db.connection();
            crate::db::sql::prepare(&connection).unwrap();
            Self { connection, recent: RecentFollowers { ids_max, ..RecentFollowers::default() } }
        }

        fn run(&self, sql: &str) {
            self.connection.execute_batch(sql).unwrap();
        }

        fn begins(&self, follower: UserId, followed: UserId, id: i64) {
            self.run(&format!(
                "insert into follows (follower_id, followed_id, id) values ({}, {}, {id})",
                follower.0, followed.0
            ));
        }

        fn ends(&self, follower: UserId, followed: UserId) {
            let (follower, followed) = (follower.0, followed.0);
            self.run(&format!(
                "delete from follows where follower_id = {follower} and followed_id = {followed}"
            ));
        }

        /// Returns the recipients from the cache, and checks that the database has the same.
        fn recipients(&self, author_id: UserId) -> Vec<UserId> {
            let sql = Sql::new(&self.connection);
            let known = self.recent.recipients(sql, author_id).unwrap();
            assert_eq!(known, recipients_of(sql, author_id, Audience::Public {}).unwrap());
            known.to_vec()
        }

        fn authors(&self) -> Vec<UserId> {
            let lists = self.recent.lists.lock().unwrap();
            assert_eq!(lists.by_author.values().map(|(_, users)| weight(users)).sum::<usize>(), lists.ids);
            let mut authors: Vec<_> = lists.by_author.keys().copied().collect();
            authors.sort_unstable();
            authors
        }
    }

    #[test]
    fn a_follow_that_begins_or_ends_changes_the_next_list() {
        with_database(|db| async move {
            let followers = Followers::of(&db);
            assert_eq!(followers.recipients(ANA), [ANA]);
            followers.begins(CLEO, ANA, 1);
            assert_eq!(followers.recipients(ANA), [ANA, CLEO]);
            followers.begins(BEN, ANA, 2);
            followers.begins(BEN, CLEO, 3);
            assert_eq!(followers.recipients(ANA), [ANA, BEN, CLEO]);
            assert_eq!(followers.recipients(CLEO), [BEN, CLEO]);
            followers.ends(CLEO, ANA);
            assert_eq!(followers.recipients(ANA), [ANA, BEN]);
            followers.run("delete from users where id = 2");
            assert_eq!((followers.recipients(ANA), followers.recipients(CLEO)), (vec![ANA], vec![CLEO]));
            assert_eq!(followers.authors(), [ANA, CLEO]);
        });
    }

    #[test]
    fn a_list_of_a_rolled_back_transaction_is_not_used() {
        with_database(|db| async move {
            let followers = Followers::of(&db);
            followers.begins(BEN, ANA, 1);
            followers.begins(CLEO, ANA, 2);
            followers.run("begin");
            followers.ends(BEN, ANA);
            assert_eq!(followers.recipients(ANA), [ANA, CLEO]);
            followers.run("rollback");
            assert_eq!(followers.recipients(ANA), [ANA, BEN, CLEO]);
            followers.run("begin");
            followers.ends(BEN, ANA);
            assert_eq!(followers.recipients(ANA), [ANA, CLEO]);
            followers.run("rollback");
            followers.ends(CLEO, ANA);
            assert_eq!(followers.recipients(ANA), [ANA, BEN]);
        });
    }

    #[test]
    fn a_list_that_does_not_fit_drops_the_others_and_one_above_the_limit_is_not_kept() {
        with_database(|db| async move {
            let followers = Followers::with_room(&db, 2 * LIST_OVERHEAD + 3);
            followers.begins(CLEO, BEN, 1);
            assert_eq!(followers.recipients(BEN), [BEN, CLEO]);
            assert_eq!(followers.recipients(ANA), [ANA]);
            assert_eq!(followers.authors(), [ANA, BEN]);
            followers.begins(BEN, ANA, 2);
            assert_eq!(followers.recipients(ANA), [ANA, BEN]);
            assert_eq!(followers.authors(), [ANA]);
            assert_eq!(followers.recipients(CLEO), [CLEO]);
            let crowd = 100..120 + i64::try_from(LIST_OVERHEAD).unwrap();
            for id in crowd {
                followers.begins(db.has_person(id, &format!("Person {id}")), ANA, id);
            }
            followers.recipients(ANA);
            assert_eq!(followers.authors(), [CLEO], "the list of Ana is larger than all may be");
        });
    }
}
