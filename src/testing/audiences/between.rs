//! Tests that the SQL of blocks, suspension and mute decides as `authz` does: for every viewer and every other user in
//! every relation, and for the other user's items of every audience.

use crate::authz::{self, Between, GroupFacts, MoodFacts, PollFacts, PostFacts};
use crate::db::readers::Snapshot;
use crate::features::comments::store as comments;
use crate::features::moods;
use crate::features::polls::store as polls;
use crate::features::posts::store::{by_date, lists};
use crate::ids::{GroupId, PollId, PostId, UserId, first_of};
use crate::model::audience::Audience;
use crate::testing::audiences::{BENS, CLEOS, GONE, PEOPLE, Shared, follows, has_all, is_in};
use crate::testing::database::{BEN, CLEO, NOW_MS, TestDatabase, viewer, with_database};

/// The relation of a viewer and another user.
#[derive(Clone, Copy, Debug)]
struct Relation {
    has_blocked: bool,
    is_blocked: bool,
    is_suspended: bool,
    has_muted: bool,
}

impl Relation {
    fn all() -> impl Iterator<Item = Self> {
        (0..16_u8).map(|bits| Self {
            has_blocked: bits & 1 != 0,
            is_blocked: bits & 2 != 0,
            is_suspended: bits & 4 != 0,
            has_muted: bits & 8 != 0,
        })
    }

    fn may_meet(self) -> bool {
        let is_blocked = self.has_blocked || self.is_blocked;
        authz::may_meet(Between { is_blocked, is_suspended: self.is_suspended })
    }

    /// Writes the relation into the database, in place of any other.
    fn write(self, db: &TestDatabase, who: UserId, other: UserId) {
        let (who, other) = (who.0, other.0);
        for sql in ["delete from blocks", "delete from mutes", "update users set suspended_at = null"] {
            db.execute(sql).unwrap();
        }
        let suspends = format!("update users set suspended_at = 1 where id = {other}");
        for (is_so, sql) in [
            (self.has_blocked, format!("insert into blocks values ({who}, {other}, 0)")),
            (self.is_blocked, format!("insert into blocks values ({other}, {who}, 0)")),
            (self.has_muted, format!("insert into mutes values ({who}, {other}, 0)")),
            (self.is_suspended, suspends),
        ] {
            if is_so {
                db.execute(&sql).unwrap();
            }
        }
    }
}

/// A viewer, another user, and their relation.
#[derive(Clone, Copy, Debug)]
struct Pair {
    who: UserId,
    other: UserId,
    relation: Relation,
}

impl Pair {
    fn may_meet(self, user_id: UserId) -> bool {
        user_id != self.other || self.relation.may_meet()
    }

    fn has_muted(self, user_id: UserId) -> bool {
        user_id == self.other && self.relation.has_muted
    }

    fn post(self, shared: &Shared) -> PostFacts {
        let is_member = is_in(self.who, shared.audience.group_id());
        let author_id = shared.author_id;
        PostFacts { author_id, may_meet: self.may_meet(author_id), audience: shared.audience.fact(is_member) }
    }

    fn poll(self, creator_id: UserId, group_id: Option<GroupId>) -> PollFacts {
        let audience = group_id.map_or(authz::Audience::Public, |group_id| authz::Audience::Group {
            is_member: is_in(self.who, Some(group_id)),
        });
        let is_followed = follows(self.who, creator_id);
        PollFacts { creator_id, may_meet: self.may_meet(creator_id), audience, is_followed, is_open: true }
    }
}

/// Checks all pairs of users, in every relation.
async fn for_all_pairs(db: &TestDatabase, check: impl AsyncFn(Pair)) {
    for who in PEOPLE {
        for other in PEOPLE.into_iter().filter(|other| *other != who) {
            for relation in Relation::all() {
                relation.write(db, who, other);
                check(Pair { who, other, relation }).await;
            }
        }
    }
}

#[test]
fn the_conditions_decide_as_authz_does_in_every_relation() {
    with_database(|db| async move {
        let all = has_all(&db);
        for_all_pairs(&db, async |pair| {
            let who = pair.who;
            let people = move |Snapshot { sql, .. }: Snapshot<'_>| {
                let query = concat!(
                    "select u.id, ",
                    authz::sql::may_meet!("u.id", "?1"),
                    ", ",
                    authz::sql::is_muted!("u.id", "?1"),
                    " from users u where u.id <> ?1 order by u.id"
                );
                Ok(sql.rows::<(UserId, bool, bool)>(query, (who,))?)
            };
            let others = PEOPLE.into_iter().filter(|user_id| *user_id != who);
            let expected: Vec<_> =
                others.map(|user_id| (user_id, pair.may_meet(user_id), pair.has_muted(user_id))).collect();
            assert_eq!(db.read(people).await, expected, "{pair:?}");
            let posts = move |Snapshot { sql, .. }: Snapshot<'_>| {
                let query = concat!(
                    "select p.id, ",
                    authz::sql::may_take_part!("p", "?1"),
                    ", ",
                    authz::sql::may_see_post!("p", "?1"),
                    ", ",
                    authz::sql::comments_seen!("p", "?1"),
                    " from posts p order by p.id"
                );
                Ok(sql.rows::<(PostId, bool, bool, i64)>(query, (who,))?)
            };
            let expected: Vec<_> = all
                .iter()
                .map(|shared| {
                    let facts = pair.post(shared);
                    let (viewer, is_seen) = (viewer(who), pair.may_meet(CLEO));
                    let may_see = authz::may_see_post(viewer, &facts);
                    (shared.id, authz::may_take_part(viewer, &facts), may_see, i64::from(is_seen))
                })
                .collect();
            assert_eq!(db.read(posts).await, expected, "{pair:?}");
        })
        .await;
    });
}

#[test]
fn lists_and_threads_leave_out_hidden_users_and_those_of_the_feed_and_of_groups_also_muted_ones() {
    with_database(|db| async move {
        let all = has_all(&db);
        // Everybody follows everybody, so that only the relation leaves something out.
        db.execute("delete from follows").unwrap();
        for (id, (by, of)) in (1..).zip(PEOPLE.iter().flat_map(|by| PEOPLE.map(|of| (by.0, of.0)))) {
            if by != of {
                let values = format!("({by}, {of}, {id})");
                db.execute(&format!("insert into follows (follower_id, followed_id, id) values {values}"))
                    .unwrap();
            }
        }
        // Everybody saved every post of others, in the order of their ids.
        db.execute(
            "insert into saved_posts (user_id, post_id, saved_at_ms)
               select u.id, p.id, 0 from users u join posts p on p.author_id <> u.id order by p.id",
        )
        .unwrap();
        for_all_pairs(&db, async |pair| {
            let (who, other) = (pair.who, pair.other);
            let of = |is_listed: &dyn Fn(&Shared) -> bool| {
                let is_seen = |shared: &&Shared| {
                    authz::may_see_post(viewer(who), &pair.post(shared)) && is_listed(shared)
                };
                all.iter().rev().filter(is_seen).map(|shared| shared.id).collect::<Vec<_>>()
            };
            let feed = move |Snapshot { sql, .. }: Snapshot<'_>| {
                let found = lists::feed(sql, viewer(who), None, None, NOW_MS)?;
                Ok(found.posts.iter().map(|view| view.post.id).collect::<Vec<_>>())
            };
            let is_in_feed = |shared: &Shared| match shared.audience {
                Audience::Public {} => true,
                audience => shared.author_id == who || is_in(who, audience.group_id()),
            };
            let expected = of(&|shared| is_in_feed(shared) && !pair.has_muted(shared.author_id));
            assert_eq!(db.read(feed).await, expected, "{pair:?}");
            let by_other = move |Snapshot { sql, .. }: Snapshot<'_>| {
                let found = by_date::by_author(sql, viewer(who), other, None)?;
                Ok(found.map(|found| found.posts.iter().map(|view| view.post.id).collect::<Vec<_>>()))
            };
            let may_see = authz::may_see_profile(viewer(who), pair.may_meet(other));
            let expected = may_see.then(|| of(&|shared| shared.author_id == other));
            assert_eq!(db.read(by_other).await, expected, "{pair:?}");
            for (group_id, owner_id) in [(BENS, BEN), (CLEOS, CLEO), (GONE, BEN)] {
                let by_group = move |Snapshot { sql, .. }: Snapshot<'_>| {
                    let found = lists::by_group(sql, viewer(who), group_id, None)?;
                    Ok(found.map(|found| found.posts.iter().map(|view| view.post.id).collect::<Vec<_>>()))
                };
                let facts = GroupFacts { owner_id, is_member: is_in(who, Some(group_id)) };
                let is_of_group = |shared: &Shared| {
                    shared.audience.group_id() == Some(group_id) && !pair.has_muted(shared.author_id)
                };
                let expected = authz::may_see_group(viewer(who), &facts).then(|| of(&is_of_group));
                assert_eq!(db.read(by_group).await, expected, "{pair:?} {group_id:?}");
            }
            let saved = move |Snapshot { sql, .. }: Snapshot<'_>| {
                let found = lists::saved(sql, viewer(who), None)?;
                Ok(found.posts.iter().map(|view| (view.post.id, view.saved)).collect::<Vec<_>>())
            };
            let may_save = |shared: &&Shared| authz::may_save(viewer(who), &pair.post(shared));
            let expected: Vec<_> =
                all.iter().rev().filter(may_save).map(|shared| (shared.id, true)).collect();
            assert_eq!(db.read(saved).await, expected, "{pair:?}");
            for shared in &all {
                let post_id = shared.id;
                let thread = move |Snapshot { sql, seq }: Snapshot<'_>| {
                    let thread = comments::page(sql, viewer(who), post_id, None, seq)?;
                    Ok(thread.map(|thread| (thread.comments.len(), thread.comments_count)))
                };
                let facts = pair.post(shared);
                let may_see = authz::may_see_comment(viewer(who), pair.may_meet(CLEO), &facts);
                let said = (usize::from(may_see), i64::from(may_see));
                let expected = authz::may_take_part(viewer(who), &facts).then_some(said);
                assert_eq!(db.read(thread).await, expected, "{pair:?} {post_id:?}");
            }
        })
        .await;
    });
}

#[test]
fn polls_and_moods_are_listed_as_authz_allows_without_those_of_muted_users() {
    with_database(|db| async move {
        has_all(&db);
        let mut all = Vec::new();
        for creator_id in PEOPLE {
            for group_id in [None, Some(BENS)] {
                let id = first_of(NOW_MS) + i64::try_from(all.len()).unwrap();
                let group = group_id.map_or("null".to_owned(), |group_id| group_id.0.to_string());
                for sql in [
                    format!(
                        "insert into polls (id, creator_id, question, created_at_ms, closes_at_ms, group_id)
                           values ({id}, {}, 'question', 0, {}, {group})",
                        creator_id.0,
                        NOW_MS + 1
                    ),
                    format!(
                        "insert into poll_options (poll_id, position, text) values ({id}, 0, 'a'), ({id}, 1, 'b')"
                    ),
                ] {
                    db.execute(&sql).unwrap();
                }
                all.push((PollId(id), creator_id, group_id));
            }
            db.execute(&format!(
                "insert into moods (user_id, local_date, slot, mood, made_at_ms, expires_at_ms)
                   values ({}, '2025-04-11', 'morning', 'Cozy', 0, {})",
                creator_id.0,
                NOW_MS + 1
            ))
            .unwrap();
        }
        for_all_pairs(&db, async |pair| {
            let who = pair.who;
            let page = move |Snapshot { sql, seq }: Snapshot<'_>| {
                let listed = polls::read::page(sql, viewer(who), None, NOW_MS, seq)?;
                Ok(listed.polls.iter().map(|view| view.poll.id).collect::<Vec<_>>())
            };
            let expected: Vec<PollId> = all
                .iter()
                .rev()
                .filter(|(_, creator_id, group_id)| {
                    let facts = pair.poll(*creator_id, *group_id);
                    authz::may_vote_in_poll(viewer(who), &facts) && !pair.has_muted(*creator_id)
                })
                .map(|(id, ..)| *id)
                .collect();
            assert_eq!(db.read(page).await, expected, "{pair:?}");
            let zone = crate::zones::Zone::named("UTC").unwrap();
            let today = move |Snapshot { sql, seq }: Snapshot<'_>| {
                let today = moods::store::today(sql, who, &zone, NOW_MS, seq)?;
                Ok(today.moods.iter().map(|mood| mood.user_id).collect::<Vec<_>>())
            };
            let may = |owner_id: &UserId| {
                let owner_id = *owner_id;
                let (may_meet, is_followed) = (pair.may_meet(owner_id), follows(who, owner_id));
                let facts = MoodFacts { owner_id, may_meet, is_followed, is_over: false };
                owner_id != who && authz::may_see_mood(viewer(who), &facts) && !pair.has_muted(owner_id)
            };
            let expected: Vec<UserId> = PEOPLE.into_iter().filter(may).collect();
            assert_eq!(db.read(today).await, expected, "{pair:?}");
        })
        .await;
    });
}
