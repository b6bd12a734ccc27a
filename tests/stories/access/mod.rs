//! Permissions over the real socket: every request by every kind of viewer, every event to every kind of viewer, and
//! no byte that they may not see. The tests fail if no `FEATURE` of a story has a row for a request or an event.

mod admins;
pub mod delivered;
mod evening;
mod groups;
mod hidden;
mod reports;
pub mod rows;
mod uploads;

use std::collections::{BTreeMap, BTreeSet};

use admins::{an_admin, for_admin};
use rows::Then::{LinkExpired, NotFound, NotSignedIn, UploadGone, Yes};
use rows::{ENDING, NOTHING, RESTRICTED_VIEWERS, Row, Shared, Then, Things, VIEWERS, expected_of};
use serde_json::{Value, json};

use crate::feature::all;
use crate::support::http;
use crate::support::person::Person;
use crate::support::picture::jpeg;
use crate::support::server::TestServer;
use crate::support::socket::Socket;
use crate::support::uploads::{begin_photo, path_of, urls};
use crate::support::value::{key, key_of};
use crate::{imports, polls};

/// A server with a user for each relation to the author, Ana, and to a group of which she is a member.
struct Scene {
    server: TestServer,
    author: Person,
    stranger: Person,
    follower: Person,
    followed: Person,
    /// Whose group the author and the member are in, and the ex-member was.
    owner: Person,
    member: Person,
    ex_member: Person,
    /// A follower of the owner.
    other: Person,
    admin: Person,
    /// Whom the author blocked, who blocked the author, and who muted the author.
    restricted: [Person; 3],
    suspended: Person,
    /// A cookie whose login is over.
    former: String,
}

/// The fields of a request about this user.
pub fn about(other: &Person) -> Value {
    json!({ "key": key(), "user_id": other.id })
}

impl Scene {
    async fn new() -> Self {
        let server = TestServer::new().await;
        let [author, stranger, follower, followed] = server.people(["Ana", "Sten", "Fay", "Finn"]).await;
        let [owner, member, ex_member, other] = server.people(["Olga", "Mia", "Xenia", "Other"]).await;
        let admin = an_admin(&server).await;
        follower.follows(&author).await;
        author.follows(&followed).await;
        for who in [&author, &member, &ex_member, &other] {
            who.follows(&owner).await;
        }
        let restricted = server.people(["Bea", "Bo", "Mo"]).await;
        author.asks("people.block", about(&restricted[0])).await;
        restricted[1].asks("people.block", about(&author)).await;
        restricted[2].asks("people.mute", about(&author)).await;
        let suspended = server.person("Susan").await;
        let suspend = json!({ "key": key(), "user_id": suspended.id, "suspended": true });
        admin.asks("admin.suspend", suspend).await;
        let former = stranger.logs_in_on_phone().await;
        former.asks("auth.log_out", json!({})).await;
        former.socket.closed().await;
        Self {
            server,
            author,
            stranger,
            follower,
            followed,
            owner,
            member,
            ex_member,
            other,
            restricted,
            suspended,
            admin,
            former: former.cookie,
        }
    }

    async fn things(&self) -> Things {
        let other = &self.other;
        let post = self.author.posts("hello").await;
        let upload = 77;
        self.author.cancels(&key_of(upload)).await;
        self.author.sends_picture(&key_of(upload), "tree.jpg", &jpeg(8, 6)).await;
        let (photo, face) = (78, jpeg(8, 8));
        self.author.cancels(&key_of(photo)).await;
        self.author.asks("uploads.begin", begin_photo(&key_of(photo), "me.jpg", face.len())).await;
        self.author.sends_from(&key_of(photo), &face, 0).await;
        self.author.commits(&key_of(photo)).await;
        // One person causes only a limited number of unseen notifications, so the earlier ones are marked as seen.
        self.author.sees_all().await;
        let comment = other.comments(post, "hi").await;
        let delivered = &self.author.reads_notifications().await["notifications"][0];
        assert_eq!(delivered["comment_id"], comment, "the event that the author received last");
        let notification = delivered["id"].as_i64().unwrap();
        polls::access::delete_all_of(&self.author).await;
        let poll = self.author.asks_poll("Tea?", &["yes", "no"]).await;
        self.author.chooses(poll, 0).await;
        let made = self.author.asks("invites.list", json!({})).await["invites"].clone();
        let invite = match made.as_array().unwrap().first() {
            Some(invite) => invite.clone(),
            None => self.author.asks("invites.create", json!({ "key": key() })).await["invites"][0].clone(),
        };
        let invite = invite["code"].as_str().unwrap().as_bytes().try_into().unwrap();
        let (group, shared) = self.shared().await;
        let (import, past_import) = imports::access::has_imports(&self.server, &self.author).await;
        let (author, other, member) = (self.author.id, self.other.id, self.member.id);
        Things {
            author,
            post,
            comment,
            upload,
            photo,
            import,
            past_import,
            notification,
            poll,
            group,
            other,
            member,
            invite,
            shared,
        }
    }

    /// Makes the group and its content again.
    async fn shared(&self) -> (i64, Shared) {
        let Self { author, owner, member, ex_member, .. } = self;
        for who in [owner, member, ex_member, author] {
            for own in who.reads_groups().await.iter().filter(|group| group["owner_id"] == who.id) {
                who.ends_group(own["id"].as_i64().unwrap()).await;
            }
        }
        let gone = owner.makes_group_with("Gone", &[author, member]).await;
        let orphan = author.shares(gone, "hello").await;
        member.comments(orphan, "hi").await;
        owner.ends_group(gone).await;
        let group = owner.makes_group_with("Tea", &[author, member, ex_member]).await;
        let post = author.shares(group, "hello").await;
        let comment = member.comments(post, "hi").await;
        let left_post = ex_member.shares(group, "hello").await;
        member.comments(left_post, "hi").await;
        let poll = author.asks_poll_of(group, "Tea?", &["yes", "no"]).await;
        author.chooses(poll, 0).await;
        owner.removes(group, ex_member).await;
        (group, Shared { post, comment, poll, left_post, orphan })
    }

    /// Opens a fresh socket for a viewer, so that every request has the same id.
    async fn socket_of(&self, viewer: &str) -> Socket {
        let cookie = match viewer {
            "guest" => None,
            "former" => Some(self.former.clone()),
            "suspended" => Some(self.suspended.cookie.clone()),
            // A login of its own: log_out ends it.
            "stranger" => Some(self.stranger.logs_in_on_phone().await.cookie),
            "follower" => Some(self.follower.logs_in_on_phone().await.cookie),
            "followed" => Some(self.followed.logs_in_on_phone().await.cookie),
            "author" => Some(self.author.logs_in_on_phone().await.cookie),
            "member" => Some(self.member.logs_in_on_phone().await.cookie),
            "ex-member" => Some(self.ex_member.logs_in_on_phone().await.cookie),
            "blocked" => Some(self.restricted[0].logs_in_on_phone().await.cookie),
            "blocking" => Some(self.restricted[1].logs_in_on_phone().await.cookie),
            "muting" => Some(self.restricted[2].logs_in_on_phone().await.cookie),
            "owner" => Some(self.owner.logs_in_on_phone().await.cookie),
            "admin" => Some(self.admin.logs_in_on_phone().await.cookie),
            _ => unreachable!("one of the viewers"),
        };
        let socket = Socket::open(self.server.at, cookie.as_deref()).await;
        socket.hello().await;
        socket
    }

    fn seq(&self) -> i64 {
        self.server.look().query_row("select seq from site", [], |row| row.get(0)).unwrap()
    }
}

#[test]
fn every_request_has_a_row() {
    let all = [all(|feature| feature.rows), all(|feature| feature.for_admins)].concat();
    let rows: BTreeSet<&str> = all.iter().map(|(op, ..)| *op).collect();
    let ops: BTreeSet<&str> =
        mellow::features::ops().into_iter().chain(mellow::socket::wire::OPS.iter().copied()).collect();
    assert_eq!(
        &rows ^ &ops,
        BTreeSet::new(),
        "please add the new request to the table with the viewers who may send it"
    );
    assert_eq!(rows.len(), all.len(), "one row for each");
}

#[tokio::test]
async fn s1_every_request_by_every_viewer_does_what_the_table_says() {
    sweeps_on_servers(all(|feature| feature.rows)).await;
}

#[tokio::test]
async fn s1_items_of_a_group_are_invisible_to_others() {
    sweeps_on_servers(all(|feature| feature.of_group)).await;
}

#[tokio::test]
async fn s1_posts_of_a_deleted_group_are_visible_to_their_authors_alone() {
    sweeps_on_servers(all(|feature| feature.of_left)).await;
}

/// How many servers share the rows of a long sweep. A sweep mostly waits for replies, so they work at the same time.
const SERVERS: usize = 4;

/// Runs [`sweeps`] on several servers at once, each with its share of the rows.
async fn sweeps_on_servers(table: Vec<Row>) {
    let share_of = |nth| table.iter().copied().skip(nth).step_by(SERVERS).collect();
    futures_util::future::join_all((0..SERVERS).map(|nth| sweeps(share_of(nth)))).await;
}

/// Sends all requests of a row, as every viewer. The items are made again after each request that changed something.
async fn sweeps(table: Vec<Row>) {
    let mut scene = Scene::new().await;
    let (mut things, mut is_spent) = (None, false);
    for row in table {
        let restricted = RESTRICTED_VIEWERS.map(|viewer| (viewer, expected_of(viewer, &row)));
        let (op, fields, columns, not_there) = row;
        let mut noes: BTreeMap<Vec<u8>, Vec<String>> = BTreeMap::new();
        let columns = columns.into_iter().chain([for_admin(op, columns)]);
        for (viewer, expected) in VIEWERS.into_iter().zip(columns).chain(restricted) {
            if std::mem::take(&mut is_spent) {
                scene = Scene::new().await;
                things = None;
            }
            let made = match things {
                Some(made) => made,
                None => *things.insert(scene.things().await),
            };
            let mut asked = vec![("there", fields(made), expected)];
            if let (Some(not_there), true) = (not_there, expected != NotSignedIn) {
                asked.push(("not there", fields(NOTHING), not_there));
            }
            for (what, fields, expected) in asked {
                let socket = scene.socket_of(viewer).await;
                let before = scene.seq();
                let id = socket.sends(op, fields.clone()).await;
                let reply = |state: &mut crate::support::socket::State| {
                    let at = state.log.iter().position(|message| message.get("re") == Some(&json!(id)))?;
                    Some((state.log[at].clone(), state.bytes[at].clone()))
                };
                let (reply, bytes) = socket.waits("a reply", reply).await;
                assert_eq!(Then::of(&reply), expected, "{viewer} asked for {op} {fields}, {what}");
                if matches!(expected, NotFound | UploadGone | LinkExpired) {
                    noes.entry(bytes).or_default().push(format!("{viewer}: {what}"));
                }
                if [Yes, Then::Gone, Then::NoVote].contains(&expected) {
                    // Uploads are not in the database until they are used.
                    if scene.seq() != before || op.starts_with("uploads.") || op == "imports.chunk" {
                        things = None;
                    }
                    is_spent |= ENDING.contains(&op);
                } else {
                    assert_eq!(scene.seq(), before, "{viewer} was refused {op} and something happened");
                    assert!(socket.events().is_empty(), "{viewer} was refused {op} and received something");
                }
                if !["guest", "former", "suspended"].contains(&viewer) {
                    // A user has fifty logins; one more would end the one that is idle longest.
                    socket.sends("auth.log_out", json!({})).await;
                    socket.closed().await;
                }
            }
        }
        // A refusal has the same bytes whether the item is another's or unknown, for every viewer.
        assert!(noes.len() <= 1, "{op} answers differently for unknown and for foreign items: {noes:?}");
    }
}

/// The clients that fetch, in the order of the table's columns.
const FETCHERS: [&str; 7] =
    ["no cookie", "odd cookie", "former", "stranger", "follower", "followed", "author"];

#[tokio::test]
async fn s1_a_stored_file_is_served_to_users_who_may_see_its_post_and_all_refusals_are_equal() {
    const NOBODY: [bool; 7] = [false; 7];
    const SIGNED_IN: [bool; 7] = [false, false, false, true, true, true, true];
    let scene = Scene::new().await;
    let author = &scene.author;
    let post = author.posts_picture("stays").await;
    let doomed = author.posts_picture("goes").await;
    author.deletes(doomed["id"].as_i64().unwrap()).await;
    let kept: BTreeSet<String> = urls(&post).iter().map(|url| path_of(url)).collect();
    crate::support::wait_until("its files are gone", || scene.server.stored() == kept).await;
    author.uploads("ready.jpg", &jpeg(8, 6)).await;
    let ready = scene.server.stored().into_iter().find(|path| !kept.contains(path)).unwrap();
    let own = urls(&post).remove(0);
    let (address, token) = own.split_once("?token=").unwrap();
    let card = urls(&post).remove(1);
    let other_token = card.split_once("?token=").unwrap().1;

    let mut noes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (what, url, columns) in [
        ("a post's file", own.clone(), SIGNED_IN),
        ("a post's smaller file", card.clone(), SIGNED_IN),
        ("another file's token", format!("{address}?token={other_token}"), NOBODY),
        ("no token", address.to_owned(), NOBODY),
        ("a deleted post's file", urls(&doomed).remove(0), NOBODY),
        ("a file that never was", own.replace("tree", "house"), NOBODY),
        ("an upload that is in no post", format!("/media/{ready}?token={token}"), NOBODY),
        ("the same without a token", format!("/media/{ready}"), NOBODY),
        ("the same with an empty one", format!("/media/{ready}?token="), NOBODY),
        ("nothing", "/media/?token=".into(), NOBODY),
    ] {
        for (fetcher, may) in FETCHERS.into_iter().zip(columns) {
            let cookie = match fetcher {
                "odd cookie" => Some("x".repeat(43)),
                "former" => Some(scene.former.clone()),
                "stranger" => Some(scene.stranger.cookie.clone()),
                "follower" => Some(scene.follower.cookie.clone()),
                "followed" => Some(scene.followed.cookie.clone()),
                "author" => Some(author.cookie.clone()),
                _ => None,
            };
            let cookie = cookie.map(|cookie| format!("mellow={cookie}"));
            let headers: Vec<(&str, &str)> =
                cookie.iter().map(|cookie| ("Cookie", cookie.as_str())).collect();
            let response = http::ask(scene.server.at, "GET", &url, &headers, "").await;
            assert_eq!(response.status, if may { 200 } else { 404 }, "{fetcher} fetched {what}");
            if !may {
                noes.entry(response.comparable()).or_default().push(format!("{fetcher}: {what}"));
            }
        }
    }
    assert_eq!(noes.len(), 1, "some refusals differ: {noes:#?}");
}
