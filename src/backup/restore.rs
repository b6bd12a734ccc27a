//! Makes a data folder from a backup.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::folder::{copy, inside, make_folder, open_regular, sync};
use super::{DATABASE, MEDIA};
use crate::db::backup as database;
use crate::db::try_lock_folder;

/// The name of the database until the folder is complete. A server that is started before then does not use the
/// incomplete database.
const INCOMPLETE: &str = ".mellow.db";

/// Copies a backup into `data`, a new or empty folder, and ends the logins and links in it. Returns the text to print,
/// and the number of pictures that are missing in the backup.
///
/// # Errors
/// One line that says why the backup or the folder cannot be used. The files that were copied until then stay, so that
/// the host can look at them.
pub async fn restore(backup: &Path, data: &Path) -> Result<(String, usize), String> {
    let source = open_regular(backup, Path::new(DATABASE)).map_err(|why| match why.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            format!("there is no backup in {}: it has no {DATABASE}", backup.display())
        }
        _ => format!("the backup {} cannot be used: {why}", backup.display()),
    })?;
    let say = |why: io::Error| format!("cannot restore to {}: {why}", data.display());
    make_above(data).map_err(say)?;
    make_folder(data).map_err(say)?;
    if fs::read_dir(data).map_err(say)?.next().is_some() {
        return Err(format!(
            "{} is not empty. Restore into a new folder: nothing that is there is written over.",
            data.display()
        ));
    }
    let _lock =
        try_lock_folder(data)?.ok_or_else(|| format!("another Mellow is using {}", data.display()))?;
    // SQLite opens the copy, so that the backup itself is never written.
    let incomplete = data.join(INCOMPLETE);
    copy(source, &incomplete).map_err(say)?;
    // A disk may have lost bytes after the backup was made.
    database::check(&incomplete).map_err(|why| format!("the backup cannot be used: {why}"))?;
    let counts = database::renew(&incomplete).await?;
    let missing = copy_pictures(backup, data, &incomplete)?;
    // SQLite leaves these files after the copy was read, and they are empty.
    for beside in ["-wal", "-shm"] {
        match fs::remove_file(data.join(format!("{INCOMPLETE}{beside}"))) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(say(why)),
            _ => {}
        }
    }
    fs::rename(&incomplete, data.join(DATABASE)).map_err(say)?;
    sync(data).map_err(say)?;
    let database::Counts { people, posts, pictures } = counts;
    Ok((format!("Restored {people} people, {posts} posts, {pictures} pictures\n"), missing))
}

/// Makes the missing folders above this one with the usual permissions, because other users of the machine may keep
/// files in them, too.
fn make_above(data: &Path) -> io::Result<()> {
    let above = data.ancestors().skip(1);
    let missing: Vec<_> =
        above.take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists()).collect();
    for folder in missing.into_iter().rev() {
        fs::create_dir(folder)?;
        // The umask of this program would let only this user enter it.
        fs::set_permissions(folder, Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// Copies the stored files that the database names. Returns the number of files that are missing in the backup.
fn copy_pictures(backup: &Path, data: &Path, database: &Path) -> Result<usize, String> {
    let say = |why: io::Error| format!("cannot restore a picture to {}: {why}", data.display());
    make_folder(&data.join(MEDIA)).map_err(say)?;
    let mut missing = 0;
    for file in database::stored_files(database)? {
        let path = Path::new(MEDIA).join(inside(&file.full_path).map_err(say)?);
        let target = data.join(&path);
        if let Some(folder) = target.parent() {
            make_folder(folder).map_err(say)?;
        }
        match open_regular(backup, &path) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => missing += 1,
            Err(why) => return Err(format!("the backup cannot be used: {why}")),
            Ok(source) => copy(source, &target).map_err(say)?,
        }
    }
    Ok(missing)
}
