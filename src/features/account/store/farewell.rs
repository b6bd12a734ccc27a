//! The SQL of what others have that an account was part of, and what they are told when it ends.

use std::collections::BTreeSet;

use sqlx::SqliteConnection;

use crate::error::Error;
use crate::features::Event;
use crate::features::kit::hex;
use crate::features::news;
use crate::features::views::{joined_ids, json_of};
use crate::ids::{CommentId, GroupId, NotificationId, PostId, UserId};
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
    votes: Vec<i64>,
    /// People who followed, or were followed.
    profiles: Vec<i64>,
    /// Polls of others that had a vote.
    polls: Vec<i64>,
    /// People, and their notifications that go: ids joined with commas.
    notified: Vec<(UserId, String)>,
}

impl Others {
    /// Returns all of it, while it is still there.
    pub(super) async fn of(connection: &mut SqliteConnection, user_id: UserId) -> Result<Self, Error> {
        let groups: Vec<(GroupId, bool, Option<String>)> = sqlx::query_as(
            "select g.id, g.owner_id = ?1,
                    (select group_concat(user_id) from members where group_id = g.id)
               from members m join groups g on g.id = m.group_id where m.user_id = ?1 order by m.group_id desc",
        )
        .bind(user_id)
        .fetch_all(&mut *connection)
        .await?;
        let circle = |(id, is_own, joined): (GroupId, bool, Option<String>)| {
            let mut members = joined_ids(joined.as_deref());
            members.sort_unstable();
            Circle { id, is_own, members }
        };
        let groups = groups.into_iter().map(circle).collect();
        let comments = sqlx::query_as(COMMENTED)
            .bind(user_id)
            .bind(FAREWELL_EVENTS_MAX)
            .fetch_all(&mut *connection)
            .await?;
        let votes = sqlx::query_scalar(
            "select v.post_id from votes v join posts p on p.id = v.post_id
              where v.user_id = ?1 and v.vote = 1 and p.author_id <> ?1 order by 1 desc limit ?2",
        )
        .bind(user_id)
        .bind(FAREWELL_EVENTS_MAX)
        .fetch_all(&mut *connection)
        .await?;
        let profiles = sqlx::query_scalar(
            "select iif(follower_id = ?1, followed_id, follower_id) as other from follows
              where follower_id = ?1 or followed_id = ?1 group by other order by max(id) desc limit ?2",
        )
        .bind(user_id)
        .bind(FAREWELL_EVENTS_MAX)
        .fetch_all(&mut *connection)
        .await?;
        let polls = sqlx::query_scalar(
            "select b.poll_id from ballots b join polls p on p.id = b.poll_id
              where b.user_id = ?1 and p.creator_id <> ?1 order by 1 desc limit ?2",
        )
        .bind(user_id)
        .bind(FAREWELL_EVENTS_MAX)
        .fetch_all(&mut *connection)
        .await?;
        let notified = sqlx::query_as(
            "select user_id, group_concat(id) from notifications
              where user_id <> ?1 and (actor_id = ?1 or post_id in (select id from posts where author_id = ?1))
              group by user_id order by max(id) desc limit ?2",
        )
        .bind(user_id)
        .bind(FAREWELL_EVENTS_MAX)
        .fetch_all(connection)
        .await?;
        Ok(Self { groups, comments, votes, profiles, polls, notified })
    }

    /// Returns the ids of the groups that go, as answers have them, in a JSON array of hexadecimal texts.
    pub(super) fn owned_groups(&self) -> Result<String, Error> {
        let owned = self.groups.iter().filter(|group| group.is_own);
        let ids: Vec<String> = owned
            .map(|group| Ok(format!("\"{}\"", hex(&codec::encode(&group.id)?))))
            .collect::<Result<_, Error>>()?;
        Ok(format!("[{}]", ids.join(",")))
    }

    /// Takes out what the members of groups are told, once all is gone.
    pub(super) fn group_farewells(&mut self, user_id: UserId) -> Vec<Event> {
        self.groups.drain(..).map(|group| group.farewell(user_id)).collect()
    }

    /// Returns what all others are told, once all is gone.
    pub(super) async fn farewells(self, connection: &mut SqliteConnection) -> Result<Vec<Event>, Error> {
        let mut farewells = news::comments_deleted_async(connection, &self.comments).await?;
        let votes: Vec<(PostId, UserId, i64)> = sqlx::query_as(
            "select id, author_id, positive_count from posts
              where id in (select value from json_each(?1)) order by id desc",
        )
        .bind(json_of(&self.votes))
        .fetch_all(&mut *connection)
        .await?;
        farewells.extend(votes.into_iter().map(|(post_id, author_id, positive_count)| {
            news::votes_counted(post_id, author_id, positive_count)
        }));
        farewells.extend(news::profiles_counted_async(connection, &self.profiles).await?);
        farewells.extend(news::polls_counted_async(connection, &self.polls).await?);
        let notified: Vec<i64> = self.notified.iter().map(|(user_id, _)| user_id.0).collect();
        let unread: Vec<UserId> = sqlx::query_scalar(
            "select distinct user_id from notifications
              where unread and user_id in (select value from json_each(?1))",
        )
        .bind(json_of(&notified))
        .fetch_all(connection)
        .await?;
        let unread: BTreeSet<UserId> = unread.into_iter().collect();
        farewells.extend(self.notified.into_iter().map(|(user_id, joined)| {
            let ids = joined.split(',').filter_map(|id| id.parse().ok().map(NotificationId)).collect();
            news::notifications_deleted(user_id, ids, unread.contains(&user_id))
        }));
        Ok(farewells)
    }
}
