//! Invitations: links with which others can sign up.
//!
//! Guarantees:
//! - A code has 128 random bits. It allows a sign-up, and never a log-in.
//! - A use is counted in the transaction that makes the account, so there are never more accounts than uses.
//! - The reply is the same for an invitation that ended, was used up, was revoked, never existed, or whose maker is
//!   gone.
//! - A guest who has the code learns one name: the maker's.
//! - Admins see and revoke the invitations of everybody.
//!
//! Never here: a message from which anybody but an admin learns who signed up with whose invitation.

pub mod host;
pub mod store;
pub mod wire;

use crate::authz;
use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::events::{Effects, Recipients};
use crate::features::admin_log::store::{self as admin_log, Actor};
use crate::features::context::RequestContext;
use crate::features::events::{Publication, Publish};
use crate::model::between::ANY_VIEWER;
use crate::model::files;
use crate::reply::Reply;
use crate::text;
use wire::{Changed, Own, Request, Shown};

/// Publishes the invitations of a user to that user.
impl Publish for Changed {
    fn publication(&self) -> Publication {
        (Recipients::users([self.maker_id]), Effects::default())
    }
}

/// The length of a day, in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Handles a request about invitations.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let settings = &context.app.settings;
    if let Request::Get(get) = request {
        return self::get(get, context).await;
    }
    let maker_id = context.user()?;
    let is_admin = context.read(move |Snapshot { sql, .. }| admin_log::is_admin(sql, maker_id)).await?;
    let actor = Actor::Admin(maker_id);
    let (do_members_invite, do_work) = (settings.do_members_invite(), settings.do_invites_work());
    let may_invite = authz::may_invite(context.viewer, do_members_invite, do_work && is_admin);
    // Earlier invitations of members still work if only the host may make new ones.
    let is_of_own = matches!(request, Request::List(_) | Request::Revoke(_));
    if !(may_invite || is_of_own && authz::may_see_own_invites(context.viewer, do_work)) {
        return Err(Refusal::NotFound.into());
    }
    match request {
        Request::Get(_) => Err(Refusal::BadRequest.into()),
        Request::All(all) => {
            let now_ms = context.now_ms();
            context
                .read(move |Snapshot { sql, seq }| {
                    admin_log::require(sql, actor)?;
                    Reply::read(&store::all(sql, all.after.as_ref(), now_ms, seq)?, seq)
                })
                .await
        }
        Request::List(_) => {
            let now_ms = context.now_ms();
            context
                .read(move |Snapshot { sql, seq }| {
                    let invites = store::of(sql, maker_id, now_ms)?;
                    Reply::read(&Own { invites, may_create: may_invite, seq }, seq)
                })
                .await
        }
        Request::Create(create) => {
            let command = store::Create {
                key: Some(create.key.used_by(maker_id, "invites.create", &[])),
                actor,
                maker_id: Some(maker_id),
                do_members_invite,
                code: files::new_token()?,
                life_ms: life_ms(settings.invite_days),
                uses_max: some(settings.invite_uses),
            };
            context.write_limited(&context.app.rate_limiters.invites, command).await
        }
        Request::Revoke(revoke) => {
            let code = text::trim_hidden(&revoke.code).to_owned();
            let key = Some(revoke.key.used_by(maker_id, "invites.revoke", &[code.as_bytes()]));
            context.write(store::Revoke { key, actor, code }).await
        }
    }
}

/// Returns the number of a setting; None for 0, which means no limit.
fn some(number: u64) -> Option<i64> {
    i64::try_from(number).ok().filter(|number| *number > 0)
}

/// Returns how long an invitation works, in milliseconds; None if it never ends.
fn life_ms(days: u64) -> Option<i64> {
    some(days).and_then(|days| days.checked_mul(DAY_MS))
}

/// Answers who made an invitation. A guest learns only the name.
async fn get(get: wire::Get, context: RequestContext<'_>) -> Result<Reply, Error> {
    let (settings, now_ms) = (&context.app.settings, context.now_ms());
    if !settings.do_invites_work() {
        return Err(Refusal::InviteExpired.into());
    }
    let viewer_id = context.viewer.user_id();
    // A guest has no other rate limit, so codes that do not work count like links that do not work.
    let tried = match viewer_id {
        None => Some(context.app.auth.try_link(context.address, now_ms)?),
        Some(_) => None,
    };
    let reply = context
        .read(move |Snapshot { sql, seq }| {
            let maker =
                store::maker_of(sql, viewer_id.unwrap_or(ANY_VIEWER), text::trim_hidden(&get.code), now_ms)?;
            let maker = maker.ok_or(Refusal::InviteExpired)?;
            let (user_id, name) = maker.map(|user| (user.id, user.name)).unzip();
            Reply::read(&Shown { name, user_id: user_id.filter(|_| viewer_id.is_some()) }, seq)
        })
        .await;
    if let Some(tried) = tried.filter(|_| !matches!(reply, Err(Error::Refused(Refusal::InviteExpired)))) {
        tried.give_back();
    }
    reply
}
