//! Random bytes, and bytes as hexadecimal digits.

use crate::error::Error;

/// Returns `count` random bytes.
///
/// # Errors
/// A fault if the system has no random bytes.
pub fn random<const COUNT: usize>() -> Result<[u8; COUNT], Error> {
    let mut bytes = [0; COUNT];
    getrandom::fill(&mut bytes).map_err(|_| Error::Broken("the system has no random bytes"))?;
    Ok(bytes)
}

/// Returns bytes as hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}
