//! The topics that the connections of one worker are subscribed to: posts, profiles and polls.

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::FxHashMap;

use super::ConnectionId;
use crate::events::{Right, Topic};
use crate::limits::{POLL_TOPICS_MAX, POST_TOPICS_MAX, PROFILE_TOPICS_MAX};

/// The subscriptions of one worker, found by topic and by connection.
#[derive(Default)]
pub(super) struct Subscriptions {
    /// Every subscription. This is a tree, because removed entries leave tombstones in a hash table, which then doubles
    /// although it does not hold more.
    subscribers: BTreeSet<(Topic, ConnectionId)>,
    /// The topics of each connection, the oldest subscription first.
    topics: FxHashMap<ConnectionId, VecDeque<Topic>>,
}

impl Subscriptions {
    /// Returns the subscribers of a topic.
    pub(super) fn of(&self, topic: Topic) -> impl Iterator<Item = ConnectionId> {
        let all = (topic, ConnectionId::MIN)..=(topic, ConnectionId::MAX);
        self.subscribers.range(all).map(|(_, id)| *id)
    }

    /// Returns whether this connection subscribes to a topic.
    pub(super) fn has(&self, id: ConnectionId, topic: Topic) -> bool {
        self.topics.get(&id).is_some_and(|topics| topics.contains(&topic))
    }

    /// Subscribes. If the connection has too many topics of this kind, its oldest subscription of this kind ends.
    pub(super) fn add(&mut self, id: ConnectionId, topic: Topic) {
        let topics = self.topics.entry(id).or_default();
        if topics.contains(&topic) {
            return;
        }
        topics.push_back(topic);
        self.subscribers.insert((topic, id));
        let is_same_kind = |held: &&Topic| std::mem::discriminant(*held) == std::mem::discriminant(&topic);
        if topics.iter().filter(is_same_kind).count() > most(topic)
            && let Some(oldest) = topics.iter().find(is_same_kind).copied()
        {
            self.remove(id, |held| held == oldest);
        }
    }

    /// Unsubscribes a connection from the topics for which `is_removed` is true.
    pub(super) fn remove(&mut self, id: ConnectionId, is_removed: impl Fn(Topic) -> bool) {
        let Some(topics) = self.topics.get_mut(&id) else { return };
        topics.retain(|topic| {
            let is_kept = !is_removed(*topic);
            if !is_kept {
                self.subscribers.remove(&(*topic, id));
            }
            is_kept
        });
        if topics.is_empty() {
            self.topics.remove(&id);
        }
    }

    /// Ends every subscription to a topic. The end of a profile also ends the subscriptions to the polls of its user.
    pub(super) fn end(&mut self, ended: Topic) {
        let is_over = |topic: Topic| topic == ended || is_poll_of(topic, ended);
        let over: Vec<(Topic, ConnectionId)> = match ended {
            Topic::Profile(_) => {
                self.subscribers.iter().copied().filter(|(topic, _)| is_over(*topic)).collect()
            }
            Topic::Post(_) | Topic::Poll(..) => self.of(ended).map(|id| (ended, id)).collect(),
        };
        for (topic, id) in over {
            self.remove(id, |held| held == topic);
        }
    }
}

/// Returns whether `topic` is a poll that the user of `profile` made for their followers.
pub(super) fn is_poll_of(topic: Topic, profile: Topic) -> bool {
    let Topic::Profile(user_id) = profile else { return false };
    matches!(topic, Topic::Poll(_, Right::Following(creator_id)) if creator_id == user_id)
}

/// Returns how many topics of this kind a connection may subscribe to.
fn most(topic: Topic) -> usize {
    match topic {
        Topic::Post(_) => POST_TOPICS_MAX,
        Topic::Profile(_) => PROFILE_TOPICS_MAX,
        Topic::Poll(..) => POLL_TOPICS_MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{GroupId, PollId, PostId, UserId};

    fn post(id: i64) -> Topic {
        Topic::Post(PostId(id))
    }

    #[test]
    fn the_oldest_subscription_ends_first_and_a_removed_connection_leaves_nothing() {
        let mut subscriptions = Subscriptions::default();
        let most = i64::try_from(POST_TOPICS_MAX).unwrap();
        // A repeated subscription to post 2 keeps its age.
        for id in (1..=most).chain([2, most + 1]) {
            subscriptions.add(7, post(id));
        }
        subscriptions.add(8, post(2));
        let held = [1, 2, most + 1].map(|id| subscriptions.has(7, post(id)));
        assert_eq!(held, [false, true, true]);
        let of = |topic| subscriptions.of(topic).collect::<Vec<_>>();
        assert_eq!((of(post(1)), of(post(2))), (vec![], vec![7, 8]));
        subscriptions.end(post(2));
        assert!(!subscriptions.has(7, post(2)) && !subscriptions.has(8, post(2)));
        assert!(subscriptions.has(7, post(3)));
        subscriptions.remove(7, |_| true);
        assert!(subscriptions.subscribers.is_empty() && subscriptions.topics.is_empty());
    }

    #[test]
    fn the_polls_of_a_user_end_with_their_profile_for_everybody() {
        let mut subscriptions = Subscriptions::default();
        let of = |creator, id| Topic::Poll(PollId(id), Right::Following(UserId(creator)));
        for (id, topic) in [(1, of(5, 10)), (1, of(5, 11)), (2, of(5, 11)), (2, of(6, 20))] {
            subscriptions.add(id, topic);
        }
        subscriptions.add(1, Topic::Profile(UserId(5)));
        subscriptions.end(Topic::Profile(UserId(5)));
        assert_eq!((subscriptions.subscribers.len(), subscriptions.topics.len()), (1, 1));
        assert!(subscriptions.has(2, of(6, 20)));
    }

    #[test]
    fn each_kind_of_topic_has_a_limit_of_its_own() {
        let mut subscriptions = Subscriptions::default();
        let posts = i64::try_from(POST_TOPICS_MAX).unwrap();
        let right = Right::Membership(GroupId(71));
        subscriptions.add(7, Topic::Profile(UserId(1)));
        subscriptions.add(7, Topic::Poll(PollId(1), right));
        for id in 0..=posts {
            subscriptions.add(7, post(id));
        }
        assert!(!subscriptions.has(7, post(0)));
        let held = [post(1), Topic::Profile(UserId(1)), Topic::Poll(PollId(1), right)];
        assert!(held.iter().all(|topic| subscriptions.has(7, *topic)));
        subscriptions.remove(7, |_| true);
        assert!(!held.iter().any(|topic| subscriptions.has(7, *topic)));
    }
}
