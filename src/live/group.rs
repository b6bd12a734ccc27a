//! A group's actor: the only door to its events, there while a member is.
//!
//! Every event of the group, and every change of who is in it, comes through its mailbox in commit order, and it
//! says of each who was a member then. No hub comes past an event before that. So whoever is removed has heard
//! the last of the group when a hub has told the removal.
//!
//! Nobody waits for the database here: until it has read who is in the group it says nothing, and whoever is let
//! in later finds in the ring what was told meanwhile.

use std::sync::Arc;

use actix::prelude::*;
use tokio::sync::oneshot;

use super::entry::{Entry, Ruling};
use super::halls::Halls;
use super::hub::Hubs;
use crate::db::readers::{Readers, Snapshot};
use crate::error::Error;
use crate::features::views;
use crate::ids::{GroupId, Seq, UserId};

/// An event the group is to rule on. Dropped without a word it says that the group says nothing, so that
/// nobody waits for ever; either way the hubs are woken.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Rule {
    entry: Arc<Entry>,
    group_id: GroupId,
    hubs: Arc<Hubs>,
}

impl Rule {
    /// Asks a group about an event.
    pub(super) fn new(entry: Arc<Entry>, group_id: GroupId, hubs: Arc<Hubs>) -> Self {
        Self { entry, group_id, hubs }
    }

    /// The group will never hear of it.
    pub(super) fn misses(self) {
        self.entry.settle(self.group_id, Ruling::Lost);
    }
}

impl Drop for Rule {
    fn drop(&mut self) {
        self.entry.settle(self.group_id, Ruling::Nothing);
        self.hubs.wake();
    }
}

/// Somebody has come; answered when the group knows whether they are a member.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Enter {
    pub(super) user_id: UserId,
    pub(super) answer: oneshot::Sender<()>,
}

/// Who is in the group? None: it has not read yet.
#[derive(Message)]
#[rtype(result = "Option<Arc<[UserId]>>")]
pub struct Who;

/// Who is in the group, and since when that is right.
struct Known {
    members: Arc<[UserId]>,
    as_of: Seq,
}

/// The actor.
pub struct Group {
    group_id: GroupId,
    /// Which of the group's halls this is the actor of: there is one after the other.
    number: u64,
    halls: Arc<Halls>,
    readers: Readers,
    /// None until it has read or was told.
    known: Option<Known>,
    is_reading: bool,
    /// Who has come meanwhile.
    waiting: Vec<Enter>,
}

impl Group {
    /// Makes the actor of a group's hall. `is_told`: its first message says who is in it, so it does not read.
    pub(super) fn new(
        group_id: GroupId,
        number: u64,
        halls: Arc<Halls>,
        readers: Readers,
        is_told: bool,
    ) -> Self {
        halls.begins();
        // One that is told does not read.
        Self { group_id, number, halls, readers, known: None, is_reading: is_told, waiting: Vec::new() }
    }

    fn read(&mut self, context: &mut Context<Self>) {
        if std::mem::replace(&mut self.is_reading, true) {
            return;
        }
        let (readers, group_id) = (self.readers.clone(), self.group_id);
        let reading = async move {
            let read = move |Snapshot { sql, seq }: Snapshot<'_>| {
                Ok(Known { members: views::members_of(sql, group_id)?.into(), as_of: seq })
            };
            readers.read(read).await
        };
        context.spawn(reading.into_actor(self).map(|read, group, _| group.has_read(read)));
    }

    fn has_read(&mut self, read: Result<Known, Error>) {
        self.is_reading = false;
        match read {
            // What it was told meanwhile is of after what was read, or comes with what follows.
            Ok(read) => {
                self.known.get_or_insert(read);
                self.answer_who_waits();
            }
            Err(why) => {
                log::warn!("a group could not be read: {why:?}");
                // They come again, and it is read again.
                self.waiting.clear();
            }
        }
    }

    fn answer_who_waits(&mut self) {
        for enter in std::mem::take(&mut self.waiting) {
            self.answer(enter);
        }
    }

    fn answer(&self, Enter { user_id, answer }: Enter) {
        let members = self.known.as_ref().map(|known| &known.members);
        if members.is_some_and(|members| members.binary_search(&user_id).is_ok()) {
            self.halls.admit(self.group_id, self.number, user_id);
        }
        // Who has gone again waits for nothing.
        let _ = answer.send(());
    }

    /// Says who was in the group when this happened, and takes over what it changes.
    fn rule(&mut self, entry: &Entry) -> Ruling {
        let is_news = self.known.as_ref().is_none_or(|known| known.as_of < entry.seq);
        let Some(changed) = entry.changes(self.group_id) else {
            return match &self.known {
                Some(known) if is_news => Ruling::Members(known.members.clone()),
                _ => Ruling::Nothing,
            };
        };
        if is_news {
            self.known = Some(Known { members: changed.members.clone(), as_of: entry.seq });
        }
        // It may know better: whoever came by this may have gone again before it read.
        let is_in = |user_id: &UserId| {
            self.known.as_ref().is_some_and(|known| known.members.binary_search(user_id).is_ok())
        };
        let joined = changed.joined.iter().copied().filter(is_in);
        let left = changed.left.iter().copied().filter(|user_id| !is_in(user_id));
        self.halls.moves(self.group_id, self.number, joined, left);
        self.answer_who_waits();
        if changed.left.is_empty() {
            return Ruling::Members(changed.members.clone());
        }
        let mut both = [&changed.members, &changed.left[..]].concat();
        both.sort_unstable();
        Ruling::Members(both.into())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // What the other groups' members hear goes over the same thread.
            log::error!("a group panicked; stopping, so that every socket comes back to a sound server");
            std::process::abort();
        }
        self.halls.ends();
    }
}

impl Actor for Group {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        self.read(context);
    }
}

impl Handler<Rule> for Group {
    type Result = ();

    fn handle(&mut self, rule: Rule, _: &mut Context<Self>) {
        let ruling = self.rule(&rule.entry);
        rule.entry.settle(self.group_id, ruling);
    }
}

impl Handler<Enter> for Group {
    type Result = ();

    fn handle(&mut self, enter: Enter, context: &mut Context<Self>) {
        if self.known.is_some() {
            return self.answer(enter);
        }
        self.waiting.push(enter);
        self.read(context);
    }
}

impl Handler<Who> for Group {
    type Result = Option<Arc<[UserId]>>;

    fn handle(&mut self, _: Who, _: &mut Context<Self>) -> Self::Result {
        self.known.as_ref().map(|known| known.members.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::testing::{ANA, BEN, CLEO};
    use crate::live::seats::testing::{House, TEA, chat, joined, left, told};

    fn group(house: &House) -> Group {
        Group::new(TEA, 1, house.ring.halls().clone(), house.room.readers.clone(), false)
    }

    fn read(members: &[UserId], as_of: i64) -> Result<Known, Error> {
        Ok(Known { members: members.into(), as_of: Seq(as_of) })
    }

    /// Says something and returns who the group says was in it; None: it says nothing.
    fn rules(group: &mut Group, house: &House, event: crate::features::Event) -> Option<Vec<UserId>> {
        let entry = house.entry(house.says([event]));
        match group.rule(&entry) {
            Ruling::Members(members) => Some(members.to_vec()),
            Ruling::Nothing => None,
            Ruling::Lost => unreachable!("it was here"),
        }
    }

    #[test]
    fn who_comes_and_who_goes_hears_that_and_nothing_before_or_after() {
        told(|house| async move {
            let mut group = group(&house);
            group.has_read(read(&[ANA, BEN], 1_000));
            let mut rules = |event| rules(&mut group, &house, event);
            assert_eq!(rules(chat(TEA)), Some(vec![ANA, BEN]));
            assert_eq!(rules(joined(CLEO, &[ANA, BEN, CLEO])), Some(vec![ANA, BEN, CLEO]));
            assert_eq!(rules(chat(TEA)), Some(vec![ANA, BEN, CLEO]));
            assert_eq!(rules(left(BEN, &[ANA, CLEO])), Some(vec![ANA, BEN, CLEO]));
            assert_eq!(rules(chat(TEA)), Some(vec![ANA, CLEO]));
        });
    }

    #[test]
    fn until_it_has_read_it_says_nothing_but_who_came_and_went() {
        told(|house| async move {
            let mut group = group(&house);
            assert_eq!(rules(&mut group, &house, chat(TEA)), None);
            assert_eq!(rules(&mut group, &house, left(BEN, &[ANA])), Some(vec![ANA, BEN]));
            // What was read before that is of no use any more.
            group.has_read(read(&[ANA, BEN], 1_001));
            assert_eq!(rules(&mut group, &house, chat(TEA)), Some(vec![ANA]));
        });
    }

    #[test]
    fn what_happened_before_it_read_is_not_its_to_say() {
        told(|house| async move {
            let mut group = group(&house);
            group.has_read(read(&[ANA], 1_002));
            assert_eq!(rules(&mut group, &house, left(BEN, &[ANA, CLEO])), Some(vec![ANA, BEN, CLEO]));
            assert_eq!(rules(&mut group, &house, left(CLEO, &[ANA])), Some(vec![ANA, CLEO]));
            assert_eq!(rules(&mut group, &house, chat(TEA)), Some(vec![ANA]));
            group.known = Some(Known { members: Arc::from([ANA]), as_of: Seq(9_000) });
            assert_eq!(rules(&mut group, &house, chat(TEA)), None);
        });
    }

    #[test]
    fn whoever_waits_for_a_group_that_cannot_be_read_is_let_go() {
        told(|house| async move {
            let mut group = group(&house);
            let (answer, answered) = oneshot::channel();
            group.waiting.push(Enter { user_id: BEN, answer });
            group.has_read(Err(Error::Broken("the disk")));
            assert!(answered.await.is_err() && !group.is_reading && group.known.is_none());
        });
    }

    #[test]
    fn an_event_that_is_dropped_on_its_way_holds_nobody_up() {
        told(|house| async move {
            house.has_group(TEA, &[BEN]);
            let ben = house.sits(BEN).await;
            let held = house.ring.halls().hold_up();
            house.says([chat(TEA), chat(TEA)]);
            assert!(!house.entry(1_001).is_ruled());
            // The thread of all groups ends with both still in the mailbox.
            house.ring.halls().close();
            drop(held);
            house.is_told().await;
            assert_eq!(house.heard(&ben), [1_001, 1_002], "he is here, and was a member before");
        });
    }
}
