//! The people of a run, their follows, and the posts, polls and groups that exist before the run. Pure: the same seed
//! gives the same people.

use crate::random;

/// The behaviour of a user in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Stays connected.
    Idle,
    /// Reads the feed and opens threads.
    Reader,
    Voter,
    Commenter,
    Poster,
    /// Creates polls and votes in them.
    Poller,
    /// Shares a mood once.
    Mood,
    /// Owns a group, shares posts with it, and adds and removes members.
    Group,
    /// Disconnects for a long time, and reconnects.
    Sleeper,
    /// Reads nothing from its socket for a time.
    Stalled,
    /// Loses its connection every few seconds.
    Churn,
}

impl Role {
    /// All roles, in the order of the numbers of their people.
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

    /// Returns the flag of the command for this role.
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

    /// Returns whether others follow people of this role. Their actions cause events for their followers.
    fn is_followed(self) -> bool {
        matches!(self, Self::Poster | Self::Poller | Self::Mood | Self::Group)
    }

    /// Returns whether people of this role have actions.
    pub(crate) fn acts(self) -> bool {
        self.is_followed() || matches!(self, Self::Reader | Self::Voter | Self::Commenter)
    }

    /// Returns whether people of this role have a feed on their screen.
    #[must_use]
    pub fn shows_feed(self) -> bool {
        !matches!(self, Self::Idle | Self::Poller | Self::Mood | Self::Group)
    }
}

/// The size of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Size {
    /// The number of people of each role, in the order of [`Role::ALL`].
    pub people: [usize; Role::ALL.len()],
    /// The most follows of each user.
    pub follows: usize,
    pub seconds: u64,
    /// The actions of all people together, per second.
    pub rate: f64,
    pub seed: u64,
}

/// A group: its owner, and the other members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub owner: usize,
    pub members: Vec<usize>,
}

/// The people by their numbers, and the content before the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Community {
    pub roles: Vec<Role>,
    /// The people whom each user follows, sorted.
    pub following: Vec<Vec<usize>>,
    /// The followers of each user, sorted.
    pub followers: Vec<Vec<usize>>,
    /// The authors of the posts that have comments and votes.
    pub threads: Vec<usize>,
    /// The creators of the polls that are voted in.
    pub polls: Vec<usize>,
    pub groups: Vec<Group>,
}

/// The ids of the people, posts, polls and groups of a plan.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    pub users: Vec<u64>,
    pub threads: Vec<u64>,
    pub polls: Vec<u64>,
    pub groups: Vec<u64>,
    /// The cookie of each user, as a browser sends it.
    pub cookies: Vec<String>,
}

/// The most posts that have comments and votes. All of them fit on the first page of a feed.
const THREADS_MAX: usize = 24;
/// The most members of a group in addition to its owner.
const MEMBERS: usize = 8;
/// The number of options of each poll.
pub const OPTIONS: usize = 3;

/// Returns the text of an option of a poll.
#[must_use]
pub fn option_text(position: usize) -> &'static str {
    ["Tea", "A walk", "The phone"][position % OPTIONS]
}

impl Community {
    /// Makes the people of a run.
    #[must_use]
    pub fn new(size: &Size) -> Self {
        let mut random = random(size.seed, 1);
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
            // People who vote in polls follow some people who create polls.
            let near: &[usize] = if *role == Role::Poller { &pollers } else { &[] };
            for (from, most) in [(near, size.follows / 2), (&followed[..], size.follows)] {
                for _ in 0..2 * most {
                    let other = random.choice(from).copied();
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
                let member = random.choice(near).copied();
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

    /// Returns the number of people.
    #[must_use]
    pub fn len(&self) -> usize {
        self.roles.len()
    }

    /// Returns whether there are no people.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.roles.is_empty()
    }
}
