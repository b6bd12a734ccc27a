//! Changes of accounts that belong to one feature, and that admins and the host's commands make as well.

pub use crate::features::account::store::delete;
pub use crate::features::auth::store::links::{NewLink, make_reset_link};
pub use crate::features::auth::store::logins::end_all as end_logins;
