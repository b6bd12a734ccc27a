//! A hub: on each worker thread, the one who tells its sockets what happened.
//!
//! It is woken when the ring has grown or a group has ruled, and has the [`Seats`] read on from where they are,
//! one turn at a time, so that sockets may write in between. Heartbeats and held counts are its clock.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use actix::prelude::*;

use super::ring::Ring;
use super::seats::{Seats, SharedSeats};
use crate::limits::{COUNT_PAUSE_MS, TICK_MS};

/// The ring has grown, or a group has ruled.
#[derive(Message)]
#[rtype(result = "()")]
pub struct Wake;

/// Everybody is to be told goodbye; the answer is how many that were.
#[derive(Message)]
#[rtype(result = "usize")]
pub struct Goodbye;

/// The hubs of all workers.
#[derive(Default)]
pub struct Hubs(Mutex<Vec<Addr<Hub>>>);

impl Hubs {
    fn hubs(&self) -> MutexGuard<'_, Vec<Addr<Hub>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes each of them.
    pub fn wake(&self) {
        for hub in self.hubs().iter() {
            // Full means that a wake is waiting there already, and one is enough.
            let _ = hub.try_send(Wake);
        }
    }

    /// Returns all of them.
    #[must_use]
    pub fn all(&self) -> Vec<Addr<Hub>> {
        self.hubs().clone()
    }
}

/// The hub actor of one worker.
pub struct Hub {
    seats: SharedSeats,
    is_releasing: bool,
}

impl Hub {
    /// Starts the hub of this worker thread; returns the seats its sessions share.
    #[must_use]
    pub fn start_here(ring: &Arc<Ring>) -> SharedSeats {
        let seats = Rc::new(RefCell::new(Seats::new(ring.clone())));
        let hub = Self { seats: seats.clone(), is_releasing: false };
        ring.hubs().hubs().push(hub.start());
        seats
    }

    fn go_on(&mut self, context: &mut Context<Self>) {
        let more = self.seats.borrow_mut().turn();
        if more {
            // Let the sockets write before the next turn.
            let rest = tokio::task::yield_now().into_actor(self);
            context.spawn(rest.map(|(), hub, context| hub.go_on(context)));
        }
        self.release_later(context);
    }

    fn release_later(&mut self, context: &mut Context<Self>) {
        if self.is_releasing || !self.seats.borrow().holds_counts() {
            return;
        }
        self.is_releasing = true;
        context.run_later(Duration::from_millis(COUNT_PAUSE_MS), |hub, context| {
            hub.is_releasing = false;
            hub.seats.borrow_mut().release_held(Instant::now());
            hub.release_later(context);
        });
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Without its hub this worker's sockets would hear nothing and never know.
            log::error!("a hub panicked; stopping, so that every socket comes back to a sound server");
            std::process::abort();
        }
    }
}

impl Actor for Hub {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        context.run_interval(Duration::from_millis(TICK_MS), |hub, _| hub.seats.borrow_mut().tick());
        // What was committed between taking the cursor and being woken.
        self.go_on(context);
    }
}

impl Handler<Wake> for Hub {
    type Result = ();

    fn handle(&mut self, _: Wake, context: &mut Context<Self>) {
        self.go_on(context);
    }
}

impl Handler<Goodbye> for Hub {
    type Result = usize;

    fn handle(&mut self, _: Goodbye, _: &mut Context<Self>) -> usize {
        self.seats.borrow_mut().say_goodbye()
    }
}
