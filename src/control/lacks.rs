//! What a Mellow still lacks before people on the internet join. `mellow check` prints it.

use crate::backup;
use crate::disk;
use crate::limits::{BACKUP_ELSEWHERE_MS_MAX, DISK_FREE_ADVISED_MIB};
use crate::settings::Settings;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const MIB: u64 = 1024 * 1024;

/// Returns what is missing, one line each, with the section of `docs/operations.md` about it. Empty if nothing is
/// missing. `now_ms` is the time in milliseconds since 1970 UTC.
#[must_use]
pub fn lines(settings: &Settings, now_ms: i64) -> String {
    let found = [
        ("https", https(settings), "Proxy"),
        ("mail", mail(settings), "Mail"),
        ("backup elsewhere", backup_elsewhere(settings, now_ms), "Backups"),
        ("free disk", free_disk(settings), "What to watch"),
    ];
    let line = |(what, missing, section): (&str, Option<String>, &str)| {
        missing.map(|missing| format!("- {what}: {missing} ({section})\n"))
    };
    found.into_iter().filter_map(line).collect()
}

fn https(settings: &Settings) -> Option<String> {
    match &settings.public_url.origin {
        None => Some("public_url is not set".into()),
        Some(_) if settings.public_url.is_secure() => None,
        Some(origin) => Some(format!("public_url is {origin}, which does not begin with https")),
    }
}

fn mail(settings: &Settings) -> Option<String> {
    settings.smtp_url.0.is_none().then(|| "smtp_url is not set, so each mail stays in outbox/".into())
}

fn backup_elsewhere(settings: &Settings, now_ms: i64) -> Option<String> {
    let Some(newest) = backup::newest_elsewhere(&settings.data) else {
        return Some("none was made with `mellow backup --to`".into());
    };
    let age_ms = now_ms.saturating_sub(newest.made_at_ms);
    if age_ms > BACKUP_ELSEWHERE_MS_MAX {
        return Some(format!("the newest one, {}, is {} days old", newest.path.display(), age_ms / DAY_MS));
    }
    newest
        .is_on_disk_of_data
        .then(|| format!("the newest one, {}, is on the same disk as the data", newest.path.display()))
}

fn free_disk(settings: &Settings) -> Option<String> {
    let free = disk::free_bytes(&settings.data).ok()? / MIB;
    (free < DISK_FREE_ADVISED_MIB)
        .then(|| format!("{free} MiB are free, and {DISK_FREE_ADVISED_MIB} MiB are advised"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn missing(flags: &[&str], now_ms: i64) -> String {
        let typed = ["mellow", "serve"].iter().chain(flags).map(Into::into);
        lines(&crate::cli::read_settings(typed, [], Path::new("no file")).unwrap(), now_ms)
    }

    #[test]
    fn each_line_names_a_section_of_the_page_for_hosts() {
        let page = std::fs::read_to_string("docs/operations.md").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let found = missing(&["--data", folder.path().to_str().unwrap()], 0);
        assert!(found.lines().count() >= 3, "{found}");
        let mut sections: Vec<&str> = found
            .lines()
            .map(|line| line.rsplit_once(" (").and_then(|(_, rest)| rest.strip_suffix(')')).expect(line))
            .collect();
        sections.push("What to watch");
        for section in sections {
            assert!(page.contains(&format!("\n## {section}\n")), "{section}");
        }
    }

    #[test]
    fn an_address_without_tls_is_not_enough() {
        let found = missing(&["--public-url", "http://mellow.example.org"], 0);
        assert!(found.contains("- https: public_url is http://mellow.example.org, which"), "{found}");
        let found = missing(&["--public-url", "https://mellow.example.org"], 0);
        assert!(!found.contains("- https: "), "{found}");
    }

    #[test]
    fn a_backup_elsewhere_is_new_and_on_another_disk() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        let found = |now_ms| missing(&["--data", data.to_str().unwrap()], now_ms);
        assert!(found(0).contains("- backup elsewhere: none was made"), "{}", found(0));
        let path = data.join("mellow-20261122T074400Z");
        std::fs::create_dir(&path).unwrap();
        let made_at_ms = crate::zones::ms_of_stamp("20261122T074400Z").unwrap();
        let made = backup::Backup { name: "mellow-20261122T074400Z".into(), path, made_at_ms };
        backup::remember_elsewhere(data, &made).unwrap();
        assert!(found(made_at_ms).contains("is on the same disk as the data"), "{}", found(made_at_ms));
        let later = made_at_ms + 3 * DAY_MS;
        assert!(found(later).contains("is 3 days old"), "{}", found(later));
        // A disk that is not mounted now says nothing about where it is.
        std::fs::remove_dir(&made.path).unwrap();
        assert!(!found(made_at_ms).contains("- backup elsewhere: "), "{}", found(made_at_ms));
    }
}
