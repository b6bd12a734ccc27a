//! The consent of users: who may comment on their public posts, and who may add them to groups.

use crate::ids::UserId;

/// Who may comment on the public posts of a user, in addition to the user (D-S8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commenters {
    Everyone,
    /// The users who follow the user.
    Followers,
    /// The users whom the user follows.
    Followed,
}

/// The facts that decide whether a user may comment on the public posts of an author.
#[derive(Clone, Copy, Debug)]
pub struct CommenterFacts {
    pub commenters: Commenters,
    /// Whether the user follows the author.
    pub is_followed: bool,
    /// Whether the author follows the user.
    pub follows_user: bool,
}

/// May this user comment on the public posts of this author that the user sees?
#[must_use]
pub fn may_comment_publicly(user: UserId, author_id: UserId, facts: &CommenterFacts) -> bool {
    user == author_id
        || match facts.commenters {
            Commenters::Everyone => true,
            Commenters::Followers => facts.is_followed,
            Commenters::Followed => facts.follows_user,
        }
}

/// Who may add a user to groups (D-S7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adders {
    /// The users who follow the user, and those whom the user follows.
    Followers,
    /// The users whom the user follows.
    Followed,
    Nobody,
}

/// The facts that decide whether the owner of a group may add a user to it.
#[derive(Clone, Copy, Debug)]
pub struct AddFacts {
    pub adders: Adders,
    /// Whether the owner follows the user.
    pub is_followed: bool,
    /// Whether the user follows the owner.
    pub follows_owner: bool,
    /// Whether the user left this group and has not allowed since then to be added again.
    pub has_left: bool,
}

/// May the owner of a group add this user to it? The same rule in SQL is `super::sql::may_add`.
#[must_use]
pub fn may_add(facts: &AddFacts) -> bool {
    !facts.has_left
        && match facts.adders {
            Adders::Followers => facts.is_followed || facts.follows_owner,
            Adders::Followed => facts.follows_owner,
            Adders::Nobody => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d_s7_users_decide_who_adds_them_to_groups_and_nobody_adds_back_a_user_who_left() {
        for (is_followed, follows_owner) in [(false, false), (false, true), (true, false), (true, true)] {
            let may = |adders, has_left| may_add(&AddFacts { adders, is_followed, follows_owner, has_left });
            assert_eq!(may(Adders::Followers, false), is_followed || follows_owner);
            assert_eq!(may(Adders::Followed, false), follows_owner);
            assert!(!may(Adders::Nobody, false));
            for adders in [Adders::Followers, Adders::Followed, Adders::Nobody] {
                assert!(!may(adders, true));
            }
        }
    }
}
