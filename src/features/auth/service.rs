//! Passwords, tickets, and the rate limits of signing in.

use std::net::IpAddr;

use super::guesses::{AccountKey, Counted, Guess, GuessLimits};
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
    /// Links of mails and invitations that one network address tried and that did not work.
    link_tries: AddressLimiter,
    pub(super) sign_ups: AddressLimiter,
    /// Links that guests at one network address request.
    pub(super) links: AddressLimiter,
    /// Mails to one address that others than its account request.
    pub(super) mails_to: RateLimiter<AccountKey>,
    /// Mails that one account requests.
    pub(super) mails_of: RateLimiter<UserId>,
    /// Mails that the accounts at one network address request together, so that many accounts cannot flood an address.
    pub(super) mails_from: AddressLimiter,
}

/// A counted use of a link.
pub struct LinkTry<'a> {
    service: &'a AuthService,
    address: IpAddr,
}

impl LinkTry<'_> {
    /// Takes the use back, because the link worked.
    pub fn give_back(&self) {
        self.service.link_tries.give_back(&self.address);
    }
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
            link_tries: AddressLimiter::new(RateLimit {
                count: settings.logins_per_quarter * limits::ACCOUNTS_PER_ADDRESS,
                period_ms: 15 * 60_000,
            }),
            sign_ups: AddressLimiter::new(hour(settings.sign_ups_per_hour)),
            links: AddressLimiter::new(hour(settings.mails_per_hour * limits::LINKS_PER_ADDRESS)),
            mails_to: RateLimiter::new(hour(settings.mails_per_hour)),
            mails_of: RateLimiter::new(hour(settings.mails_per_hour)),
            mails_from: AddressLimiter::new(hour(settings.mails_per_hour * limits::LINKS_PER_ADDRESS)),
        })
    }

    /// Counts a guest's use of a link of a mail, or of an invitation, before anything is read. It counts for the
    /// network address, apart from passwords: others at the same address who guess at passwords do not stop those with
    /// a link.
    ///
    /// # Errors
    /// [`Refusal::SlowDown`] after too many that did not work.
    pub fn try_link(&self, address: IpAddr, now_ms: i64) -> Result<LinkTry<'_>, Refusal> {
        self.link_tries.take(address, now_ms)?;
        Ok(LinkTry { service: self, address })
    }

    /// Checks the current password of a user. Returns the account. Only wrong passwords count: for the user, who is
    /// signed in, and not for the network address, which strangers may share.
    ///
    /// # Errors
    /// [`Refusal::NotSignedIn`] if the account is gone; [`Refusal::SlowDown`]; [`Refusal::WrongPassword`];
    /// [`Refusal::Busy`].
    pub async fn check_user(
        &self,
        user_id: UserId,
        password: String,
        readers: &Readers,
        now_ms: i64,
    ) -> Result<Account, Error> {
        let account = readers.read(move |Snapshot { sql, .. }| store::account_of(sql, user_id)).await?;
        // The account may have been deleted meanwhile.
        let account = account.ok_or(Refusal::NotSignedIn)?;
        self.check(&account, password, now_ms).await?;
        Ok(account)
    }

    /// Checks the password of the account of a signed-in user, as [`AuthService::check_user`].
    ///
    /// # Errors
    /// [`Refusal::SlowDown`]; [`Refusal::WrongPassword`]; [`Refusal::Busy`].
    pub(super) async fn check(&self, account: &Account, password: String, now_ms: i64) -> Result<(), Error> {
        let counted = self.guesses.take(Guess::SignedIn(account.me.id), now_ms)?;
        if !self.verify(counted, password, account.password_hash.clone()).await? {
            return Err(Refusal::WrongPassword.into());
        }
        Ok(())
    }

    /// Verifies the password of a guess. If it is right, or the hasher is busy, the guess does not count.
    pub(super) async fn verify(
        &self,
        counted: Counted<'_>,
        password: String,
        password_hash: String,
    ) -> Result<bool, Error> {
        let verified = self.hasher.verify(password, password_hash, counted.stranger()).await;
        match &verified {
            Ok(true) => counted.was_right(),
            Ok(false) => {}
            Err(_) => counted.give_back(),
        }
        verified
    }

    /// Does the work of a guess at an address without an account.
    pub(super) async fn pay_for_nobody(&self, counted: Counted<'_>, password: String) -> Result<(), Error> {
        let done = self.hasher.verify_nobody(password, counted.stranger()).await;
        if done.is_err() {
            counted.give_back();
        }
        done
    }
}
