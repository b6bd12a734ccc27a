//! Numbers that look random and are the same in every run.

/// The dice.
pub struct Dice(u64);

impl Dice {
    /// Starts at `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// Returns the next number (xorshift64*).
    pub fn roll(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Returns a key of 16 bytes.
    pub fn key(&mut self) -> [u8; 16] {
        let mut key = [0; 16];
        key[..8].copy_from_slice(&self.roll().to_be_bytes());
        key[8..].copy_from_slice(&self.roll().to_be_bytes());
        key
    }
}
