//! The actor of a group. It runs while a member of the group is connected.
//!
//! It knows the members of the group and which of them are connected. It handles the requests of connected members that
//! change the members: it passes the write to the writer, and acknowledges a removal only after all events up to the
//! removal were delivered to every connection. Two kinds of writes go to the writer directly, and are acknowledged in
//! the same way. One is the request of anybody else, which is refused. The other is the deletion of an account, which
//! ends all its memberships in one write.
//!
//! Never here: the recipients of events. An event of a group names the members itself.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use actix::prelude::*;

use super::barrier::Barrier;
use super::groups::{Groups, LoadMembers};
use crate::events::Users;
use crate::ids::{GroupId, Seq, UserId};

/// A write that changes the members of a group. It returns its number if it takes rights away, and None otherwise.
pub type Write = Pin<Box<dyn Future<Output = Option<Seq>> + Send>>;

/// Executes a write that changes the members of a group. Returns after the commit. If the write takes rights away,
/// returns after its events were delivered to every connection.
pub(super) async fn execute(write: Write, barrier: &Barrier) {
    if let Some(seq) = write.await {
        barrier.wait(seq).await;
    }
}

/// Changes the members of the group. The result comes when [`execute`] returns.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct Change(pub(super) Write);

/// Says that a member connected or disconnected.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) enum Presence {
    Connected(UserId),
    Disconnected(UserId),
}

/// The members of the group from the write `seq` on.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct Changed {
    pub(super) members: Users,
    pub(super) seq: Seq,
}

/// Asks for the state of the actor.
#[derive(Message)]
#[rtype(result = "GroupState")]
pub(super) struct GetState;

/// The state of the actor of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupState {
    pub group_id: GroupId,
    /// The members; sorted. Empty until they have been read.
    pub members: Vec<UserId>,
    /// The connected members; sorted.
    pub present: Vec<UserId>,
}

/// The actor.
pub(super) struct Group {
    group_id: GroupId,
    members: Users,
    /// The last write that `members` includes.
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
        Box::pin(async move { execute(write, &barrier).await })
    }
}

impl Handler<Presence> for Group {
    type Result = ();

    fn handle(&mut self, presence: Presence, _: &mut Self::Context) {
        match presence {
            Presence::Connected(user_id) => self.present.insert(user_id),
            Presence::Disconnected(user_id) => self.present.remove(&user_id),
        };
    }
}

impl Handler<Changed> for Group {
    type Result = ();

    fn handle(&mut self, Changed { members, seq }: Changed, _: &mut Self::Context) {
        self.update(members, seq);
    }
}

impl Handler<GetState> for Group {
    type Result = MessageResult<GetState>;

    fn handle(&mut self, _: GetState, _: &mut Self::Context) -> Self::Result {
        let (members, present) = (self.members.to_vec(), self.present.iter().copied().collect());
        MessageResult(GroupState { group_id: self.group_id, members, present })
    }
}
