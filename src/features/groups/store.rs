//! The SQL of groups: making one, naming it, ending it; who comes and goes is in [`members`], reading in
//! [`read`].

pub mod members;
pub mod read;

use bytes::Bytes;

use super::wire::{Created, Deleted, Done, Group, Made, Renamed, Renaming};
use crate::access::{self, GroupFacts, Viewer};
use crate::db::command::{KeyUse, Transaction, WriteCommand};
use crate::db::sql::Sql;
use crate::error::{Error, Field, Refusal, Sentence};
use crate::features::Event;
use crate::features::kit::Change;
use crate::features::views::{members_of, users_named};
use crate::ids::{GroupId, UserId};
use crate::limits::GROUPS_JOINED_MAX;
use crate::wire::codec;

/// Makes a group; its owner is in it from then on, by the schema.
pub struct Create {
    pub key: KeyUse,
    pub id: GroupId,
    pub owner_id: UserId,
    pub name: String,
    /// Groups one person may own.
    pub owned_max: i64,
}

impl WriteCommand for Create {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Bytes, Error> {
        let sql = transaction.sql;
        let owned: i64 = sql.value("select count(*) from groups where owner_id = ?1", (self.owner_id,))?;
        if owned >= self.owned_max {
            return Err(Refusal::Invalid(Field::Name, Sentence::GroupsFull).into());
        }
        sql.execute(
            "insert into groups (id, owner_id, name, created_at_ms) values (?1, ?2, ?3, ?4)",
            (self.id, self.owner_id, &self.name, transaction.now_ms),
        )?;
        let group = Group {
            id: self.id,
            name: self.name.clone(),
            owner_id: self.owner_id,
            members_count: 1,
            created_at_ms: transaction.now_ms,
        };
        let users = users_named(sql, [self.owner_id])?;
        transaction.publish(Event::GroupCreated(Created { group: group.clone(), users }));
        Ok(Bytes::from(codec::encode(&Made { group, seq: transaction.seq() })?))
    }
}

/// Gives a group another name.
pub struct Rename {
    pub key: KeyUse,
    pub group_id: GroupId,
    pub viewer: Viewer,
    pub name: String,
    pub change: Change,
}

impl WriteCommand for Rename {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn is_remembered(&self) -> bool {
        self.change.was_made()
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Bytes, Error> {
        let (group_id, name) = (self.group_id, self.name.clone());
        let group = allowed(transaction.sql, self.viewer, group_id, access::may_manage_group)?;
        if group.name != name {
            transaction.sql.execute("update groups set name = ?2 where id = ?1", (group_id, &name))?;
            let members = members_of(transaction.sql, group_id)?;
            transaction.publish(Event::GroupRenamed(Renamed { group_id, name: name.clone(), members }));
            self.change.is_made();
        }
        Ok(Bytes::from(codec::encode(&Renaming { group_id, name, seq: transaction.seq() })?))
    }
}

/// Ends a group. Its polls go with it; its posts stay with their authors, by the schema.
pub struct Delete {
    pub key: KeyUse,
    pub group_id: GroupId,
    pub viewer: Viewer,
}

impl WriteCommand for Delete {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Bytes, Error> {
        let (sql, group_id) = (transaction.sql, self.group_id);
        allowed(sql, self.viewer, group_id, access::may_manage_group)?;
        let members = members_of(sql, group_id)?;
        sql.execute("delete from groups where id = ?1", (group_id,))?;
        transaction.publish(Event::GroupDeleted(Deleted { group_id, members }));
        Ok(Bytes::from(codec::encode(&Done { seq: transaction.seq() })?))
    }
}

/// Returns a group with which the viewer may do this.
///
/// # Errors
/// [`Refusal::NotFound`] for any other, there or not; a database fault.
fn allowed(
    sql: Sql<'_>,
    viewer: Viewer,
    group_id: GroupId,
    may: impl Fn(Viewer, &GroupFacts) -> bool,
) -> Result<Group, Error> {
    let group = read::known(sql, viewer, group_id)?;
    Ok(group.filter(|group| may(viewer, &read::facts(group))).ok_or(Refusal::NotFound)?)
}

/// Groups of others that one person may be in.
fn joined_max() -> i64 {
    i64::try_from(GROUPS_JOINED_MAX).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::members::{Add, Leave, Remove};
    use super::*;
    use crate::db::readers::Snapshot;
    use crate::features::testing::{ANA, BEN, CLEO, NOW_MS, Room, key, told, viewer};
    use crate::ids::{PostId, Seq};

    /// The group that Ana owns in these stories.
    pub(super) const CIRCLE: GroupId = GroupId(500);
    /// One that is not there.
    pub(super) const NONE: GroupId = GroupId(999);

    pub(super) fn making(id: i64, owner_id: UserId, owned_max: i64) -> Create {
        let (name, key) = (format!("circle {id}"), key(owner_id, 1, &[&id.to_be_bytes()]));
        Create { key, id: GroupId(id), owner_id, name, owned_max }
    }

    fn renaming(number: u8, user_id: UserId, group_id: GroupId, name: &str) -> Rename {
        let key = key(user_id, number, &[&group_id.0.to_be_bytes(), name.as_bytes()]);
        Rename { key, group_id, viewer: viewer(user_id), name: name.into(), change: Change::default() }
    }

    fn removal(user_id: UserId, group_id: GroupId) -> Delete {
        let key = key(user_id, 3, &[&group_id.0.to_be_bytes()]);
        Delete { key, group_id, viewer: viewer(user_id) }
    }

    /// Ana owns a group, and these are in it too.
    pub(super) fn has_circle(room: &Room, others: &[UserId]) {
        has_group(room, CIRCLE.0, ANA, others);
    }

    pub(super) fn has_group(room: &Room, id: i64, owner_id: UserId, others: &[UserId]) {
        let sql = "insert into groups (id, owner_id, name, created_at_ms) values";
        room.by_hand(&format!("{sql} ({id}, {}, 'circle {id}', 7)", owner_id.0)).unwrap();
        for other in others {
            let member_id = id * 1_000 + other.0;
            let sql = "insert into members (group_id, user_id, id) values";
            room.by_hand(&format!("{sql} ({id}, {}, {member_id})", other.0)).unwrap();
        }
    }

    pub(super) async fn members(room: &Room, group_id: GroupId) -> Vec<UserId> {
        room.reads(move |Snapshot { sql, .. }| members_of(sql, group_id)).await
    }

    #[test]
    fn a_group_is_made_with_its_owner_in_it_and_they_are_told() {
        told(|room| async move {
            let answer = room.does(making(500, ANA, 50)).await.unwrap();
            let heard = room.heard();
            let [Event::GroupCreated(created)] = &heard[..] else { panic!("{heard:?}") };
            let group = Group {
                id: CIRCLE,
                name: "circle 500".into(),
                owner_id: ANA,
                members_count: 1,
                created_at_ms: NOW_MS,
            };
            assert_eq!((&created.group, &*created.users[0].name), (&group, "Ana"));
            assert_eq!(members(&room, CIRCLE).await, [ANA]);
            assert_eq!(room.does(making(500, ANA, 50)).await.unwrap(), answer, "asked again");
            assert_eq!(room.heard().len(), 0);
        });
    }

    #[test]
    fn one_person_owns_so_many_groups_at_most_however_many_others_put_them_into() {
        told(|room| async move {
            let full = Err(Refusal::Invalid(Field::Name, Sentence::GroupsFull));
            room.does(making(500, ANA, 1)).await.unwrap();
            assert_eq!(room.does(Create { key: key(ANA, 9, &[]), ..making(501, ANA, 1) }).await, full);
            assert!(room.does(Create { key: key(ANA, 9, &[]), ..making(501, ANA, 2) }).await.is_ok());
            room.heard();
            assert_eq!(room.does(Create { key: key(ANA, 8, &[]), ..making(502, ANA, 2) }).await, full);
            assert_eq!(room.heard().len(), 0);
            assert_eq!(members(&room, GroupId(502)).await, []);
            // Ben owns none and is in as many of others as one can be.
            for id in 1_000..1_000 + joined_max() {
                has_group(&room, id, CLEO, &[BEN]);
            }
            assert!(room.does(making(503, BEN, 1)).await.is_ok());
        });
    }

    #[test]
    fn its_owner_alone_renames_and_ends_it_and_nobody_else_learns_whether_it_is_there() {
        told(|room| async move {
            has_circle(&room, &[BEN]);
            for who in [BEN, CLEO] {
                for group_id in [CIRCLE, NONE] {
                    let no = Err(Refusal::NotFound);
                    assert_eq!(room.does(renaming(1, who, group_id, "mine")).await, no);
                    assert_eq!(room.does(removal(who, group_id)).await, no);
                }
            }
            let guest = Rename { viewer: Viewer::Guest, ..renaming(2, CLEO, CIRCLE, "mine") };
            assert_eq!(room.does(guest).await, Err(Refusal::NotFound));
            assert_eq!(room.heard().len(), 0);

            room.does(renaming(1, ANA, CIRCLE, "Close friends")).await.unwrap();
            room.does(removal(ANA, CIRCLE)).await.unwrap();
            let heard = room.heard();
            let [Event::GroupRenamed(renamed), Event::GroupDeleted(deleted)] = &heard[..] else {
                panic!("{heard:?}")
            };
            assert_eq!((renamed.group_id, &*renamed.name), (CIRCLE, "Close friends"));
            assert_eq!((deleted.group_id, &deleted.members), (CIRCLE, &vec![ANA, BEN]));
        });
    }

    #[test]
    fn a_name_that_it_has_already_is_no_news_and_nothing_to_remember() {
        told(|room| async move {
            has_circle(&room, &[]);
            let same = renaming(1, ANA, CIRCLE, "circle 500");
            let change = same.change.clone();
            room.does(same).await.unwrap();
            assert!(!change.was_made());
            assert_eq!(room.heard().len(), 0);
            let keys = "select count(*) from keys";
            assert_eq!(room.number(keys).await, 0);
            let other = renaming(1, ANA, CIRCLE, "another");
            let change = other.change.clone();
            room.does(other).await.unwrap();
            assert!(change.was_made());
            assert_eq!(room.number(keys).await, 1);
        });
    }

    #[test]
    fn d_g6_at_its_end_posts_stay_with_their_authors_and_polls_go() {
        told(|room| async move {
            has_circle(&room, &[BEN]);
            for (id, author_id) in [(10, ANA), (11, BEN), (12, BEN)] {
                room.has_post(id, author_id, 5);
            }
            for sql in [
                "update posts set audience = 'group', group_id = 500 where id in (10, 11)",
                "insert into polls (id, creator_id, question, created_at_ms, closes_at_ms, group_id)
                   values (80, 2, 'his', 0, 9, 500), (81, 2, 'his', 0, 9, null)",
            ] {
                room.by_hand(sql).unwrap();
            }
            room.does(removal(ANA, CIRCLE)).await.unwrap();
            for (sql, left) in [
                ("select count(*) from groups", 0),
                ("select count(*) from members", 0),
                ("select count(*) from posts where audience = 'group' and group_id is null", 2),
                ("select count(*) from posts where audience = 'public'", 1),
                ("select count(*) from polls", 1),
            ] {
                assert_eq!(room.number(sql).await, left, "{sql}");
            }
        });
    }

    #[test]
    fn whoever_is_in_a_group_sees_it_and_nobody_else() {
        told(|room| async move {
            has_circle(&room, &[CLEO, BEN]);
            has_group(&room, 501, BEN, &[]);
            has_group(&room, 502, BEN, &[ANA]);
            room.has_post(10, BEN, 5);
            room.by_hand("update posts set audience = 'group', group_id = 500").unwrap();
            let all = [(500, ANA, vec![ANA, BEN, CLEO]), (501, BEN, vec![BEN]), (502, BEN, vec![ANA, BEN])];
            let one = async |viewer, group_id| {
                room.reads(move |Snapshot { sql, .. }| read::one(sql, viewer, group_id, Seq(0))).await
            };
            for who in [ANA, BEN, CLEO] {
                let listed = room.reads(move |Snapshot { sql, .. }| read::list(sql, who, Seq(0))).await;
                let mut expected = Vec::new();
                for (id, owner_id, members) in all.iter().rev() {
                    let facts = GroupFacts { owner_id: *owner_id, is_member: members.contains(&who) };
                    let may = access::may_see_group(viewer(who), &facts);
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
            let hers = one(viewer(BEN), CIRCLE).await.unwrap();
            let names: Vec<&str> = hers.members.iter().map(|user| &*user.name).collect();
            assert_eq!((names, hers.posts_count), (vec!["Ana", "Ben", "Cleo"], 1));
            assert!(one(Viewer::Guest, CIRCLE).await.is_none());
        });
    }

    #[test]
    fn what_is_not_theirs_costs_a_look_at_a_membership_and_nothing_else() {
        told(|room| async move {
            has_circle(&room, &[BEN]);
            for (sql, first) in [
                (read::LIST, "SEARCH m USING COVERING INDEX members_of_user (user_id=?)"),
                (read::KNOWN, "SEARCH m USING PRIMARY KEY (group_id=? AND user_id=?)"),
            ] {
                let mut plan = room.plan(sql);
                // Of two tables that are both found by one row, either comes first.
                plan.sort_by_key(|step| step != first);
                assert_eq!(plan[0], first, "{plan:#?}");
                assert!(plan.iter().any(|step| step == "SEARCH g USING INTEGER PRIMARY KEY (rowid=?)"));
                assert!(!plan.iter().any(|step| step.starts_with("SCAN")), "{plan:#?}");
            }
        });
    }

    #[test]
    fn an_account_that_ended_makes_and_leaves_nothing() {
        told(|room| async move {
            has_circle(&room, &[BEN]);
            room.by_hand("delete from users where id = 2").unwrap();
            assert_eq!(room.does(making(501, BEN, 50)).await, Err(Refusal::NotSignedIn));
            assert_eq!(members(&room, CIRCLE).await, [ANA]);
            room.by_hand("delete from users where id = 1").unwrap();
            assert_eq!(room.number("select count(*) from groups").await, 0);
        });
    }

    #[test]
    fn r9_the_schema_itself_refuses_a_name_that_is_none_and_a_public_post_of_a_group() {
        told(|room| async move {
            has_circle(&room, &[BEN]);
            let PostId(post_id) = room.has_post(10, ANA, 5);
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
                assert!(room.by_hand(&sql).is_err(), "{sql}");
            }
        });
    }

    #[test]
    fn every_change_is_refused_alike_to_who_was_in_it_and_to_who_never_was() {
        told(|room| async move {
            has_circle(&room, &[BEN]);
            let leave = |number| Leave {
                key: key(BEN, number, &[]),
                group_id: CIRCLE,
                viewer: viewer(BEN),
                user_id: BEN,
            };
            room.does(leave(20)).await.unwrap();
            room.heard();
            for who in [BEN, CLEO] {
                for group_id in [CIRCLE, NONE] {
                    let (key, viewer) = (|number| key(who, number, &[]), viewer(who));
                    let people = vec![(ANA, 7), (UserId(99), 8)];
                    let change = Change::default();
                    let add = Add { key: key(21), group_id, viewer, people, members_max: 150, change };
                    let remove = Remove { key: key(22), group_id, viewer, user_id: ANA };
                    let leave = Leave { key: key(23), group_id, viewer, user_id: who };
                    let no = Err(Refusal::NotFound);
                    assert_eq!(room.does(add).await, no);
                    assert_eq!(room.does(remove).await, no);
                    assert_eq!(room.does(leave).await, no);
                    assert_eq!(room.does(renaming(24, who, group_id, "x")).await, no);
                    assert_eq!(room.does(removal(who, group_id)).await, no);
                }
            }
            assert_eq!(room.heard().len(), 0);
        });
    }
}
