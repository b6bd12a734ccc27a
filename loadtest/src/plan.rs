//! The plan of a run: all actions and absences of its people, with their times. Pure: the same seed gives the same
//! plan.

use crate::community::{Community, OPTIONS, Role, Size};
use crate::random;

/// The most polls that a user creates in a run. With the poll from before the run, they reach the limit of open polls.
const POLLS_ASKED_MAX: usize = 4;

/// A vote on a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vote {
    None,
    Positive,
    Negative,
}

impl Vote {
    /// Returns the word of the protocol.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Positive => "positive",
            Self::Negative => "negative",
        }
    }
}

/// An action of a user. The numbers of threads, polls and groups are their indexes in [`Community`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    ReadFeed,
    ReadThread {
        thread: usize,
    },
    Post,
    Comment {
        thread: usize,
    },
    /// Sets a vote. `positive` is the change of the number of positive votes.
    Vote {
        thread: usize,
        vote: Vote,
        positive: i8,
    },
    AskPoll,
    VoteInPoll {
        poll: usize,
        option: usize,
    },
    SetMood {
        mood: &'static str,
    },
    PostToGroup {
        group: usize,
    },
    Rename {
        group: usize,
    },
    Remove {
        group: usize,
        member: usize,
    },
    Add {
        group: usize,
        member: usize,
    },
}

/// An action, and the time when it is due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Due {
    /// The time since the run began, in microseconds.
    pub at_us: u64,
    pub person: usize,
    pub action: Action,
    /// The number of the action in the run.
    pub number: u64,
}

const MOODS: [&str; 6] = ["Happy", "Relaxing", "Productive", "Thinking", "Cozy", "Inspired"];

/// The actions of a run, in the order of their times.
pub struct Actions<'w> {
    community: &'w Community,
    random: fastrand::Rng,
    rate: f64,
    end_us: f64,
    at_us: f64,
    number: u64,
    /// The people who act.
    acting: Vec<usize>,
    /// The last vote of each user on each thread.
    votes: std::collections::HashMap<(usize, usize), Vote>,
    /// The numbers of positive and negative votes of each thread.
    counts: Vec<(usize, usize)>,
    voted_in: std::collections::HashSet<(usize, usize)>,
    polls_created: std::collections::HashMap<usize, usize>,
    moods: std::collections::HashSet<usize>,
    /// The user who was removed from each group and may be added again.
    removed: Vec<Option<usize>>,
    members: Vec<Vec<usize>>,
}

impl<'w> Actions<'w> {
    /// Begins the actions of a run.
    #[must_use]
    pub fn new(community: &'w Community, size: &Size) -> Self {
        Self {
            community,
            random: random(size.seed, 2),
            rate: size.rate,
            end_us: size.seconds as f64 * 1e6,
            at_us: 0.0,
            number: 0,
            acting: (0..community.len()).filter(|person| community.roles[*person].acts()).collect(),
            votes: Default::default(),
            counts: vec![(0, 0); community.threads.len()],
            voted_in: Default::default(),
            polls_created: Default::default(),
            moods: Default::default(),
            removed: vec![None; community.groups.len()],
            members: community.groups.iter().map(|group| group.members.clone()).collect(),
        }
    }

    /// Returns the next action of this user; None if no action is left.
    fn action_of(&mut self, person: usize) -> Option<Action> {
        let community = self.community;
        let thread = |random: &mut fastrand::Rng| random.choice(0..community.threads.len());
        match community.roles[person] {
            Role::Reader if self.random.u8(..4) == 0 => Some(Action::ReadFeed),
            Role::Reader => thread(&mut self.random).map(|thread| Action::ReadThread { thread }),
            Role::Commenter => thread(&mut self.random).map(|thread| Action::Comment { thread }),
            Role::Poster => Some(Action::Post),
            Role::Voter => {
                let thread = thread(&mut self.random)?;
                Some(self.vote(person, thread))
            }
            Role::Poller => self.poll(person),
            Role::Mood => {
                let mood = MOODS[self.random.usize(..MOODS.len())];
                self.moods.insert(person).then_some(Action::SetMood { mood })
            }
            Role::Group => {
                let group = community.groups.iter().position(|group| group.owner == person)?;
                Some(self.group(group))
            }
            Role::Idle | Role::Sleeper | Role::Stalled | Role::Churn => None,
        }
    }

    fn vote(&mut self, person: usize, thread: usize) -> Action {
        let before = self.votes.get(&(person, thread)).copied().unwrap_or(Vote::None);
        let (positive, negative) = &mut self.counts[thread];
        match before {
            Vote::Positive => *positive -= 1,
            Vote::Negative => *negative -= 1,
            Vote::None => {}
        }
        // Feeds leave out posts with many negative votes, but the posts of the test must stay in the feeds.
        let vote = match self.random.u8(..8) {
            0 if before != Vote::None && *positive > 4 * *negative => Vote::None,
            1 if *positive > 8 * (*negative + 1) => Vote::Negative,
            _ => Vote::Positive,
        };
        match vote {
            Vote::Positive => *positive += 1,
            Vote::Negative => *negative += 1,
            Vote::None => {}
        }
        self.votes.insert((person, thread), vote);
        let positive = i8::from(vote == Vote::Positive) - i8::from(before == Vote::Positive);
        Action::Vote { thread, vote, positive }
    }

    fn poll(&mut self, person: usize) -> Option<Action> {
        let community = self.community;
        let may = |poll: usize| {
            let creator = community.polls[poll];
            creator == person || community.following[person].binary_search(&creator).is_ok()
        };
        let begin = self.random.choice(0..community.polls.len())?;
        let polls = (0..community.polls.len()).map(|step| (begin + step) % community.polls.len());
        let open = polls.filter(|poll| may(*poll)).find(|poll| !self.voted_in.contains(&(person, *poll)));
        let polls_created = self.polls_created.entry(person).or_default();
        if *polls_created < POLLS_ASKED_MAX && (open.is_none() || self.random.u8(..6) == 0) {
            *polls_created += 1;
            return Some(Action::AskPoll);
        }
        let poll = open?;
        self.voted_in.insert((person, poll));
        Some(Action::VoteInPoll { poll, option: self.random.usize(..OPTIONS) })
    }

    fn group(&mut self, group: usize) -> Action {
        match self.random.u8(..8) {
            0 => Action::Rename { group },
            1 | 2 => match self.removed[group].take() {
                Some(member) => {
                    self.members[group].push(member);
                    Action::Add { group, member }
                }
                None if self.members[group].is_empty() => Action::PostToGroup { group },
                None => {
                    let place = self.random.usize(..self.members[group].len());
                    let member = self.members[group].swap_remove(place);
                    self.removed[group] = Some(member);
                    Action::Remove { group, member }
                }
            },
            _ => Action::PostToGroup { group },
        }
    }
}

impl Iterator for Actions<'_> {
    type Item = Due;

    fn next(&mut self) -> Option<Due> {
        /// The number of attempts to find a user with an action.
        const TRIES: usize = 64;
        if self.acting.is_empty() || self.rate <= 0.0 {
            return None;
        }
        // People act independently of each other, so the times between actions have an exponential distribution.
        self.at_us += -(1.0 - self.random.f64()).ln() / self.rate * 1e6;
        if self.at_us >= self.end_us {
            return None;
        }
        for _ in 0..TRIES {
            let person = *self.random.choice(&self.acting)?;
            if let Some(action) = self.action_of(person) {
                self.number += 1;
                return Some(Due { at_us: self.at_us as u64, person, action, number: self.number });
            }
        }
        None
    }
}

/// The time in which a client is disconnected, or reads nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Absence {
    pub at_us: u64,
    pub person: usize,
    pub for_us: u64,
    /// Whether the connection stays open and nothing is read from it.
    pub is_stalled: bool,
}

/// Returns all absences, in the order in which they begin.
#[must_use]
pub fn absences(community: &Community, size: &Size) -> Vec<Absence> {
    let mut random = random(size.seed, 3);
    let end_us = size.seconds * 1_000_000;
    let mut absences = Vec::new();
    let mut between = |from: u64, to: u64| from + (random.f64() * to.saturating_sub(from) as f64) as u64;
    for (person, role) in community.roles.iter().enumerate() {
        match role {
            Role::Churn => {
                let mut at_us = between(0, 3_000_000.min(end_us));
                while at_us < end_us {
                    let for_us = between(50_000, 1_000_000);
                    absences.push(Absence { at_us, person, for_us, is_stalled: false });
                    at_us += for_us + between(1_000_000, 5_000_000);
                }
            }
            Role::Sleeper | Role::Stalled => {
                let (at_us, for_us) = (between(0, end_us / 3), between(end_us / 3, end_us / 2));
                absences.push(Absence { at_us, person, for_us, is_stalled: *role == Role::Stalled });
            }
            _ => {}
        }
    }
    absences.sort_by_key(|absence| absence.at_us);
    absences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size() -> Size {
        let people = [100, 20, 20, 20, 20, 20, 20, 10, 10, 10, 10];
        Size { people, follows: 12, seconds: 20, rate: 100.0, seed: 7 }
    }

    #[test]
    fn a_plan_depends_only_on_its_seed() {
        let plan = |size: &Size| {
            let community = Community::new(size);
            let actions: Vec<Due> = Actions::new(&community, size).collect();
            let absences = absences(&community, size);
            (community, actions, absences)
        };
        let one = plan(&size());
        assert_eq!(one, plan(&size()));
        let other = plan(&Size { seed: 8, ..size() });
        assert!(one.0 != other.0 && one.1 != other.1 && one.2 != other.2);
    }

    #[test]
    fn actions_are_in_order_and_at_the_given_rate() {
        let (size, community) = (size(), Community::new(&size()));
        let actions: Vec<Due> = Actions::new(&community, &size).collect();
        assert!((1_800..2_200).contains(&actions.len()), "{}", actions.len());
        assert!(actions.is_sorted_by_key(|due| due.at_us));
        assert!(actions.iter().all(|due| due.at_us < 20_000_000));
        assert!(Actions::new(&community, &Size { rate: 0.0, ..size }).next().is_none());
    }

    #[test]
    fn every_action_is_allowed() {
        let (size, community) = (Size { rate: 2_000.0, ..size() }, Community::new(&size()));
        let (mut voted_in, mut moods, mut polls_created) = (Vec::new(), Vec::new(), vec![0; community.len()]);
        let mut members: Vec<Vec<usize>> =
            community.groups.iter().map(|group| group.members.clone()).collect();
        for Due { person, action, .. } in Actions::new(&community, &size) {
            match action {
                Action::VoteInPoll { poll, option } => {
                    let creator = community.polls[poll];
                    assert!(creator == person || community.followers[creator].contains(&person));
                    assert!(option < OPTIONS && !voted_in.contains(&(person, poll)), "one vote, and final");
                    voted_in.push((person, poll));
                }
                Action::SetMood { .. } => {
                    assert!(!moods.contains(&person));
                    moods.push(person);
                }
                Action::AskPoll => {
                    polls_created[person] += 1;
                    assert!(polls_created[person] <= POLLS_ASKED_MAX);
                }
                Action::Remove { group, member } => {
                    assert_eq!(community.groups[group].owner, person);
                    let place = members[group].iter().position(|held| *held == member).unwrap();
                    members[group].remove(place);
                }
                Action::Add { group, member } => {
                    assert_eq!(community.groups[group].owner, person);
                    assert!(
                        !members[group].contains(&member) && community.followers[person].contains(&member)
                    );
                    members[group].push(member);
                }
                _ => {}
            }
        }
        assert!(!voted_in.is_empty() && !moods.is_empty());
    }

    #[test]
    fn the_absences_of_a_user_do_not_overlap() {
        let community = Community::new(&size());
        let absences = absences(&community, &size());
        assert!(absences.iter().filter(|absence| absence.is_stalled).count() == 10);
        for person in 0..community.len() {
            let own: Vec<_> = absences.iter().filter(|absence| absence.person == person).collect();
            assert!(own.windows(2).all(|pair| pair[0].at_us + pair[0].for_us < pair[1].at_us));
        }
    }
}
