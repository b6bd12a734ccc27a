//! What is told late: behind an answer that lacks it, to a new seat, to who comes back.
//!
//! Only to who is let through now as well as then, and nothing of what is over for them meanwhile.

use std::sync::Arc;

use super::gate::Standing;
use super::{SeatId, Seats};
use crate::access::Viewer;
use crate::features::kit::{Hearers, Right, Topic};
use crate::ids::{Seq, UserId};
use crate::limits::REPLAY_MAX;
use crate::live::entry::Entry;
use crate::live::ring::Missed;

impl Seats {
    /// Listens, and is told what came after `since`, the snapshot that was read. Nothing falls
    /// between the two: what the snapshot lacks is in the ring. Nor does a right come back by it that
    /// ended since.
    pub fn listen(&mut self, id: SeatId, topics: &[Topic], since: Seq) {
        let Some(missed) = self.missed(id, since) else { return };
        let user = self.seats.get(id).and_then(|seat| seat.viewer.user_id());
        let is_over = |topic: Topic| match topic {
            Topic::Poll(_, right) => missed.iter().any(|entry| takes(entry, user, topic, right)),
            // What is gone of these is told to who shows it.
            Topic::User(_) | Topic::Post(_) | Topic::Profile(_) | Topic::Group(_) | Topic::Everyone => false,
        };
        let topics: Vec<Topic> = topics.iter().copied().filter(|topic| !is_over(*topic)).collect();
        for topic in &topics {
            self.enter(id, *topic);
        }
        self.tell_missed(id, &missed, &topics);
    }

    /// Returns what came after `since` up to this hub's cursor: later events are on their way by
    /// themselves. None when nobody can tell.
    pub(super) fn missed(&self, id: SeatId, since: Seq) -> Option<Vec<Arc<Entry>>> {
        if since >= self.cursor {
            return Some(Vec::new());
        }
        let Missed::Events(mut missed) = self.ring.missed_since(since, self.forgotten) else {
            // A snapshot older than the ring remembers: the answer still goes out, then the client
            // comes back and reads again.
            if let Some(seat) = self.seats.get(id) {
                seat.outbox.leave(1012, "catch up");
            }
            return None;
        };
        missed.retain(|entry| entry.seq <= self.cursor);
        Some(missed)
    }

    /// Tells a seat what of this concerns it or these topics.
    pub(super) fn tell_missed(&mut self, id: SeatId, missed: &[Arc<Entry>], topics: &[Topic]) {
        let Some(viewer) = self.seats.get(id).map(|seat| seat.viewer) else { return };
        let standing = Standing::of(viewer.user_id(), missed, &self.ring);
        let is_own = viewer.user_id().is_some_and(|user_id| topics.contains(&Topic::User(user_id)));
        for entry in missed {
            let Hearers { topics: told_to, people, is_passing, of, .. } = &entry.hearers;
            // What everyone is told concerns also who has read what lacks it; so does what a group is told of
            // what was read, or of itself. Whose members they are is asked below.
            let concerns = told_to.iter().any(|topic| match topic {
                Topic::Everyone => viewer != Viewer::Guest,
                Topic::Group(_) => is_own || of.is_some_and(|of| of == *topic || topics.contains(&of)),
                topic => topics.contains(topic),
            }) || topics
                .iter()
                .any(|topic| matches!(topic, Topic::User(user_id) if people.binary_search(user_id).is_ok()));
            // What passes follows only the answer that listens to it, and so was read before it came.
            let is_of_now = !is_passing
                || topics.iter().any(|topic| !matches!(topic, Topic::User(_)) && told_to.contains(topic));
            if closes(entry, viewer) {
                self.tell_closed(id, entry);
            } else if concerns && is_of_now && standing.lets(entry) {
                self.push(id, entry);
            }
        }
    }

    /// Tells a returning socket what it missed on everything it listens to; false when nobody can
    /// tell. `since` is the last number it had.
    pub fn resume(&mut self, id: SeatId, since: Seq) -> bool {
        let Missed::Events(missed) = self.ring.missed_since(since, self.forgotten) else { return false };
        let Some(seat) = self.seats.get(id) else { return false };
        let hears = |entry: &Entry| {
            entry.hearers.topics.iter().any(|topic| match topic {
                Topic::User(user_id) => seat.viewer.user_id() == Some(*user_id),
                Topic::Post(_) | Topic::Profile(_) | Topic::Poll(..) => self.heard.hears(id, *topic),
                // Whose members they are is asked below.
                Topic::Group(_) | Topic::Everyone => seat.viewer != Viewer::Guest,
            }) || seat.viewer.user_id().is_some_and(|user| entry.hearers.people.binary_search(&user).is_ok())
        };
        let mut missed: Vec<_> = self
            .ring
            .held_before(since, self.forgotten)
            .into_iter()
            .chain(missed.into_iter().take_while(|entry| entry.seq <= self.cursor))
            .collect();
        let standing = Standing::of(seat.viewer.user_id(), &missed, &self.ring);
        if missed.iter().any(|entry| standing.misses_own(entry)) {
            return false;
        }
        missed.retain(|entry| !entry.hearers.is_passing && hears(entry) && standing.lets(entry));
        if missed.len() > REPLAY_MAX {
            return false;
        }
        for entry in missed {
            self.push(id, &entry);
        }
        true
    }
}

fn closes(entry: &Entry, viewer: Viewer) -> bool {
    match (entry.hearers.closes, viewer) {
        (Some((closed, _)), Viewer::User { login_id, .. }) => closed == login_id,
        _ => false,
    }
}

/// Does this event take from somebody the right to listen to this poll?
fn takes(entry: &Entry, user: Option<UserId>, poll: Topic, right: Right) -> bool {
    let Hearers { shuts_polls, ends, membership, .. } = &entry.hearers;
    let is_shut =
        shuts_polls.is_some_and(|(who, whose)| Some(who) == user && Right::Following(whose) == right);
    let is_out = membership.as_ref().is_some_and(|changed| {
        right == Right::Membership(changed.group_id) && user.is_some_and(|user| changed.left.contains(&user))
    });
    let owner_is_gone = |user_id: UserId| right == Right::Following(user_id);
    is_shut
        || is_out
        || *ends == Some(poll)
        || matches!(*ends, Some(Topic::Profile(user_id)) if owner_is_gone(user_id))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{
        House, POLL, POST, Sitting, TEA, chat, commented, counted, ended, gone, joined, left, of, renamed,
        told, updated,
    };
    use super::*;
    use crate::features::testing::{ANA, BEN, CLEO};
    use crate::features::views::Audience;

    /// Returns what somebody is told who has read before all that was said, and who comes back from there.
    async fn repeated(house: &House, user_id: UserId) -> Vec<i64> {
        house.is_told().await;
        let sitting = house.sits_since(user_id, 1_000).await;
        let told = house.heard(&sitting);
        assert!(house.seats.borrow_mut().resume(sitting.id, Seq(1_000)));
        assert_eq!(house.heard(&sitting), told, "the same both ways");
        house.rises(sitting);
        told
    }

    fn listens(house: &House, sitting: &Sitting, topic: Topic, since: i64) {
        house.seats.borrow_mut().listen(sitting.id, &[topic], Seq(since));
    }

    #[test]
    fn a_group_is_repeated_to_who_is_in_it_now() {
        told(|house| async move {
            house.has_group(TEA, &[BEN]);
            house.says([chat(TEA), left(BEN, &[ANA]), chat(TEA)]);
            house.removes(TEA, BEN);
            assert_eq!(repeated(&house, ANA).await, [1_001, 1_002, 1_003]);
            assert_eq!(repeated(&house, BEN).await, [1_002], "that he is out of it, and no more");
            assert!(repeated(&house, CLEO).await.is_empty());
        });
    }

    #[test]
    fn a_group_is_not_repeated_from_before_one_came() {
        told(|house| async move {
            house.has_group(TEA, &[]);
            let both = [ANA, BEN];
            house.says([
                joined(BEN, &both),
                chat(TEA),
                left(BEN, &[ANA]),
                chat(TEA),
                joined(BEN, &both),
                chat(TEA),
            ]);
            house.adds(TEA, BEN);
            assert_eq!(repeated(&house, BEN).await, [1_003, 1_005, 1_006]);
            assert_eq!(repeated(&house, ANA).await, [1_001, 1_002, 1_003, 1_004, 1_005, 1_006]);
        });
    }

    #[test]
    fn of_a_post_that_is_gone_nothing_is_repeated_from_before() {
        told(|house| async move {
            house.says([updated(Audience::Public {}), gone(Audience::Public {}, None)]);
            for user_id in [ANA, BEN, CLEO] {
                assert_eq!(repeated(&house, user_id).await, [1_002]);
            }
        });
    }

    #[test]
    fn of_a_post_that_is_for_fewer_now_the_others_are_told_that_alone() {
        told(|house| async move {
            house.has_group(TEA, &[BEN]);
            house.says([
                updated(Audience::Public {}),
                gone(Audience::Public {}, Some(of(TEA))),
                updated(of(TEA)),
            ]);
            assert_eq!(repeated(&house, ANA).await, [1_001, 1_003]);
            assert_eq!(repeated(&house, BEN).await, [1_001, 1_003]);
            assert_eq!(repeated(&house, CLEO).await, [1_002]);
        });
    }

    #[test]
    fn an_author_who_takes_a_post_out_of_a_group_keeps_it_and_the_members_do_not() {
        told(|house| async move {
            house.has_group(TEA, &[BEN]);
            house.removes(TEA, ANA);
            let nobody = Audience::Group { group_id: None };
            house.says([gone(of(TEA), Some(nobody)), updated(nobody)]);
            assert_eq!(repeated(&house, ANA).await, [1_002]);
            assert_eq!(repeated(&house, BEN).await, [1_001]);
        });
    }

    #[test]
    fn an_author_who_wrote_in_a_group_that_they_left_since_reads_anew() {
        told(|house| async move {
            house.has_group(TEA, &[BEN]);
            house.says([updated(of(TEA)), left(ANA, &[BEN])]);
            house.removes(TEA, ANA);
            house.is_told().await;
            let sitting = house.sits_since(ANA, 1_000).await;
            assert!(!house.seats.borrow_mut().resume(sitting.id, Seq(1_000)));
            assert!(house.seats.borrow_mut().resume(sitting.id, Seq(1_001)));
            assert_eq!(repeated(&house, BEN).await, [1_001, 1_002]);
        });
    }

    #[test]
    fn naming_a_post_of_a_group_tells_a_stranger_nothing() {
        told(|house| async move {
            house.has_group(TEA, &[BEN]);
            let [ben, cleo] = [house.sits(BEN).await, house.sits(CLEO).await];
            house.says([commented(TEA)]);
            house.is_told().await;
            for sitting in [&ben, &cleo] {
                listens(&house, sitting, Topic::Post(POST), 1_000);
                assert!(house.seats.borrow_mut().resume(sitting.id, Seq(1_000)));
            }
            house.says([commented(TEA)]);
            house.is_told().await;
            assert_eq!((house.heard(&ben), house.heard(&cleo)), (vec![1_001, 1_001, 1_002], vec![]));
        });
    }

    #[test]
    fn an_answer_of_before_a_removal_brings_no_right_back() {
        told(|house| async move {
            house.has_group(TEA, &[BEN]);
            let [ana, ben] = [house.sits(ANA).await, house.sits(BEN).await];
            house.says([left(BEN, &[ANA])]);
            house.is_told().await;
            for sitting in [&ana, &ben] {
                listens(&house, sitting, POLL, 1_000);
            }
            assert_eq!((house.heard(&ana), house.heard(&ben)), (vec![1_001], vec![1_001]));
            house.says([counted()]);
            house.is_told().await;
            assert_eq!((house.heard(&ana), house.heard(&ben)), (vec![1_002], vec![]));
        });
    }

    #[test]
    fn behind_an_answer_comes_what_a_group_said_meanwhile_of_what_is_in_it() {
        told(|house| async move {
            house.has_group(TEA, &[BEN]);
            let [ben, cleo] = [house.sits(BEN).await, house.sits(CLEO).await];
            house.says([updated(of(TEA)), chat(TEA)]);
            house.is_told().await;
            house.heard(&ben);
            for sitting in [&ben, &cleo] {
                listens(&house, sitting, Topic::Post(POST), 1_000);
            }
            assert_eq!((house.heard(&ben), house.heard(&cleo)), (vec![1_001, 1_002], vec![]));
            listens(&house, &ben, Topic::User(BEN), 1_001);
            // Somebody else's topic is not one's own.
            listens(&house, &cleo, Topic::User(BEN), 1_001);
            assert_eq!((house.heard(&ben), house.heard(&cleo)), (vec![1_002], vec![]));
        });
    }

    #[test]
    fn an_account_that_ends_is_over_for_a_socket_once_it_is_told_that() {
        told(|house| async move {
            house.has_group(TEA, &[BEN]);
            let ben = house.sits(BEN).await;
            house.says([renamed(BEN)]);
            house.is_told().await;
            let held = house.ring.halls().hold_up();
            house.says([chat(TEA), ended(ANA)]);
            // Before that an answer of earlier is as good as any.
            assert!(!house.seats.borrow().is_outlived(ben.id, Seq(1_000)));
            listens(&house, &ben, Topic::Everyone, 1_000);
            assert!(house.seats.borrow_mut().resume(ben.id, Seq(1_000)));
            assert!(ben.outbox.is_open());
            drop(held);
            house.is_told().await;
            assert_eq!(house.heard(&ben), [1_001, 1_001, 1_001, 1_002, 1_003]);
            assert!(house.seats.borrow().is_outlived(ben.id, Seq(1_000)));
            assert!(!house.seats.borrow_mut().resume(ben.id, Seq(1_000)));
            listens(&house, &ben, Topic::Everyone, 1_000);
            assert!(!ben.outbox.is_open(), "he comes back and reads anew");
        });
    }
}
