//! Sends the requests of admins as every viewer. For everybody else, what they name does not exist.

use super::rows::Columns;
use super::rows::Then::{self, Yes};
use super::sweeps;
use crate::feature::all;
use crate::support::person::Person;
use crate::support::server::TestServer;

#[tokio::test]
async fn s1_what_admins_may_ask_for_is_not_there_for_others() {
    sweeps(all(|feature| feature.for_admins)).await;
}

/// Somebody whom the host made an admin.
pub async fn an_admin(server: &TestServer) -> Person {
    let admin = server.person("Ada").await;
    assert_eq!(server.host(&["user", "promote", &admin.email]).await.code, 0);
    admin.receives("account.changed").await;
    admin
}

/// Returns the expected result for an admin: yes for requests of admins, otherwise that of a stranger.
pub fn for_admin(op: &str, [_, stranger, ..]: Columns) -> Then {
    // The scene has no report to name.
    let names_report = ["admin.dismiss_report", "admin.remove_content"].contains(&op);
    // An admin may revoke every invitation.
    let is_for_admins =
        op == "invites.revoke" || all(|feature| feature.for_admins).iter().any(|(row, ..)| *row == op);
    if is_for_admins && !names_report { Yes } else { stranger }
}
