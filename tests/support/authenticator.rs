//! A device that makes passkeys and uses them, as a browser does: ES256, user verification, a counter of signatures.

use std::sync::atomic::{AtomicU64, Ordering};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::server::TestServer;

/// The user is present.
const PRESENT: u8 = 0x01;
/// The device verified its user.
const VERIFIED: u8 = 0x04;
/// The data has a new key.
const HAS_KEY: u8 = 0x40;

/// A passkey on a device.
pub struct Authenticator {
    key: SigningKey,
    id: Vec<u8>,
    /// What the server told it about its user.
    handle: Vec<u8>,
    /// The host name for which it was made.
    host: String,
    /// The origin of the page that uses it.
    pub origin: String,
    /// The counter of the next signature.
    pub counter: u32,
    /// Whether it verifies its user.
    pub verifies: bool,
}

fn text(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads the options that the server made for a browser.
pub fn options(begun: &Value) -> Value {
    let options: Value = serde_json::from_str(begun["options"].as_str().unwrap()).unwrap();
    options["publicKey"].clone()
}

/// Returns what the page signs together with the challenge.
fn client_data(kind: &str, options: &Value, origin: &str) -> String {
    let challenge = options["challenge"].as_str().unwrap();
    json!({ "type": kind, "challenge": challenge, "origin": origin, "crossOrigin": false }).to_string()
}

impl Authenticator {
    /// Returns the origin of the pages of a server without `public_url`.
    pub fn origin_of(server: &TestServer) -> String {
        format!("http://localhost:{}", server.at.port())
    }

    /// Returns the device of a passkey that a data folder has already, made at `localhost`. `counter` is that of its next
    /// signature.
    pub fn stored(key: [u8; 32], id: &[u8], handle: &[u8], counter: u32, origin: &str) -> Self {
        Self {
            key: SigningKey::from_slice(&key).unwrap(),
            id: id.to_vec(),
            handle: handle.to_vec(),
            host: "localhost".to_owned(),
            origin: origin.to_owned(),
            counter,
            verifies: true,
        }
    }

    /// Makes a passkey for the options of `passkeys.begin_add`, on a page of this origin. Returns it, and what the
    /// browser returns to the page.
    pub fn makes(begun: &Value, origin: &str) -> (Self, String) {
        Self::makes_on(begun, origin, true)
    }

    /// Like [`Authenticator::makes`], on a device that does not verify its user.
    pub fn makes_unverified(begun: &Value, origin: &str) -> (Self, String) {
        Self::makes_on(begun, origin, false)
    }

    fn makes_on(begun: &Value, origin: &str, verifies: bool) -> (Self, String) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let seed = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let seed = Sha256::digest(format!("{seed:?}"));
        let options = options(begun);
        let device = Self {
            // Any 32 bytes are a key, but for a few that nobody meets.
            key: SigningKey::from_slice(&seed).unwrap(),
            id: Sha256::digest(seed).to_vec(),
            handle: URL_SAFE_NO_PAD.decode(options["user"]["id"].as_str().unwrap()).unwrap(),
            host: options["rp"]["id"].as_str().unwrap().to_owned(),
            origin: origin.to_owned(),
            counter: 1,
            verifies,
        };
        let data = device.data(HAS_KEY, 0);
        // CBOR: {"fmt": "none", "attStmt": {}, "authData": data}
        let mut attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
        attestation.push(u8::try_from(data.len()).unwrap());
        attestation.extend(data);
        let client_data = client_data("webauthn.create", &options, origin);
        let returned = json!({
            "id": text(&device.id), "rawId": text(&device.id), "type": "public-key",
            "response": {
                "clientDataJSON": text(client_data), "attestationObject": text(attestation),
                "transports": ["internal"],
            },
            "authenticatorAttachment": "platform", "clientExtensionResults": { "credProps": { "rk": true } },
        });
        (device, returned.to_string())
    }

    /// Returns the data of the device: the host name, what was verified, the counter, and the key if it is new.
    fn data(&self, flags: u8, counter: u32) -> Vec<u8> {
        let verified = if self.verifies { VERIFIED } else { 0 };
        let mut data = Sha256::digest(&self.host).to_vec();
        data.push(PRESENT | verified | flags);
        data.extend(counter.to_be_bytes());
        if flags & HAS_KEY != 0 {
            // No model of device, then the id and the public key in COSE: {1: 2, 3: -7, -1: 1, -2: x, -3: y}.
            data.extend([0_u8; 16]);
            data.extend(u16::try_from(self.id.len()).unwrap().to_be_bytes());
            data.extend(&self.id);
            let point = self.key.verifying_key().to_encoded_point(false);
            let (x, y) = point.as_bytes()[1..].split_at(32);
            data.extend(b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20");
            data.extend(x);
            data.extend(b"\x22\x58\x20");
            data.extend(y);
        }
        data
    }

    /// Returns the id of the passkey, as browsers write it.
    pub fn id(&self) -> String {
        text(&self.id)
    }

    /// Returns what the server told the passkey about its user.
    pub fn handle(&self) -> &[u8] {
        &self.handle
    }

    /// Returns what nobody but its user receives: the id of the passkey, and what the server told it about its user.
    /// Each is there as bytes and as browsers write it.
    pub fn secrets(&self) -> [Vec<u8>; 4] {
        let (id, handle) = (self.id(), text(&self.handle));
        [self.id.clone(), id.into_bytes(), self.handle.clone(), handle.into_bytes()]
    }

    /// Uses the passkey for the options of `auth.begin_passkey` or `passkeys.begin_use`. Returns what the browser
    /// returns to the page.
    pub fn uses(&mut self, begun: &Value) -> String {
        let returned = self.uses_with(begun, self.counter);
        self.counter += 1;
        returned
    }

    /// Uses the passkey with this counter, as a copy of the device would.
    pub fn uses_with(&self, begun: &Value, counter: u32) -> String {
        let client_data = client_data("webauthn.get", &options(begun), &self.origin);
        let data = self.data(0, counter);
        let signed = [&data[..], &Sha256::digest(&client_data)[..]].concat();
        let signature: Signature = self.key.sign(&signed);
        json!({
            "id": self.id(), "rawId": self.id(), "type": "public-key",
            "response": {
                "clientDataJSON": text(client_data), "authenticatorData": text(data),
                "signature": text(signature.to_der()), "userHandle": text(&self.handle),
            },
            "authenticatorAttachment": "platform", "clientExtensionResults": {},
        })
        .to_string()
    }
}
