//! Signing up, in and out: who somebody is, proved once and kept in a cookie no script can read.
//!
//! Promises:
//! - Passwords are hashed off the actors' threads and are in no log, event or key.
//! - Attempts are throttled before anything is hashed, per address and per account at an address,
//!   so nobody can lock somebody else out.
//! - A sign-in upgrades its socket at once; the cookie comes from a ticket that works once.
//! - Ending a login closes its sockets.
//!
//! What links in mails do is in [`links`], one's list of logins in [`logins`].

pub mod devices;
mod hasher;
mod links;
mod logins;
pub mod rules;
pub mod store;
pub mod tickets;
pub mod wire;

use std::net::IpAddr;

use sha2::{Digest, Sha256};

use super::kit::{Answer, App, Ask, Publication, Turn, hex, random};
use super::people;
use super::views::{Me, groups_of, knows_key};
use crate::access::Viewer;
use crate::config::{Config, SignUps};
use crate::db::command::KeyUse;
use crate::db::readers::Snapshot;
use crate::error::{Error, Field, Refusal, Sentence};
use crate::events::{Effects, Recipients};
use crate::ids::{GroupId, LoginId, Seq, UserId};
use crate::limits;
use crate::pace::{Pace, Paces};
use rules::Email;
use store::NewLogin;
use wire::{Done, Request, SignedIn};

/// Whose keys a guest's are: no user has this id.
const NOBODY: UserId = UserId(0);

/// A login is over.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// Which.
    pub login_id: LoginId,
    close_code: u16,
}

impl Ended {
    /// Its person said so, in this browser.
    #[must_use]
    pub fn logged_out(login_id: LoginId) -> Self {
        Self { login_id, close_code: 4001 }
    }

    /// Its account is gone.
    #[must_use]
    pub fn with_its_account(login_id: LoginId) -> Self {
        Self { login_id, close_code: 4003 }
    }

    /// It was ended elsewhere or ran out.
    #[must_use]
    pub fn elsewhere(login_id: LoginId) -> Self {
        Self { login_id, close_code: 4002 }
    }
}

/// Returns whose sockets close.
#[must_use]
pub fn ended_publication(ended: &Ended) -> Publication {
    (Recipients::Nobody, Effects { closes: Some((ended.login_id, ended.close_code)), ..Effects::default() })
}

/// What signing in needs beyond the database.
pub struct Desk {
    hasher: hasher::Hasher,
    /// Tickets that may still become cookies.
    pub tickets: tickets::Tickets,
    guesses: Paces<(IpAddr, String)>,
    attempts: Paces<IpAddr>,
    sign_ups: Paces<IpAddr>,
    /// Links asked for by guests.
    links: Paces<IpAddr>,
    /// Mails to one address that others than its own account cause, compared as addresses are.
    mails_to: Paces<String>,
    /// Mails that one account causes.
    mails_of: Paces<UserId>,
    /// Mails that the accounts at one network address cause: whoever makes many of them floods nobody.
    mails_from: Paces<IpAddr>,
}

impl Desk {
    /// Opens the desk.
    ///
    /// # Errors
    /// A sentence for the host.
    pub fn open(config: &Config) -> Result<Self, String> {
        let quarter = |count| Paces::new(Pace { count, period_ms: 15 * 60_000 });
        let hour = |count| Pace { count, period_ms: 3_600_000 };
        Ok(Self {
            hasher: hasher::Hasher::start(config.password_memory_kib.0)?,
            tickets: tickets::Tickets::default(),
            guesses: Paces::new(Pace { count: config.logins_per_quarter, period_ms: 15 * 60_000 }),
            // One address may serve a household, so it gets ten accounts' worth.
            attempts: quarter(config.logins_per_quarter * 10),
            sign_ups: Paces::new(hour(config.sign_ups_per_hour)),
            links: Paces::new(hour(config.mails_per_hour * limits::LINKS_PER_ADDRESS)),
            mails_to: Paces::new(hour(config.mails_per_hour)),
            mails_of: Paces::new(hour(config.mails_per_hour)),
            mails_from: Paces::new(hour(config.mails_per_hour * limits::LINKS_PER_ADDRESS)),
        })
    }

    /// Has the viewer prove with the current password who they are; returns their account. Guesses are
    /// counted with those at the log-in.
    ///
    /// # Errors
    /// [`Refusal::NotSignedIn`]; [`Refusal::SlowDown`]; [`Refusal::WrongPassword`]; busy.
    pub async fn prove(&self, password: String, ask: Ask<'_>) -> Result<store::Account, Error> {
        let user_id = ask.user()?;
        let account = ask.read(move |Snapshot { sql, .. }| store::account_of(sql, user_id)).await?;
        // An account may have ended a moment ago.
        let account = account.ok_or(Refusal::NotSignedIn)?;
        self.check(&account, password, ask).await?;
        Ok(account)
    }

    /// Checks the viewer's password, as [`Desk::prove`] does.
    async fn check(&self, account: &store::Account, password: String, ask: Ask<'_>) -> Result<(), Error> {
        let guess = (ask.address, account.me.email.to_lowercase());
        self.attempts.take(ask.address, ask.now_ms())?;
        if let Err(slow) = self.guesses.take(guess.clone(), ask.now_ms()) {
            self.attempts.give_back(&ask.address);
            return Err(slow.into());
        }
        let hash = account.password_hash.clone();
        if text_too_long(&password) || !self.verify(&guess, password, hash).await? {
            return Err(Refusal::WrongPassword.into());
        }
        // The right one is no guess.
        self.guesses.give_back(&guess);
        Ok(())
    }

    /// As the hasher does; one that it has no time for is no guess either.
    async fn verify(
        &self,
        guess: &(IpAddr, String),
        password: String,
        password_hash: String,
    ) -> Result<bool, Error> {
        self.hasher.verify(password, password_hash).await.inspect_err(|_| {
            self.guesses.give_back(guess);
            self.attempts.give_back(&guess.0);
        })
    }
}

/// Answers what is asked about signing in.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    match request {
        Request::SignUp(sign_up) => self::sign_up(sign_up, ask).await,
        Request::LogIn(log_in) => {
            let email = Email::parse(&log_in.email).map_err(|_| Refusal::NoSuchUser);
            self::log_in(email, log_in.password, ask).await
        }
        Request::LogOut(_) => {
            let Viewer::User { login_id, .. } = ask.viewer else {
                return Err(Refusal::NotSignedIn.into());
            };
            ask.write(store::LogOut { ended: Ended::logged_out(login_id) }).await?;
            Answer::of(&Done {})
        }
        Request::RequestReset(asked) => links::request_reset(asked, ask).await,
        Request::SendReset(asked) => links::send_reset(asked, ask).await,
        Request::ResetPassword(asked) => links::reset_password(asked, ask).await,
        Request::ChangeEmail(asked) => links::change_email(asked, ask).await,
        Request::ConfirmEmail(asked) => links::confirm_email(asked, ask).await,
        Request::UndoEmail(asked) => links::undo_email(asked, ask).await,
        Request::Logins(_) => logins::page(ask).await,
        Request::LogOutOthers(asked) => logins::log_out_others(asked, ask).await,
    }
}

async fn sign_up(asked: wire::SignUp, ask: Ask<'_>) -> Result<Answer, Error> {
    if ask.app.config.signup == SignUps::Closed {
        return Err(Refusal::SignUpClosed.into());
    }
    let desk = &ask.app.desk;
    let email = Email::parse(&asked.email)?;
    rules::check_password(&asked.password, &email)?;
    let name = asked.name.as_deref().map(people::parse_name).transpose()?.flatten();
    let name = name.unwrap_or_else(|| email.default_name());
    if name.is_empty() {
        return Err(Refusal::Invalid(Field::Name, Sentence::NameBlank).into());
    }
    let key = asked.key.used_by(NOBODY, "auth.sign_up", &[email.key.as_bytes(), name.as_bytes()]);
    // Before anything is looked up or hashed: asking whether an address is taken has its price, too.
    desk.sign_ups.take(ask.address, ask.now_ms())?;
    let Before { is_taken, was_done, since } = look_up(&email, &key, ask).await?;
    if is_taken {
        return sign_up_again(was_done, email, asked.password, ask).await;
    }
    let made = async {
        let password_hash = desk.hasher.hash(asked.password.clone()).await?;
        let (login, ticket) = new_login(ask)?;
        let user_id = UserId(ask.app.ids.make(ask.now_ms()));
        let me = Me {
            id: user_id,
            name: name.clone(),
            photo_url: None,
            email: email.text.clone(),
            pending_email: None,
            hide_numbers: false,
            has_unread: false,
        };
        let (key, email) = (key.clone(), email.clone());
        let sign_up = store::SignUp { key, user_id, email, password_hash, name, login: login.clone() };
        ask.write(sign_up).await?;
        signed_in(me, login.id, ticket, since)
    }
    .await;
    match made {
        Err(Error::Refused(Refusal::Busy)) => {
            desk.sign_ups.give_back(&ask.address);
            Err(Refusal::Busy.into())
        }
        // The same sign-up may have come a moment before, on another socket.
        Err(Error::Refused(Refusal::EmailTaken)) => {
            let was_done = look_up(&email, &key, ask).await?.was_done;
            sign_up_again(was_done, email, asked.password, ask).await
        }
        made => made,
    }
}

/// What a sign-up finds.
struct Before {
    /// Has its address an account?
    is_taken: bool,
    /// Was its key used for this sign-up?
    was_done: bool,
    since: Seq,
}

async fn look_up(email: &Email, key: &KeyUse, ask: Ask<'_>) -> Result<Before, Error> {
    let (email, key) = (email.clone(), key.clone());
    ask.read(move |Snapshot { sql, seq }| {
        let is_taken = store::find_account(sql, &email)?.is_some();
        Ok(Before { is_taken, was_done: knows_key(sql, &key)?, since: seq })
    })
    .await
}

/// The answer to a first try may have been lost on the way: then the same key comes again.
async fn sign_up_again(
    was_done: bool,
    email: Email,
    password: String,
    ask: Ask<'_>,
) -> Result<Answer, Error> {
    if !was_done {
        return Err(Refusal::EmailTaken.into());
    }
    log_in(Ok(email), password, ask).await
}

async fn log_in(email: Result<Email, Refusal>, password: String, ask: Ask<'_>) -> Result<Answer, Error> {
    let desk = &ask.app.desk;
    let now_ms = ask.now_ms();
    let hides = ask.app.config.login_hides_accounts;
    let guess = (ask.address, email.as_ref().map_or_else(|_| String::new(), |email| email.key.clone()));
    desk.attempts.take(ask.address, now_ms)?;
    if let Err(slow) = desk.guesses.take(guess.clone(), now_ms) {
        desk.attempts.give_back(&ask.address);
        return Err(slow.into());
    }
    if text_too_long(&password) {
        return Err(Refusal::BadCredentials.into());
    }
    let (account, since) = match &email {
        Ok(email) => find_account(email, ask).await?,
        Err(_) => (None, Seq(0)),
    };
    let Some(account) = account else {
        if hides {
            // The same words after the same work.
            desk.hasher.hash(password).await?;
            return Err(Refusal::BadCredentials.into());
        }
        return Err(Refusal::NoSuchUser.into());
    };
    if !desk.verify(&guess, password, account.password_hash.clone()).await? {
        return Err(Refusal::BadCredentials.into());
    }
    // The right password is no guess. The address keeps its attempt: each costs a hash and a login.
    desk.guesses.give_back(&guess);
    let (login, ticket) = new_login(ask)?;
    let log_in =
        store::LogIn { user_id: account.me.id, password_hash: account.password_hash, login: login.clone() };
    ask.write(log_in).await?;
    signed_in(account.me, login.id, ticket, since)
}

fn text_too_long(password: &str) -> bool {
    crate::text::count(password) > limits::PASSWORD_CHARS_MAX
}

/// Returns the account of an address, and what was known when we looked.
async fn find_account(email: &Email, ask: Ask<'_>) -> Result<(Option<store::Account>, Seq), Error> {
    let email = email.clone();
    ask.read(move |Snapshot { sql, seq }| Ok((store::find_account(sql, &email)?, seq))).await
}

/// Returns a login that is to be stored, and its ticket: made before the write, so that nothing is refused after it.
fn new_login(ask: Ask<'_>) -> Result<(NewLogin, String), Error> {
    let cookie = hex(&random::<32>()?);
    let id = LoginId(ask.app.ids.make(ask.now_ms()));
    let token_hash = Sha256::digest(&cookie).into();
    let ticket = ask.app.desk.tickets.make(cookie, ask.now_ms())?;
    Ok((NewLogin { id, token_hash, device: ask.device.to_owned() }, ticket))
}

fn signed_in(me: Me, login_id: LoginId, ticket: String, since: Seq) -> Result<Answer, Error> {
    let user_id = me.id;
    let mut answer = Answer::of(&SignedIn { ticket, me })?;
    answer.turn = Some(Turn::SignedIn(user_id, login_id));
    answer.seq = since;
    Ok(answer)
}

/// What a cookie says about a new socket.
pub enum Recognised {
    /// No cookie.
    Nobody,
    /// A cookie whose login is over.
    Former,
    /// Somebody.
    Somebody {
        /// Who.
        me: Me,
        /// By which login.
        login_id: LoginId,
        /// In which groups.
        groups: Vec<GroupId>,
        /// What was known when we looked.
        since: Seq,
    },
}

/// Notes that a login is in use. A disk that is full or a writer that is busy keeps nobody out.
pub async fn touch(login_id: LoginId, app: &App) {
    if let Err(why) = app.writer.submit(Box::new(store::Touch { login_id })).await {
        log::debug!("the use of a login is noted later: {why:?}");
    }
}

/// Deletes what has expired: some at a time, and the next when every worker has delivered the events of the last, so
/// that no worker falls out of the event log.
///
/// # Errors
/// A fault, or a writer that has too much to do: what is left is deleted later.
pub async fn delete_expired(app: &App) -> Result<(), Error> {
    loop {
        app.writer.submit(Box::new(store::Purge)).await?;
        let now_ms = app.clock.now_ms();
        let read = move |Snapshot { sql, seq }: Snapshot<'_>| Ok((store::has_expired(sql, now_ms)?, seq));
        let (has_expired, seq) = app.readers.read(read).await?;
        if !has_expired {
            return Ok(());
        }
        app.barrier.wait(seq).await;
    }
}

/// Ends the login of a cookie that another replaces, so that one browser has one login. Its sockets
/// come back with the new cookie.
///
/// # Errors
/// A database fault, or the writer's refusal.
pub async fn replace(old_cookie: &str, new_cookie: &str, app: &App) -> Result<(), Error> {
    let (token_hash, now_ms) = (Sha256::digest(old_cookie).into(), app.clock.now_ms());
    let old =
        app.readers.read(move |Snapshot { sql, .. }| store::find_login(sql, &token_hash, now_ms)).await?;
    if let Some(old) = old.filter(|_| old_cookie != new_cookie) {
        let ended = Ended { login_id: old.login_id, close_code: 1012 };
        app.writer.submit(Box::new(store::LogOut { ended })).await?;
    }
    Ok(())
}

/// Looks a cookie up.
///
/// # Errors
/// A database fault.
pub async fn recognise(cookie: Option<&str>, app: &App) -> Result<Recognised, Error> {
    let Some(cookie) = cookie else { return Ok(Recognised::Nobody) };
    let (token_hash, now_ms) = (Sha256::digest(cookie).into(), app.clock.now_ms());
    let read = move |Snapshot { sql, seq }: Snapshot<'_>| {
        let Some(live) = store::find_login(sql, &token_hash, now_ms)? else { return Ok(None) };
        let groups = groups_of(sql, live.me.id)?;
        Ok(Some((live, groups, seq)))
    };
    let Some((live, groups, since)) = app.readers.read(read).await? else { return Ok(Recognised::Former) };
    if live.is_stale {
        touch(live.login_id, app).await;
    }
    Ok(Recognised::Somebody { me: live.me, login_id: live.login_id, groups, since })
}
