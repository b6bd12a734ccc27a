//! Checks whether the memory, open files and database log of a server stay within limits for hours.

use crate::server::Usage;

/// The share of a run that is not checked. In that time, caches and the event log fill.
const WARM_UP_SHARE: f64 = 0.25;
/// The most growth of memory, in MiB an hour.
const SLOPE_MAX: f64 = 1.0;
/// The shortest run whose growth of memory is checked, in seconds.
const SLOPE_SECONDS_MIN: f64 = 3_600.0;
/// The most growth of open files that are not sockets of the test. Connections that open or close at the time of a
/// sample are counted as such files.
const FILES_MORE_MAX: f64 = 8.0;
/// The largest size of the write-ahead log of the database, in bytes.
const WAL_BYTES_MAX: u64 = 64 * 1_024 * 1_024;
const MIB: f64 = 1_048_576.0;

/// The usage of a server over time, after the warm-up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steady {
    pub measured_s: f64,
    pub memory_mib_per_hour: f64,
    /// The mean number of open files that are not sockets of the test, in the first and in the last quarter.
    pub files: (f64, f64),
    pub wal_bytes_max: u64,
}

impl Steady {
    /// Makes the result of samples, with times in seconds; None if there are too few samples.
    #[must_use]
    pub fn of(samples: &[(f64, Usage)]) -> Option<Self> {
        let warm = &samples[(samples.len() as f64 * WARM_UP_SHARE) as usize..];
        let quarter = warm.len() / 4;
        if quarter == 0 {
            return None;
        }
        let mean = |values: &mut dyn Iterator<Item = f64>| {
            let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
            sum / count
        };
        let files = |part: &[(f64, Usage)]| mean(&mut part.iter().map(|(_, usage)| usage.files as f64));
        // The slope of the memory by the method of least squares.
        let hours = |at_s: f64| at_s / 3_600.0;
        let mib = |usage: &Usage| usage.memory_bytes as f64 / MIB;
        let mean_h = mean(&mut warm.iter().map(|(at_s, _)| hours(*at_s)));
        let mean_mib = mean(&mut warm.iter().map(|(_, usage)| mib(usage)));
        let (rise, run) = warm.iter().fold((0.0, 0.0), |(rise, run), (at_s, usage)| {
            let from_mean = hours(*at_s) - mean_h;
            (rise + from_mean * (mib(usage) - mean_mib), run + from_mean * from_mean)
        });
        Some(Self {
            measured_s: warm[warm.len() - 1].0 - warm[0].0,
            memory_mib_per_hour: if run > 0.0 { rise / run } else { 0.0 },
            files: (files(&warm[..quarter]), files(&warm[warm.len() - quarter..])),
            wal_bytes_max: samples.iter().map(|(_, usage)| usage.wal_bytes).max().unwrap_or(0),
        })
    }

    /// Returns the result as one line.
    #[must_use]
    pub fn line(&self) -> String {
        let Self { measured_s, memory_mib_per_hour, files, wal_bytes_max } = self;
        format!(
            "memory {memory_mib_per_hour:+.2} MiB an hour over {:.1} minutes, {:.0} and then {:.0} open files besides sockets, the \
             database's log at most {:.1} MiB",
            measured_s / 60.0,
            files.0,
            files.1,
            *wal_bytes_max as f64 / MIB
        )
    }

    /// Returns a sentence if a limit is exceeded; None otherwise.
    #[must_use]
    pub fn wrong(&self) -> Option<String> {
        let is_long = self.measured_s >= SLOPE_SECONDS_MIN;
        let grows = is_long && self.memory_mib_per_hour > SLOPE_MAX;
        let leaks_files = self.files.1 > self.files.0 + FILES_MORE_MAX;
        (grows || leaks_files || self.wal_bytes_max > WAL_BYTES_MAX)
            .then(|| format!("the server does not stay as it is: {}", self.line()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of two hours, with one sample in ten seconds.
    fn hours(usage: impl Fn(f64) -> Usage) -> Steady {
        let samples: Vec<_> = (0..720).map(|tick| f64::from(tick) * 10.0).collect();
        Steady::of(&samples.into_iter().map(|at_s| (at_s, usage(at_s))).collect::<Vec<_>>()).unwrap()
    }

    fn usage(mib: f64, files: u64, wal_mib: u64) -> Usage {
        let memory_bytes = (mib * MIB) as u64;
        Usage { memory_bytes, files, wal_bytes: wal_mib * 1_048_576, ..Usage::default() }
    }

    #[test]
    fn lv10_after_the_warm_up_memory_may_grow_by_one_mebibyte_an_hour() {
        // The memory jumps during the warm-up, and rises and falls a little afterwards.
        let grows_by = |mib: f64| {
            hours(|at_s| {
                let warm = if at_s < 1_500.0 { 30.0 } else { 60.0 };
                usage(warm + mib * at_s / 3_600.0 + (at_s / 50.0).sin(), 90, 4)
            })
        };
        assert!((grows_by(0.9).memory_mib_per_hour - 0.9).abs() < 0.1);
        assert_eq!(grows_by(0.8).wrong(), None);
        assert!(grows_by(1.3).wrong().is_some_and(|why| why.contains("memory +1.")));
    }

    #[test]
    fn lv10_open_files_and_the_database_log_are_limited() {
        assert_eq!(hours(|at_s| usage(60.0, 90 + (at_s / 10.0) as u64 % 5, 60)).wrong(), None);
        assert!(hours(|at_s| usage(60.0, 90 + (at_s / 300.0) as u64, 4)).wrong().is_some());
        assert!(hours(|at_s| usage(60.0, 90, if at_s == 900.0 { 65 } else { 4 })).wrong().is_some());
        assert_eq!(Steady::of(&[]), None);
    }
}
