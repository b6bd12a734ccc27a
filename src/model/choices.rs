//! The choices of users: who may comment on their posts, and who may add them to groups.

use serde::{Deserialize, Serialize};

use crate::authz;
use crate::db::sql::kept_as_text;
use crate::wire::named;

/// Who may comment on the public posts of a user, as it is sent and stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", try_from = "String")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Commenters {
    Everyone,
    Followers,
    Followed,
}

named!(Commenters { Everyone = "everyone", Followers = "followers", Followed = "followed" });
kept_as_text!(Commenters);

impl Commenters {
    /// Returns the value for `authz`.
    #[must_use]
    pub fn fact(self) -> authz::Commenters {
        match self {
            Self::Everyone => authz::Commenters::Everyone,
            Self::Followers => authz::Commenters::Followers,
            Self::Followed => authz::Commenters::Followed,
        }
    }
}

/// Who may add a user to groups, as it is sent and stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", try_from = "String")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Adders {
    Followers,
    Followed,
    Nobody,
}

named!(Adders { Followers = "followers", Followed = "followed", Nobody = "nobody" });
kept_as_text!(Adders);

impl Adders {
    /// Returns the value for `authz`.
    #[must_use]
    pub fn fact(self) -> authz::Adders {
        match self {
            Self::Followers => authz::Adders::Followers,
            Self::Followed => authz::Adders::Followed,
            Self::Nobody => authz::Adders::Nobody,
        }
    }
}
