//! The rules of [`super`] as SQL conditions for lists. Each macro takes the name of a table in the statement, and the
//! argument that holds the id of a signed-in user.

/// `is_member` of [`super::Audience::Group`], for a post or a poll.
macro_rules! is_member {
    ($of:literal, $who:literal) => {
        concat!(
            "exists (select 1 from members im where im.group_id = ",
            $of,
            ".group_id and im.user_id = ",
            $who,
            ")"
        )
    };
}
pub(crate) use is_member;

/// `is_followed` of [`super::PollFacts`] and [`super::MoodFacts`]: whether the first user follows the second.
macro_rules! is_followed {
    ($by:literal, $who:literal) => {
        concat!(
            "exists (select 1 from follows f where f.follower_id = ",
            $by,
            " and f.followed_id = ",
            $who,
            ")"
        )
    };
}
pub(crate) use is_followed;

/// [`super::may_meet`]. The first parameter is an expression for the id of the other user, the second for that of the
/// viewer.
///
/// A list checks this for hundreds of users (docs/performance.md), so a statement reads the viewer's blocks once and
/// not for each row, and looks for suspended users in a small index of their own.
macro_rules! may_meet {
    ($user:expr, $who:literal) => {
        concat!(
            "(",
            $user,
            " not in (select ib.blocked_id from blocks ib where ib.blocker_id = ",
            $who,
            " union all select ib.blocker_id from blocks ib where ib.blocked_id = ",
            $who,
            ") and not exists (select 1 from users su indexed by users_suspended where su.id = ",
            $user,
            " and su.suspended_at is not null))"
        )
    };
}
pub(crate) use may_meet;

/// Does the list of a user show a notification `n`? The parameter is the user, who must be allowed to meet the actor.
/// The notification of a follow that ended before it was seen is withdrawn: it is kept, and shown again if the actor
/// follows again within a day (D-H3).
macro_rules! is_notification_listed {
    ($who:literal) => {
        concat!(
            $crate::authz::sql::may_meet!("n.actor_id", $who),
            " and (n.kind <> 'follow' or not n.unread or ",
            $crate::authz::sql::is_followed!("n.actor_id", "n.user_id"),
            ")"
        )
    };
}
pub(crate) use is_notification_listed;

/// Has the second user muted the first? The lists of the second then leave out what the first publishes (D-S4).
macro_rules! is_muted {
    ($user:expr, $who:literal) => {
        concat!("(", $user, " in (select mu.muted_id from mutes mu where mu.muter_id = ", $who, "))")
    };
}
pub(crate) use is_muted;

/// Counts the comments of a post by users whom the viewer may meet. If the viewer has no blocks and nobody is
/// suspended, that is the stored count.
macro_rules! comments_seen {
    ($of:literal, $who:literal) => {
        concat!(
            "(",
            $of,
            ".comments_count - iif(exists (select 1 from blocks eb where eb.blocker_id = ",
            $who,
            " or eb.blocked_id = ",
            $who,
            ") or exists (select 1 from users eu where eu.suspended_at is not null),
              (select count(*) from comments ec where ec.post_id = ",
            $of,
            ".id and not ",
            $crate::authz::sql::may_meet!("ec.author_id", $who),
            "), 0))"
        )
    };
}
pub(crate) use comments_seen;

/// [`super::may_handle_report`], for a report `r`. The parameter is the admin.
macro_rules! may_handle_report {
    ($admin:literal) => {
        concat!(
            "(r.author_id <> ",
            $admin,
            " or not exists (select 1 from users oa where oa.is_admin = 1 and oa.id <> ",
            $admin,
            "))"
        )
    };
}
pub(crate) use may_handle_report;

/// Counts the followers of the user `u`. Suspended users do not count, because the list does not have them either.
macro_rules! followers_seen {
    () => {
        "(u.followers_count - (select count(*) from users su indexed by users_suspended
            join follows sf on sf.follower_id = su.id and sf.followed_id = u.id where su.suspended_at is not null))"
    };
}
pub(crate) use followers_seen;

/// Counts the users whom the user `u` follows, without suspended ones.
macro_rules! following_seen {
    () => {
        "(u.following_count - (select count(*) from users su indexed by users_suspended
            join follows sf on sf.followed_id = su.id and sf.follower_id = u.id where su.suspended_at is not null))"
    };
}
pub(crate) use following_seen;

/// Is a post there? The posts of an import that is undone are gone for everybody in one commit, and their rows are deleted
/// little by little (D-W8).
macro_rules! is_there {
    ($of:literal) => {
        concat!(
            "not exists (select 1 from imports gone where gone.id = ",
            $of,
            ".import_id and gone.phase = 'undoing')"
        )
    };
}
pub(crate) use is_there;

/// [`super::may_take_part`], for a post that is there.
macro_rules! may_take_part {
    ($of:literal, $who:literal) => {
        concat!(
            "(",
            $crate::authz::sql::is_there!($of),
            " and ",
            $crate::authz::sql::may_meet!(concat!($of, ".author_id"), $who),
            " and (",
            $of,
            ".audience = 'public' or ",
            $crate::authz::sql::is_member!($of, $who),
            "))"
        )
    };
}
pub(crate) use may_take_part;

/// [`super::may_see_post`], for a post that is there.
macro_rules! may_see_post {
    ($of:literal, $who:literal) => {
        concat!(
            "(",
            $of,
            ".author_id = ",
            $who,
            " and ",
            $crate::authz::sql::is_there!($of),
            " or ",
            $crate::authz::sql::may_take_part!($of, $who),
            ")"
        )
    };
}
pub(crate) use may_see_post;

/// [`super::may_add`], for a user `u`. The first parameter is the argument with the owner, the second the one with the
/// group.
macro_rules! may_add {
    ($owner:literal, $group:literal) => {
        concat!(
            "(case u.adders
                when 'followers' then ",
            $crate::authz::sql::is_followed!($owner, "u.id"),
            " or ",
            $crate::authz::sql::is_followed!("u.id", $owner),
            "   when 'followed' then ",
            $crate::authz::sql::is_followed!("u.id", $owner),
            "   else false end
              and not exists (select 1 from left_groups l where l.user_id = u.id and l.group_id = ",
            $group,
            "))"
        )
    };
}
pub(crate) use may_add;
