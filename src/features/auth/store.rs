//! The SQL of accounts and logins.

pub mod links;
pub mod logins;

use bytes::Bytes;
use sqlx::SqliteConnection;

use super::Ended;
use super::rules::Email;
use crate::db::work::{KeyUse, Pending, Stage, Work};
use crate::error::{Error, Refusal};
use crate::features::Event;
use crate::features::views::{Me, me_columns};
use crate::ids::{LoginId, UserId};
use crate::limits::{KEY_LIFE_MS, LOGIN_IDLE_MS_MAX, LOGIN_LIFE_MS_MAX, LOGIN_TOUCH_MS, LOGINS_PER_USER};

/// A new account and its first login.
pub struct SignUp {
    pub key: KeyUse,
    pub user_id: UserId,
    pub email: Email,
    pub password_hash: String,
    pub name: String,
    pub login: NewLogin,
}

/// A login for somebody who proved to be the one.
#[derive(Clone)]
pub struct NewLogin {
    pub id: LoginId,
    pub token_hash: [u8; 32],
    /// On what, in a few plain words.
    pub device: String,
}

async fn insert_login(stage: &mut Stage<'_, Event>, user_id: UserId, login: &NewLogin) -> Result<(), Error> {
    sqlx::query(
        "insert into logins (id, user_id, token_hash, created_at_ms, used_at_ms, device)
         values (?1, ?2, ?3, ?4, ?4, ?5)",
    )
    .bind(login.id)
    .bind(user_id)
    .bind(&login.token_hash[..])
    .bind(stage.now_ms)
    .bind(&login.device)
    .execute(&mut *stage.connection)
    .await?;
    Ok(())
}

impl Work for SignUp {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        // Recorded below, without its password: what a retry proves, it proves by logging in.
        None
    }

    fn weight_bytes(&self) -> usize {
        self.email.text.len() * 2 + self.password_hash.len() + self.name.len() + 128
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            if links::is_taken(stage.connection, &self.email.key, self.user_id, stage.now_ms).await? {
                return Err(Refusal::EmailTaken.into());
            }
            let made = sqlx::query(
                "insert into users (id, email, email_key, password_hash, name, created_at_ms, updated_at_ms)
                 values (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
            )
            .bind(self.user_id)
            .bind(&self.email.text)
            .bind(&self.email.key)
            .bind(&self.password_hash)
            .bind(&self.name)
            .bind(stage.now_ms)
            .execute(&mut *stage.connection)
            .await;
            match made {
                Ok(_) => {}
                Err(why) if why.as_database_error().is_some_and(|why| why.is_unique_violation()) => {
                    return Err(Refusal::EmailTaken.into());
                }
                Err(why) => return Err(why.into()),
            }
            let remembered = sqlx::query(
                "insert into keys (user_id, key, body_hash, answer, made_at_ms) values (?1, ?2, ?3, x'', ?4)
                 on conflict (user_id, key) do nothing",
            )
            .bind(self.key.user_id)
            .bind(&self.key.key[..])
            .bind(&self.key.body_hash[..])
            .bind(stage.now_ms)
            .execute(&mut *stage.connection)
            .await?;
            if remembered.rows_affected() == 0 {
                // Somebody else's sign-up had this key.
                return Err(Refusal::KeyConflict.into());
            }
            insert_login(stage, self.user_id, &self.login).await?;
            Ok(Bytes::new())
        })
    }
}

/// Another login of somebody who has an account.
pub struct LogIn {
    pub user_id: UserId,
    /// The hash of the password that was given: a new one set meanwhile lets nobody in by the old.
    pub password_hash: String,
    pub login: NewLogin,
}

impl Work for LogIn {
    type Event = Event;

    fn weight_bytes(&self) -> usize {
        64
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            let counts: bool = sqlx::query_scalar(
                "select exists (select 1 from users where id = ?1 and password_hash = ?2)",
            )
            .bind(self.user_id)
            .bind(&self.password_hash)
            .fetch_one(&mut *stage.connection)
            .await?;
            if !counts {
                return Err(Refusal::BadCredentials.into());
            }
            insert_login(stage, self.user_id, &self.login).await?;
            let ended: Vec<LoginId> = sqlx::query_scalar(
                "delete from logins where user_id = ?1 and id not in
                   (select id from logins where user_id = ?1 order by used_at_ms desc, id desc limit ?2)
                 returning id",
            )
            .bind(self.user_id)
            .bind(LOGINS_PER_USER)
            .fetch_all(&mut *stage.connection)
            .await?;
            for login_id in ended {
                stage.tell(Event::LoginEnded(Ended::elsewhere(login_id)));
            }
            Ok(Bytes::new())
        })
    }
}

/// The end of a login.
pub struct LogOut {
    pub ended: Ended,
}

impl Work for LogOut {
    type Event = Event;

    fn weight_bytes(&self) -> usize {
        16
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            sqlx::query("delete from logins where id = ?1")
                .bind(self.ended.login_id)
                .execute(&mut *stage.connection)
                .await?;
            stage.tell(Event::LoginEnded(self.ended));
            Ok(Bytes::new())
        })
    }
}

/// A login was used today.
pub struct Touch {
    pub login_id: LoginId,
}

impl Work for Touch {
    type Event = Event;

    fn weight_bytes(&self) -> usize {
        16
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            sqlx::query("update logins set used_at_ms = ?2 where id = ?1 and used_at_ms < ?2")
                .bind(self.login_id)
                .bind(stage.now_ms)
                .execute(&mut *stage.connection)
                .await?;
            Ok(Bytes::new())
        })
    }
}

/// Time passed: keys are forgotten after a day, logins and links end when they ran out.
pub struct Purge;

impl Work for Purge {
    type Event = Event;

    fn weight_bytes(&self) -> usize {
        16
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        Box::pin(async move {
            sqlx::query("delete from keys where made_at_ms < ?1")
                .bind(stage.now_ms - KEY_LIFE_MS)
                .execute(&mut *stage.connection)
                .await?;
            let ended: Vec<LoginId> = sqlx::query_scalar(
                "delete from logins where used_at_ms < ?1 or created_at_ms < ?2 returning id",
            )
            .bind(stage.now_ms - LOGIN_IDLE_MS_MAX)
            .bind(stage.now_ms - LOGIN_LIFE_MS_MAX)
            .fetch_all(&mut *stage.connection)
            .await?;
            for login_id in ended {
                stage.tell(Event::LoginEnded(Ended::elsewhere(login_id)));
            }
            links::purge(stage).await?;
            Ok(Bytes::new())
        })
    }
}

/// Somebody with an account, and what proves it.
#[derive(sqlx::FromRow)]
pub struct Account {
    #[sqlx(flatten)]
    pub me: Me,
    pub password_hash: String,
}

/// Returns the account of an address.
///
/// # Errors
/// A database fault.
pub async fn find_account(
    connection: &mut SqliteConnection,
    email: &Email,
) -> Result<Option<Account>, Error> {
    let account = sqlx::query_as(concat!(
        "select ",
        me_columns!(),
        ", u.password_hash from users u where u.email_key = ?1"
    ))
    .bind(&email.key)
    .fetch_optional(connection)
    .await?;
    Ok(account)
}

/// Returns somebody's account.
///
/// # Errors
/// A database fault.
pub async fn account_of(
    connection: &mut SqliteConnection,
    user_id: UserId,
) -> Result<Option<Account>, Error> {
    let account =
        sqlx::query_as(concat!("select ", me_columns!(), ", u.password_hash from users u where u.id = ?1"))
            .bind(user_id)
            .fetch_optional(connection)
            .await?;
    Ok(account)
}

/// A login that is alive.
#[derive(sqlx::FromRow)]
pub struct Live {
    pub login_id: LoginId,
    /// True when its use should be written down again.
    pub is_stale: bool,
    /// The groups its person is in, joined with commas.
    pub joined: Option<String>,
    #[sqlx(flatten)]
    pub me: Me,
}

/// Returns the login of a cookie.
///
/// # Errors
/// A database fault.
pub async fn find_login(
    connection: &mut SqliteConnection,
    token_hash: &[u8; 32],
    now_ms: i64,
) -> Result<Option<Live>, Error> {
    let live = sqlx::query_as(concat!(
        "select l.id as login_id, l.used_at_ms < ?2 - ?5 as is_stale,
                (select group_concat(group_id) from members where user_id = u.id) as joined, ",
        me_columns!(),
        " from logins l join users u on u.id = l.user_id
          where l.token_hash = ?1 and l.used_at_ms >= ?2 - ?3 and l.created_at_ms >= ?2 - ?4"
    ))
    .bind(&token_hash[..])
    .bind(now_ms)
    .bind(LOGIN_IDLE_MS_MAX)
    .bind(LOGIN_LIFE_MS_MAX)
    .bind(LOGIN_TOUCH_MS)
    .fetch_optional(connection)
    .await?;
    Ok(live)
}
