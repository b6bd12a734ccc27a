//! The golden messages of admin.

use mellow::features::admin::wire;
use mellow::features::events::Event;
use mellow::features::shared::admins::Act;
use mellow::features::shared::reports::{About, Reason};
use mellow::features::shared::views::Done;
use mellow::ids::ReportId;
use serde_json::json;

use super::{ANA, BEN, Messages, NOW_MS, SEQ, event, key, ok, users};

pub fn messages() -> Messages {
    Messages {
        requests: vec![
            (
                "admin.people",
                json!({ "term": "ana", "before": BEN.0 }),
                ok(&wire::PeoplePage {
                    people: vec![wire::Person {
                        user: users().remove(1),
                        created_at_ms: NOW_MS,
                        inviter: users().into_iter().next(),
                        is_admin: true,
                        is_suspended: false,
                    }],
                    has_more: true,
                    seq: SEQ,
                }),
            ),
            (
                "admin.suspend",
                json!({ "key": key(), "user_id": BEN.0, "suspended": true }),
                ok(&Done { seq: SEQ }),
            ),
            (
                "admin.reports",
                json!({ "before": 65_536 }),
                ok(&wire::ReportsPage {
                    reports: vec![wire::Report {
                        id: ReportId(65_536),
                        about: About::Comment { comment_id: mellow::ids::CommentId(65_536) },
                        reason: Reason::Other,
                        details: "Every day. 🌿".into(),
                        words: "hm".into(),
                        reported_at_ms: NOW_MS,
                        reporter: users().remove(0),
                        author: users().remove(1),
                        view: Some("/post/9007199254740991".into()),
                        may_suspend: true,
                    }],
                    has_more: false,
                    seq: SEQ,
                }),
            ),
            ("admin.dismiss_report", json!({ "key": key(), "report_id": 65_536 }), ok(&Done { seq: SEQ })),
            ("admin.remove_content", json!({ "key": key(), "report_id": 65_536 }), ok(&Done { seq: SEQ })),
            (
                "admin.health",
                json!({}),
                ok(&wire::Figures {
                    sockets: 31,
                    writer_queue: 0,
                    database_bytes: 4_294_967_296,
                    media_bytes: 65_536,
                    free_bytes: None,
                    backups: vec![wire::Kept { name: "mellow-20261122T074400Z".into(), made_at_ms: NOW_MS }],
                    backup_failure: Some("the disk is full".into()),
                    version: "0.1.0+abc".into(),
                }),
            ),
            ("admin.back_up", json!({}), ok(&Done { seq: SEQ })),
            ("admin.end_logins", json!({ "key": key(), "user_id": BEN.0 }), ok(&Done { seq: SEQ })),
            (
                "admin.reset_link",
                json!({ "user_id": BEN.0 }),
                ok(&wire::Link { url: "https://mellow.example/reset#AAEC".into() }),
            ),
            (
                "admin.delete",
                json!({ "user_id": BEN.0, "password": "slow mornings" }),
                ok(&Done { seq: SEQ }),
            ),
            (
                "admin.log",
                json!({ "before": 65_536 }),
                ok(&wire::LogPage {
                    lines: vec![
                        wire::Line {
                            id: 65_536,
                            at_ms: NOW_MS,
                            by_command: false,
                            admin: users().into_iter().next(),
                            act: Act::LoginsEnded,
                            user: users().pop(),
                        },
                        wire::Line {
                            id: 1,
                            at_ms: NOW_MS,
                            by_command: true,
                            admin: None,
                            act: Act::Deleted,
                            user: None,
                        },
                    ],
                    has_more: false,
                    seq: SEQ,
                }),
            ),
        ],
        events: vec![(
            "admin.changed",
            event(Event::AdminChanged(wire::Changed { admins: vec![ANA], has_demoted: false })),
        )],
    }
}
