//! The build script: tells cargo which files to watch, refuses a release build without the web app, names the build, and
//! lists the migrations.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=web/dist");
    println!("cargo:rerun-if-env-changed=MELLOW_BUILD");

    let release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let excused = std::env::var("MELLOW_BUILD").is_ok_and(|build| build == "without-web");
    if release && !excused && !Path::new("web/dist/index.html").exists() {
        eprintln!("web/dist/index.html is missing, and a release carries the web app inside.");
        eprintln!("Run `make build`, or first `cd web && npm ci && npm run build`.");
        std::process::exit(1);
    }

    let commit = std::process::Command::new("git")
        .args(["rev-parse", "--short=12", "HEAD"])
        .output()
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .unwrap_or_else(web_app);
    // The name does not begin with MELLOW_, because Cargo passes the variable to each program it runs, and Mellow
    // refuses unknown settings.
    println!("cargo:rustc-env=BUILT_FROM={}", commit.trim());

    list_migrations();
}

/// Writes the list of the files in `migrations/`, which `src/db/mod.rs` includes. The macro of sqlx makes such a list
/// too, but compiles SQLite a second time.
fn list_migrations() {
    println!("cargo:rerun-if-changed=migrations");
    let variable = |name: &str| PathBuf::from(std::env::var_os(name).expect("cargo sets it"));
    let folder = variable("CARGO_MANIFEST_DIR").join("migrations");
    let files = std::fs::read_dir(folder).expect("the folder of migrations");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a migration").path()).collect();
    // An editor may keep its own files in this folder.
    files.retain(|path| path.extension().is_some_and(|extension| extension == "sql"));
    files.sort();
    let lines = files.iter().map(|path| {
        let name = path.file_stem().and_then(|name| name.to_str());
        let parts = name.and_then(|name| name.split_once('_'));
        let numbered =
            parts.and_then(|(number, description)| Some((number.parse::<i64>().ok()?, description)));
        let (number, description) = numbered.expect("a name such as 0017_bookmarks.sql");
        format!("    ({number}, {description:?}, include_str!({path:?})),\n")
    });
    let list = format!("&[\n{}]\n", lines.collect::<String>());
    std::fs::write(variable("OUT_DIR").join("migrations.rs"), list).expect("the list of migrations");
}

/// Returns a name for the build if there is no commit, as in a container: a hash of the page, which names each of its
/// files by a hash. An open page compares its build with the server's and offers a reload if they differ.
fn web_app() -> String {
    let mut hasher = DefaultHasher::new();
    std::fs::read("web/dist/index.html").unwrap_or_default().hash(&mut hasher);
    format!("{:012x}", hasher.finish() >> 16)
}
