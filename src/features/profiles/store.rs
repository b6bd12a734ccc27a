//! The SQL of profiles.

use sqlx::SqliteConnection;

use super::wire::Profile;
use crate::error::Error;
use crate::ids::UserId;

/// Returns a profile as this viewer sees it; None when there is nobody.
///
/// # Errors
/// A database fault.
pub async fn find(
    connection: &mut SqliteConnection,
    user_id: UserId,
    viewer_id: UserId,
) -> Result<Option<Profile>, Error> {
    let profile = sqlx::query_as(
        "select id, name, bio, from_color, to_color, created_at_ms, followers_count, following_count,
                exists (select 1 from follows where follower_id = ?2 and followed_id = ?1) as followed
           from users where id = ?1",
    )
    .bind(user_id)
    .bind(viewer_id)
    .fetch_optional(connection)
    .await?;
    Ok(profile)
}
