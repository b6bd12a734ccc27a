//! What links in mails do: a new password, a new address, the old one back.
//!
//! Promises:
//! - A link is 32 random bytes, kept as a hash, works once and for a while, and a newer one for the same
//!   ends it (but not the links that bring an address back).
//! - Who asks about an address learns nothing of it: the answer is the same, and so is the work (S7).
//! - A new password ends every login and every change of address that waits. The links that bring an old
//!   address back stay: they are the true owner's.
//! - Bringing an address back after it changed ends every login, every link that sets a password, and every
//!   later link of its kind. While such a link works, nobody else can take the address.
//! - Requests wait for the commit, never for a mail.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use sha2::{Digest, Sha256};

use super::rules::{self, Email};
use super::store::{
    self,
    links::{self, NewLink, Whose},
};
use super::{NOBODY, wire};
use crate::db::command::WriteCommand;
use crate::db::readers::Snapshot;
use crate::error::{Error, Field, Refusal, Sentence};
use crate::features::Event;
use crate::features::kit::{Answer, Ask, random};
use crate::features::views::knows_key;
use crate::ids::MailId;
use crate::limits::LINK_TOKEN_BYTES;

fn new_link(ask: Ask<'_>) -> Result<NewLink, Error> {
    let token = BASE64.encode(random::<LINK_TOKEN_BYTES>()?);
    let token_hash = Sha256::digest(&token).into();
    Ok(NewLink { mail_id: MailId(ask.app.ids.make(ask.now_ms())), token, token_hash })
}

/// Reads a token: what is none is like one that is over.
fn token_hash(token: &str) -> Result<[u8; 32], Refusal> {
    match BASE64.decode(token) {
        Ok(bytes) if bytes.len() == LINK_TOKEN_BYTES => Ok(Sha256::digest(token).into()),
        _ => Err(Refusal::LinkExpired),
    }
}

fn done() -> Result<Answer, Error> {
    Answer::of(&wire::Done {})
}

/// Mails a link that sets a new password to whoever has this address, and says the same in any case.
///
/// # Errors
/// [`Refusal::SlowDown`] to a network address that asks for many, whichever they are.
pub async fn request_reset(asked: wire::RequestReset, ask: Ask<'_>) -> Result<Answer, Error> {
    let desk = &ask.app.desk;
    desk.links.take(ask.address, ask.now_ms())?;
    let Ok(email) = Email::parse(&asked.email) else { return done() };
    // An address that had its mails gets no more, and nobody learns whether it ever got one.
    if desk.mails_to.take(email.key.clone(), ask.now_ms()).is_err() {
        return done();
    }
    let work = links::SendReset { key: None, whose: Whose::Address(email), link: new_link(ask)? };
    let answer = ask.write(work).await?;
    ask.app.postbox.bell.notify_one();
    Ok(answer)
}

/// Mails a link that sets a new password to the viewer's own address.
///
/// # Errors
/// [`Refusal::SlowDown`] when the account had its mails.
pub async fn send_reset(asked: wire::SendReset, ask: Ask<'_>) -> Result<Answer, Error> {
    let user_id = ask.user()?;
    let key = asked.key.used_by(user_id, "auth.send_reset", &[]);
    let used = key.clone();
    if ask.read(move |Snapshot { sql, .. }| knows_key(sql, &used)).await? {
        return done();
    }
    let mails = Mails::take(ask, &[To::Own])?;
    let work = links::SendReset { key: Some(key), whose: Whose::User(user_id), link: new_link(ask)? };
    mails.send(ask.write(work).await)
}

/// Sets a new password by a link.
///
/// # Errors
/// [`Refusal::LinkExpired`], [`Refusal::WeakPassword`]; [`Refusal::SlowDown`] to who tries many links.
pub async fn reset_password(asked: wire::ResetPassword, ask: Ask<'_>) -> Result<Answer, Error> {
    let token_hash = token_hash(&asked.token)?;
    // A guest's key is nobody's, and the password is no part of what it is told apart by: whoever has the
    // answer once gets it again, and proves nothing by it.
    let key = asked.key.used_by(NOBODY, "auth.reset_password", &[&token_hash]);
    let attempt = Attempt::take(ask)?;
    let (used, now_ms) = (key.clone(), ask.now_ms());
    let read = move |Snapshot { sql, .. }: Snapshot<'_>| {
        let email = links::find_resettable(sql, &token_hash, now_ms)?;
        let known = email.is_none() && knows_key(sql, &used)?;
        Ok((email, known))
    };
    let (email, known) = ask.read(read).await?;
    if known {
        attempt.give_back();
        return done();
    }
    let email = Email::parse(&email.ok_or(Refusal::LinkExpired)?)?;
    rules::check_password(&asked.password, &email).inspect_err(|_| attempt.give_back())?;
    // From here on it costs a hash, and the address its attempt.
    let hashed = ask.app.desk.hasher.hash(asked.password).await;
    let password_hash = hashed.inspect_err(|_| attempt.give_back())?;
    ask.write(links::Reset { key, token_hash, password_hash }).await
}

/// Asks for a new address: a link to it, a notice to the old one.
///
/// # Errors
/// [`Refusal::WrongPassword`], [`Refusal::EmailTaken`], an address that is none or the viewer's own already;
/// [`Refusal::SlowDown`] to who guesses at passwords, and when an address had its mails.
pub async fn change_email(asked: wire::ChangeEmail, ask: Ask<'_>) -> Result<Answer, Error> {
    let user_id = ask.user()?;
    let email = Email::parse(&asked.email)?;
    let key = asked.key.used_by(user_id, "auth.change_email", &[email.text.as_bytes()]);
    let used = key.clone();
    let read = move |Snapshot { sql, .. }: Snapshot<'_>| {
        Ok((store::account_of(sql, user_id)?, knows_key(sql, &used)?))
    };
    let (account, known) = ask.read(read).await?;
    let account = account.ok_or(Refusal::NotSignedIn)?;
    // Where the answer to a first try was lost, it was proved then.
    if !known {
        ask.app.desk.check(&account, asked.password, ask).await?;
    }
    let old = Email::parse(&account.me.email)?;
    if email.key == old.key && !known {
        return Err(Refusal::Invalid(Field::Email, Sentence::EmailSame).into());
    }
    let mails = if known { Mails::none(ask) } else { Mails::take(ask, &[To::Other(&email), To::Own])? };
    let work = links::ChangeEmail {
        key,
        user_id,
        password_hash: account.password_hash,
        email,
        confirm: new_link(ask)?,
        undo: new_link(ask)?,
    };
    mails.send(ask.write(work).await)
}

/// Confirms a new address by a link.
///
/// # Errors
/// [`Refusal::LinkExpired`]; [`Refusal::EmailTaken`] when another took it meanwhile.
pub async fn confirm_email(asked: wire::ConfirmEmail, ask: Ask<'_>) -> Result<Answer, Error> {
    let token_hash = token_hash(&asked.token)?;
    let key = asked.key.used_by(NOBODY, "auth.confirm_email", &[&token_hash]);
    by_link(links::ConfirmEmail { key, token_hash }, ask).await
}

/// Keeps the old address, or brings it back, by a link.
///
/// # Errors
/// [`Refusal::LinkExpired`].
pub async fn undo_email(asked: wire::UndoEmail, ask: Ask<'_>) -> Result<Answer, Error> {
    let token_hash = token_hash(&asked.token)?;
    let key = asked.key.used_by(NOBODY, "auth.undo_email", &[&token_hash]);
    by_link(links::UndoEmail { key, token_hash }, ask).await
}

async fn by_link(command: impl WriteCommand<Event = Event> + 'static, ask: Ask<'_>) -> Result<Answer, Error> {
    let attempt = Attempt::take(ask)?;
    let answer = ask.write(command).await;
    if !matches!(answer, Err(Error::Refused(Refusal::LinkExpired))) {
        attempt.give_back();
    }
    answer
}

/// One try at a link, of this network address.
struct Attempt<'a>(Ask<'a>);

impl<'a> Attempt<'a> {
    fn take(ask: Ask<'a>) -> Result<Self, Refusal> {
        ask.app.desk.attempts.take(ask.address, ask.now_ms())?;
        Ok(Self(ask))
    }

    fn give_back(&self) {
        self.0.app.desk.attempts.give_back(&self.0.address);
    }
}

/// Where a mail goes that the viewer's account causes.
#[derive(Clone, Copy)]
enum To<'e> {
    /// Its own address: counted for the account alone, so that no stranger who asks for links to it keeps its
    /// owner from anything.
    Own,
    /// Counted for that address too, whoever else writes to it.
    Other(&'e Email),
}

/// Mails that the viewer's account causes.
struct Mails<'a> {
    ask: Ask<'a>,
    /// Those counted so far, by the address that they are counted for as well.
    taken: Vec<Option<String>>,
}

impl<'a> Mails<'a> {
    fn none(ask: Ask<'a>) -> Self {
        Self { ask, taken: Vec::new() }
    }

    fn take(ask: Ask<'a>, to: &[To<'_>]) -> Result<Self, Error> {
        let (user_id, now_ms) = (ask.user()?, ask.now_ms());
        let desk = &ask.app.desk;
        let mut mails = Self::none(ask);
        for to in to {
            let other = match to {
                To::Own => None,
                To::Other(email) => Some(email.key.clone()),
            };
            let one = desk.mails_of.take(user_id, now_ms).and_then(|()| {
                let from = desk.mails_from.take(ask.address, now_ms);
                let counted = from.and_then(|()| {
                    let counted = other.clone().map_or(Ok(()), |key| desk.mails_to.take(key, now_ms));
                    counted.inspect_err(|_| desk.mails_from.give_back(&ask.address))
                });
                counted.inspect_err(|_| desk.mails_of.give_back(&user_id))
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
        let Some(user_id) = self.ask.viewer.user_id() else { return };
        let desk = &self.ask.app.desk;
        for other in &self.taken {
            desk.mails_of.give_back(&user_id);
            desk.mails_from.give_back(&self.ask.address);
            if let Some(key) = other {
                desk.mails_to.give_back(key);
            }
        }
    }

    /// Wakes the postman after a commit; what was refused does not count.
    fn send(self, written: Result<Answer, Error>) -> Result<Answer, Error> {
        match written {
            Ok(answer) => {
                self.ask.app.postbox.bell.notify_one();
                Ok(answer)
            }
            Err(why) => {
                self.give_back();
                Err(why)
            }
        }
    }
}
