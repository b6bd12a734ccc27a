//! Writing a comment: the busiest write there is, so it goes in one trip, and a crowd's in one together.

use std::collections::HashMap;

use bytes::Bytes;
use sqlx::{FromRow, Row};

use crate::access::{self, PostFacts, Viewer};
use crate::db::work::{BoxedWork, KeyUse, Pending, Stage, Work, known_answer, run_of};
use crate::error::{Error, Refusal};
use crate::features::comments::wire::{Created, Made};
use crate::features::kit::{hex, text_of_hex};
use crate::features::notices::{self, Cause, Kind, Notice};
use crate::features::views::{
    Audience, Comment, User, is_for, is_member, members_of_async, users_named_async,
};
use crate::features::{Event, mentions};
use crate::ids::{CommentId, GroupId, NotificationId, PostId, Seq, UserId};
use crate::limits::NOTIFICATIONS_MAX;
use crate::wire::codec;

/// Writes a comment, and tells whom it concerns: the post's author, and who is mentioned.
pub struct Create {
    pub key: KeyUse,
    pub id: CommentId,
    pub post_id: PostId,
    pub viewer: Viewer,
    pub author_id: UserId,
    pub text: String,
    /// Who is mentioned, each once, and the id of the notification that each would get.
    pub mentions: Vec<(UserId, NotificationId)>,
}

/// A comment that mentions nobody, all of it in one trip: savepoint, the comment, its key, the notice of
/// the post's author (its id is the comment's own), the facts after, release.
///
/// Arguments: 1 post, 2 author, 3 key, 4 comment, 5 text, 6 now, 7 body, 8 answer; without gaps, as in
/// `votes/store.rs`. Nothing is written, its key neither, when the post is gone or is not for its author, as
/// `access::may_comment` says; nor is there a notice for somebody who may not read the comment.
const CREATE: &str = concat!(
    "
    savepoint one;
    insert into comments (id, post_id, author_id, text, created_at_ms)
      select ?4, ?1, ?2, ?5, ?6 where exists (select 1 from posts p where p.id = ?1 and ",
    is_for!("p", "?2"),
    ") and not exists (select 1 from keys where user_id = ?2 and key = ?3);
    insert into keys (user_id, key, body_hash, answer, made_at_ms)
      select ?2, ?3, ?7, ?8, ?6 from comments where id = ?4 and post_id = ?1 and text = ?5;
    insert into notifications (id, user_id, kind, actor_id, post_id, comment_id, created_at_ms)
      select c.id, p.author_id, 'comment', ?2, p.id, c.id, ?6 from comments c join posts p on p.id = c.post_id
       where c.id = ?4 and p.id = ?1 and c.text = ?5 and p.author_id <> ?2 and ?3 is not null and ",
    is_for!("p", "p.author_id"),
    ";
    delete from notifications where user_id = (select author_id from posts where id = ?1) and id <=
      (select id from notifications where user_id = (select author_id from posts where id = ?1)
        order by id desc limit 1 offset 300);
    select k.body_hash, k.answer, exists (select 1 from comments where id = ?4) as is_new,
           p.author_id, p.audience, p.group_id, ",
    is_member!("p", "?2"),
    " as is_member, ",
    is_for!("p", "p.author_id"),
    " as tells_author, p.comments_count, p.text as post_text, u.name, u.photo_url
      from keys k left join posts p on p.id = ?1 left join users u on u.id = ?2
     where k.user_id = ?2 and k.key = ?3;
    release one"
);

/// A run of comments in one trip, as `votes/store.rs` does it for votes.
///
/// Comments whose key is known or whose post is gone or not for them are left for [`CREATE`].
/// Arguments: 1 rows of `[post, author, key, comment, text, body, answer]` (bytes as hexadecimal), 2 now.
const CREATE_MANY: &str = concat!(
    "
    savepoint one;
    create temp table if not exists comment_run (
        n integer primary key, post_id integer, author_id integer, key blob, id integer, text text,
        body_hash blob, answer blob, post_author_id integer, audience text, group_id integer, is_member integer,
        tells_author integer, comments_count integer, post_text text, name text, photo_url text,
        is_known integer) strict;
    delete from temp.comment_run;
    insert into temp.comment_run
      select r.key, r.value ->> 0, r.value ->> 1, unhex(r.value ->> 2), r.value ->> 3,
             cast(unhex(r.value ->> 4) as text), unhex(r.value ->> 5), unhex(r.value ->> 6),
             p.author_id, p.audience, p.group_id, ",
    is_member!("p", "u.id"),
    ", p.author_id <> u.id and ",
    is_for!("p", "p.author_id"),
    ", p.comments_count, p.text, u.name, u.photo_url,
             exists (select 1 from keys k where k.user_id = r.value ->> 1 and k.key = unhex(r.value ->> 2))
        from json_each(?1) r join posts p on p.id = r.value ->> 0 join users u on u.id = r.value ->> 1;
    delete from temp.comment_run where is_known or not (audience = 'public' or is_member);
    insert into comments (id, post_id, author_id, text, created_at_ms)
      select id, post_id, author_id, text, ?2 from temp.comment_run where ?1 is not null order by n;
    insert into keys (user_id, key, body_hash, answer, made_at_ms)
      select author_id, key, body_hash, answer, ?2 from temp.comment_run where ?1 is not null;
    insert into notifications (id, user_id, kind, actor_id, post_id, comment_id, created_at_ms)
      select id, post_author_id, 'comment', author_id, post_id, id, ?2 from temp.comment_run
       where ?1 is not null and tells_author order by n;
    with told (user_id, last) as
      (select post_author_id, (select id from notifications where user_id = post_author_id
                                order by id desc limit 1 offset 300)
         from (select distinct post_author_id from temp.comment_run))
    delete from notifications where id in
      (select n.id from told join notifications n on n.user_id = told.user_id and n.id <= told.last);
    select group_concat(format('%d %d %s %d %d %d %d %s %s %s', n, post_author_id, audience, group_id, is_member,
                               tells_author, comments_count, hex(post_text), hex(name), hex(photo_url)))
      from temp.comment_run;
    release one"
);

const _: () = assert!(NOTIFICATIONS_MAX == 300, "as the statements say");

impl Create {
    fn row(&self, answer: &[u8]) -> String {
        format!(
            "[{},{},\"{}\",{},\"{}\",\"{}\",\"{}\"]",
            self.post_id.0,
            self.author_id.0,
            hex(&self.key.key),
            self.id.0,
            hex(self.text.as_bytes()),
            hex(&self.key.body_hash),
            hex(answer)
        )
    }

    /// Two uses of one key come one after the other; who mentions somebody goes alone.
    fn meets(&self, other: &Self) -> bool {
        !other.mentions.is_empty() || (self.author_id == other.author_id && self.key.key == other.key.key)
    }

    fn comment(&self, now_ms: i64) -> Comment {
        Comment {
            id: self.id,
            post_id: self.post_id,
            author_id: self.author_id,
            text: self.text.clone(),
            created_at_ms: now_ms,
        }
    }

    /// Returns what the post's author is told of a comment that mentions nobody.
    fn notice(&self, post_author_id: UserId, post_text: &str, group_id: Option<GroupId>) -> Notice {
        let cause = Cause {
            post_id: self.post_id,
            comment_id: self.id,
            comment_text: mentions::beginning(&self.text),
            post_text: mentions::beginning(post_text),
            group_id,
        };
        self.tells(post_author_id, cause)
    }

    fn tells(&self, post_author_id: UserId, cause: Cause) -> Notice {
        Notice {
            id: NotificationId(self.id.0),
            user_id: post_author_id,
            kind: Kind::Comment,
            actor_id: self.author_id,
            cause: Some(cause),
        }
    }

    /// Writes a comment that mentions people, step by step; its savepoint and key are the writer's.
    async fn apply_mentioning(&mut self, stage: &mut Stage<'_, Event>) -> Result<Bytes, Error> {
        let post: Option<Commented> = sqlx::query_as(concat!(
            "select p.author_id, p.audience, p.group_id, ",
            is_member!("p", "?2"),
            " as is_member, p.comments_count, p.text as post_text from posts p where p.id = ?1 and ",
            is_for!("p", "?2"),
        ))
        .bind(self.post_id)
        .bind(self.author_id)
        .fetch_optional(&mut *stage.connection)
        .await?;
        let may = |post: &Commented| access::may_comment(self.viewer, &post.facts());
        let post = post.filter(may).ok_or(Refusal::NotFound)?;
        let (post_author_id, group_id) = (post.author_id, post.group_id);
        let members = match group_id {
            Some(group_id) => Some(members_of_async(stage.connection, group_id).await?),
            None => None,
        };
        let named = self.mentions.iter().map(|(user_id, _)| *user_id).chain([self.author_id]);
        let users = users_named_async(stage.connection, named).await?;
        let author = users.iter().find(|user| user.id == self.author_id).cloned().ok_or(Refusal::NotFound)?;
        sqlx::query(
            "insert into comments (id, post_id, author_id, text, created_at_ms) values (?1, ?2, ?3, ?4, ?5)",
        )
        .bind(self.id)
        .bind(self.post_id)
        .bind(self.author_id)
        .bind(&self.text)
        .bind(stage.now_ms)
        .execute(&mut *stage.connection)
        .await?;
        let names: HashMap<UserId, &str> = users.iter().map(|user| (user.id, user.name.as_str())).collect();
        let cause = Cause {
            post_id: self.post_id,
            comment_id: self.id,
            comment_text: mentions::preview(&self.text, &names),
            post_text: mentions::beginning(&post.post_text),
            group_id,
        };
        // Once each: the post's author as such (D-D7), nobody for their own words (D-D8), and nobody who
        // may not read what is said there (D-D9).
        let is_for = |user_id: UserId| match &members {
            Some(members) => members.binary_search(&user_id).is_ok(),
            None => true,
        };
        let mut notices = Vec::new();
        if post_author_id != self.author_id && is_for(post_author_id) {
            notices.push(self.tells(post_author_id, cause.clone()));
        }
        for (user_id, id) in &self.mentions {
            let is_told_otherwise = [post_author_id, self.author_id].contains(user_id);
            if !is_told_otherwise && names.contains_key(user_id) && is_for(*user_id) {
                let (kind, cause) = (Kind::Reply, Some(cause.clone()));
                notices.push(Notice { id: *id, user_id: *user_id, kind, actor_id: self.author_id, cause });
            }
        }
        let comment = self.comment(stage.now_ms);
        let comments_count = post.comments_count + 1;
        let created = Created { comment: comment.clone(), users, comments_count, group_id };
        let seq = stage.tell(Event::CommentCreated(created));
        notices::give_async(stage, notices, &author).await?;
        Ok(Bytes::from(codec::encode(&Made { comment, seq })?))
    }
}

/// What is commented on.
#[derive(FromRow)]
struct Commented {
    author_id: UserId,
    audience: String,
    group_id: Option<GroupId>,
    /// Is who comments in its group?
    is_member: bool,
    comments_count: i64,
    post_text: String,
}

impl Commented {
    fn facts(&self) -> PostFacts {
        let audience = Audience::kept(&self.audience, self.group_id);
        PostFacts { author_id: self.author_id, audience: audience.fact(self.is_member) }
    }
}

/// What became of one comment of a run.
struct Became {
    n: usize,
    /// Its count is that before the run.
    post: Commented,
    tells_author: bool,
    author: User,
}

impl Became {
    fn read(text: &str, run: &[&Create]) -> Option<Self> {
        let mut parts = text.split(' ');
        let n = parts.next()?.parse().ok()?;
        let number = |parts: &mut std::str::Split<'_, char>| parts.next()?.parse::<i64>().ok();
        let author_id = UserId(number(&mut parts)?);
        let audience = parts.next()?.to_owned();
        let group_id = number(&mut parts).filter(|id| *id != 0).map(GroupId);
        let (is_member, tells_author) = (number(&mut parts)? != 0, number(&mut parts)? != 0);
        let comments_count = number(&mut parts)?;
        let post_text = text_of_hex(parts.next()?)?;
        Some(Self {
            n,
            post: Commented { author_id, audience, group_id, is_member, comments_count, post_text },
            tells_author,
            author: User {
                id: run.get(n)?.author_id,
                name: text_of_hex(parts.next()?)?,
                photo_url: text_of_hex(parts.next()?).filter(|url| !url.is_empty()),
            },
        })
    }
}

impl Work for Create {
    type Event = Event;

    fn key(&self) -> Option<&KeyUse> {
        Some(&self.key)
    }

    fn is_one_trip(&self) -> bool {
        self.mentions.is_empty()
    }

    fn weight_bytes(&self) -> usize {
        self.text.len() + 256
    }

    fn unites(&self, next: &[BoxedWork<Event>]) -> usize {
        if self.mentions.is_empty() { run_of(self, next, Self::meets).len() - 1 } else { 0 }
    }

    fn apply_united<'a>(
        &'a mut self,
        others: &'a mut [BoxedWork<Event>],
        stage: &'a mut Stage<'_, Event>,
    ) -> Pending<'a, Result<Vec<Option<Bytes>>, Error>> {
        Box::pin(async move {
            let run = run_of(&*self, others, Self::meets);
            // A number for each; those that turn out to be repeats leave theirs unused.
            let seqs: Vec<Seq> = run.iter().map(|_| stage.promise(1)).collect();
            let mut answers = Vec::with_capacity(run.len());
            for (create, seq) in run.iter().zip(&seqs) {
                let made = Made { comment: create.comment(stage.now_ms), seq: *seq };
                answers.push(Bytes::from(codec::encode(&made)?));
            }
            let rows: Vec<String> =
                run.iter().zip(&answers).map(|(create, answer)| create.row(answer)).collect();
            let became: Option<String> = sqlx::query_scalar(CREATE_MANY)
                .bind(format!("[{}]", rows.join(",")))
                .bind(stage.now_ms)
                .fetch_one(&mut *stage.connection)
                .await?;
            let mut became: Vec<Became> = became
                .as_deref()
                .into_iter()
                .flat_map(|became| became.split(','))
                .map(|became| {
                    Became::read(became, &run).ok_or(Error::Broken("a run of comments left no trace"))
                })
                .collect::<Result<_, _>>()?;
            // Events are told in the order of their numbers, and each says the count as of itself.
            became.sort_unstable_by_key(|became| became.n);
            let mut done = vec![None; run.len()];
            let mut added: HashMap<PostId, i64> = HashMap::new();
            let mut notices = Vec::new();
            for Became { n, post, tells_author, author } in became {
                let (Some(create), Some(seq)) = (run.get(n), seqs.get(n)) else {
                    return Err(Error::Broken("a run of comments lost count"));
                };
                debug_assert!(
                    access::may_comment(create.viewer, &post.facts()),
                    "the SQL lets through what access does"
                );
                let added = added.entry(create.post_id).or_insert(0);
                *added += 1;
                let users = vec![author.clone()];
                let comment = create.comment(stage.now_ms);
                let comments_count = post.comments_count + *added;
                let group_id = post.group_id;
                stage.tell_as(
                    *seq,
                    Event::CommentCreated(Created { comment, users, comments_count, group_id }),
                );
                done[n] = Some(answers[n].clone());
                if tells_author {
                    notices.push((create.notice(post.author_id, &post.post_text, group_id), author));
                }
            }
            for (notice, author) in notices {
                let event = notice.event(&author, stage.now_ms);
                stage.tell(event);
            }
            Ok(done)
        })
    }

    fn apply<'a>(&'a mut self, stage: &'a mut Stage<'_, Event>) -> Pending<'a, Result<Bytes, Error>> {
        if !self.mentions.is_empty() {
            return Box::pin(self.apply_mentioning(stage));
        }
        Box::pin(async move {
            let comment = self.comment(stage.now_ms);
            let made = codec::encode(&Made { comment: comment.clone(), seq: Seq(stage.seq().0 + 1) })?;
            let rows = sqlx::query(CREATE)
                .bind(self.post_id)
                .bind(self.author_id)
                .bind(&self.key.key[..])
                .bind(self.id)
                .bind(&self.text)
                .bind(stage.now_ms)
                .bind(&self.key.body_hash[..])
                .bind(made)
                .fetch_all(&mut *stage.connection)
                .await?;
            let row = rows.first().ok_or(Refusal::NotFound)?;
            let answer = known_answer(&self.key, row.try_get("body_hash")?, row.try_get("answer")?)?;
            if row.try_get("is_new")? {
                let post = Commented::from_row(row)?;
                debug_assert!(
                    access::may_comment(self.viewer, &post.facts()),
                    "the SQL lets through what access does"
                );
                let author = User {
                    id: self.author_id,
                    name: row.try_get("name")?,
                    photo_url: row.try_get("photo_url")?,
                };
                let (users, group_id) = (vec![author.clone()], post.group_id);
                let comments_count = post.comments_count;
                stage.tell(Event::CommentCreated(Created { comment, users, comments_count, group_id }));
                if post.author_id != self.author_id && row.try_get("tells_author")? {
                    let notice = self.notice(post.author_id, &post.post_text, group_id);
                    let event = notice.event(&author, stage.now_ms);
                    stage.tell(event);
                }
            }
            Ok(answer)
        })
    }
}
