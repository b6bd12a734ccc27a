//! The rules of permissions, one by one.

use super::*;
use crate::ids::LoginId;

const ANA: UserId = UserId(1);
const BEN: UserId = UserId(2);
const CLEO: UserId = UserId(3);

fn viewer(user_id: UserId) -> Viewer {
    Viewer::User { user_id, login_id: LoginId(9) }
}

const ANYBODY: CommenterFacts =
    CommenterFacts { commenters: Commenters::Everyone, is_followed: false, follows_user: false };

fn anas_post() -> PostFacts {
    PostFacts { author_id: ANA, may_meet: true, audience: Audience::Public }
}

fn anas_poll(is_followed: bool, is_open: bool) -> PollFacts {
    PollFacts { creator_id: ANA, may_meet: true, audience: Audience::Public, is_followed, is_open }
}

#[test]
fn an_admin_handles_no_report_about_themselves_unless_there_is_no_other_admin() {
    assert!(may_handle_report(ANA, BEN, false) && may_handle_report(ANA, BEN, true));
    assert!(!may_handle_report(ANA, ANA, false) && may_handle_report(ANA, ANA, true));
}

#[test]
fn a_poll_is_visible_to_its_creator_and_their_followers() {
    for is_open in [true, false] {
        assert!(may_see_poll(viewer(ANA), &anas_poll(false, is_open)));
        assert!(may_see_poll(viewer(BEN), &anas_poll(true, is_open)));
        assert!(!may_see_poll(viewer(CLEO), &anas_poll(false, is_open)));
        assert_eq!(may_vote_in_poll(viewer(ANA), &anas_poll(false, is_open)), is_open);
        assert_eq!(may_vote_in_poll(viewer(BEN), &anas_poll(true, is_open)), is_open);
        assert!(!may_vote_in_poll(viewer(CLEO), &anas_poll(false, is_open)));
    }
}

#[test]
fn a_tally_is_visible_to_those_who_voted_and_may_still_see_the_poll() {
    for who in [ANA, BEN] {
        assert!(may_see_tally(viewer(who), &anas_poll(true, false), true));
        assert!(!may_see_tally(viewer(who), &anas_poll(true, true), false));
    }
    assert!(!may_see_tally(viewer(BEN), &anas_poll(false, true), true), "unfollowed");
}

#[test]
fn a_mood_is_visible_to_its_owner_and_their_followers_until_its_day_is_over() {
    let mood = |is_followed, is_over| MoodFacts { owner_id: ANA, may_meet: true, is_followed, is_over };
    assert!(may_see_mood(viewer(ANA), &mood(false, false)));
    assert!(may_see_mood(viewer(BEN), &mood(true, false)));
    assert!(!may_see_mood(viewer(CLEO), &mood(false, false)));
    for who in [ANA, BEN] {
        assert!(!may_see_mood(viewer(who), &mood(true, true)));
    }
}

#[test]
fn a_notification_is_visible_to_its_user_alone() {
    assert!(may_see_notification(viewer(ANA), ANA));
    assert!(!may_see_notification(viewer(BEN), ANA));
}

#[test]
fn a_group_is_visible_to_its_members_and_managed_by_its_owner() {
    let group = |is_member| GroupFacts { owner_id: ANA, is_member };
    assert!(may_manage_group(viewer(ANA), &group(true)) && !may_leave_group(viewer(ANA), &group(true)));
    assert!(may_see_group(viewer(BEN), &group(true)) && may_leave_group(viewer(BEN), &group(true)));
    assert!(!may_manage_group(viewer(BEN), &group(true)));
    assert!(!may_see_group(viewer(CLEO), &group(false)) && !may_leave_group(viewer(CLEO), &group(false)));
    assert!(may_remove_member(viewer(ANA), BEN, &group(true)));
    assert!(!may_remove_member(viewer(ANA), ANA, &group(true)));
    assert!(!may_remove_member(viewer(BEN), CLEO, &group(true)));
}

#[test]
fn only_the_creator_deletes_a_poll() {
    assert!(may_delete_poll(viewer(ANA), &anas_poll(false, false)));
    assert!(!may_delete_poll(viewer(BEN), &anas_poll(true, true)));
}

#[test]
fn an_admin_administers_everything_but_the_accounts_of_admins() {
    assert!(may_administer(true) && !may_administer(false));
    assert!(may_change_account(false) && !may_change_account(true));
}

#[test]
fn a_guest_may_do_nothing_at_all() {
    let poll = anas_poll(true, true);
    assert!(!may_see_poll(Viewer::Guest, &poll));
    assert!(!may_vote_in_poll(Viewer::Guest, &poll));
    assert!(!may_see_tally(Viewer::Guest, &poll, true));
    assert!(!may_delete_poll(Viewer::Guest, &poll));
    let mood = MoodFacts { owner_id: ANA, may_meet: true, is_followed: true, is_over: false };
    assert!(!may_see_mood(Viewer::Guest, &mood));
    assert!(!may_see_notification(Viewer::Guest, ANA));
    let group = GroupFacts { owner_id: ANA, is_member: true };
    assert!(!may_see_group(Viewer::Guest, &group));
    assert!(!may_manage_group(Viewer::Guest, &group));
    assert!(!may_leave_group(Viewer::Guest, &group));
    assert!(!may_share_with(Viewer::Guest, Audience::Public));
    let post = anas_post();
    assert!(!may_see_post(Viewer::Guest, &post));
    assert!(!may_vote(Viewer::Guest, &post));
    assert!(!may_comment(Viewer::Guest, &post, &ANYBODY));
    assert!(!may_delete_post(Viewer::Guest, &post));
    assert!(!may_edit_post(Viewer::Guest, &post));
    assert!(!may_see_positive_count(Viewer::Guest, &post));
    assert!(!may_delete_comment(Viewer::Guest, BEN, true, None, &post));
    assert!(!may_see_profiles(Viewer::Guest));
    assert!(!may_list_people(Viewer::Guest, true));
    assert!(!may_invite(Viewer::Guest, true, true));
    assert!(!may_follow(Viewer::Guest, ANA));
    assert!(!may_report(Viewer::Guest, ANA, true));
}

#[test]
fn a_comment_is_deleted_by_its_author_or_by_the_author_of_its_post() {
    assert!(may_delete_comment(viewer(BEN), BEN, true, None, &anas_post()));
    assert!(may_delete_comment(viewer(ANA), BEN, true, None, &anas_post()));
    assert!(!may_delete_comment(viewer(CLEO), BEN, true, None, &anas_post()));
}

#[test]
fn d_s9_the_owner_of_a_group_deletes_comments_under_its_posts() {
    let post =
        |is_member| PostFacts { author_id: ANA, may_meet: true, audience: Audience::Group { is_member } };
    assert!(may_delete_comment(viewer(CLEO), BEN, true, Some(CLEO), &post(true)));
    assert!(!may_delete_comment(viewer(CLEO), BEN, true, Some(ANA), &post(true)), "another's group");
    assert!(!may_delete_comment(viewer(CLEO), BEN, true, Some(CLEO), &post(false)), "a group that is gone");
}

#[test]
fn d_s8_the_author_decides_who_comments_in_public_and_members_of_a_group_always_may() {
    let others = [(false, false), (false, true), (true, false), (true, true)];
    for commenters in [Commenters::Everyone, Commenters::Followers, Commenters::Followed] {
        for (is_followed, follows_user) in others {
            let facts = CommenterFacts { commenters, is_followed, follows_user };
            let expected = match commenters {
                Commenters::Everyone => true,
                Commenters::Followers => is_followed,
                Commenters::Followed => follows_user,
            };
            assert_eq!(may_comment(viewer(BEN), &anas_post(), &facts), expected, "{facts:?}");
            assert!(may_comment(viewer(ANA), &anas_post(), &facts), "her own");
            let post = |is_member| PostFacts {
                author_id: ANA,
                may_meet: true,
                audience: Audience::Group { is_member },
            };
            assert!(may_comment(viewer(BEN), &post(true), &facts));
            assert!(!may_comment(viewer(BEN), &post(false), &facts));
        }
    }
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
fn everybody_signed_in_including_the_author_sees_and_votes_on_a_public_post() {
    for user in [ANA, BEN] {
        assert!(may_see_post(viewer(user), &anas_post()));
        assert!(may_vote(viewer(user), &anas_post()));
        assert!(may_comment(viewer(user), &anas_post(), &ANYBODY));
    }
}

#[test]
fn two_meet_unless_one_blocked_the_other_or_the_other_is_suspended() {
    for (is_blocked, is_suspended) in [(false, false), (true, false), (false, true), (true, true)] {
        let may = may_meet(Between { is_blocked, is_suspended });
        assert_eq!(may, !is_blocked && !is_suspended, "{is_blocked} {is_suspended}");
    }
}

#[test]
fn a_viewer_who_may_not_meet_an_author_sees_nothing_of_theirs_and_authors_see_their_own() {
    let post = PostFacts { may_meet: false, ..anas_post() };
    assert!(!may_see_post(viewer(BEN), &post) && !may_vote(viewer(BEN), &post));
    assert!(
        !may_comment(viewer(BEN), &post, &ANYBODY)
            && !may_delete_comment(viewer(BEN), BEN, true, None, &post)
    );
    assert!(may_see_post(viewer(ANA), &post));
    let of_group = PostFacts { audience: Audience::Group { is_member: true }, ..post };
    assert!(!may_see_post(viewer(BEN), &of_group));
    assert!(!may_see_comment(viewer(BEN), false, &anas_post()));
    assert!(may_see_comment(viewer(BEN), true, &anas_post()));
    assert!(!may_delete_comment(viewer(ANA), BEN, false, None, &anas_post()));
    let poll = PollFacts { may_meet: false, ..anas_poll(true, true) };
    assert!(!may_see_poll(viewer(BEN), &poll) && may_see_poll(viewer(ANA), &poll));
    let mood = MoodFacts { owner_id: ANA, may_meet: false, is_followed: true, is_over: false };
    assert!(!may_see_mood(viewer(BEN), &mood) && may_see_mood(viewer(ANA), &mood));
    assert!(!may_see_profile(viewer(BEN), false) && may_see_profile(viewer(BEN), true));
}

#[test]
fn nobody_blocks_or_mutes_themselves() {
    assert!(may_hide(viewer(ANA), BEN));
    assert!(!may_hide(viewer(ANA), ANA));
    assert!(!may_hide(Viewer::Guest, ANA));
}

#[test]
fn people_are_listed_if_the_host_has_the_list_on() {
    assert!(may_list_people(viewer(ANA), true));
    assert!(!may_list_people(viewer(ANA), false));
}

#[test]
fn members_invite_if_the_host_lets_them() {
    assert!(may_invite(viewer(ANA), true, false));
    assert!(!may_invite(viewer(ANA), false, false));
    assert!(may_invite(viewer(ANA), false, true), "an admin");
    assert!(may_see_own_invites(viewer(ANA), true) && !may_see_own_invites(viewer(ANA), false));
    assert!(!may_see_own_invites(Viewer::Guest, true));
}

#[test]
fn users_may_report_what_they_see_of_others() {
    assert!(may_report(viewer(BEN), ANA, true));
    assert!(!may_report(viewer(BEN), ANA, false));
    assert!(!may_report(viewer(ANA), ANA, true));
}

#[test]
fn users_save_what_they_see_of_others() {
    let of_group = |is_member| PostFacts { audience: Audience::Group { is_member }, ..anas_post() };
    assert!(may_save(viewer(BEN), &anas_post()) && may_save(viewer(BEN), &of_group(true)));
    assert!(!may_save(viewer(BEN), &of_group(false)));
    assert!(!may_save(viewer(BEN), &PostFacts { may_meet: false, ..anas_post() }));
    assert!(!may_save(viewer(ANA), &anas_post()) && !may_save(Viewer::Guest, &anas_post()));
}

#[test]
fn nobody_follows_themselves() {
    assert!(may_follow(viewer(ANA), BEN));
    assert!(!may_follow(viewer(ANA), ANA));
}
