//! Who may do what: a pure calculation over facts, asked for every read, write and event.
//!
//! "Not yours" and "not there" are the same answer, so these return plain yes or no and the
//! caller turns no into `not_found`. Lists ask with the same facts in SQL; a test compares.

use crate::ids::{LoginId, UserId};

/// Who is asking now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// Nobody we know.
    Guest,
    /// Somebody signed in.
    User {
        /// Who.
        user_id: UserId,
        /// By which login; ending it ends this.
        login_id: LoginId,
    },
}

impl Viewer {
    /// Returns who it is, unless a guest.
    #[must_use]
    pub fn user_id(self) -> Option<UserId> {
        match self {
            Self::Guest => None,
            Self::User { user_id, .. } => Some(user_id),
        }
    }
}

/// Who a post is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Everybody with an account here.
    Public,
}

/// What must be known of a post to decide about it.
#[derive(Clone, Copy, Debug)]
pub struct PostFacts {
    /// Who wrote it.
    pub author_id: UserId,
    /// Who it is for.
    pub audience: Audience,
}

/// May the viewer read this post and its comments, and hear of changes to them?
#[must_use]
pub fn may_see_post(viewer: Viewer, post: &PostFacts) -> bool {
    match (viewer, post.audience) {
        (Viewer::Guest, _) => false,
        (Viewer::User { .. }, Audience::Public) => true,
    }
}

/// May the viewer vote on this post? Whoever sees it, its author included (D-C3, D-C6).
#[must_use]
pub fn may_vote(viewer: Viewer, post: &PostFacts) -> bool {
    may_see_post(viewer, post)
}

/// May the viewer comment on this post? Whoever sees it.
#[must_use]
pub fn may_comment(viewer: Viewer, post: &PostFacts) -> bool {
    may_see_post(viewer, post)
}

/// May the viewer delete this post? Its author.
#[must_use]
pub fn may_delete_post(viewer: Viewer, post: &PostFacts) -> bool {
    viewer.user_id() == Some(post.author_id)
}

/// May the viewer change this post's words, and who it is for? Its author.
#[must_use]
pub fn may_edit_post(viewer: Viewer, post: &PostFacts) -> bool {
    viewer.user_id() == Some(post.author_id)
}

/// May the viewer learn how many positive vibes this post has? Its author (D-C1).
#[must_use]
pub fn may_see_positive_count(viewer: Viewer, post: &PostFacts) -> bool {
    viewer.user_id() == Some(post.author_id)
}

/// May the viewer delete a comment? Who wrote it, and who wrote the post.
#[must_use]
pub fn may_delete_comment(viewer: Viewer, comment_author: UserId, post: &PostFacts) -> bool {
    let user = viewer.user_id();
    user.is_some() && (user == Some(comment_author) || user == Some(post.author_id))
}

/// May the viewer open profiles, and search for people? Everybody signed in.
#[must_use]
pub fn may_see_profiles(viewer: Viewer) -> bool {
    viewer.user_id().is_some()
}

/// May the viewer follow this user? Everybody but themselves.
#[must_use]
pub fn may_follow(viewer: Viewer, user: UserId) -> bool {
    viewer.user_id().is_some_and(|viewer| viewer != user)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANA: UserId = UserId(1);
    const BEN: UserId = UserId(2);
    const CLEO: UserId = UserId(3);

    fn viewer(user_id: UserId) -> Viewer {
        Viewer::User { user_id, login_id: LoginId(9) }
    }

    fn anas_post() -> PostFacts {
        PostFacts { author_id: ANA, audience: Audience::Public }
    }

    #[test]
    fn a_guest_may_do_nothing_at_all() {
        let post = anas_post();
        assert!(!may_see_post(Viewer::Guest, &post));
        assert!(!may_vote(Viewer::Guest, &post));
        assert!(!may_comment(Viewer::Guest, &post));
        assert!(!may_delete_post(Viewer::Guest, &post));
        assert!(!may_edit_post(Viewer::Guest, &post));
        assert!(!may_see_positive_count(Viewer::Guest, &post));
        assert!(!may_delete_comment(Viewer::Guest, BEN, &post));
        assert!(!may_see_profiles(Viewer::Guest));
        assert!(!may_follow(Viewer::Guest, ANA));
    }

    #[test]
    fn a_comment_goes_when_its_author_or_the_posts_author_says_so() {
        assert!(may_delete_comment(viewer(BEN), BEN, &anas_post()));
        assert!(may_delete_comment(viewer(ANA), BEN, &anas_post()));
        assert!(!may_delete_comment(viewer(CLEO), BEN, &anas_post()));
    }

    #[test]
    fn only_the_author_edits_and_deletes_a_post_and_sees_its_count() {
        assert!(may_edit_post(viewer(ANA), &anas_post()));
        assert!(!may_edit_post(viewer(BEN), &anas_post()));
        assert!(may_delete_post(viewer(ANA), &anas_post()));
        assert!(!may_delete_post(viewer(BEN), &anas_post()));
        assert!(may_see_positive_count(viewer(ANA), &anas_post()));
        assert!(!may_see_positive_count(viewer(BEN), &anas_post()));
    }

    #[test]
    fn everybody_signed_in_sees_and_votes_on_a_public_post_also_its_author() {
        for user in [ANA, BEN] {
            assert!(may_see_post(viewer(user), &anas_post()));
            assert!(may_vote(viewer(user), &anas_post()));
            assert!(may_comment(viewer(user), &anas_post()));
        }
    }

    #[test]
    fn nobody_follows_themselves() {
        assert!(may_follow(viewer(ANA), BEN));
        assert!(!may_follow(viewer(ANA), ANA));
    }
}
