//! R1 with pictures. A sudden end between the first chunk and the commit leaves a post with all its pictures or no
//! post, and a user with the new photo, the old one or none. Files without a row may remain, and the sweeper deletes
//! them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{random_of_this_run, reply_or_end};
use crate::support::child::Child;
use crate::support::person::Person;
use crate::support::picture::{jpeg, size_of_jpeg};
use crate::support::uploads::{begin, begin_photo, chunk_at, files_below, path_of, post_with_pictures, urls};
use crate::support::value::key_of;
use crate::support::wait_until;

/// The least number of rounds.
const ROUNDS: u64 = 12;
/// The least number of acknowledged posts. A busy machine needs more rounds for them. The test fails after four times
/// as many rounds.
const POSTS_MIN: usize = 31;
const WRITERS: u64 = 3;
/// The folder of photos.
const PHOTOS: &str = "profile-pictures/";
/// How many replies the writers of all tests here have received.
static REPLIES: AtomicU64 = AtomicU64::new(0);

/// A request to publish a post with a picture, and its reply.
pub struct Sent {
    number: u64,
    fields: Value,
    reply: Option<Value>,
    /// The deletion of this post, if it was requested.
    deleted: Option<Deletion>,
}

/// The deletion of a post: requested, or acknowledged with its `seq`.
#[derive(Clone, Copy)]
enum Deletion {
    Requested,
    Done(i64),
}

/// Returns the `seq` of a reply.
fn seq_of(reply: &Value) -> i64 {
    reply["seq"].as_i64().unwrap()
}

/// Removes the replies to writes after `seq`, and checks that the posts of these writes do not exist. Returns how many
/// posts must exist.
pub fn forget_later(left: &Left, journal: &mut [Sent], seq: i64) -> usize {
    for sent in journal.iter_mut() {
        if sent.reply.as_ref().is_some_and(|reply| seq_of(reply) > seq) {
            assert!(!left.texts.contains(sent.text()), "written after {seq}: {}", sent.fields);
            (sent.reply, sent.deleted) = (None, None);
        } else if matches!(sent.deleted, Some(Deletion::Done(deleted)) if deleted > seq) {
            assert!(left.texts.contains(sent.text()), "deleted after {seq}: {}", sent.fields);
            sent.deleted = None;
        }
    }
    journal.iter().filter(|sent| sent.reply.is_some() && sent.deleted.is_none()).count()
}

impl Sent {
    fn text(&self) -> &str {
        self.fields["text"].as_str().unwrap()
    }
}

/// Sends a request and returns the reply, or None if the connection ends first.
async fn asks(person: &Person, op: &str, fields: Value) -> Option<Value> {
    let id = person.socket.sends(op, fields).await;
    match reply_or_end(&person.socket, id).await? {
        Ok(ok) => {
            REPLIES.fetch_add(1, Ordering::Relaxed);
            Some(ok)
        }
        Err(no) => panic!("{op} was refused: {no:?}"),
    }
}

/// Uploads pictures and publishes them, one after the other, until the connection ends.
pub async fn publishes(person: &Person, number: &mut u64, journal: &mut Vec<Sent>) -> Option<()> {
    loop {
        *number += WRITERS;
        let upload = key_of(u128::from(*number) | (1 << 101));
        let picture = jpeg(8 + u32::try_from(*number % 50).unwrap(), 6);
        asks(person, "uploads.begin", begin(&upload, &format!("{number}.jpg"), picture.len())).await?;
        asks(person, "uploads.chunk", chunk_at(&upload, &picture, 0)).await?;
        asks(person, "uploads.commit", json!({ "upload": upload })).await?;
        let mut fields = post_with_pictures(&format!("picture {number}"), &[(&upload, "A dot.")]);
        fields["key"] = key_of(u128::from(*number) | (1 << 102));
        journal.push(Sent { number: *number, fields: fields.clone(), reply: None, deleted: None });
        let reply = asks(person, "posts.create", fields).await?;
        let post_id = reply["post"]["id"].clone();
        journal.last_mut().unwrap().reply = Some(reply);
        if *number / WRITERS % 3 == 1 {
            changes_photo(person, *number).await?;
        }
        if (*number / WRITERS).is_multiple_of(4) {
            journal.last_mut().unwrap().deleted = Some(Deletion::Requested);
            let key = key_of(u128::from(*number) | (1 << 103));
            let gone = asks(person, "posts.delete", json!({ "key": key, "post_id": post_id })).await?;
            journal.last_mut().unwrap().deleted = Some(Deletion::Done(seq_of(&gone)));
        }
    }
}

/// Sets another photo.
async fn changes_photo(person: &Person, number: u64) -> Option<()> {
    let upload = key_of(u128::from(number) | (1 << 104));
    let face = jpeg(8 + u32::try_from(number % 50).unwrap(), 8);
    asks(person, "uploads.begin", begin_photo(&upload, "me.jpg", face.len())).await?;
    asks(person, "uploads.chunk", chunk_at(&upload, &face, 0)).await?;
    asks(person, "uploads.commit", json!({ "upload": upload })).await?;
    let key = key_of(u128::from(number) | (1 << 105));
    asks(person, "profiles.set_photo", json!({ "key": key, "upload": upload })).await?;
    Some(())
}

/// The content of a data folder after a sudden end.
pub struct Left {
    texts: BTreeSet<String>,
    /// The stored files that the database names.
    pub rows: BTreeSet<String>,
    /// The stored files that exist.
    pub files: BTreeSet<String>,
}

/// Reads a data folder, and checks that every item and every stored picture in it is whole.
pub fn look(folder: &Path) -> Left {
    // Works on a copy, so that the server itself recovers its database.
    let copy = tempfile::tempdir().unwrap();
    for name in ["mellow.db", "mellow.db-wal"] {
        if folder.join(name).exists() {
            std::fs::copy(folder.join(name), copy.path().join(name)).unwrap();
        }
    }
    let database = rusqlite::Connection::open(copy.path().join("mellow.db")).unwrap();
    let number = |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let check: String = database.query_row("pragma integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!((check.as_str(), number("select count(*) from pragma_foreign_key_check")), ("ok", 0));
    for wrong in [
        "select count(*) from posts p where pictures_count <> (select count(*) from pictures where post_id = p.id)",
        "select count(*) from posts where text like 'picture %' and pictures_count <> 1",
        "select count(*) from files f
          where not exists (select 1 from pictures where f.id in (screen_file_id, card_file_id, motion_file_id))
            and not exists (select 1 from photos where f.id in (screen_file_id, card_file_id))",
        "select count(*) from users u left join photos h on h.user_id = u.id left join files f on f.id = h.card_file_id
          where (u.photo_url is null) <> (h.user_id is null) or u.photo_url not like '%?token=' || f.token",
    ] {
        assert_eq!(number(wrong), 0, "an incomplete item: {wrong}");
    }
    let media = folder.join("media");
    let mut rows = BTreeSet::new();
    let mut statement = database.prepare("select full_path, size_bytes from files").unwrap();
    let read = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))).unwrap();
    for (path, size) in read.map(Result::unwrap) {
        let bytes =
            std::fs::read(media.join(&path)).unwrap_or_else(|_| panic!("{path} has a row and no file"));
        assert_eq!(i64::try_from(bytes.len()).unwrap(), size, "{path} is incomplete");
        assert!(size_of_jpeg(&bytes).is_some() && bytes.ends_with(b"\xff\xd9"), "{path} is no picture");
        rows.insert(path);
    }
    let mut statement = database.prepare("select text from posts").unwrap();
    let texts = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let files = files_below(&media).into_iter().filter(|path| !path.starts_with(".incoming/")).collect();
    Left { texts, rows, files }
}

/// Checks that acknowledged posts exist and deleted posts do not.
pub fn compare<'a>(left: &Left, sent: impl IntoIterator<Item = &'a Sent>) {
    for sent in sent {
        let is_there = left.texts.contains(sent.text());
        match (&sent.reply, sent.deleted) {
            (_, Some(Deletion::Done(_))) => assert!(!is_there, "deleted and there again: {}", sent.fields),
            (Some(reply), None) => {
                assert!(is_there, "acknowledged and missing: {}", sent.fields);
                for url in urls(&reply["post"]) {
                    assert!(left.rows.contains(&path_of(&url)), "{url} belongs to its post");
                }
            }
            _ => {}
        }
    }
}

/// Sends unanswered requests again. The post has its picture, or the picture must be uploaded again.
async fn sends_again(person: &Person, journal: &mut Vec<Sent>, left: &Left) {
    let mut gone = BTreeSet::new();
    for sent in journal.iter_mut().filter(|sent| sent.reply.is_none()) {
        let was_there = left.texts.contains(sent.text());
        match person.tries("posts.create", sent.fields.clone()).await {
            Ok(reply) => {
                assert!(was_there, "an upload lived longer than its server: {}", sent.fields);
                assert_eq!(reply["post"]["pictures"].as_array().unwrap().len(), 1);
                sent.reply = Some(reply);
            }
            Err(no) => {
                assert_eq!((no.code.as_str(), was_there), ("upload_gone", false));
                gone.insert(sent.number);
            }
        }
    }
    journal.retain(|sent| !gone.contains(&sent.number));
    if let Some(sent) = journal.iter().rev().find(|sent| sent.deleted.is_none()) {
        let reply = sent.reply.as_ref().unwrap();
        assert_eq!(&person.asks("posts.create", sent.fields.clone()).await, reply);
        for url in urls(&reply["post"]) {
            assert_eq!(person.fetches(&url).await.status, 200);
        }
    }
}

#[tokio::test]
async fn r1_twelve_sudden_ends_leave_every_post_with_all_its_pictures() {
    let mut random = random_of_this_run();
    let folder = tempfile::tempdir().unwrap();
    let media = folder.path().join("media");
    let mut journals: Vec<Vec<Sent>> = (0..WRITERS).map(|_| Vec::new()).collect();
    let mut numbers: Vec<u64> = (0..WRITERS).collect();
    let (mut rounds, mut posts, mut orphans) = (0, 0, 0);
    for round in 0..4 * ROUNDS {
        let left = (round > 0).then(|| look(folder.path()));
        let mut child = Child::starts(folder.path(), &[]);
        assert_eq!(files_below(&media.join(".incoming")).len(), 0, "nothing is half-way when it starts");
        let mut people = Vec::new();
        for (number, journal) in journals.iter_mut().enumerate() {
            let person = Person::signs_up_again(child.at, &format!("Writer {number}")).await;
            if let Some(left) = &left {
                sends_again(&person, journal, left).await;
            }
            people.push(person);
        }
        let publishing = people
            .iter()
            .zip(&mut numbers)
            .zip(&mut journals)
            .map(|((person, number), journal)| publishes(person, number, journal));
        let publishing = futures_util::future::join_all(publishing);
        // By replies and not by time alone, because a busy machine answers little in a time.
        let life = REPLIES.load(Ordering::Relaxed) + 1 + random.next_u64() % 30;
        let moment = Duration::from_millis(random.next_u64() % 30);
        let ending = async {
            wait_until("it has answered", || REPLIES.load(Ordering::Relaxed) >= life).await;
            tokio::time::sleep(moment).await;
            child.dies();
        };
        tokio::join!(publishing, ending);
        let left = look(folder.path());
        compare(&left, journals.iter().flatten());
        orphans = left.files.difference(&left.rows).count();
        posts = journals.iter().flatten().filter(|sent| sent.reply.is_some()).count();
        rounds = round + 1;
        let has_photo = left.rows.iter().any(|path| path.starts_with(PHOTOS));
        if rounds >= ROUNDS && posts >= POSTS_MIN && has_photo {
            break;
        }
    }
    assert!(posts >= POSTS_MIN, "only {posts} posts in {rounds} rounds, too few to prove anything");

    // After an hour files without a row are old enough to be deleted.
    let left = look(folder.path());
    assert!(left.rows.iter().any(|path| path.starts_with(PHOTOS)), "somebody has a photo");
    for path in left.files.difference(&left.rows) {
        let file = std::fs::File::options().write(true).open(media.join(path)).unwrap();
        let now = file.metadata().unwrap().modified().unwrap();
        file.set_modified(now - Duration::from_secs(2 * 3_600)).unwrap();
    }
    let mut child = Child::starts(folder.path(), &[]);
    let begun = Instant::now();
    wait_until("only what belongs to posts is there", || look(folder.path()).files == left.rows).await;
    println!(
        "{rounds} sudden ends, {posts} posts with pictures, {orphans} stray files swept in {:?}",
        begun.elapsed()
    );
    child.dies();
}
