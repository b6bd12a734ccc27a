//! Challenges: what a device signs. The state behind one is kept in memory until the answer comes.
//!
//! Guarantees:
//! - A challenge works once, for five minutes, and only for the user who began it. It is not kept over a restart.
//! - Their number is bounded, in all and for each user. One more ends the oldest, so a flood of them keeps nobody from
//!   beginning.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::error::Error;
use crate::ids::UserId;
use crate::limits::{CHALLENGE_LIFE_MS, CHALLENGES_PER_USER};
use crate::random::{hex, random};

/// The challenges that were not answered, by their id, with the state of each.
pub struct Challenges<S> {
    waiting: Mutex<HashMap<String, Challenge<S>>>,
    /// The most that are kept at a time.
    most: usize,
}

struct Challenge<S> {
    state: S,
    /// None for a guest.
    user_id: Option<UserId>,
    until_ms: i64,
}

impl<S> Challenges<S> {
    /// Makes an empty list for at most this many challenges.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { waiting: Mutex::default(), most }
    }

    /// Keeps the state of a new challenge. Returns its id. The oldest challenge ends if there are too many, and so does
    /// the oldest one of a user who has too many.
    ///
    /// # Errors
    /// A fault.
    pub fn begin(&self, user_id: Option<UserId>, state: S, now_ms: i64) -> Result<String, Error> {
        let id = hex(&random::<16>()?);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(user_id) = user_id {
            let is_own = |challenge: &Challenge<S>| challenge.user_id == Some(user_id);
            if waiting.values().filter(|challenge| is_own(challenge)).count() >= CHALLENGES_PER_USER {
                end_oldest(&mut waiting, is_own);
            }
        }
        if waiting.len() >= self.most {
            end_oldest(&mut waiting, |_| true);
        }
        waiting.insert(id.clone(), Challenge { state, user_id, until_ms: now_ms + CHALLENGE_LIFE_MS });
        Ok(id)
    }

    /// Takes the state of a challenge, which is then over; None if it is over, or was begun by another user.
    pub fn take(&self, user_id: Option<UserId>, id: &str, now_ms: i64) -> Option<S> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.get(id)?.user_id != user_id {
            return None;
        }
        let challenge = waiting.remove(id)?;
        (challenge.until_ms > now_ms).then_some(challenge.state)
    }
}

/// Ends the oldest of the challenges that `is_among` names.
fn end_oldest<S>(waiting: &mut HashMap<String, Challenge<S>>, is_among: impl Fn(&Challenge<S>) -> bool) {
    let among = waiting.iter().filter(|(_, challenge)| is_among(challenge));
    let oldest = among.min_by_key(|(_, challenge)| challenge.until_ms).map(|(id, _)| id.clone());
    if let Some(id) = oldest {
        waiting.remove(&id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::examples::{ANA, BEN};

    #[test]
    fn d_v4_a_challenge_works_once_and_not_after_five_minutes() {
        let challenges = Challenges::new(10);
        let id = challenges.begin(None, "state", 0).unwrap();
        assert_eq!(challenges.take(None, "another", 1), None);
        assert_eq!(challenges.take(None, &id, CHALLENGE_LIFE_MS - 1), Some("state"));
        assert_eq!(challenges.take(None, &id, CHALLENGE_LIFE_MS - 1), None);
        let late = challenges.begin(None, "state", 0).unwrap();
        assert_eq!(challenges.take(None, &late, CHALLENGE_LIFE_MS), None);
    }

    #[test]
    fn a_challenge_is_for_the_user_who_began_it() {
        let challenges = Challenges::new(10);
        let id = challenges.begin(Some(ANA), "state", 0).unwrap();
        for other in [Some(BEN), None] {
            assert_eq!(challenges.take(other, &id, 1), None);
        }
        assert_eq!(challenges.take(Some(ANA), &id, 1), Some("state"), "others did not end it");
    }

    #[test]
    fn a_user_ends_only_challenges_of_their_own() {
        let challenges = Challenges::new(100);
        let bens = challenges.begin(Some(BEN), "his", 0).unwrap();
        let begun: Vec<String> =
            (0..=4).map(|at_ms| challenges.begin(Some(ANA), "hers", at_ms).unwrap()).collect();
        assert_eq!(challenges.take(Some(ANA), &begun[0], 10), None, "the oldest is over");
        for id in &begun[1..] {
            assert_eq!(challenges.take(Some(ANA), id, 10), Some("hers"));
        }
        assert_eq!(challenges.take(Some(BEN), &bens, 10), Some("his"));
    }

    #[test]
    fn beyond_their_number_the_oldest_one_ends_and_nobody_is_kept_from_beginning() {
        let challenges = Challenges::new(2);
        let begun: Vec<String> =
            (0..4).map(|at_ms| challenges.begin(None, "state", at_ms).unwrap()).collect();
        for id in &begun[..2] {
            assert_eq!(challenges.take(None, id, 10), None);
        }
        for id in &begun[2..] {
            assert_eq!(challenges.take(None, id, 10), Some("state"));
        }
    }
}
