//! Requests, replies and events of admins.

use serde::{Deserialize, Serialize};

use crate::db::sql::kept_as_text;
use crate::features::key::Key;
use crate::features::reports::wire::{About, Reason};
use crate::ids::{ReportId, Seq, UserId, Whole};
use crate::model::users::User;
pub use crate::reply::Done;
use crate::wire::named;
use crate::wire::requests;

requests! {
    "admin.people" People -> PeoplePage,
    "admin.suspend" Suspend -> Done,
    "admin.end_logins" EndLogins -> Done,
    "admin.reset_link" ResetLink -> Link,
    "admin.delete" Delete -> Done,
    "admin.reports" Reports -> ReportsPage,
    "admin.dismiss_report" DismissReport -> Done,
    "admin.remove_content" RemoveContent -> Done,
    "admin.health" Health -> Figures,
    "admin.back_up" BackUp -> Done,
    "admin.log" Log -> LogPage,
}

/// Asks for a page of all accounts, newest first.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct People {
    /// A part of a name, in upper or lower case, or a whole address. None or an empty term selects everybody.
    pub term: Option<String>,
    /// The id of the last account of the previous page; None for the first page.
    pub before: Option<UserId>,
}

/// Suspends an account, or ends its suspension.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Suspend {
    pub key: Key,
    pub user_id: UserId,
    pub suspended: bool,
}

/// Ends every login of an account.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct EndLogins {
    pub key: Key,
    pub user_id: UserId,
}

/// Makes a link that sets a new password of an account, in place of an older one.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ResetLink {
    pub user_id: UserId,
}

/// Deletes an account of another user, at once and for good.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Delete {
    pub user_id: UserId,
    /// The current password of the admin.
    pub password: String,
}

// A derived implementation would put the password into log lines.
impl std::fmt::Debug for Delete {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("Delete")
    }
}

/// Asks for a page of the open reports, newest first.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Reports {
    /// The id of the last report of the previous page; None for the first page.
    pub before: Option<ReportId>,
}

/// Marks a report as handled, and does nothing else.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DismissReport {
    pub key: Key,
    pub report_id: ReportId,
}

/// Deletes the reported post, comment or poll, and marks every report about it as handled. A report about a user is
/// refused.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RemoveContent {
    pub key: Key,
    pub report_id: ReportId,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Health {}

/// Makes a backup. The reply comes when it is complete.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BackUp {}

/// Asks for a page of the log, newest first.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Log {
    /// The id of the last line of the previous page; None for the first page.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub before: Option<Whole>,
}

/// An account, as admins see it. It has no mail address (D-T4).
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "AdminPerson"))]
pub struct Person {
    pub user: User,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at_ms: i64,
    /// The user whose invitation was used for the sign-up.
    pub inviter: Option<User>,
    pub is_admin: bool,
    pub is_suspended: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PeoplePage {
    pub people: Vec<Person>,
    pub has_more: bool,
    pub seq: Seq,
}

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Act {
    Promoted,
    Demoted,
    Suspended,
    Unsuspended,
    Deleted,
    LoginsEnded,
    ResetLink,
    PasskeysRemoved,
    InviteMade,
    InviteRevoked,
    ThemeSet,
    ThemeCleared,
    ReportDismissed,
    ContentRemoved,
    BackedUp,
}

named!(Act { Promoted = "promoted", Demoted = "demoted", Suspended = "suspended", Unsuspended = "unsuspended", Deleted = "deleted", LoginsEnded = "logins_ended", ResetLink = "reset_link", PasskeysRemoved = "passkeys_removed", InviteMade = "invite_made", InviteRevoked = "invite_revoked", ThemeSet = "theme_set", ThemeCleared = "theme_cleared", ReportDismissed = "report_dismissed", ContentRemoved = "content_removed", BackedUp = "backed_up" });
kept_as_text!(Act);

/// A line of the log.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "LogLine"))]
pub struct Line {
    #[cfg_attr(test, ts(type = "number"))]
    pub id: i64,
    #[cfg_attr(test, ts(type = "number"))]
    pub at_ms: i64,
    /// Whether a command on the host's machine made the change.
    pub by_command: bool,
    /// The admin; None for a command, or if the account was deleted.
    pub admin: Option<User>,
    pub act: Act,
    /// The user whose account the change concerned; None if it concerned no account, or the account was deleted.
    pub user: Option<User>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LogPage {
    pub lines: Vec<Line>,
    pub has_more: bool,
    pub seq: Seq,
}

/// An open report.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "AdminReport"))]
pub struct Report {
    pub id: ReportId,
    pub about: About,
    pub reason: Reason,
    pub details: String,
    /// The reported text at the time of the report.
    pub words: String,
    /// The content note of the reported post at that time.
    pub content_note: Option<String>,
    #[cfg_attr(test, ts(type = "number"))]
    pub reported_at_ms: i64,
    /// None if the report is about the admin.
    pub reporter: Option<User>,
    pub author: User,
    /// The address of the page that shows it; None if the admin may not see it, it was deleted, or it has no page.
    pub view: Option<String>,
    /// Whether the author can be suspended: not an admin, and not yet suspended.
    pub may_suspend: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ReportsPage {
    pub reports: Vec<Report>,
    pub has_more: bool,
    pub seq: Seq,
}

/// A front: a process that holds sockets for this one.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FrontFigures {
    /// The name of this run of the front, shortened.
    pub name: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub sockets: u64,
    /// Writes that it has not delivered yet.
    #[cfg_attr(test, ts(type = "number"))]
    pub lag_writes: u64,
}

/// The state of the server.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Figures {
    #[cfg_attr(test, ts(type = "number"))]
    pub sockets: u64,
    /// The fronts that hold some of the sockets.
    pub fronts: Vec<FrontFigures>,
    /// Write commands that wait.
    #[cfg_attr(test, ts(type = "number"))]
    pub writer_queue: u64,
    /// The size of the database with its write-ahead log.
    #[cfg_attr(test, ts(type = "number"))]
    pub database_bytes: u64,
    #[cfg_attr(test, ts(type = "number"))]
    pub media_bytes: u64,
    /// Free space of the disk; None if the system does not say.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub free_bytes: Option<u64>,
    /// The backups in the data folder, newest first.
    pub backups: Vec<KeptBackup>,
    /// Why the newest attempt to make a backup failed; None if it succeeded.
    pub backup_failure: Option<String>,
    /// Why mails wait, and what the host must mend; None if nothing is known to be wrong.
    pub mail_failure: Option<String>,
    pub version: String,
}

/// A backup.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct KeptBackup {
    pub name: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub made_at_ms: i64,
}

/// The reply with the link that sets a new password. The link works once.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Link {
    pub url: String,
}

/// Something on the pages of admins has changed. The event is sent to the connections of all admins, which read their
/// pages again.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Changed {
    #[serde(skip)]
    pub admins: Vec<UserId>,
    /// Whether the change demoted an admin.
    #[serde(skip)]
    pub has_demoted: bool,
}

#[cfg(test)]
pub(crate) mod examples {
    use serde_json::json;

    use super::{About, Act, Reason};
    use crate::features::events::Event;
    use crate::ids::ReportId;
    use crate::reply::Done;
    use crate::testing::examples::{ANA, BEN, Messages, NOW_MS, SEQ, key, ok, users};

    pub(crate) fn messages() -> Messages {
        Messages {
            requests: vec![
                (
                    "admin.people",
                    json!({ "term": "ana", "before": BEN.0 }),
                    ok(&super::PeoplePage {
                        people: vec![super::Person {
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
                    ok(&super::ReportsPage {
                        reports: vec![super::Report {
                            id: ReportId(65_536),
                            about: About::Comment { comment_id: crate::ids::CommentId(65_536) },
                            reason: Reason::Other,
                            details: "Every day. 🌿".into(),
                            words: "hm".into(),
                            content_note: Some("Grief, a funeral".into()),
                            reported_at_ms: NOW_MS,
                            reporter: Some(users().remove(0)),
                            author: users().remove(1),
                            view: Some("/post/9007199254740991".into()),
                            may_suspend: true,
                        }],
                        has_more: false,
                        seq: SEQ,
                    }),
                ),
                (
                    "admin.dismiss_report",
                    json!({ "key": key(), "report_id": 65_536 }),
                    ok(&Done { seq: SEQ }),
                ),
                (
                    "admin.remove_content",
                    json!({ "key": key(), "report_id": 65_536 }),
                    ok(&Done { seq: SEQ }),
                ),
                (
                    "admin.health",
                    json!({}),
                    ok(&super::Figures {
                        sockets: 31,
                        fronts: vec![super::FrontFigures {
                            name: "0f3a9c".into(),
                            sockets: 20,
                            lag_writes: 0,
                        }],
                        writer_queue: 0,
                        database_bytes: 4_294_967_296,
                        media_bytes: 65_536,
                        free_bytes: None,
                        backups: vec![super::KeptBackup {
                            name: "mellow-20261122T074400Z".into(),
                            made_at_ms: NOW_MS,
                        }],
                        backup_failure: Some("the disk is full".into()),
                        mail_failure: Some("the mail server answers 535 to the login".into()),
                        version: "1.0.0+abc".into(),
                    }),
                ),
                ("admin.back_up", json!({}), ok(&Done { seq: SEQ })),
                ("admin.end_logins", json!({ "key": key(), "user_id": BEN.0 }), ok(&Done { seq: SEQ })),
                (
                    "admin.reset_link",
                    json!({ "user_id": BEN.0 }),
                    ok(&super::Link { url: "https://mellow.example/reset#AAEC".into() }),
                ),
                (
                    "admin.delete",
                    json!({ "user_id": BEN.0, "password": "slow mornings" }),
                    ok(&Done { seq: SEQ }),
                ),
                (
                    "admin.log",
                    json!({ "before": 65_536 }),
                    ok(&super::LogPage {
                        lines: vec![
                            super::Line {
                                id: 65_536,
                                at_ms: NOW_MS,
                                by_command: false,
                                admin: users().into_iter().next(),
                                act: Act::LoginsEnded,
                                user: users().pop(),
                            },
                            super::Line {
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
            events: vec![Event::AdminChanged(super::Changed { admins: vec![ANA], has_demoted: false })],
        }
    }
}
