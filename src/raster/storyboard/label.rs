//! The text on a card: `DRAFT`, and the word of a subject that cannot be drawn.
//!
//! No other text is written, because style, color, background, and prompt are the answers to the
//! item's questions.

use super::lettering::Pen;
use super::shapes::Rgb;
use benchtop_model::generation::Pixels;

const INK: Rgb = [30, 30, 38];
const STAMP: Rgb = [205, 44, 40];
/// Maximum number of lines on the board.
const LINES: usize = 4;

/// Writes `text` on the board around (x, y). `wide` and `high` are half its width and height.
pub(super) fn inscribe(pixels: &mut Pixels, [x, y, wide, high]: [f32; 4], text: &str) {
    let (room, tall) = ((wide * 2.0) as u32, (high * 2.0) as u32);
    let most = (tall * 3 / 5).max(8);
    let pen = |height| Pen {
        height,
        bold: true,
        rgb: INK,
    };
    let fits = |height: u32, split: bool| {
        let lines = lines(&pen(height), text, room, split);
        lines.len() <= LINES
            && lines.len() as u32 * height <= tall
            && lines.iter().all(|line| pen(height).width(line) <= room)
    };
    // Words are split only if they would otherwise be too small to read.
    let whole = (tall / 8).max(8)..=most;
    let mut tries = whole
        .rev()
        .map(|height| (height, false))
        .chain((8..=most).rev().map(|height| (height, true)));
    let (height, split) = tries
        .find(|(height, split)| fits(*height, *split))
        .unwrap_or((8, true));
    let pen = pen(height);
    let lines = lines(&pen, text, room, split);
    let shown = lines.len().min((tall / height).max(1) as usize);
    let top = (y as u32).saturating_sub(shown as u32 * height / 2);
    for (at, line) in lines.iter().take(shown).enumerate() {
        let line = pen.cut(line, room);
        let left = (x as u32).saturating_sub(pen.width(&line) / 2);
        pen.write(pixels, left, top + at as u32 * height, &line);
    }
}

/// Wraps `text` to lines of at most `room`. With `split`, longer words are split.
fn lines(pen: &Pen, text: &str, room: u32, split: bool) -> Vec<String> {
    let per_line = (room / pen.width("a").max(1)).max(1) as usize;
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if pen.width(line) + pen.width(" ") + pen.width(word) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ if split => {
                let letters: Vec<char> = word.chars().collect();
                lines.extend(
                    letters
                        .chunks(per_line)
                        .map(|part| part.iter().collect::<String>()),
                );
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

/// Writes `DRAFT` in the upper right corner.
pub(super) fn stamp(pixels: &mut Pixels) {
    let side = pixels.width.min(pixels.height);
    let pen = Pen {
        height: (side / 15).max(11),
        bold: true,
        rgb: [255, 255, 255],
    };
    let (pad, away) = (pen.height / 3, side / 40);
    let (wide, high) = (pen.width("DRAFT") + 2 * pad, pen.height + pad / 2);
    let x = pixels.width.saturating_sub(wide + away);
    block(pixels, x, away, wide, high, [255, 255, 255]);
    let edge = (side / 200).max(1);
    block(
        pixels,
        x + edge,
        away + edge,
        wide - 2 * edge,
        high - 2 * edge,
        STAMP,
    );
    pen.write(pixels, x + pad, away + pad / 4, "DRAFT");
}

fn block(pixels: &mut Pixels, x: u32, y: u32, wide: u32, high: u32, rgb: Rgb) {
    let (right, bottom) = ((x + wide).min(pixels.width), (y + high).min(pixels.height));
    for row in y..bottom {
        let from = (row as usize * pixels.width as usize + x.min(right) as usize) * 3;
        let to = (row as usize * pixels.width as usize + right as usize) * 3;
        for pixel in pixels
            .rgb
            .get_mut(from..to)
            .unwrap_or_default()
            .as_chunks_mut::<3>()
            .0
        {
            *pixel = rgb;
        }
    }
}
