//! The state of a client: the result of the replies and events that it applied. At the end it must equal what a fresh
//! client reads.

use std::collections::BTreeMap;

use crate::events::Kind;
use crate::msgpack::{Cursor, canonical, canonical_without, described, entries};

/// The numbers of rows of one page.
const POSTS_PAGE: usize = 30;
const POLLS_PAGE: usize = 20;
const NOTIFICATIONS_PAGE: usize = 30;
/// The number of posts that a client keeps.
const POSTS_KEPT: usize = 120;

/// The fields of a post that are not in `fixed`. Events change them, or no event contains them.
const POST_CHANGES: [&str; 6] =
    ["comments_count", "first_comments", "vote", "saved", "positive_count", "comments_only_for"];

#[derive(Clone, Debug, PartialEq, Eq)]
struct Post {
    /// The fields that never change.
    fixed: Vec<u8>,
    comments: Vec<u8>,
    first_comments: Vec<Vec<u8>>,
    vote: Vec<u8>,
    /// It contains the events up to this write.
    since: u64,
    is_in_feed: bool,
    /// Whether it was read alone. It then stays on the screen after newer posts have pushed it out of the feed.
    is_thread: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Poll {
    fixed: Vec<u8>,
    choice: Vec<u8>,
    tally: Vec<u8>,
    tally_since: u64,
    since: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    fixed: Vec<u8>,
    name: Vec<u8>,
    members: Vec<u8>,
    since: u64,
}

/// The parts of the screen that a client read. A part that it did not read is None, and no event changes it.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The id of the client's user.
    pub me: u64,
    posts: BTreeMap<u64, Post>,
    has_feed: bool,
    polls: Option<BTreeMap<u64, Poll>>,
    groups: Option<BTreeMap<u64, Group>>,
    notifications: Option<BTreeMap<u64, Vec<u8>>>,
}

const NIL: &[u8] = &[0xc0];

fn number(value: &[u8]) -> u64 {
    Cursor::new(value).number().unwrap_or(0)
}

/// Returns the bytes of a field of a map; nil if there is none.
fn field<'a>(map: &'a [u8], name: &str) -> &'a [u8] {
    entries(map).into_iter().find(|(key, _)| *key == name).map_or(NIL, |(_, value)| value)
}

fn elements(array: &[u8]) -> Vec<&[u8]> {
    let mut cursor = Cursor::new(array);
    let count = cursor.array().unwrap_or(0);
    (0..count).map_while(|_| cursor.whole()).collect()
}

/// Reads a post or a post's view.
fn post(map: &[u8], since: u64, is_in_feed: bool) -> (u64, Post) {
    let vote = field(map, "vote");
    let post = Post {
        fixed: canonical_without(map, &POST_CHANGES),
        comments: canonical(field(map, "comments_count")),
        first_comments: elements(field(map, "first_comments")).into_iter().map(canonical).collect(),
        vote: if vote == NIL { b"\xa4none".to_vec() } else { vote.to_vec() },
        since,
        is_in_feed,
        is_thread: !is_in_feed,
    };
    (number(field(map, "id")), post)
}

fn poll(map: &[u8], since: u64) -> (u64, Poll) {
    let poll = Poll {
        fixed: canonical_without(map, &["choice", "tally"]),
        choice: canonical(field(map, "choice")),
        tally: canonical(field(map, "tally")),
        tally_since: since,
        since,
    };
    (number(field(map, "id")), poll)
}

fn group(map: &[u8], since: u64) -> (u64, Group) {
    let group = Group {
        fixed: canonical_without(map, &["name", "members_count"]),
        name: field(map, "name").to_vec(),
        members: canonical(field(map, "members_count")),
        since,
    };
    (number(field(map, "id")), group)
}

impl State {
    /// Makes the state of a user who has read nothing yet.
    #[must_use]
    pub fn of(me: u64) -> Self {
        Self { me, ..Self::default() }
    }

    // ---- what was read --------------------------------------------------------------------

    /// Replaces the feed by the first page in a reply.
    pub fn read_feed(&mut self, message: &[u8]) {
        self.has_feed = true;
        self.posts.values_mut().for_each(|post| post.is_in_feed = false);
        self.read_posts(message, true);
    }

    /// Adds the posts in a reply.
    pub fn read_posts(&mut self, message: &[u8], is_in_feed: bool) {
        let ok = field(message, "ok");
        let since = number(field(ok, "seq"));
        for map in elements(field(ok, "posts")) {
            self.put(post(map, since, is_in_feed));
        }
    }

    /// Adds the post in a reply.
    pub fn read_post(&mut self, message: &[u8]) {
        let ok = field(message, "ok");
        self.put(post(field(ok, "post"), number(field(ok, "seq")), false));
    }

    fn put(&mut self, (id, mut post): (u64, Post)) {
        if let Some(before) = self.posts.get(&id) {
            post.is_in_feed |= before.is_in_feed;
            post.is_thread |= before.is_thread;
        }
        self.posts.insert(id, post);
    }

    /// Replaces the polls by the first page in a reply.
    pub fn read_polls(&mut self, message: &[u8]) {
        let ok = field(message, "ok");
        let since = number(field(ok, "seq"));
        self.polls = Some(elements(field(ok, "polls")).into_iter().map(|map| poll(map, since)).collect());
    }

    /// Replaces the groups by those in a reply.
    pub fn read_groups(&mut self, message: &[u8]) {
        let ok = field(message, "ok");
        let since = number(field(ok, "seq"));
        self.groups = Some(elements(field(ok, "groups")).into_iter().map(|map| group(map, since)).collect());
    }

    /// Replaces the notifications by the first page in a reply.
    pub fn read_notifications(&mut self, message: &[u8]) {
        let page = elements(field(field(message, "ok"), "notifications"));
        let page = page.into_iter().map(|map| (number(field(map, "id")), canonical(map)));
        self.notifications = Some(page.collect());
    }

    // ---- events ---------------------------------------------------------------------------

    /// Applies an event. Applying it twice has the same result as once.
    pub fn apply(&mut self, kind: Kind, seq: u64, message: &[u8]) {
        match kind {
            Kind::PostCreated => self.post_created(seq, message),
            Kind::CommentCreated => self.comment_created(seq, message),
            Kind::VoteChanged => {
                let id = number(field(message, "post_id"));
                if let Some(post) = self.posts.get_mut(&id)
                    && post.since < seq
                {
                    post.vote = field(message, "vote").to_vec();
                }
            }
            Kind::PollCreated | Kind::PollVoted | Kind::PollCounted => self.poll_changed(kind, seq, message),
            Kind::GroupRenamed | Kind::GroupJoined | Kind::GroupLeft => {
                self.group_changed(kind, seq, message);
            }
            Kind::Notified => {
                if let Some(notifications) = &mut self.notifications {
                    let map = field(message, "notification");
                    notifications.insert(number(field(map, "id")), canonical(map));
                }
            }
            Kind::Hello
            | Kind::Beat
            | Kind::VotesCounted
            | Kind::MoodChanged
            | Kind::ThemeChanged
            | Kind::Other => {}
        }
    }

    fn post_created(&mut self, seq: u64, message: &[u8]) {
        let posts = &mut self.posts;
        let (id, post) = post(field(message, "post"), seq, true);
        posts.entry(id).or_insert(post).is_in_feed = true;
        if posts.values().filter(|post| post.is_in_feed).count() > POSTS_KEPT {
            // The oldest post is beyond the pages that are compared. It is removed unless it was read alone.
            if let Some(post) = posts.values_mut().find(|post| post.is_in_feed) {
                post.is_in_feed = false;
            }
            posts.retain(|_, post| post.is_in_feed || post.is_thread);
        }
    }

    fn comment_created(&mut self, seq: u64, message: &[u8]) {
        let comment = field(message, "comment");
        let id = number(field(comment, "post_id"));
        let Some(post) = self.posts.get_mut(&id) else { return };
        if post.since >= seq {
            return;
        }
        post.comments = canonical(field(message, "comments_count"));
        post.since = seq;
        let comment = canonical(comment);
        if post.first_comments.len() < 2 && !post.first_comments.contains(&comment) {
            post.first_comments.push(comment);
        }
    }

    fn poll_changed(&mut self, kind: Kind, seq: u64, message: &[u8]) {
        let Some(polls) = &mut self.polls else { return };
        if kind == Kind::PollCreated {
            let (id, poll) = poll(field(message, "poll"), seq);
            polls.entry(id).or_insert(poll);
            return;
        }
        let Some(poll) = polls.get_mut(&number(field(message, "poll_id"))) else { return };
        if kind == Kind::PollVoted && poll.since < seq {
            poll.choice = canonical(field(message, "choice"));
        }
        if poll.tally_since < seq {
            poll.tally = canonical(field(message, "tally"));
            poll.tally_since = seq;
        }
    }

    fn group_changed(&mut self, kind: Kind, seq: u64, message: &[u8]) {
        let id = match kind {
            Kind::GroupJoined => number(field(field(message, "group"), "id")),
            _ => number(field(message, "group_id")),
        };
        let has_left = kind == Kind::GroupLeft && number(field(message, "user_id")) == self.me;
        if has_left {
            // The posts of the group leave the screen, except those of the user.
            let me = self.me;
            self.posts.retain(|_, post| {
                number(field(field(&post.fixed, "audience"), "group_id")) != id
                    || number(field(&post.fixed, "author_id")) == me
                    || post.since > seq
            });
        }
        let Some(groups) = &mut self.groups else { return };
        if groups.get(&id).is_some_and(|group| group.since >= seq) {
            return;
        }
        if kind == Kind::GroupJoined {
            groups.extend([group(field(message, "group"), seq)]);
        } else if has_left {
            groups.remove(&id);
        } else if let Some(group) = groups.get_mut(&id) {
            match kind {
                Kind::GroupRenamed => group.name = field(message, "name").to_vec(),
                _ => group.members = canonical(field(message, "members_count")),
            }
        }
    }

    /// Returns whether older posts belong to the feed after this event: the event added the user to a group, or removed
    /// so many posts that older ones move onto the page.
    #[must_use]
    pub fn lacks_posts(&self, kind: Kind, message: &[u8]) -> bool {
        let is_me = |id: &&[u8]| number(id) == self.me;
        self.has_feed
            && match kind {
                Kind::GroupJoined => elements(field(message, "user_ids")).iter().any(is_me),
                Kind::GroupLeft => {
                    let in_feed = self.posts.values().filter(|post| post.is_in_feed);
                    is_me(&field(message, "user_id")) && in_feed.count() < POSTS_PAGE
                }
                _ => false,
            }
    }

    /// Returns the posts of the feed's first page.
    #[must_use]
    pub fn page(&self) -> Vec<u64> {
        let in_feed = self.posts.iter().rev().filter(|(_, post)| post.is_in_feed);
        in_feed.map(|(id, _)| *id).take(POSTS_PAGE).collect()
    }

    /// Removes these posts, and the feed beyond its first page, so that the feed has no gap.
    pub fn leave(&mut self, posts: &[u64]) {
        let page = self.page();
        for (id, post) in &mut self.posts {
            post.is_in_feed &= page.contains(id);
        }
        self.posts.retain(|id, post| !posts.contains(id) && (post.is_in_feed || post.is_thread));
    }

    // ---- comparing ------------------------------------------------------------------------

    /// Returns the posts of this list that the state has.
    #[must_use]
    pub fn known(&self, posts: &[u64]) -> Vec<u64> {
        posts.iter().filter(|id| self.posts.contains_key(id)).copied().collect()
    }

    /// Returns the lines of the state. They are compared with those of a fresh client that also read `threads`.
    #[must_use]
    pub fn lines(&self, threads: &[u64]) -> Vec<(String, Vec<u8>)> {
        let mut lines = Vec::new();
        let post_line = |post: &Post| {
            let parts = [&post.fixed[..], &post.comments, &post.vote].concat();
            post.first_comments.iter().fold(parts, |parts, comment| [parts, comment.clone()].concat())
        };
        if self.has_feed {
            let posts = &self.posts;
            let feed = posts.iter().rev().filter(|(_, post)| post.is_in_feed).take(POSTS_PAGE);
            lines.extend(feed.map(|(id, post)| (format!("the post {id} of the feed"), post_line(post))));
            let threads = threads.iter().filter_map(|id| Some((id, posts.get(id)?)));
            lines.extend(threads.map(|(id, post)| (format!("the post {id}"), post_line(post))));
        }
        for (id, poll) in self.polls.iter().flat_map(|polls| polls.iter().rev().take(POLLS_PAGE)) {
            lines.push((format!("the poll {id}"), [&poll.fixed[..], &poll.choice, &poll.tally].concat()));
        }
        for (id, group) in self.groups.iter().flatten() {
            lines.push((format!("the group {id}"), [&group.fixed[..], &group.name, &group.members].concat()));
        }
        lines
    }

    /// Compares the notifications. A full list loses older ones (N6), whose events these clients do not read, so a
    /// client may have more than a fresh client reads, and the page of a fresh client may go back further.
    fn difference_of_notifications(&self, fresh: &Self) -> Option<String> {
        let (own, fresh) = self.notifications.as_ref().zip(fresh.notifications.as_ref())?;
        let oldest = own.keys().next();
        let page = fresh.iter().rev().take(NOTIFICATIONS_PAGE);
        let differs =
            page.filter(|(id, _)| oldest.is_none_or(|oldest| *id >= oldest)).find_map(|(id, line)| {
                let held = own.get(id);
                (held != Some(line)).then(|| match held {
                    Some(held) => format!(
                        "the notification {id} is {}, and a fresh client reads {}",
                        described_parts(held),
                        described_parts(line)
                    ),
                    None => format!("lacks the notification {id}"),
                })
            });
        let extra = || own.keys().find(|id| fresh.len() < NOTIFICATIONS_PAGE && !fresh.contains_key(id));
        differs
            .or_else(|| extra().map(|id| format!("has the notification {id}, and a fresh client does not")))
    }

    /// Returns the first difference from what a fresh client read; None if they are equal.
    #[must_use]
    pub fn difference(&self, fresh: &Self, threads: &[u64]) -> Option<String> {
        self.difference_of_lines(fresh, threads).or_else(|| self.difference_of_notifications(fresh))
    }

    fn difference_of_lines(&self, fresh: &Self, threads: &[u64]) -> Option<String> {
        let (own, fresh) = (self.lines(threads), fresh.lines(threads));
        let differs = own.iter().zip(&fresh).find(|(own, fresh)| own != fresh);
        match differs {
            Some(((what, own), (other, fresh))) if what == other => Some(format!(
                "{what} is {}, and a fresh client reads {}",
                described_parts(own),
                described_parts(fresh)
            )),
            Some(((what, _), (other, _))) => Some(format!("has {what} where a fresh client reads {other}")),
            None if own.len() != fresh.len() => {
                Some(format!("has {} things, and a fresh client reads {}", own.len(), fresh.len()))
            }
            None => None,
        }
    }
}

/// Returns several values as readable text.
fn described_parts(parts: &[u8]) -> String {
    let mut cursor = Cursor::new(parts);
    let parts: Vec<String> = std::iter::from_fn(|| (!cursor.is_at_end()).then(|| cursor.whole()).flatten())
        .map(described)
        .collect();
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::msgpack::Writer;

    fn comment(id: u64, seq: u64, count: u64) -> Vec<u8> {
        let out = Writer::default().map(4).text("ev").text("comments.created").text("seq").number(seq);
        let out = out.text("comment").map(2).text("id").number(id).text("post_id").number(7);
        out.text("comments_count").number(count).done()
    }

    fn page(seq: u64, comments: &[u64]) -> Vec<u8> {
        let out = Writer::default().map(2).text("re").number(1).text("ok").map(2).text("seq").number(seq);
        let out = out.text("posts").array(1).map(4).text("vote").text("none").text("id").number(7);
        let out = out.text("comments_count").number(comments.len() as u64);
        let first = &comments[..comments.len().min(2)];
        let out = first.iter().fold(out.text("first_comments").array(first.len()), |out, id| {
            // The order of the keys differs from that in the event.
            out.map(2).text("post_id").number(7).text("id").number(*id)
        });
        out.done()
    }

    #[test]
    fn events_lead_to_the_state_of_a_fresh_client() {
        let mut state = State::default();
        state.read_feed(&page(5, &[30]));
        // An event that the read contains, and an event that comes twice, do not change the state.
        for message in [(30, 4, 1), (31, 6, 2), (31, 6, 2), (32, 8, 3)] {
            let (id, seq, count) = message;
            state.apply(Kind::CommentCreated, seq, &comment(id, seq, count));
        }
        let mut fresh = State::default();
        fresh.read_feed(&page(8, &[30, 31, 32]));
        assert_eq!(state.difference(&fresh, &[7]), None);
        fresh.read_feed(&page(9, &[30, 31, 32, 33]));
        let says = state.difference(&fresh, &[]).unwrap();
        assert!(says.contains("the post 7 of the feed is") && says.contains(" 3 "), "{says}");
    }

    #[test]
    fn only_a_full_list_may_lack_notifications() {
        let notified = |ids: &[u64]| {
            let out = Writer::default().map(1).text("ok").map(1).text("notifications").array(ids.len());
            let page = ids.iter().fold(out, |out, id| out.map(1).text("id").number(*id)).done();
            let mut state = State::default();
            state.read_notifications(&page);
            state
        };
        let numbers = |from: u64, to: u64| (from..=to).rev().collect::<Vec<_>>();
        let own = notified(&numbers(40, 80));
        // The fresh client reads thirty rows of a list that lost 79, and thirty rows of a list that goes back further.
        let dropped = [vec![80], numbers(50, 78)].concat();
        assert_eq!(own.difference(&notified(&dropped), &[]), None);
        let further = [numbers(60, 80), numbers(31, 39)].concat();
        assert_eq!(own.difference(&notified(&further), &[]), None);
        let lacks = |own: &[u64], fresh: &[u64]| notified(own).difference(&notified(fresh), &[]).unwrap();
        assert_eq!(lacks(&[9, 7], &[9, 8, 7]), "lacks the notification 8");
        assert_eq!(lacks(&[], &[9]), "lacks the notification 9");
        assert_eq!(lacks(&[9, 8, 7], &[9, 7]), "has the notification 8, and a fresh client does not");
    }
}
