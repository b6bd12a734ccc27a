//! The SQL of lists of posts that go by id: a page of the feed, of a group, and of the posts that a user saved.
//! [`by_date`](super::by_date) has the lists of one author.

use super::super::rules::is_hidden;
use super::super::wire::PostView;
use super::read::{Row, find, rows, views};
use crate::authz::{self, Viewer};
use crate::db::sql::Sql;
use crate::error::Error;
use crate::features::groups::store::read::known;
use crate::ids::{EPOCH_MS, GroupId, ID_LIMIT, PostId, SavedId, UserId};
use crate::limits::{FEED_PAGE, FEED_READS_MAX};
use crate::model::tags::Tag;

/// A page of posts, and the `before` of the next page.
pub struct Found {
    pub posts: Vec<PostView>,
    pub older: Option<PostId>,
}

/// How far back each read of a feed reaches, in days. The last one reaches back to the beginning.
///
/// Without a lower bound, the join would read every post of all followed users for each page.
const REACH_DAYS: [i64; FEED_READS_MAX - 1] = [7, 60, 600, 6_000];

/// Returns a page of the feed, newest first: the viewer's posts, public posts of followed users, and posts of the
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
    let mut ceiling = before.map_or(ID_LIMIT, |before| before.0);
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

/// Returns the smallest id that a read covers. It lies `days` before the upper bound, or before now if that is earlier;
/// 0 without `days`.
fn floor_of(ceiling: i64, days: Option<&i64>, now_ms: i64) -> i64 {
    let Some(days) = days else { return 0 };
    let id_of = |ms: i64| ms.saturating_sub(EPOCH_MS).max(0) << 12;
    let newest = ceiling.min(id_of(now_ms));
    (newest - id_of(EPOCH_MS + days * 24 * 3_600_000)).max(0)
}

/// Reads the ids of a page of the feed. They come only from covering indexes of their audience, so that posts for other
/// audiences cost no time. The rows of the page are read afterwards. `cross join` keeps the planner from scanning all
/// posts. Imported posts are in no feed (D-W5): years of them would come at once.
///
/// Arguments: 1 the viewer, 2 the smallest id, 3 the id before which the page begins, 4 the number of rows.
const FEED_IDS: &str = concat!(
    "select p.id from follows f cross join posts p indexed by posts_public_of_author on p.author_id = f.followed_id
     where f.follower_id = ?1 and p.audience = 'public' and p.import_id is null and p.id >= ?2 and p.id < ?3 and ",
    authz::sql::may_meet!("f.followed_id", "?1"),
    " and not ",
    authz::sql::is_muted!("f.followed_id", "?1"),
    " union all
    select p.id from posts p indexed by posts_of_author
     where p.author_id = ?1 and p.import_id is null and p.id >= ?2 and p.id < ?3
    union all
    select p.id from members m cross join posts p indexed by posts_of_group on p.group_id = m.group_id
     where m.user_id = ?1 and p.author_id <> ?1 and p.import_id is null and p.id >= ?2 and p.id < ?3 and ",
    authz::sql::may_meet!("p.author_id", "?1"),
    " and not ",
    authz::sql::is_muted!("p.author_id", "?1"),
    " order by 1 desc limit ?4"
);

/// Reads the same ids as [`FEED_IDS`], of posts with a tag. Argument 5 is the tag.
const FEED_IDS_WITH_TAG: &str = concat!(
    "select p.id from follows f cross join posts p indexed by posts_public_of_tag on p.author_id = f.followed_id
     where f.follower_id = ?1 and p.tag_key = ?5 and p.audience = 'public' and p.import_id is null
       and p.id >= ?2 and p.id < ?3 and ",
    authz::sql::may_meet!("f.followed_id", "?1"),
    " and not ",
    authz::sql::is_muted!("f.followed_id", "?1"),
    " union all
    select p.id from posts p indexed by posts_of_tag
     where p.tag_key = ?5 and p.author_id = ?1 and p.import_id is null and p.id >= ?2 and p.id < ?3
    union all
    select p.id from members m cross join posts p indexed by posts_of_group_tag on p.group_id = m.group_id
     where m.user_id = ?1 and p.tag_key = ?5 and p.author_id <> ?1 and p.import_id is null
       and p.id >= ?2 and p.id < ?3 and ",
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

/// Reads the posts of a group, without imported ones and those of users whom the viewer may not meet or has muted.
///
/// Arguments: 1 the group, 2 the id before which the page begins, 3 the number of rows, 4 the viewer.
const IDS_BY_GROUP: &str = concat!(
    "select p.id from posts p indexed by posts_of_group
     where p.group_id = ?1 and p.import_id is null and p.id < ?2 and ",
    authz::sql::may_meet!("p.author_id", "?4"),
    " and not ",
    authz::sql::is_muted!("p.author_id", "?4"),
    " order by p.id desc limit ?3"
);

/// Returns a page of the posts of a group, newest first; None if there is no such group or the viewer may not know of
/// it.
///
/// # Errors
/// A database fault.
pub fn by_group(
    sql: Sql<'_>,
    viewer: Viewer,
    group_id: GroupId,
    before: Option<PostId>,
) -> Result<Option<Found>, Error> {
    if known(sql, viewer, group_id)?.is_none() {
        return Ok(None);
    }
    let before = before.map_or(ID_LIMIT, |before| before.0);
    let mut ids: Vec<PostId> =
        sql.values(IDS_BY_GROUP, (group_id, before, FEED_PAGE + 1, viewer.user_id()))?;
    let older = older_of(&mut ids);
    Ok(Some(Found { posts: find(sql, &ids, viewer)?, older }))
}

/// A page of saved posts, and the `before` of the next page.
pub struct FoundSaved {
    pub posts: Vec<PostView>,
    pub older: Option<SavedId>,
}

/// Reads the posts that the viewer saved and may see now, the latest saved first. A mute leaves none out.
///
/// Arguments: 1 the viewer, 2 the id before which the page begins, 3 the number of rows.
const SAVED_IDS: &str = concat!(
    "select s.id, s.post_id from saved_posts s indexed by saved_posts_of_user cross join posts p on p.id = s.post_id
     where s.user_id = ?1 and s.id < ?2 and ",
    authz::sql::may_take_part!("p", "?1"),
    " order by s.id desc limit ?3"
);

/// Returns a page of the posts that the viewer saved.
///
/// # Errors
/// A database fault.
pub fn saved(sql: Sql<'_>, viewer: Viewer, before: Option<SavedId>) -> Result<FoundSaved, Error> {
    let before = before.map_or(ID_LIMIT, |before| before.0);
    let mut ids: Vec<(SavedId, PostId)> = sql.rows(SAVED_IDS, (viewer.user_id(), before, FEED_PAGE + 1))?;
    let has_more = ids.len() > FEED_PAGE;
    ids.truncate(FEED_PAGE);
    let older = ids.last().map(|(id, _)| *id).filter(|_| has_more);
    let ids: Vec<PostId> = ids.into_iter().map(|(_, post_id)| post_id).collect();
    let mut posts = find(sql, &ids, viewer)?;
    posts.sort_by_key(|view| ids.iter().position(|id| *id == view.post.id));
    Ok(FoundSaved { posts, older })
}

/// Cuts the ids to a page. Returns the last one, if one more id than fits on the page shows that older posts remain.
pub(super) fn older_of(ids: &mut Vec<PostId>) -> Option<PostId> {
    let has_more = ids.len() > FEED_PAGE;
    ids.truncate(FEED_PAGE);
    ids.last().copied().filter(|_| has_more)
}

/// Returns whether a user follows anybody whom they may meet.
///
/// # Errors
/// A database fault.
pub fn follows_anyone(sql: Sql<'_>, user_id: UserId) -> Result<bool, Error> {
    let follows = concat!(
        "select exists (select 1 from follows f where f.follower_id = ?1 and ",
        authz::sql::may_meet!("f.followed_id", "?1"),
        ")"
    );
    Ok(sql.value(follows, (user_id,))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::readers::Snapshot;
    use crate::testing::database::{ANA, BEN, CLEO, NOW_MS, TestDatabase, viewer, with_database};

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
    fn a_feed_has_own_posts_and_those_of_followed_users_newest_first() {
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
    fn every_post_is_listed_once_however_far_apart_in_time() {
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
    fn the_end_is_reported_only_if_nothing_older_remains() {
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
    fn a_hidden_post_leaves_the_feed_but_stays_for_its_author_and_under_its_tag() {
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
    fn lists_read_only_indexes_of_what_they_show() {
        with_database(|db| async move {
            for (sql, steps) in [
                (
                    FEED_IDS,
                    &[
                        "SEARCH p USING COVERING INDEX posts_public_of_author (author_id=? AND id>? AND id<?)",
                        "SEARCH p USING COVERING INDEX posts_of_author (author_id=? AND id>? AND id<?)",
                        "SEARCH p USING COVERING INDEX posts_of_group (group_id=? AND import_id=? AND id>? AND id<?)",
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
                    IDS_BY_GROUP,
                    &["SEARCH p USING COVERING INDEX posts_of_group (group_id=? AND import_id=? AND id<?)"],
                ),
                (SAVED_IDS, &["SEARCH p USING INTEGER PRIMARY KEY (rowid=?)"]),
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
