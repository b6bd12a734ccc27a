//! Makes databases with users who are logged in.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use sha2::{Digest, Sha256};

/// Makes a database without users in a folder. Returns the only connection to it.
pub fn database(folder: &Path) -> Connection {
    let (empty, path) = (folder.join("empty"), folder.join("mellow.db"));
    std::fs::create_dir_all(&empty).unwrap();
    actix::System::new().block_on(async { drop(mellow::db::open(&empty).await.unwrap()) });
    // The database is copied, because the dropped connections close at an unknown time.
    let connection = Connection::open(empty.join("mellow.db")).unwrap();
    connection.busy_timeout(Duration::from_secs(5)).unwrap();
    connection.execute("vacuum into ?1", [path.to_str()]).unwrap();
    Connection::open(path).unwrap()
}

/// Adds a user with a login of the same id.
pub fn add(connection: &Connection, id: i64, name: &str, now_ms: i64) {
    let sql = "insert into users (id, email, email_key, password_hash, name, created_at_ms, updated_at_ms)
               values (?1, ?2, ?2, 'none', ?3, ?4, ?4)";
    let mut statement = connection.prepare_cached(sql).unwrap();
    statement.execute((id, format!("person{id}@example.org"), name, now_ms)).unwrap();
    let sql = "insert into logins (id, user_id, token_hash, created_at_ms, used_at_ms)
               values (?1, ?1, ?2, ?3, ?3)";
    let token_hash: [u8; 32] = Sha256::digest(cookie(id)).into();
    connection.prepare_cached(sql).unwrap().execute((id, token_hash, now_ms)).unwrap();
}

/// Returns the cookie of a user's login.
pub fn cookie(id: i64) -> String {
    format!("{id:064x}")
}
