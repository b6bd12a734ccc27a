//! Background work: the mail sender, and periodic tasks.

pub mod mail_sender;
pub mod ticker;
