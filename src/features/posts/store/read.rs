//! Reading posts: by id, as a page of the feed, as a page of one author.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sqlx::SqliteConnection;

use super::super::rules::is_hidden;
use super::super::wire::{Picture, Post, PostView};
use crate::access::{self, PostFacts, Viewer};
use crate::error::Error;
use crate::features::files;
use crate::features::tags::Tag;
use crate::features::views::{
    Audience, Comment, Vote, first_comments_async, is_member, is_seen_by, json_of, people_of,
};
use crate::ids::{EPOCH_MS, GroupId, PostId, UserId};
use crate::limits::{FEED_PAGE, FEED_READS_MAX};

/// A post as it stands in its table, with the viewer's own vote.
#[derive(sqlx::FromRow)]
pub(super) struct Row {
    pub(super) id: PostId,
    pub(super) author_id: UserId,
    pub(super) title: Option<String>,
    pub(super) text: String,
    pub(super) tag: Option<String>,
    pub(super) tag_key: Option<String>,
    /// The word in the table.
    audience: String,
    group_id: Option<GroupId>,
    /// Is the viewer in its group?
    pub(super) is_member: bool,
    pub(super) created_at_ms: i64,
    pub(super) updated_at_ms: i64,
    pub(super) comments_count: i64,
    pub(super) pictures_count: i64,
    pub(super) positive_count: i64,
    pub(super) negative_count: i64,
    pub(super) vote: Option<i64>,
}

impl Row {
    pub(super) fn facts(&self) -> PostFacts {
        PostFacts { author_id: self.author_id, audience: self.audience().fact(self.is_member) }
    }

    /// Who it is for, whoever asks.
    pub(super) fn audience(&self) -> Audience {
        Audience::kept(&self.audience, self.group_id)
    }

    /// Has it be for these from now on; the viewer is one of them, unless it is for nobody else.
    pub(super) fn is_now_for(&mut self, audience: Audience) {
        audience.word().clone_into(&mut self.audience);
        self.group_id = audience.group_id();
        self.is_member = self.group_id.is_some();
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

pub(super) async fn rows(
    connection: &mut SqliteConnection,
    ids: &[PostId],
    viewer: Viewer,
) -> Result<Vec<Row>, Error> {
    let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
    // What is not theirs is not read, so that it takes the time of what is not there.
    let mut rows: Vec<Row> = sqlx::query_as(concat!(
        "select p.id, p.author_id, p.title, p.text, p.tag, p.tag_key, p.audience, p.group_id, ",
        is_member!("p", "?2"),
        " as is_member, p.created_at_ms, p.updated_at_ms,
                p.comments_count, p.pictures_count, p.positive_count, p.negative_count, v.vote
           from posts p left join votes v on v.post_id = p.id and v.user_id = ?2
          where p.id in (select value from json_each(?1)) and ",
        is_seen_by!("p", "?2"),
        " order by p.id desc",
    ))
    .bind(json_of(&ids))
    .bind(viewer.user_id())
    .fetch_all(connection)
    .await?;
    rows.retain(|row| access::may_see_post(viewer, &row.facts()));
    Ok(rows)
}

pub(super) async fn views(
    connection: &mut SqliteConnection,
    rows: Vec<Row>,
    viewer: Viewer,
) -> Result<Vec<PostView>, Error> {
    // Its author sees a post bare whose group they are not in: what is said there is not for them.
    let takes_part = |row: &Row| access::may_take_part(viewer, &row.facts());
    let has_comments = |row: &&Row| row.comments_count > 0 && takes_part(row);
    let with_comments: Vec<i64> = rows.iter().filter(has_comments).map(|row| row.id.0).collect();
    let mut comments: HashMap<PostId, Vec<Comment>> = HashMap::new();
    if !with_comments.is_empty() {
        for comment in first_comments_async(connection, &with_comments).await? {
            comments.entry(comment.post_id).or_default().push(comment);
        }
    }
    let with_pictures: Vec<i64> =
        rows.iter().filter(|row| row.pictures_count > 0).map(|row| row.id.0).collect();
    let mut pictures = pictures(connection, &with_pictures).await?;
    let view = |row: Row| PostView {
        vote: Vote::of(row.vote),
        positive_count: access::may_see_positive_count(viewer, &row.facts()).then_some(row.positive_count),
        post: Post {
            audience: row.audience().seen(row.is_member),
            comments_count: if takes_part(&row) { row.comments_count } else { 0 },
            first_comments: comments.remove(&row.id).unwrap_or_default(),
            pictures: pictures.remove(&row.id).unwrap_or_default(),
            id: row.id,
            author_id: row.author_id,
            title: row.title,
            text: row.text,
            tag: row.tag,
            tag_key: row.tag_key,
            created_at_ms: row.created_at_ms,
            updated_at_ms: row.updated_at_ms,
        },
    };
    Ok(rows.into_iter().map(view).collect())
}

/// Returns the pictures of these posts, each post's in the order they are shown.
async fn pictures(
    connection: &mut SqliteConnection,
    post_ids: &[i64],
) -> Result<HashMap<PostId, Vec<Picture>>, Error> {
    #[derive(sqlx::FromRow)]
    struct Row {
        post_id: PostId,
        alt: String,
        width: u32,
        height: u32,
        thumbhash: Vec<u8>,
        screen_path: String,
        screen_token: String,
        card_path: String,
        card_token: String,
        motion_path: Option<String>,
        motion_token: Option<String>,
    }
    let mut by_post: HashMap<PostId, Vec<Picture>> = HashMap::new();
    if post_ids.is_empty() {
        return Ok(by_post);
    }
    let rows: Vec<Row> = sqlx::query_as(
        "select i.post_id, i.alt, i.width, i.height, i.thumbhash,
                s.full_path as screen_path, s.token as screen_token,
                c.full_path as card_path, c.token as card_token,
                m.full_path as motion_path, m.token as motion_token
           from json_each(?1) p
           join pictures i on i.post_id = p.value
           join files s on s.id = i.screen_file_id
           join files c on c.id = i.card_file_id
           left join files m on m.id = i.motion_file_id
          order by i.post_id, i.position",
    )
    .bind(json_of(post_ids))
    .fetch_all(connection)
    .await?;
    for row in rows {
        let motion = row.motion_path.zip(row.motion_token);
        by_post.entry(row.post_id).or_default().push(Picture {
            alt: row.alt,
            width: row.width,
            height: row.height,
            thumbhash: STANDARD.encode(&row.thumbhash),
            url: files::url(&row.screen_path, &row.screen_token),
            card_url: files::url(&row.card_path, &row.card_token),
            motion_url: motion.map(|(path, token)| files::url(&path, &token)),
        });
    }
    Ok(by_post)
}

/// Returns everybody who is named by these posts.
pub fn people_in(posts: &[PostView]) -> impl Iterator<Item = UserId> + '_ {
    posts
        .iter()
        .flat_map(|view| std::iter::once(view.post.author_id).chain(people_of(&view.post.first_comments)))
}

/// Returns the groups these are shared with, of those that the viewer is in.
pub fn groups_in(posts: &[PostView]) -> impl Iterator<Item = GroupId> + '_ {
    posts.iter().filter_map(|view| view.post.audience.group_id())
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

/// Returns a page of what the viewer published, those they follow published for everybody, and anybody shared
/// with the viewer's groups, newest first.
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

/// Ids come from covering indexes only, each with nothing in it that is not shown: what others share
/// elsewhere takes no time. The rows of one page are read afterwards. `cross join` keeps the planner from
/// walking all posts instead.
///
/// Arguments: 1 viewer, 2 the smallest id, 3 the id before which it ends, 4 how many.
const FEED_IDS: &str = "
    select p.id from follows f cross join posts p indexed by posts_public_of_author on p.author_id = f.followed_id
     where f.follower_id = ?1 and p.audience = 'public' and p.id >= ?2 and p.id < ?3
    union all
    select p.id from posts p indexed by posts_of_author where p.author_id = ?1 and p.id >= ?2 and p.id < ?3
    union all
    select p.id from members m cross join posts p indexed by posts_of_group on p.group_id = m.group_id
     where m.user_id = ?1 and p.author_id <> ?1 and p.id >= ?2 and p.id < ?3
     order by 1 desc limit ?4";

/// The same with a tag, the fifth argument.
const FEED_IDS_WITH_TAG: &str = "
    select p.id from follows f cross join posts p indexed by posts_public_of_tag on p.author_id = f.followed_id
     where f.follower_id = ?1 and p.tag_key = ?5 and p.audience = 'public' and p.id >= ?2 and p.id < ?3
    union all
    select p.id from posts p indexed by posts_of_tag
     where p.tag_key = ?5 and p.author_id = ?1 and p.id >= ?2 and p.id < ?3
    union all
    select p.id from members m cross join posts p indexed by posts_of_group_tag on p.group_id = m.group_id
     where m.user_id = ?1 and p.tag_key = ?5 and p.author_id <> ?1 and p.id >= ?2 and p.id < ?3
     order by 1 desc limit ?4";

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

/// One author's posts that are for others: for everybody, and for groups that the viewer is in.
///
/// Arguments: 1 author, 2 the id before which it ends, 3 how many, 4 viewer.
const IDS_BY_AUTHOR: &str = "
    select p.id from posts p indexed by posts_public_of_author
     where p.author_id = ?1 and p.audience = 'public' and p.id < ?2
    union all
    select p.id from members m cross join posts p indexed by posts_of_group on p.group_id = m.group_id
     where m.user_id = ?4 and p.author_id = ?1 and p.id < ?2
     order by 1 desc limit ?3";

/// All of one author's own. Arguments as above.
const OWN_IDS: &str = "select id from posts indexed by posts_of_author
     where author_id = ?1 and ?4 = ?1 and id < ?2 order by id desc limit ?3";

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
    let is_own = viewer.user_id() == Some(author_id);
    let mut ids: Vec<PostId> = sqlx::query_scalar(if is_own { OWN_IDS } else { IDS_BY_AUTHOR })
        .bind(author_id)
        .bind(before.map_or(crate::ids::ID_LIMIT, |before| before.0))
        .bind(i64::try_from(FEED_PAGE + 1).unwrap_or(i64::MAX))
        .bind(viewer.user_id())
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
    use crate::features::testing::{ANA, BEN, CLEO, NOW_MS, Room, told, viewer};

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
    fn lists_read_indexes_alone_and_nothing_of_what_is_not_shown() {
        told(|room| async move {
            let mut look = room.looks().await;
            for (sql, steps) in [
                (
                    FEED_IDS,
                    &[
                        "SEARCH p USING COVERING INDEX posts_public_of_author (author_id=? AND id>? AND id<?)",
                        "SEARCH p USING COVERING INDEX posts_of_author (author_id=? AND id>? AND id<?)",
                        "SEARCH p USING COVERING INDEX posts_of_group (group_id=? AND id>? AND id<?)",
                    ][..],
                ),
                (
                    FEED_IDS_WITH_TAG,
                    &[
                        "SEARCH p USING COVERING INDEX posts_public_of_tag (tag_key=? AND author_id=? AND id>? AND id<?)",
                        "SEARCH p USING COVERING INDEX posts_of_tag (tag_key=? AND author_id=? AND id>? AND id<?)",
                        "SEARCH p USING INDEX posts_of_group_tag (group_id=? AND tag_key=? AND id>? AND id<?)",
                    ],
                ),
                (
                    IDS_BY_AUTHOR,
                    &[
                        "SEARCH p USING COVERING INDEX posts_public_of_author (author_id=? AND id<?)",
                        "SEARCH p USING COVERING INDEX posts_of_group (group_id=? AND id<?)",
                    ],
                ),
                (OWN_IDS, &["SEARCH posts USING COVERING INDEX posts_of_author (author_id=? AND id<?)"]),
            ] {
                let explained = sqlx::AssertSqlSafe(format!("explain query plan {sql}"));
                let plan: Vec<(i64, i64, i64, String)> = sqlx::query_as(explained)
                    .bind(1)
                    .bind(2)
                    .bind(3)
                    .bind(4)
                    .bind("tea")
                    .fetch_all(look.connection())
                    .await
                    .unwrap();
                let reads: Vec<&str> = plan
                    .iter()
                    .map(|(.., step)| step.as_str())
                    .filter(|step| step.contains(" p ") || step.contains(" posts "))
                    .collect();
                assert_eq!(reads, steps, "{plan:#?}");
                assert!(!plan.iter().any(|(.., step)| step.starts_with("SCAN ")), "{plan:#?}");
            }
        });
    }
}
