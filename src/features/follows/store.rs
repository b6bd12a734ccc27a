//! The SQL of following.

use bytes::Bytes;
use sqlx::SqliteConnection;

use super::wire::{Changed, Counted, Followed, People, Side};
use crate::db::work::{KeyUse, Pending, Stage, Work};
use crate::error::{Error, Field, Refusal, Sentence};
use crate::features::Event;
use crate::features::notices;
use crate::features::views::{User, json_of, users_named};
use crate::ids::{FollowId, NotificationId, Seq, UserId};
use crate::limits::{FOLLOWS_MAX, PEOPLE_PAGE};
use crate::wire::codec;

/// Sets whether one person follows another.
pub struct Set {
    pub key: KeyUse,
    /// The follow's own id, when it is new.
    pub id: i64,
    /// Of what the followed is told then.
    pub notification_id: NotificationId,
    pub follower_id: UserId,
    pub followed_id: UserId,
    pub following: bool,
}

impl Work for Set {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn weight_bytes(&self) -> usize {
        128
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let (follower_id, followed_id) = (self.follower_id, self.followed_id);
            let facts: Option<(Option<i64>,)> = sqlx::query_as(
                "select (select following_count from users where id = ?1) from users where id = ?2",
            )
            .bind(follower_id)
            .bind(followed_id)
            .fetch_optional(&mut *stage.connection)
            .await?;
            let (following_count,) = facts.ok_or(Refusal::NotFound)?;
            // Whoever asks may have ended their account meanwhile.
            let following_count = following_count.ok_or(Refusal::NotSignedIn)?;
            let set = if self.following {
                sqlx::query("insert into follows (follower_id, followed_id, id) values (?1, ?2, ?3) on conflict (follower_id, followed_id) do nothing")
                    .bind(follower_id)
                    .bind(followed_id)
                    .bind(self.id)
            } else {
                sqlx::query("delete from follows where follower_id = ?1 and followed_id = ?2")
                    .bind(follower_id)
                    .bind(followed_id)
            };
            let changed = set.execute(&mut *stage.connection).await?.rows_affected() > 0;
            if changed && self.following && following_count >= FOLLOWS_MAX {
                return Err(Refusal::Invalid(Field::User, Sentence::FollowsFull).into());
            }
            if changed {
                let counts = counted(stage.connection, &[follower_id.0, followed_id.0]).await?;
                let following = self.following;
                stage.tell(Event::FollowChanged(Changed { user_id: followed_id, following, follower_id }));
                for counted in counts {
                    stage.tell(Event::ProfileCounted(counted));
                }
                if following {
                    let follower = users_named(stage.connection, [follower_id]).await?;
                    let follower = follower.first().ok_or(Refusal::NotFound)?;
                    notices::give_follow(stage, self.notification_id, followed_id, follower).await?;
                } else {
                    notices::withdraw_follow(stage, followed_id, follower_id).await?;
                }
            }
            let answer = Followed { user_id: followed_id, following: self.following, seq: stage.seq() };
            Ok(Bytes::from(codec::encode(&answer)?))
        })
    }
}

/// Returns how many follow these people and are followed by them, as it is told; by their ids.
///
/// # Errors
/// A database fault.
pub async fn counted(connection: &mut SqliteConnection, user_ids: &[i64]) -> Result<Vec<Counted>, Error> {
    let counts = sqlx::query_as(
        "select id as user_id, followers_count, following_count, hide_numbers from users
          where id in (select value from json_each(?1)) order by id",
    )
    .bind(json_of(user_ids))
    .fetch_all(connection)
    .await?;
    Ok(counts)
}

/// Returns a page of a person's followers or followed, newest first.
///
/// # Errors
/// A database fault.
pub async fn page(
    connection: &mut SqliteConnection,
    user_id: UserId,
    side: Side,
    before: Option<FollowId>,
    seq: Seq,
) -> Result<People, Error> {
    let query = match side {
        Side::Followers => {
            "select f.id as follow_id, u.id, u.name, u.photo_url from follows f join users u on u.id = f.follower_id
              where f.followed_id = ?1 and f.id < ?2 order by f.id desc limit ?3"
        }
        Side::Following => {
            "select f.id as follow_id, u.id, u.name, u.photo_url from follows f join users u on u.id = f.followed_id
              where f.follower_id = ?1 and f.id < ?2 order by f.id desc limit ?3"
        }
    };
    let mut rows: Vec<Row> = sqlx::query_as(query)
        .bind(user_id)
        .bind(before.map_or(crate::ids::ID_LIMIT, |before| before.0))
        .bind(i64::try_from(PEOPLE_PAGE + 1).unwrap_or(i64::MAX))
        .fetch_all(connection)
        .await?;
    let has_more = rows.len() > PEOPLE_PAGE;
    rows.truncate(PEOPLE_PAGE);
    let older = rows.last().map(|row| row.follow_id).filter(|_| has_more);
    let users = rows.into_iter().map(|row| row.user).collect();
    Ok(People { users, older, seq })
}

#[derive(sqlx::FromRow)]
struct Row {
    follow_id: FollowId,
    #[sqlx(flatten)]
    user: User,
}
