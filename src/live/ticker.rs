//! Time passing, turned into ordinary writes.

use std::sync::Arc;
use std::time::Duration;

use actix::prelude::*;

use crate::features::auth::store::Purge;
use crate::features::kit::App;

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

impl Actor for Ticker {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Self::Context) {
        self.purge(context);
        context.run_interval(PURGE_EVERY, Self::purge);
    }
}
