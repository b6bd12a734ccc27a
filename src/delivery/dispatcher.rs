//! The dispatcher: on each worker, the actor that takes events from the log to the worker's connections.
//!
//! It is woken after each commit, delivers turn by turn so that other work of its thread goes on in between, sends
//! heartbeats, and ends connections that are stuck.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use actix::prelude::*;
use futures_util::future::join_all;

use super::connections::{Connections, SharedConnections};
use crate::limits::{COUNT_PAUSE_MS, TICK_MS};

/// The log has grown.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Wake;

/// Every connection is to be sent a goodbye; the answer is how many there are.
#[derive(Message)]
#[rtype(result = "usize")]
struct Goodbye;

/// The dispatchers of all workers.
#[derive(Default)]
pub struct Dispatchers(Mutex<Vec<Addr<Dispatcher>>>);

impl Dispatchers {
    fn all_locked(&self) -> MutexGuard<'_, Vec<Addr<Dispatcher>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes each of them.
    pub fn wake(&self) {
        for dispatcher in self.all_locked().iter() {
            // Full means that one waits there already, and one is enough.
            let _ = dispatcher.try_send(Wake);
        }
    }

    /// Has each of them say goodbye to its connections. Returns whether all did within `patience`: a worker that is
    /// stuck keeps nobody waiting. One whose worker is gone has nobody to say goodbye to.
    pub async fn say_goodbye(&self, patience: Duration) -> bool {
        let dispatchers = self.all_locked().clone();
        let goodbyes = dispatchers.iter().map(|dispatcher| dispatcher.send(Goodbye));
        tokio::time::timeout(patience, join_all(goodbyes)).await.is_ok()
    }

    /// Starts the dispatcher of this worker's thread; returns the connections that its sessions share.
    #[must_use]
    pub fn start_here(&self, connections: Connections) -> SharedConnections {
        let connections = Rc::new(RefCell::new(connections));
        let dispatcher = Dispatcher { connections: connections.clone(), is_releasing: false };
        self.all_locked().push(dispatcher.start());
        connections
    }
}

/// The actor.
pub struct Dispatcher {
    connections: SharedConnections,
    /// A delivery of held counts is scheduled.
    is_releasing: bool,
}

impl Dispatcher {
    fn deliver(&mut self, context: &mut Context<Self>) {
        let has_more = self.connections.borrow_mut().turn();
        if has_more {
            let rest = tokio::task::yield_now().into_actor(self);
            context.spawn(rest.map(|(), dispatcher, context| dispatcher.deliver(context)));
        }
        self.deliver_held_later(context);
    }

    fn deliver_held_later(&mut self, context: &mut Context<Self>) {
        if self.is_releasing || !self.connections.borrow().holds_counts() {
            return;
        }
        self.is_releasing = true;
        context.run_later(Duration::from_millis(COUNT_PAUSE_MS), |dispatcher, context| {
            dispatcher.is_releasing = false;
            dispatcher.connections.borrow_mut().deliver_held(Instant::now());
            dispatcher.deliver_held_later(context);
        });
    }
}

impl Drop for Dispatcher {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Without it this worker's connections would get nothing and never know.
            log::error!("a dispatcher panicked; stopping, so that every client comes back to a sound server");
            std::process::abort();
        }
    }
}

impl Actor for Dispatcher {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        context.run_interval(Duration::from_millis(TICK_MS), |dispatcher, _| {
            dispatcher.connections.borrow_mut().tick();
        });
        // What was committed before anybody could wake it.
        self.deliver(context);
    }
}

impl Handler<Wake> for Dispatcher {
    type Result = ();

    fn handle(&mut self, _: Wake, context: &mut Context<Self>) {
        self.deliver(context);
    }
}

impl Handler<Goodbye> for Dispatcher {
    type Result = usize;

    fn handle(&mut self, _: Goodbye, _: &mut Context<Self>) -> usize {
        self.connections.borrow_mut().say_goodbye()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};

    use super::*;
    use crate::delivery::barrier::Barrier;
    use crate::delivery::log::EventLog;
    use crate::delivery::testing::START;
    use crate::socket::wire::beat_frame;

    #[actix_web::test]
    async fn a_worker_that_is_stuck_does_not_keep_a_stop_waiting() {
        let dispatchers = Arc::new(Dispatchers::default());
        let (is_stuck, stuck) = tokio::sync::oneshot::channel();
        let (release, released) = mpsc::channel::<()>();
        let worker = Arbiter::new();
        let starts = dispatchers.clone();
        worker.spawn_fn(move || {
            let (log, barrier) = (Arc::new(EventLog::new(START)), Arc::<Barrier>::default());
            let _ = starts.start_here(Connections::new(log, |seq| barrier.add_worker(seq), beat_frame));
            let _ = is_stuck.send(());
            // Whoever holds the other end lets the thread go on.
            let _ = released.recv();
        });
        stuck.await.unwrap();
        assert!(!dispatchers.say_goodbye(Duration::from_millis(50)).await);
        drop(release);
        assert!(dispatchers.say_goodbye(Duration::from_secs(20)).await);
        worker.stop();
    }
}
