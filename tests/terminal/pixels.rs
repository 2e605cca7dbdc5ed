//! True pixels: the stream of each protocol is decoded again.

use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use image::{Rgb, RgbImage, Rgba, RgbaImage};
use memchr::memmem::find;

use super::pty::{Answers, Line, Pty};
use crate::tui::support::{Bench, PATIENCE, pictured, question};
use benchtop::tui::terminal::pixels::placeholder::{CELL as CELL_OF_A_PICTURE, mark};

/// Width and height of a cell of these terminals.
const CELL: (u32, u32) = (9, 18);
const RED: [u8; 3] = [220, 30, 30];
const BLUE: [u8; 3] = [30, 30, 220];

const KITTY: Answers = &[
    (
        b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\",
        b"\x1b_Gi=31;OK\x1b\\",
    ),
    (b"\x1b[16t", b"\x1b[6;18;9t"),
    (b"\x1b[c", b"\x1b[?62;22c"),
    (b"\x1b[5n", b"\x1b[0n"),
];
/// tmux passes the question on, and its terminal's answer back. tmux itself has sixel.
const TMUX: Answers = &[
    (
        b"\x1bPtmux;\x1b\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\x1b\\\x1b\\",
        b"\x1b_Gi=31;OK\x1b\\",
    ),
    (b"\x1b[16t", b"\x1b[6;18;9t"),
    (b"\x1b[c", b"\x1b[?1;2;4c"),
    (b"\x1b[5n", b"\x1b[0n"),
];
const SIXEL: Answers = &[
    (b"\x1b[16t", b"\x1b[6;18;9t"),
    (b"\x1b[c", b"\x1b[?62;4;22c"),
    (b"\x1b[5n", b"\x1b[0n"),
];
/// iTerm2 is known by its environment.
const ITERM: Answers = &[
    (b"\x1b[16t", b"\x1b[6;18;9t"),
    (b"\x1b[c", b"\x1b[?62;22c"),
    (b"\x1b[5n", b"\x1b[0n"),
];

/// A picture on the screen.
#[derive(Debug)]
struct Shown {
    /// Row and column of its first cell, from 1.
    at: (u32, u32),
    /// Columns and rows, as far as the protocol names them.
    cells: Option<(u32, u32)>,
    pixels: RgbImage,
}

/// A project with a picture whose left half is red and whose right half is blue, and an item without
/// picture.
fn two_colors() -> Bench {
    let mut picture = RgbaImage::from_pixel(320, 160, Rgba([RED[0], RED[1], RED[2], 255]));
    for (x, _, pixel) in picture.enumerate_pixels_mut() {
        if x >= 160 {
            *pixel = Rgba([BLUE[0], BLUE[1], BLUE[2], 255]);
        }
    }
    let mut file = std::io::Cursor::new(Vec::new());
    picture
        .write_to(&mut file, image::ImageFormat::Png)
        .unwrap();
    Bench::of(
        &[pictured(1, "two.png"), question(2)],
        &[("two.png", file.get_ref())],
    )
}

/// Waits for the first picture after byte `from`.
fn wait_picture(pty: &Pty, from: usize, read: fn(&[u8]) -> Option<Shown>) -> Shown {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(shown) = read(&pty.raw()[from..]) {
            return shown;
        }
        assert!(Instant::now() < until, "no picture; {}", pty.text());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The mean color of a part of a picture.
fn mean(pixels: &RgbImage, columns: std::ops::Range<u32>) -> [u8; 3] {
    let mut sums = [0u64; 3];
    let mut n = 0;
    for (x, _, Rgb(color)) in pixels.enumerate_pixels() {
        if columns.contains(&x) {
            (0..3).for_each(|c| sums[c] += u64::from(color[c]));
            n += 1;
        }
    }
    sums.map(|sum| (sum / n) as u8)
}

/// It shows the two colors, in its own proportions, in the place of the half-blocks, and leaves the
/// last row free.
fn check(shown: &Shown, blocks: (u32, u32)) {
    let (width, height) = shown.pixels.dimensions();
    let cells = shown
        .cells
        .unwrap_or((width.div_ceil(CELL.0), height.div_ceil(CELL.1)));
    assert!(width.abs_diff(2 * height) <= 2 * CELL.1, "{width}x{height}");
    assert!(width >= 200, "{width}x{height}");
    let (row, column) = shown.at;
    assert!(column + cells.0 <= 101 && row + cells.1 <= 30, "{shown:?}");
    // Half-blocks enlarge a small picture; the middle is the same.
    let middle = (2 * row + cells.1, 2 * column + cells.0);
    assert!(
        middle.0.abs_diff(blocks.0) <= 2 && middle.1.abs_diff(blocks.1) <= 2,
        "twice the middle of the half-blocks is {blocks:?}, of the pixels {middle:?}: {cells:?} at {:?}",
        shown.at
    );
    let margin = CELL.0;
    for (columns, expected) in [
        (margin..width / 2 - margin, RED),
        (width / 2 + margin..width - margin, BLUE),
    ] {
        let mean = mean(&shown.pixels, columns);
        let is_near = (0..3).all(|c| mean[c].abs_diff(expected[c]) <= 12);
        assert!(is_near, "{mean:?} is not {expected:?}");
    }
}

/// Opens the review in this terminal: half-blocks first, then the picture. Goes to the other item and
/// back: the picture is gone, then shown again.
fn shows_true_pixels(answers: Answers, env: &[(&str, &str)], read: fn(&[u8]) -> Option<Shown>) {
    let bench = two_colors();
    let env = [&[("COLORTERM", "truecolor")], env].concat();
    let pty = Pty::answering(&bench, Line::default(), &env, answers);
    pty.go_to_review();
    pty.on(1);
    let mut blocks = pty.wait_until("half-blocks", |shown| shown.contains('▀'));
    // A frame may arrive in two parts.
    std::thread::sleep(Duration::from_millis(50));
    blocks = Some(pty.text())
        .filter(|now| now.contains('▀'))
        .unwrap_or(blocks);
    check(&wait_picture(&pty, 0, read), twice_the_middle(&blocks));
    let before = pty.raw().len();
    pty.keys(b"j");
    pty.on(2);
    pty.wait_until("no picture", |shown| !shown.contains('▀'));
    assert!(read(&pty.raw()[before..]).is_none());
    let before = pty.raw().len();
    pty.keys(b"k");
    pty.on(1);
    wait_again(&pty, before);
}

/// Twice the row and column in the middle of the half-blocks.
fn twice_the_middle(screen: &str) -> (u32, u32) {
    let is_block = |c: char| matches!(c, '▀' | '▄' | '█');
    let spans = screen.lines().enumerate().filter_map(|(row, line)| {
        let columns = line.chars().enumerate().filter(|(_, c)| is_block(*c));
        let columns: Vec<u32> = columns.map(|(column, _)| column as u32 + 1).collect();
        Some((row as u32 + 1, *columns.first()?, *columns.last()?))
    });
    let spans: Vec<(u32, u32, u32)> = spans.filter(|(_, from, to)| to - from > 9).collect();
    let (first, last) = (spans[0], spans[spans.len() - 1]);
    (first.0 + last.0 + 1, first.1 + first.2 + 1)
}

/// Waits until the picture is placed again; kitty keeps it and is only told where.
fn wait_again(pty: &Pty, from: usize) {
    let until = Instant::now() + PATIENCE;
    let cell = CELL_OF_A_PICTURE.to_string();
    let marks: [&[u8]; 4] = [b"\x1b_Ga=p", b"\x1bP", b"\x1b]1337;File=", cell.as_bytes()];
    while marks
        .iter()
        .all(|mark| find(&pty.raw()[from..], mark).is_none())
    {
        assert!(Instant::now() < until, "not shown again; {}", pty.text());
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn kitty_shows_the_picture_once_no_key_is_pressed() {
    shows_true_pixels(KITTY, &[], kitty);
}

#[test]
fn placeholders_show_the_picture_within_tmux() {
    let env = [
        ("TMUX", "/tmp/tmux-0/default,1,0"),
        ("TERM", "tmux-256color"),
    ];
    shows_true_pixels(TMUX, &env, placeholders);
}

/// Without an answer of the terminal around it, tmux gets half-blocks only.
#[test]
fn tmux_that_passes_nothing_on_shows_half_blocks() {
    let bench = two_colors();
    let env = [
        ("TMUX", "/tmp/tmux-0/default,1,0"),
        ("COLORTERM", "truecolor"),
    ];
    let pty = Pty::answering(&bench, Line::default(), &env, &TMUX[1..]);
    pty.go_to_review();
    pty.on(1);
    pty.wait_until("half-blocks", |shown| shown.contains('▀'));
    std::thread::sleep(Duration::from_millis(900));
    let raw = pty.raw();
    assert!(
        placeholders(&raw).is_none() && sixel(&raw[find(&raw, b"\x1b[c").unwrap()..]).is_none()
    );
    // Nothing but the wrapped question speaks of graphics.
    assert_eq!(memchr::memmem::find_iter(&raw, b"_G").count(), 1);
    assert!(!pty.text().contains(CELL_OF_A_PICTURE));
}

#[test]
fn sixel_shows_the_picture_once_no_key_is_pressed() {
    shows_true_pixels(SIXEL, &[], sixel);
}

#[test]
fn iterm_shows_the_picture_once_no_key_is_pressed() {
    shows_true_pixels(ITERM, &[("TERM_PROGRAM", "iTerm.app")], iterm);
}

/// Over SSH nothing is sent before `z`, which says what it sent.
#[test]
fn over_ssh_pictures_stay_half_blocks_until_a_key_asks_for_more() {
    let bench = two_colors();
    let env = [
        ("COLORTERM", "truecolor"),
        ("SSH_TTY", "/dev/pts/1"),
        ("SSH_CONNECTION", "10.0.0.1 4 10.0.0.2 22"),
    ];
    let pty = Pty::answering(&bench, Line::default(), &env, KITTY);
    pty.go_to_review();
    pty.on(1);
    pty.wait_until("half-blocks", |shown| shown.contains('▀'));
    std::thread::sleep(Duration::from_millis(900));
    assert!(kitty(&pty.raw()).is_none());
    pty.keys(b"z");
    wait_picture(&pty, 0, kitty);
    pty.wait_for("kB for this picture");
    let before = pty.raw().len();
    pty.keys(b"z");
    pty.wait_for("half-blocks");
    pty.keys(b"jk");
    pty.on(1);
    std::thread::sleep(Duration::from_millis(900));
    assert!(find(&pty.raw()[before..], b"\x1b_Ga=p").is_none());
}

/// It is waited for once, before the first frame, and never again.
#[test]
fn a_terminal_that_never_answers_is_asked_once() {
    let bench = two_colors();
    let pty = Pty::answering(&bench, Line::default(), &[("COLORTERM", "truecolor")], &[]);
    pty.go_to_review();
    pty.on(1);
    pty.wait_until("half-blocks", |shown| shown.contains('▀'));
    pty.keys(b"jk");
    pty.on(1);
    let raw = pty.raw();
    for question in [&b"\x1b[16t"[..], b"\x1b[c", b"\x1b[>q"] {
        let asked = memchr::memmem::find_iter(&raw, question).count();
        assert_eq!(asked, 1, "{question:?}");
    }
    assert!(
        [kitty, sixel, iterm]
            .iter()
            .all(|read| read(&raw).is_none())
    );
}

/// The row and column of the last cursor move before byte `end`.
fn cursor(raw: &[u8], end: usize) -> Option<(u32, u32)> {
    let from = memchr::memmem::rfind(&raw[..end], b"\x1b[")?;
    let text = std::str::from_utf8(&raw[from + 2..end]).ok()?;
    let (row, column) = text.split_once('H')?.0.split_once(';')?;
    Some((row.parse().ok()?, column.parse().ok()?))
}

/// The value of a key in `a=1,b=2`.
fn value(keys: &str, key: &str, separator: char) -> Option<u32> {
    let of = |pair: &str| {
        pair.split_once('=')
            .filter(|(k, _)| *k == key)
            .map(|(_, v)| v.to_string())
    };
    keys.split(separator).find_map(of)?.parse().ok()
}

fn decoded(base64: &[u8]) -> Option<RgbImage> {
    let bytes = STANDARD.decode(base64).ok()?;
    Some(image::load_from_memory(&bytes).ok()?.to_rgb8())
}

fn kitty(raw: &[u8]) -> Option<Shown> {
    let placed = find(raw, b"\x1b_Ga=p")?;
    let mut base64 = Vec::new();
    let mut rest = &raw[find(raw, b"\x1b_Ga=t")?..placed];
    while let Some(start) = find(rest, b"\x1b_G") {
        let end = start + find(&rest[start..], b"\x1b\\")?;
        let data = start + find(&rest[start..end], b";")?;
        base64.extend_from_slice(&rest[data + 1..end]);
        rest = &rest[end..];
    }
    let end = placed + find(&raw[placed..], b"\x1b\\")?;
    let keys = std::str::from_utf8(&raw[placed + 3..end]).ok()?;
    let cells = (value(keys, "c", ',')?, value(keys, "r", ',')?);
    let pixels = decoded(&base64)?;
    // What is uploaded covers whole cells.
    assert_eq!(pixels.dimensions(), (cells.0 * CELL.0, cells.1 * CELL.1));
    Some(Shown {
        at: cursor(raw, placed)?,
        cells: Some(cells),
        pixels,
    })
}

/// What tmux passes on to its terminal.
fn passed_on(raw: &[u8]) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), raw);
    while let Some(start) = find(rest, b"\x1bPtmux;") {
        rest = &rest[start + 7..];
        // Each escape is doubled; a single one ends it.
        while !rest.starts_with(b"\x1b\\") {
            let doubled = usize::from(rest.starts_with(b"\x1b\x1b"));
            let Some(byte) = rest.get(doubled) else {
                return out;
            };
            out.push(*byte);
            rest = &rest[doubled + 1..];
        }
    }
    out
}

fn placeholders(raw: &[u8]) -> Option<Shown> {
    let passed = passed_on(raw);
    let placed = find(&passed, b"\x1b_Ga=p,U=1,")?;
    let end = placed + find(&passed[placed..], b"\x1b\\")?;
    let keys = std::str::from_utf8(&passed[placed + 3..end]).ok()?;
    let (columns, rows) = (value(keys, "c", ',')?, value(keys, "r", ',')?);
    let id = value(keys, "i", ',')?;
    let upload = find(&passed, b"\x1b_Ga=t")?;
    let mut base64 = Vec::new();
    let mut rest = &passed[upload..placed];
    while let Some(start) = find(rest, b"\x1b_G") {
        let end = start + find(&rest[start..], b"\x1b\\")?;
        let data = start + find(&rest[start..end], b";")?;
        base64.extend_from_slice(&rest[data + 1..end]);
        rest = &rest[end..];
    }
    // The cells, as an emulator has them.
    let mut emulator = vt100::Parser::new(30, 100, 0);
    emulator.process(raw);
    let screen = emulator.screen();
    let mut found = Vec::new();
    for (y, x) in (0..30).flat_map(|y| (0..100).map(move |x| (y, x))) {
        let cell = screen.cell(y, x)?;
        let mut chars = cell.contents().chars();
        if chars.next() != Some(CELL_OF_A_PICTURE) {
            continue;
        }
        let numbers: Vec<u16> = chars
            .map(|c| (0..300).find(|n| mark(*n) == Some(c)).unwrap())
            .collect();
        let [row, column, high] = numbers[..] else {
            panic!("{numbers:?}");
        };
        let vt100::Color::Idx(low) = cell.fgcolor() else {
            panic!("{:?}", cell.fgcolor());
        };
        assert_eq!(u32::from(high) << 24 | u32::from(low), id);
        found.push((u32::from(y - row) + 1, u32::from(x - column) + 1));
    }
    if found.len() < (columns * rows) as usize {
        return None;
    }
    let at = found[0];
    assert!(found.iter().all(|place| *place == at), "{found:?}");
    assert_eq!(found.len(), (columns * rows) as usize);
    let pixels = decoded(&base64)?;
    assert_eq!(pixels.dimensions(), (columns * CELL.0, rows * CELL.1));
    Some(Shown {
        at,
        cells: Some((columns, rows)),
        pixels,
    })
}

fn iterm(raw: &[u8]) -> Option<Shown> {
    let start = find(raw, b"\x1b]1337;File=")?;
    let colon = start + find(&raw[start..], b":")?;
    let end = colon + find(&raw[colon..], b"\x07")?;
    let keys = std::str::from_utf8(&raw[start + 12..colon]).ok()?;
    Some(Shown {
        at: cursor(raw, start)?,
        cells: Some((value(keys, "width", ';')?, value(keys, "height", ';')?)),
        pixels: decoded(&raw[colon + 1..end])?,
    })
}

fn sixel(raw: &[u8]) -> Option<Shown> {
    let start = find(raw, b"\x1bP")?;
    let body = start + find(&raw[start..], b"q")? + 1;
    let end = body + find(&raw[body..], b"\x1b\\")?;
    Some(Shown {
        at: cursor(raw, start)?,
        cells: None,
        pixels: sixel_pixels(&raw[body..end]),
    })
}

/// Decodes the data of a sixel sequence: raster attributes, colors in RGB, repetitions, and rows of
/// six pixels.
fn sixel_pixels(data: &[u8]) -> RgbImage {
    let mut at = 0;
    let numbers = |at: &mut usize| {
        let from = *at;
        while *at < data.len() && (data[*at].is_ascii_digit() || data[*at] == b';') {
            *at += 1;
        }
        let text = std::str::from_utf8(&data[from..*at]).unwrap();
        let numbers = text.split(';').filter(|n| !n.is_empty());
        numbers.map(|n| n.parse().unwrap()).collect::<Vec<u32>>()
    };
    let mut pixels = RgbImage::new(0, 0);
    let mut palette = vec![Rgb([0; 3]); 257];
    let (mut x, mut y, mut color) = (0, 0, Rgb([0; 3]));
    while at < data.len() {
        let byte = data[at];
        at += 1;
        let repeated = match byte {
            b'"' => {
                let raster = numbers(&mut at);
                pixels = RgbImage::new(raster[2], raster[3]);
                continue;
            }
            b'#' => {
                let of = numbers(&mut at);
                if let [n, 2, r, g, b] = of[..] {
                    let level = |percent: u32| (percent * 255 / 100) as u8;
                    palette[n as usize] = Rgb([level(r), level(g), level(b)]);
                }
                color = palette[of[0] as usize];
                continue;
            }
            b'$' => {
                x = 0;
                continue;
            }
            b'-' => {
                (x, y) = (0, y + 6);
                continue;
            }
            b'!' => {
                let n = numbers(&mut at)[0];
                at += 1;
                (n, data[at - 1])
            }
            byte => (1, byte),
        };
        let (n, bits) = repeated;
        let Some(bits) = bits.checked_sub(63).filter(|bits| *bits < 64) else {
            continue;
        };
        for _ in 0..n {
            for row in (0..6).filter(|row| bits >> row & 1 == 1) {
                if x < pixels.width() && y + row < pixels.height() {
                    pixels.put_pixel(x, y + row, color);
                }
            }
            x += 1;
        }
    }
    pixels
}
