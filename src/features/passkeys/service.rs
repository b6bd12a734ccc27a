//! Whether passkeys work at the address of this Mellow, and the challenges that wait for an answer.

use std::net::{IpAddr, SocketAddr};

use url::Url;

use super::challenges::Challenges;
use super::webauthn::{Adding, NewUser, Proving, Site};
use super::wire::Begun;
use crate::error::{Error, Refusal};
use crate::ids::UserId;
use crate::limits::{ACCOUNTS_PER_ADDRESS, GUEST_CHALLENGES_MAX, USER_CHALLENGES_MAX};
use crate::rate_limit::{AddressLimiter, RateLimit};
use crate::settings::{Settings, Switch};

/// The host name for which the browsers of one machine need no TLS.
const LOCAL: &str = "localhost";

/// The service, shared by all threads.
pub struct PasskeyService {
    /// Whether the host has switched passkeys on.
    is_on: bool,
    /// None if they are switched off, or cannot work at this address.
    site: Option<Site>,
    guests: Challenges<Proving>,
    users: Challenges<OfUser>,
    /// Log-ins that one network address began. Each needs a challenge, so this bounds what it can try.
    log_ins: AddressLimiter,
}

/// What a signed-in user has begun.
enum OfUser {
    Adding(NewPasskey),
    Proving(Proving),
}

/// A passkey that a device is about to make.
pub struct NewPasskey {
    pub name: String,
    pub handle: [u8; 16],
    /// The hash against which the password was checked.
    pub password_hash: String,
    adding: Adding,
}

impl NewPasskey {
    /// Returns the state of its challenge.
    #[must_use]
    pub fn adding(&self) -> &Adding {
        &self.adding
    }
}

impl PasskeyService {
    /// Opens the service of a server that listens on this address. Logs one line if people may miss passkeys.
    #[must_use]
    pub fn open(settings: &Settings, listens_on: SocketAddr) -> Self {
        let is_on = settings.passkeys == Switch::On;
        let origin = settings.public_url.origin.as_deref();
        let place = place_of(origin, listens_on.port()).filter(|_| is_on);
        let site = place.and_then(|(host, origin)| Site::open(&host, &origin));
        match &site {
            None if is_on => log::info!(
                "nobody can have passkeys here: public_url needs https and a host name; everything else works"
            ),
            Some(_) if origin.is_none() => {
                log::info!("passkeys work at http://{LOCAL}:{}, and not at an IP address", listens_on.port())
            }
            _ => {}
        }
        let quarter =
            RateLimit { count: settings.logins_per_quarter * ACCOUNTS_PER_ADDRESS, period_ms: 15 * 60_000 };
        Self {
            is_on,
            site,
            guests: Challenges::new(GUEST_CHALLENGES_MAX),
            users: Challenges::new(USER_CHALLENGES_MAX),
            log_ins: AddressLimiter::new(quarter),
        }
    }

    /// Checks that the host has switched passkeys on.
    ///
    /// # Errors
    /// [`Refusal::PasskeysOff`].
    pub fn check_on(&self) -> Result<(), Refusal> {
        if self.is_on { Ok(()) } else { Err(Refusal::PasskeysOff) }
    }

    /// Returns whether the host has switched passkeys on.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Returns the host name that passkeys made here belong to; None if they are switched off, or cannot work here.
    #[must_use]
    pub fn host(&self) -> Option<&str> {
        self.site.as_ref().map(Site::host)
    }

    /// Returns the site.
    ///
    /// # Errors
    /// [`Refusal::PasskeysOff`] if passkeys are switched off, or cannot work here.
    pub fn site(&self) -> Result<&Site, Refusal> {
        self.site.as_ref().ok_or(Refusal::PasskeysOff)
    }

    /// Begins a log-in of a guest at this network address.
    ///
    /// # Errors
    /// [`Refusal::PasskeysOff`]; [`Refusal::SlowDown`] for an address that began many log-ins.
    pub fn begin_log_in(&self, address: IpAddr, now_ms: i64) -> Result<Begun, Error> {
        let site = self.site()?;
        self.log_ins.take(address, now_ms)?;
        let begun = site.begin_proof(&[]).and_then(|(options, proving)| {
            Ok(Begun { challenge: self.guests.begin(None, proving, now_ms)?, options })
        });
        if begun.is_err() {
            self.log_ins.give_back(&address);
        }
        begun
    }

    /// Takes the state of a log-in that a guest began; None if there is none any more.
    pub fn take_log_in(&self, challenge: &str, now_ms: i64) -> Option<Proving> {
        self.guests.take(None, challenge, now_ms)
    }

    /// Notes that a log-in from this address worked. It then does not count.
    pub fn logged_in(&self, address: IpAddr) {
        self.log_ins.give_back(&address);
    }

    /// Begins a new passkey of a user. `known` are the stored passkeys that the user has here.
    ///
    /// # Errors
    /// [`Refusal::PasskeysOff`].
    pub fn begin_add(
        &self,
        user_id: UserId,
        user: &NewUser<'_>,
        name: String,
        password_hash: String,
        known: &[String],
        now_ms: i64,
    ) -> Result<Begun, Error> {
        let (options, adding) = self.site()?.begin_add(user, known)?;
        let new = NewPasskey { name, handle: user.handle, password_hash, adding };
        let challenge = self.users.begin(Some(user_id), OfUser::Adding(new), now_ms)?;
        Ok(Begun { challenge, options })
    }

    /// Takes the passkey that a user began to add with this challenge; None if there is none any more.
    pub fn take_add(&self, user_id: UserId, challenge: &str, now_ms: i64) -> Option<NewPasskey> {
        match self.users.take(Some(user_id), challenge, now_ms)? {
            OfUser::Adding(new) => Some(new),
            OfUser::Proving(_) => None,
        }
    }

    /// Begins the use of one of a user's passkeys, by their ids.
    ///
    /// # Errors
    /// [`Refusal::PasskeysOff`].
    pub fn begin_use(&self, user_id: UserId, own: &[Vec<u8>], now_ms: i64) -> Result<Begun, Error> {
        let (options, proving) = self.site()?.begin_proof(own)?;
        let challenge = self.users.begin(Some(user_id), OfUser::Proving(proving), now_ms)?;
        Ok(Begun { challenge, options })
    }

    /// Takes the state of the use that a user began with this challenge; None if there is none any more.
    pub fn take_use(&self, user_id: UserId, challenge: &str, now_ms: i64) -> Option<Proving> {
        match self.users.take(Some(user_id), challenge, now_ms)? {
            OfUser::Proving(proving) => Some(proving),
            OfUser::Adding(_) => None,
        }
    }
}

/// Returns the host name of passkeys and the origin of the pages (D-V2); None if they cannot work at this address.
/// Browsers require TLS and a host name, which is no IP address. On the machine itself `localhost` is enough.
fn place_of(public_url: Option<&str>, port: u16) -> Option<(String, String)> {
    let Some(origin) = public_url else { return Some((LOCAL.into(), format!("http://{LOCAL}:{port}"))) };
    let url = Url::parse(origin).ok()?;
    let host = url.domain()?;
    (url.scheme() == "https" || host == LOCAL).then(|| (host.to_owned(), origin.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d_v2_passkeys_belong_to_the_host_name_of_public_url_or_to_localhost() {
        let place = |public_url: Option<&str>| place_of(public_url, 8080);
        let some = |host: &str, origin: &str| Some((host.to_owned(), origin.to_owned()));
        assert_eq!(place(None), some("localhost", "http://localhost:8080"));
        for (origin, host) in [
            ("https://mellow.example", "mellow.example"),
            ("https://mellow.example:8443", "mellow.example"),
            ("https://xn--msli-0ra.example", "xn--msli-0ra.example"),
            ("http://localhost:81", "localhost"),
            ("http://localhost", "localhost"),
        ] {
            assert_eq!(place(Some(origin)), some(host, origin));
        }
        for origin in
            ["http://mellow.example", "https://127.0.0.1", "http://127.0.0.1:8080", "https://[::1]:8443"]
        {
            assert_eq!(place(Some(origin)), None, "{origin}");
        }
    }
}
