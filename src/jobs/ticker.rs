//! The ticker: periodic tasks. Each task is a loop that makes ordinary writes. The tasks delete expired rows and files,
//! publish the theme of a new day, begin and end quiet hours, import posts, and make backups.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::db::command::Housekeeping;
use crate::error::Error;
use crate::features::context::App;
use crate::features::{admin, auth, imports, moods, notices, notifications, quiet, reports, theme, uploads};
use crate::limits::{
    BACKUP_AGAIN_MS, BACKUP_CHECK_MS, FULL_SWEEP_MS, FULL_SWEEP_RETRY_MS, MOODS_SWEEP_MS, QUIET_CHECK_MS,
    SWEEP_AGAIN_MS, SWEEP_MS, THEME_AGAIN_MS, THEME_CHECK_MS,
};

/// The interval at which expired rows are deleted.
const PURGE_EVERY: Duration = Duration::from_secs(600);

/// One hour, in milliseconds.
const HOUR_MS: u64 = 3_600_000;

/// Starts the tasks on this thread. The theme of `day` was published last.
pub fn start_here(app: &Arc<App>, day: String) {
    actix_web::rt::spawn(purge(app.clone()));
    actix_web::rt::spawn(delete_past_moods(app.clone()));
    actix_web::rt::spawn(back_up(app.clone()));
    actix_web::rt::spawn(sweep(app.clone()));
    actix_web::rt::spawn(publish_themes(app.clone(), day));
    actix_web::rt::spawn(turn_quiet_hours(app.clone()));
    imports::work::start_here(app);
}

/// Deletes expired rows, as long as the server runs.
async fn purge(app: Arc<App>) {
    loop {
        if let Err(why) = purge_once(&app).await {
            log::warn!("expired rows will be deleted later: {why}");
        }
        tokio::time::sleep(PURGE_EVERY).await;
    }
}

async fn purge_once(app: &App) -> Result<(), Error> {
    auth::delete_expired(app).await?;
    app.writer.submit(Housekeeping(notifications::store::purge)).await?;
    app.writer.submit(Housekeeping(notices::store::purge)).await?;
    app.writer.submit(Housekeeping(reports::store::purge)).await?;
    app.writer.submit(Housekeeping(admin::store::purge)).await?;
    Ok(())
}

/// Deletes the moods of past days, as long as the server runs.
async fn delete_past_moods(app: Arc<App>) {
    loop {
        if let Err(why) = moods::delete_past(&app).await {
            log::warn!("moods of past days will be deleted later: {why}");
        }
        tokio::time::sleep(Duration::from_millis(MOODS_SWEEP_MS)).await;
    }
}

/// Removes files that belong to no row, as long as the server runs: at intervals, and when woken.
async fn sweep(app: Arc<App>) {
    let mut full_at = Instant::now();
    loop {
        let all = full_at <= Instant::now();
        let swept = uploads::sweep(&app, all).await;
        if all {
            let pause = if swept.is_ok() { FULL_SWEEP_MS } else { FULL_SWEEP_RETRY_MS };
            full_at = Instant::now() + Duration::from_millis(pause);
        }
        if let Err(why) = &swept {
            log::warn!("files will be removed later: {why}");
        }
        if let Err(why) = imports::sweep(&app).await {
            log::warn!("files of imports will be removed later: {why}");
        }
        let pause = if matches!(swept, Ok(true)) { SWEEP_AGAIN_MS } else { SWEEP_MS };
        // The next round begins in either case.
        let _ = tokio::time::timeout(Duration::from_millis(pause), app.uploads.wake.notified()).await;
    }
}

/// Publishes the theme of each day, as long as the server runs. It checks at midnight and at short intervals, because
/// clocks are changed and machines sleep.
async fn publish_themes(app: Arc<App>, mut day: String) {
    loop {
        match theme::publish_if_changed(&app, &day).await {
            Ok(today) => day = today,
            Err(why) => {
                log::warn!("today's theme will be published later: {why:?}");
                tokio::time::sleep(Duration::from_millis(THEME_AGAIN_MS)).await;
            }
        }
        let now_ms = app.clock.now_ms();
        let left_ms = app.theme.next_midnight_ms(now_ms).saturating_sub(now_ms);
        let pause = u64::try_from(left_ms).unwrap_or(0).clamp(1, THEME_CHECK_MS);
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
}

/// Begins and ends quiet hours, as long as the server runs: when it is time, and at short intervals, because clocks are
/// changed and machines sleep.
async fn turn_quiet_hours(app: Arc<App>) {
    loop {
        let is_done = quiet::turn(&app).await.inspect_err(|why| {
            log::warn!("quiet hours that began or ended will be published later: {why:?}");
        });
        let left_ms = app.quiet.next_turn_ms().filter(|_| is_done.is_ok()).map(|turn_ms| {
            let left_ms = turn_ms.saturating_sub(app.clock.now_ms());
            u64::try_from(left_ms).unwrap_or(0)
        });
        let pause = left_ms.unwrap_or(QUIET_CHECK_MS).clamp(1, QUIET_CHECK_MS);
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
}

/// Makes backups, as long as the server runs. The first one is made at once if the newest backup is too old. After a
/// failure, the next attempt follows in an hour.
async fn back_up(app: Arc<App>) {
    let every_ms = i64::try_from(app.settings.backup_every_hours.saturating_mul(HOUR_MS)).unwrap_or(i64::MAX);
    if every_ms == 0 {
        return;
    }
    let mut due_ms = i64::MIN;
    loop {
        let now_ms = app.clock.now_ms();
        // The host may have made a backup meanwhile, or may have set the clock back.
        if due_ms <= now_ms || due_ms > now_ms.saturating_add(every_ms) {
            due_ms = backup_due_ms(&app, every_ms);
        }
        if due_ms <= now_ms {
            match app.backups.make(now_ms).await {
                Ok(backup) => log::info!("a backup was made: {}", backup.name),
                Err(why) => log::error!("there is no new backup; the next try is in an hour: {why}"),
            }
            due_ms = backup_due_ms(&app, every_ms);
        }
        tokio::time::sleep(Duration::from_millis(BACKUP_CHECK_MS)).await;
    }
}

/// Returns when the next backup is due, in milliseconds since 1970 UTC. A backup with a time in the future does not
/// count, because the clock was set back after it was made.
fn backup_due_ms(app: &App, every_ms: i64) -> i64 {
    let now_ms = app.clock.now_ms();
    if let Some(failure) = app.backups.last_failure().filter(|failure| failure.at_ms <= now_ms) {
        return failure.at_ms.saturating_add(BACKUP_AGAIN_MS);
    }
    let newest =
        app.backups.list().unwrap_or_default().into_iter().find(|backup| backup.made_at_ms <= now_ms);
    newest.map_or(now_ms, |newest| newest.made_at_ms.saturating_add(every_ms))
}
