//! The SQL of profiles: sets the texts, the photo and the language. [`known`] reads profiles.

pub mod known;

use self::known::Known;
use super::wire::{Color, Language, Shown};
use crate::authz::sql::{followers_seen, following_seen};
use crate::db::command::keyed;
use crate::db::command::{KeyUse, Transaction, WriteCommand};
use crate::error::{Error, Refusal};
use crate::features::account::wire::Changed;
use crate::features::events::Event;
use crate::features::newcomers::store::steps::{self, Step};
use crate::ids::UserId;
use crate::model::archive::{ArchiveFile, place, time};
use crate::model::files::{self, ReadyPicture, Role};
use crate::model::me::me;
use crate::text;

/// Sets the texts of the viewer's profile.
pub struct Update {
    pub key: KeyUse,
    pub user_id: UserId,
    pub name: String,
    pub bio: String,
    pub from_color: Color,
    pub to_color: Color,
}

impl WriteCommand for Update {
    type Event = Event;
    type Value = Shown;

    keyed!();

    fn weight_bytes(&self) -> usize {
        self.name.len() + self.bio.len() + 256
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Shown, Error> {
        let mut known = own(transaction, self.user_id)?;
        let was = known.profile.clone();
        let profile = &mut known.profile;
        profile.name.clone_from(&self.name);
        profile.bio.clone_from(&self.bio);
        (profile.from_color, profile.to_color) = (self.from_color, self.to_color);
        if *profile != was {
            transaction.sql.execute(
                "update users set name = ?2, name_key = ?3, bio = ?4, from_color = ?5, to_color = ?6,
                        updated_at_ms = ?7
                  where id = ?1",
                (
                    self.user_id,
                    &self.name,
                    text::search_key(&self.name),
                    &self.bio,
                    self.from_color,
                    self.to_color,
                    transaction.now_ms,
                ),
            )?;
            if known.profile.name != was.name {
                transaction.publish(known.renamed());
            }
            transaction.publish(known.changed());
        } else {
            transaction.changes_nothing();
        }
        Ok(Shown { profile: known.for_viewer(), seq: transaction.seq() })
    }
}

/// Sets the viewer's photo, in place of the old one.
pub struct SetPhoto {
    pub key: KeyUse,
    pub user_id: UserId,
    /// The photo, whose files are on the disk. An error says why they are not; it counts only if the key was not used
    /// before.
    pub picture: Result<ReadyPicture, Refusal>,
}

impl WriteCommand for SetPhoto {
    type Event = Event;
    type Value = Shown;

    keyed!();

    fn weight_bytes(&self) -> usize {
        2_048
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Shown, Error> {
        let picture = self.picture.as_ref().map_err(Clone::clone)?;
        let (Some(screen), Some(card)) = (picture.file(Role::Screen), picture.file(Role::Card)) else {
            return Err(Error::Broken("a photo is ready without its sizes"));
        };
        let (sql, now_ms) = (transaction.sql, transaction.now_ms);
        // The old row is deleted and not overwritten, because the deletion queues its files for removal.
        sql.execute("delete from photos where user_id = ?1", (self.user_id,))?;
        let screen = files::keep(sql, self.user_id, screen, &files::new_token()?, now_ms)?;
        let card = files::keep(sql, self.user_id, card, &files::new_token()?, now_ms)?;
        sql.execute(
            "insert into photos (user_id, width, height, thumbhash, screen_file_id, card_file_id)
               values (?1, ?2, ?3, ?4, ?5, ?6)",
            (self.user_id, picture.width, picture.height, &picture.thumbhash, screen.id, card.id),
        )?;
        sql.execute(
            "update users set photo_url = ?2, updated_at_ms = ?3 where id = ?1",
            (self.user_id, &card.url, now_ms),
        )?;
        let known = own(transaction, self.user_id)?;
        transaction.publish(known.renamed());
        transaction.publish(known.changed());
        steps::take(transaction, self.user_id, Step::Photo)?;
        Ok(Shown { profile: known.for_viewer(), seq: transaction.seq() })
    }
}

/// Sets the languages of the viewer's account.
pub struct SetLanguage {
    pub key: KeyUse,
    pub user_id: UserId,
    /// The tag of the chosen one; None for that of each device.
    pub language: Option<String>,
    /// The tag of the one that the client shows.
    pub shown: String,
}

impl WriteCommand for SetLanguage {
    type Event = Event;
    type Value = Language;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Language, Error> {
        let sql = transaction.sql;
        let was: Option<(Option<String>, Option<String>)> =
            sql.optional_row("select language, shown_language from users where id = ?1", (self.user_id,))?;
        let (language, shown) = was.ok_or(Refusal::NotSignedIn)?;
        if language == self.language && shown.as_ref() == Some(&self.shown) {
            transaction.changes_nothing();
        } else {
            sql.execute(
                "update users set language = ?2, shown_language = ?3, updated_at_ms = ?4 where id = ?1",
                (self.user_id, &self.language, &self.shown, transaction.now_ms),
            )?;
            transaction.publish(Event::AccountChanged(Changed::of(me(sql, self.user_id)?)));
        }
        let (language, shown_language) = (self.language.clone(), self.shown.clone());
        Ok(Language { language, shown_language, seq: transaction.seq() })
    }
}

/// Returns the viewer's profile.
fn own(transaction: &Transaction<'_, Event>, user_id: UserId) -> Result<Known, Error> {
    Ok(known::profile(transaction.sql, user_id, user_id)?.ok_or(Refusal::NotFound)?)
}

/// The files that this feature adds to the archive of a user.
pub const ARCHIVE: &[ArchiveFile] = &[
    ArchiveFile::new(
        "profile.json",
        "your profile, your email address and your settings",
        concat!(
            "select u.id, json_object('id', u.id, 'name', u.name, 'email', u.email,
                'email_to_be_confirmed', u.pending_email, 'bio', u.bio,
                'from_color', u.from_color, 'to_color', u.to_color, 'photo', ", place!("f"), ",
                'followers', ", followers_seen!(), ", 'following', ", following_seen!(), ",
                'hides_numbers', json(iif(u.hide_numbers, 'true', 'false')),
                'is_listed', json(iif(u.listed, 'true', 'false')),
                'who_can_add_to_groups', u.adders, 'who_can_comment', u.commenters,
                'language', u.language, 'language_last_shown', u.shown_language,
                'quiet_hours', json(iif(u.quiet_zone is null, null, json_object(
                    'on', json(iif(u.quiet_on, 'true', 'false')), 'from', u.quiet_from, 'to', u.quiet_to,
                    'days', json((select json_group_array(d.value) from json_each(
                        '[\"Monday\",\"Tuesday\",\"Wednesday\",\"Thursday\",\"Friday\",\"Saturday\",\"Sunday\"]') d
                      where u.quiet_days & (1 << d.key))),
                    'zone', u.quiet_zone))),
                'joined_at', ", time!("u.created_at_ms"), ")
               from users u left join photos p on p.user_id = u.id left join files f on f.id = p.screen_file_id
              where u.id = ?1 and u.id < ?2 limit ?3"
        ),
    ),
];
