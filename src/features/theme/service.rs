//! The theme service: the site's time zone, the rotation, and the cached part of the page for today's theme.

use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

use super::rules::{self, ThemeText};
use super::wire::Theme;
use crate::limits::THEMES_FILE_BYTES_MAX;
use crate::settings::Settings;
use crate::zones::Zone;

/// The site's time zone and its themes, which are read at the start.
pub struct ThemeService {
    zone: Zone,
    rotation: Vec<ThemeText>,
    /// Whether the rotation is that of the program.
    is_own: bool,
    /// The number of published themes.
    version: AtomicU64,
    cached: Mutex<Option<CachedTheme>>,
}

/// The part of the page that shows the theme, cached while the theme is the same. The page itself is not cached, so
/// that a newly built web app is served.
struct CachedTheme {
    from_ms: i64,
    until_ms: i64,
    version: u64,
    shown: Bytes,
}

impl ThemeService {
    /// Reads the themes of the host, or uses those of the program.
    ///
    /// # Errors
    /// One sentence for the host: the wrong line of the file and its error.
    pub fn open(settings: &Settings) -> Result<Self, String> {
        let rotation = match &settings.themes_file.0 {
            None => rules::parse_file(rules::OWN).map_err(|_| "the program's own themes are broken")?,
            Some(path) => read(path)?,
        };
        let zone = settings.site_timezone.clone();
        let is_own = settings.themes_file.0.is_none();
        Ok(Self { zone, rotation, is_own, version: AtomicU64::new(0), cached: Mutex::new(None) })
    }

    /// Returns the day in the site's time zone.
    #[must_use]
    pub fn day_of(&self, instant_ms: i64) -> String {
        self.zone.local(instant_ms).date.to_string()
    }

    /// Returns when the day of this instant ends, in milliseconds since 1970 UTC.
    #[must_use]
    pub fn next_midnight_ms(&self, instant_ms: i64) -> i64 {
        self.zone.next_midnight(instant_ms)
    }

    /// Returns the name of the site's time zone.
    #[must_use]
    pub fn zone_name(&self) -> &str {
        self.zone.name()
    }

    /// Returns the theme of a day for which the host set none.
    #[must_use]
    pub fn of_day(&self, day: &str) -> Option<Theme> {
        let place = rules::place_of_day(self.rotation.len(), day)?;
        let ThemeText { title, description, tag } = self.rotation.get(place)?.clone();
        let own = u16::try_from(place + 1).ok().filter(|_| self.is_own);
        Some(Theme { day: day.into(), title, description, tag, own })
    }

    /// Notes that a theme is about to be published, so that the cached part of the page is not used any more.
    pub fn invalidate(&self) {
        self.version.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    pub(super) fn cached(&self, now_ms: i64) -> Option<Bytes> {
        let version = self.version();
        let cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        cached
            .as_ref()
            .filter(|cached| cached.version == version && (cached.from_ms..cached.until_ms).contains(&now_ms))
            .map(|cached| cached.shown.clone())
    }

    /// Caches a part of the page until the day of `from_ms` ends. It was made at `from_ms`, after `version` was read.
    pub(super) fn keep(&self, from_ms: i64, version: u64, shown: Bytes) {
        let cached = CachedTheme { from_ms, until_ms: self.next_midnight_ms(from_ms), version, shown };
        *self.cached.lock().unwrap_or_else(PoisonError::into_inner) = Some(cached);
    }
}

fn read(path: &Path) -> Result<Vec<ThemeText>, String> {
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

    fn theme_service() -> ThemeService {
        let rotation = rules::parse_file(rules::OWN).unwrap();
        let zone = Zone::named("UTC").unwrap();
        ThemeService { zone, rotation, is_own: true, version: AtomicU64::new(0), cached: Mutex::new(None) }
    }

    #[test]
    fn the_part_of_the_page_is_cached_until_midnight_or_a_new_theme() {
        let (theme_service, shown) = (theme_service(), Bytes::from_static(b"today's"));
        theme_service.keep(10, theme_service.version(), shown.clone());
        assert_eq!(theme_service.cached(DAY_MS - 1), Some(shown.clone()));
        assert_eq!(
            (theme_service.cached(DAY_MS), theme_service.cached(9)),
            (None, None),
            "also when a clock is set back"
        );
        theme_service.invalidate();
        assert_eq!(theme_service.cached(11), None);
    }

    #[test]
    fn a_part_that_became_outdated_while_it_was_made_is_not_used() {
        let theme_service = theme_service();
        let version = theme_service.version();
        theme_service.invalidate();
        theme_service.keep(10, version, Bytes::from_static(b"yesterday's"));
        assert_eq!(theme_service.cached(11), None);
    }

    #[test]
    fn an_invalid_file_is_reported_with_its_name() {
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
