//! The SQL that edits a post: its texts, its content note and its audience.

use super::is_in_group;
use super::read::{Row, rows, views};
use crate::authz::{self, Viewer};
use crate::db::command::{KeyUse, Transaction, WriteCommand, keyed};
use crate::db::sql::Sql;
use crate::error::{Error, Field, Refusal};
use crate::events::{Right, Users, within};
use crate::features::events::Event;
use crate::features::notifications::store::notify as notifications;
use crate::features::posts::rules::{PostText, is_wider, loses_anyone};
use crate::features::posts::wire::{Created, Deleted, Edited, Post, PostView, Updated};
use crate::ids::{PostId, UserId};
use crate::model::audience::{Audience, listeners_of, recipients_of};
use crate::model::between::{self, ANY_VIEWER};
use crate::model::comments::{comments_seen, first_comments, people_of, restricted_in_first_comments};
use crate::model::groups::{GroupName, groups_named};
use crate::model::users::users_named;
use crate::sentence::Sentence;

const AUDIENCE_WIDER: Sentence = Sentence::new(
    "audience_wider",
    "Others have written under this post for a smaller circle, so it can't be shared more \
                              widely. Your words are kept.",
);

const AUDIENCE_LEFT: Sentence = Sentence::new(
    "audience_left",
    "You're no longer in this group, so you can't change the post for its members. Choose \
                             who sees it. Your words are kept.",
);

/// Sets the texts, the content note and the audience of a post.
pub struct Update {
    pub key: KeyUse,
    pub post_id: PostId,
    pub viewer: Viewer,
    pub words: PostText,
    /// None keeps the note, an empty text removes it.
    pub content_note: Option<String>,
    pub audience: Audience,
}

impl WriteCommand for Update {
    type Event = Event;
    type Value = Edited;

    keyed!();

    fn weight_bytes(&self) -> usize {
        self.words.text.len()
            + self.words.title.as_ref().map_or(0, String::len)
            + self.content_note.as_ref().map_or(0, String::len)
            + 256
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Edited, Error> {
        let (sql, post_id) = (transaction.sql, self.post_id);
        let row = rows(sql, &[post_id], self.viewer)?.pop();
        let row = row.filter(|row| authz::may_edit_post(self.viewer, &row.facts()));
        let mut row = row.ok_or(Refusal::NotFound)?;
        let (author_id, before) = (row.author_id, row.audience());
        self.check_audience(sql, &row)?;
        let is_moved = before != self.audience;
        let content_note = match &self.content_note {
            None => row.content_note.clone(),
            Some(note) => Some(note.clone()).filter(|note| !note.is_empty()),
        };
        let is_same = row.title == self.words.title
            && row.text == self.words.text
            && row.content_note == content_note
            && !is_moved;
        if is_same {
            return self.reply(transaction, &row);
        }
        row.title.clone_from(&self.words.title);
        row.text.clone_from(&self.words.text);
        let is_noted = row.content_note != content_note;
        row.content_note = content_note;
        row.only_author = self.audience == Audience::Author {};
        if is_moved {
            row.is_now_for(self.audience);
        }
        // The new time is always later than the old one, even if the clock was set back, because it marks the post as
        // edited.
        row.updated_at_ms = transaction.now_ms.max(row.updated_at_ms + 1);
        sql.execute(
            "update posts set title = ?2, text = ?3, updated_at_ms = ?4, audience = ?5, group_id = ?6,
                    only_author = ?7, content_note = ?8
              where id = ?1",
            (
                post_id,
                &row.title,
                &row.text,
                row.updated_at_ms,
                self.audience.word(),
                self.audience.group_id(),
                row.only_author,
                &row.content_note,
            ),
        )?;
        if loses_anyone(before, self.audience) {
            let was_public = before == Audience::Public {};
            // Users with a notification of the post have an excerpt of it on screen.
            let notified =
                if was_public { notifications::notified_of_post(sql, post_id)? } else { Vec::new() };
            let is_imported = row.is_imported;
            let recipients = match was_public && is_imported {
                true => Users::default(),
                false => recipients_of(sql, author_id, before)?,
            };
            let recipients = crate::events::users(recipients.iter().copied().chain(notified));
            let kept_by = Some(recipients_of(sql, author_id, self.audience)?);
            let hidden_from = between::users_hidden_from(sql, [author_id])?;
            let deleted =
                Deleted { post_id, author_id, recipients, was_public, kept_by, is_imported, hidden_from };
            transaction.publish(Event::PostDeleted(deleted));
        }
        let groups = groups_named(sql, self.audience.group_id())?;
        // An imported post is in no list of others, so the change is published to those who show it.
        let recipients = match row.is_imported {
            true => crate::events::users([author_id]),
            false => listeners_of(sql, author_id, self.audience)?,
        };
        // Users who muted the author receive the event if they show the post.
        let only = match self.audience {
            Audience::Public {} => None,
            Audience::Group { .. } | Audience::Author {} | Audience::GroupDeleted {} => {
                Some(recipients_of(sql, author_id, self.audience)?)
            }
        };
        // An open list of notifications quotes the post and its comments, or the note. Those who have a notification of
        // a post for a group are among its members.
        let notified = match self.audience {
            Audience::Public {} if is_noted => notifications::notified_of_post(sql, post_id)?,
            _ => Vec::new(),
        };
        transaction.publish(Event::PostUpdated(Updated {
            post_id,
            author_id,
            title: row.title.clone(),
            text: row.text.clone(),
            content_note: row.content_note.clone(),
            audience: self.audience,
            groups: groups.clone(),
            updated_at_ms: row.updated_at_ms,
            recipients: crate::events::users(recipients.iter().copied().chain(notified)),
            only,
            except: between::users_hidden_from(sql, [author_id])?,
        }));
        let edited = self.reply(transaction, &row)?;
        if is_moved
            && !row.is_imported
            && self.audience != (Audience::Author {})
            && let Some(PostView { post, .. }) = views(sql, vec![row], self.viewer)?.pop()
        {
            for created in created(sql, &post, &groups, &recipients)? {
                transaction.publish(Event::PostCreated(created));
            }
        }
        Ok(edited)
    }
}

/// Returns the events of a post with a new audience: the shared one, and one for each set of viewers who may not meet
/// the same commenters or mentioned users.
fn created(
    sql: Sql<'_>,
    post: &Post,
    groups: &[GroupName],
    recipients: &Users,
) -> Result<Vec<Created>, Error> {
    let restricted = restricted_in_first_comments(sql, post.author_id, post.id)?;
    let created = |viewer_id: UserId,
                   recipients: Users,
                   only: Option<Users>,
                   except: Users|
     -> Result<Created, Error> {
        let first_comments = first_comments(sql, viewer_id, [post.id])?;
        let comments_count = comments_seen(sql, viewer_id, post.id)?;
        let named = std::iter::once(post.author_id).chain(people_of(&first_comments));
        let users = users_named(sql, viewer_id, named)?;
        let post = Post { first_comments, comments_count, ..post.clone() };
        Ok(Created { post, users, groups: groups.to_vec(), recipients, only, except })
    };
    let mut events = vec![created(ANY_VIEWER, recipients.clone(), None, restricted.all())?];
    for view in &restricted.views {
        if let Some(viewer_id) = view.first() {
            let only = Some(view.clone());
            events.push(created(*viewer_id, within(view, recipients), only, Users::default())?);
        }
    }
    Ok(events)
}

impl Update {
    /// Checks that the author may give the post the new audience.
    fn check_audience(&self, sql: Sql<'_>, row: &Row) -> Result<(), Error> {
        let (before, after) = (row.audience(), self.audience);
        if after.is_outside() {
            // Only an author who is not in the group may take the post out of it, or leave it where it is.
            if before == (Audience::Public {}) || row.is_member {
                return Err(Refusal::BadRequest.into());
            }
            // The members would read new words of somebody who is not among them.
            if after != (Audience::Author {}) {
                return Err(Refusal::Invalid(Field::AUDIENCE, AUDIENCE_LEFT).into());
            }
            return Ok(());
        }
        let is_member = is_in_group(sql, after.group_id(), row.author_id)?;
        if !authz::may_share_with(self.viewer, after.fact(is_member)) {
            return Err(Refusal::NotFound.into());
        }
        if is_wider(before, after) && has_comments_of_others(sql, row.id, row.author_id)? {
            return Err(Refusal::Invalid(Field::AUDIENCE, AUDIENCE_WIDER).into());
        }
        Ok(())
    }

    /// Returns the reply. If the author of a post of a group leaves the group before the reply is sent, another reply
    /// is sent, which leaves the group out.
    fn reply(&self, transaction: &mut Transaction<'_, Event>, row: &Row) -> Result<Edited, Error> {
        let mut edited = Edited {
            post_id: row.id,
            author_id: row.author_id,
            title: row.title.clone(),
            text: row.text.clone(),
            content_note: row.content_note.clone(),
            audience: self.audience,
            groups: groups_named(transaction.sql, self.audience.group_id())?,
            updated_at_ms: row.updated_at_ms,
            seq: transaction.seq(),
        };
        if let Some(group_id) = self.audience.group_id() {
            let groups = std::mem::take(&mut edited.groups);
            edited.audience = Audience::Group { group_id: None };
            transaction.reply_if_lost(Right::Membership(group_id), &edited)?;
            (edited.audience, edited.groups) = (self.audience, groups);
        }
        Ok(edited)
    }
}

/// Returns whether another user has commented on the post.
fn has_comments_of_others(sql: Sql<'_>, post_id: PostId, author_id: UserId) -> Result<bool, Error> {
    let has = sql.value(
        "select exists (select 1 from comments where post_id = ?1 and author_id <> ?2)",
        (post_id, author_id),
    )?;
    Ok(has)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::features::posts::rules::NewPost;
    use crate::features::posts::store::{Create, Delete};
    use crate::features::theme::store::ThemeDay;
    use crate::ids::GroupId;
    use crate::testing::database::{
        ANA, BEN, CLEO, NOW_MS, TestDatabase, key, nth_id, receivers, viewer, with_database,
    };

    const BENS: GroupId = GroupId(100);
    const CLEOS: GroupId = GroupId(101);
    /// Follows nobody and is in no group.
    const DORA: UserId = UserId(4);

    const PUBLIC: Audience = Audience::Public {};

    fn group(group_id: GroupId) -> Audience {
        Audience::Group { group_id: Some(group_id) }
    }

    fn edit(user: UserId, post_id: PostId, number: u8, text: &str) -> Update {
        Update { audience: PUBLIC, ..share(user, post_id, number, PUBLIC, text) }
    }

    fn share(user: UserId, post_id: PostId, number: u8, audience: Audience, text: &str) -> Update {
        let words = PostText { title: None, text: text.into() };
        let parts: [&[u8]; 2] = [text.as_bytes(), &audience.part()];
        let (key, viewer) = (key(user, number, &parts), viewer(user));
        Update { key, post_id, viewer, words, content_note: None, audience }
    }

    /// Adds a group of Ben and one of Cleo. Ana is in both. Cleo follows Ana.
    fn has_groups(db: &TestDatabase) {
        db.has_group(BENS.0, BEN, &[ANA]);
        db.has_group(CLEOS.0, CLEO, &[ANA]);
        db.execute("insert into follows (follower_id, followed_id, id) values (3, 1, 1)").unwrap();
    }

    fn has_comment(db: &TestDatabase, post_id: PostId, author_id: UserId) {
        let sql = "insert into comments (post_id, author_id, text, created_at_ms) values";
        db.execute(&format!("{sql} ({}, {}, 'said', 0)", post_id.0, author_id.0)).unwrap();
    }

    /// Returns for each event its kind, its recipients if nobody shows anything, and its recipients if everybody shows
    /// the post and its author's profile.
    fn said(events: &[Event]) -> Vec<(&'static str, Vec<UserId>, Vec<UserId>)> {
        let say = |event: &Event| {
            let (kind, audience, groups) = match event {
                Event::PostDeleted(_) => ("deleted", PUBLIC, &Vec::new()),
                Event::PostUpdated(updated) => ("updated", updated.audience, &updated.groups),
                Event::PostCreated(created) => ("created", created.post.audience, &created.groups),
                other => panic!("{other:?}"),
            };
            let named: Vec<GroupId> = groups.iter().map(|group| group.id).collect();
            assert_eq!(named, audience.group_id().into_iter().collect::<Vec<_>>());
            let receivers = |shows| receivers(event, &[ANA, BEN, CLEO, DORA], shows);
            (kind, receivers(false), receivers(true))
        };
        events.iter().map(say).collect()
    }

    /// Returns what [`said`] returns for an event that exactly these users receive, whatever they show.
    fn alone(kind: &'static str, people: &[UserId]) -> (&'static str, Vec<UserId>, Vec<UserId>) {
        (kind, people.to_vec(), people.to_vec())
    }

    #[test]
    fn an_edit_is_marked_and_published_and_an_unchanged_post_is_not() {
        with_database(|db| async move {
            let post_id = db.has_post(10, ANA, 60);
            let times = |look: &'static str| (look, NOW_MS - 60 * 60_000);
            let (sql, before) = times("select updated_at_ms from posts");
            db.write(edit(ANA, post_id, 1, "words")).await.unwrap();
            assert_eq!(db.number(sql).await, before);
            assert_eq!(db.published().len(), 0, "nothing happened");
            db.write(edit(ANA, post_id, 2, "other words")).await.unwrap();
            assert_eq!(db.number(sql).await, NOW_MS);
            assert!(
                matches!(&db.published()[..], [Event::PostUpdated(published)] if published.text == "other words")
            );
            assert_eq!(db.write(edit(BEN, post_id, 3, "mine")).await, Err(Refusal::NotFound));
            assert_eq!(db.write(edit(ANA, PostId(11), 4, "none")).await, Err(Refusal::NotFound));
        });
    }

    #[test]
    fn d_u8_a_changed_note_is_an_edit_and_an_edit_that_names_no_note_keeps_it() {
        with_database(|db| async move {
            let post_id = db.has_post(10, ANA, 60);
            let noted = |number, note: Option<&str>| Update {
                content_note: note.map(str::to_owned),
                ..edit(ANA, post_id, number, "words")
            };
            for (number, note, kept) in [
                (1, Some(""), None),
                (2, Some("Grief"), Some(Some("Grief"))),
                (3, Some("Grief"), None),
                (4, None, None),
                (5, Some("A funeral"), Some(Some("A funeral"))),
                (6, Some(""), Some(None)),
            ] {
                db.write(noted(number, note)).await.unwrap();
                let published = db.published();
                let now = published.iter().map(|event| match event {
                    Event::PostUpdated(updated) => updated.content_note.as_deref(),
                    other => panic!("{other:?}"),
                });
                assert_eq!(now.collect::<Vec<_>>(), kept.into_iter().collect::<Vec<_>>(), "{number}");
            }
            db.write(noted(7, Some("Grief"))).await.unwrap();
            db.write(edit(ANA, post_id, 8, "other words")).await.unwrap();
            assert_eq!(db.number("select count(*) from posts where content_note = 'Grief'").await, 1);
        });
    }

    #[test]
    fn a_new_audience_is_an_edit_published_first_to_those_who_lose_the_post() {
        with_database(|db| async move {
            has_groups(&db);
            let post_id = db.has_post(10, ANA, 60);
            let (bens, cleos) = (group(BENS), group(CLEOS));
            let everybody = vec![ANA, BEN, CLEO, DORA];
            for (number, audience, expected) in [
                (
                    1,
                    bens,
                    vec![
                        ("deleted", vec![CLEO], vec![CLEO, DORA]),
                        alone("updated", &[ANA, BEN]),
                        alone("created", &[ANA, BEN]),
                    ],
                ),
                (2, bens, vec![]),
                (
                    3,
                    cleos,
                    vec![
                        alone("deleted", &[BEN]),
                        alone("updated", &[ANA, CLEO]),
                        alone("created", &[ANA, CLEO]),
                    ],
                ),
                (
                    4,
                    PUBLIC,
                    vec![
                        ("updated", vec![ANA, CLEO], everybody.clone()),
                        ("created", vec![ANA, CLEO], everybody),
                    ],
                ),
            ] {
                let reply = db.write(share(ANA, post_id, number, audience, "words")).await.unwrap();
                assert_eq!(said(&db.published()), expected, "{audience:?}");
                let one: rmpv::Value = rmpv::decode::read_value(&mut &reply[..]).unwrap();
                let named =
                    one["groups"].as_array().unwrap().iter().map(|group| group["id"].as_i64().unwrap());
                assert!(named.eq(audience.group_id().map(|id| id.0)));
                let created_at = db.number("select min(created_at_ms) from posts").await;
                assert!(one["updated_at_ms"].as_i64() > Some(created_at));
            }
        });
    }

    #[test]
    fn notified_users_receive_that_a_post_is_no_longer_visible_to_them() {
        with_database(|db| async move {
            has_groups(&db);
            let post_id = db.has_post(10, ANA, 60);
            has_comment(&db, post_id, ANA);
            for (id, person) in [(1, BEN), (2, CLEO), (3, db.has_person(4, "Dora"))] {
                db.execute(&format!(
                    "insert into notifications (id, user_id, kind, actor_id, post_id, comment_id, created_at_ms)
                       select {id}, {}, 'reply', 1, 10, id, 0 from comments",
                    person.0
                ))
                .unwrap();
            }
            db.write(share(ANA, post_id, 1, group(BENS), "words")).await.unwrap();
            let published = db.published();
            let Event::PostDeleted(deleted) = &published[0] else { panic!("{published:?}") };
            assert_eq!(deleted.recipients[..], [ANA, BEN, CLEO, DORA]);
            assert_eq!(deleted.kept_by.as_deref(), Some(&[ANA, BEN][..]));
            assert_eq!(receivers(&published[0], &[ANA, BEN, CLEO, DORA], false), [CLEO, DORA]);
        });
    }

    #[test]
    fn d_g7_a_post_with_comments_of_others_cannot_get_a_wider_audience() {
        with_database(|db| async move {
            has_groups(&db);
            let wider = Refusal::Invalid(Field::AUDIENCE, AUDIENCE_WIDER);
            let post_id = db.has_group_post(10, ANA, Some(BENS));
            has_comment(&db, post_id, ANA);
            db.write(share(ANA, post_id, 1, group(CLEOS), "words")).await.unwrap();
            db.write(share(ANA, post_id, 2, group(BENS), "words")).await.unwrap();
            has_comment(&db, post_id, BEN);
            db.published();
            for (number, audience) in [(3, group(CLEOS)), (4, PUBLIC)] {
                assert_eq!(db.write(share(ANA, post_id, number, audience, "wide")).await, Err(wider.clone()));
            }
            db.write(share(ANA, post_id, 5, group(BENS), "other words")).await.unwrap();
            assert_eq!(said(&db.published()), [alone("updated", &[ANA, BEN])]);
            // A post with public comments may get a smaller audience.
            let public = db.has_post(11, ANA, 60);
            has_comment(&db, public, BEN);
            db.write(share(ANA, public, 6, group(CLEOS), "words")).await.unwrap();
            assert_eq!(db.write(share(ANA, public, 7, PUBLIC, "words")).await, Err(wider.clone()));
            // A post whose group was deleted cannot be shared again.
            let gone = db.has_group_post(12, ANA, None);
            has_comment(&db, gone, BEN);
            for (number, audience) in [(8, group(CLEOS)), (9, PUBLIC)] {
                assert_eq!(db.write(share(ANA, gone, number, audience, "words")).await, Err(wider.clone()));
            }
        });
    }

    #[test]
    fn an_author_shares_only_with_groups_they_are_in() {
        with_database(|db| async move {
            has_groups(&db);
            db.has_left(CLEOS, ANA);
            let public = db.has_post(10, ANA, 60);
            let in_bens = db.has_group_post(11, ANA, Some(BENS));
            let nobody_else = Audience::Author {};
            for (number, post_id, audience, refusal) in [
                (1, public, group(CLEOS), Refusal::NotFound),
                (2, public, group(GroupId(99)), Refusal::NotFound),
                (3, public, nobody_else, Refusal::BadRequest),
                (4, in_bens, nobody_else, Refusal::BadRequest),
                (6, in_bens, Audience::Group { group_id: None }, Refusal::BadRequest),
                (5, in_bens, group(CLEOS), Refusal::NotFound),
            ] {
                assert_eq!(db.write(share(ANA, post_id, number, audience, "mine")).await, Err(refusal));
            }
            let new = |number, audience| Create {
                theme: ThemeDay::default(),
                key: key(ANA, number, &[]),
                viewer: viewer(ANA),
                author_id: ANA,
                new: NewPost { title: None, text: "new".into(), tag: None, content_note: None },
                audience,
                pictures: Ok(Vec::new()),
                followers: Arc::default(),
            };
            for (number, group_id) in [(20, CLEOS), (21, GroupId(99))] {
                assert_eq!(db.write(new(number, group(group_id))).await, Err(Refusal::NotFound));
            }
            assert_eq!(db.published().len(), 0);
            let first = db.write(new(22, group(BENS))).await.unwrap();
            assert_eq!(said(&db.published()), [alone("created", &[ANA, BEN])]);
            assert_eq!(db.write(new(22, group(BENS))).await.unwrap(), first, "one key, one post");
            let delete = Delete { key: key(ANA, 23, &[]), post_id: PostId(nth_id(1)), viewer: viewer(ANA) };
            db.write(delete).await.unwrap();
            assert_eq!(said(&db.published()), [alone("deleted", &[ANA, BEN])]);
            assert_eq!(db.number("select count(*) from posts where text <> 'words'").await, 0);
        });
    }

    #[test]
    fn an_author_who_left_the_group_edits_the_post_and_reads_nothing_of_the_group() {
        with_database(|db| async move {
            has_groups(&db);
            let post_id = db.has_group_post(10, ANA, Some(BENS));
            has_comment(&db, post_id, BEN);
            db.has_left(BENS, ANA);
            let nobody_else = Audience::Author {};
            for audience in [PUBLIC, group(CLEOS)] {
                let wider = Refusal::Invalid(Field::AUDIENCE, AUDIENCE_WIDER);
                assert_eq!(db.write(share(ANA, post_id, 1, audience, "mine")).await, Err(wider));
            }
            assert_eq!(db.write(share(ANA, post_id, 2, group(BENS), "mine")).await, Err(Refusal::NotFound));
            // What she sees as its audience leaves it with the group, whose members would read her new words.
            let as_it_is = share(ANA, post_id, 2, Audience::Group { group_id: None }, "mine");
            let left = Refusal::Invalid(Field::AUDIENCE, AUDIENCE_LEFT);
            assert_eq!(db.write(as_it_is).await, Err(left));
            assert_eq!(db.number("select count(*) from posts where group_id is not null").await, 1);
            assert_eq!(db.published().len(), 0);
            let reply = db.write(share(ANA, post_id, 3, nobody_else, "mine")).await.unwrap();
            assert_eq!(said(&db.published()), [alone("deleted", &[BEN]), alone("updated", &[ANA])]);
            let one: rmpv::Value = rmpv::decode::read_value(&mut &reply[..]).unwrap();
            assert_eq!(one["text"].as_str(), Some("mine"));
            assert!(one["groups"].as_array().unwrap().is_empty());
            let detached = "select count(*) from posts where audience = 'group' and group_id is null";
            assert_eq!(db.number(detached).await, 1);
            db.write(share(ANA, post_id, 4, nobody_else, "still mine")).await.unwrap();
            assert_eq!(said(&db.published()), [alone("updated", &[ANA])]);
            let delete = Delete { key: key(ANA, 5, &[]), post_id, viewer: viewer(ANA) };
            db.write(delete).await.unwrap();
            assert_eq!(said(&db.published()), [alone("deleted", &[ANA])]);
        });
    }
}
