//! Decodes the parts of a message that the checks need: its kind and a few fields.

use crate::msgpack::Cursor;

macro_rules! kinds {
    ($($kind:ident = $name:literal,)*) => {
        /// The events that the plan causes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($kind,)*
            /// Any other event.
            Other,
        }

        impl Kind {
            /// Returns the event of this name.
            #[must_use]
            pub fn named(name: &str) -> Self {
                match name {
                    $($name => Self::$kind,)*
                    _ => Self::Other,
                }
            }

            /// Returns the name of the event.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                    Self::Other => "another event",
                }
            }
        }
    };
}

kinds! {
    Hello = "hello",
    Beat = "beat",
    PostCreated = "posts.created",
    CommentCreated = "comments.created",
    VoteChanged = "votes.changed",
    VotesCounted = "votes.counted",
    MoodChanged = "moods.changed",
    Notified = "notifications.created",
    PollCreated = "polls.created",
    PollVoted = "polls.voted",
    PollCounted = "polls.counted",
    GroupRenamed = "groups.renamed",
    GroupJoined = "groups.joined",
    GroupLeft = "groups.left",
    ThemeChanged = "theme.changed",
}

impl Kind {
    /// Returns whether the event is a count. Only the newest value of a count is delivered, a little later and out of
    /// order.
    #[must_use]
    pub fn is_count(self) -> bool {
        matches!(self, Self::VotesCounted | Self::PollCounted)
    }

    /// Returns whether the event is transient. A transient event is not replayed.
    #[must_use]
    pub fn is_transient(self) -> bool {
        matches!(self, Self::PollCounted)
    }

    /// Returns whether the event concerns the connection or the site. No action causes it.
    #[must_use]
    pub fn is_of_nobody(self) -> bool {
        matches!(self, Self::Hello | Self::Beat | Self::ThemeChanged)
    }
}

/// The counts by option. A count with one number has it first.
pub type Counts = [u32; 4];

/// The fields of an event that are checked. A field that the event does not have is 0 or None.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The id of the post, comment, poll, group or user that is made or changed.
    pub subject: u64,
    /// The id of the post of a comment, or of the user of a membership.
    pub second: u64,
    /// The number of the action, which every text of the test contains.
    pub mark: Option<u64>,
    pub counts: Option<Counts>,
    pub choice: Option<u64>,
    pub vote: Option<String>,
    /// The field `sent` of a `beat`.
    pub sent: Option<u64>,
    pub epoch: Option<String>,
    pub now_ms: u64,
}

/// Precedes the number of the action in every text of the test.
pub const MARK: char = '#';

fn mark_in(text: &str) -> Option<u64> {
    let digits = &text[text.find(MARK)? + MARK.len_utf8()..];
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

/// The beginning of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    Event { kind: Kind, seq: u64 },
    Reply { re: u64 },
}

/// Returns the kind of a message; None if it is neither an event nor a reply.
#[must_use]
pub fn head(message: &[u8]) -> Option<Head> {
    let mut cursor = Cursor::new(message);
    let (mut kind, mut seq) = (None, None);
    for _ in 0..cursor.map()? {
        match cursor.text()? {
            "ev" => kind = Some(Kind::named(cursor.text()?)),
            "seq" => seq = Some(cursor.number()?),
            "re" => return Some(Head::Reply { re: cursor.number()? }),
            _ => cursor.skip()?,
        }
        if let (Some(kind), Some(seq)) = (kind, seq) {
            return Some(Head::Event { kind, seq });
        }
    }
    None
}

/// Returns the checked fields of an event; None if the event breaks the protocol.
#[must_use]
pub fn facts(kind: Kind, message: &[u8]) -> Option<Facts> {
    let mut cursor = Cursor::new(message);
    let mut facts = Facts::default();
    for _ in 0..cursor.map()? {
        match cursor.text()? {
            "post" | "comment" | "poll" | "group" | "mood" | "notification" => {
                inner_facts(kind, &mut cursor, &mut facts)?;
            }
            "post_id" | "poll_id" | "group_id" => facts.subject = cursor.number()?,
            "user_id" => facts.second = cursor.number()?,
            "user_ids" => {
                for _ in 0..cursor.array()? {
                    facts.second = cursor.number()?;
                }
            }
            "name" => facts.mark = mark_in(cursor.text()?),
            "comments_count" | "positive_count" => facts.counts = Some([small(cursor.number()?), 0, 0, 0]),
            "members_count" => facts.counts = Some([small(cursor.number()?), 0, 0, 0]),
            "tally" => facts.counts = tally(&mut cursor)?,
            "choice" => facts.choice = Some(cursor.number()?),
            "vote" => facts.vote = Some(cursor.text()?.to_owned()),
            "sent" => facts.sent = Some(cursor.number()?),
            "epoch" => facts.epoch = Some(cursor.text()?.to_owned()),
            "now_ms" => facts.now_ms = cursor.number()?,
            _ => cursor.skip()?,
        }
    }
    Some(facts)
}

fn small(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn tally(cursor: &mut Cursor<'_>) -> Option<Option<Counts>> {
    if cursor.nil() {
        return Some(None);
    }
    let mut counts = Counts::default();
    for place in 0..cursor.array()? {
        *counts.get_mut(place)? = small(cursor.number()?);
    }
    Some(Some(counts))
}

/// Reads the map of the post, comment, poll, group, mood or notification of an event.
fn inner_facts(kind: Kind, cursor: &mut Cursor<'_>, facts: &mut Facts) -> Option<()> {
    for _ in 0..cursor.map()? {
        match (kind, cursor.text()?) {
            (Kind::Notified, "comment_id") => {
                facts.subject = if cursor.nil() { 0 } else { cursor.number()? };
            }
            (Kind::MoodChanged, "user_id") => facts.subject = cursor.number()?,
            (Kind::CommentCreated, "post_id") => facts.second = cursor.number()?,
            (Kind::Notified | Kind::MoodChanged, _) => cursor.skip()?,
            (_, "id") => facts.subject = cursor.number()?,
            (_, "text" | "question") => facts.mark = mark_in(cursor.text()?),
            (Kind::GroupJoined, "members_count") => {
                facts.counts = Some([small(cursor.number()?), 0, 0, 0]);
            }
            _ => cursor.skip()?,
        }
    }
    Some(())
}

/// The parts of a reply that are checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The code and the sentence of a refusal.
    pub refusal: Option<(String, String)>,
    pub seq: u64,
    pub resync: bool,
    /// The post, comment, poll or group that was made.
    pub id: u64,
    pub counts: Option<Counts>,
    /// The posts of a page, newest first.
    pub posts: Vec<u64>,
    /// The polls of a list, with the tally if the viewer voted.
    pub polls: Vec<(u64, Option<Counts>)>,
    pub ticket: Option<String>,
    /// The id of the viewer.
    pub me: u64,
}

/// Reads a reply; None if it breaks the protocol.
#[must_use]
pub fn reply(message: &[u8]) -> Option<Reply> {
    let mut cursor = Cursor::new(message);
    let mut reply = Reply::default();
    for _ in 0..cursor.map()? {
        match cursor.text()? {
            "ok" => granted(&mut cursor, &mut reply)?,
            "err" => {
                let (mut code, mut sentence) = (String::new(), String::new());
                for _ in 0..cursor.map()? {
                    match cursor.text()? {
                        "code" => cursor.text()?.clone_into(&mut code),
                        "message" => cursor.text()?.clone_into(&mut sentence),
                        _ => cursor.skip()?,
                    }
                }
                reply.refusal = Some((code, sentence));
            }
            _ => cursor.skip()?,
        }
    }
    Some(reply)
}

fn granted(cursor: &mut Cursor<'_>, reply: &mut Reply) -> Option<()> {
    for _ in 0..cursor.map()? {
        match cursor.text()? {
            "seq" => reply.seq = cursor.number()?,
            "resync" => reply.resync = cursor.boolean()?,
            "ticket" => reply.ticket = Some(cursor.text()?.to_owned()),
            "tally" => reply.counts = tally(cursor)?,
            "post" | "comment" | "poll" | "group" => reply.id = id_and_tally(cursor)?.0,
            "me" => reply.me = id_and_tally(cursor)?.0,
            "posts" => {
                for _ in 0..cursor.array()? {
                    reply.posts.push(id_and_tally(cursor)?.0);
                }
            }
            "polls" => {
                for _ in 0..cursor.array()? {
                    reply.polls.push(id_and_tally(cursor)?);
                }
            }
            _ => cursor.skip()?,
        }
    }
    Some(())
}

fn id_and_tally(cursor: &mut Cursor<'_>) -> Option<(u64, Option<Counts>)> {
    let (mut id, mut counts) = (0, None);
    for _ in 0..cursor.map()? {
        match cursor.text()? {
            "id" => id = cursor.number()?,
            "tally" => counts = tally(cursor)?,
            _ => cursor.skip()?,
        }
    }
    Some((id, counts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::msgpack::Writer;

    #[test]
    fn an_event_is_decoded_to_its_checked_fields() {
        let comment = Writer::default().map(4).text("ev").text("comments.created").text("seq").number(9);
        let comment = comment.text("comment").map(3).text("id").number(70).text("post_id").number(60);
        let comment = comment.text("text").text("Yes, #12 it is").text("comments_count").number(3).done();
        let head = head(&comment).unwrap();
        assert_eq!(head, Head::Event { kind: Kind::CommentCreated, seq: 9 });
        let facts = facts(Kind::CommentCreated, &comment).unwrap();
        assert_eq!((facts.subject, facts.second, facts.mark), (70, 60, Some(12)));
        assert_eq!(facts.counts, Some([3, 0, 0, 0]));
    }

    #[test]
    fn a_reply_is_decoded_to_an_id_or_a_refusal() {
        let made = Writer::default().map(2).text("re").number(4).text("ok").map(2);
        let made = made.text("post").map(1).text("id").number(6).text("seq").number(8).done();
        assert_eq!(head(&made), Some(Head::Reply { re: 4 }));
        assert_eq!(reply(&made), Some(Reply { id: 6, seq: 8, ..Reply::default() }));
        let refused = Writer::default().map(2).text("re").number(4).text("err").map(2);
        let refused = refused.text("code").text("slow_down").text("message").text("Slow down.").done();
        let refusal = reply(&refused).unwrap().refusal;
        assert_eq!(refusal, Some(("slow_down".into(), "Slow down.".into())));
        assert_eq!(reply(&refused[..refused.len() - 1]), None);
    }
}
