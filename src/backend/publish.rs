//! From the commit of the writer to delivery: each event becomes plain data, which is encoded and framed once.

use std::sync::Arc;

use bytes::Bytes;

use crate::clock::Clock;
use crate::db::writer::Committed;
use crate::delivery::dispatcher::Dispatchers;
use crate::delivery::groups::Groups;
use crate::delivery::log::EventLog;
use crate::events::PublishedEvent;
use crate::features::events::Event;
use crate::features::theme;
use crate::ids::Seq;
use crate::transport::frame::frame;
use crate::wire::{self, codec};

/// Publishes events. The writer calls it after each commit, in commit order.
pub struct Publisher {
    pub log: Arc<EventLog>,
    pub groups: Arc<Groups>,
    pub dispatchers: Arc<Dispatchers>,
    pub theme: Arc<theme::service::ThemeService>,
    pub clock: Clock,
}

impl Publisher {
    /// Publishes the events of a batch.
    pub fn publish(&self, Committed { head, events }: Committed<Event>) {
        // This comes before delivery, so that a page that is fetched because of the event has the new theme.
        if events.iter().any(|(_, event)| matches!(event, Event::ThemeChanged(_))) {
            self.theme.invalidate();
        }
        let at_ms = self.clock.now_ms();
        let events: Vec<_> =
            events.iter().map(|(seq, event)| Arc::new(published(*seq, at_ms, event))).collect();
        self.log.append(head, events.iter().cloned());
        // This comes after the log. A user who connects meanwhile finds the change in the log or here.
        for event in &events {
            if let Some(membership) = &event.effects.membership {
                self.groups.membership_changed(membership, event.seq);
            }
        }
        self.dispatchers.wake();
    }
}

/// Returns an event as plain data.
fn published(seq: Seq, at_ms: i64, event: &Event) -> PublishedEvent {
    let (recipients, effects) = event.publication();
    let frame = if effects.closes.is_some() { Bytes::new() } else { encode(seq, event) };
    PublishedEvent { seq, at_ms, kind: event.kind(), frame, recipients, effects }
}

fn encode(seq: Seq, event: &Event) -> Bytes {
    match codec::encode(event) {
        Ok(body) => frame(&wire::event(seq, &body)),
        Err(why) => {
            log::error!("an event could not be encoded: {why}");
            Bytes::new()
        }
    }
}

#[cfg(test)]
mod tests;
