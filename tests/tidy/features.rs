//! Which feature uses which. A feature imports another only if the list says so, and the list has no circle.

use std::collections::BTreeSet;

use super::circles::{Module, imported, modules};
use super::{assert_none, root};

/// Each feature, with the features that it uses. It uses only features that stand above it, so there is no circle.
///
/// The messages of a feature (its `wire.rs`) are for all: every store knows every event, and may publish it.
const USES: [(&str, &[&str]); 26] = [
    ("admin_log", &[]),
    ("groups", &[]),
    ("mails", &[]),
    ("moods", &[]),
    ("newcomers", &[]),
    ("notifications", &[]),
    ("polls", &[]),
    ("quiet", &[]),
    ("saved", &[]),
    ("search", &[]),
    ("uploads", &[]),
    ("votes", &[]),
    ("comments", &["notifications"]),
    ("invites", &["admin_log", "newcomers"]),
    ("notices", &["mails"]),
    ("profiles", &["newcomers"]),
    ("reports", &["admin_log"]),
    ("theme", &["admin_log"]),
    ("passkeys", &["notices"]),
    ("auth", &["admin_log", "invites", "mails", "newcomers", "notices", "passkeys", "profiles"]),
    ("follows", &["comments", "newcomers", "notifications"]),
    ("people", &["comments", "follows", "groups", "notifications", "saved"]),
    ("posts", &["comments", "groups", "newcomers", "notifications", "theme"]),
    ("imports", &["posts", "uploads"]),
    ("account", &["admin_log", "comments", "follows", "groups", "polls", "profiles", "reports"]),
    ("admin", &["account", "admin_log", "auth", "comments", "passkeys", "polls", "posts", "reports"]),
];

/// Returns the folders of `src/features`.
fn features() -> BTreeSet<String> {
    let entries = std::fs::read_dir(root().join("src/features")).unwrap().map(|entry| entry.unwrap());
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders.map(|folder| folder.file_name().to_string_lossy().into_owned()).collect()
}

/// Returns the feature that a module belongs to; None for the files beside the features.
fn feature(module: &Module) -> Option<&str> {
    let is_feature =
        module[0] == "features" && USES.iter().any(|(name, _)| module.get(1).is_some_and(|own| own == name));
    is_feature.then(|| module[1].as_str())
}

#[test]
fn a_feature_uses_only_features_that_stand_above_it() {
    let listed: BTreeSet<String> = USES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(listed, features(), "each feature has one line in USES");
    let mut offenders = Vec::new();
    for (place, (name, used)) in USES.iter().enumerate() {
        let is_above = |other: &str| USES[..place].iter().any(|(above, _)| *above == other);
        offenders
            .extend(used.iter().filter(|other| !is_above(other)).map(|other| format!("{name} uses {other}")));
    }
    assert_none(
        offenders,
        "two features never use each other, not even over a third: please move a line of USES up",
    );
}

#[test]
fn features_import_each_other_as_declared() {
    let modules = modules();
    let mut found: BTreeSet<(&str, String)> = BTreeSet::new();
    for (module, text) in &modules {
        let Some(own) = feature(module) else { continue };
        for other in imported(module, text, &modules) {
            let is_message = other.get(2).is_some_and(|file| file == "wire");
            if let Some(used) = feature(&other).filter(|used| *used != own && !is_message) {
                found.insert((own, used.to_owned()));
            }
        }
    }
    let declared: BTreeSet<(&str, String)> =
        USES.iter().flat_map(|(name, used)| used.iter().map(|other| (*name, (*other).to_owned()))).collect();
    let lines = |pairs: BTreeSet<(&str, String)>| {
        pairs.into_iter().map(|(own, used)| format!("{own} uses {used}")).collect()
    };
    assert_none(
        lines(&found - &declared),
        "what several features read is in src/model. If a feature needs what another one does, please add it to USES",
    );
    assert_none(lines(&declared - &found), "these no longer use each other: please remove them from USES");
}

#[test]
fn the_model_knows_no_feature() {
    let modules = modules();
    let of_model = modules.iter().filter(|(module, _)| module[0] == "model");
    let known = of_model.flat_map(|(module, text)| {
        let features = imported(module, text, &modules).into_iter().filter(|other| other[0] == "features");
        features.map(|other| format!("{} knows {}", module.join("::"), other.join("::"))).collect::<Vec<_>>()
    });
    assert_none(
        known.collect(),
        "src/model is what features read: what writes or publishes belongs to a feature",
    );
}
