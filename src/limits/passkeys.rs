//! Limits of passkeys.

use crate::sentence::Sentence;

/// Passkeys of a user (D-V1). Most people need one for each maker of their devices.
pub const PASSKEYS_PER_USER: usize = 10;
/// The sentence of a refusal beyond it.
pub const PASSKEYS_FULL: Sentence =
    Sentence::new("passkeys_full", "You have {max} passkeys. Remove one first.")
        .of(&[("max", PASSKEYS_PER_USER)]);
/// Characters of the name of a passkey.
pub const PASSKEY_NAME_CHARS_MAX: usize = 40;
/// Bytes of a stored public key with its counter. One with an RSA key of 4,096 bits takes less than a quarter.
pub const PASSKEY_BYTES_MAX: usize = 8 * 1024;
/// Lifetime of a challenge, in milliseconds (five minutes, D-V4). WebAuthn recommends as much, because some people need
/// long to find their device and to unlock it.
pub const CHALLENGE_LIFE_MS: i64 = 5 * 60_000;
/// Challenges of guests that are kept at a time. One takes less than 1 KiB. One more ends the oldest. The limit of
/// log-ins of each network address bounds how fast strangers end those of others.
pub const GUEST_CHALLENGES_MAX: usize = 10_000;
/// Challenges of signed-in users that are kept at a time, apart from those of guests. One takes less than 16 KiB,
/// because it names the passkeys that the user has. One more ends the oldest.
pub const USER_CHALLENGES_MAX: usize = 2_000;
/// Challenges of one user that are kept at a time. One more ends the oldest of this user, so nobody takes the room of
/// others.
pub const CHALLENGES_PER_USER: usize = 4;
