//! The subject: a figure if the term can be drawn, else a box with its word.

mod animal;
mod parts;
mod people;
mod things;

use tiny_skia::Transform;

use self::parts::{Figure, Tone};
use super::content::Words;
use super::shapes::{Draws, Sheet, fill, hash, light, mix, stroke};

/// Draws the subject of `words` in the middle of a scene. Returns the board for its word, if it has
/// one: the center, half the width, and half the height, in pixels.
pub(super) fn draw(sheet: &mut Sheet<'_>, words: &Words, draws: &mut Draws) -> Option<[f32; 4]> {
    let (figure, board) = chosen(words);
    let unit = sheet.w.min(sheet.h);
    let size = unit * draws.between(0.34, 0.41);
    // The maximum shift to the side that keeps the subject inside.
    let slack = (0.5 - 1.12 * size / sheet.w).clamp(0.01, 0.1);
    let x = sheet.w * draws.between(0.5 - slack, 0.5 + slack);
    let y = sheet.h * draws.between(0.5, 0.56);
    let turned = if draws.below(2) == 0 || board.is_some() {
        1.0
    } else {
        -1.0
    };
    let place = Transform::from_row(size * turned, 0.0, 0.0, size, x, y);
    let main = words.color();
    let color = |tone: Tone| match tone {
        Tone::Main => main,
        Tone::Dark => mix(main, [24, 20, 40], 84),
        Tone::Light => mix(main, [255, 255, 255], 120),
        Tone::Black => [36, 34, 42],
        Tone::White => [250, 250, 248],
        Tone::Own(rgb) => rgb,
    };
    // An outline separates the subject from the scene: dark around light subjects, light around
    // dark ones.
    let outline = if light(main) > 84 {
        mix(main, [20, 18, 34], 190)
    } else {
        [244, 242, 236]
    };
    for (path, width, _) in &figure.parts {
        if width.is_none() {
            fill(sheet.canvas, path, outline, place);
        }
        stroke(
            sheet.canvas,
            path,
            width.unwrap_or(0.0) + 0.09,
            outline,
            place,
        );
    }
    for (path, width, tone) in &figure.parts {
        match width {
            Some(width) => stroke(sheet.canvas, path, *width, color(*tone), place),
            None => fill(sheet.canvas, path, color(*tone), place),
        }
    }
    board.map(|(top, bottom)| {
        let (middle, high) = ((top + bottom) / 2.0, (bottom - top) / 2.0);
        [x, y + middle * size, 0.86 * size, (high - 0.1) * size]
    })
}

/// Draws the parts of a figure.
type Draw = fn(&mut Figure, &mut Draws);

/// The figures by term. The whole term must match: a figure that only resembles the term would show
/// a wrong answer.
const FIGURES: [(&[&str], Draw); 26] = [
    (&["owl", "owls"], animal::owl),
    (&["fish", "goldfish"], animal::fish),
    (&["snail", "snails"], animal::snail),
    (&["snake", "snakes"], animal::snake),
    (&["octopus"], animal::octopus),
    (&["crab", "crabs"], animal::crab),
    (&["butterfly", "butterflies"], animal::butterfly),
    (&["giraffe", "giraffes"], animal::giraffe),
    (&["elephant", "elephants"], animal::elephant),
    (&["cactus"], things::cactus),
    (&["palm tree", "palm"], things::palm),
    (&["tree"], things::tree),
    (&["flower", "daisy"], things::flower),
    (&["ice cream"], things::ice_cream),
    (&["hamburger", "hamburgers", "burger"], things::hamburger),
    (&["scarf"], things::scarf),
    (&["pleated skirt"], things::pleated_skirt),
    (&["t-shirt"], things::t_shirt),
    (&["eiffel tower"], things::eiffel_tower),
    (&["pyramids of giza", "pyramids"], things::pyramids),
    (&["car"], things::car),
    (&["airplane"], things::airplane),
    (&["hot air balloon"], things::balloon),
    (&["sailboat"], things::sailboat),
    (&["ball", "basketball"], things::ball),
    (&["star"], things::star),
];

/// Subjects whose terms are names: a movie named after a thing does not show it.
const NAMES: [&str; 5] = ["movie", "anime", "tv-show", "celebrity", "character"];

/// Top and bottom of the board with the word.
pub(super) type Board = (f32, f32);

/// The figure of `words`, and the board for its word, if it has one.
pub(super) fn chosen(words: &Words) -> (Figure, Option<Board>) {
    let term = words.title.to_lowercase();
    let mut draws = Draws::new(hash(&term));
    let mut f = Figure::default();
    let bare = ["the ", "an ", "a "]
        .iter()
        .find_map(|article| term.strip_prefix(article))
        .unwrap_or(&term);
    let known = FIGURES
        .iter()
        .find(|(terms, _)| terms.contains(&bare) && !NAMES.contains(&words.kind.as_str()));
    let is_face = words.kind == "face" && term == "face" || words.kind.is_empty() && bare == "face";
    let board = match known {
        _ if term.is_empty() => None,
        _ if words.kind == "text" => {
            things::posts(&mut f);
            Some((-0.72, 0.34))
        }
        _ if is_face => {
            people::face(&mut f, words, &mut draws);
            None
        }
        Some((_, make)) => {
            make(&mut f, &mut draws);
            None
        }
        None => Some((-0.6, 0.6)),
    };
    if let Some((top, bottom)) = board {
        things::board(&mut f, top, bottom);
    }
    (f, board)
}
