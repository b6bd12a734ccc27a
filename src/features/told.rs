//! Who waits until everybody here has been told.
//!
//! Each hub says how far it has told. An answer that takes a right away waits until all of them have told what
//! was committed before it: nothing follows it then.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use crate::error::Refusal;
use crate::ids::Seq;
use crate::limits::TOLD_MS_MAX;

/// How far everybody has been told. Shared by whoever tells and whoever waits.
#[derive(Default)]
pub struct Told {
    /// The last event there is.
    head: AtomicI64,
    tellers: Mutex<Vec<Arc<AtomicI64>>>,
    waiting: AtomicUsize,
    moved: Notify,
}

impl Told {
    /// Notes the last event there is.
    pub fn grows(&self, head: Seq) {
        self.head.store(head.0, Ordering::SeqCst);
    }

    /// Counts on somebody from now on, who has told everything up to `seq`.
    #[must_use]
    pub fn counts_on(self: &Arc<Self>, seq: Seq) -> Teller {
        let at = Arc::new(AtomicI64::new(seq.0));
        self.tellers().push(at.clone());
        Teller { told: self.clone(), at }
    }

    /// Waits until every teller has told what there is now.
    ///
    /// # Errors
    /// [`Refusal::Busy`] when one takes too long. What was committed stands: asked again it is waited for again.
    pub async fn everybody(&self) -> Result<(), Refusal> {
        self.within(Duration::from_millis(TOLD_MS_MAX)).await
    }

    async fn within(&self, patience: Duration) -> Result<(), Refusal> {
        let head = self.head.load(Ordering::SeqCst);
        // Counted before anybody looks: a teller that moves from here on sees that somebody waits.
        let _counted = Counted::on(&self.waiting);
        let waiting = async {
            loop {
                let mut moved = std::pin::pin!(self.moved.notified());
                moved.as_mut().enable();
                if self.have_told(head) {
                    return;
                }
                moved.await;
            }
        };
        tokio::time::timeout(patience, waiting).await.map_err(|_| Refusal::Busy)
    }

    fn have_told(&self, head: i64) -> bool {
        self.tellers().iter().all(|at| at.load(Ordering::SeqCst) >= head)
    }

    fn tellers(&self) -> MutexGuard<'_, Vec<Arc<AtomicI64>>> {
        self.tellers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One who tells; dropping it says that nobody needs to wait for it any more.
pub struct Teller {
    told: Arc<Told>,
    at: Arc<AtomicI64>,
}

impl Teller {
    /// Has told everything up to here.
    pub fn moves(&self, seq: Seq) {
        self.at.store(seq.0, Ordering::SeqCst);
        if self.told.waiting.load(Ordering::SeqCst) > 0 {
            self.told.moved.notify_waiters();
        }
    }
}

impl Drop for Teller {
    fn drop(&mut self) {
        self.told.tellers().retain(|at| !Arc::ptr_eq(at, &self.at));
        self.told.moved.notify_waiters();
    }
}

struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn on(count: &'a AtomicUsize) -> Self {
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
    async fn whoever_waits_waits_for_the_slowest() {
        let told = Arc::new(Told::default());
        let [quick, slow] = [told.counts_on(Seq(4)), told.counts_on(Seq(4))];
        told.grows(Seq(5));
        let mut waiting = std::pin::pin!(told.everybody());
        assert!((&mut waiting).now_or_never().is_none());
        quick.moves(Seq(6));
        assert!((&mut waiting).now_or_never().is_none(), "one of two");
        // What comes later is not waited for.
        told.grows(Seq(9));
        slow.moves(Seq(5));
        assert!(waiting.await.is_ok());
    }

    #[actix_web::test]
    async fn nobody_waits_for_who_is_gone_nor_where_nobody_tells() {
        let told = Arc::new(Told::default());
        told.grows(Seq(5));
        assert!(told.everybody().await.is_ok());
        let teller = told.counts_on(Seq(4));
        let mut waiting = std::pin::pin!(told.everybody());
        assert!((&mut waiting).now_or_never().is_none());
        drop(teller);
        assert!(waiting.await.is_ok());
    }

    #[actix_web::test]
    async fn one_that_is_stuck_is_not_waited_for_without_end() {
        let told = Arc::new(Told::default());
        let _stuck = told.counts_on(Seq(4));
        told.grows(Seq(5));
        assert!(matches!(told.within(Duration::from_millis(1)).await, Err(Refusal::Busy)));
    }
}
