//! Plants: trees, cacti, fruit and flowers.

use super::{Draws, Figure, Tone, says};
use crate::inference::storyboard::ink::turn;

pub(super) fn plant(term: &str, draws: &mut Draws) -> Figure {
    let mut f = Figure::default();
    let (stem, leaf) = (Tone::Own([70, 138, 76]), Tone::Own([96, 172, 94]));
    let (wood, crown) = (Tone::Own([126, 88, 58]), Tone::Own([84, 152, 84]));
    if says(term, &["cactus", "agave", "aloe"]) {
        f.limb(&[(-0.5, 0.2), (-0.5, -0.2)], 0.22, stem).limb(&[(-0.5, 0.2), (0.0, 0.24)], 0.2, stem);
        f.limb(&[(0.5, -0.06), (0.5, -0.46)], 0.22, stem).limb(&[(0.5, -0.04), (0.0, 0.0)], 0.2, stem);
        f.limb(&[(0.0, 0.8), (0.0, -0.64)], 0.4, leaf).oval(0.0, -0.88, 0.13, 0.11, Tone::Main);
        f.poly(&[(-0.5, 0.6), (0.5, 0.6), (0.36, 1.0), (-0.36, 1.0)], Tone::Own([196, 110, 74]));
    } else if says(term, &["tree", "birch", "maple", "baobab", "willow", "bonsai", "oak", "pine", "palm"]) {
        f.limb(
            &[(0.0, 0.95), (draws.between(-0.08, 0.08), 0.0)],
            if term.contains("baobab") { 0.5 } else { 0.2 },
            wood,
        );
        if term.contains("palm") {
            for i in 0..7 {
                let (x, y) = turn(0.7 + 0.1 * i as f32, 0.8);
                f.limb(
                    &[(0.0, -0.25), (x * 0.6, y * 0.6 - 0.3), (x, y - 0.02)],
                    0.13,
                    if i % 2 == 0 { crown } else { stem },
                );
            }
        } else {
            for i in 0..6 {
                let (x, y) = turn(i as f32 / 6.0, 0.38);
                f.oval(
                    x * 1.2,
                    y - 0.38,
                    draws.between(0.3, 0.4),
                    draws.between(0.28, 0.36),
                    if i % 2 == 0 { crown } else { leaf },
                );
            }
            f.oval(0.0, -0.4, 0.34, 0.3, crown);
            for i in 0..5 {
                let (x, y) = turn(i as f32 / 5.0 + 0.1, 0.4);
                f.oval(x, y - 0.38, 0.07, 0.07, Tone::Main);
            }
        }
    } else if says(
        term,
        &[
            "carrot",
            "cucumber",
            "eggplant",
            "lemon",
            "lettuce",
            "mango",
            "onion",
            "pineapple",
            "potato",
            "pumpkin",
            "strawberry",
            "tomato",
            "watermelon",
            "apple",
            "fruit",
        ],
    ) {
        let (wide, tall) = (draws.between(0.46, 0.74), draws.between(0.5, 0.72));
        for i in 0..3 {
            let (x, y) = turn(0.9 + 0.1 * i as f32, 0.42);
            f.limb(&[(0.0, 0.16 - tall), (x, 0.16 - tall + y * 0.8)], 0.14, leaf);
        }
        f.oval(0.0, 0.18, wide, tall, Tone::Main).oval(wide * 0.16, 0.3, wide * 0.7, tall * 0.66, Tone::Dark);
        f.oval(wide * 0.06, 0.2, wide * 0.74, tall * 0.74, Tone::Main).oval(
            -wide * 0.4,
            0.18 - tall * 0.4,
            0.12,
            0.14,
            Tone::Light,
        );
    } else {
        let (petals, reach) = (5 + draws.below(8), draws.between(0.34, 0.42));
        f.limb(&[(0.0, 0.98), (0.0, -0.2)], 0.1, stem);
        f.limb(&[(0.0, 0.8), (0.3, 0.58), (0.46, 0.4)], 0.17, leaf).limb(
            &[(0.0, 0.9), (-0.3, 0.7), (-0.44, 0.54)],
            0.17,
            leaf,
        );
        for i in 0..petals {
            let (x, y) = turn(i as f32 / petals as f32, reach);
            f.limb(
                &[(x * 0.4, y * 0.4 - 0.34), (x, y - 0.34)],
                1.5 / petals as f32,
                if i % 2 == 0 { Tone::Main } else { Tone::Light },
            );
        }
        f.oval(0.0, -0.34, 0.2, 0.2, Tone::Own([240, 196, 72])).oval(0.0, -0.34, 0.11, 0.11, Tone::Own([196, 136, 48]));
    }
    f
}
