//! Polls: a small question with two to four answers, open for seven days.
//!
//! Promises:
//! - One vote for each person, and it is final. A poll closes once, by the server's clock.
//! - How many chose what, and who, reaches those alone who voted and still follow its creator; before that
//!   not even the total does, and its creator is no exception.
//! - Whoever unfollows hears no tally of the other's polls from that commit on, also none that was held back.
//!
//! Never: a poll to anybody but its creator and who follows them. Not there and not yours look alike.

pub mod rules;
pub mod store;
pub mod wire;

use super::kit::{Answer, Ask, Hearers, Topic};
use super::views::users_named;
use crate::error::{Error, Refusal};
use crate::ids::PollId;
use rules::NewPoll;
use store::read;
use wire::{Chosen, Counted, Created, Deleted, Listed, Request};

/// Returns who is told of a new poll: who follows its creator, and the creator.
#[must_use]
pub fn created_hearers(created: &Created) -> Hearers {
    let topics = vec![Topic::User(created.poll.creator_id)];
    Hearers { topics, people: created.followers.clone().into(), ..Hearers::default() }
}

/// Returns who is told that a poll is gone: the same. Nobody hears its tally any more.
#[must_use]
pub fn deleted_hearers(deleted: &Deleted) -> Hearers {
    let poll = Topic::Poll(deleted.poll_id, deleted.creator_id);
    let people = deleted.followers.clone().into();
    Hearers { topics: vec![Topic::User(deleted.creator_id)], people, ends: Some(poll), ..Hearers::default() }
}

/// Returns who is told of a vote: the voter's own sockets, which hear the tally from then on.
#[must_use]
pub fn voted_hearers(chosen: &Chosen) -> Hearers {
    let opens = Some(Topic::Poll(chosen.poll_id, chosen.creator_id));
    Hearers { topics: vec![Topic::User(chosen.voter_id)], is_passing: true, opens, ..Hearers::default() }
}

/// Returns who is told of a tally: who voted and shows the poll, at a pace.
#[must_use]
pub fn counted_hearers(counted: &Counted) -> Hearers {
    let poll = Topic::Poll(counted.poll_id, counted.creator_id);
    Hearers { topics: vec![poll], pace: Some(poll), is_passing: true, ..Hearers::default() }
}

/// Answers what is asked about polls.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let user_id = ask.user()?;
    match request {
        Request::List(list) => {
            let now_ms = ask.now_ms();
            let mut snapshot = ask.app.reader.snapshot().await?;
            let seq = snapshot.seq;
            let connection = snapshot.connection();
            let found = read::page(connection, ask.viewer, list.before, now_ms).await?;
            let creators = found.polls.iter().map(|view| view.poll.creator_id);
            let users = users_named(connection, creators).await?;
            let voted = found.polls.iter().filter(|view| view.choice.is_some());
            // Votes, polls and follows that came meanwhile follow the answer, as do names.
            let heard: Vec<Topic> = voted
                .map(|view| Topic::Poll(view.poll.id, view.poll.creator_id))
                .chain([Topic::User(user_id), Topic::Everyone])
                .collect();
            let listed = Listed { polls: found.polls, users, older: found.older, seq };
            Ok(Answer::of(&listed)?.hearing(heard, seq))
        }
        Request::Create(create) => {
            let new = NewPoll::parse(&create.question, &create.options)?;
            let mut parts = vec![create.audience.part(), new.question.as_bytes()];
            parts.extend(new.options.iter().map(String::as_bytes));
            let key = create.key.used_by(user_id, "polls.create", &parts);
            let id = PollId(ask.app.ids.make(ask.now_ms()));
            let work = store::Create { key, id, creator_id: user_id, new, audience: create.audience };
            ask.write_paced(&ask.app.paces.polls, work).await
        }
        Request::Vote(vote) => {
            let (poll_id, option) = (vote.poll_id, vote.option);
            let parts: [&[u8]; 2] = [&poll_id.0.to_be_bytes(), &[option]];
            let key = vote.key.used_by(user_id, "polls.vote", &parts);
            ask.write(store::Vote { key, poll_id, viewer: ask.viewer, voter_id: user_id, option }).await
        }
        Request::Voters(asked) => {
            let mut snapshot = ask.app.reader.snapshot().await?;
            let seq = snapshot.seq;
            let (poll_id, option) = (asked.poll_id, asked.option);
            let chose =
                read::voters(snapshot.connection(), ask.viewer, poll_id, option, asked.after, seq).await?;
            Ok(Answer::of(&chose.ok_or(Refusal::NotFound)?)?.hearing([Topic::Everyone], seq))
        }
        Request::Delete(delete) => {
            let poll_id = delete.poll_id;
            let key = delete.key.used_by(user_id, "polls.delete", &[&poll_id.0.to_be_bytes()]);
            ask.write(store::Delete { key, poll_id, viewer: ask.viewer }).await
        }
    }
}
