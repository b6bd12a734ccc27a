//! Who sends a request: plain data, which may be encoded.

use serde::{Deserialize, Serialize};

use crate::ids::{LoginId, UserId};

/// The viewer: who sends a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Viewer {
    /// A client that is not signed in.
    Guest,
    /// A signed-in user.
    User {
        user_id: UserId,
        /// The login by which the user is signed in. When it ends, the user is no longer signed in.
        login_id: LoginId,
    },
}

impl Viewer {
    /// Returns the viewer's id; None for a guest.
    #[must_use]
    pub fn user_id(self) -> Option<UserId> {
        match self {
            Self::Guest => None,
            Self::User { user_id, .. } => Some(user_id),
        }
    }
}

/// The browser or program behind a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// The label that its owner sees in the list of logins; empty if unknown.
    pub label: String,
    /// The hash of the cookie that identifies a device even after its login ended.
    pub token_hash: Option<[u8; 32]>,
}
