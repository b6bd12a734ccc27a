//! Tests that the SQL of all features decides as `authz` does, for all viewers and for items of every audience and
//! state. This file tests posts and their comments, pictures, votes and notifications.

mod between;
mod groups_and_moods;
pub mod polls;
mod posts;

use crate::authz::{self, PostFacts, Viewer};
use crate::db::command::KeyUse;
use crate::db::readers::Snapshot;
use crate::error::Refusal;
use crate::events::{Topic, Users};
use crate::features::comments::{rules::parse_term, store as comments};
use crate::features::events::Event;
use crate::features::posts::store::{by_date, lists, read};
use crate::features::posts::wire::PostView;
use crate::features::{notifications, votes};
use crate::ids::{CommentId, GroupId, NotificationId, PostId, UserId};
use crate::model::audience::Audience;
use crate::model::files;
use crate::model::groups::groups_named;
use crate::model::tags::Tag;
use crate::model::vote::Vote;
use crate::testing::database::{ANA, BEN, CLEO, NOW_MS, TestDatabase, key, receivers, viewer, with_database};

/// Follows Ana and Emil, and is in no group.
pub const FAY: UserId = UserId(4);
/// Left Ben's group.
pub const EMIL: UserId = UserId(5);
pub const BENS: GroupId = GroupId(100);
pub const CLEOS: GroupId = GroupId(101);
/// A deleted group. Ana owned it, and Ben was a member.
pub const GONE: GroupId = GroupId(102);
pub const PEOPLE: [UserId; 5] = [ANA, BEN, CLEO, FAY, EMIL];

/// Returns whether a user is a member of a group.
pub fn is_in(user_id: UserId, group_id: Option<GroupId>) -> bool {
    match group_id {
        Some(BENS) => [ANA, BEN].contains(&user_id),
        Some(CLEOS) => user_id == CLEO,
        _ => false,
    }
}

pub fn follows(follower: UserId, followed: UserId) -> bool {
    follower == FAY && [ANA, EMIL].contains(&followed)
}

pub struct Shared {
    pub id: PostId,
    pub author_id: UserId,
    pub audience: Audience,
}

impl Shared {
    fn facts(&self, user_id: UserId) -> PostFacts {
        let is_member = is_in(user_id, self.audience.group_id());
        PostFacts { author_id: self.author_id, may_meet: true, audience: self.audience.fact(is_member) }
    }

    pub fn is_seen_by(&self, user_id: UserId) -> bool {
        authz::may_see_post(viewer(user_id), &self.facts(user_id))
    }

    fn is_for(&self, user_id: UserId) -> bool {
        authz::may_take_part(viewer(user_id), &self.facts(user_id))
    }

    fn comment_id(&self) -> CommentId {
        CommentId(self.id.0 * 100)
    }

    fn path(&self) -> String {
        format!("posts/{}.jpg", self.id.0)
    }
}

pub const AUDIENCES: [Audience; 4] = [
    Audience::Public {},
    Audience::Group { group_id: Some(BENS) },
    Audience::Group { group_id: Some(CLEOS) },
    Audience::Author {},
];

/// Adds users, their groups, and posts of Ana, Emil and Cleo for every audience. Each post has a picture, a tag and
/// a comment by Cleo.
pub fn has_all(db: &TestDatabase) -> Vec<Shared> {
    assert_eq!((db.has_person(4, "Fay"), db.has_person(5, "Emil")), (FAY, EMIL));
    db.has_group(BENS.0, BEN, &[ANA, EMIL]);
    db.has_group(CLEOS.0, CLEO, &[]);
    db.has_left(BENS, EMIL);
    db.execute("insert into follows (follower_id, followed_id, id) values (4, 1, 1), (4, 5, 2)").unwrap();
    let mut all = Vec::new();
    for (id, (author_id, audience)) in (10..)
        .zip([ANA, EMIL, CLEO].into_iter().flat_map(|author| AUDIENCES.map(|audience| (author, audience))))
    {
        let post_id = match audience {
            Audience::Public {} => db.has_post(id, author_id, 5),
            other => db.has_group_post(id, author_id, other.group_id()),
        };
        let shared = Shared { id: post_id, author_id, audience };
        let (comment, path) = (shared.comment_id().0, shared.path());
        for sql in [
            format!("update posts set tag = 'Tea', tag_key = 'tea' where id = {id}"),
            format!(
                "insert into comments (id, post_id, author_id, text, created_at_ms)
                   values ({comment}, {id}, 3, 'said', 0)"
            ),
            format!(
                "insert into files (id, full_path, name, owner_id, size_bytes, content_type, custom_metadata, token,
                                    created_at_ms, updated_at_ms)
                   values ({id}, '{path}', 'x', {0}, 7, 'image/jpeg', '{{}}', 'AAAAAAAAAAAAAAAAAAAAAA', 0, 0),
                          ({id} + 1000, '{path}.card', 'x', {0}, 7, 'image/jpeg', '{{}}',
                           'AAAAAAAAAAAAAAAAAAAAAA', 0, 0)",
                author_id.0
            ),
            format!(
                "insert into pictures (post_id, position, alt, width, height, thumbhash, screen_file_id,
                                       card_file_id)
                   values ({id}, 0, '', 8, 6, zeroblob(21), {id}, {id} + 1000)"
            ),
        ] {
            db.execute(&sql).unwrap_or_else(|why| panic!("{sql}: {why}"));
        }
        all.push(shared);
    }
    all
}

fn ids(posts: &[PostView]) -> Vec<i64> {
    posts.iter().map(|view| view.post.id.0).collect()
}

fn ids_where(all: &[Shared], is_so: impl Fn(&Shared) -> bool) -> Vec<i64> {
    all.iter().rev().filter(|shared| is_so(shared)).map(|shared| shared.id.0).collect()
}

#[test]
fn the_conditions_of_posts_decide_as_authz_does() {
    with_database(|db| async move {
        let all = has_all(&db);
        for who in PEOPLE {
            let conditions = move |Snapshot { sql, .. }: Snapshot<'_>| {
                let query = concat!(
                    "select p.id, ",
                    authz::sql::is_member!("p", "?1"),
                    ", ",
                    authz::sql::may_take_part!("p", "?1"),
                    ", ",
                    authz::sql::may_see_post!("p", "?1"),
                    " from posts p order by p.id"
                );
                Ok(sql.rows::<(PostId, bool, bool, bool)>(query, (who,))?)
            };
            let expected: Vec<_> = all
                .iter()
                .map(|shared| {
                    let is_member = is_in(who, shared.audience.group_id());
                    (shared.id, is_member, shared.is_for(who), shared.is_seen_by(who))
                })
                .collect();
            assert_eq!(db.read(conditions).await, expected, "{who:?}");
        }
    });
}

#[test]
fn every_list_of_posts_has_exactly_the_posts_that_authz_allows() {
    with_database(|db| async move {
        let all = has_all(&db);
        let tag = Tag::parse("tea").unwrap().unwrap();
        for who in PEOPLE {
            let asked: Vec<PostId> = all.iter().map(|shared| shared.id).collect();
            let found = db.read(move |Snapshot { sql, .. }| read::find(sql, &asked, viewer(who))).await;
            let seen = ids_where(&all, |shared| shared.is_seen_by(who));
            assert_eq!(found.iter().map(|view| view.post.id.0).collect::<Vec<_>>(), seen, "{who:?}");

            let in_feed = |shared: &Shared| {
                let is_listed = match shared.audience {
                    Audience::Public {} => follows(who, shared.author_id),
                    other => is_in(who, other.group_id()),
                };
                shared.is_seen_by(who) && (is_listed || shared.author_id == who)
            };
            for tag in [None, Some(tag.clone())] {
                let feed = move |Snapshot { sql, .. }: Snapshot<'_>| {
                    lists::feed(sql, viewer(who), tag.as_ref(), None, NOW_MS)
                };
                let found = db.read(feed).await;
                assert_eq!((ids(&found.posts), found.older), (ids_where(&all, in_feed), None), "{who:?}");
            }
            for author in PEOPLE {
                let found = db
                    .read(move |Snapshot { sql, .. }| by_date::by_author(sql, viewer(who), author, None))
                    .await;
                let theirs = ids_where(&all, |shared| shared.author_id == author && shared.is_seen_by(who));
                assert_eq!(ids(&found.unwrap().posts), theirs, "{who:?} at {author:?}'s");
            }
        }
        let asked: Vec<PostId> = all.iter().map(|shared| shared.id).collect();
        let found = db.read(move |Snapshot { sql, .. }| read::find(sql, &asked, Viewer::Guest)).await;
        assert!(found.is_empty());
    });
}

#[test]
fn users_outside_the_audience_see_only_what_they_wrote() {
    with_database(|db| async move {
        let all = has_all(&db);
        for who in PEOPLE {
            for shared in &all {
                let post_id = shared.id;
                let (found, named) = db
                    .read(move |Snapshot { sql, .. }| {
                        let found = read::find(sql, &[post_id], viewer(who))?;
                        let named = groups_named(sql, read::groups_in(&found))?;
                        Ok((found, named))
                    })
                    .await;
                let Some(view) = found.first() else { continue };
                let is_for = shared.is_for(who);
                let said = (view.post.comments_count, view.post.first_comments.len());
                assert_eq!(said, if is_for { (1, 1) } else { (0, 0) }, "{who:?} {:?}", shared.id);
                let audience = shared.audience.seen(is_for);
                let seen = match audience {
                    // No author chose to be alone.
                    Audience::Author {} => Audience::GroupDeleted {},
                    audience => audience,
                };
                assert_eq!(view.post.audience, seen);
                assert_eq!(named.first().map(|group| group.id), audience.group_id());
                assert_eq!(view.positive_count.is_some(), who == shared.author_id);
            }
        }
    });
}

#[test]
fn threads_pictures_and_mentionable_users_are_visible_as_authz_allows() {
    with_database(|db| async move {
        let all = has_all(&db);
        let everybody = PEOPLE.map(viewer).into_iter().chain([Viewer::Guest]);
        for who in everybody {
            for shared in &all {
                let user_id = who.user_id();
                let is_for = user_id.is_some_and(|user_id| shared.is_for(user_id));
                let post_id = shared.id;
                let page =
                    db.read(move |Snapshot { sql, seq }| comments::page(sql, who, post_id, None, seq)).await;
                assert_eq!(page.is_some(), is_for, "{who:?} {:?}", shared.id);
                for term in ["", "e"] {
                    let term = parse_term(term).unwrap();
                    let meant = db
                        .read(move |Snapshot { sql, .. }| comments::mentionable(sql, who, post_id, &term))
                        .await;
                    assert_eq!(meant.is_some(), is_for, "{who:?} {:?}", shared.id);
                    let group_id = shared.audience.group_id();
                    let are_members = |users: &Vec<_>| {
                        users.iter().all(|user: &crate::model::users::User| is_in(user.id, group_id))
                    };
                    assert!(group_id.is_none() || meant.as_ref().is_none_or(are_members), "{meant:?}");
                }
                let is_seen = user_id.is_some_and(|user_id| shared.is_seen_by(user_id));
                let (path, token) = (shared.path(), "AAAAAAAAAAAAAAAAAAAAAA");
                for path in [format!("{path}.card"), path] {
                    let found = db.read({
                        let path = path.clone();
                        move |Snapshot { sql, .. }| files::find(sql, who, &path, token)
                    });
                    assert_eq!(found.await.is_some(), is_seen, "{who:?} {path}");
                }
            }
        }
    });
}

#[test]
fn a_notification_stays_listed_and_holds_only_what_its_user_may_read() {
    with_database(|db| async move {
        let all = has_all(&db);
        for (number, (who, shared)) in
            (0..).zip(PEOPLE.iter().flat_map(|who| all.iter().map(move |shared| (who, shared))))
        {
            let Shared { id, .. } = shared;
            let actor = if *who == CLEO { BEN } else { CLEO };
            let sql =
                "insert into notifications (id, user_id, kind, actor_id, post_id, comment_id, created_at_ms)";
            // Each user has one notification about each post.
            let values = format!(
                "({number} + 9000, {}, 'reply', {}, {}, {}, 0)",
                who.0,
                actor.0,
                id.0,
                shared.comment_id().0
            );
            db.execute(&format!("{sql} values {values}")).unwrap();
        }
        let owner = |id: NotificationId| PEOPLE[usize::try_from(id.0 - 9000).unwrap() / all.len()];
        for who in PEOPLE {
            let page = move |Snapshot { sql, seq }: Snapshot<'_>| {
                notifications::store::page(sql, viewer(who), who, None, seq)
            };
            let listed = db.read(page).await;
            assert_eq!(listed.notifications.len(), all.len(), "nothing of what was said to them is lost");
            let owners = listed.notifications.iter().map(|item| owner(item.id));
            assert!(owners.into_iter().all(|owner| authz::may_see_notification(viewer(who), owner)));
            for (item, shared) in listed.notifications.iter().zip(all.iter().rev()) {
                let says =
                    (item.post_id, item.comment_id, item.comment_text.as_deref(), item.post_text.as_deref());
                let open = (Some(shared.id), Some(shared.comment_id()), Some("said"), Some("words"));
                assert_eq!(says, if shared.is_for(who) { open } else { (None, None, None, None) });
            }
        }
        // Each user tries to delete one notification of every user, their own last.
        for who in PEOPLE {
            let others = PEOPLE.into_iter().filter(|owner| *owner != who);
            for (number, owner_id) in (200..).zip(others.chain([who])) {
                let at = PEOPLE.iter().position(|person| *person == owner_id).unwrap();
                let notification_id = NotificationId(9000 + i64::try_from(at * all.len()).unwrap());
                let may = authz::may_see_notification(viewer(who), owner(notification_id));
                let key = key(who, number, &[]);
                let delete = notifications::store::Delete { key, viewer: viewer(who), notification_id };
                let done = db.write(delete).await;
                assert_eq!(done.err(), (!may).then_some(Refusal::NotFound), "{who:?} {owner_id:?}");
            }
        }
    });
}

/// Checks that an event about comments of a post is received by exactly the users who may read these comments, if
/// they show the post.
fn assert_received_by_who_shows_it(event: &Event, shared: &Shared) {
    let readers: Vec<_> = PEOPLE.into_iter().filter(|who| shared.is_for(*who)).collect();
    let (recipients, effects) = event.publication();
    for who in PEOPLE {
        let shows = |topic| topic == Topic::Post(shared.id);
        assert_eq!(recipients.names(who, shows), readers.contains(&who), "{who:?} {event:?}");
        assert!(!recipients.names(who, |topic| !shows(topic)), "{who:?} {event:?}");
    }
    assert_eq!(effects.about, Some(Topic::Post(shared.id)));
}

/// Returns a key that differs for each post and each number below four.
fn key_of(user_id: UserId, post_id: PostId, number: u8) -> KeyUse {
    key(user_id, number * 30 + u8::try_from(post_id.0).unwrap(), &[])
}

fn comment(author_id: UserId, shared: &Shared, number: u8, mentions: &[UserId]) -> comments::Create {
    let (post_id, seen, mentions) = (shared.id, shared.audience, mentions.to_vec());
    let (key, viewer) = (key_of(author_id, post_id, number), viewer(author_id));
    comments::Create { key, post_id, viewer, author_id, text: "words".into(), seen, mentions }
}

fn vote(voter_id: UserId, post_id: PostId, number: u8, vote: Vote) -> votes::store::Set {
    let (key, viewer) = (key_of(voter_id, post_id, number), viewer(voter_id));
    votes::store::Set { key, post_id, viewer, voter_id, vote }
}

#[test]
fn comments_are_written_exactly_where_authz_allows() {
    with_database(|db| async move {
        let all = has_all(&db);
        let before = db.number("select count(*) from comments").await;
        let mut expected = 0;
        for who in PEOPLE {
            let together = all.iter().map(|shared| db.write(comment(who, shared, 1, &[])));
            let mut replies = futures_util::future::join_all(together).await;
            for (number, mentions) in [(2, &[][..]), (3, &PEOPLE[..])] {
                for shared in &all {
                    replies.push(db.write(comment(who, shared, number, mentions)).await);
                }
            }
            for (reply, shared) in replies.iter().zip(all.iter().cycle()) {
                match shared.is_for(who) {
                    true => assert!(reply.is_ok(), "{who:?} {:?} {reply:?}", shared.id),
                    false => {
                        assert_eq!(reply.as_ref().err(), Some(&Refusal::NotFound), "{who:?} {:?}", shared.id)
                    }
                }
            }
            expected += replies.iter().filter(|reply| reply.is_ok()).count();
        }
        let after = db.number("select count(*) from comments").await;
        assert_eq!(after - before, i64::try_from(expected).unwrap());
        let keys = db.number("select count(*) from keys").await;
        assert_eq!(keys, i64::try_from(expected).unwrap(), "what was refused left nothing");
        // A comment is received by exactly the users who may read it, if they show the post. A notification is
        // received by its user alone.
        let of = |post_id: PostId| all.iter().find(|shared| shared.id == post_id).unwrap();
        for event in db.published() {
            match &event {
                Event::CommentCreated(created) => {
                    assert_received_by_who_shows_it(&event, of(created.comment.post_id));
                }
                Event::NotificationCreated(created) => {
                    let shared = of(created.notification.post_id.unwrap());
                    assert!(shared.is_for(created.user_id), "{created:?}");
                    let owners = PEOPLE
                        .into_iter()
                        .filter(|who| authz::may_see_notification(viewer(*who), created.user_id));
                    let owners: Vec<_> = owners.collect();
                    for shows in [false, true] {
                        assert_eq!(receivers(&event, &PEOPLE, shows), owners);
                    }
                }
                other => panic!("{other:?}"),
            }
        }
        let published = "select count(*) from notifications n join posts p on p.id = n.post_id
                     where p.audience = 'group' and not exists
                           (select 1 from members m where m.group_id = p.group_id and m.user_id = n.user_id)";
        assert_eq!(db.number(published).await, 0);
        let all_notified = "select count(*) from notifications where post_id in (11, 20)";
        assert!(db.number(all_notified).await > 0, "members are notified");
    });
}

#[test]
fn comments_are_deleted_as_authz_allows() {
    with_database(|db| async move {
        let all = has_all(&db);
        for who in PEOPLE {
            for shared in &all {
                let group_owner = match shared.audience.group_id() {
                    Some(BENS) => Some(BEN),
                    Some(CLEOS) => Some(CLEO),
                    _ => None,
                };
                let may = authz::may_delete_comment(viewer(who), CLEO, true, group_owner, &shared.facts(who));
                let comment_id = shared.comment_id();
                let key = key(who, u8::try_from(shared.id.0).unwrap(), &[]);
                db.published();
                let done = db.write(comments::Delete { key, comment_id, viewer: viewer(who) }).await;
                assert_eq!(done.is_ok(), may, "{who:?} {:?}", shared.id);
                let published = db.published();
                match (may, &published[..]) {
                    (true, [event @ Event::CommentDeleted(_)]) => {
                        assert_received_by_who_shows_it(event, shared);
                        db.execute(&format!(
                            "insert into comments (id, post_id, author_id, text, created_at_ms)
                               values ({}, {}, 3, 'said', 0)",
                            comment_id.0, shared.id.0
                        ))
                        .unwrap();
                    }
                    (false, []) => assert_eq!(done, Err(Refusal::NotFound)),
                    other => panic!("{other:?}"),
                }
            }
        }
    });
}

#[test]
fn a_deleted_account_publishes_no_comments_of_deleted_groups() {
    with_database(|db| async move {
        let all = has_all(&db);
        let gone: Vec<_> = all.iter().map(|shared| (shared.id, shared.comment_id())).collect();
        let published =
            db.read(move |Snapshot { sql, .. }| comments::deleted(sql, &gone, &Users::default())).await;
        let nobody_else = Audience::Author {};
        let expected: Vec<_> = all.iter().filter(|shared| shared.audience != nobody_else).collect();
        assert_eq!(published.len(), expected.len());
        for (event, shared) in published.iter().zip(expected) {
            let Event::CommentDeleted(deleted) = event else { panic!("{event:?}") };
            assert_eq!(deleted.post_id, shared.id);
            assert_received_by_who_shows_it(event, shared);
        }
    });
}

#[test]
fn a_vote_on_a_hidden_post_is_answered_like_one_on_a_deleted_post() {
    with_database(|db| async move {
        let all = has_all(&db);
        let gone = PostId(29);
        for who in PEOPLE {
            db.published();
            // The votes come in one batch first, and then one by one.
            let posts: Vec<PostId> = all.iter().map(|shared| shared.id).chain([gone]).collect();
            let together = posts.iter().map(|post_id| db.write(vote(who, *post_id, 1, Vote::Positive)));
            let mut replies = futures_util::future::join_all(together).await;
            for post_id in &posts {
                replies.push(db.write(vote(who, *post_id, 2, Vote::Negative)).await);
            }
            let says = ["positive", "negative"];
            for (at, reply) in replies.iter().enumerate() {
                let (round, post_id) = (at / posts.len(), posts[at % posts.len()]);
                let shared = all.iter().find(|shared| shared.id == post_id);
                let may = shared.is_some_and(|shared| authz::may_vote(viewer(who), &shared.facts(who)));
                let ok: rmpv::Value = rmpv::decode::read_value(&mut &reply.as_ref().unwrap()[..]).unwrap();
                assert_eq!(
                    ok["vote"].as_str(),
                    Some(if may { says[round] } else { "none" }),
                    "{who:?} {post_id:?}"
                );
            }
            for event in db.published() {
                // Only the voter receives a vote. Exactly the users who may see the count receive it.
                let of = |post_id: PostId| all.iter().find(|shared| shared.id == post_id).unwrap();
                let expected: Vec<UserId> = match &event {
                    Event::VoteChanged(changed) => {
                        assert!(of(changed.post_id).is_seen_by(who));
                        vec![who]
                    }
                    Event::VotesCounted(counted) => {
                        let may = |user: &UserId| {
                            let facts = of(counted.post_id).facts(*user);
                            authz::may_see_positive_count(viewer(*user), &facts)
                        };
                        PEOPLE.into_iter().filter(may).collect()
                    }
                    other => panic!("{other:?}"),
                };
                for shows in [false, true] {
                    assert_eq!(receivers(&event, &PEOPLE, shows), expected, "{event:?}");
                }
            }
            let cast = format!("delete from votes where user_id = {}", who.0);
            let may = all.iter().filter(|shared| shared.is_seen_by(who)).count();
            assert_eq!(db.execute(&cast).unwrap(), may);
        }
    });
}

#[test]
fn an_earlier_vote_stays_unchanged_after_the_voter_left_the_group() {
    with_database(|db| async move {
        let group = db.has_group(BENS.0, BEN, &[CLEO]);
        let post = db.has_group_post(10, BEN, Some(group));
        db.write(vote(CLEO, post, 1, Vote::Positive)).await.unwrap();
        db.has_left(group, CLEO);
        db.published();
        for (number, other) in [(2, Vote::None), (3, Vote::Negative)] {
            db.write(vote(CLEO, post, number, other)).await.unwrap();
        }
        assert_eq!(db.published().len(), 0);
        assert_eq!(db.number("select sum(vote) from votes").await, 1);
    });
}
