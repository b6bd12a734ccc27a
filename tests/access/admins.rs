//! What admins may ask for. To everybody else it is not there.

use serde_json::{Value, json};

use super::rows::Then::{NotFound, Yes};
use super::rows::{Columns, NOBODY, Row, Then};
use super::sweeps;
use crate::support::person::{PASSWORD, Person};
use crate::support::server::TestServer;
use crate::support::value::key;

#[tokio::test]
async fn s1_what_admins_may_ask_for_is_not_there_for_others() {
    sweeps(table()).await;
}

/// Somebody whom the host made an admin.
pub async fn an_admin(server: &TestServer) -> Person {
    let admin = server.person("Ada").await;
    assert_eq!(server.host(&["user", "promote", &admin.email]).await.code, 0);
    admin.receives("account.changed").await;
    admin
}

/// Returns the expected result for an admin, who gets what is not for admins like a stranger.
pub fn for_admin(op: &str, [_, stranger, ..]: Columns) -> Then {
    // No such report was made.
    let names_report = ["admin.dismiss_report", "admin.remove_content"].contains(&op);
    // An admin may revoke every invitation.
    let is_for_admins = op == "invites.revoke" || table().iter().any(|(row, ..)| *row == op);
    if is_for_admins && !names_report { Yes } else { stranger }
}

/// The day whose theme an admin sets.
const SET_DAY: &str = "2027-01-01";

fn theme() -> Value {
    json!({ "key": key(), "day": SET_DAY, "title": "Boats", "description": "Which?", "tag": "boats" })
}

/// Every request of admins.
pub fn table() -> Vec<Row> {
    vec![
        ("invites.all", |_| json!({ "after": null }), NOBODY, None),
        ("theme.schedule", |_| json!({}), NOBODY, None),
        ("theme.set", |_| theme(), NOBODY, None),
        ("theme.clear", |_| json!({ "key": key(), "day": SET_DAY }), NOBODY, None),
        ("admin.people", |_| json!({ "term": "Ana" }), NOBODY, None),
        ("admin.log", |_| json!({}), NOBODY, None),
        ("admin.health", |_| json!({}), NOBODY, None),
        ("admin.back_up", |_| json!({}), NOBODY, None),
        ("admin.reports", |_| json!({}), NOBODY, None),
        ("admin.dismiss_report", |_| json!({ "key": key(), "report_id": 7 }), NOBODY, None),
        ("admin.remove_content", |_| json!({ "key": key(), "report_id": 7 }), NOBODY, None),
        ("admin.reset_link", |things| json!({ "user_id": things.author }), NOBODY, Some(NotFound)),
        (
            "admin.suspend",
            |things| json!({ "key": key(), "user_id": things.author, "suspended": true }),
            NOBODY,
            Some(NotFound),
        ),
        (
            "admin.end_logins",
            |things| json!({ "key": key(), "user_id": things.author }),
            NOBODY,
            Some(NotFound),
        ),
        (
            "admin.delete",
            |things| json!({ "user_id": things.author, "password": PASSWORD }),
            NOBODY,
            Some(NotFound),
        ),
    ]
}
