//! Comments: what people say under a post.
//!
//! Promises:
//! - A comment is seen by exactly those whom its post is for now: of a group's, not by an author who left it.
//! - Count and thread agree: each change brings the count, a deletion also the two oldest left.
//! - Its author and the post's author may delete it; it is gone for good.

pub mod rules;
pub mod store;
pub mod wire;

use super::kit::{Answer, Ask, Publication};
use crate::db::readers::Snapshot;
use crate::error::{Error, Refusal};
use crate::events::{Effects, Named, Recipients, Topic, Users};
use crate::ids::{CommentId, NotificationId, PostId};
use wire::{Offered, Request};

/// Returns who receives a change to a thread, and what it does: whoever shows the post, of a group's post its members
/// alone.
#[must_use]
pub fn publication(post_id: PostId, only: Option<&Users>) -> Publication {
    let post = Topic::Post(post_id);
    let named = Named { topics: vec![post], only: only.cloned(), ..Named::default() };
    (Recipients::Named(named), Effects { about: Some(post), ..Effects::default() })
}

/// Answers what is asked about comments.
///
/// # Errors
/// The refusals of the protocol's table.
pub async fn handle(request: Request, ask: Ask<'_>) -> Result<Answer, Error> {
    let user_id = ask.user()?;
    match request {
        Request::Create(create) => {
            let rules::NewComment { text, mentions } = rules::parse(&create.text)?;
            let parts: [&[u8]; 2] = [&create.post_id.0.to_be_bytes(), text.as_bytes()];
            let key = create.key.used_by(user_id, "comments.create", &parts);
            let fresh = || ask.app.ids.make(ask.now_ms());
            let work = store::Create {
                key,
                id: CommentId(fresh()),
                post_id: create.post_id,
                viewer: ask.viewer,
                author_id: user_id,
                text,
                mentions: mentions.into_iter().map(|user_id| (user_id, NotificationId(fresh()))).collect(),
            };
            ask.write_paced(&ask.app.paces.comments, work).await
        }
        Request::Delete(delete) => {
            let comment_id = delete.comment_id;
            let key = delete.key.used_by(user_id, "comments.delete", &[&comment_id.0.to_be_bytes()]);
            ask.write(store::Delete { key, comment_id, viewer: ask.viewer }).await
        }
        Request::Mentionable(asked) => {
            let term = rules::parse_term(&asked.term)?;
            let (viewer, post_id) = (ask.viewer, asked.post_id);
            ask.read(move |Snapshot { sql, seq }| {
                let users = store::mentionable(sql, viewer, post_id, &term)?.ok_or(Refusal::NotFound)?;
                Answer::read(&Offered { users, seq }, seq)
            })
            .await
        }
        Request::Page(page) => {
            let (viewer, post_id, after) = (ask.viewer, page.post_id, page.after);
            ask.read(move |Snapshot { sql, seq }| {
                let thread = store::page(sql, viewer, post_id, after, seq)?.ok_or(Refusal::NotFound)?;
                Ok(Answer::read(&thread, seq)?.subscribing([Topic::Post(post_id)]))
            })
            .await
        }
    }
}
