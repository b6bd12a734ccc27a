//! The dispatcher: an actor on each worker that delivers the events of the log to the connections of the worker.
//!
//! It wakes after each commit, and delivers in turns, so that other work of its thread runs in between. It also sends
//! heartbeats, and ends connections that are stuck.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use actix::prelude::*;
use futures_util::future::join_all;
use tokio::sync::Notify;

use super::connections::{Connections, SharedConnections};
use crate::limits::{COUNT_PAUSE_MS, TICK_MS};

/// Says that the log has new events.
pub struct Wake;

impl Message for Wake {
    type Result = ();
}

/// Closes every connection. The clients come back within this many milliseconds.
struct CloseAll(u64);

impl Message for CloseAll {
    type Result = ();
}

/// The dispatchers of all workers, and other readers of the log.
#[derive(Default)]
pub struct Dispatchers(Mutex<Readers>);

#[derive(Default)]
struct Readers {
    dispatchers: Vec<Addr<Dispatcher>>,
    others: Vec<Arc<Notify>>,
}

impl Dispatchers {
    fn all_locked(&self) -> MutexGuard<'_, Readers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes every dispatcher, and every other reader of the log.
    pub fn wake(&self) {
        let Readers { dispatchers, others } = &*self.all_locked();
        for dispatcher in dispatchers {
            // A full mailbox already holds a message that wakes the dispatcher.
            let _ = dispatcher.try_send(Wake);
        }
        for other in others {
            other.notify_one();
        }
    }

    /// Adds a reader of the log that is no dispatcher. It is woken with them.
    pub fn add_reader(&self, reader: Arc<Notify>) {
        self.all_locked().others.push(reader);
    }

    /// Makes each dispatcher close its connections. Returns whether all did so within `time_limit`, because a stuck
    /// worker must not delay the stop. A dispatcher whose worker has ended has no connections.
    pub async fn close_all(&self, time_limit: Duration, back_ms: u64) -> bool {
        let dispatchers = self.all_locked().dispatchers.clone();
        let closing = dispatchers.iter().map(|dispatcher| dispatcher.send(CloseAll(back_ms)));
        tokio::time::timeout(time_limit, join_all(closing)).await.is_ok()
    }

    /// Starts the dispatcher of the current thread. Returns the connections, which the sessions of the thread share.
    #[must_use]
    pub fn start_here(&self, connections: Connections) -> SharedConnections {
        let connections = Rc::new(RefCell::new(connections));
        let dispatcher =
            Dispatcher { connections: connections.clone(), is_delivering: false, is_releasing: false };
        self.all_locked().dispatchers.push(dispatcher.start());
        connections
    }
}

/// The actor.
pub struct Dispatcher {
    connections: SharedConnections,
    /// Whether another turn is scheduled.
    is_delivering: bool,
    /// Whether a delivery of held counts is scheduled.
    is_releasing: bool,
}

impl Dispatcher {
    /// Begins to deliver, unless a turn is scheduled. That turn will find the new events.
    fn wake(&mut self, context: &mut Context<Self>) {
        if !self.is_delivering {
            self.deliver(context);
        }
    }

    fn deliver(&mut self, context: &mut Context<Self>) {
        self.is_delivering = self.connections.borrow_mut().turn();
        if self.is_delivering {
            let rest = tokio::task::yield_now().into_actor(self);
            context.spawn(rest.map(|(), dispatcher, context| dispatcher.deliver(context)));
        }
        self.release_held_later(context);
    }

    fn release_held_later(&mut self, context: &mut Context<Self>) {
        if self.is_releasing || !self.connections.borrow().holds_counts() {
            return;
        }
        self.is_releasing = true;
        context.run_later(Duration::from_millis(COUNT_PAUSE_MS), |dispatcher, context| {
            dispatcher.is_releasing = false;
            dispatcher.connections.borrow_mut().release_held(Instant::now());
            dispatcher.wake(context);
        });
    }
}

impl Drop for Dispatcher {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Without a dispatcher, the connections of this worker would receive nothing and not notice it.
            log::error!("a dispatcher panicked; stopping, so that clients reconnect to a restarted server");
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
        // Events may have been committed before the actor could be woken.
        self.deliver(context);
    }
}

impl Handler<Wake> for Dispatcher {
    type Result = ();

    fn handle(&mut self, _: Wake, context: &mut Context<Self>) {
        self.wake(context);
    }
}

impl Handler<CloseAll> for Dispatcher {
    type Result = ();

    fn handle(&mut self, CloseAll(back_ms): CloseAll, _: &mut Context<Self>) {
        self.connections.borrow_mut().close_all(back_ms);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::delivery::barrier::Barrier;
    use crate::delivery::log::EventLog;
    use crate::delivery::testing::START;
    use crate::socket::wire::beat_frame;

    #[actix_web::test]
    async fn a_stuck_worker_does_not_delay_a_stop() {
        let dispatchers = Arc::new(Dispatchers::default());
        let (is_stuck, stuck) = tokio::sync::oneshot::channel();
        let (release, released) = mpsc::channel::<()>();
        let worker = Arbiter::new();
        let starts = dispatchers.clone();
        worker.spawn_fn(move || {
            let (log, barrier) = (Arc::new(EventLog::new(START)), Arc::<Barrier>::default());
            let _ = starts.start_here(Connections::new(log, Arc::default(), &barrier, beat_frame));
            let _ = is_stuck.send(());
            // The test lets the thread continue by dropping the sender.
            let _ = released.recv();
        });
        stuck.await.unwrap();
        assert!(!dispatchers.close_all(Duration::from_millis(50), 1).await);
        drop(release);
        assert!(dispatchers.close_all(Duration::from_secs(20), 1).await);
        worker.stop();
    }
}
