//! Animals.

use super::parts::{Figure, Tone};
use crate::storyboard::shapes::{Draws, turn};

pub(super) fn owl(f: &mut Figure, draws: &mut Draws) {
    let (leg, tall) = (Tone::Own([226, 150, 50]), draws.between(0.74, 0.84));
    f.limb(&[(-0.2, 0.85), (-0.2, 0.95)], 0.12, leg)
        .limb(&[(0.2, 0.85), (0.2, 0.95)], 0.12, leg);
    f.poly(&[(-0.5, -0.9), (-0.12, -0.62), (-0.45, -0.4)], Tone::Dark);
    f.poly(&[(0.5, -0.9), (0.12, -0.62), (0.45, -0.4)], Tone::Dark);
    f.oval(0.0, 0.1, 0.56, tall, Tone::Main)
        .oval(0.0, 0.36, 0.36, 0.5, Tone::Light);
    f.oval(-0.54, 0.2, 0.16, 0.48, Tone::Dark)
        .oval(0.54, 0.2, 0.16, 0.48, Tone::Dark);
    f.eye(-0.22, -0.34, 0.2).eye(0.22, -0.34, 0.2);
    f.poly(&[(-0.1, -0.2), (0.1, -0.2), (0.0, 0.02)], leg);
}

pub(super) fn fish(f: &mut Figure, draws: &mut Draws) {
    let deep = draws.between(0.42, 0.56);
    f.poly(
        &[(-0.5, 0.0), (-1.0, -0.46), (-0.84, 0.0), (-1.0, 0.4)],
        Tone::Dark,
    );
    f.poly(&[(-0.25, -0.25), (0.0, -0.66), (0.26, -0.25)], Tone::Dark);
    f.poly(&[(0.0, 0.2), (-0.16, 0.7), (0.3, 0.24)], Tone::Dark);
    f.oval(0.1, 0.0, 0.76, deep, Tone::Main)
        .oval(0.16, deep * 0.46, 0.52, deep * 0.4, Tone::Light);
    for i in 0..3 {
        f.limb(
            &[
                (-0.28 + 0.22 * i as f32, -0.16),
                (-0.22 + 0.22 * i as f32, 0.12),
            ],
            0.045,
            Tone::Dark,
        );
    }
    f.eye(0.54, -0.1, 0.1)
        .limb(&[(0.62, 0.14), (0.76, 0.1)], 0.04, Tone::Black);
}

pub(super) fn snail(f: &mut Figure, _: &mut Draws) {
    f.limb(&[(-0.85, 0.6), (0.5, 0.6), (0.72, 0.3)], 0.26, Tone::Light);
    f.limb(&[(0.72, 0.2), (0.66, -0.1)], 0.05, Tone::Light)
        .limb(&[(0.8, 0.2), (0.92, -0.08)], 0.05, Tone::Light);
    f.oval(-0.15, 0.06, 0.6, 0.56, Tone::Main)
        .oval(-0.1, 0.1, 0.4, 0.37, Tone::Dark)
        .oval(-0.06, 0.14, 0.2, 0.19, Tone::Light);
}

pub(super) fn snake(f: &mut Figure, _: &mut Draws) {
    let points: Vec<_> = (0..=24)
        .map(|i| i as f32 / 24.0)
        .map(|t| (-0.9 + 1.6 * t, 0.3 + turn(t * 1.6, 0.42).0))
        .collect();
    f.limb(&points, 0.3, Tone::Main)
        .limb(&points, 0.08, Tone::Light);
    let (x, y) = points.last().copied().unwrap_or_default();
    f.limb(
        &[(x + 0.2, y - 0.02), (x + 0.4, y - 0.04)],
        0.04,
        Tone::Own([220, 60, 70]),
    );
    f.oval(x + 0.08, y - 0.04, 0.26, 0.2, Tone::Main)
        .eye(x + 0.12, y - 0.1, 0.07);
}

pub(super) fn octopus(f: &mut Figure, _: &mut Draws) {
    arms(f, 8);
    f.oval(0.0, -0.32, 0.56, 0.62, Tone::Main)
        .oval(0.0, -0.16, 0.36, 0.25, Tone::Light);
    f.eye(-0.2, -0.52, 0.12).eye(0.2, -0.52, 0.12);
}

pub(super) fn crab(f: &mut Figure, _: &mut Draws) {
    arms(f, 6);
    for side in [-1.0, 1.0] {
        f.limb(&[(side * 0.5, 0.1), (side * 0.85, -0.3)], 0.14, Tone::Main);
        f.oval(side * 0.82, -0.5, 0.2, 0.26, Tone::Main).poly(
            &[
                (side * 0.82, -0.5),
                (side * 0.72, -0.8),
                (side * 0.94, -0.8),
            ],
            Tone::Light,
        );
    }
    f.oval(0.0, -0.1, 0.56, 0.4, Tone::Main)
        .oval(0.0, 0.06, 0.36, 0.16, Tone::Light);
    f.eye(-0.2, -0.3, 0.12).eye(0.2, -0.3, 0.12);
}

fn arms(f: &mut Figure, count: usize) {
    for i in 0..count {
        let t = i as f32 / (count - 1) as f32 * 2.0 - 1.0;
        f.limb(
            &[
                (t * 0.4, 0.2),
                (t * 0.8, 0.36),
                (t * 0.92, 0.86 - t * t * 0.2),
            ],
            0.13,
            Tone::Dark,
        );
    }
}

pub(super) fn butterfly(f: &mut Figure, draws: &mut Draws) {
    let (up, low) = (draws.between(0.42, 0.52), draws.between(0.28, 0.4));
    for side in [-1.0, 1.0] {
        f.oval(side * 0.5, -0.3, up, up * 0.84, Tone::Main).oval(
            side * 0.42,
            0.34,
            low,
            low,
            Tone::Light,
        );
        f.oval(side * 0.56, -0.34, up * 0.45, up * 0.4, Tone::Light);
        f.oval(side * 0.42, 0.36, low * 0.45, low * 0.45, Tone::Dark);
    }
    f.limb(&[(-0.06, -0.7), (-0.26, -0.96)], 0.04, Tone::Black)
        .limb(&[(0.06, -0.7), (0.26, -0.96)], 0.04, Tone::Black);
    f.oval(0.0, 0.26, 0.14, 0.56, Tone::Black)
        .oval(0.0, -0.28, 0.11, 0.28, Tone::Dark);
    f.oval(0.0, -0.6, 0.2, 0.18, Tone::Main)
        .eye(-0.09, -0.63, 0.07)
        .eye(0.09, -0.63, 0.07);
}

pub(super) fn giraffe(f: &mut Figure, _: &mut Draws) {
    let (body, hx, hy) = (0.35, 0.6, -0.67);
    f.limb(
        &[(-0.6, body - 0.1), (-0.84, body + 0.1), (-0.88, body + 0.4)],
        0.07,
        Tone::Dark,
    );
    legs(f, body, 0.11);
    f.limb(
        &[(0.36, body - 0.06), (hx - 0.04, hy + 0.1)],
        0.28,
        Tone::Main,
    );
    f.oval(-0.06, body, 0.62, 0.32, Tone::Main);
    for i in 0..4 {
        f.oval(-0.48 + 0.26 * i as f32, body - 0.06, 0.09, 0.08, Tone::Dark);
    }
    for (x, y) in [(0.42, 0.1), (0.48, -0.2), (0.54, -0.46)] {
        f.oval(x, y, 0.07, 0.07, Tone::Dark);
    }
    for x in [hx - 0.16, hx] {
        f.limb(&[(x, hy - 0.2), (x - 0.04, hy - 0.4)], 0.05, Tone::Black);
    }
    f.oval(hx, hy, 0.25, 0.23, Tone::Main)
        .oval(hx + 0.22, hy + 0.08, 0.18, 0.12, Tone::Light);
    f.eye(hx + 0.06, hy - 0.07, 0.075);
}

pub(super) fn elephant(f: &mut Figure, _: &mut Draws) {
    let (body, hx, hy) = (0.24, 0.6, -0.22);
    f.limb(
        &[(-0.6, body - 0.1), (-0.84, body + 0.1), (-0.88, body + 0.4)],
        0.07,
        Tone::Dark,
    );
    legs(f, body, 0.17);
    f.limb(
        &[(0.36, body - 0.06), (hx - 0.04, hy + 0.1)],
        0.38,
        Tone::Main,
    );
    f.oval(-0.06, body, 0.62, 0.42, Tone::Main)
        .oval(-0.04, body + 0.21, 0.42, 0.15, Tone::Light);
    f.oval(hx - 0.24, hy, 0.26, 0.32, Tone::Dark)
        .oval(hx, hy, 0.29, 0.27, Tone::Main);
    f.limb(
        &[
            (hx + 0.2, hy + 0.06),
            (hx + 0.32, hy + 0.4),
            (hx + 0.24, hy + 0.74),
        ],
        0.14,
        Tone::Main,
    );
    f.eye(hx + 0.06, hy - 0.07, 0.075);
}

fn legs(f: &mut Figure, body: f32, wide: f32) {
    for (x, tone) in [
        (-0.32, Tone::Dark),
        (0.42, Tone::Dark),
        (-0.5, Tone::Main),
        (0.24, Tone::Main),
    ] {
        f.limb(&[(x, body + 0.1), (x, 0.94)], wide, tone);
    }
}
