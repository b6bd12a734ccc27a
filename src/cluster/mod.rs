//! A cluster: one community beyond one process. Fronts hold sockets, one home owns the data folder, and a broker passes
//! messages between them.
//!
//! The event log of the home is the only history, and SQLite the only truth. The broker stores nothing, and nothing
//! that is acknowledged depends on it. A front is the code of the sockets and of delivery with a copy of the log, and
//! knows no feature and no database.
//!
//! Guarantees:
//! - The copy of a front has each event once and in order, or the front closes its sockets and begins anew ([`copy`]).
//! - Nobody without the key of the cluster reads or makes a message ([`seal`]).
//!
//! Never here: a process without the setting `cluster`. It runs nothing of this module.

pub mod copy;
pub mod follower;
pub mod front;
pub mod fronts;
pub mod home;
pub mod lanes;
pub mod link;
pub mod nats;
pub mod presences;
pub mod publisher;
pub mod remote;
pub mod seal;
pub mod sealed;
pub mod settings;
pub mod wire;

use std::path::Path;
use std::sync::Arc;

use tokio::sync::watch;

use self::link::Broker;
use self::nats::Nats;
use self::seal::Keys;
use self::wire::Subjects;
use crate::settings::Settings;

/// What a process needs to join its cluster.
pub struct Joining {
    pub broker: Broker,
    pub keys: Arc<Keys>,
    pub subjects: Subjects,
}

/// Reads what the settings say about the cluster; None without one. `may_be_away` says whether a start goes on without
/// the broker.
///
/// # Errors
/// One sentence for the host that names the setting and says what is wrong with it.
pub fn joining(settings: &Settings, may_be_away: bool) -> Result<Option<Joining>, String> {
    let Some(brokers) = &settings.cluster.0 else { return Ok(None) };
    let brokers = nats::read_addresses(brokers).ok_or("cluster has no address of a broker")?;
    let file = settings.cluster_key_file.0.as_ref();
    let file = file.ok_or("cluster needs cluster_key_file. Make a key with `mellow cluster-key FILE`.")?;
    let own = read_file("cluster_key_file", file)?;
    let old = settings.cluster_key_file_old.0.as_ref();
    let old = old.map(|file| read_file("cluster_key_file_old", file)).transpose()?;
    let keys = Keys::read(&own, old.as_deref());
    let keys = keys.ok_or("cluster_key_file or cluster_key_file_old has no key: 64 hexadecimal digits")?;
    let seed = settings.cluster_nkey_file.0.as_ref();
    let seed = seed.map(|file| read_file("cluster_nkey_file", file)).transpose()?;
    let seed = seed.map(|seed| seed.trim().to_owned());
    if let Some(ca) = &settings.cluster_ca.0 {
        read_file("cluster_ca", ca)?;
    }
    let broker = Broker::Nats(Nats { brokers, seed, ca: settings.cluster_ca.0.clone(), may_be_away });
    let subjects = Subjects(settings.site.0.as_str().into());
    Ok(Some(Joining { broker, keys: Arc::new(keys), subjects }))
}

fn read_file(setting: &str, file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file)
        .map_err(|why| format!("{setting} = {:?} cannot be read: {why}", file.display().to_string()))
}

/// Waits until a process has to end. Returns why.
async fn why_failed(mut failed: watch::Receiver<Option<String>>) -> String {
    let why = failed.wait_for(Option::is_some).await.ok().and_then(|why| why.clone());
    match why {
        Some(why) => why,
        None => std::future::pending().await,
    }
}

/// Writes a new key into a file that only its owner can read. It does not overwrite a file.
///
/// # Errors
/// One sentence for the host: the file exists, or cannot be written.
pub fn make_key(file: &Path) -> Result<String, String> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let key = seal::new_key().map_err(|why| why.to_string())?;
    let made = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
    made.and_then(|mut made| made.write_all(key.as_bytes()).and_then(|()| made.sync_all()))
        .map_err(|why| format!("no key was written to {}: {why}", file.display()))?;
    Ok(format!("A new key is in {}. Give the home and its fronts the same one.\n", file.display()))
}
