//! Tapes of the daily theme.

use serde_json::json;

use crate::recorder::Recorder;
use crate::support::server::TestServer;

const HOUR_MS: i64 = 3_600_000;

#[tokio::test]
async fn tape_theme_said_by_the_host() {
    let server = TestServer::with_manual_clock(&["themes_file="]).await;
    let ana = server.person("Ana").await;
    Recorder::new(&server, &ana)
        .reading("theme.get", json!({}))
        .records("theme_said_by_the_host", &["theme.changed"], async || {
            let arguments =
                ["theme", "set", "--title=Boats", "--description=Which one, and where?", "--tag=boats"];
            assert_eq!(server.host(&arguments).await.code, 0);
        })
        .await;
}

#[tokio::test]
async fn tape_theme_of_the_next_day() {
    let server = TestServer::with_manual_clock(&["themes_file="]).await;
    let ana = server.person("Ana").await;
    Recorder::new(&server, &ana)
        .reading("theme.get", json!({}))
        .records("theme_of_the_next_day", &["theme.changed"], async || {
            server.later(15 * HOUR_MS);
            // The server checks its clock from time to time and publishes the new theme by itself.
            while ana
                .socket
                .peek(|state| state.log.iter().find(|message| message["ev"] == "theme.changed").cloned())
                .is_none()
            {
                ana.socket.changes_or_ends().await;
            }
        })
        .await;
}
