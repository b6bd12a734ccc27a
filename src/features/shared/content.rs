//! Re-exports the deletions of posts, comments and polls, so that the feature `admin` can make them.

pub use crate::features::comments::store::remove as remove_comment;
pub use crate::features::polls::store::remove as remove_poll;
pub use crate::features::posts::store::remove as remove_post;
