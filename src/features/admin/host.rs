//! Commands of the host for accounts.

use serde::{Deserialize, Serialize};

use super::store::{self, Delete, Found, MakeResetLink, RemovePasskeys, SetAdmin, Suspend};
use super::{clear_files, reset_url};
use crate::db::readers::Snapshot;
use crate::features::admin_log::store::Actor;
use crate::features::auth::store::links::NewLink;
use crate::features::context::HostContext;
use crate::ids::MailId;
use crate::limits::HOST_LIST_PAGE;

/// One command of the host. `who` is an address or an id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// Lists accounts with ids above `after`, as many as fit into one reply.
    List {
        after: i64,
    },
    Promote {
        who: String,
    },
    Demote {
        who: String,
    },
    Suspend {
        who: String,
    },
    Unsuspend {
        who: String,
    },
    Delete {
        who: String,
    },
    ResetLink {
        who: String,
    },
    RemovePasskeys {
        who: String,
    },
}

impl Command {
    /// Returns the command for the next part of a list; None if `reply` was the last part.
    #[must_use]
    pub fn next(&self, reply: &str) -> Option<Self> {
        let Self::List { after } = self else { return None };
        let lines = reply.lines().skip(usize::from(*after == 0));
        let last = lines.clone().last()?.split('\t').next()?.parse().ok()?;
        (lines.count() >= HOST_LIST_PAGE).then_some(Self::List { after: last })
    }

    /// Executes the command. Returns the text for the host.
    ///
    /// # Errors
    /// One line that says why nothing was done.
    pub async fn execute(self, context: HostContext<'_>) -> Result<String, String> {
        let actor = Actor::CommandLine;
        match self {
            Self::List { after } => list(context, after).await,
            Self::Promote { who } => {
                let found = find(context, who).await?;
                context.write(SetAdmin { user_id: found.id, is_admin: true }).await?;
                Ok(said("Promoted", &found))
            }
            Self::Demote { who } => {
                let found = find(context, who).await?;
                context.write(SetAdmin { user_id: found.id, is_admin: false }).await?;
                Ok(said("Demoted", &found))
            }
            Self::Suspend { who } => suspend(context, who, true).await,
            Self::Unsuspend { who } => suspend(context, who, false).await,
            Self::Delete { who } => {
                let found = find(context, who).await?;
                context.write(Delete { actor, user_id: found.id }).await?;
                if let Some(app) = context.server {
                    clear_files(app);
                }
                Ok(said("Deleted", &found))
            }
            Self::ResetLink { who } => {
                let found = find(context, who).await?;
                let link = NewLink::make(MailId(context.ids.make(context.clock.now_ms())));
                let link = link.map_err(|why| why.to_string())?;
                let url = reset_url(context.site_url, &link);
                context.write(MakeResetLink { actor, user_id: found.id, link }).await?;
                if let Some(app) = context.server {
                    app.mail_queue.wake.notify_one();
                }
                Ok(context.link_text(&url))
            }
            Self::RemovePasskeys { who } => {
                let found = find(context, who).await?;
                let removed = context.write(RemovePasskeys { actor, user_id: found.id }).await?;
                if let Some(app) = context.server {
                    app.mail_queue.wake.notify_one();
                }
                let count = removed.value.unwrap_or(0);
                Ok(format!("Removed {count} passkeys of {}\n", found.name))
            }
        }
    }
}

fn said(done: &str, found: &Found) -> String {
    format!("{done} {} ({})\n", found.name, found.email)
}

async fn suspend(context: HostContext<'_>, who: String, is_suspended: bool) -> Result<String, String> {
    let found = find(context, who).await?;
    let actor = Actor::CommandLine;
    context.write(Suspend { key: None, actor, user_id: found.id, is_suspended }).await?;
    Ok(said(if is_suspended { "Suspended" } else { "Unsuspended" }, &found))
}

async fn find(context: HostContext<'_>, who: String) -> Result<Found, String> {
    let wanted = who.clone();
    let found = context.read(move |Snapshot { sql, .. }| store::find(sql, &wanted)).await?;
    found.ok_or_else(|| format!("nobody here has the email or id \"{who}\""))
}

async fn list(context: HostContext<'_>, after: i64) -> Result<String, String> {
    let listed = context.read(move |Snapshot { sql, .. }| store::list(sql, after, HOST_LIST_PAGE)).await?;
    let mut text = String::new();
    if after == 0 {
        text += "id\tname\temail\tjoined\tstate\n";
    }
    for (id, name, email, created_at_ms, is_admin, is_suspended) in listed {
        let state = match (is_admin, is_suspended) {
            (true, _) => "admin",
            (false, true) => "suspended",
            (false, false) => "active",
        };
        text += &format!("{}\t{name}\t{email}\t{}\t{state}\n", id.0, context.theme.day_of(created_at_ms));
    }
    Ok(text)
}
