//! The delivery barrier: waits until every worker has delivered everything up to a write.
//!
//! The reply to a request that takes a right away waits for the barrier. After that reply no connection receives
//! anything that the right allowed.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::ids::Seq;

/// The position up to which each worker has delivered. All workers and waiting requests share it.
#[derive(Default)]
pub struct Barrier {
    workers: Mutex<Vec<Arc<AtomicI64>>>,
    waiting: AtomicUsize,
    advanced: Notify,
}

/// One worker's part of the barrier; dropping it takes the worker out of it.
pub struct Delivered {
    barrier: Arc<Barrier>,
    up_to: Arc<AtomicI64>,
}

impl Barrier {
    /// Adds a worker that has delivered everything up to `seq`.
    #[must_use]
    pub fn add_worker(self: &Arc<Self>, seq: Seq) -> Delivered {
        let up_to = Arc::new(AtomicI64::new(seq.0));
        self.workers().push(up_to.clone());
        Delivered { barrier: self.clone(), up_to }
    }

    /// Waits until every worker has delivered everything up to the write `seq`. Without a bound: a worker delivers
    /// within moments or its thread is broken, and an answer without it would break the promise.
    pub async fn wait(&self, seq: Seq) {
        // The waiter is counted before it looks, so that a worker that advances from here on wakes it.
        let _counted = Counted::into(&self.waiting);
        loop {
            let mut advanced = std::pin::pin!(self.advanced.notified());
            advanced.as_mut().enable();
            if self.workers().iter().all(|up_to| up_to.load(Ordering::SeqCst) >= seq.0) {
                return;
            }
            advanced.await;
        }
    }

    fn workers(&self) -> MutexGuard<'_, Vec<Arc<AtomicI64>>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Delivered {
    /// Notes that this worker has delivered everything up to `seq`.
    pub fn up_to(&self, seq: Seq) {
        self.up_to.store(seq.0, Ordering::SeqCst);
        if self.barrier.waiting.load(Ordering::SeqCst) > 0 {
            self.barrier.advanced.notify_waiters();
        }
    }
}

impl Drop for Delivered {
    fn drop(&mut self) {
        self.barrier.workers().retain(|up_to| !Arc::ptr_eq(up_to, &self.up_to));
        self.barrier.advanced.notify_waiters();
    }
}

struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn into(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[actix_web::test]
    async fn waiting_ends_with_the_slowest_worker() {
        let barrier = Arc::new(Barrier::default());
        let [quick, slow] = [barrier.add_worker(Seq(4)), barrier.add_worker(Seq(4))];
        let mut waiting = std::pin::pin!(barrier.wait(Seq(5)));
        assert!((&mut waiting).now_or_never().is_none());
        quick.up_to(Seq(6));
        assert!((&mut waiting).now_or_never().is_none(), "one of two");
        slow.up_to(Seq(5));
        waiting.await;
    }

    #[actix_web::test]
    async fn nobody_waits_for_a_worker_that_ended() {
        let barrier = Arc::new(Barrier::default());
        barrier.wait(Seq(5)).await;
        let worker = barrier.add_worker(Seq(4));
        let mut waiting = std::pin::pin!(barrier.wait(Seq(5)));
        assert!((&mut waiting).now_or_never().is_none());
        drop(worker);
        waiting.await;
    }
}
