//! Signing up, logging in and logging out.
//!
//! Guarantees:
//! - Passwords are not hashed on the threads of actors. They appear in no log, event or key.
//! - Attempts are limited before anything is hashed: for each network address, and for each account and address. Nobody
//!   can lock another person out.
//! - Signing in changes the viewer of the open connection at once. A ticket that works once is then exchanged for the
//!   cookie.
//! - Ending a login closes its connections.
//! - A log-in from a browser that had not logged in to the account before makes a notice (`features/notices`).
//!
//! [`links`] handles links in mails, [`logins`] the list of logins, [`passkeys`] logging in with a passkey.

pub mod devices;
mod guesses;
mod hasher;
mod links;
mod logins;
mod passkeys;
pub mod rules;
pub mod service;
pub mod store;
pub mod tickets;
pub mod wire;

use sha2::{Digest, Sha256};

use crate::authz::Viewer;
use crate::db::command::{Housekeeping, KeyUse};
use crate::db::readers::Snapshot;
use crate::error::{Error, Field, Refusal};
use crate::events::{Effects, Recipients};
use crate::features::context::{App, RequestContext};
use crate::features::events::{Publication, Publish};
use crate::features::invites::store as invites;
use crate::features::profiles::rules::{NAME_BLANK, parse_optional_name};
use crate::ids::{GroupId, LoginId, Seq, UserId};
use crate::model::between::ANY_VIEWER;
use crate::model::choices::{Adders, Commenters};
use crate::model::groups::groups_of;
use crate::model::me::{FirstSteps, Me};
use crate::model::stored_replies::knows_key;
use crate::model::users::User;
use crate::random::{hex, random};
use crate::reply::Reply;
use crate::settings::{Settings, SignUps};
use crate::text;
use guesses::{AccountKey, Guess};
use rules::Email;
use store::NewLogin;
use wire::{Done, Ended, Request, SignedIn};

/// Characters of the cookies of a login and of a device: 32 bytes in hexadecimal.
const COOKIE_CHARS: usize = 64;

fn is_cookie(value: &str) -> bool {
    value.len() == COOKIE_CHARS && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The user of the keys of guests. No user has this id.
const GUEST: UserId = UserId(0);

/// The event closes the connections of the login.
impl Publish for Ended {
    fn publication(&self) -> Publication {
        (Recipients::None, Effects { closes: Some((self.login_id, self.close_code)), ..Effects::default() })
    }
}

/// Returns the hash of a password as it is stored, with the settings of the host.
///
/// # Errors
/// A fault.
pub async fn hash(settings: &Settings, password: String) -> Result<String, Error> {
    let hasher = hasher::Hasher::start(settings.password_memory_kib.0);
    hasher.map_err(|_| Error::Broken("the hashing thread does not start"))?.hash(password, None).await
}

/// Handles a request about signing in.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    match request {
        Request::SignUp(sign_up) => self::sign_up(sign_up, context).await,
        Request::LogIn(log_in) => {
            self::log_in(Email::of_account(&log_in.email), log_in.password, false, context).await
        }
        Request::BeginPasskey(_) => passkeys::begin(context),
        Request::LogInWithPasskey(log_in) => passkeys::log_in(log_in, context).await,
        Request::LogOut(_) => {
            let Viewer::User { login_id, .. } = context.viewer else {
                return Err(Refusal::NotSignedIn.into());
            };
            context.write(store::LogOut { ended: Ended::logged_out(login_id) }).await?;
            Reply::of(&Done {})
        }
        Request::RequestReset(request) => links::request_reset(request, context).await,
        Request::SendReset(request) => links::send_reset(request, context).await,
        Request::ResetPassword(request) => links::reset_password(request, context).await,
        Request::ResetPasskeys(request) => links::reset_passkeys(request, context).await,
        Request::ChangeEmail(request) => links::change_email(request, context).await,
        Request::ConfirmEmail(request) => links::confirm_email(request, context).await,
        Request::UndoEmail(request) => links::undo_email(request, context).await,
        Request::Logins(_) => logins::page(context).await,
        Request::LogOutOthers(request) => logins::log_out_others(request, context).await,
    }
}

async fn sign_up(request: wire::SignUp, context: RequestContext<'_>) -> Result<Reply, Error> {
    if context.app.settings.signup == SignUps::Closed {
        return Err(Refusal::SignUpClosed.into());
    }
    let service = &context.app.auth;
    let email = Email::parse(&request.email)?;
    rules::check_password(&request.password, &email)?;
    let name = request.name.as_deref().map(parse_optional_name).transpose()?.flatten();
    let name = name.unwrap_or_else(|| email.default_name());
    if name.is_empty() {
        return Err(Refusal::Invalid(Field::NAME, NAME_BLANK).into());
    }
    let language = request.language.map(|tag| context.app.languages.known(tag)).transpose()?;
    let settings = &context.app.settings;
    let needs_invite = settings.signup == SignUps::Invite;
    let code = request.invite.filter(|_| settings.do_invites_work());
    let code = code.map(|code| text::trim_hidden(&code).to_owned());
    let mut parts = vec![email.key.as_bytes(), name.as_bytes(), code.as_deref().unwrap_or("").as_bytes()];
    parts.extend(language.as_deref().map(str::as_bytes));
    let key = request.key.used_by(GUEST, "auth.sign_up", &parts);
    // The attempt counts before anything is read or hashed, because it reveals whether an address is taken.
    service.sign_ups.take(context.address, context.now_ms())?;
    let Before { is_taken, was_done, maker, since } = look_up(&email, &key, code.as_deref(), context).await?;
    // Somebody without an invitation does not learn which addresses have accounts.
    if needs_invite && maker.is_none() && !was_done {
        return Err(Refusal::InviteExpired.into());
    }
    if is_taken {
        return sign_up_again(was_done, email, request.password, context).await;
    }
    let made = async {
        let password_hash = service.hasher.hash(request.password.clone(), None).await?;
        let user_id = UserId(context.app.ids.make(context.now_ms()));
        let (login, ticket) = new_login(user_id, context)?;
        let mut me = Me {
            id: user_id,
            name: name.clone(),
            photo_url: None,
            email: email.text.clone(),
            pending_email: None,
            hide_numbers: false,
            listed: true,
            adders: Adders::Followers,
            commenters: Commenters::Everyone,
            language: language.clone(),
            shown_language: None,
            quiet_hours: None,
            quiet_until_ms: None,
            has_unread: false,
            first_steps: Some(FirstSteps::default()),
            inviter: None,
            is_admin: false,
            has_reports: false,
        };
        let (key, email) = (key.clone(), email.clone());
        let login_of = login.clone();
        let sign_up = store::SignUp {
            key,
            user_id,
            email,
            password_hash,
            name,
            language,
            login: login_of,
            code,
            needs_invite,
        };
        // Only the writer knows whether the invitation still worked at the commit.
        let inviter_id = context.submit(sign_up).await?.value.flatten();
        me.inviter = maker.flatten().filter(|maker| Some(maker.id) == inviter_id);
        signed_in(me, login.id, ticket, since)
    }
    .await;
    match made {
        Err(Error::Refused(Refusal::Busy)) => {
            service.sign_ups.give_back(&context.address);
            Err(Refusal::Busy.into())
        }
        // The same sign-up may have been committed a moment ago, from another connection.
        Err(Error::Refused(Refusal::EmailTaken)) => {
            let was_done = look_up(&email, &key, None, context).await?.was_done;
            sign_up_again(was_done, email, request.password, context).await
        }
        made => made,
    }
}

/// The state before a sign-up.
struct Before {
    /// Whether the address has an account.
    is_taken: bool,
    /// Whether the key was used for this sign-up.
    was_done: bool,
    /// The maker of the invitation. The outer None means that it does not work; the inner None is the host.
    maker: Option<Option<User>>,
    since: Seq,
}

async fn look_up(
    email: &Email,
    key: &KeyUse,
    code: Option<&str>,
    context: RequestContext<'_>,
) -> Result<Before, Error> {
    let (email, key, code, now_ms) = (email.clone(), key.clone(), code.map(str::to_owned), context.now_ms());
    context
        .read(move |Snapshot { sql, seq }| {
            let is_taken = store::find_account(sql, &email)?.is_some();
            let maker = code.map(|code| invites::maker_of(sql, ANY_VIEWER, &code, now_ms));
            let maker = maker.transpose()?.flatten();
            Ok(Before { is_taken, was_done: knows_key(sql, &key)?, maker, since: seq })
        })
        .await
}

/// Answers a sign-up with an address that is taken. If this sign-up was already done, its reply was lost and the client
/// repeats the request; then it logs in.
async fn sign_up_again(
    was_done: bool,
    email: Email,
    password: String,
    context: RequestContext<'_>,
) -> Result<Reply, Error> {
    if !was_done {
        return Err(Refusal::EmailTaken.into());
    }
    log_in(email, password, true, context).await
}

/// Logs in with a password. `is_sign_up` says that a sign-up is repeated.
async fn log_in(
    email: Email,
    password: String,
    is_sign_up: bool,
    context: RequestContext<'_>,
) -> Result<Reply, Error> {
    let (service, now_ms, address) = (&context.app.auth, context.now_ms(), context.address);
    let at = AccountKey::of(&email);
    // It takes a read to find out whether a device is known. For everybody else nothing is read before the guess is
    // counted.
    let claimed = context.device.token_hash.filter(|_| service.guesses.may_claim(address, now_ms));
    let mut found = None;
    let mut guess = Guess::Stranger { at, address };
    if let Some(device) = claimed {
        let read = find_account(&email, context).await?;
        if read.is_device_known {
            service.guesses.claim_was_true(address);
            guess = Guess::KnownDevice { at, device };
        }
        found = Some(read);
    }
    let counted = service.guesses.take(guess, now_ms)?;
    let found = match found {
        Some(found) => Ok(found),
        None => find_account(&email, context).await,
    };
    let Found { account, since, .. } = match found {
        Ok(found) => found,
        Err(why) => {
            counted.give_back();
            return Err(why);
        }
    };
    let Some(account) = account else {
        // An unknown address costs the same work, so that it is not cheaper to look for accounts than to guess at one.
        service.pay_for_nobody(counted, password).await?;
        return Err(match context.app.settings.login_hides_accounts {
            true => Refusal::BadCredentials.into(),
            false => Refusal::NoSuchUser.into(),
        });
    };
    if !service.verify(counted, password, account.password_hash.clone()).await? {
        return Err(Refusal::BadCredentials.into());
    }
    let (login, ticket) = new_login(account.me.id, context)?;
    let log_in = store::LogIn {
        user_id: account.me.id,
        password_hash: account.password_hash,
        login: login.clone(),
        device_hash: context.device.token_hash,
        is_sign_up,
    };
    context.write(log_in).await?;
    // There may be a mail about it.
    context.app.mail_queue.wake.notify_one();
    let mut me = account.me;
    context.app.quiet.hide(&mut me);
    signed_in(me, login.id, ticket, since)
}

/// What is stored about the account of an address.
struct Found {
    account: Option<store::Account>,
    /// Whether the client's device logged in to the account before.
    is_device_known: bool,
    /// The last write that the read includes.
    since: Seq,
}

async fn find_account(email: &Email, context: RequestContext<'_>) -> Result<Found, Error> {
    let (email, token_hash) = (email.clone(), context.device.token_hash);
    let now_ms = context.now_ms();
    context
        .read(move |Snapshot { sql, seq }| {
            let account = store::find_account(sql, &email)?;
            let is_device_known = match (&account, token_hash) {
                (Some(account), Some(hash)) => store::is_device_known(sql, &hash, account.me.id, now_ms)?,
                _ => false,
            };
            Ok(Found { account, is_device_known, since: seq })
        })
        .await
}

/// Returns the hash that is stored for the cookie of a device.
#[must_use]
pub fn device_hash(cookie: &str) -> [u8; 32] {
    Sha256::digest(cookie).into()
}

/// Returns the hash that is stored for the cookie of a login.
#[must_use]
pub fn login_hash(cookie: &str) -> [u8; 32] {
    Sha256::digest(cookie).into()
}

/// Remembers that the browser with this cookie logged in. Returns its cookie, which is new if it had none. The cookie
/// proves nothing about the user; it only gives the browser a share of guesses that strangers cannot use up.
///
/// # Errors
/// A fault, or a busy writer.
pub async fn know_device(old: Option<&str>, login_cookie: &str, app: &App) -> Result<String, Error> {
    let cookie = match old.filter(|old| is_cookie(old)) {
        Some(old) => old.to_owned(),
        None => hex(&random::<32>()?),
    };
    let known = store::KnowDevice {
        token_hash: device_hash(&cookie),
        login_hash: Sha256::digest(login_cookie).into(),
    };
    app.writer.submit(known).await?;
    Ok(cookie)
}

/// Makes a login that is not stored yet, and its ticket. The ticket is made before the write, so that nothing can be
/// refused after the write.
fn new_login(user_id: UserId, context: RequestContext<'_>) -> Result<(NewLogin, String), Error> {
    let cookie = hex(&random::<32>()?);
    let id = LoginId(context.app.ids.make(context.now_ms()));
    let token_hash = Sha256::digest(&cookie).into();
    let ticket = context.app.auth.tickets.make(cookie, user_id, context.now_ms())?;
    Ok((NewLogin { id, token_hash, device: context.device.label.clone() }, ticket))
}

fn signed_in(me: Me, login_id: LoginId, ticket: String, since: Seq) -> Result<Reply, Error> {
    let user_id = me.id;
    let mut reply = Reply::of(&SignedIn { ticket, me })?;
    reply.signed_in = Some((user_id, login_id));
    reply.seq = since;
    Ok(reply)
}

/// The result of looking up the cookie of a new connection.
pub enum Recognised {
    /// No cookie was sent.
    NoCookie,
    /// The login of the cookie has ended.
    EndedLogin,
    /// The login of the cookie is valid.
    User {
        me: Box<Me>,
        login_id: LoginId,
        groups: Vec<GroupId>,
        /// The last write that the read includes.
        since: Seq,
    },
}

/// Notes the use of a login. An error is ignored, so that a full disk or a busy writer locks nobody out.
pub async fn touch(login_id: LoginId, app: &App) {
    if let Err(why) = app.writer.submit(store::Touch { login_id }).await {
        log::debug!("the use of a login will be stored later: {why:?}");
    }
}

/// Returns whether a login lives.
///
/// # Errors
/// A database fault.
pub async fn lives(login_id: LoginId, app: &App) -> Result<bool, Error> {
    let now_ms = app.clock.now_ms();
    app.readers.read(move |Snapshot { sql, .. }| store::lives(sql, login_id, now_ms)).await
}

/// Deletes expired rows in steps. The next step begins after every worker has delivered the events of the last, so
/// that no worker falls behind the event log.
///
/// # Errors
/// A fault, or a busy writer. The remaining rows are deleted later.
pub async fn delete_expired(app: &App) -> Result<(), Error> {
    loop {
        app.writer.submit(Housekeeping(store::purge)).await?;
        let now_ms = app.clock.now_ms();
        let read = move |Snapshot { sql, seq }: Snapshot<'_>| Ok((store::has_expired(sql, now_ms)?, seq));
        let (has_expired, seq) = app.readers.read(read).await?;
        if !has_expired {
            return Ok(());
        }
        app.barrier.wait(seq).await;
    }
}

/// Ends the login of a cookie that a new cookie replaces, so that a browser has one login. Its connections close, and
/// the browser connects again with the new cookie.
///
/// # Errors
/// A database fault, or the writer's refusal.
pub async fn replace(old_cookie: &str, new_cookie: &str, app: &App) -> Result<(), Error> {
    let (token_hash, now_ms) = (Sha256::digest(old_cookie).into(), app.clock.now_ms());
    let old =
        app.readers.read(move |Snapshot { sql, .. }| store::find_login(sql, &token_hash, now_ms)).await?;
    if let Some(old) = old.filter(|_| old_cookie != new_cookie) {
        let ended = Ended::replaced(old.login_id);
        app.writer.submit(store::LogOut { ended }).await?;
    }
    Ok(())
}

/// Ends the login of a cookie, because its browser logged out. Its connections close.
///
/// # Errors
/// A database fault, or the writer's refusal. The login then goes on.
pub async fn end(cookie: &str, app: &App) -> Result<(), Error> {
    if !is_cookie(cookie) {
        return Ok(());
    }
    let (token_hash, now_ms) = (Sha256::digest(cookie).into(), app.clock.now_ms());
    let live =
        app.readers.read(move |Snapshot { sql, .. }| store::find_login(sql, &token_hash, now_ms)).await?;
    if let Some(live) = live {
        let ended = Ended::logged_out(live.login_id);
        app.writer.submit(store::LogOut { ended }).await?;
    }
    Ok(())
}

/// Looks up the login of a cookie.
///
/// # Errors
/// A database fault.
pub async fn recognise(cookie: Option<&str>, app: &App) -> Result<Recognised, Error> {
    let Some(cookie) = cookie else { return Ok(Recognised::NoCookie) };
    // A value that cannot be a login is not looked up.
    if !is_cookie(cookie) {
        return Ok(Recognised::EndedLogin);
    }
    recognise_hash(login_hash(cookie), app).await
}

/// Looks up the login whose cookie has this hash.
///
/// # Errors
/// A database fault.
pub async fn recognise_hash(token_hash: [u8; 32], app: &App) -> Result<Recognised, Error> {
    let now_ms = app.clock.now_ms();
    let read = move |Snapshot { sql, seq }: Snapshot<'_>| {
        let Some(live) = store::find_login(sql, &token_hash, now_ms)? else { return Ok(None) };
        let groups = groups_of(sql, live.me.id)?;
        Ok(Some((live, groups, seq)))
    };
    let Some((live, groups, since)) = app.readers.read(read).await? else {
        return Ok(Recognised::EndedLogin);
    };
    if live.is_stale {
        touch(live.login_id, app).await;
    }
    Ok(Recognised::User { me: Box::new(live.me), login_id: live.login_id, groups, since })
}
