//! The report as text and as JSON.

use std::fmt::Write;

use crate::clients::Numbers;
use crate::community::Role;
use crate::expected::Fault;
use crate::histogram::Histogram;
use crate::options::Options;
use crate::server::Usage;
use crate::steady::Steady;

/// One second of a test.
#[derive(Clone, Debug, Default)]
pub struct Second {
    /// The time since the clients began to connect.
    pub at_s: f64,
    pub open: usize,
    pub connects: u64,
    pub deliveries: u64,
    pub replies: u64,
    /// The median time of deliveries. `p99_ms` is their 99th percentile.
    pub p50_ms: f64,
    pub p99_ms: f64,
    /// The processor time of the server in this second, as a share of one core, and its usage; None if it is not known.
    pub server: Option<(f64, Usage)>,
}

/// The result of a test.
pub struct Report {
    pub options: Options,
    pub version: &'static str,
    pub sockets: usize,
    /// The time until all clients were connected. `run_s` is the time in which people acted.
    pub connect_s: f64,
    pub run_s: f64,
    /// The deliveries while people acted.
    pub run_deliveries: u64,
    pub actions: u64,
    pub deliveries: u64,
    /// The cuts by the proxy. `restarts` is the number of restarts of the server.
    pub cuts: u64,
    pub restarts: u64,
    pub numbers: Numbers,
    pub reply: Histogram,
    pub delivery: Histogram,
    pub last_delivery: Histogram,
    pub connect: Histogram,
    /// The number of clients whose state was compared with that of a fresh client.
    pub states: usize,
    pub seconds: Vec<Second>,
    /// The processor time of this process while people acted, and its memory at the end. `server` is the same of the
    /// server; None if it is not known.
    pub own: Usage,
    pub server: Option<Usage>,
    /// The usage of the server over time; None if the test was too short.
    pub steady: Option<Steady>,
    pub faults: Vec<Fault>,
    pub faults_count: u64,
    /// Why the test ended early.
    pub ended: Option<String>,
    pub is_interrupted: bool,
}

/// Returns a number with commas.
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

impl Report {
    /// Returns whether the test ran to its end and every check passed.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.faults_count == 0 && self.ended.is_none()
    }

    /// Returns the result as one line.
    #[must_use]
    pub fn verdict(&self) -> String {
        match (&self.ended, self.faults.first()) {
            (_, Some(fault)) => {
                format!("{} checks failed, the first: {}", thousands(self.faults_count), fault.says)
            }
            (Some(why), None) => why.clone(),
            (None, None) if self.is_interrupted => "every check held until the test was interrupted".into(),
            (None, None) => "every check held".into(),
        }
    }

    /// Returns the processor time of one side for a delivery, in microseconds, and its share of one core, while people
    /// acted.
    #[must_use]
    pub fn cost(&self, side: Usage) -> (f64, f64) {
        let us = side.cpu_ns as f64 / 1_000.0;
        (us / self.run_deliveries.max(1) as f64, us / 1e6 / self.run_s.max(0.001))
    }

    /// Returns the report as plain text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut line = |name: &str, value: String| {
            let _ = writeln!(out, "{}", format!("{name:<24}{value}").trim_end());
        };
        let size = &self.options.size;
        let people = Role::ALL.iter().zip(size.people).filter(|(_, count)| *count > 0);
        let people: Vec<String> =
            people.map(|(role, count)| format!("{} {}", thousands(count as u64), role.flag())).collect();
        line("people", people.join(", "));
        line("plan", format!("{} s at {} actions/s, seed {}", size.seconds, size.rate, size.seed));
        line("", String::new());
        let per_second = |count: u64| count as f64 / self.run_s.max(0.001);
        line(
            "connects",
            format!(
                "{} ({} sockets in {:.1} s), p50 {:.1} ms, p99 {:.1} ms; {} lost",
                thousands(self.numbers.connects),
                thousands(self.sockets as u64),
                self.connect_s,
                self.connect.quantile_ms(0.5),
                self.connect.quantile_ms(0.99),
                thousands(self.numbers.lost)
            ),
        );
        let Numbers { resumed, resyncs, repeated, .. } = self.numbers;
        line(
            "returns",
            format!(
                "{} with what was missed, {} to read anew; {} actions sent again",
                thousands(resumed),
                thousands(resyncs),
                thousands(repeated)
            ),
        );
        if self.cuts + self.restarts > 0 {
            let (cuts, restarts) = (thousands(self.cuts), self.restarts);
            line("harm", format!("{cuts} connections cut, the server restarted {restarts} times"));
        }
        line(
            "actions",
            format!(
                "{} in {:.1} s, {:.0} a second; {} to be sent again (busy)",
                thousands(self.actions),
                self.run_s,
                per_second(self.actions),
                self.numbers.busy
            ),
        );
        line(
            "deliveries",
            format!(
                "{}, {:.0} a second, {:.1} MB",
                thousands(self.deliveries),
                per_second(self.run_deliveries),
                self.numbers.received_bytes as f64 / 1e6
            ),
        );
        line("", String::new());
        line("from when it was due", "p50 ms    p99 ms    max ms".into());
        for (name, histogram) in [
            ("to the reply", &self.reply),
            ("to each delivery", &self.delivery),
            ("to the last delivery", &self.last_delivery),
        ] {
            let (p50, p99, max) =
                (histogram.quantile_ms(0.5), histogram.quantile_ms(0.99), histogram.max_ms());
            line(&format!("  {name}"), format!("{p50:>6.1}    {p99:>6.1}    {max:>6.1}"));
        }
        line("", String::new());
        for (name, side) in [("the server", self.server), ("this test", Some(self.own))] {
            let Some(side) = side else { continue };
            let ((us, cores), mib) = (self.cost(side), side.memory_bytes as f64 / 1_048_576.0);
            line(
                name,
                format!("{us:.1} µs of processor a delivery, {:.0} % of a core, {mib:.0} MiB", 100.0 * cores),
            );
        }
        if let Some(steady) = self.steady.as_ref().filter(|_| self.options.is_steady) {
            line("over time", steady.line());
        }
        line("states compared", thousands(self.states as u64));
        line("", String::new());
        for fault in &self.faults {
            line("wrong", fault.says.clone());
            for frame in &fault.last_frames {
                line("", format!("  {frame}"));
            }
        }
        line("result", self.verdict());
        out
    }

    /// Returns the report as JSON.
    #[must_use]
    pub fn json(&self) -> String {
        let times = |histogram: &Histogram| {
            format!(
                r#"{{"count": {}, "p50_ms": {:.3}, "p99_ms": {:.3}, "max_ms": {:.3}}}"#,
                histogram.total(),
                histogram.quantile_ms(0.5),
                histogram.quantile_ms(0.99),
                histogram.max_ms()
            )
        };
        let size = &self.options.size;
        let people: Vec<String> = Role::ALL
            .iter()
            .zip(size.people)
            .map(|(role, count)| format!(r#""{}": {count}"#, role.flag()))
            .collect();
        let seconds: Vec<String> = self.seconds.iter().map(second_json).collect();
        let faults: Vec<String> = self.faults.iter().map(|fault| quoted(&fault.says)).collect();
        let side = |side: Usage| {
            let (us, cores) = self.cost(side);
            let bytes = side.memory_bytes;
            format!(r#"{{"us_per_delivery": {us:.3}, "cores": {cores:.3}, "memory_bytes": {bytes}}}"#)
        };
        let server = self.server.map_or("null".into(), side);
        let fields = [
            ("version", quoted(self.version)),
            ("is_good", self.is_good().to_string()),
            ("verdict", quoted(&self.verdict())),
            ("is_interrupted", self.is_interrupted.to_string()),
            ("people", format!("{{{}}}", people.join(", "))),
            ("seed", size.seed.to_string()),
            ("rate", size.rate.to_string()),
            ("sockets", self.sockets.to_string()),
            ("connect_s", format!("{:.3}", self.connect_s)),
            ("run_s", format!("{:.3}", self.run_s)),
            ("actions", self.actions.to_string()),
            ("replies", self.numbers.replies.to_string()),
            ("deliveries", self.deliveries.to_string()),
            ("received_bytes", self.numbers.received_bytes.to_string()),
            ("connects", self.numbers.connects.to_string()),
            ("lost", self.numbers.lost.to_string()),
            ("resumed", self.numbers.resumed.to_string()),
            ("resyncs", self.numbers.resyncs.to_string()),
            ("repeated", self.numbers.repeated.to_string()),
            ("cuts", self.cuts.to_string()),
            ("restarts", self.restarts.to_string()),
            ("busy", self.numbers.busy.to_string()),
            ("states_compared", self.states.to_string()),
            ("connect", times(&self.connect)),
            ("reply", times(&self.reply)),
            ("delivery", times(&self.delivery)),
            ("last_delivery", times(&self.last_delivery)),
            ("own", side(self.own)),
            ("server", server),
            ("faults_count", self.faults_count.to_string()),
            ("faults", format!("[{}]", faults.join(", "))),
            ("seconds", format!("[{}\n  ]", seconds.join(","))),
        ];
        let fields: Vec<String> =
            fields.iter().map(|(name, value)| format!("  \"{name}\": {value}")).collect();
        format!("{{\n{}\n}}\n", fields.join(",\n"))
    }
}

fn second_json(second: &Second) -> String {
    let server = second.server.map_or("null".into(), |(cores, usage)| {
        let Usage { memory_bytes, files, wal_bytes, .. } = usage;
        format!(
            r#"{{"cores": {cores:.3}, "memory_bytes": {memory_bytes}, "files": {files}, "wal_bytes": {wal_bytes}}}"#
        )
    });
    format!(
        "\n    {{\"at_s\": {:.1}, \"open\": {}, \"connects\": {}, \"deliveries\": {}, \"replies\": {}, \
         \"p50_ms\": {:.3}, \"p99_ms\": {:.3}, \"server\": {server}}}",
        second.at_s,
        second.open,
        second.connects,
        second.deliveries,
        second.replies,
        second.p50_ms,
        second.p99_ms
    )
}

/// Returns a text as a JSON string.
fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            letter if letter < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(letter));
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_and_texts_are_quoted() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(quoted("a \"b\"\n"), r#""a \"b\"\u000a""#);
    }
}
