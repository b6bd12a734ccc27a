//! Requests, replies and events of polls.

use crate::events::{Right, Users};
use serde::{Deserialize, Serialize};

use crate::features::key::Key;
use crate::ids::{PollId, Seq, UserId, Whole};
use crate::model::audience::Audience;
use crate::model::groups::GroupName;
use crate::model::users::User;
pub use crate::reply::Done;
use crate::wire::requests;

requests! {
    "polls.list" List -> Listed,
    "polls.tallies" Tallies -> Tallied,
    "polls.create" Create -> One,
    "polls.vote" Vote -> Voted,
    "polls.voters" Voters -> Chose,
    "polls.delete" Delete -> Done,
}

/// Asks for the open polls that the viewer may see, newest first.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct List {
    /// The `older` of the previous page; None for the first page.
    pub before: Option<PollId>,
}

/// Asks for the tallies of polls on screen. Only voters get a tally, and their connection subscribes to it.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Tallies {
    pub poll_ids: Vec<PollId>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Create {
    pub key: Key,
    pub question: String,
    pub options: Vec<String>,
    pub audience: Audience,
}

/// Votes in a poll. A vote is final.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Vote {
    pub key: Key,
    pub poll_id: PollId,
    /// The number of the option, from 0.
    #[serde(deserialize_with = "position")]
    pub option: u8,
}

/// Asks for the users who chose an option. Only voters may ask.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Voters {
    pub poll_id: PollId,
    #[serde(deserialize_with = "position")]
    pub option: u8,
    /// The `more` of the previous page; None for the first page.
    pub after: Option<UserId>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Delete {
    pub key: Key,
    pub poll_id: PollId,
}

fn position<'de, D: serde::Deserializer<'de>>(from: D) -> Result<u8, D::Error> {
    let Whole(whole) = Whole::deserialize(from)?;
    u8::try_from(whole).map_err(|_| serde::de::Error::custom("a number that is too large"))
}

/// A poll. It is the same for every viewer.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Poll {
    pub id: PollId,
    pub creator_id: UserId,
    pub question: String,
    pub options: Vec<String>,
    pub audience: Audience,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at_ms: i64,
    /// Exactly seven days after the creation.
    #[cfg_attr(test, ts(type = "number"))]
    pub closes_at_ms: i64,
}

impl Poll {
    /// Returns the right by which users see the poll.
    #[must_use]
    pub fn right(&self) -> Right {
        Right::of(self.creator_id, self.audience.group_id())
    }
}

/// A poll as this viewer sees it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PollView {
    #[serde(flatten)]
    pub poll: Poll,
    /// The viewer's choice; None before the vote.
    pub choice: Option<u8>,
    /// The votes by option; None before the viewer's vote, even for the creator.
    #[cfg_attr(test, ts(type = "Array<number> | null"))]
    pub tally: Option<Vec<i64>>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Listed {
    pub polls: Vec<PollView>,
    pub users: Vec<User>,
    /// The groups that these polls are for.
    pub groups: Vec<GroupName>,
    pub older: Option<PollId>,
    pub seq: Seq,
}

/// The votes in a poll, by option.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Tally {
    pub poll_id: PollId,
    #[cfg_attr(test, ts(type = "Array<number>"))]
    pub tally: Vec<i64>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Tallied {
    /// The tallies. Polls whose tally the viewer may not see are left out.
    pub tallies: Vec<Tally>,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct One {
    pub poll: PollView,
    pub users: Vec<User>,
    /// The group it is for.
    pub groups: Vec<GroupName>,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Voted {
    pub poll_id: PollId,
    pub choice: u8,
    /// None if the viewer lost the right to it meanwhile.
    #[cfg_attr(test, ts(type = "Array<number> | null"))]
    pub tally: Option<Vec<i64>>,
    pub seq: Seq,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Chose {
    pub users: Vec<User>,
    /// The `after` of the next page; None if nothing remains.
    pub more: Option<UserId>,
    pub seq: Seq,
}

/// A new poll. The event is sent to the users who may see it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Created {
    pub poll: Poll,
    pub users: Vec<User>,
    /// The group it is for.
    pub groups: Vec<GroupName>,
    #[serde(skip)]
    pub recipients: Users,
}

/// A poll was deleted. The event is sent to the users who could see it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Deleted {
    pub poll_id: PollId,
    #[serde(skip)]
    pub right: Right,
    #[serde(skip)]
    pub recipients: Users,
}

/// The viewer voted, on this device or another. The event is sent to the connections of the voter.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Chosen {
    pub poll_id: PollId,
    pub choice: u8,
    #[cfg_attr(test, ts(type = "Array<number>"))]
    pub tally: Vec<i64>,
    #[serde(skip)]
    pub voter_id: UserId,
    #[serde(skip)]
    pub right: Right,
}

/// The tally changed. The event is sent at most twice a second, to voters who show the poll. It is not replayed,
/// because a client that reconnects reads the tally again.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Counted {
    pub poll_id: PollId,
    #[cfg_attr(test, ts(type = "Array<number>"))]
    pub tally: Vec<i64>,
    #[serde(skip)]
    pub right: Right,
    /// The users who may not meet the creator.
    #[serde(skip)]
    pub hidden_from: Users,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use crate::events::Right;
    use crate::features::events::Event;
    use crate::model::audience::Audience;
    use crate::testing::examples::{
        ANA, BEN, GROUP, IN_GROUP, Messages, NOW_MS, POLL, SEQ, group_names, key, left_out, ok, some_users,
        users,
    };

    fn poll() -> super::Poll {
        super::Poll {
            id: POLL,
            creator_id: ANA,
            question: "Tea or coffee?".into(),
            options: vec!["Tea 🌿".into(), "Coffee".into()],
            audience: Audience::Public {},
            created_at_ms: NOW_MS,
            closes_at_ms: NOW_MS + 604_800_000,
        }
    }

    /// A poll as it is sent to a user who voted for this option, or who has not voted.
    fn poll_view(choice: Option<u8>) -> super::PollView {
        super::PollView { poll: poll(), choice, tally: choice.map(|_| vec![128, 0]) }
    }

    /// A public poll, and a poll of a group.
    fn polls() -> Vec<super::PollView> {
        let open = poll_view(None);
        let of_group = super::PollView { poll: super::Poll { audience: IN_GROUP, ..open.poll }, ..open };
        vec![poll_view(Some(0)), of_group]
    }

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![
                (
                    "polls.list",
                    json!({ "before": POLL.0 }),
                    ok(&super::Listed {
                        polls: polls(),
                        users: users(),
                        groups: group_names(),
                        older: Some(POLL),
                        seq: SEQ,
                    }),
                ),
                (
                    "polls.create",
                    json!({
                        "key": key(), "question": "Tea or coffee?", "options": ["Tea 🌿", "Coffee"],
                        "audience": { "type": "group", "group_id": GROUP.0 },
                    }),
                    ok(&super::One { poll: poll_view(None), users: users(), groups: Vec::new(), seq: SEQ }),
                ),
                (
                    "polls.vote",
                    json!({ "key": key(), "poll_id": POLL.0, "option": 0 }),
                    ok(&super::Voted { poll_id: POLL, choice: 0, tally: Some(vec![128, 0]), seq: SEQ }),
                ),
                (
                    "polls.tallies",
                    json!({ "poll_ids": [POLL.0, 7] }),
                    ok(&super::Tallied {
                        tallies: vec![super::Tally { poll_id: POLL, tally: vec![128, 0] }],
                        seq: SEQ,
                    }),
                ),
                (
                    "polls.voters",
                    json!({ "poll_id": POLL.0, "option": 3, "after": BEN.0 }),
                    ok(&super::Chose { users: users(), more: Some(BEN), seq: SEQ }),
                ),
                ("polls.delete", json!({ "key": key(), "poll_id": POLL.0 }), ok(&super::Done { seq: SEQ })),
            ],
            events: vec![
                Event::PollCreated(super::Created {
                    poll: super::Poll { audience: IN_GROUP, ..poll() },
                    users: users(),
                    groups: group_names(),
                    recipients: some_users(),
                }),
                Event::PollDeleted(super::Deleted {
                    poll_id: POLL,
                    right: Right::Membership(GROUP),
                    recipients: some_users(),
                }),
                Event::PollVoted(super::Chosen {
                    poll_id: POLL,
                    choice: 1,
                    tally: vec![128, 1],
                    voter_id: BEN,
                    right: Right::Following(ANA),
                }),
                Event::PollCounted(super::Counted {
                    poll_id: POLL,
                    tally: vec![128, 2],
                    right: Right::Following(ANA),
                    hidden_from: left_out(),
                }),
            ],
        }
    }
}
