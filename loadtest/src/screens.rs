//! The screens of clients: the requests that load them, and the comparison with a fresh client.

use crate::clients::{Client, Clients, Pending};
use crate::community::Role;
use crate::events::Kind;
use crate::plan::Action;
use crate::requests::{self, Scene};
use crate::state::State;

/// The most clients whose states are compared.
const STATES_MAX: usize = 1_000;
/// A client that shows more posts leaves the oldest ones, like a tab that opens other screens.
const SHOWN_MAX: usize = 120;

/// A part of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Feed,
    Polls,
    Groups,
    Notifications,
}

impl Clients {
    /// Applies an event to the screen of a client whose state is compared.
    pub(crate) fn apply(&mut self, person: usize, kind: Kind, seq: u64, message: &[u8]) {
        let Some(state) = &mut self.clients[person].state else { return };
        state.apply(kind, seq, message);
        if state.lacks_posts(kind, message) {
            self.read(person, Part::Feed);
        }
    }

    /// Returns the threads that a client shows.
    pub(crate) fn threads_of(&self, person: usize) -> Vec<u64> {
        let mut shown = self.checker.shown_by(person);
        shown.retain(|post| self.scene.ids.threads.contains(post));
        shown
    }

    /// Leaves posts if a client shows too many. If its state is compared, it keeps the posts of the feed's first page.
    pub(crate) fn leave_posts(&mut self, person: usize) {
        let client = &mut self.clients[person];
        // The reply to an earlier read could subscribe to these posts again.
        if self.checker.shows_count(person) <= SHOWN_MAX || !client.pending.is_empty() {
            return;
        }
        let page = client.state.as_deref().map(State::page).unwrap_or_default();
        let shown = self.checker.shown_by(person);
        let posts: Vec<u64> =
            shown.into_iter().take(SHOWN_MAX / 2).filter(|post| !page.contains(post)).collect();
        if let Some(state) = &mut client.state {
            state.leave(&posts);
        }
        self.checker.leaves(person, &posts);
        self.ask(person, Pending::Leave(posts.clone()), |id| requests::leave(id, &posts));
    }

    /// Reads posts again that a client shows.
    pub(crate) fn refresh(&mut self, person: usize, posts: &[u64]) {
        if !posts.is_empty() {
            self.ask(person, Pending::Threads(posts.to_vec()), |id| requests::refresh(id, posts));
        }
    }

    /// Reconnects the clients whose state is compared, as fresh clients. Returns their number.
    pub fn begin_anew(&mut self) -> usize {
        let mut count = 0;
        for person in 0..self.clients.len() {
            let Some(state) = self.clients[person].state.take() else { continue };
            let threads = state.known(&self.threads_of(person));
            let me = state.me;
            self.drop_socket(person);
            let client = &mut self.clients[person];
            client.before = Some((state, threads));
            client.state = Some(Box::new(State::of(me)));
            self.come(person);
            count += 1;
        }
        count
    }

    /// Compares the states of these clients with what they read as fresh clients.
    pub fn compare_states(&mut self) {
        for person in 0..self.clients.len() {
            let client = &mut self.clients[person];
            let Some((before, threads)) = client.before.take() else { continue };
            let difference = client.state.as_ref().and_then(|fresh| before.difference(fresh, &threads));
            if let Some(says) = difference {
                self.checker.fault(person, format!("its state is not that of a fresh client: {says}"));
            }
        }
    }
}

/// Returns the parts of the screen of a role.
pub fn parts(role: Role) -> &'static [Part] {
    match role {
        Role::Poster => &[Part::Feed, Part::Notifications],
        Role::Poller => &[Part::Polls],
        Role::Group => &[Part::Groups],
        role if role.shows_feed() => &[Part::Feed, Part::Groups],
        _ => &[],
    }
}

/// Chooses the clients whose state is compared, spread evenly over all with a screen.
pub(crate) fn with_states(mut clients: Vec<Client>, scene: &Scene) -> Vec<Client> {
    let has_screen = |person: &usize| !parts(scene.community.roles[*person]).is_empty();
    let people: Vec<usize> = (0..clients.len()).filter(has_screen).collect();
    for person in people.iter().step_by(people.len().div_ceil(STATES_MAX).max(1)) {
        clients[*person].state = Some(Box::new(State::of(scene.ids.users[*person])));
    }
    clients
}

/// Applies a reply to a state.
pub(crate) fn show(state: &mut State, pending: &Pending, message: &[u8]) {
    match pending {
        Pending::Part(Part::Feed) => state.read_feed(message),
        Pending::Part(Part::Polls) => state.read_polls(message),
        Pending::Part(Part::Groups) => state.read_groups(message),
        Pending::Part(Part::Notifications) => state.read_notifications(message),
        Pending::Threads(_) => state.read_posts(message, false),
        Pending::Action { due, .. } => match due.action {
            Action::ReadFeed => state.read_posts(message, true),
            Action::ReadThread { .. } => state.read_post(message),
            _ => {}
        },
        Pending::Resume | Pending::Leave(_) => {}
    }
}
