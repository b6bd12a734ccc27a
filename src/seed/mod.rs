//! `mellow seed`: fills a data folder.
//!
//! - [`demo`]: a small community with a month of content, to try Mellow with people in it.
//! - [`rows`]: the rows that are written directly into the tables.
//! - [`crowd`]: any number of people and posts, for measuring.
//! - [`loadtest`]: the database of a load test.

mod community;
pub mod crowd;
mod demo;
pub mod loadtest;
pub mod rows;
mod scenes;
mod values;

use std::path::PathBuf;

use crate::db;
use crate::settings::Settings;

/// The people, groups, polls and posts of the demo.
const COMMUNITY: &str = include_str!("community.txt");

/// The error for a folder that has accounts already.
const HAS_ACCOUNTS: &str = "there are accounts here already. Choose another folder with --data.";

/// The content to make.
#[derive(Clone, Debug)]
pub enum Wanted {
    Demo,
    Crowd(crowd::Size),
}

/// Fills the data folder of these settings. The folder must have no accounts. Returns the text to print. `program` is
/// the path of this program, which is started to render pictures. The same `seed` makes the same community.
///
/// # Errors
/// One sentence that says why the folder cannot be filled, for example because it has accounts.
pub async fn fill(settings: Settings, wanted: Wanted, seed: u64, program: PathBuf) -> Result<String, String> {
    // This is checked first, so that a folder with accounts is not changed, and no mail is sent from it.
    if db::has_accounts(&settings.data)? {
        return Err(HAS_ACCOUNTS.into());
    }
    let (email, password) = match wanted {
        Wanted::Demo => demo::fill(settings, seed, program).await?,
        Wanted::Crowd(size) => crowd::fill(&settings, &size, seed).await?,
    };
    Ok(format!("email: {email}\npassword: {password}\n"))
}
