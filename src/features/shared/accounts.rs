//! Re-exports changes of accounts, so that the feature `admin` can make them, and makes the events of a suspension.

use crate::db::sql::Sql;
use crate::error::Error;
use crate::features::account::wire::{Ended, Returned, Viewers};
use crate::features::events::Event;
use crate::features::shared::between::users_hidden_from;
use crate::ids::UserId;

pub use crate::features::account::store::delete;
pub use crate::features::auth::store::links::{NewLink, make_reset_link};
pub use crate::features::auth::store::logins::end_all as end_logins;

/// Returns the event that makes a user disappear for everybody, as a deletion of the account does.
///
/// # Errors
/// A database fault.
pub fn gone(sql: Sql<'_>, user_id: UserId) -> Result<Event, Error> {
    Ok(Event::UserDeleted(Ended { user_id, viewers: Viewers::AllBut(users_hidden_from(sql, [user_id])?) }))
}

/// Returns the event that makes a user appear again for everybody who may meet them.
///
/// # Errors
/// A database fault.
pub fn returned(sql: Sql<'_>, user_id: UserId) -> Result<Event, Error> {
    Ok(Event::UserReturned(Returned {
        user_id,
        viewers: Viewers::AllBut(users_hidden_from(sql, [user_id])?),
    }))
}
