//! Connection limits: how many sockets there may be, in all, of one login and from one address.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::ids::LoginId;
use crate::settings::Settings;

/// Counts open sockets. Shared by all workers.
pub struct ConnectionLimits {
    limits: [u64; 3],
    open: AtomicU64,
    by_address: Mutex<HashMap<IpAddr, u64>>,
    by_login: Mutex<HashMap<LoginId, u64>>,
}

/// One counted socket; dropping it gives its slot back.
pub struct Slot {
    limits: Arc<ConnectionLimits>,
    address: IpAddr,
    login_id: Option<LoginId>,
}

/// Counts, for each network address, how many of one kind are open. Shared by all workers.
pub struct AddressSlots {
    most: u64,
    held: Mutex<HashMap<IpAddr, u64>>,
}

/// One that is counted; dropping it gives it back.
pub struct AddressSlot {
    slots: Arc<AddressSlots>,
    address: IpAddr,
}

impl AddressSlots {
    /// Allows so many for each address; 0 is no limit.
    #[must_use]
    pub fn new(most: u64) -> Arc<Self> {
        Arc::new(Self { most, held: Mutex::default() })
    }

    /// Counts one in; None when there are too many.
    pub fn admit(self: &Arc<Self>, address: IpAddr) -> Option<AddressSlot> {
        count(&self.held, address, self.most).then(|| AddressSlot { slots: self.clone(), address })
    }
}

impl Drop for AddressSlot {
    fn drop(&mut self) {
        uncount(&self.slots.held, &self.address);
    }
}

impl ConnectionLimits {
    /// Allows so many sockets in all, with the host's other limits; 0 is no limit.
    #[must_use]
    pub fn new(settings: &Settings, sockets_max: u64) -> Arc<Self> {
        Arc::new(Self {
            limits: [sockets_max, settings.sockets_per_address, settings.sockets_per_login],
            open: AtomicU64::new(0),
            by_address: Mutex::default(),
            by_login: Mutex::default(),
        })
    }

    /// Counts a socket in; None when there are too many.
    pub fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Slot> {
        let [most, per_address, _] = self.limits;
        if self.open.fetch_add(1, Ordering::Relaxed) >= if most == 0 { u64::MAX } else { most } {
            self.open.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        if !count(&self.by_address, address, per_address) {
            self.open.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some(Slot { limits: self.clone(), address, login_id: None })
    }

    /// Returns how many sockets are open.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.open.load(Ordering::Relaxed)
    }
}

impl Slot {
    /// The socket belongs to a login now; false when that login has too many.
    pub fn belongs_to(&mut self, login_id: LoginId) -> bool {
        self.leave_login();
        let [_, _, per_login] = self.limits.limits;
        let is_in = count(&self.limits.by_login, login_id, per_login);
        if is_in {
            self.login_id = Some(login_id);
        }
        is_in
    }

    fn leave_login(&mut self) {
        if let Some(login_id) = self.login_id.take() {
            uncount(&self.limits.by_login, &login_id);
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.leave_login();
        uncount(&self.limits.by_address, &self.address);
        self.limits.open.fetch_sub(1, Ordering::Relaxed);
    }
}

fn count<K: Hash + Eq>(counts: &Mutex<HashMap<K, u64>>, key: K, most: u64) -> bool {
    let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
    let held = counts.entry(key).or_insert(0);
    let fits = most == 0 || *held < most;
    *held += u64::from(fits);
    fits
}

fn uncount<K: Hash + Eq>(counts: &Mutex<HashMap<K, u64>>, key: &K) {
    let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(held) = counts.get_mut(key) {
        *held -= 1;
        if *held == 0 {
            counts.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_holds_so_many_and_one_that_ended_makes_room() {
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
