//! Animals.

use super::{Draws, Figure, Tone, says};
use crate::inference::storyboard::ink::turn;

/// Words for birds.
pub(super) const BIRDS: [&str; 20] = [
    "bird",
    "chicken",
    "duck",
    "eagle",
    "flamingo",
    "goose",
    "hummingbird",
    "ostrich",
    "owl",
    "parrot",
    "peacock",
    "penguin",
    "pigeon",
    "raven",
    "robin",
    "rooster",
    "sparrow",
    "swan",
    "woodpecker",
    "crow",
];
/// Words for animals that are neither birds nor have four legs.
pub(super) const OTHERS: [&str; 25] = [
    "goldfish",
    "fish",
    "shark",
    "dolphin",
    "whale",
    "stingray",
    "seahorse",
    "salmon",
    "crab",
    "lobster",
    "octopus",
    "squid",
    "ant",
    "bee",
    "beetle",
    "butterfly",
    "dragonfly",
    "grasshopper",
    "spider",
    "scorpion",
    "ladybug",
    "moth",
    "snake",
    "snail",
    "worm",
];
/// Words for animals with four legs that texts without terms name most.
pub(super) const BEASTS: [&str; 22] = [
    "cat", "dog", "horse", "cow", "bear", "fox", "wolf", "lion", "tiger", "elephant", "giraffe", "zebra", "panda",
    "rabbit", "sheep", "pig", "deer", "monkey", "mouse", "frog", "turtle", "animal",
];

pub(super) fn animal(term: &str, draws: &mut Draws) -> Figure {
    let mut f = Figure::default();
    if says(term, &BIRDS) {
        bird(&mut f, term, draws);
    } else if says(term, &OTHERS[..8]) {
        fish(&mut f, term, draws);
    } else if says(term, &["snake", "snail", "worm", "slug"]) {
        crawler(&mut f, term);
    } else if says(term, &OTHERS[8..22]) {
        bug(&mut f, term, draws);
    } else {
        beast(&mut f, term, draws);
    }
    f
}

fn bird(f: &mut Figure, term: &str, draws: &mut Draws) {
    let leg = Tone::Own([226, 150, 50]);
    if says(term, &["owl", "penguin", "robin", "chicken"]) {
        let tall = draws.between(0.74, 0.84);
        f.limb(&[(-0.2, 0.85), (-0.2, 0.95)], 0.12, leg).limb(&[(0.2, 0.85), (0.2, 0.95)], 0.12, leg);
        if says(term, &["owl"]) {
            f.poly(&[(-0.5, -0.9), (-0.12, -0.62), (-0.45, -0.4)], Tone::Dark);
            f.poly(&[(0.5, -0.9), (0.12, -0.62), (0.45, -0.4)], Tone::Dark);
        }
        f.oval(0.0, 0.1, 0.56, tall, Tone::Main).oval(0.0, 0.36, 0.36, 0.5, Tone::Light);
        f.oval(-0.54, 0.2, 0.16, 0.48, Tone::Dark).oval(0.54, 0.2, 0.16, 0.48, Tone::Dark);
        f.eye(-0.22, -0.34, 0.2).eye(0.22, -0.34, 0.2);
        f.poly(&[(-0.1, -0.2), (0.1, -0.2), (0.0, 0.02)], leg);
        return;
    }
    let long = says(term, &["flamingo", "ostrich", "swan", "goose"]);
    let (leg_end, neck) =
        if says(term, &["flamingo", "ostrich"]) { (1.0, -0.72) } else { (0.82, if long { -0.6 } else { -0.36 }) };
    f.limb(&[(-0.1, 0.4), (-0.12, leg_end)], 0.06, leg).limb(&[(0.12, 0.4), (0.14, leg_end)], 0.06, leg);
    if says(term, &["peacock", "rooster", "flamingo"]) || draws.below(4) == 0 {
        for i in 0..5 {
            let (x, y) = turn(0.66 + 0.055 * i as f32, 0.8);
            f.limb(
                &[(-0.3, 0.2), (x * 0.95 - 0.1, y * 0.9 + 0.1)],
                0.17,
                if i % 2 == 0 { Tone::Dark } else { Tone::Light },
            );
        }
    } else {
        f.poly(&[(-0.4, 0.05), (-1.0, draws.between(-0.2, 0.2)), (-0.9, 0.34), (-0.4, 0.38)], Tone::Dark);
    }
    f.limb(&[(0.3, 0.1), (0.44, (neck + 0.1) / 2.0), (0.46, neck)], if long { 0.17 } else { 0.34 }, Tone::Main);
    f.oval(0.0, 0.18, 0.56, 0.4, Tone::Main).oval(-0.14, 0.14, 0.36, 0.22, Tone::Dark).oval(
        0.18,
        0.34,
        0.24,
        0.16,
        Tone::Light,
    );
    f.poly(&[(0.62, neck - 0.1), (draws.between(0.88, 1.05), neck + 0.04), (0.62, neck + 0.12)], leg);
    f.oval(0.5, neck, 0.22, 0.21, Tone::Main).eye(0.56, neck - 0.05, 0.07);
}

fn fish(f: &mut Figure, term: &str, draws: &mut Draws) {
    let big = says(term, &["whale", "shark", "dolphin"]);
    let deep = if big { draws.between(0.32, 0.4) } else { draws.between(0.42, 0.56) };
    f.poly(&[(-0.5, 0.0), (-1.0, -0.46), (-0.84, 0.0), (-1.0, 0.4)], Tone::Dark);
    f.poly(&[(-0.25, -0.25), (0.0, if big { -0.78 } else { -0.66 }), (0.26, -0.25)], Tone::Dark);
    f.poly(&[(0.0, 0.2), (-0.16, 0.7), (0.3, 0.24)], Tone::Dark);
    f.oval(0.1, 0.0, 0.76, deep, Tone::Main).oval(0.16, deep * 0.46, 0.52, deep * 0.4, Tone::Light);
    for i in 0..if big { 0 } else { 3 } {
        f.limb(&[(-0.28 + 0.22 * i as f32, -0.16), (-0.22 + 0.22 * i as f32, 0.12)], 0.045, Tone::Dark);
    }
    f.eye(0.54, -0.1, 0.1).limb(&[(0.62, 0.14), (0.76, 0.1)], 0.04, Tone::Black);
}

fn crawler(f: &mut Figure, term: &str) {
    if term.contains("snail") {
        f.limb(&[(-0.85, 0.6), (0.5, 0.6), (0.72, 0.3)], 0.26, Tone::Light);
        f.limb(&[(0.72, 0.2), (0.66, -0.1)], 0.05, Tone::Light).limb(&[(0.8, 0.2), (0.92, -0.08)], 0.05, Tone::Light);
        f.oval(-0.15, 0.06, 0.6, 0.56, Tone::Main).oval(-0.1, 0.1, 0.4, 0.37, Tone::Dark).oval(
            -0.06,
            0.14,
            0.2,
            0.19,
            Tone::Light,
        );
        return;
    }
    let points: Vec<_> =
        (0..=24).map(|i| i as f32 / 24.0).map(|t| (-0.9 + 1.6 * t, 0.3 + turn(t * 1.6, 0.42).0)).collect();
    f.limb(&points, 0.3, Tone::Main).limb(&points, 0.08, Tone::Light);
    let (x, y) = points.last().copied().unwrap_or_default();
    f.limb(&[(x + 0.2, y - 0.02), (x + 0.4, y - 0.04)], 0.04, Tone::Own([220, 60, 70]));
    f.oval(x + 0.08, y - 0.04, 0.26, 0.2, Tone::Main).eye(x + 0.12, y - 0.1, 0.07);
}

fn bug(f: &mut Figure, term: &str, draws: &mut Draws) {
    if says(term, &["crab", "lobster", "octopus", "squid"]) {
        let arms = if term.contains("octopus") { 8 } else { 6 };
        for i in 0..arms {
            let t = i as f32 / (arms - 1) as f32 * 2.0 - 1.0;
            f.limb(&[(t * 0.4, 0.2), (t * 0.8, 0.36), (t * 0.92, 0.86 - t * t * 0.2)], 0.13, Tone::Dark);
        }
        if arms == 6 {
            for side in [-1.0, 1.0] {
                f.limb(&[(side * 0.5, 0.1), (side * 0.85, -0.3)], 0.14, Tone::Main);
                f.oval(side * 0.82, -0.5, 0.2, 0.26, Tone::Main)
                    .poly(&[(side * 0.82, -0.5), (side * 0.72, -0.8), (side * 0.94, -0.8)], Tone::Light);
            }
        }
        let tall = if arms == 8 { 0.62 } else { 0.4 };
        f.oval(0.0, 0.3 - tall, 0.56, tall, Tone::Main).oval(0.0, 0.46 - tall, 0.36, tall * 0.4, Tone::Light);
        f.eye(-0.2, 0.1 - tall, 0.12).eye(0.2, 0.1 - tall, 0.12);
        return;
    }
    let (legs, winged) = (
        if says(term, &["spider", "scorpion"]) { 4 } else { 3 },
        says(term, &["bee", "butterfly", "dragonfly", "moth"]),
    );
    for i in 0..legs {
        let y = -0.25 + 0.7 * i as f32 / (legs - 1) as f32;
        for side in [-1.0, 1.0] {
            f.limb(&[(0.0, y * 0.6), (side * 0.56, y - 0.12), (side * 0.8, y + 0.22)], 0.06, Tone::Black);
        }
    }
    if winged {
        let (up, low) = (draws.between(0.42, 0.52), draws.between(0.28, 0.4));
        for side in [-1.0, 1.0] {
            f.oval(side * 0.5, -0.3, up, up * 0.84, Tone::Main).oval(side * 0.42, 0.34, low, low, Tone::Light);
            f.oval(side * 0.56, -0.34, up * 0.45, up * 0.4, Tone::Light).oval(
                side * 0.42,
                0.36,
                low * 0.45,
                low * 0.45,
                Tone::Dark,
            );
        }
    }
    let wide = if winged { 0.14 } else { draws.between(0.34, 0.46) };
    f.limb(&[(-0.06, -0.7), (-0.26, -0.96)], 0.04, Tone::Black).limb(&[(0.06, -0.7), (0.26, -0.96)], 0.04, Tone::Black);
    f.oval(0.0, 0.26, wide, 0.56, if winged { Tone::Black } else { Tone::Main });
    f.oval(0.0, -0.28, wide * 0.8, 0.28, Tone::Dark).oval(0.0, -0.6, 0.22, 0.2, Tone::Main);
    if !winged {
        f.limb(&[(0.0, -0.1), (0.0, 0.74)], 0.04, Tone::Black).oval(-0.18, 0.2, 0.09, 0.12, Tone::Light).oval(
            0.18,
            0.34,
            0.09,
            0.12,
            Tone::Light,
        );
    }
    f.eye(-0.09, -0.63, 0.07).eye(0.09, -0.63, 0.07);
}

/// Four legs. Neck, legs, ears and tail by the words, else by the term's hash.
fn beast(f: &mut Figure, term: &str, draws: &mut Draws) {
    let low = says(term, &["crocodile", "lizard", "turtle", "frog", "hedgehog", "otter", "mouse"]);
    let neck = if term.contains("giraffe") {
        0.66
    } else if says(term, &["horse", "camel", "deer", "zebra", "kangaroo"]) {
        0.3
    } else {
        0.1
    };
    let heavy = says(term, &["elephant", "hippopotamus", "rhinoceros", "bear", "panda", "cow", "pig", "sheep"]);
    let (deep, leg) = if heavy { (0.42, 0.17) } else { (draws.between(0.28, 0.34), 0.11) };
    let (body, foot) = (if low { 0.44 } else { 0.22 + neck * 0.2 }, 0.94);
    let (hx, hy) = (0.6, body - 0.36 - neck);
    // Tail first: it lies behind.
    match draws.below(3) {
        0 => f.limb(&[(-0.6, body - 0.1), (-0.86, body - 0.3), (-0.84, body - 0.56)], 0.12, Tone::Dark),
        1 => f.limb(&[(-0.6, body - 0.1), (-0.92, body + 0.12)], 0.18, Tone::Dark),
        _ => f.limb(&[(-0.6, body - 0.1), (-0.84, body + 0.1), (-0.88, body + 0.4)], 0.07, Tone::Dark),
    };
    for (x, tone) in [(-0.32, Tone::Dark), (0.42, Tone::Dark), (-0.5, Tone::Main), (0.24, Tone::Main)] {
        f.limb(&[(x, body + 0.1), (x, foot)], leg, tone);
    }
    f.limb(&[(0.36, body - 0.06), (hx - 0.04, hy + 0.1)], deep * 0.9, Tone::Main);
    f.oval(-0.06, body, 0.62, deep, Tone::Main).oval(-0.04, body + deep * 0.5, 0.42, deep * 0.36, Tone::Light);
    if says(term, &["turtle", "hedgehog"]) {
        f.oval(-0.1, body - 0.1, 0.62, 0.46, Tone::Dark).oval(-0.2, body - 0.2, 0.16, 0.14, Tone::Main).oval(
            0.14,
            body - 0.16,
            0.14,
            0.13,
            Tone::Main,
        );
    } else if says(term, &["zebra", "tiger", "leopard", "giraffe", "raccoon", "skunk"]) || draws.below(4) == 0 {
        for i in 0..4 {
            let x = -0.48 + 0.26 * i as f32;
            f.limb(&[(x, body - deep * 0.66), (x + 0.04, body + deep * 0.1)], 0.07, Tone::Dark);
        }
    }
    if says(term, &["lion"]) {
        f.oval(hx, hy, 0.44, 0.44, Tone::Dark);
    }
    let long_ears = says(term, &["rabbit", "kangaroo", "donkey", "hare"]);
    let round = heavy || says(term, &["monkey", "mouse", "koala", "lion"]);
    for (side, tone) in [(0.12, Tone::Dark), (-0.16, Tone::Main)] {
        if term.contains("elephant") {
            f.oval(hx - 0.24, hy, 0.26, 0.32, Tone::Dark);
        } else if long_ears {
            f.limb(&[(hx + side, hy - 0.2), (hx + side * 1.4, hy - 0.62)], 0.13, tone);
        } else if round {
            f.oval(hx + side * 1.3, hy - 0.24, 0.12, 0.12, tone);
        } else if !low {
            f.poly(&[(hx + side - 0.11, hy - 0.14), (hx + side + 0.11, hy - 0.16), (hx + side, hy - 0.48)], tone);
        }
    }
    if term.contains("deer") {
        for side in [-0.12, 0.12] {
            f.limb(&[(hx + side, hy - 0.2), (hx + side * 2.4, hy - 0.66)], 0.05, Tone::Black);
            f.limb(&[(hx + side * 1.7, hy - 0.42), (hx + side * 0.6, hy - 0.64)], 0.05, Tone::Black);
        }
    }
    f.oval(hx, hy, 0.29, 0.27, Tone::Main);
    if term.contains("elephant") {
        f.limb(&[(hx + 0.2, hy + 0.06), (hx + 0.32, hy + 0.4), (hx + 0.24, hy + 0.74)], 0.14, Tone::Main);
    } else {
        let snout = if says(term, &["crocodile", "wolf", "horse", "fox"]) { 0.3 } else { 0.2 };
        f.oval(hx + snout, hy + 0.08, 0.18, 0.14, Tone::Light).oval(
            hx + snout + 0.12,
            hy + 0.03,
            0.055,
            0.045,
            Tone::Black,
        );
    }
    f.eye(hx + 0.06, hy - 0.07, 0.075);
}
