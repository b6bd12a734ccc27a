//! Notifications: what others did that concerns somebody.
//!
//! Promises:
//! - One is made in the same commit as its cause, only for who may see it, and goes with its cause
//!   (`features/notices.rs`).
//! - What it says is built when it is read, after asking who may see it: names and words are of now.
//! - The dot is a fact of the server: seen once is seen on every device, and stays so.

pub mod store;
pub mod wire;

use super::kit::{Answer, Ask, Publication};
use crate::db::readers::Snapshot;
use crate::error::Error;
use crate::events::{Effects, Recipients, Topic};
use crate::ids::UserId;
use wire::{Created, Request};

/// Returns who receives a notification, and what it does: its user.
#[must_use]
pub fn created_publication(created: &Created) -> Publication {
    let about = created.notification.post_id.map(Topic::Post);
    (Recipients::users([created.user_id]), Effects { about, ..Effects::default() })
}

/// Returns who receives that notifications were seen or deleted, and what it does: their user.
#[must_use]
pub fn publication(user_id: UserId) -> Publication {
    (Recipients::users([user_id]), Effects::default())
}

/// Answers what is asked about notifications.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let user_id = ask.user()?;
    match request {
        Request::Page(page) => {
            let viewer = ask.viewer;
            ask.read(move |Snapshot { sql, seq }| {
                let listed = store::page(sql, viewer, user_id, page.before, seq)?;
                Answer::read(&listed, seq)
            })
            .await
        }
        Request::Read(read) => {
            let key = read.key.used_by(user_id, "notifications.read", &[]);
            ask.write(store::Read::by(user_id, key)).await
        }
        Request::Delete(delete) => {
            let notification_id = delete.notification_id;
            let parts: [&[u8]; 1] = [&notification_id.0.to_be_bytes()];
            let key = delete.key.used_by(user_id, "notifications.delete", &parts);
            ask.write(store::Delete { key, viewer: ask.viewer, notification_id }).await
        }
    }
}
