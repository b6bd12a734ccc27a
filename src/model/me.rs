//! The viewer's own account, as its owner sees it.

use rusqlite::Row;
use serde::Serialize;

use super::choices::{Adders, Commenters};
use super::quiet::QuietHours;
use super::users::User;
use crate::db::sql::Sql;
use crate::error::Error;
use crate::ids::UserId;

/// The viewer's own account. Besides this message, only the reply to `auth.change_email` and the archive contain a mail
/// address.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Me {
    pub id: UserId,
    pub name: String,
    pub photo_url: Option<String>,
    pub email: String,
    /// A new address that waits for its confirmation.
    pub pending_email: Option<String>,
    /// Whether only the owner sees the numbers of followers and followed.
    pub hide_numbers: bool,
    /// Whether the user is in the list of people and among the close matches of a search.
    pub listed: bool,
    /// Who may add the user to groups.
    pub adders: Adders,
    /// Who may comment on the public posts of the user.
    pub commenters: Commenters,
    /// The tag of the language that the user chose; None for that of each device.
    pub language: Option<String>,
    /// The tag of the language that a client of the user showed last; None if none has said. It counts for mails alone.
    pub shown_language: Option<String>,
    /// The quiet hours; None if they were never saved.
    pub quiet_hours: Option<QuietHours>,
    /// When the present quiet hours end; None outside of them. It is not stored: `QuietService::hide` sets it.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub quiet_until_ms: Option<i64>,
    /// Whether there is an unseen notification. It is false in quiet hours, like `has_reports`.
    pub has_unread: bool,
    /// The first steps of a new user; None for others, and after they were dismissed.
    pub first_steps: Option<FirstSteps>,
    /// The inviter, until the user answers the offer to follow them.
    pub inviter: Option<User>,
    /// Whether the user is an admin.
    pub is_admin: bool,
    /// Whether there are open reports. Always false for a user who is not an admin.
    pub has_reports: bool,
}

/// The first steps that a new user has done (D-P2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FirstSteps {
    pub has_photo: bool,
    pub has_followed: bool,
    pub has_invited: bool,
    /// Whether the user posted with the tag of the theme of that day.
    pub has_answered: bool,
}

impl FirstSteps {
    /// Returns the steps from bits, in the order of the fields.
    #[must_use]
    pub fn of(bits: i64) -> Self {
        let has = |bit: i64| bits & bit != 0;
        Self { has_photo: has(1), has_followed: has(2), has_invited: has(4), has_answered: has(8) }
    }
}

/// The columns of [`Me`], for `users u`. This is a macro, so that statements are constants.
macro_rules! me_columns {
    () => {
        concat!(
            "u.id, u.name, u.photo_url, u.email, u.pending_email, u.hide_numbers, u.listed, u.is_admin, u.adders,
         u.commenters, u.language, u.shown_language,
         u.quiet_on, u.quiet_from, u.quiet_to, u.quiet_days, u.quiet_zone,
          u.is_admin and exists (select 1 from reports r where r.handled_at_ms is null and ",
            $crate::authz::sql::may_handle_report!("u.id"),
            ") as has_reports,
         exists (select 1 from notifications n where n.user_id = u.id and n.unread and ",
            $crate::authz::sql::is_notification_listed!("u.id"),
            ") as has_unread,
         (select d.has_photo + 2 * d.has_followed + 4 * d.has_invited + 8 * d.has_answered
            from newcomers d where d.user_id = u.id and d.is_dismissed = 0) as first_steps,
         (select d.inviter_id from newcomers d where d.user_id = u.id and ",
            $crate::authz::sql::may_meet!("d.inviter_id", "u.id"),
            ") as inviter_id,
         (select i.name from newcomers d join users i on i.id = d.inviter_id where d.user_id = u.id)
           as inviter_name,
         (select i.photo_url from newcomers d join users i on i.id = d.inviter_id where d.user_id = u.id)
           as inviter_photo_url"
        )
    };
}
pub(crate) use me_columns;

impl TryFrom<&Row<'_>> for Me {
    type Error = rusqlite::Error;

    fn try_from(row: &Row<'_>) -> Result<Self, Self::Error> {
        let steps: Option<i64> = row.get("first_steps")?;
        let inviter_id: Option<UserId> = row.get("inviter_id")?;
        let inviter = inviter_id.map(|id| -> Result<User, rusqlite::Error> {
            Ok(User { id, name: row.get("inviter_name")?, photo_url: row.get("inviter_photo_url")? })
        });
        let quiet_zone: Option<String> = row.get("quiet_zone")?;
        let quiet_hours = quiet_zone.map(|zone| -> Result<QuietHours, rusqlite::Error> {
            let (on, days) = (row.get("quiet_on")?, row.get("quiet_days")?);
            Ok(QuietHours::kept(on, row.get("quiet_from")?, row.get("quiet_to")?, days, zone))
        });
        Ok(Self {
            id: row.get("id")?,
            name: row.get("name")?,
            photo_url: row.get("photo_url")?,
            email: row.get("email")?,
            pending_email: row.get("pending_email")?,
            hide_numbers: row.get("hide_numbers")?,
            listed: row.get("listed")?,
            adders: row.get("adders")?,
            commenters: row.get("commenters")?,
            language: row.get("language")?,
            shown_language: row.get("shown_language")?,
            quiet_hours: quiet_hours.transpose()?,
            quiet_until_ms: None,
            has_unread: row.get("has_unread")?,
            first_steps: steps.map(FirstSteps::of),
            inviter: inviter.transpose()?,
            is_admin: row.get("is_admin")?,
            has_reports: row.get("has_reports")?,
        })
    }
}

/// Returns the account of a user, as its owner sees it.
///
/// # Errors
/// A database fault. It is also a fault if there is no such user.
pub fn me(sql: Sql<'_>, user_id: UserId) -> Result<Me, Error> {
    Ok(sql.row(concat!("select ", me_columns!(), " from users u where u.id = ?1"), (user_id,))?)
}
