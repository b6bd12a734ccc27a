//! A histogram of times. A bucket is at most one percent wide.

/// The longest time, in microseconds. A longer one counts as this.
const LONGEST_US: u64 = 3_600_000_000;

/// The number of times in each bucket.
#[derive(Clone, Debug)]
pub struct Histogram(hdrhistogram::Histogram<u64>);

impl Default for Histogram {
    fn default() -> Self {
        Self(hdrhistogram::Histogram::new_with_max(LONGEST_US, 2).expect("these bounds are valid"))
    }
}

/// Returns a time in milliseconds.
fn ms(us: u64) -> f64 {
    us as f64 / 1_000.0
}

impl Histogram {
    /// Adds a time.
    pub fn add(&mut self, us: u64) {
        self.0.saturating_record(us);
    }

    /// Returns the number of times.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.len()
    }

    /// Returns the longest time, in milliseconds.
    #[must_use]
    pub fn max_ms(&self) -> f64 {
        ms(self.0.max())
    }

    /// Returns the quantile of the times at `share`, in milliseconds; 0 if there are none.
    #[must_use]
    pub fn quantile_ms(&self, share: f64) -> f64 {
        ms(self.0.value_at_quantile(share))
    }

    /// Returns the end of each bucket that is not empty, in milliseconds, and the share of all times up to it.
    #[must_use]
    pub fn shares(&self) -> Vec<(f64, f64)> {
        self.0.iter_recorded().map(|step| (ms(step.value_iterated_to()), step.quantile())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_exact_to_a_bucket() {
        let mut histogram = Histogram::default();
        for us in 1..=10_000 {
            histogram.add(us);
        }
        for (share, ms) in [(0.5, 5.0), (0.99, 9.9), (1.0, 10.0), (0.01, 0.1)] {
            let found = histogram.quantile_ms(share);
            assert!((found / ms - 1.0).abs() < 0.01, "{share}: {found}");
        }
        assert_eq!(histogram.total(), 10_000);
        assert_eq!(Histogram::default().quantile_ms(0.5), 0.0);
        let shares = histogram.shares();
        assert!(shares.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1) && shares.last().unwrap().1 == 1.0);
    }

    #[test]
    fn a_time_beyond_the_longest_is_counted() {
        let mut histogram = Histogram::default();
        histogram.add(u64::MAX);
        assert!(histogram.total() == 1 && histogram.max_ms() >= 3_600_000.0);
    }
}
