//! Checks a data folder: its database, its stored pictures, and its newest backup. It only reads.

use std::path::Path;

use super::folder::{self, inside};
use super::{DATABASE, FOLDER, MEDIA};
use crate::db::backup as database;
use crate::db::no_database_in;

/// The result of a check: the lines to print, and the first line that reports a fault.
#[derive(Debug, PartialEq, Eq)]
pub struct Findings {
    pub text: String,
    pub fault: Option<String>,
}

/// Checks a data folder. A server may be running on it.
///
/// # Errors
/// One line that says that the folder has no Mellow.
pub fn check(data: &Path) -> Result<Findings, String> {
    let path = data.join(DATABASE);
    if !path.exists() {
        return Err(no_database_in(data));
    }
    let backups = backups(&data.join(FOLDER));
    let lines = [
        ("database", database::check(&path).map(|()| "ok".to_owned())),
        ("media", media(data, &path).map(|()| "ok".to_owned())),
        ("backups", backups.map(|count| count.to_string())),
    ];
    let mut findings = Findings { text: String::new(), fault: None };
    for (what, found) in lines {
        findings.add(what, found);
    }
    Ok(findings)
}

impl Findings {
    /// Adds a line: what is well, or what is wrong.
    pub fn add(&mut self, what: &str, found: Result<String, String>) {
        let (line, is_well) = match found {
            Ok(said) => (format!("{what}: {said}"), true),
            Err(why) => (format!("{what}: {why}"), false),
        };
        self.text += &format!("{line}\n");
        if !is_well && self.fault.is_none() {
            self.fault = Some(line);
        }
    }
}

/// Compares the stored files with their rows in the database.
fn media(data: &Path, database: &Path) -> Result<(), String> {
    let is_there = |file: &database::StoredFile| {
        let path = inside(&file.full_path).ok().map(|path| data.join(MEDIA).join(path));
        path.and_then(|path| path.symlink_metadata().ok())
            .is_some_and(|found| found.is_file() && found.len() == file.size_bytes)
    };
    let absent = |files: &[database::StoredFile]| files.iter().filter(|file| !is_there(file)).count();
    let files = database::stored_files(database)?;
    let lost = absent(&files);
    if lost == 0 {
        return Ok(());
    }
    // A server may have deleted files meanwhile, so only files that the database names now count as missing.
    let named = database::stored_files(database)?;
    let lost = absent(&named);
    if lost == 0 { Ok(()) } else { Err(format!("{lost} of {} files are missing or cut off", named.len())) }
}

/// Returns the number of backups. The newest one must be usable.
fn backups(folder: &Path) -> Result<usize, String> {
    let backups = folder::list(folder)?;
    if let Some(newest) = backups.first() {
        let usable = folder::open_regular(&newest.path, Path::new(DATABASE)).map_err(|why| why.to_string());
        usable
            .and_then(|_| database::check(&newest.path.join(DATABASE)))
            .map_err(|why| format!("the newest one, {}, cannot be used: {why}", newest.name))?;
    }
    Ok(backups.len())
}
