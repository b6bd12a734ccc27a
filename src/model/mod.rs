//! What several features read, one file for each subject: users, groups, audiences, comments, and the facts about two
//! users.
//!
//! The model knows no feature. It only reads, except for [`files`] and [`stored_replies`], which write rows that no
//! feature owns alone.

pub mod archive;
pub mod audience;
pub mod between;
pub mod choices;
pub mod comments;
pub mod files;
pub mod groups;
pub mod me;
pub mod mentions;
pub mod posts;
pub mod quiet;
pub mod stored_replies;
pub mod tags;
pub mod users;
pub mod vote;
