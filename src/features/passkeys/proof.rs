//! The check that a passkey was used. It verifies a signature, so it happens before the write that relies on it.

use super::store::{self, Proof, Stored};
use super::webauthn::{Proving, Returned};
use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::features::context::App;

/// Checks what a browser returned for a challenge. `proving` is the state of the challenge; None if it is over.
///
/// # Errors
/// [`Refusal::PasskeysOff`]. [`Refusal::PasskeyUnknown`] for everything else that is wrong: the challenge is over, the
/// passkey was removed or belongs to another host name, it names another user, the signature is false, or the counter
/// does not rise.
pub async fn of(proving: Option<Proving>, returned: &str, app: &App) -> Result<Proof, Error> {
    let site = app.passkeys.site()?;
    let proving = proving.ok_or(Refusal::PasskeyUnknown)?;
    let returned = Returned::read(returned).ok_or(Refusal::PasskeyUnknown)?;
    let (host, credential_id) = (site.host().to_owned(), returned.credential_id().to_vec());
    let stored =
        app.readers.read(move |Snapshot { sql, .. }| store::find(sql, &host, &credential_id)).await?;
    let Stored { id, user_id, handle, credential, .. } = stored.ok_or(Refusal::PasskeyUnknown)?;
    if returned.handle().is_some_and(|named| named != handle) {
        return Err(Refusal::PasskeyUnknown.into());
    }
    let after = site.finish_proof(proving, &returned, &credential)?.ok_or(Refusal::PasskeyUnknown)?;
    Ok(Proof { passkey_id: id, user_id, before: credential, after })
}
