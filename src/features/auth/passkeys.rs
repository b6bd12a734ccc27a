//! Logging in with a passkey. It needs no address and no password, and the limits of passwords are not its own: a
//! guess at a signature is hopeless, so only the number of challenges of a network address is limited.

use super::store::{self, passkeys::LogInWithPasskey};
use super::{new_login, signed_in, wire};
use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::features::context::RequestContext;
use crate::features::passkeys::proof;
use crate::reply::Reply;

/// Begins a log-in. The device of the guest finds the passkey.
///
/// # Errors
/// [`Refusal::PasskeysOff`]; [`Refusal::SlowDown`] for a network address that begins too many.
pub fn begin(context: RequestContext<'_>) -> Result<Reply, Error> {
    Reply::of(&context.app.passkeys.begin_log_in(context.address, context.now_ms())?)
}

/// Logs in with the passkey that a device has used. `user_id` of the request names the only user who may log in.
///
/// # Errors
/// [`Refusal::PasskeysOff`]; [`Refusal::PasskeyUnknown`]; [`Refusal::Suspended`]; [`Refusal::Busy`].
pub async fn log_in(request: wire::LogInWithPasskey, context: RequestContext<'_>) -> Result<Reply, Error> {
    let app = context.app;
    let wire::LogInWithPasskey { challenge, response, user_id: wanted } = request;
    let proving = app.passkeys.take_log_in(&challenge, context.now_ms());
    let proof = proof::of(proving, &response, app).await?;
    let user_id = proof.user_id;
    if wanted.is_some_and(|wanted| wanted != user_id) {
        return Err(Refusal::PasskeyUnknown.into());
    }
    let read = move |Snapshot { sql, seq }: Snapshot<'_>| Ok((store::account_of(sql, user_id)?, seq));
    let (account, since) = context.read(read).await?;
    let mut me = account.ok_or(Refusal::PasskeyUnknown)?.me;
    let (login, ticket) = new_login(user_id, context)?;
    let log_in = LogInWithPasskey { proof, login: login.clone(), device_hash: context.device.token_hash };
    context.write(log_in).await?;
    app.passkeys.logged_in(context.address);
    // There may be a mail about it.
    app.mail_queue.wake.notify_one();
    app.quiet.hide(&mut me);
    signed_in(me, login.id, ticket, since)
}
