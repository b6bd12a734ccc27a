//! The servers as children of the bench, and the people in Mellow's database.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use mellow::clock::Clock;
use mellow::config;
use mellow::server;
use sha2::{Digest, Sha256};

use crate::process;

/// The author whom everybody follows, and one whom nobody does.
pub const AUTHOR: i64 = 1;
pub const HERMIT: i64 = 2;
/// Followers come after them.
pub const FIRST_FOLLOWER: i64 = 3;

/// Returns the cookie of somebody.
pub fn cookie(user_id: i64) -> String {
    format!("{user_id:064x}")
}

/// Makes a database in which `followers` people follow the author and everybody is signed in.
pub fn seed(folder: &Path, followers: usize) {
    actix::System::new().block_on(async {
        let opened = mellow::db::open(folder).await.unwrap();
        opened.readers.close();
        opened.writer.close().unwrap();
    });
    let connection = rusqlite::Connection::open(folder.join("mellow.db")).unwrap();
    let now_ms = Clock::Real.now_ms();
    connection.execute_batch("begin").unwrap();
    let last = FIRST_FOLLOWER + i64::try_from(followers).unwrap();
    for id in AUTHOR..last {
        connection
            .execute(
                "insert into users (id, email, email_key, password_hash, name, created_at_ms, updated_at_ms)
                 values (?1, ?2, ?2, 'none', ?3, ?4, ?4)",
                (id, format!("person{id}@example.org"), format!("Person {id}"), now_ms),
            )
            .unwrap();
        let token_hash: [u8; 32] = Sha256::digest(cookie(id)).into();
        connection
            .execute(
                "insert into logins (id, user_id, token_hash, created_at_ms, used_at_ms) values (?1, ?1, ?2, ?3, ?3)",
                (id, token_hash, now_ms),
            )
            .unwrap();
    }
    for id in FIRST_FOLLOWER..last {
        connection
            .execute("insert into follows (follower_id, followed_id, id) values (?1, ?2, ?1)", (id, AUTHOR))
            .unwrap();
    }
    connection.execute_batch("commit").unwrap();
}

/// Serves Mellow until the bench ends it. Everything is as a host has it, but for the limits.
pub fn serve(data: &str) {
    let off =
        ["requests-per-second", "posts-per-day", "sockets-max", "sockets-per-login", "sockets-per-address"];
    let mut arguments: Vec<String> =
        ["mellow", "serve", "--listen", "127.0.0.1:0", "--data", data].map(String::from).into();
    for limit in off {
        arguments.extend([format!("--{limit}"), "0".into()]);
    }
    let arguments = arguments.into_iter().map(Into::into);
    let Ok(config) = config::read(arguments, [], Path::new("/nowhere/mellow.toml")) else {
        panic!("the settings of the bench are wrong")
    };
    actix_web::rt::System::new().block_on(async {
        let running = server::start(config, Clock::Real, env!("CARGO_BIN_EXE_mellow").into()).await.unwrap();
        println!("{}", running.listens_on.port());
        std::future::pending::<()>().await;
    });
}

/// A server in a process of its own, ended with this value.
pub struct Server {
    child: Child,
    pub port: u16,
}

impl Server {
    /// Starts this program again as one of the servers.
    pub fn start(role: &str, argument: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([role, argument])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().parse().unwrap_or_else(|_| panic!("the {role} child did not start"));
        Self { child, port }
    }

    pub fn cpu_ns(&self) -> u64 {
        process::cpu_ns(self.child.id())
    }

    pub fn pss_bytes(&self) -> u64 {
        process::pss_bytes(self.child.id())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Err(why) = self.child.kill().and_then(|()| self.child.wait().map(drop)) {
            eprintln!("a server had already ended: {why}");
        }
    }
}
