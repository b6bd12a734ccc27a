//! A person with a page at a front. If its socket is closed, the page comes back and resumes, as pages do, and sends a
//! request that was not answered again, with the same key.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::TIMEOUT;
use crate::support::person::{Person, post, texts};
use crate::support::socket::{Socket, State};
use crate::support::value::key;

/// Pause between two attempts to connect, and before a request that was refused as `busy` is sent again.
const AGAIN: Duration = Duration::from_millis(20);

pub struct Page {
    pub person: Person,
    /// How often it came back.
    pub returns: u64,
    /// The history and the last write of its first `hello`. It always resumes from there, so every event comes again.
    since: Option<(Value, Value)>,
    /// Whether the last resume brought nothing, so that it reads what it shows anew.
    reads_anew: bool,
}

impl Page {
    /// Opens the page of a person at this front.
    pub async fn opens(person: Person, front: SocketAddr) -> Self {
        let person = Person { at: front, ..person };
        let mut page = Self { person, returns: 0, since: None, reads_anew: false };
        page.connects().await;
        page
    }

    /// Comes back after its socket was closed, as soon as its front takes it.
    pub async fn comes_back(&mut self) {
        let code = self.person.socket.close_code().await;
        assert!(matches!(code, 1006 | 1012), "{} was closed with {code}", self.person.name);
        self.returns += 1;
        self.connects().await;
    }

    async fn connects(&mut self) {
        let begun = Instant::now();
        loop {
            if let Ok(socket) = Socket::try_open(self.person.at, Some(&self.person.cookie)).await {
                self.person.socket = socket;
                if self.is_greeted_and_resumes().await {
                    return;
                }
            }
            assert!(begun.elapsed() < TIMEOUT, "no front takes {}", self.person.name);
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Returns false if the socket is closed first.
    async fn is_greeted_and_resumes(&mut self) -> bool {
        let hello = self.until_the_end("hello", |state| state.log.first().cloned()).await;
        let Some(hello) = hello else { return false };
        assert_eq!(hello["me"]["id"], self.person.id, "the cookie says who it is");
        let Some((epoch, seq)) = &self.since else {
            self.since = Some((hello["epoch"].clone(), hello["seq"].clone()));
            return true;
        };
        let fields = json!({ "epoch": epoch, "seq": seq, "posts": [], "profiles": [] });
        let Some(reply) = self.asks_once("live.resume", fields).await else { return false };
        self.reads_anew = reply["ok"]["resync"].as_bool().unwrap();
        true
    }

    /// Waits until a condition holds for what this socket received. Returns None if it is closed first.
    async fn until_the_end<T>(&self, what: &str, mut look: impl FnMut(&mut State) -> Option<T>) -> Option<T> {
        let look = |state: &mut State| {
            let found = look(state);
            (found.is_some() || state.closed.is_some()).then_some(found)
        };
        self.person.socket.waits(what, look).await
    }

    /// Sends a request. Returns the reply, or None if the socket is closed first.
    async fn asks_once(&self, op: &str, fields: Value) -> Option<Value> {
        let id = self.person.socket.sends(op, fields).await;
        self.until_the_end(op, |state| state.reply_to(id)).await
    }

    /// Sends a request until it is granted. Returns the reply.
    pub async fn asks(&mut self, op: &str, fields: Value) -> Value {
        let begun = Instant::now();
        loop {
            assert!(begun.elapsed() < TIMEOUT, "{} is not answered", self.person.name);
            match self.asks_once(op, fields.clone()).await {
                Some(reply) if reply["err"]["code"] == "busy" => tokio::time::sleep(AGAIN).await,
                Some(reply) => {
                    assert!(reply["err"].is_null(), "{op} {fields} was refused: {reply}");
                    return reply["ok"].clone();
                }
                None => self.comes_back().await,
            }
        }
    }

    /// Waits until it has the event of a post with this text. After a resume that brought nothing, the post may be in
    /// the feed instead.
    pub async fn sees_post(&mut self, text: &str) {
        let is_it = |message: &Value| message["ev"] == "posts.created" && message["post"]["text"] == text;
        while self.until_the_end(text, |state| state.log.iter().any(is_it).then_some(())).await.is_none() {
            self.comes_back().await;
            if self.reads_anew && self.feed_texts().await.iter().any(|shown| shown == text) {
                return;
            }
        }
    }

    /// Returns whether anything that this socket received has these words.
    pub fn has_heard(&self, words: &str) -> bool {
        self.person.socket.log().iter().any(|message| message.to_string().contains(words))
    }

    pub async fn posts(&mut self, text: &str) -> i64 {
        self.publishes(post(text)).await
    }

    /// Publishes a post with these fields. Returns its id.
    pub async fn publishes(&mut self, fields: Value) -> i64 {
        self.asks("posts.create", fields).await["post"]["id"].as_i64().unwrap()
    }

    pub async fn feed_texts(&mut self) -> Vec<String> {
        texts(&self.asks("posts.feed", json!({ "tag": null, "before": null })).await)
    }

    pub async fn follows(&mut self, other: &Self) {
        let fields = json!({ "key": key(), "user_id": other.person.id, "following": true });
        self.asks("follows.set", fields).await;
    }

    /// Creates a group. Returns its id.
    pub async fn makes_group(&mut self, name: &str) -> i64 {
        let fields = json!({ "key": key(), "name": name });
        self.asks("groups.create", fields).await["group"]["id"].as_i64().unwrap()
    }

    pub async fn adds(&mut self, group_id: i64, other: &Self) {
        let fields = json!({ "key": key(), "group_id": group_id, "user_ids": [other.person.id] });
        self.asks("groups.add", fields).await;
    }

    pub async fn removes(&mut self, group_id: i64, other: &Self) {
        let fields = json!({ "key": key(), "group_id": group_id, "user_id": other.person.id });
        self.asks("groups.remove", fields).await;
    }
}
