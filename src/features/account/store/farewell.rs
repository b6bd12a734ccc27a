//! The SQL of what others have that an account was part of, and what they are told when it ends.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use rusqlite::types::Value;

use crate::db::sql::{List, Sql, list};
use crate::error::Error;
use crate::features::Event;
use crate::features::news;
use crate::features::views::members_of;
use crate::ids::{CommentId, GroupId, NotificationId, PollId, PostId, UserId};
use crate::limits::FAREWELL_EVENTS_MAX;
use crate::wire::codec;

/// Posts of others that somebody commented on, and the newest comment on each.
///
/// Arguments: 1 who, 2 how many. What is said under the post of a group that is gone, or goes now, is not shown
/// to anybody.
pub(super) const COMMENTED: &str = "
    select c.post_id, max(c.id) from comments c join posts p on p.id = c.post_id
     where c.author_id = ?1 and p.author_id <> ?1
       and (p.audience = 'public' or exists (select 1 from groups g where g.id = p.group_id and g.owner_id <> ?1))
     group by c.post_id order by 2 desc limit ?2";

/// A group that somebody was in.
struct Circle {
    id: GroupId,
    is_own: bool,
    /// All who were in it; sorted.
    members: Vec<UserId>,
}

impl Circle {
    /// Returns what its members are told: it went with its owner, or goes on without somebody.
    fn farewell(mut self, user_id: UserId) -> Event {
        if self.is_own {
            return news::group_deleted(self.id, self.members);
        }
        self.members.retain(|member| *member != user_id);
        news::group_left(self.id, user_id, self.members)
    }
}

/// What others have that an account was part of; of each kind the newest.
pub(super) struct Others {
    /// All groups, not the newest alone: a group's door learns only so who is not in it any more. Nobody is in
    /// more than [`GROUPS_JOINED_MAX`](crate::limits::GROUPS_JOINED_MAX) of others, nor owns more.
    groups: Vec<Circle>,
    /// Posts of others, and a comment on each.
    comments: Vec<(PostId, CommentId)>,
    /// Posts of others that had a yes.
    votes: Vec<PostId>,
    /// People who followed, or were followed.
    profiles: Vec<UserId>,
    /// Polls of others that had a vote.
    polls: Vec<PollId>,
    /// Users, and their notifications that go.
    notified: Vec<(UserId, Vec<NotificationId>)>,
}

impl Others {
    /// Returns all of it, while it is still there.
    pub(super) fn of(sql: Sql<'_>, user_id: UserId) -> Result<Self, Error> {
        let arguments = (user_id, FAREWELL_EVENTS_MAX);
        let groups: Vec<(GroupId, bool)> = sql.rows(
            "select g.id, g.owner_id = ?1 from members m join groups g on g.id = m.group_id
              where m.user_id = ?1 order by m.group_id desc",
            (user_id,),
        )?;
        let circle = |(id, is_own)| Ok(Circle { id, is_own, members: members_of(sql, id)? });
        let groups = groups.into_iter().map(circle).collect::<Result<_, Error>>()?;
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

    /// Returns the ids of the groups that go, encoded as answers have them.
    pub(super) fn owned_groups(&self) -> Result<List, Error> {
        let owned = self.groups.iter().filter(|group| group.is_own);
        let ids = owned.map(|group| Ok(Value::Blob(codec::encode(&group.id)?)));
        Ok(Rc::new(ids.collect::<Result<_, Error>>()?))
    }

    /// Takes out what the members of groups are told, once all is gone.
    pub(super) fn group_farewells(&mut self, user_id: UserId) -> Vec<Event> {
        self.groups.drain(..).map(|group| group.farewell(user_id)).collect()
    }

    /// Returns what all others are told, once all is gone.
    pub(super) fn farewells(self, sql: Sql<'_>) -> Result<Vec<Event>, Error> {
        let mut farewells = news::comments_deleted(sql, &self.comments)?;
        let votes: Vec<(PostId, UserId, i64)> = sql.rows(
            "select id, author_id, positive_count from posts where id in rarray(?1)
              order by id desc",
            (list(self.votes),),
        )?;
        farewells.extend(votes.into_iter().map(|(post_id, author_id, positive_count)| {
            news::votes_counted(post_id, author_id, positive_count)
        }));
        farewells.extend(news::profiles_counted(sql, self.profiles)?);
        farewells.extend(news::polls_counted(sql, self.polls)?);
        let notified = self.notified.iter().map(|(user_id, _)| *user_id);
        let unread: Vec<UserId> = sql.values(
            "select distinct user_id from notifications where unread and user_id in rarray(?1)",
            (list(notified),),
        )?;
        let unread: BTreeSet<UserId> = unread.into_iter().collect();
        farewells.extend(
            self.notified
                .into_iter()
                .map(|(user_id, ids)| news::notifications_deleted(user_id, ids, unread.contains(&user_id))),
        );
        Ok(farewells)
    }
}

/// Returns the users who lose notifications with an account, and which; who loses the newest comes first.
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
    notified.truncate(usize::try_from(FAREWELL_EVENTS_MAX).unwrap_or(usize::MAX));
    Ok(notified)
}
