//! Checks that every file that a document names exists.

use super::{assert_none, files, read, root};

/// The folders whose files a document may name by their path from the root.
const FOLDERS: [&str; 11] = [
    "src/",
    "loadtest/",
    "render/",
    "web/",
    "tests/",
    "docs/",
    "examples/",
    "benches/",
    "migrations/",
    "scripts/",
    ".ci/",
];

/// Paths that do not exist in the repository: the example of CONTRIBUTING.md, and the output of a build.
const NOT_KEPT: [&str; 2] = ["bookmarks", "web/dist"];

#[test]
fn every_file_that_a_document_names_exists() {
    let mut pages = files("docs", &[".md"]);
    pages.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|path| (path.into(), read(path))));
    let mut strays = Vec::new();
    for (page, text) in pages {
        for (number, line) in text.lines().enumerate() {
            let code = line.split('`').skip(1).step_by(2);
            let named = code.filter(|word| FOLDERS.iter().any(|folder| word.starts_with(folder)));
            let root = root();
            let is_kept = |path: &&str| {
                !path.contains(['*', ' ']) && !NOT_KEPT.iter().any(|other| path.contains(other))
            };
            let links = line.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
            let links = links.filter(|link| !link.is_empty() && !link.contains("://"));
            let beside = root.join(&page).parent().map_or_else(|| root.into(), std::path::PathBuf::from);
            let missing_links = links.filter(|link| !beside.join(link).exists());
            let missing = named.filter(is_kept).filter(|path| !root.join(path).exists()).chain(missing_links);
            strays.extend(missing.map(|path| format!("{page}:{}: {path}", number + 1)));
        }
    }
    assert_none(strays, "a document names a file that does not exist:");
}
