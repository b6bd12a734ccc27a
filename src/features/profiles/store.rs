//! The SQL of profiles: what somebody says of themselves, and their photo. Reading is in
//! [`people`](crate::features::people).

use bytes::Bytes;

use super::wire::{Color, Shown};
use crate::db::work::{KeyUse, Pending, Stage, Work};
use crate::error::{Error, Refusal};
use crate::features::Event;
use crate::features::files::{self, ReadyPicture, Role};
use crate::features::kit::Change;
use crate::features::people::{self, Known};
use crate::ids::UserId;
use crate::wire::codec;

/// Sets what somebody says of themselves.
pub struct Update {
    pub key: KeyUse,
    pub user_id: UserId,
    pub name: String,
    pub bio: String,
    pub from_color: Color,
    pub to_color: Color,
    pub change: Change,
}

impl Work for Update {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn is_remembered(&self) -> bool {
        self.change.was_made()
    }

    fn weight_bytes(&self) -> usize {
        self.name.len() + self.bio.len() + 256
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let mut known = known(stage, self.user_id).await?;
            let was = known.profile.clone();
            let profile = &mut known.profile;
            profile.name.clone_from(&self.name);
            profile.bio.clone_from(&self.bio);
            (profile.from_color, profile.to_color) = (self.from_color, self.to_color);
            if *profile != was {
                sqlx::query(
                    "update users set name = ?2, bio = ?3, from_color = ?4, to_color = ?5, updated_at_ms = ?6
                      where id = ?1",
                )
                .bind(self.user_id)
                .bind(&self.name)
                .bind(&self.bio)
                .bind(self.from_color)
                .bind(self.to_color)
                .bind(stage.now_ms)
                .execute(&mut *stage.connection)
                .await?;
                if known.profile.name != was.name {
                    stage.tell(known.renamed());
                }
                stage.tell(known.changed());
                self.change.is_made();
            }
            shown(stage, known)
        })
    }
}

/// Makes a picture somebody's photo, in place of the one there was.
pub struct SetPhoto {
    pub key: KeyUse,
    pub user_id: UserId,
    /// Its files are on the disk. Or why they are not there, which matters only if this was not done
    /// before.
    pub picture: Result<ReadyPicture, Refusal>,
    pub change: Change,
}

impl Work for SetPhoto {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn weight_bytes(&self) -> usize {
        2_048
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let picture = self.picture.as_ref().map_err(Clone::clone)?;
            let (Some(screen), Some(card)) = (picture.file(Role::Screen), picture.file(Role::Card)) else {
                return Err(Error::Broken("a photo is ready without its sizes"));
            };
            // Deleted, not written over: so its files are doomed with it.
            sqlx::query("delete from photos where user_id = ?1")
                .bind(self.user_id)
                .execute(&mut *stage.connection)
                .await?;
            let (now_ms, token) = (stage.now_ms, files::new_token()?);
            let screen = files::keep_async(stage.connection, self.user_id, screen, &token, now_ms).await?;
            let token = files::new_token()?;
            let card = files::keep_async(stage.connection, self.user_id, card, &token, now_ms).await?;
            sqlx::query(
                "insert into photos (user_id, width, height, thumbhash, screen_file_id, card_file_id)
                   values (?1, ?2, ?3, ?4, ?5, ?6)",
            )
            .bind(self.user_id)
            .bind(picture.width)
            .bind(picture.height)
            .bind(&picture.thumbhash)
            .bind(screen.id)
            .bind(card.id)
            .execute(&mut *stage.connection)
            .await?;
            sqlx::query("update users set photo_url = ?2, updated_at_ms = ?3 where id = ?1")
                .bind(self.user_id)
                .bind(&card.url)
                .bind(now_ms)
                .execute(&mut *stage.connection)
                .await?;
            let known = known(stage, self.user_id).await?;
            stage.tell(known.renamed());
            stage.tell(known.changed());
            self.change.is_made();
            shown(stage, known)
        })
    }
}

/// Returns the profile of who changes it.
async fn known(stage: &mut Stage<'_, Event>, user_id: UserId) -> Result<Known, Error> {
    let known = people::profile_async(stage.connection, user_id, user_id).await?;
    Ok(known.ok_or(Refusal::NotFound)?)
}

fn shown(stage: &Stage<'_, Event>, known: Known) -> Result<Bytes, Error> {
    let shown = Shown { profile: known.for_viewer(), seq: stage.seq() };
    Ok(Bytes::from(codec::encode(&shown)?))
}
