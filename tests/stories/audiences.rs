//! Audiences: only members receive posts and polls of a group, and nobody else receives a byte of them.

use serde_json::{Value, json};

use crate::support::person::{Person, edit, poll, post, texts};
use crate::support::server::TestServer;
use crate::support::socket::Socket;
use crate::support::uploads::{post_with_pictures, urls};
use crate::support::value::{contains, key, pack};

/// The id of a post that does not exist.
const NONE: i64 = 77;

pub(super) fn of(group_id: impl Into<Option<i64>>) -> Value {
    let group_id: Option<i64> = group_id.into();
    json!({ "type": "group", "group_id": group_id })
}

/// The author alone.
pub(super) fn alone() -> Value {
    json!({ "type": "author" })
}

pub(super) fn all() -> Value {
    json!({ "type": "public" })
}

/// Returns the fields of a post, a poll or an edit with this audience.
pub(super) fn shared(mut fields: Value, audience: &Value) -> Value {
    fields["audience"] = audience.clone();
    fields
}

/// Every text in a group contains this word.
pub(super) const WORD: &str = "quetzal";

impl Person {
    /// Asserts that every request with this post is refused with the same bytes as for a post that does not exist.
    pub(super) async fn finds_nothing_at(&self, server: &TestServer, post_id: i64, comment_id: i64) {
        for (op, there, not_there) in [
            ("posts.get", json!({ "post_id": post_id }), json!({ "post_id": NONE })),
            ("comments.page", json!({ "post_id": post_id }), json!({ "post_id": NONE })),
            (
                "comments.mentionable",
                json!({ "post_id": post_id, "term": "a" }),
                json!({ "post_id": NONE, "term": "a" }),
            ),
            (
                "comments.create",
                json!({ "key": key(), "post_id": post_id, "text": "may I?", "audience": { "type": "public" } }),
                json!({ "key": key(), "post_id": NONE, "text": "may I?", "audience": { "type": "public" } }),
            ),
            (
                "comments.create",
                json!({ "key": key(), "post_id": post_id, "text": format!("may I, {}?", self.mention()), "audience": { "type": "public" } }),
                json!({ "key": key(), "post_id": NONE, "text": format!("may I, {}?", self.mention()), "audience": { "type": "public" } }),
            ),
            (
                "comments.delete",
                json!({ "key": key(), "comment_id": comment_id }),
                json!({ "key": key(), "comment_id": NONE }),
            ),
            ("posts.update", edit(post_id, None, "mine"), edit(NONE, None, "mine")),
            (
                "posts.delete",
                json!({ "key": key(), "post_id": post_id }),
                json!({ "key": key(), "post_id": NONE }),
            ),
        ] {
            let mut replies = Vec::new();
            for fields in [there, not_there] {
                let socket = Socket::open(server.at, Some(&self.cookie)).await;
                socket.hello().await;
                let id = socket.sends(op, fields).await;
                let no = socket.reply_to(id).await.unwrap_err();
                assert_eq!(no.code, "not_found", "{} asked for {op}", self.name);
                let at = socket.log().iter().position(|message| message["re"] == id).unwrap();
                replies.push(socket.bytes()[at].clone());
            }
            assert_eq!(replies[0], replies[1], "{op}");
        }
        let refreshed = self.asks("posts.refresh", json!({ "post_ids": [post_id, NONE] })).await;
        assert_eq!((&refreshed["posts"], &refreshed["groups"]), (&json!([]), &json!([])));
        assert_eq!(refreshed["gone"], json!([post_id, NONE]));
        assert_eq!(self.votes(post_id, "positive").await["vote"], "none");
        assert_eq!(self.votes(NONE, "positive").await["vote"], "none");
    }

    /// Returns the number of messages received so far.
    /// Asserts that everything that this author reads says the same about who sees the post.
    async fn is_alone_with(&self, post_id: i64, audience: &Value) {
        assert_eq!(self.opens(post_id).await["audience"], *audience);
        assert_eq!(self.reads_feed().await["posts"][0]["audience"], *audience);
    }

    pub(super) fn messages(&self) -> usize {
        self.socket.bytes().len()
    }

    /// Asserts that no message after the first ones contains any of these ids or words.
    pub(super) fn received_nothing_of(&self, ids: &[i64], after: usize) {
        for (bytes, message) in self.socket.bytes().iter().zip(self.socket.log()).skip(after) {
            assert!(!contains(bytes, WORD.as_bytes()), "{} received {message}", self.name);
            // Replies contain the id of the user's own request, and `votes.changed` is about the user's own vote.
            if message.get("re").is_none() && message["ev"] != "votes.changed" {
                for id in ids {
                    assert!(!contains(bytes, &pack(&json!(id))), "{} received {message}", self.name);
                }
            }
        }
    }
}

#[tokio::test]
async fn a_group_post_with_comments_votes_and_pictures_is_visible_to_members_only() {
    let server = TestServer::new().await;
    let [ana, ben, cleo, dora] = server.people(["Ana", "Ben", "Cleo", "Dora"]).await;
    let group_id = ana.makes_group_with("Close friends", &[&ben, &dora]).await;
    ana.removes(group_id, &dora).await;
    for who in [&cleo, &dora] {
        who.follows(&ana).await;
        who.follows(&ben).await;
        // They show the profile of the author, which counts its followers.
        who.visits(&ana).await;
        who.reads_posts_of(&ana).await;
    }
    for who in [&ana, &ben, &cleo, &dora] {
        who.is_up_to_date(&server).await;
    }
    let before = [cleo.messages(), dora.messages()];

    let upload = ana.uploads("tree.jpg", &crate::support::picture::jpeg(8, 6)).await;
    let mut fields = post_with_pictures(&format!("a {WORD}"), &[(&upload, "A tree.")]);
    fields["tag"] = json!("Birds");
    let ok = ana.asks("posts.create", shared(fields, &of(group_id))).await;
    let post_id = ok["post"]["id"].as_i64().unwrap();
    let named = json!([{ "id": group_id, "name": "Close friends", "owner_id": ana.id }]);
    assert_eq!((&ok["post"]["audience"], &ok["groups"]), (&of(group_id), &named));
    let delivered = ben.receives("posts.created").await;
    assert_eq!((&delivered["post"]["id"], &delivered["groups"]), (&json!(post_id), &named));
    assert_eq!(ben.feed_texts().await, [format!("a {WORD}")]);
    assert_eq!(ben.tagged_texts("birds").await.len(), 1);
    let page = ben.reads_posts_of(&ana).await;
    assert_eq!((texts(&page).len(), &page["groups"]), (1, &named));

    let words = format!("{WORD}! {} {} {}", ana.mention(), cleo.mention(), dora.mention());
    let comment_id = ben.comments(post_id, &words).await;
    ana.sees_comment(&words).await;
    let offered = ben.asks("comments.mentionable", json!({ "post_id": post_id, "term": "" })).await;
    assert_eq!(offered["users"], json!([ana.named()]), "nobody but members");
    assert_eq!(ben.votes(post_id, "positive").await["vote"], "positive");
    ana.receives("votes.counted").await;
    let plain = ben.comments(post_id, WORD).await;
    ana.sees_comment(WORD).await;
    let delivered = ana.reads_notifications().await["notifications"].as_array().unwrap().clone();
    assert_eq!(delivered.iter().filter(|item| item["kind"] == "comment").count(), 2);
    assert_eq!(ben.reads_thread(post_id).await["comments_count"], 2);
    ana.edits_for(of(group_id), post_id, &format!("two {WORD}s")).await;
    ben.receives("posts.updated").await;
    let pictures = urls(&ben.opens(post_id).await);
    for url in &pictures {
        assert_eq!(ben.fetches(url).await.status, 200);
    }

    for (who, before) in [&cleo, &dora].into_iter().zip(before) {
        who.is_up_to_date(&server).await;
        who.finds_nothing_at(&server, post_id, comment_id).await;
        assert!(who.feed_texts().await.is_empty() && who.tagged_texts("birds").await.is_empty());
        assert!(texts(&who.reads_posts_of(&ana).await).is_empty());
        assert_eq!(who.reads_notifications().await["notifications"], json!([]));
        for url in &pictures {
            let (theirs, none) = (who.fetches(url).await, who.fetches("/media/posts/none.jpg?token=x").await);
            assert_eq!((theirs.status, &theirs.body), (none.status, &none.body));
        }
        who.is_refused("not_found", "posts.create", shared(post("hello"), &of(group_id))).await;
        who.is_refused("not_found", "posts.create", shared(post("hello"), &of(NONE))).await;
        who.is_up_to_date(&server).await;
        who.received_nothing_of(&[post_id, comment_id, plain, group_id], before);
    }
    assert_eq!(ana.opens(post_id).await["positive_count"], 1, "nobody else's vote counts");

    ben.deletes_comment(comment_id).await;
    ana.receives("comments.deleted").await;
    ana.deletes(post_id).await;
    ben.receives("posts.deleted").await;
    for (who, before) in [&cleo, &dora].into_iter().zip(before) {
        who.is_up_to_date(&server).await;
        who.received_nothing_of(&[post_id, comment_id, plain, group_id], before);
    }
}

#[tokio::test]
async fn a_removed_member_loses_all_access_before_the_owner_has_the_reply() {
    let server = TestServer::new().await;
    let [ana, ben, dora] = server.people(["Ana", "Ben", "Dora"]).await;
    let group_id = ana.makes_group_with("Close friends", &[&ben, &dora]).await;
    let upload = ana.uploads("tree.jpg", &crate::support::picture::jpeg(8, 6)).await;
    let fields = post_with_pictures(&format!("a {WORD}"), &[(&upload, "A tree.")]);
    let post_id = ana.publishes(shared(fields, &of(group_id))).await;
    let doras_comment = dora.comments(post_id, "mine").await;
    ben.comments(post_id, &format!("{WORD} {}", dora.mention())).await;
    dora.votes(post_id, "positive").await;
    dora.reads_thread(post_id).await;
    let poll_fields = poll(&format!("A {WORD}?"), &["yes", "no"]);
    let poll_id =
        ana.asks("polls.create", shared(poll_fields, &of(group_id))).await["poll"]["id"].as_i64().unwrap();
    dora.chooses(poll_id, 0).await;
    let pictures = urls(&dora.opens(post_id).await);
    let delivered = dora.reads_notifications().await["notifications"][0].clone();
    assert_eq!((&delivered["post_id"], &delivered["kind"]), (&json!(post_id), &json!("reply")));
    for who in [&ana, &ben, &dora] {
        who.is_up_to_date(&server).await;
    }

    ana.removes(group_id, &dora).await;
    let event = dora.receives_only(&server, &["groups.left"]).await.remove(0);
    assert_eq!((&event["group_id"], &event["user_id"]), (&json!(group_id), &json!(dora.id)));
    let before = dora.messages();

    // The others continue.
    let other = ben.comments(post_id, &format!("more {WORD}s")).await;
    ben.comments(post_id, &format!("{WORD} {}", dora.mention())).await;
    let second = ben.shares(group_id, &format!("another {WORD}")).await;
    ben.chooses(poll_id, 1).await;
    ana.edits_for(of(group_id), post_id, &format!("two {WORD}s")).await;
    ana.sees_post(&format!("another {WORD}")).await;
    dora.receives_nothing(&server).await;

    dora.finds_nothing_at(&server, post_id, doras_comment).await;
    assert!(dora.feed_texts().await.is_empty());
    assert!(dora.reads_polls().await.is_empty());
    dora.is_refused("not_found", "polls.voters", json!({ "poll_id": poll_id, "option": 0, "after": null }))
        .await;
    for url in &pictures {
        assert_eq!(dora.fetches(url).await.status, 404);
    }
    let line = dora.reads_notifications().await["notifications"][0].clone();
    assert_eq!(line["id"], delivered["id"], "the line is still there");
    for name in ["post_id", "comment_id", "post_text", "comment_text", "content_note"] {
        assert_eq!(line[name], Value::Null, "{name}");
    }
    dora.received_nothing_of(&[post_id, second, other, poll_id, group_id], before);
    let thread = ben.reads_thread(post_id).await;
    assert_eq!(thread["comments_count"], 4, "what she said is the members' still");

    // A client that resumes from an earlier cursor receives no events of the group.
    let mut dora = dora;
    let hello = dora.socket.hello().await;
    dora.reconnects().await;
    let (epoch, seq) = (&hello["epoch"], &hello["seq"]);
    let shows = json!({ "epoch": epoch, "seq": seq, "posts": [post_id], "polls": [poll_id], "profiles": [] });
    let _ = dora.tries("live.resume", shows).await;
    ben.comments(post_id, &format!("last {WORD}")).await;
    dora.is_up_to_date(&server).await;
    dora.received_nothing_of(&[post_id, second, other, poll_id], 0);
}

#[tokio::test]
async fn an_author_who_left_the_group_keeps_only_their_own_text_and_can_move_it_out() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let group_id = ana.makes_group_with("Close friends", &[&ben, &cleo]).await;
    let post_id = ben.shares(group_id, "mine").await;
    let comment_id = cleo.comments(post_id, WORD).await;
    ben.sees_comment(WORD).await;
    ana.opens(post_id).await;
    ben.leaves_group(group_id).await;
    for who in [&ana, &ben, &cleo] {
        who.is_up_to_date(&server).await;
    }
    let before = ben.messages();

    let bare = ben.opens(post_id).await;
    assert_eq!((&bare["text"], &bare["audience"]), (&json!("mine"), &of(None)));
    assert_eq!((&bare["comments_count"], &bare["first_comments"]), (&json!(0), &json!([])));
    assert_eq!(ben.feed_texts().await, ["mine"]);
    for op in ["comments.page", "comments.mentionable"] {
        ben.is_refused("not_found", op, json!({ "post_id": post_id, "term": "" })).await;
    }
    let fields =
        json!({ "key": key(), "post_id": post_id, "text": "hello?", "audience": { "type": "public" } });
    ben.is_refused("not_found", "comments.create", fields).await;
    ben.is_refused("not_found", "comments.delete", json!({ "key": key(), "comment_id": comment_id })).await;
    cleo.comments(post_id, &format!("{WORD} {}", ben.mention())).await;
    ana.sees_comment(&format!("{WORD} {}", ben.mention())).await;
    ben.receives_nothing(&server).await;
    ben.received_nothing_of(&[comment_id, group_id], before);

    // Only a member can share with the group again. Others have commented while it was shared with the group, so it
    // cannot become public.
    ben.is_refused("not_found", "posts.update", shared(edit(post_id, None, "mine"), &of(group_id))).await;
    let no = ben.is_refused("invalid", "posts.update", shared(edit(post_id, None, "mine"), &all())).await;
    assert_eq!(no.field.as_deref(), Some("audience"));
    for who in [&ana, &cleo] {
        who.is_up_to_date(&server).await;
    }
    // The members still read it, so the audience that he sees cannot be sent back with other words.
    let no = ben.is_refused("invalid", "posts.update", shared(edit(post_id, None, "mine"), &of(None))).await;
    assert_eq!(no.field.as_deref(), Some("audience"));
    assert_eq!(cleo.opens(post_id).await["audience"], of(group_id));
    for who in [&ana, &cleo] {
        who.receives_nothing(&server).await;
    }
    let ok = ben.edits_for(alone(), post_id, "mine alone").await;
    assert_eq!((&ok["audience"], &ok["groups"]), (&alone(), &json!([])));
    for who in [&ana, &cleo] {
        let gone = who.receives_only(&server, &["posts.deleted"]).await;
        assert_eq!(gone[0]["post_id"], post_id);
        who.is_refused("not_found", "posts.get", json!({ "post_id": post_id })).await;
    }
    assert_eq!(ben.receives_only(&server, &["posts.updated"]).await[0]["audience"], alone());
    ben.is_alone_with(post_id, &alone()).await;
    // The end of the group changes nothing of what he chose.
    ana.ends_group(group_id).await;
    ben.is_alone_with(post_id, &alone()).await;
    ben.received_nothing_of(&[comment_id, group_id], before);
    ben.deletes(post_id).await;
    ben.receives_only(&server, &["posts.deleted", "notifications.deleted"]).await;
}

#[tokio::test]
async fn posts_of_a_deleted_group_are_visible_to_their_authors_only() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let group_id = ana.makes_group_with("Close friends", &[&ben, &cleo]).await;
    let post_id = ben.shares(group_id, "mine").await;
    let comment_id = cleo.comments(post_id, WORD).await;
    let poll_fields = poll("Tea?", &["yes", "no"]);
    let poll_id =
        ben.asks("polls.create", shared(poll_fields, &of(group_id))).await["poll"]["id"].as_i64().unwrap();
    ana.ends_group(group_id).await;
    let deleted = json!({ "type": "group_deleted" });
    ben.is_alone_with(post_id, &deleted).await;
    assert_eq!(ben.opens(post_id).await["comments_count"], 0);
    for who in [&ana, &cleo] {
        who.finds_nothing_at(&server, post_id, comment_id).await;
    }
    for who in [&ana, &ben, &cleo] {
        assert!(who.reads_polls().await.is_empty());
        let fields = json!({ "key": key(), "poll_id": poll_id, "option": 0 });
        who.is_refused("not_found", "polls.vote", fields).await;
    }
    let no = ben.is_refused("invalid", "posts.update", shared(edit(post_id, None, "mine"), &all())).await;
    assert_eq!(
        no.message,
        "Others have written under this post for a smaller circle, so it can't be shared more widely. Your words are kept."
    );
    let no = ben.is_refused("invalid", "posts.update", shared(edit(post_id, None, "mine"), &deleted)).await;
    assert_eq!(no.field.as_deref(), Some("audience"));
    let ok = ben.edits_for(alone(), post_id, "mine alone").await;
    assert_eq!(ok["audience"], alone());
    ben.is_alone_with(post_id, &alone()).await;
}

#[tokio::test]
async fn a_change_of_audience_sends_each_user_the_right_events_in_order() {
    let server = TestServer::new().await;
    let [ana, ben, cleo, dora] = server.people(["Ana", "Ben", "Cleo", "Dora"]).await;
    let group_id = ana.makes_group_with("Close friends", &[&ben]).await;
    // Ben is in the group and follows Ana. Cleo follows Ana. Dora shows the post and is subscribed to it.
    cleo.follows(&ana).await;
    let post_id = ana.posts("for everybody").await;
    ana.comments(post_id, &format!("hi {}", dora.mention())).await;
    dora.opens(post_id).await;
    for who in [&ana, &ben, &cleo, &dora] {
        who.is_up_to_date(&server).await;
    }
    let before = [cleo.messages(), dora.messages()];

    ana.edits_for(of(group_id), post_id, WORD).await;
    let post = ana.opens(post_id).await;
    assert!(post["updated_at_ms"].as_i64() > post["created_at_ms"].as_i64(), "edited");
    for who in [&cleo, &dora] {
        let gone = who.receives_only(&server, &["posts.deleted"]).await;
        assert_eq!(gone[0]["post_id"], post_id);
    }
    for who in [&ana, &ben] {
        let received = who.receives_only(&server, &["posts.updated", "posts.created"]).await;
        assert_eq!(received[0]["audience"], of(group_id));
        assert_eq!(received[1]["post"]["comments_count"], 1);
        assert_eq!(received[1]["groups"][0]["name"], "Close friends");
    }
    for (who, before) in [&cleo, &dora].into_iter().zip(before) {
        who.is_refused("not_found", "posts.get", json!({ "post_id": post_id })).await;
        who.received_nothing_of(&[group_id], before);
    }

    // Nobody else has commented, so the post can be public again, and Ana's followers receive it.
    ana.edits_for(all(), post_id, "for everybody").await;
    for (who, names) in [
        (&ana, &["posts.updated", "posts.created"][..]),
        (&ben, &["posts.updated", "posts.created"]),
        (&cleo, &["posts.updated", "posts.created"]),
    ] {
        assert_eq!(who.receives_only(&server, names).await[0]["audience"], all(), "{}", who.name);
    }
    ana.edits_for(of(group_id), post_id, WORD).await;
    ben.comments(post_id, "here").await;
    let fields = shared(edit(post_id, None, "other words"), &all());
    let no = ana.is_refused("invalid", "posts.update", fields).await;
    assert_eq!(no.field.as_deref(), Some("audience"));
    assert_eq!(ben.opens(post_id).await["text"], WORD, "nothing was changed");
    ana.edits_for(of(group_id), post_id, "other words").await;
    assert_eq!(ben.opens(post_id).await["text"], "other words");
}

#[tokio::test]
async fn sharing_with_an_unknown_or_foreign_group_is_refused() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let group_id = ana.makes_group_with("Close friends", &[&ben]).await;
    let post_id = cleo.posts("hello").await;
    cleo.is_up_to_date(&server).await;
    for (code, audience) in [
        ("not_found", of(group_id)),
        ("not_found", of(NONE)),
        ("bad_request", of(None)),
        ("bad_request", alone()),
        ("bad_request", json!({ "type": "group", "group_id": -1 })),
        ("bad_request", json!({ "type": "friends" })),
    ] {
        for (op, fields) in [
            ("posts.create", post("hello")),
            ("posts.update", edit(post_id, None, "hello")),
            ("polls.create", poll("Tea?", &["yes", "no"])),
        ] {
            cleo.is_refused(code, op, shared(fields, &audience)).await;
        }
    }
    cleo.receives_nothing(&server).await;
    assert_eq!(cleo.feed_texts().await, ["hello"]);
}
