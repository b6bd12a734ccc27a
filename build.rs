//! The build script: tells cargo which files to watch, refuses a release build without the web app, and names the
//! build.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

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
    // No MELLOW_ name: cargo hands this to what it runs, where it would be an unknown setting.
    println!("cargo:rustc-env=BUILT_FROM={}", commit.trim());
}

/// Identifies the web app where there is no commit, as in a container: an open page offers a reload when the build of
/// the server is not its own. The page names each of its files by the content.
fn web_app() -> String {
    let mut hasher = DefaultHasher::new();
    std::fs::read("web/dist/index.html").unwrap_or_default().hash(&mut hasher);
    format!("{:012x}", hasher.finish() >> 16)
}
