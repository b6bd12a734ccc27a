//! What the theme is found by: the site's zone and the rotation; and what a page shows of today's.

use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

use super::rules::{self, Words};
use super::wire::Theme;
use crate::config::Config;
use crate::limits::THEMES_FILE_BYTES_MAX;
use crate::zones::Zone;

/// The site's zone and its themes, read at the start.
pub struct Desk {
    zone: Zone,
    rotation: Vec<Words>,
    /// Counts how often a theme was told.
    version: AtomicU64,
    kept: Mutex<Option<Kept>>,
}

/// What a page shows of the theme, for as long as that is the theme. Not the page: whoever builds the web app
/// anew while a server runs sees what was built.
struct Kept {
    from_ms: i64,
    until_ms: i64,
    version: u64,
    shown: Bytes,
}

impl Desk {
    /// Reads the host's themes, or takes the program's own.
    ///
    /// # Errors
    /// One sentence for the host: which line of the file is wrong, and what is wrong with it.
    pub fn open(config: &Config) -> Result<Self, String> {
        let rotation = match &config.themes_file.0 {
            None => rules::parse_file(rules::OWN).map_err(|_| "the program's own themes are broken")?,
            Some(path) => read(path)?,
        };
        let zone = config.site_timezone.clone();
        Ok(Self { zone, rotation, version: AtomicU64::new(0), kept: Mutex::new(None) })
    }

    /// Returns what day it is by the site's clock.
    #[must_use]
    pub fn day_of(&self, instant_ms: i64) -> String {
        self.zone.local(instant_ms).date.to_string()
    }

    /// Returns when that day ends, in milliseconds since 1970 UTC.
    #[must_use]
    pub fn next_midnight_ms(&self, instant_ms: i64) -> i64 {
        self.zone.next_midnight(instant_ms)
    }

    /// Returns the name of the site's zone.
    #[must_use]
    pub fn zone_name(&self) -> &str {
        self.zone.name()
    }

    /// Returns the theme of a day that the host set none for.
    #[must_use]
    pub fn of_day(&self, day: &str) -> Option<Theme> {
        let words = rules::of_day(&self.rotation, day)?.clone();
        Some(Theme { day: day.into(), title: words.title, description: words.description, tag: words.tag })
    }

    /// Notes that a theme is about to be told: what was made of the one before is not shown any more.
    pub fn turns(&self) {
        self.version.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    pub(super) fn kept(&self, now_ms: i64) -> Option<Bytes> {
        let version = self.version();
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref()
            .filter(|kept| kept.version == version && (kept.from_ms..kept.until_ms).contains(&now_ms))
            .map(|kept| kept.shown.clone())
    }

    /// Keeps what was made at `from_ms`, after `version` was read, until that day is over.
    pub(super) fn keep(&self, from_ms: i64, version: u64, shown: Bytes) {
        let kept = Kept { from_ms, until_ms: self.next_midnight_ms(from_ms), version, shown };
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
    }
}

fn read(path: &Path) -> Result<Vec<Words>, String> {
    let say = |why: &dyn std::fmt::Display| format!("themes_file {}: {why}", path.display());
    let file = std::fs::File::open(path).map_err(|why| say(&why))?;
    let mut text = String::new();
    file.take(THEMES_FILE_BYTES_MAX + 1).read_to_string(&mut text).map_err(|why| say(&why))?;
    if text.len() as u64 > THEMES_FILE_BYTES_MAX {
        return Err(say(&format!("it has more than {THEMES_FILE_BYTES_MAX} bytes")));
    }
    rules::parse_file(&text).map_err(|(line, why)| say(&format!("line {line}: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_MS: i64 = 24 * 3_600_000;

    fn desk() -> Desk {
        let rotation = rules::parse_file(rules::OWN).unwrap();
        let zone = Zone::named("UTC").unwrap();
        Desk { zone, rotation, version: AtomicU64::new(0), kept: Mutex::new(None) }
    }

    #[test]
    fn what_is_shown_is_kept_until_midnight_or_another_theme() {
        let (desk, shown) = (desk(), Bytes::from_static(b"today's"));
        desk.keep(10, desk.version(), shown.clone());
        assert_eq!(desk.kept(DAY_MS - 1), Some(shown.clone()));
        assert_eq!((desk.kept(DAY_MS), desk.kept(9)), (None, None), "also when a clock is set back");
        desk.turns();
        assert_eq!(desk.kept(11), None);
    }

    #[test]
    fn what_was_overtaken_while_it_was_made_is_not_kept() {
        let desk = desk();
        let version = desk.version();
        desk.turns();
        desk.keep(10, version, Bytes::from_static(b"yesterday's"));
        assert_eq!(desk.kept(11), None);
    }

    #[test]
    fn a_file_that_cannot_be_is_told_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("themes.txt");
        let why = read(&path).unwrap_err();
        assert!(why.starts_with("themes_file ") && why.contains("themes.txt"), "{why}");
        std::fs::write(&path, "Boats\nno tag").unwrap();
        let why = read(&path).unwrap_err();
        assert!(why.contains("line 2: after the title \"Boats\""), "{why}");
        std::fs::write(&path, "\n".repeat(1024 * 1024 + 1)).unwrap();
        assert!(read(&path).unwrap_err().contains("more than"));
        std::fs::write(&path, b"\xff").unwrap();
        assert!(read(&path).is_err());
    }
}
