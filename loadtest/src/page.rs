//! The report as one HTML page, without scripts and without files from elsewhere.

use std::fmt::Write;

use crate::plot::{Plot, Scale, Series};
use crate::report::{Report, Second, thousands};

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6675; --paper: #fbfaf8; --card: #fff;
  --edge: #e3e0da; --one: #2f6fb0; --two: #c2571a; --good: #1c7c4a; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaee; --soft: #a4adba; --paper: #14171c; --card: #1c2027;
  --edge: #333a45; --one: #7db4ee; --two: #f0a06a; --good: #6fd39b; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 24px 16px 48px; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1360px; margin: 0 auto; }
h1 { font-size: 1.5rem; margin: 0 0 4px; }
.result { margin: 0 0 20px; font-weight: 600; overflow-wrap: anywhere; }
.good { color: var(--good); } .bad { color: var(--bad); }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 16px; }
figure, pre, dl { margin: 0; padding: 16px; background: var(--card); border: 1px solid var(--edge); border-radius: 8px; }
figcaption { font-weight: 600; margin-bottom: 8px; }
svg { display: block; width: 100%; height: auto; overflow: visible; }
svg text { fill: var(--soft); font: 14px system-ui, sans-serif; }
.grid { stroke: var(--edge); fill: none; }
.line0, .line1 { fill: none; stroke-width: 2; stroke-linejoin: round; stroke: var(--one); }
.line1 { stroke: var(--two); stroke-dasharray: 6 3; }
.legend { margin: 8px 0 0; color: var(--soft); font-size: 0.875rem; }
.key0, .key1 { display: inline-block; width: 20px; margin: 0 6px 4px 0; border-top: 2px solid var(--one); }
.key1 { border-top: 2px dashed var(--two); margin-left: 12px; }
small { display: block; font-size: inherit; }
@media (max-width: 600px) { svg text { font-size: 22px; } }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin-bottom: 16px; }
dt { color: var(--soft); font-size: 0.875rem; } dd { margin: 0; font-size: 1.25rem; font-variant-numeric: tabular-nums; }
pre { margin-top: 16px; overflow-x: auto; font-size: 0.8125rem; line-height: 1.4; }
";

/// Escapes a text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Returns milliseconds as a text, such as `12.3 ms` or `4.5 s`.
fn duration(ms: f64) -> String {
    if ms < 1_000.0 { format!("{ms:.1} ms") } else { format!("{:.1} s", ms / 1_000.0) }
}

impl Report {
    /// Returns the report as a page.
    #[must_use]
    pub fn page(&self) -> String {
        let class = if self.is_good() { "good" } else { "bad" };
        let mut out = format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <title>Mellow load test</title><style>{STYLE}</style></head><body><main>\
             <h1>Mellow load test</h1><p class=\"result {class}\">{}</p><dl>",
            escaped(&self.verdict())
        );
        let per_second = self.run_deliveries as f64 / self.run_s.max(0.001);
        let mut tile = |name: &str, value: String| {
            let _ = write!(out, "<div><dt>{name}</dt><dd>{value}</dd></div>");
        };
        tile("Sockets", thousands(self.sockets as u64));
        tile("Actions", thousands(self.actions));
        tile("Deliveries", thousands(self.deliveries));
        tile("Deliveries a second", thousands(per_second as u64));
        tile("Reply, p99", duration(self.reply.quantile_ms(0.99)));
        tile("Delivery, p99", duration(self.delivery.quantile_ms(0.99)));
        tile("Last delivery, p99", duration(self.last_delivery.quantile_ms(0.99)));
        if let Some(server) = self.server {
            tile("Server, of a core", format!("{:.0} %", 100.0 * self.cost(server).1));
            tile("Server, memory", format!("{:.0} MiB", server.memory_bytes as f64 / 1_048_576.0));
        }
        tile("Test, for a delivery", format!("{:.1} µs", self.cost(self.own).0));
        out.push_str("</dl><div class=\"plots\">");
        for plot in self.plots() {
            out.push_str(&plot.svg());
        }
        let _ = writeln!(out, "</div><pre>{}</pre></main></body></html>", escaped(&self.text()));
        out
    }

    fn plots(&self) -> Vec<Plot> {
        let over_time = |name: &'static str, value: &dyn Fn(&Second) -> f64| Series {
            name,
            points: self.seconds.iter().map(|second| (second.at_s, value(second))).collect(),
        };
        let plot =
            |title, y_name, series| Plot { title, x_name: "seconds", y_name, x_scale: Scale::Even, series };
        let shares = |name: &'static str, histogram: &crate::histogram::Histogram| Series {
            name,
            points: histogram.shares().into_iter().map(|(ms, share)| (ms, 100.0 * share)).collect(),
        };
        let mut plots = vec![
            plot(
                "Latency of deliveries over time",
                "milliseconds since it was due",
                vec![over_time("p50", &|second| second.p50_ms), over_time("p99", &|second| second.p99_ms)],
            ),
            Plot {
                title: "Latency as a distribution",
                x_name: "milliseconds since it was due",
                y_name: "percent of all",
                x_scale: Scale::Doubling,
                series: vec![shares("deliveries", &self.delivery), shares("replies", &self.reply)],
            },
            plot(
                "Deliveries and replies",
                "number in a second",
                vec![
                    over_time("deliveries", &|second| second.deliveries as f64),
                    over_time("replies", &|second| second.replies as f64),
                ],
            ),
            plot(
                "Sockets",
                "open, and opened in a second",
                vec![
                    over_time("open", &|second| second.open as f64),
                    over_time("connects", &|second| second.connects as f64),
                ],
            ),
        ];
        if self.server.is_some() {
            let cores = |second: &Second| second.server.map_or(0.0, |(cores, _)| 100.0 * cores);
            let mib = |second: &Second| {
                second.server.map_or(0.0, |(_, usage)| usage.memory_bytes as f64 / 1_048_576.0)
            };
            plots.push(plot(
                "Processor of the server",
                "percent of one core",
                vec![over_time("processor", &cores)],
            ));
            plots.push(plot("Memory of the server", "MiB", vec![over_time("memory", &mib)]));
        }
        plots
    }
}
