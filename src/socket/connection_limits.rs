//! Connection limits: how many sockets may be open in all, of one login and from one address.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::ids::LoginId;
use crate::limits::WIDE_NETWORK_FACTOR;
use crate::rate_limit::wide_network;
use crate::settings::Settings;

/// Counts what is open for each key, such as an address. All workers share it.
pub struct Slots<K: Hash + Eq> {
    /// The limit for each key; 0 = no limit.
    most: u64,
    held: Mutex<HashMap<K, u64>>,
}

/// One slot of a key. Dropping it frees the slot.
pub struct SlotOf<K: Hash + Eq> {
    slots: Arc<Slots<K>>,
    key: K,
}

/// Counts what is open for each network address. An IPv6 network of 48 bits may have [`WIDE_NETWORK_FACTOR`] times as
/// many, because all its 65,536 networks of 64 bits may belong to one person.
pub struct AddressSlots {
    narrow: Arc<Slots<IpAddr>>,
    wide: Arc<Slots<IpAddr>>,
}

/// One slot of a network address.
pub struct AddressSlot {
    _narrow: SlotOf<IpAddr>,
    _wide: Option<SlotOf<IpAddr>>,
}

impl AddressSlots {
    /// Allows `most` slots for each address; 0 = no limit.
    #[must_use]
    pub fn new(most: u64) -> Self {
        Self { narrow: Slots::new(most), wide: Slots::new(most.saturating_mul(WIDE_NETWORK_FACTOR)) }
    }

    /// Takes a slot; None if all are taken.
    pub fn admit(&self, address: IpAddr) -> Option<AddressSlot> {
        let _narrow = self.narrow.admit(address)?;
        let _wide = match wide_network(address) {
            Some(wide) => Some(self.wide.admit(wide)?),
            None => None,
        };
        Some(AddressSlot { _narrow, _wide })
    }
}

impl<K: Hash + Eq + Copy> Slots<K> {
    /// Allows `most` slots for each key; 0 = no limit.
    #[must_use]
    pub fn new(most: u64) -> Arc<Self> {
        Arc::new(Self { most, held: Mutex::default() })
    }

    /// Takes a slot; None if all are taken.
    pub fn admit(self: &Arc<Self>, key: K) -> Option<SlotOf<K>> {
        let mut counts = self.held();
        let held = counts.entry(key).or_insert(0);
        if self.most > 0 && *held >= self.most {
            return None;
        }
        *held += 1;
        Some(SlotOf { slots: self.clone(), key })
    }
}

impl<K: Hash + Eq> Slots<K> {
    fn held(&self) -> MutexGuard<'_, HashMap<K, u64>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Hash + Eq> Drop for SlotOf<K> {
    fn drop(&mut self) {
        let mut counts = self.slots.held();
        if let Some(held) = counts.get_mut(&self.key) {
            *held -= 1;
            if *held == 0 {
                counts.remove(&self.key);
            }
        }
    }
}

/// Counts open sockets. All workers share it.
pub struct ConnectionLimits {
    all: Arc<Slots<()>>,
    addresses: AddressSlots,
    logins: Arc<Slots<LoginId>>,
}

/// The slots of one socket. Dropping it frees them.
pub struct Slot {
    _all: SlotOf<()>,
    _address: AddressSlot,
    login: Option<SlotOf<LoginId>>,
    logins: Arc<Slots<LoginId>>,
}

impl ConnectionLimits {
    /// Allows `sockets_max` sockets in all (0 = no limit), and for each address and login what the settings say.
    #[must_use]
    pub fn new(settings: &Settings, sockets_max: u64) -> Arc<Self> {
        Arc::new(Self {
            all: Slots::new(sockets_max),
            addresses: AddressSlots::new(settings.sockets_per_address),
            logins: Slots::new(settings.sockets_per_login),
        })
    }

    /// Takes the slots of a socket; None if too many are open.
    pub fn admit(&self, address: IpAddr) -> Option<Slot> {
        let (_all, _address) = (self.all.admit(())?, self.addresses.admit(address)?);
        Some(Slot { _all, _address, login: None, logins: self.logins.clone() })
    }

    /// Returns how many sockets are open.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.all.held().get(&()).copied().unwrap_or(0)
    }
}

impl Slot {
    /// Counts the socket for this login and for no other. Returns false if the login has too many sockets.
    pub fn belongs_to(&mut self, login_id: LoginId) -> bool {
        self.login = None;
        self.login = self.logins.admit(login_id);
        self.login.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_limit_and_a_dropped_slot_is_free_again() {
        let slots = AddressSlots::new(2);
        let [ana, ben] = [IpAddr::from([203, 0, 113, 7]), IpAddr::from([203, 0, 113, 8])];
        let first = slots.admit(ana);
        let second = slots.admit(ana);
        assert!(first.is_some() && second.is_some() && slots.admit(ana).is_none());
        assert!(slots.admit(ben).is_some());
        drop(first);
        assert!(slots.admit(ana).is_some());
    }
}
