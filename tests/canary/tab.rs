//! A tab of a user. It sends requests, and connects again when its connection ends.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};

use crate::support::person::Person;
use crate::support::socket::{Refused, Socket, State};

/// A message, decoded and as bytes.
pub type Message = (Value, Vec<u8>);

/// The messages that one socket received since they were last taken, and the requests of their replies.
pub struct Inbox {
    pub viewer: usize,
    ops: HashMap<u32, &'static str>,
    /// The profiles that the tab showed.
    pub profiles: BTreeSet<i64>,
    pub messages: Vec<Message>,
}

impl Inbox {
    /// Takes the messages of a page that is no tab. The requests of its replies are not known.
    pub fn of(viewer: usize, page: &Socket) -> Self {
        let messages = messages_of(page);
        Self { viewer, ops: HashMap::new(), profiles: BTreeSet::new(), messages }
    }

    /// Returns the name of an event, or the `op` of a reply.
    pub fn kind<'a>(&'a self, message: &'a Value) -> &'a str {
        let id = message["re"].as_u64().and_then(|id| u32::try_from(id).ok());
        let op = id.and_then(|id| self.ops.get(&id).copied());
        message["ev"].as_str().or(op).unwrap_or("reply")
    }
}

/// Takes what a socket received since it was last taken.
fn messages_of(socket: &Socket) -> Vec<Message> {
    let take = |state: &mut State| Some((std::mem::take(&mut state.log), std::mem::take(&mut state.bytes)));
    let (log, bytes) = socket.peek(take).unwrap();
    log.into_iter().zip(bytes).collect()
}

pub struct Tab {
    pub viewer: usize,
    pub person: Person,
    ops: HashMap<u32, &'static str>,
    profiles: BTreeSet<i64>,
    epoch: String,
    /// The messages of earlier sockets.
    before: Vec<Inbox>,
}

impl Tab {
    pub async fn new(viewer: usize, person: &Person) -> Self {
        let person = person.opens_another_tab().await;
        let epoch = person.socket.hello().await["epoch"].as_str().unwrap().to_owned();
        Self { viewer, person, ops: HashMap::new(), profiles: BTreeSet::new(), epoch, before: Vec::new() }
    }

    fn takes(&mut self) -> Inbox {
        Inbox {
            viewer: self.viewer,
            ops: std::mem::take(&mut self.ops),
            profiles: self.profiles.clone(),
            messages: messages_of(&self.person.socket),
        }
    }

    /// Takes everything that was received, also on earlier sockets. Every request must be answered.
    pub fn hears(&mut self) -> Vec<Inbox> {
        let mut all = std::mem::take(&mut self.before);
        all.push(self.takes());
        all
    }

    /// Cuts the socket, opens a new one, and resumes with this cursor.
    pub async fn comes_back(&mut self, seq: i64, posts: &[i64], profiles: &[i64]) {
        let inbox = self.takes();
        self.before.push(inbox);
        self.person.reconnects().await;
        self.profiles = profiles.iter().copied().collect();
        let fields = json!({ "epoch": self.epoch, "seq": seq, "posts": posts, "profiles": profiles });
        self.person.asks("live.resume", fields).await;
    }

    /// Sends a request. If the socket ends meanwhile or the reply is `busy`, it is sent again with its key.
    pub async fn asks(&mut self, op: &'static str, fields: &Value) -> Result<Value, Refused> {
        loop {
            let id = self.person.socket.sends(op, fields.clone()).await;
            self.ops.insert(id, op);
            if ["profiles.get", "posts.by_author"].contains(&op) {
                self.profiles.extend(fields["user_id"].as_i64());
            }
            let reply = loop {
                let find = |state: &mut State| {
                    let found = state.log.iter().rev().find(|message| message["re"] == json!(id)).cloned();
                    found.map(Some).or_else(|| state.closed.is_some().then_some(None))
                };
                match self.person.socket.peek(find) {
                    Some(reply) => break reply,
                    None => self.person.socket.changes_or_ends().await,
                }
            };
            let Some(reply) = reply else {
                let inbox = self.takes();
                self.before.push(inbox);
                self.person.reconnects().await;
                self.profiles.clear();
                continue;
            };
            match reply.get("err") {
                Some(err) if err["code"] == "busy" => {}
                Some(err) => return Err(Refused::read(err)),
                None => return Ok(reply["ok"].clone()),
            }
        }
    }
}
