//! R5: a connection is lost between a request and its reply, for every kind of write. The write is applied once, and a
//! retry with the same key gets the same reply.
//!
//! `MELLOW_CUTS=5000 cargo test --test stories r5_every` makes 5,000 cuts. `MELLOW_CUTS_SEED=7` repeats a run.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use mellow::seeded_random::SeededRandom;
use serde_json::Value;

use crate::support::person::Person;
use crate::support::server::TestServer;
use crate::support::socket::Socket;
use crate::support::value::key;
use crate::writes::{Sender, assert_all_sent, send_all};

struct Cuts<'a> {
    server: &'a TestServer,
    random: &'a mut SeededRandom,
    made: usize,
    sent: BTreeSet<&'static str>,
}

impl Sender for Cuts<'_> {
    fn send<'a>(
        &'a mut self,
        who: &'a Person,
        op: &'static str,
        _: u64,
        fields: Value,
    ) -> LocalBoxFuture<'a, Value> {
        Box::pin(self.is_done_once(Some(&who.cookie), op, fields))
    }

    fn send_as_guest<'a>(&'a mut self, op: &'static str, _: u64, fields: Value) -> LocalBoxFuture<'a, Value> {
        Box::pin(self.is_done_once(None, op, fields))
    }

    fn send_once<'a>(
        &'a mut self,
        op: &'static str,
        _: u64,
        reply: LocalBoxFuture<'a, Value>,
    ) -> LocalBoxFuture<'a, Value> {
        self.sent.insert(op);
        reply
    }
}

impl Cuts<'_> {
    /// Returns the `seq` of the last write.
    fn head(&self) -> i64 {
        self.server.look().query_row("select seq from site", [], |row| row.get(0)).unwrap()
    }

    async fn connect(&self, cookie: Option<&str>) -> Socket {
        let socket = Socket::open(self.server.at, cookie).await;
        socket.hello().await;
        socket
    }

    /// A user sends a request, loses the connection, and sends the request again, twice.
    async fn is_done_once(&mut self, cookie: Option<&str>, op: &'static str, mut fields: Value) -> Value {
        fields["key"] = key();
        let before = self.head();
        let lost = self.is_cut(self.connect(cookie).await, op, &fields).await;
        let (first, second) =
            (self.repeat(cookie, op, &fields).await, self.repeat(cookie, op, &fields).await);
        assert_eq!(first, second, "{op} {fields}");
        assert!(lost.is_none_or(|lost| lost == first), "{op} {fields}: another answer than was lost");
        // A retry of a sign-up begins another login, which is another write.
        let is_one_write = self.head() == before + 1;
        assert!(is_one_write || op == "auth.sign_up", "{op} {fields}: {} writes", self.head() - before);
        self.made += 1;
        self.sent.insert(op);
        first
    }

    /// Sends a request and loses the connection: at once, a moment later, or after the reply. Returns the reply of the
    /// last case.
    async fn is_cut(&mut self, socket: Socket, op: &str, fields: &Value) -> Option<Value> {
        let id = socket.sends(op, fields.clone()).await;
        match self.random.below(3) {
            0 => None,
            1 => {
                tokio::time::sleep(Duration::from_micros(self.random.below(3_000) as u64)).await;
                None
            }
            _ => Some(reply(&socket, id, op).await),
        }
    }

    /// Sends the request on a new connection.
    async fn repeat(&self, cookie: Option<&str>, op: &str, fields: &Value) -> Value {
        let socket = self.connect(cookie).await;
        let id = socket.sends(op, fields.clone()).await;
        reply(&socket, id, op).await
    }
}

/// Waits for a successful reply. Returns it without the ticket of a new login, which differs each time.
async fn reply(socket: &Socket, id: u32, op: &str) -> Value {
    let mut ok = socket.reply_to(id).await.unwrap_or_else(|no| panic!("{op}: {no:?}"));
    ok.as_object_mut().unwrap().remove("ticket");
    ok
}

#[tokio::test]
async fn r5_every_kind_of_write_is_done_once_when_its_reply_is_lost() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let wanted = number("MELLOW_CUTS").unwrap_or(100) as usize;
    let seed = number("MELLOW_CUTS_SEED").unwrap_or_else(|| std::process::id().into());
    println!("MELLOW_CUTS_SEED={seed}");
    let mut random = SeededRandom::new(seed, 0);
    let mut made = 0;
    while made < wanted {
        let server = TestServer::new().await;
        let people = server.people(["Ana", "Ben", "Cleo"]).await;
        let mut cuts = Cuts { server: &server, random: &mut random, made: 0, sent: BTreeSet::new() };
        send_all(&server, &people, &mut cuts).await;
        assert_all_sent(&cuts.sent);
        made += cuts.made;
    }
    println!("{made} requests whose connection was lost: each done once, each answered the same");
}
