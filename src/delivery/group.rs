//! The actor of a group. It orders the changes of the members that connected members request. Blocks and deletions of
//! accounts change members without it.
//!
//! Guarantees:
//! - One change runs at a time, in the order of arrival. The next one begins only after the previous one was committed
//!   and, if it took rights away, after its events were delivered to every connection. Nobody is therefore added again
//!   while a removal is not yet acknowledged.
//!
//! Never here: the members, and the recipients of events. An event of a group names its recipients itself.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use actix::prelude::*;

use super::barrier::Barrier;
use crate::ids::Seq;

/// The actor. It has the delivery barrier for which a change waits.
pub(super) struct Group(pub(super) Arc<Barrier>);

impl Actor for Group {
    type Context = Context<Self>;
}

/// A change of the members. The future commits it, and returns its result and, if it took rights away, its `seq`.
pub(super) struct Change<T>(pub(super) Pin<Box<dyn Future<Output = (T, Option<Seq>)> + Send>>);

impl<T: 'static> Message for Change<T> {
    type Result = T;
}

impl<T: 'static> Handler<Change<T>> for Group {
    /// The actor handles nothing else until the result is there.
    type Result = AtomicResponse<Self, T>;

    fn handle(&mut self, Change(write): Change<T>, _: &mut Context<Self>) -> Self::Result {
        let barrier = self.0.clone();
        AtomicResponse::new(Box::pin(async move { run(write, &barrier).await }.into_actor(self)))
    }
}

/// Runs a change. Returns its result after the commit or, if the change took rights away, after its events were
/// delivered to every connection.
pub(super) async fn run<T>(write: impl Future<Output = (T, Option<Seq>)>, barrier: &Barrier) -> T {
    let (result, lost_at) = write.await;
    if let Some(seq) = lost_at {
        barrier.wait(seq).await;
    }
    result
}
