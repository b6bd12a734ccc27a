//! A random number generator with a seed: its numbers are the same in every run.

/// The generator (xorshift64*).
pub struct SeededRandom(u64);

impl SeededRandom {
    /// Starts at `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// Returns the next number (xorshift64*).
    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Returns a key of 16 bytes.
    pub fn key(&mut self) -> [u8; 16] {
        let mut key = [0; 16];
        key[..8].copy_from_slice(&self.next_u64().to_be_bytes());
        key[8..].copy_from_slice(&self.next_u64().to_be_bytes());
        key
    }
}
