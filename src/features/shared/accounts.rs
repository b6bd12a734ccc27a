//! Changes of accounts that belong to one feature, and that admins and the host's commands make as well.

use crate::features::account::wire::Ended;
use crate::features::events::Event;
use crate::ids::UserId;

pub use crate::features::account::store::delete;
pub use crate::features::auth::store::links::{NewLink, make_reset_link};
pub use crate::features::auth::store::logins::end_all as end_logins;

/// Returns the event by which a user is gone for everybody, as with a deleted account.
#[must_use]
pub fn gone(user_id: UserId) -> Event {
    Event::UserDeleted(Ended { user_id })
}
