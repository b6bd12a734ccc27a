//! The SQL that reads polls: open polls, voters, and the facts for permissions.

use std::collections::HashMap;

use super::super::wire::{Chose, Counted, Listed, Poll, PollView, Tally};
use crate::authz::{self, PollFacts, Viewer};
use crate::db::sql::{Sql, from_row, list};
use crate::error::{Error, Refusal};
use crate::events::{Right, Topic};
use crate::ids::{GroupId, ID_LIMIT, PollId, Seq, UserId, first_of};
use crate::limits::{PEOPLE_PAGE, POLL_LIFE_MS, POLLS_PAGE};
use crate::model::audience::Audience;
use crate::model::between::{self, ANY_VIEWER};
use crate::model::groups::groups_named;
use crate::model::users::{User, users_named};

/// Returns a lower bound of the ids of polls that are open at `now_ms`, so that polls that closed long ago are not
/// read.
fn oldest_open(now_ms: i64) -> i64 {
    first_of(now_ms - POLL_LIFE_MS)
}

/// Reads a page of open polls, newest first. It searches for each creator and for each of the viewer's groups, so that
/// a user who follows few users reads little.
///
/// Arguments: 1 the viewer, 2 the id before which the page begins, 3 the time, 4 the number of rows, 5 the result of
/// [`oldest_open`]. The condition is that of `authz::may_vote_in_poll`; `testing/audiences.rs` compares the two.
pub(super) const PAGE: &str = concat!(
    "select p.id, p.creator_id, p.question, p.group_id, p.created_at_ms, p.closes_at_ms,
            (select b.position from ballots b where b.poll_id = p.id and b.user_id = ?1) as choice
       from (select p.id
               from (select ?1 as id union all select followed_id from follows where follower_id = ?1) c
               cross join polls p indexed by polls_of_creator on p.creator_id = c.id
              where p.group_id is null and p.id < ?2 and p.id >= ?5 and p.closes_at_ms > ?3 and ",
    authz::sql::may_meet!("p.creator_id", "?1"),
    " and not ",
    authz::sql::is_muted!("p.creator_id", "?1"),
    " union all
             select p.id
               from members m cross join polls p indexed by polls_of_group on p.group_id = m.group_id
              where m.user_id = ?1 and p.id < ?2 and p.id >= ?5 and p.closes_at_ms > ?3 and ",
    authz::sql::may_meet!("p.creator_id", "?1"),
    " and not ",
    authz::sql::is_muted!("p.creator_id", "?1"),
    " order by 1 desc limit ?4) o
       join polls p on p.id = o.id order by p.id desc"
);

/// The columns of [`PAGE`].
type Row = (PollId, UserId, String, Option<GroupId>, i64, i64, Option<u8>);

/// Reads the options of polls, in the order of each poll. Argument: the polls.
pub(super) const OPTIONS: &str = "select poll_id, text, votes_count from poll_options
      where poll_id in rarray(?1) order by poll_id, position";

/// The texts of the options of a poll, and the number of votes for each.
type Options = (Vec<String>, Vec<i64>);

/// Returns the audience of a poll.
fn audience(group_id: Option<GroupId>) -> Audience {
    let of = |group_id| Audience::Group { group_id: Some(group_id) };
    group_id.map_or(Audience::Public {}, of)
}

/// Returns a page of the open polls that this viewer may see, newest first.
///
/// # Errors
/// A database fault.
pub fn page(
    sql: Sql<'_>,
    viewer: Viewer,
    before: Option<PollId>,
    now_ms: i64,
    seq: Seq,
) -> Result<Listed, Error> {
    let viewer_id = viewer.user_id().unwrap_or(ANY_VIEWER);
    let before = before.map_or(ID_LIMIT, |before| before.0);
    let mut rows: Vec<Row> =
        sql.rows(PAGE, (viewer.user_id(), before, now_ms, POLLS_PAGE + 1, oldest_open(now_ms)))?;
    let has_more = rows.len() > POLLS_PAGE;
    rows.truncate(POLLS_PAGE);
    let older = rows.last().map(|row| row.0).filter(|_| has_more);
    let mut options = options(sql, rows.iter().map(|row| row.0))?;
    let polls: Vec<PollView> = rows
        .into_iter()
        .map(|row| {
            let options = options.remove(&row.0).unwrap_or_default();
            view(viewer, row, options)
        })
        .collect();
    let users = users_named(sql, viewer_id, polls.iter().map(|view| view.poll.creator_id))?;
    let groups = groups_named(sql, polls.iter().filter_map(|view| view.poll.audience.group_id()))?;
    Ok(Listed { polls, users, groups, older, seq })
}

fn view(viewer: Viewer, row: Row, (options, tally): Options) -> PollView {
    let (id, creator_id, question, group_id, created_at_ms, closes_at_ms, choice) = row;
    let audience = audience(group_id);
    // [`PAGE`] reads only open polls of users whom the viewer may meet. The viewer follows the creator, or is in the
    // group of the poll.
    let audience_fact = audience.fact(true);
    let facts =
        PollFacts { creator_id, may_meet: true, audience: audience_fact, is_followed: true, is_open: true };
    let tally = authz::may_see_tally(viewer, &facts, choice.is_some()).then_some(tally);
    let poll = Poll { id, creator_id, question, options, audience, created_at_ms, closes_at_ms };
    PollView { poll, choice, tally }
}

fn options(sql: Sql<'_>, poll_ids: impl Iterator<Item = PollId>) -> Result<HashMap<PollId, Options>, Error> {
    let rows: Vec<(PollId, String, i64)> = sql.rows(OPTIONS, (list(poll_ids),))?;
    let mut by_poll: HashMap<PollId, Options> = HashMap::new();
    for (poll_id, text, votes_count) in rows {
        let (texts, tally) = by_poll.entry(poll_id).or_default();
        texts.push(text);
        tally.push(votes_count);
    }
    Ok(by_poll)
}

/// The facts for the permissions of one viewer on one poll.
pub struct Known {
    pub creator_id: UserId,
    group_id: Option<GroupId>,
    /// Whether the viewer is in the group of the poll.
    is_member: bool,
    is_followed: bool,
    may_meet: bool,
    closes_at_ms: i64,
}

from_row!(Known { creator_id, group_id, is_member, is_followed, may_meet, closes_at_ms });

impl Known {
    /// Returns the facts for `authz`.
    #[must_use]
    pub fn facts(&self, now_ms: i64) -> PollFacts {
        PollFacts {
            creator_id: self.creator_id,
            may_meet: self.may_meet,
            audience: audience(self.group_id).fact(self.is_member),
            is_followed: self.is_followed,
            is_open: now_ms < self.closes_at_ms,
        }
    }

    /// Returns the audience.
    #[must_use]
    pub fn audience(&self) -> Audience {
        audience(self.group_id)
    }

    /// Returns the right by which users see the poll.
    #[must_use]
    pub fn right(&self) -> Right {
        Right::of(self.creator_id, self.group_id)
    }
}

/// Returns the facts of a poll, even if the viewer may not see it; None if there is no such poll.
///
/// # Errors
/// A database fault.
pub fn known(sql: Sql<'_>, viewer: Viewer, poll_id: PollId) -> Result<Option<Known>, Error> {
    let known = sql.optional_row(
        concat!(
            "select p.creator_id, p.group_id, ",
            authz::sql::is_member!("p", "?2"),
            " as is_member, ",
            authz::sql::is_followed!("?2", "p.creator_id"),
            " as is_followed, ",
            authz::sql::may_meet!("p.creator_id", "?2"),
            " as may_meet, p.closes_at_ms
               from polls p where p.id = ?1"
        ),
        (poll_id, viewer.user_id()),
    )?;
    Ok(known)
}

/// The id of a poll, and the columns of [`Known`].
type VotedIn = (PollId, UserId, Option<GroupId>, bool, bool, bool, i64);

/// Returns the tallies that the viewer may see of these polls, each with the topic to subscribe to.
///
/// # Errors
/// A database fault.
pub fn tallies(sql: Sql<'_>, viewer: Viewer, poll_ids: &[PollId]) -> Result<Vec<(Tally, Topic)>, Error> {
    let rows: Vec<VotedIn> = sql.rows(
        concat!(
            "select p.id, p.creator_id, p.group_id, ",
            authz::sql::is_member!("p", "?1"),
            ", ",
            authz::sql::is_followed!("?1", "p.creator_id"),
            ", ",
            authz::sql::may_meet!("p.creator_id", "?1"),
            ", p.closes_at_ms
               from ballots b join polls p on p.id = b.poll_id
              where b.poll_id in rarray(?2) and b.user_id = ?1"
        ),
        (viewer.user_id(), list(poll_ids.iter().copied())),
    )?;
    let seen: Vec<(PollId, Right)> = rows
        .into_iter()
        .map(|(id, creator_id, group_id, is_member, is_followed, may_meet, closes_at_ms)| {
            (id, Known { creator_id, group_id, is_member, is_followed, may_meet, closes_at_ms })
        })
        .filter(|(_, known)| authz::may_see_tally(viewer, &known.facts(0), true))
        .map(|(id, known)| (id, known.right()))
        .collect();
    let mut options = options(sql, seen.iter().map(|(id, _)| *id))?;
    let tally = |(id, right)| {
        let (_, tally) = options.remove(&id).unwrap_or_default();
        (Tally { poll_id: id, tally }, Topic::Poll(id, right))
    };
    Ok(seen.into_iter().map(tally).collect())
}

/// Returns the number of open polls that the viewer created and still sees. Polls of a group that the viewer left or
/// that was deleted do not count, because otherwise the number would reveal whether the group still exists.
///
/// # Errors
/// A database fault.
pub fn count_own_open(sql: Sql<'_>, viewer: Viewer, now_ms: i64) -> Result<usize, Error> {
    let Some(creator_id) = viewer.user_id() else { return Ok(0) };
    let polls: Vec<(Option<GroupId>, bool)> = sql.rows(
        concat!(
            "select p.group_id, ",
            authz::sql::is_member!("p", "?1"),
            " from polls p indexed by polls_of_creator
               where p.creator_id = ?1 and p.id >= ?2 and p.closes_at_ms > ?3"
        ),
        (creator_id, oldest_open(now_ms), now_ms),
    )?;
    let is_seen = |(group_id, is_member): &(Option<GroupId>, bool)| {
        let audience = audience(*group_id).fact(*is_member);
        let facts = PollFacts { creator_id, may_meet: true, audience, is_followed: false, is_open: true };
        authz::may_see_poll(viewer, &facts)
    };
    Ok(polls.iter().filter(|poll| is_seen(poll)).count())
}

/// Returns the option that a user chose in a poll; None before the vote.
///
/// # Errors
/// A database fault.
pub fn choice(sql: Sql<'_>, poll_id: PollId, user_id: Option<UserId>) -> Result<Option<u8>, Error> {
    let choice = sql.optional_value(
        "select position from ballots where poll_id = ?1 and user_id = ?2",
        (poll_id, user_id),
    )?;
    Ok(choice)
}

/// Returns whether a poll has this option.
///
/// # Errors
/// A database fault.
pub fn has_option(sql: Sql<'_>, poll_id: PollId, option: u8) -> Result<bool, Error> {
    let has_option = sql.value(
        "select exists (select 1 from poll_options where poll_id = ?1 and position = ?2)",
        (poll_id, option),
    )?;
    Ok(has_option)
}

/// Returns a page of the users who chose an option; None if the viewer may not see the tally.
///
/// # Errors
/// [`Refusal::BadRequest`] for an unknown option; a database fault.
pub fn voters(
    sql: Sql<'_>,
    viewer: Viewer,
    poll_id: PollId,
    option: u8,
    after: Option<UserId>,
    seq: Seq,
) -> Result<Option<Chose>, Error> {
    let Some(known) = known(sql, viewer, poll_id)? else { return Ok(None) };
    let has_voted = choice(sql, poll_id, viewer.user_id())?.is_some();
    // The tally is visible whether or not the poll has closed, so the time does not matter.
    if !authz::may_see_tally(viewer, &known.facts(0), has_voted) {
        return Ok(None);
    }
    if !has_option(sql, poll_id, option)? {
        return Err(Refusal::BadRequest.into());
    }
    let mut users: Vec<User> = sql.rows(
        concat!(
            "select u.id, u.name, u.photo_url from ballots b join users u on u.id = b.user_id
              where b.poll_id = ?1 and b.position = ?2 and b.user_id > ?3 and ",
            authz::sql::may_meet!("u.id", "?5"),
            " order by b.user_id limit ?4"
        ),
        (poll_id, option, after.map_or(0, |after| after.0), PEOPLE_PAGE + 1, viewer.user_id()),
    )?;
    let has_more = users.len() > PEOPLE_PAGE;
    users.truncate(PEOPLE_PAGE);
    let more = users.last().map(|user| user.id).filter(|_| has_more);
    Ok(Some(Chose { users, more, seq }))
}

/// Returns the tallies of these polls, as they are published, newest first. A missing poll is deleted, or its creator
/// is suspended.
///
/// # Errors
/// A database fault.
pub fn counted(sql: Sql<'_>, poll_ids: impl IntoIterator<Item = PollId>) -> Result<Vec<Counted>, Error> {
    let polls: Vec<(PollId, UserId, Option<GroupId>)> = sql.rows(
        concat!(
            "select p.id, p.creator_id, p.group_id from polls p where p.id in rarray(?1) and ",
            authz::sql::may_meet!("p.creator_id", "?2"),
            " order by p.id desc"
        ),
        (list(poll_ids), ANY_VIEWER),
    )?;
    let counted = polls.into_iter().map(|(poll_id, creator_id, group_id)| {
        let tally = tally(sql, poll_id)?;
        let hidden_from = between::users_hidden_from(sql, [creator_id])?;
        Ok(Counted { poll_id, tally, right: Right::of(creator_id, group_id), hidden_from })
    });
    counted.collect()
}

/// Returns the number of votes for each option of a poll, in the order of the options.
///
/// # Errors
/// A database fault.
pub fn tally(sql: Sql<'_>, poll_id: PollId) -> Result<Vec<i64>, Error> {
    Ok(sql.values("select votes_count from poll_options where poll_id = ?1 order by position", (poll_id,))?)
}
