//! Posts: what people publish, in the order they did, for as long as they want it there.
//!
//! Promises:
//! - The feed is chronological. A post is left out of it by one rule only (`rules::is_hidden`), never
//!   from its author, a tag, a profile or a link.
//! - A post read twice at one `seq` is the same post; what changed since is told.
//! - Gone, never there and not yours look alike.
//! - A group's post is its members' and its author's. Who is in the group no more sees of it the own words at
//!   most, and nothing of what was said there; another audience is told first to who loses it.
//! - A post and its pictures stand in one commit, or neither does.
//!
//! Never: a ranking, a public count, or a vote in what is told to more than one person.

pub mod rules;
pub mod store;
pub mod wire;

use super::files::Purpose;
use super::kit::{Answer, Ask, Key, Publication};
use super::tags::Tag;
use super::views::{Audience, groups_named, users_named};
use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::events::{Effects, Loss, Named, Recipients, Topic};
use crate::ids::{PostId, UserId};
use crate::limits::REFRESH_MAX;
use rules::NewPost;
use store::read;
use wire::{Created, Deleted, FeedPage, One, Page, PostView, Refreshed, Request, Updated};

/// Returns who receives that a post was published, and what it does.
#[must_use]
pub fn created_publication(created: &Created) -> Publication {
    let Created { post, recipients, .. } = created;
    let topics = match post.audience {
        Audience::Public {} => vec![Topic::Profile(post.author_id)],
        Audience::Group { .. } => Vec::new(),
    };
    let effects = Effects { about: Some(Topic::Post(post.id)), ..Effects::default() };
    (Recipients::users_and(recipients.clone(), topics), effects)
}

/// Returns who receives that a post was edited, and what it does.
#[must_use]
pub fn updated_publication(updated: &Updated) -> Publication {
    let post = Topic::Post(updated.post_id);
    let topics = match updated.audience {
        Audience::Public {} => vec![Topic::Profile(updated.author_id), post],
        Audience::Group { .. } => Vec::new(),
    };
    let effects = Effects { about: Some(post), ..Effects::default() };
    (Recipients::users_and(updated.recipients.clone(), topics), effects)
}

/// Returns who receives that a post is gone, and what it does. Where it is gone for some alone, they do: never its
/// author, nor whom it is for now.
#[must_use]
pub fn deleted_publication(deleted: &Deleted) -> Publication {
    let post = Topic::Post(deleted.post_id);
    let topics = if deleted.was_public { vec![Topic::Profile(deleted.author_id), post] } else { Vec::new() };
    let named = Named { users: deleted.recipients.clone(), topics, ..Named::default() };
    match &deleted.kept_by {
        None => (Recipients::Named(named), Effects { ends: Some(post), ..Effects::default() }),
        Some(kept_by) => {
            let named = Named { except: kept_by.clone(), ..named };
            (Recipients::Named(named), Effects { loss: Some(Loss::Any), ..Effects::default() })
        }
    }
}

/// Answers what is asked about posts.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let user_id = ask.user()?;
    let viewer = ask.viewer;
    match request {
        Request::Feed(feed) => {
            let tag = feed.tag.as_deref().map(Tag::parse).transpose()?.flatten();
            let now_ms = ask.now_ms();
            ask.read(move |Snapshot { sql, seq }| {
                let read::Found { mut posts, older } =
                    read::feed(sql, viewer, tag.as_ref(), feed.before, now_ms)?;
                // The feed counts nothing, for nobody (D-C1): an author looks on the own profile.
                posts.iter_mut().for_each(|view| view.positive_count = None);
                let users = users_named(sql, read::people_in(&posts))?;
                let groups = groups_named(sql, read::groups_in(&posts))?;
                let follows_anyone = read::follows_anyone(sql, user_id)?;
                let heard = topics(&posts);
                let page = FeedPage { posts, users, groups, older, follows_anyone, seq };
                Ok(Answer::read(&page, seq)?.subscribing(heard))
            })
            .await
        }
        Request::ByAuthor(asked) => {
            ask.read(move |Snapshot { sql, seq }| {
                let found = read::by_author(sql, viewer, asked.user_id, asked.before)?;
                let read::Found { posts, older } = found.ok_or(Refusal::NotFound)?;
                let users = users_named(sql, read::people_in(&posts))?;
                let groups = groups_named(sql, read::groups_in(&posts))?;
                let heard = topics(&posts);
                let page = Page { posts, users, groups, older, seq };
                Ok(Answer::read(&page, seq)?.subscribing(heard))
            })
            .await
        }
        Request::Get(get) => {
            ask.read(move |Snapshot { sql, seq }| {
                let mut posts = read::find(sql, &[get.post_id], viewer)?;
                let users = users_named(sql, read::people_in(&posts))?;
                let groups = groups_named(sql, read::groups_in(&posts))?;
                let post = posts.pop().ok_or(Refusal::NotFound)?;
                Ok(Answer::read(&One { post, users, groups, seq }, seq)?
                    .subscribing([Topic::Post(get.post_id)]))
            })
            .await
        }
        Request::Refresh(refresh) => {
            if refresh.post_ids.len() > REFRESH_MAX {
                return Err(Refusal::BadRequest.into());
            }
            ask.read(move |Snapshot { sql, seq }| {
                let posts = read::find(sql, &refresh.post_ids, viewer)?;
                let users = users_named(sql, read::people_in(&posts))?;
                let groups = groups_named(sql, read::groups_in(&posts))?;
                let is_here = |id: &PostId| posts.iter().any(|view| view.post.id == *id);
                let gone = refresh.post_ids.iter().copied().filter(|id| !is_here(id)).collect();
                let heard = topics(&posts);
                Ok(Answer::read(&Refreshed { posts, users, groups, gone, seq }, seq)?.subscribing(heard))
            })
            .await
        }
        Request::Create(create) => self::create(create, user_id, ask).await,
        Request::Update(update) => {
            let words = rules::Words::edited(update.title.as_deref(), &update.text)?;
            let title = words.title.as_deref().unwrap_or("");
            let id = update.post_id.0.to_be_bytes();
            let audience = update.audience.part();
            let parts = [&id, title.as_bytes(), words.text.as_bytes(), &audience];
            let key = update.key.used_by(user_id, "posts.update", &parts);
            let (post_id, audience) = (update.post_id, update.audience);
            let work = store::Update { key, post_id, viewer, words, audience };
            let paces = &ask.app.paces.edits;
            if audience == (Audience::Public {}) {
                return ask.write_paced(paces, work).await;
            }
            // It may be for fewer people than before.
            ask.write_delivered_paced(paces, work).await
        }
        Request::Delete(delete) => {
            let post_id = delete.post_id;
            let key = delete.key.used_by(user_id, "posts.delete", &[&post_id.0.to_be_bytes()]);
            let answer = ask.write(store::Delete { key, post_id, viewer }).await?;
            ask.app.uploads.bell.notify_one();
            Ok(answer)
        }
    }
}

async fn create(create: wire::Create, user_id: UserId, ask: Ask<'_>) -> Result<Answer, Error> {
    let new = NewPost::parse(create.title.as_deref(), &create.text, create.tag.as_deref())?;
    if create.audience == (Audience::Group { group_id: None }) {
        return Err(Refusal::BadRequest.into());
    }
    let chosen = create.pictures.unwrap_or_default();
    rules::check_pictures(chosen.len())?;
    let alts = chosen.iter().map(|picture| rules::parse_alt(picture.alt.as_deref()));
    let alts = alts.collect::<Result<Vec<_>, _>>()?;
    let uploads: Vec<Key> = chosen.iter().map(|picture| picture.upload).collect();
    let is_twice = |(place, key): (usize, &Key)| uploads[..place].iter().any(|other| other.0 == key.0);
    if uploads.iter().enumerate().any(is_twice) {
        return Err(Refusal::BadRequest.into());
    }

    let tag = new.tag.as_ref().map_or("", |tag| tag.shown.as_str());
    let title = new.title.as_deref().unwrap_or("");
    let audience = create.audience.part();
    let mut parts = vec![title.as_bytes(), new.text.as_bytes(), tag.as_bytes(), &audience];
    for (upload, alt) in uploads.iter().zip(&alts) {
        parts.extend([&upload.0[..], alt.as_bytes()]);
    }
    let key = create.key.used_by(user_id, "posts.create", &parts);

    // Uploads go once they are part of a post: the writer knows whether this one is a retry of what was
    // done, which gets its first answer, or wants what is no longer there.
    let ready = ask.app.uploads.ready(user_id, &uploads, Purpose::Post, ask.now_ms());
    let pictures = ready.map(|pictures| pictures.into_iter().zip(alts).collect());
    let id = PostId(ask.app.ids.make(ask.now_ms()));
    let work = store::Create {
        key,
        id,
        viewer: ask.viewer,
        author_id: user_id,
        new,
        audience: create.audience,
        pictures,
    };
    let answer = ask.write_paced(&ask.app.paces.posts, work).await?;
    let made: Made = crate::wire::codec::decode(&answer.ok)?;
    if made.post.id != id {
        // A repeated key is answered with the post of the first time, perhaps of a day ago: nobody
        // remembers what happened to it since, so it is listened to when it is read. Pictures that were
        // sent once more for it belong to nothing.
        for upload in uploads {
            ask.app.uploads.cancel(user_id, upload, &ask.app.readers).await;
        }
        return Ok(answer);
    }
    ask.app.uploads.belong(user_id, &uploads);
    Ok(answer.subscribing([Topic::Post(id)]))
}

/// What must be known of an answer to listen to its post.
#[derive(serde::Deserialize)]
struct Made {
    post: MadePost,
}

#[derive(serde::Deserialize)]
struct MadePost {
    id: PostId,
}

fn topics(posts: &[PostView]) -> Vec<Topic> {
    posts.iter().map(|view| Topic::Post(view.post.id)).collect()
}
