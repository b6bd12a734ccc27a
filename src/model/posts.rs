//! The facts about a post that decide what a viewer may do with it.

use super::audience::Audience;
use crate::authz;
use crate::db::sql::Sql;
use crate::error::Error;
use crate::ids::{GroupId, PostId, UserId};

/// The facts for permissions on a post, and its counts.
pub struct KnownPost {
    pub author_id: UserId,
    pub audience: Audience,
    /// Whether the viewer is in the group of the post.
    pub is_member: bool,
    /// Whether the viewer may meet the author.
    pub may_meet: bool,
    pub positive_count: i64,
    /// The number of comments of users whom the viewer may meet.
    pub comments_count: i64,
}

impl KnownPost {
    /// Returns the facts for `authz`.
    #[must_use]
    pub fn facts(&self) -> authz::PostFacts {
        let audience = self.audience.fact(self.is_member);
        authz::PostFacts { author_id: self.author_id, may_meet: self.may_meet, audience }
    }
}

/// The columns of [`KnownPost`] in order. The audience is two columns: the stored word and the group.
type PostColumns = (UserId, String, Option<GroupId>, bool, bool, i64, i64);

/// Returns a post with the viewer's relation to it, even if it is hidden from the viewer; None if there is no such
/// post.
///
/// # Errors
/// A database fault.
pub fn known_post(
    sql: Sql<'_>,
    post_id: PostId,
    viewer_id: Option<UserId>,
) -> Result<Option<KnownPost>, Error> {
    let row: Option<PostColumns> = sql.optional_row(
        concat!(
            "select p.author_id, p.audience, p.group_id, ",
            authz::sql::is_member!("p", "?2"),
            ", ",
            authz::sql::may_meet!("p.author_id", "?2"),
            ", p.positive_count, ",
            authz::sql::comments_seen!("p", "?2"),
            " from posts p where p.id = ?1 and ",
            authz::sql::is_there!("p")
        ),
        (post_id, viewer_id),
    )?;
    Ok(row.map(|(author_id, word, group_id, is_member, may_meet, positive_count, comments_count)| {
        KnownPost {
            author_id,
            audience: Audience::kept(&word, group_id),
            is_member,
            may_meet,
            positive_count,
            comments_count,
        }
    }))
}
