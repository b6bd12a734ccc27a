//! Random numbers from a seed: the same in every run. For load tests and seeded data, never for secrets.

/// Numbers that look random and are the same in every run (xorshift64*).
#[derive(Clone, Debug)]
pub struct SeededRandom(u64);

impl SeededRandom {
    /// Starts at a seed. Each `stream` of a seed gives different numbers.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut random = Self((seed ^ stream.wrapping_mul(0x9e37_79b9_7f4a_7c15)) | 1);
        random.next_u64();
        random
    }

    /// Returns the next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Returns a number below `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next_u64() >> 33).unwrap_or(0) % end.max(1)
    }

    /// Returns a number that is at least 0 and below 1.
    pub fn share(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a key of 16 bytes.
    pub fn key(&mut self) -> [u8; 16] {
        let mut key = [0; 16];
        key[..8].copy_from_slice(&self.next_u64().to_be_bytes());
        key[8..].copy_from_slice(&self.next_u64().to_be_bytes());
        key
    }
}
