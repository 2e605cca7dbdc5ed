//! Objects.

use super::{Draws, Figure, METAL, Tone, WOOD};
use crate::inference::storyboard::ink::turn;

/// Objects by what they look like: words, and the figure.
type Look = (&'static [&'static str], fn(&mut Figure, &mut Draws));

const LOOKS: [Look; 9] = [
    (&["balloon"], balloon),
    (
        &["car", "bus", "train", "truck", "tractor", "van", "motorcycle", "bicycle", "stroller", "skateboard", "sled"],
        vehicle,
    ),
    (&["airplane", "helicopter", "rocket"], plane),
    (&["boat", "canoe", "ship", "surfboard"], boat),
    (&["bottle", "bowl", "kettle", "cup", "bucket", "vase", "mug", "teapot", "bathtub"], vessel),
    (&["chair", "bench", "bed", "table", "toilet", "piano", "sofa", "armchair"], furniture),
    (
        &[
            "laptop",
            "television",
            "phone",
            "camera",
            "clock",
            "microwave",
            "refrigerator",
            "toaster",
            "mailbox",
            "meter",
            "book",
            "radio",
        ],
        case,
    ),
    (
        &[
            "hammer",
            "knife",
            "fork",
            "spoon",
            "broom",
            "toothbrush",
            "pencil",
            "bat",
            "racket",
            "ladder",
            "lamp",
            "flashlight",
            "candle",
            "guitar",
            "telescope",
        ],
        handled,
    ),
    (&["ball", "frisbee", "wheel", "globe", "plate", "coin"], round),
];

pub(super) fn object(term: &str, draws: &mut Draws) -> Figure {
    let mut f = Figure::default();
    let words: Vec<_> = term.split(|c: char| !c.is_alphanumeric()).collect();
    let fits = |look: &&Look| look.0.iter().any(|w| words.iter().any(|t| t.ends_with(w)));
    match LOOKS.iter().find(fits) {
        Some((_, make)) => make(&mut f, draws),
        None if term.is_empty() => star(&mut f, 5),
        None => match draws.below(4) {
            0 => case(&mut f, draws),
            1 => vessel(&mut f, draws),
            2 => parcel(&mut f, draws),
            _ => star(&mut f, 5 + draws.below(5)),
        },
    }
    f
}

fn vehicle(f: &mut Figure, draws: &mut Draws) {
    let (cab, front) = (draws.between(0.3, 0.56), draws.between(0.3, 0.7));
    f.poly(&[(-0.7, 0.1), (-0.52, 0.1 - cab), (front - 0.1, 0.1 - cab), (front + 0.12, 0.1)], Tone::Main);
    f.block(-0.96, 0.06, 1.92, 0.44, Tone::Main).block(-0.96, 0.36, 1.92, 0.14, Tone::Dark);
    let glass = Tone::Own([186, 222, 240]);
    f.poly(&[(-0.54, 0.04), (-0.43, 0.18 - cab), (-0.08, 0.18 - cab), (-0.08, 0.04)], glass);
    f.poly(&[(0.02, 0.04), (0.02, 0.18 - cab), (front - 0.14, 0.18 - cab), (front, 0.04)], glass);
    for x in [-0.56, 0.56] {
        f.oval(x, 0.52, 0.26, 0.26, Tone::Black).oval(x, 0.52, 0.12, 0.12, METAL);
    }
    f.oval(0.88, 0.22, 0.07, 0.08, Tone::Own([255, 232, 150]));
}

fn plane(f: &mut Figure, draws: &mut Draws) {
    f.poly(&[(-0.9, -0.5), (-0.64, -0.06), (-0.96, 0.1)], Tone::Dark);
    f.limb(&[(-0.74, 0.06), (0.7, -0.02)], draws.between(0.3, 0.38), Tone::Main);
    f.poly(&[(-0.3, 0.06), (0.32, 0.02), (-0.3, 0.72), (-0.54, 0.72)], Tone::Dark);
    f.poly(&[(-0.1, -0.14), (0.3, -0.14), (-0.1, -0.56), (-0.26, -0.56)], Tone::Light);
    for i in 0..4 {
        f.oval(-0.4 + 0.26 * i as f32, -0.03, 0.06, 0.06, Tone::Own([214, 236, 248]));
    }
}

fn balloon(f: &mut Figure, draws: &mut Draws) {
    let tall = draws.between(0.58, 0.66);
    f.limb(&[(-0.3, 0.1), (-0.14, 0.7)], 0.03, Tone::Black).limb(&[(0.3, 0.1), (0.14, 0.7)], 0.03, Tone::Black);
    f.poly(&[(-0.58, -0.14), (0.58, -0.14), (0.2, 0.4), (-0.2, 0.4)], Tone::Main);
    f.oval(0.0, -0.36, 0.66, tall, Tone::Main).oval(0.0, -0.36, 0.4, tall, Tone::Light).oval(
        0.0,
        -0.36,
        0.15,
        tall,
        Tone::Dark,
    );
    f.block(-0.18, 0.68, 0.36, 0.28, WOOD);
}

fn boat(f: &mut Figure, draws: &mut Draws) {
    let mast = draws.between(-0.1, 0.1);
    f.limb(&[(mast, 0.4), (mast, -0.9)], 0.07, WOOD);
    f.poly(&[(mast + 0.08, -0.86), (mast + 0.76, 0.24), (mast + 0.08, 0.24)], Tone::Light);
    f.poly(&[(mast - 0.08, -0.66), (mast - 0.6, 0.24), (mast - 0.08, 0.24)], Tone::White);
    f.poly(&[(-0.96, 0.36), (0.96, 0.36), (0.66, 0.86), (-0.66, 0.86)], Tone::Main);
    f.poly(&[(-0.8, 0.62), (0.8, 0.62), (0.66, 0.86), (-0.66, 0.86)], Tone::Dark);
}

fn vessel(f: &mut Figure, draws: &mut Draws) {
    let (neck, wide, top) = (draws.between(0.14, 0.5), draws.between(0.5, 0.72), draws.between(-0.8, -0.3));
    f.limb(&[(wide * 0.8, -0.1), (wide + 0.26, 0.0), (wide + 0.2, 0.4), (wide * 0.7, 0.56)], 0.11, Tone::Dark);
    f.poly(
        &[
            (-neck, top),
            (neck, top),
            (neck, top + 0.24),
            (wide, 0.1),
            (wide * 0.86, 0.86),
            (-wide * 0.86, 0.86),
            (-wide, 0.1),
            (-neck, top + 0.24),
        ],
        Tone::Main,
    );
    f.poly(&[(wide * 0.34, 0.0), (wide, 0.1), (wide * 0.86, 0.86), (wide * 0.4, 0.86)], Tone::Dark);
    f.limb(&[(-wide * 0.66, 0.2), (-wide * 0.6, 0.62)], 0.1, Tone::Light);
    f.oval(0.0, top, neck, 0.09, Tone::Light);
}

fn furniture(f: &mut Figure, draws: &mut Draws) {
    let back = draws.between(-0.8, -0.2);
    for (x, tone) in [(-0.6, Tone::Dark), (0.6, Tone::Dark)] {
        f.limb(&[(x, 0.3), (x * 1.12, 0.94)], 0.12, tone);
    }
    f.poly(&[(-0.76, back), (-0.4, back - 0.08), (-0.4, 0.26), (-0.76, 0.26)], Tone::Dark);
    f.poly(&[(-0.66, back), (0.7, back), (0.7, 0.2), (-0.66, 0.2)], Tone::Main);
    f.poly(&[(-0.56, back + 0.1), (0.6, back + 0.1), (0.6, 0.06), (-0.56, 0.06)], Tone::Light);
    f.limb(&[(-0.8, 0.3), (0.8, 0.3)], 0.26, Tone::Main).limb(&[(-0.78, 0.22), (0.78, 0.22)], 0.06, Tone::Light);
}

fn case(f: &mut Figure, draws: &mut Draws) {
    let (wide, tall) = (draws.between(0.56, 0.92), draws.between(0.5, 0.86));
    f.limb(&[(-wide * 0.7, 0.06 + tall), (wide * 0.7, 0.06 + tall)], 0.12, Tone::Black);
    f.block(-wide, -tall, wide * 2.0, tall * 2.0, Tone::Main).block(
        -wide,
        tall * 0.62,
        wide * 2.0,
        tall * 0.38,
        Tone::Dark,
    );
    f.block(-wide * 0.82, -tall * 0.82, wide * 1.64, tall * 1.28, Tone::Own([206, 226, 236]));
    f.poly(
        &[
            (-wide * 0.5, -tall * 0.82),
            (-wide * 0.1, -tall * 0.82),
            (-wide * 0.5, tall * 0.46),
            (-wide * 0.82, tall * 0.46),
        ],
        Tone::White,
    );
    for i in 0..3 {
        f.oval(wide * (0.3 + 0.24 * i as f32), tall * 0.8, 0.06, 0.06, Tone::Light);
    }
}

fn handled(f: &mut Figure, draws: &mut Draws) {
    f.limb(&[(-0.62, 0.86), (0.3, -0.36)], draws.between(0.12, 0.2), WOOD);
    match draws.below(3) {
        0 => f
            .poly(&[(0.0, -0.66), (0.34, -0.9), (0.86, -0.2), (0.54, 0.02)], Tone::Main)
            .poly(&[(0.2, -0.8), (0.34, -0.9), (0.86, -0.2), (0.74, -0.12)], Tone::Light),
        1 => f.oval(0.48, -0.56, 0.38, 0.34, Tone::Main).oval(0.48, -0.56, 0.24, 0.2, Tone::Light),
        _ => f
            .poly(&[(0.14, -0.28), (0.4, -0.06), (0.98, -0.9), (0.8, -0.98)], Tone::Main)
            .poly(&[(0.3, -0.16), (0.4, -0.06), (0.98, -0.9)], Tone::Dark),
    };
}

fn round(f: &mut Figure, draws: &mut Draws) {
    f.oval(0.0, 0.1, 0.82, 0.82, Tone::Main).oval(0.12, 0.24, 0.62, 0.62, Tone::Dark).oval(
        0.04,
        0.14,
        0.66,
        0.66,
        Tone::Main,
    );
    let tilt = draws.between(-0.3, 0.3);
    f.limb(&[(-0.76, 0.1 + tilt), (0.76, 0.1 - tilt)], 0.06, Tone::Black).limb(
        &[(tilt, -0.66), (-tilt, 0.86)],
        0.06,
        Tone::Black,
    );
    f.oval(-0.34, -0.3, 0.16, 0.12, Tone::Light);
}

fn parcel(f: &mut Figure, draws: &mut Draws) {
    let top = draws.between(-0.5, -0.2);
    f.poly(&[(-0.8, top), (0.0, top - 0.36), (0.8, top), (0.0, top + 0.36)], Tone::Light);
    f.poly(&[(-0.8, top), (0.0, top + 0.36), (0.0, 0.96), (-0.8, 0.6)], Tone::Main);
    f.poly(&[(0.8, top), (0.0, top + 0.36), (0.0, 0.96), (0.8, 0.6)], Tone::Dark);
    f.poly(&[(-0.5, top + 0.14), (-0.34, top + 0.2), (0.46, top - 0.16), (0.3, top - 0.22)], Tone::White);
}

fn star(f: &mut Figure, points: u32) {
    let ring = |inner: f32, outer: f32| -> Vec<_> {
        let reach = |i: u32| if i.is_multiple_of(2) { outer } else { inner };
        (0..points * 2).map(|i| turn(i as f32 / (points * 2) as f32, reach(i))).collect()
    };
    f.poly(&ring(0.5, 0.95), Tone::Main).poly(&ring(0.3, 0.6), Tone::Light);
}
