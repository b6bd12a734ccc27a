//! The mail queue. It has no requests; features that send mails add them here, and `jobs/mail_sender.rs` sends them.

pub mod store;
