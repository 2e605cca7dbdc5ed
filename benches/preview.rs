//! Getting a picture ready and flipping to one that is: ratios within one run, on the release build.
//!
//! - decode + resize to the pane against `image` decoding and resizing (triangle filter) to the same size: hold 0.9x. The
//!   ratio to decoding alone is printed too; it depends on how much memory bandwidth other programs use.
//! - flip to a prefetched neighbor against that decode: hold 0.1x
//!
//! `cargo bench --bench preview`

// A measurement that cannot be made should stop, as a test does.
#![allow(clippy::expect_used)]

use std::hint::black_box;
use std::io::Cursor;
use std::path::Path;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use benchtop::raster::decode::decode;
use benchtop::raster::scale::{fit, resize};
use benchtop::tui::preview::{Cells, Part, Previews, View};
use benchtop::tui::terminal::pixels::{Pixels, Plan, Protocol};
use benchtop::tui::terminal::{Capabilities, ColorLevel, Tty};
use image::imageops::FilterType;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use ratatui::Terminal;
use ratatui::layout::{Rect, Size};

const SIDE: u32 = 1024;
const ROUNDS: usize = 40;
const PANE: Rect = Rect {
    x: 0,
    y: 0,
    width: 80,
    height: 40,
};
const CELL: (u16, u16) = (8, 16);

/// Smooth shapes, edges and noise of a few bits: compresses about as a photograph does.
fn photo(seed: u32) -> RgbImage {
    let mut noise = seed | 1;
    RgbImage::from_fn(SIDE, SIDE, |x, y| {
        noise ^= noise << 13;
        noise ^= noise >> 17;
        noise ^= noise << 5;
        let (fx, fy) = (f64::from(x) / 97.0 + f64::from(seed), f64::from(y) / 71.0);
        let smooth = (fx.sin() * fy.cos() + (fx * 0.31 + fy * 0.73).sin()) * 50.0 + 120.0;
        let edge = if (x / 128 + y / 96) % 3 == 0 {
            30.0
        } else {
            0.0
        };
        let channel =
            |shift: u32| (smooth + edge + f64::from(noise >> shift & 15)).clamp(0.0, 255.0) as u8;
        Rgb([channel(0), channel(8), channel(16)])
    })
}

fn encoded(image: &RgbImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    match format {
        ImageFormat::Jpeg => {
            let coder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut bytes, 90);
            image.write_with_encoder(coder).expect("encodes");
        }
        _ => DynamicImage::from(image.clone())
            .write_to(&mut bytes, format)
            .expect("encodes"),
    }
    bytes.into_inner()
}

/// Medians of each of `steps`, measured turn by turn so that the machine's moods fall on all alike.
fn medians<const N: usize>(mut steps: [&mut dyn FnMut(); N]) -> [Duration; N] {
    let mut times: [Vec<Duration>; N] = std::array::from_fn(|_| Vec::new());
    for _ in 0..ROUNDS {
        for (step, times) in steps.iter_mut().zip(&mut times) {
            let start = Instant::now();
            step();
            times.push(start.elapsed());
        }
    }
    times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    })
}

fn row(what: &str, time: Duration, floor: Duration, hold: f64) {
    let ratio = time.as_secs_f64() / floor.as_secs_f64();
    let verdict = if ratio <= hold { "held" } else { "NOT HELD" };
    println!(
        "{what:<52} {:>8.3} ms {:>8.3} ms {ratio:>7.3}x  (hold {hold}x) {verdict}",
        ms(time),
        ms(floor)
    );
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn main() {
    println!("{:<52} {:>11} {:>11} {:>8}", "", "time", "floor", "ratio");
    for format in [ImageFormat::Png, ImageFormat::Jpeg] {
        let bytes = encoded(&photo(1), format);
        let load = || image::load_from_memory_with_format(&bytes, format).expect("decodes");
        let [alone, small, large, cells, pixels] = medians([
            &mut || {
                black_box(load());
            },
            &mut || {
                black_box(load().resize(80, 80, FilterType::Triangle));
            },
            &mut || {
                black_box(load().resize(640, 640, FilterType::Triangle));
            },
            &mut || {
                let image = decode(&bytes).expect("decodes");
                black_box(
                    Cells::draw(&image, (80, 40), 2.0, ColorLevel::True, [0; 3]).expect("draws"),
                );
            },
            &mut || {
                let image = decode(&bytes).expect("decodes");
                black_box(resize(&image, fit(image.size(), (640, 640), 1.0)).expect("resizes"));
            },
        ]);
        println!("{format:?}, {SIDE}x{SIDE}, {} KB", bytes.len() / 1000);
        row("  decode + half-blocks 80x40", cells, small, 0.9);
        row("  decode + resize to 640x640 pixels", pixels, large, 0.9);
        for (what, time) in [("half-blocks", cells), ("640x640 pixels", pixels)] {
            let ratio = time.as_secs_f64() / alone.as_secs_f64();
            println!("    {what} / decoding alone: {ratio:.2}x");
        }
        flips(format, alone);
    }
}

/// From the key to the bytes of the frame: look up, draw, diff, write. The neighbors are ready.
fn flips(format: ImageFormat, alone: Duration) {
    let folder = tempfile::tempdir().expect("a folder");
    let names: Vec<String> = (0..2).map(|i| format!("{i}")).collect();
    let paths: Vec<_> = names.iter().map(|name| folder.path().join(name)).collect();
    for (i, path) in paths.iter().enumerate() {
        std::fs::write(path, encoded(&photo(i as u32 + 1), format)).expect("writes");
    }
    for (what, level, kitty) in [
        ("  flip, half-blocks true colour", ColorLevel::True, false),
        ("  flip, half-blocks 256", ColorLevel::Ansi256, false),
        ("  flip, kitty pixels", ColorLevel::True, true),
    ] {
        let plan = Plan {
            protocol: Protocol::Kitty,
            cells: (PANE.width, PANE.height),
            cell: CELL,
        };
        let view = View {
            pane: (PANE.width, PANE.height),
            cell: CELL,
            level,
            background: [0; 3],
            pixels: kitty.then_some(plan),
            part: Part::default(),
        };
        let (send, done) = channel();
        let send = Mutex::new(send);
        let previews = Previews::new(move |told| {
            if let Ok(send) = send.lock() {
                send.send(told.key).unwrap_or(());
            }
        })
        .expect("threads");
        for (name, path) in names.iter().zip(&paths) {
            if previews.want(name, path, view).is_none() {
                let told: Arc<str> = done.recv().expect("made");
                assert_eq!(*told, **name);
            }
        }
        let found = Capabilities {
            answers: true,
            kitty: true,
            cell: Some(CELL),
            ..Capabilities::default()
        };
        let mut pixels = Pixels::new(&found, 41);
        let size = Size {
            width: 80,
            height: 41,
        };
        let mut terminal = Terminal::new(Tty::new(std::io::sink(), size)).expect("a terminal");
        let mut turn = 0;
        let mut bytes = 0;
        let mut flip = |terminal: &mut Terminal<Tty<_>>, pixels: &mut Pixels| {
            turn += 1;
            let i = turn % 2;
            let ready = previews
                .want(&names[i], Path::new(&paths[i]), view)
                .expect("it is ready");
            let picture = ready.as_ref().as_ref().expect("a picture");
            let wanted = picture.pixels.as_ref().map(|payload| (payload, PANE));
            terminal.backend_mut().begin_frame().expect("begins");
            terminal
                .draw(|frame| {
                    if !kitty {
                        frame.render_widget(&picture.cells, PANE);
                    }
                    pixels.mark(frame.buffer_mut(), wanted, &[]);
                })
                .expect("draws");
            pixels
                .finish(terminal.backend_mut(), wanted)
                .expect("writes");
            bytes = terminal.backend_mut().end_frame().expect("ends").bytes;
        };
        flip(&mut terminal, &mut pixels);
        flip(&mut terminal, &mut pixels);
        let [time] = medians([&mut || flip(&mut terminal, &mut pixels)]);
        row(&format!("{what} ({bytes} B)"), time, alone, 0.1);
    }
}
