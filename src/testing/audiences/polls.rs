//! Tests that the SQL of polls decides as `authz` does: for open and closed polls, for followers, for groups, and for a
//! deleted group. `polls/store.rs` tests their deletion.

use crate::authz::{self, PollFacts, Viewer};
use crate::db::readers::Snapshot;
use crate::error::Refusal;
use crate::events::{Right, Topic};
use crate::features::events::Event;
use crate::features::polls::{rules::NewPoll, store as polls};
use crate::ids::{GroupId, PollId, UserId};
use crate::model::audience::Audience;
use crate::model::stored_replies::has_right;
use crate::testing::audiences::{AUDIENCES, BENS, CLEOS, EMIL, GONE, PEOPLE, follows, has_all, is_in};
use crate::testing::database::{
    ANA, BEN, CLEO, NOW_MS, TestDatabase, key, nth_id, receivers, viewer, with_database,
};

pub struct PollRow {
    pub id: PollId,
    pub creator_id: UserId,
    pub group_id: Option<GroupId>,
    is_open: bool,
}

impl PollRow {
    /// Returns the decision of `authz`. Nobody may do anything with a poll of a deleted group, because it is
    /// deleted too.
    pub fn may(&self, who: UserId, may: impl Fn(Viewer, &PollFacts) -> bool) -> bool {
        let audience = self.group_id.map_or(authz::Audience::Public, |group_id| authz::Audience::Group {
            is_member: is_in(who, Some(group_id)),
        });
        let (creator_id, is_followed) = (self.creator_id, follows(who, self.creator_id));
        let facts = PollFacts { creator_id, may_meet: true, audience, is_followed, is_open: self.is_open };
        self.group_id != Some(GONE) && may(viewer(who), &facts)
    }
}

/// Adds polls of Ana, Emil and Cleo for every audience, open and closed.
pub fn has_polls(db: &TestDatabase) -> Vec<PollRow> {
    db.has_group(GONE.0, ANA, &[BEN]);
    let mut all = Vec::new();
    for creator_id in [ANA, EMIL, CLEO] {
        for group_id in [None, Some(BENS), Some(CLEOS), Some(GONE)] {
            for closes_at_ms in [NOW_MS, NOW_MS + 1] {
                // This id is above those that the writer makes in these tests.
                let id = nth_id(1_000 + i64::try_from(all.len()).unwrap());
                let group = group_id.map_or("null".to_owned(), |group_id| group_id.0.to_string());
                db.execute(&format!(
                    "insert into polls (id, creator_id, question, created_at_ms, closes_at_ms, group_id)
                       values ({id}, {}, 'question', 0, {closes_at_ms}, {group})",
                    creator_id.0
                ))
                .unwrap();
                db.execute(&format!(
                    "insert into poll_options (poll_id, position, text) values ({id}, 0, 'a'), ({id}, 1, 'b')"
                ))
                .unwrap();
                let is_open = closes_at_ms > NOW_MS;
                all.push(PollRow { id: PollId(id), creator_id, group_id, is_open });
            }
        }
    }
    db.execute(&format!("delete from groups where id = {}", GONE.0)).unwrap();
    all
}

#[test]
fn polls_are_listed_voted_in_and_counted_as_authz_allows() {
    with_database(|db| async move {
        has_all(&db);
        let all = has_polls(&db);
        for who in PEOPLE {
            let page = move |Snapshot { sql, seq }: Snapshot<'_>| {
                polls::read::page(sql, viewer(who), None, NOW_MS, seq)
            };
            let found = db.read(page).await;
            let listed: Vec<_> =
                found.polls.iter().map(|view| (view.poll.id, view.poll.audience.group_id())).collect();
            let may = |poll: &&PollRow| poll.may(who, authz::may_vote_in_poll);
            let expected: Vec<_> =
                all.iter().rev().filter(may).map(|poll| (poll.id, poll.group_id)).collect();
            assert_eq!((listed, found.older), (expected, None), "{who:?}");
            for (number, poll) in (0..).zip(&all) {
                let (poll_id, right) = (poll.id, Right::of(poll.creator_id, poll.group_id));
                let may = poll.may(who, authz::may_vote_in_poll);
                let may_see = poll.may(who, authz::may_see_poll);
                let has = db.read(move |Snapshot { sql, .. }| has_right(sql, who, right)).await;
                assert_eq!(has, may_see, "{who:?} {poll_id:?}");
                let vote = polls::Vote {
                    key: key(who, number, &[]),
                    poll_id,
                    viewer: viewer(who),
                    voter_id: who,
                    option: 0,
                };
                db.published();
                let done = db.write(vote).await;
                assert_eq!(done.is_ok(), may, "{who:?} {poll_id:?} {done:?}");
                let published = db.published();
                match &published[..] {
                    [voted @ Event::PollVoted(chosen), counted @ Event::PollCounted(count)] if may => {
                        assert_eq!((chosen.right, count.right), (right, right));
                        // The voter receives the event, and subscribes with the right to see the poll.
                        let tally = Topic::Poll(poll_id, right);
                        assert_eq!(receivers(voted, &PEOPLE, true), [who]);
                        assert_eq!(voted.publication().1.subscribe, Some(tally));
                        // Subscribers receive a tally only with this right.
                        let (recipients, effects) = counted.publication();
                        assert_eq!(receivers(counted, &PEOPLE, false), []);
                        for person in PEOPLE {
                            assert!(recipients.names(person, |topic| topic == tally));
                            assert!(!recipients.names(person, |topic| topic != tally));
                        }
                        assert_eq!((effects.coalesce, effects.subscribe), (Some(tally), None));
                    }
                    [] if !may => {
                        let refusal = if may_see { Refusal::PollClosed } else { Refusal::NotFound };
                        assert_eq!(done, Err(refusal));
                    }
                    other => panic!("{other:?}"),
                }
                // An earlier vote does not make the poll visible again.
                if !may && poll.group_id != Some(GONE) {
                    let sql = "insert into ballots (poll_id, user_id, position, voted_at_ms) values";
                    db.execute(&format!("{sql} ({}, {}, 0, 0)", poll_id.0, who.0)).unwrap();
                }
                let voters = move |Snapshot { sql, seq }: Snapshot<'_>| {
                    polls::read::voters(sql, viewer(who), poll_id, 0, None, seq)
                };
                let may = poll.may(who, |viewer, facts| authz::may_see_tally(viewer, facts, true));
                assert_eq!(db.read(voters).await.is_some(), may, "{who:?} {poll_id:?}");
            }
        }
    });
}

#[test]
fn a_new_poll_has_the_recipients_that_authz_allows() {
    with_database(|db| async move {
        has_all(&db);
        db.has_group(GONE.0, ANA, &[BEN]);
        db.execute(&format!("delete from groups where id = {}", GONE.0)).unwrap();
        for who in PEOPLE {
            for (number, audience) in (0..).zip(AUDIENCES) {
                let fact = audience.fact(is_in(who, audience.group_id()));
                let may = authz::may_share_with(viewer(who), fact);
                // A deleted group has no members.
                let audience = match audience {
                    Audience::Author {} => Audience::Group { group_id: Some(GONE) },
                    audience => audience,
                };
                let create = polls::Create {
                    key: key(who, number, &[]),
                    viewer: viewer(who),
                    creator_id: who,
                    new: NewPoll { question: "question".into(), options: vec!["a".into(), "b".into()] },
                    audience,
                };
                db.published();
                let done = db.write(create).await;
                assert_eq!(done.err(), (!may).then_some(Refusal::NotFound), "{who:?} {audience:?}");
                // Exactly the users who may see the poll receive it, whatever they show.
                let published = db.published();
                assert_eq!(published.len(), usize::from(may));
                for event in &published {
                    let Event::PollCreated(created) = event else { panic!("{event:?}") };
                    let (id, group_id) = (created.poll.id, audience.group_id());
                    let made = PollRow { id, creator_id: who, group_id, is_open: true };
                    let seers = PEOPLE.into_iter().filter(|user| made.may(*user, authz::may_see_poll));
                    let seers: Vec<_> = seers.collect();
                    for shows in [false, true] {
                        assert_eq!(receivers(event, &PEOPLE, shows), seers, "{who:?} {audience:?}");
                    }
                }
            }
        }
    });
}
