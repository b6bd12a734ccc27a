//! The passkeys and devices of users, and the notices about them. Nobody else learns anything of them.

use serde_json::{Value, json};

use crate::model::{self, Community, GUEST, PEOPLE};
use crate::plan::{Plan, asks, reads};
use crate::support::authenticator::Authenticator;
use crate::support::person::PASSWORD;
use crate::support::socket::Socket;
use crate::support::value::key;
use crate::tab::Inbox;
use crate::words::{Book, Number, Thing};
use crate::{Action, Canary, seq_of};

/// A log-in with a passkey.
const LOG_IN: &str = "a log-in with a passkey";
/// The other browsers of the first users and their labels. Those of the others have none.
const BROWSERS: [(&str, &str); 3] = [
    ("Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox on Linux"),
    ("Mozilla/5.0 (Linux; Android 10; K) Chrome/143.0.0.0 Mobile Safari/537.36", "Chrome on Android"),
    ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/26.0 Safari/605.1.15", "Safari on Mac"),
];

pub const EVERY: &[&str] =
    &["passkeys.list", "passkeys.begin_add", "passkeys.begin_use", "passkeys.rename", LOG_IN];
pub const CAN_REPEAT: &[&str] = &["passkeys.rename"];

#[derive(Debug)]
pub struct Passkey {
    owner: usize,
    name: Number,
}

#[derive(Clone, Debug)]
pub enum Effect {
    /// The label is that of the browser in which the passkey was added.
    Add {
        who: usize,
        name: Number,
        label: Option<Number>,
    },
    Rename {
        who: usize,
        passkey: i64,
        name: Number,
    },
}

impl From<Effect> for model::Effect {
    fn from(effect: Effect) -> Self {
        Self::Passkeys(effect)
    }
}

impl Effect {
    /// Returns whether this may be granted. If not, the text says what a grant would mean.
    pub fn is_allowed(&self, community: &Community) -> (bool, &'static str) {
        match self {
            Self::Add { .. } => (true, ""),
            Self::Rename { who, passkey, .. } => {
                let is_own = community.passkeys.get(passkey).is_some_and(|passkey| passkey.owner == *who);
                (is_own, "renames a passkey of others")
            }
        }
    }

    /// Applies the effect of a granted request, with its reply.
    pub fn apply(self, community: &mut Community, ok: &Value) {
        match self {
            Self::Add { who, name, label } => {
                let passkey = ok["passkey"]["id"].as_i64().unwrap();
                community.passkeys.insert(passkey, Passkey { owner: who, name });
                let own: Vec<Number> = [name].into_iter().chain(label).collect();
                community.replaces(Thing::Own(who), &[], &own);
            }
            Self::Rename { who, passkey, name } => {
                let found = community.passkeys.get_mut(&passkey).unwrap();
                let before = std::mem::replace(&mut found.name, name);
                community.replaces(Thing::Own(who), &[before], &[name]);
            }
        }
    }
}

impl Plan<'_> {
    /// Renames a passkey, usually the one of this user.
    pub fn renames_passkey(&mut self, who: usize) -> Action {
        let is_own = self.below(10) > 0;
        let passkeys = self.community.passkeys.iter().filter(|(_, passkey)| !is_own || passkey.owner == who);
        let passkeys: Vec<i64> = passkeys.map(|(id, _)| *id).collect();
        let (passkey, (name, spelled)) = (self.one_of(&passkeys), self.word(who));
        let fields = json!({ "key": key(), "passkey_id": passkey, "name": format!("of {spelled}") });
        asks("passkeys.rename", fields, Effect::Rename { who, passkey, name }.into())
    }

    /// Begins a passkey that no device makes. No message has its name.
    pub fn begins_passkey(&mut self) -> Action {
        let name = self.community.book.makes(None);
        reads("passkeys.begin_add", json!({ "name": Book::spelled(name), "password": PASSWORD }))
    }
}

impl Canary {
    /// Opens a page in another browser of a user.
    async fn browser_of(&self, who: usize) -> Socket {
        let user_agent = BROWSERS.get(who).map_or("", |(user_agent, _)| *user_agent);
        Socket::open_with(self.server.at, None, &[("User-Agent", user_agent)]).await
    }

    /// Every user logs in in another browser and adds a passkey there. The tabs get notices of both.
    pub async fn adds_passkeys(&mut self) {
        let origin = format!("http://localhost:{}", self.server.at.port());
        for who in 0..PEOPLE {
            let browser = self.browser_of(who).await;
            let log_in = json!({ "email": self.people[who].email, "password": PASSWORD });
            browser.asks("auth.log_in", log_in).await.unwrap();
            let book = &mut self.community.book;
            let name = book.makes(Some(who));
            let label = BROWSERS.get(who).map(|(_, label)| book.makes_of(Some(who), label.as_bytes()));
            let fields = json!({ "name": format!("of {}", Book::spelled(name)), "password": PASSWORD });
            let begun = browser.asks("passkeys.begin_add", fields).await.unwrap();
            let (device, response) = Authenticator::makes(&begun, &origin);
            for secret in device.secrets() {
                let number = self.community.book.makes_of(None, &secret);
                self.community.book.belongs(number, Thing::Secret(who));
            }
            self.devices.push(device);
            let fields = json!({ "key": key(), "challenge": begun["challenge"], "response": response });
            let ok = browser.asks("passkeys.finish_add", fields).await.unwrap();
            self.community.apply(seq_of(&ok), Effect::Add { who, name, label }.into(), &ok);
        }
    }

    /// A user logs in with a passkey in a browser that the account does not know, and out again.
    pub async fn logs_in_with_passkey(&mut self) {
        let (who, since) = (self.random.below(PEOPLE), self.community.seq);
        if self.community.suspended.contains(&who) {
            return;
        }
        self.notes(format!("after {since}: user {who} logs in with a passkey"));
        let browser = self.browser_of(who).await;
        let begun = browser.asks("auth.begin_passkey", json!({})).await.unwrap();
        self.searches(&Inbox::of(GUEST, &browser), since);
        let response = self.devices[who].uses(&begun);
        let fields = json!({ "challenge": begun["challenge"], "response": response });
        browser.asks("auth.log_in_with_passkey", fields).await.unwrap();
        self.searches(&Inbox::of(who, &browser), since);
        browser.asks("auth.log_out", json!({})).await.unwrap();
        *self.granted.entry(LOG_IN).or_default() += 1;
    }
}
