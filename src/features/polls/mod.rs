//! Polls: short questions with two to four options, which are open for seven days.
//!
//! Guarantees:
//! - Each user has one final vote. A poll closes once, by the clock of the server.
//! - The tally and the voters are visible only to users who voted and may still see the poll. Before a user votes, not
//!   even the total is visible to them. The creator has no exception.
//! - A user who unfollows the creator receives no tally of the creator's polls after that commit, not even a held one.
//!   After one of two users blocked the other, neither receives a tally of the other's polls.
//!
//! Never here: a public poll that is sent to a user who is neither its creator nor a follower, or a poll of a group
//! that is sent to a user who is not a member. An unknown poll and one that is not visible give the same reply.

pub mod rules;
pub mod store;
pub mod wire;

use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::events::{Effects, Named, Recipients, Topic};
use crate::features::context::RequestContext;
use crate::features::events::{Publication, Publish};
use crate::limits::POLL_TOPICS_MAX;
use crate::reply::Reply;
use rules::NewPoll;
use store::read;
use wire::{Chosen, Counted, Created, Deleted, Request, Tallied};

/// Publishes a new poll.
impl Publish for Created {
    fn publication(&self) -> Publication {
        let about = Some(Topic::Poll(self.poll.id, self.poll.right()));
        (Recipients::users_and(self.recipients.clone(), []), Effects { about, ..Effects::default() })
    }
}

/// Publishes a deletion. It ends the subscriptions to the tally.
impl Publish for Deleted {
    fn publication(&self) -> Publication {
        let ends = Some(Topic::Poll(self.poll_id, self.right));
        (Recipients::users_and(self.recipients.clone(), []), Effects { ends, ..Effects::default() })
    }
}

/// Publishes a vote to the voter, whose connections subscribe to the tally.
impl Publish for Chosen {
    fn publication(&self) -> Publication {
        let poll = Some(Topic::Poll(self.poll_id, self.right));
        (Recipients::users([self.voter_id]), Effects { about: poll, subscribe: poll, ..Effects::default() })
    }
}

/// Publishes a tally to voters who show the poll.
impl Publish for Counted {
    fn publication(&self) -> Publication {
        let poll = Topic::Poll(self.poll_id, self.right);
        let effects = Effects { coalesce: Some(poll), is_transient: true, ..Effects::default() };
        let (topics, except) = (vec![poll], self.hidden_from.clone());
        (Recipients::Named(Named { topics, except, ..Named::default() }), effects)
    }
}

/// Handles a request about polls.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let user_id = context.user()?;
    match request {
        Request::List(list) => {
            let (viewer, now_ms) = (context.viewer, context.now_ms());
            context
                .read(move |Snapshot { sql, seq }| {
                    let listed = read::page(sql, viewer, list.before, now_ms, seq)?;
                    let voted = listed.polls.iter().filter(|view| view.choice.is_some());
                    let published: Vec<_> =
                        voted.map(|view| Topic::Poll(view.poll.id, view.poll.right())).collect();
                    Ok(Reply::read(&listed, seq)?.subscribing(published))
                })
                .await
        }
        Request::Create(create) => {
            let new = NewPoll::parse(&create.question, &create.options)?;
            if create.audience.is_outside() {
                return Err(Refusal::BadRequest.into());
            }
            let audience = create.audience.part();
            let mut parts = vec![&audience[..], new.question.as_bytes()];
            parts.extend(new.options.iter().map(String::as_bytes));
            let key = create.key.used_by(user_id, "polls.create", &parts);
            let command = store::Create {
                key,
                viewer: context.viewer,
                creator_id: user_id,
                new,
                audience: create.audience,
            };
            context.write_limited(&context.app.rate_limiters.polls, command).await
        }
        Request::Vote(vote) => {
            let (poll_id, option) = (vote.poll_id, vote.option);
            let parts: [&[u8]; 2] = [&poll_id.0.to_be_bytes(), &[option]];
            let key = vote.key.used_by(user_id, "polls.vote", &parts);
            let command = store::Vote { key, poll_id, viewer: context.viewer, voter_id: user_id, option };
            context.write(command).await
        }
        Request::Tallies(request) => {
            if request.poll_ids.len() > POLL_TOPICS_MAX {
                return Err(Refusal::BadRequest.into());
            }
            let viewer = context.viewer;
            context
                .read(move |Snapshot { sql, seq }| {
                    let (tallies, topics): (_, Vec<_>) =
                        read::tallies(sql, viewer, &request.poll_ids)?.into_iter().unzip();
                    Ok(Reply::read(&Tallied { tallies, seq }, seq)?.subscribing(topics))
                })
                .await
        }
        Request::Voters(request) => {
            let viewer = context.viewer;
            context
                .read(move |Snapshot { sql, seq }| {
                    let (poll_id, option) = (request.poll_id, request.option);
                    let chose = read::voters(sql, viewer, poll_id, option, request.after, seq)?;
                    Reply::read(&chose.ok_or(Refusal::NotFound)?, seq)
                })
                .await
        }
        Request::Delete(delete) => {
            let poll_id = delete.poll_id;
            let key = delete.key.used_by(user_id, "polls.delete", &[&poll_id.0.to_be_bytes()]);
            context.write(store::Delete { key, poll_id, viewer: context.viewer }).await
        }
    }
}
