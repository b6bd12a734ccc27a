//! The SQL of accounts: what others may see of one, and its end. What is exported is in [`export`].

pub mod export;

use std::collections::BTreeSet;

use bytes::Bytes;
use sqlx::SqliteConnection;

use super::wire::{Changed, Ended, Gone, Set};
use crate::db::work::{KeyUse, Pending, Stage, Work};
use crate::error::{Error, Refusal};
use crate::features::Event;
use crate::features::news;
use crate::features::views::{Me, json_of, me_columns};
use crate::ids::{CommentId, LoginId, NotificationId, PostId, UserId};
use crate::limits::FAREWELL_EVENTS_MAX;
use crate::wire::codec;

/// Sets whether somebody's numbers are for themselves alone.
pub struct SetPrivacy {
    pub key: KeyUse,
    pub user_id: UserId,
    pub hide_numbers: bool,
}

impl Work for SetPrivacy {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn weight_bytes(&self) -> usize {
        64
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let set = sqlx::query(
                "update users set hide_numbers = ?2, updated_at_ms = ?3 where id = ?1 and hide_numbers <> ?2",
            )
            .bind(self.user_id)
            .bind(self.hide_numbers)
            .bind(stage.now_ms)
            .execute(&mut *stage.connection)
            .await?;
            if set.rows_affected() > 0 {
                let me: Me =
                    sqlx::query_as(concat!("select ", me_columns!(), " from users u where u.id = ?1"))
                        .bind(self.user_id)
                        .fetch_one(&mut *stage.connection)
                        .await?;
                stage.tell(Event::AccountChanged(Changed { me }));
                if self.hide_numbers {
                    // For their owner: a count that is still held back for everybody makes way for it.
                    for counted in news::profiles_counted(stage.connection, &[self.user_id.0]).await? {
                        stage.tell(counted);
                    }
                }
                let changed = news::profile_changed(stage.connection, self.user_id).await?;
                stage.tell(changed);
            }
            let answer = Set { hide_numbers: self.hide_numbers, seq: stage.seq() };
            Ok(Bytes::from(codec::encode(&answer)?))
        })
    }
}

/// Ends an account with all that hangs on it.
///
/// Most goes with its row, by the schema; keys know no users. The answers that other people's keys
/// remember for a day may have this person's words in them: those are forgotten, and the key stays, so that
/// what was done is still not done twice.
pub struct Delete {
    pub user_id: UserId,
    /// Of the password that was given: it may have become another meanwhile.
    pub password_hash: String,
}

impl Work for Delete {
    type Event = Event;

    fn scours(&self) -> bool {
        true
    }

    fn weight_bytes(&self) -> usize {
        16
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let user_id = self.user_id;
            let account: Option<(i64, String)> =
                sqlx::query_as("select created_at_ms, password_hash from users where id = ?1")
                    .bind(user_id)
                    .fetch_optional(&mut *stage.connection)
                    .await?;
            let (born, password_hash) = account.ok_or(Refusal::NotSignedIn)?;
            if password_hash != self.password_hash {
                return Err(Refusal::WrongPassword.into());
            }
            let others = Others::of(stage.connection, user_id).await?;
            let logins: Vec<LoginId> = sqlx::query_scalar("select id from logins where user_id = ?1")
                .bind(user_id)
                .fetch_all(&mut *stage.connection)
                .await?;
            // A sign-up's key is nobody's, and of the moment of the account itself.
            sqlx::query("delete from keys where user_id = ?1 or (user_id = 0 and made_at_ms = ?2)")
                .bind(user_id)
                .bind(born)
                .execute(&mut *stage.connection)
                .await?;
            sqlx::query("update keys set answer = x'' where instr(answer, ?1) > 0")
                .bind(codec::encode(&user_id)?)
                .execute(&mut *stage.connection)
                .await?;
            sqlx::query("delete from users where id = ?1")
                .bind(user_id)
                .execute(&mut *stage.connection)
                .await?;
            stage.tell(Event::UserDeleted(Ended { user_id }));
            for farewell in others.farewells(stage.connection).await? {
                stage.tell(farewell);
            }
            for login_id in logins {
                stage.tell(news::login_ended_with_its_account(login_id));
            }
            Ok(Bytes::from(codec::encode(&Gone {})?))
        })
    }
}

/// What others have that an account was part of; of each kind the newest.
struct Others {
    /// Posts of others, and a comment on each.
    comments: Vec<(PostId, CommentId)>,
    /// Posts of others that had a yes.
    votes: Vec<i64>,
    /// People who followed, or were followed.
    profiles: Vec<i64>,
    /// Polls of others that had a vote.
    polls: Vec<i64>,
    /// People, and their notifications that go: ids joined with commas.
    notified: Vec<(UserId, String)>,
}

impl Others {
    async fn of(connection: &mut SqliteConnection, user_id: UserId) -> Result<Self, Error> {
        let comments = sqlx::query_as(
            "select c.post_id, max(c.id) from comments c join posts p on p.id = c.post_id
              where c.author_id = ?1 and p.author_id <> ?1 group by c.post_id order by 2 desc limit ?2",
        )
        .bind(user_id)
        .bind(FAREWELL_EVENTS_MAX)
        .fetch_all(&mut *connection)
        .await?;
        let votes = sqlx::query_scalar(
            "select v.post_id from votes v join posts p on p.id = v.post_id
              where v.user_id = ?1 and v.vote = 1 and p.author_id <> ?1 order by 1 desc limit ?2",
        )
        .bind(user_id)
        .bind(FAREWELL_EVENTS_MAX)
        .fetch_all(&mut *connection)
        .await?;
        let profiles = sqlx::query_scalar(
            "select iif(follower_id = ?1, followed_id, follower_id) as other from follows
              where follower_id = ?1 or followed_id = ?1 group by other order by max(id) desc limit ?2",
        )
        .bind(user_id)
        .bind(FAREWELL_EVENTS_MAX)
        .fetch_all(&mut *connection)
        .await?;
        let polls = sqlx::query_scalar(
            "select b.poll_id from ballots b join polls p on p.id = b.poll_id
              where b.user_id = ?1 and p.creator_id <> ?1 order by 1 desc limit ?2",
        )
        .bind(user_id)
        .bind(FAREWELL_EVENTS_MAX)
        .fetch_all(&mut *connection)
        .await?;
        let notified = sqlx::query_as(
            "select user_id, group_concat(id) from notifications
              where user_id <> ?1 and (actor_id = ?1 or post_id in (select id from posts where author_id = ?1))
              group by user_id order by max(id) desc limit ?2",
        )
        .bind(user_id)
        .bind(FAREWELL_EVENTS_MAX)
        .fetch_all(connection)
        .await?;
        Ok(Self { comments, votes, profiles, polls, notified })
    }

    /// Returns what they are told, once all is gone.
    async fn farewells(self, connection: &mut SqliteConnection) -> Result<Vec<Event>, Error> {
        let mut farewells = news::comments_deleted(connection, &self.comments).await?;
        let votes: Vec<(PostId, UserId, i64)> = sqlx::query_as(
            "select id, author_id, positive_count from posts
              where id in (select value from json_each(?1)) order by id desc",
        )
        .bind(json_of(&self.votes))
        .fetch_all(&mut *connection)
        .await?;
        farewells.extend(votes.into_iter().map(|(post_id, author_id, positive_count)| {
            news::votes_counted(post_id, author_id, positive_count)
        }));
        farewells.extend(news::profiles_counted(connection, &self.profiles).await?);
        farewells.extend(news::polls_counted(connection, &self.polls).await?);
        let notified: Vec<i64> = self.notified.iter().map(|(user_id, _)| user_id.0).collect();
        let unread: Vec<UserId> = sqlx::query_scalar(
            "select distinct user_id from notifications
              where unread and user_id in (select value from json_each(?1))",
        )
        .bind(json_of(&notified))
        .fetch_all(connection)
        .await?;
        let unread: BTreeSet<UserId> = unread.into_iter().collect();
        farewells.extend(self.notified.into_iter().map(|(user_id, joined)| {
            let ids = joined.split(',').filter_map(|id| id.parse().ok().map(NotificationId)).collect();
            news::notifications_deleted(user_id, ids, unread.contains(&user_id))
        }));
        Ok(farewells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::testing::{ANA, BEN, CLEO, Room, key, number, told};
    use crate::ids::PollId;

    /// Ana is part of much: her posts with pictures, a photo, words under Ben's post, follows, notifications.
    fn busy_room(room: &Room) {
        for (id, path) in [(1, "posts/1/a"), (2, "posts/1/b"), (3, "posts/1/c"), (4, "posts/1/d")] {
            room.by_hand(&format!(
                "insert into files (id, full_path, name, owner_id, size_bytes, content_type, token, created_at_ms,
                   updated_at_ms) values ({id}, '{path}', 'x', 1, 1, 'image/jpeg', '{}', 0, 0)",
                "t".repeat(22)
            ))
            .unwrap();
        }
        for (id, author_id) in [(10, ANA), (20, BEN), (21, BEN)] {
            room.has_post(id, author_id, 5);
        }
        for sql in [
            "insert into pictures (post_id, position, alt, width, height, thumbhash, screen_file_id, card_file_id)
               values (10, 0, 'x', 4, 3, zeroblob(8), 1, 2)",
            "insert into photos (user_id, width, height, thumbhash, screen_file_id, card_file_id)
               values (1, 4, 4, zeroblob(8), 3, 4)",
            "insert into comments (id, post_id, author_id, text, created_at_ms)
               values (30, 20, 1, 'hers', 0), (31, 20, 2, 'his', 0), (32, 20, 1, 'hers', 0), (33, 10, 2, 'his', 0)",
            "insert into votes (post_id, user_id, vote) values (10, 2, 1), (20, 1, 1), (20, 3, 1), (21, 1, -1)",
            "insert into follows (follower_id, followed_id, id) values (1, 2, 40), (3, 1, 41), (3, 2, 42)",
            "insert into notifications (id, user_id, kind, actor_id, post_id, comment_id, created_at_ms, unread)
               values (50, 2, 'comment', 1, 20, 30, 0, 1), (51, 2, 'comment', 1, 20, 32, 0, 1),
                      (52, 1, 'comment', 2, 10, 33, 0, 1), (53, 3, 'reply', 2, 10, 33, 0, 0),
                      (54, 2, 'follow', 3, null, null, 0, 1)",
            "insert into polls (id, creator_id, question, created_at_ms, closes_at_ms)
               values (80, 1, 'hers', 0, 9), (81, 2, 'his', 0, 9), (82, 2, 'his', 0, 9)",
            "insert into poll_options (poll_id, position, text)
               values (80, 0, 'a'), (80, 1, 'b'), (81, 0, 'a'), (81, 1, 'b'), (82, 0, 'a'), (82, 1, 'b')",
            "insert into ballots (poll_id, user_id, position, voted_at_ms)
               values (80, 1, 0, 0), (80, 2, 0, 0), (81, 1, 0, 0), (81, 3, 0, 0), (82, 3, 1, 0)",
            "insert into logins (id, user_id, token_hash, created_at_ms, used_at_ms)
               values (60, 1, zeroblob(32), 0, 0), (61, 2, randomblob(32), 0, 0)",
            "insert into links (token_hash, user_id, purpose, expires_at_ms) values (zeroblob(32), 1, 'reset', 9)",
            "insert into mails (id, user_id, kind, to_email, token, created_at_ms, expires_at_ms, next_try_at_ms)
               values (70, 1, 'reset', 'ana@example.com', 'x', 0, 9, 0)",
        ] {
            room.by_hand(sql).unwrap();
        }
    }

    #[test]
    fn an_account_ends_with_all_that_hangs_on_it_and_others_keep_what_is_theirs() {
        told(|room| async move {
            busy_room(&room);
            room.does(Delete { user_id: ANA, password_hash: String::new() }).await.unwrap();
            let mut look = room.looks().await;
            for (sql, left) in [
                ("select count(*) from users", 2),
                ("select count(*) from posts", 2),
                ("select count(*) from pictures", 0),
                ("select count(*) from photos", 0),
                ("select count(*) from files", 0),
                ("select count(*) from doomed_files", 4),
                ("select count(*) from comments", 1),
                ("select comments_count from posts where id = 20", 1),
                ("select count(*) from votes", 1),
                ("select positive_count from posts where id = 20", 1),
                ("select negative_count from posts where id = 21", 0),
                ("select count(*) from follows", 1),
                ("select followers_count from users where id = 2", 1),
                ("select following_count from users where id = 3", 1),
                ("select count(*) from notifications", 1),
                ("select count(*) from polls", 2),
                ("select count(*) from ballots", 2),
                ("select votes_count from poll_options where poll_id = 81 and position = 0", 1),
                ("select count(*) from logins", 1),
                ("select count(*) from links", 0),
                ("select count(*) from mails", 0),
                ("select count(*) from doomed_letters", 1),
            ] {
                assert_eq!(number(look.connection(), sql).await, left, "{sql}");
            }
        });
    }

    #[test]
    fn others_are_told_what_is_left_of_theirs_after_they_are_told_who_is_gone() {
        told(|room| async move {
            busy_room(&room);
            room.does(Delete { user_id: ANA, password_hash: String::new() }).await.unwrap();
            assert!(room.seqs().is_sorted());
            let heard = room.heard();
            let [
                Event::UserDeleted(gone),
                Event::CommentDeleted(comment),
                Event::VotesCounted(votes),
                Event::ProfileCounted(ben),
                Event::ProfileCounted(cleo),
                Event::PollCounted(poll),
                Event::NotificationsDeleted(first),
                Event::NotificationsDeleted(second),
                Event::LoginEnded(login),
            ] = &heard[..]
            else {
                panic!("{heard:?}")
            };
            assert_eq!(gone.user_id, ANA);
            assert_eq!((comment.post_id, comment.comment_id), (PostId(20), CommentId(32)));
            assert_eq!((comment.comments_count, &*comment.first_comments[0].text), (1, "his"));
            assert_eq!(comment.users.iter().map(|user| user.id).collect::<Vec<_>>(), [BEN]);
            assert_eq!((votes.post_id, votes.author_id, votes.positive_count), (PostId(20), BEN, 1));
            assert_eq!((ben.user_id, ben.followers_count, ben.following_count), (BEN, 1, 0));
            assert_eq!((cleo.user_id, cleo.followers_count, cleo.following_count), (CLEO, 0, 1));
            assert_eq!((poll.poll_id, poll.creator_id, &poll.tally), (PollId(81), BEN, &vec![1, 0]));
            let ids = |deleted: &[NotificationId]| deleted.iter().map(|id| id.0).collect::<Vec<_>>();
            assert_eq!((second.user_id, ids(&second.notification_ids)), (BEN, vec![50, 51]));
            assert!(second.has_unread, "that Cleo follows him");
            assert_eq!(
                (first.user_id, ids(&first.notification_ids), first.has_unread),
                (CLEO, vec![53], false)
            );
            assert_eq!(login.login_id, LoginId(60));
        });
    }

    #[test]
    fn r5_what_others_keys_remember_of_somebody_gone_is_forgotten_and_still_not_done_twice() {
        told(|room| async move {
            // Large, as ids are: a small number is in every answer.
            room.by_hand(
                "insert into users (id, email, email_key, password_hash, name, created_at_ms, updated_at_ms)
                   values (7000000000000, 'd@example.com', 'd@example.com', '', 'Dora', 7, 7)",
            )
            .unwrap();
            let dora = UserId(7_000_000_000_000);
            let answer = |words: &str| crate::features::kit::hex(&codec::encode(&(words, dora)).unwrap());
            let plain = crate::features::kit::hex(&codec::encode(&"plain").unwrap());
            for (owner, number, answer) in [
                (2, 1, answer("Dora says")),
                (2, 2, plain.clone()),
                (dora.0, 3, plain.clone()),
                (0, 4, plain),
            ] {
                let used = key(UserId(owner), number, &[]);
                room.by_hand(&format!(
                    "insert into keys (user_id, key, body_hash, answer, made_at_ms)
                       values ({owner}, x'{}', x'{}', x'{answer}', 7)",
                    crate::features::kit::hex(&used.key),
                    crate::features::kit::hex(&used.body_hash),
                ))
                .unwrap();
            }
            room.does(Delete { user_id: dora, password_hash: String::new() }).await.unwrap();
            let mut look = room.looks().await;
            assert_eq!(number(look.connection(), "select count(*) from keys").await, 2);
            assert_eq!(number(look.connection(), "select count(*) from keys where answer = x''").await, 1);
            drop(look);
            let set = |number| SetPrivacy { key: key(BEN, number, &[]), user_id: BEN, hide_numbers: true };
            assert_eq!(room.does(set(1)).await, Err(Refusal::NotFound), "done before");
            assert!(room.does(set(2)).await.is_ok());
            room.does(set(9)).await.unwrap();
            assert_eq!(
                room.does(Delete { user_id: dora, password_hash: String::new() }).await,
                Err(Refusal::NotSignedIn)
            );
        });
    }

    #[test]
    fn whoever_is_gone_does_nothing_more() {
        told(|room| async move {
            room.does(Delete { user_id: ANA, password_hash: String::new() }).await.unwrap();
            room.heard();
            let set = SetPrivacy { key: key(ANA, 1, &[]), user_id: ANA, hide_numbers: true };
            assert_eq!(room.does(set).await, Err(Refusal::NotSignedIn));
            assert_eq!(number(room.looks().await.connection(), "select count(*) from keys").await, 0);
            assert_eq!(room.heard().len(), 0);
        });
    }

    #[test]
    fn hidden_numbers_are_told_to_nobody_and_shown_ones_to_everybody() {
        told(|room| async move {
            let set =
                |number, hide_numbers| SetPrivacy { key: key(BEN, number, &[]), user_id: BEN, hide_numbers };
            room.does(set(1, true)).await.unwrap();
            let heard = room.heard();
            let [
                Event::AccountChanged(account),
                Event::ProfileCounted(counted),
                Event::ProfileChanged(changed),
            ] = &heard[..]
            else {
                panic!("{heard:?}")
            };
            assert!(account.me.hide_numbers && counted.hide_numbers);
            assert_eq!((changed.profile.followers_count, changed.profile.following_count), (None, None));
            room.does(set(2, true)).await.unwrap();
            assert_eq!(room.heard().len(), 0, "nothing changed");
            room.does(set(3, false)).await.unwrap();
            let heard = room.heard();
            let [Event::AccountChanged(account), Event::ProfileChanged(changed)] = &heard[..] else {
                panic!("{heard:?}")
            };
            assert!(!account.me.hide_numbers);
            assert_eq!(
                (changed.profile.followers_count, changed.profile.following_count),
                (Some(0), Some(0))
            );
        });
    }
}
