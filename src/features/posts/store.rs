//! The SQL of posts: creates and deletes them. [`update`] edits posts, [`read`] reads them by id, [`lists`] and [`by_date`]
//! read pages of them, and [`imported`] writes and deletes those that their authors wrote elsewhere.

pub mod by_date;
pub mod imported;
pub mod lists;
pub mod read;
pub mod recent_followers;
mod update;

pub use update::Update;

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use self::recent_followers::RecentFollowers;
use super::rules::NewPost;
use super::wire::{Created, Deleted, One, Picture, Post, PostView};
use crate::authz::sql::{comments_seen, is_there, may_take_part};
use crate::authz::{self, Viewer};
use crate::db::command::{KeyUse, Transaction, WriteCommand, deletes, keyed};
use crate::db::sql::Sql;
use crate::error::{Error, Refusal};
use crate::events::{Right, Users};
use crate::features::events::Event;
use crate::features::newcomers::store::steps::{self, Step};
use crate::features::notifications::store::notify as notifications;
use crate::features::theme::store::{ThemeDay, is_theme_tag};
use crate::ids::{GroupId, PostId, UserId};
use crate::model::archive::{ArchiveFile, group_name, place, time};
use crate::model::audience::{Audience, recipients_of, without_muters};
use crate::model::between::{ANY_VIEWER, is_suspended, users_hidden_from};
use crate::model::files::{self, ReadyPicture, Role};
use crate::model::groups::{groups_named, is_member_of};
use crate::model::posts::{KnownPost, known_post};
use crate::model::users::users_named;
use crate::model::vote::Vote;
use crate::reply::Done;

/// Publishes a post.
pub struct Create {
    pub key: KeyUse,
    pub viewer: Viewer,
    pub author_id: UserId,
    pub new: NewPost,
    pub audience: Audience,
    /// Today's theme. A post with its tag answers it.
    pub theme: ThemeDay,
    /// The pictures with their descriptions, in the order in which they are shown. Their files are on the disk. An
    /// error says why they are not; it counts only if the key was not used before.
    pub pictures: Result<Vec<(ReadyPicture, String)>, Refusal>,
    /// The cache of followers, which the whole server shares.
    pub followers: Arc<RecentFollowers>,
}

impl WriteCommand for Create {
    type Event = Event;
    type Value = One;

    keyed!();

    fn weight_bytes(&self) -> usize {
        self.new.text.len()
            + self.new.title.as_ref().map_or(0, String::len)
            + self.new.content_note.as_ref().map_or(0, String::len)
            + 256
            + 2_048 * self.pictures.as_ref().map_or(0, Vec::len)
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<One, Error> {
        let (sql, now_ms) = (transaction.sql, transaction.now_ms);
        let chosen = self.pictures.as_ref().map_err(Clone::clone)?;
        let (group_id, tag) = (self.audience.group_id(), self.new.tag.as_ref());
        let is_member = is_in_group(sql, group_id, self.author_id)?;
        if !authz::may_share_with(self.viewer, self.audience.fact(is_member)) {
            return Err(Refusal::NotFound.into());
        }
        let id = PostId(transaction.new_id());
        sql.execute(
            "insert into posts (id, author_id, title, text, tag, tag_key, audience, group_id,
                                created_at_ms, updated_at_ms, content_note)
               values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?10)",
            (
                id,
                self.author_id,
                &self.new.title,
                &self.new.text,
                tag.map(|tag| &tag.shown),
                tag.map(|tag| &tag.key),
                self.audience.word(),
                group_id,
                now_ms,
                &self.new.content_note,
            ),
        )?;
        let mut pictures = Vec::with_capacity(chosen.len());
        for (position, (picture, alt)) in (0..).zip(chosen) {
            pictures.push(keep_picture(transaction, self.author_id, id, position, picture, alt)?);
        }
        let post = Post {
            id,
            author_id: self.author_id,
            title: self.new.title.clone(),
            text: self.new.text.clone(),
            tag: tag.map(|tag| tag.shown.clone()),
            tag_key: tag.map(|tag| tag.key.clone()),
            content_note: self.new.content_note.clone(),
            audience: self.audience,
            pictures,
            created_at_ms: now_ms,
            updated_at_ms: now_ms,
            imported: false,
            comments_count: 0,
            first_comments: Vec::new(),
        };
        let users = users_named(sql, ANY_VIEWER, [self.author_id])?;
        let groups = groups_named(sql, group_id)?;
        let recipients = match self.audience {
            Audience::Public {} => self.followers.recipients(sql, self.author_id)?,
            other => recipients_of(sql, self.author_id, other)?,
        };
        transaction.publish(Event::PostCreated(Created {
            post: post.clone(),
            users: users.clone(),
            groups: groups.clone(),
            recipients: without_muters(sql, recipients, self.author_id)?,
            only: None,
            except: users_hidden_from(sql, [self.author_id])?,
        }));
        if let Some(tag) = tag
            && is_theme_tag(sql, tag, &self.theme)?
        {
            steps::take(transaction, self.author_id, Step::Answer)?;
        }
        let post = PostView {
            post,
            vote: Vote::None,
            saved: false,
            positive_count: Some(0),
            comments_only_for: None,
        };
        let mut one = One { post, users, groups, seq: transaction.seq() };
        leave_group_out(transaction, &mut one)?;
        Ok(one)
    }
}

/// Sets the reply that is sent if the author of a post of a group leaves the group before the reply is sent. It leaves
/// the group out.
fn leave_group_out(transaction: &mut Transaction<'_, Event>, one: &mut One) -> Result<(), Error> {
    let audience = one.post.post.audience;
    let Some(group_id) = audience.group_id() else { return Ok(()) };
    let groups = std::mem::take(&mut one.groups);
    one.post.post.audience = Audience::Group { group_id: None };
    transaction.reply_if_lost(Right::Membership(group_id), one)?;
    (one.post.post.audience, one.groups) = (audience, groups);
    Ok(())
}

/// Writes a picture of a post, and the rows of its files.
fn keep_picture(
    transaction: &Transaction<'_, Event>,
    author_id: UserId,
    post_id: PostId,
    position: i64,
    picture: &ReadyPicture,
    alt: &str,
) -> Result<Picture, Error> {
    let sql = transaction.sql;
    let mut kept = [None, None, None];
    for (kept, role) in kept.iter_mut().zip([Role::Screen, Role::Card, Role::Motion]) {
        if let Some(file) = picture.file(role) {
            let token = files::new_token()?;
            *kept = Some(files::keep(sql, author_id, file, &token, transaction.now_ms)?);
        }
    }
    let [Some(screen), Some(card), motion] = kept else {
        return Err(Error::Broken("a picture is ready without its sizes"));
    };
    sql.execute(
        "insert into pictures (post_id, position, alt, width, height, thumbhash,
                               screen_file_id, card_file_id, motion_file_id)
           values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        (
            post_id,
            position,
            alt,
            picture.width,
            picture.height,
            &picture.thumbhash,
            screen.id,
            card.id,
            motion.as_ref().map(|motion| motion.id),
        ),
    )?;
    Ok(Picture {
        alt: alt.to_owned(),
        width: picture.width,
        height: picture.height,
        thumbhash: STANDARD.encode(&picture.thumbhash),
        url: screen.url,
        card_url: card.url,
        motion_url: motion.map(|motion| motion.url),
    })
}

/// Deletes a post with its comments, votes, pictures and notifications.
pub struct Delete {
    pub key: KeyUse,
    pub post_id: PostId,
    pub viewer: Viewer,
}

impl WriteCommand for Delete {
    type Event = Event;
    type Value = Done;

    keyed!();

    deletes!(Content);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let (sql, post_id) = (transaction.sql, self.post_id);
        let post = known_post(sql, post_id, self.viewer.user_id())?;
        let post = post.filter(|post| authz::may_delete_post(self.viewer, &post.facts()));
        let post = post.ok_or(Refusal::NotFound)?;
        delete(transaction, post_id, &post)?;
        Ok(Done { seq: transaction.seq() })
    }
}

/// Deletes a post without a check of permission. Returns whether it existed.
///
/// # Errors
/// A database fault.
pub fn remove(transaction: &mut Transaction<'_, Event>, post_id: PostId) -> Result<bool, Error> {
    let post = known_post(transaction.sql, post_id, None)?;
    if let Some(post) = &post {
        delete(transaction, post_id, post)?;
    }
    Ok(post.is_some())
}

fn delete(transaction: &mut Transaction<'_, Event>, post_id: PostId, post: &KnownPost) -> Result<(), Error> {
    let sql = transaction.sql;
    // The notifications are returned, because their users receive an event.
    let gone = notifications::delete_of_post(sql, post_id)?;
    let is_imported: bool =
        sql.value("delete from posts where id = ?1 returning import_id is not null", (post_id,))?;
    // The posts of a suspended author have already disappeared for everybody.
    let is_shown = !is_suspended(sql, post.author_id)?;
    let was_public = is_shown && post.audience == Audience::Public {};
    let recipients = match is_shown && !(was_public && is_imported) {
        true => recipients_of(sql, post.author_id, post.audience)?,
        false => Users::default(),
    };
    transaction.publish(Event::PostDeleted(Deleted {
        post_id,
        author_id: post.author_id,
        recipients,
        was_public,
        kept_by: None,
        is_imported,
        hidden_from: users_hidden_from(sql, [post.author_id])?,
    }));
    notifications::publish_deleted(transaction, gone)
}

/// Returns whether a user is a member of a group; false if `group_id` is None.
fn is_in_group(sql: Sql<'_>, group_id: Option<GroupId>, user_id: UserId) -> Result<bool, Error> {
    group_id.map_or(Ok(false), |group_id| is_member_of(sql, group_id, user_id))
}

/// The files that this feature adds to the archive of a user.
pub const ARCHIVE: &[ArchiveFile] = &[
    ArchiveFile::new(
        "posts.json",
        "your posts, with the names of their pictures in this archive",
        concat!(
            "select p.id, json_object('id', p.id, 'title', p.title, 'text', p.text, 'tag', p.tag,
                'content_note', p.content_note,
                'audience', iif(p.audience = 'group' and p.group_id is null, 'author', p.audience), 'group', iif(p.audience = 'public' or p.only_author, null, ", group_name!("p"), "),
                'written_at', ", time!("p.created_at_ms"), ",
                'edited_at', iif(p.updated_at_ms = p.created_at_ms, null, ", time!("p.updated_at_ms"), "),
                'imported_from', (select x.source from imports x where x.id = p.import_id),
                'imported_at', (select ", time!("x.started_at_ms"), " from imports x where x.id = p.import_id),
                'comments', iif(", may_take_part!("p", "?1"), ", ", comments_seen!("p", "?1"), ", 0),
                'positive_vibes', p.positive_count, 'pictures', (select json_group_array(json_object('file', ", place!("s"), ",
                        'moving_file', ", place!("m"), ", 'alt', i.alt, 'width', i.width, 'height', i.height)
                        order by i.position)
                      from pictures i join files s on s.id = i.screen_file_id
                      left join files m on m.id = i.motion_file_id where i.post_id = p.id))
               from posts p where p.author_id = ?1 and p.id < ?2 and ", is_there!("p"), " order by p.id desc limit ?3"
        ),
    ),
];

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::db::readers::Snapshot;
    use crate::model::files::NewFile;
    use crate::testing::database::{ANA, BEN, TestDatabase, key, nth_id, viewer, with_database};

    /// A picture whose files need not exist.
    fn picture(name: &str) -> (ReadyPicture, String) {
        let file = |role: Role| NewFile {
            role,
            full_path: format!("posts/1/{name}.{}.jpg", role.word()),
            size_bytes: 7,
            content_type: "image/jpeg",
        };
        let picture = ReadyPicture {
            width: 1_600,
            height: 1_200,
            thumbhash: vec![1; 21],
            files: vec![file(Role::Screen), file(Role::Card)],
            hold: Arc::new(()),
        };
        (picture, format!("what is on {name}"))
    }

    /// Returns the id of the first post of a test.
    async fn publishes(db: &TestDatabase, key_number: u8, names: &[&str]) -> Result<PostId, Refusal> {
        let create = Create {
            theme: ThemeDay::default(),
            key: key(ANA, key_number, &[]),
            viewer: viewer(ANA),
            author_id: ANA,
            new: NewPost { title: None, text: "words".into(), tag: None, content_note: None },
            audience: Audience::Public {},
            pictures: Ok(names.iter().map(|name| picture(name)).collect()),
            followers: Arc::default(),
        };
        db.write(create).await.map(|_| PostId(nth_id(1)))
    }

    #[test]
    fn pictures_keep_their_order_and_a_deleted_post_queues_their_files_for_removal() {
        with_database(|db| async move {
            let post_id = publishes(&db, 10, &["b", "a"]).await.unwrap();
            let found = db.read(move |Snapshot { sql, .. }| read::find(sql, &[post_id], viewer(BEN))).await;
            let alts: Vec<_> = found[0].post.pictures.iter().map(|picture| picture.alt.as_str()).collect();
            assert_eq!(alts, ["what is on b", "what is on a"]);
            let url = found[0].post.pictures[0].card_url.clone();
            let (path, token) = url.strip_prefix("/media/").unwrap().split_once("?token=").unwrap();
            let fetched_by = async |who: Viewer, path: &str, token: &str| {
                let (path, token) = (path.to_owned(), token.to_owned());
                db.read(move |Snapshot { sql, .. }| files::find(sql, who, &path, &token)).await
            };
            let allowed = fetched_by(viewer(BEN), path, token).await;
            assert_eq!(allowed.unwrap().content_type, "image/jpeg");
            for (who, path, token) in [
                (Viewer::Guest, path, token),
                (viewer(BEN), path, "AAAAAAAAAAAAAAAAAAAAAA"),
                (viewer(BEN), "posts/1/c.card.jpg", token),
            ] {
                assert_eq!(fetched_by(who, path, token).await, None);
            }
            let delete = Delete { key: key(ANA, 20, &[]), post_id, viewer: viewer(ANA) };
            db.write(delete).await.unwrap();
            assert_eq!(db.number("select count(*) from files").await, 0);
            assert_eq!(db.number("select count(*) from pictures").await, 0);
            assert_eq!(db.number("select count(*) from doomed_files").await, 4);
            assert_eq!(fetched_by(viewer(ANA), path, token).await, None);
        });
    }

    #[test]
    fn a_post_whose_picture_cannot_be_stored_is_not_stored_either() {
        with_database(|db| async move {
            publishes(&db, 10, &["a"]).await.unwrap();
            db.published();
            assert_eq!(
                publishes(&db, 11, &["b", "a"]).await,
                Err(Refusal::UploadGone),
                "it is in a post already"
            );
            assert_eq!(db.number("select count(*) from posts").await, 1);
            assert_eq!(db.number("select count(*) from files").await, 2);
            assert_eq!(db.published().len(), 0);
        });
    }

    #[test]
    fn a_file_is_found_by_its_path_without_a_scan() {
        with_database(|db| async move {
            let plan = db.plan(files::find_sql!());
            let walks: Vec<_> = plan.iter().filter(|step| step.starts_with("SCAN")).collect();
            assert!(walks.is_empty(), "{plan:?}");
        });
    }

    #[test]
    fn only_the_author_deletes_a_post_and_its_rows_in_all_tables() {
        with_database(|db| async move {
            let post_id = db.has_post(10, ANA, 1);
            db.execute("insert into votes (post_id, user_id, vote) values (10, 2, 1)").unwrap();
            db.execute("insert into comments (id, post_id, author_id, text, created_at_ms) values (1, 10, 2, 'x', 0)").unwrap();
            let by = |user| Delete { key: key(user, 1, &[]), post_id, viewer: viewer(user) };
            assert_eq!(db.write(by(BEN)).await, Err(Refusal::NotFound));
            db.write(by(ANA)).await.unwrap();
            for sql in
                ["select count(*) from posts", "select count(*) from votes", "select count(*) from comments"]
            {
                assert_eq!(db.number(sql).await, 0, "{sql}");
            }
        });
    }

    #[test]
    fn r9_the_schema_itself_refuses_what_the_rules_refuse() {
        with_database(|db| async move {
            let long = |count: usize| format!("printf('%.*c', {count}, 'x')");
            let null = || "null".to_owned();
            for (title, text, tag, note) in [
                (null(), "''".to_owned(), null(), null()),
                (null(), long(2_001), null(), null()),
                (long(101), "'x'".into(), null(), null()),
                (null(), "'x'".into(), long(31), null()),
                (null(), "'x'".into(), null(), long(61)),
                (null(), "'x'".into(), null(), "''".into()),
            ] {
                let sql = format!(
                    "insert into posts (id, author_id, title, text, tag, tag_key, content_note, created_at_ms, updated_at_ms) values (1, 1, {title}, {text}, {tag}, {tag}, {note}, 0, 0)"
                );
                assert!(db.execute(&sql).is_err(), "{sql}");
            }
            for sql in [
                "insert into follows (follower_id, followed_id, id) values (1, 1, 1)",
                "update users set from_color = 'pink'",
                "update users set name = ''",
                "insert into logins (id, user_id, token_hash, created_at_ms, used_at_ms) values (1, 99, zeroblob(32), 0, 0)",
            ] {
                assert!(db.execute(sql).is_err(), "{sql}");
            }
        });
    }
}
