//! Links in mails, which set a new password, confirm a new address, or restore the old address.
//!
//! Guarantees:
//! - A link is 32 random bytes, stored as a hash. It works once and for a limited time. A newer link for the same
//!   purpose replaces it, except for links that restore an address.
//! - A request about an address reveals nothing: the reply and the work are the same whether or not it has an account
//!   (S7).
//! - A new password ends every login and every pending change of address. The links that restore an old address stay,
//!   because they belong to the rightful owner.
//! - When an address is restored after a change, every login ends, and so do every link that sets a password and every
//!   later link that restores an address. While a link can restore an address, no other account can take that address.
//! - Requests wait for the commit, never for a mail.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use sha2::{Digest, Sha256};

use super::guesses::AccountKey;
use super::rules::{self, Email};
use super::store::{
    self,
    links::{self, NewLink, Whose},
    passkeys::count_by_link,
};
use super::{GUEST, wire};
use crate::db::command::WriteCommand;
use crate::db::readers::Snapshot;
use crate::error::{Error, Field, Refusal};
use crate::features::context::RequestContext;
use crate::features::events::Event;
use crate::ids::MailId;
use crate::limits::LINK_TOKEN_BYTES;
use crate::model::stored_replies::knows_key;
use crate::reply::Reply;
use crate::sentence::Sentence;
use crate::text;

const EMAIL_SAME: Sentence = Sentence::new("email_same", "This is your email already.");

fn new_link(context: RequestContext<'_>) -> Result<NewLink, Error> {
    NewLink::make(MailId(context.app.ids.make(context.now_ms())))
}

/// Decodes a token. A malformed token is refused like an expired one.
fn token_hash(token: &str) -> Result<[u8; 32], Refusal> {
    let token = text::trim_hidden(token);
    match BASE64.decode(token) {
        Ok(bytes) if bytes.len() == LINK_TOKEN_BYTES => Ok(Sha256::digest(token).into()),
        _ => Err(Refusal::LinkExpired),
    }
}

fn done() -> Result<Reply, Error> {
    Reply::of(&wire::Done {})
}

/// Mails a link that sets a new password to the account with this address, if there is one. The reply is the same
/// either way.
///
/// # Errors
/// [`Refusal::SlowDown`] for a network address that requests too many links.
pub async fn request_reset(request: wire::RequestReset, context: RequestContext<'_>) -> Result<Reply, Error> {
    let service = &context.app.auth;
    service.links.take(context.address, context.now_ms())?;
    let email = Email::of_account(&request.email);
    // An address that reached its limit gets no more mails. Neither the reply nor the number of the write reveals that.
    let whose = match service.mails_to.take(AccountKey::of(&email), context.now_ms()) {
        Ok(()) => Whose::Address(email),
        Err(_) => Whose::Nobody,
    };
    let command = links::SendReset { key: None, whose, link: new_link(context)? };
    let reply = context.write(command).await?;
    context.app.mail_queue.wake.notify_one();
    Ok(reply)
}

/// Mails a link that sets a new password to the viewer's own address.
///
/// # Errors
/// [`Refusal::SlowDown`] if the account reached its limit of mails.
pub async fn send_reset(request: wire::SendReset, context: RequestContext<'_>) -> Result<Reply, Error> {
    let user_id = context.user()?;
    let key = request.key.used_by(user_id, "auth.send_reset", &[]);
    let used = key.clone();
    if context.read(move |Snapshot { sql, .. }| knows_key(sql, &used)).await? {
        return done();
    }
    let mails = Mails::take(context, &[To::Own])?;
    let command = links::SendReset { key: Some(key), whose: Whose::User(user_id), link: new_link(context)? };
    mails.send(context.write(command).await)
}

/// Sets a new password with a link.
///
/// # Errors
/// [`Refusal::LinkExpired`], [`Refusal::WeakPassword`]; [`Refusal::SlowDown`] after too many attempts.
pub async fn reset_password(
    request: wire::ResetPassword,
    context: RequestContext<'_>,
) -> Result<Reply, Error> {
    let token_hash = token_hash(&request.token)?;
    // The key of a guest belongs to no user. The password is not part of the hash of the request, which is safe because
    // a repeated key only gets the reply again, and the reply proves nothing.
    let removes_passkeys = request.remove_passkeys.unwrap_or(false);
    let mut parts = vec![&token_hash[..]];
    parts.extend(removes_passkeys.then_some("remove_passkeys".as_bytes()));
    let key = request.key.used_by(GUEST, "auth.reset_password", &parts);
    let attempt = context.app.auth.try_link(context.address, context.now_ms())?;
    let (used, now_ms) = (key.clone(), context.now_ms());
    let read = move |Snapshot { sql, .. }: Snapshot<'_>| {
        let email = links::find_resettable(sql, &token_hash, now_ms)?;
        let known = email.is_none() && knows_key(sql, &used)?;
        Ok((email, known))
    };
    let (email, known) = context.read(read).await?;
    if known {
        attempt.give_back();
        return done();
    }
    let email = Email::of_account(&email.ok_or(Refusal::LinkExpired)?);
    rules::check_password(&request.password, &email).inspect_err(|_| attempt.give_back())?;
    // From here on a hash is computed, so the attempt counts unless the hasher is busy.
    let hashed = context.app.auth.hasher.hash(request.password, None).await;
    let password_hash = hashed.inspect_err(|_| attempt.give_back())?;
    let reply = context.write(links::Reset { key, token_hash, password_hash, removes_passkeys }).await?;
    // There may be mails about passkeys that were removed.
    context.app.mail_queue.wake.notify_one();
    Ok(reply)
}

/// Returns how many passkeys the account has whose password a link sets, so that its user can remove them with it. It
/// is 0 for a link that does not work.
///
/// # Errors
/// [`Refusal::PasskeysOff`]; [`Refusal::SlowDown`] after too many links that did not work.
pub async fn reset_passkeys(
    request: wire::ResetPasskeys,
    context: RequestContext<'_>,
) -> Result<Reply, Error> {
    context.app.passkeys.check_on()?;
    let now_ms = context.now_ms();
    let attempt = context.app.auth.try_link(context.address, now_ms)?;
    let count = match token_hash(&request.token) {
        Ok(token_hash) => {
            context.read(move |Snapshot { sql, .. }| count_by_link(sql, &token_hash, now_ms)).await?
        }
        Err(_) => None,
    };
    if count.is_some() {
        attempt.give_back();
    }
    Reply::of(&wire::Counted { passkeys: count.unwrap_or(0) })
}

/// Requests a change of address. Mails a link to the new address and a notice to the old one.
///
/// # Errors
/// [`Refusal::WrongPassword`]; [`Refusal::EmailTaken`]; [`Refusal::Invalid`] for an invalid address or the viewer's
/// own; [`Refusal::SlowDown`] after too many wrong passwords, or if an address reached its limit of mails.
pub async fn change_email(request: wire::ChangeEmail, context: RequestContext<'_>) -> Result<Reply, Error> {
    let user_id = context.user()?;
    let email = Email::parse(&request.email)?;
    let key = request.key.used_by(user_id, "auth.change_email", &[email.text.as_bytes()]);
    let used = key.clone();
    let read = move |Snapshot { sql, .. }: Snapshot<'_>| {
        Ok((store::account_of(sql, user_id)?, knows_key(sql, &used)?))
    };
    let (account, known) = context.read(read).await?;
    let account = account.ok_or(Refusal::NotSignedIn)?;
    // If the key was used before, the password was already proved.
    if !known {
        context.app.auth.check(&account, request.password, context.now_ms()).await?;
    }
    let old = Email::of_account(&account.me.email);
    if email.key == old.key && !known {
        return Err(Refusal::Invalid(Field::EMAIL, EMAIL_SAME).into());
    }
    let mails =
        if known { Mails::none(context) } else { Mails::take(context, &[To::Other(&email), To::Own])? };
    let command = links::ChangeEmail {
        key,
        user_id,
        password_hash: account.password_hash,
        email,
        hides_accounts: context.app.settings.login_hides_accounts,
        confirm: new_link(context)?,
        undo: new_link(context)?,
    };
    mails.send(context.write(command).await)
}

/// Confirms a new address with a link.
///
/// # Errors
/// [`Refusal::LinkExpired`]; [`Refusal::EmailTaken`] if another account took the address meanwhile.
pub async fn confirm_email(request: wire::ConfirmEmail, context: RequestContext<'_>) -> Result<Reply, Error> {
    let token_hash = token_hash(&request.token)?;
    let key = request.key.used_by(GUEST, "auth.confirm_email", &[&token_hash]);
    by_link(links::ConfirmEmail { key, token_hash }, context).await
}

/// Keeps or restores the old address with a link.
///
/// # Errors
/// [`Refusal::LinkExpired`].
pub async fn undo_email(request: wire::UndoEmail, context: RequestContext<'_>) -> Result<Reply, Error> {
    let token_hash = token_hash(&request.token)?;
    let key = request.key.used_by(GUEST, "auth.undo_email", &[&token_hash]);
    by_link(links::UndoEmail { key, token_hash }, context).await
}

async fn by_link(
    command: impl WriteCommand<Event = Event> + 'static,
    context: RequestContext<'_>,
) -> Result<Reply, Error> {
    let attempt = context.app.auth.try_link(context.address, context.now_ms())?;
    let reply = context.write(command).await;
    if !matches!(reply, Err(Error::Refused(Refusal::LinkExpired))) {
        attempt.give_back();
    }
    reply
}

/// The recipient of a mail that the viewer's account requests.
#[derive(Clone, Copy)]
enum To<'e> {
    /// The address of the account. The mail counts only for the account, because otherwise strangers who request links
    /// to this address could block its owner.
    Own,
    /// Another address. The mail counts for that address too, together with the mails that others request.
    Other(&'e Email),
}

/// Mails that the viewer's account requests, counted in the rate limits.
struct Mails<'a> {
    context: RequestContext<'a>,
    /// The mails counted so far: for each, the other address that it counts for.
    taken: Vec<Option<AccountKey>>,
}

impl<'a> Mails<'a> {
    fn none(context: RequestContext<'a>) -> Self {
        Self { context, taken: Vec::new() }
    }

    fn take(context: RequestContext<'a>, to: &[To<'_>]) -> Result<Self, Error> {
        let (user_id, now_ms) = (context.user()?, context.now_ms());
        let service = &context.app.auth;
        let mut mails = Self::none(context);
        for to in to {
            let other = match to {
                To::Own => None,
                To::Other(email) => Some(AccountKey::of(email)),
            };
            let one = service.mails_of.take(user_id, now_ms).and_then(|()| {
                let from = service.mails_from.take(context.address, now_ms);
                let counted = from.and_then(|()| {
                    let counted = other.map_or(Ok(()), |key| service.mails_to.take(key, now_ms));
                    counted.inspect_err(|_| service.mails_from.give_back(&context.address))
                });
                counted.inspect_err(|_| service.mails_of.give_back(&user_id))
            });
            if let Err(slow) = one {
                mails.give_back();
                return Err(slow.into());
            }
            mails.taken.push(other);
        }
        Ok(mails)
    }

    fn give_back(&self) {
        let Some(user_id) = self.context.viewer.user_id() else { return };
        let service = &self.context.app.auth;
        for other in &self.taken {
            service.mails_of.give_back(&user_id);
            service.mails_from.give_back(&self.context.address);
            if let Some(key) = other {
                service.mails_to.give_back(key);
            }
        }
    }

    /// Wakes the mail sender after a commit. A refused request does not count.
    fn send(self, written: Result<Reply, Error>) -> Result<Reply, Error> {
        match written {
            Ok(reply) => {
                self.context.app.mail_queue.wake.notify_one();
                Ok(reply)
            }
            Err(why) => {
                self.give_back();
                Err(why)
            }
        }
    }
}
