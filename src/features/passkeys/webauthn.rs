//! WebAuthn, by its library: the options for a browser, and the check of what the browser returns. No other file knows
//! the library.
//!
//! Guarantees:
//! - A passkey is found by the device itself, without a name that somebody types. The device verifies its user. The
//!   passkey signs with ES256 or RS256. No attestation is asked for.
//! - A counter of signatures that does not rise is refused, unless the device has none.
//! - Whatever a browser returns is refused or checked; nothing panics.

use std::slice;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use url::Url;
use webauthn_rp::AuthenticatedCredential;
use webauthn_rp::bin::{Decode, Encode};
use webauthn_rp::request::auth::{
    AuthenticationVerificationOptions, DiscoverableAuthenticationServerState,
    DiscoverableCredentialRequestOptions,
};
use webauthn_rp::request::register::{
    CoseAlgorithmIdentifier, CoseAlgorithmIdentifiers, CredProtect, PublicKeyCredentialCreationOptions,
    RegistrationServerState, RegistrationVerificationOptions, UserHandle16,
};
use webauthn_rp::request::{AsciiDomain, ExtensionInfo, RpId};
use webauthn_rp::response::auth::{DiscoverableAuthentication16, DiscoverableAuthenticatorAssertion};
use webauthn_rp::response::register::{
    AttestationObject, AuthenticationExtensionsPrfOutputs, AuthenticatorAttestation, ClientExtensionsOutputs,
    CompressedPubKey, DynamicState, Registration, StaticState,
};
use webauthn_rp::response::{AuthTransports, AuthenticatorAttachment, CredentialId};

use crate::error::Error;
use crate::limits::PASSKEY_BYTES_MAX;

/// ES256 and RS256.
const ALGORITHMS: CoseAlgorithmIdentifiers = CoseAlgorithmIdentifiers::ALL
    .remove(CoseAlgorithmIdentifier::Eddsa)
    .remove(CoseAlgorithmIdentifier::Es384);

const NO_OPTIONS: Error = Error::Broken("the options of a passkey cannot be written");
const UNREADABLE: Error = Error::Broken("a stored passkey cannot be read");
const UNWRITABLE: Error = Error::Broken("a passkey cannot be written");

/// The name that browsers show beside the host name.
const SITE_NAME: &str = "Mellow";

/// A stored public key. The library reads all kinds that it knows.
type Key = StaticState<CompressedPubKey<[u8; 32], [u8; 32], [u8; 48], Vec<u8>>>;

/// A host name with passkeys, and the origin of its pages.
pub struct Site {
    host: String,
    /// As browsers write it.
    origin: String,
    rp_id: RpId,
}

/// Whose passkey is made, as the device shows it.
pub struct NewUser<'a> {
    /// What the passkey will say of its user.
    pub handle: [u8; 16],
    pub email: &'a str,
    pub name: &'a str,
}

/// The state of a challenge for a new passkey, as the library writes it.
pub struct Adding(Vec<u8>);

/// The state of a challenge for the use of a passkey.
pub struct Proving(DiscoverableAuthenticationServerState);

/// A passkey that a device has made, as it is stored.
#[derive(Clone)]
pub struct Made {
    pub credential_id: Vec<u8>,
    pub credential: String,
}

/// What a browser returned for a challenge. Nothing of it is proved before [`Site::finish_proof`].
pub struct Returned {
    credential_id: CredentialId<Vec<u8>>,
    handle: Option<UserHandle16>,
    response: UsedResponse,
}

impl Returned {
    /// Reads the JSON of a browser; None if it is none.
    #[must_use]
    pub fn read(json: &str) -> Option<Self> {
        let Used { raw_id, response } = serde_json::from_str(json).ok()?;
        let handle = match &response.user_handle {
            Some(handle) => Some(handle_of(handle)?),
            None => None,
        };
        let credential_id = CredentialId::<Vec<u8>>::try_from(raw_id.0).ok()?;
        Some(Self { credential_id, handle, response })
    }

    /// Returns the id of the passkey.
    #[must_use]
    pub fn credential_id(&self) -> &[u8] {
        self.credential_id.as_ref()
    }

    /// Returns what the passkey says of its user. A device may leave it out if it was told which passkeys it may use.
    #[must_use]
    pub fn handle(&self) -> Option<&[u8]> {
        self.handle.as_ref().map(AsRef::as_ref)
    }
}

impl Site {
    /// Opens a host name for pages of this origin; None if they do not belong together.
    #[must_use]
    pub fn open(host: &str, origin: &str) -> Option<Self> {
        let url = Url::parse(origin).ok()?;
        let domain = AsciiDomain::try_from(host.to_owned()).ok();
        let Some(domain) = domain.filter(|domain| url.domain() == Some(domain.as_ref())) else {
            log::warn!("passkeys cannot work at {origin}: its host name is not {host}");
            return None;
        };
        let origin = url.origin().ascii_serialization();
        Some(Self { host: host.to_owned(), origin, rp_id: RpId::Domain(domain) })
    }

    /// Returns the host name that passkeys made here belong to.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Begins a new passkey. `known` are the stored passkeys that the user has here: a device that holds one of them
    /// makes no other. Returns the options for the browser as JSON.
    ///
    /// # Errors
    /// A fault.
    pub fn begin_add(&self, user: &NewUser<'_>, known: &[String]) -> Result<(String, Adding), Error> {
        let known = known.iter().map(|credential| read(credential).map(|stored| stored.id.0));
        let known = known.collect::<Result<Vec<_>, Error>>()?;
        let handle = UserHandle16::from(user.handle);
        let mut options =
            PublicKeyCredentialCreationOptions::first_passkey_with_blank_user_info(&self.rp_id, &handle);
        options.pub_key_cred_params = ALGORITHMS;
        // Devices that do not know it would refuse to make a passkey if it were enforced.
        options.extensions.cred_protect =
            CredProtect::UserVerificationRequired(ExtensionInfo::AllowDontEnforceValue);
        let (state, options) = options.start_ceremony().map_err(|_| NO_OPTIONS)?;
        // The library takes fewer names than people have, and only shows them. So they are written here.
        let chosen = json!({
            "rp": { "id": self.host, "name": SITE_NAME },
            "user":
                { "id": URL_SAFE_NO_PAD.encode(user.handle), "name": user.email, "displayName": user.name },
            "excludeCredentials": named(&known),
        });
        let adding = Adding(state.encode().map_err(|_| NO_OPTIONS)?);
        Ok((options_with(&options, chosen)?, adding))
    }

    /// Checks the passkey that a device has made; None if it is not one for this challenge.
    #[must_use]
    pub fn finish_add(&self, state: &Adding, returned: &str) -> Option<Made> {
        let Created { response } = serde_json::from_str(returned).ok()?;
        let attestation = AuthenticatorAttestation::new(
            response.client_data.0,
            response.attestation_object.0,
            AuthTransports::NONE,
        );
        // A device may make a secret that nobody asked for. The library takes it only with the output of the browser
        // that belongs to it.
        let object = AttestationObject::try_from(attestation.attestation_object()).ok()?;
        let has_secret = object.auth_data().extensions().hmac_secret == Some(true);
        let prf = has_secret.then_some(AuthenticationExtensionsPrfOutputs { enabled: true });
        let outputs = ClientExtensionsOutputs { cred_props: None, prf };
        let registration = Registration::new(attestation, AuthenticatorAttachment::None, outputs);
        let options = RegistrationVerificationOptions::<String, String> {
            allowed_origins: slice::from_ref(&self.origin),
            error_on_unsolicited_extensions: false,
            ..RegistrationVerificationOptions::default()
        };
        let state = RegistrationServerState::<16>::decode(state.0.as_slice()).ok()?;
        let made = match state.verify(&self.rp_id, &registration, &options) {
            Ok(made) => made,
            Err(why) => {
                log::debug!("a new passkey was refused: {why}");
                return None;
            }
        };
        let credential_id = made.id().into_inner().to_vec();
        let stored = Stored {
            id: Base64(credential_id.clone()),
            handle: Base64(made.user_id().as_ref().to_vec()),
            key: Base64(made.static_state().encode().ok()?),
            state: Base64(made.dynamic_state().encode().ok()?.to_vec()),
        };
        let credential = serde_json::to_string(&stored).ok()?;
        (credential.len() <= PASSKEY_BYTES_MAX).then_some(Made { credential_id, credential })
    }

    /// Begins the use of a passkey. `allowed` are the ids of those that may be used; if there are none, the device
    /// offers all that it has for this host name. Returns the options for the browser as JSON.
    ///
    /// # Errors
    /// A fault.
    pub fn begin_proof(&self, allowed: &[Vec<u8>]) -> Result<(String, Proving), Error> {
        let options = DiscoverableCredentialRequestOptions::passkey(&self.rp_id);
        let (state, options) = options.start_ceremony().map_err(|_| NO_OPTIONS)?;
        Ok((options_with(&options, json!({ "allowCredentials": named(allowed) }))?, Proving(state)))
    }

    /// Checks the use of a stored passkey. Returns the passkey with its new counter, as it is stored; None if the
    /// proof is not one for this challenge and this passkey.
    ///
    /// # Errors
    /// A fault.
    pub fn finish_proof(
        &self,
        state: Proving,
        returned: &Returned,
        credential: &str,
    ) -> Result<Option<String>, Error> {
        let stored = read(credential)?;
        let id = CredentialId::<&[u8]>::try_from(stored.id.0.as_slice()).map_err(|_| UNREADABLE)?;
        let handle = handle_of(&stored.handle).ok_or(UNREADABLE)?;
        let key = Key::decode(stored.key.0.as_slice()).map_err(|_| UNREADABLE)?;
        let before: [u8; 7] = stored.state.0.as_slice().try_into().map_err(|_| UNREADABLE)?;
        let before = DynamicState::decode(before).map_err(|_| UNREADABLE)?;
        let mut passkey = AuthenticatedCredential::new(id, &handle, key, before).map_err(|_| UNREADABLE)?;
        let UsedResponse { client_data, authenticator_data, signature, .. } = &returned.response;
        let assertion = DiscoverableAuthenticatorAssertion::new(
            client_data.0.clone(),
            authenticator_data.0.clone(),
            signature.0.clone(),
            returned.handle.unwrap_or(handle),
        );
        let proof = DiscoverableAuthentication16::new(
            returned.credential_id.clone(),
            assertion,
            AuthenticatorAttachment::None,
        );
        let options = AuthenticationVerificationOptions::<String, String> {
            allowed_origins: slice::from_ref(&self.origin),
            error_on_unsolicited_extensions: false,
            ..AuthenticationVerificationOptions::default()
        };
        if let Err(why) = state.0.verify(&self.rp_id, &proof, &mut passkey, &options) {
            log::debug!("the use of a passkey was refused: {why}");
            return Ok(None);
        }
        let after = passkey.dynamic_state().encode().map_err(|_| UNWRITABLE)?;
        let stored = Stored { state: Base64(after.to_vec()), ..stored };
        serde_json::to_string(&stored).map(Some).map_err(|_| UNWRITABLE)
    }
}

/// A passkey as it is stored.
#[derive(Deserialize, Serialize)]
struct Stored {
    id: Base64,
    handle: Base64,
    /// The public key, as the library writes it. It never changes.
    key: Base64,
    /// The counter of signatures and what else may change, as the library writes it.
    state: Base64,
}

/// What a browser returns for a new passkey. It returns more, which nobody needs.
#[derive(Deserialize)]
struct Created {
    response: CreatedResponse,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CreatedResponse {
    #[serde(rename = "clientDataJSON")]
    client_data: Base64,
    attestation_object: Base64,
}

/// What a browser returns for the use of a passkey. It returns more, which nobody needs.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Used {
    raw_id: Base64,
    response: UsedResponse,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UsedResponse {
    #[serde(rename = "clientDataJSON")]
    client_data: Base64,
    authenticator_data: Base64,
    signature: Base64,
    user_handle: Option<Base64>,
}

/// Bytes, which JSON has as base64url without padding.
struct Base64(Vec<u8>);

impl Serialize for Base64 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&URL_SAFE_NO_PAD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        URL_SAFE_NO_PAD.decode(text).map(Self).map_err(D::Error::custom)
    }
}

fn handle_of(bytes: &Base64) -> Option<UserHandle16> {
    let bytes: [u8; 16] = bytes.0.as_slice().try_into().ok()?;
    Some(UserHandle16::from(bytes))
}

fn read(credential: &str) -> Result<Stored, Error> {
    serde_json::from_str(credential).map_err(|_| UNREADABLE)
}

/// Returns passkeys as the options name them.
fn named(ids: &[Vec<u8>]) -> Vec<Value> {
    ids.iter().map(|id| json!({ "type": "public-key", "id": URL_SAFE_NO_PAD.encode(id) })).collect()
}

/// Returns options of the library as `{"publicKey": ...}` with these in place of its own.
fn options_with(options: &impl Serialize, chosen: Value) -> Result<String, Error> {
    let options = serde_json::to_value(options).map_err(|_| NO_OPTIONS)?;
    let (Value::Object(mut key), Value::Object(chosen)) = (options, chosen) else { return Err(NO_OPTIONS) };
    key.extend(chosen);
    Ok(json!({ "publicKey": key }).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> Site {
        Site::open("localhost", "http://localhost:8080").unwrap()
    }

    #[test]
    fn d_v1_the_options_ask_for_a_passkey_that_the_device_finds_and_whose_user_it_verifies() {
        let user = NewUser { handle: [7; 16], email: "ana@example.org", name: "Ana 👩‍👩‍👧" };
        let (options, _) = site().begin_add(&user, &[]).unwrap();
        let options: Value = serde_json::from_str(&options).unwrap();
        let key = &options["publicKey"];
        assert_eq!(key["rp"], json!({ "id": "localhost", "name": "Mellow" }));
        let id = URL_SAFE_NO_PAD.encode([7; 16]);
        let user = json!({ "id": id, "name": "ana@example.org", "displayName": "Ana 👩‍👩‍👧" });
        assert_eq!(key["user"], user);
        assert_eq!(key["attestation"], "none");
        let selection =
            json!({ "residentKey": "required", "requireResidentKey": true, "userVerification": "required" });
        assert_eq!(key["authenticatorSelection"], selection);
        let algorithms: Vec<&Value> =
            key["pubKeyCredParams"].as_array().unwrap().iter().map(|param| &param["alg"]).collect();
        assert_eq!(algorithms, [&json!(-7), &json!(-257)]);
        assert_eq!(options.as_object().unwrap().len(), 1);
    }

    #[test]
    fn d_v4_the_options_of_a_log_in_name_no_passkey() {
        let (options, _) = site().begin_proof(&[]).unwrap();
        let options: Value = serde_json::from_str(&options).unwrap();
        let key = &options["publicKey"];
        assert_eq!((&key["allowCredentials"], &key["rpId"]), (&json!([]), &json!("localhost")));
        assert_eq!(key["userVerification"], "required");
        assert_eq!(options.as_object().unwrap().len(), 1, "the client chooses how it asks");
        let (options, _) = site().begin_proof(&[vec![255, 0]]).unwrap();
        assert!(options.contains(r#""id":"_wA""#), "{options}");
    }

    #[test]
    fn d_v2_a_host_name_and_its_pages_belong_together() {
        assert!(Site::open("mellow.example", "https://mellow.example").is_some());
        for (host, origin) in
            [("other.example", "https://mellow.example"), ("127.0.0.1", "http://127.0.0.1"), ("x", "no url")]
        {
            assert!(Site::open(host, origin).is_none(), "{host} {origin}");
        }
    }

    #[test]
    fn lv6_what_a_browser_returns_is_refused_if_it_is_odd() {
        let (site, user) = (site(), NewUser { handle: [7; 16], email: "ana@example.org", name: "Ana" });
        let (_, adding) = site.begin_add(&user, &[]).unwrap();
        let valid = [
            r#"{"id":"AAAAAAAAAAAAAAAAAAAAAA","rawId":"AAAAAAAAAAAAAAAAAAAAAA","type":"public-key","response":{"clientDataJSON":"e30","attestationObject":"oA"}}"#,
            r#"{"id":"AAAAAAAAAAAAAAAAAAAAAA","rawId":"AAAAAAAAAAAAAAAAAAAAAA","type":"public-key","response":{"clientDataJSON":"e30","authenticatorData":"AA","signature":"AA","userHandle":"AAAAAAAAAAAAAAAAAAAAAA"}}"#,
        ];
        assert!(Returned::read(valid[1]).is_some());
        crate::testing::fuzz::text(&valid, |text| {
            assert!(site.finish_add(&adding, text).is_none());
            if let Some(returned) = Returned::read(text) {
                let _ = (returned.credential_id(), returned.handle());
            }
        });
    }
}
