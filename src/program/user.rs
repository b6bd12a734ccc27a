//! The user of a data folder. Root must not use the folder of another user: the server could not read what root makes
//! there, and a command in another folder than the server's has other settings.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::process::geteuid;

/// The folder of `mellow.toml` if Mellow is a service of the machine (`deploy/mellow.service`).
const SERVICE_FOLDER: &str = "/etc/mellow";
/// The user of that service.
const SERVICE_USER: &str = "mellow";

/// Refuses root the data folder of another user. A folder that does not exist belongs to the user who makes it.
///
/// # Errors
/// One line that names the right command.
pub fn check(data: &Path) -> Result<(), String> {
    let owner = std::fs::metadata(data).map_or(0, |found| found.uid());
    if !geteuid().is_root() || owner == 0 {
        return Ok(());
    }
    let data = data.display();
    Err(match name(owner) {
        Some(name) => format!(
            "the data folder {data} belongs to {name}, who could not read what root makes there. Run this as \
             {name}: {}",
            in_shell("mellow ...", &name, name == SERVICE_USER && Path::new(SERVICE_FOLDER).exists())
        ),
        None => format!(
            "the data folder {data} belongs to the user with the number {owner}, who could not read what root makes \
             there. Run this as that user."
        ),
    })
}

/// Returns a command as the host types it. If this process is the service of the machine, the host is root.
#[must_use]
pub fn as_typed(command: &str) -> String {
    let user = geteuid();
    let is_service = std::env::current_dir().is_ok_and(|folder| folder == Path::new(SERVICE_FOLDER));
    match name(user.as_raw()).filter(|_| is_service && !user.is_root()) {
        Some(name) => in_shell(command, &name, true),
        None => command.to_owned(),
    }
}

/// Returns the line by which root runs a command as a user. The parentheses keep the folder of root's shell.
fn in_shell(command: &str, user: &str, is_service: bool) -> String {
    let line = format!("runuser -u {user} -- {command}");
    if is_service { format!("(cd {SERVICE_FOLDER} && {line})") } else { line }
}

/// Returns the name of a user; None if `/etc/passwd` has none.
fn name(number: u32) -> Option<String> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse::<u32>() == Ok(number)).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_runs_a_command_of_the_service_as_its_user_and_in_its_folder() {
        assert_eq!(
            in_shell("mellow check", "mellow", true),
            "(cd /etc/mellow && runuser -u mellow -- mellow check)"
        );
        assert_eq!(in_shell("mellow check", "ana", false), "runuser -u ana -- mellow check");
    }

    #[test]
    fn a_user_has_the_name_of_the_list_of_users() {
        assert_eq!(name(0).as_deref(), Some("root"));
        assert_eq!(name(u32::MAX), None);
    }
}
