//! The SQL of votes: one prepared execute for each.

use bytes::Bytes;
use sqlx::{FromRow, Row};

use super::wire::{Changed, Counted, Voted};
use crate::access::{self, PostFacts, Viewer};
use crate::db::work::{BoxedWork, KeyUse, Pending, Stage, Work, known_answer, run_of};
use crate::error::{Error, Refusal};
use crate::features::Event;
use crate::features::kit::hex;
use crate::features::views::{Audience, Vote, is_member, is_seen_by};
use crate::ids::{GroupId, PostId, Seq, UserId};
use crate::wire::codec;

/// Sets a vote.
pub struct Set {
    pub key: KeyUse,
    pub post_id: PostId,
    pub viewer: Viewer,
    pub voter_id: UserId,
    pub vote: Vote,
}

/// All of it in one trip: savepoint, facts, the vote, its key, the facts after, release.
///
/// Arguments: 1 post, 2 voter, 3 key, 4 vote (0 = none), 5 body, 6 answer, 7 answer when the post is gone, 8
/// now. Each statement uses its arguments from 1 on without a gap, because sqlx binds by number and stops at
/// what it cannot place. A known key changes nothing: each change asks for it. A post that the voter may not
/// see, as `access::may_vote` says, is as one that is gone: also a vote of before stays as it is.
const SET: &str = concat!(
    "
    savepoint one;
    select p.author_id, p.audience, p.group_id, ",
    is_member!("p", "?2"),
    " as is_member, p.positive_count from posts p where p.id = ?1 and ",
    is_seen_by!("p", "?2"),
    ";
    insert into votes (post_id, user_id, vote)
      select ?1, ?2, ?4 where ?4 <> 0 and exists (select 1 from posts p where p.id = ?1 and ",
    is_seen_by!("p", "?2"),
    ") and not exists (select 1 from keys where user_id = ?2 and key = ?3)
      on conflict (post_id, user_id) do update set vote = excluded.vote where vote <> excluded.vote;
    delete from votes where ?4 = 0 and post_id = ?1 and user_id = ?2
         and exists (select 1 from posts p where p.id = ?1 and ",
    is_seen_by!("p", "?2"),
    ") and not exists (select 1 from keys where user_id = ?2 and key = ?3);
    insert into keys (user_id, key, body_hash, answer, made_at_ms)
      select ?2, ?3, ?5, iif(exists (select 1 from posts p where p.id = ?1 and ",
    is_seen_by!("p", "?2"),
    "), ?6, ?7), ?8
        where ?4 is not null and exists (select 1 from users where id = ?2)
      on conflict (user_id, key) do nothing;
    select k.body_hash, k.answer, changes() as is_new, (select positive_count from posts where id = ?1) as positive_count
      from keys k where k.user_id = ?2 and k.key = ?3;
    release one"
);

/// A run of votes in one trip, as many as there are: their rows come as one JSON array, and what was
/// and became of their posts goes back as one text, because each row would be a trip of its own.
///
/// Votes whose key is known or whose post or voter is gone, or whose post they may not see, are left for
/// [`SET`]. Arguments: 1 rows of `[post, voter, key, vote, body, answer]` (bytes as hexadecimal), 2 now.
const SET_MANY: &str = concat!(
    "
    savepoint one;
    create temp table if not exists vote_run (
        n integer primary key, post_id integer, user_id integer, key blob, vote integer, body_hash blob,
        answer blob, author_id integer, audience text, group_id integer, is_member integer,
        positive_count integer, is_known integer) strict;
    delete from temp.vote_run;
    insert into temp.vote_run
      select r.key, r.value ->> 0, r.value ->> 1, unhex(r.value ->> 2), r.value ->> 3, unhex(r.value ->> 4),
             unhex(r.value ->> 5), p.author_id, p.audience, p.group_id, ",
    is_member!("p", "u.id"),
    ", p.positive_count,
             exists (select 1 from keys k where k.user_id = r.value ->> 1 and k.key = unhex(r.value ->> 2))
        from json_each(?1) r join posts p on p.id = r.value ->> 0 join users u on u.id = r.value ->> 1;
    delete from temp.vote_run where is_known or not (user_id = author_id or audience = 'public' or is_member);
    insert into votes (post_id, user_id, vote)
      select post_id, user_id, vote from temp.vote_run where vote <> 0
      on conflict (post_id, user_id) do update set vote = excluded.vote where vote <> excluded.vote;
    delete from votes where (post_id, user_id) in (select post_id, user_id from temp.vote_run where vote = 0);
    insert into keys (user_id, key, body_hash, answer, made_at_ms)
      select user_id, key, body_hash, answer, ?2 from temp.vote_run where ?1 is not null;
    select group_concat(format('%d %d %s %d %d %d %d', r.n, r.author_id, r.audience, r.group_id, r.is_member,
                               r.positive_count, p.positive_count))
      from temp.vote_run r join posts p on p.id = r.post_id;
    release one"
);

impl Set {
    /// Two votes of one person on one post, or two uses of one key, come one after the other.
    fn meets(&self, other: &Self) -> bool {
        self.voter_id == other.voter_id && (self.post_id == other.post_id || self.key.key == other.key.key)
    }

    fn row(&self, answer: &[u8]) -> String {
        format!(
            "[{},{},\"{}\",{},\"{}\",\"{}\"]",
            self.post_id.0,
            self.voter_id.0,
            hex(&self.key.key),
            self.vote.number(),
            hex(&self.key.body_hash),
            hex(answer)
        )
    }
}

/// A post as it was before.
#[derive(FromRow)]
struct Before {
    author_id: UserId,
    audience: String,
    group_id: Option<GroupId>,
    /// Is the voter in its group?
    is_member: bool,
    positive_count: i64,
}

impl Before {
    fn facts(&self) -> PostFacts {
        let audience = Audience::kept(&self.audience, self.group_id);
        PostFacts { author_id: self.author_id, audience: audience.fact(self.is_member) }
    }
}

/// What became of one vote of a run.
struct Became {
    n: usize,
    before: Before,
    positive_count: i64,
}

impl Became {
    fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(' ');
        let number = |parts: &mut std::str::Split<'_, char>| parts.next()?.parse::<i64>().ok();
        let n = usize::try_from(number(&mut parts)?).ok()?;
        let author_id = UserId(number(&mut parts)?);
        let audience = parts.next()?.to_owned();
        let group_id = number(&mut parts).filter(|id| *id != 0).map(GroupId);
        let is_member = number(&mut parts)? != 0;
        let positive_count = number(&mut parts)?;
        let before = Before { author_id, audience, group_id, is_member, positive_count };
        Some(Self { n, before, positive_count: number(&mut parts)? })
    }
}

impl Work for Set {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn is_one_trip(&self) -> bool {
        true
    }

    fn weight_bytes(&self) -> usize {
        192
    }

    fn unites(&self, next: &[BoxedWork<Event>]) -> usize {
        run_of(self, next, Self::meets).len() - 1
    }

    fn apply_united<'a>(
        &'a mut self,
        others: &'a mut [BoxedWork<Event>],
        stage: &'a mut Stage<'_, Event>,
    ) -> Pending<'a, Result<Vec<Option<Bytes>>, Error>> {
        Box::pin(async move {
            let votes = run_of(&*self, others, Self::meets);
            // Two numbers for each, as when it is done alone.
            let seqs: Vec<Seq> = votes.iter().map(|_| stage.promise(2)).collect();
            let mut answers = Vec::with_capacity(votes.len());
            for (vote, seq) in votes.iter().zip(&seqs) {
                let voted = Voted { post_id: vote.post_id, vote: vote.vote, seq: *seq };
                answers.push(Bytes::from(codec::encode(&voted)?));
            }
            let rows: Vec<String> =
                votes.iter().zip(&answers).map(|(vote, answer)| vote.row(answer)).collect();
            let became: Option<String> = sqlx::query_scalar(SET_MANY)
                .bind(format!("[{}]", rows.join(",")))
                .bind(stage.now_ms)
                .fetch_one(&mut *stage.connection)
                .await?;
            let mut done = vec![None; votes.len()];
            let mut counted: Vec<PostId> = Vec::new();
            let mut became: Vec<Became> = became
                .as_deref()
                .into_iter()
                .flat_map(|became| became.split(','))
                .map(|became| Became::read(became).ok_or(Error::Broken("a run of votes left no trace")))
                .collect::<Result<_, _>>()?;
            // Events are told in the order of their numbers.
            became.sort_unstable_by_key(|became| became.n);
            for Became { n, before, positive_count } in became {
                let (Some(vote), Some(seq)) = (votes.get(n), seqs.get(n)) else {
                    return Err(Error::Broken("a run of votes lost count"));
                };
                debug_assert!(
                    access::may_vote(vote.viewer, &before.facts()),
                    "the SQL lets through what access does"
                );
                let changed = Changed { post_id: vote.post_id, vote: vote.vote, voter_id: vote.voter_id };
                stage.tell_as(Seq(seq.0 - 1), Event::VoteChanged(changed));
                if before.positive_count != positive_count && !counted.contains(&vote.post_id) {
                    counted.push(vote.post_id);
                    let (post_id, author_id) = (vote.post_id, before.author_id);
                    let event = Counted { post_id, positive_count, author_id };
                    stage.tell_as(*seq, Event::VotesCounted(event));
                }
                done[n] = Some(answers[n].clone());
            }
            Ok(done)
        })
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            // Two numbers whatever happens, so that the answer is known before the vote is.
            let seq = stage.promise(2);
            let voted = |vote| codec::encode(&Voted { post_id: self.post_id, vote, seq });
            let rows = sqlx::query(SET)
                .bind(self.post_id)
                .bind(self.voter_id)
                .bind(&self.key.key[..])
                .bind(self.vote.number())
                .bind(&self.key.body_hash[..])
                .bind(voted(self.vote)?)
                .bind(voted(Vote::None)?)
                .bind(stage.now_ms)
                .fetch_all(&mut *stage.connection)
                .await?;
            // Without a key there is no such voter any more.
            let after = rows.last().filter(|row| row.len() == 4).ok_or(Refusal::NotSignedIn)?;
            let answer = known_answer(&self.key, after.try_get("body_hash")?, after.try_get("answer")?)?;
            let before = if rows.len() > 1 { Some(Before::from_row(&rows[0])?) } else { None };
            let is_new: bool = after.try_get("is_new")?;
            if let Some(before) = before.filter(|_| is_new) {
                debug_assert!(
                    access::may_vote(self.viewer, &before.facts()),
                    "the SQL lets through what access does"
                );
                let changed = Changed { post_id: self.post_id, vote: self.vote, voter_id: self.voter_id };
                stage.tell_as(Seq(seq.0 - 1), Event::VoteChanged(changed));
                let positive_count: i64 = after.try_get("positive_count")?;
                if positive_count != before.positive_count {
                    // An unchanged count is not told: the author would learn of a negative vote.
                    let author_id = before.author_id;
                    let counted = Counted { post_id: self.post_id, positive_count, author_id };
                    stage.tell_as(seq, Event::VotesCounted(counted));
                }
            }
            Ok(answer)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::testing::{ANA, BEN, CLEO, Room, key, number, told, viewer};

    fn vote(voter_id: UserId, post_id: PostId, vote: Vote, key_number: u8) -> Set {
        let key = key(voter_id, key_number, &[&post_id.0.to_be_bytes(), &vote.number().to_be_bytes()]);
        Set { key, post_id, viewer: viewer(voter_id), voter_id, vote }
    }

    async fn counts(room: &Room) -> (i64, i64, i64) {
        let mut look = room.looks().await;
        (
            number(look.connection(), "select positive_count from posts").await,
            number(look.connection(), "select negative_count from posts").await,
            number(look.connection(), "select count(*) from votes").await,
        )
    }

    #[test]
    fn a_second_vote_replaces_the_first() {
        told(|room| async move {
            let post = room.has_post(10, ANA, 5);
            room.does(vote(BEN, post, Vote::Positive, 1)).await.unwrap();
            assert_eq!(counts(&room).await, (1, 0, 1));
            room.does(vote(BEN, post, Vote::Negative, 2)).await.unwrap();
            assert_eq!(counts(&room).await, (0, 1, 1));
            room.does(vote(CLEO, post, Vote::Positive, 3)).await.unwrap();
            room.does(vote(BEN, post, Vote::None, 4)).await.unwrap();
            assert_eq!(counts(&room).await, (1, 0, 1));
        });
    }

    #[test]
    fn the_author_hears_of_a_positive_vote_and_nothing_of_a_negative_one() {
        told(|room| async move {
            let post = room.has_post(10, ANA, 5);
            room.does(vote(BEN, post, Vote::Negative, 1)).await.unwrap();
            assert!(matches!(room.heard()[..], [Event::VoteChanged(_)]));
            room.does(vote(BEN, post, Vote::Positive, 2)).await.unwrap();
            let heard = room.heard();
            let [Event::VoteChanged(_), Event::VotesCounted(counted)] = &heard[..] else {
                panic!("{heard:?}")
            };
            assert_eq!((counted.author_id, counted.positive_count), (ANA, 1));
        });
    }

    #[test]
    fn r5_a_key_applies_once_and_another_vote_under_it_is_a_conflict() {
        told(|room| async move {
            let post = room.has_post(10, ANA, 5);
            let first = room.does(vote(BEN, post, Vote::Positive, 1)).await.unwrap();
            room.does(vote(BEN, post, Vote::None, 2)).await.unwrap();
            room.heard();
            let again = room.does(vote(BEN, post, Vote::Positive, 1)).await.unwrap();
            assert_eq!(first, again);
            assert_eq!(counts(&room).await, (0, 0, 0), "the later word stands");
            assert_eq!(room.heard().len(), 0);
            let other = room.does(vote(BEN, post, Vote::Negative, 1)).await;
            assert_eq!(other, Err(Refusal::KeyConflict));
        });
    }

    #[test]
    fn a_vote_on_a_post_that_is_gone_is_accepted_and_does_nothing() {
        told(|room| async move {
            let voted = room.does(vote(BEN, PostId(99), Vote::Positive, 1)).await.unwrap();
            let voted: rmpv::Value = rmpv::decode::read_value(&mut &voted[..]).unwrap();
            assert_eq!(voted["vote"].as_str(), Some("none"));
            assert_eq!(room.heard().len(), 0);
        });
    }

    #[test]
    fn a_crowd_voting_at_once_is_counted_as_if_one_by_one() {
        told(|room| async move {
            let posts: Vec<PostId> = (10..30).map(|id| room.has_post(id, ANA, 5)).collect();
            let mut crowd = Vec::new();
            for (number, post) in posts.iter().chain([&PostId(99)]).enumerate() {
                let number = u8::try_from(number).unwrap();
                crowd.push(room.does(vote(ANA, *post, Vote::Positive, number)));
                crowd.push(room.does(vote(BEN, *post, Vote::Negative, number)));
                crowd.push(room.does(vote(CLEO, *post, Vote::Positive, number)));
                // A second thought of Cleo's, and a word said twice.
                crowd.push(room.does(vote(CLEO, *post, Vote::None, number + 100)));
                crowd.push(room.does(vote(ANA, *post, Vote::Positive, number)));
            }
            let answers = futures_util::future::join_all(crowd).await;
            assert!(answers.iter().all(Result::is_ok));
            for five in answers.chunks(5) {
                assert_eq!(five[0], five[4], "one key, one answer");
            }
            let seqs: Vec<i64> = room.seqs();
            assert!(seqs.is_sorted(), "told in order");
            assert_eq!(counts(&room).await, (1, 1, 40));
            let last = |post: PostId| {
                move |event: &Event| match event {
                    Event::VotesCounted(counted) if counted.post_id == post => Some(counted.positive_count),
                    _ => None,
                }
            };
            let heard = room.heard();
            for post in posts {
                assert_eq!(heard.iter().filter_map(last(post)).next_back(), Some(1));
            }
        });
    }

    #[test]
    fn one_refusal_in_a_group_disturbs_nobody_else() {
        told(|room| async move {
            let post = room.has_post(10, ANA, 5);
            room.does(vote(BEN, post, Vote::Positive, 1)).await.unwrap();
            let together = futures_util::future::join3(
                room.does(vote(CLEO, post, Vote::Positive, 2)),
                room.does(vote(BEN, post, Vote::Negative, 1)),
                room.does(vote(ANA, post, Vote::Positive, 3)),
            );
            let (cleo, ben, ana) = together.await;
            assert!(cleo.is_ok() && ana.is_ok());
            assert_eq!(ben, Err(Refusal::KeyConflict));
            assert_eq!(counts(&room).await, (3, 0, 3));
        });
    }

    #[test]
    fn r9_the_schema_itself_refuses_a_second_vote_and_a_strange_one() {
        told(|room| async move {
            let post = room.has_post(10, ANA, 5);
            room.does(vote(BEN, post, Vote::Positive, 1)).await.unwrap();
            for sql in [
                "insert into votes (post_id, user_id, vote) values (10, 2, -1)",
                "insert into votes (post_id, user_id, vote) values (10, 3, 2)",
                "insert into votes (post_id, user_id, vote) values (11, 3, 1)",
                "update posts set positive_count = -1",
            ] {
                assert!(room.by_hand(sql).is_err(), "{sql}");
            }
        });
    }
}
