//! Reads: each one is a snapshot, on a connection that cannot write.

use sqlx::{Sqlite, SqliteConnection, SqlitePool, Transaction};

use crate::error::{Error, Refusal};
use crate::ids::Seq;

/// The read connections.
#[derive(Clone)]
pub struct Reader {
    pool: SqlitePool,
}

/// The database as it was at one commit. Dropping it lets it go.
pub struct Snapshot {
    transaction: Transaction<'static, Sqlite>,
    /// The last event this snapshot includes.
    pub seq: Seq,
}

impl Snapshot {
    /// Returns the connection to ask.
    pub fn connection(&mut self) -> &mut SqliteConnection {
        &mut self.transaction
    }
}

impl Reader {
    /// Takes over a pool of read-only connections.
    #[must_use]
    pub fn new(pool: SqlitePool) -> Self {
        Self { pool }
    }

    /// Takes a snapshot.
    ///
    /// # Errors
    /// [`Refusal::Busy`] when every connection is in use for too long; a database fault.
    #[expect(clippy::disallowed_methods, reason = "a snapshot begins here")]
    pub async fn snapshot(&self) -> Result<Snapshot, Error> {
        let mut transaction = self.pool.begin().await.map_err(|why| match why {
            sqlx::Error::PoolTimedOut => Error::Refused(Refusal::Busy),
            why => Error::Database(why),
        })?;
        let seq: i64 = sqlx::query_scalar("select seq from site").fetch_one(&mut *transaction).await?;
        Ok(Snapshot { transaction, seq: Seq(seq) })
    }

    /// Closes the connections.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}
