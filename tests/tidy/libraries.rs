//! Checks that `docs/architecture.md` says of each library what it is for, and why it was chosen, and that Mellow names
//! one version of each. `scripts/parts.mjs` checks their licences.

use std::collections::{BTreeMap, BTreeSet};

use super::read;

/// Returns the names in the tables of dependencies of a `Cargo.toml`.
fn crates(path: &str) -> BTreeSet<String> {
    let text = read(path);
    let mut names = BTreeSet::new();
    for table in text.split("\n[").skip(1) {
        let (head, lines) = table.split_once("]\n").unwrap();
        if head == "dependencies" || head == "dev-dependencies" {
            let lines = lines.lines().filter(|line| !line.starts_with('#'));
            names.extend(lines.filter_map(|line| Some(line.split_once(" = ")?.0.to_owned())));
        }
    }
    names
}

/// Returns the names of the packages that the web app names.
fn packages() -> BTreeSet<String> {
    let text: serde_json::Value = serde_json::from_str(&read("web/package.json")).unwrap();
    let names = |kind: &str| text[kind].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    [names("dependencies"), names("devDependencies")].concat().into_iter().collect()
}

#[test]
fn the_table_of_libraries_has_each_one_and_no_other() {
    let page = read("docs/architecture.md");
    let section = page.split("\n## Libraries\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let names = rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2));
    let told: BTreeSet<String> = names.map(str::to_owned).collect();
    let used: BTreeSet<String> = ["Cargo.toml", "loadtest/Cargo.toml", "render/Cargo.toml"]
        .iter()
        .flat_map(|path| crates(path))
        .chain(packages())
        .collect();
    assert!(used.len() > 70, "{used:?}");
    let missing: Vec<_> = used.difference(&told).collect();
    assert!(missing.is_empty(), "docs/architecture.md does not say why Mellow uses {missing:?}");
    let left: Vec<_> = told.difference(&used).collect();
    assert!(left.is_empty(), "docs/architecture.md tells of libraries that nobody uses: {left:?}");
}

#[test]
fn our_packages_name_one_version_of_each_library() {
    let lock = read("Cargo.lock");
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in lock.split("\n[[package]]\n").filter(|package| package.starts_with("name = \"mellow")) {
        let used = package.lines().filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix("\","));
        for library in used {
            // The version stands behind the name if the file has several.
            let (name, version) = library.split_once(' ').unwrap_or((library, ""));
            versions.entry(name).or_default().insert(version);
        }
    }
    assert!(versions.len() > 50, "{versions:?}");
    versions.retain(|_, versions| versions.len() > 1);
    assert!(versions.is_empty(), "please name one version of each library: {versions:?}");
}
