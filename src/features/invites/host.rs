//! Commands of the host for invitations.

use serde::{Deserialize, Serialize};

use super::store::{self, Create, Revoke};
use super::wire::Made;
use super::{life_ms, some};
use crate::db::readers::Snapshot;
use crate::error::Refusal;
use crate::features::admin_log::store::Actor;
use crate::features::context::{HostContext, sentence};
use crate::limits::HOST_LIST_PAGE;
use crate::model::files;

/// One command of the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// Makes an invitation. A field that is None has the value of the settings; 0 means the same as there.
    Make {
        days: Option<u64>,
        uses: Option<u64>,
    },
    /// Lists invitations with codes after `after`, as many as fit into one reply.
    List {
        after: String,
    },
    Revoke {
        code: String,
    },
}

impl Command {
    /// Returns the command for the next part of a list; None if `reply` was the last part.
    #[must_use]
    pub fn next(&self, reply: &str) -> Option<Self> {
        let Self::List { after } = self else { return None };
        let lines = reply.lines().skip(usize::from(after.is_empty()));
        let last = lines.clone().last()?.split('\t').next()?.to_owned();
        (lines.count() >= HOST_LIST_PAGE).then_some(Self::List { after: last })
    }

    /// Executes the command. Returns the text for the host.
    ///
    /// # Errors
    /// One line that says why nothing was done.
    pub async fn execute(self, context: HostContext<'_>) -> Result<String, String> {
        let actor = Actor::CommandLine;
        match self {
            Self::Make { days, uses } => {
                let settings = context.settings;
                if !settings.do_invites_work() {
                    return Err("no invitation works here: invites = off, or signup = closed".into());
                }
                let code = files::new_token().map_err(|why| why.to_string())?;
                let make = Create {
                    key: None,
                    actor,
                    maker_id: None,
                    do_members_invite: settings.do_members_invite(),
                    code: code.clone(),
                    life_ms: life_ms(days.unwrap_or(settings.invite_days)),
                    uses_max: some(uses.unwrap_or(settings.invite_uses)),
                };
                context.write(make).await?;
                Ok(context.link_text(&format!("{}/invite/{code}", context.site_url)))
            }
            Self::List { after } => list(context, after).await,
            Self::Revoke { code } => {
                match context.submit(Revoke { key: None, actor, code: code.clone() }).await {
                    Ok(_) => Ok(format!("Revoked {code}\n")),
                    Err(Refusal::NotFound) => Err(format!("there is no invitation \"{code}\"")),
                    Err(refusal) => Err(sentence(&refusal)),
                }
            }
        }
    }
}

async fn list(context: HostContext<'_>, after: String) -> Result<String, String> {
    let now_ms = context.clock.now_ms();
    let mut text = String::new();
    if after.is_empty() {
        text += "code\tmaker\tuses\tends\n";
    }
    let made =
        context.read(move |Snapshot { sql, .. }| store::by_code(sql, &after, now_ms, HOST_LIST_PAGE)).await?;
    for Made { invite, maker } in made {
        let maker = maker.map_or("Command line".into(), |maker| maker.name);
        let uses =
            invite.uses_max.map_or(invite.uses.to_string(), |most| format!("{} of {most}", invite.uses));
        let ends = invite.ends_at_ms.map_or("never".into(), |ends_at_ms| context.theme.day_of(ends_at_ms));
        text += &format!("{}\t{maker}\t{uses}\t{ends}\n", invite.code);
    }
    Ok(text)
}
