//! `mellow seed --demo`: a community that has existed for a month.
//!
//! Everything is made by ordinary requests, one after the other, while the clock moves from a month ago to now. The
//! demo therefore contains nothing that a request would refuse, and every count is right. This program draws the
//! pictures, which are then uploaded and checked like the pictures of any user.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use serde::Deserialize;

use super::community::{Comment, Community, Group, Person, Poll, Post};
use super::values::Value;
use super::{COMMUNITY, scenes};
use crate::authz::{Device, Viewer};
use crate::clock::Clock;
use crate::error::Error;
use crate::features::context::{App, RequestContext};
use crate::features::{self, Request};
use crate::random::{hex, random};
use crate::reply::Reply;
use crate::seeded_random::SeededRandom;
use crate::settings::Settings;

use crate::ids::{LoginId, UserId};
use crate::server;
use crate::wire::codec;

const DAY_MS: f64 = 24.0 * 3_600_000.0;
/// The time since the first sign-up, in days.
const AGE_DAYS: f64 = 34.0;
/// The longest pause between a post and its first comment, or between two comments, in milliseconds.
const COMMENT_PAUSE_MS: f64 = 50.0 * 60_000.0;
/// The number of people in ten who have a photo.
const PHOTOS_OF_TEN: usize = 7;
/// The number of votes in a thousand that are negative.
const NEGATIVE_OF_THOUSAND: usize = 12;
/// The moods that people share.
const MOODS: [&str; 10] = [
    "Happy",
    "Relaxing",
    "Cozy",
    "Productive",
    "Thinking",
    "Inspired",
    "Hopeful",
    "Quiet",
    "Sleepy",
    "Listening",
];

/// Fills a data folder that has no accounts. Returns the email and the password of the first user.
///
/// # Errors
/// One sentence that says why the folder cannot be filled.
pub async fn fill(mut settings: Settings, seed: u64, program: PathBuf) -> Result<(String, String), String> {
    settings.listen = (Ipv4Addr::LOCALHOST, 0).into();
    let community = Community::parse(COMMUNITY)?;
    let now_ms = Clock::Real.now_ms();
    let clock = Arc::new(AtomicI64::new(now_ms));
    let running = server::start(without_limits(settings), Clock::Manual(clock.clone()), program).await?;
    let app = running.app();
    let random = SeededRandom::new(seed, 0);
    let mut demo = Demo { app: &app, clock: &clock, now_ms, random, people: HashMap::new() };
    let filled = demo.play(&community).await;
    clock.store(now_ms, Ordering::Relaxed);
    running.stop().await;
    filled
}

/// Returns the settings without the limits that the requests of a month within a few seconds would exceed.
fn without_limits(mut settings: Settings) -> Settings {
    for limit in [
        &mut settings.sign_ups_per_hour,
        &mut settings.posts_per_day,
        &mut settings.comments_per_hour,
        &mut settings.follows_per_day,
        &mut settings.votes_per_minute,
        &mut settings.uploads_per_day,
        &mut settings.upload_mib_per_day,
        &mut settings.profile_edits_per_hour,
        &mut settings.polls_per_day,
        &mut settings.group_changes_per_hour,
    ] {
        *limit = 0;
    }
    // The clock passes many days, and no backup must be made of a folder that is half filled.
    settings.backup_every_hours = 0;
    settings
}

struct Demo<'a> {
    app: &'a App,
    clock: &'a AtomicI64,
    now_ms: i64,
    random: SeededRandom,
    people: HashMap<&'a str, (UserId, LoginId)>,
}

/// One action of the plan.
enum Step<'a> {
    Follow(&'a str, &'a str),
    Group(&'a Group<'a>),
    Poll(&'a Poll<'a>),
    Post(usize),
    Comment(usize, &'a Comment<'a>),
    Vote(usize, &'a str, i64),
    Ballot(usize, &'a str),
    Mood(&'a str),
}

/// The id of a new row, in a reply.
#[derive(Deserialize)]
struct HasId {
    id: i64,
}

#[derive(Deserialize)]
struct MadePost {
    post: HasId,
}

#[derive(Deserialize)]
struct MadePoll {
    poll: HasId,
}

#[derive(Deserialize)]
struct MadeGroup {
    group: HasId,
}

type Outcome<T> = Result<T, String>;

impl<'a> Demo<'a> {
    async fn play(&mut self, community: &'a Community<'a>) -> Outcome<(String, String)> {
        let begun_ms = self.now_ms - (AGE_DAYS * DAY_MS) as i64;
        let password = hex(&random::<8>().map_err(|why| why.to_string())?);
        let first = community.people.first().ok_or("the community is empty")?;
        for (number, person) in community.people.iter().enumerate() {
            self.clock.store(begun_ms + number as i64 * 600_000, Ordering::Relaxed);
            let password = if number == 0 {
                password.clone()
            } else {
                hex(&random::<16>().map_err(|why| why.to_string())?)
            };
            self.sign_up(person, &password).await?;
        }
        let mut steps = self.plan(community, begun_ms);
        steps.sort_by_key(|(at_ms, _)| *at_ms);
        let planned = polls_in_order(community);
        let (mut posts, mut polls, mut groups) = (HashMap::new(), Vec::new(), HashMap::new());
        for (at_ms, step) in steps {
            // The clock never goes back, and never passes the present.
            self.clock.fetch_max(at_ms.min(self.now_ms), Ordering::Relaxed);
            match step {
                Step::Follow(follower, followed) => self.follow(follower, followed).await?,
                Step::Group(group) => {
                    groups.insert(group.name, self.group(group).await?);
                }
                Step::Poll(poll) => polls.push(self.poll(poll, &groups).await?),
                Step::Post(number) => {
                    posts.insert(number, self.post(&community.posts[number], &groups).await?);
                }
                Step::Comment(number, comment) => {
                    let audience = audience(community.posts[number].group, &groups);
                    self.comment(posts[&number], audience, comment).await?;
                }
                Step::Vote(number, voter, vote) => {
                    let word = if vote > 0 { "positive" } else { "negative" };
                    let fields = vec![("post_id", posts[&number].into()), ("vote", word.into())];
                    self.ask(voter, "votes.set", fields).await?;
                }
                Step::Ballot(number, voter) => {
                    let option = self.random.below(planned[number].options.len()) as i64;
                    let fields = vec![("poll_id", polls[number].into()), ("option", option.into())];
                    self.ask(voter, "polls.vote", fields).await?;
                }
                Step::Mood(person) => self.mood(person).await?,
            }
        }
        self.clock.store(self.now_ms, Ordering::Relaxed);
        for name in community.people.iter().map(|person| person.name) {
            // After a month nobody needs the first steps any more.
            self.ask(name, "newcomers.dismiss", vec![("what", "steps".into())]).await?;
            self.ask(name, "auth.log_out", Vec::new()).await?;
        }
        Ok((email_of(first.name), password))
    }

    /// Returns all actions with their times.
    fn plan(&mut self, community: &'a Community<'a>, begun_ms: i64) -> Vec<(i64, Step<'a>)> {
        let names: Vec<&str> = community.people.iter().map(|person| person.name).collect();
        let ago = |days: f64| self.now_ms - (days * DAY_MS) as i64;
        let mut steps = Vec::new();
        let signed_up_ms = begun_ms + names.len() as i64 * 600_000;
        // An owner follows the members, so that they can be added.
        let mut follows: Vec<(&str, &str)> = Vec::new();
        for group in &community.groups {
            follows.extend(group.members.iter().map(|member| (group.owner, *member)));
            steps.push((signed_up_ms + 3_600_000, Step::Group(group)));
        }
        // The first user follows most others, because the host logs in as this user.
        follows
            .extend(names.iter().skip(1).filter(|_| self.random.below(10) < 8).map(|name| (names[0], *name)));
        for follower in &names[1..] {
            for _ in 0..4 + self.random.below(12) {
                // The first users have more followers.
                let share = self.random.share();
                let followed = names[(share * share * names.len() as f64) as usize];
                follows.push((follower, followed));
            }
        }
        follows.retain(|(follower, followed)| follower != followed);
        follows.sort_unstable();
        follows.dedup();
        for (follower, followed) in &follows {
            let at_ms = signed_up_ms + self.random.below(3_000_000) as i64;
            steps.push((at_ms, Step::Follow(follower, followed)));
        }
        let may_see = |name: &str, author: &str, group: Option<&str>| match group {
            None => name == author || follows.binary_search(&(name, author)).is_ok(),
            Some(group) => community
                .groups
                .iter()
                .any(|one| one.name == group && (one.owner == name || one.members.contains(&name))),
        };
        for (number, post) in community.posts.iter().enumerate() {
            let mut at_ms = ago(post.days_ago);
            steps.push((at_ms, Step::Post(number)));
            let pause_ms = COMMENT_PAUSE_MS.min(post.days_ago * DAY_MS / (post.comments.len() + 2) as f64);
            for comment in &post.comments {
                at_ms += (pause_ms * (0.3 + 0.7 * self.random.share())) as i64;
                steps.push((at_ms, Step::Comment(number, comment)));
            }
            let readers =
                names.iter().filter(|name| **name != post.author && may_see(name, post.author, post.group));
            for name in readers.copied().collect::<Vec<_>>() {
                if self.random.below(10) < 6 {
                    let vote = if self.random.below(1_000) < NEGATIVE_OF_THOUSAND { -1 } else { 1 };
                    let at_ms = ago(post.days_ago * self.random.share());
                    steps.push((at_ms, Step::Vote(number, name, vote)));
                }
            }
        }
        for (number, poll) in polls_in_order(community).into_iter().enumerate() {
            steps.push((ago(poll.days_ago), Step::Poll(poll)));
            let voters =
                names.iter().filter(|name| **name != poll.creator && may_see(name, poll.creator, poll.group));
            for name in voters.copied().collect::<Vec<_>>() {
                // The first user has not voted, so that polls are left to vote on.
                if name != names[0] && self.random.below(10) < 7 {
                    steps.push((ago(poll.days_ago * self.random.share()), Step::Ballot(number, name)));
                }
            }
        }
        for name in &names[1..] {
            if self.random.below(10) < 5 {
                steps.push((self.now_ms - self.random.below(1_500_000) as i64, Step::Mood(name)));
            }
        }
        steps
    }

    async fn sign_up(&mut self, person: &Person<'a>, password: &str) -> Outcome<()> {
        let fields = vec![
            ("email", email_of(person.name).into()),
            ("password", password.into()),
            ("name", person.name.into()),
        ];
        let reply = self.request(Viewer::Guest, "auth.sign_up", fields).await?;
        let Some((user_id, login_id)) = reply.signed_in else {
            return Err(format!("{} was not signed in", person.name));
        };
        self.people.insert(person.name, (user_id, login_id));
        let colors = ["red", "blue", "green", "yellow", "purple"];
        let mut color = || colors[self.random.below(colors.len())];
        let fields = vec![
            ("name", person.name.into()),
            ("bio", person.bio.into()),
            ("from_color", color().into()),
            ("to_color", color().into()),
        ];
        self.ask(person.name, "profiles.update", fields).await?;
        if self.random.below(10) < PHOTOS_OF_TEN {
            let photo = scenes::photo(&mut self.random)?;
            let upload = self.upload(person.name, "photo", &photo).await?;
            self.ask(person.name, "profiles.set_photo", vec![("upload", upload.into())]).await?;
        }
        Ok(())
    }

    async fn follow(&mut self, follower: &str, followed: &str) -> Outcome<()> {
        let fields = vec![("user_id", self.id_of(followed)?.into()), ("following", Value::Bool(true))];
        self.ask(follower, "follows.set", fields).await.map(drop)
    }

    async fn group(&mut self, group: &Group<'_>) -> Outcome<i64> {
        let made = self.ask(group.owner, "groups.create", vec![("name", group.name.into())]).await?;
        let made: MadeGroup = decode(&made)?;
        let ids = group.members.iter().map(|name| self.id_of(name).map(Value::Whole));
        let ids = Value::List(ids.collect::<Outcome<_>>()?);
        let fields = vec![("group_id", made.group.id.into()), ("user_ids", ids)];
        self.ask(group.owner, "groups.add", fields).await?;
        Ok(made.group.id)
    }

    async fn poll(&mut self, poll: &Poll<'_>, groups: &HashMap<&str, i64>) -> Outcome<i64> {
        let fields = vec![
            ("question", poll.question.into()),
            ("options", Value::List(poll.options.iter().map(|option| Value::from(*option)).collect())),
            ("audience", audience(poll.group, groups)),
        ];
        let made: MadePoll = decode(&self.ask(poll.creator, "polls.create", fields).await?)?;
        Ok(made.poll.id)
    }

    async fn post(&mut self, post: &Post<'_>, groups: &HashMap<&str, i64>) -> Outcome<i64> {
        let mut pictures = Vec::new();
        if let Some((scene, alt)) = post.picture {
            let picture = scenes::scene(scene, &mut self.random)?;
            let upload = self.upload(post.author, "post", &picture).await?;
            pictures.push(Value::Map(vec![("upload", upload.into()), ("alt", alt.into())]));
        }
        let fields = vec![
            ("title", post.title.into()),
            ("text", post.text.as_str().into()),
            ("tag", post.tag.into()),
            ("audience", audience(post.group, groups)),
            ("pictures", Value::List(pictures)),
        ];
        let made: MadePost = decode(&self.ask(post.author, "posts.create", fields).await?)?;
        Ok(made.post.id)
    }

    async fn comment(&mut self, post_id: i64, audience: Value, comment: &Comment<'_>) -> Outcome<()> {
        let mut text = comment.text.to_owned();
        for (name, (user_id, _)) in &self.people {
            text = text.replace(&format!("@{name}"), &format!("@{}+{}", user_id.0, name.replace(' ', "_")));
        }
        let fields = vec![("post_id", post_id.into()), ("text", text.into()), ("audience", audience)];
        self.ask(comment.author, "comments.create", fields).await.map(drop)
    }

    async fn mood(&mut self, person: &str) -> Outcome<()> {
        let zone = self.app.settings.site_timezone.name().to_owned();
        let today = self.ask(person, "moods.today", vec![("zone", zone.clone().into())]).await?;
        let today: Today = decode(&today)?;
        let mood = MOODS[self.random.below(MOODS.len())];
        let fields = vec![("slot", today.mine.slot.into()), ("mood", mood.into()), ("zone", zone.into())];
        self.ask(person, "moods.set", fields).await.map(drop)
    }

    /// Uploads a file in chunks, and waits until it is rendered. Returns the name of the upload.
    async fn upload(&mut self, person: &str, purpose: &str, file: &[u8]) -> Outcome<[u8; 16]> {
        let upload = random::<16>().map_err(|why| why.to_string())?;
        let fields = vec![
            ("upload", upload.into()),
            ("name", "picture.jpg".into()),
            ("size_bytes", (file.len() as i64).into()),
            ("content_type", "image/jpeg".into()),
            ("index", 0.into()),
            ("purpose", purpose.into()),
        ];
        self.ask(person, "uploads.begin", fields).await?;
        for (number, chunk) in file.chunks(crate::limits::UPLOAD_CHUNK_BYTES).enumerate() {
            let offset = number as i64 * crate::limits::UPLOAD_CHUNK_BYTES as i64;
            let fields = vec![
                ("upload", upload.into()),
                ("offset", offset.into()),
                ("bytes", Value::Bytes(chunk.into())),
            ];
            self.ask(person, "uploads.chunk", fields).await?;
        }
        self.ask(person, "uploads.commit", vec![("upload", upload.into())]).await?;
        Ok(upload)
    }

    fn id_of(&self, name: &str) -> Outcome<i64> {
        self.people.get(name).map(|(user_id, _)| user_id.0).ok_or_else(|| format!("there is no {name}"))
    }

    async fn ask(&mut self, name: &str, op: &str, fields: Vec<(&'static str, Value)>) -> Outcome<Vec<u8>> {
        let (user_id, login_id) = *self.people.get(name).ok_or_else(|| format!("there is no {name}"))?;
        Ok(self.request(Viewer::User { user_id, login_id }, op, fields).await?.ok.to_vec())
    }

    /// Executes a request as a session does. Every request gets a key, which operations that need none ignore.
    async fn request(
        &self,
        viewer: Viewer,
        op: &str,
        mut fields: Vec<(&'static str, Value)>,
    ) -> Outcome<Reply> {
        fields.push(("key", random::<16>().map_err(|why| why.to_string())?.into()));
        let encoded = codec::encode(&Value::Map(fields)).map_err(|why| why.to_string())?;
        let request = Request::read(op, &encoded).map_err(|why| format!("{op}: {why:?}"))?;
        let (address, device) = (IpAddr::V4(Ipv4Addr::LOCALHOST), Device::default());
        let context = RequestContext { app: self.app, viewer, address, device: &device };
        features::handle(request, context).await.map_err(|why| match why {
            Error::Refused(refusal) => format!("{op} is refused: {refusal:?}"),
            why => format!("{op}: {why}"),
        })
    }
}

#[derive(Deserialize)]
struct Today {
    mine: Slot,
}

#[derive(Deserialize)]
struct Slot {
    slot: String,
}

/// Returns the polls in the order of their creation.
fn polls_in_order<'a>(community: &'a Community<'a>) -> Vec<&'a Poll<'a>> {
    let mut polls: Vec<&Poll<'_>> = community.polls.iter().collect();
    polls.sort_by(|one, other| other.days_ago.total_cmp(&one.days_ago));
    polls
}

fn audience(group: Option<&str>, groups: &HashMap<&str, i64>) -> Value {
    match group.and_then(|name| groups.get(name)) {
        None => Value::Map(vec![("type", "public".into())]),
        Some(group_id) => Value::Map(vec![("type", "group".into()), ("group_id", (*group_id).into())]),
    }
}

/// Returns the email of a user: the name at a domain that is reserved for examples.
fn email_of(name: &str) -> String {
    let local: String = name.to_lowercase().chars().map(|c| if c == ' ' { '.' } else { c }).collect();
    format!("{}@example.org", local.replace('\'', ""))
}

fn decode<T: serde::de::DeserializeOwned>(reply: &[u8]) -> Outcome<T> {
    codec::decode(reply).map_err(|why| format!("an answer cannot be read: {why:?}"))
}
