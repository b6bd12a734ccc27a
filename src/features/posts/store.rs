//! The SQL of posts: writing and deleting one; editing is in its own file, reading in [`read`].

pub mod read;
mod update;

pub use update::Update;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use sqlx::SqliteConnection;

use super::rules::NewPost;
use super::wire::{Created, Deleted, Done, One, Picture, Post, PostView};
use crate::access::{self, PostFacts, Viewer};
use crate::db::work::{KeyUse, Pending, Stage, Work};
use crate::error::{Error, Refusal};
use crate::features::files::{self, ReadyPicture, Role};
use crate::features::views::{Audience, GroupName, User, Vote, is_member, is_seen_by, joined_ids};
use crate::features::{Event, notices};
use crate::ids::{GroupId, PostId, UserId};
use crate::wire::codec;

/// Publishes a post.
pub struct Create {
    pub key: KeyUse,
    pub id: PostId,
    pub author_id: UserId,
    pub new: NewPost,
    pub audience: Audience,
    /// Each with its description, in the order they are shown. Their files are on the disk. Or why they
    /// are not there, which matters only if this was not done before.
    pub pictures: Result<Vec<(ReadyPicture, String)>, Refusal>,
}

/// What is told beside a new post.
#[derive(sqlx::FromRow)]
struct Made {
    #[sqlx(flatten)]
    author: User,
    /// Of the group it is shared with.
    group_name: Option<String>,
    /// Of a post for everybody: joined with commas.
    followers: Option<String>,
}

impl Work for Create {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn weight_bytes(&self) -> usize {
        self.new.text.len()
            + self.new.title.as_ref().map_or(0, String::len)
            + 256
            + 2_048 * self.pictures.as_ref().map_or(0, Vec::len)
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let chosen = self.pictures.as_ref().map_err(Clone::clone)?;
            let tag = self.new.tag.as_ref();
            // Written only for everybody, or for a group that its author is in (`access::may_share_with`).
            let made: Option<Made> = sqlx::query_as(concat!(
                "insert into posts (author_id, id, group_id, audience, title, text, tag, tag_key,
                                        created_at_ms, updated_at_ms)
                       select n.author_id, ?2, n.group_id, ?4, ?5, ?6, ?7, ?8, ?9, ?9
                         from (select ?1 as author_id, ?3 as group_id) n where ?4 = 'public' or ",
                is_member!("n", "n.author_id"),
                ";
                     select u.id, u.name, u.photo_url, (select name from groups where id = ?3) as group_name,
                            (select group_concat(follower_id) from follows
                              where followed_id = ?1 and ?3 is null) as followers
                       from users u where u.id = ?1 and exists (select 1 from posts where id = ?2)",
            ))
            .bind(self.author_id)
            .bind(self.id)
            .bind(self.audience.group_id())
            .bind(self.audience.word())
            .bind(self.new.title.as_deref())
            .bind(&self.new.text)
            .bind(tag.map(|tag| tag.shown.as_str()))
            .bind(tag.map(|tag| tag.key.as_str()))
            .bind(stage.now_ms)
            .fetch_optional(&mut *stage.connection)
            .await?;
            let Made { author, group_name, followers } = made.ok_or(Refusal::NotFound)?;
            let mut pictures = Vec::with_capacity(chosen.len());
            for (position, (picture, alt)) in (0..).zip(chosen) {
                pictures.push(keep_picture(stage, self.author_id, self.id, position, picture, alt).await?);
            }
            let users = vec![author];
            let followers = sorted(joined_ids(followers.as_deref()));
            let post = Post {
                id: self.id,
                author_id: self.author_id,
                title: self.new.title.clone(),
                text: self.new.text.clone(),
                tag: tag.map(|tag| tag.shown.clone()),
                tag_key: tag.map(|tag| tag.key.clone()),
                audience: self.audience,
                pictures,
                created_at_ms: stage.now_ms,
                updated_at_ms: stage.now_ms,
                comments_count: 0,
                first_comments: Vec::new(),
            };
            let named = self.audience.group_id().zip(group_name);
            let groups: Vec<_> = named.map(|(id, name)| GroupName { id, name }).into_iter().collect();
            let event = Created {
                post: post.clone(),
                users: users.clone(),
                groups: groups.clone(),
                followers: followers.into(),
            };
            let seq = stage.tell(Event::PostCreated(event));
            let view = PostView { post, vote: Vote::None, positive_count: Some(0) };
            Ok(Bytes::from(codec::encode(&One { post: view, users, groups, seq })?))
        })
    }
}

/// Writes a picture of a post, and the rows of its files.
async fn keep_picture(
    stage: &mut Stage<'_, Event>,
    author_id: UserId,
    post_id: PostId,
    position: i64,
    picture: &ReadyPicture,
    alt: &str,
) -> Result<Picture, Error> {
    let mut kept = [None, None, None];
    for (kept, role) in kept.iter_mut().zip([Role::Screen, Role::Card, Role::Motion]) {
        if let Some(file) = picture.file(role) {
            let token = files::new_token()?;
            *kept = Some(files::keep_async(stage.connection, author_id, file, &token, stage.now_ms).await?);
        }
    }
    let [Some(screen), Some(card), motion] = kept else {
        return Err(Error::Broken("a picture is ready without its sizes"));
    };
    sqlx::query(
        "insert into pictures (post_id, position, alt, width, height, thumbhash,
                               screen_file_id, card_file_id, motion_file_id)
           values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )
    .bind(post_id)
    .bind(position)
    .bind(alt)
    .bind(picture.width)
    .bind(picture.height)
    .bind(&picture.thumbhash)
    .bind(screen.id)
    .bind(card.id)
    .bind(motion.as_ref().map(|motion| motion.id))
    .execute(&mut *stage.connection)
    .await?;
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

/// Deletes a post with all that hangs on it.
pub struct Delete {
    pub key: KeyUse,
    pub post_id: PostId,
    pub viewer: Viewer,
}

impl Work for Delete {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn weight_bytes(&self) -> usize {
        128
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            // As for whoever it is not for: what is not theirs is not read.
            let known: Option<(UserId, String, Option<GroupId>, bool)> = sqlx::query_as(concat!(
                "select p.author_id, p.audience, p.group_id, ",
                is_member!("p", "?2"),
                " from posts p where p.id = ?1 and ",
                is_seen_by!("p", "?2"),
            ))
            .bind(self.post_id)
            .bind(self.viewer.user_id())
            .fetch_optional(&mut *stage.connection)
            .await?;
            let known = known.map(|(author_id, word, group_id, is_member)| {
                let audience = Audience::kept(&word, group_id);
                (audience, PostFacts { author_id, audience: audience.fact(is_member) })
            });
            let may = |(_, facts): &(Audience, PostFacts)| access::may_delete_post(self.viewer, facts);
            let (audience, facts) = known.filter(may).ok_or(Refusal::NotFound)?;
            // Its notices first: who had one is told.
            let withdrawn = notices::of_post_async(stage.connection, self.post_id).await?;
            sqlx::query("delete from posts where id = ?1")
                .bind(self.post_id)
                .execute(&mut *stage.connection)
                .await?;
            let people = match audience {
                Audience::Public {} => followers(stage.connection, facts.author_id).await?,
                Audience::Group { .. } => Vec::new(),
            };
            let event = Deleted {
                post_id: self.post_id,
                author_id: facts.author_id,
                audience,
                stays_with: None,
                people: people.into(),
            };
            let seq = stage.tell(Event::PostDeleted(event));
            notices::tell_gone_async(stage, withdrawn).await?;
            Ok(Bytes::from(codec::encode(&Done { seq })?))
        })
    }
}

/// Returns who follows an author; sorted. One row, because each costs a trip of its own.
async fn followers(connection: &mut SqliteConnection, author_id: UserId) -> Result<Vec<UserId>, Error> {
    let joined: Option<String> =
        sqlx::query_scalar("select group_concat(follower_id) from follows where followed_id = ?1")
            .bind(author_id)
            .fetch_one(connection)
            .await?;
    Ok(sorted(joined_ids(joined.as_deref())))
}

fn sorted(mut people: Vec<UserId>) -> Vec<UserId> {
    people.sort_unstable();
    people
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::features::files::NewFile;
    use crate::features::testing::{ANA, BEN, Room, key, number, told, viewer};

    /// A picture whose files are on a disk that nobody looks at.
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

    async fn publishes(room: &Room, id: i64, names: &[&str]) -> Result<PostId, Refusal> {
        let id = PostId(id);
        let create = Create {
            key: key(ANA, u8::try_from(id.0).unwrap(), &[]),
            id,
            author_id: ANA,
            new: NewPost { title: None, text: "words".into(), tag: None },
            audience: Audience::Public {},
            pictures: Ok(names.iter().map(|name| picture(name)).collect()),
        };
        room.does(create).await.map(|_| id)
    }

    #[test]
    fn pictures_stand_in_their_order_and_go_with_their_post_leaving_their_files_doomed() {
        told(|room| async move {
            let post_id = publishes(&room, 10, &["b", "a"]).await.unwrap();
            let mut look = room.looks().await;
            let found = read::find(look.connection(), &[post_id], viewer(BEN)).await.unwrap();
            let alts: Vec<_> = found[0].post.pictures.iter().map(|picture| picture.alt.as_str()).collect();
            assert_eq!(alts, ["what is on b", "what is on a"]);
            let url = found[0].post.pictures[0].card_url.clone();
            let (path, token) = url.strip_prefix("/media/").unwrap().split_once("?token=").unwrap();
            let allowed = files::find_async(look.connection(), viewer(BEN), path, token).await.unwrap();
            assert_eq!(allowed.unwrap().content_type, "image/jpeg");
            for (who, path, token) in [
                (Viewer::Guest, path, token),
                (viewer(BEN), path, "AAAAAAAAAAAAAAAAAAAAAA"),
                (viewer(BEN), "posts/1/c.card.jpg", token),
            ] {
                assert_eq!(files::find_async(look.connection(), who, path, token).await.unwrap(), None);
            }
            drop(look);
            let delete = Delete { key: key(ANA, 20, &[]), post_id, viewer: viewer(ANA) };
            room.does(delete).await.unwrap();
            let mut look = room.looks().await;
            assert_eq!(number(look.connection(), "select count(*) from files").await, 0);
            assert_eq!(number(look.connection(), "select count(*) from pictures").await, 0);
            assert_eq!(number(look.connection(), "select count(*) from doomed_files").await, 4);
            assert_eq!(files::find_async(look.connection(), viewer(ANA), path, token).await.unwrap(), None);
        });
    }

    #[test]
    fn a_post_whose_picture_cannot_be_kept_is_not_there_at_all() {
        told(|room| async move {
            publishes(&room, 10, &["a"]).await.unwrap();
            room.heard();
            assert_eq!(
                publishes(&room, 11, &["b", "a"]).await,
                Err(Refusal::UploadGone),
                "it is in a post already"
            );
            let mut look = room.looks().await;
            assert_eq!(number(look.connection(), "select count(*) from posts").await, 1);
            assert_eq!(number(look.connection(), "select count(*) from files").await, 2);
            assert_eq!(room.heard().len(), 0);
        });
    }

    #[test]
    fn a_file_is_found_by_its_path_without_a_walk() {
        told(|room| async move {
            let mut look = room.looks().await;
            let plan: Vec<(i64, i64, i64, String)> =
                sqlx::query_as(concat!("explain query plan ", files::find_sql!()))
                    .bind("x")
                    .bind(ANA)
                    .fetch_all(look.connection())
                    .await
                    .unwrap();
            let walks: Vec<_> = plan.iter().filter(|(_, _, _, step)| step.starts_with("SCAN")).collect();
            assert!(walks.is_empty(), "{plan:?}");
        });
    }

    #[test]
    fn only_its_author_deletes_a_post_and_all_that_hangs_on_it_goes() {
        told(|room| async move {
            let post_id = room.has_post(10, ANA, 1);
            room.by_hand("insert into votes (post_id, user_id, vote) values (10, 2, 1)").unwrap();
            room.by_hand("insert into comments (id, post_id, author_id, text, created_at_ms) values (1, 10, 2, 'x', 0)").unwrap();
            let by = |user| Delete { key: key(user, 1, &[]), post_id, viewer: viewer(user) };
            assert_eq!(room.does(by(BEN)).await, Err(Refusal::NotFound));
            room.does(by(ANA)).await.unwrap();
            let mut look = room.looks().await;
            for sql in
                ["select count(*) from posts", "select count(*) from votes", "select count(*) from comments"]
            {
                assert_eq!(crate::features::testing::number(look.connection(), sql).await, 0, "{sql}");
            }
        });
    }

    #[test]
    fn r9_the_schema_itself_refuses_what_the_rules_refuse() {
        told(|room| async move {
            let long = |count: usize| format!("printf('%.*c', {count}, 'x')");
            for (title, text, tag) in [
                ("null".into(), "''".to_owned(), "null".to_owned()),
                ("null".into(), long(2_001), "null".into()),
                (long(101), "'x'".into(), "null".into()),
                ("null".into(), "'x'".into(), long(31)),
            ] {
                let sql = format!(
                    "insert into posts (id, author_id, title, text, tag, tag_key, created_at_ms, updated_at_ms) values (1, 1, {title}, {text}, {tag}, {tag}, 0, 0)"
                );
                assert!(room.by_hand(&sql).is_err(), "{sql}");
            }
            for sql in [
                "insert into follows (follower_id, followed_id, id) values (1, 1, 1)",
                "update users set from_color = 'pink'",
                "update users set name = ''",
                "insert into logins (id, user_id, token_hash, created_at_ms, used_at_ms) values (1, 99, zeroblob(32), 0, 0)",
            ] {
                assert!(room.by_hand(sql).is_err(), "{sql}");
            }
        });
    }
}
