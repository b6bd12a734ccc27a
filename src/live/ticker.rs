//! Time passing, turned into ordinary writes.

use std::sync::Arc;
use std::time::Duration;

use actix::prelude::*;

use crate::features::auth::store::Purge;
use crate::features::kit::App;
use crate::features::uploads;
use crate::limits::{SWEEP_MS, SWEEPS_PER_FULL_SWEEP};

/// How often what ran out is put away.
const PURGE_EVERY: Duration = Duration::from_secs(600);

/// The actor.
pub struct Ticker {
    app: Arc<App>,
}

impl Ticker {
    /// Starts it on this thread.
    pub fn start_here(app: Arc<App>) -> Addr<Self> {
        Self { app }.start()
    }

    fn purge(&mut self, context: &mut Context<Self>) {
        let app = self.app.clone();
        let purging = async move { app.writer.submit(Box::new(Purge)).await };
        context.spawn(purging.into_actor(self).map(|purged, _, _| {
            if let Err(why) = purged {
                log::warn!("what ran out is put away later: {why:?}");
            }
        }));
    }
}

/// Sweeps for as long as the server runs: now and then, and when the bell is rung.
async fn sweep(app: Arc<App>) {
    for count in 0_u64.. {
        let all = count % SWEEPS_PER_FULL_SWEEP == 0;
        if let Err(why) = uploads::sweep(&app, all).await {
            log::warn!("files are removed later: {why}");
        }
        // Rung or not, the next round begins.
        let _ = tokio::time::timeout(Duration::from_millis(SWEEP_MS), app.uploads.bell.notified()).await;
    }
}

impl Actor for Ticker {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        self.purge(context);
        context.run_interval(PURGE_EVERY, Self::purge);
        context.spawn(sweep(self.app.clone()).into_actor(self));
    }
}
