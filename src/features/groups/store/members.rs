//! The SQL of who comes into a group and who goes. Each event carries all who are in it after the change.

use bytes::Bytes;

use super::super::wire::{Added, Done, Group, Joined, Left};
use super::{allowed, joined_max};
use crate::access::{self, GroupFacts, Viewer};
use crate::db::command::{KeyUse, Transaction, WriteCommand};
use crate::db::sql::{Sql, list};
use crate::error::{Error, Field, Refusal, Sentence};
use crate::features::Event;
use crate::features::kit::Change;
use crate::features::views::{User, members_of, users_named};
use crate::ids::{GroupId, Seq, UserId};
use crate::wire::codec;

/// How many of these users follow the owner, or are followed by the owner.
///
/// Arguments: 1 the owner, 2 the users.
const CONNECTED: &str = concat!(
    "select count(*) from rarray(?2) u where ",
    access::sql::is_followed!("?1", "u.value"),
    " or ",
    access::sql::is_followed!("u.value", "?1")
);

/// How many of these users are in as many groups of others as one may be.
///
/// Arguments: 1 the users, 2 how many groups that is.
const FULL: &str = "select count(*) from rarray(?1) u
      where (select count(*) from members m join groups g on g.id = m.group_id
              where m.user_id = u.value and g.owner_id <> u.value) >= ?2";

/// Adds people. All of them or, where one is refused, nobody.
pub struct Add {
    pub key: KeyUse,
    pub group_id: GroupId,
    pub viewer: Viewer,
    /// Each once, and the id that their membership has.
    pub people: Vec<(UserId, i64)>,
    /// Members the group may have.
    pub members_max: i64,
    pub change: Change,
}

impl WriteCommand for Add {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn is_remembered(&self) -> bool {
        self.change.was_made()
    }

    fn weight_bytes(&self) -> usize {
        self.people.len() * size_of::<(UserId, i64)>() + 256
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Bytes, Error> {
        let (sql, group_id) = (transaction.sql, self.group_id);
        let group = allowed(sql, self.viewer, group_id, access::may_manage_group)?;
        let members = members_of(sql, group_id)?;
        let is_new = |(user_id, _): &&(UserId, i64)| !members.contains(user_id);
        let memberships: Vec<(UserId, i64)> = self.people.iter().filter(is_new).copied().collect();
        let newcomers: Vec<UserId> = memberships.iter().map(|(user_id, _)| *user_id).collect();
        if newcomers.is_empty() {
            return added(group_id, Vec::new(), group.members_count, transaction.seq());
        }
        self.check(sql, &group, &newcomers)?;
        for (user_id, id) in memberships {
            sql.execute(
                "insert into members (group_id, user_id, id) values (?1, ?2, ?3)",
                (group_id, user_id, id),
            )?;
        }
        let members = members_of(sql, group_id)?;
        let members_count = i64::try_from(members.len()).unwrap_or(i64::MAX);
        let users = users_named(sql, newcomers.iter().copied().chain([group.owner_id]))?;
        let came =
            newcomers.iter().filter_map(|id| users.iter().find(|user| user.id == *id)).cloned().collect();
        let group = Group { members_count, ..group };
        transaction.publish(Event::GroupJoined(Joined { group, user_ids: newcomers, users, members }));
        self.change.is_made();
        added(group_id, came, members_count, transaction.seq())
    }
}

impl Add {
    /// Refuses strangers first: nothing else is looked at of somebody whom the owner does not know.
    fn check(&self, sql: Sql<'_>, group: &Group, newcomers: &[UserId]) -> Result<(), Error> {
        let no = |sentence| Err(Refusal::Invalid(Field::Members, sentence).into());
        let count = i64::try_from(newcomers.len()).unwrap_or(i64::MAX);
        let newcomers = list(newcomers.iter().copied());
        let connected: i64 = sql.value(CONNECTED, (group.owner_id, &newcomers))?;
        if connected < count {
            return no(Sentence::NotConnected);
        }
        if group.members_count.saturating_add(count) > self.members_max {
            return no(Sentence::GroupFull);
        }
        let full: i64 = sql.value(FULL, (&newcomers, joined_max()))?;
        if full > 0 {
            return no(Sentence::JoinedFull);
        }
        Ok(())
    }
}

fn added(group_id: GroupId, users: Vec<User>, members_count: i64, seq: Seq) -> Result<Bytes, Error> {
    Ok(Bytes::from(codec::encode(&Added { group_id, users, members_count, seq })?))
}

/// Removes somebody, by the owner's word.
pub struct Remove {
    pub key: KeyUse,
    pub group_id: GroupId,
    pub viewer: Viewer,
    pub user_id: UserId,
}

impl WriteCommand for Remove {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Bytes, Error> {
        let user_id = self.user_id;
        let may = |viewer: Viewer, facts: &GroupFacts| access::may_remove_member(viewer, user_id, facts);
        allowed(transaction.sql, self.viewer, self.group_id, may)?;
        goes(transaction, self.group_id, user_id)
    }
}

/// Leaves a group, by one's own word.
pub struct Leave {
    pub key: KeyUse,
    pub group_id: GroupId,
    pub viewer: Viewer,
    pub user_id: UserId,
}

impl WriteCommand for Leave {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Bytes, Error> {
        allowed(transaction.sql, self.viewer, self.group_id, access::may_leave_group)?;
        goes(transaction, self.group_id, self.user_id)
    }
}

/// Takes somebody out of a group and publishes it.
fn goes(
    transaction: &mut Transaction<'_, Event>,
    group_id: GroupId,
    user_id: UserId,
) -> Result<Bytes, Error> {
    let sql = transaction.sql;
    let gone =
        sql.execute("delete from members where group_id = ?1 and user_id = ?2", (group_id, user_id))?;
    if gone == 0 {
        return Err(Refusal::NotFound.into());
    }
    let members = members_of(sql, group_id)?;
    let members_count = i64::try_from(members.len()).unwrap_or(i64::MAX);
    transaction.publish(Event::GroupLeft(Left { group_id, user_id, members_count, members }));
    Ok(Bytes::from(codec::encode(&Done { seq: transaction.seq() })?))
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::super::tests::{CIRCLE, has_circle, has_group, making, members};
    use super::*;
    use crate::db::readers::Snapshot;
    use crate::features::testing::{ANA, BEN, CLEO, Room, key, told, viewer};

    const MANY: i64 = 150;

    fn adding(number: u8, people: &[UserId]) -> Add {
        let ids: Vec<[u8; 8]> = people.iter().map(|person| person.0.to_be_bytes()).collect();
        let parts: Vec<&[u8]> = ids.iter().map(|id| &id[..]).collect();
        let people = people.iter().copied().zip(7_000 + 100 * i64::from(number)..).collect();
        Add {
            key: key(ANA, number, &parts),
            group_id: CIRCLE,
            viewer: viewer(ANA),
            people,
            members_max: MANY,
            change: Change::default(),
        }
    }

    fn removing(number: u8, who: UserId, user_id: UserId) -> Remove {
        let key = key(who, number, &[&user_id.0.to_be_bytes()]);
        Remove { key, group_id: CIRCLE, viewer: viewer(who), user_id }
    }

    fn leaving(number: u8, who: UserId) -> Leave {
        Leave { key: key(who, number, &[]), group_id: CIRCLE, viewer: viewer(who), user_id: who }
    }

    /// Ana follows Ben, and Cleo follows Ana.
    fn knows_them(room: &Room) {
        room.by_hand("insert into follows (follower_id, followed_id, id) values (1, 2, 40), (3, 1, 41)")
            .unwrap();
    }

    fn ids(users: &[User]) -> Vec<UserId> {
        users.iter().map(|user| user.id).collect()
    }

    #[test]
    fn d_g1_followers_and_followed_are_added_and_all_who_are_in_it_are_told_who_that_is() {
        told(|room| async move {
            knows_them(&room);
            has_circle(&room, &[]);
            let answer = room.does(adding(1, &[CLEO, BEN])).await.unwrap();
            let heard = room.heard();
            let [Event::GroupJoined(joined)] = &heard[..] else { panic!("{heard:?}") };
            assert_eq!((joined.group.id, joined.group.members_count), (CIRCLE, 3));
            assert_eq!((&joined.user_ids, &joined.members), (&vec![CLEO, BEN], &vec![ANA, BEN, CLEO]));
            assert_eq!(ids(&joined.users), [ANA, BEN, CLEO]);
            let order = "select user_id from members order by id desc limit 1";
            assert_eq!(room.number(order).await, BEN.0, "in the order of the request");
            assert_eq!(room.does(adding(1, &[CLEO, BEN])).await.unwrap(), answer, "asked again");
            assert_eq!(room.heard().len(), 0);
        });
    }

    #[test]
    fn who_is_in_it_already_stays_also_when_nobody_follows_anybody_any_more() {
        told(|room| async move {
            knows_them(&room);
            has_circle(&room, &[BEN]);
            room.by_hand("delete from follows where followed_id = 2").unwrap();
            let nobody_new = adding(1, &[BEN, ANA]);
            let change = nobody_new.change.clone();
            room.does(nobody_new).await.unwrap();
            assert!(!change.was_made());
            assert_eq!(room.heard().len(), 0);
            assert_eq!(room.number("select count(*) from keys").await, 0);
            room.does(adding(2, &[BEN, CLEO])).await.unwrap();
            let heard = room.heard();
            let [Event::GroupJoined(joined)] = &heard[..] else { panic!("{heard:?}") };
            assert_eq!((&joined.user_ids, ids(&joined.users)), (&vec![CLEO], vec![ANA, CLEO]));
        });
    }

    #[test]
    fn a_stranger_and_somebody_who_is_not_there_are_refused_alike_and_nobody_comes() {
        told(|room| async move {
            room.by_hand("insert into follows (follower_id, followed_id, id) values (1, 2, 40)").unwrap();
            has_circle(&room, &[]);
            for stranger in [CLEO, UserId(99)] {
                let no = Err(Refusal::Invalid(Field::Members, Sentence::NotConnected));
                assert_eq!(room.does(adding(1, &[BEN, stranger])).await, no);
            }
            assert_eq!(members(&room, CIRCLE).await, [ANA]);
            assert_eq!(room.heard().len(), 0);
            assert!(room.does(adding(1, &[BEN])).await.is_ok(), "the key was not used up");
        });
    }

    #[test]
    fn a_group_has_so_many_members_at_most() {
        told(|room| async move {
            knows_them(&room);
            has_circle(&room, &[]);
            let two = |number, people: &[UserId]| Add { members_max: 2, ..adding(number, people) };
            let full = Err(Refusal::Invalid(Field::Members, Sentence::GroupFull));
            assert_eq!(room.does(two(1, &[BEN, CLEO])).await, full);
            assert_eq!(members(&room, CIRCLE).await, [ANA]);
            room.does(two(2, &[BEN])).await.unwrap();
            assert_eq!(room.does(two(3, &[CLEO])).await, full);
            room.does(two(4, &[BEN])).await.unwrap();
            assert_eq!(room.heard().len(), 1);
        });
    }

    #[test]
    fn nobody_is_in_more_groups_of_others_than_one_can_be() {
        told(|room| async move {
            knows_them(&room);
            has_circle(&room, &[]);
            for id in 1_000..1_000 + joined_max() - 1 {
                has_group(&room, id, CLEO, &[BEN]);
            }
            has_group(&room, 3_000, BEN, &[]);
            room.does(adding(1, &[BEN])).await.unwrap();
            room.does(removing(2, ANA, BEN)).await.unwrap();
            has_group(&room, 2_000, CLEO, &[BEN]);
            room.heard();
            let full = Err(Refusal::Invalid(Field::Members, Sentence::JoinedFull));
            assert_eq!(room.does(adding(3, &[CLEO, BEN])).await, full);
            assert_eq!(members(&room, CIRCLE).await, [ANA]);
            assert_eq!(room.heard().len(), 0);
        });
    }

    #[test]
    fn whoever_goes_is_told_with_all_who_are_left() {
        told(|room| async move {
            has_circle(&room, &[BEN, CLEO]);
            let answer = room.does(removing(1, ANA, BEN)).await.unwrap();
            room.does(leaving(1, CLEO)).await.unwrap();
            let heard = room.heard();
            let [Event::GroupLeft(ben), Event::GroupLeft(cleo)] = &heard[..] else { panic!("{heard:?}") };
            assert_eq!((ben.user_id, ben.members_count, &ben.members), (BEN, 2, &vec![ANA, CLEO]));
            assert_eq!((cleo.user_id, cleo.members_count, &cleo.members), (CLEO, 1, &vec![ANA]));
            assert_eq!(room.does(removing(1, ANA, BEN)).await.unwrap(), answer, "asked again");
            assert_eq!(room.does(removing(2, ANA, BEN)).await, Err(Refusal::NotFound), "not in it any more");
            assert_eq!(room.does(removing(3, ANA, UserId(99))).await, Err(Refusal::NotFound));
            assert_eq!(room.heard().len(), 0);
        });
    }

    #[test]
    fn d_g4_its_owner_cannot_leave_and_nobody_else_removes_anybody() {
        told(|room| async move {
            has_circle(&room, &[BEN, CLEO]);
            let no = Err(Refusal::NotFound);
            assert_eq!(room.does(leaving(1, ANA)).await, no);
            assert_eq!(room.does(removing(2, ANA, ANA)).await, no);
            for (who, whom) in [(BEN, CLEO), (BEN, ANA), (BEN, BEN)] {
                assert_eq!(room.does(removing(3, who, whom)).await, no);
            }
            assert_eq!(members(&room, CIRCLE).await, [ANA, BEN, CLEO]);
            assert_eq!(room.heard().len(), 0);
        });
    }

    #[test]
    fn whoever_was_removed_can_be_added_again_and_comes_last() {
        told(|room| async move {
            knows_them(&room);
            room.does(making(CIRCLE.0, ANA, 50)).await.unwrap();
            room.does(adding(4, &[BEN, CLEO])).await.unwrap();
            room.does(removing(2, ANA, BEN)).await.unwrap();
            room.does(adding(5, &[BEN])).await.unwrap();
            let one = |Snapshot { sql, seq }: Snapshot<'_>| read::one(sql, viewer(BEN), CIRCLE, seq);
            assert_eq!(ids(&room.reads(one).await.unwrap().members), [ANA, CLEO, BEN]);
        });
    }

    #[test]
    fn looking_for_newcomers_reads_no_table_whole() {
        told(|room| async move {
            for sql in [CONNECTED, FULL] {
                let plan = room.plan(sql);
                let scans: Vec<_> = plan.iter().filter(|step| step.starts_with("SCAN")).collect();
                assert!(scans.iter().all(|step| step.starts_with("SCAN u VIRTUAL TABLE")), "{plan:#?}");
            }
        });
    }
}
