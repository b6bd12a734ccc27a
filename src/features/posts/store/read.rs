//! The SQL that reads posts by their ids, as a viewer sees them. [`lists`](super::lists) finds the ids of a page.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::super::wire::{Picture, Post, PostView};
use crate::authz::{self, PostFacts, Viewer};
use crate::db::sql::{Sql, from_row, list};
use crate::error::Error;
use crate::features::comments::store::commenters::comments_only_for;
use crate::ids::{GroupId, PostId, UserId};
use crate::model::audience::Audience;
use crate::model::between::ANY_VIEWER;
use crate::model::comments::{Comment, first_comments, people_of};
use crate::model::files;
use crate::model::vote::Vote;

/// A row of the table of posts, with the viewer's own vote and whether the viewer saved the post.
pub(super) struct Row {
    pub(super) id: PostId,
    pub(super) author_id: UserId,
    pub(super) title: Option<String>,
    pub(super) text: String,
    pub(super) tag: Option<String>,
    pub(super) tag_key: Option<String>,
    pub(super) content_note: Option<String>,
    /// The stored word of the audience.
    audience: String,
    group_id: Option<GroupId>,
    /// Whether the author chose that only they see the post.
    pub(super) only_author: bool,
    /// Whether the viewer is in the group of the post.
    pub(super) is_member: bool,
    pub(super) created_at_ms: i64,
    pub(super) updated_at_ms: i64,
    pub(super) comments_count: i64,
    pub(super) pictures_count: i64,
    pub(super) positive_count: i64,
    pub(super) negative_count: i64,
    pub(super) vote: Option<i64>,
    saved: bool,
    /// Whether the author wrote it elsewhere and imported it.
    pub(super) is_imported: bool,
}

impl Row {
    pub(super) fn facts(&self) -> PostFacts {
        let audience = self.audience().fact(self.is_member);
        // [`rows`] leaves out posts of authors whom the viewer may not meet.
        PostFacts { author_id: self.author_id, may_meet: true, audience }
    }

    /// Returns the audience of the post.
    pub(super) fn audience(&self) -> Audience {
        Audience::kept(&self.audience, self.group_id)
    }

    /// Returns the audience as it is sent to the viewer.
    fn audience_seen(&self) -> Audience {
        match self.audience().seen(self.is_member) {
            Audience::Author {} if !self.only_author => Audience::GroupDeleted {},
            audience => audience,
        }
    }

    /// Sets the audience. The viewer is then in it, unless the audience is the author alone.
    pub(super) fn is_now_for(&mut self, audience: Audience) {
        audience.word().clone_into(&mut self.audience);
        self.group_id = audience.group_id();
        self.is_member = self.group_id.is_some();
    }
}

/// Columns are read by position, which is faster, because a page has many rows.
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
            only_author: row.get(16)?,
            saved: row.get(17)?,
            content_note: row.get(18)?,
            is_imported: row.get(19)?,
        })
    }
}

/// Returns these posts as the viewer sees them, newest first. Posts that the viewer may not see are left out.
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
    // The row of a hidden post is not read, so that it takes the same time as a missing post.
    let rows = sql.rows(
        concat!(
            "select p.id, p.author_id, p.title, p.text, p.tag, p.tag_key, p.audience, p.group_id, ",
            authz::sql::is_member!("p", "?2"),
            ", p.created_at_ms, p.updated_at_ms,
                    ",
            authz::sql::comments_seen!("p", "?2"),
            ", p.pictures_count, p.positive_count, p.negative_count, v.vote, p.only_author,
                    exists (select 1 from saved_posts s where s.user_id = ?2 and s.post_id = p.id), p.content_note,
                    p.import_id is not null
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
        saved: row.saved,
        positive_count: authz::may_see_positive_count(viewer, &row.facts()).then_some(row.positive_count),
        post: Post {
            audience: row.audience_seen(),
            comments_count: if takes_part(&row) { row.comments_count } else { 0 },
            first_comments: comments.remove(&row.id).unwrap_or_default(),
            pictures: pictures.remove(&row.id).unwrap_or_default(),
            id: row.id,
            author_id: row.author_id,
            title: row.title,
            text: row.text,
            tag: row.tag,
            tag_key: row.tag_key,
            content_note: row.content_note,
            created_at_ms: row.created_at_ms,
            updated_at_ms: row.updated_at_ms,
            imported: row.is_imported,
        },
    };
    Ok(rows.into_iter().map(view).collect())
}

/// A row of the table of pictures, with the paths and tokens of its files.
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

/// Returns the pictures of these posts, for each post in the order in which they are shown.
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

/// Returns the groups that these posts are shared with, if the viewer is in them.
pub fn groups_in(posts: &[PostView]) -> impl Iterator<Item = GroupId> + '_ {
    posts.iter().filter_map(|view| view.post.audience.group_id())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::readers::Snapshot;
    use crate::testing::database::{ANA, BEN, viewer, with_database};

    #[test]
    fn only_the_view_of_the_author_has_the_count_of_positive_vibes() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 1);
            let seen_by =
                async |who: Viewer| db.read(move |Snapshot { sql, .. }| find(sql, &[post], who)).await;
            let (hers, his) = (seen_by(viewer(ANA)).await, seen_by(viewer(BEN)).await);
            assert_eq!((hers[0].positive_count, his[0].positive_count), (Some(0), None));
            assert_eq!(seen_by(Viewer::Guest).await.len(), 0);
        });
    }
}
