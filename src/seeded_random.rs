//! Random numbers from a seed: the same in every run. For tests, benches and seeded data, never for secrets.
//!
//! Of the files in `src/`, only this one uses `fastrand`. Another version of it may give other numbers.

/// Numbers that look random and are the same in every run.
#[derive(Clone, Debug)]
pub struct SeededRandom(fastrand::Rng);

impl SeededRandom {
    /// Starts at a seed. Each `stream` of a seed gives different numbers.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed ^ stream.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// Returns the next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0.u64(..)
    }

    /// Returns a number below `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end.max(1))
    }

    /// Returns a number that is at least 0 and below 1.
    pub fn share(&mut self) -> f64 {
        self.0.f64()
    }

    /// Returns a key of 16 bytes.
    pub fn key(&mut self) -> [u8; 16] {
        self.0.u128(..).to_be_bytes()
    }
}
