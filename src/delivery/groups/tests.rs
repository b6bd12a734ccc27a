//! The group registry: changes before, during and after the connecting of a user.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::Semaphore;

use super::*;
use crate::delivery::testing::{ANA, BEN, CLEO, START, TEA, event, to, with};
use crate::events::{Effects, PublishedEvent, users};

const CHESS: GroupId = GroupId(72);

impl Presence {
    fn is_in(&self, group_id: GroupId) -> bool {
        self.groups.actor_for(self.user_id, group_id).is_some()
    }
}

/// A registry with the log and the barrier. The actor of a group reads the members that were stored last.
struct GroupsFixture {
    groups: Arc<Groups>,
    log: Arc<EventLog>,
    barrier: Arc<Barrier>,
    stored: Arc<Mutex<HashMap<GroupId, Users>>>,
    /// A read returns once it gets a permit.
    may_read: Arc<Semaphore>,
    is_broken: Arc<AtomicBool>,
}

impl GroupsFixture {
    fn new(stored: &[(GroupId, &[UserId])]) -> Self {
        let stored = stored.iter().map(|(group_id, members)| (*group_id, users(members.iter().copied())));
        let stored = Arc::new(Mutex::new(stored.collect::<HashMap<_, _>>()));
        let (log, barrier) = (Arc::new(EventLog::new(START)), Arc::new(Barrier::default()));
        let (may_read, is_broken) = (Arc::new(Semaphore::new(1_000)), Arc::new(AtomicBool::new(false)));
        let load: LoadMembers = {
            let (stored, log) = (stored.clone(), log.clone());
            let (may_read, is_broken) = (may_read.clone(), is_broken.clone());
            Arc::new(move |group_id| {
                // The members are read now and returned later.
                let members = stored.lock().unwrap().get(&group_id).cloned().unwrap_or_default();
                let read = (!is_broken.load(Ordering::SeqCst)).then_some((members, log.head()));
                let may_read = may_read.clone();
                Box::pin(async move {
                    let _permit = may_read.acquire().await.unwrap();
                    read
                })
            })
        };
        let groups = Groups::new(log.clone(), barrier.clone(), load);
        Self { groups, log, barrier, stored, may_read, is_broken }
    }

    /// Commits a change of membership: it is stored and in the log, but not yet applied to the registry.
    fn commits(&self, group_id: GroupId, members: &[UserId], joined: &[UserId], left: &[UserId]) -> Change {
        let all = |ids: &[UserId]| users(ids.iter().copied());
        let (members, joined, left) = (all(members), all(joined), all(left));
        self.stored.lock().unwrap().insert(group_id, members.clone());
        let membership = Membership { group_id, members, joined, left };
        let seq = Seq(self.log.head().0 + 1);
        let effects = Effects { membership: Some(membership.clone()), ..Effects::default() };
        let event = with(event("a change", to(&[])), effects);
        self.log.append(seq, [Arc::new(PublishedEvent { seq, ..event })]);
        Change { membership, seq }
    }

    fn takes_over(&self, change: &Change) {
        self.groups.membership_changed(&change.membership, change.seq);
    }

    fn changes(&self, group_id: GroupId, members: &[UserId], joined: &[UserId], left: &[UserId]) {
        self.takes_over(&self.commits(group_id, members, joined, left));
    }

    /// Connects a user who was identified just now.
    fn connects(&self, user_id: UserId) -> Presence {
        let stored = self.stored.lock().unwrap();
        let groups = stored.iter().filter(|(_, members)| members.contains(&user_id)).map(|(id, _)| *id);
        self.groups.connect(user_id, groups.collect(), self.log.head()).unwrap()
    }

    /// Waits until `count` actors run.
    async fn has_actors(&self, count: usize) {
        let waiting = async {
            while self.groups.actors() != count {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("actors that begin and end");
    }
}

impl Drop for GroupsFixture {
    fn drop(&mut self) {
        self.groups.close();
    }
}

struct Change {
    membership: Membership,
    seq: Seq,
}

fn state(group_id: GroupId, members: &[UserId], present: &[UserId]) -> GroupState {
    GroupState { group_id, members: members.to_vec(), present: present.to_vec() }
}

#[actix_web::test]
async fn a_groups_actor_starts_with_the_first_member_connected_and_ends_with_the_last() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA, BEN]), (CHESS, &[ANA])]);
    let cleo = fixture.connects(CLEO);
    assert_eq!((fixture.groups.states().await, fixture.groups.actors()), (vec![], 0), "she is in none");
    let ben = fixture.connects(BEN);
    assert_eq!(fixture.groups.states().await, [state(TEA, &[ANA, BEN], &[BEN])]);
    let [ana, anas_phone] = [fixture.connects(ANA), fixture.connects(ANA)];
    let both = [state(TEA, &[ANA, BEN], &[ANA, BEN]), state(CHESS, &[ANA], &[ANA])];
    assert_eq!((&fixture.groups.states().await[..], fixture.groups.actors()), (&both[..], 2));
    drop(ana);
    assert_eq!(fixture.groups.states().await, both, "her telephone is still here");
    assert!(anas_phone.is_in(TEA) && anas_phone.is_in(CHESS) && ben.is_in(TEA) && !ben.is_in(CHESS));
    drop(anas_phone);
    assert_eq!(fixture.groups.states().await, [state(TEA, &[ANA, BEN], &[BEN])]);
    drop(ben);
    drop(cleo);
    assert_eq!(fixture.groups.states().await, []);
    fixture.has_actors(0).await;
    assert!(fixture.groups.registry().users.is_empty());
}

#[actix_web::test]
async fn a_user_who_joins_a_group_is_present_in_it_and_one_who_leaves_is_not() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA])]);
    let ben = fixture.connects(BEN);
    assert!(!ben.is_in(TEA));
    fixture.changes(TEA, &[ANA, BEN], &[BEN], &[]);
    assert_eq!(
        fixture.groups.states().await,
        [state(TEA, &[ANA, BEN], &[BEN])],
        "nobody of it was here before"
    );
    assert!(ben.is_in(TEA));
    fixture.changes(TEA, &[ANA, BEN, CLEO], &[CLEO], &[]);
    assert_eq!(fixture.groups.states().await, [state(TEA, &[ANA, BEN, CLEO], &[BEN])], "Cleo is away");
    fixture.changes(TEA, &[ANA, CLEO], &[], &[BEN]);
    assert_eq!(fixture.groups.states().await, []);
    assert!(!ben.is_in(TEA));
    fixture.has_actors(0).await;
    // Ben is added, removed and added again. The last change counts.
    fixture.changes(TEA, &[ANA, BEN, CLEO], &[BEN], &[]);
    fixture.changes(TEA, &[ANA, CLEO], &[], &[BEN]);
    fixture.changes(TEA, &[ANA, BEN, CLEO], &[BEN], &[]);
    assert_eq!(fixture.groups.states().await, [state(TEA, &[ANA, BEN, CLEO], &[BEN])]);
}

#[actix_web::test]
async fn a_new_group_has_its_owner_and_a_deleted_group_has_nobody() {
    let fixture = GroupsFixture::new(&[]);
    let [ana, ben] = [fixture.connects(ANA), fixture.connects(BEN)];
    fixture.changes(TEA, &[ANA], &[ANA], &[]);
    fixture.changes(TEA, &[ANA, BEN], &[BEN], &[]);
    assert_eq!(fixture.groups.states().await, [state(TEA, &[ANA, BEN], &[ANA, BEN])]);
    fixture.changes(TEA, &[], &[], &[ANA, BEN]);
    assert_eq!(fixture.groups.states().await, []);
    assert!(!ana.is_in(TEA) && !ben.is_in(TEA));
    fixture.has_actors(0).await;
}

#[actix_web::test]
async fn a_change_before_a_user_is_identified_is_applied_once() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA])]);
    let change = fixture.commits(TEA, &[ANA, BEN], &[BEN], &[]);
    let ben = fixture.connects(BEN);
    assert!(ben.is_in(TEA));
    // The registry applies the change after he connected. The groups that were read at his identification already
    // include it.
    fixture.takes_over(&change);
    assert_eq!(fixture.groups.states().await, [state(TEA, &[ANA, BEN], &[BEN])]);
    drop(ben);
    assert_eq!(fixture.groups.states().await, []);
    fixture.has_actors(0).await;
}

#[actix_web::test]
async fn a_change_while_a_user_connects_is_applied() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA]), (CHESS, &[BEN])]);
    // Ben is identified before he is added to one group and removed from the other. He connects after it.
    let since = fixture.log.head();
    let added = fixture.commits(TEA, &[ANA, BEN], &[BEN], &[]);
    let removed = fixture.commits(CHESS, &[], &[], &[BEN]);
    fixture.takes_over(&added);
    let ben = fixture.groups.connect(BEN, vec![CHESS], since).unwrap();
    assert!(ben.is_in(TEA) && !ben.is_in(CHESS));
    fixture.takes_over(&removed);
    assert_eq!(fixture.groups.states().await, [state(TEA, &[ANA, BEN], &[BEN])]);
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
    let membership = |joined: &[UserId], left: &[UserId]| Membership {
        group_id: TEA,
        members: users([ANA]),
        joined: users(joined.iter().copied()),
        left: users(left.iter().copied()),
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
    let added = fixture.commits(TEA, &[ANA, BEN], &[BEN], &[]);
    let removed = fixture.commits(TEA, &[ANA], &[], &[BEN]);
    let ben = fixture.groups.connect(BEN, vec![], since).unwrap();
    assert!(!ben.is_in(TEA));
    fixture.takes_over(&added);
    assert!(!ben.is_in(TEA), "an older change changes nothing");
    fixture.takes_over(&removed);
    assert!(!ben.is_in(TEA));
    assert_eq!(fixture.groups.states().await, []);
}

#[actix_web::test]
async fn a_user_identified_before_the_log_begins_is_read_again() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA])]);
    assert!(fixture.groups.connect(ANA, vec![TEA], Seq(7)).is_none());
    assert!(fixture.groups.registry().users.is_empty() && fixture.groups.registry().running.is_empty());
    let ana = fixture.connects(ANA);
    assert!(ana.is_in(TEA));
}

#[actix_web::test]
async fn a_read_before_a_change_does_not_undo_the_change() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA, BEN])]);
    let held = fixture.may_read.acquire_many(1_000).await.unwrap();
    let _ana = fixture.connects(ANA);
    // The actor has begun to read. It gets the result after the change.
    fixture.has_actors(1).await;
    let reading = fixture.groups.states();
    let mut reading = std::pin::pin!(reading);
    assert!((&mut reading).now_or_never().is_none());
    fixture.changes(TEA, &[ANA, BEN, CLEO], &[CLEO], &[]);
    drop(held);
    assert_eq!(reading.await.len(), 1);
    assert_eq!(fixture.groups.states().await, [state(TEA, &[ANA, BEN, CLEO], &[ANA])]);
}

#[actix_web::test]
async fn a_change_that_a_read_already_includes_changes_nothing() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA])]);
    let first = fixture.commits(TEA, &[ANA, BEN], &[BEN], &[]);
    let second = fixture.commits(TEA, &[ANA], &[], &[BEN]);
    let _ana = fixture.connects(ANA);
    assert_eq!(fixture.groups.states().await, [state(TEA, &[ANA], &[ANA])]);
    fixture.takes_over(&first);
    assert_eq!(fixture.groups.states().await, [state(TEA, &[ANA], &[ANA])]);
    fixture.takes_over(&second);
    assert_eq!(fixture.groups.states().await, [state(TEA, &[ANA], &[ANA])]);
}

#[actix_web::test]
async fn a_group_that_cannot_be_read_knows_its_members_with_the_next_change() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA])]);
    fixture.is_broken.store(true, Ordering::SeqCst);
    let _ana = fixture.connects(ANA);
    assert_eq!(fixture.groups.states().await, [state(TEA, &[], &[ANA])]);
    fixture.changes(TEA, &[ANA, BEN], &[BEN], &[]);
    assert_eq!(fixture.groups.states().await, [state(TEA, &[ANA, BEN], &[ANA])]);
}

#[actix_web::test]
async fn a_removal_is_answered_after_all_events_up_to_it_were_delivered() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA, BEN])]);
    let _ana = fixture.connects(ANA);
    let worker = fixture.barrier.add_worker(START);
    let seq = Seq(START.0 + 1);
    let (is_written, written) = tokio::sync::oneshot::channel();
    let write = async move {
        let _ = is_written.send(());
        Some(seq)
    };
    let mut removal = std::pin::pin!(fixture.groups.change(ANA, TEA, Box::pin(write)));
    tokio::select! {
        biased;
        () = &mut removal => panic!("the worker has not delivered it"),
        () = written.map(|_| ()) => {}
    }
    // The actor answers other messages meanwhile.
    assert_eq!(fixture.groups.states().await.len(), 1);
    fixture.groups.change(ANA, TEA, Box::pin(async { None })).await;
    assert!((&mut removal).now_or_never().is_none());
    worker.send_replace(seq);
    removal.await;
}

#[actix_web::test]
async fn the_request_of_a_user_outside_the_group_waits_for_no_actor() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA, BEN])]);
    // The actor waits for the result of its read.
    let _held = fixture.may_read.acquire_many(1_000).await.unwrap();
    let (_ana, _cleo) = (fixture.connects(ANA), fixture.connects(CLEO));
    let worker = fixture.barrier.add_worker(START);
    let seq = Seq(START.0 + 1);
    let (is_written, mut written) = tokio::sync::oneshot::channel();
    let write = async move {
        let _ = is_written.send(());
        Some(seq)
    };
    let mut removal = std::pin::pin!(fixture.groups.change(CLEO, TEA, Box::pin(write)));
    assert!((&mut removal).now_or_never().is_none(), "the worker has not delivered it");
    assert!(written.try_recv().is_ok());
    worker.send_replace(seq);
    removal.await;
    // Ben is a member, but not connected.
    fixture.groups.change(BEN, TEA, Box::pin(async { None })).await;
}

#[actix_web::test]
async fn the_registry_knows_the_groups_of_connected_users_alone() {
    let fixture = GroupsFixture::new(&[(TEA, &[ANA, BEN])]);
    let (_ana, _cleo) = (fixture.connects(ANA), fixture.connects(CLEO));
    let is_in = |user_id| fixture.groups.actor_for(user_id, TEA).is_some();
    assert_eq!([ANA, BEN, CLEO].map(is_in), [true, false, false]);
    fixture.changes(TEA, &[BEN, CLEO], &[CLEO], &[ANA]);
    assert_eq!([ANA, BEN, CLEO].map(is_in), [false, false, true]);
}
