//! The SQL of members: adds and removes them, and lets them leave. The shared event of a change also says who joined or
//! left.

use super::super::wire::{Added, Group, Joined, Left};
use super::{allowed, joined_max, left_groups, read};
use crate::authz::{self, GroupFacts, Viewer};
use crate::db::command::{KeyUse, Transaction, WriteCommand, keyed};
use crate::db::sql::{Sql, list};
use crate::error::{Error, Field, Refusal};
use crate::events::{Right, Users, is_among, users, within, without};
use crate::features::events::Event;
use crate::features::groups::store::NOT_ADDABLE;
use crate::ids::{GroupId, UserId};
use crate::limits::{GROUP_FULL, JOINED_FULL};
use crate::model::between::{self, ANY_VIEWER};
use crate::model::groups::members_of;
use crate::model::users::users_named;
use crate::reply::Done;

/// Counts which of these users the owner may add.
///
/// Arguments: 1 the owner, 2 the users, 3 the group.
const ADDABLE: &str = concat!(
    "select count(*) from rarray(?2) w join users u on u.id = w.value where ",
    authz::sql::may_meet!("u.id", "?1"),
    " and ",
    authz::sql::may_add!("?1", "?3")
);

/// Counts which of these users are in as many groups of others as allowed.
///
/// Arguments: 1 the users, 2 the allowed number of groups.
const FULL: &str = "select count(*) from rarray(?1) u
      where (select count(*) from members m join groups g on g.id = m.group_id
              where m.user_id = u.value and g.owner_id <> u.value) >= ?2";

/// Adds users: all of them, or none if one is refused.
pub struct Add {
    pub key: KeyUse,
    pub group_id: GroupId,
    pub viewer: Viewer,
    /// The users to add, each once.
    pub people: Vec<UserId>,
    /// Most members that the group may have.
    pub members_max: i64,
}

impl WriteCommand for Add {
    type Event = Event;
    type Value = Added;

    keyed!();

    fn weight_bytes(&self) -> usize {
        self.people.len() * size_of::<UserId>() + 256
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Added, Error> {
        let (sql, group_id) = (transaction.sql, self.group_id);
        let group = allowed(sql, self.viewer, group_id, authz::may_manage_group)?;
        // A member whom the owner may not meet is refused like a deleted user.
        let hidden = between::hidden_among(sql, group.owner_id, self.people.iter().copied())?;
        let members = members_of(sql, group_id)?;
        let is_seen = |user_id: &UserId| members.contains(user_id) && !hidden.contains(user_id);
        let newcomers: Vec<UserId> =
            self.people.iter().filter(|user_id| !is_seen(user_id)).copied().collect();
        if newcomers.is_empty() {
            transaction.changes_nothing();
            let (members_count, seq) = (group.members_count, transaction.seq());
            return Ok(Added { group_id, users: Vec::new(), members_count, seq });
        }
        self.check(sql, &group, &newcomers)?;
        for user_id in &newcomers {
            sql.execute(
                "insert into members (group_id, user_id, id) values (?1, ?2, ?3)",
                (group_id, user_id, transaction.new_id()),
            )?;
        }
        for joined in joined(sql, &group, &newcomers)? {
            transaction.publish(Event::GroupJoined(joined));
        }
        let (owner_id, seq) = (group.owner_id, transaction.seq());
        let users = users_named(sql, owner_id, newcomers.iter().copied())?;
        let joining =
            newcomers.iter().filter_map(|id| users.iter().find(|user| user.id == *id)).cloned().collect();
        let members_count = read::members_seen(sql, group_id, owner_id)?;
        // If a block comes before the reply is sent, the reply names nobody. A deletion of the group does not matter:
        // its owner may still learn whom they added.
        let without_names = Added { group_id, users: Vec::new(), members_count, seq };
        transaction.reply_if_lost(Right::Meeting, &without_names)?;
        Ok(Added { group_id, users: joining, members_count, seq })
    }
}

/// Returns the events of an addition: the shared one, and one for each set of members who may not meet the same other
/// members.
fn joined(sql: Sql<'_>, group: &Group, newcomers: &[UserId]) -> Result<Vec<Joined>, Error> {
    let members = members_of(sql, group.id)?;
    let restricted = between::restricted_viewers(sql, [], members.iter().copied())?;
    let all = users(members.iter().copied());
    let joined = |viewer_id: UserId, to: Option<Users>| -> Result<Joined, Error> {
        let named = users_named(sql, viewer_id, newcomers.iter().copied().chain([group.owner_id]))?;
        let user_ids =
            newcomers.iter().copied().filter(|id| named.iter().any(|user| user.id == *id)).collect();
        let members_count = read::members_seen(sql, group.id, viewer_id)?;
        let group = Group { members_count, name: group.name.clone(), ..*group };
        let (recipients, joined) = match to {
            None => (without(&all, &restricted.all()), Some(newcomers.to_vec())),
            Some(view) => (within(&view, &all), None),
        };
        Ok(Joined { group, user_ids, users: named, recipients, joined })
    };
    // The shared event comes first.
    let mut events = vec![joined(ANY_VIEWER, None)?];
    for view in &restricted.views {
        if let Some(viewer_id) = view.iter().find(|user_id| is_among(&all, **user_id)) {
            events.push(joined(*viewer_id, Some(view.clone()))?);
        }
    }
    events.retain(|event| event.joined.is_some() || !event.user_ids.is_empty());
    Ok(events)
}

impl Add {
    /// Checks that these users may be added. A user who may not be added is refused first, so that nothing else about
    /// them is revealed. The limit counts the members whom the owner sees.
    fn check(&self, sql: Sql<'_>, group: &Group, newcomers: &[UserId]) -> Result<(), Error> {
        let no = |sentence| Err(Refusal::Invalid(Field::MEMBERS, sentence).into());
        let count = i64::try_from(newcomers.len()).unwrap_or(i64::MAX);
        let newcomers = list(newcomers.iter().copied());
        let addable: i64 = sql.value(ADDABLE, (group.owner_id, &newcomers, group.id))?;
        if addable < count {
            return no(NOT_ADDABLE);
        }
        if group.members_count.saturating_add(count) > self.members_max {
            return no(GROUP_FULL);
        }
        let full: i64 = sql.value(FULL, (&newcomers, joined_max()))?;
        if full > 0 {
            return no(JOINED_FULL);
        }
        Ok(())
    }
}

/// Removes a member, by request of the owner.
pub struct Remove {
    pub key: KeyUse,
    pub group_id: GroupId,
    pub viewer: Viewer,
    pub user_id: UserId,
}

impl WriteCommand for Remove {
    type Event = Event;
    type Value = Done;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let user_id = self.user_id;
        let may = |viewer: Viewer, facts: &GroupFacts| authz::may_remove_member(viewer, user_id, facts);
        let group = allowed(transaction.sql, self.viewer, self.group_id, may)?;
        // The membership of a suspended user stays until the suspension ends.
        if !between::may_meet(transaction.sql, group.owner_id, user_id)? {
            return Err(Refusal::NotFound.into());
        }
        leave(transaction, self.group_id, user_id)
    }
}

/// Ends the viewer's own membership.
pub struct Leave {
    pub key: KeyUse,
    pub group_id: GroupId,
    pub viewer: Viewer,
    pub user_id: UserId,
}

impl WriteCommand for Leave {
    type Event = Event;
    type Value = Done;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let (sql, now_ms) = (transaction.sql, transaction.now_ms);
        let group = allowed(sql, self.viewer, self.group_id, authz::may_leave_group)?;
        left_groups::note(sql, self.user_id, &group, now_ms)?;
        leave(transaction, self.group_id, self.user_id)
    }
}

/// Ends a membership and publishes its events.
fn leave(
    transaction: &mut Transaction<'_, Event>,
    group_id: GroupId,
    user_id: UserId,
) -> Result<Done, Error> {
    let events = end_membership(transaction.sql, group_id, user_id)?;
    if events.is_empty() {
        return Err(Refusal::NotFound.into());
    }
    for event in events {
        transaction.publish(event);
    }
    Ok(Done { seq: transaction.seq() })
}

/// Ends a membership. Returns its events; none if the user is no member.
///
/// # Errors
/// A database fault.
pub fn end_membership(sql: Sql<'_>, group_id: GroupId, user_id: UserId) -> Result<Vec<Event>, Error> {
    let gone =
        sql.execute("delete from members where group_id = ?1 and user_id = ?2", (group_id, user_id))?;
    if gone == 0 {
        return Ok(Vec::new());
    }
    let events = left(sql, group_id, user_id)?;
    Ok(events.into_iter().map(Event::GroupLeft).collect())
}

/// Ends the memberships of each of two users in the groups that the other owns (D-S3). Returns the events.
///
/// # Errors
/// A database fault.
pub fn end_memberships_between(sql: Sql<'_>, user_id: UserId, other_id: UserId) -> Result<Vec<Event>, Error> {
    let mut events = Vec::new();
    for (group_id, member_id) in between::memberships(sql, user_id, other_id)? {
        events.extend(end_membership(sql, group_id, member_id)?);
    }
    Ok(events)
}

/// Returns the events of a membership that ended with the account of the user. The members in `out` receive none.
///
/// # Errors
/// A database fault.
pub fn left_without(
    sql: Sql<'_>,
    group_id: GroupId,
    user_id: UserId,
    out: &Users,
) -> Result<Vec<Event>, Error> {
    let mut left = left(sql, group_id, user_id)?;
    for event in &mut left {
        event.recipients = without(&event.recipients, out);
    }
    Ok(left.into_iter().map(Event::GroupLeft).collect())
}

/// Returns the event by which one viewer, who may not meet a member from now on, sees the member leave a group.
///
/// # Errors
/// A database fault.
pub fn left_for(sql: Sql<'_>, group_id: GroupId, user_id: UserId, viewer_id: UserId) -> Result<Left, Error> {
    let members_count = read::members_seen(sql, group_id, viewer_id)?;
    Ok(Left { group_id, user_id, members_count, recipients: users([viewer_id]), is_shared: false })
}

/// Returns the events of a membership that ended: the shared one, and one for each set of members who may not meet the
/// same other members. Users who may not meet the former member receive nothing.
///
/// # Errors
/// A database fault.
fn left(sql: Sql<'_>, group_id: GroupId, user_id: UserId) -> Result<Vec<Left>, Error> {
    let members = members_of(sql, group_id)?;
    let restricted = between::restricted_viewers(sql, [user_id], members.iter().copied())?;
    let all = users(members.iter().copied());
    let shared_with = users(without(&all, &restricted.all()).iter().copied().chain([user_id]));
    let members_count = read::members_seen(sql, group_id, ANY_VIEWER)?;
    // A suspended user has already disappeared for everybody else.
    if between::is_suspended(sql, user_id)? {
        let recipients = users([user_id]);
        return Ok(vec![Left { group_id, user_id, members_count, recipients, is_shared: true }]);
    }
    let mut events =
        vec![Left { group_id, user_id, members_count, recipients: shared_with, is_shared: true }];
    for view in &restricted.views {
        if let Some(viewer_id) = view.iter().find(|viewer_id| is_among(&all, **viewer_id)) {
            let members_count = read::members_seen(sql, group_id, *viewer_id)?;
            let recipients = within(view, &all);
            events.push(Left { group_id, user_id, members_count, recipients, is_shared: false });
        }
    }
    Ok(events)
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::super::tests::{GROUP_ID, has_default_group, has_group, members};
    use super::*;
    use crate::db::readers::Snapshot;
    use crate::events::Loss;
    use crate::model::users::User;
    use crate::testing::database::{ANA, BEN, CLEO, TestDatabase, key, viewer, with_database};

    const MANY: i64 = 150;

    fn adding(number: u8, people: &[UserId]) -> Add {
        let ids: Vec<[u8; 8]> = people.iter().map(|person| person.0.to_be_bytes()).collect();
        let parts: Vec<&[u8]> = ids.iter().map(|id| &id[..]).collect();
        Add {
            key: key(ANA, number, &parts),
            group_id: GROUP_ID,
            viewer: viewer(ANA),
            people: people.to_vec(),
            members_max: MANY,
        }
    }

    fn removing(number: u8, who: UserId, user_id: UserId) -> Remove {
        let key = key(who, number, &[&user_id.0.to_be_bytes()]);
        Remove { key, group_id: GROUP_ID, viewer: viewer(who), user_id }
    }

    fn leaving(number: u8, who: UserId) -> Leave {
        Leave { key: key(who, number, &[]), group_id: GROUP_ID, viewer: viewer(who), user_id: who }
    }

    /// Ana follows Ben, and Cleo follows Ana.
    fn knows_them(db: &TestDatabase) {
        db.execute("insert into follows (follower_id, followed_id, id) values (1, 2, 40), (3, 1, 41)")
            .unwrap();
    }

    fn ids(users: &[User]) -> Vec<UserId> {
        users.iter().map(|user| user.id).collect()
    }

    #[test]
    fn d_g1_followers_and_followed_are_added_and_all_members_receive_their_names() {
        with_database(|db| async move {
            knows_them(&db);
            has_default_group(&db, &[]);
            let reply = db.write(adding(1, &[CLEO, BEN])).await.unwrap();
            let published = db.published();
            let [Event::GroupJoined(joined)] = &published[..] else { panic!("{published:?}") };
            assert_eq!((joined.group.id, joined.group.members_count), (GROUP_ID, 3));
            assert_eq!((&joined.user_ids, &joined.recipients), (&vec![CLEO, BEN], &users([ANA, BEN, CLEO])));
            assert_eq!(ids(&joined.users), [ANA, BEN, CLEO]);
            let order = "select user_id from members order by id desc limit 1";
            assert_eq!(db.number(order).await, BEN.0, "in the order of the request");
            assert_eq!(db.write(adding(1, &[CLEO, BEN])).await.unwrap(), reply, "asked again");
            assert_eq!(db.published().len(), 0);
        });
    }

    #[test]
    fn the_reply_names_nobody_after_a_block_and_everybody_after_the_group_was_deleted() {
        with_database(|db| async move {
            knows_them(&db);
            has_default_group(&db, &[]);
            let done = db.submit(adding(1, &[CLEO])).await.unwrap();
            let (right, less) = done.if_lost.unwrap();
            let names_cleo = |reply: &[u8]| reply.windows(4).any(|part| part == b"Cleo");
            assert!(names_cleo(&done.ok) && !names_cleo(&less));
            let loses = |loss: Loss| loss.concerns(ANA, Some(right));
            assert!(loses(Loss::Meeting { users: users([ANA, CLEO]), user_id: CLEO }));
            assert!(loses(Loss::Any), "an account that was deleted");
            let group_ended = Loss::Right { users: users([ANA]), right: Right::Membership(GROUP_ID) };
            assert!(!loses(group_ended), "she learns whom she had added");
            let again = db.submit(adding(1, &[CLEO])).await.unwrap();
            assert!(names_cleo(&again.ok), "the key knows its answer");
            assert_eq!(again.if_lost, Some((right, less)), "and by which loss it names nobody");
        });
    }

    #[test]
    fn members_stay_after_an_unfollow() {
        with_database(|db| async move {
            knows_them(&db);
            has_default_group(&db, &[BEN]);
            db.execute("delete from follows where followed_id = 2").unwrap();
            assert!(!db.submit(adding(1, &[BEN, ANA])).await.unwrap().is_change);
            assert_eq!(db.published().len(), 0);
            assert_eq!(db.number("select count(*) from keys").await, 1, "its key is remembered");
            db.write(adding(2, &[BEN, CLEO])).await.unwrap();
            let published = db.published();
            let [Event::GroupJoined(joined)] = &published[..] else { panic!("{published:?}") };
            assert_eq!((&joined.user_ids, ids(&joined.users)), (&vec![CLEO], vec![ANA, CLEO]));
        });
    }

    #[test]
    fn a_user_without_a_follow_and_an_unknown_user_are_refused_alike_and_nobody_is_added() {
        with_database(|db| async move {
            db.execute("insert into follows (follower_id, followed_id, id) values (1, 2, 40)").unwrap();
            has_default_group(&db, &[]);
            for stranger in [CLEO, UserId(99)] {
                let no = Err(Refusal::Invalid(Field::MEMBERS, NOT_ADDABLE));
                assert_eq!(db.write(adding(1, &[BEN, stranger])).await, no);
            }
            assert_eq!(members(&db, GROUP_ID).await, [ANA]);
            assert_eq!(db.published().len(), 0);
            assert!(db.write(adding(1, &[BEN])).await.is_ok(), "the key was not used up");
        });
    }

    #[test]
    fn a_group_has_a_limit_of_members() {
        with_database(|db| async move {
            knows_them(&db);
            has_default_group(&db, &[]);
            let two = |number, people: &[UserId]| Add { members_max: 2, ..adding(number, people) };
            let full = Err(Refusal::Invalid(Field::MEMBERS, GROUP_FULL));
            assert_eq!(db.write(two(1, &[BEN, CLEO])).await, full);
            assert_eq!(members(&db, GROUP_ID).await, [ANA]);
            db.write(two(2, &[BEN])).await.unwrap();
            assert_eq!(db.write(two(3, &[CLEO])).await, full);
            db.write(two(4, &[BEN])).await.unwrap();
            assert_eq!(db.published().len(), 1);
        });
    }

    #[test]
    fn a_user_has_a_limit_of_groups_of_others() {
        with_database(|db| async move {
            knows_them(&db);
            has_default_group(&db, &[]);
            for id in 1_000..1_000 + joined_max() - 1 {
                has_group(&db, id, CLEO, &[BEN]);
            }
            has_group(&db, 3_000, BEN, &[]);
            db.write(adding(1, &[BEN])).await.unwrap();
            db.write(removing(2, ANA, BEN)).await.unwrap();
            has_group(&db, 2_000, CLEO, &[BEN]);
            db.published();
            let full = Err(Refusal::Invalid(Field::MEMBERS, JOINED_FULL));
            assert_eq!(db.write(adding(3, &[CLEO, BEN])).await, full);
            assert_eq!(members(&db, GROUP_ID).await, [ANA]);
            assert_eq!(db.published().len(), 0);
        });
    }

    #[test]
    fn a_leave_reaches_the_former_member_and_those_who_remain() {
        with_database(|db| async move {
            has_default_group(&db, &[BEN, CLEO]);
            let reply = db.write(removing(1, ANA, BEN)).await.unwrap();
            db.write(leaving(1, CLEO)).await.unwrap();
            let published = db.published();
            let [Event::GroupLeft(ben), Event::GroupLeft(cleo)] = &published[..] else {
                panic!("{published:?}")
            };
            assert_eq!((ben.user_id, ben.members_count, ben.is_shared), (BEN, 2, true));
            assert_eq!((cleo.user_id, cleo.members_count, cleo.is_shared), (CLEO, 1, true));
            assert_eq!(db.write(removing(1, ANA, BEN)).await.unwrap(), reply, "asked again");
            assert_eq!(db.write(removing(2, ANA, BEN)).await, Err(Refusal::NotFound), "not in it any more");
            assert_eq!(db.write(removing(3, ANA, UserId(99))).await, Err(Refusal::NotFound));
            assert_eq!(db.published().len(), 0);
        });
    }

    #[test]
    fn d_g4_the_owner_cannot_leave_and_only_the_owner_removes_members() {
        with_database(|db| async move {
            has_default_group(&db, &[BEN, CLEO]);
            let no = Err(Refusal::NotFound);
            assert_eq!(db.write(leaving(1, ANA)).await, no);
            assert_eq!(db.write(removing(2, ANA, ANA)).await, no);
            for (who, whom) in [(BEN, CLEO), (BEN, ANA), (BEN, BEN)] {
                assert_eq!(db.write(removing(3, who, whom)).await, no);
            }
            assert_eq!(members(&db, GROUP_ID).await, [ANA, BEN, CLEO]);
            assert_eq!(db.published().len(), 0);
        });
    }

    #[test]
    fn a_removed_member_can_be_added_again_and_is_last() {
        with_database(|db| async move {
            knows_them(&db);
            has_default_group(&db, &[]);
            db.write(adding(4, &[BEN, CLEO])).await.unwrap();
            db.write(removing(2, ANA, BEN)).await.unwrap();
            db.write(adding(5, &[BEN])).await.unwrap();
            let one = |Snapshot { sql, seq }: Snapshot<'_>| read::one(sql, viewer(BEN), GROUP_ID, seq);
            assert_eq!(ids(&db.read(one).await.unwrap().members), [ANA, CLEO, BEN]);
        });
    }

    #[test]
    fn the_checks_of_new_members_scan_no_whole_table() {
        with_database(|db| async move {
            for sql in [ADDABLE, FULL] {
                let plan = db.plan(sql);
                let scans: Vec<_> = plan.iter().filter(|step| step.starts_with("SCAN")).collect();
                assert!(scans.iter().all(|step| step.contains("VIRTUAL TABLE")), "{plan:#?}");
            }
        });
    }
}
