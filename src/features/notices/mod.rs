//! Notices: what happened to the account of a user, on the devices that did not do it.
//!
//! Guarantees:
//! - A log-in from a browser that had not logged in to the account before, a passkey that was added and one that was
//!   removed make a notice in their own commit, for every other login of the account, and a mail ([`store::add`]).
//! - A notice stays until it is answered on its device, for 30 days at most. It also stays if the login that it is
//!   about ends meanwhile, so that a stranger who logs out again is not forgotten.
//! - A notice names a device or a passkey, and no network address. The mail names only a device.
//! - The login that acted sees nothing of it.
//! - A new login that is ended here closes at once, with those that began in silence since: its browser may be behind
//!   them. Its next log-in makes a notice again.
//!
//! Quiet hours change nothing: a notice is not news of other people. The archive has no notices, because it has the
//! logins and the passkeys themselves.

pub mod store;
pub mod wire;

use crate::authz::Viewer;
use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::events::{Effects, Recipients};
use crate::features::context::RequestContext;
use crate::features::events::{Publication, Publish};
use crate::ids::NoticeId;
use crate::reply::Reply;
use wire::{Changed, Request};

/// Publishes a change to the user's own connections.
impl Publish for Changed {
    fn publication(&self) -> Publication {
        (Recipients::users([self.user_id]), Effects::default())
    }
}

/// Handles a request about notices.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let Viewer::User { user_id, login_id } = context.viewer else { return Err(Refusal::NotSignedIn.into()) };
    let parts = |id: NoticeId| [login_id.0.to_be_bytes(), id.0.to_be_bytes()].concat();
    match request {
        Request::List(_) => {
            let now_ms = context.now_ms();
            context
                .read(move |Snapshot { sql, seq }| {
                    Reply::read(&store::list(sql, login_id, now_ms, seq)?, seq)
                })
                .await
        }
        Request::Answer(wire::Answer { key, notice_id: id }) => {
            let key = key.used_by(user_id, "notices.answer", &[parts(id).as_slice()]);
            context.write(store::Answer { key, user_id, login_id, id }).await
        }
        Request::EndLogin(wire::EndLogin { key, notice_id: id }) => {
            let key = key.used_by(user_id, "notices.end_login", &[parts(id).as_slice()]);
            context.write(store::EndLogin { key, user_id, login_id, id }).await
        }
    }
}
