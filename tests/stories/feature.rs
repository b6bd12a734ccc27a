//! What one feature adds to the tests of all features.

use futures_util::future::LocalBoxFuture;

use crate::FEATURES;
use crate::access::delivered::Watch;
use crate::access::rows::Row;
use crate::writes::{Sender, Stage};

/// An event, and its recipients besides the user who caused it.
pub type Recipients = (&'static str, &'static [&'static str]);

/// Causes events while others watch.
pub type Act = for<'a> fn(&'a Watch<'a>) -> LocalBoxFuture<'a, ()>;

/// Sends each kind of write of a feature.
pub type Writes = for<'a> fn(&'a Stage<'a>, &'a mut (dyn Sender + 'a)) -> LocalBoxFuture<'a, ()>;

/// What a feature lets each viewer do and receive, and how the tests cause it.
pub struct Feature {
    /// Every request about public items.
    pub rows: &'static [Row],
    /// Every request that names an item of a group: for non-members the item does not exist.
    pub of_group: &'static [Row],
    /// Requests about posts whose author left the group, or whose group was deleted: the author sees only the text.
    pub of_left: &'static [Row],
    /// Every request of admins. To everybody else it is not there.
    pub for_admins: &'static [Row],
    /// Events of public items.
    pub delivered: &'static [Recipients],
    /// Causes the events listed in `delivered`. They are about the post that some tabs show, or about its author.
    pub play: Act,
    /// Causes those events listed in `delivered` that delete or change what `play` of another feature uses. It
    /// therefore runs after `play` of all features.
    pub end: Act,
    /// Events of the items of a group.
    pub in_group: &'static [Recipients],
    /// Causes the events listed in `in_group`.
    pub play_in_group: Act,
    /// Causes those events listed in `in_group` that delete or change what `play_in_group` of another feature uses. It
    /// therefore runs after `play_in_group` of all features.
    pub end_in_group: Act,
    /// Sends each kind of write, unless [`crate::writes::send_all`] does.
    pub writes: Writes,
    /// Requests that write nothing to the database, or whose writes have a story of their own.
    pub reads: &'static [&'static str],
}

pub const NONE: Feature = Feature {
    rows: &[],
    of_group: &[],
    of_left: &[],
    for_admins: &[],
    delivered: &[],
    play: |_| Box::pin(async {}),
    end: |_| Box::pin(async {}),
    in_group: &[],
    play_in_group: |_| Box::pin(async {}),
    end_in_group: |_| Box::pin(async {}),
    writes: |_, _| Box::pin(async {}),
    reads: &[],
};

/// Returns the rows of one table, of all features.
pub fn all<T: Copy + 'static>(table: impl Fn(&Feature) -> &'static [T]) -> Vec<T> {
    FEATURES.iter().flat_map(|feature| table(feature)).copied().collect()
}
