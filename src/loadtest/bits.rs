//! A set of sockets, one bit for each.

/// A set of socket numbers.
#[derive(Clone, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// Makes an empty set of the sockets below `len`.
    #[must_use]
    pub fn new(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len }
    }

    /// Makes a set of these sockets.
    #[must_use]
    pub fn of(len: usize, sockets: impl IntoIterator<Item = usize>) -> Self {
        let mut bits = Self::new(len);
        sockets.into_iter().for_each(|socket| bits.insert(socket));
        bits
    }

    /// Returns how many sockets there may be.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether none is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Adds a socket.
    pub fn insert(&mut self, socket: usize) {
        self.words[socket / 64] |= 1 << (socket % 64);
    }

    /// Takes a socket out.
    pub fn remove(&mut self, socket: usize) {
        self.words[socket / 64] &= !(1 << (socket % 64));
    }

    /// Returns whether a socket is in it.
    #[must_use]
    pub fn has(&self, socket: usize) -> bool {
        self.words[socket / 64] & 1 << (socket % 64) != 0
    }

    /// Returns how many are in it.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns those in it, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(place, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(place * 64 + bit)
            })
        })
    }
}

impl std::fmt::Debug for Bits {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_set().entries(self.iter().take(12)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in() {
        let mut bits = Bits::of(200, [3, 64, 199]);
        bits.insert(100);
        bits.remove(64);
        assert_eq!(bits.iter().collect::<Vec<_>>(), [3, 100, 199]);
        assert!((bits.has(100), bits.has(64), bits.count(), bits.is_empty()) == (true, false, 3, false));
    }
}
