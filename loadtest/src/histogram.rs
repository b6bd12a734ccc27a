//! A histogram of times. A bucket is about three percent wide.

/// The number of buckets for each doubling.
const STEPS: usize = 32;
const BUCKETS: usize = STEPS * 40;

/// The number of times in each bucket.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
    max_us: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; BUCKETS], total: 0, max_us: 0 }
    }
}

fn bucket(us: u64) -> usize {
    let doublings = us.max(1).ilog2();
    let step = if doublings < 5 { us << (5 - doublings) } else { us >> (doublings - 5) };
    let step = usize::try_from(step).unwrap_or(0) % STEPS;
    (doublings as usize * STEPS + step).min(BUCKETS - 1)
}

/// Returns the time at which a bucket begins, in microseconds.
fn begin_of(bucket: usize) -> f64 {
    let (doublings, step) = (bucket / STEPS, bucket % STEPS);
    2_f64.powi(i32::try_from(doublings).unwrap_or(0)) * (1.0 + step as f64 / STEPS as f64)
}

impl Histogram {
    /// Adds a time.
    pub fn add(&mut self, us: u64) {
        self.counts[bucket(us)] += 1;
        self.total += 1;
        self.max_us = self.max_us.max(us);
    }

    /// Adds all times of another histogram.
    pub fn add_all(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.total += other.total;
        self.max_us = self.max_us.max(other.max_us);
    }

    /// Returns the number of times.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the longest time, in milliseconds.
    #[must_use]
    pub fn max_ms(&self) -> f64 {
        self.max_us as f64 / 1_000.0
    }

    /// Returns the quantile of the times at `share`, in milliseconds; 0 if there are none.
    #[must_use]
    pub fn quantile_ms(&self, share: f64) -> f64 {
        let wanted = (self.total as f64 * share).ceil().max(1.0) as u64;
        let mut met = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            met += count;
            if met >= wanted {
                return (begin_of(bucket + 1) / 1_000.0).min(self.max_ms());
            }
        }
        0.0
    }

    /// Returns the end of each bucket that is not empty, in milliseconds, and the share of all times below it.
    #[must_use]
    pub fn shares(&self) -> Vec<(f64, f64)> {
        let mut met = 0;
        let filled = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        filled
            .map(|(bucket, count)| {
                met += count;
                (begin_of(bucket + 1) / 1_000.0, met as f64 / self.total as f64)
            })
            .collect()
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
            assert!((found / ms - 1.0).abs() < 0.05, "{share}: {found}");
        }
        assert_eq!((histogram.total(), histogram.max_ms()), (10_000, 10.0));
        assert_eq!(Histogram::default().quantile_ms(0.5), 0.0);
        let shares = histogram.shares();
        assert!(shares.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1) && shares.last().unwrap().1 == 1.0);
    }

    #[test]
    fn two_histograms_are_added() {
        let (mut one, mut other) = (Histogram::default(), Histogram::default());
        one.add(100);
        other.add(90_000_000_000);
        one.add_all(&other);
        assert_eq!((one.total(), one.max_ms()), (2, 90_000_000.0));
    }
}
