//! Deletions of what users wrote, which admins can make too.

pub use crate::features::comments::store::remove as remove_comment;
pub use crate::features::polls::store::remove as remove_poll;
pub use crate::features::posts::store::remove as remove_post;
