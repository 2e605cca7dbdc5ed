//! Plants, food, clothes, landmarks, objects, and signs.

use super::parts::{Figure, METAL, Tone, WOOD};
use crate::storyboard::shapes::{Draws, turn};

const STEM: Tone = Tone::Own([70, 138, 76]);
const LEAF: Tone = Tone::Own([96, 172, 94]);
const CROWN: Tone = Tone::Own([84, 152, 84]);

pub(super) fn cactus(f: &mut Figure, _: &mut Draws) {
    f.limb(&[(-0.5, 0.2), (-0.5, -0.2)], 0.22, STEM)
        .limb(&[(-0.5, 0.2), (0.0, 0.24)], 0.2, STEM);
    f.limb(&[(0.5, -0.06), (0.5, -0.46)], 0.22, STEM)
        .limb(&[(0.5, -0.04), (0.0, 0.0)], 0.2, STEM);
    f.limb(&[(0.0, 0.8), (0.0, -0.64)], 0.4, LEAF)
        .oval(0.0, -0.88, 0.13, 0.11, Tone::Main);
    f.poly(
        &[(-0.5, 0.6), (0.5, 0.6), (0.36, 1.0), (-0.36, 1.0)],
        Tone::Own([196, 110, 74]),
    );
}

pub(super) fn palm(f: &mut Figure, draws: &mut Draws) {
    f.limb(&[(0.0, 0.95), (draws.between(-0.08, 0.08), 0.0)], 0.2, WOOD);
    for i in 0..7 {
        let (x, y) = turn(0.7 + 0.1 * i as f32, 0.8);
        let tone = if i % 2 == 0 { CROWN } else { STEM };
        f.limb(
            &[(0.0, -0.25), (x * 0.6, y * 0.6 - 0.3), (x, y - 0.02)],
            0.13,
            tone,
        );
    }
}

pub(super) fn tree(f: &mut Figure, draws: &mut Draws) {
    f.limb(&[(0.0, 0.95), (draws.between(-0.08, 0.08), 0.0)], 0.2, WOOD);
    for i in 0..6 {
        let (x, y) = turn(i as f32 / 6.0, 0.38);
        let tone = if i % 2 == 0 { CROWN } else { LEAF };
        f.oval(
            x * 1.2,
            y - 0.38,
            draws.between(0.3, 0.4),
            draws.between(0.28, 0.36),
            tone,
        );
    }
    f.oval(0.0, -0.4, 0.34, 0.3, CROWN);
}

pub(super) fn flower(f: &mut Figure, draws: &mut Draws) {
    let (petals, reach) = (8 + draws.below(5), draws.between(0.34, 0.42));
    f.limb(&[(0.0, 0.98), (0.0, -0.2)], 0.1, STEM);
    f.limb(&[(0.0, 0.8), (0.3, 0.58), (0.46, 0.4)], 0.17, LEAF);
    f.limb(&[(0.0, 0.9), (-0.3, 0.7), (-0.44, 0.54)], 0.17, LEAF);
    for i in 0..petals {
        let (x, y) = turn(i as f32 / petals as f32, reach);
        let tone = if i % 2 == 0 { Tone::Main } else { Tone::Light };
        f.limb(
            &[(x * 0.4, y * 0.4 - 0.34), (x, y - 0.34)],
            1.5 / petals as f32,
            tone,
        );
    }
    f.oval(0.0, -0.34, 0.2, 0.2, Tone::Own([240, 196, 72]))
        .oval(0.0, -0.34, 0.11, 0.11, Tone::Own([196, 136, 48]));
}

pub(super) fn ice_cream(f: &mut Figure, _: &mut Draws) {
    for (x, y) in [
        (-0.34, -0.1),
        (0.34, -0.1),
        (0.0, -0.46),
        (-0.18, -0.3),
        (0.2, -0.3),
    ] {
        f.oval(
            x,
            y,
            0.36,
            0.34,
            if y < -0.25 { Tone::Light } else { Tone::Main },
        );
    }
    f.poly(
        &[(-0.6, 0.04), (0.6, 0.04), (0.22, 0.98), (-0.22, 0.98)],
        Tone::Own([222, 170, 100]),
    );
}

pub(super) fn hamburger(f: &mut Figure, _: &mut Draws) {
    let bread = Tone::Own([222, 168, 96]);
    for (i, tone) in [bread, Tone::Main, Tone::Own([120, 180, 84]), Tone::Dark]
        .into_iter()
        .enumerate()
    {
        let y = 0.6 - 0.26 * i as f32;
        f.limb(&[(-0.62, y), (0.62, y)], 0.28, tone);
    }
    f.oval(0.0, -0.4, 0.74, 0.36, bread)
        .oval(-0.3, -0.5, 0.06, 0.04, Tone::White);
    f.oval(0.2, -0.56, 0.06, 0.04, Tone::White)
        .oval(0.0, 0.84, 0.98, 0.1, Tone::White);
}

pub(super) fn scarf(f: &mut Figure, _: &mut Draws) {
    hanger(f);
    f.limb(&[(-0.34, -0.5), (0.34, -0.5)], 0.24, Tone::Main)
        .limb(&[(0.2, -0.4), (0.26, 0.86)], 0.3, Tone::Main);
    for i in 0..4 {
        f.limb(
            &[
                (0.12, -0.1 + 0.25 * i as f32),
                (0.38, -0.1 + 0.25 * i as f32),
            ],
            0.07,
            Tone::Light,
        );
    }
}

pub(super) fn pleated_skirt(f: &mut Figure, _: &mut Draws) {
    hanger(f);
    f.poly(
        &[(-0.36, -0.5), (0.36, -0.5), (0.82, 0.8), (-0.82, 0.8)],
        Tone::Main,
    );
    for i in 0..5 {
        let x = -0.5 + 0.25 * i as f32;
        f.limb(&[(x * 0.5, -0.36), (x * 1.2, 0.74)], 0.035, Tone::Dark);
    }
    f.block(-0.38, -0.56, 0.76, 0.16, Tone::Light);
}

pub(super) fn t_shirt(f: &mut Figure, _: &mut Draws) {
    hanger(f);
    for side in [-1.0, 1.0] {
        f.limb(&[(side * 0.42, -0.44), (side * 0.7, -0.1)], 0.3, Tone::Dark);
    }
    f.poly(
        &[
            (-0.5, -0.56),
            (-0.16, -0.64),
            (0.0, -0.44),
            (0.16, -0.64),
            (0.5, -0.56),
            (0.46, 0.6),
            (-0.46, 0.6),
        ],
        Tone::Main,
    );
}

fn hanger(f: &mut Figure) {
    f.limb(
        &[(0.0, -0.78), (0.08, -0.92), (0.0, -1.0), (-0.08, -0.92)],
        0.04,
        METAL,
    );
    f.limb(&[(-0.5, -0.54), (0.0, -0.76), (0.5, -0.54)], 0.05, METAL);
}

pub(super) fn eiffel_tower(f: &mut Figure, _: &mut Draws) {
    f.poly(
        &[
            (-0.5, 0.84),
            (-0.1, -0.7),
            (0.1, -0.7),
            (0.5, 0.84),
            (0.25, 0.84),
            (0.0, 0.3),
            (-0.25, 0.84),
        ],
        Tone::Main,
    );
    f.limb(&[(0.0, -0.7), (0.0, -0.98)], 0.05, Tone::Main);
    f.block(-0.31, 0.06, 0.62, 0.09, Tone::Dark)
        .block(-0.2, -0.42, 0.4, 0.08, Tone::Dark);
}

pub(super) fn pyramids(f: &mut Figure, _: &mut Draws) {
    f.block(-0.96, 0.84, 1.92, 0.12, Tone::Dark);
    f.poly(&[(-0.96, 0.84), (-0.1, -0.66), (0.3, 0.84)], Tone::Main);
    f.poly(&[(0.3, 0.84), (-0.1, -0.66), (0.86, 0.84)], Tone::Dark);
    f.poly(&[(0.2, 0.84), (0.6, 0.1), (0.96, 0.84)], Tone::Light);
}

pub(super) fn car(f: &mut Figure, draws: &mut Draws) {
    let (cab, front) = (draws.between(0.3, 0.56), draws.between(0.3, 0.7));
    f.poly(
        &[
            (-0.7, 0.1),
            (-0.52, 0.1 - cab),
            (front - 0.1, 0.1 - cab),
            (front + 0.12, 0.1),
        ],
        Tone::Main,
    );
    f.block(-0.96, 0.06, 1.92, 0.44, Tone::Main)
        .block(-0.96, 0.36, 1.92, 0.14, Tone::Dark);
    let glass = Tone::Own([186, 222, 240]);
    f.poly(
        &[
            (-0.54, 0.04),
            (-0.43, 0.18 - cab),
            (-0.08, 0.18 - cab),
            (-0.08, 0.04),
        ],
        glass,
    );
    f.poly(
        &[
            (0.02, 0.04),
            (0.02, 0.18 - cab),
            (front - 0.14, 0.18 - cab),
            (front, 0.04),
        ],
        glass,
    );
    for x in [-0.56, 0.56] {
        f.oval(x, 0.52, 0.26, 0.26, Tone::Black)
            .oval(x, 0.52, 0.12, 0.12, METAL);
    }
    f.oval(0.88, 0.22, 0.07, 0.08, Tone::Own([255, 232, 150]));
}

pub(super) fn airplane(f: &mut Figure, draws: &mut Draws) {
    f.poly(&[(-0.9, -0.5), (-0.64, -0.06), (-0.96, 0.1)], Tone::Dark);
    f.limb(
        &[(-0.74, 0.06), (0.7, -0.02)],
        draws.between(0.3, 0.38),
        Tone::Main,
    );
    f.poly(
        &[(-0.3, 0.06), (0.32, 0.02), (-0.3, 0.72), (-0.54, 0.72)],
        Tone::Dark,
    );
    f.poly(
        &[(-0.1, -0.14), (0.3, -0.14), (-0.1, -0.56), (-0.26, -0.56)],
        Tone::Light,
    );
    for i in 0..4 {
        f.oval(
            -0.4 + 0.26 * i as f32,
            -0.03,
            0.06,
            0.06,
            Tone::Own([214, 236, 248]),
        );
    }
}

pub(super) fn balloon(f: &mut Figure, draws: &mut Draws) {
    let tall = draws.between(0.58, 0.66);
    f.limb(&[(-0.3, 0.1), (-0.14, 0.7)], 0.03, Tone::Black)
        .limb(&[(0.3, 0.1), (0.14, 0.7)], 0.03, Tone::Black);
    f.poly(
        &[(-0.58, -0.14), (0.58, -0.14), (0.2, 0.4), (-0.2, 0.4)],
        Tone::Main,
    );
    f.oval(0.0, -0.36, 0.66, tall, Tone::Main)
        .oval(0.0, -0.36, 0.4, tall, Tone::Light)
        .oval(0.0, -0.36, 0.15, tall, Tone::Dark);
    f.block(-0.18, 0.68, 0.36, 0.28, WOOD);
}

pub(super) fn sailboat(f: &mut Figure, draws: &mut Draws) {
    let mast = draws.between(-0.1, 0.1);
    f.limb(&[(mast, 0.4), (mast, -0.9)], 0.07, WOOD);
    f.poly(
        &[
            (mast + 0.08, -0.86),
            (mast + 0.76, 0.24),
            (mast + 0.08, 0.24),
        ],
        Tone::Light,
    );
    f.poly(
        &[
            (mast - 0.08, -0.66),
            (mast - 0.6, 0.24),
            (mast - 0.08, 0.24),
        ],
        Tone::White,
    );
    f.poly(
        &[(-0.96, 0.36), (0.96, 0.36), (0.66, 0.86), (-0.66, 0.86)],
        Tone::Main,
    );
    f.poly(
        &[(-0.8, 0.62), (0.8, 0.62), (0.66, 0.86), (-0.66, 0.86)],
        Tone::Dark,
    );
}

pub(super) fn ball(f: &mut Figure, draws: &mut Draws) {
    f.oval(0.0, 0.1, 0.82, 0.82, Tone::Main)
        .oval(0.12, 0.24, 0.62, 0.62, Tone::Dark)
        .oval(0.04, 0.14, 0.66, 0.66, Tone::Main);
    let tilt = draws.between(-0.3, 0.3);
    f.limb(
        &[(-0.76, 0.1 + tilt), (0.76, 0.1 - tilt)],
        0.06,
        Tone::Black,
    )
    .limb(&[(tilt, -0.66), (-tilt, 0.86)], 0.06, Tone::Black);
    f.oval(-0.34, -0.3, 0.16, 0.12, Tone::Light);
}

pub(super) fn star(f: &mut Figure, _: &mut Draws) {
    let ring = |inner: f32, outer: f32| -> Vec<_> {
        let reach = |i: u32| if i.is_multiple_of(2) { outer } else { inner };
        (0..10).map(|i| turn(i as f32 / 10.0, reach(i))).collect()
    };
    f.poly(&ring(0.4, 0.95), Tone::Main)
        .poly(&ring(0.24, 0.6), Tone::Light);
}

/// The posts of a sign.
pub(super) fn posts(f: &mut Figure) {
    f.limb(&[(-0.56, 0.96), (-0.56, 0.2)], 0.12, WOOD).limb(
        &[(0.56, 0.96), (0.56, 0.2)],
        0.12,
        WOOD,
    );
}

/// A plain board for a word.
pub(super) fn board(f: &mut Figure, top: f32, bottom: f32) {
    f.block(-1.0, top, 2.0, bottom - top, Tone::Main);
    f.block(-0.92, top + 0.08, 1.84, bottom - top - 0.16, Tone::Light);
}
