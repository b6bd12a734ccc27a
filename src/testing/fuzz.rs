//! Test fixture: gives decoders input that is almost valid.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::random::hex;
use crate::seeded_random::SeededRandom;

/// An input above this many bytes does not grow further.
const BYTES_MAX: usize = 256 * 1024;
/// The fewest inputs of a run. A busy machine tries this many too, even if it takes longer than a run should.
const INPUTS_MIN: u64 = 100;
/// A decoder that takes this long for one input hangs.
const HANG: Duration = Duration::from_secs(5);
/// Bytes at which formats change their meaning.
const EDGES: [u8; 12] = [0, 1, 0x0a, 0x20, 0x7e, 0x7f, 0x80, 0x81, 0xc1, 0xdf, 0xfe, 0xff];

/// Gives a decoder changed copies of valid inputs, for `FUZZ_SECONDS` seconds (1 by default). `SEED` repeats a run.
///
/// # Panics
/// If the decoder panics or hangs. The message has the seed and the input.
pub fn bytes<B: AsRef<[u8]>>(valid: &[B], mut decode: impl FnMut(&[u8])) {
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

/// Does the same as [`bytes`] for a decoder of text.
pub fn text(valid: &[&str], mut decode: impl FnMut(&str)) {
    bytes(valid, |bytes| decode(&String::from_utf8_lossy(bytes)));
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
        // Makes lengths inside the input false.
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
