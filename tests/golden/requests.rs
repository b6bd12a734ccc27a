//! The golden requests.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{ANA, BEN, GROUP, POLL, POST};
use crate::value::key_of;

/// What the link of a mail carries.
const TOKEN: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHv8";

/// What an invitation's link ends with.
const CODE: &str = "AAECAwQFBgcICQoLDA0ODw";

/// Every request there is, with every field.
pub fn requests() -> BTreeMap<&'static str, Value> {
    let key = key_of(0x0001_0203_0405_0607_0809_0a0b_0c0d_0eff);
    let upload = key_of(0xff01_0203_0405_0607_0809_0a0b_0c0d_0e0f);
    let (ana, ben, post, group) = (ANA.0, BEN.0, POST.0, GROUP.0);
    BTreeMap::from([
        (
            "auth.sign_up",
            json!({
                "key": key, "email": "ana@example.org", "password": "slow mornings", "name": null, "invite": CODE,
            }),
        ),
        ("auth.log_in", json!({ "email": "ana@example.org", "password": "slow mornings" })),
        ("auth.log_out", json!({})),
        ("auth.request_reset", json!({ "email": "ana@example.org" })),
        ("auth.send_reset", json!({ "key": key })),
        ("auth.reset_password", json!({ "key": key, "token": TOKEN, "password": "slower mornings" })),
        (
            "auth.change_email",
            json!({ "key": key, "email": "ana@new.example.org", "password": "slow mornings" }),
        ),
        ("auth.confirm_email", json!({ "key": key, "token": TOKEN })),
        ("auth.undo_email", json!({ "key": key, "token": TOKEN })),
        ("auth.logins", json!({})),
        ("auth.log_out_others", json!({ "key": key })),
        ("live.probe", json!({})),
        ("live.resume", json!({ "epoch": "00ff", "seq": 70_000, "posts": [1, post], "profiles": [ben] })),
        ("live.leave", json!({ "posts": [], "profiles": [ana, ben], "polls": [POLL.0] })),
        ("posts.feed", json!({ "tag": "Slow Mornings", "before": null })),
        ("posts.by_author", json!({ "user_id": ana, "before": post })),
        ("posts.get", json!({ "post_id": post })),
        (
            "posts.refresh",
            json!({ "post_ids": [1, 127, 128, 255, 256, 65_535, 65_536, 4_294_967_295_u32, 4_294_967_296_u64, post] }),
        ),
        (
            "posts.create",
            json!({
                "key": key, "title": "A title", "text": "one\ntwo", "tag": null, "audience": { "type": "public" },
                "pictures": [{ "upload": upload, "alt": "Zoë 🌿 by the sea" }, { "upload": key, "alt": null }],
            }),
        ),
        (
            "posts.update",
            json!({ "key": key, "post_id": post, "title": null, "text": "three", "audience": { "type": "group", "group_id": null } }),
        ),
        (
            "uploads.begin",
            json!({
                "upload": upload, "name": "Zoë.jpg", "size_bytes": 5_242_880, "content_type": "image/jpeg",
                "index": 0, "purpose": "photo",
            }),
        ),
        ("uploads.chunk", json!({ "upload": upload, "offset": 65_536, "bytes": { "$bin": "ffd8ffe0" } })),
        ("uploads.commit", json!({ "upload": upload })),
        ("uploads.cancel", json!({ "upload": upload })),
        ("posts.delete", json!({ "key": key, "post_id": post })),
        ("votes.set", json!({ "key": key, "post_id": post, "vote": "negative" })),
        (
            "comments.create",
            json!({ "key": key, "post_id": post, "text": format!("so true, @{ben}+Zoë_🌿_שלום !") }),
        ),
        ("comments.delete", json!({ "key": key, "comment_id": 65_536 })),
        ("comments.mentionable", json!({ "post_id": post, "term": "zo" })),
        ("comments.page", json!({ "post_id": post, "after": 128 })),
        ("follows.set", json!({ "key": key, "user_id": ben, "following": true })),
        ("follows.remove", json!({ "key": key, "user_id": ben })),
        ("people.block", json!({ "key": key, "user_id": ben })),
        ("people.unblock", json!({ "key": key, "user_id": ben })),
        ("people.mute", json!({ "key": key, "user_id": ben })),
        ("people.unmute", json!({ "key": key, "user_id": ben })),
        ("people.hidden", json!({})),
        ("follows.page", json!({ "side": "followers", "before": null })),
        ("profiles.get", json!({ "user_id": ben })),
        (
            "profiles.update",
            json!({ "key": key, "name": "Ana 🌿", "bio": "Quiet.\nMostly.", "from_color": "red", "to_color": "purple" }),
        ),
        ("profiles.set_photo", json!({ "key": key, "upload": upload })),
        ("search.names", json!({ "term": "Zo" })),
        ("search.people", json!({ "after": { "name_key": "zoë", "id": ben } })),
        ("notifications.page", json!({ "before": 4_294_967_296_u64 })),
        ("notifications.read", json!({ "key": key })),
        ("notifications.delete", json!({ "key": key, "notification_id": 65_536 })),
        ("polls.list", json!({ "before": POLL.0 })),
        (
            "polls.create",
            json!({
                "key": key, "question": "Tea or coffee?", "options": ["Tea 🌿", "Coffee"],
                "audience": { "type": "group", "group_id": group },
            }),
        ),
        ("polls.vote", json!({ "key": key, "poll_id": POLL.0, "option": 0 })),
        ("polls.tallies", json!({ "poll_ids": [POLL.0, 7] })),
        ("polls.voters", json!({ "poll_id": POLL.0, "option": 3, "after": ben })),
        ("polls.delete", json!({ "key": key, "poll_id": POLL.0 })),
        (
            "account.set_privacy",
            json!({ "key": key, "hide_numbers": null, "listed": false, "adders": "followed", "commenters": null }),
        ),
        ("invites.get", json!({ "code": CODE })),
        ("invites.list", json!({})),
        ("invites.create", json!({ "key": key })),
        ("invites.revoke", json!({ "key": key, "code": CODE })),
        (
            "reports.create",
            json!({
                "key": key, "about": { "type": "comment", "comment_id": 65_536 }, "reason": "other",
                "details": "Every day. 🌿",
            }),
        ),
        ("invites.all", json!({ "after": { "created_at_ms": 1_772_355_600_000_i64, "code": CODE } })),
        ("theme.schedule", json!({})),
        (
            "theme.set",
            json!({ "key": key, "day": "2026-11-21", "title": "Boats", "description": "Which?", "tag": "boats" }),
        ),
        ("theme.clear", json!({ "key": key, "day": "2026-11-21" })),
        ("admin.people", json!({ "term": "ana", "before": BEN.0 })),
        ("admin.suspend", json!({ "key": key, "user_id": BEN.0, "suspended": true })),
        ("admin.reports", json!({ "before": 65_536 })),
        ("admin.dismiss_report", json!({ "key": key, "report_id": 65_536 })),
        ("admin.remove_content", json!({ "key": key, "report_id": 65_536 })),
        ("admin.health", json!({})),
        ("admin.back_up", json!({})),
        ("admin.end_logins", json!({ "key": key, "user_id": BEN.0 })),
        ("admin.reset_link", json!({ "user_id": BEN.0 })),
        ("admin.delete", json!({ "user_id": BEN.0, "password": "slow mornings" })),
        ("admin.log", json!({ "before": 65_536 })),
        ("newcomers.dismiss", json!({ "key": key, "what": "inviter" })),
        ("account.export", json!({})),
        ("account.delete", json!({ "password": "slow mornings" })),
        ("moods.today", json!({ "zone": "Europe/Berlin" })),
        (
            "moods.set",
            json!({ "key": key, "slot": "evening", "mood": "Mind Blown", "zone": "America/New_York" }),
        ),
        ("theme.get", json!({})),
        ("groups.list", json!({})),
        ("groups.get", json!({ "group_id": group })),
        ("groups.create", json!({ "key": key, "name": "Tea & 🌿" })),
        ("groups.rename", json!({ "key": key, "group_id": group, "name": "Coffee שלום" })),
        ("groups.delete", json!({ "key": key, "group_id": group })),
        ("groups.add", json!({ "key": key, "group_id": group, "user_ids": [ana, ben] })),
        ("groups.remove", json!({ "key": key, "group_id": group, "user_id": ben })),
        ("groups.leave", json!({ "key": key, "group_id": group })),
        ("groups.candidates", json!({ "group_id": group, "before": 65_536 })),
        ("groups.not_again", json!({})),
        ("groups.left_of_mine", json!({ "user_id": ben })),
        ("groups.allow_again", json!({ "key": key, "group_id": group })),
    ])
}
