//! The SQL of polls: creates and deletes them, and votes in them. [`read`] reads polls.

pub mod read;

use super::rules::NewPoll;
use super::wire::{Chosen, Counted, Created, Deleted, One, Poll, PollView, Voted};
use crate::authz::sql::{is_member, may_meet};
use crate::authz::{self, Viewer};
use crate::db::command::{KeyUse, Transaction, WriteCommand, deletes, keyed};
use crate::db::sql::Sql;
use crate::error::{Error, Field, Refusal};
use crate::events::{Right, without};
use crate::features::events::Event;
use crate::limits::{POLL_LIFE_MS, POLLS_FULL, POLLS_OPEN_MAX};
use crate::model::archive::{ArchiveFile, group_name, time};

use crate::ids::{PollId, UserId};
use crate::model::audience::{Audience, listeners_of, recipients_of};
use crate::model::between::{ANY_VIEWER, users_hidden_from};
use crate::model::groups::{groups_named, is_member_of};
use crate::model::users::users_named;
use crate::reply::Done;

/// Creates a poll.
pub struct Create {
    pub key: KeyUse,
    pub viewer: Viewer,
    pub creator_id: UserId,
    pub new: NewPoll,
    pub audience: Audience,
}

impl WriteCommand for Create {
    type Event = Event;
    type Value = One;

    keyed!();

    fn weight_bytes(&self) -> usize {
        self.new.question.len() + self.new.options.iter().map(String::len).sum::<usize>() + 256
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<One, Error> {
        let (sql, now_ms) = (transaction.sql, transaction.now_ms);
        let (creator_id, group_id) = (self.creator_id, self.audience.group_id());
        if read::count_own_open(sql, self.viewer, now_ms)? >= POLLS_OPEN_MAX {
            return Err(Refusal::Invalid(Field::QUESTION, POLLS_FULL).into());
        }
        let is_member = match group_id {
            Some(group_id) => is_member_of(sql, group_id, creator_id)?,
            None => false,
        };
        if !authz::may_share_with(self.viewer, self.audience.fact(is_member)) {
            return Err(Refusal::NotFound.into());
        }
        let poll = Poll {
            id: PollId(transaction.new_id()),
            creator_id,
            question: self.new.question.clone(),
            options: self.new.options.clone(),
            audience: self.audience,
            created_at_ms: now_ms,
            closes_at_ms: now_ms + POLL_LIFE_MS,
        };
        insert(sql, &poll)?;
        let users = users_named(sql, ANY_VIEWER, [creator_id])?;
        let groups = groups_named(sql, group_id)?;
        let recipients = listeners_of(sql, creator_id, self.audience)?;
        let recipients = without(&recipients, &users_hidden_from(sql, [creator_id])?);
        transaction.publish(Event::PollCreated(Created {
            poll: poll.clone(),
            users: users.clone(),
            groups: groups.clone(),
            recipients,
        }));
        let (right, seq) = (poll.right(), transaction.seq());
        if let Right::Membership(_) = right {
            let bare = Poll { audience: Audience::Group { group_id: None }, ..poll.clone() };
            let poll = PollView { poll: bare, choice: None, tally: None };
            let one = One { poll, users: users.clone(), groups: Vec::new(), seq };
            transaction.reply_if_lost(right, &one)?;
        }
        let poll = PollView { poll, choice: None, tally: None };
        Ok(One { poll, users, groups, seq })
    }
}

fn insert(sql: Sql<'_>, poll: &Poll) -> Result<(), Error> {
    sql.execute(
        "insert into polls (id, creator_id, question, created_at_ms, closes_at_ms, group_id)
           values (?1, ?2, ?3, ?4, ?5, ?6)",
        (
            poll.id,
            poll.creator_id,
            &poll.question,
            poll.created_at_ms,
            poll.closes_at_ms,
            poll.audience.group_id(),
        ),
    )?;
    for (position, text) in (0_i64..).zip(&poll.options) {
        sql.execute(
            "insert into poll_options (poll_id, position, text) values (?1, ?2, ?3)",
            (poll.id, position, text),
        )?;
    }
    Ok(())
}

/// Votes in a poll. A vote is final.
pub struct Vote {
    pub key: KeyUse,
    pub poll_id: PollId,
    pub viewer: Viewer,
    pub voter_id: UserId,
    /// The number of the option, from 0.
    pub option: u8,
}

impl WriteCommand for Vote {
    type Event = Event;
    type Value = Voted;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Voted, Error> {
        let (sql, now_ms) = (transaction.sql, transaction.now_ms);
        let (poll_id, voter_id, choice) = (self.poll_id, self.voter_id, self.option);
        let known = read::known(sql, self.viewer, poll_id)?.ok_or(Refusal::NotFound)?;
        let facts = known.facts(now_ms);
        if !authz::may_see_poll(self.viewer, &facts) {
            return Err(Refusal::NotFound.into());
        }
        if !authz::may_vote_in_poll(self.viewer, &facts) {
            return Err(Refusal::PollClosed.into());
        }
        if read::choice(sql, poll_id, Some(voter_id))?.is_some() {
            return Err(Refusal::PollVoted.into());
        }
        if !read::has_option(sql, poll_id, choice)? {
            return Err(Refusal::BadRequest.into());
        }
        sql.execute(
            "insert into ballots (poll_id, user_id, position, voted_at_ms) values (?1, ?2, ?3, ?4)",
            (poll_id, voter_id, choice, now_ms),
        )?;
        let (tally, right) = (read::tally(sql, poll_id)?, known.right());
        let hidden_from = users_hidden_from(sql, [known.creator_id])?;
        transaction.publish(Event::PollVoted(Chosen {
            poll_id,
            choice,
            tally: tally.clone(),
            voter_id,
            right,
        }));
        transaction.publish(Event::PollCounted(Counted {
            poll_id,
            tally: tally.clone(),
            right,
            hidden_from,
        }));
        let seq = transaction.seq();
        transaction.reply_if_lost(right, &Voted { poll_id, choice, tally: None, seq })?;
        Ok(Voted { poll_id, choice, tally: Some(tally), seq })
    }
}

/// Deletes a poll with its options and votes.
pub struct Delete {
    pub key: KeyUse,
    pub poll_id: PollId,
    pub viewer: Viewer,
}

impl WriteCommand for Delete {
    type Event = Event;
    type Value = Done;

    keyed!();

    deletes!(Content);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let (sql, poll_id) = (transaction.sql, self.poll_id);
        let known = read::known(sql, self.viewer, poll_id)?.ok_or(Refusal::NotFound)?;
        if !authz::may_delete_poll(self.viewer, &known.facts(transaction.now_ms)) {
            return Err(Refusal::NotFound.into());
        }
        delete(transaction, poll_id, &known)?;
        Ok(Done { seq: transaction.seq() })
    }
}

/// Deletes a poll without a check of permission. Returns whether it existed.
///
/// # Errors
/// A database fault.
pub fn remove(transaction: &mut Transaction<'_, Event>, poll_id: PollId) -> Result<bool, Error> {
    let known = read::known(transaction.sql, Viewer::Guest, poll_id)?;
    if let Some(known) = &known {
        delete(transaction, poll_id, known)?;
    }
    Ok(known.is_some())
}

fn delete(
    transaction: &mut Transaction<'_, Event>,
    poll_id: PollId,
    known: &read::Known,
) -> Result<(), Error> {
    let sql = transaction.sql;
    sql.execute("delete from polls where id = ?1", (poll_id,))?;
    let (creator_id, right) = (known.creator_id, known.right());
    let recipients = recipients_of(sql, creator_id, known.audience())?;
    let recipients = without(&recipients, &users_hidden_from(sql, [creator_id])?);
    transaction.publish(Event::PollDeleted(Deleted { poll_id, right, recipients }));
    Ok(())
}

/// The files that this feature adds to the archive of a user.
pub const ARCHIVE: &[ArchiveFile] = &[
    ArchiveFile::new(
        "polls.json",
        "your polls; with the number of votes for each option if you voted in the poll",
        // The creator learns no more than the screen shows, even after the poll has closed or the creator left the
        // group.
        concat!(
            "select p.id, json_object('id', p.id, 'question', p.question,
                'audience', p.audience, 'group', iif(p.audience = 'public', null, ",
            group_name!("p"),
            "),
                'options', (select json_group_array(json_object('text', o.text, 'votes',
                        iif(exists (select 1 from ballots b where b.poll_id = p.id and b.user_id = ?1)
                            and (p.audience = 'public' or ",
            is_member!("p", "?1"),
            "), o.votes_count, null)) order by o.position)
                      from poll_options o where o.poll_id = p.id),
                'asked_at', ",
            time!("p.created_at_ms"),
            ", 'closes_at', ",
            time!("p.closes_at_ms"),
            ")
               from (select *, iif(group_id is null, 'public', 'group') as audience from polls) p
              where p.creator_id = ?1 and p.id < ?2 order by p.id desc limit ?3"
        ),
    ),
    ArchiveFile::new(
        "poll_votes.json",
        "your votes in polls: which option, the first being 1",
        concat!(
            "select b.poll_id, json_object('poll_id', b.poll_id, 'option', b.position + 1,
                'voted_at', ",
            time!("b.voted_at_ms"),
            ")
           from ballots b join polls p on p.id = b.poll_id
          where b.user_id = ?1 and b.poll_id < ?2 and ",
            may_meet!("p.creator_id", "?1"),
            " order by b.poll_id desc limit ?3"
        ),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authz::PollFacts;
    use crate::db::readers::Snapshot;
    use crate::events::Topic;
    use crate::ids::GroupId;
    use crate::testing::audiences::polls::has_polls;
    use crate::testing::audiences::{GONE, PEOPLE, has_all};
    use crate::testing::database::{
        ANA, BEN, CLEO, NOW_MS, TestDatabase, key, nth_id, receivers, viewer, with_database,
    };

    fn create(number: u8, creator_id: UserId, options: &[&str]) -> Create {
        let new = NewPoll {
            question: format!("question {number}"),
            options: options.iter().map(ToString::to_string).collect(),
        };
        let key = key(creator_id, number, &[]);
        let (viewer, audience) = (viewer(creator_id), Audience::Public {});
        Create { key, viewer, creator_id, new, audience }
    }

    fn vote(voter_id: UserId, number: i64, option: u8, key_number: u8) -> Vote {
        let poll_id = nth_id(number);
        let key = key(voter_id, key_number, &[&poll_id.to_be_bytes(), &[option]]);
        let (poll_id, viewer) = (PollId(poll_id), viewer(voter_id));
        Vote { key, poll_id, viewer, voter_id, option }
    }

    fn removal(user_id: UserId, number: i64) -> Delete {
        let poll_id = nth_id(number);
        let key = key(user_id, 200, &[&poll_id.to_be_bytes()]);
        Delete { key, poll_id: PollId(poll_id), viewer: viewer(user_id) }
    }

    fn follows(db: &TestDatabase, pairs: &[(UserId, UserId)]) {
        for (id, (follower, followed)) in (900..).zip(pairs) {
            let sql = "insert into follows (follower_id, followed_id, id) values";
            db.execute(&format!("{sql} ({}, {}, {id})", follower.0, followed.0)).unwrap();
        }
    }

    /// Adds a poll with two options that closes at this time.
    fn has_poll(db: &TestDatabase, id: i64, creator_id: UserId, closes_at_ms: i64) {
        let asked_at_ms = closes_at_ms - POLL_LIFE_MS;
        db.execute(&format!(
            "insert into polls (id, creator_id, question, created_at_ms, closes_at_ms)
               values ({id}, {}, 'question {id}', {asked_at_ms}, {closes_at_ms})",
            creator_id.0
        ))
        .unwrap();
        db.execute(&format!(
            "insert into poll_options (poll_id, position, text) values ({id}, 0, 'yes'), ({id}, 1, 'no, 🌿')"
        ))
        .unwrap();
    }

    #[test]
    fn the_tally_of_a_suspended_creators_poll_is_not_published() {
        with_database(|db| async move {
            has_poll(&db, nth_id(1), ANA, NOW_MS + 1);
            has_poll(&db, nth_id(2), BEN, NOW_MS + 1);
            let counted =
                || db.read(|snapshot| read::counted(snapshot.sql, [1, 2].map(|id| PollId(nth_id(id)))));
            let ids = |counts: Vec<Counted>| counts.iter().map(|count| count.poll_id.0).collect::<Vec<_>>();
            assert_eq!(ids(counted().await), [nth_id(2), nth_id(1)]);
            db.execute(&format!("update users set suspended_at = 1 where id = {}", ANA.0)).unwrap();
            assert_eq!(ids(counted().await), [nth_id(2)]);
        });
    }

    #[test]
    fn a_list_has_exactly_the_polls_that_authz_allows() {
        with_database(|db| async move {
            follows(&db, &[(BEN, ANA)]);
            let ends = [NOW_MS - 1, NOW_MS, NOW_MS + 1, NOW_MS + POLL_LIFE_MS];
            let mut all = Vec::new();
            for (id, (creator_id, end)) in
                (nth_id(10)..).zip([ANA, BEN, CLEO].into_iter().flat_map(|who| ends.map(|end| (who, end))))
            {
                has_poll(&db, id, creator_id, end);
                all.push((id, creator_id, end));
            }
            for who in [ANA, BEN, CLEO] {
                let may = |(_, creator_id, end): &&(i64, UserId, i64)| {
                    let facts = PollFacts {
                        may_meet: true,
                        creator_id: *creator_id,
                        audience: authz::Audience::Public,
                        is_followed: (who, *creator_id) == (BEN, ANA),
                        is_open: NOW_MS < *end,
                    };
                    authz::may_vote_in_poll(viewer(who), &facts)
                };
                let expected: Vec<i64> = all.iter().rev().filter(may).map(|(id, ..)| *id).collect();
                let page = move |Snapshot { sql, seq }: Snapshot<'_>| {
                    read::page(sql, viewer(who), None, NOW_MS, seq)
                };
                let found = db.read(page).await;
                let ids: Vec<i64> = found.polls.iter().map(|view| view.poll.id.0).collect();
                assert_eq!((ids, found.older), (expected, None), "{who:?}");
                assert!(found.polls.iter().all(|view| view.poll.options == ["yes", "no, 🌿"]));
            }
        });
    }

    #[test]
    fn a_page_reads_only_open_polls_of_followed_users_and_own_groups() {
        with_database(|db| async move {
            let plan = [db.plan(read::PAGE), db.plan(read::OPTIONS)].concat();
            for step in [
                "SEARCH follows USING COVERING INDEX",
                "SEARCH p USING INDEX polls_of_creator (creator_id=? AND id>? AND id<?)",
                "SEARCH m USING COVERING INDEX members_of_user (user_id=?)",
                "SEARCH p USING INDEX polls_of_group (group_id=? AND id>? AND id<?)",
                "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH b USING PRIMARY KEY (poll_id=? AND user_id=?)",
                "SEARCH poll_options USING PRIMARY KEY (poll_id=?)",
            ] {
                assert!(plan.iter().any(|held| held.starts_with(step)), "{step}: {plan:#?}");
            }
            assert!(!plan.iter().any(|step| step.starts_with("SCAN p")), "{plan:#?}");
            // It does not read the open polls of everybody either.
            assert!(!plan.iter().any(|step| step.contains("polls_by_end")), "{plan:#?}");
        });
    }

    #[test]
    fn a_user_has_at_most_five_open_polls() {
        with_database(|db| async move {
            // A closed poll does not count, whatever its id.
            for number in [-1, 0, 90] {
                has_poll(&db, nth_id(number), ANA, NOW_MS);
            }
            for number in 1..=5 {
                db.write(create(number, ANA, &["a", "b"])).await.unwrap();
            }
            db.published();
            let full = Err(Refusal::Invalid(Field::QUESTION, POLLS_FULL));
            assert_eq!(db.write(create(6, ANA, &["a", "b"])).await, full);
            assert_eq!(db.published().len(), 0);
            db.write(create(6, BEN, &["a", "b"])).await.unwrap();
            db.write(removal(ANA, 3)).await.unwrap();
            assert!(db.write(create(7, ANA, &["a", "b"])).await.is_ok());
        });
    }

    #[test]
    fn a_vote_reaches_its_voter_before_the_tally() {
        with_database(|db| async move {
            follows(&db, &[(BEN, ANA), (CLEO, ANA)]);
            db.write(create(1, ANA, &["a", "b"])).await.unwrap();
            let published = db.published();
            let [Event::PollCreated(created)] = &published[..] else { panic!("{published:?}") };
            assert_eq!(created.recipients[..], [ANA, BEN, CLEO]);
            db.write(vote(BEN, 1, 1, 101)).await.unwrap();
            db.write(vote(ANA, 1, 1, 102)).await.unwrap();
            let published = db.published();
            let [_, _, Event::PollVoted(chosen), Event::PollCounted(counted)] = &published[..] else {
                panic!("{published:?}")
            };
            assert_eq!((chosen.voter_id, chosen.right, chosen.choice), (ANA, Right::Following(ANA), 1));
            assert_eq!((&chosen.tally, &counted.tally), (&vec![0, 2], &vec![0, 2]));
            let everybody = [ANA, BEN, CLEO];
            assert_eq!(receivers(&published[2], &everybody, true), [ANA]);
            assert_eq!(receivers(&published[3], &everybody, false), []);
            let tally = Topic::Poll(counted.poll_id, counted.right);
            let (recipients, _) = published[3].publication();
            assert!(recipients.names(BEN, |topic| topic == tally), "who voted subscribes to it");
            assert!(!recipients.names(BEN, |topic| topic != tally));
            assert_eq!(published[2].publication().1.subscribe, Some(tally));
        });
    }

    #[test]
    fn a_vote_is_refused_if_it_is_the_second_or_too_late_or_not_allowed_or_for_no_option() {
        with_database(|db| async move {
            follows(&db, &[(BEN, ANA)]);
            has_poll(&db, nth_id(10), ANA, NOW_MS + 1);
            has_poll(&db, nth_id(11), ANA, NOW_MS);
            for (voter, poll_id, option, refusal) in [
                (CLEO, 10, 0, Refusal::NotFound),
                (CLEO, 11, 0, Refusal::NotFound),
                (BEN, 99, 0, Refusal::NotFound),
                (BEN, 11, 0, Refusal::PollClosed),
                (BEN, 10, 2, Refusal::BadRequest),
            ] {
                assert_eq!(db.write(vote(voter, poll_id, option, 1)).await, Err(refusal));
            }
            db.write(vote(BEN, 10, 0, 1)).await.unwrap();
            for option in [0, 1] {
                assert_eq!(db.write(vote(BEN, 10, option, 2)).await, Err(Refusal::PollVoted));
            }
            assert_eq!(db.published().len(), 2);
        });
    }

    #[test]
    fn only_the_creator_deletes_a_poll_and_all_its_votes_are_deleted() {
        with_database(|db| async move {
            follows(&db, &[(BEN, ANA)]);
            db.write(create(1, ANA, &["a", "b"])).await.unwrap();
            db.write(vote(BEN, 1, 0, 101)).await.unwrap();
            db.published();
            for who in [BEN, CLEO] {
                assert_eq!(db.write(removal(who, 1)).await, Err(Refusal::NotFound));
            }
            db.write(removal(ANA, 1)).await.unwrap();
            let published = db.published();
            let [Event::PollDeleted(deleted)] = &published[..] else { panic!("{published:?}") };
            assert_eq!((deleted.right, &deleted.recipients[..]), (Right::Following(ANA), &[ANA, BEN][..]));
            assert_eq!(receivers(&published[0], &[ANA, BEN, CLEO], true), [ANA, BEN]);
            for table in ["select count(*) from poll_options", "select count(*) from ballots"] {
                assert_eq!(db.number(table).await, 0);
            }
        });
    }

    #[test]
    fn a_poll_of_any_audience_is_deleted_by_its_creator_and_all_who_see_it_receive_that() {
        with_database(|db| async move {
            has_all(&db);
            let all = has_polls(&db);
            for who in PEOPLE {
                for (number, poll) in (100..).zip(all.iter().filter(|poll| poll.creator_id != who)) {
                    let key = key(who, number, &[]);
                    let done = db.write(Delete { key, poll_id: poll.id, viewer: viewer(who) }).await;
                    assert_eq!(done, Err(Refusal::NotFound), "{who:?} {:?}", poll.id);
                }
            }
            db.published();
            for (number, poll) in (150..).zip(&all) {
                let (who, is_there) = (poll.creator_id, poll.group_id != Some(GONE));
                let key = key(who, number, &[]);
                let done = db.write(Delete { key, poll_id: poll.id, viewer: viewer(who) }).await;
                assert_eq!(done.is_ok(), is_there && poll.may(who, authz::may_delete_poll), "{:?}", poll.id);
                // The deletion is received by exactly the users who see the poll, and by its creator. It ends the
                // subscriptions to the tally.
                let published = db.published();
                assert_eq!(published.len(), usize::from(is_there));
                for deleted in &published {
                    let is_recipient = |user: &UserId| *user == who || poll.may(*user, authz::may_see_poll);
                    let published: Vec<_> = PEOPLE.into_iter().filter(is_recipient).collect();
                    for shows in [false, true] {
                        assert_eq!(receivers(deleted, &PEOPLE, shows), published, "{:?}", poll.id);
                    }
                    let right = Right::of(poll.creator_id, poll.group_id);
                    assert_eq!(deleted.publication().1.ends, Some(Topic::Poll(poll.id, right)));
                }
            }
        });
    }

    #[test]
    fn a_poll_of_a_group_is_created_by_a_member_and_reaches_only_members() {
        with_database(|db| async move {
            follows(&db, &[(CLEO, ANA)]);
            let group_id = db.has_group(100, BEN, &[ANA]);
            let audience = Audience::Group { group_id: Some(group_id) };
            for (who, group_id) in [(CLEO, group_id), (ANA, GroupId(99))] {
                let audience = Audience::Group { group_id: Some(group_id) };
                let refused = db.write(Create { audience, ..create(9, who, &["a", "b"]) }).await;
                assert_eq!(refused, Err(Refusal::NotFound));
            }
            assert_eq!(db.published().len(), 0);
            for number in 1..=5 {
                db.write(Create { audience, ..create(number, ANA, &["a", "b"]) }).await.unwrap();
            }
            for event in db.published() {
                assert_eq!(receivers(&event, &[ANA, BEN, CLEO], true), [ANA, BEN]);
                let Event::PollCreated(created) = event else { panic!("{event:?}") };
                assert_eq!(created.poll.right(), Right::Membership(group_id));
                assert_eq!(created.groups.iter().map(|group| group.id).collect::<Vec<_>>(), [group_id]);
            }
            let full = Err(Refusal::Invalid(Field::QUESTION, POLLS_FULL));
            assert_eq!(db.write(create(6, ANA, &["a", "b"])).await, full, "for every audience");
            // The creator left the group. They no longer see the poll, but may still delete it.
            db.has_left(group_id, ANA);
            assert_eq!(db.write(vote(ANA, 1, 0, 100)).await, Err(Refusal::NotFound));
            db.write(create(7, ANA, &["a", "b"])).await.unwrap();
            db.published();
            assert_eq!(db.write(removal(BEN, 1)).await, Err(Refusal::NotFound));
            db.write(removal(ANA, 1)).await.unwrap();
            let published = db.published();
            let [Event::PollDeleted(deleted)] = &published[..] else { panic!("{published:?}") };
            assert_eq!(
                (deleted.right, &deleted.recipients[..]),
                (Right::Membership(group_id), &[ANA, BEN][..])
            );
            assert_eq!(receivers(&published[0], &[ANA, BEN, CLEO], true), [ANA, BEN]);
        });
    }

    #[test]
    fn r9_the_schema_itself_refuses_a_second_vote_a_changed_one_and_one_for_no_option() {
        with_database(|db| async move {
            has_poll(&db, 10, ANA, NOW_MS + 1);
            let vote = "insert into ballots (poll_id, user_id, position, voted_at_ms) values";
            db.execute(&format!("{vote} (10, 2, 0, 0)")).unwrap();
            let question = "x".repeat(141);
            for sql in [
                format!("{vote} (10, 2, 1, 0)"),
                format!("{vote} (10, 2, 0, 0)"),
                format!("{vote} (10, 3, 2, 0)"),
                format!("{vote} (11, 3, 0, 0)"),
                format!("{vote} (10, 99, 0, 0)"),
                "update ballots set position = 1".into(),
                "update ballots set user_id = 3".into(),
                "update poll_options set votes_count = -1".into(),
                "insert into poll_options (poll_id, position, text) values (10, 4, 'fifth')".into(),
                "insert into poll_options (poll_id, position, text) values (10, 2, '')".into(),
                format!("update poll_options set text = '{}'", "x".repeat(41)),
                format!("update polls set question = '{question}'"),
                "update polls set closes_at_ms = created_at_ms".into(),
            ] {
                assert!(db.execute(&sql).is_err(), "{sql}");
            }
            assert_eq!(db.number("select sum(votes_count) from poll_options").await, 1);
        });
    }
}
