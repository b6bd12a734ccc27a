//! The SQL of accounts: privacy and deletion. [`export`] finds the files of an archive; [`delete`] finds the events for
//! others.

mod delete;
pub mod export;

use self::delete::Others;
use super::wire::{Cause, Changed, Ended, Gone, Returned, Set, Viewers};
use crate::db::command::{KeyUse, Transaction, WriteCommand, deletes, keyed};
use crate::db::sql::Sql;
use crate::error::{Error, Refusal};
use crate::features::admin_log::store as admin_log;
use crate::features::auth::wire as auth;
use crate::features::comments::store::commenters;
use crate::features::events::Event;
use crate::features::follows::store as follows;
use crate::features::profiles::store::known as profiles;
use crate::features::reports::store::open as reports;
use crate::ids::{LoginId, UserId};
use crate::model::between::{is_suspended, users_hidden_from};
use crate::model::choices::{Adders, Commenters};
use crate::model::me::me;
use crate::wire::codec;

/// Sets what others see of the user. A field that is None stays as it is.
pub struct SetPrivacy {
    pub key: KeyUse,
    pub user_id: UserId,
    pub hide_numbers: Option<bool>,
    pub listed: Option<bool>,
    pub adders: Option<Adders>,
    pub commenters: Option<Commenters>,
}

impl WriteCommand for SetPrivacy {
    type Event = Event;
    type Value = Set;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Set, Error> {
        let sql = transaction.sql;
        let was: Option<(bool, bool, Adders, Commenters)> = sql.optional_row(
            "select hide_numbers, listed, adders, commenters from users where id = ?1",
            (self.user_id,),
        )?;
        let was = was.ok_or(Refusal::NotSignedIn)?;
        let (hide_numbers, listed) = (self.hide_numbers.unwrap_or(was.0), self.listed.unwrap_or(was.1));
        let (adders, commenters) = (self.adders.unwrap_or(was.2), self.commenters.unwrap_or(was.3));
        if (hide_numbers, listed, adders, commenters) != was {
            sql.execute(
                "update users set hide_numbers = ?2, listed = ?3, adders = ?4, commenters = ?5, updated_at_ms = ?6
                  where id = ?1",
                (self.user_id, hide_numbers, listed, adders, commenters, transaction.now_ms),
            )?;
            let hides = hide_numbers && !was.0;
            let cause = if hides { Cause::NumbersHidden } else { Cause::Other };
            transaction.publish(Event::AccountChanged(Changed { me: me(sql, self.user_id)?, cause }));
        }
        if commenters != was.3 {
            for allowed in commenters::comments_allowed(sql, self.user_id, commenters)? {
                transaction.publish(allowed);
            }
        }
        if hide_numbers != was.0 {
            if hide_numbers {
                // This event goes to the owner alone. It replaces a held count that others would receive.
                for counted in follows::counted(sql, [self.user_id])? {
                    transaction.publish(counted);
                }
            }
            transaction.publish(profiles::changed(sql, self.user_id)?);
        }
        Ok(Set { hide_numbers, listed, adders, commenters, seq: transaction.seq() })
    }
}

/// Deletes an account with all its data, by request of its user.
pub struct Delete {
    pub user_id: UserId,
    /// The hash against which the given password was checked. The password may have been changed meanwhile.
    pub password_hash: String,
}

impl WriteCommand for Delete {
    type Event = Event;
    type Value = Gone;

    deletes!(Account);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Gone, Error> {
        let (sql, user_id) = (transaction.sql, self.user_id);
        let password_hash: Option<String> =
            sql.optional_value("select password_hash from users where id = ?1", (user_id,))?;
        let password_hash = password_hash.ok_or(Refusal::NotSignedIn)?;
        if password_hash != self.password_hash {
            return Err(Refusal::WrongPassword.into());
        }
        delete(transaction, user_id)?;
        admin_log::changed(transaction)?;
        Ok(Gone {})
    }
}

/// Deletes an account with all its data, and publishes what others see of the deletion. The caller's command must be of
/// the kind [`Account`](crate::db::command::Deletes::Account).
///
/// The schema deletes most rows with the row of the user. Keys have no foreign key to users, so they are deleted here.
/// The stored replies of other users may contain texts of this user, or the names of their groups. These replies are
/// erased, but their keys stay, so that no request is applied twice.
///
/// # Errors
/// [`Refusal::NotFound`] if there is no such user; a database fault.
pub fn delete(transaction: &mut Transaction<'_, Event>, user_id: UserId) -> Result<(), Error> {
    let sql = transaction.sql;
    let born: Option<i64> =
        sql.optional_value("select created_at_ms from users where id = ?1", (user_id,))?;
    let born = born.ok_or(Refusal::NotFound)?;
    let mut others = Others::of(sql, user_id)?;
    let had_reports = reports::admins_with_open(sql)?;
    let hidden_from = users_hidden_from(sql, [user_id])?;
    // A suspended user has already disappeared for everybody, so no event names them.
    let is_suspended = is_suspended(sql, user_id)?;
    let logins: Vec<LoginId> = sql.values("select id from logins where user_id = ?1", (user_id,))?;
    // The key of a sign-up belongs to no user. It was stored when the account was made.
    sql.execute("delete from keys where user_id = ?1 or (user_id = 0 and made_at_ms = ?2)", (user_id, born))?;
    // Only a reply that names exactly one group is searched for the ids of the user's groups.
    let names_one = [codec::encode(&"groups")?, vec![ARRAY_OF_ONE]].concat();
    sql.execute(
        "update keys set answer = answer_outside, answer_outside = null, followed_id = null
               where followed_id = ?1",
        (user_id,),
    )?;
    sql.execute(
        "update keys set answer = x'', group_id = null, followed_id = null, answer_outside = null
               where instr(answer, ?1) > 0 or (instr(answer, ?2) > 0
               and exists (select 1 from rarray(?3) g where instr(answer, g.value) > 0))",
        (codec::encode(&user_id)?, names_one, others.owned_groups()?),
    )?;
    sql.execute("delete from users where id = ?1", (user_id,))?;
    // The events of groups come first, because no event after `users.deleted` names this user.
    for delete in others.group_events(sql, user_id, (!is_suspended).then_some(&hidden_from))? {
        transaction.publish(delete);
    }
    if !is_suspended {
        transaction
            .publish(Event::UserDeleted(Ended { user_id, viewers: Viewers::AllBut(hidden_from.clone()) }));
    }
    for delete in others.events(sql, &hidden_from)? {
        transaction.publish(delete);
    }
    for login_id in logins {
        transaction.publish(Event::LoginEnded(auth::Ended::with_its_account(login_id)));
    }
    // The reports by this user and about this user were deleted too.
    reports::changed(transaction, &had_reports)
}

/// Returns the event that makes a suspended user disappear for everybody, as a deletion of the account does.
///
/// # Errors
/// A database fault.
pub fn gone(sql: Sql<'_>, user_id: UserId) -> Result<Event, Error> {
    Ok(Event::UserDeleted(Ended { user_id, viewers: Viewers::AllBut(users_hidden_from(sql, [user_id])?) }))
}

/// Returns the event that makes a user appear again for everybody who may meet them.
///
/// # Errors
/// A database fault.
pub fn returned(sql: Sql<'_>, user_id: UserId) -> Result<Event, Error> {
    Ok(Event::UserReturned(Returned {
        user_id,
        viewers: Viewers::AllBut(users_hidden_from(sql, [user_id])?),
    }))
}

/// The first byte of a MessagePack array with one element.
const ARRAY_OF_ONE: u8 = 0x91;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::readers::Snapshot;
    use crate::events::Loss;
    use crate::events::Right;
    use crate::ids::{CommentId, GroupId, NotificationId, PollId, PostId};
    use crate::model::groups::GroupName;
    use crate::random::hex;
    use crate::testing::database::{ANA, BEN, CLEO, TestDatabase, key, with_database};

    /// Gives Ana posts with pictures, a photo, a comment under Ben's post, follows and notifications.
    fn db_with_content(db: &TestDatabase) {
        for (id, path) in [(1, "posts/1/a"), (2, "posts/1/b"), (3, "posts/1/c"), (4, "posts/1/d")] {
            db.execute(&format!(
                "insert into files (id, full_path, name, owner_id, size_bytes, content_type, token, created_at_ms,
                   updated_at_ms) values ({id}, '{path}', 'x', 1, 1, 'image/jpeg', '{}', 0, 0)",
                "t".repeat(22)
            ))
            .unwrap();
        }
        for (id, author_id) in [(10, ANA), (20, BEN), (21, BEN)] {
            db.has_post(id, author_id, 5);
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
            "insert into groups (id, owner_id, name, created_at_ms)
               values (90, 1, 'hers', 0), (91, 2, 'his', 0), (92, 1, 'hers alone', 0), (93, 2, 'his alone', 0)",
            "insert into members (group_id, user_id, id)
               values (90, 2, 94), (91, 1, 95), (91, 3, 96), (90, 3, 97)",
            "insert into posts (id, author_id, text, created_at_ms, updated_at_ms, audience, group_id)
               values (22, 2, 'his, for hers', 0, 0, 'group', 90), (23, 1, 'hers, for his', 0, 0, 'group', 91)",
            "insert into comments (id, post_id, author_id, text, created_at_ms) values (34, 22, 1, 'hers', 0)",
            "insert into logins (id, user_id, token_hash, created_at_ms, used_at_ms)
               values (60, 1, zeroblob(32), 0, 0), (61, 2, randomblob(32), 0, 0)",
            "insert into links (token_hash, user_id, purpose, expires_at_ms) values (zeroblob(32), 1, 'reset', 9)",
            "insert into mails (id, user_id, kind, to_email, token, created_at_ms, expires_at_ms, next_try_at_ms)
               values (70, 1, 'reset', 'ana@example.com', 'x', 0, 9, 0)",
        ] {
            db.execute(sql).unwrap();
        }
    }

    fn hides(user_id: UserId, number: u8, hide_numbers: bool) -> SetPrivacy {
        let (key, hide_numbers) = (key(user_id, number, &[]), Some(hide_numbers));
        SetPrivacy { key, user_id, hide_numbers, listed: None, adders: None, commenters: None }
    }

    #[test]
    fn a_deletion_deletes_all_data_of_the_account_and_no_data_of_others() {
        with_database(|db| async move {
            db_with_content(&db);
            db.write(Delete { user_id: ANA, password_hash: String::new() }).await.unwrap();
            for (sql, left) in [
                ("select count(*) from users", 2),
                ("select count(*) from posts", 3),
                ("select count(*) from posts where audience = 'group' and group_id is null", 1),
                ("select count(*) from groups", 2),
                ("select count(*) from members", 3),
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
                assert_eq!(db.number(sql).await, left, "{sql}");
            }
        });
    }

    #[test]
    fn others_receive_what_remains_of_their_data_after_a_deletion() {
        with_database(|db| async move {
            db_with_content(&db);
            db.write(Delete { user_id: ANA, password_hash: String::new() }).await.unwrap();
            let seqs = db.seqs();
            assert!(seqs.iter().all(|seq| *seq == seqs[0]), "one write, one number: {seqs:?}");
            let published = db.published();
            let [
                Event::GroupDeleted(alone),
                Event::GroupLeft(left),
                Event::GroupDeleted(ended),
                Event::UserDeleted(gone),
                Event::CommentDeleted(comment),
                Event::VotesCounted(votes),
                Event::ProfileCounted(ben),
                Event::ProfileCounted(cleo),
                Event::PollCounted(poll),
                Event::NotificationsDeleted(first),
                Event::NotificationsDeleted(second),
                Event::LoginEnded(login),
            ] = &published[..]
            else {
                panic!("{published:?}")
            };
            assert_eq!(gone.user_id, ANA);
            assert_eq!((alone.group_id, &alone.members), (GroupId(92), &vec![ANA]));
            assert_eq!((ended.group_id, &ended.members), (GroupId(90), &vec![ANA, BEN, CLEO]));
            assert_eq!((left.group_id, left.user_id, left.members_count), (GroupId(91), ANA, 2));
            assert!(left.is_shared);
            assert_eq!((comment.post_id, comment.comment_id), (PostId(20), CommentId(32)));
            assert_eq!((comment.comments_count, &*comment.first_comments[0].text), (1, "his"));
            assert_eq!(comment.users.iter().map(|user| user.id).collect::<Vec<_>>(), [BEN]);
            assert_eq!((votes.post_id, votes.author_id, votes.positive_count), (PostId(20), BEN, 1));
            assert_eq!((ben.user_id, ben.followers_count, ben.following_count), (BEN, 1, 0));
            assert_eq!((cleo.user_id, cleo.followers_count, cleo.following_count), (CLEO, 0, 1));
            assert_eq!(
                (poll.poll_id, poll.right, &poll.tally),
                (PollId(81), Right::Following(BEN), &vec![1, 0])
            );
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
    fn r5_stored_replies_to_others_that_name_a_deleted_account_are_erased_and_not_applied_twice() {
        with_database(|db| async move {
            // The id is large, as real ids are. The bytes of a small id would occur in every reply.
            db.execute(
                "insert into users (id, email, email_key, password_hash, name, created_at_ms, updated_at_ms)
                   values (7000000000000, 'd@example.com', 'd@example.com', '', 'Dora', 7, 7)",
            )
            .unwrap();
            let dora = UserId(7_000_000_000_000);
            let reply = |words: &str| hex(&codec::encode(&(words, dora)).unwrap());
            let plain = hex(&codec::encode(&"plain").unwrap());
            for (owner, number, reply) in
                [(2, 1, reply("Dora says")), (2, 2, plain.clone()), (dora.0, 3, plain.clone()), (0, 4, plain)]
            {
                let used = key(UserId(owner), number, &[]);
                db.execute(&format!(
                    "insert into keys (user_id, key, body_hash, answer, made_at_ms)
                       values ({owner}, x'{}', x'{}', x'{reply}', 7)",
                    hex(&used.key),
                    hex(&used.body_hash),
                ))
                .unwrap();
            }
            db.write(Delete { user_id: dora, password_hash: String::new() }).await.unwrap();
            assert_eq!(db.number("select count(*) from keys").await, 2);
            assert_eq!(db.number("select count(*) from keys where answer = x''").await, 1);
            let set = |number| hides(BEN, number, true);
            assert_eq!(db.write(set(1)).await, Err(Refusal::NotFound), "done before");
            assert!(db.write(set(2)).await.is_ok());
            db.write(set(9)).await.unwrap();
            assert_eq!(
                db.write(Delete { user_id: dora, password_hash: String::new() }).await,
                Err(Refusal::NotSignedIn)
            );
        });
    }

    #[test]
    fn r5_stored_replies_to_others_that_name_a_deleted_group_are_erased() {
        with_database(|db| async move {
            const HERS: i64 = 7_000_000_000_001;
            const HIS: i64 = 7_000_000_000_002;
            for (id, owner_id) in [(HERS, 1), (HIS, 2)] {
                db.execute(&format!(
                    "insert into groups (id, owner_id, name, created_at_ms) values ({id}, {owner_id}, 'x', 0)"
                ))
                .unwrap();
            }
            #[derive(serde::Serialize)]
            struct One {
                groups: Vec<GroupName>,
            }
            // Replies to former members name groups too.
            for (number, ids) in [(1, vec![HERS]), (2, vec![HIS]), (3, vec![])] {
                let name = |id: i64| GroupName { id: GroupId(id), name: "x".into(), owner_id: BEN };
                let reply =
                    hex(&codec::encode(&One { groups: ids.into_iter().map(name).collect() }).unwrap());
                db.execute(&format!(
                    "insert into keys (user_id, key, body_hash, answer, made_at_ms)
                       values (3, x'{number:032}', zeroblob(16), x'{reply}', 7)"
                ))
                .unwrap();
            }
            db.write(Delete { user_id: ANA, password_hash: String::new() }).await.unwrap();
            for (sql, count) in [
                ("select count(*) from keys", 3),
                ("select count(*) from keys where answer = x''", 1),
                ("select count(*) from keys where answer = x'' and hex(key) like '%01'", 1),
            ] {
                assert_eq!(db.number(sql).await, count, "{sql}");
            }
        });
    }

    #[test]
    fn the_query_of_a_deletion_scans_no_whole_table() {
        with_database(|db| async move {
            let explained = format!("explain query plan {}", delete::COMMENTED);
            let plan: Vec<(i64, i64, i64, String)> =
                db.read(move |Snapshot { sql, .. }| Ok(sql.rows(&explained, (1, 1))?)).await;
            assert!(!plan.iter().any(|(.., step)| step.starts_with("SCAN ")), "{plan:#?}");
        });
    }

    #[test]
    fn a_deleted_account_does_nothing_more() {
        with_database(|db| async move {
            db.write(Delete { user_id: ANA, password_hash: String::new() }).await.unwrap();
            db.published();
            let set = hides(ANA, 1, true);
            assert_eq!(db.write(set).await, Err(Refusal::NotSignedIn));
            assert_eq!(db.number("select count(*) from keys").await, 0);
            assert_eq!(db.published().len(), 0);
        });
    }

    #[test]
    fn hidden_numbers_reach_nobody_and_shown_ones_reach_everybody() {
        with_database(|db| async move {
            let set = |number, hide_numbers| hides(BEN, number, hide_numbers);
            db.write(set(1, true)).await.unwrap();
            let published = db.published();
            let [
                Event::AccountChanged(account),
                Event::ProfileCounted(counted),
                Event::ProfileChanged(changed),
            ] = &published[..]
            else {
                panic!("{published:?}")
            };
            assert!(account.me.hide_numbers && counted.hide_numbers);
            // Running reads are run again.
            assert_eq!(published[0].publication().1.loss, Some(Loss::Any));
            assert_eq!((changed.profile.followers_count, changed.profile.following_count), (None, None));
            db.write(set(2, true)).await.unwrap();
            assert_eq!(db.published().len(), 0, "nothing changed");
            db.write(set(3, false)).await.unwrap();
            let published = db.published();
            let [Event::AccountChanged(account), Event::ProfileChanged(changed)] = &published[..] else {
                panic!("{published:?}")
            };
            assert!(!account.me.hide_numbers);
            assert_eq!(published[0].publication().1.loss, None);
            assert_eq!(
                (changed.profile.followers_count, changed.profile.following_count),
                (Some(0), Some(0))
            );
        });
    }
}
