//! The SQL that finds the data of other users that a deleted account was part of, and the events that those users
//! receive.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use rusqlite::types::Value;

use crate::authz::sql::is_notification_listed;
use crate::db::sql::{List, Sql, list};
use crate::error::Error;
use crate::events::{Users, users};
use crate::features::events::Event;
use crate::features::notifications::wire::Deleted;
use crate::features::votes::wire::Counted;
use crate::features::{comments, follows, groups, polls};
use crate::ids::{CommentId, GroupId, NotificationId, PollId, PostId, UserId};
use crate::limits::ACCOUNT_DELETE_EVENTS_MAX;
use crate::model::groups::members_of;
use crate::wire::codec;

/// Posts of others that a user commented on, and the newest comment on each.
///
/// Arguments: 1 user, 2 limit. Posts of a deleted group, or of a group that this deletion deletes, are left out,
/// because nobody sees their comments.
pub(super) const COMMENTED: &str = "
    select c.post_id, max(c.id) from comments c join posts p on p.id = c.post_id
     where c.author_id = ?1 and p.author_id <> ?1
       and (p.audience = 'public' or exists (select 1 from groups g where g.id = p.group_id and g.owner_id <> ?1))
     group by c.post_id order by 2 desc limit ?2";

/// A group that the deleted user was in.
struct MemberOf {
    id: GroupId,
    is_own: bool,
    /// All members before the deletion; sorted.
    members: Vec<UserId>,
}

impl MemberOf {
    /// Returns the events for its members. The group is deleted with its owner, or continues without the user. The
    /// members in `out` do not learn who left; if `out` is None, no member does.
    fn delete(self, sql: Sql<'_>, user_id: UserId, out: Option<&Users>) -> Result<Vec<Event>, Error> {
        if self.is_own {
            return Ok(vec![Event::GroupDeleted(groups::wire::Deleted {
                group_id: self.id,
                members: self.members,
            })]);
        }
        let members = users(self.members);
        groups::store::members::left_without(sql, self.id, user_id, out.unwrap_or(&members))
    }
}

/// The data of others that the account was part of: the newest items of each kind.
pub(super) struct Others {
    /// All groups, not only the newest ones, because the group registry learns of a removal only by its event. A user
    /// is in at most [`GROUPS_JOINED_MAX`](crate::limits::GROUPS_JOINED_MAX) groups of others, and owns no more than
    /// that.
    groups: Vec<MemberOf>,
    /// Posts of others, and a comment on each.
    comments: Vec<(PostId, CommentId)>,
    /// Posts of others with a positive vote of the user.
    votes: Vec<PostId>,
    /// Users who followed the user, or whom the user followed.
    profiles: Vec<UserId>,
    /// Polls of others in which the user voted.
    polls: Vec<PollId>,
    /// Other users, and their notifications that are deleted.
    notified: Vec<(UserId, Vec<NotificationId>)>,
}

impl Others {
    /// Reads the data before the deletion.
    pub(super) fn of(sql: Sql<'_>, user_id: UserId) -> Result<Self, Error> {
        let arguments = (user_id, ACCOUNT_DELETE_EVENTS_MAX);
        let groups: Vec<(GroupId, bool)> = sql.rows(
            "select g.id, g.owner_id = ?1 from members m join groups g on g.id = m.group_id
              where m.user_id = ?1 order by m.group_id desc",
            (user_id,),
        )?;
        let group_of = |(id, is_own)| Ok(MemberOf { id, is_own, members: members_of(sql, id)? });
        let groups = groups.into_iter().map(group_of).collect::<Result<_, Error>>()?;
        let comments = sql.rows(COMMENTED, arguments)?;
        let votes = sql.values(
            "select v.post_id from votes v join posts p on p.id = v.post_id
              where v.user_id = ?1 and v.vote = 1 and p.author_id <> ?1 order by 1 desc limit ?2",
            arguments,
        )?;
        let profiles = sql.values(
            "select iif(follower_id = ?1, followed_id, follower_id) as other from follows
              where follower_id = ?1 or followed_id = ?1 group by other order by max(id) desc limit ?2",
            arguments,
        )?;
        let polls = sql.values(
            "select b.poll_id from ballots b join polls p on p.id = b.poll_id
              where b.user_id = ?1 and p.creator_id <> ?1 order by 1 desc limit ?2",
            arguments,
        )?;
        let notified = notified(sql, user_id)?;
        Ok(Self { groups, comments, votes, profiles, polls, notified })
    }

    /// Returns the ids of the groups that the user owns, encoded as in replies.
    pub(super) fn owned_groups(&self) -> Result<List, Error> {
        let owned = self.groups.iter().filter(|group| group.is_own);
        let ids = owned.map(|group| Ok(Value::Blob(codec::encode(&group.id)?)));
        ids.collect()
    }

    /// Takes the events for the members of groups. It is called after the deletion.
    pub(super) fn group_events(
        &mut self,
        sql: Sql<'_>,
        user_id: UserId,
        out: Option<&Users>,
    ) -> Result<Vec<Event>, Error> {
        let mut events = Vec::new();
        for group in self.groups.drain(..) {
            events.extend(group.delete(sql, user_id, out)?);
        }
        Ok(events)
    }

    /// Returns the other events. It is called after the deletion.
    pub(super) fn events(self, sql: Sql<'_>, hidden_from: &Users) -> Result<Vec<Event>, Error> {
        let mut events = comments::store::deleted(sql, &self.comments, hidden_from)?;
        let votes: Vec<(PostId, UserId, i64)> = sql.rows(
            "select id, author_id, positive_count from posts where id in rarray(?1)
              order by id desc",
            (list(self.votes),),
        )?;
        events.extend(votes.into_iter().map(|(post_id, author_id, positive_count)| {
            Event::VotesCounted(Counted { post_id, positive_count, author_id })
        }));
        events.extend(follows::store::counted(sql, self.profiles)?);
        let polls = polls::store::read::counted(sql, self.polls)?;
        events.extend(polls.into_iter().map(Event::PollCounted));
        let notified = self.notified.iter().map(|(user_id, _)| *user_id);
        let unread: Vec<UserId> = sql.values(
            concat!(
                "select distinct n.user_id from notifications n where n.unread and n.user_id in rarray(?1) and ",
                is_notification_listed!("n.user_id")
            ),
            (list(notified),),
        )?;
        let unread: BTreeSet<UserId> = unread.into_iter().collect();
        events.extend(self.notified.into_iter().map(|(user_id, ids)| {
            let has_unread = unread.contains(&user_id);
            Event::NotificationsDeleted(Deleted { notification_ids: ids, has_unread, user_id })
        }));
        Ok(events)
    }
}

/// Returns the users who lose notifications, and the ids of these. The user who loses the newest one comes first.
fn notified(sql: Sql<'_>, user_id: UserId) -> Result<Vec<(UserId, Vec<NotificationId>)>, Error> {
    let rows: Vec<(UserId, NotificationId)> = sql.rows(
        "select user_id, id from notifications
          where user_id <> ?1 and (actor_id = ?1 or post_id in (select id from posts where author_id = ?1))
          order by id",
        (user_id,),
    )?;
    let mut by_user: HashMap<UserId, Vec<NotificationId>> = HashMap::new();
    for (user_id, id) in rows {
        by_user.entry(user_id).or_default().push(id);
    }
    let mut notified: Vec<_> = by_user.into_iter().collect();
    notified.sort_unstable_by_key(|(_, ids)| Reverse(ids.last().copied()));
    notified.truncate(usize::try_from(ACCOUNT_DELETE_EVENTS_MAX).unwrap_or(usize::MAX));
    Ok(notified)
}
