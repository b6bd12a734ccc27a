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

use super::kit::{Answer, Ask, Publication};
use super::views::Audience;
use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::events::{Effects, Recipients, Topic, Users};
use crate::ids::PollId;
use rules::NewPoll;
use store::read;
use wire::{Chosen, Counted, Created, Deleted, Request};

/// Returns who receives that a poll was asked, and what it does.
#[must_use]
pub fn created_publication(created: &Created) -> Publication {
    let about = Some(Topic::Poll(created.poll.id, created.poll.right()));
    (Recipients::users_and(created.recipients.clone(), []), Effects { about, ..Effects::default() })
}

/// Returns who receives that a poll is gone, and what it does: its tally ends.
#[must_use]
pub fn deleted_publication(deleted: &Deleted) -> Publication {
    let ends = Some(Topic::Poll(deleted.poll_id, deleted.right));
    (Recipients::users_and(deleted.recipients.clone(), []), Effects { ends, ..Effects::default() })
}

/// Returns who receives a vote, and what it does: the voter, who subscribes to the tally from then on.
#[must_use]
pub fn voted_publication(chosen: &Chosen) -> Publication {
    let subscribe = Some(Topic::Poll(chosen.poll_id, chosen.right));
    (Recipients::users([chosen.voter_id]), Effects { subscribe, is_transient: true, ..Effects::default() })
}

/// Returns who receives a tally, and what it does: whoever voted and shows the poll.
#[must_use]
pub fn counted_publication(counted: &Counted) -> Publication {
    let poll = Topic::Poll(counted.poll_id, counted.right);
    let effects = Effects { coalesce: Some(poll), is_transient: true, ..Effects::default() };
    (Recipients::users_and(Users::default(), [poll]), effects)
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
                let heard: Vec<_> = voted.map(|view| Topic::Poll(view.poll.id, view.poll.right())).collect();
                Ok(Answer::read(&listed, seq)?.subscribing(heard))
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
            let work = store::Create {
                key,
                id,
                viewer: ask.viewer,
                creator_id: user_id,
                new,
                audience: create.audience,
            };
            ask.write_paced(&ask.app.paces.polls, work).await
        }
        Request::Vote(vote) => {
            let (poll_id, option) = (vote.poll_id, vote.option);
            let parts: [&[u8]; 2] = [&poll_id.0.to_be_bytes(), &[option]];
            let key = vote.key.used_by(user_id, "polls.vote", &parts);
            let work = store::Vote { key, poll_id, viewer: ask.viewer, voter_id: user_id, option };
            ask.write(work).await
        }
        Request::Voters(asked) => {
            let viewer = ask.viewer;
            ask.read(move |Snapshot { sql, seq }| {
                let (poll_id, option) = (asked.poll_id, asked.option);
                let chose = read::voters(sql, viewer, poll_id, option, asked.after, seq)?;
                Answer::read(&chose.ok_or(Refusal::NotFound)?, seq)
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
