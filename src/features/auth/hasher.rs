//! Password hashing: one thread with preallocated memory and a short queue.
//!
//! A hash costs 20 ms and 19 MiB. On a small host, two at a time would starve everyone who is signed in. Hashes
//! therefore run one after the other, and a request that finds the queue full is refused as busy. Strangers, and each
//! network of theirs, have a share of the queue, so that a flood of wrong passwords leaves places to others (S5).

use argon2::{Algorithm, Argon2, Block, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD as BASE64;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

use crate::error::{Error, Refusal};
use crate::limits::{
    HASHES_WAITING_MAX, PASSWORD_PASSES, STRANGERS_WAITING_MAX, STRANGERS_WAITING_PER_NETWORK_MAX,
};
use crate::random::random;
use crate::rate_limit::wide_network;

const SALT_BYTES: usize = 16;
const HASH_BYTES: usize = 32;

enum Job {
    Hash { password: String, salt: [u8; SALT_BYTES], done: oneshot::Sender<Option<String>> },
    Verify { password: String, hash: String, done: oneshot::Sender<bool> },
}

/// The way to the hashing thread.
#[derive(Clone)]
pub struct Hasher {
    jobs: SyncSender<Job>,
}

impl Hasher {
    /// Starts the thread. `memory_kib` is the memory of new hashes.
    ///
    /// # Errors
    /// A sentence for the host.
    pub fn start(memory_kib: u64) -> Result<Self, String> {
        let memory = u32::try_from(memory_kib).map_err(|_| "password_memory_kib is too large")?;
        let params = Params::new(memory, PASSWORD_PASSES, 1, Some(HASH_BYTES))
            .map_err(|why| format!("password_memory_kib = {memory_kib}: {why}"))?;
        let (jobs, inbox) = sync_channel(HASHES_WAITING_MAX);
        std::thread::Builder::new()
            .name("mellow-hasher".into())
            .spawn(move || work(&inbox, &params))
            .map_err(|why| format!("cannot start the hashing thread: {why}"))?;
        Ok(Self { jobs })
    }

    /// Hashes a new password; returns it in PHC form.
    ///
    /// # Errors
    /// [`Refusal::Busy`] when too many wait.
    pub async fn hash(&self, password: String) -> Result<String, Error> {
        let (done, answer) = oneshot::channel();
        let salt = random()?;
        self.jobs.try_send(Job::Hash { password, salt, done }).map_err(|_| Refusal::Busy)?;
        answer.await.ok().flatten().ok_or(Error::Broken("a password could not be hashed"))
    }

    /// Returns whether a password matches a hash.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if too many requests wait.
    pub async fn verify(&self, password: String, hash: String) -> Result<bool, Error> {
        let (done, answer) = oneshot::channel();
        self.jobs.try_send(Job::Verify { password, hash, done }).map_err(|_| Refusal::Busy)?;
        answer.await.map_err(|_| Error::Broken("the hashing thread is gone"))
    }
}

/// How many strangers of each network wait.
#[derive(Clone, Default)]
pub struct Strangers(Arc<Mutex<HashMap<IpAddr, usize>>>);

impl Strangers {
    /// Takes a place in the queue for a stranger.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if too many strangers wait, of this network or in all.
    pub fn take(&self, address: IpAddr) -> Result<Place, Refusal> {
        let network = wide_network(address).unwrap_or(address);
        let mut waiting = self.lock();
        let of_network = waiting.get(&network).copied().unwrap_or(0);
        let is_full = waiting.values().sum::<usize>() >= STRANGERS_WAITING_MAX;
        if is_full || of_network >= STRANGERS_WAITING_PER_NETWORK_MAX {
            return Err(Refusal::Busy);
        }
        waiting.insert(network, of_network + 1);
        Ok(Place { strangers: self.clone(), network })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stranger's place in the queue.
pub struct Place {
    strangers: Strangers,
    network: IpAddr,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut waiting = self.strangers.lock();
        match waiting.get_mut(&self.network) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(waiting.remove(&self.network)),
        }
    }
}

fn work(inbox: &Receiver<Job>, params: &Params) {
    let mut memory = vec![Block::default(); params.block_count()];
    while let Ok(job) = inbox.recv() {
        // The request may be gone. Then no result is needed.
        match job {
            Job::Hash { password, salt, done } if !done.is_closed() => {
                let hash = derive(&password, &salt, params, &mut memory).map(|hash| {
                    format!(
                        "$argon2id$v=19$m={},t={},p={}${}${}",
                        params.m_cost(),
                        params.t_cost(),
                        params.p_cost(),
                        BASE64.encode(salt),
                        BASE64.encode(hash)
                    )
                });
                let _ = done.send(hash);
            }
            Job::Verify { password, hash, done } if !done.is_closed() => {
                let _ = done.send(matches(&password, &hash, &mut memory).unwrap_or(false));
            }
            Job::Hash { .. } | Job::Verify { .. } => {}
        }
    }
}

fn derive(password: &str, salt: &[u8], params: &Params, memory: &mut Vec<Block>) -> Option<[u8; HASH_BYTES]> {
    if memory.len() < params.block_count() {
        memory.resize(params.block_count(), Block::default());
    }
    let mut hash = [0; HASH_BYTES];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone())
        .hash_password_into_with_memory(password.as_bytes(), salt, &mut hash, memory.as_mut_slice())
        .ok()?;
    Some(hash)
}

fn matches(password: &str, phc: &str, memory: &mut Vec<Block>) -> Option<bool> {
    let mut parts = phc.strip_prefix("$argon2id$v=19$")?.split('$');
    let (costs, salt, hash) = (parts.next()?, parts.next()?, parts.next()?);
    let mut cost = costs.split(',').filter_map(|part| part.split_once('=')?.1.parse::<u32>().ok());
    let params = Params::new(cost.next()?, cost.next()?, cost.next()?, Some(HASH_BYTES)).ok()?;
    let (salt, expected) = (BASE64.decode(salt).ok()?, BASE64.decode(hash).ok()?);
    let found = derive(password, &salt, &params, memory)?;
    // The comparison takes the same time however many bytes match.
    let difference = found.iter().zip(&expected).fold(0, |all, (a, b)| all | (a ^ b));
    Some(difference == 0 && expected.len() == HASH_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s5_a_network_takes_a_share_of_the_places_of_strangers_and_strangers_take_not_all() {
        let strangers = Strangers::default();
        let address = |number: u8| IpAddr::from([10, 0, 0, number]);
        let take = |number: u8| strangers.take(address(number));
        let mut places: Vec<Place> =
            (0..STRANGERS_WAITING_PER_NETWORK_MAX).map(|_| take(1).unwrap()).collect();
        assert_eq!(take(1).err(), Some(Refusal::Busy));
        assert!(take(2).is_ok(), "others sign in");
        places.pop();
        places.push(take(1).unwrap());
        for number in 2..u8::MAX {
            places.extend(take(number));
        }
        assert_eq!(places.len(), STRANGERS_WAITING_MAX);
        assert!(places.len() < HASHES_WAITING_MAX);
        // Networks of 64 bits in one of 48 bits count together.
        places.clear();
        let wide = |number: u16| strangers.take(IpAddr::from([0x2001, 0xdb8, 7, number, 0, 0, 0, 0]));
        places.extend((0..100).flat_map(wide));
        assert_eq!(places.len(), STRANGERS_WAITING_PER_NETWORK_MAX);
    }

    #[test]
    fn a_password_is_known_again_and_another_is_not() {
        let params = Params::new(64, 1, 1, Some(HASH_BYTES)).unwrap();
        let mut memory = vec![Block::default(); params.block_count()];
        let hash = derive("kettle on!", &[7; SALT_BYTES], &params, &mut memory).unwrap();
        let phc =
            format!("$argon2id$v=19$m=64,t=1,p=1${}${}", BASE64.encode([7; SALT_BYTES]), BASE64.encode(hash));
        assert_eq!(matches("kettle on!", &phc, &mut memory), Some(true));
        assert_eq!(matches("kettle off", &phc, &mut memory), Some(false));
        assert_eq!(matches("kettle on!", "$broken", &mut memory), None);
    }
}
