//! The folder of a backup: makes it, names it, lists the backups, and removes old ones.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Mode, OFlags, open, openat};
use rustix::io::Errno;

use super::{DATABASE, MEDIA, Plan};
use crate::db::backup::{self as database, StoredFile};
use crate::db::{no_database_in, try_lock};
use crate::disk;
use crate::limits::BACKUP_NAME_TRIES_MAX;
use crate::zones;

/// The beginning of the name of a backup. The time follows.
const PREFIX: &str = "mellow-";
/// The beginning of the name of an incomplete backup.
const INCOMPLETE: &str = ".mellow-";
/// The write-ahead log of the database in a data folder.
const LOG: &str = "mellow.db-wal";
/// The lock file of a folder in which a backup is made.
const LOCK: &str = ".lock";

/// A complete backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    /// Such as `mellow-20261122T074400Z`.
    pub name: String,
    pub path: PathBuf,
    pub made_at_ms: i64,
}

/// Returns when the backup of this name was made, in milliseconds since 1970 UTC; None for another name.
pub fn made_at_ms(name: &str) -> Option<i64> {
    name.strip_prefix(PREFIX).and_then(zones::ms_of_stamp)
}

/// Returns the complete backups in a folder, newest first. The list is empty if the folder does not exist.
///
/// # Errors
/// One line that says that the folder cannot be read.
pub fn list(folder: &Path) -> Result<Vec<Backup>, String> {
    let say = |why: io::Error| format!("cannot read {}: {why}", folder.display());
    let entries = match fs::read_dir(folder) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(say)?,
    };
    let mut backups = Vec::new();
    for entry in entries {
        let entry = entry.map_err(say)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(made_at_ms) = made_at_ms(&name)
            && entry.file_type().map_err(say)?.is_dir()
        {
            backups.push(Backup { name, path: entry.path(), made_at_ms });
        }
    }
    backups.sort_by(|a, b| b.name.cmp(&a.name));
    Ok(backups)
}

/// Makes a backup; see [`super::make`].
pub fn make(plan: &Plan, now_ms: i64) -> Result<Backup, String> {
    let source = plan.data.join(DATABASE);
    if !source.exists() {
        return Err(no_database_in(&plan.data));
    }
    let target = &plan.target;
    let say = |why: io::Error| format!("cannot write a backup to {}: {why}", target.display());
    fs::create_dir_all(target).map_err(say)?;
    let _lock = lock(target)?;
    remove_incomplete(target).map_err(say)?;
    let mut backup = name(target, now_ms)?;
    let incomplete = Incomplete { path: target.join(format!(".{}", backup.name)) };
    fs::create_dir(&incomplete.path).map_err(say)?;
    let mut media = Media::new(&plan.data.join(MEDIA), &incomplete.path.join(MEDIA)).map_err(say)?;
    let copy = incomplete.path.join(DATABASE);
    database::copy(&source, &copy, |files| {
        check_space(plan, media.copied_bytes(files).map_err(say)?)?;
        media.take(files).map_err(say)
    })?;
    database::check(&copy).map_err(|why| format!("the new backup cannot be used: {why}"))?;
    media.sync().map_err(say)?;
    for path in [&copy, &incomplete.path] {
        sync(path).map_err(say)?;
    }
    fs::rename(&incomplete.path, &backup.path).map_err(say)?;
    sync(target).map_err(say)?;
    // The printed path is absolute, because it may be used from another folder.
    backup.path = backup.path.canonicalize().map_err(say)?;
    remove_old(plan).map_err(|why| format!("{} was made, but {why}", backup.path.display()))?;
    Ok(backup)
}

/// The folder of an incomplete backup. It is removed unless it was renamed.
struct Incomplete {
    path: PathBuf,
}

impl Drop for Incomplete {
    fn drop(&mut self) {
        match fs::remove_dir_all(&self.path) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => {
                log::warn!("an incomplete backup is removed by the next one: {why}");
            }
            _ => {}
        }
    }
}

/// Locks the folder, so that no other process makes a backup in it at the same time.
fn lock(target: &Path) -> Result<File, String> {
    try_lock(&target.join(LOCK))?
        .ok_or_else(|| format!("another backup is being made in {}; please wait for it", target.display()))
}

/// Removes the incomplete backups of interrupted attempts. No other attempt is running, because this process holds the
/// lock.
fn remove_incomplete(target: &Path) -> io::Result<()> {
    for entry in fs::read_dir(target)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_incomplete = name
            .to_str()
            .and_then(|name| name.strip_prefix(INCOMPLETE))
            .is_some_and(|stamp| zones::ms_of_stamp(stamp).is_some());
        if is_incomplete {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Refuses a backup that would leave less disk space than the plan says. `pictures` is the size of its pictures, in
/// bytes.
fn check_space(plan: &Plan, pictures: u64) -> Result<(), String> {
    const MIB: u64 = 1024 * 1024;
    let free = disk::free_bytes(&plan.target)
        .map_err(|why| format!("the disk of {} does not say its size: {why}", plan.target.display()))?;
    // The copy also contains pages that are only in the write-ahead log.
    let bytes = |name: &str| fs::metadata(plan.data.join(name)).map_or(0, |found| found.len());
    let needed = bytes(DATABASE) + bytes(LOG) + pictures;
    if free < needed.saturating_add(plan.free_bytes_min) {
        return Err(format!(
            "the disk of {} has {} MiB free, and a backup needs {} MiB besides the {} MiB that stay free \
             (disk_free_mib_min)",
            plan.target.display(),
            free / MIB,
            needed.div_ceil(MIB),
            plan.free_bytes_min / MIB
        ));
    }
    Ok(())
}

/// Returns the name of a new backup. No two backups have the same second.
fn name(target: &Path, now_ms: i64) -> Result<Backup, String> {
    for seconds in 0..BACKUP_NAME_TRIES_MAX {
        let made_at_ms = now_ms - now_ms.rem_euclid(1_000) + 1_000 * seconds;
        let name = format!("{PREFIX}{}", zones::stamp(made_at_ms));
        let path = target.join(&name);
        if !path.exists() {
            // Waits, so that the time in the name is not in the future.
            std::thread::sleep(Duration::from_secs(seconds.unsigned_abs()));
            return Ok(Backup { name, path, made_at_ms });
        }
    }
    Err(format!("{} has a backup for each of these seconds; please try again", target.display()))
}

/// Removes all backups except the newest ones of the plan.
fn remove_old(plan: &Plan) -> Result<(), String> {
    let Some(kept) = usize::try_from(plan.kept).ok().filter(|kept| *kept > 0) else { return Ok(()) };
    for old in list(&plan.target)?.into_iter().skip(kept) {
        // The backup is renamed first, so that a half removed backup is never listed.
        let going = plan.target.join(format!(".{}", old.name));
        fs::rename(&old.path, &going)
            .and_then(|()| fs::remove_dir_all(&going))
            .map_err(|why| format!("{} cannot be removed: {why}", old.path.display()))?;
    }
    Ok(())
}

/// The pictures of a backup that is being made.
struct Media {
    source: PathBuf,
    target: PathBuf,
    taken: HashSet<String>,
    /// Folders that [`sync`](Self::sync) writes to the disk.
    folders: HashSet<PathBuf>,
}

impl Media {
    fn new(source: &Path, target: &Path) -> io::Result<Self> {
        fs::create_dir(target)?;
        let folders = HashSet::from([target.to_owned()]);
        Ok(Self { source: source.into(), target: target.into(), taken: HashSet::new(), folders })
    }

    /// Returns the number of bytes that must be copied for these files. It is 0 on the same disk, because files are
    /// linked there.
    fn copied_bytes(&self, files: &[StoredFile]) -> io::Result<u64> {
        let is_same_disk = match fs::metadata(&self.source) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(0),
            source => source?.dev() == fs::metadata(&self.target)?.dev(),
        };
        let copied = files.iter().filter(|file| !is_same_disk && !self.taken.contains(&file.full_path));
        Ok(copied.map(|file| file.size_bytes).sum())
    }

    /// Adds and removes files, so that the backup has exactly these files. Returns false if one of them no longer
    /// exists.
    fn take(&mut self, files: &[StoredFile]) -> io::Result<bool> {
        for file in files {
            if self.taken.contains(&file.full_path) {
                continue;
            }
            let target = self.target.join(inside(&file.full_path)?);
            if let Some(folder) = target.parent()
                && self.folders.insert(folder.into())
            {
                fs::create_dir_all(folder)?;
                for above in folder.ancestors().skip(1).take_while(|above| above.starts_with(&self.target)) {
                    self.folders.insert(above.into());
                }
            }
            match keep(&self.source.join(&file.full_path), &target) {
                Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(false),
                kept => kept?,
            }
            self.taken.insert(file.full_path.clone());
        }
        // An earlier attempt took the files of an older commit, some of which this commit may not name.
        let named: HashSet<&str> = files.iter().map(|file| file.full_path.as_str()).collect();
        let (target, taken) = (&self.target, &mut self.taken);
        let others: Vec<String> =
            taken.iter().filter(|path| !named.contains(path.as_str())).cloned().collect();
        for other in others {
            fs::remove_file(target.join(&other))?;
            taken.remove(&other);
        }
        Ok(true)
    }

    /// Writes the folders of the pictures to the disk.
    fn sync(&self) -> io::Result<()> {
        self.folders.iter().try_for_each(|folder| sync(folder))
    }
}

/// Returns the path of a stored file, relative to the media folder. A path that would leave the folder is an error.
pub fn inside(full_path: &str) -> io::Result<&Path> {
    let path = Path::new(full_path);
    if path.components().all(|part| matches!(part, Component::Normal(_))) {
        Ok(path)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidData, "a stored file lies outside the media folder"))
    }
}

/// Links a picture. If it cannot be linked, for example on another disk, it is copied. A link is enough, because the
/// bytes of a picture never change.
fn keep(source: &Path, target: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(source)?.is_file() {
        return Err(no_regular_file(source));
    }
    match fs::hard_link(source, target) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => Err(why),
        Err(_) => copy(File::open(source)?, target),
        Ok(()) => Ok(()),
    }
}

/// Opens a file in a backup. Because somebody else may have held the backup, no symbolic link in it is followed, and
/// anything but a regular file is refused without waiting for it.
pub fn open_regular(backup: &Path, path: &Path) -> io::Result<File> {
    let refused = |why: Errno| match why {
        // There is a link, or a file where a folder should be.
        Errno::LOOP | Errno::NOTDIR => no_regular_file(path),
        why => why.into(),
    };
    let folder = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut at = open(backup, folder, Mode::empty())?;
    let mut rest = path.components().peekable();
    while let Some(part) = rest.next() {
        let name = part.as_os_str();
        if rest.peek().is_some() {
            at = openat(&at, name, folder | OFlags::NOFOLLOW, Mode::empty()).map_err(refused)?;
            continue;
        }
        // The file is not read before it is known to be regular, and opening a FIFO does not wait.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = File::from(openat(&at, name, flags, Mode::empty()).map_err(refused)?);
        return if file.metadata()?.is_file() { Ok(file) } else { Err(no_regular_file(path)) };
    }
    Err(no_regular_file(path))
}

fn no_regular_file(path: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{} is not a regular file", path.display()))
}

/// Copies a file to a new one that only this user can read, and writes it to the disk.
pub fn copy(mut source: File, target: &Path) -> io::Result<()> {
    let mut to = OpenOptions::new().write(true).create_new(true).mode(0o600).open(target)?;
    io::copy(&mut source, &mut to)?;
    to.sync_all()
}

/// Makes a folder that only this user can read, and the missing folders above it.
pub fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Writes a file, or the names in a folder, to the disk (fsync).
pub fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lv6_a_path_of_a_stored_file_never_leads_out_of_the_folder() {
        crate::testing::fuzz::text(
            &["posts/101/1_0_tree.card.jpg", "../../etc/passwd", "a/./b/../c"],
            |path| {
                let Ok(path) = inside(path) else { return };
                let joined = Path::new("/media").join(path);
                assert!(
                    joined.starts_with("/media")
                        && !joined.components().any(|part| part == Component::ParentDir)
                );
            },
        );
    }
}
