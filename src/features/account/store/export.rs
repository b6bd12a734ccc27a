//! Reads the data of a user page by page as JSON. SQLite makes one object for each row.
//!
//! Times are in UTC. Texts of other people are left out. So are the ids of users whom the user may not meet, except
//! those whom the user blocked.

use rusqlite::params_from_iter;

use crate::authz::sql::{comments_seen, is_member, may_meet, may_take_part};
use crate::db::sql::Sql;
use crate::error::Error;
use crate::features::shared::{between, mentions};
use crate::ids::{ID_LIMIT, LoginId, UserId};
use crate::limits::EXPORT_PAGE;

/// One file of an archive: its name, its content, and the query that returns `(id, json)` for one page, newest first.
///
/// Arguments: 1 the user, 2 the id before which the page begins, 3 the number of rows, 4 the time (in some queries).
pub struct ArchiveFile {
    pub file: &'static str,
    pub about: &'static str,
    sql: &'static str,
}

/// The time of a column with milliseconds.
macro_rules! time {
    ($column:literal) => {
        concat!("strftime('%Y-%m-%dT%H:%M:%SZ', ", $column, " / 1000, 'unixepoch')")
    };
}

/// The path in the archive of the file of a row `f`.
macro_rules! place {
    ($file:literal) => {
        concat!("'media/' || ", $file, ".full_path")
    };
}

/// The name of the group of an audience. It is null if the group was deleted or the user is no longer in it.
macro_rules! group_name {
    ($row:literal) => {
        concat!(
            "coalesce((select g.name from members x join groups g on g.id = x.group_id
                        where x.group_id = ",
            $row,
            ".group_id and x.user_id = ?1),
                      'a group that no longer exists')"
        )
    };
}

/// The file in whose texts mentions occur.
const COMMENTS: &str = "comments.json";

pub const ARCHIVE_FILES: &[ArchiveFile] = &[
    ArchiveFile {
        file: "profile.json",
        about: "your profile, your email address and your settings",
        sql: concat!(
            "select u.id, json_object('id', u.id, 'name', u.name, 'email', u.email,
                'email_to_be_confirmed', u.pending_email, 'bio', u.bio,
                'from_color', u.from_color, 'to_color', u.to_color, 'photo', ", place!("f"), ",
                'followers', u.followers_count, 'following', u.following_count,
                'hides_numbers', json(iif(u.hide_numbers, 'true', 'false')),
                'is_listed', json(iif(u.listed, 'true', 'false')),
                'who_can_add_to_groups', u.adders, 'who_can_comment', u.commenters,
                'joined_at', ", time!("u.created_at_ms"), ")
               from users u left join photos p on p.user_id = u.id left join files f on f.id = p.screen_file_id
              where u.id = ?1 and u.id < ?2 limit ?3"
        ),
    },
    ArchiveFile {
        file: "posts.json",
        about: "your posts, with the names of their pictures in this archive",
        sql: concat!(
            "select p.id, json_object('id', p.id, 'title', p.title, 'text', p.text, 'tag', p.tag,
                'audience', p.audience, 'group', iif(p.audience = 'public', null, ", group_name!("p"), "),
                'written_at', ", time!("p.created_at_ms"), ",
                'edited_at', iif(p.updated_at_ms = p.created_at_ms, null, ", time!("p.updated_at_ms"), "),
                'comments', iif(", may_take_part!("p", "?1"), ", ", comments_seen!("p", "?1"), ", 0),
                'positive_vibes', p.positive_count, 'pictures', (select json_group_array(json_object('file', ", place!("s"), ",
                        'moving_file', ", place!("m"), ", 'alt', i.alt, 'width', i.width, 'height', i.height)
                        order by i.position)
                      from pictures i join files s on s.id = i.screen_file_id
                      left join files m on m.id = i.motion_file_id where i.post_id = p.id))
               from posts p where p.author_id = ?1 and p.id < ?2 order by p.id desc limit ?3"
        ),
    },
    ArchiveFile {
        file: COMMENTS,
        about: "your comments on posts",
        sql: concat!(
            "select c.id, json_object('id', c.id, 'post_id', c.post_id, 'text', c.text,
                'written_at', ", time!("c.created_at_ms"), ")
               from comments c where c.author_id = ?1 and c.id < ?2 order by c.id desc limit ?3"
        ),
    },
    ArchiveFile {
        file: "vibes.json",
        about: "your votes on posts",
        sql: "select v.post_id, json_object('post_id', v.post_id, 'vibe', iif(v.vote = 1, 'positive', 'negative'))
               from votes v where v.user_id = ?1 and v.post_id < ?2 order by v.post_id desc limit ?3",
    },
    ArchiveFile {
        file: "moods.json",
        about: "your moods of today",
        sql: concat!(
            "select m.made_at_ms, json_object('date', m.local_date, 'slot', m.slot, 'mood', m.mood,
                'shared_at', ", time!("m.made_at_ms"), ")
               from moods m where m.user_id = ?1 and m.made_at_ms < ?2 and m.expires_at_ms > ?4
              order by m.made_at_ms desc limit ?3"
        ),
    },
    ArchiveFile {
        file: "polls.json",
        about: "your polls; with the number of votes for each option if you voted in the poll",
        // The creator learns no more than the screen shows, even after the poll has closed or the creator left the
        // group.
        sql: concat!(
            "select p.id, json_object('id', p.id, 'question', p.question,
                'audience', p.audience, 'group', iif(p.audience = 'public', null, ", group_name!("p"), "),
                'options', (select json_group_array(json_object('text', o.text, 'votes',
                        iif(exists (select 1 from ballots b where b.poll_id = p.id and b.user_id = ?1)
                            and (p.audience = 'public' or ", is_member!("p", "?1"), "), o.votes_count, null)) order by o.position)
                      from poll_options o where o.poll_id = p.id),
                'asked_at', ", time!("p.created_at_ms"), ", 'closes_at', ", time!("p.closes_at_ms"), ")
               from (select *, iif(group_id is null, 'public', 'group') as audience from polls) p
              where p.creator_id = ?1 and p.id < ?2 order by p.id desc limit ?3"
        ),
    },
    ArchiveFile {
        file: "poll_votes.json",
        about: "your votes in polls: which option, the first being 1",
        sql: concat!(
            "select b.poll_id, json_object('poll_id', b.poll_id, 'option', b.position + 1,
                'voted_at', ", time!("b.voted_at_ms"), ")
               from ballots b where b.user_id = ?1 and b.poll_id < ?2 order by b.poll_id desc limit ?3"
        ),
    },
    ArchiveFile {
        file: "groups.json",
        about: "the groups that you own, and their members",
        sql: concat!(
            "select g.id, json_object('id', g.id, 'name', g.name, 'made_at', ", time!("g.created_at_ms"), ",
                'members', (select json_group_array(json_object('id', u.id, 'name', u.name) order by m.id)
                              from members m join users u on u.id = m.user_id where m.group_id = g.id and ", may_meet!("u.id", "?1"), "))
               from groups g where g.owner_id = ?1 and g.id < ?2 order by g.id desc limit ?3"
        ),
    },
    ArchiveFile {
        file: "joined_groups.json",
        about: "groups of others that you are a member of, and their owners",
        sql: concat!(
            "select g.id, json_object('id', g.id, 'name', g.name,
                'owner', json(iif(", may_meet!("u.id", "?1"), ", json_object('id', u.id, 'name', u.name), 'null')))
               from members m join groups g on g.id = m.group_id join users u on u.id = g.owner_id
              where m.user_id = ?1 and g.owner_id <> ?1 and m.group_id < ?2 order by m.group_id desc limit ?3"
        ),
    },
    ArchiveFile {
        file: "left_groups.json",
        about: "groups that you left and are not added to again, without their names",
        // The archive names no group that the user is not in.
        sql: concat!(
            "select l.group_id, json_object('id', l.group_id, 'left_at', ", time!("l.left_at_ms"), ")
               from left_groups l where l.user_id = ?1 and l.group_id < ?2 order by l.group_id desc limit ?3"
        ),
    },
    ArchiveFile {
        file: "following.json",
        about: "whom you follow",
        sql: concat!(
            "select f.id, json_object('id', u.id, 'name', u.name)
               from follows f join users u on u.id = f.followed_id
              where f.follower_id = ?1 and f.id < ?2 and ", may_meet!("u.id", "?1"), " order by f.id desc limit ?3"
        ),
    },
    ArchiveFile {
        file: "followers.json",
        about: "who follows you",
        sql: concat!(
            "select f.id, json_object('id', u.id, 'name', u.name)
               from follows f join users u on u.id = f.follower_id
              where f.followed_id = ?1 and f.id < ?2 and ", may_meet!("u.id", "?1"), " order by f.id desc limit ?3"
        ),
    },
    ArchiveFile {
        file: "notifications.json",
        about: "your notifications: what happened, and who did it",
        sql: concat!(
            "select n.id, json_object('id', n.id, 'kind', n.kind,
                'from', json_object('id', u.id, 'name', u.name),
                'post_id', iif(", may_take_part!("p", "?1"), ", n.post_id, null),
                'comment_id', iif(", may_take_part!("p", "?1"), ", n.comment_id, null),
                'at', ", time!("n.created_at_ms"), ", 'unread', json(iif(n.unread, 'true', 'false')))
               from notifications n join users u on u.id = n.actor_id left join posts p on p.id = n.post_id
              where n.user_id = ?1 and n.id < ?2 and ", may_meet!("u.id", "?1"), " order by n.id desc limit ?3"
        ),
    },
    ArchiveFile {
        file: "invitations.json",
        about: "the links by which you invite people",
        sql: concat!(
            "select i.created_at_ms, json_object('code', i.code, 'made_at', ", time!("i.created_at_ms"), ",
                'ends_at', ", time!("i.ends_at_ms"), ", 'uses', i.uses, 'uses_at_most', i.uses_max)
               from invites i where i.maker_id = ?1 and i.created_at_ms < ?2
              order by i.created_at_ms desc limit ?3"
        ),
    },
    ArchiveFile {
        file: "reports.json",
        about: "what you reported to the host",
        sql: concat!(
            "select r.id, json_object('kind', r.kind,
                'id', iif(r.kind = 'user' and not (", may_meet!("r.about_id", "?1"), "), null, r.about_id), 'reason', r.reason, 'details', r.details,
                'reported_at', ", time!("r.reported_at_ms"), ")
               from reports r where r.reporter_id = ?1 and r.id < ?2 order by r.id desc limit ?3"
        ),
    },
    ArchiveFile {
        file: "blocked.json",
        about: "whom you blocked",
        sql: concat!(
            "select b.blocked_id, json_object('id', u.id, 'name', u.name, 'since', ", time!("b.created_at_ms"), ")
               from blocks b join users u on u.id = b.blocked_id
              where b.blocker_id = ?1 and b.blocked_id < ?2 order by b.blocked_id desc limit ?3"
        ),
    },
    ArchiveFile {
        file: "muted.json",
        about: "whom you muted",
        sql: concat!(
            "select m.muted_id, json_object('id', u.id, 'name', u.name, 'since', ", time!("m.created_at_ms"), ")
               from mutes m join users u on u.id = m.muted_id
              where m.muter_id = ?1 and m.muted_id < ?2 and ", may_meet!("u.id", "?1"), "
              order by m.muted_id desc limit ?3"
        ),
    },
    ArchiveFile {
        file: "logins.json",
        about: "where you are signed in",
        sql: concat!(
            "select l.id, json_object('device', l.device, 'began_at', ", time!("l.created_at_ms"), ",
                'last_used_at', ", time!("l.used_at_ms"), ")
               from logins l where l.user_id = ?1 and l.id < ?2 order by l.id desc limit ?3"
        ),
    },
];

impl ArchiveFile {
    /// Returns a page of objects, those before `before` (the newest if None), and the `before` of the next page; None
    /// if nothing remains.
    ///
    /// # Errors
    /// A database fault.
    pub fn page(
        &self,
        sql: Sql<'_>,
        user_id: UserId,
        before: Option<i64>,
        now_ms: i64,
    ) -> Result<(Vec<String>, Option<i64>), Error> {
        let arguments = [user_id.0, before.unwrap_or(ID_LIMIT), EXPORT_PAGE, now_ms];
        // SQLite requires exactly as many arguments as the query has.
        let count = if self.sql.contains("?4") { 4 } else { 3 };
        let mut rows: Vec<(i64, String)> = sql.rows(self.sql, params_from_iter(&arguments[..count]))?;
        if self.file == COMMENTS {
            for (_, json) in &mut rows {
                hide_mentions(sql, user_id, json)?;
            }
        }
        let is_full = i64::try_from(rows.len()).is_ok_and(|count| count == EXPORT_PAGE);
        let next = rows.last().map(|(id, _)| *id).filter(|_| is_full);
        Ok((rows.into_iter().map(|(_, json)| json).collect(), next))
    }
}

/// Replaces the mentions of users whom the user may not meet with plain text, in an object with a text.
fn hide_mentions(sql: Sql<'_>, user_id: UserId, json: &mut String) -> Result<(), Error> {
    let text: String = sql.value("select json_extract(?1, '$.text')", (&*json,))?;
    let hidden = between::hidden_among(sql, user_id, mentions::mentioned(&text))?;
    if !hidden.is_empty() {
        let plain = mentions::plain(&text, &hidden);
        *json = sql.value("select json_set(?1, '$.text', ?2)", (&*json, plain))?;
    }
    Ok(())
}

/// Returns the paths of a user's files with ids after `after`, in the order of their ids: the larger size of each
/// picture, and its animated version.
///
/// # Errors
/// A database fault.
pub fn files(sql: Sql<'_>, user_id: UserId, after: i64) -> Result<Vec<(i64, String)>, Error> {
    let files = sql.rows(
        "select f.id, f.full_path from files f
          where f.owner_id = ?1 and f.id > ?2
            and (exists (select 1 from pictures i where i.screen_file_id = f.id)
                 or exists (select 1 from pictures i where i.motion_file_id = f.id)
                 or exists (select 1 from photos p where p.screen_file_id = f.id))
          order by f.id limit ?3",
        (user_id, after, EXPORT_PAGE),
    )?;
    Ok(files)
}

/// Returns whether this login still exists, and with it the account.
///
/// # Errors
/// A database fault.
pub fn is_here(sql: Sql<'_>, user_id: UserId, login_id: LoginId) -> Result<bool, Error> {
    let is_here = sql
        .value("select exists (select 1 from logins where id = ?2 and user_id = ?1)", (user_id, login_id))?;
    Ok(is_here)
}
