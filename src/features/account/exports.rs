//! Tickets for archives. A user fetches an archive once, with a ticket that expires soon.
//!
//! An archive is made while it is fetched and never stored, so only tickets are kept.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::error::{Error, Refusal};
use crate::ids::UserId;
use crate::limits::{EXPORT_TICKET_LIFE_MS, EXPORTS_OPEN_MAX, TICKETS_MAX};
use crate::random::{hex, random};

/// The tickets, and the archives that are being fetched.
#[derive(Default)]
pub struct ExportService {
    /// One ticket for each user. A new ticket replaces the old one.
    tickets: Mutex<HashMap<UserId, Ticket>>,
    /// The users whose archives are being fetched.
    open: Mutex<HashSet<UserId>>,
}

struct Ticket {
    hash: [u8; 32],
    until_ms: i64,
}

/// The permission to fetch one archive. Dropping it frees its place.
pub struct ExportPermit {
    exports: Arc<ExportService>,
    user_id: UserId,
}

impl Drop for ExportPermit {
    fn drop(&mut self) {
        self.exports.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.user_id);
    }
}

impl ExportService {
    /// Makes a ticket for the archive of a user.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if there are too many tickets.
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

    /// Uses the ticket of a user, once. Returns None if it is unknown or has expired.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if too many archives are being fetched, or already one of this user. The ticket then stays
    /// valid.
    pub fn take(
        self: &Arc<Self>,
        user_id: UserId,
        ticket: &str,
        now_ms: i64,
    ) -> Result<Option<ExportPermit>, Refusal> {
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
        Ok(is_alive.then(|| ExportPermit { exports: self.clone(), user_id }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANA: UserId = UserId(1);
    const BEN: UserId = UserId(2);

    #[test]
    fn a_ticket_works_for_its_user_once_and_not_after_ten_minutes() {
        let exports = Arc::new(ExportService::default());
        let ticket = exports.make(ANA, 0).unwrap();
        assert!(exports.take(BEN, &ticket, 1).unwrap().is_none());
        assert!(exports.take(ANA, "another", 1).unwrap().is_none());
        assert!(exports.take(ANA, &ticket, 599_999).unwrap().is_some());
        assert!(exports.take(ANA, &ticket, 599_999).unwrap().is_none());

        let late = exports.make(ANA, 0).unwrap();
        assert!(exports.take(ANA, &late, 600_000).unwrap().is_none());
    }

    #[test]
    fn a_newer_ticket_replaces_the_older_one() {
        let exports = Arc::new(ExportService::default());
        let [first, second] = [(); 2].map(|()| exports.make(ANA, 0).unwrap());
        assert!(exports.take(ANA, &first, 1).unwrap().is_none());
        assert!(exports.take(ANA, &second, 1).unwrap().is_some());
    }

    #[test]
    fn a_ticket_stays_valid_while_too_many_archives_are_fetched() {
        let exports = Arc::new(ExportService::default());
        let ticket_of = |user_id| exports.make(user_id, 0).unwrap();
        let first = exports.take(ANA, &ticket_of(ANA), 1).unwrap();
        let again = ticket_of(ANA);
        assert!(matches!(exports.take(ANA, &again, 1), Err(Refusal::Busy)));
        drop(first);
        let mut under_way = vec![exports.take(ANA, &again, 1).unwrap()];
        for id in 10..9 + i64::try_from(EXPORTS_OPEN_MAX).unwrap() {
            under_way.push(exports.take(UserId(id), &ticket_of(UserId(id)), 1).unwrap());
        }
        assert!(under_way.iter().all(Option::is_some));
        let bens = ticket_of(BEN);
        assert!(matches!(exports.take(BEN, &bens, 1), Err(Refusal::Busy)));
        under_way.clear();
        assert!(exports.take(BEN, &bens, 1).unwrap().is_some());
    }
}
