//! What each feature lets viewers ask and receive, in one file for each feature.

pub mod account;
pub mod admin;
pub mod auth;
pub mod comments;
pub mod follows;
pub mod groups;
pub mod invites;
pub mod live;
pub mod moods;
pub mod newcomers;
pub mod notifications;
pub mod people;
pub mod polls;
pub mod posts;
pub mod profiles;
pub mod reports;
pub mod search;
pub mod theme;
pub mod uploads;
pub mod votes;

use crate::rows::Row;

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

const FEATURES: &[&Feature] = &[
    &account::FEATURE,
    &admin::FEATURE,
    &auth::FEATURE,
    &comments::FEATURE,
    &follows::FEATURE,
    &groups::FEATURE,
    &invites::FEATURE,
    &live::FEATURE,
    &moods::FEATURE,
    &newcomers::FEATURE,
    &notifications::FEATURE,
    &people::FEATURE,
    &polls::FEATURE,
    &posts::FEATURE,
    &profiles::FEATURE,
    &reports::FEATURE,
    &search::FEATURE,
    &theme::FEATURE,
    &uploads::FEATURE,
    &votes::FEATURE,
];

/// Returns the rows of one table, of all features.
pub fn all<T: Copy + 'static>(table: impl Fn(&Feature) -> &'static [T]) -> Vec<T> {
    FEATURES.iter().flat_map(|feature| table(feature)).copied().collect()
}
