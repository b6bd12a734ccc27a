//! Polls: a small question with two to four answers, open for seven days.
//!
//! Promises:
//! - One vote for each person, and it is final. A poll closes once, by the server's clock.
//! - How many chose what, and who, reaches those alone who voted and still follow its creator, or are in
//!   its group still; before that not even the total does, and its creator is no exception.
//! - Whoever unfollows hears no tally of the other's polls from that commit on, also none that was held back.
//!
//! Never: a poll to anybody but its creator and who follows them, or to who is not in its group. Not there
//! and not yours look alike.

pub mod rules;
pub mod store;
pub mod wire;

use super::kit::{Answer, Ask, Change, Gate, Hearers, Right, Topic};
use super::views::Audience;
use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::ids::{PollId, Seq, UserId};
use rules::NewPoll;
use store::read;
use wire::{Chosen, Counted, Created, Deleted, Request};

/// Returns who is told of a new poll: who follows its creator, and the creator; or the members of its group.
#[must_use]
pub fn created_hearers(created: &Created) -> Hearers {
    let (right, creator_id) = (created.poll.right(), created.poll.creator_id);
    // Who leaves the group loses the poll with it.
    Hearers { gate: right.gate(), ..of(right, creator_id, &created.followers) }
}

/// Returns who is told that a poll is gone: the same. Nobody hears its tally any more.
#[must_use]
pub fn deleted_hearers(deleted: &Deleted) -> Hearers {
    let ends = Some(Topic::Poll(deleted.poll_id, deleted.right));
    Hearers { ends, ..of(deleted.right, deleted.creator_id, &deleted.followers) }
}

fn of(right: Right, creator_id: UserId, followers: &[UserId]) -> Hearers {
    let creator = Topic::User(creator_id);
    match right {
        Right::Following(_) => {
            Hearers { topics: vec![creator], people: followers.into(), ..Hearers::default() }
        }
        Right::Membership(group_id) => Hearers {
            topics: vec![Topic::Group(group_id), creator],
            gate: Some(Gate::of_and(group_id, creator_id)),
            ..Hearers::default()
        },
    }
}

/// Returns who is told of a vote: the voter's own sockets, which hear the tally from then on.
#[must_use]
pub fn voted_hearers(chosen: &Chosen) -> Hearers {
    let opens = Some(Topic::Poll(chosen.poll_id, chosen.right));
    let topics = vec![Topic::User(chosen.voter_id)];
    Hearers { topics, gate: chosen.right.gate(), is_passing: true, opens, ..Hearers::default() }
}

/// Returns who is told of a tally: who voted and shows the poll, at a pace.
#[must_use]
pub fn counted_hearers(counted: &Counted) -> Hearers {
    let poll = Topic::Poll(counted.poll_id, counted.right);
    let gate = counted.right.gate();
    Hearers { topics: vec![poll], gate, pace: Some(poll), is_passing: true, ..Hearers::default() }
}

/// Answers what is asked about polls.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let user_id = ask.user()?;
    match request {
        Request::List(list) => {
            let (viewer, now_ms) = (ask.viewer, ask.now_ms());
            ask.read(move |Snapshot { sql, seq }| {
                let listed = read::page(sql, viewer, list.before, now_ms, seq)?;
                let voted = listed.polls.iter().filter(|view| view.choice.is_some());
                // Votes, polls and follows that came meanwhile follow the answer, as do names.
                let heard = voted
                    .map(|view| Topic::Poll(view.poll.id, view.poll.right()))
                    .chain([Topic::User(user_id), Topic::Everyone]);
                Ok(Answer::of(&listed)?.hearing(heard, seq))
            })
            .await
        }
        Request::Create(create) => {
            let new = NewPoll::parse(&create.question, &create.options)?;
            if create.audience == (Audience::Group { group_id: None }) {
                return Err(Refusal::BadRequest.into());
            }
            let audience = create.audience.part();
            let mut parts = vec![&audience[..], new.question.as_bytes()];
            parts.extend(new.options.iter().map(String::as_bytes));
            let key = create.key.used_by(user_id, "polls.create", &parts);
            let id = PollId(ask.app.ids.make(ask.now_ms()));
            let change = Change::default();
            let work = store::Create {
                key,
                id,
                viewer: ask.viewer,
                creator_id: user_id,
                new,
                audience: create.audience,
                in_group: change.clone(),
            };
            let answer = ask.write_paced(&ask.app.paces.polls, work).await?;
            as_of_then(answer, &change)
        }
        Request::Vote(vote) => {
            let (poll_id, option) = (vote.poll_id, vote.option);
            let parts: [&[u8]; 2] = [&poll_id.0.to_be_bytes(), &[option]];
            let key = vote.key.used_by(user_id, "polls.vote", &parts);
            let change = Change::default();
            let work = store::Vote {
                key,
                poll_id,
                viewer: ask.viewer,
                voter_id: user_id,
                option,
                in_group: change.clone(),
            };
            let answer = ask.write(work).await?;
            as_of_then(answer, &change)
        }
        Request::Voters(asked) => {
            let viewer = ask.viewer;
            ask.read(move |Snapshot { sql, seq }| {
                let (poll_id, option) = (asked.poll_id, asked.option);
                let chose = read::voters(sql, viewer, poll_id, option, asked.after, seq)?;
                Ok(Answer::of(&chose.ok_or(Refusal::NotFound)?)?.hearing([Topic::Everyone], seq))
            })
            .await
        }
        Request::Delete(delete) => {
            let poll_id = delete.poll_id;
            let key = delete.key.used_by(user_id, "polls.delete", &[&poll_id.0.to_be_bytes()]);
            ask.write(store::Delete { key, poll_id, viewer: ask.viewer }).await
        }
    }
}

/// What was done in a group just now is answered as what was read there is: not to who was removed meanwhile.
fn as_of_then(answer: Answer, in_group: &Change) -> Result<Answer, Error> {
    #[derive(serde::Deserialize)]
    struct Made {
        seq: Seq,
    }
    if !in_group.was_made() {
        return Ok(answer);
    }
    let Made { seq } = crate::wire::codec::decode(&answer.ok)?;
    Ok(answer.hearing([], seq))
}
