//! Notifications of the actions of other users.
//!
//! Guarantees:
//! - A notification is made in the commit of its cause, only for users who may see the cause. It is deleted with its
//!   cause (`store/notify.rs`).
//! - Its texts are made when it is read, after a check of permissions, with current names. If the post has a content
//!   note, only the note is quoted.
//! - The server stores whether it was seen. A notification that was seen on one device is seen on all.

pub mod store;
pub mod wire;

use crate::db::readers::Snapshot;
use crate::error::Error;
use crate::events::{Effects, Recipients, Topic};
use crate::features::context::RequestContext;
use crate::features::events::{Publication, Publish};
use crate::reply::Reply;
use wire::{Created, Deleted, Request, Seen};

/// Publishes a notification to its user.
impl Publish for Created {
    fn publication(&self) -> Publication {
        let about = self.notification.post_id.map(Topic::Post);
        (Recipients::users([self.user_id]), Effects { about, ..Effects::default() })
    }
}

impl Publish for Deleted {
    fn publication(&self) -> Publication {
        (Recipients::users([self.user_id]), Effects::default())
    }
}

impl Publish for Seen {
    fn publication(&self) -> Publication {
        (Recipients::users([self.user_id]), Effects::default())
    }
}

/// Handles a request about notifications.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let user_id = context.user()?;
    match request {
        Request::Page(page) => {
            let (viewer, quiet) = (context.viewer, context.app.quiet.clone());
            context
                .read(move |Snapshot { sql, seq }| {
                    let mut listed = store::page(sql, viewer, user_id, page.before, seq)?;
                    listed.has_unread &= !quiet.is_quiet(user_id);
                    Reply::read(&listed, seq)
                })
                .await
        }
        Request::Read(read) => {
            let key = read.key.used_by(user_id, "notifications.read", &[]);
            context.write(store::Read { key, user_id }).await
        }
        Request::Delete(delete) => {
            let notification_id = delete.notification_id;
            let parts: [&[u8]; 1] = [&notification_id.0.to_be_bytes()];
            let key = delete.key.used_by(user_id, "notifications.delete", &parts);
            context.write(store::Delete { key, viewer: context.viewer, notification_id }).await
        }
    }
}
