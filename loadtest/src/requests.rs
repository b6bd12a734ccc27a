//! The requests of the clients, and the events that each request must cause.

use std::collections::HashMap;

use fixedbitset::FixedBitSet;

use crate::check::Checker;
use crate::community::{Community, Ids, OPTIONS, option_text};
use crate::counts::Counted;
use crate::events::{Kind, Reply};
use crate::expected::{Expected, set_of};
use crate::limits::NOTIFICATIONS_UNSEEN_PER_ACTOR;
use crate::msgpack::Writer;
use crate::plan::{Action, Due};

/// Begins a request with `fields` fields in addition to its id and operation.
fn request(id: u64, op: &str, fields: u8) -> Writer {
    Writer::default().map(fields + 2).text("id").number(id).text("op").text(op)
}

/// Returns a request without fields.
#[must_use]
pub fn plain(id: u64, op: &str) -> Vec<u8> {
    request(id, op, 0).done()
}

/// Returns the request to read posts again.
#[must_use]
pub fn refresh(id: u64, posts: &[u64]) -> Vec<u8> {
    let out = request(id, "posts.refresh", 1).text("post_ids").array(posts.len());
    posts.iter().fold(out, |out, post| out.number(*post)).done()
}

/// Returns the request to leave posts.
#[must_use]
pub fn leave(id: u64, posts: &[u64]) -> Vec<u8> {
    let out = request(id, "live.leave", 2).text("posts").array(posts.len());
    posts.iter().fold(out, |out, post| out.number(*post)).text("profiles").array(0).done()
}

/// Returns the request to resume with this cursor.
#[must_use]
pub fn resume(id: u64, epoch: &str, seq: u64, posts: &[u64]) -> Vec<u8> {
    let out = request(id, "live.resume", 4).text("epoch").text(epoch).text("seq").number(seq);
    let out = posts.iter().fold(out.text("posts").array(posts.len()), |out, post| out.number(*post));
    out.text("profiles").array(0).done()
}

const POST: &str = "Woke before the alarm and walked the long way round the lake. Mist on the water, one heron, \
    nobody else. I keep thinking that the hour before the messages start is the one that decides the day.";
const COMMENT: &str = "This is exactly the hour I lost somewhere last winter. Thank you for the reminder.";

/// The community during a run. The replies until now decide who is in which group.
pub struct Scene {
    pub community: Community,
    pub ids: Ids,
    members: Vec<FixedBitSet>,
    /// The number of comments, by the author of the post and the author of the comment. The server makes no
    /// notification if too many unseen ones have the same actor, and no client of the test marks a notification as
    /// seen.
    notified: HashMap<(usize, usize), i64>,
}

impl Scene {
    /// Begins with the members from before the run.
    #[must_use]
    pub fn new(community: Community, ids: Ids) -> Self {
        let members = community.groups.iter();
        let members = members
            .map(|group| set_of(community.len(), group.members.iter().copied().chain([group.owner])))
            .collect();
        Self { community, ids, members, notified: HashMap::new() }
    }

    /// Returns the request of an action.
    #[must_use]
    pub fn request(&self, id: u64, due: &Due, key: &[u8; 16], slot: &str) -> Vec<u8> {
        let Self { ids, .. } = self;
        let keyed = |op: &str, fields: u8| request(id, op, fields + 1).text("key").bytes(key);
        let public = |out: Writer| out.text("audience").map(1).text("type").text("public");
        let mark = due.number;
        match due.action {
            Action::ReadFeed => plain(id, "posts.feed"),
            Action::ReadThread { thread } => {
                request(id, "posts.get", 1).text("post_id").number(ids.threads[thread]).done()
            }
            Action::Post => {
                let out = keyed("posts.create", 3).text("title").text("The hour before the messages");
                public(out.text("text").text(&format!("#{mark} {POST}"))).done()
            }
            Action::PostToGroup { group } => {
                let out = keyed("posts.create", 2).text("text").text(&format!("#{mark} {POST}"));
                let out = out.text("audience").map(2).text("type").text("group");
                out.text("group_id").number(ids.groups[group]).done()
            }
            Action::Comment { thread } => {
                let out = keyed("comments.create", 3).text("post_id").number(ids.threads[thread]);
                public(out.text("text").text(&format!("#{mark} {COMMENT}"))).done()
            }
            Action::Vote { thread, vote, .. } => {
                let out = keyed("votes.set", 2).text("post_id").number(ids.threads[thread]);
                out.text("vote").text(vote.word()).done()
            }
            Action::AskPoll => {
                let out =
                    keyed("polls.create", 3).text("question").text(&format!("What comes first? #{mark}"));
                let out = (0..OPTIONS)
                    .fold(out.text("options").array(OPTIONS), |out, option| out.text(option_text(option)));
                public(out).done()
            }
            Action::VoteInPoll { poll, option } => {
                let out = keyed("polls.vote", 2).text("poll_id").number(ids.polls[poll]);
                out.text("option").number(option as u64).done()
            }
            Action::SetMood { mood } => {
                let out = keyed("moods.set", 3).text("slot").text(slot).text("mood").text(mood);
                out.text("zone").text("UTC").done()
            }
            Action::Rename { group } => {
                let out = keyed("groups.rename", 2).text("group_id").number(ids.groups[group]);
                out.text("name").text(&format!("Group #{mark}")).done()
            }
            Action::Remove { group, member } => {
                let out = keyed("groups.remove", 2).text("group_id").number(ids.groups[group]);
                out.text("user_id").number(ids.users[member]).done()
            }
            Action::Add { group, member } => {
                let out = keyed("groups.add", 2).text("group_id").number(ids.groups[group]);
                out.text("user_ids").array(1).number(ids.users[member]).done()
            }
        }
    }

    /// Returns the count that an action changes, and the user who may receive it.
    fn counted(&self, due: &Due) -> Option<(Counted, usize)> {
        match due.action {
            Action::Comment { thread } => Some((Counted::Comments(self.ids.threads[thread]), due.person)),
            Action::Vote { thread, .. } => {
                Some((Counted::Votes(self.ids.threads[thread]), self.community.threads[thread]))
            }
            Action::VoteInPoll { poll, .. } => Some((Counted::PollVotes(self.ids.polls[poll]), due.person)),
            _ => None,
        }
    }

    /// Informs the checker that the request of an action is sent.
    pub fn sent(&self, due: &Due, checker: &mut Checker) {
        if let Some((counted, recipient)) = self.counted(due) {
            checker.request_sent(counted, [recipient]);
        }
    }

    /// Informs the checker of the reply to an action: of the change of a count, and of the events that the action must
    /// cause.
    pub fn reply_received(
        &mut self,
        due: &Due,
        reply: &Reply,
        checker: &mut Checker,
        due_us: u64,
        now_us: u64,
    ) {
        let (seq, person) = (reply.seq, due.person);
        let is_done = reply.refusal.is_none();
        if let Some((counted, _)) = self.counted(due) {
            let change = match due.action {
                Action::Vote { positive, .. } => (seq, 0, positive),
                Action::VoteInPoll { option, .. } => (seq, option, 1),
                _ => (seq, 0, 1),
            };
            checker.changed(counted, is_done.then_some(change));
            if let (Counted::PollVotes(_), Some(counts)) = (counted, reply.counts) {
                checker.received(counted, person, seq, counts);
            }
        }
        if !is_done || matches!(due.action, Action::ReadFeed | Action::ReadThread { .. }) {
            return;
        }
        let expected = self.expected(due, reply, checker);
        checker.acted(seq, format!("{:?} by person {person}", due.action), due_us, expected, now_us);
    }

    fn expected(&mut self, due: &Due, reply: &Reply, checker: &Checker) -> Vec<Expected> {
        let Self { community, ids, members, notified } = self;
        let (len, person, mark) = (community.len(), due.person, Some(due.number));
        let own = || set_of(len, [person]);
        let followers = || set_of(len, community.followers[person].iter().copied().chain([person]));
        match due.action {
            Action::ReadFeed | Action::ReadThread { .. } => Vec::new(),
            Action::Post => {
                vec![Expected { mark, ..Expected::new(Kind::PostCreated, reply.id, followers()) }]
            }
            Action::PostToGroup { group } => {
                vec![Expected { mark, ..Expected::new(Kind::PostCreated, reply.id, members[group].clone()) }]
            }
            Action::Comment { thread } => {
                let (post, author) = (ids.threads[thread], community.threads[thread]);
                let showing = checker.showing(post, reply.seq);
                let comment = Expected::new(Kind::CommentCreated, reply.id, showing);
                let mut expected = vec![Expected { mark, second: post, ..comment }];
                if author != person {
                    let notified = notified.entry((author, person)).or_default();
                    *notified += 1;
                    let mut event = Expected::new(Kind::Notified, reply.id, set_of(len, [author]));
                    // The limit is not exact. A notification of a follow may be among the unseen ones, and the oldest
                    // unseen ones are deleted.
                    if *notified >= NOTIFICATIONS_UNSEEN_PER_ACTOR {
                        std::mem::swap(&mut event.must, &mut event.may);
                    }
                    expected.push(event);
                }
                expected
            }
            Action::Vote { thread, vote, .. } => {
                let changed = Expected::new(Kind::VoteChanged, ids.threads[thread], own());
                vec![Expected { vote: Some(vote.word()), ..changed }]
            }
            Action::AskPoll => {
                vec![Expected { mark, ..Expected::new(Kind::PollCreated, reply.id, followers()) }]
            }
            Action::VoteInPoll { poll, .. } => vec![Expected::new(Kind::PollVoted, ids.polls[poll], own())],
            Action::SetMood { .. } => vec![Expected::new(Kind::MoodChanged, ids.users[person], followers())],
            Action::Rename { group } => {
                let renamed = Expected::new(Kind::GroupRenamed, ids.groups[group], members[group].clone());
                vec![Expected { mark, ..renamed }]
            }
            Action::Remove { group, member } => {
                let left = Expected::new(Kind::GroupLeft, ids.groups[group], members[group].clone());
                members[group].remove(member);
                vec![Expected { second: ids.users[member], ..left }]
            }
            Action::Add { group, member } => {
                members[group].insert(member);
                let joined = Expected::new(Kind::GroupJoined, ids.groups[group], members[group].clone());
                vec![Expected { second: ids.users[member], ..joined }]
            }
        }
    }
}
