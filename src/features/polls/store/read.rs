//! The SQL that reads polls: those that are open, who chose what, and what decides about one.

use sqlx::SqliteConnection;

use super::super::wire::{Chose, Counted, Poll, PollView};
use crate::access::{self, PollFacts, Viewer};
use crate::db::sql::{Sql, list};
use crate::error::{Error, Refusal};
use crate::features::kit::{Right, text_of_hex};
use crate::features::views::{Audience, User, is_member, json_of};
use crate::ids::{GroupId, ID_LIMIT, PollId, Seq, UserId, first_of};
use crate::limits::{PEOPLE_PAGE, POLL_LIFE_MS, POLLS_PAGE};

const DAY_MS: i64 = 24 * 3_600_000;

/// Returns an id that no poll lies below which is still open at `now_ms`: what closed long ago is not looked at.
///
/// An id is a little older than its poll, by the wait for the writer; a day is more than that ever is. Nor
/// does an id go back when the clock does.
pub(super) fn oldest_open(now_ms: i64) -> i64 {
    first_of(now_ms - POLL_LIFE_MS - DAY_MS)
}

/// One page of open polls, newest first: of each creator by themselves, so that whoever follows few reads
/// little, and of each group of the viewer's.
///
/// Arguments: 1 viewer, 2 the id before which the page ends, 3 now, 4 how many, 5 what
/// [`oldest_open`] says. Says what
/// `access::may_vote_in_poll` says; a test compares.
pub(super) const PAGE: &str = concat!(
    "select p.id, p.creator_id, p.question, p.group_id, ",
    is_member!("p", "?1"),
    " as is_member, p.created_at_ms, p.closes_at_ms,
            (select b.position from ballots b where b.poll_id = p.id and b.user_id = ?1) as choice,
            (select group_concat(format('%d %s', o.votes_count, hex(o.text)), ',' order by o.position)
               from poll_options o where o.poll_id = p.id) as options
       from (select p.id
               from (select ?1 as id union all select followed_id from follows where follower_id = ?1) c
               cross join polls p indexed by polls_of_creator on p.creator_id = c.id
              where p.group_id is null and p.id < ?2 and p.id >= ?5 and p.closes_at_ms > ?3
             union all
             select p.id
               from members m cross join polls p indexed by polls_of_group on p.group_id = m.group_id
              where m.user_id = ?1 and p.id < ?2 and p.id >= ?5 and p.closes_at_ms > ?3
              order by 1 desc limit ?4) o
       join polls p on p.id = o.id order by p.id desc"
);

#[derive(sqlx::FromRow)]
struct Row {
    id: PollId,
    creator_id: UserId,
    question: String,
    group_id: Option<GroupId>,
    /// Is the viewer in its group?
    is_member: bool,
    created_at_ms: i64,
    closes_at_ms: i64,
    choice: Option<u8>,
    /// Votes and words of each.
    options: String,
}

impl Row {
    fn view(self, viewer: Viewer, now_ms: i64) -> Result<PollView, Error> {
        let read = |option: &str| {
            let (votes, words) = option.split_once(' ')?;
            Some((votes.parse::<i64>().ok()?, text_of_hex(words)?))
        };
        let options: Option<Vec<(i64, String)>> = self.options.split(',').map(read).collect();
        let options = options.ok_or(Error::Broken("a poll has odd options"))?;
        let (tally, options) = options.into_iter().unzip();
        let audience = audience(self.group_id);
        let facts = PollFacts {
            creator_id: self.creator_id,
            audience: audience.fact(self.is_member),
            is_followed: true,
            is_open: now_ms < self.closes_at_ms,
        };
        debug_assert!(access::may_vote_in_poll(viewer, &facts), "the SQL lets through what access does");
        let tally = access::may_see_tally(viewer, &facts, self.choice.is_some()).then_some(tally);
        let poll = Poll {
            id: self.id,
            creator_id: self.creator_id,
            question: self.question,
            options,
            audience,
            created_at_ms: self.created_at_ms,
            closes_at_ms: self.closes_at_ms,
        };
        Ok(PollView { poll, choice: self.choice, tally })
    }
}

/// Who a poll is for.
fn audience(group_id: Option<GroupId>) -> Audience {
    let of = |group_id| Audience::Group { group_id: Some(group_id) };
    group_id.map_or(Audience::Public {}, of)
}

/// A page of polls.
pub struct Found {
    pub polls: Vec<PollView>,
    /// Where the next page begins; None when nothing older remains.
    pub older: Option<PollId>,
}

/// Returns the open polls this viewer may see, newest first.
///
/// # Errors
/// A database fault.
pub async fn page(
    connection: &mut SqliteConnection,
    viewer: Viewer,
    before: Option<PollId>,
    now_ms: i64,
) -> Result<Found, Error> {
    let mut rows: Vec<Row> = sqlx::query_as(PAGE)
        .bind(viewer.user_id())
        .bind(before.map_or(ID_LIMIT, |before| before.0))
        .bind(now_ms)
        .bind(i64::try_from(POLLS_PAGE + 1).unwrap_or(i64::MAX))
        .bind(oldest_open(now_ms))
        .fetch_all(connection)
        .await?;
    let has_more = rows.len() > POLLS_PAGE;
    rows.truncate(POLLS_PAGE);
    let older = rows.last().map(|row| row.id).filter(|_| has_more);
    let polls = rows.into_iter().map(|row| row.view(viewer, now_ms)).collect::<Result<_, _>>()?;
    Ok(Found { polls, older })
}

/// What decides about one poll and one viewer.
#[derive(sqlx::FromRow)]
pub struct Known {
    pub creator_id: UserId,
    group_id: Option<GroupId>,
    /// Is the viewer in its group?
    is_member: bool,
    closes_at_ms: i64,
    is_followed: bool,
    /// What the viewer chose.
    pub choice: Option<u8>,
    pub options_count: u8,
}

impl Known {
    /// Returns what `access` asks about.
    #[must_use]
    pub fn facts(&self, now_ms: i64) -> PollFacts {
        PollFacts {
            creator_id: self.creator_id,
            audience: audience(self.group_id).fact(self.is_member),
            is_followed: self.is_followed,
            is_open: now_ms < self.closes_at_ms,
        }
    }

    /// Returns by what right people see it.
    #[must_use]
    pub fn right(&self) -> Right {
        Right::of(self.creator_id, self.group_id)
    }
}

/// Returns what decides about a poll; None when there is none, or one of a group that is nothing to the
/// viewer.
///
/// # Errors
/// A database fault.
pub async fn known(
    connection: &mut SqliteConnection,
    viewer: Viewer,
    poll_id: PollId,
) -> Result<Option<Known>, Error> {
    let known = sqlx::query_as(concat!(
        "select p.creator_id, p.group_id, ",
        is_member!("p", "?1"),
        " as is_member, p.closes_at_ms,
                exists (select 1 from follows where follower_id = ?1 and followed_id = p.creator_id) as is_followed,
                (select position from ballots where poll_id = ?2 and user_id = ?1) as choice,
                (select count(*) from poll_options where poll_id = ?2) as options_count
           from polls p where p.id = ?2 and (p.group_id is null or p.creator_id = ?1 or ",
        is_member!("p", "?1"),
        ")"
    ))
    .bind(viewer.user_id())
    .bind(poll_id)
    .fetch_optional(connection)
    .await?;
    Ok(known)
}

/// Returns a page of those who chose an option; None when the viewer may not know.
///
/// # Errors
/// [`Refusal::BadRequest`] for an option that is not there; a database fault.
pub async fn voters(
    connection: &mut SqliteConnection,
    viewer: Viewer,
    poll_id: PollId,
    option: u8,
    after: Option<UserId>,
    seq: Seq,
) -> Result<Option<Chose>, Error> {
    let known = known(connection, viewer, poll_id).await?;
    // Whether it has closed is all the same here.
    let may = |known: &Known| access::may_see_tally(viewer, &known.facts(0), known.choice.is_some());
    let Some(known) = known.filter(may) else { return Ok(None) };
    if option >= known.options_count {
        return Err(Refusal::BadRequest.into());
    }
    let mut users: Vec<User> = sqlx::query_as(
        "select u.id, u.name, u.photo_url from ballots b join users u on u.id = b.user_id
          where b.poll_id = ?1 and b.position = ?2 and b.user_id > ?3 order by b.user_id limit ?4",
    )
    .bind(poll_id)
    .bind(option)
    .bind(after.map_or(0, |after| after.0))
    .bind(i64::try_from(PEOPLE_PAGE + 1).unwrap_or(i64::MAX))
    .fetch_all(connection)
    .await?;
    let has_more = users.len() > PEOPLE_PAGE;
    users.truncate(PEOPLE_PAGE);
    let more = users.last().map(|user| user.id).filter(|_| has_more);
    Ok(Some(Chose { users, more, seq }))
}

/// Returns the tallies of these polls, as they are published, newest first; a missing one is deleted.
///
/// # Errors
/// A database fault.
pub fn counted(sql: Sql<'_>, poll_ids: impl IntoIterator<Item = PollId>) -> Result<Vec<Counted>, Error> {
    let polls: Vec<(PollId, UserId, Option<GroupId>)> = sql.rows(
        "select id, creator_id, group_id from polls where id in rarray(?1) order by id desc",
        (list(poll_ids),),
    )?;
    let counted = polls.into_iter().map(|(poll_id, creator_id, group_id)| {
        let tally = tally(sql, poll_id)?;
        Ok(Counted { poll_id, tally, right: Right::of(creator_id, group_id) })
    });
    counted.collect()
}

/// Returns how many votes each option of a poll has, in the options' order.
///
/// # Errors
/// A database fault.
pub fn tally(sql: Sql<'_>, poll_id: PollId) -> Result<Vec<i64>, Error> {
    Ok(sql.values("select votes_count from poll_options where poll_id = ?1 order by position", (poll_id,))?)
}

/// Returns the tallies of these polls, as they are told; newest first. Those that are gone are left out.
///
/// # Errors
/// A database fault.
pub async fn counted_async(
    connection: &mut SqliteConnection,
    poll_ids: &[i64],
) -> Result<Vec<Counted>, Error> {
    let rows: Vec<(PollId, UserId, Option<GroupId>, String)> = sqlx::query_as(
        "select p.id, p.creator_id, p.group_id,
                (select group_concat(votes_count, ',' order by position) from poll_options where poll_id = p.id)
           from polls p where p.id in (select value from json_each(?1)) order by p.id desc",
    )
    .bind(json_of(poll_ids))
    .fetch_all(connection)
    .await?;
    let counted = rows.into_iter().map(|(poll_id, creator_id, group_id, joined)| {
        let tally = joined.split(',').map(str::parse).collect::<Result<_, _>>();
        let tally = tally.map_err(|_| Error::Broken("a tally is no numbers"))?;
        Ok(Counted { poll_id, tally, right: Right::of(creator_id, group_id) })
    });
    counted.collect()
}
