//! A user with an open page.

use std::net::SocketAddr;

use serde_json::{Value, json};

use super::http;
use super::server::TestServer;
use super::socket::{Refused, Socket, State};
use super::value::key;

pub const PASSWORD: &str = "slow mornings";

pub struct Person {
    pub id: i64,
    pub name: String,
    pub email: String,
    pub cookie: String,
    /// The value of the cookie that identifies the browser; empty if the server sent none.
    pub device: String,
    pub socket: Socket,
    pub at: SocketAddr,
}

/// The fields of a post that is only text.
pub fn post(text: &str) -> Value {
    post_with(None, text, None)
}

pub fn post_with(title: Option<&str>, text: &str, tag: Option<&str>) -> Value {
    json!({ "key": key(), "title": title, "text": text, "tag": tag, "audience": { "type": "public" } })
}

/// Adds a content note to the fields of a post or of an edit.
pub fn noted(mut fields: Value, note: &str) -> Value {
    fields["content_note"] = json!(note);
    fields
}

/// The fields of an edit.
pub fn edit(post_id: i64, title: Option<&str>, text: &str) -> Value {
    let audience = json!({ "type": "public" });
    json!({ "key": key(), "post_id": post_id, "title": title, "text": text, "audience": audience })
}

/// The fields of a poll.
pub fn poll(question: &str, options: &[&str]) -> Value {
    json!({ "key": key(), "question": question, "options": options, "audience": { "type": "public" } })
}

/// The fields of a profile, in the default colours.
pub fn profile(name: &str, bio: &str) -> Value {
    json!({ "key": key(), "name": name, "bio": bio, "from_color": "blue", "to_color": "blue" })
}

pub fn email_of(name: &str) -> String {
    let local: String =
        name.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("{local}@people.example.org")
}

/// Turns a ticket into the cookie's value, as the page does.
pub async fn cookie_for(at: SocketAddr, ticket: &str) -> Option<String> {
    cookies_for(at, ticket, "").await.map(|(cookie, _)| cookie)
}

/// Turns a ticket into the values of the cookies of the login and of the device. The browser already has this device
/// cookie, or none if it is empty.
async fn cookies_for(at: SocketAddr, ticket: &str, device: &str) -> Option<(String, String)> {
    let (origin, held) = (format!("http://{at}"), format!("mellow-device={device}"));
    let headers = [("Origin", origin.as_str()), ("Content-Type", "text/plain"), ("Cookie", held.as_str())];
    let response = http::ask(at, "POST", "/session", &headers, ticket).await;
    if response.status != 204 {
        return None;
    }
    let cookie = response.header("Set-Cookie").expect("a cookie");
    let (pair, _) = cookie.split_once(';').expect("a cookie with attributes");
    let cookie = pair.strip_prefix("mellow=").expect("our cookie").to_owned();
    let sent = response.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
    let mut pairs = sent.filter_map(|(_, value)| value.split(';').next());
    let device = pairs.find_map(|pair| pair.strip_prefix("mellow-device=")).unwrap_or_default().to_owned();
    Some((cookie, device))
}

impl Person {
    /// Signs up over a guest's socket, gets the cookie, and stays on that socket.
    pub async fn signs_up(at: SocketAddr, name: &str) -> Self {
        let socket = Socket::open(at, None).await;
        let fields = json!({ "key": key(), "email": email_of(name), "password": PASSWORD, "name": name });
        let ok = socket.asks("auth.sign_up", fields).await.expect("a sign-up");
        Self::signed_in(at, socket, &ok, "").await
    }

    /// Signs up, or logs in if the account exists.
    pub async fn signs_up_again(at: SocketAddr, name: &str) -> Self {
        let socket = Socket::open(at, None).await;
        let fields = json!({ "key": key(), "email": email_of(name), "password": PASSWORD, "name": name });
        let ok = match socket.asks("auth.sign_up", fields).await {
            Ok(ok) => ok,
            Err(_) => {
                let fields = json!({ "email": email_of(name), "password": PASSWORD });
                socket.asks("auth.log_in", fields).await.expect("a log-in")
            }
        };
        Self::signed_in(at, socket, &ok, "").await
    }

    /// Logs in from a browser that never did.
    pub async fn logs_in(at: SocketAddr, email: &str) -> Self {
        Self::logs_in_on(at, email, "").await
    }

    /// Logs in from the browser with this device cookie; empty: it has none.
    pub async fn logs_in_on(at: SocketAddr, email: &str, device: &str) -> Self {
        let held = format!("mellow-device={device}");
        let socket = match device {
            "" => Socket::open(at, None).await,
            _ => Socket::open_with(at, None, &[("Cookie", &held)]).await,
        };
        let ok = socket
            .asks("auth.log_in", json!({ "email": email, "password": PASSWORD }))
            .await
            .expect("a log-in");
        Self::signed_in(at, socket, &ok, device).await
    }

    async fn signed_in(at: SocketAddr, socket: Socket, ok: &Value, device: &str) -> Self {
        let me = &ok["me"];
        let ticket = ok["ticket"].as_str().unwrap();
        let (cookie, device) = cookies_for(at, ticket, device).await.expect("a cookie");
        Self {
            id: me["id"].as_i64().unwrap(),
            name: me["name"].as_str().unwrap().to_owned(),
            email: me["email"].as_str().unwrap().to_owned(),
            cookie,
            device,
            socket,
            at,
        }
    }

    /// Opens another tab of the same browser.
    pub async fn opens_another_tab(&self) -> Self {
        let socket = Socket::open(self.at, Some(&self.cookie)).await;
        let hello = socket.hello().await;
        assert_eq!(hello["me"]["id"], self.id, "the cookie says who it is");
        Self {
            id: self.id,
            name: self.name.clone(),
            email: self.email.clone(),
            cookie: self.cookie.clone(),
            device: self.device.clone(),
            socket,
            at: self.at,
        }
    }

    /// Logs the same user in with a login of its own, as on another device. The account knows the device, so that the
    /// log-in makes no notice.
    pub async fn logs_in_on_phone(&self) -> Self {
        Self::logs_in_on(self.at, &self.email, &self.device).await
    }

    /// Cuts the connection, and opens a new one with the cookie.
    pub async fn reconnects(&mut self) {
        self.socket = Socket::open(self.at, Some(&self.cookie)).await;
        assert_eq!(self.socket.hello().await["me"]["id"], self.id);
    }

    /// Returns the user as messages to others contain them, while there is no photo.
    pub fn named(&self) -> Value {
        json!({ "id": self.id, "name": self.name, "photo_url": null })
    }

    /// Returns the user's own account as it is right after signing up.
    pub fn me(&self) -> Value {
        json!({
            "id": self.id, "name": self.name, "photo_url": null, "email": self.email, "pending_email": null,
            "hide_numbers": false, "listed": true, "has_unread": false, "inviter": null,
            "is_admin": false, "has_reports": false, "adders": "followers", "commenters": "everyone",
            "language": null, "shown_language": null, "quiet_hours": null, "quiet_until_ms": null,
            "first_steps":
                { "has_photo": false, "has_followed": false, "has_invited": false, "has_answered": false },
        })
    }

    /// Returns the token that mentions this user.
    pub fn mention(&self) -> String {
        let label: String = self.name.chars().map(|c| if c == ' ' { '_' } else { c }).collect();
        format!("@{}+{label}", self.id)
    }

    pub async fn tries(&self, op: &str, fields: Value) -> Result<Value, Refused> {
        self.socket.asks(op, fields).await
    }

    /// Sends a request that is granted. Returns the reply.
    pub async fn asks(&self, op: &str, fields: Value) -> Value {
        match self.tries(op, fields.clone()).await {
            Ok(ok) => ok,
            Err(no) => panic!("{} asked for {op} {fields} and was refused: {no:?}", self.name),
        }
    }

    /// Sends a request that is refused with this code.
    pub async fn is_refused(&self, code: &str, op: &str, fields: Value) -> Refused {
        match self.tries(op, fields.clone()).await {
            Err(no) if no.code == code => no,
            other => panic!("{} asked for {op} {fields}: not {code} but {other:?}", self.name),
        }
    }

    // ---- actions

    /// Publishes a text. Returns the id of the post.
    pub async fn posts(&self, text: &str) -> i64 {
        self.publishes(post(text)).await
    }

    pub async fn posts_tagged(&self, text: &str, tag: &str) -> i64 {
        self.publishes(post_with(None, text, Some(tag))).await
    }

    pub async fn publishes(&self, fields: Value) -> i64 {
        self.asks("posts.create", fields).await["post"]["id"].as_i64().unwrap()
    }

    /// Edits the texts of a post.
    pub async fn edits(&self, post_id: i64, title: Option<&str>, text: &str) -> Value {
        self.asks("posts.update", edit(post_id, title, text)).await
    }

    pub async fn deletes(&self, post_id: i64) {
        self.asks("posts.delete", json!({ "key": key(), "post_id": post_id })).await;
    }

    pub async fn votes(&self, post_id: i64, vote: &str) -> Value {
        self.asks("votes.set", json!({ "key": key(), "post_id": post_id, "vote": vote })).await
    }

    /// Saves a post.
    pub async fn saves(&self, post_id: i64) -> Value {
        self.asks("saved.set", json!({ "key": key(), "post_id": post_id, "saved": true })).await
    }

    /// Removes a post from the saved ones.
    pub async fn unsaves(&self, post_id: i64) -> Value {
        self.asks("saved.set", json!({ "key": key(), "post_id": post_id, "saved": false })).await
    }

    /// Comments on a post for the audience that it has. Returns the id of the comment.
    pub async fn comments(&self, post_id: i64, text: &str) -> i64 {
        let mut fields =
            json!({ "key": key(), "post_id": post_id, "text": text, "audience": { "type": "public" } });
        let ok = match self.tries("comments.create", fields.clone()).await {
            Ok(ok) => ok,
            Err(no) if no.code == "audience_changed" => {
                // Another tab reads the post, so that this one is not subscribed to it.
                fields["audience"] = self.opens_another_tab().await.opens(post_id).await["audience"].clone();
                self.asks("comments.create", fields).await
            }
            Err(no) => panic!("{} may not comment on {post_id}: {no:?}", self.name),
        };
        ok["comment"]["id"].as_i64().unwrap()
    }

    pub async fn deletes_comment(&self, comment_id: i64) {
        self.asks("comments.delete", json!({ "key": key(), "comment_id": comment_id })).await;
    }

    /// Changes the name and clears the bio. Returns the profile.
    pub async fn renames(&self, name: &str) -> Value {
        self.asks("profiles.update", profile(name, "")).await["profile"].clone()
    }

    pub async fn follows(&self, other: &Self) -> Value {
        self.asks("follows.set", json!({ "key": key(), "user_id": other.id, "following": true })).await
    }

    pub async fn unfollows(&self, other: &Self) -> Value {
        self.asks("follows.set", json!({ "key": key(), "user_id": other.id, "following": false })).await
    }

    /// Creates a poll. Returns its id.
    pub async fn asks_poll(&self, question: &str, options: &[&str]) -> i64 {
        self.asks("polls.create", poll(question, options)).await["poll"]["id"].as_i64().unwrap()
    }

    /// Votes in a poll. A vote is final.
    pub async fn chooses(&self, poll_id: i64, option: u8) -> Value {
        self.asks("polls.vote", json!({ "key": key(), "poll_id": poll_id, "option": option })).await
    }

    /// Marks all notifications as seen.
    pub async fn sees_all(&self) -> Value {
        self.asks("notifications.read", json!({ "key": key() })).await
    }

    /// Deletes a notification.
    pub async fn dismisses(&self, notification_id: i64) -> Value {
        self.asks("notifications.delete", json!({ "key": key(), "notification_id": notification_id })).await
    }

    pub async fn hides_numbers(&self, hides: bool) {
        self.asks("account.set_privacy", json!({ "key": key(), "hide_numbers": hides })).await;
    }

    /// Sets who may comment on this user's public posts.
    pub async fn lets_comment(&self, who: &str) {
        self.asks("account.set_privacy", json!({ "key": key(), "commenters": who })).await;
    }

    /// Deletes the account.
    pub async fn deletes_account(&self) {
        let ok = self.asks("account.delete", json!({ "password": PASSWORD })).await;
        assert_eq!(ok, json!({}));
    }

    // ---- reads

    /// Reads the newest notifications.
    pub async fn reads_notifications(&self) -> Value {
        self.asks("notifications.page", json!({ "before": null })).await
    }

    /// Reads the newest open polls.
    pub async fn reads_polls(&self) -> Vec<Value> {
        self.asks("polls.list", json!({ "before": null })).await["polls"].as_array().unwrap().clone()
    }

    pub async fn opens(&self, post_id: i64) -> Value {
        self.asks("posts.get", json!({ "post_id": post_id })).await["post"].clone()
    }

    pub async fn reads_feed(&self) -> Value {
        self.asks("posts.feed", json!({ "tag": null, "before": null })).await
    }

    pub async fn feed_texts(&self) -> Vec<String> {
        texts(&self.reads_feed().await)
    }

    pub async fn tagged_texts(&self, tag: &str) -> Vec<String> {
        texts(&self.asks("posts.feed", json!({ "tag": tag, "before": null })).await)
    }

    /// Reads the posts that this user saved last.
    pub async fn reads_saved(&self) -> Value {
        self.asks("posts.saved", json!({ "before": null })).await
    }

    pub async fn saved_texts(&self) -> Vec<String> {
        texts(&self.reads_saved().await)
    }

    pub async fn visits(&self, other: &Self) -> Value {
        self.asks("profiles.get", json!({ "user_id": other.id })).await["profile"].clone()
    }

    pub async fn reads_posts_of(&self, other: &Self) -> Value {
        self.asks("posts.by_author", json!({ "user_id": other.id, "before": null })).await
    }

    pub async fn reads_thread(&self, post_id: i64) -> Value {
        self.asks("comments.page", json!({ "post_id": post_id, "after": null })).await
    }

    // ---- events

    pub async fn receives(&self, ev: &str) -> Value {
        self.socket.receives(ev).await
    }

    /// Waits for a count with this many followers. Counts are delayed, so an older count may arrive first.
    pub async fn sees_followers(&self, count: i64) -> Value {
        self.socket.receives_where("profiles.counted", |event| event["followers_count"] == count).await
    }

    /// Waits until the counts of a profile arrive. Other events stay unread.
    pub async fn receives_where_counted(&self, user_id: i64) {
        let look = |state: &mut State| {
            state.log.iter().any(|m| m["ev"] == "profiles.counted" && m["user_id"] == user_id).then_some(())
        };
        self.socket.waits("profiles.counted", look).await;
    }

    /// Waits for the event of a post with this text. Returns the post.
    pub async fn sees_post(&self, text: &str) -> Value {
        self.socket.receives_where("posts.created", |event| event["post"]["text"] == text).await["post"]
            .clone()
    }

    pub async fn sees_comment(&self, text: &str) -> Value {
        self.socket.receives_where("comments.created", |event| event["comment"]["text"] == text).await
    }

    /// Waits until all events so far are received. Returns them.
    pub async fn is_up_to_date(&self, server: &TestServer) -> Vec<Value> {
        self.socket.has_caught_up(server.publishes_marker().await).await;
        self.socket.unread_events()
    }

    /// Asserts that no event was received since the last call.
    pub async fn receives_nothing(&self, server: &TestServer) {
        let received = self.is_up_to_date(server).await;
        assert!(received.is_empty(), "{} should have received nothing, not {received:?}", self.name);
    }

    /// Asserts that exactly these events were received since the last call. A delayed count of earlier actions is
    /// ignored, unless it is one of these.
    pub async fn receives_only(&self, server: &TestServer, names: &[&str]) -> Vec<Value> {
        let mut received = self.is_up_to_date(server).await;
        received.retain(|event| event["ev"] != "profiles.counted" || names.contains(&"profiles.counted"));
        let evs: Vec<&str> = received.iter().map(|event| event["ev"].as_str().unwrap()).collect();
        assert_eq!(evs, names, "what {} received: {received:?}", self.name);
        received
    }
}

pub fn texts(page: &Value) -> Vec<String> {
    page["posts"].as_array().unwrap().iter().map(|post| post["text"].as_str().unwrap().to_owned()).collect()
}
