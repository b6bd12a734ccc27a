//! The events that a worker writes in one turn. Their bytes are joined once for all connections that receive the same
//! events.
//!
//! The events that a connection receives form a path in a tree. Each node adds one event to the path of its parent.
//! Connections with the same events share a node.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use rustc_hash::FxHashMap;

use crate::events::PublishedEvent;

/// A path of events; [`Path::EMPTY`] has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Path(u32);

impl Path {
    pub(super) const EMPTY: Self = Self(0);
}

struct Node {
    before: Path,
    event: u32,
    /// The number of events of the path.
    count: u32,
    /// The frames of the path, joined when they are first written to a connection.
    bytes: Option<Bytes>,
}

/// The events that are written in one turn.
#[derive(Default)]
pub(super) struct Batch {
    events: Vec<Arc<PublishedEvent>>,
    nodes: Vec<Node>,
    next: FxHashMap<(Path, u32), Path>,
    /// The step that was taken last. Most connections take the same step.
    last: Option<(Path, Path)>,
    /// The number of connections that receive the current event.
    steps: u64,
}

impl Batch {
    /// Begins another event, which becomes the current one.
    pub(super) fn begin(&mut self, event: Arc<PublishedEvent>) {
        self.events.push(event);
        self.last = None;
        self.steps = 0;
    }

    /// Returns the path that adds the current event to `from`.
    pub(super) fn step(&mut self, from: Path) -> Path {
        self.steps += 1;
        if let Some((before, after)) = self.last
            && before == from
        {
            return after;
        }
        let event = u32::try_from(self.events.len()).unwrap_or(u32::MAX);
        let nodes = &mut self.nodes;
        let to = *self.next.entry((from, event)).or_insert_with(|| {
            let count = match from {
                Path::EMPTY => 1,
                Path(number) => nodes[number as usize - 1].count + 1,
            };
            nodes.push(Node { before: from, event, count, bytes: None });
            Path(u32::try_from(nodes.len()).unwrap_or(u32::MAX))
        });
        self.last = Some((from, to));
        to
    }

    /// Returns how many connections receive the current event.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns the joined frames of a path, and their number; None for an empty path.
    pub(super) fn bytes(&mut self, path: Path) -> Option<(&Bytes, usize)> {
        let place = (path.0 as usize).checked_sub(1).filter(|place| *place < self.nodes.len())?;
        if self.nodes[place].bytes.is_none() {
            self.nodes[place].bytes = Some(self.join(path));
        }
        let node = &self.nodes[place];
        Some((node.bytes.as_ref()?, node.count as usize))
    }

    fn join(&self, path: Path) -> Bytes {
        let mut frames = Vec::new();
        let mut at = path;
        while at != Path::EMPTY {
            let node = &self.nodes[at.0 as usize - 1];
            frames.push(&self.events[node.event as usize - 1].frame);
            at = node.before;
        }
        if let [frame] = frames[..] {
            return frame.clone();
        }
        let mut joined = BytesMut::with_capacity(frames.iter().map(|frame| frame.len()).sum());
        frames.iter().rev().for_each(|frame| joined.extend_from_slice(frame));
        joined.freeze()
    }

    /// Removes everything. No connection may have a path any more.
    pub(super) fn clear(&mut self) {
        self.events.clear();
        self.nodes.clear();
        self.next.clear();
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{Effects, Recipients};
    use crate::ids::Seq;

    fn event(frame: &'static [u8]) -> Arc<PublishedEvent> {
        let (frame, recipients, effects) = (Bytes::from_static(frame), Recipients::None, Effects::default());
        Arc::new(PublishedEvent { seq: Seq(1), at_ms: 0, kind: 0, frame, recipients, effects })
    }

    #[test]
    fn connections_with_the_same_events_share_their_bytes() {
        let mut batch = Batch::default();
        let mut paths = [Path::EMPTY; 4];
        // Ana and Ben receive all three events, Cleo the first and the last, Dan the second.
        for (frame, getters) in
            [(&b"one "[..], &[0, 1, 2][..]), (b"two ", &[0, 3, 1]), (b"three", &[2, 1, 0])]
        {
            batch.begin(event(frame));
            for getter in getters {
                paths[*getter] = batch.step(paths[*getter]);
            }
        }
        let [ana, ben, cleo, dan] = paths.map(|path| {
            let (bytes, count) = batch.bytes(path).unwrap();
            (bytes.clone(), count)
        });
        assert_eq!(ana, (Bytes::from_static(b"one two three"), 3));
        assert_eq!(ana.0.as_ptr(), ben.0.as_ptr(), "joined once");
        assert_eq!(cleo, (Bytes::from_static(b"one three"), 2));
        assert_eq!(dan, (Bytes::from_static(b"two "), 1));
    }

    #[test]
    fn a_single_frame_is_not_copied() {
        let mut batch = Batch::default();
        let alone = event(b"alone");
        batch.begin(alone.clone());
        let path = batch.step(Path::EMPTY);
        assert_eq!(batch.bytes(path).unwrap().0.as_ptr(), alone.frame.as_ptr());
        assert_eq!(batch.bytes(Path::EMPTY), None);
        batch.clear();
        assert_eq!(batch.bytes(path), None);
    }
}
