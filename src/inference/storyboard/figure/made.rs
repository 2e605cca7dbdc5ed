//! Food, clothes, landmarks and signs.

use super::{Draws, Figure, METAL, Tone, WOOD, says};

pub(super) fn food(term: &str, draws: &mut Draws) -> Figure {
    let mut f = Figure::default();
    if says(term, &["ice cream", "popcorn", "fries"]) {
        for (x, y) in [(-0.34, -0.1), (0.34, -0.1), (0.0, -0.46), (-0.18, -0.3), (0.2, -0.3)] {
            f.oval(x, y, 0.36, 0.34, if y < -0.25 { Tone::Light } else { Tone::Main });
        }
        f.poly(&[(-0.6, 0.04), (0.6, 0.04), (0.22, 0.98), (-0.22, 0.98)], Tone::Own([222, 170, 100]));
        return f;
    }
    if says(
        term,
        &["hamburger", "sandwich", "pancake", "cake", "cheesecake", "waffle", "lasagna", "tiramisu", "macaron"],
    ) {
        let bread = Tone::Own([222, 168, 96]);
        for (i, tone) in [bread, Tone::Main, Tone::Own([120, 180, 84]), Tone::Dark].into_iter().enumerate() {
            let y = 0.6 - 0.26 * i as f32;
            f.limb(&[(-0.62, y), (0.62, y)], 0.28, tone);
        }
        f.oval(0.0, -0.4, 0.74, 0.36, bread).oval(-0.3, -0.5, 0.06, 0.04, Tone::White).oval(
            0.2,
            -0.56,
            0.06,
            0.04,
            Tone::White,
        );
        f.oval(0.0, 0.84, 0.98, 0.1, Tone::White);
        return f;
    }
    f.oval(0.0, 0.5, 1.0, 0.4, Tone::White).oval(0.0, 0.46, 0.74, 0.26, Tone::Own([226, 228, 232]));
    for i in 0..7 {
        let (x, y) = (draws.between(-0.46, 0.46), draws.between(0.1, 0.44));
        let tone = [Tone::Main, Tone::Light, Tone::Dark][i % 3];
        f.oval(x, y, draws.between(0.16, 0.3), draws.between(0.12, 0.24), tone);
    }
    for i in 0..3 {
        let x = -0.3 + 0.3 * i as f32;
        f.limb(&[(x, -0.2), (x + 0.08, -0.4), (x - 0.02, -0.6), (x + 0.06, -0.8)], 0.035, Tone::Own([210, 214, 220]));
    }
    f
}

pub(super) fn clothes(term: &str) -> Figure {
    let mut f = Figure::default();
    f.limb(&[(0.0, -0.78), (0.08, -0.92), (0.0, -1.0), (-0.08, -0.92)], 0.04, METAL);
    f.limb(&[(-0.5, -0.54), (0.0, -0.76), (0.5, -0.54)], 0.05, METAL);
    if term.contains("scarf") {
        f.limb(&[(-0.34, -0.5), (0.34, -0.5)], 0.24, Tone::Main).limb(&[(0.2, -0.4), (0.26, 0.86)], 0.3, Tone::Main);
        for i in 0..4 {
            f.limb(&[(0.12, -0.1 + 0.25 * i as f32), (0.38, -0.1 + 0.25 * i as f32)], 0.07, Tone::Light);
        }
        return f;
    }
    if term.contains("skirt") {
        f.poly(&[(-0.36, -0.5), (0.36, -0.5), (0.82, 0.8), (-0.82, 0.8)], Tone::Main);
        for i in 0..5 {
            let x = -0.5 + 0.25 * i as f32;
            f.limb(&[(x * 0.5, -0.36), (x * 1.2, 0.74)], 0.035, Tone::Dark);
        }
        f.block(-0.38, -0.56, 0.76, 0.16, Tone::Light);
        return f;
    }
    let long = says(term, &["coat", "bathrobe", "robe", "gown", "kimono", "poncho", "dress", "jumpsuit", "apron"]);
    let hem = if long { 0.98 } else { 0.6 };
    let flare = if says(term, &["gown", "poncho", "dress"]) { 0.8 } else { 0.46 };
    if !says(term, &["tank", "apron", "swimsuit", "gown"]) {
        let cuff = if term.contains("t-shirt") { 0.1 } else { 0.5 };
        for side in [-1.0, 1.0] {
            f.limb(
                &[(side * 0.42, -0.44), (side * 0.76, cuff)],
                if term.contains("kimono") { 0.4 } else { 0.26 },
                Tone::Dark,
            );
        }
    }
    f.poly(
        &[
            (-0.5, -0.56),
            (-0.16, -0.64),
            (0.0, -0.44),
            (0.16, -0.64),
            (0.5, -0.56),
            (0.44, 0.0),
            (flare, hem),
            (-flare, hem),
            (-0.44, 0.0),
        ],
        Tone::Main,
    );
    if says(term, &["coat", "jacket", "blazer", "bathrobe", "robe", "kimono", "shirt"]) {
        f.limb(&[(0.0, -0.4), (0.0, hem - 0.04)], 0.035, Tone::Dark);
        f.poly(&[(-0.16, -0.64), (0.0, -0.1), (-0.26, -0.4)], Tone::Light)
            .poly(&[(0.16, -0.64), (0.0, -0.1), (0.26, -0.4)], Tone::Light);
        for i in 0..3 {
            f.oval(0.09, 0.06 + 0.2 * i as f32, 0.035, 0.035, Tone::Light);
        }
    } else {
        f.limb(&[(-flare + 0.08, hem - 0.08), (flare - 0.08, hem - 0.08)], 0.08, Tone::Light);
    }
    f
}

pub(super) fn landmark(term: &str, draws: &mut Draws) -> Figure {
    let mut f = Figure::default();
    let kind = if says(term, &["tower", "statue", "ben"]) {
        0
    } else if says(term, &["pyramid", "chichen", "giza"]) {
        1
    } else if says(term, &["taj", "dome", "basil", "mosque", "capitol", "basilica", "opera"]) {
        2
    } else if says(term, &["gate", "arc", "bridge", "colosseum", "wall"]) {
        3
    } else {
        draws.below(5)
    };
    f.block(-0.96, 0.84, 1.92, 0.12, Tone::Dark);
    match kind {
        0 => {
            let foot = draws.between(0.3, 0.56);
            f.poly(
                &[
                    (-foot, 0.84),
                    (-0.1, -0.7),
                    (0.1, -0.7),
                    (foot, 0.84),
                    (foot * 0.5, 0.84),
                    (0.0, 0.3),
                    (-foot * 0.5, 0.84),
                ],
                Tone::Main,
            );
            f.limb(&[(0.0, -0.7), (0.0, -0.98)], 0.05, Tone::Main);
            f.block(-foot * 0.62, 0.06, foot * 1.24, 0.09, Tone::Dark).block(-0.2, -0.42, 0.4, 0.08, Tone::Dark);
        }
        1 => {
            f.poly(&[(-0.96, 0.84), (-0.1, -0.66), (0.3, 0.84)], Tone::Main)
                .poly(&[(0.3, 0.84), (-0.1, -0.66), (0.86, 0.84)], Tone::Dark);
            f.poly(&[(0.2, 0.84), (0.6, 0.1), (0.96, 0.84)], Tone::Light);
        }
        2 => {
            f.block(-0.7, 0.2, 1.4, 0.64, Tone::Main).oval(0.0, 0.14, 0.46, 0.54, Tone::Light).limb(
                &[(0.0, -0.4), (0.0, -0.7)],
                0.05,
                Tone::Dark,
            );
            f.block(-0.7, 0.2, 1.4, 0.1, Tone::Dark)
                .poly(&[(-0.16, 0.84), (-0.16, 0.5), (0.0, 0.34), (0.16, 0.5), (0.16, 0.84)], Tone::Black);
            for x in [-0.86, 0.86] {
                f.limb(&[(x, 0.8), (x, -0.3)], 0.13, Tone::Main).oval(x, -0.42, 0.12, 0.13, Tone::Light);
            }
        }
        3 => {
            f.block(-0.86, -0.5, 1.72, 1.34, Tone::Main).block(-0.94, -0.62, 1.88, 0.18, Tone::Light);
            for i in 0..3 {
                let x = -0.54 + 0.54 * i as f32;
                f.block(x - 0.17, 0.16, 0.34, 0.68, Tone::Black).oval(x, 0.16, 0.17, 0.19, Tone::Black);
                f.oval(x, -0.2, 0.1, 0.1, Tone::Dark);
            }
        }
        _ => {
            f.poly(&[(-0.96, -0.2), (0.0, -0.74), (0.96, -0.2)], Tone::Main).block(-0.9, -0.2, 1.8, 0.16, Tone::Light);
            f.block(-0.8, -0.06, 1.6, 0.86, Tone::Dark);
            for i in 0..5 {
                f.limb(&[(-0.72 + 0.36 * i as f32, 0.04), (-0.72 + 0.36 * i as f32, 0.76)], 0.15, Tone::Light);
            }
        }
    }
    f
}

/// A board on two posts; the title below it says what is written on it.
pub(super) fn sign(draws: &mut Draws) -> Figure {
    let mut f = Figure::default();
    f.limb(&[(-0.56, 0.96), (-0.56, 0.2)], 0.12, WOOD).limb(&[(0.56, 0.96), (0.56, 0.2)], 0.12, WOOD);
    let top = draws.between(-0.8, -0.66);
    f.block(-1.0, top, 2.0, 0.34 - top, Tone::Main).block(-0.92, top + 0.08, 1.84, 0.18 - top, Tone::Light);
    f
}
