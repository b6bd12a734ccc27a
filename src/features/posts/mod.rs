//! Posts, and their chronological lists.
//!
//! Guarantees:
//! - The feed is chronological. Of the posts for a viewer, only the rule `rules::is_hidden` leaves one out. The rule
//!   does not apply to the author of the post, under a tag, on a profile, on the page of a group, to saved posts, or
//!   behind a link.
//! - Two reads of a post at one `seq` are equal. Later changes are published as events.
//! - A deleted post, an unknown one and one that is not visible give the same reply.
//! - A post of a group is visible to the members and its author. An author who is no longer in the group sees only
//!   their own text, without comments. A new audience is published first to the users who lose the post.
//! - A post and its pictures are committed together.
//! - A search finds posts of the viewer alone (D-U12). No words are stored for it.
//! - A post that its author wrote elsewhere and imported is in the lists of its author, by its date, and in no other
//!   (D-W5). Nobody receives anything when it is imported.
//!
//! Never here: a ranking, a public count of votes, or votes in an event for more than one user.

pub mod rules;
pub mod store;
pub mod wire;

use crate::db::readers::Snapshot;
use crate::db::sql::Sql;
use crate::error::{Error, Refusal};
use crate::events::{Effects, Loss, Named, Recipients, Topic, users};
use crate::features::context::RequestContext;
use crate::features::events::{Publication, Publish};
use crate::features::key::Key;
use crate::features::theme::store::ThemeDay;
use crate::ids::{PostId, Seq, UserId};
use crate::limits::REFRESH_MAX;
use crate::model::audience::Audience;
use crate::model::files::Purpose;
use crate::model::groups::groups_named;
use crate::model::tags::Tag;
use crate::model::users::users_named;
use crate::reply::Reply;
use rules::NewPost;
use store::{by_date, lists, read};
use wire::{
    Created, DatedPage, Deleted, FeedPage, One, Page, PostView, Refreshed, Request, SavedPage, Updated,
};

/// Publishes a new post.
impl Publish for Created {
    fn publication(&self) -> Publication {
        let Created { post, recipients, only, except, .. } = self;
        let topics = match post.audience {
            Audience::Public {} => vec![Topic::Profile(post.author_id)],
            Audience::Group { .. } | Audience::Author {} | Audience::GroupDeleted {} => Vec::new(),
        };
        let effects = Effects { about: Some(Topic::Post(post.id)), ..Effects::default() };
        let (users, only, except) = (recipients.clone(), only.clone(), except.clone());
        (Recipients::Named(Named { users, topics, only, except }), effects)
    }
}

/// Publishes an edited post.
impl Publish for Updated {
    fn publication(&self) -> Publication {
        let post = Topic::Post(self.post_id);
        let topics = match self.audience {
            Audience::Public {} => vec![Topic::Profile(self.author_id), post],
            Audience::Group { .. } | Audience::Author {} | Audience::GroupDeleted {} => vec![post],
        };
        let effects = Effects { about: Some(post), ..Effects::default() };
        let (users, only, except) = (self.recipients.clone(), self.only.clone(), self.except.clone());
        (Recipients::Named(Named { users, topics, only, except }), effects)
    }
}

/// Publishes a deletion, or a smaller audience. In the second case the author and the remaining audience do not receive
/// the event.
impl Publish for Deleted {
    fn publication(&self) -> Publication {
        let post = Topic::Post(self.post_id);
        let topics = if self.was_public { vec![Topic::Profile(self.author_id), post] } else { Vec::new() };
        let (recipients, except) = (self.recipients.clone(), self.hidden_from.clone());
        let named = match (self.is_imported, self.was_public) {
            (false, _) => Named { users: recipients, topics, except, ..Named::default() },
            (true, true) => Named { users: recipients, topics: vec![post], except, ..Named::default() },
            (true, false) => Named { topics: vec![post], only: Some(recipients), except, ..Named::default() },
        };
        match &self.kept_by {
            None => (Recipients::Named(named), Effects { ends: Some(post), ..Effects::default() }),
            Some(kept_by) => {
                let except = users(kept_by.iter().chain(self.hidden_from.iter()).copied());
                let named = Named { except, ..named };
                (Recipients::Named(named), Effects { loss: Some(Loss::Any), ..Effects::default() })
            }
        }
    }
}

/// Handles a request about posts.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, context: RequestContext<'_>) -> Result<Reply, Error> {
    let user_id = context.user()?;
    let viewer = context.viewer;
    match request {
        Request::Feed(feed) => {
            let tag = feed.tag.as_deref().map(Tag::parse).transpose()?.flatten();
            let now_ms = context.now_ms();
            context
                .read(move |Snapshot { sql, seq }| {
                    let lists::Found { mut posts, older } =
                        lists::feed(sql, viewer, tag.as_ref(), feed.before, now_ms)?;
                    // The feed shows no counts (D-C1). Authors see them on their own profile.
                    posts.iter_mut().for_each(|view| view.positive_count = None);
                    let users = users_named(sql, user_id, read::people_in(&posts))?;
                    let groups = groups_named(sql, read::groups_in(&posts))?;
                    let follows_anyone = lists::follows_anyone(sql, user_id)?;
                    let published = topics(&posts);
                    let page = FeedPage { posts, users, groups, older, follows_anyone, seq };
                    Ok(Reply::read(&page, seq)?.subscribing(published))
                })
                .await
        }
        Request::ByAuthor(request) => {
            context
                .read(move |Snapshot { sql, seq }| {
                    let before = by_date::Before::of(request.before, request.before_at_ms);
                    let found = by_date::by_author(sql, viewer, request.user_id, before)?;
                    dated_page(sql, user_id, found.ok_or(Refusal::NotFound)?, seq)
                })
                .await
        }
        Request::ByGroup(request) => {
            context
                .read(move |Snapshot { sql, seq }| {
                    let found = lists::by_group(sql, viewer, request.group_id, request.before)?;
                    let lists::Found { posts, older } = found.ok_or(Refusal::NotFound)?;
                    let users = users_named(sql, user_id, read::people_in(&posts))?;
                    let groups = groups_named(sql, read::groups_in(&posts))?;
                    let published = topics(&posts);
                    Ok(Reply::read(&Page { posts, users, groups, older, seq }, seq)?.subscribing(published))
                })
                .await
        }
        Request::Saved(request) => {
            context
                .read(move |Snapshot { sql, seq }| {
                    let lists::FoundSaved { posts, older } = lists::saved(sql, viewer, request.before)?;
                    let users = users_named(sql, user_id, read::people_in(&posts))?;
                    let groups = groups_named(sql, read::groups_in(&posts))?;
                    let published = topics(&posts);
                    Ok(Reply::read(&SavedPage { posts, users, groups, older, seq }, seq)?
                        .subscribing(published))
                })
                .await
        }
        Request::Search(search) => {
            let words = rules::SearchedWords::parse(&search.term)?;
            context.app.rate_limiters.searches.take(user_id, context.now_ms())?;
            context
                .read(move |Snapshot { sql, seq }| {
                    let before = by_date::Before::of(search.before, search.before_at_ms);
                    let found = by_date::with_words(sql, viewer, &words, before)?;
                    dated_page(sql, user_id, found, seq)
                })
                .await
        }
        Request::Get(get) => {
            context
                .read(move |Snapshot { sql, seq }| {
                    let mut posts = read::find(sql, &[get.post_id], viewer)?;
                    let users = users_named(sql, user_id, read::people_in(&posts))?;
                    let groups = groups_named(sql, read::groups_in(&posts))?;
                    let post = posts.pop().ok_or(Refusal::NotFound)?;
                    Ok(Reply::read(&One { post, users, groups, seq }, seq)?
                        .subscribing([Topic::Post(get.post_id)]))
                })
                .await
        }
        Request::Refresh(refresh) => {
            if refresh.post_ids.len() > REFRESH_MAX {
                return Err(Refusal::BadRequest.into());
            }
            context
                .read(move |Snapshot { sql, seq }| {
                    let posts = read::find(sql, &refresh.post_ids, viewer)?;
                    let users = users_named(sql, user_id, read::people_in(&posts))?;
                    let groups = groups_named(sql, read::groups_in(&posts))?;
                    let is_found = |id: &PostId| posts.iter().any(|view| view.post.id == *id);
                    let gone = refresh.post_ids.iter().copied().filter(|id| !is_found(id)).collect();
                    let published = topics(&posts);
                    Ok(Reply::read(&Refreshed { posts, users, groups, gone, seq }, seq)?
                        .subscribing(published))
                })
                .await
        }
        Request::Create(create) => self::create(create, user_id, context).await,
        Request::Update(update) => {
            let words = rules::PostText::edited(update.title.as_deref(), &update.text)?;
            let title = words.title.as_deref().unwrap_or("");
            // None keeps the note, and an empty one removes it.
            let content_note = update.content_note.as_deref().map(rules::parse_content_note).transpose()?;
            let content_note = content_note.map(Option::unwrap_or_default);
            let id = update.post_id.0.to_be_bytes();
            let audience = update.audience.part();
            let mut parts = vec![&id[..], title.as_bytes(), words.text.as_bytes(), &audience];
            parts.extend(content_note.as_deref().map(str::as_bytes));
            let key = update.key.used_by(user_id, "posts.update", &parts);
            let (post_id, audience) = (update.post_id, update.audience);
            let command = store::Update { key, post_id, viewer, words, content_note, audience };
            let limiter = &context.app.rate_limiters.edits;
            let reply = context.write_limited(limiter, command).await?;
            if audience != (Audience::Public {}) {
                // The new audience may be smaller, so the reply waits until the events were delivered to every
                // connection.
                context.app.barrier.wait(reply.seq).await;
            }
            Ok(reply)
        }
        Request::Delete(delete) => {
            let post_id = delete.post_id;
            let key = delete.key.used_by(user_id, "posts.delete", &[&post_id.0.to_be_bytes()]);
            let reply = context.write(store::Delete { key, post_id, viewer }).await?;
            context.app.uploads.wake.notify_one();
            Ok(reply)
        }
    }
}

async fn create(create: wire::Create, user_id: UserId, context: RequestContext<'_>) -> Result<Reply, Error> {
    let (title, tag, note) = (create.title.as_deref(), create.tag.as_deref(), create.content_note.as_deref());
    let new = NewPost::parse(title, &create.text, tag, note)?;
    if create.audience.is_outside() {
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
    parts.extend(new.content_note.as_deref().map(str::as_bytes));
    let key = create.key.used_by(user_id, "posts.create", &parts);

    // An upload that became part of a post cannot be used again. If an upload is missing, only the writer knows whether
    // this request is a retry, which gets the first reply, so the writer decides.
    let ready = context.app.uploads.ready(user_id, &uploads, Purpose::Post, context.now_ms());
    let pictures = ready.map(|pictures| pictures.into_iter().zip(alts).collect());
    let day = context.app.theme.day_of(context.now_ms());
    let rotation_tag = context.app.theme.of_day(&day).map(|theme| theme.tag);
    let command = store::Create {
        key,
        viewer: context.viewer,
        author_id: user_id,
        new,
        audience: create.audience,
        followers: context.app.followers.clone(),
        theme: ThemeDay { day, rotation_tag },
        pictures,
    };
    let mut done = context.submit_limited(&context.app.rate_limiters.posts, command).await?;
    let Some(one) = done.value.take() else {
        // A repeated key gives the post of the first request, perhaps from a day ago. The post may have changed
        // meanwhile, so the client subscribes when it reads the post. Pictures that were uploaded again are freed.
        for upload in uploads {
            context.app.uploads.cancel(user_id, upload, &context.app.readers).await;
        }
        return Ok(done.into());
    };
    context.app.uploads.mark_used(user_id, &uploads);
    Ok(Reply::from(done).subscribing([Topic::Post(one.post.post.id)]))
}

/// Returns the reply with a page of a profile or a search.
fn dated_page(sql: Sql<'_>, user_id: UserId, found: by_date::Found, seq: Seq) -> Result<Reply, Error> {
    let by_date::Found { posts, older } = found;
    let users = users_named(sql, user_id, read::people_in(&posts))?;
    let groups = groups_named(sql, read::groups_in(&posts))?;
    let published = topics(&posts);
    let (older, older_at_ms) = older.unzip();
    Ok(Reply::read(&DatedPage { posts, users, groups, older, older_at_ms, seq }, seq)?.subscribing(published))
}

fn topics(posts: &[PostView]) -> Vec<Topic> {
    posts.iter().map(|view| Topic::Post(view.post.id)).collect()
}
