//! The SQL of groups: creates, renames and deletes them. [`members`] changes the members. [`read`] reads groups.
//! [`left_groups`] knows who may be added.

pub mod left_groups;
pub mod members;
pub mod read;

use super::wire::{Created, Deleted, Group, Made, Renamed, Renaming};
use crate::authz::sql::may_meet;
use crate::authz::{self, GroupFacts, Viewer};
use crate::db::command::{KeyUse, Transaction, WriteCommand, deletes, keyed};
use crate::db::sql::Sql;
use crate::error::{Error, Field, Refusal};
use crate::features::events::Event;
use crate::ids::{GroupId, UserId};
use crate::limits::{GROUPS_FULL, GROUPS_JOINED_MAX};
use crate::model::archive::{ArchiveFile, time};
use crate::model::groups::members_of;
use crate::model::users::users_named;
use crate::reply::Done;
use crate::sentence::Sentence;

pub const NOT_ADDABLE: Sentence = Sentence::new(
    "group_not_addable",
    "You can add people you follow and people who follow you, if they allow it.",
);

/// Creates a group. The schema makes the owner its first member.
pub struct Create {
    pub key: KeyUse,
    pub owner_id: UserId,
    pub name: String,
    /// Most groups that a user may own.
    pub owned_max: i64,
}

impl WriteCommand for Create {
    type Event = Event;
    type Value = Made;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Made, Error> {
        let sql = transaction.sql;
        let owned: i64 = sql.value("select count(*) from groups where owner_id = ?1", (self.owner_id,))?;
        if owned >= self.owned_max {
            return Err(Refusal::Invalid(Field::NAME, GROUPS_FULL).into());
        }
        let id = GroupId(transaction.new_id());
        sql.execute(
            "insert into groups (id, owner_id, name, created_at_ms) values (?1, ?2, ?3, ?4)",
            (id, self.owner_id, &self.name, transaction.now_ms),
        )?;
        let group = Group {
            id,
            name: self.name.clone(),
            owner_id: self.owner_id,
            members_count: 1,
            created_at_ms: transaction.now_ms,
        };
        let users = users_named(sql, self.owner_id, [self.owner_id])?;
        transaction.publish(Event::GroupCreated(Created { group: group.clone(), users }));
        Ok(Made { group, seq: transaction.seq() })
    }
}

/// Gives a group another name.
pub struct Rename {
    pub key: KeyUse,
    pub group_id: GroupId,
    pub viewer: Viewer,
    pub name: String,
}

impl WriteCommand for Rename {
    type Event = Event;
    type Value = Renaming;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Renaming, Error> {
        let (group_id, name) = (self.group_id, self.name.clone());
        let group = allowed(transaction.sql, self.viewer, group_id, authz::may_manage_group)?;
        if group.name != name {
            transaction.sql.execute("update groups set name = ?2 where id = ?1", (group_id, &name))?;
            let members = members_of(transaction.sql, group_id)?;
            transaction.publish(Event::GroupRenamed(Renamed { group_id, name: name.clone(), members }));
        } else {
            transaction.changes_nothing();
        }
        Ok(Renaming { group_id, name, seq: transaction.seq() })
    }
}

/// Deletes a group. The schema deletes its polls, and leaves its posts to their authors.
pub struct Delete {
    pub key: KeyUse,
    pub group_id: GroupId,
    pub viewer: Viewer,
}

impl WriteCommand for Delete {
    type Event = Event;
    type Value = Done;

    keyed!();

    deletes!(Content);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let (sql, group_id) = (transaction.sql, self.group_id);
        allowed(sql, self.viewer, group_id, authz::may_manage_group)?;
        let members = members_of(sql, group_id)?;
        sql.execute("delete from groups where id = ?1", (group_id,))?;
        transaction.publish(Event::GroupDeleted(Deleted { group_id, members }));
        Ok(Done { seq: transaction.seq() })
    }
}

/// Returns a group, if `may` allows the viewer's request.
///
/// # Errors
/// [`Refusal::NotFound`] if it does not, or if there is no such group; a database fault.
fn allowed(
    sql: Sql<'_>,
    viewer: Viewer,
    group_id: GroupId,
    may: impl Fn(Viewer, &GroupFacts) -> bool,
) -> Result<Group, Error> {
    let group = read::known(sql, viewer, group_id)?;
    Ok(group.filter(|group| may(viewer, &read::facts(group))).ok_or(Refusal::NotFound)?)
}

/// Returns the most groups of others that a user may be in.
fn joined_max() -> i64 {
    i64::try_from(GROUPS_JOINED_MAX).unwrap_or(i64::MAX)
}

/// The files that this feature adds to the archive of a user.
pub const ARCHIVE: &[ArchiveFile] = &[
    ArchiveFile::new(
        "groups.json",
        "the groups that you own, and their members",
        concat!(
            "select g.id, json_object('id', g.id, 'name', g.name, 'made_at', ", time!("g.created_at_ms"), ",
                'members', (select json_group_array(json_object('id', u.id, 'name', u.name) order by m.id)
                              from members m join users u on u.id = m.user_id where m.group_id = g.id and ", may_meet!("u.id", "?1"), "))
               from groups g where g.owner_id = ?1 and g.id < ?2 order by g.id desc limit ?3"
        ),
    ),
    ArchiveFile::new(
        "joined_groups.json",
        "groups of others that you are a member of, and their owners",
        concat!(
            "select g.id, json_object('id', g.id, 'name', g.name,
                'owner', json(iif(", may_meet!("u.id", "?1"), ", json_object('id', u.id, 'name', u.name), 'null')))
               from members m join groups g on g.id = m.group_id join users u on u.id = g.owner_id
              where m.user_id = ?1 and g.owner_id <> ?1 and m.group_id < ?2 order by m.group_id desc limit ?3"
        ),
    ),
    ArchiveFile::new(
        "left_groups.json",
        "groups that you left and are not added to again, without their names",
        // The archive names no group that the user is not in.
        concat!(
            "select l.group_id, json_object('id', l.group_id, 'left_at', ", time!("l.left_at_ms"), ")
               from left_groups l join groups g on g.id = l.group_id
              where l.user_id = ?1 and l.group_id < ?2 and ", may_meet!("g.owner_id", "?1"), "
              order by l.group_id desc limit ?3"
        ),
    ),
];

#[cfg(test)]
mod tests {
    use super::members::{Add, Leave, Remove};
    use super::*;
    use crate::db::readers::Snapshot;
    use crate::ids::{PostId, Seq};
    use crate::testing::database::{
        ANA, BEN, CLEO, NOW_MS, TestDatabase, key, nth_id, viewer, with_database,
    };

    /// The group that Ana owns in these tests.
    pub(super) const GROUP_ID: GroupId = GroupId(500);
    /// A group that does not exist.
    pub(super) const NONE: GroupId = GroupId(999);

    pub(super) fn making(number: u8, owner_id: UserId, owned_max: i64) -> Create {
        let (name, key) = (format!("circle {number}"), key(owner_id, number, &[]));
        Create { key, owner_id, name, owned_max }
    }

    fn renaming(number: u8, user_id: UserId, group_id: GroupId, name: &str) -> Rename {
        let key = key(user_id, number, &[&group_id.0.to_be_bytes(), name.as_bytes()]);
        Rename { key, group_id, viewer: viewer(user_id), name: name.into() }
    }

    fn removal(user_id: UserId, group_id: GroupId) -> Delete {
        let key = key(user_id, 3, &[&group_id.0.to_be_bytes()]);
        Delete { key, group_id, viewer: viewer(user_id) }
    }

    /// Makes the group of Ana, with these other members.
    pub(super) fn has_default_group(db: &TestDatabase, others: &[UserId]) {
        has_group(db, GROUP_ID.0, ANA, others);
    }

    pub(super) fn has_group(db: &TestDatabase, id: i64, owner_id: UserId, others: &[UserId]) {
        let sql = "insert into groups (id, owner_id, name, created_at_ms) values";
        db.execute(&format!("{sql} ({id}, {}, 'circle {id}', 7)", owner_id.0)).unwrap();
        for other in others {
            let member_id = id * 1_000 + other.0;
            let sql = "insert into members (group_id, user_id, id) values";
            db.execute(&format!("{sql} ({id}, {}, {member_id})", other.0)).unwrap();
        }
    }

    pub(super) async fn members(db: &TestDatabase, group_id: GroupId) -> Vec<UserId> {
        db.read(move |Snapshot { sql, .. }| members_of(sql, group_id)).await
    }

    #[test]
    fn a_new_group_has_its_owner_as_member_and_is_published_to_them() {
        with_database(|db| async move {
            let reply = db.write(making(5, ANA, 50)).await.unwrap();
            let group_id = GroupId(nth_id(1));
            let published = db.published();
            let [Event::GroupCreated(created)] = &published[..] else { panic!("{published:?}") };
            let group = Group {
                id: group_id,
                name: "circle 5".into(),
                owner_id: ANA,
                members_count: 1,
                created_at_ms: NOW_MS,
            };
            assert_eq!((&created.group, &*created.users[0].name), (&group, "Ana"));
            assert_eq!(members(&db, group_id).await, [ANA]);
            assert_eq!(db.write(making(5, ANA, 50)).await.unwrap(), reply, "asked again");
            assert_eq!(db.published().len(), 0);
        });
    }

    #[test]
    fn the_limit_of_own_groups_does_not_count_groups_of_others() {
        with_database(|db| async move {
            let full = Err(Refusal::Invalid(Field::NAME, GROUPS_FULL));
            db.write(making(1, ANA, 1)).await.unwrap();
            assert_eq!(db.write(making(2, ANA, 1)).await, full);
            assert!(db.write(making(2, ANA, 2)).await.is_ok());
            db.published();
            assert_eq!(db.write(making(3, ANA, 2)).await, full);
            assert_eq!(db.published().len(), 0);
            assert_eq!(db.number("select count(*) from groups").await, 2);
            // Ben owns no group, and is in as many groups of others as allowed.
            for id in 1_000..1_000 + joined_max() {
                has_group(&db, id, CLEO, &[BEN]);
            }
            assert!(db.write(making(1, BEN, 1)).await.is_ok());
        });
    }

    #[test]
    fn only_the_owner_renames_and_deletes_a_group_and_others_do_not_learn_whether_it_exists() {
        with_database(|db| async move {
            has_default_group(&db, &[BEN]);
            for who in [BEN, CLEO] {
                for group_id in [GROUP_ID, NONE] {
                    let no = Err(Refusal::NotFound);
                    assert_eq!(db.write(renaming(1, who, group_id, "mine")).await, no);
                    assert_eq!(db.write(removal(who, group_id)).await, no);
                }
            }
            let guest = Rename { viewer: Viewer::Guest, ..renaming(2, CLEO, GROUP_ID, "mine") };
            assert_eq!(db.write(guest).await, Err(Refusal::NotFound));
            assert_eq!(db.published().len(), 0);

            db.write(renaming(1, ANA, GROUP_ID, "Close friends")).await.unwrap();
            db.write(removal(ANA, GROUP_ID)).await.unwrap();
            let published = db.published();
            let [Event::GroupRenamed(renamed), Event::GroupDeleted(deleted)] = &published[..] else {
                panic!("{published:?}")
            };
            assert_eq!((renamed.group_id, &*renamed.name), (GROUP_ID, "Close friends"));
            assert_eq!((deleted.group_id, &deleted.members), (GROUP_ID, &vec![ANA, BEN]));
        });
    }

    #[test]
    fn renaming_to_the_same_name_publishes_nothing_and_its_key_is_remembered() {
        with_database(|db| async move {
            has_default_group(&db, &[]);
            let same = renaming(1, ANA, GROUP_ID, "circle 500");
            assert!(!db.submit(same).await.unwrap().is_change);
            assert_eq!(db.published().len(), 0);
            let keys = "select count(*) from keys";
            assert_eq!(db.number(keys).await, 1);
            let other = renaming(2, ANA, GROUP_ID, "another");
            assert!(db.submit(other).await.unwrap().is_change);
            assert_eq!(db.number(keys).await, 2);
        });
    }

    #[test]
    fn d_g6_after_a_deletion_posts_stay_with_their_authors_and_polls_are_deleted() {
        with_database(|db| async move {
            has_default_group(&db, &[BEN]);
            for (id, author_id) in [(10, ANA), (11, BEN), (12, BEN)] {
                db.has_post(id, author_id, 5);
            }
            for sql in [
                "update posts set audience = 'group', group_id = 500 where id in (10, 11)",
                "insert into polls (id, creator_id, question, created_at_ms, closes_at_ms, group_id)
                   values (80, 2, 'his', 0, 9, 500), (81, 2, 'his', 0, 9, null)",
            ] {
                db.execute(sql).unwrap();
            }
            db.write(removal(ANA, GROUP_ID)).await.unwrap();
            for (sql, left) in [
                ("select count(*) from groups", 0),
                ("select count(*) from members", 0),
                ("select count(*) from posts where audience = 'group' and group_id is null", 2),
                ("select count(*) from posts where audience = 'public'", 1),
                ("select count(*) from polls", 1),
            ] {
                assert_eq!(db.number(sql).await, left, "{sql}");
            }
        });
    }

    #[test]
    fn only_members_see_a_group() {
        with_database(|db| async move {
            has_default_group(&db, &[CLEO, BEN]);
            has_group(&db, 501, BEN, &[]);
            has_group(&db, 502, BEN, &[ANA]);
            db.has_post(10, BEN, 5);
            db.execute("update posts set audience = 'group', group_id = 500").unwrap();
            let all = [(500, ANA, vec![ANA, BEN, CLEO]), (501, BEN, vec![BEN]), (502, BEN, vec![ANA, BEN])];
            let one = async |viewer, group_id| {
                db.read(move |Snapshot { sql, .. }| read::one(sql, viewer, group_id, Seq(0))).await
            };
            for who in [ANA, BEN, CLEO] {
                let listed = db.read(move |Snapshot { sql, .. }| read::list(sql, who, Seq(0))).await;
                let mut expected = Vec::new();
                for (id, owner_id, members) in all.iter().rev() {
                    let facts = GroupFacts { owner_id: *owner_id, is_member: members.contains(&who) };
                    let may = authz::may_see_group(viewer(who), &facts);
                    let one = one(viewer(who), GroupId(*id)).await;
                    assert_eq!(one.is_some(), may, "{who:?} and {id}");
                    let count = i64::try_from(members.len()).unwrap();
                    expected.extend(may.then_some((GroupId(*id), count)));
                }
                let found: Vec<(GroupId, i64)> =
                    listed.groups.iter().map(|group| (group.id, group.members_count)).collect();
                assert_eq!(found, expected, "{who:?}");
                assert!(one(viewer(who), NONE).await.is_none());
            }
            let hers = one(viewer(BEN), GROUP_ID).await.unwrap();
            let names: Vec<&str> = hers.members.iter().map(|user| &*user.name).collect();
            assert_eq!((names, hers.posts_count), (vec!["Ana", "Ben", "Cleo"], 1));
            assert!(one(Viewer::Guest, GROUP_ID).await.is_none());
        });
    }

    #[test]
    fn a_read_of_a_group_begins_with_the_membership() {
        with_database(|db| async move {
            has_default_group(&db, &[BEN]);
            for (sql, first) in [
                (read::LIST, "SEARCH m USING COVERING INDEX members_of_user (user_id=?)"),
                (read::KNOWN, "SEARCH m USING PRIMARY KEY (group_id=? AND user_id=?)"),
            ] {
                let mut plan = db.plan(sql);
                // SQLite may read either of the two tables first, because each gives one row.
                plan.sort_by_key(|step| step != first);
                assert_eq!(plan[0], first, "{plan:#?}");
                assert!(plan.iter().any(|step| step == "SEARCH g USING INTEGER PRIMARY KEY (rowid=?)"));
                assert!(!plan.iter().any(|step| step.starts_with("SCAN")), "{plan:#?}");
            }
        });
    }

    #[test]
    fn a_deleted_account_creates_no_group_and_leaves_none() {
        with_database(|db| async move {
            has_default_group(&db, &[BEN]);
            db.execute("delete from users where id = 2").unwrap();
            assert_eq!(db.write(making(1, BEN, 50)).await, Err(Refusal::NotSignedIn));
            assert_eq!(members(&db, GROUP_ID).await, [ANA]);
            db.execute("delete from users where id = 1").unwrap();
            assert_eq!(db.number("select count(*) from groups").await, 0);
        });
    }

    #[test]
    fn r9_the_schema_itself_refuses_an_invalid_name_and_a_public_post_of_a_group() {
        with_database(|db| async move {
            has_default_group(&db, &[BEN]);
            let PostId(post_id) = db.has_post(10, ANA, 5);
            for sql in [
                "update groups set name = ''".into(),
                format!("update groups set name = '{}'", "x".repeat(51)),
                "insert into groups (id, owner_id, name, created_at_ms) values (7, 99, 'x', 0)".into(),
                "insert into members (group_id, user_id, id) values (500, 2, 9)".into(),
                "insert into members (group_id, user_id, id) values (999, 3, 9)".into(),
                "insert into members (group_id, user_id, id) values (500, 99, 9)".into(),
                format!("update posts set group_id = 500 where id = {post_id}"),
                format!("update posts set audience = 'friends' where id = {post_id}"),
            ] {
                assert!(db.execute(&sql).is_err(), "{sql}");
            }
        });
    }

    #[test]
    fn every_change_is_refused_alike_to_former_members_and_to_others() {
        with_database(|db| async move {
            has_default_group(&db, &[BEN]);
            let leave = |number| Leave {
                key: key(BEN, number, &[]),
                group_id: GROUP_ID,
                viewer: viewer(BEN),
                user_id: BEN,
            };
            db.write(leave(20)).await.unwrap();
            db.published();
            for who in [BEN, CLEO] {
                for group_id in [GROUP_ID, NONE] {
                    let (key, viewer) = (|number| key(who, number, &[]), viewer(who));
                    let people = vec![ANA, UserId(99)];
                    let add = Add { key: key(21), group_id, viewer, people, members_max: 150 };
                    let remove = Remove { key: key(22), group_id, viewer, user_id: ANA };
                    let leave = Leave { key: key(23), group_id, viewer, user_id: who };
                    let no = Err(Refusal::NotFound);
                    assert_eq!(db.write(add).await, no);
                    assert_eq!(db.write(remove).await, no);
                    assert_eq!(db.write(leave).await, no);
                    assert_eq!(db.write(renaming(24, who, group_id, "x")).await, no);
                    assert_eq!(db.write(removal(who, group_id)).await, no);
                }
            }
            assert_eq!(db.published().len(), 0);
        });
    }
}
