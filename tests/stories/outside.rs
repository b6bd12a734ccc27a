//! Former members: which data of a group a user still sees after leaving it.

use serde_json::{Value, json};

use crate::audiences::{WORD, all, alone, of, shared};
use crate::support::person::{Person, edit, poll, post};
use crate::support::server::TestServer;
use crate::support::uploads::{post_with_pictures, urls};
use crate::support::value::key;

#[tokio::test]
async fn a_repeated_request_of_a_former_member_returns_nothing_of_others() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let [stays, ends] = [
        ana.makes_group_with("one", &[&ben, &cleo]).await,
        ana.makes_group_with("two", &[&ben, &cleo]).await,
    ];
    let mut edits = Vec::new();
    for group_id in [stays, ends] {
        let post_id = ben.shares(group_id, "mine").await;
        cleo.comments(post_id, WORD).await;
        let fields = shared(edit(post_id, None, "mine, edited"), &of(group_id));
        let ok = ben.asks("posts.update", fields.clone()).await;
        assert_eq!(ok["groups"][0]["id"], json!(group_id));
        assert_eq!(ben.asks("posts.update", fields.clone()).await, ok, "while he is in it");
        edits.push(fields);
    }
    let quiet = shared(post("mine too"), &of(stays));
    let made = ben.asks("posts.create", quiet.clone()).await;
    ana.removes(stays, &ben).await;
    ana.ends_group(ends).await;
    ben.is_up_to_date(&server).await;
    let before = ben.messages();
    for fields in edits {
        let (post_id, key) = (fields["post_id"].clone(), fields["key"].clone());
        // The edit was applied, so the reply has his own text, and nothing of the group.
        let again = ben.asks("posts.update", fields).await;
        assert_eq!(
            (&again["post_id"], &again["text"], &again["audience"], &again["groups"]),
            (&post_id, &json!("mine, edited"), &of(None), &json!([]))
        );
        let mut other = shared(edit(post_id.as_i64().unwrap(), None, "another"), &of(None));
        other["key"] = key;
        ben.is_refused("key_conflict", "posts.update", other).await;
    }
    assert_eq!(ben.asks("posts.create", quiet).await["post"]["id"], made["post"]["id"], "his own words are");
    ben.received_nothing_of(&[], before);
}

#[tokio::test]
async fn hidden_posts_affect_neither_the_length_nor_the_end_of_a_page() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let group_id = ana.makes_group_with("Close friends", &[&ben]).await;
    cleo.follows(&ana).await;
    let mut public = Vec::new();
    for number in 0..31 {
        public.push(ana.posts(&format!("post {number}")).await);
        ana.shares(group_id, &format!("{WORD} {number}")).await;
    }
    public.reverse();
    let ids = |page: &Value| -> Vec<i64> {
        page["posts"].as_array().unwrap().iter().map(|post| post["id"].as_i64().unwrap()).collect()
    };
    for op in ["posts.feed", "posts.by_author"] {
        let asks = |before: Value| json!({ "user_id": ana.id, "before": before });
        let first = cleo.asks(op, asks(Value::Null)).await;
        assert_eq!((ids(&first), &first["older"]), (public[..30].to_vec(), &json!(public[29])), "{op}");
        let last = cleo.asks(op, asks(json!(public[29]))).await;
        assert_eq!((ids(&last), &last["older"]), (public[30..].to_vec(), &Value::Null), "{op}");
        let mut before = Value::Null;
        for length in [30, 30, 2] {
            let page = ben.asks(op, asks(before)).await;
            assert_eq!(ids(&page).len(), length, "{op}");
            before = page["older"].clone();
        }
        assert_eq!(before, Value::Null);
    }
    cleo.received_nothing_of(&[group_id], 0);
}

#[tokio::test]
async fn pictures_follow_the_audience_of_their_post_and_unused_ones_stay_usable() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let group_id = ana.makes_group_with("Close friends", &[&ben]).await;
    let upload = ben.uploads("tree.jpg", &crate::support::picture::jpeg(8, 6)).await;
    let fields = post_with_pictures("a tree", &[(&upload, "A tree.")]);
    let post_id = ben.publishes(fields).await;
    let pictures = urls(&cleo.opens(post_id).await);
    let all_are = async |who: &Person, status: u16| {
        for url in &pictures {
            assert_eq!(who.fetches(url).await.status, status, "{}", who.name);
        }
    };
    all_are(&cleo, 200).await;
    ben.edits_for(of(group_id), post_id, "a tree").await;
    all_are(&cleo, 404).await;
    all_are(&ana, 200).await;
    ana.removes(group_id, &ben).await;
    all_are(&ben, 200).await;
    ben.edits_for(alone(), post_id, "a tree").await;
    all_are(&ana, 404).await;
    ben.edits_for(all(), post_id, "a tree").await;
    all_are(&cleo, 200).await;

    let upload = ben.uploads("tree.jpg", &crate::support::picture::jpeg(8, 6)).await;
    let fields = post_with_pictures("another", &[(&upload, "A tree.")]);
    ben.is_refused("not_found", "posts.create", shared(fields.clone(), &of(group_id))).await;
    let mut again = shared(fields, &all());
    again["key"] = key();
    ben.publishes(again).await;
}

#[tokio::test]
async fn polls_of_a_former_group_do_not_count_and_do_not_reveal_its_deletion() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let group_id = ana.makes_group_with("Close friends", &[&ben]).await;
    for number in 0..5 {
        let poll_fields = shared(poll(&format!("Tea at {number}?"), &["yes", "no"]), &of(group_id));
        ben.asks("polls.create", poll_fields).await;
    }
    let no = ben.is_refused("invalid", "polls.create", poll("Tea?", &["yes", "no"])).await;
    assert_eq!(no.message, "Five open polls are as many as one person has at a time.");
    ana.removes(group_id, &ben).await;
    for _ in 0..5 {
        ben.asks("polls.create", poll("Tea?", &["yes", "no"])).await;
    }
    for is_gone in [false, true] {
        if is_gone {
            ana.ends_group(group_id).await;
        }
        ben.is_refused("invalid", "polls.create", poll("Tea?", &["yes", "no"])).await;
    }
}

#[tokio::test]
async fn an_edit_concurrent_with_a_removal_is_applied_before_or_after_it() {
    let server = TestServer::new().await;
    let [ana, ben, cleo] = server.people(["Ana", "Ben", "Cleo"]).await;
    let group_id = ana.makes_group_with("Close friends", &[&ben, &cleo]).await;
    let post_id = ben.shares(group_id, "mine").await;
    cleo.comments(post_id, WORD).await;
    for number in 0..24 {
        let words = format!("mine, for the {number}th time");
        let fields = shared(edit(post_id, None, &words), &of(group_id));
        let tab = ben.opens_another_tab().await;
        let edits = tab.tries("posts.update", fields.clone());
        let removes = ana.removes(group_id, &ben);
        let edited =
            if number % 2 == 0 { tokio::join!(edits, removes).0 } else { tokio::join!(removes, edits).1 };
        let text = cleo.opens(post_id).await["text"].clone();
        match edited.as_ref().map_err(|no| no.code.as_str()) {
            // The reply was sent before the removal, or after it and then without the group.
            Ok(ok) => {
                assert_eq!(text, json!(words));
                assert!([of(group_id), of(None)].contains(&ok["audience"]), "{ok}");
            }
            Err(code) => assert!(text != json!(words) && code == "not_found", "{code}"),
        }
        tab.is_up_to_date(&server).await;
        let log = tab.socket.log();
        let left = log.iter().position(|message| message["ev"] == "groups.left").unwrap();
        assert!(!log[left..].iter().any(|message| message.to_string().contains(WORD)), "{log:#?}");
        let bare = ben.opens(post_id).await;
        assert_eq!((&bare["audience"], &bare["first_comments"]), (&of(None), &json!([])));
        match (edited, ben.tries("posts.update", fields).await) {
            // The repeated request gets the reply of an applied edit, without the group.
            (Ok(_), Ok(again)) => assert_eq!(again["audience"], of(None)),
            (Err(_), Err(no)) => assert_eq!(no.code, "not_found"),
            (first, again) => panic!("{first:?} and then {again:?}"),
        }
        let fields = json!({ "key": key(), "group_id": group_id, "user_ids": [ben.id] });
        ana.asks("groups.add", fields).await;
    }
}

#[tokio::test]
async fn a_post_moved_to_a_group_is_not_delivered_to_strangers_who_show_it() {
    let server = TestServer::new().await;
    let [ana, ben, dora] = server.people(["Ana", "Ben", "Dora"]).await;
    let group_id = ana.makes_group_with("Close friends", &[&ben]).await;
    let post_id = ana.posts("for everybody").await;
    let doras_comment = dora.comments(post_id, "mine").await;
    ana.comments(post_id, &format!("hi {}", dora.mention())).await;
    dora.votes(post_id, "positive").await;
    dora.reads_thread(post_id).await;
    let mut phone = dora.logs_in_on_phone().await;
    phone.opens(post_id).await;
    let hello = phone.socket.hello().await;
    for who in [&ana, &ben, &dora, &phone] {
        who.is_up_to_date(&server).await;
    }
    let before = dora.messages();
    ana.edits_for(of(group_id), post_id, WORD).await;
    for own in [&dora, &phone] {
        let gone = own.receives_only(&server, &["posts.deleted"]).await;
        assert_eq!(
            gone[0],
            json!({ "ev": "posts.deleted", "post_id": post_id, "author_id": ana.id, "seq": gone[0]["seq"] })
        );
    }

    let comment_id = ben.comments(post_id, &format!("{WORD} {}", dora.mention())).await;
    ben.comments(post_id, WORD).await;
    ana.edits_for(of(group_id), post_id, &format!("{WORD}s")).await;
    ana.deletes_comment(comment_id).await;
    for own in [&dora, &phone] {
        own.receives_nothing(&server).await;
    }
    dora.finds_nothing_at(&server, post_id, doras_comment).await;
    let lines = dora.reads_notifications().await["notifications"].as_array().unwrap().clone();
    assert_eq!(lines.iter().filter(|line| line["post_id"].is_null()).count(), 1, "the line stays");
    dora.received_nothing_of(&[group_id, comment_id], before);

    // It is not delivered after a resume of the topics on screen either.
    phone.reconnects().await;
    let (epoch, seq) = (&hello["epoch"], &hello["seq"]);
    let shows = json!({ "epoch": epoch, "seq": seq, "posts": [post_id], "polls": [], "profiles": [ana.id] });
    phone.asks("live.resume", shows).await;
    ben.comments(post_id, WORD).await;
    phone.is_up_to_date(&server).await;
    phone.received_nothing_of(&[group_id, comment_id], 0);

    // A user with a notification of the deleted post receives the deletion of the notification.
    ana.deletes(post_id).await;
    dora.receives_only(&server, &["notifications.deleted"]).await;
    assert_eq!(dora.reads_notifications().await["notifications"], json!([]));
}

#[tokio::test]
async fn a_post_moved_between_groups_and_to_public_reaches_each_audience() {
    let server = TestServer::new().await;
    let [ana, ben, cleo, dora] = server.people(["Ana", "Ben", "Cleo", "Dora"]).await;
    let first = ana.makes_group_with("First", &[&ben, &cleo]).await;
    let second = ana.makes_group_with("quetzals", &[&cleo, &dora]).await;
    let post_id = ana.shares(first, "words").await;
    for who in [&ben, &cleo] {
        who.reads_thread(post_id).await;
    }
    for who in [&ana, &ben, &cleo, &dora] {
        who.is_up_to_date(&server).await;
    }
    let before = ben.messages();
    ana.edits_for(of(second), post_id, WORD).await;
    ben.receives_only(&server, &["posts.deleted"]).await;
    for who in [&ana, &cleo, &dora] {
        let received = who.receives_only(&server, &["posts.updated", "posts.created"]).await;
        assert_eq!(
            (&received[0]["audience"], &received[1]["groups"][0]["id"]),
            (&of(second), &json!(second))
        );
    }
    ana.comments(post_id, WORD).await;
    cleo.sees_comment(WORD).await;
    for who in [&ana, &cleo, &dora] {
        who.is_up_to_date(&server).await;
    }
    ben.receives_nothing(&server).await;
    ben.finds_nothing_at(&server, post_id, post_id).await;
    ben.received_nothing_of(&[second], before);

    // Only the author has commented.
    ana.edits_for(all(), post_id, "for everybody").await;
    for who in [&ana, &ben, &cleo, &dora] {
        let received = who.receives_only(&server, &["posts.updated", "posts.created"]).await;
        assert_eq!(
            (&received[0]["groups"], &received[1]["groups"]),
            (&json!([]), &json!([])),
            "{}",
            who.name
        );
        assert_eq!(received[1]["post"]["first_comments"][0]["text"], WORD);
    }
    assert_eq!(ben.opens(post_id).await["audience"], all());
}

#[tokio::test]
async fn a_reply_about_a_groups_poll_after_the_removal_has_nothing_of_the_group() {
    let server = TestServer::new().await;
    let [ana, ben] = server.people(["Ana", "Ben"]).await;
    let group_id = ana.makes_group_with("quetzals", &[&ben]).await;
    for number in 0..24 {
        let poll_fields = || shared(poll("Tea?", &["yes", "no"]), &of(group_id));
        let poll_id = ana.asks("polls.create", poll_fields()).await["poll"]["id"].as_i64().unwrap();
        let tab = ben.opens_another_tab().await;
        let asks = async {
            match number % 2 {
                0 => tab.tries("polls.create", poll_fields()).await,
                _ => tab.tries("polls.vote", json!({ "key": key(), "poll_id": poll_id, "option": 0 })).await,
            }
        };
        let (done, ()) = tokio::join!(asks, ana.removes(group_id, &ben));
        assert!(
            done.as_ref().is_ok_and(|ok| ok["seq"].is_i64())
                || done.as_ref().is_err_and(|no| no.code == "not_found")
        );
        tab.is_up_to_date(&server).await;
        let log = tab.socket.log();
        let left = log.iter().position(|message| message["ev"] == "groups.left").unwrap();
        for message in
            log[left + 1..].iter().filter(|message| message["ok"].is_object() && message["re"] == 1)
        {
            assert!(message["ok"]["tally"].is_null(), "{log:#?}");
            assert!(!message.to_string().contains(&group_id.to_string()), "{log:#?}");
            assert!(!message.to_string().contains("quetzals"), "{log:#?}");
        }
        ana.asks("polls.delete", json!({ "key": key(), "poll_id": poll_id })).await;
        let fields = json!({ "key": key(), "group_id": group_id, "user_ids": [ben.id] });
        ana.asks("groups.add", fields).await;
        for made in ben.reads_polls().await {
            ben.asks("polls.delete", json!({ "key": key(), "poll_id": made["id"] })).await;
        }
    }
}
