//! The rate limits of attempts at passwords (S6).
//!
//! A *guess* is one attempt at the password of an account. A *stranger* is a client that is not signed in to the
//! account and whose device never logged in to it.
//!
//! Guarantees:
//! - An account allows `guesses_per_day` guesses a day, from all addresses together. Its user and known devices have a
//!   share of their own, which strangers cannot use up.
//! - The guesses of one network or device at one account have two limits: one for a quarter of an hour, and a narrower
//!   one for a day.
//! - A right password is not refused because others at the same network address guess at other accounts.
//! - A guess over a limit is refused before its password is hashed.

use std::hash::Hash;
use std::net::IpAddr;

use crate::error::Refusal;
use crate::limits;
use crate::rate_limit::{AddressLimiter, RateLimit, RateLimiter, wide_network};
use crate::settings::Settings;

const QUARTER_MS: u64 = 15 * 60_000;
const DAY_MS: u64 = 24 * 3_600_000;

/// One attempt at the password of an account.
#[derive(Clone, Debug)]
pub struct Guess {
    /// The normalised mail address of the account. The account may not exist.
    pub email_key: String,
    pub address: IpAddr,
    /// The hash of the device's cookie, if the device logged in to this account before.
    pub known_device: Option<[u8; 32]>,
    /// Whether the viewer is signed in to this account.
    pub is_signed_in: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Source {
    Device([u8; 32]),
    Network(IpAddr),
}

impl Guess {
    fn is_stranger(&self) -> bool {
        self.known_device.is_none() && !self.is_signed_in
    }

    /// Returns the network of a stranger (of 48 bits for IPv6); None if the client is no stranger.
    pub(super) fn stranger(&self) -> Option<IpAddr> {
        self.is_stranger().then(|| wide_network(self.address).unwrap_or(self.address))
    }

    fn sources(&self) -> Vec<(Source, String)> {
        let networks = [Some(self.address), wide_network(self.address)];
        let sources = match self.known_device {
            Some(device) => vec![Source::Device(device)],
            None => networks.into_iter().flatten().map(Source::Network).collect(),
        };
        sources.into_iter().map(|source| (source, self.email_key.clone())).collect()
    }
}

/// The rate limits of guesses.
pub struct GuessLimits {
    /// All guesses and uses of links of one network address.
    pub attempts: AddressLimiter,
    first_tries: RateLimiter<(IpAddr, String)>,
    quarter: RateLimiter<(Source, String)>,
    day: RateLimiter<(Source, String)>,
    strangers: RateLimiter<String>,
    known: RateLimiter<String>,
}

impl GuessLimits {
    /// Makes the limiters from the settings of the host.
    pub fn new(settings: &Settings) -> Self {
        let count = settings.logins_per_quarter;
        // A full bucket that refills within a day allows twice its size on its first day. So strangers have 6/16 of the
        // guesses, and others 2/16.
        let of_day = |share: u64| match settings.guesses_per_day {
            0 => 0,
            guesses => (guesses * share / 16).max(1),
        };
        let first_tries = if count == 0 { 0 } else { limits::FIRST_TRIES_PER_QUARTER };
        Self {
            // A household may share one address, so an address may guess as often as ten accounts.
            attempts: AddressLimiter::new(RateLimit { count: count * 10, period_ms: QUARTER_MS }),
            first_tries: RateLimiter::new(RateLimit { count: first_tries, period_ms: QUARTER_MS }),
            quarter: RateLimiter::new(RateLimit { count, period_ms: QUARTER_MS }),
            day: RateLimiter::new(RateLimit {
                count: count * limits::QUARTERS_OF_GUESSES_PER_DAY,
                period_ms: DAY_MS,
            }),
            strangers: RateLimiter::new(RateLimit { count: of_day(6), period_ms: DAY_MS }),
            known: RateLimiter::new(RateLimit { count: of_day(2), period_ms: DAY_MS }),
        }
    }

    /// Counts a guess.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`]. The guess is then not counted.
    pub fn take(&self, guess: &Guess, now_ms: i64) -> Result<(), Refusal> {
        let first_try = (guess.address, guess.email_key.clone());
        let mut is_first_try = false;
        let may_try = match self.attempts.take(guess.address, now_ms) {
            Err(slow) if guess.known_device.is_none() => {
                is_first_try = true;
                self.first_tries.take(first_try.clone(), now_ms).map_err(|_| slow)
            }
            _ => Ok(()),
        };
        may_try?;
        self.take_of_account(guess, now_ms).inspect_err(|_| {
            if is_first_try {
                self.first_tries.give_back(&first_try);
            } else {
                self.attempts.give_back(&guess.address);
            }
        })
    }

    fn take_of_account(&self, guess: &Guess, now_ms: i64) -> Result<(), Refusal> {
        let sources = guess.sources();
        take_all(&self.quarter, &sources, now_ms)?;
        take_all(&self.day, &sources, now_ms).inspect_err(|_| give_back_all(&self.quarter, &sources))?;
        self.of_account(guess).take(guess.email_key.clone(), now_ms).inspect_err(|_| {
            give_back_all(&self.quarter, &sources);
            give_back_all(&self.day, &sources);
        })
    }

    fn of_account(&self, guess: &Guess) -> &RateLimiter<String> {
        if guess.is_stranger() { &self.strangers } else { &self.known }
    }

    /// Notes that the password was right. The guess then counts for the network address alone, because it cost a hash.
    pub fn was_right(&self, guess: &Guess) {
        let sources = guess.sources();
        give_back_all(&self.quarter, &sources);
        give_back_all(&self.day, &sources);
        self.of_account(guess).give_back(&guess.email_key);
    }

    /// Takes the guess back, because no password was checked.
    pub fn give_back(&self, guess: &Guess) {
        self.was_right(guess);
        self.attempts.give_back(&guess.address);
    }
}

/// Takes one from the bucket of each key, or nothing.
fn take_all<K: Hash + Eq + Clone>(limiter: &RateLimiter<K>, keys: &[K], now_ms: i64) -> Result<(), Refusal> {
    for (taken, key) in keys.iter().enumerate() {
        limiter.take(key.clone(), now_ms).inspect_err(|_| give_back_all(limiter, &keys[..taken]))?;
    }
    Ok(())
}

fn give_back_all<K: Hash + Eq>(limiter: &RateLimiter<K>, keys: &[K]) {
    for key in keys {
        limiter.give_back(key);
    }
}
