//! People, as mannequins in the card's colour: a draft does not guess what anybody looks like.

use super::{Draws, Figure, Tone};
use crate::inference::storyboard::words::Words;

/// A bust. The expression is drawn where a term names one.
pub(super) fn face(words: &Words, draws: &mut Draws) -> Figure {
    let mut f = Figure::default();
    let expression: String =
        words.others.iter().filter(|(slot, _)| slot == "expression").map(|(_, term)| term.to_lowercase()).collect();
    let long = draws.below(2) == 0;
    if long {
        f.oval(0.0, -0.22, 0.56, 0.66, Tone::Dark).block(-0.56, -0.2, 1.12, 0.56, Tone::Dark);
    }
    f.limb(&[(-0.5, 0.86), (0.5, 0.86)], 0.5, Tone::Dark).limb(&[(0.0, 0.2), (0.0, 0.7)], 0.3, Tone::Light);
    f.oval(0.0, -0.2, 0.46, 0.58, Tone::Light);
    if !long {
        f.oval(0.0, -0.62, 0.48, 0.24, Tone::Dark);
    }
    f.oval(-0.18, -0.26, 0.06, 0.08, Tone::Black).oval(0.18, -0.26, 0.06, 0.08, Tone::Black);
    f.limb(&[(0.0, -0.16), (0.04, 0.0), (0.0, 0.02)], 0.035, Tone::Dark);
    if holds(&expression, &["smil", "happ", "joy", "laugh"]) {
        f.limb(&[(-0.2, 0.1), (-0.1, 0.18), (0.1, 0.18), (0.2, 0.1)], 0.06, Tone::Black);
    } else if holds(&expression, &["shout", "angr", "scream", "surpris"]) {
        f.oval(0.0, 0.18, 0.13, 0.12, Tone::Black);
        f.limb(&[(-0.3, -0.46), (-0.1, -0.38)], 0.05, Tone::Black).limb(
            &[(0.3, -0.46), (0.1, -0.38)],
            0.05,
            Tone::Black,
        );
    } else if holds(&expression, &["sad", "cry", "frown"]) {
        f.limb(&[(-0.18, 0.2), (-0.08, 0.13), (0.08, 0.13), (0.18, 0.2)], 0.06, Tone::Black);
    } else {
        f.limb(&[(-0.14, 0.15), (0.14, 0.15)], 0.055, Tone::Black);
    }
    f
}

/// A whole figure in a pose that hangs on the term.
pub(super) fn moving(term: &str, draws: &mut Draws) -> Figure {
    let mut f = Figure::default();
    let mut arm = |side: f32| {
        let (up, out) = (draws.between(-0.5, 0.4), draws.between(0.34, 0.6));
        [(side * 0.14, -0.24), (side * out * 0.8, up * 0.5 - 0.1), (side * out, up - 0.16)]
    };
    let (left, right) = (arm(-1.0), arm(1.0));
    let (stride, bend) = (draws.between(0.2, 0.5), draws.between(0.0, 0.26));
    f.limb(&[(0.0, 0.2), (-stride * 0.6, 0.5 - bend), (-stride, 0.94)], 0.17, Tone::Dark);
    f.limb(&[(0.0, 0.2), (stride * 0.9, 0.5 - bend), (stride * 0.7, 0.94)], 0.17, Tone::Dark);
    f.limb(&left, 0.13, Tone::Light).limb(&[(0.0, -0.24), (0.0, 0.2)], 0.32, Tone::Main).limb(
        &right,
        0.13,
        Tone::Light,
    );
    f.oval(0.0, -0.66, 0.22, 0.24, Tone::Light).oval(0.0, -0.8, 0.21, 0.12, Tone::Dark);
    let (x, y) = (right[2].0, right[2].1);
    let held = Tone::Own([196, 140, 72]);
    if holds(term, &["ball", "golf", "box"]) {
        f.oval(x + 0.1, y - 0.1, 0.14, 0.14, held);
    } else if holds(term, &["violin", "drum", "fish", "row", "ski", "kite"]) {
        f.limb(&[(x - 0.1, y + 0.3), (x + 0.3, y - 0.5)], 0.06, held);
    } else if holds(term, &["book", "chess", "cook"]) {
        f.block(x - 0.08, y - 0.14, 0.36, 0.26, held);
    }
    f
}

/// A bust in a coat and a hat, as one wears at work.
pub(super) fn working(draws: &mut Draws) -> Figure {
    let mut f = Figure::default();
    f.limb(&[(-0.5, 0.8), (0.5, 0.8)], 0.62, Tone::Main).limb(
        &[(0.0, 0.1), (0.0, 0.5)],
        0.28,
        Tone::Own([222, 210, 196]),
    );
    f.poly(&[(-0.22, 0.46), (0.0, 0.8), (0.22, 0.46), (0.3, 1.0), (-0.3, 1.0)], Tone::White);
    f.oval(0.0, -0.16, 0.38, 0.46, Tone::Own([222, 210, 196]));
    match draws.below(3) {
        0 => f.block(-0.36, -0.92, 0.72, 0.4, Tone::White).block(-0.36, -0.58, 0.72, 0.12, Tone::Light),
        1 => f.oval(0.0, -0.52, 0.42, 0.3, Tone::Own([240, 190, 60])).block(
            -0.54,
            -0.5,
            1.08,
            0.1,
            Tone::Own([220, 164, 40]),
        ),
        _ => f.oval(0.0, -0.5, 0.44, 0.24, Tone::Dark).limb(&[(0.0, -0.4), (0.5, -0.36)], 0.1, Tone::Dark),
    };
    f.oval(-0.14, -0.16, 0.05, 0.065, Tone::Black).oval(0.14, -0.16, 0.05, 0.065, Tone::Black);
    f.limb(&[(-0.1, 0.1), (0.1, 0.1)], 0.045, Tone::Black);
    f
}

/// A clapperboard with two actors: of films no more is drawn.
pub(super) fn screen(draws: &mut Draws) -> Figure {
    let mut f = Figure::default();
    f.block(-0.92, -0.36, 1.84, 1.26, Tone::Black).block(-0.82, -0.16, 1.64, 0.96, Tone::Light);
    let tilt = draws.between(0.06, 0.3);
    f.poly(&[(-0.92, -0.4), (0.92, -0.4 - tilt), (0.92, -0.64 - tilt), (-0.92, -0.64)], Tone::Black);
    for i in 0..4 {
        let x = -0.76 + 0.44 * i as f32;
        let (a, b) = (tilt * (x + 0.92) / 1.84, tilt * (x + 1.1) / 1.84);
        f.poly(&[(x, -0.42 - a), (x + 0.18, -0.42 - b), (x + 0.3, -0.62 - b), (x + 0.12, -0.62 - a)], Tone::White);
    }
    for (x, tone) in [(-draws.between(0.3, 0.44), Tone::Main), (draws.between(0.24, 0.44), Tone::Dark)] {
        f.limb(&[(x - 0.12, 0.7), (x + 0.12, 0.7)], 0.24, tone).oval(x, 0.26, 0.18, draws.between(0.17, 0.23), tone);
    }
    f
}

/// Whether `text` holds one of the word beginnings.
fn holds(text: &str, stems: &[&str]) -> bool {
    stems.iter().any(|stem| text.contains(stem))
}
