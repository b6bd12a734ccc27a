//! The SQL of consent: the groups that a user left and is not added to again (D-S7), and the users whom an owner may
//! add.

use super::super::wire::{Candidates, LeftGroup, LeftGroups};
use super::allowed;
use crate::authz::{self, Viewer};
use crate::db::command::{KeyUse, Transaction, WriteCommand, keyed};
use crate::db::sql::{Sql, from_row};
use crate::error::Error;
use crate::features::events::Event;
use crate::features::groups::wire::Group;
use crate::ids::{FollowId, GroupId, ID_LIMIT, Seq, UserId};
use crate::limits::{LEFT_GROUPS_MAX, PEOPLE_PAGE};
use crate::model::users::User;

from_row!(LeftGroup { id, name });

/// Allows the owner of a group that the user left to add them again. For a group that the user did not leave, or that
/// does not exist, nothing changes.
pub struct AllowAgain {
    pub key: KeyUse,
    pub user_id: UserId,
    pub group_id: GroupId,
}

impl WriteCommand for AllowAgain {
    type Event = Event;
    type Value = LeftGroups;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<LeftGroups, Error> {
        let sql = transaction.sql;
        // A group whose owner the user may not meet is not listed, and stays.
        let allowed = sql.execute(
            concat!(
                "delete from left_groups where user_id = ?1 and group_id in
                   (select g.id from groups g where g.id = ?2 and ",
                authz::sql::may_meet!("g.owner_id", "?1"),
                ")"
            ),
            (self.user_id, self.group_id),
        )?;
        if allowed == 0 {
            transaction.changes_nothing();
        }
        Ok(LeftGroups { groups: left(sql, self.user_id)?, seq: transaction.seq() })
    }
}

/// Notes that a user leaves a group. Above [`LEFT_GROUPS_MAX`], the oldest notes are deleted.
///
/// # Errors
/// A database fault.
pub(super) fn note(sql: Sql<'_>, user_id: UserId, group: &Group, now_ms: i64) -> Result<(), Error> {
    sql.execute(
        "insert or replace into left_groups (user_id, group_id, name, left_at_ms) values (?1, ?2, ?3, ?4)",
        (user_id, group.id, &group.name, now_ms),
    )?;
    sql.execute(
        "delete from left_groups where user_id = ?1 and group_id in
           (select group_id from left_groups where user_id = ?1
             order by left_at_ms desc, group_id desc limit -1 offset ?2)",
        (user_id, LEFT_GROUPS_MAX),
    )?;
    Ok(())
}

/// Returns the groups that a user left and is not added to again, the last one first. Each has the name that it had
/// then.
///
/// # Errors
/// A database fault.
pub fn left(sql: Sql<'_>, user_id: UserId) -> Result<Vec<LeftGroup>, Error> {
    Ok(sql.rows(
        concat!(
            "select l.group_id as id, l.name from left_groups l join groups g on g.id = l.group_id
              where l.user_id = ?1 and ",
            authz::sql::may_meet!("g.owner_id", "?1"),
            " order by l.left_at_ms desc, l.group_id desc"
        ),
        (user_id,),
    )?)
}

/// Returns the groups of this owner that a user left and may not be added to again.
///
/// # Errors
/// A database fault.
pub fn left_of(sql: Sql<'_>, owner_id: UserId, user_id: UserId) -> Result<Vec<GroupId>, Error> {
    Ok(sql.values(
        concat!(
            "select l.group_id from left_groups l join groups g on g.id = l.group_id
              where l.user_id = ?2 and g.owner_id = ?1 and ",
            authz::sql::may_meet!("?2", "?1"),
            " order by l.group_id"
        ),
        (owner_id, user_id),
    )?)
}

/// Reads a page of the followers of an owner who are in a group or may be added to it, newest first.
///
/// Arguments: 1 the owner, 2 the group, 3 the id before which the page begins, 4 the number of rows. The condition is
/// that of `authz::may_add`; a test compares the two.
const CANDIDATES: &str = concat!(
    "select u.id, u.name, u.photo_url, f.id as follow_id from follows f join users u on u.id = f.follower_id
      where f.followed_id = ?1 and f.id < ?3
        and (exists (select 1 from members m where m.group_id = ?2 and m.user_id = u.id) or ",
    authz::sql::may_add!("?1", "?2"),
    ") and ",
    authz::sql::may_meet!("u.id", "?1"),
    " order by f.id desc limit ?4"
);

/// Returns a page of the viewer's followers who are in this group or may be added to it.
///
/// # Errors
/// [`Refusal::NotFound`](crate::error::Refusal) for a group that is not the viewer's; a database fault.
pub fn candidates(
    sql: Sql<'_>,
    viewer: Viewer,
    group_id: GroupId,
    before: Option<FollowId>,
    seq: Seq,
) -> Result<Candidates, Error> {
    let group = allowed(sql, viewer, group_id, authz::may_manage_group)?;
    let before = before.map_or(ID_LIMIT, |before| before.0);
    let mut rows: Vec<(UserId, String, Option<String>, FollowId)> =
        sql.rows(CANDIDATES, (group.owner_id, group_id, before, PEOPLE_PAGE + 1))?;
    let has_more = rows.len() > PEOPLE_PAGE;
    rows.truncate(PEOPLE_PAGE);
    let older = rows.last().map(|(.., follow_id)| *follow_id).filter(|_| has_more);
    let users = rows.into_iter().map(|(id, name, photo_url, _)| User { id, name, photo_url }).collect();
    Ok(Candidates { users, older, seq })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::members::{Add, Leave, Remove};
    use super::super::tests::{GROUP_ID, has_default_group};
    use super::*;
    use crate::authz::AddFacts;
    use crate::db::readers::Snapshot;
    use crate::error::{Field, Refusal};
    use crate::features::groups::store::NOT_ADDABLE;
    use crate::model::choices::Adders;
    use crate::testing::database::{ANA, BEN, CLEO, TestDatabase, key, viewer, with_database};

    fn adding(number: u8, user_id: UserId) -> Add {
        let (key, people) = (key(ANA, number, &[]), vec![user_id]);
        Add { key, group_id: GROUP_ID, viewer: viewer(ANA), people, members_max: 150 }
    }

    fn leaving(number: u8, user_id: UserId) -> Leave {
        Leave { key: key(user_id, number, &[]), group_id: GROUP_ID, viewer: viewer(user_id), user_id }
    }

    fn allowing(number: u8, user_id: UserId, group_id: GroupId) -> AllowAgain {
        AllowAgain { key: key(user_id, number, &[]), user_id, group_id }
    }

    fn no() -> Result<Bytes, Refusal> {
        Err(Refusal::Invalid(Field::MEMBERS, NOT_ADDABLE))
    }

    async fn offered(db: &TestDatabase) -> Vec<UserId> {
        let read = |Snapshot { sql, seq }: Snapshot<'_>| candidates(sql, viewer(ANA), GROUP_ID, None, seq);
        db.read(read).await.users.into_iter().map(|user| user.id).collect()
    }

    #[test]
    fn a_user_who_left_must_allow_another_addition_and_a_removed_user_need_not() {
        with_database(|db| async move {
            db.execute("insert into follows (follower_id, followed_id, id) values (2, 1, 40), (3, 1, 41)")
                .unwrap();
            has_default_group(&db, &[BEN, CLEO]);
            let remove =
                Remove { key: key(ANA, 1, &[]), group_id: GROUP_ID, viewer: viewer(ANA), user_id: CLEO };
            db.write(remove).await.unwrap();
            db.write(leaving(1, BEN)).await.unwrap();
            db.execute("update groups set name = 'What Ben should not know'").unwrap();
            assert_eq!(offered(&db).await, [CLEO]);
            db.write(adding(2, CLEO)).await.unwrap();
            assert_eq!(db.write(adding(3, BEN)).await, no());
            assert_eq!(db.read(|Snapshot { sql, .. }| left_of(sql, ANA, BEN)).await, [GROUP_ID]);
            assert_eq!(db.read(|Snapshot { sql, .. }| left_of(sql, CLEO, BEN)).await, []);
            let bens = db.read(|Snapshot { sql, .. }| left(sql, BEN)).await;
            assert_eq!(bens.len(), 1);
            assert!(!bens[0].name.contains("should not know"), "the name it had: {}", bens[0].name);
            for (number, group_id) in [(2, GROUP_ID), (3, GROUP_ID), (4, GroupId(999))] {
                let done = db.submit(allowing(number, BEN, group_id)).await.unwrap();
                assert_eq!(done.is_change, number == 2);
            }
            assert_eq!(offered(&db).await, [CLEO, BEN], "who is in it, and who may be");
            db.write(adding(4, BEN)).await.unwrap();
        });
    }

    #[test]
    fn a_deleted_group_is_no_longer_among_the_left_groups() {
        with_database(|db| async move {
            has_default_group(&db, &[BEN]);
            db.write(leaving(1, BEN)).await.unwrap();
            db.execute("delete from groups").unwrap();
            assert_eq!(db.read(|Snapshot { sql, .. }| left(sql, BEN)).await.len(), 0);
        });
    }

    #[test]
    fn the_number_of_left_groups_is_limited_and_the_oldest_is_forgotten() {
        with_database(|db| async move {
            has_default_group(&db, &[BEN]);
            for id in 1_000..1_000 + LEFT_GROUPS_MAX {
                db.has_group(id, CLEO, &[]);
                db.execute(&format!(
                    "insert into left_groups (user_id, group_id, name, left_at_ms) values (2, {id}, 'x', {id})"
                ))
                .unwrap();
            }
            db.write(leaving(1, BEN)).await.unwrap();
            let left = db.read(|Snapshot { sql, .. }| left(sql, BEN)).await;
            assert_eq!(i64::try_from(left.len()).unwrap(), LEFT_GROUPS_MAX);
            assert_eq!((left[0].id, left.last().map(|group| group.id)), (GROUP_ID, Some(GroupId(1_001))));
        });
    }

    #[test]
    fn the_condition_for_adding_decides_as_authz_does() {
        with_database(|db| async move {
            has_default_group(&db, &[]);
            db.execute("insert into follows (follower_id, followed_id, id) values (2, 3, 9)").unwrap();
            for (is_followed, follows_owner) in [(false, false), (false, true), (true, false), (true, true)] {
                db.execute("delete from follows").unwrap();
                if is_followed {
                    db.execute("insert into follows (follower_id, followed_id, id) values (1, 2, 40)")
                        .unwrap();
                }
                if follows_owner {
                    db.execute("insert into follows (follower_id, followed_id, id) values (2, 1, 41)")
                        .unwrap();
                }
                for adders in [Adders::Followers, Adders::Followed, Adders::Nobody] {
                    db.execute(&format!("update users set adders = '{}' where id = 2", adders.word()))
                        .unwrap();
                    for has_left in [false, true] {
                        db.execute("delete from left_groups").unwrap();
                        if has_left {
                            db.execute(
                                "insert into left_groups (user_id, group_id, name, left_at_ms) values (2, 500, 'x', 0)",
                            )
                            .unwrap();
                        }
                        let adders = adders.fact();
                        let facts = AddFacts { adders, is_followed, follows_owner, has_left };
                        let condition = concat!(
                            "select ",
                            authz::sql::may_add!("?1", "?2"),
                            " from users u where u.id = 2"
                        );
                        let may: bool = db
                            .read(move |Snapshot { sql, .. }| Ok(sql.value(condition, (ANA, GROUP_ID))?))
                            .await;
                        assert_eq!(may, authz::may_add(&facts), "{facts:?}");
                    }
                }
            }
        });
    }
}
