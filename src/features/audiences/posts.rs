//! Who receives what becomes of a post, beside what `access` says: over all authors, audiences and people.

#[cfg(test)]
mod tests {
    use crate::access;
    use crate::error::Refusal;
    use crate::events::{Loss, Topic};
    use crate::features::Event;
    use crate::features::audiences::tests::{AUDIENCES, PEOPLE, Shared, follows, has_all, is_in};
    use crate::features::posts::rules::{NewPost, Words};
    use crate::features::posts::store as posts;
    use crate::features::testing::{key, receivers, told, viewer};
    use crate::features::views::Audience;
    use crate::ids::{PostId, UserId};

    /// Does an event of a post with this audience come to this user? If they show the post and its author's profile:
    /// exactly if they may see it. Otherwise to followers, members and the author.
    fn is_named(who: UserId, author_id: UserId, audience: Audience, shows: bool) -> bool {
        let is_near = match audience {
            Audience::Public {} => shows || follows(who, author_id),
            Audience::Group { .. } => true,
        };
        Shared { id: PostId(0), author_id, audience }.is_seen_by(who) && (is_near || who == author_id)
    }

    fn people_where(is_so: impl Fn(UserId) -> bool) -> Vec<UserId> {
        PEOPLE.into_iter().filter(|who| is_so(*who)).collect()
    }

    #[test]
    fn what_becomes_of_a_post_names_exactly_whom_access_says() {
        told(|room| async move {
            let all = has_all(&room);
            // Nobody else has spoken: a post may be for anybody its author shares with.
            room.by_hand("delete from comments").unwrap();
            let (mut number, mut seen) = (0, 0);
            for (shared, after) in all.iter().flat_map(|shared| AUDIENCES.map(|after| (shared, after))) {
                let Shared { id: post_id, author_id, audience: before } = *shared;
                let group = before.group_id().map_or("null".to_owned(), |id| id.0.to_string());
                room.by_hand(&format!(
                    "update posts set audience = '{}', group_id = {group} where id = {}",
                    before.word(),
                    post_id.0
                ))
                .unwrap();
                number += 1;
                let words = Words { title: None, text: format!("words {number}") };
                let (key, by) = (key(author_id, number, &[]), viewer(author_id));
                let edit = posts::Update { key, post_id, viewer: by, words, audience: after };
                let is_done = room.does(edit).await.is_ok();
                let heard = room.heard();
                assert_eq!(is_done, !heard.is_empty());
                for event in &heard {
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
    fn a_new_post_and_one_that_is_gone_name_exactly_whom_access_says() {
        told(|room| async move {
            let all = has_all(&room);
            for shared in &all {
                let Shared { id, author_id, audience } = *shared;
                let number = u8::try_from(id.0).unwrap();
                let create = posts::Create {
                    key: key(author_id, number + 50, &[]),
                    id: PostId(id.0 + 500),
                    viewer: viewer(author_id),
                    author_id,
                    new: NewPost { title: None, text: "new".into(), tag: None },
                    audience,
                    pictures: Ok(Vec::new()),
                };
                let may_share = access::may_share_with(
                    viewer(author_id),
                    audience.fact(is_in(author_id, audience.group_id())),
                );
                assert_eq!(room.does(create).await.is_ok(), may_share, "{author_id:?} {audience:?}");
                let delete = posts::Delete {
                    key: key(author_id, number, &[]),
                    post_id: id,
                    viewer: viewer(author_id),
                };
                room.does(delete).await.unwrap();
                let heard = room.heard();
                assert_eq!(heard.len(), 1 + usize::from(may_share));
                for (event, shows) in heard.iter().flat_map(|event| [(event, false), (event, true)]) {
                    let expected = people_where(|who| is_named(who, author_id, audience, shows));
                    assert_eq!(receivers(event, &PEOPLE, shows), expected, "{event:?}");
                }
                let effects = heard.last().unwrap().publication().1;
                assert_eq!((effects.ends, effects.loss), (Some(Topic::Post(id)), None));
            }
        });
    }

    #[test]
    fn posts_are_edited_and_deleted_by_their_authors_alone_wherever_those_are() {
        told(|room| async move {
            let all = has_all(&room);
            for who in PEOPLE {
                for shared in &all {
                    let is_theirs = who == shared.author_id;
                    let audience = shared.audience.seen(is_in(who, shared.audience.group_id()));
                    let number = u8::try_from(shared.id.0).unwrap();
                    let words = Words { title: None, text: "other words".into() };
                    let (post_id, by) = (shared.id, viewer(who));
                    let edit =
                        posts::Update { key: key(who, number, &[]), post_id, viewer: by, words, audience };
                    let edited = room.does(edit).await;
                    let delete = posts::Delete { key: key(who, number + 100, &[]), post_id, viewer: by };
                    room.heard();
                    let deleted = room.does(delete).await;
                    assert_eq!(
                        (edited.is_ok(), deleted.is_ok()),
                        (is_theirs, is_theirs),
                        "{who:?} {post_id:?}"
                    );
                    if !is_theirs {
                        assert_eq!(
                            (edited.err(), deleted.err()),
                            (Some(Refusal::NotFound), Some(Refusal::NotFound))
                        );
                    }
                    assert_eq!(room.heard().len(), usize::from(is_theirs));
                    if is_theirs {
                        room.has_post(post_id.0, shared.author_id, 1);
                        let group = match shared.audience {
                            Audience::Public {} => continue,
                            Audience::Group { group_id } => {
                                group_id.map_or("null".to_owned(), |id| id.0.to_string())
                            }
                        };
                        room.by_hand(&format!(
                            "update posts set audience = 'group', group_id = {group} where id = {}",
                            post_id.0
                        ))
                        .unwrap();
                    }
                }
            }
        });
    }
}
