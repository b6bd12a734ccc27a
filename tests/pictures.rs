//! Malicious pictures, with the real program. The output is clean, and the input affects nobody.
//!
//! These tests are in their own binary, because they measure the memory of their child processes.
#![expect(clippy::unwrap_used, reason = "a failed step ends the test")]

mod support;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mellow::limits::PHOTO_SIDE;
use mellow::pictures::service::PictureService;
use mellow::pictures::{Refused, Rendered, Wanted};
use serde_json::json;
use support::child::{Child, memory_kib};
use support::corpus::testing::{CANARY, see};
use support::corpus::{Expect, corpus, photo_with_gps};
use support::person::Person;
use support::picture::wall;
use support::uploads::{begin, urls};
use support::value::key;
use tokio::sync::Mutex;

/// The most memory that a worker may use at any time, in KiB (promise S8).
const WORKER_KIB_MAX: u64 = 256 * 1024;
/// The most by which the server's own memory may grow, in KiB (promise S8).
const GROWTH_KIB_MAX: u64 = 32 * 1024;

/// Lets only one test run at a time, because each measures the memory of the process and its children.
static ALONE: Mutex<()> = Mutex::const_new(());

fn service() -> PictureService {
    PictureService::new(PathBuf::from(env!("CARGO_BIN_EXE_mellow")))
}

fn written(folder: &Path, name: usize, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name.to_string());
    std::fs::write(&path, bytes).unwrap();
    path
}

async fn rendered(service: &PictureService, path: &Path, wanted: Wanted) -> Result<Rendered, Refused> {
    service.render(File::open(path).unwrap(), wanted).await
}

/// Returns the most memory that a finished child has used, in KiB. This includes the memory of its parent at the start,
/// so these tests use little.
fn children_kib() -> u64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is large enough for the result, and all zeros are a valid value of it.
    let usage = unsafe {
        assert_eq!(libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr()), 0);
        usage.assume_init()
    };
    u64::try_from(usage.ru_maxrss).unwrap()
}

/// Asserts that a JPEG has only its frame, tables and scan: no metadata, and nothing after its end.
fn assert_clean_jpeg(name: &str, jpeg: &[u8]) {
    let mut markers = Vec::new();
    let mut at = 2;
    while jpeg[at + 1] != 0xDA {
        assert_eq!(jpeg[at], 0xFF, "{name}: a segment at {at}");
        markers.push(jpeg[at + 1]);
        at += 2 + usize::from(u16::from_be_bytes([jpeg[at + 2], jpeg[at + 3]]));
    }
    // The header of JFIF, quantization tables, the frame, and Huffman tables.
    let are_plain = markers.iter().all(|marker| matches!(marker, 0xE0 | 0xDB | 0xC0 | 0xC4));
    assert!(are_plain, "{name}: {markers:02X?}");
    let scan = &jpeg[at + 2..];
    let end = scan.windows(2).position(|pair| pair[0] == 0xFF && !matches!(pair[1], 0x00 | 0xD0..=0xD7));
    assert_eq!(end, Some(scan.len() - 2), "{name}: something behind its end");
}

/// Asserts that a GIF has only frames, their durations, and the endless repeat.
fn assert_clean_gif(name: &str, gif: &[u8]) {
    let palette = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    let after_blocks = |mut at: usize| {
        while gif[at] != 0 {
            at += 1 + usize::from(gif[at]);
        }
        at + 1
    };
    let mut at = 13 + palette(gif[10]);
    loop {
        at = match (gif[at], gif[at + 1..].first()) {
            (0x21, Some(0xF9)) => after_blocks(at + 2),
            (0x21, Some(0xFF)) => {
                assert_eq!(&gif[at + 3..at + 14], b"NETSCAPE2.0", "{name}");
                after_blocks(at + 2)
            }
            (0x2C, Some(_)) => after_blocks(at + 11 + palette(gif[at + 9])),
            (0x3B, None) => return,
            other => panic!("{name}: {other:02X?} at {at}"),
        };
    }
}

fn assert_clean(name: &str, rendered: &Rendered) {
    let Rendered { width, height, screen, card, motion, .. } = rendered;
    for (size, side) in [(screen, 1_600), (card, 800)] {
        assert_clean_jpeg(name, size);
        let seen = see(size);
        assert!(seen.width.max(seen.height) <= side, "{name}");
    }
    assert_eq!((see(screen).width, see(screen).height), (*width, *height), "{name}");
    if let Some(motion) = motion {
        assert_clean_gif(name, motion);
    }
    for bytes in [Some(screen), Some(card), motion.as_ref()].into_iter().flatten() {
        assert!(!bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes()), "{name}: a secret");
    }
}

/// Asserts that a photo is a small square and not animated.
fn assert_face(name: &str, rendered: &Rendered) {
    let Rendered { width, height, card, motion, .. } = rendered;
    let side = PHOTO_SIDE.min(*width).min(*height);
    let seen = see(card);
    assert_eq!((seen.width, seen.height, motion.is_none()), (side, side, true), "{name}");
}

#[tokio::test]
async fn every_malicious_file_is_refused_or_cleaned_at_a_small_cost() {
    let _alone = ALONE.lock().await;
    let folder = tempfile::tempdir().unwrap();
    // Writes the files first, so that their memory is freed before the measurement.
    let samples: Vec<_> = corpus()
        .into_iter()
        .enumerate()
        .map(|(number, (name, bytes, expect))| (name, written(folder.path(), number, &bytes), expect))
        .collect();
    assert!(samples.len() > 300, "{}", samples.len());

    let service = service();
    let before = memory_kib(std::process::id());
    let mut pictures = 0;
    for (name, path, expect) in samples {
        // A broken file fails in the decoder, which is the same for pictures and photos.
        let wants: &[Wanted] = match expect {
            Expect::RefusedOrClean => &[Wanted::Picture],
            Expect::Refused | Expect::Clean => &[Wanted::Picture, Wanted::Photo],
        };
        for wanted in wants {
            match rendered(&service, &path, *wanted).await {
                Ok(rendered) => {
                    assert_ne!(expect, Expect::Refused, "{name}");
                    assert_clean(&name, &rendered);
                    if *wanted == Wanted::Photo {
                        assert_face(&name, &rendered);
                    }
                    pictures += 1;
                }
                Err(Refused::NotAPicture(_)) => assert_ne!(expect, Expect::Clean, "{name}"),
                Err(other) => panic!("{name}: {other:?}"),
            }
        }
    }
    assert!(pictures > 30, "{pictures}");
    let after = memory_kib(std::process::id());
    assert!(after < before + GROWTH_KIB_MAX, "ours grew from {before} to {after} KiB");
    let theirs = children_kib();
    println!("{pictures} pictures; ours grew from {before} to {after} KiB; a worker held up to {theirs} KiB");
    assert!(theirs < WORKER_KIB_MAX, "a worker held {theirs} KiB");
}

#[tokio::test]
async fn s8_malicious_uploads_affect_neither_the_server_nor_other_users() {
    let _alone = ALONE.lock().await;
    let folder = tempfile::tempdir().unwrap();
    let server = Child::starts(folder.path(), &[]);
    let [ana, ben] = [Person::signs_up(server.at, "Ana").await, Person::signs_up(server.at, "Ben").await];
    ben.follows(&ana).await;
    let hello = ana.posts("hello").await;
    let first = ana.uploads("first.jpg", &photo_with_gps(640, 480)).await;
    ana.posts_with_pictures("first", &[(&first, "")]).await;

    let before = server.memory_kib();
    let (mut most, mut refused, mut kept) = (before, 0, Vec::new());
    // They are drawn before, because nothing else of this process runs meanwhile.
    let samples = corpus();
    let sends = async {
        for (number, (name, bytes, expect)) in samples.into_iter().enumerate() {
            // Uses all files that must be refused, and a twelfth of the others, which are many and similar.
            if expect != Expect::Refused && number % 12 != 0 {
                continue;
            }
            let file = format!("{number}.jpg");
            let upload = key();
            let delivered = match ana.tries("uploads.begin", begin(&upload, &file, bytes.len())).await {
                Err(no) => Err(no),
                Ok(_) => {
                    ana.sends_from(&upload, &bytes, 0).await;
                    ana.tries("uploads.commit", json!({ "upload": upload })).await
                }
            };
            most = most.max(server.memory_kib());
            match delivered {
                Ok(_) => {
                    assert_ne!(expect, Expect::Refused, "{name}");
                    kept.push(ana.posts_with_pictures(&name, &[(&upload, "")]).await);
                }
                Err(no) => {
                    let words = match bytes.len() {
                        too_many if too_many > 10 << 20 => {
                            vec![format!("Image {file} is too large. Maximum size is 10MB")]
                        }
                        _ => vec![
                            format!("{file} is not a valid image file"),
                            format!(
                                "{file} has too many pixels. An image has at most 12,000 on each side, and 50 million \
                                 in all."
                            ),
                            format!(
                                "{file} takes too much work to open. Please save it as a JPEG, and try again."
                            ),
                        ],
                    };
                    assert!(words.contains(&no.message), "{name}: {}", no.message);
                    refused += 1;
                }
            }
        }
    };
    let mut votes = 0;
    tokio::select! {
        () = sends => {}
        // Meanwhile every vote of Ben is answered.
        () = async {
            loop {
                ben.votes(hello, if votes % 2 == 0 { "positive" } else { "none" }).await;
                votes += 1;
            }
        } => {}
    }
    println!("{refused} refused, {} kept, {votes} votes meanwhile; {before} to {most} KiB", kept.len());
    assert!(refused > 20 && kept.len() > 5 && votes > refused, "{refused} {} {votes}", kept.len());
    assert!(most < before + GROWTH_KIB_MAX, "the server grew from {before} to {most} KiB");
    for post in &kept {
        for url in urls(post) {
            let served = ben.fetches(&url).await;
            assert_eq!(served.status, 200);
            if url.contains(".gif") {
                assert_clean_gif(&url, &served.content);
            } else {
                assert_clean_jpeg(&url, &served.content);
            }
        }
    }
}

#[tokio::test]
async fn the_largest_photograph_of_a_phone_is_accepted() {
    let _alone = ALONE.lock().await;
    let folder = tempfile::tempdir().unwrap();
    let path = {
        let photo = photo_with_gps(8_064, 6_048);
        assert!((2 << 20..10 << 20).contains(&photo.len()), "{} bytes", photo.len());
        written(folder.path(), 0, &photo)
    };
    let before = memory_kib(std::process::id());
    let photo = rendered(&service(), &path, Wanted::Photo).await.unwrap();
    let rendered = rendered(&service(), &path, Wanted::Picture).await.unwrap();
    assert_eq!((rendered.width, rendered.height), (1_600, 1_200));
    assert!(memory_kib(std::process::id()) < before + GROWTH_KIB_MAX);
    assert_clean("48 megapixels", &rendered);
    assert_eq!((&photo.screen, &photo.thumbhash.is_empty()), (&rendered.screen, &false));
    assert_face("48 megapixels", &photo);
    let theirs = children_kib();
    assert!(theirs < WORKER_KIB_MAX, "a worker held {theirs} KiB");
}

#[tokio::test]
async fn the_largest_drawing_that_is_not_made_smaller_while_it_is_read_is_accepted() {
    let _alone = ALONE.lock().await;
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), 0, &wall(6_399));
    let rendered = rendered(&service(), &path, Wanted::Picture).await.unwrap();
    assert_eq!((rendered.width, rendered.height), (1_600, 1_600));
    assert_clean("41 megapixels", &rendered);
    let theirs = children_kib();
    assert!(theirs < WORKER_KIB_MAX, "a worker held {theirs} KiB");
}

#[tokio::test]
async fn concurrent_pictures_are_rendered_one_after_the_other() {
    let _alone = ALONE.lock().await;
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), 0, &photo_with_gps(640, 480));
    let service = Arc::new(service());
    let asking: Vec<_> = (0..12)
        .map(|_| {
            let (service, file) = (service.clone(), File::open(&path).unwrap());
            tokio::spawn(async move { service.render(file, Wanted::Picture).await.unwrap() })
        })
        .collect();
    let mut all = Vec::new();
    for asked in asking {
        all.push(asked.await.unwrap());
    }
    assert!(all.iter().all(|rendered| *rendered == all[0]), "the same file, the same picture");
}
