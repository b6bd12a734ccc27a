//! A set of sockets, with one bit for each socket.

/// A set of socket numbers.
#[derive(Clone, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// Makes an empty set. Its sockets have numbers below `len`.
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

    /// Returns the limit of the socket numbers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Adds a socket.
    pub fn insert(&mut self, socket: usize) {
        self.words[socket / 64] |= 1 << (socket % 64);
    }

    /// Removes a socket.
    pub fn remove(&mut self, socket: usize) {
        self.words[socket / 64] &= !(1 << (socket % 64));
    }

    /// Returns whether a socket is in the set.
    #[must_use]
    pub fn has(&self, socket: usize) -> bool {
        self.words[socket / 64] & 1 << (socket % 64) != 0
    }

    /// Returns the number of sockets in the set.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns the sockets in the set, in ascending order.
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
    fn a_set_holds_the_sockets_that_were_added() {
        let mut bits = Bits::of(200, [3, 64, 199]);
        bits.insert(100);
        bits.remove(64);
        assert_eq!(bits.iter().collect::<Vec<_>>(), [3, 100, 199]);
        assert!((bits.has(100), bits.has(64), bits.count(), bits.is_empty()) == (true, false, 3, false));
    }
}
