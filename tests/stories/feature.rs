//! What one feature adds to the tests of all features.

use crate::FEATURES;
use crate::access::rows::Row;

/// An event, and its recipients besides the user who caused it.
pub type Recipients = (&'static str, &'static [&'static str]);

/// What a feature lets each viewer do and receive.
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
    /// Events of the items of a group.
    pub in_group: &'static [Recipients],
}

pub const NONE: Feature =
    Feature { rows: &[], of_group: &[], of_left: &[], for_admins: &[], delivered: &[], in_group: &[] };

/// Returns the rows of one table, of all features.
pub fn all<T: Copy + 'static>(table: impl Fn(&Feature) -> &'static [T]) -> Vec<T> {
    FEATURES.iter().flat_map(|feature| table(feature)).copied().collect()
}
