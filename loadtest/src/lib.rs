//! `mellow loadtest`: thousands of clients in one process, which check everything that they receive.
//!
//! - [`community`], [`plan`]: the people, and their actions with times, from a seed. Pure.
//! - [`server`]: a server on a database with the people of the plan, which the [`Program`] makes. [`setup`]: the same
//!   people on a server that already runs.
//! - [`net`], [`frames`], [`msgpack`], [`events`]: the bytes, frames and messages of a client, without the codec of the
//!   server.
//! - [`chaos`]: a proxy that cuts, stalls and delays the connections of the clients.
//! - [`clients`], [`messages`], [`requests`], [`screens`]: the clients, all on one thread.
//! - [`check`], [`expected`], [`socket_record`], [`counts`], [`state`]: check what each client receives and shows.
//!   Pure.
//! - [`limits`]: the limits of the server that the checks know.
//! - [`steady`]: checks that the memory, files and database log of a server stay within limits for hours. Pure.
//! - [`run`], [`options`]: a test from the command line to its end.
//! - [`storm`]: all clients reconnect after a restart.
//! - [`report`], [`page`], [`plot`], [`histogram`]: the report.

mod chaos;
pub mod check;
mod clients;
pub mod community;
pub mod counts;
pub mod events;
pub mod expected;
pub mod frames;
mod histogram;
pub mod limits;
mod messages;
pub mod msgpack;
mod net;
pub mod options;
mod page;
mod plan;
mod plot;
mod report;
mod requests;
mod run;
mod screens;
pub mod server;
mod setup;
mod socket_record;
mod state;
mod steady;
mod storm;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use community::{Community, Ids};
use options::Options;

/// The program under test, which contains the load test. The load test knows the protocol of the program, not its code.
pub struct Program {
    pub version: &'static str,
    /// Makes the database of a community in a folder. Returns the ids of its rows.
    pub make_database: fn(&Path, &Community) -> Result<Ids, String>,
    /// Adds one vote for each user who follows the creator of a poll, in such a poll.
    pub add_ballots: fn(&Path, &Community, &Ids) -> Result<(), String>,
}

/// Returns the random numbers of a part of a test. The same seed gives the same numbers.
fn random(seed: u64, part: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(seed ^ part << 32)
}

/// Runs a load test and prints its report. The exit code is 0 only if every check passed.
#[must_use]
pub fn main(options: &Options, program: &Program) -> ExitCode {
    if options.storm {
        return storm(options, program);
    }
    let report = match run::run(options, program) {
        Ok(report) => report,
        Err(why) => return fails(&why),
    };
    // A reader may close the pipe early.
    let _ = std::io::stdout().write_all(report.text().as_bytes());
    let files = [(&options.json, report.json()), (&options.html, report.page())];
    for (path, text) in files.iter().filter_map(|(path, text)| Some((path.as_deref()?, text))) {
        if let Err(why) = write(path, text) {
            return fails(&why);
        }
    }
    if report.is_good() { ExitCode::SUCCESS } else { fails(&report.verdict()) }
}

fn storm(options: &Options, program: &Program) -> ExitCode {
    match storm::run(options, program) {
        Ok(report) => {
            // A reader may close the pipe early.
            let _ = std::io::stdout().write_all(report.text().as_bytes());
            if report.is_good() { ExitCode::SUCCESS } else { fails(&report.verdict()) }
        }
        Err(why) => fails(&why),
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|why| format!("{} was not written: {why}", path.display()))
}

fn fails(why: &str) -> ExitCode {
    eprintln!("mellow: {why}");
    ExitCode::FAILURE
}
