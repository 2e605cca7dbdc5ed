//! Draws a card: the scene, the subject, the style, and the stamp.

use tiny_skia::Pixmap;

use super::content::Words;
use super::shapes::{Draws, Sheet, hash};
use super::{backgrounds, figure, label, style_effects};
use benchtop_model::generation::{Pixels, Task};

/// Draws the card of `task`. `None` if there is not enough memory.
pub fn draw_card(task: &Task, width: u32, height: u32) -> Option<Pixels> {
    let words = Words::of(task);
    // Two seeds of one prompt and two prompts of one seed both look different.
    let mut draws = Draws::new(task.seed ^ hash(&task.prompt) ^ hash(&words.title));
    let mut canvas = Pixmap::new(width, height)?;
    let mut sheet = Sheet {
        w: width as f32,
        h: height as f32,
        canvas: &mut canvas,
    };
    backgrounds::draw(&mut sheet, &words.background, &mut draws);
    let board = figure::draw(&mut sheet, &words, &mut draws);
    let rgb = canvas
        .data()
        .as_chunks::<4>()
        .0
        .iter()
        .flat_map(|p| [p[0], p[1], p[2]])
        .collect();
    let mut picture = Pixels { width, height, rgb };
    style_effects::apply(&mut picture, &words.style, &mut draws);
    // After the style, so that the word stays readable.
    if let Some(board) = board {
        label::inscribe(&mut picture, board, &words.title);
    }
    label::stamp(&mut picture);
    Some(picture)
}
