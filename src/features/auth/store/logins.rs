//! The SQL of one's logins.

use bytes::Bytes;
use sqlx::SqliteConnection;

use crate::db::work::{KeyUse, Pending, Stage, Work};
use crate::error::{Error, Refusal};
use crate::features::Event;
use crate::features::auth::Ended;
use crate::features::auth::wire::{Done, Login};
use crate::ids::{LoginId, UserId};
use crate::limits::{LOGIN_IDLE_MS_MAX, LOGIN_LIFE_MS_MAX, LOGINS_PER_USER};
use crate::wire::codec;

/// Returns the logins of a person that are alive, the one used last first.
///
/// # Errors
/// A database fault.
pub async fn list(
    connection: &mut SqliteConnection,
    user_id: UserId,
    current: LoginId,
    now_ms: i64,
) -> Result<Vec<Login>, Error> {
    let logins = sqlx::query_as(
        "select id, device, created_at_ms, used_at_ms, id = ?2 as current from logins
          where user_id = ?1 and used_at_ms >= ?3 and created_at_ms >= ?4
          order by used_at_ms desc, id desc limit ?5",
    )
    .bind(user_id)
    .bind(current)
    .bind(now_ms - LOGIN_IDLE_MS_MAX)
    .bind(now_ms - LOGIN_LIFE_MS_MAX)
    .bind(LOGINS_PER_USER)
    .fetch_all(connection)
    .await?;
    Ok(logins)
}

/// Ends every login of a person but `kept`; their sockets close with the commit. True: there was one.
///
/// # Errors
/// A database fault.
pub async fn end_all(
    stage: &mut Stage<'_, Event>,
    user_id: UserId,
    kept: Option<LoginId>,
) -> Result<bool, Error> {
    let ended: Vec<LoginId> =
        sqlx::query_scalar("delete from logins where user_id = ?1 and id is not ?2 returning id")
            .bind(user_id)
            .bind(kept)
            .fetch_all(&mut *stage.connection)
            .await?;
    let any = !ended.is_empty();
    for login_id in ended {
        stage.tell(Event::LoginEnded(Ended::elsewhere(login_id)));
    }
    Ok(any)
}

/// All logins of a person end but the one that asks.
pub struct LogOutOthers {
    pub key: KeyUse,
    pub user_id: UserId,
    pub login_id: LoginId,
    /// Becomes true when there was one.
    pub has_ended: bool,
}

impl Work for LogOutOthers {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn is_remembered(&self) -> bool {
        self.has_ended
    }

    fn weight_bytes(&self) -> usize {
        64
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            // Whoever was shown out a moment ago shows nobody out any more.
            let lives: bool =
                sqlx::query_scalar("select exists (select 1 from logins where id = ?1 and user_id = ?2)")
                    .bind(self.login_id)
                    .bind(self.user_id)
                    .fetch_one(&mut *stage.connection)
                    .await?;
            if !lives {
                return Err(Refusal::NotSignedIn.into());
            }
            self.has_ended = end_all(stage, self.user_id, Some(self.login_id)).await?;
            Ok(codec::encode(&Done {})?.into())
        })
    }
}
