//! A group's actor: it runs while a member of the group is connected.
//!
//! It keeps who is in the group and who of them is connected. Who wants to change who is in it asks the actor: it has
//! the writer do that, and acknowledges a removal only when every connection was delivered everything up to it.
//!
//! Never here: which event goes to whom. An event of a group names the members itself.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use actix::prelude::*;

use super::barrier::Barrier;
use super::groups::{Groups, LoadMembers};
use crate::events::Users;
use crate::ids::{GroupId, Seq, UserId};

/// A write that changes who is in a group. It returns its number when it takes rights away, None otherwise.
pub type Write = Pin<Box<dyn Future<Output = Option<Seq>> + Send>>;

/// Carries out a write that changes who is in a group. Returns when it is done and, where it takes rights away,
/// delivered to every connection.
pub(super) async fn carry_out(write: Write, barrier: &Barrier) {
    if let Some(seq) = write.await {
        barrier.wait(seq).await;
    }
}

/// Changes who is in the group; answered when the change is done and, where it takes rights away, delivered.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct Change(pub(super) Write);

/// A member is connected, or is not any more.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) enum Presence {
    Connected(UserId),
    Gone(UserId),
}

/// These are in the group from the write `seq` on.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct Changed {
    pub(super) members: Users,
    pub(super) seq: Seq,
}

/// Who is in the group, and who of them is connected?
#[derive(Message)]
#[rtype(result = "Roll")]
pub(super) struct GetRoll;

/// What a group's actor keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roll {
    pub group_id: GroupId,
    /// Who is in the group; sorted. Empty until it has been read.
    pub members: Vec<UserId>,
    /// Who of them is connected; sorted.
    pub present: Vec<UserId>,
}

/// The actor.
pub(super) struct Group {
    group_id: GroupId,
    members: Users,
    /// The write that `members` is right as of.
    as_of: Seq,
    present: BTreeSet<UserId>,
    barrier: Arc<Barrier>,
    load: LoadMembers,
    groups: Arc<Groups>,
}

impl Group {
    pub(super) fn new(
        group_id: GroupId,
        groups: Arc<Groups>,
        barrier: Arc<Barrier>,
        load: LoadMembers,
    ) -> Self {
        groups.count_actor(1);
        let (members, present) = (Users::default(), BTreeSet::new());
        Self { group_id, members, as_of: Seq(0), present, barrier, load, groups }
    }

    fn update(&mut self, members: Users, seq: Seq) {
        if seq > self.as_of {
            (self.members, self.as_of) = (members, seq);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.groups.count_actor(-1);
    }
}

impl Actor for Group {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        let loading = (self.load)(self.group_id).into_actor(self);
        context.wait(loading.map(|loaded, group, _| {
            if let Some((members, seq)) = loaded {
                group.update(members, seq);
            }
        }));
    }
}

impl Handler<Change> for Group {
    type Result = ResponseFuture<()>;

    fn handle(&mut self, Change(write): Change, _: &mut Self::Context) -> Self::Result {
        let barrier = self.barrier.clone();
        Box::pin(async move { carry_out(write, &barrier).await })
    }
}

impl Handler<Presence> for Group {
    type Result = ();

    fn handle(&mut self, presence: Presence, _: &mut Self::Context) {
        match presence {
            Presence::Connected(user_id) => self.present.insert(user_id),
            Presence::Gone(user_id) => self.present.remove(&user_id),
        };
    }
}

impl Handler<Changed> for Group {
    type Result = ();

    fn handle(&mut self, Changed { members, seq }: Changed, _: &mut Self::Context) {
        self.update(members, seq);
    }
}

impl Handler<GetRoll> for Group {
    type Result = MessageResult<GetRoll>;

    fn handle(&mut self, _: GetRoll, _: &mut Self::Context) -> Self::Result {
        let (members, present) = (self.members.to_vec(), self.present.iter().copied().collect());
        MessageResult(Roll { group_id: self.group_id, members, present })
    }
}
