//! `mellow seed`: fills a data folder.
//!
//! - [`demo`]: a small community with a month of content, to see Mellow with people in it.
//! - [`rows`]: rows that are written into the tables directly.
//! - [`crowd`]: any number of people and posts, for measuring.

mod community;
pub mod crowd;
mod demo;
pub mod rows;
mod scenes;
mod values;

use std::path::PathBuf;

use crate::db;
use crate::settings::Settings;

/// The people of the demo, and what they share.
const COMMUNITY: &str = include_str!("community.txt");

/// The answer where somebody has an account already.
const HAS_ACCOUNTS: &str = "there are accounts here already. Choose another folder with --data.";

/// What a data folder is filled with.
#[derive(Clone, Debug)]
pub enum Wanted {
    Demo,
    Crowd(crowd::Size),
}

/// Fills the data folder of these settings, which nobody may have an account in yet; returns what to print. `program`
/// is this program, which judges pictures in a process of its own. The same `seed` makes the same community.
///
/// # Errors
/// One sentence: there are accounts already, or what is in the way.
pub async fn fill(settings: Settings, wanted: Wanted, seed: u64, program: PathBuf) -> Result<String, String> {
    // Before anything else, so that such a folder stays as it is, and a server on it sends no mail.
    if db::has_accounts(&settings.data)? {
        return Err(HAS_ACCOUNTS.into());
    }
    let (email, password) = match wanted {
        Wanted::Demo => demo::fill(settings, seed, program).await?,
        Wanted::Crowd(size) => crowd::fill(&settings, &size, seed).await?,
    };
    Ok(format!("email: {email}\npassword: {password}\n"))
}
