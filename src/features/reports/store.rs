//! The SQL that makes reports and deletes old ones. [`open`] reads and handles them for admins.

pub mod open;

use super::subject::{About, Reason};
use crate::authz::sql::may_meet;
use crate::authz::{self, Audience, PollFacts, Viewer};
use crate::db::command::{KeyUse, Transaction, WriteCommand, keyed};
use crate::db::sql::Sql;
use crate::error::{Error, Field, Refusal};
use crate::features::admin_log::store as admin_log;
use crate::features::events::Event;
use crate::ids::{CommentId, PollId, PostId, UserId};
use crate::limits::{PURGE_ROWS_MAX, REPORT_LIFE_MS, REPORTS_FULL, REPORTS_OPEN_MAX};
use crate::model::archive::{ArchiveFile, time};
use crate::model::between::{self, may_meet};
use crate::model::posts::known_post;
use crate::reply::Done;

/// Reports something.
pub struct Create {
    pub key: KeyUse,
    pub reporter_id: UserId,
    pub viewer: Viewer,
    pub about: About,
    pub reason: Reason,
    pub details: String,
}

impl WriteCommand for Create {
    type Event = Event;
    type Value = Done;

    keyed!();

    fn weight_bytes(&self) -> usize {
        self.details.len() + 256
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<Done, Error> {
        let sql = transaction.sql;
        let had_open = open::admins_with_open(sql)?;
        let (author_id, words) = self.reported(sql)?.ok_or(Refusal::NotFound)?;
        let content_note = self.content_note(sql)?;
        let (kind, about_id) = self.about.parts();
        let others: i64 = sql.value(
            "select count(*) from reports
              where reporter_id = ?1 and handled_at_ms is null and not (kind = ?2 and about_id = ?3)",
            (self.reporter_id, kind, about_id),
        )?;
        if others >= REPORTS_OPEN_MAX {
            return Err(Refusal::Invalid(Field::REPORTS, REPORTS_FULL).into());
        }
        sql.execute(
            "insert into reports
               (id, reporter_id, kind, about_id, author_id, reason, details, words, reported_at_ms, content_note)
               values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             on conflict (reporter_id, kind, about_id) where handled_at_ms is null do update set
               reason = excluded.reason, details = excluded.details, words = excluded.words,
               reported_at_ms = excluded.reported_at_ms, content_note = excluded.content_note",
            (
                transaction.new_id(),
                self.reporter_id,
                kind,
                about_id,
                author_id,
                self.reason,
                &self.details,
                words,
                transaction.now_ms,
                content_note,
            ),
        )?;
        open::changed(transaction, &had_open)?;
        admin_log::changed(transaction)?;
        Ok(Done { seq: transaction.seq() })
    }
}

impl Create {
    /// Returns the author and the text of what is reported; None if the viewer may not report it or it does not exist.
    fn reported(&self, sql: Sql<'_>) -> Result<Option<(UserId, String)>, Error> {
        let found = match self.about {
            About::Post { post_id } => self.post(sql, post_id)?,
            About::Comment { comment_id } => self.comment(sql, comment_id)?,
            About::Poll { poll_id } => self.poll(sql, poll_id)?,
            About::User { user_id } => self.user(sql, user_id)?,
        };
        let may = |(author_id, is_visible, _): &(UserId, bool, String)| {
            authz::may_report(self.viewer, *author_id, *is_visible)
        };
        Ok(found.filter(may).map(|(author_id, _, words)| (author_id, words)))
    }

    fn post(&self, sql: Sql<'_>, post_id: PostId) -> Result<Option<(UserId, bool, String)>, Error> {
        let Some(post) = known_post(sql, post_id, Some(self.reporter_id))? else { return Ok(None) };
        let words = sql.value(
            "select concat_ws(char(10), p.title, p.text, '#' || p.tag,
                    (select group_concat(i.alt, char(10) order by i.position)
                       from pictures i where i.post_id = p.id and i.alt <> ''))
               from posts p where p.id = ?1",
            (post_id,),
        )?;
        Ok(Some((post.author_id, authz::may_see_post(self.viewer, &post.facts()), words)))
    }

    /// Returns the content note of the reported post.
    fn content_note(&self, sql: Sql<'_>) -> Result<Option<String>, Error> {
        let About::Post { post_id } = self.about else { return Ok(None) };
        Ok(sql.value("select content_note from posts where id = ?1", (post_id,))?)
    }

    fn comment(&self, sql: Sql<'_>, comment_id: CommentId) -> Result<Option<(UserId, bool, String)>, Error> {
        let found: Option<(PostId, UserId, String)> =
            sql.optional_row("select post_id, author_id, text from comments where id = ?1", (comment_id,))?;
        let Some((post_id, author_id, words)) = found else { return Ok(None) };
        let may_meet = between::may_meet(sql, self.reporter_id, author_id)?;
        let post = known_post(sql, post_id, Some(self.reporter_id))?;
        let is_visible =
            post.is_some_and(|post| authz::may_see_comment(self.viewer, may_meet, &post.facts()));
        Ok(Some((author_id, is_visible, words)))
    }

    fn poll(&self, sql: Sql<'_>, poll_id: PollId) -> Result<Option<(UserId, bool, String)>, Error> {
        let found: Option<(UserId, bool, bool, bool, String)> = sql.optional_row(
            concat!(
                "select p.creator_id, p.group_id is not null, ",
                authz::sql::is_member!("p", "?2"),
                ", ",
                authz::sql::is_followed!("?2", "p.creator_id"),
                ", concat_ws(char(10), p.question,
                    (select group_concat(o.text, char(10) order by o.position)
                       from poll_options o where o.poll_id = p.id))
               from polls p where p.id = ?1"
            ),
            (poll_id, self.reporter_id),
        )?;
        let Some((creator_id, is_of_group, is_member, is_followed, words)) = found else { return Ok(None) };
        let audience = if is_of_group { Audience::Group { is_member } } else { Audience::Public };
        // A closed poll can be reported too, because it may still be on screen.
        let may_meet = may_meet(sql, self.reporter_id, creator_id)?;
        let facts = PollFacts { creator_id, may_meet, audience, is_followed, is_open: false };
        Ok(Some((creator_id, authz::may_see_poll(self.viewer, &facts), words)))
    }

    fn user(&self, sql: Sql<'_>, user_id: UserId) -> Result<Option<(UserId, bool, String)>, Error> {
        let words: Option<String> = sql.optional_value(
            "select concat_ws(char(10), name, nullif(bio, '')) from users where id = ?1",
            (user_id,),
        )?;
        let may_meet = may_meet(sql, self.reporter_id, user_id)?;
        Ok(words.map(|words| (user_id, authz::may_see_profile(self.viewer, may_meet), words)))
    }
}

/// Deletes reports that were handled more than ninety days ago.
///
/// # Errors
/// A database fault.
pub fn purge(transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
    transaction.sql.execute(
        "delete from reports where id in
           (select id from reports where handled_at_ms < ?1 order by handled_at_ms limit ?2)",
        (transaction.now_ms - REPORT_LIFE_MS, PURGE_ROWS_MAX),
    )?;
    Ok(())
}

/// The files that this feature adds to the archive of a user.
pub const ARCHIVE: &[ArchiveFile] = &[ArchiveFile::new(
    "reports.json",
    "what you reported to the host",
    concat!(
        "select r.id, json_object('kind', r.kind, 'id', r.about_id, 'reason', r.reason, 'details', r.details,
                'reported_at', ",
        time!("r.reported_at_ms"),
        ")
           from reports r
          where r.reporter_id = ?1 and r.id < ?2 and ",
        may_meet!("r.author_id", "?1"),
        " order by r.id desc limit ?3"
    ),
)];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::command::Housekeeping;
    use crate::db::readers::Snapshot;
    use crate::ids::ReportId;
    use crate::testing::database::{ANA, BEN, CLEO, NOW_MS, TestDatabase, key, viewer, with_database};

    /// An admin who is the author of nothing.
    const ANY_ADMIN: UserId = UserId(99);

    fn report(reporter_id: UserId, number: u8, about: About, details: &str) -> Create {
        let key = key(reporter_id, number, &[details.as_bytes()]);
        let (viewer, reason) = (viewer(reporter_id), Reason::Harassment);
        Create { key, reporter_id, viewer, about, reason, details: details.into() }
    }

    fn of_post(post_id: PostId) -> About {
        About::Post { post_id }
    }

    async fn open(db: &TestDatabase) -> Vec<open::Report> {
        db.read(|Snapshot { sql, .. }| open::open(sql, ANY_ADMIN, None, 50)).await
    }

    /// Marks a report as handled at this time, as the host does.
    struct Dismiss(ReportId, i64);

    impl WriteCommand for Dismiss {
        type Event = Event;
        type Value = ();

        fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
            assert!(open::dismiss(transaction.sql, self.0, self.1)?);
            Ok(())
        }
    }

    #[test]
    fn a_report_keeps_the_text_as_it_was_and_publishes_nothing() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            db.execute(
                "update posts set title = 'Look', tag = 'Tea', tag_key = 'tea', content_note = 'Knives' where id = 10",
            )
            .unwrap();
            db.write(report(BEN, 1, of_post(post), "every day")).await.unwrap();
            db.execute("update posts set text = 'harmless', content_note = null where id = 10").unwrap();
            let [report] = &open(&db).await[..] else { panic!("one report") };
            assert_eq!((report.reporter.id, report.author.id, report.about), (BEN, ANA, of_post(post)));
            assert_eq!((report.words.as_str(), report.details.as_str()), ("Look\nwords\n#Tea", "every day"));
            assert_eq!(report.content_note.as_deref(), Some("Knives"));
            assert_eq!((report.reason, report.reported_at_ms), (Reason::Harassment, NOW_MS));
            assert_eq!(db.published().len(), 0);
            db.execute("delete from posts where id = 10").unwrap();
            assert_eq!(open(&db).await.len(), 1, "it outlives the post");
        });
    }

    #[test]
    fn a_user_has_one_open_report_of_a_thing_and_a_second_one_replaces_it() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            db.write(report(BEN, 1, of_post(post), "first")).await.unwrap();
            db.write(report(BEN, 2, of_post(post), "second")).await.unwrap();
            db.write(report(CLEO, 1, of_post(post), "third")).await.unwrap();
            let said: Vec<_> = open(&db).await.into_iter().map(|report| report.details).collect();
            assert_eq!(said, ["third", "second"], "the newest first");
            let bens = open(&db).await[1].id;
            db.write(Dismiss(bens, NOW_MS)).await.unwrap();
            db.write(report(BEN, 3, of_post(post), "again")).await.unwrap();
            let said: Vec<_> = open(&db).await.into_iter().map(|report| report.details).collect();
            assert_eq!(said, ["again", "third"]);
        });
    }

    #[test]
    fn a_report_never_has_the_id_of_an_earlier_one() {
        with_database(|db| async move {
            let post = db.has_post(10, ANA, 5);
            db.write(report(BEN, 1, of_post(post), "first")).await.unwrap();
            let first = open(&db).await[0].id;
            db.execute("delete from users where id = 2").unwrap();
            assert_eq!(open(&db).await.len(), 0);
            db.write(report(CLEO, 1, of_post(post), "second")).await.unwrap();
            assert!(open(&db).await[0].id > first, "a page that was read before would handle another one");
        });
    }

    #[test]
    fn nobody_reports_what_they_may_not_see_or_what_is_their_own() {
        with_database(|db| async move {
            let group_id = db.has_group(100, ANA, &[BEN]);
            let post = db.has_group_post(10, ANA, Some(group_id));
            for sql in [
                "insert into comments (id, post_id, author_id, text, created_at_ms) values (20, 10, 1, 'said', 0)",
                "insert into polls (id, creator_id, question, created_at_ms, closes_at_ms, group_id)
                   values (30, 1, 'Tea?', 0, 9, 100), (31, 1, 'Coffee?', 0, 9, null)",
                "insert into poll_options (poll_id, position, text)
                   values (30, 0, 'yes'), (30, 1, 'no'), (31, 0, 'a'), (31, 1, 'b')",
                "insert into follows (follower_id, followed_id, id) values (3, 1, 40)",
            ] {
                db.execute(sql).unwrap();
            }
            let comment = About::Comment { comment_id: CommentId(20) };
            let [theirs, hers] = [30, 31].map(|id| About::Poll { poll_id: PollId(id) });
            let ana = About::User { user_id: ANA };
            let nothing = [
                of_post(PostId(7)),
                About::Comment { comment_id: CommentId(7) },
                About::Poll { poll_id: PollId(7) },
                About::User { user_id: UserId(7) },
            ];
            let of_group = [of_post(post), comment, theirs];
            let may = |who: UserId, about: About| match about {
                about if who == ANA || nothing.contains(&about) => false,
                about if of_group.contains(&about) => who == BEN,
                about if about == hers => who == CLEO,
                _ => true,
            };
            for who in [ANA, BEN, CLEO] {
                for (number, about) in (1..).zip(of_group.into_iter().chain([hers, ana]).chain(nothing)) {
                    let done = db.write(report(who, number, about, "")).await;
                    assert_eq!(done.is_ok(), may(who, about), "{who:?} {about:?}");
                    if let Err(no) = done {
                        assert_eq!(no, Refusal::NotFound);
                    }
                }
            }
            let words: Vec<_> = open(&db).await.into_iter().map(|report| report.words).collect();
            assert_eq!(words, ["Ana", "Coffee?\na\nb", "Ana", "Tea?\nyes\nno", "said", "words"]);
        });
    }

    #[test]
    fn a_user_has_a_limit_of_open_reports_and_can_still_change_one_of_them() {
        with_database(|db| async move {
            for id in 1..=REPORTS_OPEN_MAX {
                db.execute(&format!(
                    "insert into reports (reporter_id, kind, about_id, author_id, reason, details, words, reported_at_ms)
                       values (2, 'post', {id}, 1, 'spam', '', '', 0)"
                ))
                .unwrap();
            }
            let (old, new) = (db.has_post(1, ANA, 5), db.has_post(9_000, ANA, 5));
            let full = Err(Refusal::Invalid(Field::REPORTS, REPORTS_FULL));
            assert_eq!(db.write(report(BEN, 1, of_post(new), "")).await, full);
            assert!(db.write(report(BEN, 2, of_post(old), "more")).await.is_ok());
            assert!(db.write(report(CLEO, 1, of_post(new), "")).await.is_ok());
        });
    }

    #[test]
    fn handled_reports_are_deleted_after_ninety_days_and_open_ones_stay() {
        with_database(|db| async move {
            for (number, id) in (1..).zip([10, 11, 12]) {
                let post = db.has_post(id, ANA, 5);
                db.write(report(BEN, number, of_post(post), "")).await.unwrap();
            }
            let [newest, middle, _] = &open(&db).await[..] else { panic!("three reports") };
            db.write(Dismiss(newest.id, NOW_MS - REPORT_LIFE_MS)).await.unwrap();
            db.write(Dismiss(middle.id, NOW_MS - REPORT_LIFE_MS - 1)).await.unwrap();
            db.write(Housekeeping(purge)).await.unwrap();
            assert_eq!(db.number("select count(*) from reports").await, 2);
            assert_eq!(open(&db).await.len(), 1);
        });
    }

    #[test]
    fn a_removed_or_suspended_thing_has_no_open_report() {
        with_database(|db| async move {
            let (one, other) = (db.has_post(10, ANA, 5), db.has_post(11, ANA, 5));
            db.write(report(BEN, 1, of_post(one), "")).await.unwrap();
            db.write(report(CLEO, 1, of_post(one), "")).await.unwrap();
            db.write(report(CLEO, 2, of_post(other), "")).await.unwrap();
            struct Remove(About);
            impl WriteCommand for Remove {
                type Event = Event;
                type Value = ();

                fn apply(&mut self, transaction: &mut Transaction<'_, Event>) -> Result<(), Error> {
                    assert_eq!(open::handle_about(transaction.sql, self.0, transaction.now_ms)?, 2);
                    Ok(())
                }
            }
            db.write(Remove(of_post(one))).await.unwrap();
            let left: Vec<_> = open(&db).await.into_iter().map(|report| report.about).collect();
            assert_eq!(left, [of_post(other)]);
            assert!(
                db.read(|Snapshot { sql, .. }| open::admins_with_open(sql)).await.is_empty(),
                "no admins"
            );
        });
    }

    #[test]
    fn the_host_pages_through_reports_and_reads_one() {
        with_database(|db| async move {
            for (number, id) in (1..).zip([10, 11, 12]) {
                let post = db.has_post(id, ANA, 5);
                db.write(report(BEN, number, of_post(post), "")).await.unwrap();
            }
            let all: Vec<_> = open(&db).await.into_iter().map(|report| report.id).collect();
            let (first, newest) = (all[2], all[0]);
            let page = db.read(move |Snapshot { sql, .. }| open::open(sql, ANY_ADMIN, Some(newest), 1)).await;
            assert_eq!(page.into_iter().map(|report| report.id).collect::<Vec<_>>(), [all[1]]);
            let one = db.read(move |Snapshot { sql, .. }| open::one(sql, ANY_ADMIN, first)).await;
            assert_eq!(one.map(|report| report.about), Some(of_post(PostId(10))));
            db.write(Dismiss(first, NOW_MS)).await.unwrap();
            let gone = db.read(move |Snapshot { sql, .. }| open::one(sql, ANY_ADMIN, first)).await;
            assert!(gone.is_none(), "a handled one is not shown");
        });
    }
}
