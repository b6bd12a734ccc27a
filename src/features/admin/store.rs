//! The SQL of admins: changes of accounts, the list of accounts, and the log.

use super::wire::{Act, Changed, Line, LogPage, PeoplePage, Person, Report, ReportsPage};
use crate::authz::{self, Viewer};
use crate::db::command::{Deletes, KeyUse, Transaction, WriteCommand, deletes, keyed};
use crate::db::sql::Sql;
use crate::error::{Error, Field, Refusal};
use crate::features::account::{store as accounts, wire as account};
use crate::features::admin_log::store::{self as admin_log, Actor};
use crate::features::auth::store::links::{NewLink, make_reset_link};
use crate::features::auth::store::logins;
use crate::features::events::Event;
use crate::features::passkeys::store as passkeys;
use crate::features::reports::store::open as reports;
use crate::features::reports::wire::About;
use crate::features::{comments, polls, posts};
use crate::ids::{ReportId, Seq, UserId};
use crate::limits::{ADMIN_LOG_LIFE_MS, ADMIN_PAGE, PURGE_ROWS_MAX};
use crate::model::me::me;
use crate::model::posts::known_post;
use crate::model::stored_replies;
use crate::model::users::User;
use crate::reply::Done;
use crate::sentence::Sentence;
use crate::text;

const OF_SUSPENDED: Sentence =
    Sentence::new("account_suspended", "This account is suspended. `mellow user unsuspend` comes first.");
const OF_ADMIN: Sentence =
    Sentence::new("account_of_admin", "This is an admin's account. `mellow user demote` comes first.");

/// The facts that decide whether an account may be changed.
struct Account {
    is_admin: bool,
    is_suspended: bool,
}

fn account(sql: Sql<'_>, user_id: UserId) -> Result<Account, Error> {
    let found: Option<(bool, bool)> =
        sql.optional_row("select is_admin, suspended_at is not null from users where id = ?1", (user_id,))?;
    let (is_admin, is_suspended) = found.ok_or(Refusal::NotFound)?;
    Ok(Account { is_admin, is_suspended })
}

/// Checks that an actor may change this account. Returns the facts.
fn require(sql: Sql<'_>, actor: Actor, user_id: UserId) -> Result<Account, Error> {
    admin_log::require(sql, actor)?;
    let account = account(sql, user_id)?;
    if !authz::may_change_account(account.is_admin) {
        return Err(Refusal::Invalid(Field::USER, OF_ADMIN).into());
    }
    Ok(account)
}

/// Makes a user an admin, or no longer an admin. Only a command on the host's machine does this.
pub struct SetAdmin {
    pub user_id: UserId,
    pub is_admin: bool,
}

impl WriteCommand for SetAdmin {
    type Event = Event;
    type Value = ();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
        let (sql, user_id) = (transaction.sql, self.user_id);
        let account = account(sql, user_id)?;
        if account.is_admin == self.is_admin {
            transaction.changes_nothing();
            return Ok(());
        }
        if account.is_suspended {
            return Err(Refusal::Invalid(Field::USER, OF_SUSPENDED).into());
        }
        let had_reports = reports::admins_with_open(sql)?;
        sql.execute("update users set is_admin = ?2 where id = ?1", (user_id, self.is_admin))?;
        transaction.publish(Event::AccountChanged(account::Changed::of(me(sql, user_id)?)));
        // Another admin may be the only one now, or may no longer be, which decides who may handle reports about them.
        reports::changed(transaction, &had_reports)?;
        if !self.is_admin {
            // A running read of the user is run again, without the right.
            transaction.publish(Event::AdminChanged(Changed { admins: vec![user_id], has_demoted: true }));
        }
        let act = if self.is_admin { Act::Promoted } else { Act::Demoted };
        admin_log::log(transaction, Actor::CommandLine, act, Some(user_id))?;
        Ok(())
    }
}

/// Suspends an account, or ends its suspension. Only its logins are deleted.
pub struct Suspend {
    pub key: Option<KeyUse>,
    pub actor: Actor,
    pub user_id: UserId,
    pub is_suspended: bool,
}

impl WriteCommand for Suspend {
    type Event = Event;
    type Value = Done;

    keyed!(optional);

    fn deletes(&self) -> Deletes {
        if self.is_suspended { Deletes::Content } else { Deletes::Nothing }
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let (sql, user_id) = (transaction.sql, self.user_id);
        let account = require(sql, self.actor, user_id)?;
        if account.is_suspended == self.is_suspended {
            transaction.changes_nothing();
            return Ok(Done { seq: transaction.seq() });
        }
        let suspended_at = self.is_suspended.then_some(transaction.now_ms);
        sql.execute("update users set suspended_at = ?2 where id = ?1", (user_id, suspended_at))?;
        if self.is_suspended {
            logins::end_all(transaction, user_id, None)?;
            stored_replies::erase_naming(sql, user_id)?;
            transaction.publish(accounts::gone(sql, user_id)?);
        } else {
            transaction.publish(accounts::returned(sql, user_id)?);
        }
        let act = if self.is_suspended { Act::Suspended } else { Act::Unsuspended };
        admin_log::log(transaction, self.actor, act, Some(user_id))?;
        Ok(Done { seq: transaction.seq() })
    }
}

/// Ends every login of an account.
pub struct EndLogins {
    pub key: Option<KeyUse>,
    pub actor: Actor,
    pub user_id: UserId,
}

impl WriteCommand for EndLogins {
    type Event = Event;
    type Value = Done;

    keyed!(optional);

    deletes!(Content);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        require(transaction.sql, self.actor, self.user_id)?;
        if logins::end_all(transaction, self.user_id, None)? {
            admin_log::log(transaction, self.actor, Act::LoginsEnded, Some(self.user_id))?;
        } else {
            transaction.changes_nothing();
        }
        Ok(Done { seq: transaction.seq() })
    }
}

/// Deletes an account with all its data.
pub struct Delete {
    pub actor: Actor,
    pub user_id: UserId,
}

impl WriteCommand for Delete {
    type Event = Event;
    type Value = Done;

    deletes!(Account);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        require(transaction.sql, self.actor, self.user_id)?;
        accounts::delete(transaction, self.user_id)?;
        // The log names no deleted account.
        admin_log::log(transaction, self.actor, Act::Deleted, None)?;
        Ok(Done { seq: transaction.seq() })
    }
}

/// Makes a link that sets a new password. The command has no key, because the stored reply would contain the link.
pub struct MakeResetLink {
    pub actor: Actor,
    pub user_id: UserId,
    pub link: NewLink,
}

impl WriteCommand for MakeResetLink {
    type Event = Event;
    type Value = Done;

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        require(transaction.sql, self.actor, self.user_id)?;
        make_reset_link(transaction, self.user_id, &self.link)?;
        admin_log::log(transaction, self.actor, Act::ResetLink, Some(self.user_id))?;
        Ok(Done { seq: transaction.seq() })
    }
}

/// Removes all passkeys of an account, for somebody who lost the devices. Its user gets a notice and a mail for each.
pub struct RemovePasskeys {
    pub actor: Actor,
    pub user_id: UserId,
}

impl WriteCommand for RemovePasskeys {
    type Event = Event;
    /// How many there were.
    type Value = usize;

    deletes!(Content);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<usize, Error> {
        require(transaction.sql, self.actor, self.user_id)?;
        let count = passkeys::remove_all(transaction, self.user_id)?;
        if count > 0 {
            admin_log::log(transaction, self.actor, Act::PasskeysRemoved, Some(self.user_id))?;
        } else {
            transaction.changes_nothing();
        }
        Ok(count)
    }
}

/// Marks a report as handled, and does nothing else.
pub struct DismissReport {
    pub key: KeyUse,
    pub actor: Actor,
    pub report_id: ReportId,
}

impl WriteCommand for DismissReport {
    type Event = Event;
    type Value = Done;

    keyed!();

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let sql = transaction.sql;
        let report = handled(sql, self.actor, self.report_id)?;
        let had_open = reports::admins_with_open(sql)?;
        reports::dismiss(sql, report.id, transaction.now_ms)?;
        admin_log::log(transaction, self.actor, Act::ReportDismissed, Some(report.author.id))?;
        reports::changed(transaction, &had_open)?;
        Ok(Done { seq: transaction.seq() })
    }
}

/// Deletes what a report is about, and handles all reports about it.
pub struct RemoveContent {
    pub key: KeyUse,
    pub actor: Actor,
    pub report_id: ReportId,
}

impl WriteCommand for RemoveContent {
    type Event = Event;
    type Value = Done;

    keyed!();

    deletes!(Content);

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let sql = transaction.sql;
        let report = handled(sql, self.actor, self.report_id)?;
        let had_open = reports::admins_with_open(sql)?;
        // If the content is already deleted, its reports are still marked as handled.
        match report.about {
            About::Post { post_id } => posts::store::remove(transaction, post_id)?,
            About::Comment { comment_id } => comments::store::remove(transaction, comment_id)?,
            About::Poll { poll_id } => polls::store::remove(transaction, poll_id)?,
            About::User { .. } => return Err(Refusal::NotFound.into()),
        };
        reports::handle_about(sql, report.about, transaction.now_ms)?;
        admin_log::log(transaction, self.actor, Act::ContentRemoved, Some(report.author.id))?;
        reports::changed(transaction, &had_open)?;
        Ok(Done { seq: transaction.seq() })
    }
}

/// Returns an open report that the actor may handle.
///
/// # Errors
/// [`Refusal::NotFound`]; a database fault.
fn handled(sql: Sql<'_>, actor: Actor, report_id: ReportId) -> Result<reports::Report, Error> {
    admin_log::require(sql, actor)?;
    let Actor::Admin(admin_id) = actor else { return Err(Refusal::NotFound.into()) };
    Ok(reports::one(sql, admin_id, report_id)?.ok_or(Refusal::NotFound)?)
}

/// Logs that a backup was made.
pub struct BackedUp {
    pub actor: Actor,
}

impl WriteCommand for BackedUp {
    type Event = Event;
    type Value = Done;

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        admin_log::log(transaction, self.actor, Act::BackedUp, None)?;
        Ok(Done { seq: transaction.seq() })
    }
}

/// Returns a page of the open reports, as an admin sees them.
///
/// # Errors
/// A database fault.
pub fn open_reports(
    sql: Sql<'_>,
    viewer: Viewer,
    before: Option<ReportId>,
    seq: Seq,
) -> Result<ReportsPage, Error> {
    let admin_id = viewer.user_id().ok_or(Refusal::NotFound)?;
    let mut found = reports::open(sql, admin_id, before, ADMIN_PAGE + 1)?;
    let has_more = cut(&mut found);
    let shown = |report: reports::Report| {
        let author = account(sql, report.author.id)?;
        let may_suspend = authz::may_change_account(author.is_admin) && !author.is_suspended;
        let view = view_of(sql, viewer, report.about)?;
        let reports::Report { author, .. } = report;
        Ok(Report {
            id: report.id,
            about: report.about,
            reason: report.reason,
            details: report.details,
            words: report.words,
            content_note: report.content_note,
            reported_at_ms: report.reported_at_ms,
            // The only admin learns of a report about themselves, and not who made it.
            reporter: (author.id != admin_id).then_some(report.reporter),
            author,
            view,
            may_suspend,
        })
    };
    let reports = found.into_iter().map(shown).collect::<Result<_, Error>>()?;
    Ok(ReportsPage { reports, has_more, seq })
}

/// Returns the address at which this admin can see what was reported; None if there is none. A poll has no page of its
/// own.
fn view_of(sql: Sql<'_>, viewer: Viewer, about: About) -> Result<Option<String>, Error> {
    let post_id = match about {
        About::Post { post_id } => Some(post_id),
        About::Comment { comment_id } => {
            sql.optional_value("select post_id from comments where id = ?1", (comment_id,))?
        }
        About::Poll { .. } => None,
        About::User { user_id } => return Ok(Some(format!("/profile/{}", user_id.0))),
    };
    let Some(post_id) = post_id else { return Ok(None) };
    let post = known_post(sql, post_id, viewer.user_id())?;
    let may_see = post.is_some_and(|post| authz::may_see_post(viewer, &post.facts()));
    Ok(may_see.then(|| format!("/post/{}", post_id.0)))
}

/// Returns the bytes of all stored pictures.
///
/// # Errors
/// A database fault.
pub fn media_bytes(sql: Sql<'_>) -> Result<u64, Error> {
    let bytes: i64 = sql.value("select coalesce(sum(size_bytes), 0) from files", ())?;
    Ok(bytes.unsigned_abs())
}

/// Deletes lines of the log that are too old.
///
/// # Errors
/// A database fault.
pub fn purge(transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
    transaction.sql.execute(
        "delete from admin_log where id in (select id from admin_log where at_ms <= ?1 limit ?2)",
        (transaction.now_ms - ADMIN_LOG_LIFE_MS, PURGE_ROWS_MAX),
    )?;
    Ok(())
}

/// The three columns of a user. All are None if the account is gone.
type UserColumns = (Option<UserId>, Option<String>, Option<String>);

fn user((id, name, photo_url): UserColumns) -> Option<User> {
    Some(User { id: id?, name: name?, photo_url })
}

/// Cuts a list, which was read with one row more, to one page. Returns whether there was such a row.
fn cut<T>(rows: &mut Vec<T>) -> bool {
    let has_more = rows.len() > ADMIN_PAGE;
    rows.truncate(ADMIN_PAGE);
    has_more
}

/// Arguments: 1 the search key of a part of a name (empty for everybody), 2 the same term as an address, 3 the id
/// before which the page begins, 4 the number of rows.
const PEOPLE: &str = "
    select u.id, u.name, u.photo_url, u.created_at_ms, u.is_admin, u.suspended_at is not null, i.id, i.name, i.photo_url
      from users u left join users i on i.id = u.invited_by
     where u.id < ?3 and (instr(u.name_key, ?1) > 0 or u.email_key = ?2)
     order by u.id desc limit ?4";

/// Returns a page of the accounts whose name has the term, or whose address is the term.
///
/// # Errors
/// A database fault.
pub fn people(sql: Sql<'_>, term: &str, before: Option<UserId>, seq: Seq) -> Result<PeoplePage, Error> {
    type Row =
        (UserId, String, Option<String>, i64, bool, bool, Option<UserId>, Option<String>, Option<String>);
    let term = term.trim();
    let before = before.map_or(i64::MAX, |before| before.0);
    let mut rows: Vec<Row> =
        sql.rows(PEOPLE, (text::search_key(term), term.to_lowercase(), before, ADMIN_PAGE + 1))?;
    let has_more = cut(&mut rows);
    let person =
        |(id, name, photo_url, created_at_ms, is_admin, is_suspended, by, by_name, by_photo): Row| {
            let inviter = user((by, by_name, by_photo));
            Person { user: User { id, name, photo_url }, created_at_ms, inviter, is_admin, is_suspended }
        };
    Ok(PeoplePage { people: rows.into_iter().map(person).collect(), has_more, seq })
}

/// Returns a page of the log, as this admin sees it. An admin does not learn that others handled a report about them
/// (D-S6).
///
/// # Errors
/// A database fault.
pub fn log(sql: Sql<'_>, admin_id: UserId, before: Option<i64>, seq: Seq) -> Result<LogPage, Error> {
    type Row = (
        i64,
        i64,
        bool,
        Act,
        Option<UserId>,
        Option<String>,
        Option<String>,
        Option<UserId>,
        Option<String>,
        Option<String>,
    );
    let mut rows: Vec<Row> = sql.rows(
        "select l.id, l.at_ms, l.by_command, l.act, a.id, a.name, a.photo_url, u.id, u.name, u.photo_url
           from admin_log l left join users a on a.id = l.admin_id left join users u on u.id = l.user_id
          where l.id < ?1 and not (l.act = ?3 and l.user_id is ?4 and l.admin_id is not ?4)
          order by l.id desc limit ?2",
        (before.unwrap_or(i64::MAX), ADMIN_PAGE + 1, Act::ReportDismissed, admin_id),
    )?;
    let has_more = cut(&mut rows);
    let line = |(id, at_ms, by_command, act, by, by_name, by_photo, whom, name, photo): Row| Line {
        id,
        at_ms,
        by_command,
        admin: user((by, by_name, by_photo)),
        act,
        user: user((whom, name, photo)),
    };
    Ok(LogPage { lines: rows.into_iter().map(line).collect(), has_more, seq })
}

/// An account, for commands of the host.
pub struct Found {
    pub id: UserId,
    pub name: String,
    pub email: String,
}

/// Returns the account with this address or id.
///
/// # Errors
/// A database fault.
pub fn find(sql: Sql<'_>, who: &str) -> Result<Option<Found>, Error> {
    let found: Option<(UserId, String, String)> = sql.optional_row(
        "select id, name, email from users where email_key = ?1 or id = ?2",
        (who.trim().to_lowercase(), who.trim().parse::<i64>().ok()),
    )?;
    Ok(found.map(|(id, name, email)| Found { id, name, email }))
}

/// A row of [`list`].
pub type Listed = (UserId, String, String, i64, bool, bool);

/// Returns accounts with ids above `after`: the id, name, address, time of creation, whether the user is an admin, and
/// whether the account is suspended.
///
/// # Errors
/// A database fault.
pub fn list(sql: Sql<'_>, after: i64, rows: usize) -> Result<Vec<Listed>, Error> {
    let listed = sql.rows(
        "select id, name, email, created_at_ms, is_admin, suspended_at is not null from users where id > ?1 order by id limit ?2",
        (after, rows),
    )?;
    Ok(listed)
}

/// Returns whether there is an admin.
///
/// # Errors
/// A database fault.
pub fn has_admin(sql: Sql<'_>) -> Result<bool, Error> {
    Ok(sql.value("select exists (select 1 from users where is_admin = 1)", ())?)
}
