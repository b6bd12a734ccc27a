//! Measures rendering a photograph from a phone to its two sizes, compared with decoding it.
//!
//! `cargo bench --bench pictures` runs it. `-- render` or `-- decode` runs only that side, long enough to be profiled.
//! `-- second` runs each side once, on the smallest photograph.
//!
//! Decoding is `zune-jpeg` directly to RGB, which is the lower limit of the cost of rendering. Rendering is the work of
//! the worker on the bytes. The picture service adds the process of the worker, its limits and its output. All three
//! take turns on the same picture.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]
#![expect(dead_code, reason = "the bench makes photographs only")]

#[path = "support/figures.rs"]
mod figures;
#[path = "../render/src/testing.rs"]
mod testing;

use std::fs::File;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use mellow::pictures::Wanted;
use mellow::pictures::service::PictureService;
use mellow_render::render;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// The number of turns of each side.
const TURNS: usize = 15;
/// The time of a side that runs alone, to be profiled.
const ALONE_TIME: Duration = Duration::from_secs(8);

/// One comparison: the name of a photograph, its width and height, its grain, and whether it is progressive.
struct Case {
    name: &'static str,
    size: (u16, u16),
    grain: u8,
    is_progressive: bool,
}

const CASES: [Case; 4] = [
    // Four megabytes, like the files of telephones.
    Case { name: "12 megapixels", size: (4_032, 3_024), grain: 15, is_progressive: false },
    Case { name: "12, progressive", size: (4_032, 3_024), grain: 15, is_progressive: true },
    Case { name: "48 megapixels", size: (8_064, 6_048), grain: 3, is_progressive: false },
    Case { name: "2 megapixels", size: (1_600, 1_200), grain: 9, is_progressive: false },
];

fn decode(photo: &[u8]) -> usize {
    let options = DecoderOptions::new_fast().jpeg_set_out_colorspace(ColorSpace::RGB);
    JpegDecoder::new_with_options(ZCursor::new(photo), options).decode().unwrap().len()
}

fn timed<R>(work: impl FnOnce() -> R) -> f64 {
    let begun = Instant::now();
    black_box(work());
    begun.elapsed().as_secs_f64() * 1_000.0
}

fn compare(case: &Case, turns: usize) -> Vec<String> {
    let photo = testing::photo(case.size.0, case.size.1, case.grain, case.is_progressive);
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("photo");
    std::fs::write(&path, &photo).unwrap();
    let service = PictureService::new(PathBuf::from(env!("CARGO_BIN_EXE_mellow")));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let ask = || runtime.block_on(service.render(File::open(&path).unwrap(), Wanted::Picture)).unwrap();

    let rendered = render(&photo).unwrap();
    assert_eq!(ask(), rendered, "in its own process it is the same picture");
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..turns {
        times[0].push(timed(|| decode(&photo)));
        times[1].push(timed(|| render(&photo).unwrap()));
        times[2].push(timed(ask));
    }
    let (render_ratio, render_range) = figures::ratio(&times[1], &times[0]);
    let (service_ratio, service_range) = figures::ratio(&times[2], &times[0]);
    let kib = |bytes: usize| format!("{}", bytes / 1_024);
    let [decoding, rendering, asking] = times.map(|times| format!("{:.1}", figures::median(times)));
    vec![
        case.name.to_owned(),
        kib(photo.len()),
        kib(rendered.screen.len()),
        kib(rendered.card.len()),
        decoding,
        rendering,
        render_ratio,
        render_range,
        asking,
        service_ratio,
        service_range,
    ]
}

fn main() {
    let arguments = figures::arguments();
    let is_trial = figures::is_trial(&arguments);
    if let Some(alone) = arguments.first().filter(|_| !is_trial) {
        let photo = testing::photo(CASES[0].size.0, CASES[0].size.1, CASES[0].grain, false);
        let begun = Instant::now();
        let mut count = 0;
        while begun.elapsed() < ALONE_TIME {
            if alone == "decode" {
                black_box(decode(&photo));
            } else {
                black_box(render(&photo).unwrap());
            }
            count += 1;
        }
        println!("{alone}: {:.1} ms", begun.elapsed().as_secs_f64() * 1_000.0 / f64::from(count));
        return;
    }
    let (cases, turns) = if is_trial { (&CASES[3..], 1) } else { (&CASES[..], TURNS) };
    let rows: Vec<Vec<String>> = cases.iter().map(|case| compare(case, turns)).collect();
    println!(
        "Milliseconds for a photograph, and how much more than decoding alone: medians of {turns} turns\n"
    );
    figures::print_table(
        &[
            "",
            "KiB",
            "screen",
            "card",
            "decode",
            "render",
            "ratio",
            "of one turn",
            "by the picture service",
            "ratio",
            "of one turn",
        ],
        &rows,
    );
}
