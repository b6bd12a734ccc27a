//! The SQL of who comes into a group and who goes. Each change tells all who are in it after: the group's
//! door knows nobody from elsewhere.

use bytes::Bytes;

use super::super::wire::{Added, Done, Group, Joined, Left};
use super::{allowed, forget_answers, joined_max};
use crate::access::{self, GroupFacts, Viewer};
use crate::db::work::{KeyUse, Pending, Stage, Work};
use crate::error::{Error, Field, Refusal, Sentence};
use crate::features::Event;
use crate::features::kit::Change;
use crate::features::views::{User, joined_ids, json_of, members_of_async, users_named_async};
use crate::ids::{GroupId, UserId};
use crate::wire::codec;

/// Those of these people who are not in the group: who that is, in this order; do all of them follow the owner,
/// or the owner them; and in how many of others' groups is the one who is in the most. Of somebody who is a stranger to
/// the owner nothing else is looked at.
///
/// Arguments: 1 the group, 2 its owner, 3 the people, a JSON array.
pub(super) const NEWCOMERS: &str =
    "select group_concat(n.user_id, ',' order by n.place), min(n.is_connected),
            max(iif(n.is_connected, (select count(*) from members c join groups g on g.id = c.group_id
                                      where c.user_id = n.user_id and g.owner_id <> n.user_id), 0))
       from (select j.key as place, j.value as user_id,
                    exists (select 1 from follows f where f.follower_id = ?2 and f.followed_id = j.value)
                 or exists (select 1 from follows f where f.follower_id = j.value and f.followed_id = ?2)
                    as is_connected
               from json_each(?3) j
              where not exists (select 1 from members m where m.group_id = ?1 and m.user_id = j.value)) n";

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

impl Work for Add {
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

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let group = allowed(stage, self.viewer, self.group_id, access::may_manage_group).await?;
            let (newcomers, is_connected, joined): (Option<String>, Option<bool>, Option<i64>) =
                sqlx::query_as(NEWCOMERS)
                    .bind(self.group_id)
                    .bind(group.owner_id)
                    .bind(self.ids())
                    .fetch_one(&mut *stage.connection)
                    .await?;
            let newcomers = joined_ids(newcomers.as_deref());
            if newcomers.is_empty() {
                return self.added(stage, Vec::new(), group.members_count);
            }
            let no = |sentence| Err(Refusal::Invalid(Field::Members, sentence).into());
            if is_connected != Some(true) {
                return no(Sentence::NotConnected);
            }
            let count = i64::try_from(newcomers.len()).unwrap_or(i64::MAX);
            if group.members_count.saturating_add(count) > self.members_max {
                return no(Sentence::GroupFull);
            }
            if joined.is_none_or(|joined| joined >= joined_max()) {
                return no(Sentence::JoinedFull);
            }
            sqlx::query(
                "insert into members (group_id, user_id, id)
                 select ?1, value ->> 0, value ->> 1 from json_each(?2)",
            )
            .bind(self.group_id)
            .bind(self.rows(&newcomers))
            .execute(&mut *stage.connection)
            .await?;
            let members = members_of_async(stage.connection, self.group_id).await?;
            let members_count = i64::try_from(members.len()).unwrap_or(i64::MAX);
            let named = newcomers.iter().copied().chain([group.owner_id]);
            let users = users_named_async(stage.connection, named).await?;
            let came =
                newcomers.iter().filter_map(|id| users.iter().find(|user| user.id == *id)).cloned().collect();
            let group = Group { members_count, ..group };
            stage.tell(Event::GroupJoined(Joined { group, user_ids: newcomers, users, members }));
            self.change.is_made();
            self.added(stage, came, members_count)
        })
    }
}

impl Add {
    /// Whom, as SQLite is handed them.
    fn ids(&self) -> String {
        let ids: Vec<i64> = self.people.iter().map(|(user_id, _)| user_id.0).collect();
        json_of(&ids)
    }

    /// The rows of those who come: each and the id of their membership.
    fn rows(&self, newcomers: &[UserId]) -> String {
        let comes = |(user_id, _): &&(UserId, i64)| newcomers.contains(user_id);
        let row = |(user_id, id): &(UserId, i64)| format!("[{},{id}]", user_id.0);
        let rows: Vec<String> = self.people.iter().filter(comes).map(row).collect();
        format!("[{}]", rows.join(","))
    }

    fn added(&self, stage: &Stage<'_, Event>, users: Vec<User>, members_count: i64) -> Result<Bytes, Error> {
        let added = Added { group_id: self.group_id, users, members_count, seq: stage.seq() };
        Ok(Bytes::from(codec::encode(&added)?))
    }
}

/// Removes somebody, by the owner's word.
pub struct Remove {
    pub key: KeyUse,
    pub group_id: GroupId,
    pub viewer: Viewer,
    pub user_id: UserId,
}

impl Work for Remove {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn weight_bytes(&self) -> usize {
        128
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let user_id = self.user_id;
            let may = |viewer: Viewer, facts: &GroupFacts| access::may_remove_member(viewer, user_id, facts);
            allowed(stage, self.viewer, self.group_id, may).await?;
            goes(stage, self.group_id, user_id).await
        })
    }
}

/// Leaves a group, by one's own word.
pub struct Leave {
    pub key: KeyUse,
    pub group_id: GroupId,
    pub viewer: Viewer,
    pub user_id: UserId,
}

impl Work for Leave {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn weight_bytes(&self) -> usize {
        128
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            allowed(stage, self.viewer, self.group_id, access::may_leave_group).await?;
            goes(stage, self.group_id, self.user_id).await
        })
    }
}

/// Takes somebody out of a group and tells it.
async fn goes(stage: &mut Stage<'_, Event>, group_id: GroupId, user_id: UserId) -> Result<Bytes, Error> {
    let gone = sqlx::query("delete from members where group_id = ?1 and user_id = ?2")
        .bind(group_id)
        .bind(user_id)
        .execute(&mut *stage.connection)
        .await?;
    if gone.rows_affected() == 0 {
        return Err(Refusal::NotFound.into());
    }
    forget_answers(stage.connection, group_id, &[user_id]).await?;
    let members = members_of_async(stage.connection, group_id).await?;
    let members_count = i64::try_from(members.len()).unwrap_or(i64::MAX);
    let seq = stage.tell(Event::GroupLeft(Left { group_id, user_id, members_count, members }));
    Ok(Bytes::from(codec::encode(&Done { seq })?))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{CIRCLE, has_circle, has_group, making, members};
    use super::*;
    use crate::features::testing::{ANA, BEN, CLEO, Room, key, number, told, viewer};

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
            assert_eq!(
                number(room.looks().await.connection(), order).await,
                BEN.0,
                "in the order of the request"
            );
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
            assert_eq!(number(room.looks().await.connection(), "select count(*) from keys").await, 0);
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
            let mut look = room.looks().await;
            let one =
                super::super::read::one(look.connection(), viewer(BEN), CIRCLE, crate::ids::Seq(0)).await;
            assert_eq!(ids(&one.unwrap().unwrap().members), [ANA, CLEO, BEN]);
        });
    }

    #[test]
    fn looking_for_newcomers_reads_no_table_whole() {
        told(|room| async move {
            let explained = sqlx::AssertSqlSafe(format!("explain query plan {NEWCOMERS}"));
            let mut look = room.looks().await;
            let plan: Vec<(i64, i64, i64, String)> =
                sqlx::query_as(explained).fetch_all(look.connection()).await.unwrap();
            let scans: Vec<String> =
                plan.into_iter().map(|(.., step)| step).filter(|step| step.starts_with("SCAN")).collect();
            assert!(scans.iter().all(|step| step.starts_with("SCAN j ") || step == "SCAN n"), "{scans:#?}");
        });
    }
}
