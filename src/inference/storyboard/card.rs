//! A card: the drawn part above, the words below.

use tiny_skia::Pixmap;

use super::ink::{Draws, Sheet, hash};
use super::words::Words;
use super::{caption, figure, ground, treatment};
use crate::model::generation::{Pixels, Task};

/// Draws the card of `task`. `None` when there is no memory for it.
pub(super) fn draw(task: &Task, width: u32, height: u32) -> Option<Pixels> {
    let words = Words::of(task);
    // Two seeds of one prompt and two prompts of one seed both look different.
    let mut draws = Draws::new(task.seed ^ hash(&task.prompt) ^ hash(&words.title));
    let caption = caption::height(width, height);
    let mut canvas = Pixmap::new(width, height - caption)?;
    let mut sheet = Sheet { w: width as f32, h: (height - caption) as f32, canvas: &mut canvas };
    ground::draw(&mut sheet, &words.background, &mut draws);
    let place = figure::draw(&mut sheet, &words, &mut draws);
    let rgb = canvas.data().as_chunks::<4>().0.iter().flat_map(|p| [p[0], p[1], p[2]]).collect();
    let mut picture = Pixels { width, height: height - caption, rgb };
    if words.kind == "text" {
        caption::inscribe(&mut picture, place, &words.title);
    }
    treatment::apply(&mut picture, &words.style, &mut draws);
    picture.rgb.resize(3 * width as usize * height as usize, 0);
    picture.height = height;
    caption::write(&mut picture, caption, &words, task);
    Some(picture)
}
