//! From the commit of the writer to delivery: each event becomes plain data, which is encoded and framed once.

use std::sync::Arc;

use bytes::Bytes;

use crate::clock::Clock;
use crate::db::writer::Committed;
use crate::delivery::dispatcher::Dispatchers;
use crate::delivery::groups::Groups;
use crate::delivery::log::EventLog;
use crate::events::{Effects, Hours, PublishedEvent, Recipients};
use crate::features::account::wire as account;
use crate::features::events::Event;
use crate::features::quiet::service::QuietService;
use crate::features::quiet::{InQuietHours, in_quiet_hours};
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
    pub quiet: Arc<QuietService>,
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
        // Quiet hours that were saved count from their own event on.
        for (_, event) in &events {
            if let Event::AccountChanged(account::Changed { me, .. }) = event {
                self.quiet.know(me.id, me.quiet_hours.as_ref(), at_ms);
            }
        }
        let published = |(seq, event): &(Seq, Event)| published(*seq, at_ms, event, &self.quiet);
        let events: Vec<_> = events.iter().flat_map(published).map(Arc::new).collect();
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

/// Returns an event as plain data, and after it the one that users in quiet hours receive instead, if there is one.
fn published(
    seq: Seq,
    at_ms: i64,
    event: &Event,
    quiet: &QuietService,
) -> impl Iterator<Item = PublishedEvent> + use<> {
    let (recipients, mut effects) = event.publication();
    let kind = event.kind();
    let plain = |frame: Bytes, recipients: Recipients, effects: Effects| PublishedEvent {
        seq,
        at_ms,
        kind,
        frame,
        recipients,
        effects,
    };
    let mut instead = None;
    match in_quiet_hours(event, quiet) {
        InQuietHours::Same => {}
        InQuietHours::Nothing { but } => effects.hours = Hours::NotQuiet { but },
        InQuietHours::Instead(other) => {
            effects.hours = Hours::NotQuiet { but: None };
            // Rights are lost and memberships changed once, by the first form.
            let Effects { about, is_transient, .. } = effects;
            let effects = Effects { about, is_transient, hours: Hours::Quiet, ..Effects::default() };
            instead = Some(plain(encode(seq, &other), recipients.clone(), effects));
        }
    }
    let frame = if effects.closes.is_some() { Bytes::new() } else { encode(seq, event) };
    std::iter::once(plain(frame, recipients, effects)).chain(instead)
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
