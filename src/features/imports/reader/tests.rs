//! Whole archives: honest ones, odd ones, and hostile ones.

use std::io::Cursor;

use serde_json::{Value, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::testing::{Packed, deflated, large_zip, stored, zip};
use super::*;
use crate::features::posts::rules::NewPost;
use crate::limits::{IMPORT_POSTS_MAX, IMPORT_WORDS_BYTES_MAX};
use crate::zones::ms_of;

const NOW: &str = "2026-03-01T09:00:00Z";
const EVERYBODY: &str = "https://www.w3.org/ns/activitystreams#Public";
const ANA: &str = "https://example.org/users/ana";

fn opened(bytes: Vec<u8>) -> Result<Archive<Cursor<Vec<u8>>>, Unreadable> {
    Archive::open(Cursor::new(bytes))
}

fn found(bytes: Vec<u8>) -> Result<Found, Unreadable> {
    opened(bytes)?.read(ms_of(NOW))
}

/// Returns the one reason for which a post is left out; None if it is not.
fn reason(found: &Found) -> Option<Reason> {
    assert_eq!(found.posts.len() + found.left_out.values().sum::<u32>() as usize, 1, "{found:?}");
    found.left_out.keys().next().copied()
}

/// Returns an archive of Mellow with these rows and files.
fn mellow(rows: &Value, files: &[Packed]) -> Vec<u8> {
    zip(&[&[deflated("posts.json", rows.to_string())][..], files].concat())
}

/// Returns a row of Mellow with these fields.
fn row(fields: Value) -> Value {
    with(
        json!({ "id": 7, "title": null, "text": "Tea", "tag": null, "content_note": null, "audience": "public",
                "group": null, "written_at": "2024-05-01T10:00:00Z", "edited_at": null, "comments": 0,
                "positive_vibes": 0, "pictures": [] }),
        fields,
    )
}

/// Returns an archive of Mastodon with these items and files, in this folder.
fn mastodon(items: &[Value], folder: &str, files: &[Packed]) -> Vec<u8> {
    let outbox = json!({ "@context": "https://www.w3.org/ns/activitystreams", "id": "outbox.json",
                         "type": "OrderedCollection", "totalItems": items.len(), "orderedItems": items });
    zip(&[&[deflated(&format!("{folder}outbox.json"), outbox.to_string())][..], files].concat())
}

/// Returns an item of Mastodon: a post of Ana with these fields.
fn toot(fields: Value) -> Value {
    let note = json!({ "type": "Note", "id": format!("{ANA}/statuses/7"), "summary": null, "inReplyTo": null,
                       "published": "2024-05-01T10:00:00Z", "to": [EVERYBODY], "cc": [format!("{ANA}/followers")],
                       "sensitive": false, "content": "<p>Tea</p>", "attachment": [], "tag": [] });
    json!({ "type": "Create", "actor": ANA, "to": [EVERYBODY], "cc": [], "object": with(note, fields) })
}

fn with(mut object: Value, fields: Value) -> Value {
    object.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    object
}

fn picture_of(url: &str) -> Value {
    json!({ "type": "Document", "mediaType": "image/jpeg", "url": url, "name": "A heron" })
}

#[test]
fn d_w1_an_archive_of_mellow_has_its_posts_the_oldest_first_with_all_that_is_theirs() {
    let rows = json!([
        row(json!({ "id": 9, "text": "Newest", "written_at": "2024-05-02T10:00:00Z" })),
        row(json!({ "id": 8, "text": "Same second, second" })),
        row(json!({ "title": "Morning", "tag": "Slow Mornings", "content_note": "Grief",
                    "edited_at": "2024-05-01T11:00:00Z",
                    "pictures": [
                        { "file": "media/posts/1/a.screen.jpg", "moving_file": "media/posts/1/a.motion.gif", "alt": "A heron" },
                        { "file": "media/posts/1/b.screen.jpg", "moving_file": null, "alt": "" },
                        { "file": "media/posts/1/gone.jpg", "alt": "Gone" }] })),
    ]);
    // As the export packs it: each size stands behind the content.
    let mut writer = ZipWriter::new_stream(Vec::new());
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let contents = [
        ("README.txt", b"This is everything you have on Mellow".to_vec()),
        ("posts.json", serde_json::to_vec_pretty(&rows).unwrap()),
        ("media/posts/1/a.motion.gif", vec![1; 100_000]),
        ("media/posts/1/a.screen.jpg", vec![2; 10]),
        ("media/posts/1/b.screen.jpg", vec![3; 10]),
    ];
    for (name, content) in contents {
        writer.start_file(name, options).unwrap();
        writer.write_all(&content).unwrap();
    }
    let mut archive = opened(writer.finish().unwrap().into_inner()).unwrap();
    let found = archive.read(ms_of(NOW)).unwrap();
    assert_eq!(found.source, Source::Mellow);
    let [morning, second, newest] = &found.posts[..] else { panic!("{found:?}") };
    let expected = FoundPost {
        source_id: "7".into(),
        created_at_ms: ms_of("2024-05-01T10:00:00Z"),
        updated_at_ms: Some(ms_of("2024-05-01T11:00:00Z")),
        title: Some("Morning".into()),
        text: "Tea".into(),
        is_pictures_alone: false,
        tag: Some("Slow Mornings".into()),
        note: Some("Grief".into()),
        pictures: vec![
            FoundPicture {
                entry: "media/posts/1/a.motion.gif".into(),
                bytes: 100_000,
                description: Some("A heron".into()),
            },
            FoundPicture { entry: "media/posts/1/b.screen.jpg".into(), bytes: 10, description: None },
        ],
    };
    assert_eq!(*morning, expected);
    assert_eq!((second.text.as_str(), newest.text.as_str()), ("Same second, second", "Newest"));
    assert_eq!((found.pictures_left_out, found.left_out.len()), (1, 0));
    let mut out = Vec::new();
    assert_eq!(archive.picture("media/posts/1/a.motion.gif", &mut out).unwrap(), 100_000);
    assert_eq!(out, vec![1; 100_000]);
    assert!(matches!(archive.picture("media/posts/1/gone.jpg", &mut out), Err(NoPicture::LeftOut)));
}

#[test]
fn an_older_mellow_had_fewer_fields() {
    let rows = json!([{ "id": 7, "text": "Tea", "written_at": "2024-05-01T10:00:00Z" }]);
    let found = found(mellow(&rows, &[])).unwrap();
    assert_eq!(found.posts[0].text, "Tea");
}

#[test]
fn d_w2_d_w3_a_post_of_mastodon_is_read_as_it_was_shown() {
    let media = "media_attachments/files/000/001/original";
    let item = toot(json!({
        "updated": "2024-05-01T12:00:00Z",
        "summary": "Birds & <b>mist</b>",
        "content": "<p>One</p><p>Two <a href=\"https://example.org/tags/tea\" class=\"mention hashtag\">#<span>tea</span></a></p>",
        "tag": [{ "type": "Mention", "name": "@ben" }, { "type": "Hashtag", "name": "#Tea" },
                { "type": "Hashtag", "name": "#coffee" }],
        "attachment": [
            picture_of(&format!("/{media}/a.jpg")),
            picture_of(&format!("https://files.example.org/system/{media}/b.jpg?1")),
            { "mediaType": "video/mp4", "url": format!("/{media}/c.mp4"), "name": null },
            picture_of(&format!("/{media}/gone.jpg"))],
    }));
    let files = [stored(&format!("ana/{media}/a.jpg"), "a"), stored(&format!("{media}/b.jpg"), "b")];
    let found = found(mastodon(&[item], "ana/", &files)).unwrap();
    let post = &found.posts[0];
    assert_eq!(post.source_id, format!("{ANA}/statuses/7"));
    assert_eq!((post.text.as_str(), post.tag.as_deref()), ("One\n\nTwo #tea", Some("Tea")));
    assert_eq!(post.note.as_deref(), Some("Birds & <b>mist</b>"));
    assert_eq!(post.updated_at_ms, Some(ms_of("2024-05-01T12:00:00Z")));
    let entries: Vec<_> = post.pictures.iter().map(|picture| picture.entry.as_str()).collect();
    assert_eq!(entries, [format!("ana/{media}/a.jpg"), format!("{media}/b.jpg")]);
    assert_eq!((found.source, found.pictures_left_out), (Source::Mastodon, 1));
}

#[test]
fn d_w2_each_reason_for_which_a_post_of_mastodon_is_left_out() {
    let bens = "https://example.org/users/ben/statuses/1";
    let share = |to: &str| json!({ "type": "Announce", "actor": ANA, "to": [to], "object": bens });
    let followers = format!("{ANA}/followers");
    for (item, expected) in [
        (toot(json!({})), None),
        (toot(json!({ "to": [followers], "cc": EVERYBODY })), None),
        (toot(json!({ "to": "as:Public", "cc": null })), None),
        (toot(json!({ "to": [followers], "cc": [] })), Some(Reason::NotPublicThere)),
        (toot(json!({ "to": [], "inReplyTo": "x", "content": "" })), Some(Reason::NotPublicThere)),
        (share(&followers), Some(Reason::NotPublicThere)),
        (toot(json!({ "inReplyTo": bens })), Some(Reason::Reply)),
        (toot(json!({ "inReplyTo": "https://example.org/users/anabel/statuses/1" })), Some(Reason::Reply)),
        (toot(json!({ "inReplyTo": format!("{ANA}/statuses/6") })), None),
        (share(EVERYBODY), Some(Reason::Share)),
        (toot(json!({ "type": "Question", "oneOf": [] })), Some(Reason::Poll)),
        (toot(json!({ "anyOf": [{ "name": "Tea" }] })), Some(Reason::Poll)),
        (toot(json!({ "oneOf": null })), None),
        (toot(json!({ "content": format!("<p>{}</p>", "a".repeat(2_001)) })), Some(Reason::TooLong)),
        (toot(json!({ "content": format!("<p>{}</p>", "🌿".repeat(2_000)) })), None),
        (toot(json!({ "content": "<i></i>".repeat(40_000) })), Some(Reason::TooLong)),
        (toot(json!({ "content": "<p>&nbsp;</p>", "published": null })), Some(Reason::Empty)),
        (toot(json!({ "content": null })), Some(Reason::Empty)),
        (toot(json!({ "content": null, "contentMap": { "en": "<p>Tea</p>" } })), None),
        (toot(json!({ "published": "2026-03-01T09:00:01Z" })), Some(Reason::NoDate)),
        (toot(json!({ "published": "2026-03-01T10:00:00+01:00" })), None),
        (toot(json!({ "published": "yesterday" })), Some(Reason::NoDate)),
        (toot(json!({ "published": 1_714_557_600 })), Some(Reason::NoDate)),
        (toot(json!({ "published": "1969-12-31T23:59:59Z" })), Some(Reason::NoDate)),
        (toot(json!({ "published": null })), Some(Reason::NoDate)),
    ] {
        let found = found(mastodon(std::slice::from_ref(&item), "", &[])).unwrap();
        assert_eq!(reason(&found), expected, "{item}");
    }
}

#[test]
fn d_w2_each_reason_for_which_a_post_of_mellow_is_left_out() {
    for (fields, expected) in [
        (json!({}), None),
        (json!({ "audience": "group", "group": "Tea" }), Some(Reason::NotPublicThere)),
        (json!({ "audience": "author" }), Some(Reason::NotPublicThere)),
        (json!({ "text": "a".repeat(2_001) }), Some(Reason::TooLong)),
        (json!({ "title": "a".repeat(101) }), Some(Reason::TooLong)),
        (json!({ "text": " ".repeat(300_000) }), Some(Reason::TooLong)),
        (json!({ "text": " \u{200B}" }), Some(Reason::Empty)),
        (json!({ "pictures": [{ "file": "media/gone.jpg" }], "text": "" }), Some(Reason::Empty)),
        (json!({ "written_at": "2027-01-01T00:00:00Z" }), Some(Reason::NoDate)),
    ] {
        let found = found(mellow(&json!([row(fields.clone())]), &[])).unwrap();
        assert_eq!(reason(&found), expected, "{fields}");
        assert_eq!(found.pictures_left_out, 0, "pictures of a post that is left out do not count");
    }
}

#[test]
fn other_activities_and_items_of_other_shapes_are_no_posts() {
    let delete = json!({ "type": "Delete", "object": {} });
    let items = [delete, json!({ "type": 5 }), json!("x"), json!(null), json!([])];
    let found = found(mastodon(&items, "", &[])).unwrap();
    assert_eq!((found.posts.len(), found.left_out.len()), (0, 0));
    // Fields of other shapes are read as far as they go.
    let item =
        toot(json!({ "summary": ["Grief"], "sensitive": 1, "tag": { "type": "Hashtag", "name": "tea" },
                            "attachment": "x", "updated": {}, "id": { "a": 1.5, "b": [true] } }));
    let found = self::found(mastodon(&[item], "", &[])).unwrap();
    let post = &found.posts[0];
    assert_eq!((post.note.as_deref(), post.tag.as_deref()), (Some("Grief"), Some("tea")));
    assert_eq!((post.source_id.as_str(), post.updated_at_ms), ("true", None));
}

#[test]
fn d_w2_d_w3_only_a_note_is_shortened_and_sensitive_posts_have_one() {
    for (fields, expected) in [
        (json!({ "summary": " a\nb " }), Some("a b".to_owned())),
        (json!({ "summary": "" }), None),
        (json!({ "summary": "", "sensitive": true }), Some("Sensitive".to_owned())),
        (json!({ "summary": "Grief", "sensitive": true }), Some("Grief".to_owned())),
        (json!({ "summary": "🌿".repeat(60) }), Some("🌿".repeat(60))),
        (json!({ "summary": "🌿".repeat(61) }), Some("🌿".repeat(59) + "…")),
    ] {
        let found = found(mastodon(&[toot(fields.clone())], "", &[])).unwrap();
        assert_eq!(found.posts[0].note, expected, "{fields}");
    }
    let long = json!([row(json!({ "id": "9".repeat(600), "tag": "t".repeat(31) }))]);
    let found = found(mellow(&long, &[])).unwrap();
    assert_eq!((found.posts[0].source_id.len(), found.posts[0].tag.as_deref()), (500, None));
}

#[test]
fn a_post_of_pictures_alone_has_the_first_description_as_its_text() {
    let files = ["a", "b"].map(|name| stored(&format!("media_attachments/{name}.jpg"), name));
    let [a, b] = ["a", "b"].map(|name| picture_of(&format!("/media_attachments/{name}.jpg")));
    let plain = with(b, json!({ "name": null }));
    let items = [a, plain].map(|picture| toot(json!({ "content": "", "attachment": [picture] })));
    let found = found(mastodon(&items, "", &files)).unwrap();
    let texts: Vec<_> = found.posts.iter().map(|post| (post.text.as_str(), post.is_pictures_alone)).collect();
    assert_eq!(texts, [("A heron", true), ("🖼️", true)]);
}

#[test]
fn d_w2_a_picture_that_a_post_may_not_have_is_left_out_alone() {
    let names: Vec<String> = (0..6).map(|number| format!("media/{number}.jpg")).collect();
    let files: Vec<Packed> = names.iter().map(|name| stored(name, "x")).collect();
    let pictures: Vec<Value> = names.iter().map(|name| json!({ "file": name, "alt": "" })).collect();
    let rows = json!([
        row(json!({ "id": 1, "pictures": pictures })),
        row(
            json!({ "id": 2, "pictures": [{ "file": names[0] }, { "file": names[5] }, { "file": names[5] }] })
        ),
        row(json!({ "id": 3, "pictures": [{ "file": "media/4.jpg", "alt": "a".repeat(301) }] })),
    ]);
    let found = found(mellow(&rows, &files)).unwrap();
    let counts: Vec<_> = found.posts.iter().map(|post| post.pictures.len()).collect();
    assert_eq!(counts, [0, 1, 4]);
    // Two are more than four, one belongs to another post, one is there twice, and one has too long a description.
    assert_eq!(found.pictures_left_out, 5);
}

#[test]
fn a_damaged_or_large_picture_is_left_out_and_a_full_disk_is_another_matter() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let whole = deflated("media/whole.jpg", [1_u8; 1_000]);
    let named = |name: &str| Packed { name: name.into(), ..whole.clone() };
    let files = [
        named("media/whole.jpg"),
        Packed { crc: 5, ..named("media/crc.jpg") },
        Packed { bytes: 999, ..named("media/more.jpg") },
        Packed { bytes: 1_001, ..named("media/fewer.jpg") },
        Packed { packed: vec![0xFF; 100], ..named("media/noise.jpg") },
        Packed { packed: whole.packed[..whole.packed.len() - 2].to_vec(), ..named("media/cut.jpg") },
        Packed { bytes: PICTURE_BYTES_MAX as u32 + 1, ..named("media/large.jpg") },
    ];
    let mut archive = opened(mellow(&json!([]), &files)).unwrap();
    assert_eq!(archive.picture("media/whole.jpg", &mut Vec::new()).unwrap(), 1_000);
    for file in &files[1..] {
        let refused = archive.picture(&file.name, &mut Vec::new());
        assert!(matches!(refused, Err(NoPicture::LeftOut)), "{}: {refused:?}", file.name);
    }
    assert!(matches!(archive.picture("media/whole.jpg", &mut Full), Err(NoPicture::Io(_))));
}

#[test]
fn d_w2_a_picture_that_is_too_large_is_left_out_or_the_still_one_takes_its_place() {
    let large = |name: &str| Packed { bytes: PICTURE_BYTES_MAX as u32 + 1, ..deflated(name, "x") };
    let rows = json!([row(json!({ "pictures": [
        { "file": "media/a.screen.jpg", "moving_file": "media/a.motion.gif", "alt": "" },
        { "file": "media/b.screen.jpg", "alt": "" }] }))]);
    let files = [large("media/a.motion.gif"), stored("media/a.screen.jpg", "x"), large("media/b.screen.jpg")];
    let found = found(mellow(&rows, &files)).unwrap();
    let entries: Vec<&str> = found.posts[0].pictures.iter().map(|picture| picture.entry.as_str()).collect();
    assert_eq!((entries, found.pictures_left_out), (vec!["media/a.screen.jpg"], 1));
}

#[test]
fn a_disk_that_fails_says_nothing_of_the_file() {
    struct Disk {
        file: Cursor<Vec<u8>>,
        reads_left: usize,
    }
    impl Read for Disk {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let left = self.reads_left.checked_sub(1);
            self.reads_left = left.ok_or_else(|| io::Error::other("the disk fails"))?;
            self.file.read(out)
        }
    }
    impl Seek for Disk {
        fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
            self.file.seek(to)
        }
    }
    let picture = stored("media/a.jpg", "x");
    let bytes = mellow(&json!([row(json!({}))]), std::slice::from_ref(&picture));
    let found_after = |reads_left: usize| {
        let disk = Disk { file: Cursor::new(bytes.clone()), reads_left };
        Archive::open(disk)?.read(ms_of(NOW)).map(|found| found.posts.len())
    };
    let failed =
        (0..).take_while(|reads| found_after(*reads) == Err(Unreadable::Io(ErrorKind::Other))).count();
    assert!(failed > 4, "the end, the directory, two heads and the posts: {failed}");
    assert_eq!(found_after(failed), Ok(1));
}

#[test]
fn json_is_utf_8_with_or_without_a_mark() {
    let rows = json!([row(json!({ "text": "Zoë 🌿" }))]).to_string();
    let read = |json: Vec<u8>| found(zip(&[deflated("posts.json", json)])).map(|found| found.posts.len());
    assert_eq!(read(rows.clone().into()), Ok(1));
    assert_eq!(read([&b"\xEF\xBB\xBF"[..], rows.as_bytes()].concat()), Ok(1));
    assert_eq!(read(b"[]".to_vec()), Ok(0));
    let latin: Vec<u8> = rows.chars().filter_map(|c| u8::try_from(u32::from(c)).ok()).collect();
    let utf_16 = rows.encode_utf16().flat_map(u16::to_le_bytes);
    for broken in [
        latin,
        b"\xFF\xFE".iter().copied().chain(utf_16).collect(),
        Vec::new(),
        b"\xEF\xBB\xBF".to_vec(),
        b"\xEF\xBB\xBF\xEF\xBB\xBF[]".to_vec(),
        // In a field that is not read, and behind the end.
        b"[{ \"group\": \"\xFF\" }]".to_vec(),
        b"[] \xC3".to_vec(),
        rows.as_bytes()[..rows.len() - 1].to_vec(),
        [rows.as_bytes(), b"x"].concat(),
        b"{}".to_vec(),
        b"null".to_vec(),
        b"[{ \"text\": \"a\", \"text\": \"b\" }]".to_vec(),
        format!("[{{ \"text\": {}1{} }}]", "[".repeat(200), "]".repeat(200)).into(),
    ] {
        let shown = String::from_utf8_lossy(&broken).into_owned();
        assert_eq!(read(broken), Err(Unreadable::Broken), "{shown}");
    }
    for outbox in ["{}", "[]", "{ \"orderedItems\": [ }"] {
        assert_eq!(found(zip(&[stored("outbox.json", outbox)])), Err(Unreadable::Broken), "{outbox}");
    }
}

#[test]
fn a_character_is_whole_wherever_a_piece_ends() {
    let text = "aë漢🌿".repeat(3);
    for pieces in 1..5 {
        let mut counted = json::Counted::new(text.as_bytes());
        let mut read = Vec::<u8>::new();
        let mut piece = vec![0; pieces];
        loop {
            let count = counted.read(&mut piece).unwrap();
            if count == 0 {
                break;
            }
            read.extend(&piece[..count]);
        }
        assert_eq!(read, text.as_bytes());
    }
}

#[test]
fn other_files_are_no_archives() {
    for bytes in [
        Vec::new(),
        b"PK".to_vec(),
        vec![0; 100_000],
        b"\x1F\x8B\x08 a tape archive".to_vec(),
        zip(&[]),
        zip(&[stored("notes.txt", "x")]),
        zip(&[stored("a/b/outbox.json", "{}"), stored("my-posts.json", "[]"), stored("posts.json/", "")]),
    ] {
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        assert_eq!(found(bytes), Err(Unreadable::NotAnArchive), "{shown:?}");
    }
}

#[test]
fn d_w10_the_sizes_of_the_posts_are_counted_and_limited() {
    let spaces = deflated("posts.json", vec![b' '; 1024 * 1024]);
    for (about, posts) in [
        ("more than it says", Packed { bytes: 1_000, ..spaces.clone() }),
        ("fewer than it says", Packed { bytes: 2 * 1024 * 1024, ..spaces.clone() }),
        ("too much", Packed { bytes: 65 * 1024 * 1024, packed: vec![0; 1_000_000], ..spaces.clone() }),
    ] {
        assert_eq!(found(zip(&[posts])), Err(Unreadable::Unsafe), "{about}");
    }
    let damaged = Packed { crc: 5, ..deflated("posts.json", "[]") };
    assert_eq!(found(zip(&[damaged])), Err(Unreadable::Broken));
    let mut endless = json::Counted::new(io::repeat(b' '));
    let why = io::copy(&mut endless, &mut io::sink()).unwrap_err();
    assert_eq!(unreadable(why), Unreadable::Unsafe);
}

#[test]
fn d_w10_no_text_is_kept_in_full_that_is_longer_than_any_that_is_read() {
    for long in ["a".repeat(1_000_000), format!("a{}", "🌿".repeat(100_000))] {
        let json::Text(kept) = serde_json::from_value(json!(long)).unwrap();
        let kept = kept.unwrap();
        assert!(long.starts_with(&kept));
        assert!((IMPORT_WORDS_BYTES_MAX + 1..=IMPORT_WORDS_BYTES_MAX + 4).contains(&kept.len()));
    }
    let json::Text(kept) = serde_json::from_value(json!(["Tea", "Milk"])).unwrap();
    assert_eq!(kept.as_deref(), Some("Tea"));
}

#[test]
fn d_w10_the_number_of_posts_is_limited() {
    let line = row(json!({})).to_string();
    let read = |count: usize| {
        let rows = format!("[{}]", vec![line.as_str(); count].join(","));
        found(zip(&[deflated("posts.json", rows)])).map(|found| found.posts.len())
    };
    assert_eq!(read(IMPORT_POSTS_MAX), Ok(IMPORT_POSTS_MAX));
    assert_eq!(read(IMPORT_POSTS_MAX + 1), Err(Unreadable::Unsafe));
}

/// Checks what every archive promises, whatever is in it.
fn keeps_the_rules(found: &Found) {
    assert!(found.posts.is_sorted_by_key(|post| post.created_at_ms));
    for post in &found.posts {
        let FoundPost { title, text, tag, note, .. } = post;
        let again = NewPost::parse(title.as_deref(), text, tag.as_deref(), note.as_deref());
        let again = again.expect("a post as somebody types it");
        assert_eq!((&again.title, &again.text, &again.content_note), (title, text, note));
        assert!((0..=ms_of(NOW)).contains(&post.created_at_ms) && post.pictures.len() <= 4);
    }
}

#[test]
fn lv6_an_almost_valid_archive_is_refused_or_has_posts_as_people_type_them() {
    let files = [stored("media/a.jpg", "x"), deflated("media_attachments/b.jpg", "x")];
    let rows = json!([row(json!({ "pictures": [{ "file": "media/a.jpg", "alt": "A" }] }))]);
    let item = toot(json!({ "attachment": [picture_of("/media_attachments/b.jpg")] }));
    let large = large_zip(&[stored("posts.json", rows.to_string())], 1);
    let valid = [mellow(&rows, &files), mastodon(&[item], "", &files), large];
    crate::testing::fuzz::bytes(&valid, |bytes| {
        let Ok(mut archive) = opened(bytes.to_vec()) else { return };
        for entry in ["media/a.jpg", "media_attachments/b.jpg"] {
            drop(archive.picture(entry, &mut io::sink()));
        }
        if let Ok(found) = archive.read(ms_of(NOW)) {
            keeps_the_rules(&found);
        }
    });
}

#[test]
fn lv6_almost_valid_posts_are_refused_or_read_as_people_type_them() {
    let entries = Entries::read(&mut Cursor::new(zip(&[stored("media/a.jpg", "x")]))).unwrap();
    let rows = json!([row(json!({ "title": "Morning", "tag": "Tea", "content_note": "Grief",
                                  "pictures": [{ "file": "media/a.jpg", "moving_file": null, "alt": "A" }] }))]);
    let items = json!({ "orderedItems": [
        toot(json!({ "summary": "Grief", "tag": [{ "type": "Hashtag", "name": "#Tea" }],
                     "attachment": [picture_of("/media_attachments/b.jpg")], "contentMap": { "en": "x" } })),
        toot(json!({ "inReplyTo": format!("{ANA}/statuses/6"), "updated": "2024-05-01T12:00:00Z" })),
    ] });
    for (source, valid) in [(Source::Mellow, rows), (Source::Mastodon, items)] {
        crate::testing::fuzz::bytes(&[valid.to_string()], |bytes| {
            let mut collector = Collector::new(source, &entries, "", ms_of(NOW));
            if collect_from(bytes, &mut collector).is_ok() {
                keeps_the_rules(&collector.finish());
            }
        });
    }
}
