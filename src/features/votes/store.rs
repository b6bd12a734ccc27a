//! The SQL of votes.

use super::wire::{Changed, Counted, Voted};
use crate::authz::sql::{is_there, may_meet};
use crate::authz::{self, Viewer};
use crate::db::command::{KeyUse, Transaction, WriteCommand, keyed};
use crate::error::Error;
use crate::features::events::Event;
use crate::ids::{PostId, UserId};
use crate::model::archive::ArchiveFile;
use crate::model::posts::known_post;
use crate::model::vote::Vote;

/// Sets a vote.
pub struct Set {
    pub key: KeyUse,
    pub post_id: PostId,
    pub viewer: Viewer,
    pub voter_id: UserId,
    pub vote: Vote,
}

impl WriteCommand for Set {
    type Event = Event;
    type Value = Voted;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Voted, Error> {
        let sql = transaction.sql;
        let Set { post_id, viewer, voter_id, vote, .. } = *self;
        let post = known_post(sql, post_id, Some(voter_id))?;
        let Some(post) = post.filter(|post| authz::may_vote(viewer, &post.facts())) else {
            // A vote on a deleted or hidden post changes nothing, and an earlier vote stays.
            return Ok(Voted { post_id, vote: Vote::None, seq: transaction.seq() });
        };
        match vote {
            Vote::None => {
                sql.execute("delete from votes where post_id = ?1 and user_id = ?2", (post_id, voter_id))?
            }
            Vote::Positive | Vote::Negative => sql.execute(
                "insert into votes (post_id, user_id, vote) values (?1, ?2, ?3)
                   on conflict (post_id, user_id) do update set vote = excluded.vote where vote <> excluded.vote",
                (post_id, voter_id, vote.number()),
            )?,
        };
        transaction.publish(Event::VoteChanged(Changed { post_id, vote, voter_id }));
        let positive_count = sql.value("select positive_count from posts where id = ?1", (post_id,))?;
        if positive_count != post.positive_count {
            // An unchanged count is not published, because otherwise the author would learn of a negative vote.
            let counted = Counted { post_id, positive_count, author_id: post.author_id };
            transaction.publish(Event::VotesCounted(counted));
        }
        Ok(Voted { post_id, vote, seq: transaction.seq() })
    }
}

/// The files that this feature adds to the archive of a user.
pub const ARCHIVE: &[ArchiveFile] = &[ArchiveFile::new(
    "vibes.json",
    "your votes on posts",
    // A post of a user whom the viewer may not meet is left out, like that of a deleted account.
    concat!(
        "select v.post_id, json_object('post_id', v.post_id, 'vibe', iif(v.vote = 1, 'positive', 'negative'))
           from votes v join posts p on p.id = v.post_id
          where v.user_id = ?1 and v.post_id < ?2 and ",
        is_there!("p"),
        " and ",
        may_meet!("p.author_id", "?1"),
        " order by v.post_id desc limit ?3"
    ),
)];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Refusal;
    use crate::testing::database::{ANA, BEN, CLEO, TestDatabase, key, viewer, with_database};

    fn vote(voter_id: UserId, post_id: PostId, vote: Vote, key_number: u8) -> Set {
        let key = key(voter_id, key_number, &[&post_id.0.to_be_bytes(), &vote.number().to_be_bytes()]);
        Set { key, post_id, viewer: viewer(voter_id), voter_id, vote }
    }

    async fn counts(db: &TestDatabase) -> (i64, i64, i64) {
        (
            db.number("select positive_count from posts").await,
            db.number("select negative_count from posts").await,
            db.number("select count(*) from votes").await,
        )
    }

    #[test]
    fn a_second_vote_replaces_the_first() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            db.write(vote(BEN, post, Vote::Positive, 1)).await.unwrap();
            assert_eq!(counts(&db).await, (1, 0, 1));
            db.write(vote(BEN, post, Vote::Negative, 2)).await.unwrap();
            assert_eq!(counts(&db).await, (0, 1, 1));
            db.write(vote(CLEO, post, Vote::Positive, 3)).await.unwrap();
            db.write(vote(BEN, post, Vote::None, 4)).await.unwrap();
            assert_eq!(counts(&db).await, (1, 0, 1));
        });
    }

    #[test]
    fn the_author_receives_a_positive_count_and_nothing_for_a_negative_vote() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            db.write(vote(BEN, post, Vote::Negative, 1)).await.unwrap();
            assert!(matches!(db.published()[..], [Event::VoteChanged(_)]));
            db.write(vote(BEN, post, Vote::Positive, 2)).await.unwrap();
            let published = db.published();
            let [Event::VoteChanged(_), Event::VotesCounted(counted)] = &published[..] else {
                panic!("{published:?}")
            };
            assert_eq!((counted.author_id, counted.positive_count), (ANA, 1));
        });
    }

    #[test]
    fn r5_a_key_applies_once_and_another_vote_under_it_is_a_conflict() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            let first = db.write(vote(BEN, post, Vote::Positive, 1)).await.unwrap();
            db.write(vote(BEN, post, Vote::None, 2)).await.unwrap();
            db.published();
            let again = db.write(vote(BEN, post, Vote::Positive, 1)).await.unwrap();
            assert_eq!(first, again);
            assert_eq!(counts(&db).await, (0, 0, 0), "the later word stands");
            assert_eq!(db.published().len(), 0);
            let other = db.write(vote(BEN, post, Vote::Negative, 1)).await;
            assert_eq!(other, Err(Refusal::KeyConflict));
        });
    }

    #[test]
    fn a_vote_on_a_deleted_post_is_accepted_and_does_nothing() {
        with_database(|db| async move {
            let voted = db.write(vote(BEN, PostId(99), Vote::Positive, 1)).await.unwrap();
            let voted: rmpv::Value = rmpv::decode::read_value(&mut &voted[..]).unwrap();
            assert_eq!(voted["vote"].as_str(), Some("none"));
            assert_eq!(db.published().len(), 0);
        });
    }

    #[test]
    fn votes_at_the_same_time_are_counted_one_by_one() {
        with_database(|db| async move {
            let posts: Vec<PostId> = (10..30).map(|id| db.has_post(id, ANA, 5)).collect();
            let mut crowd = Vec::new();
            for (number, post) in posts.iter().chain([&PostId(99)]).enumerate() {
                let number = u8::try_from(number).unwrap();
                crowd.push(db.write(vote(ANA, *post, Vote::Positive, number)));
                crowd.push(db.write(vote(BEN, *post, Vote::Negative, number)));
                crowd.push(db.write(vote(CLEO, *post, Vote::Positive, number)));
                // Cleo changes her vote, and one of the votes is sent twice.
                crowd.push(db.write(vote(CLEO, *post, Vote::None, number + 100)));
                crowd.push(db.write(vote(ANA, *post, Vote::Positive, number)));
            }
            let answers = futures_util::future::join_all(crowd).await;
            assert!(answers.iter().all(Result::is_ok));
            for five in answers.chunks(5) {
                assert_eq!(five[0], five[4], "one key, one answer");
            }
            let seqs: Vec<i64> = db.seqs();
            assert!(seqs.is_sorted(), "published in order");
            assert_eq!(counts(&db).await, (1, 1, 40));
            let last = |post: PostId| {
                move |event: &Event| match event {
                    Event::VotesCounted(counted) if counted.post_id == post => Some(counted.positive_count),
                    _ => None,
                }
            };
            let published = db.published();
            for post in posts {
                assert_eq!(published.iter().filter_map(last(post)).next_back(), Some(1));
            }
        });
    }

    #[test]
    fn a_refused_vote_in_a_batch_does_not_affect_the_others() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            db.write(vote(BEN, post, Vote::Positive, 1)).await.unwrap();
            let together = futures_util::future::join3(
                db.write(vote(CLEO, post, Vote::Positive, 2)),
                db.write(vote(BEN, post, Vote::Negative, 1)),
                db.write(vote(ANA, post, Vote::Positive, 3)),
            );
            let (cleo, ben, ana) = together.await;
            assert!(cleo.is_ok() && ana.is_ok());
            assert_eq!(ben, Err(Refusal::KeyConflict));
            assert_eq!(counts(&db).await, (3, 0, 3));
        });
    }

    #[test]
    fn r9_the_schema_itself_refuses_a_second_vote_and_an_invalid_one() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            db.write(vote(BEN, post, Vote::Positive, 1)).await.unwrap();
            for sql in [
                "insert into votes (post_id, user_id, vote) values (10, 2, -1)",
                "insert into votes (post_id, user_id, vote) values (10, 3, 2)",
                "insert into votes (post_id, user_id, vote) values (11, 3, 1)",
                "update posts set positive_count = -1",
            ] {
                assert!(db.execute(sql).is_err(), "{sql}");
            }
        });
    }
}
