//! Permissions: who may do what. Each rule is a pure function of facts, for every read, write and event.
//!
//! Nothing here reads the database or the clock. "Not visible" and "not there" are one refusal, so these functions
//! return a bool and the caller refuses with `not_found`. Lists use the same conditions in SQL, from the macros in
//! [`sql`]. `testing/audiences.rs` compares the two for all users and posts.

use crate::ids::UserId;

mod consent;
mod viewer;

pub use consent::{AddFacts, Adders, CommenterFacts, Commenters, may_add, may_comment_publicly};
pub use viewer::{Device, Viewer};

/// The facts that decide whether the viewer and another user may meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Between {
    /// Whether one of the two has blocked the other.
    pub is_blocked: bool,
    /// Whether the host has suspended the other user.
    pub is_suspended: bool,
}

/// May the viewer meet this user, that is, learn of the account and see anything of the user (D-S1)? Every request and
/// event that names a user checks this in addition to its own rule. Users may always meet themselves.
#[must_use]
pub fn may_meet(between: Between) -> bool {
    !between.is_blocked && !between.is_suspended
}

/// The audience of a post or a poll, relative to the viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Every signed-in user; for a poll, the followers of its creator.
    Public,
    /// The members of one group.
    Group {
        /// Whether the viewer is a member now. A deleted group has no members.
        is_member: bool,
    },
}

/// The facts that decide about a post.
#[derive(Clone, Copy, Debug)]
pub struct PostFacts {
    /// The author of the post.
    pub author_id: UserId,
    /// Whether the viewer may meet the author ([`may_meet`]).
    pub may_meet: bool,
    /// The audience of the post.
    pub audience: Audience,
}

/// May the viewer read this post? Every signed-in user may read a public post. The members may read a post of a group;
/// so may its author, even after leaving the group (D-G5) or after the group was deleted (D-G6).
#[must_use]
pub fn may_see_post(viewer: Viewer, post: &PostFacts) -> bool {
    viewer.user_id() == Some(post.author_id) || may_take_part(viewer, post)
}

/// May the viewer read the comments of this post, and receive their events? The audience of the post may. An author who
/// left a group does not see the comments there. [`may_see_comment`] decides about each comment.
#[must_use]
pub fn may_take_part(viewer: Viewer, post: &PostFacts) -> bool {
    match (viewer, post.audience) {
        (Viewer::Guest, _) => false,
        (Viewer::User { .. }, Audience::Public) => post.may_meet,
        (Viewer::User { .. }, Audience::Group { is_member }) => post.may_meet && is_member,
    }
}

/// May the viewer read a comment of this post? `may_meet` says whether they may meet the author of the comment.
#[must_use]
pub fn may_see_comment(viewer: Viewer, may_meet: bool, post: &PostFacts) -> bool {
    may_meet && may_take_part(viewer, post)
}

pub(crate) mod sql;

/// May the viewer vote on this post? Everyone who may see it may vote, including its author (D-C3, D-C6).
#[must_use]
pub fn may_vote(viewer: Viewer, post: &PostFacts) -> bool {
    may_see_post(viewer, post)
}

/// May the viewer save this post? Everyone who may see it may, except its author (D-U10). The list of saved posts shows
/// the posts that the viewer may save now; its SQL is [`sql::may_take_part`], because no own post is saved.
#[must_use]
pub fn may_save(viewer: Viewer, post: &PostFacts) -> bool {
    viewer.user_id() != Some(post.author_id) && may_see_post(viewer, post)
}

/// May the viewer comment on this post? In a group, every member may. On a public post, those may whom the author
/// allows ([`may_comment_publicly`]).
#[must_use]
pub fn may_comment(viewer: Viewer, post: &PostFacts, author: &CommenterFacts) -> bool {
    let is_of_group = matches!(post.audience, Audience::Group { .. });
    let may_publicly = |user| may_comment_publicly(user, post.author_id, author);
    may_take_part(viewer, post) && (is_of_group || viewer.user_id().is_some_and(may_publicly))
}

/// May the viewer share something with this audience? Users may share publicly, and with the groups they are in (D-G2).
#[must_use]
pub fn may_share_with(viewer: Viewer, audience: Audience) -> bool {
    match (viewer, audience) {
        (Viewer::Guest, _) => false,
        (Viewer::User { .. }, Audience::Public) => true,
        (Viewer::User { .. }, Audience::Group { is_member }) => is_member,
    }
}

/// May the viewer delete this post? Only its author may.
#[must_use]
pub fn may_delete_post(viewer: Viewer, post: &PostFacts) -> bool {
    viewer.user_id() == Some(post.author_id)
}

/// May the viewer change the texts and the audience of this post? Only its author may.
#[must_use]
pub fn may_edit_post(viewer: Viewer, post: &PostFacts) -> bool {
    viewer.user_id() == Some(post.author_id)
}

/// May the viewer learn how many positive vibes this post has? Only its author may (D-C1).
#[must_use]
pub fn may_see_positive_count(viewer: Viewer, post: &PostFacts) -> bool {
    viewer.user_id() == Some(post.author_id)
}

/// May the viewer delete a comment? Its author, the author of the post and the owner of the post's group may, if they
/// may read the comment (D-D5, D-S9). `group_owner` is None if the post has no group.
#[must_use]
pub fn may_delete_comment(
    viewer: Viewer,
    comment_author: UserId,
    may_meet: bool,
    group_owner: Option<UserId>,
    post: &PostFacts,
) -> bool {
    let is_one_of =
        |user: UserId| [Some(comment_author), Some(post.author_id), group_owner].contains(&Some(user));
    may_see_comment(viewer, may_meet, post) && viewer.user_id().is_some_and(is_one_of)
}

/// The facts that decide about a poll.
#[derive(Clone, Copy, Debug)]
pub struct PollFacts {
    /// The creator of the poll.
    pub creator_id: UserId,
    /// Whether the viewer may meet the creator ([`may_meet`]).
    pub may_meet: bool,
    /// The audience of the poll.
    pub audience: Audience,
    /// Whether the viewer follows the creator.
    pub is_followed: bool,
    /// Whether the poll is still open.
    pub is_open: bool,
}

/// May the viewer see this poll, and receive its events? The creator and their followers may see a public poll; the
/// members may see a poll of a group (D-F2). A closed poll is in no list, but stays visible where it is on screen
/// (D-F6).
#[must_use]
pub fn may_see_poll(viewer: Viewer, poll: &PollFacts) -> bool {
    match (viewer.user_id(), poll.audience) {
        (None, _) => false,
        (Some(user), Audience::Public) => user == poll.creator_id || poll.may_meet && poll.is_followed,
        (Some(_), Audience::Group { is_member }) => poll.may_meet && is_member,
    }
}

/// May the viewer list this poll as open, and vote in it? Everyone who may see it may, until it closes.
#[must_use]
pub fn may_vote_in_poll(viewer: Viewer, poll: &PollFacts) -> bool {
    poll.is_open && may_see_poll(viewer, poll)
}

/// May the viewer see the tally and the voters? Only those who voted may. The rule is the same for the creator (D-F3,
/// D-F5).
#[must_use]
pub fn may_see_tally(viewer: Viewer, poll: &PollFacts, has_voted: bool) -> bool {
    has_voted && may_see_poll(viewer, poll)
}

/// May the viewer delete this poll? Only its creator may.
#[must_use]
pub fn may_delete_poll(viewer: Viewer, poll: &PollFacts) -> bool {
    viewer.user_id() == Some(poll.creator_id)
}

/// The facts that decide about a mood.
#[derive(Clone, Copy, Debug)]
pub struct MoodFacts {
    /// The owner of the mood.
    pub owner_id: UserId,
    /// Whether the viewer may meet the owner ([`may_meet`]).
    pub may_meet: bool,
    /// Whether the viewer follows the owner now.
    pub is_followed: bool,
    /// Whether the owner's day is over.
    pub is_over: bool,
}

/// May the viewer see this mood? The owner and their followers may, until the owner's midnight.
#[must_use]
pub fn may_see_mood(viewer: Viewer, mood: &MoodFacts) -> bool {
    let may = |user: UserId| user == mood.owner_id || mood.may_meet && mood.is_followed;
    !mood.is_over && viewer.user_id().is_some_and(may)
}

/// May the viewer see and delete a notification of this user? Only if it is their own (D-H4). [`may_take_part`] decides
/// whether its subject is visible.
#[must_use]
pub fn may_see_notification(viewer: Viewer, user: UserId) -> bool {
    viewer.user_id() == Some(user)
}

/// The facts that decide about a group.
#[derive(Clone, Copy, Debug)]
pub struct GroupFacts {
    /// The owner of the group.
    pub owner_id: UserId,
    /// Whether the viewer is a member. The owner is one.
    pub is_member: bool,
}

/// May the viewer know that this group exists, with its name, its members and its posts? Only its members may (D-G3).
/// For everyone else there is no such group.
#[must_use]
pub fn may_see_group(viewer: Viewer, group: &GroupFacts) -> bool {
    viewer.user_id().is_some() && group.is_member
}

/// May the viewer rename and delete this group, add users and remove them? Only its owner may (D-G2).
#[must_use]
pub fn may_manage_group(viewer: Viewer, group: &GroupFacts) -> bool {
    may_see_group(viewer, group) && viewer.user_id() == Some(group.owner_id)
}

/// May the viewer remove this user from the group? The owner may remove everyone but themselves.
#[must_use]
pub fn may_remove_member(viewer: Viewer, member: UserId, group: &GroupFacts) -> bool {
    may_manage_group(viewer, group) && member != group.owner_id
}

/// May the viewer leave this group? Every member may, except its owner (D-G4).
#[must_use]
pub fn may_leave_group(viewer: Viewer, group: &GroupFacts) -> bool {
    may_see_group(viewer, group) && viewer.user_id() != Some(group.owner_id)
}

/// May the viewer open profiles, and search for users? Every signed-in user may. Each profile also needs [`may_meet`].
#[must_use]
pub fn may_see_profiles(viewer: Viewer) -> bool {
    viewer.user_id().is_some()
}

/// May the viewer see this user's profile and photo?
#[must_use]
pub fn may_see_profile(viewer: Viewer, may_meet: bool) -> bool {
    may_meet && may_see_profiles(viewer)
}

/// May the viewer block and mute this user? Signed-in users may hide everyone but themselves.
#[must_use]
pub fn may_hide(viewer: Viewer, user: UserId) -> bool {
    viewer.user_id().is_some_and(|viewer| viewer != user)
}

/// May the viewer list the people here? Every signed-in user may, if the host has the list on (D-P4).
#[must_use]
pub fn may_list_people(viewer: Viewer, has_directory: bool) -> bool {
    has_directory && may_see_profiles(viewer)
}

/// May the viewer make invitations? Every signed-in user may, if the host lets members invite. An admin may whenever
/// invitations work (D-P6).
#[must_use]
pub fn may_invite(viewer: Viewer, do_members_invite: bool, do_admins_invite: bool) -> bool {
    (do_members_invite || do_admins_invite) && viewer.user_id().is_some()
}

/// May the viewer see and revoke their own invitations? Every signed-in user may, as long as invitations work (D-P6).
#[must_use]
pub fn may_see_own_invites(viewer: Viewer, do_invites_work: bool) -> bool {
    do_invites_work && viewer.user_id().is_some()
}

/// May the viewer use `/admin`: see and change all accounts, all invitations and the coming themes? Only admins may.
#[must_use]
pub fn may_administer(is_admin: bool) -> bool {
    is_admin
}

/// May an admin or a command suspend or delete this account, end its logins, or make a link for its password? They may,
/// unless it is the account of an admin (D-T3).
#[must_use]
pub fn may_change_account(is_account_of_admin: bool) -> bool {
    !is_account_of_admin
}

/// May an admin see and handle a report about this author? Not one about themselves, unless there is no other admin
/// (D-S6).
#[must_use]
pub fn may_handle_report(admin: UserId, author: UserId, is_only_admin: bool) -> bool {
    admin != author || is_only_admin
}

/// May the viewer report this to the host? Everyone who may see it may, except its author. Users cannot report
/// themselves.
#[must_use]
pub fn may_report(viewer: Viewer, author: UserId, is_visible: bool) -> bool {
    is_visible && viewer.user_id().is_some_and(|viewer| viewer != author)
}

/// May the viewer follow this user? Signed-in users may follow everyone but themselves.
#[must_use]
pub fn may_follow(viewer: Viewer, user: UserId) -> bool {
    viewer.user_id().is_some_and(|viewer| viewer != user)
}

#[cfg(test)]
mod tests;
