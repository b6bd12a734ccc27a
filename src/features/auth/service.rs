//! Passwords, tickets, and the rate limits of signing in.

use std::net::IpAddr;

use super::guesses::{Guess, GuessLimits};
use super::rules::{self, Email};
use super::store::{self, Account};
use super::{hasher, tickets};
use crate::db::readers::{Readers, Snapshot};
use crate::error::{Error, Refusal};
use crate::ids::UserId;
use crate::limits;
use crate::rate_limit::{AddressLimiter, RateLimit, RateLimiter};
use crate::settings::Settings;

/// The services that signing in needs besides the database.
pub struct AuthService {
    pub(super) hasher: hasher::Hasher,
    /// Tickets that can still be exchanged for cookies.
    pub tickets: tickets::Tickets,
    pub(super) guesses: GuessLimits,
    pub(super) sign_ups: AddressLimiter,
    /// Links that guests at one network address request.
    pub(super) links: AddressLimiter,
    /// Mails to one address that others than its account request, by the normalised address.
    pub(super) mails_to: RateLimiter<String>,
    /// Mails that one account requests.
    pub(super) mails_of: RateLimiter<UserId>,
    /// Mails that the accounts at one network address request together, so that many accounts cannot flood an address.
    pub(super) mails_from: AddressLimiter,
}

impl AuthService {
    /// Opens the service.
    ///
    /// # Errors
    /// A sentence for the host that says why it cannot start.
    pub fn open(settings: &Settings) -> Result<Self, String> {
        let hour = |count| RateLimit { count, period_ms: 3_600_000 };
        Ok(Self {
            hasher: hasher::Hasher::start(settings.password_memory_kib.0)?,
            tickets: tickets::Tickets::default(),
            guesses: GuessLimits::new(settings),
            sign_ups: AddressLimiter::new(hour(settings.sign_ups_per_hour)),
            links: AddressLimiter::new(hour(settings.mails_per_hour * limits::LINKS_PER_ADDRESS)),
            mails_to: RateLimiter::new(hour(settings.mails_per_hour)),
            mails_of: RateLimiter::new(hour(settings.mails_per_hour)),
            mails_from: AddressLimiter::new(hour(settings.mails_per_hour * limits::LINKS_PER_ADDRESS)),
        })
    }

    /// Checks the current password of a user. Returns the account. A wrong password counts as a failed log-in.
    ///
    /// # Errors
    /// [`Refusal::NotSignedIn`] if the account is gone; [`Refusal::SlowDown`]; [`Refusal::WrongPassword`];
    /// [`Refusal::Busy`].
    pub async fn check_user(
        &self,
        user_id: UserId,
        password: String,
        address: IpAddr,
        readers: &Readers,
        now_ms: i64,
    ) -> Result<Account, Error> {
        let account = readers.read(move |Snapshot { sql, .. }| store::account_of(sql, user_id)).await?;
        // The account may have been deleted meanwhile.
        let account = account.ok_or(Refusal::NotSignedIn)?;
        self.check(&account, password, address, now_ms).await?;
        Ok(account)
    }

    /// Checks the password of an account. A wrong password counts as a failed log-in.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`]; [`Refusal::WrongPassword`]; [`Refusal::Busy`].
    pub(super) async fn check(
        &self,
        account: &Account,
        password: String,
        address: IpAddr,
        now_ms: i64,
    ) -> Result<(), Error> {
        let guess = Guess {
            email_key: Email::of_account(&account.me.email).key,
            address,
            known_device: None,
            is_signed_in: true,
        };
        self.guesses.take(&guess, now_ms)?;
        let hash = account.password_hash.clone();
        if rules::is_too_long(&password) || !self.verify(&guess, password, hash).await? {
            return Err(Refusal::WrongPassword.into());
        }
        // Only wrong passwords count.
        self.guesses.was_right(&guess);
        Ok(())
    }

    /// Verifies a password. An attempt that the hasher refuses as busy does not count.
    pub(super) async fn verify(
        &self,
        guess: &Guess,
        password: String,
        password_hash: String,
    ) -> Result<bool, Error> {
        let verified = self.hasher.verify(password, password_hash, guess.stranger()).await;
        verified.inspect_err(|_| self.guesses.give_back(guess))
    }
}
