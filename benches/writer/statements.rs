//! Records the statements that Mellow's writer sends to SQLite, and runs them again with arguments.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::Mutex;

use mellow::db::command::KeyUse;
use mellow::db::sql::list;
use mellow::ids::{CommentId, PostId, Seq, UserId};
use rusqlite::{Connection, Params, Statement, ffi};

/// The arguments of one write.
pub struct Write<'a> {
    pub user_id: UserId,
    pub post_id: PostId,
    /// The id of a comment and of its notification.
    pub comment_id: CommentId,
    pub author_id: UserId,
    pub text: &'a str,
    pub key: &'a KeyUse,
    pub reply: &'a [u8],
    pub now_ms: i64,
}

/// Runs a statement with the arguments of a write.
type Run = fn(&mut Statement<'_>, &Write<'_>);

/// The beginning of each statement, and its arguments. The bench stops if a statement is not listed.
const RUNS: [(&str, Run); 21] = [
    ("savepoint", |statement, _| all(statement, ())),
    ("release", |statement, _| all(statement, ())),
    ("select ?1 = 0 or exists", |statement, write| all(statement, (write.user_id,))),
    ("select body_hash", |statement, write| all(statement, (write.user_id, write.key.key))),
    ("insert into keys", |statement, write| {
        let Write { key, reply, now_ms, .. } = *write;
        let none = (None::<i64>, None::<i64>, None::<&[u8]>);
        all(statement, (write.user_id, key.key, key.body_hash, reply, now_ms, none.0, none.1, none.2));
    }),
    // The post, as the voter or commenter sees it.
    ("select p.author_id", |statement, write| all(statement, (write.post_id, write.user_id))),
    ("insert into votes", |statement, write| all(statement, (write.post_id, write.user_id, 1))),
    ("select positive_count from posts", |statement, write| all(statement, (write.post_id,))),
    // Who may comment, the commenter, and the blocks between people.
    ("select u.id, u.commenters", |statement, write| {
        all(statement, (list([write.author_id]), write.user_id));
    }),
    ("select u.id, u.name, u.photo_url from users u", |statement, write| {
        all(statement, (list([write.user_id]), write.user_id));
    }),
    ("with commenters", |statement, write| all(statement, (write.post_id,))),
    ("select b.blocker_id", |statement, write| {
        all(statement, (list([write.author_id, write.user_id]),));
    }),
    ("select (p.comments_count", |statement, write| all(statement, (write.post_id, write.author_id))),
    ("select (?1 not in (select ib.blocked_id", |statement, write| {
        all(statement, (write.author_id, write.user_id));
    }),
    // The unseen notifications of this actor, and all of them.
    ("select count(*) from notifications where user_id = ?1 and actor_id", |statement, write| {
        all(statement, (write.author_id, write.user_id));
    }),
    ("select count(*) from notifications", |statement, write| all(statement, (write.author_id,))),
    ("insert into comments", |statement, write| {
        all(statement, (write.comment_id, write.post_id, write.user_id, write.text, write.now_ms));
    }),
    // The people who are notified, if they may read the comment.
    ("select u.id from users u", |statement, write| {
        all(statement, (write.post_id, list([write.author_id])));
    }),
    ("select text, content_note from posts", |statement, write| all(statement, (write.post_id,))),
    ("insert into notifications", |statement, write| {
        let Write { author_id, user_id, post_id, comment_id, now_ms, .. } = *write;
        all(statement, (comment_id.0, author_id, "comment", user_id, post_id, comment_id, now_ms));
    }),
    ("delete from notifications", |statement, write| all(statement, (write.author_id,))),
];

/// Runs a statement and reads every row.
fn all(statement: &mut Statement<'_>, arguments: impl Params) {
    let columns = statement.column_count();
    let mut rows = statement.query(arguments).unwrap();
    while let Some(row) = rows.next().unwrap() {
        for column in 0..columns {
            std::hint::black_box(row.get_ref(column).unwrap());
        }
    }
}

/// The statements of a transaction: those that begin it, those of one write, and those that end it.
pub struct Statements {
    begin: Vec<String>,
    write: Vec<(String, Run)>,
    commit: Vec<String>,
}

impl Statements {
    /// Begins a transaction.
    pub fn begin(&self, connection: &Connection) {
        for sql in &self.begin {
            all(&mut connection.prepare_cached(sql).unwrap(), ());
        }
    }

    /// Runs the statements of one write.
    pub fn write(&self, connection: &Connection, write: &Write<'_>) {
        for (sql, run) in &self.write {
            run(&mut connection.prepare_cached(sql).unwrap(), write);
        }
    }

    /// Stores the seq of the last write and commits.
    pub fn commit(&self, connection: &Connection, seq: Seq) {
        for sql in &self.commit {
            let mut statement = connection.prepare_cached(sql).unwrap();
            match statement.parameter_count() {
                0 => all(&mut statement, ()),
                _ => all(&mut statement, (seq,)),
            }
        }
    }
}

static TRACED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Records every statement of a connection from now on.
pub fn trace(connection: &Connection) {
    let nothing = std::ptr::null_mut();
    // SAFETY: the connection is open, and the callback gets no pointer of the caller.
    let code = unsafe {
        ffi::sqlite3_trace_v2(connection.handle(), ffi::SQLITE_TRACE_STMT as c_uint, Some(remember), nothing)
    };
    assert_eq!(code, ffi::SQLITE_OK);
}

/// Records a statement. SQLite calls it when the statement begins.
unsafe extern "C" fn remember(_: c_uint, _: *mut c_void, _: *mut c_void, sql: *mut c_void) -> c_int {
    // SAFETY: for this kind of event, SQLite passes the text of the statement.
    let sql = unsafe { CStr::from_ptr(sql as *const c_char) }.to_string_lossy();
    // SQLite reports the statements of triggers as comments.
    if !sql.starts_with("--") {
        TRACED.lock().unwrap().push(sql.into_owned());
    }
    0
}

/// Removes the recorded statements.
pub fn forget() {
    TRACED.lock().unwrap().clear();
}

/// Returns the recorded statements. They must be one transaction with one write.
pub fn traced() -> Statements {
    let mut begin = std::mem::take(&mut *TRACED.lock().unwrap());
    let place = |begins: &str| begin.iter().position(|sql| sql.starts_with(begins)).unwrap();
    let (first, last) = (place("savepoint"), place("release"));
    let commit = begin.split_off(last + 1);
    let write = begin.split_off(first).into_iter().map(|sql| {
        let run = RUNS.iter().find(|(begins, _)| sql.trim_start().starts_with(begins));
        let run = run.unwrap_or_else(|| panic!("the bench does not know the arguments of: {sql}")).1;
        (sql, run)
    });
    Statements { write: write.collect(), begin, commit }
}
