//! The SQL of profiles.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sqlx::SqliteConnection;

use super::wire::{Color, Photo, Profile, ProfileView};
use crate::error::Error;
use crate::features::files;
use crate::ids::UserId;

#[derive(sqlx::FromRow)]
struct Row {
    id: UserId,
    name: String,
    bio: String,
    photo_url: Option<String>,
    from_color: Color,
    to_color: Color,
    created_at_ms: i64,
    followers_count: i64,
    following_count: i64,
    hide_numbers: bool,
    width: Option<u32>,
    height: Option<u32>,
    thumbhash: Option<Vec<u8>>,
    full_path: Option<String>,
    token: Option<String>,
    followed: bool,
}

/// Returns a profile as this viewer sees it; None when there is nobody.
///
/// # Errors
/// A database fault.
pub async fn find(
    connection: &mut SqliteConnection,
    user_id: UserId,
    viewer_id: UserId,
) -> Result<Option<ProfileView>, Error> {
    let row: Option<Row> = sqlx::query_as(
        "select u.id, u.name, u.bio, u.photo_url, u.from_color, u.to_color, u.created_at_ms,
                u.followers_count, u.following_count, u.hide_numbers,
                p.width, p.height, p.thumbhash, f.full_path, f.token,
                exists (select 1 from follows where follower_id = ?2 and followed_id = ?1) as followed
           from users u left join photos p on p.user_id = u.id left join files f on f.id = p.screen_file_id
          where u.id = ?1",
    )
    .bind(user_id)
    .bind(viewer_id)
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| {
        let shows_numbers = user_id == viewer_id || !row.hide_numbers;
        let photo = match (row.width, row.height, row.thumbhash, row.full_path, row.token) {
            (Some(width), Some(height), Some(thumbhash), Some(full_path), Some(token)) => Some(Photo {
                url: files::url(&full_path, &token),
                width,
                height,
                thumbhash: STANDARD.encode(thumbhash),
            }),
            _ => None,
        };
        let profile = Profile {
            id: row.id,
            name: row.name,
            bio: row.bio,
            photo_url: row.photo_url,
            photo,
            from_color: row.from_color,
            to_color: row.to_color,
            created_at_ms: row.created_at_ms,
            followers_count: shows_numbers.then_some(row.followers_count),
            following_count: shows_numbers.then_some(row.following_count),
        };
        ProfileView { profile, followed: row.followed }
    }))
}
