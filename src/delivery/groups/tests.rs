//! The group registry: changes before, during and after the connecting of a user, and the order of changes.

use futures_util::FutureExt;

use super::*;
use crate::delivery::testing::{ANA, BEN, CLEO, START, TEA, event, to, with};
use crate::events::{Effects, PublishedEvent, users};

const CHESS: GroupId = GroupId(72);

impl Presence {
    fn is_in(&self, group_id: GroupId) -> bool {
        self.groups.actor_for(self.user_id, group_id).is_some()
    }
}

/// A registry with its log and barrier, and the stored members of each group.
struct GroupsFixture {
    groups: Arc<Groups>,
    log: Arc<EventLog>,
    barrier: Arc<Barrier>,
    stored: Mutex<BTreeMap<GroupId, Vec<UserId>>>,
}

impl GroupsFixture {
    fn new(stored: &[(GroupId, &[UserId])]) -> Self {
        let stored = stored.iter().map(|(group_id, members)| (*group_id, members.to_vec())).collect();
        let (log, barrier) = (Arc::new(EventLog::new(START)), Arc::new(Barrier::default()));
        let groups = Groups::new(log.clone(), barrier.clone());
        Self { groups, log, barrier, stored: Mutex::new(stored) }
    }

    /// Commits a change of membership: it is stored and in the log, but not yet applied to the registry.
    fn commits(&self, group_id: GroupId, joined: &[UserId], left: &[UserId]) -> Committed {
        let mut stored = self.stored.lock().unwrap();
        let members = stored.entry(group_id).or_default();
        members.retain(|user_id| !left.contains(user_id));
        members.extend(joined);
        let [joined, left] = [joined, left].map(|ids| users(ids.iter().copied()));
        let membership = Membership { group_id, joined, left };
        let seq = Seq(self.log.head().0 + 1);
        let effects = Effects { membership: Some(membership.clone()), ..Effects::default() };
        let event = with(event("a change", to(&[])), effects);
        self.log.append(seq, [Arc::new(PublishedEvent { seq, ..event })]);
        Committed { membership, seq }
    }

    fn takes_over(&self, change: &Committed) {
        self.groups.membership_changed(&change.membership, change.seq);
    }

    fn changes(&self, group_id: GroupId, joined: &[UserId], left: &[UserId]) {
        self.takes_over(&self.commits(group_id, joined, left));
    }

    /// Connects a user who was identified just now.
    fn connects(&self, user_id: UserId) -> Presence {
        let stored = self.stored.lock().unwrap();
        let groups = stored.iter().filter(|(_, members)| members.contains(&user_id)).map(|(id, _)| *id);
        self.groups.connect(user_id, groups.collect(), self.log.head()).unwrap()
    }

    /// Checks which actors run, and how many members of each group are connected.
    fn runs(&self, expected: &[(GroupId, usize)]) {
        assert_eq!(self.groups.running(), expected.iter().copied().collect());
    }
}

impl Drop for GroupsFixture {
    fn drop(&mut self) {
        self.groups.close();
    }
}

struct Committed {
    membership: Membership,
    seq: Seq,
}

#[actix_web::test]
async fn a_groups_actor_starts_with_the_first_member_connected_and_ends_with_the_last() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA, BEN]), (CHESS, &[ANA])]);
    let cleo = fixture.connects(CLEO);
    fixture.runs(&[]);
    let ben = fixture.connects(BEN);
    fixture.runs(&[(TEA, 1)]);
    let [ana, anas_phone] = [fixture.connects(ANA), fixture.connects(ANA)];
    fixture.runs(&[(TEA, 2), (CHESS, 1)]);
    drop(ana);
    fixture.runs(&[(TEA, 2), (CHESS, 1)]);
    assert!(anas_phone.is_in(TEA) && anas_phone.is_in(CHESS) && ben.is_in(TEA) && !ben.is_in(CHESS));
    drop(anas_phone);
    fixture.runs(&[(TEA, 1)]);
    drop(ben);
    drop(cleo);
    fixture.runs(&[]);
    assert!(fixture.groups.registry().users.is_empty());
}

#[actix_web::test]
async fn a_user_who_joins_a_group_is_present_in_it_and_one_who_leaves_is_not() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA])]);
    let ben = fixture.connects(BEN);
    assert!(!ben.is_in(TEA));
    fixture.changes(TEA, &[BEN], &[]);
    fixture.runs(&[(TEA, 1)]);
    assert!(ben.is_in(TEA));
    fixture.changes(TEA, &[CLEO], &[]);
    fixture.runs(&[(TEA, 1)]);
    fixture.changes(TEA, &[], &[BEN]);
    fixture.runs(&[]);
    assert!(!ben.is_in(TEA));
    // Ben is added, removed and added again. The last change counts.
    fixture.changes(TEA, &[BEN], &[]);
    fixture.changes(TEA, &[], &[BEN]);
    fixture.changes(TEA, &[BEN], &[]);
    fixture.runs(&[(TEA, 1)]);
}

#[actix_web::test]
async fn a_new_group_has_its_owner_and_a_deleted_group_has_nobody() {
    let fixture = GroupsFixture::new(&[]);
    let [ana, ben] = [fixture.connects(ANA), fixture.connects(BEN)];
    fixture.changes(TEA, &[ANA], &[]);
    fixture.changes(TEA, &[BEN], &[]);
    fixture.runs(&[(TEA, 2)]);
    fixture.changes(TEA, &[], &[ANA, BEN]);
    fixture.runs(&[]);
    assert!(!ana.is_in(TEA) && !ben.is_in(TEA));
}

#[actix_web::test]
async fn a_change_before_a_user_is_identified_is_applied_once() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA])]);
    let change = fixture.commits(TEA, &[BEN], &[]);
    let ben = fixture.connects(BEN);
    assert!(ben.is_in(TEA));
    // The registry applies the change after Ben connected. The groups that were read when he was identified include it
    // already.
    fixture.takes_over(&change);
    fixture.runs(&[(TEA, 1)]);
    drop(ben);
    fixture.runs(&[]);
}

#[actix_web::test]
async fn a_change_while_a_user_connects_is_applied() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA]), (CHESS, &[BEN])]);
    // Ben is identified before he is added to one group and removed from the other, and connects after both.
    let since = fixture.log.head();
    let added = fixture.commits(TEA, &[BEN], &[]);
    let removed = fixture.commits(CHESS, &[], &[BEN]);
    fixture.takes_over(&added);
    let ben = fixture.groups.connect(BEN, vec![CHESS], since).unwrap();
    assert!(ben.is_in(TEA) && !ben.is_in(CHESS));
    fixture.takes_over(&removed);
    fixture.runs(&[(TEA, 1)]);
    // He is already connected, so the groups that were read for his telephone are not used.
    let phone = fixture.groups.connect(BEN, vec![CHESS], since).unwrap();
    assert!(phone.is_in(TEA) && !phone.is_in(CHESS));
}

#[actix_web::test]
async fn a_user_identified_ahead_of_the_log_has_the_groups_that_were_read() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA])]);
    // Cleo was added and removed. Both writes are committed and read, but not yet in the log.
    let [added, removed] = [1, 2].map(|number| Seq(START.0 + number));
    let cleo = fixture.groups.connect(CLEO, vec![], removed).unwrap();
    let membership = |joined: &[UserId], left: &[UserId]| {
        let [joined, left] = [joined, left].map(|ids| users(ids.iter().copied()));
        Membership { group_id: TEA, joined, left }
    };
    fixture.groups.membership_changed(&membership(&[CLEO], &[]), added);
    assert!(!cleo.is_in(TEA), "an older change changes nothing");
    fixture.groups.membership_changed(&membership(&[], &[CLEO]), removed);
    fixture.groups.membership_changed(&membership(&[CLEO], &[]), Seq(removed.0 + 1));
    assert!(cleo.is_in(TEA));
}

#[actix_web::test]
async fn a_user_added_and_removed_while_connecting_has_the_last_state() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA])]);
    let since = fixture.log.head();
    let added = fixture.commits(TEA, &[BEN], &[]);
    let removed = fixture.commits(TEA, &[], &[BEN]);
    let ben = fixture.groups.connect(BEN, vec![], since).unwrap();
    assert!(!ben.is_in(TEA));
    fixture.takes_over(&added);
    assert!(!ben.is_in(TEA), "an older change changes nothing");
    fixture.takes_over(&removed);
    assert!(!ben.is_in(TEA));
    fixture.runs(&[]);
}

#[actix_web::test]
async fn a_user_identified_before_the_log_begins_is_read_again() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA])]);
    assert!(fixture.groups.connect(ANA, vec![TEA], Seq(7)).is_none());
    assert!(fixture.groups.registry().users.is_empty());
    fixture.runs(&[]);
    let ana = fixture.connects(ANA);
    assert!(ana.is_in(TEA));
}

#[actix_web::test]
async fn the_next_change_is_written_after_all_events_of_a_removal_were_delivered() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA, BEN]), (CHESS, &[ANA])]);
    let _ana = fixture.connects(ANA);
    let worker = fixture.barrier.add_worker(START);
    let seq = Seq(START.0 + 1);
    let written = Arc::new(Mutex::new(Vec::new()));
    let write = |name: &'static str, lost_at: Option<Seq>| {
        let written = written.clone();
        async move { (written.lock().unwrap().push(name), lost_at) }
    };
    let mut removal = std::pin::pin!(fixture.groups.change(ANA, TEA, write("removal", Some(seq))));
    assert!((&mut removal).now_or_never().is_none());
    let mut addition = std::pin::pin!(fixture.groups.change(ANA, TEA, write("addition", None)));
    assert!((&mut addition).now_or_never().is_none());
    // A change of another group, and a request of a user who is not in the group, wait for nothing.
    fixture.groups.change(ANA, CHESS, write("other", None)).await.unwrap();
    fixture.groups.change(CLEO, TEA, write("outside", None)).await.unwrap();
    assert!((&mut removal).now_or_never().is_none() && (&mut addition).now_or_never().is_none());
    assert!(!written.lock().unwrap().contains(&"addition"));
    worker.send_replace(seq);
    assert_eq!((removal.await, addition.await), (Some(()), Some(())));
    assert_eq!(written.lock().unwrap().last(), Some(&"addition"));
}

#[actix_web::test]
async fn the_removal_by_a_user_outside_the_group_waits_for_the_barrier_too() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA, BEN])]);
    let (_ana, _cleo) = (fixture.connects(ANA), fixture.connects(CLEO));
    let worker = fixture.barrier.add_worker(START);
    let seq = Seq(START.0 + 1);
    let mut repeated = std::pin::pin!(fixture.groups.change(CLEO, TEA, async move { ((), Some(seq)) }));
    assert!((&mut repeated).now_or_never().is_none(), "the worker has not delivered it");
    worker.send_replace(seq);
    assert_eq!(repeated.await, Some(()));
    // Ben is a member, but not connected.
    assert_eq!(fixture.groups.change(BEN, TEA, async { ((), None) }).await, Some(()));
}

#[actix_web::test]
async fn the_registry_knows_the_groups_of_connected_users_alone() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA, BEN])]);
    let (_ana, _cleo) = (fixture.connects(ANA), fixture.connects(CLEO));
    let is_in = |user_id| fixture.groups.actor_for(user_id, TEA).is_some();
    assert_eq!([ANA, BEN, CLEO].map(is_in), [true, false, false]);
    fixture.changes(TEA, &[CLEO], &[ANA]);
    assert_eq!([ANA, BEN, CLEO].map(is_in), [false, false, true]);
}
