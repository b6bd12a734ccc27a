//! Tests that the recipients of events of posts are those that `authz` allows, for all authors, audiences and users.

use std::sync::Arc;

use crate::authz;
use crate::error::Refusal;
use crate::events::{Loss, Topic};
use crate::features::events::Event;
use crate::features::posts::rules::{NewPost, PostText};
use crate::features::posts::store as posts;
use crate::features::posts::store::recent_followers::RecentFollowers;
use crate::features::theme::store::ThemeDay;
use crate::ids::{PostId, UserId};
use crate::model::audience::Audience;
use crate::testing::audiences::{AUDIENCES, PEOPLE, Shared, follows, has_all, is_in};
use crate::testing::database::{key, receivers, viewer, with_database};

/// Returns whether this user should receive an event of a post with this audience. With `shows`, the user shows the
/// post and its author's profile, and receives the event if they may see the post. Otherwise followers, members and
/// the author receive it.
fn is_named(who: UserId, author_id: UserId, audience: Audience, shows: bool) -> bool {
    let is_listed = match audience {
        Audience::Public {} => shows || follows(who, author_id),
        Audience::Group { .. } | Audience::Author {} | Audience::GroupDeleted {} => true,
    };
    Shared { id: PostId(0), author_id, audience }.is_seen_by(who) && (is_listed || who == author_id)
}

fn people_where(is_so: impl Fn(UserId) -> bool) -> Vec<UserId> {
    PEOPLE.into_iter().filter(|who| is_so(*who)).collect()
}

#[test]
fn events_of_a_post_have_the_recipients_that_authz_allows() {
    with_database(|db| async move {
        let all = has_all(&db);
        // No other user has commented, so the author may choose any audience.
        db.execute("delete from comments").unwrap();
        let (mut number, mut seen) = (0, 0);
        for (shared, after) in all.iter().flat_map(|shared| AUDIENCES.map(|after| (shared, after))) {
            let Shared { id: post_id, author_id, audience: before } = *shared;
            let group = before.group_id().map_or("null".to_owned(), |id| id.0.to_string());
            db.execute(&format!(
                "update posts set audience = '{}', group_id = {group} where id = {}",
                before.word(),
                post_id.0
            ))
            .unwrap();
            number += 1;
            let words = PostText { title: None, text: format!("words {number}") };
            let (key, by) = (key(author_id, number, &[]), viewer(author_id));
            let edit = posts::Update { key, post_id, viewer: by, words, content_note: None, audience: after };
            let is_done = db.write(edit).await.is_ok();
            let published = db.published();
            assert_eq!(is_done, !published.is_empty());
            for event in &published {
                seen += 1;
                let (_, effects) = event.publication();
                for shows in [false, true] {
                    let named = |who, audience| is_named(who, author_id, audience, shows);
                    let keeps = |who| is_named(who, author_id, after, true);
                    let expected = match event {
                        Event::PostDeleted(_) => people_where(|who| named(who, before) && !keeps(who)),
                        Event::PostUpdated(_) | Event::PostCreated(_) => {
                            people_where(|who| named(who, after))
                        }
                        other => panic!("{other:?}"),
                    };
                    assert_eq!(
                        receivers(event, &PEOPLE, shows),
                        expected,
                        "{author_id:?} {before:?} {after:?} {event:?}"
                    );
                }
                match event {
                    Event::PostDeleted(_) => {
                        assert_eq!((effects.loss, effects.ends), (Some(Loss::Any), None));
                    }
                    _ => assert_eq!(effects.about, Some(Topic::Post(post_id))),
                }
            }
        }
        assert!(seen > 20, "{seen}");
    });
}

#[test]
fn a_new_and_a_deleted_post_have_the_recipients_that_authz_allows() {
    with_database(|db| async move {
        let all = has_all(&db);
        let followers = Arc::<RecentFollowers>::default();
        for shared in &all {
            let Shared { id, author_id, audience } = *shared;
            let number = u8::try_from(id.0).unwrap();
            let create = posts::Create {
                theme: ThemeDay::default(),
                key: key(author_id, number + 50, &[]),
                viewer: viewer(author_id),
                author_id,
                new: NewPost { title: None, text: "new".into(), tag: None, content_note: None },
                audience,
                pictures: Ok(Vec::new()),
                followers: followers.clone(),
            };
            let may_share = authz::may_share_with(
                viewer(author_id),
                audience.fact(is_in(author_id, audience.group_id())),
            );
            assert_eq!(db.write(create).await.is_ok(), may_share, "{author_id:?} {audience:?}");
            let delete =
                posts::Delete { key: key(author_id, number, &[]), post_id: id, viewer: viewer(author_id) };
            db.write(delete).await.unwrap();
            let published = db.published();
            assert_eq!(published.len(), 1 + usize::from(may_share));
            for (event, shows) in published.iter().flat_map(|event| [(event, false), (event, true)]) {
                let expected = people_where(|who| is_named(who, author_id, audience, shows));
                assert_eq!(receivers(event, &PEOPLE, shows), expected, "{event:?}");
            }
            let effects = published.last().unwrap().publication().1;
            assert_eq!((effects.ends, effects.loss), (Some(Topic::Post(id)), None));
        }
    });
}

#[test]
fn posts_are_edited_and_deleted_by_their_authors_alone_even_outside_the_group() {
    with_database(|db| async move {
        let all = has_all(&db);
        for who in PEOPLE {
            for shared in &all {
                let is_theirs = who == shared.author_id;
                // An author who is not in the group takes the post out of it.
                let audience = match shared.audience.seen(is_in(who, shared.audience.group_id())) {
                    Audience::Group { group_id: None } => Audience::Author {},
                    audience => audience,
                };
                let number = u8::try_from(shared.id.0).unwrap();
                let words = PostText { title: None, text: "other words".into() };
                let (post_id, by) = (shared.id, viewer(who));
                let edit = posts::Update {
                    key: key(who, number, &[]),
                    post_id,
                    viewer: by,
                    words,
                    content_note: None,
                    audience,
                };
                let edited = db.write(edit).await;
                let delete = posts::Delete { key: key(who, number + 100, &[]), post_id, viewer: by };
                db.published();
                let deleted = db.write(delete).await;
                assert_eq!((edited.is_ok(), deleted.is_ok()), (is_theirs, is_theirs), "{who:?} {post_id:?}");
                if !is_theirs {
                    assert_eq!(
                        (edited.err(), deleted.err()),
                        (Some(Refusal::NotFound), Some(Refusal::NotFound))
                    );
                }
                assert_eq!(db.published().len(), usize::from(is_theirs));
                if is_theirs {
                    db.has_post(post_id.0, shared.author_id, 1);
                    let group = match shared.audience {
                        Audience::Public {} => continue,
                        other => other.group_id().map_or("null".to_owned(), |id| id.0.to_string()),
                    };
                    db.execute(&format!(
                        "update posts set audience = 'group', group_id = {group} where id = {}",
                        post_id.0
                    ))
                    .unwrap();
                }
            }
        }
    });
}
