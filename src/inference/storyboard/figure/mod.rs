//! The subject, as a plain shape: which one is chosen by the subject's name and the words of its term; what no word
//! decides (ears, tails, proportions) hangs on a hash of the term, so that two terms look different.

mod animal;
mod made;
mod people;
mod plant;
mod things;

use tiny_skia::{Path, Transform};

use super::ink::{Draws, Rgb, Sheet, ellipse, fill, hash, light, lines, mix, stroke};
use super::words::Words;

/// Colours of a figure's parts.
#[derive(Clone, Copy)]
enum Tone {
    /// The subject's colour.
    Main,
    /// Darker.
    Dark,
    /// Lighter.
    Light,
    /// Eyes and lines.
    Black,
    /// Eyes and paper.
    White,
    /// One of its own.
    Own(Rgb),
}

const WOOD: Tone = Tone::Own([150, 108, 70]);
const METAL: Tone = Tone::Own([176, 182, 190]);

/// Parts from back to front in a box from -1 to 1, y downwards.
#[derive(Default)]
struct Figure {
    parts: Vec<(Path, Option<f32>, Tone)>,
}

impl Figure {
    fn oval(&mut self, x: f32, y: f32, rx: f32, ry: f32, tone: Tone) -> &mut Self {
        self.parts.extend(ellipse(x, y, rx, ry).map(|path| (path, None, tone)));
        self
    }

    fn poly(&mut self, points: &[(f32, f32)], tone: Tone) -> &mut Self {
        self.parts.extend(lines(points, true).map(|path| (path, None, tone)));
        self
    }

    fn block(&mut self, x: f32, y: f32, wide: f32, high: f32, tone: Tone) -> &mut Self {
        self.poly(&[(x, y), (x + wide, y), (x + wide, y + high), (x, y + high)], tone)
    }

    /// A round-ended limb along `points`.
    fn limb(&mut self, points: &[(f32, f32)], width: f32, tone: Tone) -> &mut Self {
        self.parts.extend(lines(points, false).map(|path| (path, Some(width), tone)));
        self
    }

    /// An eye looking at the viewer.
    fn eye(&mut self, x: f32, y: f32, r: f32) -> &mut Self {
        self.oval(x, y, r, r, Tone::White).oval(x, y, r * 0.55, r * 0.55, Tone::Black)
    }
}

/// Draws the subject of `words` in the middle of a scene. Gives its middle and how far it reaches, in pixels.
pub(super) fn draw(sheet: &mut Sheet<'_>, words: &Words, draws: &mut Draws) -> (f32, f32, f32) {
    let figure = chosen(words);
    let unit = sheet.w.min(sheet.h);
    let size = unit * draws.between(0.34, 0.41);
    // As far to the side as leaves it whole.
    let slack = (0.5 - 1.12 * size / sheet.w).clamp(0.01, 0.1);
    let x = sheet.w * draws.between(0.5 - slack, 0.5 + slack);
    let y = sheet.h * draws.between(0.5, 0.56);
    let turned = if draws.below(2) == 0 || words.kind == "text" { 1.0 } else { -1.0 };
    let place = Transform::from_row(size * turned, 0.0, 0.0, size, x, y);
    let main = words.colour();
    let colour = |tone: Tone| match tone {
        Tone::Main => main,
        Tone::Dark => mix(main, [24, 20, 40], 84),
        Tone::Light => mix(main, [255, 255, 255], 120),
        Tone::Black => [36, 34, 42],
        Tone::White => [250, 250, 248],
        Tone::Own(rgb) => rgb,
    };
    // One outline around the whole keeps it apart from any scene: dark around light subjects, light around dark ones.
    let outline = if light(main) > 84 { mix(main, [20, 18, 34], 190) } else { [244, 242, 236] };
    for (path, width, _) in &figure.parts {
        if width.is_none() {
            fill(sheet.canvas, path, outline, place);
        }
        stroke(sheet.canvas, path, width.unwrap_or(0.0) + 0.09, outline, place);
    }
    for (path, width, tone) in &figure.parts {
        match width {
            Some(width) => stroke(sheet.canvas, path, *width, colour(*tone), place),
            None => fill(sheet.canvas, path, colour(*tone), place),
        }
    }
    (x, y, size)
}

/// Whether `term` holds one of the words, whole or in the plural: an elephant is no ant.
fn says(term: &str, words: &[&str]) -> bool {
    let one = |t: &str, word: &str| t.strip_prefix(word).is_some_and(|rest| ["", "s", "es"].contains(&rest));
    words.iter().any(|word| match word.contains([' ', '-']) {
        true => term.contains(word),
        false => term.split(|c: char| !c.is_alphanumeric()).any(|t| one(t, word)),
    })
}

fn chosen(words: &Words) -> Figure {
    let term = words.title.to_lowercase();
    let mut draws = Draws::new(hash(&term));
    match words.kind.as_str() {
        "animal" => animal::animal(&term, &mut draws),
        "plant" => plant::plant(&term, &mut draws),
        "food" => made::food(&term, &mut draws),
        "clothes" => made::clothes(&term),
        "landmark" => made::landmark(&term, &mut draws),
        "face" | "celebrity" => people::face(words, &mut draws),
        "action" => people::moving(&term, &mut draws),
        "profession" => people::working(&mut draws),
        "movie" | "anime" | "tv-show" => people::screen(&mut draws),
        "text" => made::sign(&mut draws),
        "object" => things::object(&term, &mut draws),
        _ => guessed(&term, words, &mut draws),
    }
}

/// Draws the figure of a term.
type Draw = fn(&str, &mut Draws) -> Figure;

/// Without a subject's name the words of the term decide.
fn guessed(term: &str, words: &Words, draws: &mut Draws) -> Figure {
    let kinds: [(&[&str], Draw); 6] = [
        (&animal::BIRDS, animal::animal),
        (&animal::OTHERS, animal::animal),
        (&animal::BEASTS, animal::animal),
        (&["flower", "tree", "rose", "tulip", "cactus", "daisy", "lily", "fruit", "apple", "palm"], plant::plant),
        (&["pizza", "cake", "soup", "rice", "salad", "sushi", "ice cream", "food", "sandwich", "noodle"], made::food),
        (&["tower", "temple", "castle", "bridge", "cathedral", "pyramid", "palace", "church"], made::landmark),
    ];
    if let Some((_, make)) = kinds.iter().find(|(list, _)| says(term, list)) {
        return make(term, draws);
    }
    match says(term, &["person", "man", "woman", "girl", "boy", "face", "portrait", "people", "child"]) {
        true => people::face(words, draws),
        false => things::object(term, draws),
    }
}
