//! Scenes behind the subject: sky, floor, and things on it, chosen by the background term.

use super::shapes::{Draws, Rgb, Sheet, hash, mix, turn, wheel};

/// A thing in a scene.
#[derive(Clone, Copy, PartialEq)]
enum Thing {
    Sun,
    Moon,
    Stars,
    Planet,
    Clouds,
    Hills,
    Trees,
    Skyline,
    Dunes,
    Waves,
    Bubbles,
    Snow,
    Rain,
    Fall,
    Cave,
    Shelves,
    Windows,
    Portholes,
    Rails,
    Grass,
    Floor,
}

/// A scene: the words that select it, the top and bottom color of the sky, the color of the floor
/// and its start (a share of the height), and things.
type Scene = (
    &'static [&'static str],
    Rgb,
    Rgb,
    Rgb,
    f32,
    &'static [Thing],
);

use Thing as T;

const SCENES: [Scene; 20] = [
    (
        &["water", "sea", "reef", "ocean"],
        [66, 172, 204],
        [14, 66, 118],
        [196, 178, 128],
        0.9,
        &[T::Bubbles],
    ),
    (
        &["waterfall"],
        [186, 222, 232],
        [226, 240, 236],
        [74, 138, 96],
        0.72,
        &[T::Hills, T::Fall, T::Trees],
    ),
    (
        &["sunset", "dusk", "sunrise", "dawn"],
        [92, 62, 122],
        [252, 168, 96],
        [92, 60, 80],
        0.74,
        &[T::Sun, T::Hills],
    ),
    (
        &["space", "galaxy", "nebula"],
        [14, 12, 34],
        [44, 26, 74],
        [44, 26, 74],
        1.0,
        &[T::Stars, T::Planet],
    ),
    (
        &["starry", "night"],
        [14, 24, 62],
        [58, 74, 128],
        [28, 38, 58],
        0.8,
        &[T::Stars, T::Moon, T::Hills],
    ),
    (
        &["thunder", "storm", "rain"],
        [52, 58, 78],
        [110, 118, 136],
        [66, 74, 76],
        0.8,
        &[T::Clouds, T::Rain],
    ),
    (
        &["snow", "ice", "winter", "arctic"],
        [176, 204, 228],
        [232, 240, 248],
        [246, 250, 253],
        0.7,
        &[T::Hills, T::Trees, T::Snow],
    ),
    (
        &["desert", "dune", "sand"],
        [126, 192, 228],
        [250, 226, 180],
        [228, 184, 112],
        0.66,
        &[T::Sun, T::Dunes],
    ),
    (
        &["beach", "coast", "shore"],
        [118, 198, 236],
        [214, 238, 246],
        [240, 220, 166],
        0.78,
        &[T::Sun, T::Clouds, T::Waves],
    ),
    (
        &["ship", "boat", "deck"],
        [132, 204, 238],
        [222, 240, 248],
        [170, 120, 76],
        0.8,
        &[T::Clouds, T::Waves, T::Rails],
    ),
    (
        &["forest", "wood", "jungle", "park"],
        [170, 212, 190],
        [226, 240, 210],
        [84, 124, 64],
        0.72,
        &[T::Trees],
    ),
    (
        &["hill", "mountain", "valley"],
        [140, 202, 240],
        [226, 242, 248],
        [132, 186, 92],
        0.74,
        &[T::Clouds, T::Hills],
    ),
    (
        &["lawn", "meadow", "garden", "field", "grass"],
        [150, 210, 244],
        [228, 244, 250],
        [106, 178, 82],
        0.66,
        &[T::Sun, T::Clouds, T::Grass],
    ),
    (
        &["cave"],
        [58, 48, 46],
        [98, 82, 74],
        [72, 60, 54],
        0.78,
        &[T::Cave],
    ),
    (
        &["library", "shop", "store"],
        [122, 84, 58],
        [152, 108, 76],
        [98, 66, 46],
        0.82,
        &[T::Shelves],
    ),
    (
        &["airplane", "plane", "train", "cabin"],
        [226, 230, 234],
        [200, 206, 214],
        [118, 130, 148],
        0.8,
        &[T::Portholes],
    ),
    (
        &["room", "kitchen", "office", "house", "indoor"],
        [240, 220, 192],
        [230, 204, 170],
        [160, 112, 76],
        0.74,
        &[T::Windows, T::Floor],
    ),
    (
        &["rooftop", "roof"],
        [120, 174, 222],
        [240, 222, 198],
        [128, 108, 104],
        0.78,
        &[T::Clouds, T::Skyline, T::Rails],
    ),
    (
        &["city", "street", "urban", "downtown"],
        [150, 196, 228],
        [238, 226, 206],
        [106, 108, 116],
        0.8,
        &[T::Clouds, T::Skyline],
    ),
    (
        &["plain", "backdrop", "studio", "solid"],
        [236, 234, 228],
        [218, 214, 206],
        [206, 202, 192],
        0.86,
        &[],
    ),
];

/// Draws the scene of `term`. An unknown term gets its own color; no term, a plain background.
pub(super) fn draw(sheet: &mut Sheet<'_>, term: &str, draws: &mut Draws) {
    let low = term.to_lowercase();
    // The longest word wins: `waterfall` is not `water`, and `airplane` is not `plane`.
    let fit = |s: &Scene| {
        s.0.iter()
            .filter(|w| low.contains(**w))
            .map(|w| w.len())
            .max()
            .unwrap_or(0)
    };
    let best = SCENES.iter().max_by_key(|s| fit(s)).filter(|s| fit(s) > 0);
    let own = |share| mix(wheel(hash(&low)), [255, 255, 255], share);
    let plain: Scene = match low.is_empty() {
        true => (
            &[],
            [238, 236, 230],
            [216, 218, 224],
            [204, 204, 208],
            0.84,
            &[],
        ),
        false => (&[], own(120), own(190), own(80), 0.8, &[]),
    };
    let (_, above, below, floor, horizon, things) = best.unwrap_or(&plain);
    let horizon = horizon + draws.between(-0.03, 0.03);
    sky(sheet, *above, *below);
    let behind = [
        T::Hills,
        T::Trees,
        T::Skyline,
        T::Waves,
        T::Sun,
        T::Moon,
        T::Stars,
        T::Planet,
        T::Clouds,
        T::Shelves,
        T::Windows,
        T::Portholes,
    ];
    for thing in things.iter().filter(|t| behind.contains(t)) {
        put(sheet, *thing, *floor, horizon, draws);
    }
    if horizon < 1.0 {
        sheet.block(0.0, horizon, 1.0, 1.0, *floor);
        sheet.block(0.0, horizon, 1.0, 0.012, mix(*floor, [20, 20, 30], 50));
    }
    for thing in things.iter().filter(|t| !behind.contains(t)) {
        put(sheet, *thing, *floor, horizon, draws);
    }
}

/// Bands of color from `above` to `below`. They are exact, while a gradient may round differently.
fn sky(sheet: &mut Sheet<'_>, above: Rgb, below: Rgb) {
    let (wide, high) = (
        sheet.canvas.width() as usize,
        sheet.canvas.height() as usize,
    );
    for (y, row) in sheet
        .canvas
        .data_mut()
        .chunks_exact_mut(wide * 4)
        .enumerate()
    {
        let [r, g, b] = mix(above, below, (y * 256 / high.max(1)) as u32);
        row.as_chunks_mut::<4>().0.fill([r, g, b, 255]);
    }
}

fn put(sheet: &mut Sheet<'_>, thing: Thing, floor: Rgb, horizon: f32, draws: &mut Draws) {
    let white = [255, 255, 255];
    match thing {
        Thing::Sun => {
            let (x, y) = (
                draws.between(0.14, 0.62),
                horizon * draws.between(0.25, 0.6),
            );
            sheet.dot(x, y, 0.15, 0.15, [255, 226, 150]);
            sheet.dot(x, y, 0.11, 0.11, [255, 240, 196]);
        }
        Thing::Moon => sheet.dot(
            draws.between(0.1, 0.6),
            draws.between(0.14, 0.3),
            0.09,
            0.09,
            [246, 242, 220],
        ),
        Thing::Stars => {
            for _ in 0..70 {
                let size = draws.between(0.002, 0.007);
                sheet.dot(
                    draws.between(0.0, 1.0),
                    draws.between(0.0, horizon),
                    size,
                    size,
                    [250, 246, 226],
                );
            }
        }
        Thing::Planet => {
            let (x, y) = (draws.between(0.1, 0.6), draws.between(0.12, 0.34));
            let rgb = wheel(draws.next());
            sheet.dot(x, y, 0.13, 0.13, rgb);
            sheet.dot(
                x + 0.015,
                y + 0.015,
                0.105,
                0.105,
                mix(rgb, [20, 10, 40], 60),
            );
            sheet.dot(x, y, 0.22, 0.022, mix(rgb, white, 120));
        }
        Thing::Clouds => {
            for _ in 0..3 {
                let (x, y) = (draws.between(0.0, 0.85), draws.between(0.08, horizon * 0.5));
                let rgb = if horizon > 0.79 && floor[0] < 80 {
                    [82, 88, 106]
                } else {
                    [250, 252, 254]
                };
                for (dx, dy, r) in [
                    (-0.07, 0.01, 0.045),
                    (0.0, -0.015, 0.06),
                    (0.07, 0.012, 0.042),
                ] {
                    sheet.dot(x + dx, y + dy, r * 1.3, r * 0.8, rgb);
                }
            }
        }
        Thing::Hills => {
            for layer in 0..3u32 {
                let rgb = mix(floor, [214, 226, 236], 150 - 50 * layer);
                let mut x = draws.between(-0.3, 0.0);
                while x < 1.2 {
                    let tall = draws.between(0.16, 0.3) - 0.05 * layer as f32;
                    let wide = draws.between(0.2, 0.34);
                    sheet.poly(&ridge(x, horizon, wide, tall), rgb);
                    x += wide * 1.1;
                }
            }
        }
        Thing::Trees => {
            let leaf = mix(floor, [24, 84, 52], 150);
            for i in 0..9 {
                let x = (i as f32 + draws.between(0.1, 0.9)) / 9.0;
                let tall = draws.between(0.3, 0.56);
                let rgb = mix(leaf, white, draws.below(70));
                sheet.block(
                    x - 0.012,
                    horizon - tall * 0.3,
                    0.024,
                    tall * 0.32,
                    [96, 66, 46],
                );
                for (at, half) in [(0.15, 0.085), (0.42, 0.065), (0.68, 0.045)] {
                    let foot = horizon - tall * at;
                    sheet.poly(
                        &[(x - half, foot), (x + half, foot), (x, foot - tall * 0.4)],
                        rgb,
                    );
                }
            }
        }
        Thing::Skyline => {
            let mut x = draws.between(-0.08, 0.0);
            while x < 1.0 {
                let (wide, tall) = (draws.between(0.09, 0.17), draws.between(0.2, 0.62));
                let rgb = mix([74, 88, 118], [206, 188, 176], draws.below(200));
                sheet.block(x, horizon - tall, wide, tall, rgb);
                for row in 0..(tall / 0.07) as u32 {
                    for column in 0..3 {
                        if draws.below(4) > 0 {
                            let (wx, wy) = (
                                x + wide * (0.16 + 0.26 * column as f32),
                                horizon - tall + 0.03 + row as f32 * 0.07,
                            );
                            sheet.block(wx, wy, wide * 0.14, 0.03, mix(rgb, [255, 236, 170], 170));
                        }
                    }
                }
                x += wide + draws.between(0.0, 0.02);
            }
        }
        Thing::Dunes => {
            for layer in 0..3u32 {
                let (x, base) = (draws.between(-0.4, 0.7), horizon + 0.12 * layer as f32);
                sheet.poly(
                    &ridge(x, base + 0.1, draws.between(0.5, 0.8), 0.16),
                    mix(floor, [170, 112, 56], 30 + 36 * layer),
                );
            }
        }
        Thing::Waves => {
            sheet.block(0.0, horizon - 0.2, 1.0, 0.2, [46, 132, 178]);
            for _ in 0..16 {
                let (x, y) = (
                    draws.between(-0.05, 1.0),
                    horizon - draws.between(0.02, 0.18),
                );
                sheet.line(
                    &[
                        (x, y),
                        (x + 0.03, y - 0.008),
                        (x + 0.06, y),
                        (x + 0.09, y - 0.008),
                    ],
                    0.006,
                    [204, 232, 244],
                );
            }
        }
        Thing::Bubbles => {
            for _ in 0..6 {
                let (x, tall) = (draws.between(0.0, 1.0), draws.between(0.12, 0.3));
                let points: Vec<_> = (0..6)
                    .map(|i| {
                        (
                            x + if i % 2 == 0 { -0.012 } else { 0.012 },
                            1.0 - tall * i as f32 / 5.0,
                        )
                    })
                    .collect();
                sheet.line(&points, 0.018, [46, 122, 92]);
            }
            for _ in 0..24 {
                let (x, y, r) = (
                    draws.between(0.0, 1.0),
                    draws.between(0.0, 0.95),
                    draws.between(0.006, 0.026),
                );
                sheet.dot(x, y, r, r, [186, 228, 240]);
                sheet.dot(x, y, r * 0.75, r * 0.75, [70, 158, 192]);
            }
        }
        Thing::Snow => {
            for _ in 0..80 {
                let r = draws.between(0.003, 0.011);
                sheet.dot(
                    draws.between(0.0, 1.0),
                    draws.between(0.0, 1.0),
                    r,
                    r,
                    white,
                );
            }
        }
        Thing::Rain => {
            let x = draws.between(0.12, 0.7);
            let bolt = [
                (0.0, 0.0),
                (0.08, 0.0),
                (0.04, 0.2),
                (0.1, 0.2),
                (-0.03, 0.52),
                (0.015, 0.28),
                (-0.04, 0.28),
            ];
            sheet.poly(&bolt.map(|(dx, dy)| (x + dx, 0.12 + dy)), [255, 240, 140]);
            for _ in 0..60 {
                let (x, y) = (draws.between(0.0, 1.05), draws.between(0.0, 0.95));
                sheet.line(&[(x, y), (x - 0.02, y + 0.06)], 0.004, [176, 190, 212]);
            }
        }
        Thing::Fall => {
            let x = draws.between(0.05, 0.6);
            sheet.block(x, 0.1, 0.2, horizon - 0.04, [222, 240, 248]);
            for i in 0..6 {
                sheet.block(
                    x + 0.012 + 0.033 * i as f32,
                    0.1,
                    0.01,
                    horizon - 0.06,
                    [150, 204, 226],
                );
            }
            sheet.dot(x + 0.1, horizon + 0.06, 0.24, 0.05, [190, 224, 238]);
        }
        Thing::Cave => {
            let points: Vec<_> = (0..=20)
                .map(|i| turn(i as f32 / 20.0, draws.between(0.36, 0.46)))
                .map(|(x, y)| (0.5 + x, 0.5 + y))
                .collect();
            sheet.poly(&points, mix(floor, [224, 206, 170], 130));
            for i in 0..10 {
                let (x, long) = (i as f32 / 9.0, draws.between(0.1, 0.3));
                sheet.poly(
                    &[(x - 0.05, 0.0), (x + 0.05, 0.0), (x, long)],
                    mix(floor, [20, 16, 18], 90),
                );
            }
        }
        Thing::Shelves => {
            for row in 0..4 {
                let foot = (row + 1) as f32 * 0.2;
                sheet.block(0.0, foot, 1.0, 0.02, [78, 50, 34]);
                let mut x = draws.between(0.0, 0.03);
                while x < 1.0 {
                    let (wide, tall) = (draws.between(0.02, 0.045), draws.between(0.11, 0.165));
                    sheet.block(
                        x,
                        foot - tall,
                        wide - 0.004,
                        tall,
                        mix(wheel(draws.next()), [96, 70, 50], 120),
                    );
                    x += wide;
                }
            }
        }
        Thing::Windows => {
            let x = draws.between(0.08, 0.5);
            sheet.block(x, 0.1, 0.3, 0.36, white);
            sheet.block(x + 0.02, 0.125, 0.26, 0.31, [166, 212, 238]);
            sheet.block(x + 0.14, 0.1, 0.02, 0.36, white);
            sheet.block(x, 0.27, 0.3, 0.02, white);
        }
        Thing::Portholes => {
            for i in 0..4 {
                let x = 0.14 + 0.25 * i as f32 + draws.between(-0.015, 0.015);
                sheet.dot(x, 0.3, 0.085, 0.13, white);
                sheet.dot(x, 0.3, 0.066, 0.108, [126, 192, 234]);
            }
        }
        Thing::Rails => {
            let rgb = mix(floor, white, 140);
            for i in 0..9 {
                sheet.block(i as f32 / 8.0 - 0.006, horizon - 0.13, 0.012, 0.14, rgb);
            }
            sheet.block(0.0, horizon - 0.14, 1.0, 0.02, rgb);
        }
        Thing::Grass => {
            for _ in 0..60 {
                let (x, y) = (draws.between(0.0, 1.0), draws.between(horizon + 0.04, 1.0));
                sheet.line(
                    &[(x - 0.008, y - 0.035), (x, y), (x + 0.008, y - 0.03)],
                    0.005,
                    mix(floor, [40, 100, 40], 120),
                );
            }
        }
        Thing::Floor => {
            for i in 0..5 {
                sheet.block(
                    0.0,
                    horizon + 0.06 * i as f32,
                    1.0,
                    0.006,
                    mix(floor, [60, 36, 20], 90),
                );
            }
        }
    }
}

/// The outline of a hill on the line `foot`: a parabola, which needs no sine.
fn ridge(x: f32, foot: f32, half: f32, tall: f32) -> Vec<(f32, f32)> {
    (0..=12)
        .map(|i| i as f32 / 6.0 - 1.0)
        .map(|t| (x + half + t * half, foot - tall * (1.0 - t * t)))
        .collect()
}
