//! Reading posts: by id, as a page of the feed, as a page of one author.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::super::rules::is_hidden;
use super::super::wire::{Picture, Post, PostView};
use crate::authz::{self, PostFacts, Viewer};
use crate::db::sql::{Sql, from_row, list};
use crate::error::Error;
use crate::features::shared::between::{self, ANY_VIEWER};
use crate::features::shared::commenters::comments_only_for;
use crate::features::shared::files;
use crate::features::shared::tags::Tag;
use crate::features::shared::views::{Audience, Comment, Vote, first_comments, people_of};
use crate::ids::{EPOCH_MS, GroupId, PostId, UserId};
use crate::limits::{FEED_PAGE, FEED_READS_MAX};

/// A post as it stands in its table, with the viewer's own vote.
pub(super) struct Row {
    pub(super) id: PostId,
    pub(super) author_id: UserId,
    pub(super) title: Option<String>,
    pub(super) text: String,
    pub(super) tag: Option<String>,
    pub(super) tag_key: Option<String>,
    /// The stored word of the audience.
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
        let audience = self.audience().fact(self.is_member);
        // [`rows`] reads no post whose author the viewer may not meet.
        PostFacts { author_id: self.author_id, may_meet: true, audience }
    }

    /// The audience of the post.
    pub(super) fn audience(&self) -> Audience {
        Audience::kept(&self.audience, self.group_id)
    }

    /// Sets the audience. The viewer is part of it, unless it is the author alone.
    pub(super) fn is_now_for(&mut self, audience: Audience) {
        audience.word().clone_into(&mut self.audience);
        self.group_id = audience.group_id();
        self.is_member = self.group_id.is_some();
    }
}

/// By position: a page has many rows.
impl TryFrom<&rusqlite::Row<'_>> for Row {
    type Error = rusqlite::Error;

    fn try_from(row: &rusqlite::Row<'_>) -> Result<Self, Self::Error> {
        Ok(Self {
            id: row.get(0)?,
            author_id: row.get(1)?,
            title: row.get(2)?,
            text: row.get(3)?,
            tag: row.get(4)?,
            tag_key: row.get(5)?,
            audience: row.get(6)?,
            group_id: row.get(7)?,
            is_member: row.get(8)?,
            created_at_ms: row.get(9)?,
            updated_at_ms: row.get(10)?,
            comments_count: row.get(11)?,
            pictures_count: row.get(12)?,
            positive_count: row.get(13)?,
            negative_count: row.get(14)?,
            vote: row.get(15)?,
        })
    }
}

/// Returns posts by id as this viewer sees them, newest first; others are left out.
///
/// # Errors
/// A database fault.
pub fn find(sql: Sql<'_>, ids: &[PostId], viewer: Viewer) -> Result<Vec<PostView>, Error> {
    let rows = rows(sql, ids, viewer)?;
    views(sql, rows, viewer)
}

/// Returns the rows of these posts that the viewer may see, newest first.
pub(super) fn rows(sql: Sql<'_>, ids: &[PostId], viewer: Viewer) -> Result<Vec<Row>, Error> {
    let Some(user_id) = viewer.user_id() else { return Ok(Vec::new()) };
    // A hidden post is not read, so that it takes the time of one that is not there.
    let rows = sql.rows(
        concat!(
            "select p.id, p.author_id, p.title, p.text, p.tag, p.tag_key, p.audience, p.group_id, ",
            authz::sql::is_member!("p", "?2"),
            ", p.created_at_ms, p.updated_at_ms,
                    ",
            authz::sql::comments_seen!("p", "?2"),
            ", p.pictures_count, p.positive_count, p.negative_count, v.vote
               from posts p left join votes v on v.post_id = p.id and v.user_id = ?2
              where p.id in rarray(?1) and ",
            authz::sql::may_see_post!("p", "?2"),
            " order by p.id desc",
        ),
        (list(ids.iter().copied()), user_id),
    )?;
    Ok(rows)
}

/// Returns rows as the viewer sees them, with their first comments and pictures.
pub(super) fn views(sql: Sql<'_>, rows: Vec<Row>, viewer: Viewer) -> Result<Vec<PostView>, Error> {
    // An author who is not in the group of a post sees it without comments and counts.
    let takes_part = |row: &Row| authz::may_take_part(viewer, &row.facts());
    let has_comments = |row: &&Row| row.comments_count > 0 && takes_part(row);
    let with_comments: Vec<PostId> = rows.iter().filter(has_comments).map(|row| row.id).collect();
    let mut comments: HashMap<PostId, Vec<Comment>> = HashMap::new();
    if !with_comments.is_empty() {
        let viewer_id = viewer.user_id().unwrap_or(ANY_VIEWER);
        for comment in first_comments(sql, viewer_id, with_comments)? {
            comments.entry(comment.post_id).or_default().push(comment);
        }
    }
    let with_pictures: Vec<PostId> =
        rows.iter().filter(|row| row.pictures_count > 0).map(|row| row.id).collect();
    let mut pictures = pictures(sql, with_pictures)?;
    let only_for = match viewer.user_id() {
        Some(user_id) => comments_only_for(sql, user_id, rows.iter().map(|row| row.author_id))?,
        None => HashMap::new(),
    };
    let view = |row: Row| PostView {
        comments_only_for: only_for.get(&row.author_id).copied(),
        vote: Vote::of(row.vote),
        positive_count: authz::may_see_positive_count(viewer, &row.facts()).then_some(row.positive_count),
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

/// A picture of a post as it stands in its table, with the paths and tokens of its files.
struct PictureRow {
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
from_row!(PictureRow {
    post_id,
    alt,
    width,
    height,
    thumbhash,
    screen_path,
    screen_token,
    card_path,
    card_token,
    motion_path,
    motion_token,
});

/// Returns the pictures of these posts, each post's in the order they are shown.
fn pictures(sql: Sql<'_>, post_ids: Vec<PostId>) -> Result<HashMap<PostId, Vec<Picture>>, Error> {
    let mut by_post: HashMap<PostId, Vec<Picture>> = HashMap::new();
    if post_ids.is_empty() {
        return Ok(by_post);
    }
    let rows: Vec<PictureRow> = sql.rows(
        "select i.post_id, i.alt, i.width, i.height, i.thumbhash,
                s.full_path as screen_path, s.token as screen_token,
                c.full_path as card_path, c.token as card_token,
                m.full_path as motion_path, m.token as motion_token
           from pictures i
           join files s on s.id = i.screen_file_id
           join files c on c.id = i.card_file_id
           left join files m on m.id = i.motion_file_id
          where i.post_id in rarray(?1)
          order by i.post_id, i.position",
        (list(post_ids),),
    )?;
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

/// Returns all users that these posts refer to.
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

/// How far back each read of a feed reaches, in days. The last one reaches back to the beginning.
///
/// Without a lower bound the join would read every post of all followed users for each page.
const REACH_DAYS: [i64; FEED_READS_MAX - 1] = [7, 60, 600, 6_000];

/// Returns a page of the feed, newest first: the viewer's posts, public posts of those they follow, and posts of the
/// viewer's groups.
///
/// # Errors
/// A database fault.
pub fn feed(
    sql: Sql<'_>,
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
        // One more row than needed shows whether older posts remain.
        let wanted = FEED_PAGE + 1 - kept.len();
        let ids = feed_ids(sql, user_id, tag, floor..ceiling, wanted)?;
        for row in rows(sql, &ids, viewer)? {
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
    Ok(Found { posts: views(sql, kept, viewer)?, older })
}

/// Returns the smallest id that a read covers: so many days before the upper bound, or before now.
fn floor_of(ceiling: i64, days: Option<&i64>, now_ms: i64) -> i64 {
    let Some(days) = days else { return 0 };
    let id_of = |ms: i64| ms.saturating_sub(EPOCH_MS).max(0) << 12;
    let newest = ceiling.min(id_of(now_ms));
    (newest - id_of(EPOCH_MS + days * 24 * 3_600_000)).max(0)
}

/// Ids come only from covering indexes that contain nothing else, so that posts for other audiences cost no time. The
/// rows of one page are read afterwards. `cross join` keeps the planner from scanning all posts.
///
/// Arguments: 1 viewer, 2 the smallest id, 3 the id before which the page ends, 4 rows.
const FEED_IDS: &str = concat!(
    "select p.id from follows f cross join posts p indexed by posts_public_of_author on p.author_id = f.followed_id
     where f.follower_id = ?1 and p.audience = 'public' and p.id >= ?2 and p.id < ?3 and ",
    authz::sql::may_meet!("f.followed_id", "?1"),
    " and not ",
    authz::sql::is_muted!("f.followed_id", "?1"),
    " union all
    select p.id from posts p indexed by posts_of_author where p.author_id = ?1 and p.id >= ?2 and p.id < ?3
    union all
    select p.id from members m cross join posts p indexed by posts_of_group on p.group_id = m.group_id
     where m.user_id = ?1 and p.author_id <> ?1 and p.id >= ?2 and p.id < ?3 and ",
    authz::sql::may_meet!("p.author_id", "?1"),
    " and not ",
    authz::sql::is_muted!("p.author_id", "?1"),
    " order by 1 desc limit ?4"
);

/// The same with a tag, the fifth argument.
const FEED_IDS_WITH_TAG: &str = concat!(
    "select p.id from follows f cross join posts p indexed by posts_public_of_tag on p.author_id = f.followed_id
     where f.follower_id = ?1 and p.tag_key = ?5 and p.audience = 'public' and p.id >= ?2 and p.id < ?3 and ",
    authz::sql::may_meet!("f.followed_id", "?1"),
    " and not ",
    authz::sql::is_muted!("f.followed_id", "?1"),
    " union all
    select p.id from posts p indexed by posts_of_tag
     where p.tag_key = ?5 and p.author_id = ?1 and p.id >= ?2 and p.id < ?3
    union all
    select p.id from members m cross join posts p indexed by posts_of_group_tag on p.group_id = m.group_id
     where m.user_id = ?1 and p.tag_key = ?5 and p.author_id <> ?1 and p.id >= ?2 and p.id < ?3 and ",
    authz::sql::may_meet!("p.author_id", "?1"),
    " and not ",
    authz::sql::is_muted!("p.author_id", "?1"),
    " order by 1 desc limit ?4"
);

fn feed_ids(
    sql: Sql<'_>,
    user_id: UserId,
    tag: Option<&Tag>,
    range: std::ops::Range<i64>,
    limit: usize,
) -> Result<Vec<PostId>, Error> {
    let ids = match tag {
        None => sql.values(FEED_IDS, (user_id, range.start, range.end, limit))?,
        Some(tag) => sql.values(FEED_IDS_WITH_TAG, (user_id, range.start, range.end, limit, &tag.key))?,
    };
    Ok(ids)
}

/// An author's posts that others see: public ones, and those of the viewer's groups.
///
/// Arguments: 1 author, 2 the id before which the page ends, 3 rows, 4 viewer.
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

/// Returns a page of an author's posts, newest first; None if there is no such author whom the viewer may meet.
///
/// # Errors
/// A database fault.
pub fn by_author(
    sql: Sql<'_>,
    viewer: Viewer,
    author_id: UserId,
    before: Option<PostId>,
) -> Result<Option<Found>, Error> {
    let viewer_id = viewer.user_id().unwrap_or(ANY_VIEWER);
    if !between::may_meet(sql, viewer_id, author_id)? {
        return Ok(None);
    }
    let is_own = viewer.user_id() == Some(author_id);
    let before = before.map_or(crate::ids::ID_LIMIT, |before| before.0);
    let mut ids: Vec<PostId> = sql.values(
        if is_own { OWN_IDS } else { IDS_BY_AUTHOR },
        (author_id, before, FEED_PAGE + 1, viewer.user_id()),
    )?;
    let has_more = ids.len() > FEED_PAGE;
    ids.truncate(FEED_PAGE);
    let older = ids.last().copied().filter(|_| has_more);
    Ok(Some(Found { posts: find(sql, &ids, viewer)?, older }))
}

/// Returns whether a user follows anyone.
///
/// # Errors
/// A database fault.
pub fn follows_anyone(sql: Sql<'_>, user_id: UserId) -> Result<bool, Error> {
    Ok(sql.value("select exists (select 1 from follows where follower_id = ?1)", (user_id,))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::readers::Snapshot;
    use crate::features::testing::{ANA, BEN, CLEO, NOW_MS, TestDatabase, viewer, with_database};

    const DAY_MS: i64 = 24 * 3_600_000;

    fn id_at(ms: i64) -> i64 {
        (ms - EPOCH_MS) << 12
    }

    async fn ids_of_feed(
        db: &TestDatabase,
        user: UserId,
        tag: Option<&str>,
        before: Option<PostId>,
    ) -> (Vec<i64>, Option<PostId>) {
        let tag = tag.map(|tag| Tag::parse(tag).unwrap().unwrap());
        let feed =
            move |Snapshot { sql, .. }: Snapshot<'_>| feed(sql, viewer(user), tag.as_ref(), before, NOW_MS);
        let found = db.read(feed).await;
        (found.posts.iter().map(|view| view.post.id.0).collect(), found.older)
    }

    #[test]
    fn a_feed_holds_ones_own_posts_and_those_of_the_followed_newest_first() {
        with_database(|db| async move {
            db.execute("insert into follows (follower_id, followed_id, id) values (2, 1, 1)").unwrap();
            let ids: Vec<i64> = (0..3).map(|minutes| id_at(NOW_MS - minutes * 60_000)).collect();
            db.has_post(ids[2], ANA, 2);
            db.has_post(ids[1], BEN, 1);
            db.has_post(ids[0], CLEO, 0);
            assert_eq!(ids_of_feed(&db, BEN, None, None).await, (vec![ids[1], ids[2]], None));
            assert_eq!(ids_of_feed(&db, CLEO, None, None).await, (vec![ids[0]], None));
        });
    }

    #[test]
    fn every_post_comes_once_however_far_apart_they_are() {
        with_database(|db| async move {
            let mut all = Vec::new();
            for days in [0, 1, 6, 7, 8, 30, 59, 60, 61, 90, 99] {
                for step in 0..7 {
                    let at_ms = NOW_MS - days * DAY_MS - step * 1_000;
                    all.push(id_at(at_ms));
                    db.has_post(id_at(at_ms), ANA, days * 24 * 60);
                }
            }
            let (mut seen, mut before) = (Vec::new(), None);
            loop {
                let (ids, older) = ids_of_feed(&db, ANA, None, before).await;
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
        with_database(|db| async move {
            for number in 0..i64::try_from(FEED_PAGE).unwrap() {
                db.has_post(id_at(NOW_MS - number * 1_000), ANA, 1);
            }
            assert_eq!(ids_of_feed(&db, ANA, None, None).await.1, None, "thirty are one page");
            db.has_post(id_at(NOW_MS - 80 * DAY_MS), ANA, 1);
            let (ids, older) = ids_of_feed(&db, ANA, None, None).await;
            assert_eq!(ids.len(), FEED_PAGE);
            assert_eq!(ids_of_feed(&db, ANA, None, older).await, (vec![id_at(NOW_MS - 80 * DAY_MS)], None));
        });
    }

    #[test]
    fn a_poorly_received_post_leaves_the_feed_but_not_its_author_nor_its_tag() {
        with_database(|db| async move {
            db.execute("insert into follows (follower_id, followed_id, id) values (2, 1, 1)").unwrap();
            let id = id_at(NOW_MS);
            db.has_post(id, ANA, 1);
            db.execute(
                "update posts set positive_count = 3, negative_count = 3, tag = 'Tea', tag_key = 'tea'",
            )
            .unwrap();
            assert_eq!(ids_of_feed(&db, BEN, None, None).await, (vec![], None));
            assert_eq!(ids_of_feed(&db, ANA, None, None).await.0, [id]);
            assert_eq!(ids_of_feed(&db, BEN, Some("TEA"), None).await.0, [id]);
            assert_eq!(ids_of_feed(&db, BEN, Some("coffee"), None).await, (vec![], None));
            let found = db.read(move |Snapshot { sql, .. }| find(sql, &[PostId(id)], viewer(BEN))).await;
            assert_eq!(found.len(), 1);
        });
    }

    #[test]
    fn hidden_posts_do_not_shorten_a_page() {
        with_database(|db| async move {
            db.execute("insert into follows (follower_id, followed_id, id) values (2, 1, 1)").unwrap();
            for number in 0..40 {
                db.has_post(id_at(NOW_MS - number * 1_000), ANA, 1);
            }
            db.execute("update posts set negative_count = 9 where id % 8192 = 0").unwrap();
            let (ids, older) = ids_of_feed(&db, BEN, None, None).await;
            let shown = db.number("select count(*) from posts where negative_count = 0").await;
            assert_eq!(i64::try_from(ids.len()).unwrap(), shown.min(30));
            assert_eq!(older.is_some(), shown > 30);
        });
    }

    #[test]
    fn the_count_of_positive_vibes_is_in_the_authors_view_alone() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 1);
            let seen_by =
                async |who: Viewer| db.read(move |Snapshot { sql, .. }| find(sql, &[post], who)).await;
            let (hers, his) = (seen_by(viewer(ANA)).await, seen_by(viewer(BEN)).await);
            assert_eq!((hers[0].positive_count, his[0].positive_count), (Some(0), None));
            assert_eq!(seen_by(Viewer::Guest).await.len(), 0);
        });
    }

    #[test]
    fn lists_read_indexes_alone_and_nothing_of_what_is_not_shown() {
        with_database(|db| async move {
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
                let plan = db.plan(sql);
                let read: Vec<&str> = plan
                    .iter()
                    .map(String::as_str)
                    .filter(|step| step.contains(" p ") || step.contains(" posts "))
                    .collect();
                assert_eq!(read, steps, "{plan:#?}");
                assert!(!plan.iter().any(|step| step.starts_with("SCAN ")), "{plan:#?}");
            }
        });
    }
}
