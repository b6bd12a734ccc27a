//! The imports of users: their files, whose words nobody receives before they ask for the posts, and their undo.

use serde_json::{Value, json};

use crate::model::{self, Audience, Community, PEOPLE, Post};
use crate::plan::{Plan, asks};
use crate::support::groups::of;
use crate::support::imports::{activity, archive, mastodon, written};
use crate::support::picture::jpeg;
use crate::support::uploads::urls;
use crate::support::value::key;
use crate::tab::Tab;
use crate::words::{Book, Number, Thing};
use crate::{Action, Canary, seq_of};

/// The most imports whose posts are there. After that nobody imports until one is undone.
const IMPORTS_MAX: usize = 6;
/// The posts of a file.
const POSTS: usize = 3;
const MELLOW: &str = "an import from Mellow";
const MASTODON: &str = "an import from Mastodon";

pub const EVERY: &[&str] = &[MELLOW, MASTODON, "imports.list", "imports.undo"];
pub const CAN_REPEAT: &[&str] = &["imports.undo"];
/// The messages that show a user what is in their file.
pub const OF_FILE: &[&str] = &["imports.changed", "imports.list"];
/// The messages that never have a post that was imported.
pub const NEVER_IN: &[&str] = &["posts.created", "posts.feed", "posts.by_group"];

/// An import whose posts are there.
#[derive(Debug)]
pub struct Import {
    owner: usize,
    posts: Vec<i64>,
    /// The words of its file.
    words: Vec<Number>,
}

#[derive(Clone, Debug)]
pub enum Effect {
    Import { who: usize, audience: Audience, import: i64, posts: Vec<Imported> },
    Undo { who: usize, import: i64 },
}

/// A post of an import.
#[derive(Clone, Debug)]
pub struct Imported {
    id: i64,
    words: Words,
    pictures: Vec<String>,
}

/// The words of a post in a file. Only the first post has a note and a picture, and those of Mastodon have no titles.
#[derive(Clone, Copy, Debug)]
struct Words {
    title: Number,
    text: Number,
    note: Number,
    tag: Number,
    alt: Number,
    name: Number,
}

impl Words {
    fn new(book: &mut Book, who: usize) -> Self {
        let mut word = || book.makes(Some(who));
        Self { title: word(), text: word(), note: word(), tag: word(), alt: word(), name: word() }
    }

    /// Returns the words that an edit replaces.
    fn texts(&self) -> Vec<Number> {
        vec![self.title, self.text, self.note]
    }

    fn all(&self) -> Vec<Number> {
        [self.texts(), vec![self.tag, self.alt, self.name]].concat()
    }
}

impl From<Effect> for model::Effect {
    fn from(effect: Effect) -> Self {
        Self::Imports(effect)
    }
}

impl Effect {
    /// Returns whether this may be granted. If not, the text says what a grant would mean.
    pub fn is_allowed(&self, community: &Community) -> (bool, &'static str) {
        match self {
            Self::Import { .. } => (true, ""),
            Self::Undo { who, import } => {
                let is_own = community.imports.get(import).is_some_and(|import| import.owner == *who);
                (is_own, "undoes an import of others")
            }
        }
    }

    /// Applies the effect of an import that is over, or of its undo.
    pub fn apply(self, community: &mut Community) {
        match self {
            Self::Import { who, audience, import, posts } => {
                let words = posts.iter().flat_map(|post| post.words.all()).collect();
                let ids = posts.iter().map(|post| post.id).collect();
                community.imports.insert(import, Import { owner: who, posts: ids, words });
                for Imported { id, words, pictures } in posts {
                    community.replaces(Thing::Post(id), &[], &words.all());
                    let texts = words.texts();
                    let post = Post { author: who, audience, texts, pictures, is_imported: true };
                    community.posts.insert(id, post);
                }
            }
            Self::Undo { import, .. } => {
                let Import { posts, words, .. } = community.imports.remove(&import).unwrap();
                posts.into_iter().for_each(|post| community.deletes_post(post));
                community.undone.extend(words);
            }
        }
    }
}

impl Plan<'_> {
    /// Returns an import, usually one of this user.
    pub fn an_import(&mut self, who: usize) -> i64 {
        let is_own = self.below(4) > 0;
        let imports = self.community.imports.iter().filter(|(_, import)| !is_own || import.owner == who);
        let imports: Vec<i64> = imports.map(|(id, _)| *id).collect();
        self.one_of(&imports)
    }

    /// Undoes an import.
    pub fn undoes_import(&mut self, who: usize) -> Action {
        let import = self.an_import(who);
        let fields = json!({ "key": key(), "import_id": import });
        asks("imports.undo", fields, Effect::Undo { who, import }.into())
    }
}

fn written_at(nth: i64) -> String {
    format!("2019-05-{nth:02}T10:00:00Z")
}

/// Returns an archive of Mellow with these posts. Another one was for a group there, so nobody sees its text.
fn of_mellow(posts: &[Words], hidden: &str) -> Vec<u8> {
    let spelled = Book::spelled;
    let post = |(nth, words): (i64, &Words)| {
        let mut post = written(nth, &format!("wrote {}", spelled(words.text)), &written_at(nth));
        post["title"] = json!(spelled(words.title));
        post["tag"] = json!(spelled(words.tag));
        post
    };
    let mut all: Vec<Value> = (1..).zip(posts).map(post).collect();
    let first = &posts[0];
    let picture = format!("media/posts/1/{}.jpg", spelled(first.name));
    let alt = format!("shows {}", spelled(first.alt));
    all[0]["content_note"] = json!(spelled(first.note));
    all[0]["pictures"] = json!([{ "file": picture, "moving_file": null, "alt": alt }]);
    let mut of_few = written(8, hidden, &written_at(8));
    of_few["audience"] = json!("group");
    all.push(of_few);
    archive(&all, &[(&picture, &jpeg(8, 6))])
}

/// Returns an archive of Mastodon with these posts. One that was for followers there and an answer are left out. Nobody
/// learns the name of the author there, which is in the address of each post.
fn of_mastodon(posts: &[Words], hidden: &str) -> Vec<u8> {
    let spelled = Book::spelled;
    let actor = format!("https://there.example/users/{hidden}");
    let post = |(nth, words): (i64, &Words)| {
        let text = format!("wrote {}", spelled(words.text));
        let mut post = activity(&actor, nth, &text, &written_at(nth));
        post["object"]["tag"] = json!([{ "type": "Hashtag", "name": format!("#{}", spelled(words.tag)) }]);
        post
    };
    let mut all: Vec<Value> = (1..).zip(posts).map(post).collect();
    let first = &posts[0];
    let picture = format!("media_attachments/files/{}.jpg", spelled(first.name));
    let alt = format!("shows {}", spelled(first.alt));
    all[0]["object"]["summary"] = json!(spelled(first.note));
    all[0]["object"]["attachment"] =
        json!([{ "type": "Document", "mediaType": "image/jpeg", "url": format!("/{picture}"), "name": alt }]);
    let mut of_few = activity(&actor, 8, hidden, &written_at(8));
    of_few["object"]["to"] = json!([format!("{actor}/followers")]);
    let mut answer = activity(&actor, 9, hidden, &written_at(9));
    answer["object"]["inReplyTo"] = json!("https://elsewhere.example/users/zoe/statuses/1");
    all.extend([of_few, answer]);
    mastodon(&all, &[(&picture, &jpeg(8, 6))])
}

impl Canary {
    /// Returns who imports next and for whom: twice for everybody, and then twice for a group if there is one.
    fn importer(&mut self) -> (usize, Audience, Value) {
        let groups: Vec<i64> = self.community.groups.keys().copied().collect();
        if self.imported % 4 < 2 || groups.is_empty() {
            return (self.random.below(PEOPLE), Audience::Everybody, json!({ "type": "public" }));
        }
        let group = groups[self.random.below(groups.len())];
        let members: Vec<usize> = self.community.groups[&group].members.iter().copied().collect();
        (members[self.random.below(members.len())], Audience::Group(group), of(group))
    }

    /// A user imports a file, in a tab of its own. Meanwhile nobody does anything else.
    pub async fn imports(&mut self) {
        let (who, audience, wire) = self.importer();
        if self.community.suspended.contains(&who) || self.community.imports.len() >= IMPORTS_MAX {
            return;
        }
        let since = self.community.seq;
        let source = [MELLOW, MASTODON][self.imported % 2];
        self.imported += 1;
        self.notes(format!("after {since}: user {who} makes {source} for {wire}"));
        let book = &mut self.community.book;
        let words: Vec<Words> = (0..POSTS).map(|_| Words::new(book, who)).collect();
        let hidden = Book::spelled(book.makes(None));
        let file = if source == MELLOW { of_mellow(&words, &hidden) } else { of_mastodon(&words, &hidden) };

        let mut tab = Tab::new(who, &self.people[who]).await;
        let import = tab.person.previews(&file).await["id"].as_i64().unwrap();
        tab.asks("imports.list", &json!({})).await.unwrap();
        tab.person.starts_import_for(import, wire).await;
        let is_end = |event: &Value| event["ended"]["id"] == import;
        let end = tab.person.socket.receives_where("imports.changed", is_end).await;
        assert_eq!((&end["ended"]["result"], &end["ended"]["posts"]), (&json!("done"), &json!(POSTS)));
        let read = tab.person.reads_all_posts_of(&tab.person).await;
        let imported = |words: Words| {
            let text = Book::spelled(words.text);
            let is_it = |post: &&Value| post["text"].as_str().unwrap().ends_with(&text);
            let post = read.iter().find(is_it).unwrap_or_else(|| panic!("{text} is not in {read:?}"));
            assert_eq!(post["imported"], true);
            Imported { id: post["id"].as_i64().unwrap(), words, pictures: urls(post) }
        };
        let posts: Vec<Imported> = words.into_iter().map(imported).collect();
        // Its words belong to nothing yet. So nobody may have received one, but its user what is in the file.
        let seq = seq_of(&end);
        self.community.seq = self.community.seq.max(seq);
        self.listens(since).await;
        let effect = Effect::Import { who, audience, import, posts };
        self.community.apply(seq, effect.into(), &Value::Null);
        for inbox in tab.hears() {
            self.searches(&inbox, since);
        }
        *self.granted.entry(source).or_default() += 1;
    }
}
