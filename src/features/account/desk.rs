//! The desk that hands archives out: a ticket for each, which its person fetches once and soon.
//!
//! An archive is made while it is fetched and lies nowhere, so a ticket is all there is to keep.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::error::{Error, Refusal};
use crate::features::kit::{hex, random};
use crate::ids::UserId;
use crate::limits::{EXPORT_TICKET_LIFE_MS, EXPORTS_OPEN_MAX, TICKETS_MAX};

/// The desk.
#[derive(Default)]
pub struct Desk {
    /// One of each person: a newer one replaces it.
    tickets: Mutex<HashMap<UserId, Ticket>>,
    /// Whose archives are on their way.
    open: Mutex<HashSet<UserId>>,
}

struct Ticket {
    hash: [u8; 32],
    until_ms: i64,
}

/// An archive on its way; dropping it makes room for another.
pub struct Place {
    desk: Arc<Desk>,
    user_id: UserId,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.desk.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.user_id);
    }
}

impl Desk {
    /// Makes a ticket for somebody's archive.
    ///
    /// # Errors
    /// [`Refusal::Busy`] when too many wait.
    pub fn make(&self, user_id: UserId, now_ms: i64) -> Result<String, Error> {
        let ticket = hex(&random::<32>()?);
        let mut tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        if tickets.len() >= TICKETS_MAX {
            tickets.retain(|_, ticket| ticket.until_ms > now_ms);
            if tickets.len() >= TICKETS_MAX {
                return Err(Refusal::Busy.into());
            }
        }
        let hash = Sha256::digest(&ticket).into();
        tickets.insert(user_id, Ticket { hash, until_ms: now_ms + EXPORT_TICKET_LIFE_MS });
        Ok(ticket)
    }

    /// Takes somebody's ticket: once, and only for a while. None for any other.
    ///
    /// # Errors
    /// [`Refusal::Busy`] when too many archives are on their way, or one of this person: then the ticket
    /// stays.
    pub fn take(
        self: &Arc<Self>,
        user_id: UserId,
        ticket: &str,
        now_ms: i64,
    ) -> Result<Option<Place>, Refusal> {
        let mut tickets = self.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        let hash: [u8; 32] = Sha256::digest(ticket).into();
        if tickets.get(&user_id).is_none_or(|held| held.hash != hash) {
            return Ok(None);
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let is_alive = tickets.get(&user_id).is_some_and(|held| held.until_ms > now_ms);
        if is_alive && (open.len() >= EXPORTS_OPEN_MAX || !open.insert(user_id)) {
            return Err(Refusal::Busy);
        }
        tickets.remove(&user_id);
        Ok(is_alive.then(|| Place { desk: self.clone(), user_id }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANA: UserId = UserId(1);
    const BEN: UserId = UserId(2);

    #[test]
    fn a_ticket_is_its_persons_works_once_and_not_after_ten_minutes() {
        let desk = Arc::new(Desk::default());
        let ticket = desk.make(ANA, 0).unwrap();
        assert!(desk.take(BEN, &ticket, 1).unwrap().is_none());
        assert!(desk.take(ANA, "another", 1).unwrap().is_none());
        assert!(desk.take(ANA, &ticket, 599_999).unwrap().is_some());
        assert!(desk.take(ANA, &ticket, 599_999).unwrap().is_none());

        let late = desk.make(ANA, 0).unwrap();
        assert!(desk.take(ANA, &late, 600_000).unwrap().is_none());
    }

    #[test]
    fn a_newer_ticket_replaces_the_one_before() {
        let desk = Arc::new(Desk::default());
        let [first, second] = [(); 2].map(|()| desk.make(ANA, 0).unwrap());
        assert!(desk.take(ANA, &first, 1).unwrap().is_none());
        assert!(desk.take(ANA, &second, 1).unwrap().is_some());
    }

    #[test]
    fn who_has_one_on_its_way_and_who_comes_when_too_many_are_keeps_the_ticket() {
        let desk = Arc::new(Desk::default());
        let ticket_of = |user_id| desk.make(user_id, 0).unwrap();
        let first = desk.take(ANA, &ticket_of(ANA), 1).unwrap();
        let again = ticket_of(ANA);
        assert!(matches!(desk.take(ANA, &again, 1), Err(Refusal::Busy)));
        drop(first);
        let mut under_way = vec![desk.take(ANA, &again, 1).unwrap()];
        for id in 10..9 + i64::try_from(EXPORTS_OPEN_MAX).unwrap() {
            under_way.push(desk.take(UserId(id), &ticket_of(UserId(id)), 1).unwrap());
        }
        assert!(under_way.iter().all(Option::is_some));
        let bens = ticket_of(BEN);
        assert!(matches!(desk.take(BEN, &bens, 1), Err(Refusal::Busy)));
        under_way.clear();
        assert!(desk.take(BEN, &bens, 1).unwrap().is_some());
    }
}
