//! The rules for imports. Each library is used in one place, and imports between layers have one direction.

use std::collections::BTreeSet;

use super::{assert_none, code, files, imports, names, only_in, ours, read};

#[test]
fn one_file_knows_the_socket_library() {
    only_in("src", &[".rs"], "actix_web_actors", "src/transport/frame.rs");
}

/// Returns the files of these folders that name one of these paths.
fn offenders_in(folders: &[&str], names: &[&str]) -> Vec<String> {
    let files = folders.iter().flat_map(|folder| ours(folder));
    files
        .flat_map(|(path, text)| {
            let code = code(&text);
            let known = names.iter().filter(|name| code.contains(*name));
            known.map(|name| format!("{path} knows {name}")).collect::<Vec<_>>()
        })
        .collect()
}

const DATABASE: [&str; 3] = ["crate::db", "sqlx", "rusqlite"];

#[test]
fn delivery_sockets_and_transport_know_no_feature_and_no_database() {
    let folders = ["src/delivery", "src/socket", "src/transport"];
    let above = ["crate::features", "crate::backend", "crate::http", "crate::server", "crate::cluster"];
    let mut offenders = offenders_in(&folders, &[&above[..], &DATABASE].concat());
    offenders.extend(offenders_in(&folders[..1], &["crate::socket"]));
    offenders.extend(offenders_in(&folders[2..], &["crate::socket", "crate::delivery", "crate::authz"]));
    assert_none(
        offenders,
        "delivery reads published events and its own connections, a session asks its Backend, and transport \
         carries bytes: please put what a feature means into its event",
    );
}

#[test]
fn the_start_of_the_sockets_knows_no_feature_and_no_database() {
    let code = code(&read("src/server/sockets.rs"));
    let above = ["crate::features", "crate::model", "crate::backend", "super::home"];
    let known = above.into_iter().chain(DATABASE).filter(|name| code.contains(*name));
    assert_none(
        known.map(str::to_owned).collect(),
        "the sockets of a process know their Backend alone: src/server.rs joins them with the home",
    );
}

#[test]
fn a_cluster_knows_features_only_through_the_backend() {
    let above = ["crate::features", "crate::model", "crate::http", "crate::server"];
    assert_none(
        offenders_in(&["src/cluster"], &[&above[..], &DATABASE].concat()),
        "a front has no feature and no database, and its home asks its backend: please put it into src/backend",
    );
}

#[test]
fn one_file_knows_the_library_of_the_broker() {
    only_in("src", &[".rs"], "async_nats", "src/cluster/nats.rs");
}

#[test]
fn one_file_touches_the_socket() {
    let home = "src/transport/socket.rs";
    let touches = ["try_write", "try_read", "poll_read", "OwnedReadHalf", "OwnedWriteHalf"];
    let offenders = files("src", &[".rs"])
        .into_iter()
        .filter(|(path, text)| {
            let code = code(text);
            path != home
                && touches.iter().any(|name| names(&code, name) || code.contains(&format!(".{name}(")))
        })
        .map(|(path, _)| path)
        .collect();
    assert_none(offenders, "src/transport/socket.rs alone reads and writes a socket that was taken over");
    assert!(touches.iter().any(|name| read(home).contains(name)));
}

#[test]
fn published_events_know_ids_alone() {
    let text = code(&read("src/events.rs"));
    let offenders = text.match_indices("crate::").map(|(at, _)| &text[at..]);
    let offenders = offenders.filter(|rest| !rest.starts_with("crate::ids::"));
    assert_none(
        offenders.map(|rest| rest.lines().next().unwrap().to_owned()).collect(),
        "what leaves the writer is plain data: src/events.rs imports ids and nothing else of ours",
    );
}

#[test]
fn the_database_libraries_stay_where_rows_become_values() {
    only_in("src", &[".rs"], "sqlx", "src/db/mod.rs");
    // Conversions of values from rows: ids, errors, and rows that are computed or have more columns than a tuple.
    let conversions = [
        "src/error.rs",
        "src/ids.rs",
        "src/features/account/store/delete.rs",
        "src/features/auth/store.rs",
        "src/features/follows/store.rs",
        "src/features/notifications/store.rs",
        "src/features/posts/store/read.rs",
        "src/features/reports/store/open.rs",
        "src/model/files.rs",
        "src/model/me.rs",
    ];
    let users: Vec<String> = ours("src")
        .into_iter()
        .filter(|(path, text)| !path.starts_with("src/db/") && names_crate(&code(text), "rusqlite"))
        .map(|(path, _)| path)
        .collect();
    let offenders = users.iter().filter(|path| !conversions.contains(&path.as_str())).cloned().collect();
    assert_none(
        offenders,
        "a store asks crate::db::sql; the database's library is known where a row becomes a value",
    );
    for path in conversions {
        assert!(
            users.iter().any(|user| user == path),
            "{path} no longer uses rusqlite: please remove it from the list"
        );
    }
}

#[test]
fn one_file_knows_messagepack() {
    only_in("src", &[".rs"], "rmp_serde", "src/wire/codec.rs");
    let offenders = files("web/src", &[".ts", ".tsx"])
        .into_iter()
        .filter(|(path, text)| {
            !path.ends_with(".d.ts")
                && path != "web/src/engine/codec.ts"
                && imports(text).any(|from| from.starts_with("msgpack-lite"))
        })
        .map(|(path, _)| path)
        .collect();
    assert_none(
        offenders,
        "on the web only web/src/engine/codec.ts knows msgpack-lite: please ask it for what you need",
    );
    assert!(imports(&read("web/src/engine/codec.ts")).any(|from| from.starts_with("msgpack-lite")));
}

#[test]
fn one_file_knows_the_library_of_passkeys() {
    only_in("src", &[".rs"], "webauthn_rp", "src/features/passkeys/webauthn.rs");
}

#[test]
fn one_file_knows_the_time_zones() {
    only_in("src", &[".rs"], "jiff", "src/zones.rs");
}

/// The modules that deliver events and replies.
const SOCKETS: [&str; 4] = ["delivery", "socket", "transport", "backend"];

/// Returns whether a file names a crate, and not only the same word.
fn names_crate(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + name.len()..]);
        let is_whole = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
        is_whole && (after.starts_with("::") || before.ends_with("use ") && after.starts_with(';'))
    })
}

#[test]
fn one_folder_uses_the_picture_libraries() {
    let libraries = [
        "image",
        "zune_jpeg",
        "zune_core",
        "fast_image_resize",
        "jpeg_encoder",
        "png",
        "gif",
        "image_webp",
        "thumbhash",
        "moxcms",
        "fdeflate",
    ];
    let users = |folder| {
        let mut users = Vec::new();
        for (path, text) in files(folder, &[".rs"]) {
            let code = code(&text);
            let known = libraries.iter().filter(|library| names_crate(&code, library));
            users.extend(known.map(|library| (path.clone(), *library)));
        }
        users
    };
    let offenders =
        users("src").into_iter().map(|(path, library)| format!("{path} knows {library}")).collect();
    assert_none(
        offenders,
        "only render/ decodes uploaded bytes: please pass the file to the picture service",
    );
    let met: BTreeSet<&str> = users("render/src").into_iter().map(|(_, library)| library).collect();
    assert!(met.len() >= 7, "{met:?}");
}

#[test]
fn pictures_alone_know_the_crate_that_renders() {
    let homes = |path: &str| path.starts_with("src/pictures/") || path == "src/limits/pictures.rs";
    let offenders = files("src", &[".rs"])
        .into_iter()
        .filter(|(path, text)| !homes(path) && names_crate(&code(text), "mellow_render"))
        .map(|(path, _)| path)
        .collect();
    assert_none(offenders, "src/pictures calls render/: please pass the file to the picture service");
}

#[test]
fn the_command_and_its_database_alone_know_the_load_test() {
    let homes = ["src/cli.rs", "src/program.rs", "src/seed/loadtest.rs"];
    let users: Vec<String> = files("src", &[".rs"])
        .into_iter()
        .filter(|(_, text)| names(&code(text), "mellow_loadtest"))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(users, homes, "a server runs without the load test: please keep its code in loadtest/");
}

#[test]
fn pictures_know_no_feature_database_or_socket() {
    let offenders = [ours("src/pictures"), ours("render/src")]
        .concat()
        .into_iter()
        .filter(|(_, text)| {
            let code = code(text);
            ["features", "db", "http", "server", "authz", "sqlx", "rusqlite", "actix", "actix_web", "serde"]
                .iter()
                .chain(&SOCKETS)
                .any(|name| names(&code, name))
        })
        .map(|(path, _)| path)
        .collect();
    assert_none(
        offenders,
        "pictures are bytes in and bytes out: who sent them and who sees them is a feature's",
    );
}

#[test]
fn one_file_calls_the_picture_service() {
    only_in("src", &[".rs"], "pictures::service", "src/features/uploads/service.rs");
}

#[test]
fn one_folder_uses_the_mail_library() {
    let offenders = files("src", &[".rs"])
        .into_iter()
        .filter(|(path, text)| !path.starts_with("src/mail/") && names_crate(&code(text), "lettre"))
        .map(|(path, _)| path)
        .collect();
    assert_none(
        offenders,
        "mails are composed and sent in src/mail alone: please put one into the mail queue",
    );
}

#[test]
fn mail_knows_no_feature_database_or_socket() {
    let offenders = ours("src/mail")
        .into_iter()
        .filter(|(_, text)| {
            let code = code(text);
            ["features", "db", "http", "server", "authz"]
                .iter()
                .chain(&SOCKETS)
                .any(|name| code.contains(&format!("crate::{name}")))
                || ["sqlx", "rusqlite", "actix", "actix_web"].iter().any(|name| names(&code, name))
        })
        .map(|(path, _)| path)
        .collect();
    assert_none(offenders, "mail is composed and sent here: which mails there are is a feature's");
}

#[test]
fn no_feature_decodes_its_own_reply() {
    assert_none(
        offenders_in(&["src/features"], &["codec::decode"]),
        "a write command returns a value: please read it from `Done::value`, which `context.submit` returns",
    );
}

#[test]
fn rules_know_no_database_socket_clock_or_codec() {
    let mut pure: Vec<(String, String)> =
        files("src/features", &[".rs"]).into_iter().filter(|(path, _)| path.ends_with("/rules.rs")).collect();
    assert!(pure.len() >= 4);
    pure.push(("src/authz.rs".into(), read("src/authz.rs")));
    let mut offenders = Vec::new();
    for (path, text) in pure {
        let code = code(&text);
        for name in [
            "sqlx",
            "actix",
            "actix_web",
            "tokio",
            "serde",
            "rmp_serde",
            "clock",
            "SystemTime",
            "Instant",
            "db",
            "rusqlite",
            "delivery",
            "socket",
            "transport",
            "backend",
            "http",
            "wire",
            "rand",
            "getrandom",
        ] {
            if names(&code, name) {
                offenders.push(format!("{path} knows {name}"));
            }
        }
    }
    assert_none(
        offenders,
        "rules and authz are pure calculations over facts: please hand in what they need to know",
    );
}

#[test]
fn the_database_knows_no_feature_and_no_socket() {
    let offenders = files("src/db", &[".rs"])
        .into_iter()
        .filter(|(_, text)| {
            let code = code(text);
            ["features", "http", "server", "authz"].iter().chain(&SOCKETS).any(|name| names(&code, name))
        })
        .map(|(path, _)| path)
        .collect();
    assert_none(
        offenders,
        "db knows no feature: its writer is generic over the event, and work comes as a trait",
    );
}

#[test]
fn the_frame_knows_no_feature() {
    let offenders = files("src/wire", &[".rs"])
        .into_iter()
        .filter(|(_, text)| {
            let code = code(text);
            ["features", "db", "http", "server"].iter().chain(&SOCKETS).any(|name| names(&code, name))
        })
        .map(|(path, _)| path)
        .collect();
    assert_none(offenders, "wire carries bodies it does not read");
}

#[test]
fn features_know_no_socket() {
    let offenders = ours("src/features")
        .into_iter()
        .filter(|(path, text)| {
            // `actix_web::rt::spawn` only runs a future, and reaches no socket.
            let code = code(text).replace("actix_web::rt::spawn", "");
            let is_handed_out = path == "src/features/context.rs";
            let code = if is_handed_out {
                code.replace("crate::delivery::barrier::Barrier", "")
                    .replace("crate::delivery::groups::Groups", "")
            } else {
                code
            };
            SOCKETS.iter().any(|name| code.contains(&format!("{name}::")))
                || names(&code, "actix_web")
                || names(&code, "actix_http")
        })
        .map(|(path, _)| path)
        .collect();
    assert_none(offenders, "features name the recipients of an event; how they are reached is delivery's");
}

#[test]
fn only_stores_speak_sql() {
    let calls = ["sql.execute", "sql.row", "sql.value", "sql.optional_", "sqlx::query", ".prepare"];
    let words = ["\"select ", "\"insert into ", "\"update ", "\"delete from "];
    let speaks = |text: &str| {
        let code = code(text);
        let calls_it = calls.iter().any(|call| {
            // A call may be broken into lines.
            code.split_whitespace().collect::<String>().contains(call)
        });
        calls_it || words.iter().any(|word| code.contains(word))
    };
    let is_store = |path: &str| path.ends_with("/store.rs") || path.contains("/store/");
    let (stores, others): (Vec<_>, Vec<_>) =
        ours("src/features").into_iter().partition(|(path, _)| is_store(path));
    assert!(stores.iter().filter(|(_, text)| speaks(text)).count() > 20, "this finds no SQL");
    let offenders = others.into_iter().filter(|(_, text)| speaks(text)).map(|(path, _)| path).collect();
    assert_none(offenders, "a feature's SQL is in its store.rs; what several features read is in src/model");
}
