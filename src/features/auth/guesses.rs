//! The rate limits of attempts at passwords (S6).
//!
//! A *guess* is one attempt at the password of an account. A *stranger* is a client that is not signed in to the
//! account and whose device never logged in to it.
//!
//! Guarantees:
//! - An account allows `guesses_per_day` guesses a day, from all addresses together. Known devices have a share of
//!   their own, and so have those who are signed in. Nobody else can use these shares up. A known device counts as a
//!   stranger while others at its network address send more cookies of no known device than
//!   [`CLAIMS_OF_DEVICES`](limits::CLAIMS_OF_DEVICES) allows, because each claim costs a read.
//! - The guesses of one network, device or signed-in user at one account have two limits: one for a quarter of an hour,
//!   and a narrower one for a day.
//! - A guess over a limit is refused before anything is read and before its password is hashed.
//! - A stranger chooses the address that is typed, so the limits of the network come first: they bound at how many
//!   addresses it guesses, with an account or without, and so how many keys it adds to any limiter.
//! - A right password is not refused because others at the same network address guess at other accounts, unless they
//!   guess [`FIRST_TRIES_OF_NETWORK`](limits::FIRST_TRIES_OF_NETWORK) times as much as one address may.

use std::hash::Hash;
use std::net::IpAddr;

use sha2::{Digest, Sha256};

use super::rules::Email;
use crate::error::Refusal;
use crate::ids::UserId;
use crate::limits;
use crate::rate_limit::{AddressLimiter, RateLimit, RateLimiter, wide_network};
use crate::settings::Settings;

const QUARTER_MS: u64 = 15 * 60_000;
const DAY_MS: u64 = 24 * 3_600_000;

/// The hash of the normalised mail address of an account, which may not exist. It has the same size whatever was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AccountKey([u8; 32]);

impl AccountKey {
    pub fn of(email: &Email) -> Self {
        Self(Sha256::digest(&email.key).into())
    }
}

/// One attempt at the password of an account.
#[derive(Clone, Copy, Debug)]
pub enum Guess {
    Stranger {
        at: AccountKey,
        address: IpAddr,
    },
    /// A device that logged in to this account before, by the hash of its cookie.
    KnownDevice {
        at: AccountKey,
        device: [u8; 32],
    },
    /// A user who is signed in, at their own password.
    SignedIn(UserId),
}

impl Guess {
    /// Returns the network of a stranger (of 48 bits for IPv6); None if the client is no stranger.
    pub(super) fn stranger(&self) -> Option<IpAddr> {
        match *self {
            Self::Stranger { address, .. } => Some(wide_network(address).unwrap_or(address)),
            Self::KnownDevice { .. } | Self::SignedIn(_) => None,
        }
    }

    /// Returns whom the guess counts for, together with the account. A stranger counts for one or two networks.
    fn sources(&self) -> Vec<Source> {
        match *self {
            Self::Stranger { at, address } => {
                let networks = [Some(address), wide_network(address)];
                networks.into_iter().flatten().map(|network| Source::Network(network, at)).collect()
            }
            Self::KnownDevice { at, device } => vec![Source::Device(device, at)],
            Self::SignedIn(user_id) => vec![Source::User(user_id)],
        }
    }
}

/// Who guesses, and at which account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Source {
    Network(IpAddr, AccountKey),
    Device([u8; 32], AccountKey),
    /// At the own account.
    User(UserId),
}

/// The limit that a counted guess used before those of its account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Paid {
    Network(IpAddr),
    FirstTry(IpAddr, AccountKey),
    Own(Source),
}

/// A guess that was counted.
pub struct Counted<'a> {
    limits: &'a GuessLimits,
    guess: Guess,
    paid: Paid,
}

/// The rate limits of guesses.
pub struct GuessLimits {
    /// All passwords of strangers at one network address, right ones too.
    networks: AddressLimiter,
    /// Passwords of one network address beyond that limit.
    first_tries_of: AddressLimiter,
    /// Those of one network address at one account.
    first_tries: RateLimiter<(IpAddr, AccountKey)>,
    /// All passwords of a known device or a signed-in user, right ones too.
    own: RateLimiter<Source>,
    quarter: RateLimiter<Source>,
    day: RateLimiter<Source>,
    strangers: RateLimiter<AccountKey>,
    devices: RateLimiter<AccountKey>,
    users: RateLimiter<UserId>,
    /// Cookies of devices from one network address that are not of the account.
    claims: AddressLimiter,
}

impl GuessLimits {
    /// Makes the limiters from the settings of the host.
    pub fn new(settings: &Settings) -> Self {
        let count = settings.logins_per_quarter;
        let quarter = |count| RateLimit { count, period_ms: QUARTER_MS };
        let day = |count| RateLimit { count, period_ms: DAY_MS };
        // A full bucket that refills within a day allows twice its size on its first day, so strangers have 6/16 of the
        // guesses, and known devices and signed-in users 1/16 each.
        let share = |share: u64| match settings.guesses_per_day {
            0 => 0,
            guesses => (guesses * share / 16).max(1),
        };
        // A household may share one address, so an address may guess as often as ten accounts.
        let all = count * limits::ACCOUNTS_PER_ADDRESS;
        let first_tries = if count == 0 { 0 } else { limits::FIRST_TRIES_PER_QUARTER };
        Self {
            networks: AddressLimiter::new(quarter(all)),
            first_tries_of: AddressLimiter::new(quarter(all * limits::FIRST_TRIES_OF_NETWORK)),
            first_tries: RateLimiter::new(quarter(first_tries)),
            own: RateLimiter::new(quarter(all)),
            quarter: RateLimiter::new(quarter(count)),
            day: RateLimiter::new(day(count * limits::QUARTERS_OF_GUESSES_PER_DAY)),
            strangers: RateLimiter::new(day(share(6))),
            devices: RateLimiter::new(day(share(1))),
            users: RateLimiter::new(day(share(1))),
            claims: AddressLimiter::new(quarter(all * limits::CLAIMS_OF_DEVICES)),
        }
    }

    /// Returns whether a client at this network address may have its device looked up, which costs a read before
    /// anything else is counted. The claim counts until [`GuessLimits::claim_was_true`].
    pub fn may_claim(&self, address: IpAddr, now_ms: i64) -> bool {
        self.claims.take(address, now_ms).is_ok()
    }

    /// Notes that the device of a claim is known.
    pub fn claim_was_true(&self, address: IpAddr) {
        self.claims.give_back(&address);
    }

    /// Counts a guess.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`]. The guess is then not counted.
    pub fn take(&self, guess: Guess, now_ms: i64) -> Result<Counted<'_>, Refusal> {
        let paid = self.pay(&guess, now_ms)?;
        let counted = Counted { limits: self, guess, paid };
        match self.take_of_account(&guess, now_ms) {
            Ok(()) => Ok(counted),
            Err(slow) => {
                counted.give_back_payment();
                Err(slow)
            }
        }
    }

    /// Takes one from the limit that comes before those of an account.
    fn pay(&self, guess: &Guess, now_ms: i64) -> Result<Paid, Refusal> {
        let own = match *guess {
            Guess::Stranger { at, address } => return self.pay_of_network(address, at, now_ms),
            Guess::KnownDevice { at, device } => Source::Device(device, at),
            Guess::SignedIn(user_id) => Source::User(user_id),
        };
        self.own.take(own, now_ms)?;
        Ok(Paid::Own(own))
    }

    fn pay_of_network(&self, address: IpAddr, at: AccountKey, now_ms: i64) -> Result<Paid, Refusal> {
        let Err(slow) = self.networks.take(address, now_ms) else { return Ok(Paid::Network(address)) };
        if self.first_tries_of.take(address, now_ms).is_err() {
            return Err(slow);
        }
        if self.first_tries.take((address, at), now_ms).is_err() {
            self.first_tries_of.give_back(&address);
            return Err(slow);
        }
        Ok(Paid::FirstTry(address, at))
    }

    fn take_of_account(&self, guess: &Guess, now_ms: i64) -> Result<(), Refusal> {
        let sources = guess.sources();
        take_all(&self.quarter, &sources, now_ms)?;
        take_all(&self.day, &sources, now_ms).inspect_err(|_| give_back_all(&self.quarter, &sources))?;
        let of_account = match *guess {
            Guess::Stranger { at, .. } => self.strangers.take(at, now_ms),
            Guess::KnownDevice { at, .. } => self.devices.take(at, now_ms),
            Guess::SignedIn(user_id) => self.users.take(user_id, now_ms),
        };
        of_account.inspect_err(|_| {
            give_back_all(&self.quarter, &sources);
            give_back_all(&self.day, &sources);
        })
    }
}

impl Counted<'_> {
    /// Returns the network of a stranger, as [`Guess::stranger`].
    pub fn stranger(&self) -> Option<IpAddr> {
        self.guess.stranger()
    }

    /// Notes that the password was right. The guess then counts only as a password of its network, device or user,
    /// because it cost a hash.
    pub fn was_right(self) {
        self.give_back_of_account();
        // The first try at this account stays used, and that of the network is given back, so that others at this
        // address keep theirs, however many log in.
        if let Paid::FirstTry(address, _) = self.paid {
            self.limits.first_tries_of.give_back(&address);
        }
    }

    /// Takes the guess back, because no password was checked.
    pub fn give_back(self) {
        self.give_back_of_account();
        self.give_back_payment();
    }

    fn give_back_of_account(&self) {
        let (limits, sources) = (self.limits, self.guess.sources());
        give_back_all(&limits.quarter, &sources);
        give_back_all(&limits.day, &sources);
        match self.guess {
            Guess::Stranger { at, .. } => limits.strangers.give_back(&at),
            Guess::KnownDevice { at, .. } => limits.devices.give_back(&at),
            Guess::SignedIn(user_id) => limits.users.give_back(&user_id),
        }
    }

    fn give_back_payment(&self) {
        let limits = self.limits;
        match self.paid {
            Paid::Network(address) => limits.networks.give_back(&address),
            Paid::FirstTry(address, at) => {
                limits.first_tries.give_back(&(address, at));
                limits.first_tries_of.give_back(&address);
            }
            Paid::Own(own) => limits.own.give_back(&own),
        }
    }
}

/// Takes one from the bucket of each key, or nothing.
fn take_all<K: Hash + Eq + Copy>(limiter: &RateLimiter<K>, keys: &[K], now_ms: i64) -> Result<(), Refusal> {
    for (taken, key) in keys.iter().enumerate() {
        limiter.take(*key, now_ms).inspect_err(|_| give_back_all(limiter, &keys[..taken]))?;
    }
    Ok(())
}

fn give_back_all<K: Hash + Eq>(limiter: &RateLimiter<K>, keys: &[K]) {
    for key in keys {
        limiter.give_back(key);
    }
}
