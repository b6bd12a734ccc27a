//! The SQL of lists of one author's posts, which go by date: a page of the profile, and of a search in one's own posts.
//! Posts that the author imported have old dates and new ids (D-W5).

use std::cmp::Reverse;

use super::super::rules::SearchedWords;
use super::super::wire::PostView;
use super::lists::older_of;
use super::read::find;
use crate::authz::{self, Viewer};
use crate::db::sql::Sql;
use crate::error::Error;
use crate::ids::{ID_LIMIT, PostId, UserId, Whole, ms_of};
use crate::limits::FEED_PAGE;
use crate::model::between::{self, ANY_VIEWER};

/// A page of posts in the order of their dates, and the id and the date at which the next page begins.
pub struct Found {
    pub posts: Vec<PostView>,
    pub older: Option<(PostId, i64)>,
}

/// The last post of the page before, in a list that is in the order of dates. Posts of one date are in the order of their
/// ids.
#[derive(Clone, Copy, Debug)]
pub struct Before {
    pub id: PostId,
    /// The date of the post; None from clients that know no dates of pages.
    pub at_ms: Option<i64>,
}

impl Before {
    /// Returns what a client sent.
    #[must_use]
    pub fn of(id: Option<PostId>, at_ms: Option<Whole>) -> Option<Self> {
        id.map(|id| Self { id, at_ms: at_ms.map(|Whole(at_ms)| at_ms) })
    }

    /// Returns the date and the id before which a page begins. Those of None are behind all posts.
    fn place(before: Option<Self>, sql: Sql<'_>, author_id: UserId) -> Result<(i64, PostId), Error> {
        let Some(Self { id, at_ms }) = before else { return Ok((i64::MAX, PostId(ID_LIMIT))) };
        let at_ms = match at_ms {
            Some(at_ms) => Some(at_ms),
            None => {
                let of_post = "select created_at_ms from posts where id = ?1 and author_id = ?2";
                sql.optional_value(of_post, (id, author_id))?
            }
        };
        // A post that was deleted meanwhile was most likely written here, when its id was made.
        Ok((at_ms.unwrap_or_else(|| ms_of(id.0)), id))
    }
}

/// Does a post come after the place at which a page begins? The place is the arguments 2 (its date) and 3 (its id).
macro_rules! is_older {
    ($of:literal) => {
        concat!(
            $of,
            ".created_at_ms <= ?2 and (",
            $of,
            ".created_at_ms < ?2 or ",
            $of,
            ".id < ?3) and ",
            authz::sql::is_there!($of)
        )
    };
}

/// Reads the posts of an author that another viewer sees, by their dates: public ones, and those of the viewer's groups.
/// Of a group it reads only the author's posts, however many others are in it.
///
/// Arguments: 1 the author, 2 and 3 the place before which the page begins, 4 the number of rows, 5 the viewer.
const IDS_BY_AUTHOR: &str = concat!(
    "select p.id, p.created_at_ms from posts p indexed by posts_public_by_date
     where p.author_id = ?1 and p.audience = 'public' and ",
    is_older!("p"),
    " union all
    select p.id, p.created_at_ms from members m cross join posts p indexed by posts_of_group_by_date
        on p.group_id = m.group_id
     where m.user_id = ?5 and p.author_id = ?1 and ",
    is_older!("p"),
    " order by 2 desc, 1 desc limit ?4"
);

/// Reads all posts of an author, for the author. The arguments are those of [`IDS_BY_AUTHOR`].
const OWN_IDS: &str = concat!(
    "select p.id from posts p indexed by posts_by_date where p.author_id = ?1 and ?5 = ?1 and ",
    is_older!("p"),
    " order by p.created_at_ms desc, p.id desc limit ?4"
);

/// Returns a page of an author's posts, newest first; None if there is no such author or the viewer may not meet them.
///
/// # Errors
/// A database fault.
pub fn by_author(
    sql: Sql<'_>,
    viewer: Viewer,
    author_id: UserId,
    before: Option<Before>,
) -> Result<Option<Found>, Error> {
    let viewer_id = viewer.user_id().unwrap_or(ANY_VIEWER);
    if !between::may_meet(sql, viewer_id, author_id)? {
        return Ok(None);
    }
    let is_own = viewer.user_id() == Some(author_id);
    let (at_ms, id) = Before::place(before, sql, author_id)?;
    let ids = sql.values(
        if is_own { OWN_IDS } else { IDS_BY_AUTHOR },
        (author_id, at_ms, id, FEED_PAGE + 1, viewer.user_id()),
    )?;
    Ok(Some(page(sql, viewer, ids)?))
}

/// Reads all posts of an author with the texts in which the author searches, newest first.
///
/// Arguments: 1 the author, 2 and 3 the place before which the page begins.
const OWN_TEXTS: &str = concat!(
    "select p.id, p.title, p.text, '#' || p.tag, p.content_note from posts p indexed by posts_by_date
     where p.author_id = ?1 and ",
    is_older!("p"),
    " order by p.created_at_ms desc, p.id desc"
);

/// Returns a page of the viewer's own posts that have all these words, newest first (D-U12).
///
/// The posts are read and compared one by one. An index of words would be written with each post, and would be a second
/// copy of all texts.
///
/// # Errors
/// A database fault.
pub fn with_words(
    sql: Sql<'_>,
    viewer: Viewer,
    words: &SearchedWords,
    before: Option<Before>,
) -> Result<Found, Error> {
    let author_id = viewer.user_id().unwrap_or(ANY_VIEWER);
    let (at_ms, id) = Before::place(before, sql, author_id)?;
    let ids =
        sql.values_where(OWN_TEXTS, (author_id, at_ms, id), FEED_PAGE + 1, |texts| words.are_in(texts))?;
    page(sql, viewer, ids)
}

/// Returns the page of these ids, which are in the order of the dates of their posts.
fn page(sql: Sql<'_>, viewer: Viewer, mut ids: Vec<PostId>) -> Result<Found, Error> {
    let older = older_of(&mut ids);
    let mut posts = find(sql, &ids, viewer)?;
    posts.sort_by_key(|view| Reverse((view.post.created_at_ms, view.post.id)));
    let last = posts.iter().find(|view| Some(view.post.id) == older);
    let older = last.map(|view| (view.post.id, view.post.created_at_ms));
    Ok(Found { posts, older })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::readers::Snapshot;
    use crate::features::posts::store::lists::feed;
    use crate::ids::first_of;
    use crate::testing::database::{ANA, BEN, CLEO, NOW_MS, TestDatabase, viewer, with_database};

    const DAY_MS: i64 = 24 * 3_600_000;

    #[test]
    fn d_u12_a_search_reads_the_viewers_own_posts_alone_page_by_page() {
        with_database(|db| async move {
            let mut every = Vec::new();
            for number in 0..200 {
                let (id, author_id) =
                    (first_of(NOW_MS - number * 1_000), if number % 2 == 0 { ANA } else { BEN });
                db.has_post(id, author_id, 1);
                every.push((author_id, id));
            }
            db.execute("update posts set text = 'Herons', tag = 'Tea', tag_key = 'tea' where id % 3 = 0")
                .unwrap();
            let found = async |who: UserId, term: &str, before: Option<PostId>| {
                let words = SearchedWords::parse(term).unwrap();
                let before = before.map(|id| Before { id, at_ms: None });
                let found =
                    db.read(move |Snapshot { sql, .. }| with_words(sql, viewer(who), &words, before)).await;
                let ids: Vec<i64> = found.posts.iter().map(|view| view.post.id.0).collect();
                (ids, found.older.map(|(id, _)| id))
            };
            for (who, term, is_heron) in
                [(ANA, "heron #te", true), (BEN, "WORDS", false), (CLEO, "heron", true)]
            {
                let is_found =
                    |(author_id, id): &&(UserId, i64)| *author_id == who && (id % 3 == 0) == is_heron;
                let expected: Vec<i64> = every.iter().filter(is_found).map(|(_, id)| *id).collect();
                let (mut all, mut before) = (Vec::new(), None);
                loop {
                    let (ids, older) = found(who, term, before).await;
                    assert!(older.is_none() || ids.len() == FEED_PAGE);
                    all.extend(ids);
                    before = older;
                    if older.is_none() {
                        break;
                    }
                }
                assert_eq!(all, expected, "{term}");
            }
        });
    }

    /// Adds posts of Ana, from her import 1, that were written `years` ago. Their ids are of now.
    fn has_imported(db: &TestDatabase, ids: &[(i64, i64)]) {
        db.execute(
            "insert into imports (id, user_id, key, phase, file_bytes, source, audience, created_at_ms, started_at_ms)
               values (1, 1, zeroblob(16), 'done', 9, 'mellow', 'public', 0, 0)",
        )
        .unwrap();
        for (id, years) in ids {
            db.has_post(*id, ANA, years * 365 * 24 * 60);
            let key = format!("x'{id:032x}'");
            db.execute(&format!("update posts set import_id = 1, import_key = {key} where id = {id}"))
                .unwrap();
        }
    }

    #[test]
    fn d_w5_imported_posts_have_their_places_by_date_on_the_profile_and_in_own_search_alone() {
        with_database(|db| async move {
            db.execute("insert into follows (follower_id, followed_id, id) values (2, 1, 1)").unwrap();
            let typed: Vec<i64> = (0..40).map(|days| first_of(NOW_MS - days * DAY_MS)).collect();
            for (days, id) in (0..).zip(&typed) {
                db.has_post(*id, ANA, days * 24 * 60);
            }
            let imported: Vec<(i64, i64)> = (1..=40).map(|years| (first_of(NOW_MS) + years, years)).collect();
            has_imported(&db, &imported);
            let expected: Vec<i64> =
                typed.iter().copied().chain(imported.iter().map(|(id, _)| *id)).collect();
            for (who, knows_dates) in [(ANA, true), (BEN, true), (ANA, false)] {
                let (mut all, mut before) = (Vec::new(), None);
                loop {
                    let list =
                        move |Snapshot { sql, .. }: Snapshot<'_>| by_author(sql, viewer(who), ANA, before);
                    let found = db.read(list).await.unwrap();
                    all.extend(found.posts.iter().map(|view| view.post.id.0));
                    let Some((id, at_ms)) = found.older else { break };
                    before = Some(Before { id, at_ms: knows_dates.then_some(at_ms) });
                }
                assert_eq!(all, expected, "{who:?}");
            }
            let words = SearchedWords::parse("words").unwrap();
            let found = db.read(move |Snapshot { sql, .. }| with_words(sql, viewer(ANA), &words, None)).await;
            let ids: Vec<i64> = found.posts.iter().map(|view| view.post.id.0).collect();
            assert_eq!(ids, expected[..FEED_PAGE]);
            for who in [ANA, BEN] {
                let list =
                    move |Snapshot { sql, .. }: Snapshot<'_>| feed(sql, viewer(who), None, None, NOW_MS);
                let found = db.read(list).await;
                let ids: Vec<i64> = found.posts.iter().map(|view| view.post.id.0).collect();
                assert_eq!(ids, typed[..FEED_PAGE], "{who:?}");
            }
        });
    }

    #[test]
    fn d_w8_posts_of_an_import_that_is_undone_are_in_no_list_at_once() {
        with_database(|db| async move {
            let typed = first_of(NOW_MS);
            db.has_post(typed, ANA, 1);
            let imported: Vec<(i64, i64)> = (1..=40).map(|years| (typed + years, years)).collect();
            has_imported(&db, &imported);
            let doomed = PostId(imported[0].0);
            db.execute("update imports set phase = 'undoing'").unwrap();
            for who in [ANA, BEN] {
                let found = db
                    .read(move |Snapshot { sql, .. }| by_author(sql, viewer(who), ANA, None))
                    .await
                    .unwrap();
                let ids: Vec<i64> = found.posts.iter().map(|view| view.post.id.0).collect();
                assert_eq!((ids, found.older), (vec![typed], None), "{who:?}");
                let found = db.read(move |Snapshot { sql, .. }| find(sql, &[doomed], viewer(who))).await;
                assert!(found.is_empty());
            }
            let words = SearchedWords::parse("words").unwrap();
            let found = db.read(move |Snapshot { sql, .. }| with_words(sql, viewer(ANA), &words, None)).await;
            assert_eq!(found.posts.len(), 1);
        });
    }

    #[test]
    fn lists_read_only_indexes_of_what_they_show() {
        with_database(|db| async move {
            for (sql, steps) in [
                (
                    IDS_BY_AUTHOR,
                    &[
                        "SEARCH p USING COVERING INDEX posts_public_by_date (author_id=? AND created_at_ms<?)",
                        "SEARCH p USING COVERING INDEX posts_of_group_by_date (group_id=? AND author_id=? AND created_at_ms<?)",
                    ][..],
                ),
                (OWN_IDS, &["SEARCH p USING COVERING INDEX posts_by_date (author_id=? AND created_at_ms<?)"]),
                (OWN_TEXTS, &["SEARCH p USING INDEX posts_by_date (author_id=? AND created_at_ms<?)"]),
            ] {
                let plan = db.plan(sql);
                let read: Vec<&str> =
                    plan.iter().map(String::as_str).filter(|step| step.contains(" p ")).collect();
                assert_eq!(read, steps, "{plan:#?}");
                assert!(!plan.iter().any(|step| step.starts_with("SCAN ")), "{plan:#?}");
            }
        });
    }
}
