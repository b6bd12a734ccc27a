//! What users choose about others: who may comment on their posts, and who may add them to groups.

use serde::{Deserialize, Serialize};

use crate::authz;

/// Who may comment on the public posts of a user, as it is sent and stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", try_from = "String")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Commenters {
    Everyone,
    Followers,
    Followed,
}

crate::db::sql::kept_as_text!(Commenters {
    Everyone = "everyone", Followers = "followers", Followed = "followed",
});

impl Commenters {
    /// Returns the stored word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Everyone => "everyone",
            Self::Followers => "followers",
            Self::Followed => "followed",
        }
    }

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

/// By name only: MessagePack's reader would also take a variant's number.
impl TryFrom<String> for Commenters {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        let all = [Self::Everyone, Self::Followers, Self::Followed];
        all.into_iter().find(|one| one.word() == name).ok_or("no such commenters")
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

crate::db::sql::kept_as_text!(Adders {
    Followers = "followers", Followed = "followed", Nobody = "nobody",
});

impl Adders {
    /// Returns the stored word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Followers => "followers",
            Self::Followed => "followed",
            Self::Nobody => "nobody",
        }
    }

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

/// By name only: MessagePack's reader would also take a variant's number.
impl TryFrom<String> for Adders {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        let all = [Self::Followers, Self::Followed, Self::Nobody];
        all.into_iter().find(|one| one.word() == name).ok_or("no such adders")
    }
}
