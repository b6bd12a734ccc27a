//! Who is let through to what groups have a say in: now, as it is told, and later, as it is repeated.
//!
//! As it is told the group's ruling decides. A repeat needs none: it is for whoever is a member now, and was
//! one already when it happened, because nobody has come by a later event.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::entry::{Entry, Ruling};
use super::super::ring::Ring;
use crate::features::kit::Topic;
use crate::ids::{GroupId, Seq, UserId};

/// Who is let through to an event that is told now.
#[derive(Default)]
pub(super) struct Passage {
    only: Option<Arc<[UserId]>>,
    also: Option<UserId>,
    except: Option<Arc<[UserId]>>,
}

impl Passage {
    /// Returns who is let through: everybody, but where a group has a say.
    pub(super) fn of(entry: &Entry, ring: &Ring) -> Self {
        let Some(gate) = entry.hearers.gate else { return Self::default() };
        let members = |(group_id, ruling)| members(group_id, ruling, entry.seq, ring);
        let only = gate.only.and(entry.of_group()).map(members);
        Self { only, also: gate.also, except: entry.past_group().map(members) }
    }

    /// Is this person let through?
    pub(super) fn lets(&self, user_id: Option<UserId>) -> bool {
        let is_in =
            |members: &Arc<[UserId]>| user_id.is_some_and(|user_id| members.binary_search(&user_id).is_ok());
        let is_also = self.also.is_some() && self.also == user_id;
        (self.only.as_ref().is_none_or(is_in) || is_also) && !self.except.as_ref().is_some_and(is_in)
    }

    /// Returns the members of the group it is of; sorted.
    pub(super) fn members(&self) -> &[UserId] {
        self.only.as_deref().unwrap_or_default()
    }
}

/// Returns who was in a group when an event happened, of those who are here.
fn members(group_id: GroupId, ruling: Option<&Ruling>, seq: Seq, ring: &Ring) -> Arc<[UserId]> {
    if let Some(Ruling::Members(members)) = ruling {
        return members.clone();
    }
    let mut present = ring.halls().present(group_id);
    if !present.is_empty() {
        for later in ring.memberships_after(seq) {
            if let Some(changed) = later.changes(group_id) {
                present.retain(|user_id| !changed.joined.contains(user_id));
            }
        }
    }
    present.into()
}

/// Where somebody stands to what is repeated to them.
pub(super) struct Standing {
    user_id: Option<UserId>,
    /// Which groups they are in.
    groups: Vec<GroupId>,
    /// When they came into groups, as far as that matters here.
    joined: Vec<(GroupId, Seq)>,
    /// What is over for them, and since when.
    over: HashMap<Topic, Seq>,
}

impl Standing {
    /// Looks where somebody stands to these events, of which the oldest comes first.
    pub(super) fn of(user_id: Option<UserId>, missed: &[Arc<Entry>], ring: &Ring) -> Self {
        let mut standing = Self { user_id, groups: Vec::new(), joined: Vec::new(), over: HashMap::new() };
        let first = missed.iter().find(|entry| entry.hearers.gate.is_some());
        if let (Some(user_id), Some(first)) = (user_id, first) {
            // In this order: whoever is let into a group has come by an event that is in the ring already.
            standing.groups = ring.halls().groups_of(user_id);
            if !standing.groups.is_empty() {
                let later = ring.memberships_after(first.seq);
                let came = later.iter().filter_map(|entry| Some((entry.membership()?, entry.seq)));
                let own = came.filter(|(changed, _)| changed.joined.contains(&user_id));
                standing.joined = own.map(|(changed, seq)| (changed.group_id, seq)).collect();
            }
        }
        for entry in missed {
            if let Some(topic) = entry.hearers.voids.filter(|_| standing.is_concerned(entry)) {
                standing.over.insert(topic, entry.seq);
            }
        }
        standing
    }

    /// Were they a member when something happened, and are they now?
    fn is_member(&self, group_id: GroupId, at: Seq) -> bool {
        self.groups.contains(&group_id)
            && !self.joined.iter().any(|(joined, seq)| *joined == group_id && *seq > at)
    }

    fn is_passed_over(&self, entry: &Entry) -> bool {
        entry.hearers.gate.and_then(|gate| gate.except).is_some_and(|group| self.is_member(group, entry.seq))
    }

    /// Is what this says to be over, over for them?
    fn is_concerned(&self, entry: &Entry) -> bool {
        let is_spared = entry.hearers.spares.is_some() && entry.hearers.spares == self.user_id;
        !is_spared && !self.is_passed_over(entry)
    }

    /// Is this theirs, and of a group that they are out of now? Then nobody tells it to them, and they read anew.
    pub(super) fn misses_own(&self, entry: &Entry) -> bool {
        let is_own = entry.hearers.rereads.is_some() && entry.hearers.rereads == self.user_id;
        let group = entry.hearers.gate.and_then(|gate| gate.only);
        is_own && group.is_some_and(|group_id| !self.is_member(group_id, entry.seq))
    }

    /// Is this repeated to them?
    pub(super) fn lets(&self, entry: &Entry) -> bool {
        let since = entry.hearers.of.and_then(|topic| self.over.get(&topic));
        if since.is_some_and(|seq| *seq > entry.seq) {
            return false;
        }
        let Some(gate) = entry.hearers.gate else { return true };
        let is_also = gate.also.is_some() && gate.also == self.user_id;
        let is_in = gate.only.is_none_or(|group_id| self.is_member(group_id, entry.seq));
        (is_in || is_also) && !self.is_passed_over(entry)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::held::pause_of;
    use super::super::testing::{
        CHESS, POLL, TEA, chat, counted, deleted, gone, joined, left, of, renamed, told, updated,
    };
    use crate::access::Viewer;
    use crate::features::testing::{ANA, BEN, CLEO};
    use crate::features::views::Audience;
    use crate::ids::{LoginId, Seq};

    #[test]
    fn a_group_is_heard_by_its_members_alone() {
        told(|house| async move {
            house.has_group(TEA, &[BEN]);
            house.has_group(CHESS, &[CLEO]);
            let [ana, ben, cleo] = [house.sits(ANA).await, house.sits(BEN).await, house.sits(CLEO).await];
            house.says([chat(TEA), chat(CHESS), renamed(ANA)]);
            house.is_told().await;
            assert_eq!(house.heard(&ana), [1_001, 1_002, 1_003]);
            assert_eq!(house.heard(&ben), [1_001, 1_003]);
            assert_eq!(house.heard(&cleo), [1_002, 1_003]);
        });
    }

    #[test]
    fn nobody_comes_past_an_event_that_its_group_has_not_ruled_on() {
        told(|house| async move {
            house.has_group(TEA, &[BEN]);
            let [ben, cleo] = [house.sits(BEN).await, house.sits(CLEO).await];
            let held = house.ring.halls().hold_up();
            house.says([renamed(ANA), chat(TEA), renamed(ANA)]);
            assert!(!house.seats.borrow_mut().turn());
            assert_eq!((house.heard(&ben), house.heard(&cleo)), (vec![1_001], vec![1_001]));
            drop(held);
            house.is_told().await;
            assert_eq!((house.heard(&ben), house.heard(&cleo)), (vec![1_002, 1_003], vec![1_003]));
        });
    }

    #[test]
    fn whoever_is_removed_hears_that_and_nothing_of_the_group_after_it() {
        told(|house| async move {
            house.has_group(TEA, &[BEN, CLEO]);
            let [ben, cleo] = [house.sits(BEN).await, house.sits(CLEO).await];
            house.says([chat(TEA), left(BEN, &[ANA, CLEO]), chat(TEA)]);
            house.is_told().await;
            assert_eq!(
                (house.heard(&ben), house.heard(&cleo)),
                (vec![1_001, 1_002], vec![1_001, 1_002, 1_003])
            );
            // What was read before it is not answered any more: only to him.
            let outlived = |id, since| house.seats.borrow().is_outlived(id, Seq(since));
            assert!(outlived(ben.id, 1_001) && !outlived(ben.id, 1_002) && !outlived(cleo.id, 1_001));
            // Nor when he logs in once more where he sits.
            let again = Viewer::User { user_id: BEN, login_id: LoginId(10) };
            house.seats.borrow_mut().becomes(ben.id, again, Seq(1_003));
            assert!(outlived(ben.id, 1_001));
        });
    }

    #[test]
    fn whoever_is_added_hears_that_and_what_comes_after_it() {
        told(|house| async move {
            let cleo = house.sits(CLEO).await;
            // Nobody of the group is here before: it has no hall, and says nothing of the first.
            house.says([chat(TEA), joined(CLEO, &[ANA, CLEO]), chat(TEA)]);
            house.is_told().await;
            assert_eq!(house.heard(&cleo), [1_002, 1_003]);
        });
    }

    #[test]
    fn what_a_group_said_nothing_of_reaches_who_enters_it() {
        told(|house| async move {
            house.has_group(TEA, &[BEN]);
            house.says([chat(TEA)]);
            house.is_told().await;
            // He has read before it.
            let ben = house.sits_since(BEN, 1_000).await;
            assert_eq!(house.heard(&ben), [1_001]);
            house.rises(ben);
            // And once more, while its hall opens.
            let held = house.ring.halls().hold_up();
            let coming = house.sits_since(BEN, 1_001);
            let saying = async {
                while house.ring.halls().is_shut(TEA) {
                    tokio::task::yield_now().await;
                }
                house.says([chat(TEA)]);
                drop(held);
                house.is_told().await;
            };
            let (ben, ()) = tokio::join!(coming, saying);
            house.is_told().await;
            assert_eq!(house.heard(&ben), [1_002]);
        });
    }

    #[test]
    fn a_tally_that_was_held_back_reaches_nobody_who_left_since() {
        told(|house| async move {
            house.has_group(TEA, &[BEN, CLEO]);
            let [ben, cleo] = [house.sits(BEN).await, house.sits(CLEO).await];
            for id in [ben.id, cleo.id] {
                house.seats.borrow_mut().listen(id, &[POLL], Seq(1_000));
            }
            house.says([counted(), counted(), left(BEN, &[ANA, CLEO])]);
            house.is_told().await;
            house.seats.borrow_mut().release_held(Instant::now() + 2 * pause_of(POLL));
            assert_eq!(
                (house.heard(&ben), house.heard(&cleo)),
                (vec![1_001, 1_003], vec![1_001, 1_003, 1_002])
            );
            house.says([counted(), deleted(&[ANA, CLEO])]);
            house.is_told().await;
            assert!(!house.seats.borrow().holds_counts(), "with the group its polls are over");
            assert!(!house.seats.borrow().heard.hears(cleo.id, POLL));
            assert_eq!((house.heard(&ben), house.heard(&cleo)), (vec![], vec![1_005]));
        });
    }

    #[test]
    fn a_post_that_is_for_fewer_now_is_gone_for_the_others_alone() {
        told(|house| async move {
            house.has_group(TEA, &[BEN]);
            let [ana, ben, cleo] = [house.sits(ANA).await, house.sits(BEN).await, house.sits(CLEO).await];
            house.says([gone(Audience::Public {}, Some(of(TEA))), updated(of(TEA))]);
            house.is_told().await;
            assert_eq!((house.heard(&ana), house.heard(&ben)), (vec![1_002], vec![1_002]));
            assert_eq!(house.heard(&cleo), [1_001]);
            // Nobody is answered with what was read before it.
            let outlived = |id, since| house.seats.borrow().is_outlived(id, Seq(since));
            assert!([ana.id, ben.id, cleo.id].iter().all(|id| outlived(*id, 1_000) && !outlived(*id, 1_001)));
            // Gone for everybody is told behind such an answer, as ever.
            house.says([gone(of(TEA), None)]);
            house.is_told().await;
            assert!(!house.seats.borrow().is_outlived(ben.id, Seq(1_002)));
            assert_eq!((house.heard(&ana), house.heard(&ben)), (vec![1_003], vec![1_003]));
            assert!(house.heard(&cleo).is_empty());
        });
    }

    #[test]
    fn an_author_who_is_not_in_the_group_hears_what_becomes_of_their_own_post() {
        told(|house| async move {
            house.has_group(TEA, &[BEN]);
            house.removes(TEA, ANA);
            let [ana, ben] = [house.sits(ANA).await, house.sits(BEN).await];
            let nobody = Audience::Group { group_id: None };
            house.says([chat(TEA), gone(of(TEA), Some(nobody)), updated(nobody), gone(of(TEA), None)]);
            house.is_told().await;
            assert_eq!(
                (house.heard(&ana), house.heard(&ben)),
                (vec![1_003, 1_004], vec![1_001, 1_002, 1_004])
            );
        });
    }
}
