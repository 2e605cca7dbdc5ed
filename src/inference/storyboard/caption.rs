//! The words on a card: title, terms, the prompt's beginning, the seed, and that it is a draft.

use super::ink::{Rgb, hash, mix, wheel};
use super::lettering::Pen;
use super::words::Words;
use crate::model::generation::{Pixels, Task};

const PAPER: Rgb = [250, 248, 243];
const INK: Rgb = [38, 40, 48];
const FAINT: Rgb = [128, 126, 122];
const STAMP: Rgb = [205, 44, 40];

/// Rows of pixels that the words take at the bottom of a card.
pub(super) fn height(width: u32, height: u32) -> u32 {
    let side = width.min(height);
    // Below 160 pixels no more than the title can be read.
    if side < 160 { side / 5 } else { side * 29 / 100 }
}

/// Writes the words into the lowest `high` rows and stamps the picture above them.
pub(super) fn write(pixels: &mut Pixels, high: u32, words: &Words, task: &Task) {
    let (width, side) = (pixels.width, pixels.width.min(pixels.height));
    let top = pixels.height - high;
    block(pixels, 0, top, width, high, PAPER);
    block(pixels, 0, top, width, (side / 80).max(1), mix(wheel(hash(&words.style)), INK, 40));
    stamp(pixels, side);
    let margin = side / 26;
    let room = width.saturating_sub(margin * 2);
    let title = if words.title.is_empty() { "(no prompt)" } else { &words.title };
    if side < 160 {
        let pen = fitted(title, high - high / 4, room, true, INK);
        return pen.write(pixels, margin, top + high / 6, &pen.cut(title, room));
    }

    // The colour's swatch stands before the title, so that the two are read together.
    let mut y = top + side / 46;
    let big = side / 12;
    let swatch = big * 5 / 8;
    let after = margin + swatch + margin / 2;
    let pen = fitted(title, big, room.saturating_sub(swatch + margin / 2), true, INK);
    let colour = words.colour();
    block(pixels, margin, y + (big - swatch) / 2, swatch, swatch, mix(colour, INK, 110));
    let edge = (side / 256).max(1);
    block(pixels, margin + edge, y + (big - swatch) / 2 + edge, swatch - 2 * edge, swatch - 2 * edge, colour);
    pen.write(pixels, after, y + (big - pen.height) / 2, &pen.cut(title, width - margin - after));

    y += big + side / 128;
    let line = side / 23;
    let (slots, terms) = (Pen { height: line, bold: false, rgb: FAINT }, Pen { height: line, bold: true, rgb: INK });
    y = rows(pixels, words, (slots, terms), (margin, y, room), 2);

    let small = Pen { height: (side / 29).max(9), bold: false, rgb: FAINT };
    y += side / 128;
    let (foot, seed) = (pixels.height - small.height - side / 110, format!("seed {}", task.seed));
    let prompt: String = task.prompt.chars().take(400).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let lines = if foot > y + small.height { 2 } else { 1 };
    let last = room.saturating_sub(small.width(&seed) + small.height);
    let first = if lines == 2 { wrap(&small, &prompt, room) } else { 0 };
    let (head, tail) = prompt.split_at(first);
    small.write(pixels, margin, foot - small.height, head);
    small.write(pixels, margin, foot, &small.cut(tail.trim_start(), last));
    small.write(pixels, margin + room - small.width(&seed).min(room), foot, &small.cut(&seed, room));
}

/// Writes `text` on the board of a sign around (x, y) that reaches `size` from there.
pub(super) fn inscribe(pixels: &mut Pixels, (x, y, size): (f32, f32, f32), text: &str) {
    let room = (size * 1.7) as u32;
    let pen = fitted(text, (size * 0.5) as u32, room, true, INK);
    let text = pen.cut(text, room);
    let left = (x as u32).saturating_sub(pen.width(&text) / 2);
    let middle = (y - size * 0.23).max(0.0) as u32;
    pen.write(pixels, left, middle.saturating_sub(pen.height / 2), &text);
}

/// Slots and terms from left to right on at most `most` lines; the last line says how many are not shown. Gives the
/// row below.
fn rows(pixels: &mut Pixels, words: &Words, pens: (Pen, Pen), place: (u32, u32, u32), most: usize) -> u32 {
    let ((slots, terms), (left, mut y, room)) = (pens, place);
    let gap = slots.width("ab");
    let (mut x, mut line) = (0, 1);
    let all = words.rows();
    for (i, (slot, term)) in all.iter().enumerate() {
        let label = format!("{slot} ");
        let wide = slots.width(&label) + terms.width(term);
        if x > 0 && x + wide > room {
            if line == most {
                let more = format!("+{}", all.len() - i);
                slots.write(pixels, left + x, y, &slots.cut(&more, room.saturating_sub(x)));
                break;
            }
            (x, y, line) = (0, y + slots.height, line + 1);
        }
        slots.write(pixels, left + x, y, &slots.cut(&label, room));
        let from = x + slots.width(&label);
        terms.write(pixels, left + from, y, &terms.cut(term, room.saturating_sub(from)));
        x += wide + gap;
    }
    y + slots.height
}

/// Bytes of `text` that go on a first line of `room` pixels: whole words where there are any.
fn wrap(pen: &Pen, text: &str, room: u32) -> usize {
    if pen.width(text) <= room {
        return text.len();
    }
    let mut fits = 0;
    for (at, c) in text.char_indices() {
        if pen.width(&text[..at + c.len_utf8()]) > room {
            break;
        }
        fits = at + c.len_utf8();
    }
    text[..fits].rfind(' ').filter(|at| *at > fits / 2).unwrap_or(fits)
}

/// A pen of up to `height` rows with which `text` fits into `room`, or the smallest that is still read.
fn fitted(text: &str, height: u32, room: u32, bold: bool, rgb: Rgb) -> Pen {
    let mut pen = Pen { height, bold, rgb };
    while pen.height > (height / 2).max(9) && pen.width(text) > room {
        pen.height -= 1;
    }
    pen
}

/// `DRAFT` in the upper right corner, whatever lies below it.
fn stamp(pixels: &mut Pixels, side: u32) {
    let pen = Pen { height: (side / 15).max(11), bold: true, rgb: [255, 255, 255] };
    let (pad, away) = (pen.height / 3, side / 40);
    let (wide, high) = (pen.width("DRAFT") + 2 * pad, pen.height + pad / 2);
    let x = pixels.width.saturating_sub(wide + away);
    block(pixels, x, away, wide, high, [255, 255, 255]);
    let edge = (side / 200).max(1);
    block(pixels, x + edge, away + edge, wide - 2 * edge, high - 2 * edge, STAMP);
    pen.write(pixels, x + pad, away + pad / 4, "DRAFT");
}

fn block(pixels: &mut Pixels, x: u32, y: u32, wide: u32, high: u32, rgb: Rgb) {
    let (right, bottom) = ((x + wide).min(pixels.width), (y + high).min(pixels.height));
    for row in y..bottom {
        let from = (row as usize * pixels.width as usize + x.min(right) as usize) * 3;
        let to = (row as usize * pixels.width as usize + right as usize) * 3;
        for pixel in pixels.rgb.get_mut(from..to).unwrap_or_default().as_chunks_mut::<3>().0 {
            *pixel = rgb;
        }
    }
}
