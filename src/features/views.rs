//! What several slices show: people by name, comments, votes. Shapes, and the reads that fill them.

use serde::{Deserialize, Serialize};
use sqlx::SqliteConnection;

use super::mentions;
use crate::access;
use crate::db::work::KeyUse;
use crate::error::Error;
use crate::ids::{CommentId, PostId, UserId};

/// Somebody by name. Other messages carry ids; names travel here, once per message.
#[derive(Clone, Debug, Serialize, sqlx::FromRow)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct User {
    pub id: UserId,
    pub name: String,
    /// The small size of their photo; None for initials.
    pub photo_url: Option<String>,
}

/// The viewer to themselves. The only place where an address of mail travels, but for the export.
#[derive(Clone, Debug, Serialize, sqlx::FromRow)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Me {
    pub id: UserId,
    pub name: String,
    pub photo_url: Option<String>,
    pub email: String,
    /// A new address that waits for its confirmation.
    pub pending_email: Option<String>,
    /// Are the numbers of followers and followed for their owner alone?
    pub hide_numbers: bool,
    /// Is there a notification that was not seen?
    pub has_unread: bool,
}

/// The columns of [`Me`], of `users u`. A macro, so that it stands in statements known to the compiler.
macro_rules! me_columns {
    () => {
        "u.id, u.name, u.photo_url, u.email, u.pending_email, u.hide_numbers,
         exists (select 1 from notifications n where n.user_id = u.id and n.unread) as has_unread"
    };
}
pub(crate) use me_columns;

/// A comment, the same for everybody who may see its post.
#[derive(Clone, Debug, Serialize, sqlx::FromRow)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Comment {
    pub id: CommentId,
    pub post_id: PostId,
    pub author_id: UserId,
    pub text: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub created_at_ms: i64,
}

/// One person's yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", try_from = "String")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Vote {
    None,
    Positive,
    Negative,
}

/// By name only: MessagePack's reader would also take a variant's number.
impl TryFrom<String> for Vote {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        match name.as_str() {
            "none" => Ok(Self::None),
            "positive" => Ok(Self::Positive),
            "negative" => Ok(Self::Negative),
            _ => Err("no such vote"),
        }
    }
}

impl Vote {
    /// Returns how it is kept: 1, -1, or 0 for no row.
    #[must_use]
    pub fn number(self) -> i64 {
        match self {
            Self::None => 0,
            Self::Positive => 1,
            Self::Negative => -1,
        }
    }

    /// Returns the vote that is kept so.
    #[must_use]
    pub fn of(number: Option<i64>) -> Self {
        match number {
            Some(1) => Self::Positive,
            Some(-1) => Self::Negative,
            _ => Self::None,
        }
    }
}

/// Who a post is for, as it travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Audience {
    Public {},
}

impl Audience {
    /// Returns what a key's use is told apart by.
    #[must_use]
    pub fn part(self) -> &'static [u8] {
        match self {
            Self::Public {} => b"public",
        }
    }

    /// Returns what `access` asks about.
    #[must_use]
    pub fn fact(self) -> access::Audience {
        match self {
            Self::Public {} => access::Audience::Public,
        }
    }
}

/// Returns the names of these people; who is gone is left out.
///
/// # Errors
/// A database fault.
pub async fn users_named(
    connection: &mut SqliteConnection,
    ids: impl IntoIterator<Item = UserId>,
) -> Result<Vec<User>, Error> {
    let mut ids: Vec<i64> = ids.into_iter().map(|id| id.0).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let users = sqlx::query_as(
        "select id, name, photo_url from users where id in (select value from json_each(?1)) order by id",
    )
    .bind(json_of(&ids))
    .fetch_all(connection)
    .await?;
    Ok(users)
}

/// Returns the oldest comments of these posts, the ones that come with a post, by post and age.
///
/// # Errors
/// A database fault.
pub async fn first_comments(
    connection: &mut SqliteConnection,
    post_ids: &[i64],
) -> Result<Vec<Comment>, Error> {
    let comments = sqlx::query_as(
        "select c.id, c.post_id, c.author_id, c.text, c.created_at_ms
           from json_each(?1) p
           join comments c on c.id in (select id from comments where post_id = p.value order by id limit ?2)
          order by c.id",
    )
    .bind(json_of(post_ids))
    .bind(crate::limits::COMMENTS_SHOWN)
    .fetch_all(connection)
    .await?;
    Ok(comments)
}

/// Returns who must be named beside these comments: who wrote them, and who is mentioned.
pub fn people_of(comments: &[Comment]) -> impl Iterator<Item = UserId> + '_ {
    comments.iter().flat_map(|comment| {
        // Few comments mention anybody, and those that do have an `@`.
        let mentioned =
            if comment.text.contains('@') { mentions::mentioned(&comment.text) } else { Vec::new() };
        std::iter::once(comment.author_id).chain(mentioned)
    })
}

/// Says whether this key was used for this before.
///
/// # Errors
/// A database fault.
pub async fn knows_key(connection: &mut SqliteConnection, key: &KeyUse) -> Result<bool, Error> {
    let known = sqlx::query_scalar(
        "select exists (select 1 from keys where user_id = ?1 and key = ?2 and body_hash = ?3)",
    )
    .bind(key.user_id)
    .bind(&key.key[..])
    .bind(&key.body_hash[..])
    .fetch_one(connection)
    .await?;
    Ok(known)
}

/// Returns numbers as a JSON array, the way a list is handed to SQLite.
#[must_use]
pub fn json_of(numbers: &[i64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    format!("[{}]", numbers.join(","))
}

/// Reads numbers that SQLite joined with commas.
#[must_use]
pub fn joined_ids(joined: Option<&str>) -> Vec<UserId> {
    joined
        .into_iter()
        .flat_map(|joined| joined.split(','))
        .filter_map(|id| id.parse().ok().map(UserId))
        .collect()
}
