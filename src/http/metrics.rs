//! Figures in the text format of Prometheus: counts and sizes, none of which names a user.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use actix_web::{HttpRequest, HttpResponse};

use super::{Site, is_from_this_machine, page, plain, site};
use crate::cluster::front::Front;
use crate::cluster::fronts::FrontState;
use crate::counters::{self, Counter, Histogram};
use crate::db::readers::Snapshot;
use crate::delivery::log::{EventLog, KindCounts};
use crate::disk;
use crate::features::events;
use crate::features::mails::store as mail_queue;

/// The text of the figures.
#[derive(Default)]
struct Figures(String);

impl Figures {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn line(&mut self, name: &str, value: u64) {
        let _ = writeln!(self.0, "{name} {value}");
    }

    fn gauge(&mut self, name: &str, help: &str, value: u64) {
        self.head(name, "gauge", help);
        self.line(name, value);
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.head(name, "counter", help);
        self.line(name, value);
    }

    fn times(&mut self, name: &str, help: &str, times: &Histogram) {
        self.head(name, "histogram", help);
        // The buckets are read before the total, so that no bucket exceeds the total.
        let within: Vec<u64> = times.within.iter().map(Counter::get).collect();
        for (bound_us, count) in counters::BOUNDS_US.iter().zip(within) {
            let _ = writeln!(self.0, "{name}_bucket{{le=\"{}\"}} {count}", seconds(*bound_us));
        }
        let count = times.count.get();
        let _ = writeln!(self.0, "{name}_bucket{{le=\"+Inf\"}} {count}");
        let _ = writeln!(self.0, "{name}_sum {}\n{name}_count {count}", seconds(times.sum_us.get()));
    }
}

/// Returns microseconds as seconds.
fn seconds(us: u64) -> String {
    format!("{}.{:06}", us / 1_000_000, us % 1_000_000)
}

/// Selects the count of an event kind that a figure shows.
type OfKind = fn(&KindCounts) -> &AtomicU64;

/// Answers with all figures. A request from another machine gets the page of the app instead, unless `metrics_public`
/// is set.
pub async fn metrics(request: HttpRequest) -> HttpResponse {
    let Some(site) = site(&request) else { return HttpResponse::InternalServerError().finish() };
    if !is_from_this_machine(&request) && !site.app.settings.metrics_public {
        return page(request).await;
    }
    let mut figures = Figures::default();
    sockets(&mut figures, (site.app.open_sockets)(), &site.log);
    fronts(&mut figures, site);
    writes(&mut figures, site);
    disk(&mut figures, site);
    pictures_and_mails(&mut figures, site).await;
    plain(HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(figures.0))
}

/// Answers with the figures of a front, on which `open` sockets are open.
pub fn of_front(front: &Front, open: u64) -> HttpResponse {
    let mut figures = Figures::default();
    sockets(&mut figures, open, &front.log);
    let (lag, lag_ms) = front.lag();
    figures.gauge(
        "mellow_front_serves",
        "1 if this front has a lease of its home",
        front.lease.held().is_some().into(),
    );
    figures.gauge("mellow_front_lag_writes", "Writes of the home that are not delivered yet", lag);
    figures.gauge("mellow_front_lag_milliseconds", "Time since the home was heard", lag_ms);
    figures.gauge(
        "mellow_asks_waiting",
        "Requests sent to the home and not answered",
        front.asks.load(Ordering::Relaxed) as u64,
    );
    let name = "mellow_asks_total";
    figures.head(name, "counter", "Requests of sockets, by what the home answered");
    for (result, count) in [
        ("done", &counters::ASKS_DONE),
        ("refused", &counters::ASKS_REFUSED),
        ("unanswered", &counters::ASKS_UNANSWERED),
    ] {
        figures.line(&format!("{name}{{result=\"{result}\"}}"), count.get());
    }
    let fills = counters::CLUSTER_FILLS.get();
    figures.counter("mellow_front_fills_total", "Questions for events that were missed", fills);
    figures.counter("mellow_front_leases_lost_total", "Leases that ended", front.lease.ended());
    unopened(&mut figures);
    plain(HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(figures.0))
}

fn unopened(figures: &mut Figures) {
    figures.counter(
        "mellow_cluster_unopened_total",
        "Messages of the cluster with another key or version, or damaged",
        counters::CLUSTER_UNOPENED.get(),
    );
}

/// Adds the figures of the fronts of a home.
fn fronts(figures: &mut Figures, site: &Site) {
    let Some(fronts) = &site.fronts else { return };
    let states = fronts.states(Instant::now());
    figures.gauge("mellow_fronts", "Fronts with a lease", states.len() as u64);
    for (name, help, of) in [
        ("mellow_front_sockets", "Sockets open at a front", (|state| state.sockets) as OfFront),
        ("mellow_front_lag_writes", "Writes that a front has not delivered yet", |state| state.lag),
        ("mellow_front_lease_milliseconds", "Time for which a front is still counted", |state| {
            state.lease_ms
        }),
    ] {
        figures.head(name, "gauge", help);
        for state in &states {
            figures.line(&format!("{name}{{front=\"{}\"}}", state.front), of(state));
        }
    }
    unopened(figures);
}

/// Selects a figure of a front.
type OfFront = fn(&FrontState) -> u64;

fn sockets(figures: &mut Figures, open: u64, log: &EventLog) {
    figures.gauge("mellow_sockets", "Sockets open", open);
    figures.counter(
        "mellow_sockets_refused_total",
        "Sockets refused because there were too many",
        counters::REFUSED_FULL.get(),
    );
    let name = "mellow_sockets_closed_total";
    figures.head(name, "counter", "Sockets closed by the server, by close code; 0 is any other");
    for (code, closed) in counters::CLOSE_CODES.iter().zip(&counters::CLOSED) {
        figures.line(&format!("{name}{{code=\"{code}\"}}"), closed.get());
    }
    let name = "mellow_sockets_cut_total";
    figures.head(name, "counter", "Sockets cut without a close frame, by reason");
    for (reason, cut) in [
        ("queue_full", &counters::CUT_FULL),
        ("stalled", &counters::CUT_STALLED),
        ("lost", &counters::CUT_LOST),
    ] {
        figures.line(&format!("{name}{{reason=\"{reason}\"}}"), cut.get());
    }
    figures.counter(
        "mellow_http_malformed_total",
        "Connections closed because they sent no HTTP request",
        counters::HTTP_MALFORMED.get(),
    );
    figures.counter("mellow_sent_bytes_total", "Bytes written to sockets", counters::SENT_BYTES.get());
    figures.counter("mellow_received_bytes_total", "Bytes read from sockets", counters::RECEIVED_BYTES.get());
    figures.counter("mellow_events_total", "Events published", log.end().index);
    for (name, help, of) in [
        ("mellow_events_by_kind_total", "Events published, by kind", (|counts| &counts.events) as OfKind),
        ("mellow_frames_total", "Frames of events put on sockets, by kind", |counts| &counts.frames),
    ] {
        figures.head(name, "counter", help);
        for (kind, counts) in events::NAMES.iter().zip(log.counts()) {
            figures.line(&format!("{name}{{ev=\"{kind}\"}}"), of(counts).load(Ordering::Relaxed));
        }
    }
}

fn writes(figures: &mut Figures, site: &Site) {
    let load = site.app.writer.load();
    let loaded = |number: &std::sync::atomic::AtomicUsize| number.load(Ordering::Relaxed) as u64;
    figures.counter("mellow_commits_total", "Transactions committed", loaded(&load.commits));
    figures.counter("mellow_writes_total", "Writes answered after a commit", loaded(&load.committed));
    figures.gauge("mellow_writer_queue", "Writes waiting", loaded(&load.commands));
    figures.gauge("mellow_writer_queue_bytes", "Bytes of the writes waiting", loaded(&load.bytes));
    figures.gauge("mellow_reader_queue", "Reads waiting for a reader", site.app.readers.waiting() as u64);
    figures.gauge("mellow_seq", "Number of the last write", site.log.head().0.unsigned_abs());
    figures.times("mellow_commit_seconds", "Time of a commit until it is on the disk", &counters::COMMITS);
}

fn disk(figures: &mut Figures, site: &Site) {
    let data = &site.app.settings.data;
    let bytes = |name: &str| std::fs::metadata(data.join(name)).map_or(0, |found| found.len());
    figures.gauge("mellow_database_bytes", "Size of the database", bytes("mellow.db"));
    figures.gauge("mellow_wal_bytes", "Size of the database's log", bytes("mellow.db-wal"));
    if let Ok(free) = disk::free_bytes(data) {
        figures.gauge("mellow_disk_free_bytes", "Free space of the data folder's disk", free);
    }
    let newest = site.app.backups.list().unwrap_or_default().into_iter().next();
    let made_at_s = newest.map_or(0, |newest| newest.made_at_ms.unsigned_abs() / 1_000);
    figures.gauge("mellow_backup_timestamp_seconds", "Time of the newest backup; 0 for none", made_at_s);
    let has_failed = u64::from(site.app.backups.last_failure().is_some());
    figures.gauge("mellow_backup_failed", "1 if the newest try to make a backup failed", has_failed);
}

async fn pictures_and_mails(figures: &mut Figures, site: &Site) {
    let queue = site.app.uploads.picture_queue() as u64;
    figures.gauge("mellow_picture_queue", "Pictures being rendered or waiting", queue);
    figures.times("mellow_picture_seconds", "Time of a rendering of a picture", &counters::PICTURES);
    for (name, help, counter) in [
        ("mellow_pictures_refused_total", "Uploads that were no picture", &counters::PICTURES_REFUSED),
        (
            "mellow_pictures_late_total",
            "Renderings refused as too many or too slow",
            &counters::PICTURES_LATE,
        ),
        ("mellow_mails_sent_total", "Mails sent", &counters::MAILS_SENT),
        ("mellow_mails_retried_total", "Attempts to send a mail that failed", &counters::MAILS_RETRIED),
        ("mellow_mails_given_up_total", "Mails given up", &counters::MAILS_GIVEN_UP),
    ] {
        figures.counter(name, help, counter.get());
    }
    let waiting = site.app.readers.read(|Snapshot { sql, .. }| mail_queue::waiting(sql)).await;
    if let Ok(waiting) = waiting {
        figures.gauge("mellow_mails_waiting", "Mails waiting to be sent", waiting);
    }
}
