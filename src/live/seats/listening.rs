//! What the sockets of one worker listen to for as long as they show it: posts, profiles, polls.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use super::SeatId;
use crate::features::kit::{Right, Topic};
use crate::ids::{PollId, PostId, UserId};
use crate::limits::{POLLS_HEARD_MAX, POSTS_HEARD_MAX, PROFILES_HEARD_MAX};

/// Who listens to which thing of a kind, looked up from either side.
struct Listening<K> {
    /// So many of one seat; the longest held goes first.
    most: usize,
    seats: HashMap<K, Vec<SeatId>>,
    things: HashMap<SeatId, VecDeque<K>>,
}

impl<K: Copy + Eq + Hash> Listening<K> {
    /// Prepares for seats that listen to so many things each.
    fn up_to(most: usize) -> Self {
        Self { most, seats: HashMap::new(), things: HashMap::new() }
    }

    /// Returns who listens to a thing.
    fn seats(&self, thing: &K) -> Option<&Vec<SeatId>> {
        self.seats.get(thing)
    }

    /// Does this seat listen to it?
    fn hears(&self, id: SeatId, thing: &K) -> bool {
        self.things.get(&id).is_some_and(|things| things.contains(thing))
    }

    /// Begins to listen.
    fn enter(&mut self, id: SeatId, thing: K) {
        let things = self.things.entry(id).or_default();
        if things.contains(&thing) {
            return;
        }
        things.push_back(thing);
        let oldest = if things.len() > self.most { things.pop_front() } else { None };
        self.seats.entry(thing).or_default().push(id);
        if let Some(oldest) = oldest {
            leave(&mut self.seats, &oldest, id);
        }
    }

    /// Listens no more to things of which this is so.
    fn leave_where(&mut self, id: SeatId, is_left: impl Fn(&K) -> bool) {
        let Entry::Occupied(mut things) = self.things.entry(id) else { return };
        things.get_mut().retain(|thing| {
            let stays = !is_left(thing);
            if !stays {
                leave(&mut self.seats, thing, id);
            }
            stays
        });
        if things.get().is_empty() {
            things.remove();
        }
    }

    /// Lets everybody go who listens to things of which this is so: they are over.
    fn end_where(&mut self, is_over: impl Fn(&K) -> bool) {
        let over: Vec<K> = self.seats.keys().filter(|thing| is_over(thing)).copied().collect();
        for thing in over {
            self.end(&thing);
        }
    }

    /// Lets everybody go who listens to this: it is over.
    fn end(&mut self, thing: &K) {
        for id in self.seats.remove(thing).unwrap_or_default() {
            self.leave_where(id, |held| held == thing);
        }
    }
}

/// Takes a seat out of those under a key.
pub(super) fn leave<K: Hash + Eq>(map: &mut HashMap<K, Vec<SeatId>>, key: &K, id: SeatId) {
    if let Some(ids) = map.get_mut(key) {
        if let Some(place) = ids.iter().position(|held| *held == id) {
            ids.swap_remove(place);
        }
        if ids.is_empty() {
            map.remove(key);
        }
    }
}

/// All that the sockets of one worker listen to for as long as they show it.
pub(super) struct Heard {
    posts: Listening<PostId>,
    profiles: Listening<UserId>,
    /// Each with the right it is seen by.
    polls: Listening<(PollId, Right)>,
}

impl Heard {
    /// Prepares for sockets that listen to as much as the limits say.
    pub(super) fn new() -> Self {
        Self {
            posts: Listening::up_to(POSTS_HEARD_MAX),
            profiles: Listening::up_to(PROFILES_HEARD_MAX),
            polls: Listening::up_to(POLLS_HEARD_MAX),
        }
    }

    /// Returns who listens here.
    pub(super) fn seats(&self, topic: Topic) -> Option<&Vec<SeatId>> {
        match topic {
            Topic::Post(post_id) => self.posts.seats(&post_id),
            Topic::Profile(user_id) => self.profiles.seats(&user_id),
            Topic::Poll(poll_id, right) => self.polls.seats(&(poll_id, right)),
            Topic::User(_) | Topic::Group(_) | Topic::Everyone => None,
        }
    }

    /// Does this seat listen here?
    pub(super) fn hears(&self, id: SeatId, topic: Topic) -> bool {
        match topic {
            Topic::Post(post_id) => self.posts.hears(id, &post_id),
            Topic::Profile(user_id) => self.profiles.hears(id, &user_id),
            Topic::Poll(poll_id, right) => self.polls.hears(id, &(poll_id, right)),
            Topic::User(_) | Topic::Group(_) | Topic::Everyone => false,
        }
    }

    /// Begins to listen.
    pub(super) fn enter(&mut self, id: SeatId, topic: Topic) {
        match topic {
            Topic::Post(post_id) => self.posts.enter(id, post_id),
            Topic::Profile(user_id) => self.profiles.enter(id, user_id),
            Topic::Poll(poll_id, right) => self.polls.enter(id, (poll_id, right)),
            Topic::User(_) | Topic::Group(_) | Topic::Everyone => {}
        }
    }

    /// Stops listening to these.
    pub(super) fn leave(&mut self, id: SeatId, posts: &[PostId], profiles: &[UserId], polls: &[PollId]) {
        self.posts.leave_where(id, |held| posts.contains(held));
        self.profiles.leave_where(id, |held| profiles.contains(held));
        self.polls.leave_where(id, |(held, _)| polls.contains(held));
    }

    /// Stops listening to polls that were seen by this right: it is lost.
    pub(super) fn leave_polls_of(&mut self, id: SeatId, lost: Right) {
        self.polls.leave_where(id, |(_, right)| *right == lost);
    }

    /// Stops listening to what is only for who voted.
    pub(super) fn leave_polls(&mut self, id: SeatId) {
        self.polls.leave_where(id, |_| true);
    }

    /// Stops listening at all.
    pub(super) fn leave_all(&mut self, id: SeatId) {
        self.posts.leave_where(id, |_| true);
        self.profiles.leave_where(id, |_| true);
        self.leave_polls(id);
    }

    /// Lets everybody go who listens here: it is over. With a profile its owner's polls are, with a group its own.
    pub(super) fn end(&mut self, topic: Topic) {
        match topic {
            Topic::Post(post_id) => self.posts.end(&post_id),
            Topic::Profile(user_id) => {
                self.profiles.end(&user_id);
                self.polls.end_where(|(_, right)| *right == Right::Following(user_id));
            }
            Topic::Poll(poll_id, right) => self.polls.end(&(poll_id, right)),
            Topic::Group(group_id) => {
                self.polls.end_where(|(_, right)| *right == Right::Membership(group_id))
            }
            Topic::User(_) | Topic::Everyone => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use super::super::held::pause_of;
    use super::super::tests::{ANA, BEN, renamed, room, sent};
    use super::*;
    use crate::access::Viewer;
    use crate::clock::Clock;
    use crate::features::{Event, account, follows, polls};
    use crate::ids::{LoginId, Seq};
    use crate::live::ring::Ring;

    #[test]
    fn the_longest_held_goes_first_and_nothing_is_left_of_who_leaves() {
        let mut heard = Listening::up_to(2);
        for thing in ["a", "b", "a", "c"] {
            heard.enter(7, thing);
        }
        heard.enter(8, "b");
        assert_eq!(["a", "b", "c"].map(|thing| heard.hears(7, &thing)), [false, true, true]);
        assert_eq!((heard.seats(&"a"), heard.seats(&"b")), (None, Some(&vec![7, 8])));
        heard.end(&"b");
        assert!(!heard.hears(7, &"b") && !heard.hears(8, &"b") && heard.hears(7, &"c"));
        heard.leave_where(7, |_| true);
        assert!(heard.seats.is_empty() && heard.things.is_empty());
    }

    #[test]
    fn what_is_over_by_its_kind_is_over_for_everybody() {
        let mut heard = Listening::up_to(9);
        for (id, thing) in [(1, 10), (1, 11), (2, 11), (2, 20)] {
            heard.enter(id, thing);
        }
        heard.end_where(|thing| *thing < 20);
        assert_eq!((heard.seats.len(), heard.things.len()), (1, 1));
        assert!(heard.hears(2, &20));
    }

    const RIGHT: Right = Right::Following(ANA);
    const POLL: Topic = Topic::Poll(PollId(7), RIGHT);

    fn counted(seq: i64) -> (Seq, Event) {
        let counted = polls::wire::Counted { poll_id: PollId(7), tally: vec![seq, 0], right: RIGHT };
        (Seq(seq), Event::PollCounted(counted))
    }

    fn voted(seq: i64) -> (Seq, Event) {
        let poll_id = PollId(7);
        let tally = vec![seq, 0];
        let chosen = polls::wire::Chosen { poll_id, choice: 0, tally, voter_id: BEN, right: RIGHT };
        (Seq(seq), Event::PollVoted(chosen))
    }

    fn unfollowed(seq: i64) -> (Seq, Event) {
        let changed = follows::wire::Changed { user_id: ANA, following: false, follower_id: BEN };
        (Seq(seq), Event::FollowChanged(changed))
    }

    #[test]
    fn who_is_told_of_the_own_vote_hears_the_tally_from_then_on() {
        let ring = Arc::new(Ring::new(Seq(0), Clock::Real));
        let (mut seats, ids) = room(&ring);
        ring.append(vec![counted(1), voted(2)]);
        seats.turn();
        assert_eq!(sent(&seats, ids), [0, 1], "the vote alone");
        seats.release_held(Instant::now() + 2 * pause_of(POLL));
        ring.append(vec![counted(3)]);
        seats.turn();
        assert_eq!(sent(&seats, ids), [0, 2]);
        seats.leave(ids[1], &[], &[], &[PollId(7)]);
        seats.release_held(Instant::now() + 4 * pause_of(POLL));
        ring.append(vec![counted(4)]);
        seats.turn();
        assert_eq!(sent(&seats, ids), [0, 2], "left");
    }

    #[test]
    fn who_unfollows_hears_no_tally_of_later_nor_one_that_was_held_back() {
        let ring = Arc::new(Ring::new(Seq(0), Clock::Real));
        let (mut seats, ids) = room(&ring);
        seats.listen(ids[1], &[POLL], Seq(0));
        ring.append(vec![counted(1), counted(2), unfollowed(3), counted(4)]);
        seats.turn();
        assert_eq!(sent(&seats, ids), [0, 2], "the first tally, and the unfollowing");
        seats.release_held(Instant::now() + 2 * pause_of(POLL));
        assert_eq!(sent(&seats, ids), [0, 2]);
    }

    #[test]
    fn an_answer_of_before_an_unfollowing_brings_no_right_back() {
        let ended = (Seq(2), Event::UserDeleted(account::wire::Ended { user_id: ANA }));
        let deleted =
            polls::wire::Deleted { poll_id: PollId(7), creator_id: ANA, right: RIGHT, followers: Vec::new() };
        for (over, still_hears) in [
            (unfollowed(2), false),
            ((Seq(2), Event::PollDeleted(deleted)), false),
            (ended, false),
            (renamed(2), true),
        ] {
            let ring = Arc::new(Ring::new(Seq(0), Clock::Real));
            let (mut seats, ids) = room(&ring);
            ring.append(vec![counted(1), over]);
            seats.turn();
            seats.listen(ids[1], &[POLL], Seq(0));
            let before = sent(&seats, ids)[1];
            seats.release_held(Instant::now() + 2 * pause_of(POLL));
            ring.append(vec![counted(3)]);
            seats.turn();
            assert_eq!(sent(&seats, ids)[1] > before, still_hears);
        }
    }

    #[test]
    fn somebody_who_is_gone_takes_their_polls_along() {
        let ring = Arc::new(Ring::new(Seq(0), Clock::Real));
        let (mut seats, ids) = room(&ring);
        seats.listen(ids[1], &[POLL, Topic::Poll(PollId(8), Right::Following(BEN))], Seq(0));
        let ended = (Seq(3), Event::UserDeleted(account::wire::Ended { user_id: ANA }));
        ring.append(vec![counted(1), counted(2), ended]);
        seats.turn();
        assert!(!seats.heard.hears(ids[1], POLL));
        assert!(seats.heard.hears(ids[1], Topic::Poll(PollId(8), Right::Following(BEN))));
        assert!(!seats.holds_counts());
    }

    #[test]
    fn whoever_takes_a_seat_over_hears_nothing_of_who_sat_there() {
        let ring = Arc::new(Ring::new(Seq(0), Clock::Real));
        let (mut seats, ids) = room(&ring);
        seats.listen(ids[1], &[POLL], Seq(0));
        seats.becomes(ids[1], Viewer::User { user_id: ANA, login_id: LoginId(8) }, Seq(0));
        ring.append(vec![counted(1)]);
        seats.turn();
        assert_eq!(sent(&seats, ids), [0, 0]);
    }
}
