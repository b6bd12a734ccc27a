//! Passkeys (WebAuthn): a second way to log in, beside the password, which stays.
//!
//! Guarantees:
//! - A passkey is added with the current password, and removed with it or with any passkey of the same user. Neither
//!   ends a login.
//! - It works at the host name for which it was made, and nowhere else.
//! - Public keys, counters, the ids of devices and the handles of users are in no reply of the list, event, archive or
//!   log line. The options for a device name the user's own ids and handle, for the user alone.
//! - A challenge works once, for five minutes ([`challenges`]).
//! - A signature is checked before the write that relies on it, and the write checks that the passkey is still the same
//!   ([`store::Proof`]).
//!
//! `auth` logs guests in with a passkey.

mod challenges;
pub mod proof;
mod rules;
pub mod service;
pub mod store;
mod webauthn;
pub mod wire;

use crate::authz::Viewer;
use crate::db::readers::Snapshot;
use crate::error::{Error, Field, Refusal};
use crate::events::{Effects, Recipients};
use crate::features::context::{App, RequestContext};
use crate::features::events::{Publication, Publish};
use crate::ids::UserId;
use crate::random::random;
use crate::reply::Reply;
use store::{NewPasskey, PASSKEY_NOT_ADDED, Shown, Stored};
use webauthn::NewUser;
use wire::{Changed, Listed, Request};

/// Publishes a change to the user's own connections.
impl Publish for Changed {
    fn publication(&self) -> Publication {
        (Recipients::users([self.user_id]), Effects::default())
    }
}

/// Handles a request about the viewer's passkeys.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let Viewer::User { user_id, login_id } = context.viewer else { return Err(Refusal::NotSignedIn.into()) };
    let service = &context.app.passkeys;
    match request {
        Request::List(_) => list(user_id, context).await,
        Request::BeginAdd(begin) => begin_add(begin, user_id, context).await,
        Request::FinishAdd(finish) => {
            service.check_on()?;
            let wire::FinishAdd { key, challenge, response } = finish;
            let key =
                key.used_by(user_id, "passkeys.finish_add", &[challenge.as_bytes(), response.as_bytes()]);
            let new = made(user_id, &challenge, &response, context);
            let reply = context.write(store::Add { key, user_id, login_id, new }).await?;
            context.app.mail_queue.wake.notify_one();
            Ok(reply)
        }
        Request::Rename(rename) => {
            let host = service.site()?.host().to_owned();
            let name = rules::parse_name(&rename.name)?;
            let id = rename.passkey_id;
            let parts: [&[u8]; 2] = [&id.0.to_be_bytes(), name.as_bytes()];
            let key = rename.key.used_by(user_id, "passkeys.rename", &parts);
            context.write(store::Rename { key, user_id, id, name, host }).await
        }
        Request::BeginUse(_) => begin_use(user_id, context).await,
        Request::Remove(remove) => {
            service.check_on()?;
            let wire::Remove { key, passkey_id: id, password, challenge, response } = remove;
            let key = key.used_by(user_id, "passkeys.remove", &[&id.0.to_be_bytes()]);
            let shown = match (password, challenge, response) {
                (Some(password), None, None) => Ok(Shown::Password(
                    context
                        .app
                        .auth
                        .check_user(user_id, password, &context.app.readers, context.now_ms())
                        .await?
                        .password_hash,
                )),
                (None, Some(challenge), Some(response)) => {
                    let proving = service.take_use(user_id, &challenge, context.now_ms());
                    match proof::of(proving, &response, context.app).await {
                        Ok(proof) => Ok(Shown::Passkey(proof)),
                        Err(Error::Refused(refusal)) => Err(refusal),
                        Err(fault) => return Err(fault),
                    }
                }
                _ => return Err(Refusal::BadRequest.into()),
            };
            let reply = context.write(store::Remove { key, user_id, login_id, id, shown }).await?;
            context.app.mail_queue.wake.notify_one();
            Ok(reply)
        }
    }
}

/// Lists the viewer's passkeys. Nothing is shown if they are switched off.
async fn list(user_id: UserId, context: RequestContext<'_>) -> Result<Reply, Error> {
    let service = &context.app.passkeys;
    let (is_on, host) = (service.is_on(), service.host().map(str::to_owned));
    context
        .read(move |Snapshot { sql, seq }| {
            let passkeys = match is_on {
                true => store::list(sql, user_id, host.as_deref())?,
                false => Vec::new(),
            };
            Reply::read(&Listed { passkeys, available: host.is_some(), seq }, seq)
        })
        .await
}

/// Begins a new passkey, after the password was checked.
async fn begin_add(
    request: wire::BeginAdd,
    user_id: UserId,
    context: RequestContext<'_>,
) -> Result<Reply, Error> {
    let App { passkeys: service, auth, readers, .. } = context.app;
    let host = service.site()?.host().to_owned();
    let name = rules::parse_name(&request.name)?;
    let account = auth.check_user(user_id, request.password, readers, context.now_ms()).await?;
    let (known, handle) = context
        .read(move |Snapshot { sql, .. }| {
            store::check_count(store::count(sql, user_id)? + 1)?;
            Ok((store::of_user(sql, user_id, &host)?, store::handle_of(sql, user_id)?))
        })
        .await?;
    let known: Vec<String> = known.into_iter().map(|Stored { credential, .. }| credential).collect();
    let handle = match handle {
        Some(handle) => handle,
        None => random()?,
    };
    let user = NewUser { handle, email: &account.me.email, name: &account.me.name };
    let begun = service.begin_add(user_id, &user, name, account.password_hash, &known, context.now_ms())?;
    Reply::of(&begun)
}

/// Returns the passkey that a device has made for a challenge.
fn made(
    user_id: UserId,
    challenge: &str,
    response: &str,
    context: RequestContext<'_>,
) -> Result<NewPasskey, Refusal> {
    let service = &context.app.passkeys;
    let site = service.site()?;
    let refused = Refusal::Invalid(Field::PASSKEYS, PASSKEY_NOT_ADDED);
    let Some(begun) = service.take_add(user_id, challenge, context.now_ms()) else { return Err(refused) };
    let Some(made) = site.finish_add(begun.adding(), response) else { return Err(refused) };
    Ok(NewPasskey {
        host: site.host().to_owned(),
        handle: begun.handle,
        credential_id: made.credential_id,
        credential: made.credential,
        name: begun.name,
        password_hash: begun.password_hash,
    })
}

/// Begins the use of any passkey of the viewer.
async fn begin_use(user_id: UserId, context: RequestContext<'_>) -> Result<Reply, Error> {
    let service = &context.app.passkeys;
    let host = service.site()?.host().to_owned();
    let own = context.read(move |Snapshot { sql, .. }| store::of_user(sql, user_id, &host)).await?;
    if own.is_empty() {
        return Err(Refusal::PasskeyUnknown.into());
    }
    let own: Vec<Vec<u8>> = own.into_iter().map(|Stored { credential_id, .. }| credential_id).collect();
    Reply::of(&service.begin_use(user_id, &own, context.now_ms())?)
}
