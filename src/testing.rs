//! Test fixture: input that is almost valid, for every decoder.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::random::hex;
use crate::seeded_random::SeededRandom;

/// What is longer is not made longer.
const BYTES_MAX: usize = 256 * 1024;
/// Inputs on a machine that is busy, too.
const INPUTS_MIN: u64 = 100;
/// Nothing of this size takes so long: a decoder that does hangs.
const HANG: Duration = Duration::from_secs(5);
/// Bytes at the edges of what formats distinguish.
const EDGES: [u8; 12] = [0, 1, 0x0a, 0x20, 0x7e, 0x7f, 0x80, 0x81, 0xc1, 0xdf, 0xfe, 0xff];

/// Gives a decoder changed copies of valid inputs, for `FUZZ_SECONDS` (1). `SEED` repeats a run.
///
/// # Panics
/// When the decoder panics or hangs. The message has the seed and the input.
pub fn fuzz<B: AsRef<[u8]>>(valid: &[B], mut decode: impl FnMut(&[u8])) {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().map_or(default, |text| text.parse().expect("a whole number"))
    };
    let (seed, seconds) = (number("SEED", 1), number("FUZZ_SECONDS", 1));
    let mut random = SeededRandom::new(seed, 0);
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut inputs = 0_u64;
    while inputs < INPUTS_MIN || Instant::now() < until {
        let mut bytes = valid[random.below(valid.len())].as_ref().to_vec();
        let other = valid[random.below(valid.len())].as_ref();
        for _ in 0..random.below(4) {
            change(&mut bytes, other, &mut random);
        }
        let began = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| decode(&bytes)));
        let is_in_time = began.elapsed() < HANG;
        assert!(outcome.is_ok() && is_in_time, "SEED={seed}, the input {inputs}: {}", hex(&bytes));
        inputs += 1;
    }
    println!("SEED={seed}: {inputs} inputs");
}

/// The same for a decoder of text.
pub fn fuzz_text(valid: &[&str], mut decode: impl FnMut(&str)) {
    fuzz(valid, |bytes| decode(&String::from_utf8_lossy(bytes)));
}

fn change(bytes: &mut Vec<u8>, other: &[u8], random: &mut SeededRandom) {
    let at = random.below(bytes.len() + 1);
    let length = random.below(16.min(bytes.len() - at + 1));
    match random.below(8) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 if at < bytes.len() => bytes[at] = EDGES[random.below(EDGES.len())],
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..at + length)),
        4 => bytes.insert(at, EDGES[random.below(EDGES.len())]),
        // A length that lies.
        5 => bytes[at..at + length].fill(EDGES[random.below(EDGES.len())]),
        _ if bytes.len() > BYTES_MAX => bytes.truncate(at),
        6 => {
            let again = bytes[at..].to_vec();
            bytes.splice(at..at, again);
        }
        _ => {
            let from = random.below(other.len() + 1);
            bytes.truncate(at);
            bytes.extend(&other[from..]);
        }
    }
}
