//! For the tests of this room: groups with their actors, a hub, and people who sit there.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use super::{SeatId, SharedSeats};
use crate::access::Viewer;
use crate::clock::Clock;
use crate::features::kit::{Right, Topic};
use crate::features::testing::{ANA, BEN, CLEO, Room};
use crate::features::views::{Audience, Comment, User};
use crate::features::{Event, account, comments, groups, polls, posts};
use crate::ids::{CommentId, GroupId, LoginId, PollId, PostId, Seq, UserId};
use crate::live::entry::Entry;
use crate::live::halls::Presence;
use crate::live::hub::{Hub, Wake};
use crate::live::ring::{Missed, Ring};
use crate::socket::SendQueue;

/// Ana's group.
pub(crate) const TEA: GroupId = GroupId(71);
/// Another of hers.
pub(crate) const CHESS: GroupId = GroupId(72);
/// Ana's post.
pub(crate) const POST: PostId = PostId(31);
pub(crate) const POLL: Topic = Topic::Poll(PollId(41), Right::Membership(TEA));

/// A house with one hub. What is said in it is numbered from 1001 on.
pub(crate) struct House {
    pub(crate) room: Room,
    pub(crate) ring: Arc<Ring>,
    pub(crate) seats: SharedSeats,
    last: Cell<i64>,
}

/// Somebody who sits there.
pub(crate) struct Sitting {
    pub(crate) id: SeatId,
    pub(crate) outbox: Rc<SendQueue>,
    pub(crate) presence: Presence,
}

/// Runs a story in a house of its own.
pub(crate) fn told<F: Future<Output = ()>>(story: impl FnOnce(House) -> F) {
    crate::features::testing::told(|room| async {
        let ring = Arc::new(Ring::new(Seq(1_000), Clock::Real));
        ring.halls().open(room.readers.clone());
        let seats = Hub::start_here(&ring);
        for hub in ring.hubs().all() {
            // It has begun once it answers.
            hub.send(Wake).await.unwrap();
        }
        let halls = ring.halls().clone();
        story(House { room, ring, seats, last: Cell::new(1_000) }).await;
        halls.close();
    });
}

impl House {
    /// Ana has this group, and these are in it beside her.
    pub(crate) fn has_group(&self, group_id: GroupId, members: &[UserId]) {
        let id = group_id.0;
        let group = format!(
            "insert into groups (id, owner_id, name, created_at_ms) values ({id}, {}, 'Tea', 0)",
            ANA.0
        );
        self.room.by_hand(&group).unwrap();
        for user_id in members {
            self.adds(group_id, *user_id);
        }
    }

    /// Somebody is in the group from now on; nobody is told.
    pub(crate) fn adds(&self, group_id: GroupId, user_id: UserId) {
        let (group_id, user_id) = (group_id.0, user_id.0);
        let id = group_id * 100 + user_id;
        let member =
            format!("insert into members (group_id, user_id, id) values ({group_id}, {user_id}, {id})");
        self.room.by_hand(&member).unwrap();
    }

    /// Somebody is not in the group any more; nobody is told.
    pub(crate) fn removes(&self, group_id: GroupId, user_id: UserId) {
        let (group_id, user_id) = (group_id.0, user_id.0);
        let gone = format!("delete from members where group_id = {group_id} and user_id = {user_id}");
        self.room.by_hand(&gone).unwrap();
    }

    /// This happens; returns the last number of it.
    pub(crate) fn says<const COUNT: usize>(&self, events: [Event; COUNT]) -> i64 {
        let first = self.last.get() + 1;
        self.ring.append((first..).map(Seq).zip(events).collect());
        self.last.set(first + i64::try_from(COUNT).unwrap() - 1);
        self.last.get()
    }

    /// Waits until everybody was told what was said.
    pub(crate) async fn is_told(&self) {
        self.ring.told().everybody().await.unwrap();
    }

    /// Somebody comes with a new socket.
    pub(crate) async fn sits(&self, user_id: UserId) -> Sitting {
        self.sits_since(user_id, self.last.get()).await
    }

    /// Somebody comes with a new socket, having read at `since`.
    pub(crate) async fn sits_since(&self, user_id: UserId, since: i64) -> Sitting {
        let presence = self.ring.halls().enter(user_id).await.ok().unwrap();
        let outbox = SendQueue::new(None);
        let mut seats = self.seats.borrow_mut();
        let id = seats.sit(outbox.clone());
        seats.becomes(id, Viewer::User { user_id, login_id: LoginId(9) }, Seq(since));
        Sitting { id, outbox, presence }
    }

    /// A socket ends.
    pub(crate) fn rises(&self, sitting: Sitting) {
        self.seats.borrow_mut().rise(sitting.id);
    }

    /// Returns the numbers of what somebody was told since the last time anybody asked.
    pub(crate) fn heard(&self, sitting: &Sitting) -> Vec<i64> {
        let mut frames = Vec::new();
        while let Some(bytes) = sitting.outbox.take() {
            frames.extend_from_slice(&bytes);
        }
        let Missed::Events(entries) = self.ring.since(Seq(1_000), 0) else { unreachable!("so few") };
        let mut left = &frames[..];
        let mut heard = Vec::new();
        while !left.is_empty() {
            let is_next = |entry: &&Arc<Entry>| left.starts_with(&entry.frame);
            let entry = entries.iter().find(is_next).expect("something that was said");
            heard.push(entry.seq.0);
            left = &left[entry.frame.len()..];
        }
        heard
    }

    /// Returns the entry of this number.
    pub(crate) fn entry(&self, seq: i64) -> Arc<Entry> {
        match self.ring.since(Seq(seq - 1), 1) {
            Missed::Events(entries) => entries[0].clone(),
            Missed::Unknown => unreachable!("it was said"),
        }
    }
}

fn sorted(user_ids: &[UserId]) -> Vec<UserId> {
    let mut user_ids = user_ids.to_vec();
    user_ids.sort_unstable();
    user_ids
}

/// Something that all who are in the group hear.
pub(crate) fn chat(group_id: GroupId) -> Event {
    Event::GroupRenamed(groups::wire::Renamed { group_id, name: "Tea".into() })
}

pub(crate) fn created(group_id: GroupId) -> Event {
    Event::GroupCreated(groups::wire::Created { group: group(group_id, 1), users: Vec::new() })
}

fn group(id: GroupId, members_count: i64) -> groups::wire::Group {
    groups::wire::Group { id, name: "Tea".into(), owner_id: ANA, members_count, created_at_ms: 0 }
}

/// Somebody came; `members` are all who are in it now.
pub(crate) fn joined(user_id: UserId, members: &[UserId]) -> Event {
    let members = sorted(members);
    let user_ids = vec![user_id];
    Event::GroupJoined(groups::wire::Joined { group: group(TEA, 2), user_ids, users: Vec::new(), members })
}

/// Somebody went; `members` are all who are left.
pub(crate) fn left(user_id: UserId, members: &[UserId]) -> Event {
    let (group_id, members) = (TEA, sorted(members));
    Event::GroupLeft(groups::wire::Left { group_id, user_id, members_count: 1, members })
}

pub(crate) fn deleted(members: &[UserId]) -> Event {
    Event::GroupDeleted(groups::wire::Deleted { group_id: TEA, members: sorted(members) })
}

/// A tally of a poll in the group.
pub(crate) fn counted() -> Event {
    let counted =
        polls::wire::Counted { poll_id: PollId(41), tally: vec![1, 0], right: Right::Membership(TEA) };
    Event::PollCounted(counted)
}

/// Somebody comments on Ana's post, which is for the group.
pub(crate) fn commented(group_id: GroupId) -> Event {
    let comment =
        Comment { id: CommentId(51), post_id: POST, author_id: BEN, text: "words".into(), created_at_ms: 0 };
    let created =
        comments::wire::Created { comment, users: Vec::new(), comments_count: 1, group_id: Some(group_id) };
    Event::CommentCreated(created)
}

/// Ana's post is edited.
pub(crate) fn updated(audience: Audience) -> Event {
    let updated = posts::wire::Updated {
        post_id: POST,
        author_id: ANA,
        title: None,
        text: "words".into(),
        audience,
        groups: Vec::new(),
        updated_at_ms: 0,
        followers: Arc::from([BEN, CLEO]),
    };
    Event::PostUpdated(updated)
}

/// Ana's post is gone, or for others now. Ben and Cleo follow her.
pub(crate) fn gone(audience: Audience, stays_with: Option<Audience>) -> Event {
    let people = Arc::from([BEN, CLEO]);
    let gone = posts::wire::Deleted { post_id: POST, author_id: ANA, audience, stays_with, people };
    Event::PostDeleted(gone)
}

pub(crate) fn renamed(user_id: UserId) -> Event {
    let user = User { id: user_id, name: "Ana".into(), photo_url: None };
    Event::UserRenamed(crate::features::profiles::wire::Renamed { user })
}

/// Somebody's account is over.
pub(crate) fn ended(user_id: UserId) -> Event {
    Event::UserDeleted(account::wire::Ended { user_id })
}

pub(crate) const fn of(group_id: GroupId) -> Audience {
    Audience::Group { group_id: Some(group_id) }
}
