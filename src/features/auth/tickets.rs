//! Tickets. After a sign-in over the socket, a page exchanges its ticket for a cookie that no script can read.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::error::{Error, Refusal};
use crate::ids::UserId;
use crate::limits::{TICKET_LIFE_MS, TICKETS_MAX};
use crate::random::{hex, random};

/// The tickets that can still be exchanged, by their hash.
#[derive(Default)]
pub struct Tickets {
    waiting: Mutex<HashMap<[u8; 32], Ticket>>,
}

struct Ticket {
    exchanged: Exchanged,
    until_ms: i64,
}

/// What a ticket is exchanged for.
#[derive(Debug, PartialEq, Eq)]
pub struct Exchanged {
    /// The value of the login's cookie.
    pub cookie: String,
    pub user_id: UserId,
}

impl Tickets {
    /// Makes a ticket for the value of a login's cookie.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if there are too many tickets.
    pub fn make(&self, cookie: String, user_id: UserId, now_ms: i64) -> Result<String, Error> {
        let ticket = hex(&random::<32>()?);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() >= TICKETS_MAX {
            waiting.retain(|_, ticket| ticket.until_ms > now_ms);
            if waiting.len() >= TICKETS_MAX {
                return Err(Refusal::Busy.into());
            }
        }
        let until_ms = now_ms + TICKET_LIFE_MS;
        waiting.insert(
            Sha256::digest(&ticket).into(),
            Ticket { exchanged: Exchanged { cookie, user_id }, until_ms },
        );
        Ok(ticket)
    }

    /// Exchanges a ticket. It works once, and only for a short time.
    pub fn take(&self, ticket: &str, now_ms: i64) -> Option<Exchanged> {
        let hash: [u8; 32] = Sha256::digest(ticket).into();
        let ticket = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&hash)?;
        (ticket.until_ms > now_ms).then_some(ticket.exchanged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s12_a_ticket_works_once_and_not_after_thirty_seconds() {
        let tickets = Tickets::default();
        let ticket = tickets.make("cookie".into(), UserId(7), 0).unwrap();
        assert_eq!(tickets.take("another", 1), None);
        let exchanged = Exchanged { cookie: "cookie".into(), user_id: UserId(7) };
        assert_eq!(tickets.take(&ticket, 29_999), Some(exchanged));
        assert_eq!(tickets.take(&ticket, 29_999), None);

        let late = tickets.make("cookie".into(), UserId(7), 0).unwrap();
        assert_eq!(tickets.take(&late, 30_000), None);
    }
}
