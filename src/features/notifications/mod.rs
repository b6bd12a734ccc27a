//! Notifications: what others did that concerns somebody.
//!
//! Promises:
//! - One is made in the same commit as its cause, only for who may see it, and goes with its cause
//!   (`features/notices.rs`).
//! - What it says is built when it is read, after asking who may see it: names and words are of now.
//! - The dot is a fact of the server: seen once is seen on every device, and stays so.

pub mod store;
pub mod wire;

use super::kit::{Answer, Ask, Gate, Hearers, Topic};
use crate::db::readers::Snapshot;
use crate::error::Error;
use crate::ids::UserId;
use wire::{Created, Request};

/// Returns who is told of a new one: its person, while they are in the group that its cause is for.
#[must_use]
pub fn created_hearers(created: &Created) -> Hearers {
    let of = created.notification.post_id.map(Topic::Post);
    Hearers { gate: created.group_id.map(Gate::of), of, ..hearers(created.user_id) }
}

/// Returns who is told: the person's own sockets.
#[must_use]
pub fn hearers(user_id: UserId) -> Hearers {
    Hearers { topics: vec![Topic::User(user_id)], ..Hearers::default() }
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
                // It names people: a name that changed meanwhile follows.
                Ok(Answer::of(&listed)?.hearing([Topic::Everyone], seq))
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
