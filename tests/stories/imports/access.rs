//! Imports: who may send which request, and who receives what.

use serde_json::{Value, json};

use crate::access::delivered::Watch;
use crate::access::rows::Then::NotFound;
use crate::access::rows::{NOBODY, SIGNED_IN, THE_AUTHOR};
use crate::feature::{Feature, NONE};
use crate::support::imports::{about, begin, chunk};
use crate::support::person::Person;
use crate::support::server::TestServer;

pub const FEATURE: Feature = Feature {
    rows: &[
        ("imports.begin", |_| begin(1_000), SIGNED_IN, None),
        ("imports.chunk", |things| chunk(things.import, 0, &[0]), THE_AUTHOR, Some(NotFound)),
        ("imports.read", |things| about(things.import), THE_AUTHOR, Some(NotFound)),
        ("imports.list", |_| json!({}), SIGNED_IN, None),
        // There is no preview of this import yet.
        ("imports.start", |things| start(things.import), NOBODY, Some(NotFound)),
        ("imports.cancel", |things| about(things.import), THE_AUTHOR, Some(NotFound)),
        (
            "imports.undo_counts",
            |things| json!({ "import_id": things.past_import }),
            THE_AUTHOR,
            Some(NotFound),
        ),
        ("imports.undo", |things| about(things.past_import), THE_AUTHOR, Some(NotFound)),
    ],
    delivered: &[("imports.changed", &["doer", "doer's tab"])],
    play: |watch| Box::pin(play(watch)),
    // Their writes have stories of their own.
    reads: &[
        "imports.begin",
        "imports.chunk",
        "imports.read",
        "imports.list",
        "imports.start",
        "imports.cancel",
        "imports.undo_counts",
        "imports.undo",
    ],
    ..NONE
};

fn start(import_id: i64) -> Value {
    let mut fields = about(import_id);
    fields["audience"] = json!({ "type": "public" });
    fields
}

/// Makes an import of a person that is sent completely and not read, and one that is over. The server reads no file from
/// now on, so that nothing happens by itself.
pub async fn has_imports(server: &TestServer, person: &Person) -> (i64, i64) {
    std::mem::forget(server.app().imports.reading.try_lock());
    if let Some(id) = person.reads_imports().await["current"]["id"].as_i64() {
        person.asks("imports.cancel", about(id)).await;
    }
    let import = person.sends_archive(b"no archive").await;
    let past = "insert into imports
                  (id, user_id, key, phase, file_bytes, source, audience, total, done, created_at_ms, started_at_ms)
                  values ((select max(id) + 1 from imports), ?1, zeroblob(16), 'done', 9, 'mellow', 'public', 1, 1, 0, 0)
                returning id";
    (import, server.look().query_row(past, [person.id], |row| row.get(0)).unwrap())
}

async fn play(watch: &Watch<'_>) {
    let doer = watch.person("doer");
    let id = watch.sees("begin an import", doer.sends_archive(b"no archive")).await;
    watch.sees("cancel an import", doer.asks("imports.cancel", about(id))).await;
}
