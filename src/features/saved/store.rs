//! The SQL of saved posts. `features/posts/store/lists.rs` reads their pages.

use super::wire::{Changed, Saved};
use crate::authz::sql::may_take_part;
use crate::authz::{self, Viewer};
use crate::db::command::{KeyUse, Transaction, WriteCommand, keyed};
use crate::db::sql::Sql;
use crate::error::{Error, Field, Refusal};
use crate::features::events::Event;
use crate::ids::{PostId, UserId};
use crate::limits::{SAVED_FULL, SAVED_MAX};
use crate::model::archive::{ArchiveFile, time};
use crate::model::posts::known_post;

/// Saves a post, or removes it from the saved ones.
pub struct Set {
    pub key: KeyUse,
    pub post_id: PostId,
    pub viewer: Viewer,
    pub user_id: UserId,
    pub is_saved: bool,
}

impl WriteCommand for Set {
    type Event = Event;
    type Value = Saved;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Saved, Error> {
        let sql = transaction.sql;
        let Set { post_id, viewer, user_id, is_saved, .. } = *self;
        let post = known_post(sql, post_id, Some(user_id))?;
        let may_save = post.is_some_and(|post| authz::may_save(viewer, &post.facts()));
        let changed = match (may_save, is_saved) {
            (true, true) => {
                sql.execute(
                    "insert into saved_posts (id, user_id, post_id, saved_at_ms) values (?1, ?2, ?3, ?4)
                       on conflict (user_id, post_id) do nothing",
                    (transaction.new_id(), user_id, post_id, transaction.now_ms),
                )? > 0
            }
            (true, false) => {
                let delete = "delete from saved_posts where user_id = ?1 and post_id = ?2";
                sql.execute(delete, (user_id, post_id))? > 0
            }
            (false, true) => return Err(Refusal::NotFound.into()),
            // A post that is hidden now stays saved, so that the reply does not tell it from a deleted one.
            (false, false) => false,
        };
        if changed && is_saved && listed(sql, user_id)? > SAVED_MAX {
            return Err(Refusal::Invalid(Field::POST, SAVED_FULL).into());
        }
        if changed {
            transaction.publish(Event::SavedChanged(Changed { post_id, saved: is_saved, user_id }));
        } else {
            transaction.changes_nothing();
        }
        Ok(Saved { post_id, saved: is_saved, seq: transaction.seq() })
    }
}

/// Returns how many saved posts the list of a user has. Posts that the user may not see now do not count, because the
/// user could not remove one of them to make room.
fn listed(sql: Sql<'_>, user_id: UserId) -> Result<usize, Error> {
    let count: i64 = sql.value(
        concat!(
            "select count(*) from saved_posts s join posts p on p.id = s.post_id where s.user_id = ?1 and ",
            may_take_part!("p", "?1")
        ),
        (user_id,),
    )?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// Deletes what each of two users saved of the other.
///
/// # Errors
/// A database fault.
pub fn delete_between(sql: Sql<'_>, user_id: UserId, other_id: UserId) -> Result<(), Error> {
    for (user_id, author_id) in [(user_id, other_id), (other_id, user_id)] {
        sql.execute(
            "delete from saved_posts where user_id = ?1
                and exists (select 1 from posts p where p.id = saved_posts.post_id and p.author_id = ?2)",
            (user_id, author_id),
        )?;
    }
    Ok(())
}

/// The files that this feature adds to the archive of a user.
pub const ARCHIVE: &[ArchiveFile] = &[ArchiveFile::new(
    "saved.json",
    "the posts that you saved, with their addresses here",
    concat!(
        "select s.id, json_object('post_id', p.id, 'address', '/post/' || p.id, 'saved_at', ",
        time!("s.saved_at_ms"),
        ")
           from saved_posts s join posts p on p.id = s.post_id
          where s.user_id = ?1 and s.id < ?2 and ",
        may_take_part!("p", "?1"),
        " order by s.id desc limit ?3"
    ),
)];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::people::store::{Block, Pair};
    use crate::ids::GroupId;
    use crate::testing::database::{ANA, BEN, CLEO, TestDatabase, key, receivers, viewer, with_database};

    const BENS: GroupId = GroupId(100);

    fn set(user_id: UserId, post_id: PostId, is_saved: bool, key_number: u8) -> Set {
        let key = key(user_id, key_number, &[&post_id.0.to_be_bytes(), &[u8::from(is_saved)]]);
        Set { key, post_id, viewer: viewer(user_id), user_id, is_saved }
    }

    async fn rows(db: &TestDatabase) -> i64 {
        db.number("select count(*) from saved_posts").await
    }

    #[test]
    fn ben_saves_a_post_once_and_only_he_receives_it() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            db.write(set(BEN, post, true, 1)).await.unwrap();
            let published = db.published();
            assert!(matches!(&published[..], [Event::SavedChanged(changed)] if changed.saved));
            assert_eq!(receivers(&published[0], &[ANA, BEN, CLEO], true), [BEN]);
            assert!(!db.submit(set(BEN, post, true, 2)).await.unwrap().is_change);
            assert_eq!((rows(&db).await, db.published().len()), (1, 0));
            db.write(set(BEN, post, false, 3)).await.unwrap();
            assert!(matches!(&db.published()[..], [Event::SavedChanged(changed)] if !changed.saved));
            assert!(!db.submit(set(BEN, post, false, 4)).await.unwrap().is_change);
            assert_eq!((rows(&db).await, db.published().len()), (0, 0));
        });
    }

    #[test]
    fn r5_a_repeated_key_does_not_save_again_what_ben_removed_since() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            let first = db.write(set(BEN, post, true, 1)).await.unwrap();
            db.write(set(BEN, post, false, 2)).await.unwrap();
            assert_eq!(db.write(set(BEN, post, true, 1)).await.unwrap(), first);
            assert_eq!(rows(&db).await, 0);
            assert_eq!(db.write(set(BEN, post, false, 1)).await, Err(Refusal::KeyConflict));
        });
    }

    #[test]
    fn a_hidden_post_is_refused_like_an_unknown_one_and_stays_saved() {
        with_database(|db| async move {
            db.has_group(BENS.0, BEN, &[ANA]);
            let (shared, unknown) = (db.has_group_post(10, BEN, Some(BENS)), PostId(99));
            db.write(set(ANA, shared, true, 1)).await.unwrap();
            db.has_left(BENS, ANA);
            for (number, post) in [(2, shared), (3, unknown)] {
                assert_eq!(db.write(set(ANA, post, true, number)).await, Err(Refusal::NotFound));
            }
            db.published();
            for (number, post) in [(4, shared), (5, unknown)] {
                assert!(!db.submit(set(ANA, post, false, number)).await.unwrap().is_change);
            }
            assert_eq!((rows(&db).await, db.published().len()), (1, 0));
        });
    }

    #[test]
    fn nobody_saves_a_post_of_their_own() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            assert_eq!(db.write(set(ANA, post, true, 1)).await, Err(Refusal::NotFound));
            assert_eq!(rows(&db).await, 0);
        });
    }

    /// Adds posts of Ana from the id `first` on, which Ben has saved.
    fn has_saved(db: &TestDatabase, first: i64, count: usize) {
        let last = first + i64::try_from(count).unwrap() - 1;
        let numbers = format!(
            "with recursive n (id) as (select {first} union all select id + 1 from n where id < {last})"
        );
        for insert in [
            "insert into posts (id, author_id, text, created_at_ms, updated_at_ms)",
            "insert into saved_posts (id, user_id, post_id, saved_at_ms)",
        ] {
            let select = match insert.contains("saved") {
                true => "select id, 2, id, 0 from n",
                false => "select id, 1, 'words', 0, 0 from n",
            };
            db.execute(&format!("{insert} {numbers} {select}")).unwrap();
        }
    }

    #[test]
    fn d_u10_ben_saves_a_thousand_posts_and_those_he_may_not_see_now_do_not_count() {
        with_database(|db| async move {
            has_saved(&db, 1_000, SAVED_MAX);
            let [cleos, another] = [10, 11].map(|id| db.has_post(id, CLEO, 5));
            let full = Err(Refusal::Invalid(Field::POST, SAVED_FULL));
            assert_eq!(db.write(set(BEN, cleos, true, 1)).await, full);
            assert_eq!(db.published().len(), 0);
            // The same post again is no further one.
            db.write(set(BEN, PostId(1_000), true, 2)).await.unwrap();
            db.execute("update users set suspended_at = 1 where id = 1").unwrap();
            db.write(set(BEN, cleos, true, 3)).await.unwrap();
            db.execute("update users set suspended_at = null where id = 1").unwrap();
            assert_eq!(db.write(set(BEN, another, true, 4)).await, full, "more than a thousand are back");
            db.write(set(BEN, PostId(1_000), false, 5)).await.unwrap();
            db.write(set(BEN, cleos, false, 6)).await.unwrap();
            db.write(set(BEN, another, true, 7)).await.unwrap();
            assert_eq!(usize::try_from(rows(&db).await), Ok(SAVED_MAX));
        });
    }

    #[test]
    fn d_u11_a_block_deletes_what_the_two_saved_of_each_other_and_nothing_else() {
        with_database(|db| async move {
            let [anas, bens, cleos] =
                [(10, ANA), (11, BEN), (12, CLEO)].map(|(id, of)| db.has_post(id, of, 5));
            for (number, (user_id, post)) in
                (1..).zip([(ANA, bens), (BEN, anas), (ANA, cleos), (CLEO, anas), (CLEO, bens)])
            {
                db.write(set(user_id, post, true, number)).await.unwrap();
            }
            let pair = Pair { key: key(ANA, 20, &[]), viewer_id: ANA, other_id: BEN };
            db.write(Block(pair)).await.unwrap();
            let left =
                "select count(*) from saved_posts where (user_id, post_id) in ((1, 12), (3, 10), (3, 11))";
            assert_eq!((db.number(left).await, rows(&db).await), (3, 3));
        });
    }

    #[test]
    fn r9_the_schema_itself_refuses_an_own_post_and_a_second_save() {
        with_database(|db| async move {
            let insert = "insert into saved_posts (id, user_id, post_id, saved_at_ms) values";
            db.has_post(10, ANA, 5);
            db.execute(&format!("{insert} (1, 2, 10, 0)")).unwrap();
            for row in ["(2, 2, 10, 0)", "(2, 1, 10, 0)", "(2, 2, 11, 0)", "(2, 9, 10, 0)"] {
                assert!(db.execute(&format!("{insert} {row}")).is_err(), "{row}");
            }
        });
    }

    #[test]
    fn a_deleted_post_and_a_deleted_account_take_their_rows_with_them() {
        with_database(|db| async move {
            let [anas, cleos] = [(10, ANA), (11, CLEO)].map(|(id, of)| db.has_post(id, of, 5));
            for (number, post) in [(1, anas), (2, cleos)] {
                db.write(set(BEN, post, true, number)).await.unwrap();
            }
            db.execute("delete from posts where id = 10").unwrap();
            assert_eq!(rows(&db).await, 1);
            db.execute("delete from users where id = 3").unwrap();
            assert_eq!(rows(&db).await, 0);
        });
    }
}
