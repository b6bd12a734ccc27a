//! Password hashing: one thread with preallocated memory and a short queue.
//!
//! A hash costs 20 ms and 19 MiB. On a small host, two at a time would slow down everyone who is signed in, so hashes
//! run one after the other. A request that finds the queue full is refused as busy.
//!
//! Strangers ([`guesses`](super::guesses)) have a part of the queue. Their networks share it: a network with many jobs
//! gives way to one with few. A flood of wrong passwords thus leaves places for others (S5).

use argon2::{Algorithm, Argon2, Block, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD as BASE64;
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;
use unicode_normalization::UnicodeNormalization;

use crate::error::{Error, Refusal};
use crate::limits::{HASHES_WAITING_MAX, PASSWORD_PASSES, STRANGERS_WAITING_MAX};
use crate::random::random;

const SALT_BYTES: usize = 16;
const HASH_BYTES: usize = 32;

enum Job {
    Hash { password: String, salt: [u8; SALT_BYTES], done: oneshot::Sender<Option<String>> },
    Verify { password: String, hash: String, done: oneshot::Sender<bool> },
}

/// A handle to the hashing thread.
#[derive(Clone)]
pub struct Hasher {
    /// The hash of no password, with the settings of new hashes.
    nobody: Arc<str>,
    queue: Arc<Mutex<Queue<Job>>>,
    /// One message for each job in the queue.
    arrived: Sender<()>,
}

impl Hasher {
    /// Starts the thread. `memory_kib` is the memory of new hashes.
    ///
    /// # Errors
    /// A sentence for the host that says why it cannot start.
    pub fn start(memory_kib: u64) -> Result<Self, String> {
        let memory = u32::try_from(memory_kib).map_err(|_| "password_memory_kib is too large")?;
        let params = Params::new(memory, PASSWORD_PASSES, 1, Some(HASH_BYTES))
            .map_err(|why| format!("password_memory_kib = {memory_kib}: {why}"))?;
        let nobody = phc(&params, &[0; SALT_BYTES], &[0; HASH_BYTES]).into();
        let (arrived, arrivals) = channel();
        let queue = Arc::new(Mutex::new(Queue::default()));
        let jobs = queue.clone();
        std::thread::Builder::new()
            .name("mellow-hasher".into())
            .spawn(move || run_jobs(&arrivals, &jobs, &params))
            .map_err(|why| format!("cannot start the hashing thread: {why}"))?;
        Ok(Self { nobody, queue, arrived })
    }

    /// Hashes a new password, in NFC. Returns the hash in PHC form. `stranger` is the network, if a stranger logs in.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if too many jobs wait.
    pub async fn hash(&self, password: String, stranger: Option<IpAddr>) -> Result<String, Error> {
        let (done, result) = oneshot::channel();
        let password = normalised(&password);
        self.submit(stranger, Job::Hash { password, salt: random()?, done })?;
        let hash = result.await.map_err(|_| Refusal::Busy)?;
        hash.ok_or(Error::Broken("a password could not be hashed"))
    }

    /// Returns whether a password matches a hash, as it was typed or in NFC: keyboards differ in how they compose a
    /// letter. That is a second hash at most, and only if the two differ. `stranger` is the network, if a stranger logs
    /// in.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if too many jobs wait, as in [`Hasher::hash`].
    pub async fn verify(
        &self,
        password: String,
        hash: String,
        stranger: Option<IpAddr>,
    ) -> Result<bool, Error> {
        let (done, result) = oneshot::channel();
        self.submit(stranger, Job::Verify { password, hash, done })?;
        // A job that gave way to another is dropped, without a result.
        Ok(result.await.map_err(|_| Refusal::Busy)?)
    }

    /// Does the work of [`Hasher::verify`] for an account that does not exist.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if too many jobs wait, as in [`Hasher::hash`].
    pub async fn verify_nobody(&self, password: String, stranger: Option<IpAddr>) -> Result<(), Error> {
        self.verify(password, self.nobody.as_ref().into(), stranger).await.map(drop)
    }

    fn submit(&self, stranger: Option<IpAddr>, job: Job) -> Result<(), Error> {
        let is_longer = self.queue.lock().unwrap_or_else(PoisonError::into_inner).push(stranger, job)?;
        if is_longer {
            self.arrived.send(()).map_err(|_| Error::Broken("the hashing thread is gone"))?;
        }
        Ok(())
    }
}

/// The waiting jobs in the order of their arrival, each with the network of its stranger.
struct Queue<J>(VecDeque<(Option<IpAddr>, J)>);

impl<J> Default for Queue<J> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<J> Queue<J> {
    /// Adds a job. If the places of strangers are full, the newest job of the network with the most jobs gives way to a
    /// job of a network with fewer. Returns whether one job more waits now.
    fn push(&mut self, stranger: Option<IpAddr>, job: J) -> Result<bool, Refusal> {
        let mut waiting: HashMap<IpAddr, usize> = HashMap::new();
        for network in self.0.iter().filter_map(|(network, _)| *network) {
            *waiting.entry(network).or_default() += 1;
        }
        let has_room = stranger.is_none() || waiting.values().sum::<usize>() < STRANGERS_WAITING_MAX;
        let is_longer = has_room && self.0.len() < HASHES_WAITING_MAX;
        if !is_longer {
            let own = waiting.get(&stranger.ok_or(Refusal::Busy)?).copied().unwrap_or(0);
            let most = waiting.into_iter().max_by_key(|(_, count)| *count);
            let (largest, _) = most.filter(|(_, count)| *count > own + 1).ok_or(Refusal::Busy)?;
            let newest = self.0.iter().rposition(|(network, _)| *network == Some(largest));
            self.0.remove(newest.ok_or(Refusal::Busy)?);
        }
        self.0.push_back((stranger, job));
        Ok(is_longer)
    }
}

fn run_jobs(arrivals: &Receiver<()>, queue: &Mutex<Queue<Job>>, params: &Params) {
    let mut memory = vec![Block::default(); params.block_count()];
    while arrivals.recv().is_ok() {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).0.pop_front();
        let Some((_, job)) = next else { continue };
        // If the request was dropped, no result is needed.
        match job {
            Job::Hash { password, salt, done } if !done.is_closed() => {
                let hash = derive(&password, &salt, params, &mut memory);
                let _ = done.send(hash.map(|hash| phc(params, &salt, &hash)));
            }
            Job::Verify { password, hash, done } if !done.is_closed() => {
                let _ = done.send(is_right(&password, &hash, &mut memory));
            }
            Job::Hash { .. } | Job::Verify { .. } => {}
        }
    }
}

/// Returns a password in NFC, as new ones are hashed.
fn normalised(password: &str) -> String {
    password.nfc().collect()
}

fn is_right(password: &str, hash: &str, memory: &mut Vec<Block>) -> bool {
    let in_nfc = normalised(password);
    [Some(password), Some(in_nfc.as_str()).filter(|in_nfc| *in_nfc != password)]
        .into_iter()
        .flatten()
        .any(|password| matches(password, hash, memory).unwrap_or(false))
}

/// Returns a hash in PHC form.
fn phc(params: &Params, salt: &[u8; SALT_BYTES], hash: &[u8; HASH_BYTES]) -> String {
    let (memory, passes, lanes) = (params.m_cost(), params.t_cost(), params.p_cost());
    let (salt, hash) = (BASE64.encode(salt), BASE64.encode(hash));
    format!("$argon2id$v=19$m={memory},t={passes},p={lanes}${salt}${hash}")
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
    // The comparison takes the same time, however many bytes match.
    let difference = found.iter().zip(&expected).fold(0, |all, (a, b)| all | (a ^ b));
    Some(difference == 0 && expected.len() == HASH_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s5_a_network_with_many_passwords_gives_way_to_one_with_few() {
        let network = |number: u8| Some(IpAddr::from([10, 0, 0, number]));
        let mut queue = Queue::default();
        let counts = |queue: &Queue<usize>| -> Vec<usize> {
            let of = |number| queue.0.iter().filter(|(held, _)| *held == network(number)).count();
            (1..=3).map(of).collect()
        };
        for number in 0..STRANGERS_WAITING_MAX {
            assert_eq!(
                queue.push(network(1), number),
                Ok(true),
                "one network may take all while nobody else comes"
            );
        }
        assert_eq!(queue.push(network(1), 100), Err(Refusal::Busy));
        assert_eq!(queue.push(network(2), 101), Ok(false));
        assert_eq!(counts(&queue), [STRANGERS_WAITING_MAX - 1, 1, 0]);
        assert!(
            !queue.0.iter().any(|(_, number)| *number == STRANGERS_WAITING_MAX - 1),
            "its newest is gone"
        );
        for number in 0..STRANGERS_WAITING_MAX {
            drop(queue.push(network(2), number));
            drop(queue.push(network(3), number));
        }
        assert_eq!(counts(&queue), [STRANGERS_WAITING_MAX / 3; 3]);
        assert_eq!(queue.push(network(1), 102), Err(Refusal::Busy));
        // Jobs of others have the remaining places.
        for number in STRANGERS_WAITING_MAX..HASHES_WAITING_MAX {
            assert_eq!(queue.push(None, number), Ok(true));
        }
        assert_eq!(queue.push(None, 103), Err(Refusal::Busy));
        assert_eq!(queue.0.len(), HASHES_WAITING_MAX);
    }

    #[test]
    fn a_password_is_right_however_its_letters_are_composed() {
        let params = Params::new(64, 1, 1, Some(HASH_BYTES)).unwrap();
        let mut memory = vec![Block::default(); params.block_count()];
        let (in_nfc, in_nfd) = ("mật khẩu của tôi", "mật khẩu của tôi".nfd().collect::<String>());
        let mut hash_of = |password: &str| {
            let hash = derive(password, &[7; SALT_BYTES], &params, &mut memory).unwrap();
            phc(&params, &[7; SALT_BYTES], &hash)
        };
        // New passwords are hashed in NFC.
        let hash = hash_of(&normalised(&in_nfd));
        // An older one may have been hashed as it was typed.
        let older = hash_of(&in_nfd);
        assert!(is_right(in_nfc, &hash, &mut memory) && is_right(&in_nfd, &hash, &mut memory));
        assert!(is_right(&in_nfd, &older, &mut memory));
        for other in ["mat khau cua toi", "Mật khẩu của tôi", ""] {
            assert!(!is_right(other, &hash, &mut memory), "{other}");
        }
    }

    #[test]
    fn a_password_matches_its_own_hash_alone() {
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
