//! Draws the draft of an edit: the start image, with what would be repainted crossed out in a frame.
//!
//! All marks but the stamp lie within the mask, so they stay when the draft is pasted back.

use super::label;
use super::shapes::{Draws, Rgb, hash, mix, wheel};
use benchtop_model::generation::{Init, Pixels, Task};

/// Mask bytes from here on are repainted.
const REPAINTED: u8 = 128;

/// Draws the draft of a task with this start image, which fits its mask. The color depends on prompt
/// and seed, so that two tries look different.
pub fn draw_edit(task: &Task, init: &Init) -> Pixels {
    let mut picture = init.image.clone();
    let (width, height) = (picture.width as usize, picture.height as usize);
    let unit = (width.min(height) / 64).max(1);
    let mut draws = Draws::new(task.seed ^ hash(&task.prompt));
    let ink: Rgb = mix(wheel(draws.next() >> 32), [24, 20, 30], 64);
    // Where the lines begin also depends on the seed, because there are only 24 colors.
    let gap = unit * 12;
    let [rising, falling] = [(); 2].map(|()| draws.below(gap as u32) as usize);
    let near = edges(init.mask.as_deref(), width, height, unit * 2);
    let pixels = picture.rgb.as_chunks_mut::<3>().0;
    for (i, (pixel, depth)) in pixels.iter_mut().zip(near).enumerate() {
        let (x, y) = (i % width, i / width);
        let crossed = (x + y + rising) % gap < unit || (x + height - y + falling) % gap < unit;
        *pixel = match depth {
            Depth::Kept => continue,
            Depth::Frame => ink,
            Depth::Inside if crossed => ink,
            Depth::Inside => mix(*pixel, [250, 248, 244], 112),
        };
    }
    label::stamp(&mut picture);
    picture
}

/// The place of a pixel.
#[derive(Clone, Copy, PartialEq)]
enum Depth {
    Kept,
    /// Repainted, and near a pixel that is kept or to the edge of the picture.
    Frame,
    Inside,
}

/// The places of all pixels. The frame lies within the mask, and is `thick` pixels thick.
fn edges(mask: Option<&[u8]>, width: usize, height: usize, thick: usize) -> Vec<Depth> {
    let repainted = |i: usize| mask.is_none_or(|mask| mask.get(i).is_some_and(|m| *m >= REPAINTED));
    // The distance to the end of the run of repainted pixels: from one side, then from both.
    let mut run = vec![usize::MAX; width * height];
    let mut sweep = |line: &mut dyn Iterator<Item = usize>| {
        let mut length = 0;
        for i in line {
            length = if repainted(i) { length + 1 } else { 0 };
            run[i] = run[i].min(length);
        }
    };
    for y in 0..height {
        sweep(&mut (y * width..(y + 1) * width));
        sweep(&mut (y * width..(y + 1) * width).rev());
    }
    for x in 0..width {
        sweep(&mut (x..width * height).step_by(width));
        sweep(&mut (x..width * height).step_by(width).rev());
    }
    let place = |length: usize| match length {
        0 => Depth::Kept,
        length if length <= thick => Depth::Frame,
        _ => Depth::Inside,
    };
    run.into_iter().map(place).collect()
}
