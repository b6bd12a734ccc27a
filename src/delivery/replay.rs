//! Replay: what a connection missed, behind a read that lacks it, at sign-in, or when it comes back.
//!
//! Only what names its viewer, as the event itself says. What names somebody never goes past a loss of a right of
//! theirs: where it would, the answer is `resync` and the client reads anew.

use std::collections::HashSet;
use std::sync::Arc;

use super::connections::{ConnectionId, Connections, is_among};
use crate::access::Viewer;
use crate::events::{Named, PublishedEvent, Recipients};
use crate::ids::{Seq, UserId};
use crate::limits::{COUNT_PAUSE_MS, REPLAY_MAX};

impl Connections {
    /// Delivers what came after the write `since`, up to where this worker is: a read of that write lacks it. Later
    /// events are on their way by themselves. Where nobody can tell what that is, the connection is sent away, to come
    /// back and read anew.
    pub(super) fn catch_up(&mut self, id: ConnectionId, since: Seq) {
        if since >= self.head() {
            return;
        }
        let viewer = self.viewer(id);
        let missed = self.log().after(since, self.position());
        let ended = missed.iter().flatten().find_map(|event| closes(event, viewer));
        let missed = missed.and_then(|missed| self.missed(id, missed));
        match (ended, missed, self.queue(id)) {
            (Some(code), _, Some(queue)) => queue.leave(code, "this login is over"),
            (None, None, Some(queue)) => queue.leave(1012, "catch up"),
            (_, missed, _) => self.push(id, &missed.unwrap_or_default()),
        }
    }

    /// Delivers to a returning connection what it missed, the events of the write `seq`, its cursor, among it: it may
    /// have got only some of them. Returns false when it must read anew instead: the log does not reach back that far,
    /// too much was missed, or its user lost a right meanwhile.
    pub fn resume(&mut self, id: ConnectionId, seq: Seq) -> bool {
        let Some(missed) = self.log().since(seq, self.position()) else { return false };
        // Counts of shortly before may have been held when the connection was lost.
        let held = self.log().shortly_before(Seq(seq.0 - 1), 4 * i64::try_from(COUNT_PAUSE_MS).unwrap_or(0));
        let held = held.into_iter().rev().filter(|event| event.effects.coalesce.is_some());
        let Some(mut missed) = self.missed(id, held.chain(missed).collect()) else { return false };
        missed.retain(|event| !event.effects.is_transient);
        if missed.len() > REPLAY_MAX {
            return false;
        }
        self.push(id, &missed);
        true
    }

    /// Returns those of these events that the connection gets; None when a loss of rights of its user follows one.
    fn missed(&self, id: ConnectionId, events: Vec<Arc<PublishedEvent>>) -> Option<Vec<Arc<PublishedEvent>>> {
        let user_id = self.viewer(id).user_id()?;
        let mut is_past_one = false;
        for event in &events {
            let is_lost = event.effects.loss.as_ref().is_some_and(|loss| loss.concerns(user_id));
            if is_lost && is_past_one {
                return None;
            }
            is_past_one |= self.names(id, user_id, event);
        }
        let mut missed = newest(events);
        missed.retain(|event| self.names(id, user_id, event));
        Some(missed)
    }

    /// Returns whether an event names this user, or a topic that the connection subscribes to.
    fn names(&self, id: ConnectionId, user_id: UserId, event: &PublishedEvent) -> bool {
        match &event.recipients {
            Recipients::Nobody => false,
            Recipients::SignedIn => true,
            Recipients::Named(Named { users, topics, only, except }) => {
                let is_subscribed = || {
                    only.as_ref().is_none_or(|only| is_among(only, user_id))
                        && topics.iter().any(|topic| self.subscribes(id, *topic))
                };
                !is_among(except, user_id) && (is_among(users, user_id) || is_subscribed())
            }
        }
    }
}

/// Returns the code with which an event closes the viewer's connection.
fn closes(event: &PublishedEvent, viewer: Viewer) -> Option<u16> {
    match (event.effects.closes, viewer) {
        (Some((closed, code)), Viewer::User { login_id, .. }) if closed == login_id => Some(code),
        _ => None,
    }
}

/// Leaves out what a later event replaces: counts and whole states but the newest, and what speaks of a thing that
/// has ended.
fn newest(mut events: Vec<Arc<PublishedEvent>>) -> Vec<Arc<PublishedEvent>> {
    let (mut counts, mut states, mut ended) = (HashSet::new(), HashSet::new(), HashSet::new());
    events.reverse();
    events.retain(|event| {
        let effects = &event.effects;
        let is_over = effects.about.is_some_and(|topic| ended.contains(&topic));
        ended.extend(effects.ends);
        !is_over
            && effects.coalesce.is_none_or(|topic| counts.insert(topic))
            && effects.newest_only.is_none_or(|topic| states.insert(topic))
    });
    events.reverse();
    events
}
