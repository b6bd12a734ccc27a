//! The SQL of posts: writing one, deleting one, and reading pages of them.

use std::collections::HashMap;

use bytes::Bytes;
use sqlx::SqliteConnection;

use super::rules::{NewPost, Tag, is_hidden};
use super::wire::{Created, Deleted, Done, One, Post, PostView};
use crate::access::{self, PostFacts, Viewer};
use crate::db::writer::{KeyUse, Pending, Stage, Work};
use crate::error::{Error, Refusal};
use crate::features::Event;
use crate::features::views::{Audience, Comment, User, Vote, first_comments, joined_ids, json_of};
use crate::ids::{EPOCH_MS, PostId, UserId};
use crate::limits::{FEED_PAGE, FEED_READS_MAX};
use crate::wire::codec;

/// Publishes a post.
pub struct Create {
    pub key: KeyUse,
    pub id: PostId,
    pub author_id: UserId,
    pub new: NewPost,
    pub audience: Audience,
}

impl Work for Create {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn weight_bytes(&self) -> usize {
        self.new.text.len() + self.new.title.as_ref().map_or(0, String::len) + 256
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let tag = self.new.tag.as_ref();
            let (name, followers): (String, Option<String>) = sqlx::query_as(
                "insert into posts (author_id, id, title, text, tag, tag_key, created_at_ms, updated_at_ms)
                   values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7);
                 select name, (select group_concat(follower_id) from follows where followed_id = ?1)
                   from users where id = ?1",
            )
            .bind(self.author_id)
            .bind(self.id)
            .bind(self.new.title.as_deref())
            .bind(&self.new.text)
            .bind(tag.map(|tag| tag.shown.as_str()))
            .bind(tag.map(|tag| tag.key.as_str()))
            .bind(stage.now_ms)
            .fetch_one(&mut *stage.connection)
            .await?;
            let users = vec![User { id: self.author_id, name }];
            let followers = sorted(joined_ids(followers.as_deref()));
            let post = Post {
                id: self.id,
                author_id: self.author_id,
                title: self.new.title.clone(),
                text: self.new.text.clone(),
                tag: tag.map(|tag| tag.shown.clone()),
                tag_key: tag.map(|tag| tag.key.clone()),
                audience: self.audience,
                created_at_ms: stage.now_ms,
                updated_at_ms: stage.now_ms,
                comments_count: 0,
                first_comments: Vec::new(),
            };
            let event = Created { post: post.clone(), users: users.clone(), followers: followers.into() };
            let seq = stage.tell(Event::PostCreated(event));
            let view = PostView { post, vote: Vote::None, positive_count: Some(0) };
            Ok(Bytes::from(codec::encode(&One { post: view, users, seq })?))
        })
    }
}

/// Deletes a post with all that hangs on it.
pub struct Delete {
    pub key: KeyUse,
    pub post_id: PostId,
    pub viewer: Viewer,
}

impl Work for Delete {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn weight_bytes(&self) -> usize {
        128
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let author: Option<UserId> = sqlx::query_scalar("select author_id from posts where id = ?1")
                .bind(self.post_id)
                .fetch_optional(&mut *stage.connection)
                .await?;
            let facts = author.map(|author_id| PostFacts { author_id, audience: access::Audience::Public });
            let Some(facts) = facts.filter(|facts| access::may_delete_post(self.viewer, facts)) else {
                return Err(Refusal::NotFound.into());
            };
            sqlx::query("delete from posts where id = ?1")
                .bind(self.post_id)
                .execute(&mut *stage.connection)
                .await?;
            let followers = followers(stage.connection, facts.author_id).await?.into();
            let event = Deleted { post_id: self.post_id, author_id: facts.author_id, followers };
            let seq = stage.tell(Event::PostDeleted(event));
            Ok(Bytes::from(codec::encode(&Done { seq })?))
        })
    }
}

/// Returns who follows an author; sorted. One row, because each costs a trip of its own.
async fn followers(connection: &mut SqliteConnection, author_id: UserId) -> Result<Vec<UserId>, Error> {
    let joined: Option<String> =
        sqlx::query_scalar("select group_concat(follower_id) from follows where followed_id = ?1")
            .bind(author_id)
            .fetch_one(connection)
            .await?;
    Ok(sorted(joined_ids(joined.as_deref())))
}

fn sorted(mut people: Vec<UserId>) -> Vec<UserId> {
    people.sort_unstable();
    people
}

#[derive(sqlx::FromRow)]
struct Row {
    id: PostId,
    author_id: UserId,
    title: Option<String>,
    text: String,
    tag: Option<String>,
    tag_key: Option<String>,
    created_at_ms: i64,
    updated_at_ms: i64,
    comments_count: i64,
    positive_count: i64,
    negative_count: i64,
    vote: Option<i64>,
}

impl Row {
    fn facts(&self) -> PostFacts {
        PostFacts { author_id: self.author_id, audience: access::Audience::Public }
    }
}

/// Returns posts by id as this viewer sees them, newest first; others are left out.
///
/// # Errors
/// A database fault.
pub async fn find(
    connection: &mut SqliteConnection,
    ids: &[PostId],
    viewer: Viewer,
) -> Result<Vec<PostView>, Error> {
    let rows = rows(connection, ids, viewer).await?;
    views(connection, rows, viewer).await
}

async fn rows(connection: &mut SqliteConnection, ids: &[PostId], viewer: Viewer) -> Result<Vec<Row>, Error> {
    let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let mut rows: Vec<Row> = sqlx::query_as(
        "select p.id, p.author_id, p.title, p.text, p.tag, p.tag_key, p.created_at_ms, p.updated_at_ms,
                p.comments_count, p.positive_count, p.negative_count, v.vote
           from posts p left join votes v on v.post_id = p.id and v.user_id = ?2
          where p.id in (select value from json_each(?1))
          order by p.id desc",
    )
    .bind(json_of(&ids))
    .bind(viewer.user_id())
    .fetch_all(connection)
    .await?;
    rows.retain(|row| access::may_see_post(viewer, &row.facts()));
    Ok(rows)
}

async fn views(
    connection: &mut SqliteConnection,
    rows: Vec<Row>,
    viewer: Viewer,
) -> Result<Vec<PostView>, Error> {
    let with_comments: Vec<i64> =
        rows.iter().filter(|row| row.comments_count > 0).map(|row| row.id.0).collect();
    let mut comments: HashMap<PostId, Vec<Comment>> = HashMap::new();
    if !with_comments.is_empty() {
        for comment in first_comments(connection, &with_comments).await? {
            comments.entry(comment.post_id).or_default().push(comment);
        }
    }
    let view = |row: Row| PostView {
        vote: Vote::of(row.vote),
        positive_count: access::may_see_positive_count(viewer, &row.facts()).then_some(row.positive_count),
        post: Post {
            first_comments: comments.remove(&row.id).unwrap_or_default(),
            id: row.id,
            author_id: row.author_id,
            title: row.title,
            text: row.text,
            tag: row.tag,
            tag_key: row.tag_key,
            audience: Audience::Public {},
            created_at_ms: row.created_at_ms,
            updated_at_ms: row.updated_at_ms,
            comments_count: row.comments_count,
        },
    };
    Ok(rows.into_iter().map(view).collect())
}

/// Returns everybody who is named by these posts.
pub fn people_in(posts: &[PostView]) -> impl Iterator<Item = UserId> + '_ {
    posts.iter().flat_map(|view| {
        let comments = view.post.first_comments.iter().map(|comment| comment.author_id);
        std::iter::once(view.post.author_id).chain(comments)
    })
}

/// A page and where the next one begins.
pub struct Found {
    pub posts: Vec<PostView>,
    pub older: Option<PostId>,
}

/// How far back each read of a feed looks, in days; the last looks back to the beginning.
///
/// Without a floor the join would read every post of everybody followed for each page.
const REACH_DAYS: [i64; FEED_READS_MAX - 1] = [7, 60, 600, 6_000];

/// Returns a page of what the viewer and those they follow published, newest first.
///
/// # Errors
/// A database fault.
pub async fn feed(
    connection: &mut SqliteConnection,
    viewer: Viewer,
    tag: Option<&Tag>,
    before: Option<PostId>,
    now_ms: i64,
) -> Result<Found, Error> {
    let Some(user_id) = viewer.user_id() else { return Ok(Found { posts: Vec::new(), older: None }) };
    let mut kept: Vec<Row> = Vec::with_capacity(FEED_PAGE);
    let mut ceiling = before.map_or(crate::ids::ID_LIMIT, |before| before.0);
    let mut reach = REACH_DAYS.iter();
    let mut floor = floor_of(ceiling, reach.next(), now_ms);
    for _ in 0..FEED_READS_MAX {
        // One more than is missing tells whether anything older remains.
        let wanted = FEED_PAGE + 1 - kept.len();
        let ids = feed_ids(connection, user_id, tag, floor..ceiling, wanted).await?;
        for row in rows(connection, &ids, viewer).await? {
            let is_left_out = tag.is_none()
                && row.author_id != user_id
                && is_hidden(row.positive_count, row.negative_count);
            if !is_left_out {
                kept.push(row);
            }
        }
        match ids.last() {
            Some(last) if ids.len() == wanted => ceiling = last.0,
            _ => {
                ceiling = floor;
                floor = floor_of(ceiling, reach.next(), now_ms);
            }
        }
        if kept.len() > FEED_PAGE || ceiling == 0 {
            break;
        }
    }
    let older = if kept.len() > FEED_PAGE {
        kept.truncate(FEED_PAGE);
        kept.last().map(|row| row.id)
    } else {
        (ceiling > 0).then_some(PostId(ceiling))
    };
    Ok(Found { posts: views(connection, kept, viewer).await?, older })
}

/// Returns the smallest id a read looks at: so many days before the ceiling, or before now.
fn floor_of(ceiling: i64, days: Option<&i64>, now_ms: i64) -> i64 {
    let Some(days) = days else { return 0 };
    let id_of = |ms: i64| ms.saturating_sub(EPOCH_MS).max(0) << 12;
    let newest = ceiling.min(id_of(now_ms));
    (newest - id_of(EPOCH_MS + days * 24 * 3_600_000)).max(0)
}

/// The join reads ids from covering indexes only; the rows of one page are read afterwards.
/// `cross join` keeps the planner from walking all posts instead.
const FEED_IDS: &str = "
    with authors (id) as (select followed_id from follows where follower_id = ?1 union all select ?1)
    select p.id from authors a cross join posts p on p.author_id = a.id
     where p.id >= ?2 and p.id < ?3 order by p.id desc limit ?4";

const FEED_IDS_WITH_TAG: &str = "
    with authors (id) as (select followed_id from follows where follower_id = ?1 union all select ?1)
    select p.id from authors a cross join posts p on p.tag_key = ?5 and p.author_id = a.id
     where p.id >= ?2 and p.id < ?3 order by p.id desc limit ?4";

async fn feed_ids(
    connection: &mut SqliteConnection,
    user_id: UserId,
    tag: Option<&Tag>,
    range: std::ops::Range<i64>,
    limit: usize,
) -> Result<Vec<PostId>, Error> {
    let ids = sqlx::query_scalar(if tag.is_some() { FEED_IDS_WITH_TAG } else { FEED_IDS })
        .bind(user_id)
        .bind(range.start)
        .bind(range.end)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .bind(tag.map(|tag| tag.key.as_str()))
        .fetch_all(connection)
        .await?;
    Ok(ids)
}

/// Returns a page of one author's posts, newest first; None when there is no such author.
///
/// # Errors
/// A database fault.
pub async fn by_author(
    connection: &mut SqliteConnection,
    viewer: Viewer,
    author_id: UserId,
    before: Option<PostId>,
) -> Result<Option<Found>, Error> {
    let exists: bool = sqlx::query_scalar("select exists (select 1 from users where id = ?1)")
        .bind(author_id)
        .fetch_one(&mut *connection)
        .await?;
    if !exists {
        return Ok(None);
    }
    let mut ids: Vec<PostId> =
        sqlx::query_scalar("select id from posts where author_id = ?1 and id < ?2 order by id desc limit ?3")
            .bind(author_id)
            .bind(before.map_or(crate::ids::ID_LIMIT, |before| before.0))
            .bind(i64::try_from(FEED_PAGE + 1).unwrap_or(i64::MAX))
            .fetch_all(&mut *connection)
            .await?;
    let has_more = ids.len() > FEED_PAGE;
    ids.truncate(FEED_PAGE);
    let older = ids.last().copied().filter(|_| has_more);
    Ok(Some(Found { posts: find(connection, &ids, viewer).await?, older }))
}

/// Says whether somebody follows anyone.
///
/// # Errors
/// A database fault.
pub async fn follows_anyone(connection: &mut SqliteConnection, user_id: UserId) -> Result<bool, Error> {
    let follows = sqlx::query_scalar("select exists (select 1 from follows where follower_id = ?1)")
        .bind(user_id)
        .fetch_one(connection)
        .await?;
    Ok(follows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::testing::{ANA, BEN, CLEO, NOW_MS, Room, key, told, viewer};

    const DAY_MS: i64 = 24 * 3_600_000;

    fn id_at(ms: i64) -> i64 {
        (ms - EPOCH_MS) << 12
    }

    async fn ids_of_feed(
        room: &Room,
        user: UserId,
        tag: Option<&str>,
        before: Option<PostId>,
    ) -> (Vec<i64>, Option<PostId>) {
        let tag = tag.map(|tag| Tag::parse(tag).unwrap().unwrap());
        let mut look = room.looks().await;
        let found = feed(look.connection(), viewer(user), tag.as_ref(), before, NOW_MS).await.unwrap();
        (found.posts.iter().map(|view| view.post.id.0).collect(), found.older)
    }

    #[test]
    fn a_feed_holds_ones_own_posts_and_those_of_the_followed_newest_first() {
        told(|room| async move {
            room.by_hand("insert into follows (follower_id, followed_id, id) values (2, 1, 1)").unwrap();
            let ids: Vec<i64> = (0..3).map(|minutes| id_at(NOW_MS - minutes * 60_000)).collect();
            room.has_post(ids[2], ANA, 2);
            room.has_post(ids[1], BEN, 1);
            room.has_post(ids[0], CLEO, 0);
            assert_eq!(ids_of_feed(&room, BEN, None, None).await, (vec![ids[1], ids[2]], None));
            assert_eq!(ids_of_feed(&room, CLEO, None, None).await, (vec![ids[0]], None));
        });
    }

    #[test]
    fn every_post_comes_once_however_far_apart_they_are() {
        told(|room| async move {
            let mut all = Vec::new();
            for days in [0, 1, 6, 7, 8, 30, 59, 60, 61, 90, 99] {
                for step in 0..7 {
                    let at_ms = NOW_MS - days * DAY_MS - step * 1_000;
                    all.push(id_at(at_ms));
                    room.has_post(id_at(at_ms), ANA, days * 24 * 60);
                }
            }
            let (mut seen, mut before) = (Vec::new(), None);
            loop {
                let (ids, older) = ids_of_feed(&room, ANA, None, before).await;
                assert!(ids.len() <= FEED_PAGE);
                seen.extend(ids);
                before = older;
                if older.is_none() {
                    break;
                }
            }
            assert_eq!(seen, all);
        });
    }

    #[test]
    fn the_end_is_said_only_when_nothing_older_remains() {
        told(|room| async move {
            for number in 0..i64::try_from(FEED_PAGE).unwrap() {
                room.has_post(id_at(NOW_MS - number * 1_000), ANA, 1);
            }
            assert_eq!(ids_of_feed(&room, ANA, None, None).await.1, None, "thirty are one page");
            room.has_post(id_at(NOW_MS - 80 * DAY_MS), ANA, 1);
            let (ids, older) = ids_of_feed(&room, ANA, None, None).await;
            assert_eq!(ids.len(), FEED_PAGE);
            assert_eq!(ids_of_feed(&room, ANA, None, older).await, (vec![id_at(NOW_MS - 80 * DAY_MS)], None));
        });
    }

    #[test]
    fn a_poorly_received_post_leaves_the_feed_but_not_its_author_nor_its_tag() {
        told(|room| async move {
            room.by_hand("insert into follows (follower_id, followed_id, id) values (2, 1, 1)").unwrap();
            let id = id_at(NOW_MS);
            room.has_post(id, ANA, 1);
            room.by_hand(
                "update posts set positive_count = 3, negative_count = 3, tag = 'Tea', tag_key = 'tea'",
            )
            .unwrap();
            assert_eq!(ids_of_feed(&room, BEN, None, None).await, (vec![], None));
            assert_eq!(ids_of_feed(&room, ANA, None, None).await.0, [id]);
            assert_eq!(ids_of_feed(&room, BEN, Some("TEA"), None).await.0, [id]);
            assert_eq!(ids_of_feed(&room, BEN, Some("coffee"), None).await, (vec![], None));
            let mut look = room.looks().await;
            assert_eq!(find(look.connection(), &[PostId(id)], viewer(BEN)).await.unwrap().len(), 1);
        });
    }

    #[test]
    fn hidden_posts_do_not_shorten_a_page() {
        told(|room| async move {
            room.by_hand("insert into follows (follower_id, followed_id, id) values (2, 1, 1)").unwrap();
            for number in 0..40 {
                room.has_post(id_at(NOW_MS - number * 1_000), ANA, 1);
            }
            room.by_hand("update posts set negative_count = 9 where id % 8192 = 0").unwrap();
            let (ids, older) = ids_of_feed(&room, BEN, None, None).await;
            let mut look = room.looks().await;
            let shown = crate::features::testing::number(
                look.connection(),
                "select count(*) from posts where negative_count = 0",
            )
            .await;
            assert_eq!(i64::try_from(ids.len()).unwrap(), shown.min(30));
            assert_eq!(older.is_some(), shown > 30);
        });
    }

    #[test]
    fn the_count_of_positive_vibes_is_in_the_authors_view_alone() {
        told(|room| async move {
            let post = room.has_post(10, ANA, 1);
            let mut look = room.looks().await;
            let hers = find(look.connection(), &[post], viewer(ANA)).await.unwrap();
            let his = find(look.connection(), &[post], viewer(BEN)).await.unwrap();
            assert_eq!((hers[0].positive_count, his[0].positive_count), (Some(0), None));
            assert_eq!(find(look.connection(), &[post], Viewer::Guest).await.unwrap().len(), 0);
        });
    }

    #[test]
    fn only_its_author_deletes_a_post_and_all_that_hangs_on_it_goes() {
        told(|room| async move {
            let post_id = room.has_post(10, ANA, 1);
            room.by_hand("insert into votes (post_id, user_id, vote) values (10, 2, 1)").unwrap();
            room.by_hand("insert into comments (id, post_id, author_id, text, created_at_ms) values (1, 10, 2, 'x', 0)").unwrap();
            let by = |user| Delete { key: key(user, 1, &[]), post_id, viewer: viewer(user) };
            assert_eq!(room.does(by(BEN)).await, Err(Refusal::NotFound));
            room.does(by(ANA)).await.unwrap();
            let mut look = room.looks().await;
            for sql in
                ["select count(*) from posts", "select count(*) from votes", "select count(*) from comments"]
            {
                assert_eq!(crate::features::testing::number(look.connection(), sql).await, 0, "{sql}");
            }
        });
    }

    #[test]
    fn r9_the_schema_itself_refuses_what_the_rules_refuse() {
        told(|room| async move {
            let long = |count: usize| format!("printf('%.*c', {count}, 'x')");
            for (title, text, tag) in [
                ("null".into(), "''".to_owned(), "null".to_owned()),
                ("null".into(), long(2_001), "null".into()),
                (long(101), "'x'".into(), "null".into()),
                ("null".into(), "'x'".into(), long(31)),
            ] {
                let sql = format!(
                    "insert into posts (id, author_id, title, text, tag, tag_key, created_at_ms, updated_at_ms) values (1, 1, {title}, {text}, {tag}, {tag}, 0, 0)"
                );
                assert!(room.by_hand(&sql).is_err(), "{sql}");
            }
            for sql in [
                "insert into follows (follower_id, followed_id, id) values (1, 1, 1)",
                "update users set from_color = 'pink'",
                "update users set name = ''",
                "insert into logins (id, user_id, token_hash, created_at_ms, used_at_ms) values (1, 99, zeroblob(32), 0, 0)",
            ] {
                assert!(room.by_hand(sql).is_err(), "{sql}");
            }
        });
    }
}
