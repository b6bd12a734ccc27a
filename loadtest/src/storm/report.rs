//! The result of a storm, and its plain text.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::report::thousands;

/// The result of a storm.
#[derive(Default)]
pub struct StormReport {
    pub tabs: usize,
    /// Times since SIGTERM, in seconds. The server had stopped at `stopped_s`, and listened again at `listens_s`.
    /// `live_s` and `fresh_s` are those of the first, the median and the last tab.
    pub stopped_s: f64,
    pub listens_s: f64,
    pub live_s: [f64; 3],
    pub fresh_s: [f64; 3],
    pub server_cpu_s: f64,
    pub server_memory_bytes: u64,
    pub attempts: u64,
    pub refused: u64,
    pub resyncs: u64,
    pub busy: u64,
    pub requests: BTreeMap<&'static str, u64>,
    /// The numbers of events that the tabs received from the restart until all tabs were fresh.
    pub events: BTreeMap<&'static str, u64>,
    pub received_bytes: u64,
    pub followers: usize,
    pub faults: Vec<String>,
}

impl StormReport {
    /// Returns whether every check passed.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.faults.is_empty()
    }

    /// Returns the first fault as a sentence, or that every check passed.
    #[must_use]
    pub fn verdict(&self) -> String {
        self.faults.first().cloned().unwrap_or_else(|| "every check held".into())
    }

    /// Returns the result as plain text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        let [tabs, followers] = [self.tabs, self.followers].map(|count| thousands(count as u64));
        let after = |[first, half, last]: [f64; 3]| {
            format!(
                "first after {first:.2} s, half after {half:.2} s, last after {last:.2} s, {:.2} s after it listened again",
                last - self.listens_s
            )
        };
        let counts = |counts: &BTreeMap<&str, u64>| {
            let counts: Vec<_> =
                counts.iter().map(|(name, count)| format!("{name} {}", thousands(*count))).collect();
            if counts.is_empty() { "nothing".into() } else { counts.join(", ") }
        };
        let per_tab = |whole: f64| whole / self.tabs.max(1) as f64;
        let lines = [
            (
                "tabs",
                format!("{tabs}, {} attempts, {} refused", thousands(self.attempts), thousands(self.refused)),
            ),
            (
                "server",
                format!(
                    "had ended after {:.2} s, listened again after {:.2} s",
                    self.stopped_s, self.listens_s
                ),
            ),
            ("live", after(self.live_s)),
            ("fresh", after(self.fresh_s)),
            (
                "processor",
                format!(
                    "{:.2} s of the new server, {:.0} µs a tab; it has {:.1} MiB",
                    self.server_cpu_s,
                    per_tab(self.server_cpu_s * 1e6),
                    self.server_memory_bytes as f64 / 1_048_576.0
                ),
            ),
            (
                "asked",
                format!(
                    "{}; {} refused as busy, {} told to read all again",
                    counts(&self.requests),
                    thousands(self.busy),
                    thousands(self.resyncs)
                ),
            ),
            (
                "received",
                format!(
                    "{:.0} bytes a tab; events: {}",
                    per_tab(self.received_bytes as f64),
                    counts(&self.events)
                ),
            ),
            ("then", format!("one post reached {followers} followers once, and nobody else")),
            ("verdict", self.verdict()),
        ];
        for (name, says) in lines {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{name:<10} {says}");
        }
        out
    }
}
