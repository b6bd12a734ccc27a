//! Open reports, as admins read and handle them.

use std::collections::BTreeSet;

use rusqlite::Row;

use super::super::subject::{About, Reason};
use crate::authz;
use crate::db::command::Transaction;
use crate::db::sql::Sql;
use crate::error::Error;
use crate::features::account::wire as account;
use crate::features::admin_log::store::admins;
use crate::features::events::Event;
use crate::ids::{ID_LIMIT, ReportId, UserId};
use crate::model::me::me;
use crate::model::users::User;

/// An open report, as it is shown to the host.
#[derive(Clone, Debug)]
pub struct Report {
    pub id: ReportId,
    pub about: About,
    pub reason: Reason,
    /// The text of the reporter; may be empty.
    pub details: String,
    /// The reported text at the time of the report. Its mentions are tokens (T1).
    pub words: String,
    /// The content note of the reported post at that time.
    pub content_note: Option<String>,
    pub reported_at_ms: i64,
    pub reporter: User,
    /// The author of what is reported, or the reported user.
    pub author: User,
}

impl TryFrom<&Row<'_>> for Report {
    type Error = rusqlite::Error;

    fn try_from(row: &Row<'_>) -> Result<Self, Self::Error> {
        let user = |id, name, photo_url| -> Result<User, rusqlite::Error> {
            Ok(User { id: row.get(id)?, name: row.get(name)?, photo_url: row.get(photo_url)? })
        };
        let kind: String = row.get("kind")?;
        Ok(Self {
            id: row.get("id")?,
            about: About::kept(&kind, row.get("about_id")?),
            reason: row.get("reason")?,
            details: row.get("details")?,
            words: row.get("words")?,
            content_note: row.get("content_note")?,
            reported_at_ms: row.get("reported_at_ms")?,
            reporter: user("reporter_id", "reporter_name", "reporter_photo_url")?,
            author: user("author_id", "author_name", "author_photo_url")?,
        })
    }
}

/// Reads the open reports. The arguments are those of the condition that follows.
macro_rules! open_reports {
    ($rest:literal) => {
        concat!(
            "select r.id, r.kind, r.about_id, r.reason, r.details, r.words, r.content_note, r.reported_at_ms, r.reporter_id,
                    m.name as reporter_name, m.photo_url as reporter_photo_url, r.author_id,
                    a.name as author_name, a.photo_url as author_photo_url
               from reports r join users m on m.id = r.reporter_id join users a on a.id = r.author_id
              where r.handled_at_ms is null and ",
            $rest
        )
    };
}

/// Returns a page of the open reports that this admin may handle, newest first: at most `limit`, all before `before`.
///
/// # Errors
/// A database fault.
pub fn open(
    sql: Sql<'_>,
    admin_id: UserId,
    before: Option<ReportId>,
    limit: usize,
) -> Result<Vec<Report>, Error> {
    let before = before.map_or(ID_LIMIT, |before| before.0);
    let open = concat!(
        open_reports!("r.id < ?1 and "),
        authz::sql::may_handle_report!("?3"),
        " order by r.id desc limit ?2"
    );
    Ok(sql.rows(open, (before, limit, admin_id))?)
}

/// Returns an open report; None if there is no such report, if it was handled, or if this admin may not handle it.
///
/// # Errors
/// A database fault.
pub fn one(sql: Sql<'_>, admin_id: UserId, report_id: ReportId) -> Result<Option<Report>, Error> {
    let one = concat!(open_reports!("r.id = ?1 and "), authz::sql::may_handle_report!("?2"));
    Ok(sql.optional_row(one, (report_id, admin_id))?)
}

/// Returns the admins who may handle an open report.
///
/// # Errors
/// A database fault.
pub fn admins_with_open(sql: Sql<'_>) -> Result<BTreeSet<UserId>, Error> {
    let admins: Vec<UserId> = sql.values(
        concat!(
            "select u.id from users u where u.is_admin = 1
                and exists (select 1 from reports r where r.handled_at_ms is null and ",
            authz::sql::may_handle_report!("u.id"),
            ")"
        ),
        (),
    )?;
    Ok(admins.into_iter().collect())
}

/// Publishes the own account of each admin for whom this write made the first open report or ended the last one. `had`
/// are the admins who had one before.
///
/// # Errors
/// A database fault.
pub fn changed(transaction: &mut Transaction<'_, Event>, had: &BTreeSet<UserId>) -> Result<(), Error> {
    let sql = transaction.sql;
    let has = admins_with_open(sql)?;
    for admin_id in
        admins(sql)?.into_iter().filter(|admin_id| had.contains(admin_id) != has.contains(admin_id))
    {
        transaction.publish(Event::AccountChanged(account::Changed {
            me: me(sql, admin_id)?,
            cause: account::Cause::Reports,
        }));
    }
    Ok(())
}

/// Marks a report as handled. Returns whether it was open.
///
/// # Errors
/// A database fault.
pub fn dismiss(sql: Sql<'_>, report_id: ReportId, now_ms: i64) -> Result<bool, Error> {
    let dismissed = sql.execute(
        "update reports set handled_at_ms = ?2 where id = ?1 and handled_at_ms is null",
        (report_id, now_ms),
    )?;
    Ok(dismissed > 0)
}

/// Marks all open reports about this as handled. Returns their number.
///
/// # Errors
/// A database fault.
pub fn handle_about(sql: Sql<'_>, about: About, now_ms: i64) -> Result<usize, Error> {
    let (kind, about_id) = about.parts();
    let handled = sql.execute(
        "update reports set handled_at_ms = ?3 where kind = ?1 and about_id = ?2 and handled_at_ms is null",
        (kind, about_id, now_ms),
    )?;
    Ok(handled)
}
