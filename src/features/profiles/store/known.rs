//! Profiles, as they are read for a viewer.
//!
//! Guarantee: hidden numbers are never sent to others.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::super::wire::{Changed, Color, Photo, Profile, ProfileView, Renamed};
use crate::authz::{self, AddFacts};
use crate::db::sql::{Sql, from_row};
use crate::error::{Error, Refusal};
use crate::events::Users;
use crate::features::events::Event;
use crate::ids::UserId;
use crate::model::between::{ANY_VIEWER, users_hidden_from};
use crate::model::choices::Adders;
use crate::model::files;
use crate::model::users::User;

/// A profile with all its data. Which parts are sent depends on the viewer.
#[derive(Clone, Debug)]
pub struct Known {
    /// The profile with its numbers, even if they are hidden.
    pub profile: Profile,
    hides_numbers: bool,
    is_own: bool,
    is_followed: bool,
    follows_viewer: bool,
    adders: Adders,
    is_muted: bool,
    /// The users who may not meet this user.
    hidden_from: Users,
}

impl Known {
    /// Returns the profile for the viewer it was read for.
    #[must_use]
    pub fn for_viewer(self) -> ProfileView {
        let (followed, follows_me, muted) = (self.is_followed, self.follows_viewer, self.is_muted);
        let can_be_added = authz::may_add(&AddFacts {
            adders: self.adders.fact(),
            is_followed: true,
            follows_owner: follows_me,
            has_left: false,
        });
        let profile = if self.is_own { self.profile } else { self.for_everybody() };
        ProfileView { profile, followed, can_be_added, follows_me, muted }
    }

    /// Returns the profile for other viewers.
    #[must_use]
    pub fn for_everybody(&self) -> Profile {
        let mut profile = self.profile.clone();
        if self.hides_numbers {
            (profile.followers_count, profile.following_count) = (None, None);
        }
        profile
    }

    /// Returns the event of a changed profile.
    #[must_use]
    pub fn changed(&self) -> Event {
        Event::ProfileChanged(Changed {
            profile: self.for_everybody(),
            hidden_from: self.hidden_from.clone(),
        })
    }

    /// Returns the event of a changed name or photo.
    #[must_use]
    pub fn renamed(&self) -> Event {
        let Profile { id, name, photo_url, .. } = &self.profile;
        Event::UserRenamed(Renamed {
            user: User { id: *id, name: name.clone(), photo_url: photo_url.clone() },
            hidden_from: self.hidden_from.clone(),
        })
    }
}

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
    is_followed: bool,
    follows_viewer: bool,
    adders: Adders,
    is_muted: bool,
}

from_row!(Row {
    id,
    name,
    bio,
    photo_url,
    from_color,
    to_color,
    created_at_ms,
    followers_count,
    following_count,
    hide_numbers,
    width,
    height,
    thumbhash,
    full_path,
    token,
    is_followed,
    follows_viewer,
    adders,
    is_muted,
});

impl Row {
    fn known(self, is_own: bool, hidden_from: Users) -> Known {
        let photo = match (self.width, self.height, self.thumbhash, self.full_path, self.token) {
            (Some(width), Some(height), Some(thumbhash), Some(full_path), Some(token)) => Some(Photo {
                url: files::url(&full_path, &token),
                width,
                height,
                thumbhash: STANDARD.encode(thumbhash),
            }),
            _ => None,
        };
        let profile = Profile {
            id: self.id,
            name: self.name,
            bio: self.bio,
            photo_url: self.photo_url,
            photo,
            from_color: self.from_color,
            to_color: self.to_color,
            created_at_ms: self.created_at_ms,
            followers_count: Some(self.followers_count),
            following_count: Some(self.following_count),
        };
        Known {
            profile,
            hides_numbers: self.hide_numbers,
            is_own,
            is_followed: self.is_followed,
            follows_viewer: self.follows_viewer,
            is_muted: self.is_muted,
            adders: self.adders,
            hidden_from,
        }
    }
}

/// Arguments: 1 the user, 2 the viewer.
const PROFILE: &str = concat!(
    "select u.id, u.name, u.bio, u.photo_url, u.from_color, u.to_color, u.created_at_ms,
                ",
    authz::sql::followers_seen!(),
    " as followers_count, ",
    authz::sql::following_seen!(),
    " as following_count, u.hide_numbers,
                p.width, p.height, p.thumbhash, f.full_path, f.token,
                ",
    authz::sql::is_followed!("?2", "?1"),
    " as is_followed, ",
    authz::sql::is_followed!("?1", "?2"),
    " as follows_viewer, ",
    authz::sql::is_muted!("?1", "?2"),
    " as is_muted, u.adders
           from users u left join photos p on p.user_id = u.id left join files f on f.id = p.screen_file_id
          where u.id = ?1 and ",
    authz::sql::may_meet!("u.id", "?2")
);

/// Returns a profile, read for this viewer; None if there is no such user or the viewer may not meet them.
///
/// # Errors
/// A database fault.
pub fn profile(sql: Sql<'_>, user_id: UserId, viewer_id: UserId) -> Result<Option<Known>, Error> {
    let row: Option<Row> = sql.optional_row(PROFILE, (user_id, viewer_id))?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(row.known(user_id == viewer_id, users_hidden_from(sql, [user_id])?)))
}

/// Returns the event of a profile, as it is now. The event has its numbers only if everybody may see them.
///
/// # Errors
/// [`Refusal::NotFound`] if there is no such user; a database fault.
pub fn changed(sql: Sql<'_>, user_id: UserId) -> Result<Event, Error> {
    let known = profile(sql, user_id, ANY_VIEWER)?.ok_or(Refusal::NotFound)?;
    Ok(known.changed())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::readers::Snapshot;
    use crate::testing::database::{ANA, BEN, with_database};

    #[test]
    fn hidden_numbers_are_sent_to_their_owner_alone() {
        with_database(|db| async move {
            db.execute("insert into follows (follower_id, followed_id, id) values (2, 1, 9)").unwrap();
            for (hides, seen_by_others) in [(0, Some(1)), (1, None)] {
                db.execute(&format!("update users set hide_numbers = {hides} where id = 1")).unwrap();
                let read = |viewer_id| db.read(move |Snapshot { sql, .. }| profile(sql, ANA, viewer_id));
                let own = read(ANA).await.unwrap();
                let bens = read(BEN).await.unwrap();
                assert_eq!(own.for_everybody().followers_count, seen_by_others);
                assert!(
                    matches!(own.changed(), Event::ProfileChanged(published) if published.profile.followers_count == seen_by_others)
                );
                let own = own.for_viewer();
                assert_eq!((own.profile.followers_count, own.followed), (Some(1), false));
                let bens = bens.for_viewer();
                assert_eq!((bens.profile.followers_count, bens.followed), (seen_by_others, true));
            }
        });
    }
}
