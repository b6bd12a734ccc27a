//! The topics that the connections of one worker are subscribed to: posts, profiles and polls.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::connections::ConnectionId;
use crate::events::{Right, Topic};
use crate::ids::{PollId, PostId, UserId};
use crate::limits::{POLL_TOPICS_MAX, POST_TOPICS_MAX, PROFILE_TOPICS_MAX};

/// The subscriptions of one worker.
pub(super) struct Subscriptions {
    posts: Kind<PostId>,
    profiles: Kind<UserId>,
    polls: Kind<(PollId, Right)>,
}

impl Default for Subscriptions {
    fn default() -> Self {
        Self {
            posts: Kind::up_to(POST_TOPICS_MAX),
            profiles: Kind::up_to(PROFILE_TOPICS_MAX),
            polls: Kind::up_to(POLL_TOPICS_MAX),
        }
    }
}

impl Subscriptions {
    /// Returns the subscribers of a topic.
    pub(super) fn of(&self, topic: Topic) -> &[ConnectionId] {
        match topic {
            Topic::Post(post_id) => self.posts.of(&post_id),
            Topic::Profile(user_id) => self.profiles.of(&user_id),
            Topic::Poll(poll_id, right) => self.polls.of(&(poll_id, right)),
        }
    }

    /// Returns whether this connection subscribes to a topic.
    pub(super) fn has(&self, id: ConnectionId, topic: Topic) -> bool {
        match topic {
            Topic::Post(post_id) => self.posts.has(id, &post_id),
            Topic::Profile(user_id) => self.profiles.has(id, &user_id),
            Topic::Poll(poll_id, right) => self.polls.has(id, &(poll_id, right)),
        }
    }

    /// Subscribes. If the connection has too many topics of this kind, its oldest subscription ends.
    pub(super) fn add(&mut self, id: ConnectionId, topic: Topic) {
        match topic {
            Topic::Post(post_id) => self.posts.add(id, post_id),
            Topic::Profile(user_id) => self.profiles.add(id, user_id),
            Topic::Poll(poll_id, right) => self.polls.add(id, (poll_id, right)),
        }
    }

    /// Unsubscribes from topics that a connection no longer shows.
    pub(super) fn remove(
        &mut self,
        id: ConnectionId,
        posts: &[PostId],
        profiles: &[UserId],
        polls: &[PollId],
    ) {
        self.posts.remove_where(id, |held| posts.contains(held));
        self.profiles.remove_where(id, |held| profiles.contains(held));
        self.polls.remove_where(id, |(held, _)| polls.contains(held));
    }

    /// Unsubscribes a connection from all.
    pub(super) fn remove_all(&mut self, id: ConnectionId) {
        self.posts.remove_where(id, |_| true);
        self.profiles.remove_where(id, |_| true);
        self.polls.remove_where(id, |_| true);
    }

    /// Unsubscribes a connection from all polls.
    pub(super) fn remove_polls(&mut self, id: ConnectionId) {
        self.polls.remove_where(id, |_| true);
    }

    /// Unsubscribes a connection from the polls that it saw by a right.
    pub(super) fn remove_right(&mut self, id: ConnectionId, lost: Right) {
        self.polls.remove_where(id, |(_, right)| *right == lost);
    }

    /// Ends every subscription to a topic; with a profile, those to its user's polls.
    pub(super) fn end(&mut self, topic: Topic) {
        match topic {
            Topic::Post(post_id) => self.posts.end(&post_id),
            Topic::Profile(user_id) => {
                self.profiles.end(&user_id);
                self.polls.end_where(|(_, right)| *right == Right::Following(user_id));
            }
            Topic::Poll(poll_id, right) => self.polls.end(&(poll_id, right)),
        }
    }
}

/// The subscriptions to one kind of thing, found from either side.
struct Kind<K> {
    /// Most of one connection.
    most: usize,
    connections: FxHashMap<K, Vec<ConnectionId>>,
    topics: FxHashMap<ConnectionId, VecDeque<K>>,
}

impl<K: Copy + Eq + Hash> Kind<K> {
    fn up_to(most: usize) -> Self {
        Self { most, connections: HashMap::default(), topics: HashMap::default() }
    }

    fn of(&self, topic: &K) -> &[ConnectionId] {
        self.connections.get(topic).map(Vec::as_slice).unwrap_or_default()
    }

    fn has(&self, id: ConnectionId, topic: &K) -> bool {
        self.topics.get(&id).is_some_and(|topics| topics.contains(topic))
    }

    fn add(&mut self, id: ConnectionId, topic: K) {
        let topics = self.topics.entry(id).or_default();
        if topics.contains(&topic) {
            return;
        }
        topics.push_back(topic);
        let oldest = if topics.len() > self.most { topics.pop_front() } else { None };
        self.connections.entry(topic).or_default().push(id);
        if let Some(oldest) = oldest {
            self.forget(&oldest, id);
        }
    }

    fn remove_where(&mut self, id: ConnectionId, is_removed: impl Fn(&K) -> bool) {
        let Some(topics) = self.topics.get_mut(&id) else { return };
        let removed: Vec<K> = topics.iter().filter(|topic| is_removed(topic)).copied().collect();
        topics.retain(|topic| !is_removed(topic));
        if topics.is_empty() {
            self.topics.remove(&id);
        }
        for topic in removed {
            self.forget(&topic, id);
        }
    }

    fn end_where(&mut self, is_over: impl Fn(&K) -> bool) {
        let over: Vec<K> = self.connections.keys().filter(|topic| is_over(topic)).copied().collect();
        for topic in over {
            self.end(&topic);
        }
    }

    fn end(&mut self, topic: &K) {
        for id in self.connections.remove(topic).unwrap_or_default() {
            self.remove_where(id, |held| held == topic);
        }
    }

    fn forget(&mut self, topic: &K, id: ConnectionId) {
        let Some(ids) = self.connections.get_mut(topic) else { return };
        if let Some(place) = ids.iter().position(|held| *held == id) {
            ids.swap_remove(place);
        }
        if ids.is_empty() {
            self.connections.remove(topic);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::GroupId;

    #[test]
    fn the_longest_held_goes_first_and_nothing_is_left_of_who_leaves() {
        let mut kind = Kind::up_to(2);
        for topic in ["a", "b", "a", "c"] {
            kind.add(7, topic);
        }
        kind.add(8, "b");
        assert_eq!(["a", "b", "c"].map(|topic| kind.has(7, &topic)), [false, true, true]);
        assert_eq!((kind.of(&"a"), kind.of(&"b")), (&[][..], &[7, 8][..]));
        kind.end(&"b");
        assert!(!kind.has(7, &"b") && !kind.has(8, &"b") && kind.has(7, &"c"));
        kind.remove_where(7, |_| true);
        assert!(kind.connections.is_empty() && kind.topics.is_empty());
    }

    #[test]
    fn what_ends_by_its_kind_ends_for_everybody() {
        let mut kind = Kind::up_to(9);
        for (id, topic) in [(1, 10), (1, 11), (2, 11), (2, 20)] {
            kind.add(id, topic);
        }
        kind.end_where(|topic| *topic < 20);
        assert_eq!((kind.connections.len(), kind.topics.len()), (1, 1));
        assert!(kind.has(2, &20));
    }

    #[test]
    fn each_kind_of_thing_has_a_bound_of_its_own() {
        let mut subscriptions = Subscriptions::default();
        let posts = i64::try_from(POST_TOPICS_MAX).unwrap();
        let right = Right::Membership(GroupId(71));
        subscriptions.add(7, Topic::Profile(UserId(1)));
        subscriptions.add(7, Topic::Poll(PollId(1), right));
        for id in 0..=posts {
            subscriptions.add(7, Topic::Post(PostId(id)));
        }
        assert!(!subscriptions.has(7, Topic::Post(PostId(0))));
        let held = [Topic::Post(PostId(1)), Topic::Profile(UserId(1)), Topic::Poll(PollId(1), right)];
        assert!(held.iter().all(|topic| subscriptions.has(7, *topic)));
        subscriptions.remove_right(7, Right::Following(UserId(1)));
        assert!(held.iter().all(|topic| subscriptions.has(7, *topic)));
        subscriptions.remove_all(7);
        assert!(!held.iter().any(|topic| subscriptions.has(7, *topic)));
    }
}
