//! Writes what comes with a packed Mellow and is made from its own definitions: the man pages, the completions of
//! shells, and `mellow.toml` with every setting. `cargo run --example manual -- FOLDER` is called by `scripts/dist`.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap_complete::aot::{Shell, generate_to};
use clap_mangen::roff::{Roff, bold, italic, roman};
use mellow::{cli, settings};

/// The data folder of a Mellow that a package installed. Commands find it in `mellow.toml`.
const DATA: &str = "/var/lib/mellow";
/// The settings that come first in `mellow.toml`, because most hosts set them.
const OFTEN_SET: [&str; 5] = ["public_url", "signup", "site_timezone", "smtp_url", "smtp_from"];
/// A setting: its name, default and help.
type Row = (&'static str, String, &'static str);
/// What a package installs, for the man pages.
const FILES: [(&str, &str); 4] = [
    ("/etc/mellow/mellow.toml", "The settings. A command reads them if it is run in this folder."),
    (DATA, "The data: database, pictures, mails, backups. It belongs to the user mellow."),
    ("/usr/share/doc/mellow/operations.md", "The manual for hosts: https, mail, backups, upgrades, faults."),
    ("/usr/share/doc/mellow/examples/", "Files for Caddy, nginx, fronts and their broker, and for Grafana."),
];

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: cargo run --example manual -- FOLDER");
        return ExitCode::from(2);
    };
    match write(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{}: {why}", Path::new(&folder).display());
            ExitCode::FAILURE
        }
    }
}

/// Writes `man/`, `completions/` and `mellow.toml` into a folder.
///
/// # Errors
/// The folder cannot be written.
pub fn write(folder: &Path) -> io::Result<()> {
    let (pages, completions) = (folder.join("man"), folder.join("completions"));
    fs::create_dir_all(&pages)?;
    fs::create_dir_all(&completions)?;
    clap_mangen::generate_to(cli::command(), &pages)?;
    for page in ["mellow.1", "mellow-serve.1"] {
        fs::OpenOptions::new().append(true).open(pages.join(page))?.write_all(end_of_page().as_bytes())?;
    }
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        generate_to(shell, &mut cli::command(), "mellow", &completions)?;
    }
    fs::write(folder.join("mellow.toml"), settings_file())
}

/// Returns the sections of a man page about a Mellow that a package installed.
fn end_of_page() -> String {
    let mut end = Roff::new();
    end.control("SH", ["FILES"]);
    for (path, what) in FILES {
        end.control("TP", []).text([italic(path)]).text([roman(what)]);
    }
    end.control("SH", ["EXAMPLE"]);
    end.text([roman("Root runs a command as the user of the service, in the folder of its settings:")]);
    end.control("PP", []).text([bold("(cd /etc/mellow && runuser -u mellow -- mellow check)")]);
    end.to_roff()
}

/// Returns a `mellow.toml` in which every setting but the data folder is a comment with its default.
fn settings_file() -> String {
    let head = "# The settings of Mellow. Each line that begins with # is a comment; a setting in a comment has its\n\
                # default. After a change: systemctl restart mellow\n\
                #\n\
                # This file may hold the password of a mail server, so only root and the user mellow can read it.\n";
    let table = settings::table();
    let (often, others): (Vec<_>, Vec<_>) = table.iter().partition(|(name, _, _)| OFTEN_SET.contains(name));
    let lines = |settings: Vec<&Row>| settings.into_iter().map(in_file).collect::<String>();
    let (often, others) = (lines(often), lines(others));
    format!("{head}\n# ---- What most hosts set ----\n{often}\n# ---- Everything else ----\n{others}")
}

/// Returns the lines of a setting: its help, and its name with its default.
fn in_file((name, default, help): &Row) -> String {
    match *name {
        "data" => format!("\n# {help}\ndata = \"{DATA}\"\n"),
        name => format!("\n# {help}\n#{name} = {}\n", in_toml(default)),
    }
}

/// Returns a default as a value of TOML. Defaults are numbers, switches, and texts without special characters.
fn in_toml(default: &str) -> String {
    let is_bare = matches!(default, "true" | "false") || default.parse::<u64>().is_ok();
    if is_bare { default.to_owned() } else { format!("\"{default}\"") }
}
