//! The people of a run, whom they follow, and what is there before it. Pure: the same seed gives the same people.

use crate::seeded_random::SeededRandom;

/// What somebody does in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Stays connected.
    Idle,
    /// Reads the feed and opens threads.
    Reader,
    Voter,
    Commenter,
    Poster,
    /// Asks and answers polls.
    Poller,
    /// Shares a mood, once.
    Mood,
    /// Owns a group, shares posts with it, and adds and removes members.
    Group,
    /// Is away for a long while, and comes back.
    Sleeper,
    /// Takes nothing for a while.
    Stalled,
    /// Loses its connection every few seconds.
    Churn,
}

impl Role {
    /// All of them, in the order in which people are numbered.
    pub const ALL: [Self; 11] = [
        Self::Idle,
        Self::Reader,
        Self::Voter,
        Self::Commenter,
        Self::Poster,
        Self::Poller,
        Self::Mood,
        Self::Group,
        Self::Sleeper,
        Self::Stalled,
        Self::Churn,
    ];

    /// Returns its flag.
    #[must_use]
    pub fn flag(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Reader => "readers",
            Self::Voter => "voters",
            Self::Commenter => "commenters",
            Self::Poster => "posters",
            Self::Poller => "pollers",
            Self::Mood => "moods",
            Self::Group => "groups",
            Self::Sleeper => "sleepers",
            Self::Stalled => "stalled",
            Self::Churn => "churn",
        }
    }

    /// Returns whether others follow people of this role, because followers receive what they do.
    fn is_followed(self) -> bool {
        matches!(self, Self::Poster | Self::Poller | Self::Mood | Self::Group)
    }

    /// Returns whether people of this role do something by themselves.
    pub(super) fn acts(self) -> bool {
        self.is_followed() || matches!(self, Self::Reader | Self::Voter | Self::Commenter)
    }

    /// Returns whether people of this role have a feed on their screen.
    #[must_use]
    pub fn shows_feed(self) -> bool {
        !matches!(self, Self::Idle | Self::Poller | Self::Mood | Self::Group)
    }
}

/// How large a run is.
#[derive(Clone, Debug, PartialEq)]
pub struct Size {
    /// People of each role, as in [`Role::ALL`].
    pub people: [usize; Role::ALL.len()],
    /// Whom each person follows, at most.
    pub follows: usize,
    pub seconds: u64,
    /// Actions per second, of all together.
    pub rate: f64,
    pub seed: u64,
}

/// A group: its owner, and the members besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub owner: usize,
    pub members: Vec<usize>,
}

/// The people, by number, and what is there before the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Community {
    pub roles: Vec<Role>,
    /// Whom each person follows, sorted.
    pub following: Vec<Vec<usize>>,
    /// Who follows each person, sorted.
    pub followers: Vec<Vec<usize>>,
    /// The authors of the posts that are commented and voted on.
    pub threads: Vec<usize>,
    /// The creators of the polls that are answered.
    pub polls: Vec<usize>,
    pub groups: Vec<Group>,
}

/// Posts that are commented and voted on, at most: each is on the first page of a feed.
const THREADS_MAX: usize = 24;
/// Members of a group besides its owner, at most.
const MEMBERS: usize = 8;
/// Options of each poll.
pub const OPTIONS: usize = 3;

impl Community {
    /// Makes the people of a run.
    #[must_use]
    pub fn new(size: &Size) -> Self {
        let mut random = SeededRandom::new(size.seed, 1);
        let roles: Vec<Role> = Role::ALL
            .iter()
            .zip(size.people)
            .flat_map(|(role, count)| std::iter::repeat_n(*role, count))
            .collect();
        let of = |wanted: &dyn Fn(Role) -> bool| -> Vec<usize> {
            (0..roles.len()).filter(|person| wanted(roles[*person])).collect()
        };
        let followed = of(&Role::is_followed);
        let pollers = of(&|role| role == Role::Poller);
        let mut following = Vec::with_capacity(roles.len());
        let mut followers = vec![Vec::new(); roles.len()];
        for (person, role) in roles.iter().enumerate() {
            let mut chosen: Vec<usize> = Vec::new();
            // People who answer polls follow some people who ask them.
            let near: &[usize] = if *role == Role::Poller { &pollers } else { &[] };
            for (from, most) in [(near, size.follows / 2), (&followed[..], size.follows)] {
                for _ in 0..2 * most {
                    let other = from.get(random.below(from.len())).copied();
                    let is_new = |other: &usize| *other != person && !chosen.contains(other);
                    if chosen.len() < most
                        && let Some(other) = other.filter(is_new)
                    {
                        chosen.push(other);
                    }
                }
            }
            chosen.sort_unstable();
            for other in &chosen {
                followers[*other].push(person);
            }
            following.push(chosen);
        }
        let posters = of(&|role| role == Role::Poster);
        let authors = if posters.is_empty() && !roles.is_empty() { vec![0] } else { posters };
        let threads = authors.iter().cycle().take((2 * authors.len()).min(THREADS_MAX)).copied().collect();
        let groups = of(&|role| role == Role::Group).into_iter().map(|owner| {
            let mut members: Vec<usize> = Vec::new();
            let near: &Vec<usize> = &followers[owner];
            for _ in 0..4 * MEMBERS {
                let member = near.get(random.below(near.len())).copied();
                if let Some(member) =
                    member.filter(|member| !members.contains(member) && members.len() < MEMBERS)
                {
                    members.push(member);
                }
            }
            Group { owner, members }
        });
        let groups = groups.collect();
        Self { following, threads, polls: pollers, groups, followers, roles }
    }

    /// Returns how many people there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.roles.len()
    }

    /// Returns whether nobody is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.roles.is_empty()
    }
}
